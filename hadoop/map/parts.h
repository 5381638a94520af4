/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - ids, amounts and states, from creel's messages to Hadoop's and back (pure)
 *
 * Functions of hadoop/map make Hadoop's messages in an arena. Texts are borrowed from creel's message, which
 * must exist until the result is packed.
 */
#ifndef CREEL_HADOOP_MAP_PARTS_H
#define CREEL_HADOOP_MAP_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/id.h"
#include "common/proto/creel.pb-c.h"
#include "hadoop/proto/hadoop.pb-c.h"

/* Sets an optional field that is no text and no message. */
#define HADOOP_SET(message, field, value) ((message)->has_##field = 1, (message)->field = (value))

/* Returns TEXT for a member of a message, which does not change it. */
static inline char *hadoop_text(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* --- ids ------------------------------------------------------------------------ */

/* Make the message of an id. TEXT that is none gives an id without numbers. */
Hadoop__AppId *hadoop_app_id(struct arena *arena, const char *text);
Hadoop__AttemptId *hadoop_attempt_id(struct arena *arena, const struct attempt_id *id);
Hadoop__ContainerId *hadoop_container_id(struct arena *arena, const char *text);
Hadoop__NodeId *hadoop_node_id(struct arena *arena, const char *text); /* "host:port" */

/* Write the text of the id that a client sent. Return false if it is none. */
bool hadoop_app_id_text(const Hadoop__AppId *id, char text[ID_TEXT_MAX]);
bool hadoop_attempt_id_read(const Hadoop__AttemptId *id, struct attempt_id *ret);
bool hadoop_container_id_text(const Hadoop__ContainerId *id, char text[ID_TEXT_MAX]);

/* --- amounts -------------------------------------------------------------------- */

/* TYPES are those of the cluster, which has the units; NULL: unknown. */
Hadoop__Amount *hadoop_amount(struct arena *arena, const Creel__ClusterInfo *types,
                              const Creel__Resource *resource);
/* The same for numbers: what an ended application has is -1. */
Hadoop__Amount *hadoop_amount_of(struct arena *arena, int64_t memory_mb, int64_t vcores);
Hadoop__ResourceTypes *hadoop_resource_types(struct arena *arena, const Creel__ClusterInfo *cluster);
Hadoop__Priority *hadoop_priority(struct arena *arena, int32_t priority);
int32_t hadoop_count(int64_t number); /* at most INT32_MAX */

#endif

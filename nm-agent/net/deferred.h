/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deferred.h - what the agent writes to its state directory when that answers again
 *
 * A state directory that does not answer must not block the loop, and a change of a record that is on disk
 * must not be lost: a container that was stopped before its start would run after a restart of the agent. So
 * such records and acknowledgements wait here, in order; of one container, the newest record.
 */
#ifndef CREEL_NM_DEFERRED_H
#define CREEL_NM_DEFERRED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

struct runtime;
STAILQ_HEAD(deferred, deferred_write);

/* Adds the record DATA of a container. Both are copied. */
void deferred_add_record(struct deferred *deferred, const char *container_id, const void *data, size_t size);
/* Adds the acknowledgement of the end of a container. */
void deferred_add_acknowledgement(struct deferred *deferred, const char *container_id);
/* Returns true if the state directory answers. Then all that waits is written first; errors are logged. */
bool deferred_write_all(struct deferred *deferred, struct runtime *runtime);
void deferred_clear(struct deferred *deferred);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - ids, amounts and states, from creel's messages to Hadoop's and back */
#include "hadoop/map/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "yarn/resource.h"

#define EPOCH_SHIFT 40
#define NUMBER_MASK ((INT64_C(1) << EPOCH_SHIFT) - 1)
#define EPOCH_MAX ((INT64_C(1) << (63 - EPOCH_SHIFT)) - 1)

/* --- ids ------------------------------------------------------------------------ */

static Hadoop__AppId *app_id(struct arena *arena, const struct app_id *id)
{
    Hadoop__AppId *message = arena_new0(arena, Hadoop__AppId);

    hadoop__app_id__init(message);
    HADOOP_SET(message, id, (int32_t)id->seq);
    HADOOP_SET(message, cluster_ms, id->cluster_ms);
    return message;
}

Hadoop__AppId *hadoop_app_id(struct arena *arena, const char *text)
{
    struct app_id id = { .seq = 0 };

    (void)app_id_parse(text, &id);
    return app_id(arena, &id);
}

Hadoop__AttemptId *hadoop_attempt_id(struct arena *arena, const struct attempt_id *id)
{
    Hadoop__AttemptId *message = arena_new0(arena, Hadoop__AttemptId);

    hadoop__attempt_id__init(message);
    message->app = app_id(arena, &id->app);
    HADOOP_SET(message, attempt, (int32_t)id->attempt);
    return message;
}

Hadoop__ContainerId *hadoop_container_id(struct arena *arena, const char *text)
{
    Hadoop__ContainerId *message = arena_new0(arena, Hadoop__ContainerId);
    struct container_id id = { .number = 0 };

    (void)container_id_parse(text, &id);
    hadoop__container_id__init(message);
    message->attempt = hadoop_attempt_id(arena, &id.attempt);
    HADOOP_SET(message, id, (int64_t)id.epoch << EPOCH_SHIFT | id.number);
    return message;
}

Hadoop__NodeId *hadoop_node_id(struct arena *arena, const char *text)
{
    Hadoop__NodeId *message = arena_new0(arena, Hadoop__NodeId);
    const char *colon = strrchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);

    int64_t port = 0;

    hadoop__node_id__init(message);
    message->host = arena_printf(arena, "%.*s", (int)length, text);
    if (colon != NULL)
        (void)text_parse_int64(colon + 1, &port);
    HADOOP_SET(message, port, hadoop_count(port));
    return message;
}

static bool read_app_id(const Hadoop__AppId *id, struct app_id *ret)
{
    if (id == NULL || !id->has_id || !id->has_cluster_ms || id->id <= 0 || id->cluster_ms <= 0)
        return false;
    *ret = (struct app_id){ .cluster_ms = id->cluster_ms, .seq = (uint32_t)id->id };
    return true;
}

bool hadoop_app_id_text(const Hadoop__AppId *id, char text[ID_TEXT_MAX])
{
    struct app_id read;

    if (!read_app_id(id, &read))
        return false;
    (void)app_id_format(&read, text);
    return true;
}

bool hadoop_attempt_id_read(const Hadoop__AttemptId *id, struct attempt_id *ret)
{
    if (id == NULL || !id->has_attempt || id->attempt <= 0 || !read_app_id(id->app, &ret->app))
        return false;
    ret->attempt = (uint32_t)id->attempt;
    return true;
}

bool hadoop_container_id_text(const Hadoop__ContainerId *id, char text[ID_TEXT_MAX])
{
    struct container_id read;

    if (id == NULL || !id->has_id || id->id <= 0 || !hadoop_attempt_id_read(id->attempt, &read.attempt) ||
        (id->id & NUMBER_MASK) == 0 || (id->id & NUMBER_MASK) > UINT32_MAX ||
        id->id >> EPOCH_SHIFT > EPOCH_MAX)
        return false;
    read.epoch = (uint32_t)(id->id >> EPOCH_SHIFT);
    read.number = (uint32_t)(id->id & NUMBER_MASK);
    (void)container_id_format(&read, text);
    return true;
}

/* --- amounts -------------------------------------------------------------------- */

int32_t hadoop_count(int64_t number)
{
    return number > INT32_MAX ? INT32_MAX : (int32_t)number;
}

static Hadoop__ResourceValue *value_of(struct arena *arena, const char *key, const char *units, int64_t value)
{
    Hadoop__ResourceValue *message = arena_new0(arena, Hadoop__ResourceValue);

    hadoop__resource_value__init(message);
    message->key = hadoop_text(key);
    message->units = hadoop_text(units);
    HADOOP_SET(message, value, value);
    HADOOP_SET(message, kind, HADOOP__RESOURCE_KIND__COUNTABLE);
    return message;
}

/* Makes an amount with room for OTHERS further types. */
static Hadoop__Amount *new_amount(struct arena *arena, int64_t memory_mb, int64_t vcores, size_t others)
{
    Hadoop__Amount *message = arena_new0(arena, Hadoop__Amount);

    hadoop__amount__init(message);
    HADOOP_SET(message, memory_mb, memory_mb);
    HADOOP_SET(message, vcores, hadoop_count(vcores));
    message->values = arena_array0(arena, others + 2, sizeof(*message->values));
    message->values[message->n_values++] = value_of(arena, "memory-mb", "Mi", memory_mb);
    message->values[message->n_values++] = value_of(arena, "vcores", "", vcores);
    return message;
}

Hadoop__Amount *hadoop_amount_of(struct arena *arena, int64_t memory_mb, int64_t vcores)
{
    return new_amount(arena, memory_mb, vcores, 0);
}

static bool is_known(const Creel__Resource *resource, const char *type)
{
    for (size_t i = 0; resource != NULL && i < resource->n_others; i++)
        if (text_equal(resource->others[i]->name, type))
            return true;
    return false;
}

/* As in YARN, a type of which there is nothing is named, too. Other types are behind memory and vcores. */
Hadoop__Amount *hadoop_amount(struct arena *arena, const Creel__ClusterInfo *types,
                              const Creel__Resource *resource)
{
    size_t known = types != NULL ? types->n_types : 0;
    size_t own = resource != NULL ? resource->n_others : 0;
    Hadoop__Amount *message = new_amount(arena, yarn_memory_mb(resource), yarn_vcores(resource), known + own);

    for (size_t i = 0; i < own; i++)
        message->values[message->n_values++] = value_of(
            arena, resource->others[i]->name, resource->others[i]->unit, resource->others[i]->amount);
    for (size_t i = 2; i < known; i++)
        if (!is_known(resource, types->types[i]->name))
            message->values[message->n_values++] =
                value_of(arena, types->types[i]->name, types->types[i]->unit, 0);
    return message;
}

static void add_type(struct arena *arena, Hadoop__ResourceTypes *to, const char *name, const char *units)
{
    Hadoop__ResourceTypeInfo *type = arena_new0(arena, Hadoop__ResourceTypeInfo);

    hadoop__resource_type_info__init(type);
    type->name = hadoop_text(name);
    type->units = hadoop_text(units);
    HADOOP_SET(type, kind, HADOOP__RESOURCE_KIND__COUNTABLE);
    to->types[to->n_types++] = type;
}

Hadoop__ResourceTypes *hadoop_resource_types(struct arena *arena, const Creel__ClusterInfo *cluster)
{
    Hadoop__ResourceTypes *message = arena_new0(arena, Hadoop__ResourceTypes);

    hadoop__resource_types__init(message);
    message->types = arena_array0(arena, cluster->n_types + 2, sizeof(*message->types));
    add_type(arena, message, "memory-mb", "Mi");
    add_type(arena, message, "vcores", "");
    for (size_t i = 2; i < cluster->n_types; i++)
        add_type(arena, message, cluster->types[i]->name, cluster->types[i]->unit);
    return message;
}

Hadoop__Priority *hadoop_priority(struct arena *arena, int32_t priority)
{
    Hadoop__Priority *message = arena_new0(arena, Hadoop__Priority);

    hadoop__priority__init(message);
    HADOOP_SET(message, priority, priority);
    return message;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_copy.c - creel-web's copy of what the resource manager measures */
#include "web/model/metrics_copy.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"

struct series {
    UT_hash_handle hh;         /* by key */
    char *key;                 /* owned */
    ProtobufCMessage *message; /* owned */
};

struct metrics_copy {
    Creel__Metrics *last;                  /* owned */
    struct series *series[METRICS_SERIES]; /* owned */
};

struct metrics_copy *metrics_copy_new(void)
{
    return mem_new0(struct metrics_copy);
}

static void forget_all(struct metrics_copy *copy)
{
    struct series *series, *next;

    for (int kind = 0; kind < METRICS_SERIES; kind++)
        HASH_ITER(hh, copy->series[kind], series, next) {
            HASH_DEL(copy->series[kind], series);
            protobuf_c_message_free_unpacked(series->message, NULL);
            free(series->key);
            free(series);
        }
}

static void drop_last(struct metrics_copy *copy)
{
    if (copy->last != NULL)
        protobuf_c_message_free_unpacked(&copy->last->base, NULL);
    copy->last = NULL;
}

void metrics_copy_free(struct metrics_copy *copy)
{
    if (copy == NULL)
        return;
    forget_all(copy);
    drop_last(copy);
    free(copy);
}

static void put(struct metrics_copy *copy, int kind, const char *queue, const char *name,
                const ProtobufCMessage *message)
{
    char *key = mem_printf("%s\n%s", queue, name);
    struct series *series;

    HASH_FIND_STR(copy->series[kind], key, series);
    if (series == NULL) {
        series = mem_new0(struct series);
        series->key = key;
        HASH_ADD_KEYPTR(hh, copy->series[kind], series->key, strlen(series->key), series);
    } else {
        protobuf_c_message_free_unpacked(series->message, NULL);
        free(key);
    }
    series->message = wire_copy(message);
}

void metrics_copy_put(struct metrics_copy *copy, const Creel__Metrics *metrics)
{
    drop_last(copy);
    copy->last = (Creel__Metrics *)wire_copy(&metrics->base);
    if (metrics->reset)
        forget_all(copy);
    for (size_t i = 0; i < metrics->n_queues; i++)
        put(copy, METRICS_QUEUES, metrics->queues[i]->queue, "", &metrics->queues[i]->base);
    for (size_t i = 0; i < metrics->n_users; i++)
        put(copy, METRICS_USERS, metrics->users[i]->queue, metrics->users[i]->user, &metrics->users[i]->base);
    for (size_t i = 0; i < metrics->n_preemptions; i++)
        put(copy, METRICS_PREEMPTIONS, metrics->preemptions[i]->queue, metrics->preemptions[i]->victim_queue,
            &metrics->preemptions[i]->base);
}

const Creel__Metrics *metrics_copy_last(const struct metrics_copy *copy)
{
    return copy != NULL ? copy->last : NULL;
}

const void *metrics_copy_next(const struct metrics_copy *copy, enum metrics_series kind, const char *after,
                              const char **key)
{
    const struct series *series = copy->series[kind];

    if (after != NULL) {
        HASH_FIND_STR(copy->series[kind], after, series);
        series = series != NULL ? series->hh.next : NULL;
    }
    *key = series != NULL ? series->key : NULL;
    return series != NULL ? series->message : NULL;
}

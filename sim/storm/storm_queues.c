/* SPDX-License-Identifier: Apache-2.0 */
/* storm_queues.c - checks that the scheduler reports each queue whose figures have changed */
#include <inttypes.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "sim/storm/storm_world.h"

enum { AMOUNTS_MAX = 80 };

struct storm_copy { /* figures of a queue, from the last report of a change */
    UT_hash_handle hh;
    int64_t values[AMOUNTS_MAX];
    char path[];
};

struct list {
    int64_t *values;
    int count;
};

static void add(struct list *list, int64_t value)
{
    if (list->count < AMOUNTS_MAX)
        list->values[list->count++] = value;
}

static void add_fraction(struct list *list, float value)
{
    int32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    add(list, bits);
}

static void add_resource(struct list *list, const struct resource *amount)
{
    for (int t = 0; t < 3; t++)
        add(list, amount->value[t]);
}

/* Without limits that depend on what other queues use (am_limit, user_limit). */
static void list_values(const struct sched_queue_figures *figures, int64_t values[AMOUNTS_MAX])
{
    struct list list = { values, 0 };

    memset(values, 0, AMOUNTS_MAX * sizeof(*values));
    add_resource(&list, &figures->used);
    add_resource(&list, &figures->pending);
    add_resource(&list, &figures->reserved);
    add_resource(&list, &figures->minimum);
    add_resource(&list, &figures->maximum);
    add_resource(&list, &figures->am_used);
    add_resource(&list, &figures->demand);
    add_resource(&list, &figures->fair_share);
    add_resource(&list, &figures->steady_fair_share);
    add_fraction(&list, figures->capacity);
    add_fraction(&list, figures->max_capacity);
    add_fraction(&list, figures->absolute_capacity);
    add_fraction(&list, figures->absolute_max_capacity);
    add_fraction(&list, figures->absolute_used);
    add_fraction(&list, figures->used_capacity);
    add_fraction(&list, figures->normalized_weight);
    add(&list, figures->state[0]);
    add(&list, figures->apps_running);
    add(&list, figures->apps_pending);
    add(&list, figures->active_apps);
    add(&list, figures->waiting_apps);
    add(&list, figures->active_users);
    add(&list, figures->containers);
}

static struct storm_copy *copy_of(struct storm *storm, const char *path)
{
    struct storm_copy *copy;

    HASH_FIND_STR(storm->copies, path, copy);
    if (copy == NULL) {
        copy = mem_alloc0(sizeof(*copy) + strlen(path) + 1);
        memcpy(copy->path, path, strlen(path));
        HASH_ADD_KEYPTR(hh, storm->copies, copy->path, strlen(path), copy);
    }
    return copy;
}

void storm_free_copies(struct storm *storm)
{
    struct storm_copy *copy, *next;

    HASH_ITER(hh, storm->copies, copy, next) {
        HASH_DEL(storm->copies, copy);
        free(copy);
    }
}

void storm_check_queues(struct storm *storm)
{
    bool all = sched_queues_version(storm->sched) != storm->queues_version;
    struct sched_queue_figures figures;
    const struct sched_queue *at = NULL;
    const char *path;

    while ((path = sched_queue_next_changed(storm->sched)) != NULL)
        if (sched_queue_at_path(storm->sched, path, &figures))
            list_values(&figures, copy_of(storm, path)->values);
    while (sched_queue_next(storm->sched, &at, &figures)) {
        struct storm_copy *copy = copy_of(storm, figures.path);
        int64_t values[AMOUNTS_MAX];

        list_values(&figures, values);
        for (int i = 0; i < AMOUNTS_MAX && !all; i++)
            if (values[i] != copy->values[i]) {
                storm_wrong(storm,
                            "queue %s: value %d changed from %" PRId64 " to %" PRId64
                            ", and the queue is not in the list of changed queues",
                            figures.path, i, copy->values[i], values[i]);
                return;
            }
        memcpy(copy->values, values, sizeof(values));
    }
    storm->queues_version = sched_queues_version(storm->sched);
}

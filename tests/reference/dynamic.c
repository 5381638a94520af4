/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dynamic.c - reference capacity scheduler: queues created by submissions (auto-queue-creation-v2)
 *
 * A dynamic leaf has weight 1, no factor of user limits, and all its resources may be used by AMs
 * (AbstractLeafQueue.setDynamicQueueProperties). The index of a queue is not used again, since the order of
 * creation orders children that are equal otherwise. A queue is removed when it has been empty for some time.
 */
#include <stdio.h>
#include <string.h>

#include "tests/reference/reference.h"

int ref_queue_find(const struct reference *ref, const char *path)
{
    for (int q = 0; q < ref->config.queue_count; q++)
        if (!ref->config.queues[q].gone && strcmp(ref->config.queues[q].path, path) == 0)
            return q;
    return -1;
}

bool ref_has_unused_queue(const struct reference *ref)
{
    return ref->config.queue_count < REF_QUEUES;
}

static int64_t count_children(const struct reference *ref, int parent)
{
    int64_t count = 0;

    for (int q = 1; q < ref->config.queue_count; q++)
        count += !ref->config.queues[q].gone && ref->config.queues[q].parent == parent;
    return count;
}

/* Recomputes after a change of the children of PARENT. */
static void recompute(struct reference *ref, int parent)
{
    ref_recompute_below(ref, ref_differs(ref, REF_CREATION_ACTIVATES) ? 0 : parent);
}

int ref_queue_create(struct reference *ref, int parent, const char *path)
{
    struct ref_queue_config *above = &ref->config.queues[parent], *queue;
    int q = ref->config.queue_count;

    if (count_children(ref, parent) >= above->max_children)
        return -1;
    queue = &ref->config.queues[q];
    *queue = (struct ref_queue_config){
        .parent = parent,
        .leaf = true,
        .dynamic = true,
        .mode = REF_WEIGHT,
        .share[0] = { .given = true, .capacity = 1, .maximum = 100, .am_fraction = 1 },
        .user_limit_percent = 100,
        .user_limit_factor = -1,
        .max_parallel = INT64_MAX,
        .max_apps = -1,
    };
    snprintf(queue->path, sizeof(queue->path), "%s", path);
    for (int u = 0; u < REF_USERS; u++)
        queue->user_weight[u] = 1;
    memset(&ref->queues[q], 0, sizeof(ref->queues[q]));
    ref->config.queue_count++;
    if (above->manages)
        ref_managed_begin(ref, q);
    recompute(ref, parent);
    return q;
}

static bool is_empty(const struct reference *ref, int queue)
{
    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].here && ref->apps[a].queue == queue)
            return false;
    return true;
}

void ref_queues_expire(struct reference *ref)
{
    for (int q = ref->config.queue_count - 1; q > 0; q--) {
        struct ref_queue_config *queue = &ref->config.queues[q];
        int parent = queue->parent;

        if (!queue->dynamic || queue->gone || ref->config.queues[parent].manages || !is_empty(ref, q))
            continue;
        *queue = (struct ref_queue_config){ .parent = -2, .dynamic = true, .gone = true };
        recompute(ref, parent);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * managed.c - reference capacity scheduler: capacity of the leaves of managed parents
 * (GuaranteedOrZeroCapacityOverTimePolicy)
 *
 * Each leaf has the capacity of the template, or none (it is idle). Leaves are not removed.
 */
#include "tests/reference/reference.h"

static bool is_managed(const struct reference *ref, int q)
{
    const struct ref_queue_config *queue = &ref->config.queues[q];

    return queue->dynamic && !queue->gone && ref->config.queues[queue->parent].manages;
}

/* Returns true if the parent of LEAF has the capacity of one more leaf left. */
static bool fits(const struct reference *ref, int leaf)
{
    int parent = ref->config.queues[leaf].parent;
    float capacity = ref->config.queues[parent].template.capacity / 100.0f, sum = capacity;

    for (int q = 1; q < ref->config.queue_count; q++)
        if (q != leaf && is_managed(ref, q) && ref->config.queues[q].parent == parent &&
            !ref->config.queues[q].idle)
            sum += capacity;
    return sum <= 1.0005f; /* the tolerance of sums of percentages */
}

static void follow_template(struct ref_queue_config *leaf, const struct ref_template *template)
{
    leaf->mode = REF_PERCENT;
    leaf->share[0] = (struct ref_share){
        .given = true,
        .capacity = template->capacity,
        .maximum = template->maximum,
        .am_fraction = template->am_fraction,
    };
    leaf->user_limit_percent = template->user_limit_percent;
    leaf->user_limit_factor = template->user_limit_factor;
}

void ref_managed_begin(struct reference *ref, int leaf)
{
    struct ref_queue_config *queue = &ref->config.queues[leaf];

    follow_template(queue, &ref->config.queues[queue->parent].template);
    queue->idle = !fits(ref, leaf);
}

void ref_managed_refresh(struct reference *ref)
{
    bool idle[REF_QUEUES];

    for (int q = 1; q < ref->config.queue_count; q++) {
        idle[q] = ref->config.queues[q].idle;
        ref->config.queues[q].idle = true;
    }
    for (int q = 1; q < ref->config.queue_count; q++)
        if (is_managed(ref, q)) {
            ref_managed_begin(ref, q);
            ref->config.queues[q].idle |= idle[q];
        } else {
            ref->config.queues[q].idle = false;
        }
}

struct resource ref_managed_guarantee(const struct reference *ref, int leaf)
{
    int parent = ref->config.queues[leaf].parent;
    float fraction = ref->config.queues[parent].template.capacity / 100.0f;

    return ref_multiply(ref_label_total(ref, 0), ref->queues[parent].part[0].absolute * fraction);
}

static bool has_apps(const struct reference *ref, int leaf)
{
    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].here && ref->apps[a].queue == leaf)
            return true;
    return false;
}

/* Returns the order of the oldest application of LEAF that waits or has requests; 0: there is none. */
static uint64_t oldest_in_need(const struct reference *ref, int leaf)
{
    uint64_t oldest = 0;

    for (int a = 0; a < REF_APPS; a++) {
        const struct ref_app *app = &ref->apps[a];

        if (app->here && app->queue == leaf && (!app->active || ref_app_pending(ref, a) > 0) &&
            (oldest == 0 || app->order < oldest))
            oldest = app->order;
    }
    return oldest;
}

/* Returns the idle leaf of PARENT with the oldest application in need; -1: there is none. */
static int next_leaf(const struct reference *ref, int parent)
{
    uint64_t oldest = 0;
    int found = -1;

    for (int q = 1; q < ref->config.queue_count; q++) {
        uint64_t order;

        if (ref->config.queues[q].parent != parent || !is_managed(ref, q) || !ref->config.queues[q].idle)
            continue;
        order = oldest_in_need(ref, q);
        if (order > 0 && (found < 0 || order < oldest)) {
            oldest = order;
            found = q;
        }
    }
    return found;
}

void ref_managed_deal(struct reference *ref)
{
    bool changed = false;
    int leaf;

    for (int q = 1; q < ref->config.queue_count; q++)
        if (is_managed(ref, q) && !ref->config.queues[q].idle && !has_apps(ref, q))
            ref->config.queues[q].idle = changed = true;
    for (int parent = 1; parent < ref->config.queue_count; parent++)
        while (ref->config.queues[parent].manages && (leaf = next_leaf(ref, parent)) >= 0 &&
               fits(ref, leaf)) {
            ref->config.queues[leaf].idle = false;
            changed = true;
        }
    if (changed)
        ref_recompute(ref);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* queues.c - reference capacity scheduler: capacities, limits and orders of queues (AbstractCSQueue,
 * AbstractParentQueue) */
#include <assert.h>
#include <math.h>

#include "tests/reference/reference.h"

static struct resource zero(void)
{
    return resource_of(0, 0);
}

bool ref_differs(const struct reference *ref, enum ref_difference difference)
{
    return (ref->config.differences & (unsigned)difference) != 0;
}

/* --- sums ------------------------------------------------------------------ */

struct resource ref_total(const struct reference *ref)
{
    struct resource sum = zero();

    for (int n = 0; n < REF_NODES; n++)
        if (ref->nodes[n].here)
            sum = resource_add(sum, ref->nodes[n].total);
    return sum;
}

struct resource ref_largest(const struct reference *ref)
{
    struct resource largest = zero();
    bool any = false;

    for (int n = 0; n < REF_NODES; n++)
        if (ref->nodes[n].here) {
            largest = resource_max(largest, ref->nodes[n].total);
            any = true;
        }
    if (!any)
        return ref->config.maximum;
    return resource_min(largest, ref->config.maximum);
}

bool ref_below(const struct reference *ref, int queue, int ancestor)
{
    while (queue != ancestor && queue >= 0)
        queue = ref->config.queues[queue].parent;
    return queue == ancestor;
}

struct resource ref_label_total(const struct reference *ref, int label)
{
    struct resource sum = zero();

    for (int n = 0; n < REF_NODES; n++)
        if (ref->nodes[n].here && (label < 0 || ref->nodes[n].label == label))
            sum = resource_add(sum, ref->nodes[n].total);
    return sum;
}

static bool is_container_of(const struct reference *ref, const struct ref_container *container, int label)
{
    return container->here && (label < 0 || ref->nodes[container->node].label == label);
}

static bool is_reserved(const struct ref_node *node, int label)
{
    return node->here && node->reserved && (label < 0 || node->label == label);
}

struct resource ref_app_used(const struct reference *ref, int app, int label)
{
    struct resource sum = zero();

    for (int c = 0; c < ref->container_top; c++)
        if (is_container_of(ref, &ref->containers[c], label) && ref->containers[c].app == app)
            sum = resource_add(sum, ref->containers[c].size);
    return sum;
}

struct resource ref_app_reserved(const struct reference *ref, int app, int label)
{
    struct resource sum = zero();

    for (int n = 0; n < REF_NODES; n++)
        if (is_reserved(&ref->nodes[n], label) && ref->nodes[n].reserved_app == app)
            sum = resource_add(sum, ref->nodes[n].reserved_size);
    return sum;
}

uint64_t ref_app_pending(const struct reference *ref, int app)
{
    uint64_t sum = 0;

    for (int k = 0; k < REF_KEYS; k++)
        sum += ref->apps[app].keys[k].any.count;
    return sum;
}

/* Returns true if APP is in QUEUE and belongs to USER (-1: any user). */
static bool counts(const struct reference *ref, int app, int queue, int user)
{
    return ref_below(ref, ref->apps[app].queue, queue) && (user < 0 || ref->apps[app].user == user);
}

static struct resource reserved_by(const struct reference *ref, int queue, int label, int user)
{
    struct resource sum = zero();

    for (int n = 0; n < REF_NODES; n++)
        if (is_reserved(&ref->nodes[n], label) && counts(ref, ref->nodes[n].reserved_app, queue, user))
            sum = resource_add(sum, ref->nodes[n].reserved_size);
    return sum;
}

struct resource ref_queue_used(const struct reference *ref, int queue, int label, int user)
{
    struct resource sum = reserved_by(ref, queue, label, user);

    for (int c = 0; c < ref->container_top; c++)
        if (is_container_of(ref, &ref->containers[c], label) &&
            counts(ref, ref->containers[c].app, queue, user))
            sum = resource_add(sum, ref->containers[c].size);
    return sum;
}

struct resource ref_queue_reserved(const struct reference *ref, int queue, int label)
{
    return reserved_by(ref, queue, label, -1);
}

struct resource ref_queue_pending(const struct reference *ref, int queue, int label)
{
    struct resource sum = zero();

    for (int a = 0; a < REF_APPS; a++)
        for (int k = 0; k < REF_KEYS; k++) {
            const struct ref_key *key = &ref->apps[a].keys[k];

            if (ref->apps[a].here && (label < 0 || key->label == label) &&
                ref_below(ref, ref->apps[a].queue, queue))
                sum = resource_add(sum, ref_multiply(key->size, key->any.count));
        }
    return sum;
}

struct resource ref_queue_killable(const struct reference *ref, int queue, int label)
{
    struct resource sum = zero();

    for (int c = 0; c < ref->container_top; c++) {
        const struct ref_container *container = &ref->containers[c];

        if (is_container_of(ref, container, label) && container->killable &&
            ref_below(ref, ref->apps[container->app].queue, queue))
            sum = resource_add(sum, container->size);
    }
    return sum;
}

bool ref_may_name(const struct reference *ref, int queue, int label)
{
    return label == 0 || (ref->config.queues[queue].labels & 1u << label) != 0;
}

/* The calculator compares with the total of the partition (CSQueueUtils.updateUsedCapacity). */
float ref_used_capacity(const struct reference *ref, int queue, int label)
{
    struct resource total = ref_label_total(ref, label);
    struct resource guarantee = ref->queues[queue].part[label].guarantee;

    if (resource_is_zero(&total))
        return 0;
    if (ref->config.queues[queue].idle)
        guarantee = ref_managed_guarantee(ref, queue);
    guarantee = ref_max(ref, total, guarantee, ref->config.minimum);
    return ref_divide(ref, total, ref_queue_used(ref, queue, label, -1), guarantee);
}

float ref_absolute_used(const struct reference *ref, int queue, int label)
{
    struct resource total = ref_label_total(ref, label);

    return resource_is_zero(&total) ? 0
                                    : ref_divide(ref, total, ref_queue_used(ref, queue, label, -1), total);
}

/* --- capacities ------------------------------------------------------ */

static float sum_of_weights(const struct reference *ref, int parent, int label)
{
    float sum = 0;

    for (int q = 1; q < ref->config.queue_count; q++)
        if (ref->config.queues[q].parent == parent)
            sum += ref->config.queues[q].share[label].capacity;
    return sum;
}

/* Returns the minimum of queue Q. If the minimums of the children exceed the parent's by the calculator, each
 * type is multiplied by its own ratio (AbstractParentQueue.getEffectiveMinRatio). */
static struct resource scaled_minimum(const struct reference *ref, int q, int label)
{
    int parent = ref->config.queues[q].parent;
    struct resource promised = zero(), own = ref->config.queues[q].share[label].minimum_resource;
    struct resource there = ref->queues[parent].part[label].guarantee;

    for (int i = 1; i < ref->config.queue_count; i++)
        if (ref->config.queues[i].parent == parent)
            promised = resource_add(promised, ref->config.queues[i].share[label].minimum_resource);
    if (ref_compare(ref, ref_total(ref), there, promised) >= 0)
        return own;
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        if (promised.value[t] > there.value[t] ||
            (promised.value[t] > 0 && !ref_differs(ref, REF_NOT_SCALED_UP)))
            own.value[t] =
                (int64_t)((float)own.value[t] * ((float)there.value[t] / (float)promised.value[t]));
    return own;
}

/* As AbstractCSQueue.getOrInheritMaxResource: YARN uses one of the two maximums as a whole. */
static struct resource absolute_maximum(const struct reference *ref, int q, int label, struct resource total)
{
    const struct ref_share *share = &ref->config.queues[q].share[label];
    int parent = ref->config.queues[q].parent;
    const struct ref_share *above = &ref->config.queues[parent].share[label];
    struct resource most = ref->queues[parent].part[label].most;

    if (!ref_differs(ref, REF_MAXIMUM_PER_TYPE) && !resource_is_zero(&above->maximum_resource))
        most = above->maximum_resource;
    if (resource_is_zero(&share->maximum_resource))
        return most;
    if (ref_differs(ref, REF_MAXIMUM_PER_TYPE) && ref->config.dominant)
        return resource_min(share->maximum_resource, most);
    return ref_min(ref, total, share->maximum_resource, most);
}

static void compute_absolute(struct reference *ref, int q, int label, struct resource total)
{
    struct ref_part *part = &ref->queues[q].part[label];
    const struct ref_part *above = &ref->queues[ref->config.queues[q].parent].part[label];

    part->guarantee = scaled_minimum(ref, q, label);
    part->most = absolute_maximum(ref, q, label, total);
    if (resource_is_zero(&total))
        return;
    part->capacity = ref_divide(ref, total, part->guarantee, above->guarantee);
    part->maximum = ref_divide(ref, total, part->most, above->most);
    part->absolute = above->absolute * part->capacity;
    part->absolute_maximum = above->absolute_maximum * part->maximum;
}

/* A queue without a share of the partition has neither guarantee nor maximum there
 * (AbstractCSQueue.updateEffectiveResources goes through the configured labels). */
static void compute_part(struct reference *ref, int q, int label)
{
    const struct ref_queue_config *config = &ref->config.queues[q];
    const struct ref_share *share = &config->share[label];
    struct ref_part *part = &ref->queues[q].part[label], *above;
    struct resource total = ref_label_total(ref, label);
    float weights;

    *part = (struct ref_part){ .capacity = 0 };
    if (q == 0) {
        part->capacity = part->absolute = part->maximum = part->absolute_maximum = 1;
        part->guarantee = part->most = total;
        return;
    }
    if (!share->given || config->gone)
        return;
    if (config->mode == REF_ABSOLUTE) {
        compute_absolute(ref, q, label, total);
        return;
    }
    above = &ref->queues[config->parent].part[label];
    weights = config->mode == REF_WEIGHT ? sum_of_weights(ref, config->parent, label) : 100.0f;
    part->capacity = weights > 0 && !config->idle ? share->capacity / weights : 0;
    part->maximum = share->maximum / 100.0f;
    part->absolute = above->absolute * part->capacity;
    part->absolute_maximum = above->absolute_maximum * part->maximum;
    part->guarantee = ref_multiply(total, part->absolute);
    part->most = ref_multiply(total, part->absolute_maximum);
}

static int label_count(const struct reference *ref)
{
    return ref->config.labels > 1 ? ref->config.labels : 1;
}

/* As AbstractParentQueue.getResourceLimitsOfChild. */
struct resource ref_child_limit(const struct reference *ref, struct resource limit, struct resource blocked,
                                int child, int label)
{
    int parent = ref->config.queues[child].parent;

    limit = ref_min(ref, ref_total(ref), limit, ref->queues[parent].part[label].most);
    limit = resource_subtract(limit, blocked);
    limit = resource_subtract(limit, ref_queue_used(ref, parent, label, -1));
    limit = resource_add(limit, ref_queue_killable(ref, parent, label));
    limit = resource_add(limit, ref_queue_used(ref, child, label, -1));
    return ref_round_down(ref, limit);
}

/* Returns the limit that a leaf uses when LIMIT is offered to it, whatever the partition
 * (AbstractLeafQueue.updateCurrentResourceLimits). */
struct resource ref_kept_limit(const struct reference *ref, struct resource limit, int queue)
{
    return ref_min(ref, ref_total(ref), ref_round_down(ref, ref->queues[queue].part[0].most), limit);
}

static struct resource limit_now(const struct reference *ref, int queue)
{
    if (queue == 0)
        return ref_label_total(ref, 0);
    return ref_child_limit(ref, limit_now(ref, ref->config.queues[queue].parent), zero(), queue, 0);
}

struct resource ref_offered_now(const struct reference *ref, int queue)
{
    return ref_kept_limit(ref, limit_now(ref, queue), queue);
}

static bool has_active_apps(const struct reference *ref, int queue)
{
    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].here && ref->apps[a].active && ref->apps[a].queue == queue)
            return true;
    return false;
}

void ref_recompute(struct reference *ref)
{
    ref_recompute_below(ref, 0);
}

/* As AbstractLeafQueue.updateClusterResource. */
void ref_recompute_below(struct reference *ref, int queue)
{
    for (int q = 0; q < ref->config.queue_count; q++)
        for (int l = 0; l < label_count(ref); l++) {
            if (q == 0 || !ref->config.by_type)
                compute_part(ref, q, l);
            if (ref->config.by_type)
                ref_divide_by_type(ref, q, l);
        }
    for (int q = 0; q < ref->config.queue_count; q++) {
        if (!ref->config.queues[q].leaf || !ref_below(ref, q, queue))
            continue;
        ref->queues[q].offered = ref_offered_now(ref, q);
        ref_activate(ref, q);
        ref_users_changed(ref, q);
        if (has_active_apps(ref, q))
            ref_users_count(ref, q, 0, false);
    }
}

/* --- order ----------------------------------------------------------- */

static bool app_before(const struct reference *ref, const struct ref_queue_config *queue, int a, int b)
{
    const struct ref_app *x = &ref->apps[a], *y = &ref->apps[b];

    if (queue->fair && x->active && y->active) {
        double use_x = (double)ref_app_used(ref, a, -1).value[0];
        double use_y = (double)ref_app_used(ref, b, -1).value[0];

        if (queue->size_based) {
            double demand_x = use_x, demand_y = use_y;

            for (int k = 0; k < REF_KEYS; k++) {
                demand_x += (double)(x->keys[k].size.value[0] * x->keys[k].any.count);
                demand_y += (double)(y->keys[k].size.value[0] * y->keys[k].any.count);
            }
            use_x = demand_x > 0 ? use_x / (log1p(demand_x) / log(2)) : 0;
            use_y = demand_y > 0 ? use_y / (log1p(demand_y) / log(2)) : 0;
        }
        return use_x < use_y || (!(use_x > use_y) && x->order < y->order);
    }
    return x->priority != y->priority ? x->priority > y->priority : x->order < y->order;
}

int ref_order_apps(const struct reference *ref, int queue, bool active, int *order)
{
    int count = 0;

    for (int a = 0; a < REF_APPS; a++) {
        int at = count;

        if (!ref->apps[a].here || ref->apps[a].queue != queue || ref->apps[a].active != active)
            continue;
        for (; at > 0 && app_before(ref, &ref->config.queues[queue], a, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = a;
        count++;
    }
    return count;
}

/* Returns the used fraction of QUEUE's guarantee or, if there is no guarantee, of the partition. */
static float use_in_order(const struct reference *ref, int queue, int label)
{
    return ref->queues[queue].part[label].absolute > 0 ? ref_used_capacity(ref, queue, label)
                                                       : ref_absolute_used(ref, queue, label);
}

/* Orders the larger queue first: by the configured amounts if both have some, memory before vcores. */
static bool is_larger(const struct reference *ref, int a, int b, int label)
{
    const struct ref_queue_config *x = &ref->config.queues[a], *y = &ref->config.queues[b];

    if (x->mode == REF_ABSOLUTE && y->mode == REF_ABSOLUTE) {
        const int64_t *of_x = x->share[label].minimum_resource.value;
        const int64_t *of_y = y->share[label].minimum_resource.value;

        for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
            if (of_x[t] != of_y[t])
                return of_x[t] > of_y[t];
        return false;
    }
    return ref->queues[a].part[label].absolute > ref->queues[b].part[label].absolute;
}

/* Compares as PriorityUtilizationQueueOrderingPolicy. A queue whose requests may name the label comes before
 * others, then a queue with a guarantee. */
static bool queue_before(const struct reference *ref, bool by_priority, int a, int b, int label)
{
    const struct ref_queue_config *x = &ref->config.queues[a], *y = &ref->config.queues[b];
    bool some_x = ref->queues[a].part[label].absolute > 0, some_y = ref->queues[b].part[label].absolute > 0;
    float used_x = use_in_order(ref, a, label), used_y = use_in_order(ref, b, label);

    if (ref_may_name(ref, a, label) != ref_may_name(ref, b, label))
        return ref_may_name(ref, a, label);
    if (some_x != some_y)
        return some_x;
    if (by_priority && x->priority != y->priority && (used_x < 1) == (used_y < 1))
        return x->priority > y->priority;
    if (used_x < used_y || used_x > used_y)
        return used_x < used_y;
    return is_larger(ref, a, b, label);
}

int ref_order_queues(const struct reference *ref, int parent, int label, int *order)
{
    bool by_priority = ref->config.queues[parent].priority_utilization;
    int count = 0;

    for (int q = 1; q < ref->config.queue_count; q++) {
        int at = count;

        if (ref->config.queues[q].parent != parent)
            continue;
        for (; at > 0 && queue_before(ref, by_priority, q, order[at - 1], label); at--)
            order[at] = order[at - 1];
        order[at] = q;
        count++;
    }
    return count;
}

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

struct resource ref_app_used(const struct reference *ref, int app)
{
    struct resource sum = zero();

    for (int c = 0; c < ref->container_top; c++)
        if (ref->containers[c].here && ref->containers[c].app == app)
            sum = resource_add(sum, ref->containers[c].size);
    return sum;
}

struct resource ref_app_reserved(const struct reference *ref, int app)
{
    struct resource sum = zero();

    for (int n = 0; n < REF_NODES; n++)
        if (ref->nodes[n].here && ref->nodes[n].reserved && ref->nodes[n].reserved_app == app)
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

static struct resource reserved_by(const struct reference *ref, int queue, int user)
{
    struct resource sum = zero();

    for (int n = 0; n < REF_NODES; n++)
        if (ref->nodes[n].here && ref->nodes[n].reserved &&
            counts(ref, ref->nodes[n].reserved_app, queue, user))
            sum = resource_add(sum, ref->nodes[n].reserved_size);
    return sum;
}

struct resource ref_queue_used(const struct reference *ref, int queue, int user)
{
    struct resource sum = reserved_by(ref, queue, user);

    for (int c = 0; c < ref->container_top; c++)
        if (ref->containers[c].here && counts(ref, ref->containers[c].app, queue, user))
            sum = resource_add(sum, ref->containers[c].size);
    return sum;
}

struct resource ref_queue_reserved(const struct reference *ref, int queue)
{
    return reserved_by(ref, queue, -1);
}

struct resource ref_queue_pending(const struct reference *ref, int queue)
{
    struct resource sum = zero();

    for (int a = 0; a < REF_APPS; a++)
        for (int k = 0; k < REF_KEYS; k++)
            if (ref->apps[a].here && ref_below(ref, ref->apps[a].queue, queue))
                sum = resource_add(sum,
                                   ref_multiply(ref->apps[a].keys[k].size, ref->apps[a].keys[k].any.count));
    return sum;
}

struct resource ref_queue_killable(const struct reference *ref, int queue)
{
    struct resource sum = zero();

    for (int c = 0; c < ref->container_top; c++) {
        const struct ref_container *container = &ref->containers[c];

        if (container->here && container->killable && ref_below(ref, ref->apps[container->app].queue, queue))
            sum = resource_add(sum, container->size);
    }
    return sum;
}

float ref_used_capacity(const struct reference *ref, int queue)
{
    struct resource total = ref_total(ref), guarantee;

    if (resource_is_zero(&total))
        return 0;
    guarantee = ref_max(ref, total, ref->queues[queue].guarantee, ref->config.minimum);
    return ref_divide(ref, total, ref_queue_used(ref, queue, -1), guarantee);
}

/* --- capacities ------------------------------------------------------ */

static float sum_of_weights(const struct reference *ref, int parent)
{
    float sum = 0;

    for (int q = 1; q < ref->config.queue_count; q++)
        if (ref->config.queues[q].parent == parent)
            sum += ref->config.queues[q].capacity;
    return sum;
}

/* Returns the minimum of queue Q of one type, scaled down if the minimums of its siblings exceed the
 * parent's. */
static int64_t scaled_minimum(const struct reference *ref, int q, int type)
{
    int parent = ref->config.queues[q].parent;
    int64_t promised = 0, own = ref->config.queues[q].minimum_resource.value[type];
    int64_t there = ref->queues[parent].guarantee.value[type];

    for (int i = 1; i < ref->config.queue_count; i++)
        if (ref->config.queues[i].parent == parent)
            promised += ref->config.queues[i].minimum_resource.value[type];
    if (promised <= there)
        return own;
    return (int64_t)((float)own * ((float)there / (float)promised));
}

/* As AbstractCSQueue.getOrInheritMaxResource: YARN uses one of the two maximums as a whole. */
static struct resource absolute_maximum(const struct reference *ref, int q, struct resource total)
{
    const struct ref_queue_config *config = &ref->config.queues[q];
    const struct ref_queue_config *above = &ref->config.queues[config->parent];
    struct resource most = ref->queues[config->parent].most;

    if (ref_differs(ref, REF_MAXIMUM_PER_TYPE))
        return resource_is_zero(&config->maximum_resource) ? most
                                                           : resource_min(config->maximum_resource, most);
    if (!resource_is_zero(&above->maximum_resource))
        most = above->maximum_resource;
    return resource_is_zero(&config->maximum_resource) ? most
                                                       : ref_min(ref, total, config->maximum_resource, most);
}

static void compute_absolute(struct reference *ref, int q, struct resource total)
{
    const struct ref_queue_config *config = &ref->config.queues[q];
    struct ref_queue *queue = &ref->queues[q], *parent = &ref->queues[config->parent];

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        queue->guarantee.value[t] = scaled_minimum(ref, q, t);
    queue->most = absolute_maximum(ref, q, total);
    queue->capacity = queue->maximum = queue->absolute = queue->absolute_maximum = 0;
    if (resource_is_zero(&total))
        return;
    queue->capacity = ref_divide(ref, total, queue->guarantee, parent->guarantee);
    queue->maximum = ref_divide(ref, total, queue->most, parent->most);
    queue->absolute = parent->absolute * queue->capacity;
    queue->absolute_maximum = parent->absolute_maximum * queue->maximum;
}

static void compute_queue(struct reference *ref, int q, struct resource total)
{
    const struct ref_queue_config *config = &ref->config.queues[q];
    struct ref_queue *queue = &ref->queues[q];

    if (q == 0) {
        queue->capacity = queue->absolute = queue->maximum = queue->absolute_maximum = 1;
        queue->guarantee = queue->most = total;
        return;
    }
    if (config->mode == REF_ABSOLUTE) {
        compute_absolute(ref, q, total);
        return;
    }
    queue->capacity = config->mode == REF_PERCENT ? config->capacity / 100.0f
                                                  : config->capacity / sum_of_weights(ref, config->parent);
    queue->maximum = config->maximum / 100.0f;
    queue->absolute = ref->queues[config->parent].absolute * queue->capacity;
    queue->absolute_maximum = ref->queues[config->parent].absolute_maximum * queue->maximum;
    queue->guarantee = ref_multiply(total, queue->absolute);
    queue->most = ref_multiply(total, queue->absolute_maximum);
}

/* As AbstractParentQueue.getResourceLimitsOfChild. */
struct resource ref_child_limit(const struct reference *ref, struct resource limit, struct resource blocked,
                                int child)
{
    int parent = ref->config.queues[child].parent;

    limit = ref_min(ref, ref_total(ref), limit, ref->queues[parent].most);
    limit = resource_subtract(limit, blocked);
    limit = resource_subtract(limit, ref_queue_used(ref, parent, -1));
    limit = resource_add(limit, ref_queue_killable(ref, parent));
    limit = resource_add(limit, ref_queue_used(ref, child, -1));
    return ref_round_down(ref, limit);
}

/* Returns the limit that a leaf uses when LIMIT is offered to it
 * (AbstractLeafQueue.updateCurrentResourceLimits). */
struct resource ref_kept_limit(const struct reference *ref, struct resource limit, int queue)
{
    return ref_min(ref, ref_total(ref), ref_round_down(ref, ref->queues[queue].most), limit);
}

static struct resource limit_now(const struct reference *ref, int queue)
{
    if (queue == 0)
        return ref_total(ref);
    return ref_child_limit(ref, limit_now(ref, ref->config.queues[queue].parent), zero(), queue);
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

/* As AbstractLeafQueue.updateClusterResource. */
void ref_recompute(struct reference *ref)
{
    struct resource total = ref_total(ref);

    for (int q = 0; q < ref->config.queue_count; q++)
        compute_queue(ref, q, total);
    for (int q = 0; q < ref->config.queue_count; q++) {
        if (!ref->config.queues[q].leaf)
            continue;
        ref->queues[q].offered = ref_offered_now(ref, q);
        ref_activate(ref, q);
        ref_users_changed(ref, q);
        if (has_active_apps(ref, q))
            ref_users_count(ref, q);
    }
}

/* --- order ----------------------------------------------------------- */

static bool app_before(const struct reference *ref, const struct ref_queue_config *queue, int a, int b)
{
    const struct ref_app *x = &ref->apps[a], *y = &ref->apps[b];

    if (queue->fair && x->active && y->active) {
        double use_x = (double)ref_app_used(ref, a).value[0];
        double use_y = (double)ref_app_used(ref, b).value[0];

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

/* Returns the used fraction of QUEUE's guarantee or, if there is no guarantee, of the cluster. */
static float use_in_order(const struct reference *ref, int queue)
{
    struct resource total = ref_total(ref);

    if (ref->queues[queue].absolute > 0 || resource_is_zero(&total))
        return ref_used_capacity(ref, queue);
    return ref_divide(ref, total, ref_queue_used(ref, queue, -1), total);
}

/* Orders the larger queue first: by the configured amounts if both have some, memory before vcores. */
static bool is_larger(const struct reference *ref, int a, int b)
{
    const struct ref_queue_config *x = &ref->config.queues[a], *y = &ref->config.queues[b];

    if (x->mode == REF_ABSOLUTE && y->mode == REF_ABSOLUTE) {
        for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
            if (x->minimum_resource.value[t] != y->minimum_resource.value[t])
                return x->minimum_resource.value[t] > y->minimum_resource.value[t];
        return false;
    }
    return ref->queues[a].absolute > ref->queues[b].absolute;
}

/* Compares as PriorityUtilizationQueueOrderingPolicy. A queue without a guarantee comes after queues with
 * one. */
static bool queue_before(const struct reference *ref, bool by_priority, int a, int b)
{
    const struct ref_queue_config *x = &ref->config.queues[a], *y = &ref->config.queues[b];
    bool some_x = ref->queues[a].absolute > 0, some_y = ref->queues[b].absolute > 0;
    float used_x = use_in_order(ref, a), used_y = use_in_order(ref, b);

    if (some_x != some_y)
        return some_x;
    if (by_priority && x->priority != y->priority && (used_x < 1) == (used_y < 1))
        return x->priority > y->priority;
    if (used_x < used_y || used_x > used_y)
        return used_x < used_y;
    return is_larger(ref, a, b);
}

int ref_order_queues(const struct reference *ref, int parent, int *order)
{
    bool by_priority = ref->config.queues[parent].priority_utilization;
    int count = 0;

    for (int q = 1; q < ref->config.queue_count; q++) {
        int at = count;

        if (ref->config.queues[q].parent != parent)
            continue;
        for (; at > 0 && queue_before(ref, by_priority, q, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = q;
        count++;
    }
    return count;
}

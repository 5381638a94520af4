/* SPDX-License-Identifier: Apache-2.0 */
/*
 * killable.c - lists containers being preempted or stopped, and killable containers (lazy preemption)
 *
 * With yarn.scheduler.capacity.lazy-preemption-enabled, a container whose preemption deadline has passed
 * continues as killable, until a queue below its guarantee can use its room. The queues above its leaf count
 * it as free, also after it was killed, until it has ended. capacity->going lists all containers that are
 * killable, or killed for any reason, and have not ended.
 *
 * Differs: YARN allocates the room at once and kills the container afterwards; for a moment more is allocated
 * on the node than its total. creel reserves the node for the application until the containers have ended.
 */
#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"

/* --- the list -------------------------------------------------------------- */

static void list(struct capacity *capacity, struct sched_container *container)
{
    if (container->killed || container->killable)
        return;
    mem_grow(capacity->going, capacity->going_count, capacity->going_capacity);
    container->killed_index = (uint32_t)capacity->going_count;
    capacity->going[capacity->going_count++] = container;
}

static void unlist(struct capacity *capacity, struct sched_container *container)
{
    struct sched_container *last = capacity->going[--capacity->going_count];

    capacity->stopped_count -= container->stopped ? 1 : 0;
    capacity->going[container->killed_index] = last;
    last->killed_index = container->killed_index;
}

/* --- sums ------------------------------------------------------------------ */

/* Counts CONTAINER as killable (SIGN 1) or no longer (-1). The indexes are updated as after any other change
 * of sums. */
static void count(struct sched *sched, struct sched_container *container, int sign)
{
    const struct resource amount = container_resource(container);
    struct app_partition *part = container->part;

    sched_count_begin(sched, part);
    container->killable = sign > 0;
    container->node->killable += (uint32_t)sign;
    for (struct queue_partition *at = part->leaf; at; at = at->up)
        calc_change(&sched->calc, &part_data(at)->killable, &amount, sign);
    sched_count_end(sched, part);
}

void capacity_killable_resized(struct sched *sched, struct sched_container *container,
                               const struct resource *delta)
{
    for (struct queue_partition *at = container->part->leaf; at; at = at->up)
        calc_add(&sched->calc, &part_data(at)->killable, delta);
}

/* Removes CONTAINER from the containers whose preemption will be announced as cancelled. */
static void leave_spared(struct capacity *capacity, const struct sched_container *container)
{
    for (size_t i = capacity->spared_count; i-- > 0;)
        if (capacity->spared[i] == container)
            capacity->spared[i] = capacity->spared[--capacity->spared_count];
}

void capacity_make_killable(struct sched *sched, struct sched_container *container)
{
    if (container->killable || container->killed)
        return;
    leave_spared(capacity_of(sched), container); /* preempted again, although an earlier preemption was
                                                    cancelled */
    list(capacity_of(sched), container);
    count(sched, container, 1);
}

void capacity_note_killed(struct sched *sched, struct sched_container *container)
{
    list(capacity_of(sched), container);
    container->killed = true;
}

void capacity_note_stopped(struct sched *sched, struct sched_container *container)
{
    if (container->killed)
        return;
    if (!container->killable) {
        container->stopped = true;
        capacity_of(sched)->stopped_count++;
    }
    capacity_note_killed(sched, container);
}

void capacity_note_continues(struct sched *sched, struct sched_container *container)
{
    unlist(capacity_of(sched), container);
}

static void add_spared(struct capacity *capacity, struct sched_container *container)
{
    mem_grow(capacity->spared, capacity->spared_count, capacity->spared_capacity);
    capacity->spared[capacity->spared_count++] = container;
}

void capacity_spare_notified(struct sched *sched, struct sched_container *container)
{
    if (!container->killable && !container->killed)
        add_spared(capacity_of(sched), container);
}

/* Cancels the preemption of CONTAINER, or removes a container that has ended from the list. If CONTAINER was
 * killable and not killed yet, the cancellation will be announced (SCHED_SPARE). */
static void capacity_spare(struct sched *sched, struct sched_container *container)
{
    struct capacity *capacity = capacity_of(sched);

    if (!container->killed && !container->killable)
        return;
    if (container->killable)
        count(sched, container, -1);
    if (!container->killed)
        add_spared(capacity, container);
    container->killed = false;
    unlist(capacity, container);
}

void capacity_spare_gone(struct sched *sched, struct sched_container *container)
{
    capacity_spare(sched, container);
    leave_spared(capacity_of(sched), container);
}

void capacity_spare_report(struct sched *sched, struct sched_decisions *decisions)
{
    struct capacity *capacity = capacity_of(sched);

    for (size_t i = 0; i < capacity->spared_count; i++) {
        struct sched_container *container = capacity->spared[i];
        struct sched_decision *decision;

        if (container->killable || container->killed) /* preempted again in the meantime */
            continue;
        decision = sched_decide(decisions, SCHED_SPARE, container->node, container->app);
        decision->container = container;
    }
    capacity->spared_count = 0;
}

/* Makes CONTAINER no longer killable, before it is counted in another queue. A container that was killed
 * already remains killed. */
static void moves(struct sched *sched, struct sched_container *container)
{
    if (!container->killable)
        return;
    if (container->killed)
        count(sched, container, -1);
    else
        capacity_spare(sched, container);
}

void capacity_spare_app(struct sched *sched, struct sched_app *app)
{
    struct sched_container *container;

    if (capacity_of(sched)->going_count == 0)
        return;
    TAILQ_FOREACH(container, &app->containers, of_app)
        moves(sched, container);
}

void capacity_spare_node(struct sched *sched, struct sched_node *node)
{
    struct sched_container *container;

    TAILQ_FOREACH(container, &node->containers, of_node)
        moves(sched, container);
}

void capacity_spare_all(struct sched *sched, bool off)
{
    const struct capacity *capacity = capacity_of(sched);

    for (size_t i = capacity->going_count; i-- > 0;) {
        struct sched_container *container = capacity->going[i];

        if (!container->killed)
            capacity_spare(sched, container);
        else if (off && container->killable)
            count(sched, container, -1);
    }
}

/* Cancels the preemption of killable containers of each leaf that would be below its guarantee without them,
 * until this is no longer so. The containers at the end of the list are first. */
void capacity_spare_needed(struct sched *sched)
{
    struct capacity *capacity = capacity_of(sched);

    for (size_t i = capacity->going_count; i-- > 0;) {
        struct sched_container *container = capacity->going[i];
        const struct queue_partition *leaf;
        struct resource left;

        if (!container->killable || container->killed)
            continue;
        leaf = container->part->leaf;
        left = sched_load(sched, queue_used(leaf));
        calc_subtract(&sched->calc, &left, &part_data(leaf)->killable);
        if (calc_compare(&sched->calc, &sched->label_total[leaf->label], &left,
                         &part_data(leaf)->share->effective_minimum) < 0)
            capacity_spare(sched, container); /* the container moved to its place in the list was checked
                                                 already */
    }
}

struct resource capacity_killed_use(const struct queue_partition *part)
{
    const struct capacity *capacity = capacity_of(part->sched);
    struct resource sum = { .value = { 0 } };

    if (capacity->going_count == capacity->stopped_count)
        return sum;
    for (size_t i = 0; i < capacity->going_count; i++) {
        const struct sched_container *container = capacity->going[i];
        const struct queue_partition *at = container->part->leaf;

        while (at && at != part)
            at = at->up;
        if (container->killed && !container->stopped && !container->stuck && at)
            calc_add(&part->sched->calc, &sum, container_size(container));
    }
    return sum;
}

/* --- killing killable containers ------------------------------------------- */

/* Returns true if LEAF is below its guarantee, without counting its reservation OWN. */
static bool is_underserved(const struct sched *sched, const struct queue_partition *leaf,
                           const struct resource *own)
{
    struct resource used = sched_load(sched, queue_used(leaf));

    calc_subtract(&sched->calc, &used, own);
    return calc_compare(&sched->calc, &sched->total, &used, &part_data(leaf)->share->effective_minimum) < 0;
}

/* Kills killable containers on NODE for LEAF, the newest first, as many as needed. Returns true if NEED then
 * fits. DECISIONS NULL: only checks, kills none. */
static bool kill_enough(struct sched *sched, struct sched_node *node, const struct queue_partition *leaf,
                        const struct resource *need, struct sched_decisions *decisions)
{
    struct resource room = sched_node_free(node);
    struct sched_container *container;

    TAILQ_FOREACH(container, &node->containers, of_node)
        if (container->killed && !container->stuck) /* its room will become free */
            room = resource_add(room, container_resource(container));
    TAILQ_FOREACH_REVERSE(container, &node->containers, container_list, of_node) {
        if (calc_fits(&sched->calc, need, &room))
            return true;
        if (!container->killable || container->killed)
            continue;
        room = resource_add(room, container_resource(container));
        if (decisions) {
            struct sched_decision *kill = sched_decide(decisions, SCHED_KILL, node, container->app);

            kill->container = container;
            kill->gainer = leaf->queue->path;
            container->killed = true;
        }
    }
    return calc_fits(&sched->calc, need, &room);
}

bool capacity_make_room(struct sched *sched, struct sched_node *node, const struct queue_partition *leaf,
                        const struct resource *own, const struct resource *need,
                        struct sched_decisions *decisions)
{
    return node->killable > 0 && is_underserved(sched, leaf, own) &&
           kill_enough(sched, node, leaf, need, NULL) && kill_enough(sched, node, leaf, need, decisions);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preemption.c - takes snapshots for the preemption policy, and acts on its marks (yarn-behaviour 7)
 *
 * Figures of all queues are copied in each round. Applications and containers are copied only for leaves that
 * the policy requests. A container that was killed, by preemption or for another reason, is counted until
 * it has ended; the policy sees it as killable, so that no other container is preempted in its place. The
 * room of a container with a process that does not end is not expected: others are preempted in its place.
 *
 * Differs: containers of closed nodes (drained, silent, unhealthy) count as used, but they are not preempted,
 * since what they free is not allocated again. YARN preempts them, again and again.
 */
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"
#include "rm/sched/preempt/preempt.h"

struct preemption {
    int64_t interval_ms;    /* between rounds */
    bool intra;             /* within queues, too */
    struct preempt *policy; /* owned, as are all pointers below */
    struct preempt_queue *queues;
    struct preempt_figures *figures;
    struct resource *partitions;
    struct sched_queue **live; /* by index, of the last round; borrowed */
    uint64_t queues_version;   /* sched_queues_version() of that round */
    size_t queue_capacity, figure_capacity;
    struct preempt_marks marks;
};

void capacity_preemption_free(struct preemption *preemption)
{
    if (preemption == NULL)
        return;
    preempt_free(preemption->policy);
    free(preemption->queues);
    free(preemption->figures);
    free(preemption->partitions);
    free(preemption->live);
    free(preemption->marks.items);
    free(preemption);
}

static bool is_on(const struct preempt_settings *settings)
{
    return settings && settings->enabled;
}

/* Before a refresh: cancels preemptions that NEXT will not need, while sums and indexes still belong to the
 * old configuration. */
void capacity_preemption_prepare(struct sched *sched, const struct sched_config *next)
{
    struct preemption *preemption = capacity_of(sched)->preemption;

    capacity_recompute(sched);
    if (!is_on(next->preemption) || !next->capacity->lazy_preemption)
        capacity_spare_all(sched, !is_on(next->preemption));
    if (is_on(next->preemption) || preemption == NULL)
        return;
    preemption->marks.count = 0;
    preempt_withdraw_all(preemption->policy, &preemption->marks);
    for (size_t i = 0; i < preemption->marks.count; i++)
        capacity_spare_notified(sched, preemption->marks.items[i].container);
}

void capacity_preemption_configure(struct sched *sched, const struct preempt_settings *settings)
{
    struct capacity *capacity = capacity_of(sched);
    struct preempt_settings own;

    if (!is_on(settings)) {
        capacity_preemption_free(capacity->preemption);
        capacity->preemption = NULL;
        return;
    }
    own = *settings;
    own.calc = sched->calc;
    own.minimum = sched->minimum;
    if (capacity->preemption) {
        preempt_set(capacity->preemption->policy, &own);
    } else {
        capacity->preemption = mem_new0(struct preemption);
        capacity->preemption->policy = preempt_new(&own);
    }
    capacity->preemption->interval_ms = own.interval_ms;
    capacity->preemption->intra = own.intra;
}

int64_t capacity_preempt_interval_ms(const struct sched *sched)
{
    const struct preemption *preemption = capacity_of(sched)->preemption;

    return preemption ? preemption->interval_ms : 0;
}

bool capacity_preempts_within(const struct sched *sched, const struct sched_queue *queue)
{
    const struct preemption *preemption = capacity_of(sched)->preemption;
    const struct capacity_queue *config = queue_data(queue)->config;

    return preemption && preemption->intra && !config->disable_preemption &&
           !config->disable_intra_preemption;
}

void capacity_ended(struct sched *sched, struct sched_container *container)
{
    struct preemption *preemption = capacity_of(sched)->preemption;

    if (preemption)
        preempt_forget(preemption->policy, container->serial);
    capacity_spare_gone(sched, container);
}

/* --- figures of queues ----------------------------------------------------- */

static void fill_queue(const struct sched_queue *queue, struct preempt_queue *ret)
{
    const struct capacity_queue *config = queue_data(queue)->config;
    bool ranked = config->parent && config->parent->priority_utilization;

    *ret = (struct preempt_queue){
        .parent = queue->parent ? queue_data(queue->parent)->index : PREEMPT_NONE,
        .leaf = queue->leaf,
        .disabled = config->disable_preemption,
        .intra_disabled = config->disable_intra_preemption,
        .fair_order = config->order == CAPACITY_ORDER_FAIR,
        .priority = ranked ? config->priority : 0,
        .am_fraction = part_data(queue->parts[0])->share->am_fraction,
        .user_limit_percent = config->user_limit_percent,
    };
}

static void fill_figures(const struct sched *sched, const struct queue_partition *part,
                         struct preempt_figures *ret)
{
    const struct resource *total = &sched->label_total[part->label];

    *ret = (struct preempt_figures){
        .guaranteed = part_data(part)->share->effective_minimum,
        .maximum = part_data(part)->share->effective_maximum,
        .used = sched_load(sched, queue_used(part)),
        .reserved = sched_load(sched, queue_reserved(part)),
        .absolute_capacity = part_data(part)->share->absolute,
    };
    if (resource_is_zero(&ret->guaranteed))
        ret->guaranteed = calc_multiply(total, (double)part_data(part)->share->absolute);
    if (resource_is_zero(&ret->maximum))
        ret->maximum = calc_multiply(total, (double)part_data(part)->share->absolute_maximum);
    if (part->label > 0 && sched->labels[part->label].shared)
        ret->maximum = *total;
    if (part->queue->leaf)
        capacity_pending_fill(sched, part, ret);
}

static void fill_killable(const struct capacity *capacity, uint32_t queue_count)
{
    for (size_t i = 0; i < capacity->going_count; i++) {
        const struct sched_container *container = capacity->going[i];
        const struct sched_queue *at = container->stuck ? NULL : container->app->queue;

        for (; at; at = at->parent) {
            struct preempt_figures *figures =
                &capacity->preemption->figures[container->part->label * queue_count + queue_data(at)->index];

            figures->killable = resource_add(figures->killable, container_resource(container));
        }
    }
}

static uint32_t collect_figures(const struct sched *sched, struct preemption *preemption)
{
    uint32_t count = 0, labels = (uint32_t)sched->label_count;
    struct sched_queue *queue;

    preemption->queues_version = sched_queues_version(sched);
    TAILQ_FOREACH(queue, &sched->queues, link)
        queue_data(queue)->index = count++;
    if (count > preemption->queue_capacity) {
        preemption->queue_capacity = count;
        preemption->queues = mem_resize(preemption->queues, count, sizeof(*preemption->queues));
        preemption->live = mem_resize(preemption->live, count, sizeof(struct sched_queue *));
    }
    if ((size_t)count * labels > preemption->figure_capacity) {
        preemption->figure_capacity = (size_t)count * labels;
        preemption->figures =
            mem_resize(preemption->figures, preemption->figure_capacity, sizeof(*preemption->figures));
    }
    preemption->partitions = mem_resize(preemption->partitions, labels, sizeof(struct resource));
    memcpy(preemption->partitions, sched->label_total, labels * sizeof(struct resource));
    TAILQ_FOREACH(queue, &sched->queues, link) {
        preemption->live[queue_data(queue)->index] = queue;
        fill_queue(queue, &preemption->queues[queue_data(queue)->index]);
        for (uint32_t l = 0; l < labels; l++)
            fill_figures(sched, queue->parts[l], &preemption->figures[l * count + queue_data(queue)->index]);
    }
    fill_killable(capacity_of(sched), count);
    return count;
}

/* --- applications and containers of a leaf --------------------------------- */

static bool is_stopping(const struct sched_container *container)
{
    return container->killed && !container->stuck;
}

/* Adds (SIGN 1) the containers that are being stopped to what their applications have STOPPING, or subtracts
 * them (-1): set during a round only. */
static void adjust_stopping(struct sched *sched, int sign)
{
    const struct capacity *capacity = capacity_of(sched);

    for (size_t i = 0; i < capacity->going_count; i++) {
        const struct sched_container *container = capacity->going[i];
        const struct resource amount = container_resource(container);

        if (is_stopping(container))
            calc_change(&sched->calc, &app_partition_data(container->part)->stopping, &amount, sign);
    }
}

static struct resource master_size(const struct sched_app *app, uint32_t label)
{
    const struct sched_container *first = TAILQ_FIRST(&app->containers);

    if (first && first->master && first->part->label == label && !is_stopping(first))
        return container_resource(first);
    return resource_of(0, 0);
}

static void number_users(struct sched_queue *queue)
{
    uint32_t index = 0;
    struct leaf_user *user;

    RB_FOREACH(user, capacity_user_tree, &queue_data(queue)->users)
        user->index = index++;
}

/* Differs: YARN also counts the AM of an application that the AM limit keeps waiting, and preempts within the
 * queue for it, although it cannot start. In creel such an application has no pending requests. */
static size_t list_apps(void *context, uint32_t leaf, uint32_t partition, struct preempt_app *items,
                        size_t room)
{
    const struct sched *sched = context;
    struct sched_queue *queue = capacity_of(sched)->preemption->live[leaf];
    const struct sched_app *app;
    size_t count = 0;

    number_users(queue);
    for (app = capacity_app_first(queue); app; app = capacity_app_next(app)) {
        const struct app_partition *part = sched_app_partition_have(app, (int)partition);

        if (count++ >= room)
            continue;
        items[count - 1] = (struct preempt_app){
            .handle = (void *)(uintptr_t)app,
            .number = app->serial,
            .priority = app->priority,
            .user = app->leaf_user->index,
            .waits = app->state != APP_ACTIVE,
            .am = master_size(app, partition),
        };
        if (part == NULL)
            continue;
        items[count - 1].fair_key = app_partition_data(part)->key;
        items[count - 1].used = sched_load(sched, app_used(part));
        if (app->state == APP_ACTIVE) /* see preempt_pending.c */
            items[count - 1].pending = sched_load(sched, app_pending(part));
        items[count - 1].stopping = app_partition_data(part)->stopping;
    }
    return count;
}

static size_t list_users(void *context, uint32_t leaf, uint32_t partition, struct preempt_user *items,
                         size_t room)
{
    const struct sched *sched = context;
    struct sched_queue *queue = capacity_of(sched)->preemption->live[leaf];
    struct resource limit = capacity_user_limit(sched, queue->parts[partition], false);
    struct leaf_user *user;
    size_t count = 0;

    number_users(queue);
    RB_FOREACH(user, capacity_user_tree, &queue_data(queue)->users) {
        if (count++ >= room)
            continue;
        items[count - 1] = (struct preempt_user){
            .limit = capacity_weighted_limit(sched, &limit, user->weight),
        };
        for (const struct user_partition *part = user->parts; part; part = part->next)
            if (part->leaf->label == partition)
                items[count - 1].used = sched_load(sched, user_used(part));
    }
    return count;
}

static void fill_container(const struct sched_container *container, struct preempt_container *ret)
{
    *ret = (struct preempt_container){
        .handle = (void *)(uintptr_t)container,
        .app = container->app,
        .size = container_size(container),
        .app_number = container->app->serial,
        .id = container->serial,
        .leaf = queue_data(container->app->queue)->index,
        .partition = container->part->label,
        .priority = container->priority,
        .am = container->master,
        .killable = container->killed || container->killable,
        .stuck = container->stuck,
    };
}

static void fill_reserved(const struct sched_node *node, struct preempt_container *ret)
{
    *ret = (struct preempt_container){
        .handle = (void *)(uintptr_t)node,
        .app = node->reserved.app,
        .size = calc_amount(&node->reserved.resource),
        .app_number = node->reserved.app->serial,
        .id = node->reserved.serial,
        .created_ms = node->reserved.since_ms,
        .leaf = queue_data(node->reserved.app->queue)->index,
        .partition = node->label,
        .priority = node->reserved.priority,
        .reserved = true,
    };
}

static size_t list_containers(void *context, void *handle, struct preempt_container *items, size_t room)
{
    const struct sched_app *app = handle;
    const struct sched_container *container;
    const struct sched_node *node;
    size_t count = 0;

    (void)context;
    TAILQ_FOREACH(container, &app->containers, of_app)
        if (sched_node_is_offered(container->node) && count++ < room)
            fill_container(container, &items[count - 1]);
    TAILQ_FOREACH(node, &app->reservations, reserved.of_app)
        if (count++ < room)
            fill_reserved(node, &items[count - 1]);
    return count;
}

static uint32_t list_next_containers(void *context, void *handle, void *behind,
                                     struct preempt_container *items, uint32_t room)
{
    const struct sched_app *app = handle;
    const struct sched_container *container = behind, *next;
    uint32_t count = 0;

    (void)context;
    if (app->reserved_count > 0 || app->parts == NULL || app->parts->next || app->parts->disordered)
        return PREEMPT_NONE;
    container = container ? TAILQ_PREV(container, container_list, of_app)
                          : TAILQ_LAST(&app->containers, container_list);
    for (; container && count < room; container = next) {
        next = TAILQ_PREV(container, container_list, of_app);
        if (sched_node_is_offered(container->node))
            fill_container(container, &items[count++]);
    }
    return count;
}

static size_t list_borrowers(void *context, uint32_t leaf, uint32_t partition,
                             struct preempt_container *items, size_t room)
{
    const struct sched *sched = context;
    const struct sched_queue *queue = capacity_of(sched)->preemption->live[leaf];
    const struct sched_container *container;
    const struct sched_app *app;
    size_t count = 0;

    if (sched->borrowing_count == 0)
        return 0; /* a leaf may have thousands of containers, none in the CPU cache */
    for (app = capacity_app_first(queue); app; app = capacity_app_next(app))
        TAILQ_FOREACH(container, &app->containers, of_app)
            if (container->part->label == partition && container_borrows(container) &&
                sched_node_is_offered(container->node) && count++ < room)
                fill_container(container, &items[count - 1]);
    return count;
}

static struct resource killable_on(const struct sched_node *node)
{
    struct resource sum = resource_of(0, 0);
    const struct sched_container *container;

    TAILQ_FOREACH(container, &node->containers, of_node)
        if ((container->killed || container->killable) && !container->stuck)
            sum = resource_add(sum, container_resource(container));
    return sum;
}

static size_t list_reservations(void *context, struct preempt_reservation *items, size_t room)
{
    const struct sched *sched = context;
    struct sched_node *node, *next;
    size_t count = 0;

    HASH_ITER(hh, sched->nodes, node, next) {
        if (node->reserved.app == NULL || !sched_node_is_offered(node) || count++ >= room)
            continue;
        items[count - 1] = (struct preempt_reservation){
            .node = node,
            .available = sched_node_free(node),
            .killable = killable_on(node),
        };
        fill_reserved(node, &items[count - 1].container);
    }
    return count;
}

static size_t list_increases(void *context, struct preempt_reservation *items, size_t room)
{
    const struct sched *sched = context;
    const struct demand *demand;
    size_t count = 0;

    TAILQ_FOREACH(demand, &sched->strict, in_strict) {
        struct sched_node *node;

        if (!capacity_pending_has_increase(sched, demand) || count++ >= room)
            continue;
        node = demand->container->node;
        items[count - 1] = (struct preempt_reservation){
            .node = node,
            .container = { .handle = demand->container,
                           .app = demand->app,
                           .size = demand_size(demand),
                           .id = demand->grows,
                           .leaf = queue_data(demand->app->queue)->index,
                           .partition = demand->label,
                           .reserved = sched_node_is_reserved_for(node, demand->app, demand) },
            .available = sched_node_free(node),
            .killable = killable_on(node),
        };
    }
    return count;
}

static size_t list_containers_of_node(void *context, void *handle, struct preempt_container *items,
                                      size_t room)
{
    const struct sched_node *node = handle;
    const struct sched_container *container;
    size_t count = 0;

    (void)context;
    TAILQ_FOREACH(container, &node->containers, of_node)
        if (count++ < room)
            fill_container(container, &items[count - 1]);
    return count;
}

bool capacity_is_picked(const struct sched *sched, const struct sched_container *container)
{
    const struct preemption *preemption = capacity_of(sched)->preemption;

    return preemption != NULL && preempt_is_picked(preemption->policy, container->serial);
}

const char *capacity_gainer(const struct sched *sched, const struct sched_container *container)
{
    const struct preemption *preemption = capacity_of(sched)->preemption;
    uint32_t gainer;

    /* After a change of the queues, the indexes of the last round do not hold any more. */
    if (preemption == NULL || container->killed || container->killable ||
        preemption->queues_version != sched_queues_version(sched) ||
        !preempt_gainer(preemption->policy, container->serial, &gainer))
        return NULL;
    if (gainer != PREEMPT_NONE)
        return preemption->live[gainer]->path;
    return capacity_is_picked(sched, container) ? NULL : "";
}

/* --- a round --------------------------------------------------------------- */

/* Only a queue below its guarantee may have killable containers killed. So only containers preempted for such
 * a queue become killable and wait for it.
 * Differs: in YARN all preempted containers become killable, and those preempted for another purpose, even
 * within the same queue, are never killed. */
static bool is_lazy(const struct sched *sched, const struct preempt_mark *mark)
{
    return capacity_of(sched)->config->lazy_preemption &&
           (mark->selector == PREEMPT_BY_GUARANTEE || mark->selector == PREEMPT_BY_QUEUE_PRIORITY);
}

static void act(struct sched *sched, const struct preempt_mark *mark, struct sched_decisions *decisions)
{
    struct sched_container *container = mark->container;
    struct sched_node *node = mark->container;
    struct sched_decision *decision;

    if (mark->act == PREEMPT_RELEASE) {
        if (node->reserved.app == mark->app)
            sched_unreserve(sched, node, true, decisions);
        return;
    }
    if (mark->act == PREEMPT_WITHDRAW) {
        capacity_spare_notified(sched, container);
        return;
    }
    if (mark->act == PREEMPT_KILL && is_lazy(sched, mark)) {
        capacity_make_killable(sched, container);
        return;
    }
    decision = sched_decide(decisions, mark->act == PREEMPT_KILL ? SCHED_KILL : SCHED_PREEMPT,
                            container->node, container->app);
    decision->container = container;
    decision->deadline_ms = mark->kill_ms;
    if (mark->gainer != PREEMPT_NONE)
        decision->gainer = capacity_of(sched)->preemption->live[mark->gainer]->path;
    if (mark->act == PREEMPT_KILL)
        capacity_note_killed(sched, container);
}

/* Acts on all marks except notices for reservations: a reservation is cancelled without notice. */
static void act_on_all(struct sched *sched, const struct preempt_marks *marks,
                       struct sched_decisions *decisions)
{
    for (size_t i = 0; i < marks->count; i++)
        if (!marks->items[i].reserved || marks->items[i].act == PREEMPT_RELEASE)
            act(sched, &marks->items[i], decisions);
}

void capacity_preempt(struct sched *sched, struct sched_decisions *decisions)
{
    struct preemption *preemption = capacity_of(sched)->preemption;
    struct preempt_snapshot snapshot = {
        .cluster = sched->total,
        .partition_count = (uint32_t)sched->label_count,
        .source = {
            .context = sched,
            .apps = list_apps,
            .users = list_users,
            .containers = list_containers,
            .next_containers = list_next_containers,
            .borrowers = list_borrowers,
            .reservations = list_reservations,
            .containers_of_node = list_containers_of_node,
            .increases = list_increases,
        },
    };

    if (preemption == NULL)
        return;
    capacity_recompute(sched);
    capacity_spare_needed(sched);
    capacity_spare_report(sched, decisions);
    capacity_pending_adjust(sched, -1);
    adjust_stopping(sched, 1);
    snapshot.queue_count = collect_figures(sched, preemption);
    snapshot.queues = preemption->queues;
    snapshot.figures = preemption->figures;
    snapshot.partitions = preemption->partitions;
    preemption->marks.count = 0;
    preempt_round(preemption->policy, &snapshot, sched->now_ms, &preemption->marks);
    adjust_stopping(sched, -1);
    capacity_pending_adjust(sched, 1);
    if (capacity_of(sched)->audit)
        capacity_of(sched)->audit(capacity_of(sched)->audit_context, sched, &preemption->marks);
    act_on_all(sched, &preemption->marks, decisions);
    capacity_spare_report(sched, decisions);
}

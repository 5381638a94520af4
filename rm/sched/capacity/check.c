/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - the audit of the capacity scheduler's sums and indexes */
#include <errno.h>
#include <math.h>

#include "rm/sched/capacity/internal.h"

static int check_app(struct sched_app *app, struct err *err)
{
    bool active = app->state == APP_ACTIVE;
    char name[ID_TEXT_MAX];

    app_id_format(&app->id, name);
    if (app_data(app)->listed != (app->state == APP_WAITING && app_data(app)->place) ||
        (app->state == APP_ACTIVE && app_data(app)->place != app->queue))
        return err_set(err, EINVAL, "%s: is wrongly among, or missing from, those that wait", name);
    if (app_data(app)->wants && app->pending_containers == 0 && !app->ask_for_master && !app->ending)
        return err_set(err, EINVAL, "%s: counts wrongly as one that wants something", name);
    if (sched_app_partition_have(app, 0) == NULL)
        return err_set(err, EINVAL, "%s: is missing from the partition of nodes without a label", name);
    for (const struct app_partition *part = app->parts; part; part = part->next) {
        bool pending = active && part->pending_containers > 0;

        if (part->leaf != sched_queue_partition_have(app->queue, part->label) ||
            part->user->user != app->leaf_user)
            return err_set(err, EINVAL, "%s: is counted in a queue where it is not", name);
        if (app_partition_data(part)->entry.order != (pending ? &user_data(part->user)->apps : NULL) ||
            app_partition_data(part)->is_active != active)
            return err_set(err, EINVAL, "%s: is wrongly in, or missing from, an index of its leaf", name);
    }
    return 0;
}

struct leaf_audit {
    struct resource active_used, am_used;
    double ratios, active_weight, all_weight;
    uint32_t wanting, active_users, users_waiting;
};

static bool is_equal(const struct sched *sched, const struct resource *counted, const struct amount *kept)
{
    struct resource is = sched_load(sched, kept);

    return resource_equal(counted, &is);
}

/* Compares only the types that indexes compare. */
static bool is_same(const struct sched *sched, const struct resource *a, const struct resource *b)
{
    int types = calc_types(&sched->calc);

    return order_fits(types, a, b) && order_fits(types, b, a);
}

/* Returns true if no container for which nodes are reserved for PART's application is smaller than the
 * exchange in the index. */
static bool exchange_is_bound(const struct app_partition *part)
{
    const struct sched_node *node;

    TAILQ_FOREACH(node, &part->app->reservations, reserved.of_app) {
        const struct demand *demand = sched_demand_of_reservation(node);
        struct resource size = demand ? demand_capability(demand) : resource_of(0, 0);

        if (demand && node->label == part->label && demand->label == part->label &&
            !calc_fits(&part->app->sched->calc, &app_partition_data(part)->entry.exchange, &size))
            return false;
    }
    return true;
}

/* Returns true if the need in the index fits every node that may be of use for the first request of PART's
 * application. (A request of another partition is not checked: the need is from an earlier time, and still a
 * lower bound.) */
static bool need_is_bound(const struct app_partition *part)
{
    const struct calc *calc = &part->app->sched->calc;
    const struct demand *first = sched_demand_first(part->app);
    const struct resource *kept = &app_partition_data(part)->entry.need;
    struct resource need = capacity_app_need(part);

    if (part->app->sched->stale || first == NULL || first->label != part->label)
        return true;
    return calc_fits(calc, kept, &need) && calc_fits(calc, kept, &part_data(part->leaf)->largest);
}

static int check_user_entry(const struct user_partition *user, struct err *err)
{
    const struct capacity_user_data *data = user_data(user);
    const struct order_entry *first = order_find(&data->apps, NULL, NULL);
    const struct sched *sched = user->leaf->sched;
    const char *path = user->leaf->queue->path;
    struct resource need = capacity_user_need(user);

    if (!order_is_consistent(&data->apps) ||
        data->entry.order != (first ? &part_data(user->leaf)->users : NULL) ||
        data->first != (first ? capacity_app_of(first) : NULL))
        return err_set(err, EINVAL, "user %s in %s: its indexes are wrong", user->user->name, path);
    for (const struct order_entry *at = first; at; at = order_find(&data->apps, at, NULL))
        if (!exchange_is_bound(capacity_app_of(at)) || !need_is_bound(capacity_app_of(at)))
            return err_set(err, EINVAL,
                           "user %s in %s: an application needs less, or has reserved nodes for "
                           "less, than its index has",
                           user->user->name, path);
    if (first && (!is_same(sched, &data->entry.need, &need) ||
                  !is_same(sched, &data->entry.exchange, order_least_exchange(&data->apps))))
        return err_set(err, EINVAL, "user %s in %s: what it needs is wrong in the index", user->user->name,
                       path);
    return 0;
}

static int check_user_partition(const struct sched *sched, struct user_partition *part, struct err *err)
{
    struct resource used = resource_of(0, 0), am_used = used, pending = used;
    const struct sched_app *app;

    for (app = capacity_app_first(part->user->queue); app; app = capacity_app_next(app)) {
        const struct app_partition *of = sched_app_partition_have(app, part->leaf->label);

        if (app->leaf_user != part->user || of == NULL)
            continue;
        calc_add(&sched->calc, &used, app_used(of));
        calc_add(&sched->calc, &used, app_reserved(of));
        calc_add(&sched->calc, &pending, app_pending(of));
        if (app->state == APP_ACTIVE && app->label == part->leaf->label)
            am_used = resource_add(am_used, capacity_master_of(app));
    }
    if (!is_equal(sched, &used, user_used(part)) || !is_equal(sched, &am_used, user_am_used(part)) ||
        !is_equal(sched, &pending, user_pending(part)))
        return err_set(err, EINVAL, "user %s in %s: sums are wrong", part->user->name,
                       part->user->queue->path);
    if (part->wants != (part->user->wanting > 0))
        return err_set(err, EINVAL, "user %s in %s: is active, or not, by mistake", part->user->name,
                       part->user->queue->path);
    return check_user_entry(part, err);
}

static int check_leaf(const struct sched *sched, struct sched_queue *queue, int label, struct err *err)
{
    struct leaf_audit audit = { .ratios = 0 };
    const struct queue_partition *part = queue->parts[label];
    struct leaf_user *user;
    const struct sched_app *app;
    int r;

    for (app = capacity_app_first(queue); app; app = capacity_app_next(app))
        audit.wanting -= app_data(app)->wants ? 1u : 0u;
    RB_FOREACH(user, capacity_user_tree, &queue_data(queue)->users) {
        audit.all_weight += (double)user->weight;
        audit.active_weight += user->wanting > 0 ? (double)user->weight : 0;
        audit.users_waiting += user->apps > user->placeless && user->active_apps == 0 ? 1u : 0u;
        audit.wanting += user->wanting;
        audit.active_users += user->wanting > 0 ? 1u : 0u;
        for (struct user_partition *of = user->parts; of; of = of->next) {
            if (of->leaf != part)
                continue;
            if ((r = check_user_partition(sched, of, err)) < 0)
                return r;
            audit.ratios += (double)user_data(of)->ratio;
            calc_add(&sched->calc, &audit.am_used, user_am_used(of));
            if (user->wanting > 0)
                calc_add(&sched->calc, &audit.active_used, user_used(of));
        }
    }
    if (!is_equal(sched, &audit.active_used, queue_active_used(part)) ||
        !is_equal(sched, &audit.am_used, queue_am_used(part)) ||
        fabs(audit.ratios - part_data(part)->used_ratios) > 1e-6 ||
        fabs(audit.all_weight - queue_data(queue)->all_weight) > 1e-6 ||
        fabs(audit.active_weight - queue_data(queue)->active_weight) > 1e-6 || audit.wanting != 0 ||
        audit.users_waiting != queue_data(queue)->users_waiting ||
        audit.active_users != queue_data(queue)->active_users)
        return err_set(err, EINVAL, "%s: sums over its users are wrong", queue->path);
    return 0;
}

/* Compares PART's sum of killable resources with the containers below PART that may be killed. */
static int check_killable(const struct sched *sched, const struct queue_partition *part, struct err *err)
{
    const struct capacity *capacity = capacity_of(sched);
    struct resource sum = resource_of(0, 0);

    for (size_t i = 0; i < capacity->going_count; i++) {
        const struct sched_container *container = capacity->going[i];
        const struct sched_queue *at = container->app->queue;

        if (container->killed_index != i || !(container->killable || container->killed))
            return err_set(err, EINVAL, "preemption lists a container wrongly");
        while (at && at != part->queue)
            at = at->parent;
        if (at && container->killable && container->part->label == part->label)
            sum = resource_add(sum, container_resource(container));
    }
    if (!resource_equal(&sum, &part_data(part)->killable))
        return err_set(err, EINVAL, "%s: the sum of what may be killed is wrong", part->queue->path);
    return 0;
}

static int check_stopped(const struct capacity *capacity, struct err *err)
{
    size_t stopped = 0;

    for (size_t i = 0; i < capacity->going_count; i++)
        stopped += capacity->going[i]->stopped ? 1 : 0;
    if (stopped != capacity->stopped_count)
        return err_set(err, EINVAL, "the number of containers that are being stopped is wrong");
    return 0;
}

static int check_nodes(const struct sched *sched, struct err *err)
{
    struct sched_node *node, *next;

    HASH_ITER(hh, sched->nodes, node, next) {
        const struct sched_container *container;
        uint32_t killable = 0;

        TAILQ_FOREACH(container, &node->containers, of_node)
            killable += container->killable ? 1u : 0u;
        if (killable != node->killable)
            return err_set(err, EINVAL, "%s: counts wrongly what may be killed", node->id);
    }
    return 0;
}

static bool active_are_in_order(const struct queue_partition *part)
{
    struct capacity_active_tree tree = part_data(part)->active; /* a copy, since the macros take no
                                                                   const */
    struct capacity_app_partition_data *app, *before = NULL;

    RB_FOREACH(app, capacity_active_tree, &tree) {
        if (app->part->leaf != part || (before && capacity_compare_active(before, app) >= 0))
            return false;
        before = app;
    }
    return true;
}

/* Returns true if PART is among the borrowers of its parent if it should be, and its own are in order. */
static bool borrowers_are_right(const struct queue_partition *part)
{
    struct capacity_borrower_tree tree =
        part_data(part)->borrowers; /* a copy, since the macros take no const */
    struct capacity_partition_data *child, *before = NULL;
    bool borrows = part->up && part->label > 0 && part->sched->labels[part->label].shared &&
                   capacity_has_pending(part->queue->parts[0]);

    RB_FOREACH(child, capacity_borrower_tree, &tree) {
        if (child->part->up != part || !child->borrows ||
            (before && capacity_compare_queues(before->part, child->part) >= 0))
            return false;
        before = child;
    }
    return part_data(part)->borrows == borrows;
}

static int check_part(const struct queue_partition *part, struct err *err)
{
    const struct order *below = part->is_leaf ? &part_data(part)->users : &part_data(part)->children;
    bool in = part->up && capacity_has_pending(part);

    if (!order_is_consistent(below) || !active_are_in_order(part))
        return err_set(err, EINVAL, "%s: its index is inconsistent", part->queue->path);
    if (!borrowers_are_right(part))
        return err_set(err, EINVAL, "%s: the order of those that may borrow nodes is wrong",
                       part->queue->path);
    if (part_data(part)->entry.order != (in ? &part_data(part->up)->children : NULL))
        return err_set(err, EINVAL, "%s: is wrongly in, or missing from, its parent's index",
                       part->queue->path);
    if (part->up && part_data(part)->use != capacity_use_in_order(part))
        return err_set(err, EINVAL, "%s: is in the index by a use of %g, has %g", part->queue->path,
                       (double)part_data(part)->use, (double)capacity_use_in_order(part));
    if (in && !is_same(part->sched, &part_data(part)->entry.exchange, capacity_exchange_below(part)))
        return err_set(err, EINVAL, "%s: its least reserved size is wrong in the index", part->queue->path);
    return 0;
}

int capacity_check(const struct sched *sched, struct err *err)
{
    struct sched_queue *queue;
    struct sched_app *app, *next;
    int r;

    capacity_recompute((struct sched *)(uintptr_t)sched);
    HASH_ITER(hh, sched->apps, app, next)
        if ((r = check_app(app, err)) < 0)
            return r;
    if ((r = check_nodes(sched, err)) < 0 || (r = check_stopped(capacity_of(sched), err)) < 0)
        return r;
    if (!capacity_parallel_check(sched))
        return err_set(err, EINVAL, "places of max-parallel-apps are counted wrongly");
    TAILQ_FOREACH(queue, &sched->queues, link)
        for (int l = 0; l < queue->part_count; l++) {
            if (queue->leaf && (r = check_leaf(sched, queue, l, err)) < 0)
                return r;
            if ((r = check_part(queue->parts[l], err)) < 0 ||
                (r = check_killable(sched, queue->parts[l], err)) < 0)
                return r;
        }
    return 0;
}

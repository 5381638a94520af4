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
    if (app->listed != (app->state == APP_WAITING))
        return err_set(err, EINVAL, "%s: is wrongly among, or missing from, those that wait", name);
    if (app->wants && app->pending_containers == 0 && !app->ask_for_master && !app->ending)
        return err_set(err, EINVAL, "%s: counts wrongly as one that wants something", name);
    for (const struct app_part *part = app->parts; part; part = part->next) {
        bool pending = active && part->pending_containers > 0;

        if (part->leaf != sched_queue_part_have(app->queue, part->label) ||
            part->user->user != app->leaf_user)
            return err_set(err, EINVAL, "%s: is counted in a queue where it is not", name);
        if (part->entry.order != (pending ? &part->user->apps : NULL) ||
            part->active.order != (active ? &part->leaf->active : NULL))
            return err_set(err, EINVAL, "%s: is wrongly in, or missing from, an index of its leaf", name);
    }
    return 0;
}

struct leaf_audit {
    struct resource active_used, am_used;
    double ratios, active_weight, all_weight;
    uint32_t wanting, active_users, users_waiting;
};

static bool is_equal(const struct sched *sched, const struct resource *counted,
                     const struct amount *kept)
{
    struct resource is = sched_load(sched, kept);

    return resource_equal(counted, &is);
}

static bool is_same(struct order_amount a, struct order_amount b)
{
    return a.value[0] == b.value[0] && a.value[1] == b.value[1];
}

/* No container for which PART's app has reserved nodes is smaller than the index has it. */
static bool exchange_is_bound(const struct app_part *part)
{
    const struct sched_node *node;

    TAILQ_FOREACH(node, &part->app->reservations, reserved.of_app) {
        const struct demand *demand = sched_demand_find(part->app, node->reserved.priority,
                                                        node->reserved.allocation_id);
        struct resource size = demand_capability(demand);
        struct order_amount amount = capacity_order_amount(part->app->sched, &size);

        if (node->label == part->label && demand->label == part->label &&
            !order_fits(&part->entry.exchange, &amount))
            return false;
    }
    return true;
}

static int check_user_entry(const struct user_part *user, struct err *err)
{
    const struct order_entry *first = order_find(&user->apps, NULL, NULL);
    const char *path = user->leaf->queue->path;

    if (!order_is_consistent(&user->apps) || user->entry.order != (first ? &user->leaf->users : NULL) ||
        user->first != (first ? capacity_app_of(first) : NULL))
        return err_set(err, EINVAL, "user %s in %s: its indexes are wrong", user->user->name, path);
    for (const struct order_entry *at = first; at; at = order_find(&user->apps, at, NULL))
        if (!exchange_is_bound(capacity_app_of(at)))
            return err_set(err, EINVAL, "user %s in %s: an application has reserved nodes for less than its "
                           "index has", user->user->name, path);
    if (first && (!is_same(user->entry.need, capacity_user_need(user)) ||
                  !is_same(user->entry.exchange, order_least_exchange(&user->apps))))
        return err_set(err, EINVAL, "user %s in %s: what it needs is wrong in the index", user->user->name,
                       path);
    return 0;
}

static int check_user_part(const struct sched *sched, struct user_part *part, struct err *err)
{
    struct resource used = resource_of(0, 0), am_used = used, pending = used;
    const struct sched_app *app;

    TAILQ_FOREACH(app, &part->user->queue->apps, of_queue) {
        const struct app_part *of = sched_app_part_have(app, part->leaf->label);

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

static int check_leaf(const struct sched *sched, struct sched_queue *queue, int label,
                      struct err *err)
{
    struct leaf_audit audit = { .ratios = 0 };
    const struct queue_part *part = queue->parts[label];
    struct leaf_user *user;
    const struct sched_app *app;
    int r;

    TAILQ_FOREACH(app, &queue->apps, of_queue)
        audit.wanting -= app->wants ? 1u : 0u;
    RB_FOREACH(user, sched_leaf_user_tree, &queue->users) {
        audit.all_weight += (double)user->weight;
        audit.active_weight += user->wanting > 0 ? (double)user->weight : 0;
        audit.users_waiting += user->apps > 0 && user->active_apps == 0 ? 1u : 0u;
        audit.wanting += user->wanting;
        audit.active_users += user->wanting > 0 ? 1u : 0u;
        for (struct user_part *of = user->parts; of; of = of->next) {
            if (of->leaf != part)
                continue;
            if ((r = check_user_part(sched, of, err)) < 0)
                return r;
            audit.ratios += (double)of->ratio;
            calc_add(&sched->calc, &audit.am_used, user_am_used(of));
            if (user->wanting > 0)
                calc_add(&sched->calc, &audit.active_used, user_used(of));
        }
    }
    if (!is_equal(sched, &audit.active_used, queue_active_used(part)) ||
        !is_equal(sched, &audit.am_used, queue_am_used(part)) ||
        fabs(audit.ratios - part->used_ratios) > 1e-6 ||
        fabs(audit.all_weight - queue->all_weight) > 1e-6 ||
        fabs(audit.active_weight - queue->active_weight) > 1e-6 ||
        audit.wanting != 0 || audit.users_waiting != queue->users_waiting ||
        audit.active_users != queue->active_users)
        return err_set(err, EINVAL, "%s: sums over its users are wrong", queue->path);
    return 0;
}

/* Of those that may be killed, what is below PART. */
static int check_killable(const struct sched *sched, const struct queue_part *part, struct err *err)
{
    const struct capacity *capacity = sched->capacity;
    struct resource sum = resource_of(0, 0), kept = part->killable ? *part->killable : sum;

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
    if (!resource_equal(&sum, &kept))
        return err_set(err, EINVAL, "%s: the sum of what may be killed is wrong", part->queue->path);
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

static int check_part(const struct queue_part *part, struct err *err)
{
    const struct order *below = part->is_leaf ? &part->users : &part->children;
    bool in = part->up && capacity_has_pending(part);

    if (!order_is_consistent(below) || !order_is_consistent(&part->active))
        return err_set(err, EINVAL, "%s: its index is inconsistent", part->queue->path);
    if (part->entry.order != (in ? &part->up->children : NULL))
        return err_set(err, EINVAL, "%s: is wrongly in, or missing from, its parent's index",
                       part->queue->path);
    if (part->up && part->use != capacity_use_in_order(part))
        return err_set(err, EINVAL, "%s: is in the index by a use of %g, has %g",
                       part->queue->path, (double)part->use,
                       (double)capacity_use_in_order(part));
    if (in && !is_same(part->entry.exchange, order_least_exchange(below)))
        return err_set(err, EINVAL, "%s: its least reserved size is wrong in the index", part->queue->path);
    return 0;
}

int capacity_check(const struct sched *sched, struct err *err)
{
    struct sched_queue *queue;
    struct sched_app *app, *next;
    int r;

    capacity_settle((struct sched *)(uintptr_t)sched);
    HASH_ITER(hh, sched->apps, app, next)
        if ((r = check_app(app, err)) < 0)
            return r;
    if ((r = check_nodes(sched, err)) < 0)
        return r;
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

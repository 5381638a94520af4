/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - the audit of the fair scheduler's sums, lists and orders */
#include <errno.h>

#include "rm/sched/fair/internal.h"

/* Returns true if ITEM is in no index, or is in its index with KEY. */
static bool has_key(const struct fair_item *item, struct fair_key key)
{
    return !order_has(&item->entry) || fair_compare_keys(&item->key, &key) == 0;
}

/* Checks the claims of APP, and adds their number to COUNT. */
static int check_claims(const struct fair_app *app, const char *name, size_t *count, struct err *err)
{
    const struct fair_claim *claim;

    TAILQ_FOREACH(claim, &app->claims, of_app) {
        (*count)++;
        if (claim->app != app || fair_node_data(claim->node) == NULL || resource_is_zero(&claim->left) ||
            fair_claim_find(claim->node, app) != claim)
            return err_set(err, EINVAL, "%s: its claim on %s is wrong", name, claim->node->id);
    }
    return 0;
}

static int check_app(const struct sched *sched, struct sched_app *app, size_t *claims, struct err *err)
{
    struct fair_app *mine = fair_app_data(app);
    const struct app_partition *part = sched_app_partition_have(app, 0);
    struct resource demand = fair_app_next_demand(mine);
    struct resource preempting = resource_of(0, 0), ams = preempting;
    const struct sched_container *container;
    char name[ID_TEXT_MAX];

    app_id_format(&app->id, name);
    if (mine->leaf != fair_queue_data(app->queue) || mine->part != part ||
        order_has(&mine->item.entry) != fair_app_has_pending(mine))
        return err_set(err, EINVAL, "%s: is wrongly in, or missing from, its leaf's index", name);
    if (!mine->changed && !resource_equal(&demand, &mine->demand))
        return err_set(err, EINVAL, "%s: the next update would not count its demand", name);
    TAILQ_FOREACH(container, &app->containers, of_app) {
        if (container->killed && !container->stuck)
            preempting = resource_add(preempting, container_resource(container));
        if (container->manager)
            ams = resource_add(ams, container_resource(container));
    }
    if (!resource_equal(&preempting, &mine->preempting))
        return err_set(err, EINVAL, "%s: its containers that are preempted are added up wrongly", name);
    if (!resource_equal(&ams, &mine->am_used))
        return err_set(err, EINVAL, "%s: its AM is counted wrongly", name);
    if (!sched->stale && !has_key(&mine->item, fair_app_key(mine)))
        return err_set(err, EINVAL, "%s: is in its leaf's index by an old key", name);
    return check_claims(mine, name, claims, err);
}

struct leaf_audit {
    struct resource demand, am_used;
    uint32_t running, waiting;
    size_t listed;
};

/* Returns true if APP is in the indexes where an offer that can serve APP finds it. */
static bool is_found(const struct fair_app *app)
{
    const struct order_entry *entry = &app->item.entry;
    struct resource exchange, need = fair_app_need(app, &exchange);
    int types = app->app->sched->calc.types;

    return app->app->sched->stale || order_fits(types, &entry->need, &calc_zero) ||
           (order_fits(types, &entry->need, &need) && order_fits(types, &entry->exchange, &exchange));
}

static int check_leaf_app(const struct fair_app *app, struct leaf_audit *audit, struct err *err)
{
    char name[ID_TEXT_MAX];

    if (order_has(&app->item.entry))
        audit->listed++;
    if (app->item.entry.order == &app->leaf->order && !is_found(app))
        return err_set(err, EINVAL, "%s: needs less than the index has", app_id_format(&app->app->id, name));
    return 0;
}

/* Sums over the applications of LEAF, including those not started yet. */
static void sum_apps(const struct sched *sched, const struct fair_queue *leaf, struct leaf_audit *audit)
{
    struct sched_app *app, *next;

    HASH_ITER(hh, sched->apps, app, next) {
        if (fair_app_data(app)->leaf != leaf)
            continue;
        audit->demand = resource_add(audit->demand, fair_app_data(app)->demand);
        audit->am_used = resource_add(audit->am_used, fair_app_data(app)->am_used);
    }
}

static int check_leaf(const struct sched *sched, struct fair_queue *leaf, struct err *err)
{
    struct leaf_audit audit = { .running = 0 };
    struct fair_app *app;
    size_t listed = leaf->order.count + leaf->refused.count;
    int r;

    sum_apps(sched, leaf, &audit);
    TAILQ_FOREACH(app, &leaf->running, of_leaf) {
        audit.running++;
        if (app->app->state != APP_ACTIVE)
            return err_set(err, EINVAL, "%s: has an app in its list of running apps that does not run",
                           leaf->queue->path);
        if ((r = check_leaf_app(app, &audit, err)) < 0)
            return r;
    }
    TAILQ_FOREACH(app, &leaf->waiting, of_leaf) {
        audit.waiting++;
        if (app->app->state != APP_WAITING)
            return err_set(err, EINVAL, "%s: has an app in its list of waiting apps that does not wait",
                           leaf->queue->path);
        if ((r = check_leaf_app(app, &audit, err)) < 0)
            return r;
    }
    if (audit.running != leaf->queue->active_apps || audit.running != leaf->queue->parallel_apps ||
        audit.waiting != leaf->waiting_below || listed != audit.listed)
        return err_set(err, EINVAL, "%s: counts of its apps are wrong", leaf->queue->path);
    if (!resource_equal(&audit.demand, &leaf->demand_sum) || !resource_equal(&audit.am_used, &leaf->am_used))
        return err_set(err, EINVAL, "%s: the demand or the AMs of its apps are added up wrongly",
                       leaf->queue->path);
    return 0;
}

static int check_parent(struct fair_queue *queue, struct err *err)
{
    struct resource demand = resource_of(0, 0);
    struct fair_queue *child;
    uint32_t running = 0, waiting = 0;
    size_t count = 0, wanting = 0;

    TAILQ_FOREACH(child, &queue->children, sibling) {
        demand = resource_add(demand, child->demand);
        running += child->queue->parallel_apps;
        waiting += child->waiting_below;
        wanting += order_has(&child->item.entry) ? 1 : 0;
        count++;
    }
    if (count != queue->child_count || running != queue->queue->parallel_apps ||
        waiting != queue->waiting_below || wanting != queue->order.count)
        return err_set(err, EINVAL, "%s: counts of its children are wrong", queue->queue->path);
    if (!resource_equal(&demand, &queue->demand_sum))
        return err_set(err, EINVAL, "%s: the demand of its children is added up wrongly", queue->queue->path);
    return 0;
}

static bool has_need(const struct fair_queue *queue)
{
    struct resource exchange, need = fair_queue_need(queue, &exchange);
    const struct order_entry *entry = &queue->item.entry;
    int types = queue->part->sched->calc.types;

    return order_fits(types, &entry->need, &need) && order_fits(types, &need, &entry->need) &&
           order_fits(types, &entry->exchange, &exchange) && order_fits(types, &exchange, &entry->exchange);
}

static int check_place(const struct sched *sched, const struct fair_queue *queue, struct err *err)
{
    const char *path = queue->queue->path;
    bool wants = fair_queue_can_assign(queue) && !queue->sleeping;

    if (!order_is_consistent(&queue->order) || (queue->leaf && !order_is_consistent(&queue->refused)))
        return err_set(err, EINVAL, "%s: its index is wrong", path);
    if (!has_need(queue))
        return err_set(err, EINVAL, "%s: its need is not the least of its index", path);
    if (queue->parent == NULL)
        return 0;
    if (order_has(&queue->item.entry) != wants)
        return err_set(err, EINVAL, "%s: is wrongly in, or missing from, its parent's index", path);
    if (!sched->stale && !has_key(&queue->item, fair_queue_key(queue)))
        return err_set(err, EINVAL, "%s: is in its parent's index by an old key", path);
    return 0;
}

static int check_people(const struct fair *fair, struct err *err)
{
    const struct fair_person *person;

    for (person = fair->people; person; person = person->hh.next) {
        size_t waiting = person->waiting_count;

        for (size_t i = 0; i < waiting; i++) {
            const struct fair_app *app = person->waiting[i];

            if (app->person != person || app->app->state != APP_WAITING)
                return err_set(err, EINVAL, "user %s: lists an app that does not wait", person->name);
        }
        if (person->apps == 0 || person->running + waiting > person->apps)
            return err_set(err, EINVAL, "user %s: counts of apps are wrong", person->name);
    }
    return 0;
}

static int check_victims(const struct fair *fair, struct err *err)
{
    size_t expected = 0;

    for (size_t i = 0; i < fair->victim_count; i++) {
        const struct fair_victim *victim = &fair->victims[i];
        const struct fair_claim *claim = victim->claim;
        uint32_t victims = 0;

        if (!victim->container->killed || victim->container->killed_index != i)
            return err_set(err, EINVAL, "the list of preempted containers is wrong");
        expected += victim->container->stuck ? 0 : 1;
        if (claim == NULL)
            continue;
        for (size_t j = 0; j < fair->victim_count; j++)
            victims += fair->victims[j].claim == claim ? 1u : 0u;
        if (victim->container->stuck || victims != claim->victims || claim->node != victim->container->node)
            return err_set(err, EINVAL, "a claim has another number of victims than its count");
    }
    if (expected != fair->expected_count)
        return err_set(err, EINVAL, "the number of containers whose end is expected is wrong");
    return 0;
}

int fair_check(const struct sched *sched, struct err *err)
{
    const struct fair *fair = fair_of(sched);
    struct sched_queue *queue;
    struct sched_app *app, *next;
    size_t claims = 0;
    int r;

    HASH_ITER(hh, sched->apps, app, next)
        if ((r = check_app(sched, app, &claims, err)) < 0)
            return r;
    if (claims != fair->claim_count)
        return err_set(err, EINVAL, "the number of claims of all apps is wrong");
    TAILQ_FOREACH(queue, &sched->queues, link) {
        if ((r = queue->leaf ? check_leaf(sched, fair_queue_data(queue), err)
                             : check_parent(fair_queue_data(queue), err)) < 0 ||
            (r = check_place(sched, fair_queue_data(queue), err)) < 0)
            return r;
    }
    if ((r = check_victims(fair, err)) < 0)
        return r;
    return check_people(fair, err);
}

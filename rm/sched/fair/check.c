/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - the audit of the fair scheduler's sums, lists and orders */
#include <errno.h>

#include "rm/sched/fair/internal.h"

static bool same_key(const struct fair_key *a, const struct fair_key *b)
{
    if (a->rank != b->rank || a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (a->value[i] != b->value[i])
            return false;
    return true;
}

static bool should_be_listed(const struct fair_app *app)
{
    struct resource wanted = fair_app_wanted(app);

    return app->app->state == APP_ACTIVE && app->app->pending_containers > 0 &&
           !resource_is_zero(&wanted);
}

static int check_earmarks(const struct fair_app *app, const char *name, struct err *err)
{
    const struct fair_earmark *mark;

    TAILQ_FOREACH(mark, &app->earmarks, of_app)
        if (mark->app != app || mark->node->fair == NULL || resource_is_zero(&mark->left) ||
            fair_earmark_find(mark->node, app) != mark)
            return err_set(err, EINVAL, "%s: its earmark on %s is wrong", name, mark->node->id);
    return 0;
}

static int check_app(const struct sched *sched, struct sched_app *app, struct err *err)
{
    struct fair_app *mine = app->fair;
    const struct app_part *part = sched_app_part_have(app, 0);
    struct resource demand = app_demand(part);
    struct resource leaving = resource_of(0, 0), masters = leaving;
    const struct sched_container *container;
    struct fair_key key;
    char name[ID_TEXT_MAX];

    app_id_format(&app->id, name);
    if (mine->leaf != app->queue->fair || mine->listed != should_be_listed(mine) ||
        (mine->asleep && !mine->listed))
        return err_set(err, EINVAL, "%s: is wrongly among, or missing from, who wants something",
                       name);
    if (!mine->changed && !resource_equal(&demand, &mine->demand))
        return err_set(err, EINVAL, "%s: its demand changed, and nobody knows", name);
    TAILQ_FOREACH(container, &app->containers, of_app) {
        if (container->killed)
            leaving = resource_add(leaving, container->info.resource);
        if (container->manager)
            masters = resource_add(masters, container->info.resource);
    }
    if (!resource_equal(&leaving, &mine->leaving))
        return err_set(err, EINVAL, "%s: what is told to go is summed wrongly", name);
    if (mine->am_counted != !resource_is_zero(&masters) ||
        (mine->am_counted && !resource_equal(&masters, &mine->am)))
        return err_set(err, EINVAL, "%s: its master is counted wrongly", name);
    if (mine->listed) {
        key = fair_app_key(mine);
        if (!sched->fair->stale && !same_key(&key, &mine->key))
            return err_set(err, EINVAL, "%s: stands in the index by an old key", name);
        if (RB_FIND(fair_app_tree, mine->asleep ? &mine->leaf->asleep : &mine->leaf->awake,
                    mine) != mine)
            return err_set(err, EINVAL, "%s: is not found in its leaf's index", name);
    }
    return check_earmarks(mine, name, err);
}

struct leaf_audit {
    struct resource demand, am_used;
    uint32_t running, waiting;
    size_t listed;
};

/* Do the bounds of the asks below QUEUE hold for one of them? */
static bool within_reach(const struct fair *fair, const struct fair_queue *queue,
                         const struct fair_app *app)
{
    struct fair_reach reach = fair_app_reach(fair, app);

    return !queue->reach.known ||
           ((queue->reach.counts || !reach.counts) &&
            resource_fits(&queue->reach.least, &reach.least) &&
            resource_fits(&reach.most, &queue->reach.most));
}

static int check_leaf_app(const struct fair *fair, const struct fair_queue *leaf,
                          const struct fair_app *app, struct leaf_audit *audit, struct err *err)
{
    char name[ID_TEXT_MAX];

    audit->listed += app->listed ? 1 : 0;
    if (!app->listed || app->asleep)
        return 0;
    for (const struct fair_queue *at = leaf; at; at = at->parent) {
        if (!within_reach(fair, at, app))
            return err_set(err, EINVAL, "%s: asks for what %s takes for impossible below it",
                           app_id_format(&app->app->id, name), at->queue->path);
        if (at->sleeping)
            break;
    }
    return 0;
}

/* Those that have not begun, too. */
static void sum_apps(const struct sched *sched, const struct fair_queue *leaf,
                     struct leaf_audit *audit)
{
    struct sched_app *app, *next;

    HASH_ITER(hh, sched->apps, app, next) {
        if (app->fair->leaf != leaf)
            continue;
        audit->demand = resource_add(audit->demand, app->fair->demand);
        if (app->fair->am_counted)
            audit->am_used = resource_add(audit->am_used, app->fair->am);
    }
}

static int check_leaf(const struct sched *sched, struct fair_queue *leaf, struct err *err)
{
    struct leaf_audit audit = { .running = 0 };
    struct fair_app *app;
    size_t listed = 0;
    int r;

    sum_apps(sched, leaf, &audit);
    TAILQ_FOREACH(app, &leaf->running, of_leaf) {
        audit.running++;
        if (app->app->state != APP_ACTIVE)
            return err_set(err, EINVAL, "%s: lists an app as running that does not", leaf->queue->path);
        if ((r = check_leaf_app(sched->fair, leaf, app, &audit, err)) < 0)
            return r;
    }
    TAILQ_FOREACH(app, &leaf->waiting, of_leaf) {
        audit.waiting++;
        if (app->app->state != APP_WAITING)
            return err_set(err, EINVAL, "%s: lists an app as waiting that does not", leaf->queue->path);
        if ((r = check_leaf_app(sched->fair, leaf, app, &audit, err)) < 0)
            return r;
    }
    RB_FOREACH(app, fair_app_tree, &leaf->awake)
        listed++;
    RB_FOREACH(app, fair_app_tree, &leaf->asleep)
        listed++;
    if (audit.running != leaf->running_count || audit.running != leaf->queue->parallel_apps ||
        audit.waiting != leaf->waiting_below || listed != audit.listed ||
        leaf->wanting_listed != (listed > 0))
        return err_set(err, EINVAL, "%s: counts of its apps are wrong", leaf->queue->path);
    if (!resource_equal(&audit.demand, &leaf->demand_sum) ||
        !resource_equal(&audit.am_used, &leaf->am_used))
        return err_set(err, EINVAL, "%s: sums over its apps are wrong", leaf->queue->path);
    return 0;
}

static int check_parent(struct fair_queue *queue, struct err *err)
{
    struct resource demand = resource_of(0, 0);
    struct fair_queue *child;
    uint32_t running = 0, waiting = 0;
    size_t count = 0, wanting = 0, listed = 0;

    TAILQ_FOREACH(child, &queue->children, sibling) {
        demand = resource_add(demand, child->demand);
        running += child->queue->parallel_apps;
        waiting += child->waiting_below;
        wanting += child->listed ? 1 : 0;
        count++;
    }
    RB_FOREACH(child, fair_queue_tree, &queue->wanting)
        listed++;
    if (count != queue->child_count || running != queue->queue->parallel_apps ||
        waiting != queue->waiting_below || wanting != listed)
        return err_set(err, EINVAL, "%s: counts of what is below it are wrong", queue->queue->path);
    if (!resource_equal(&demand, &queue->demand_sum))
        return err_set(err, EINVAL, "%s: the demand below it is summed wrongly", queue->queue->path);
    return 0;
}

static int check_place(const struct sched *sched, struct fair_queue *queue, struct err *err)
{
    bool wants = !RB_EMPTY(&queue->awake) || !RB_EMPTY(&queue->wanting) ||
                 (queue->asleep_lightly && !RB_EMPTY(&queue->asleep));
    struct fair_key key;

    if (queue->parent == NULL)
        return 0;
    if (queue->listed != (wants && !queue->sleeping))
        return err_set(err, EINVAL, "%s: is wrongly in, or missing from, its parent's index",
                       queue->queue->path);
    if (!queue->listed || sched->fair->stale)
        return 0;
    key = fair_queue_key(queue);
    if (!same_key(&key, &queue->key))
        return err_set(err, EINVAL, "%s: stands in the index by an old key", queue->queue->path);
    if (RB_FIND(fair_queue_tree, &queue->parent->wanting, queue) != queue)
        return err_set(err, EINVAL, "%s: is not found in its parent's index", queue->queue->path);
    return 0;
}

static int check_people(const struct fair *fair, struct err *err)
{
    const struct fair_person *person;

    for (person = fair->people; person; person = person->hh.next) {
        const struct fair_app *app;
        uint32_t waiting = 0;

        TAILQ_FOREACH(app, &person->waiting, of_person) {
            waiting++;
            if (app->person != person || app->app->state != APP_WAITING)
                return err_set(err, EINVAL, "user %s: lists an app that does not wait", person->name);
        }
        if (person->apps == 0 || person->running + waiting > person->apps)
            return err_set(err, EINVAL, "user %s: counts of apps are wrong", person->name);
    }
    return 0;
}

int fair_check(const struct sched *sched, struct err *err)
{
    const struct fair *fair = sched->fair;
    struct sched_queue *queue;
    struct sched_app *app, *next;
    int r;

    HASH_ITER(hh, sched->apps, app, next)
        if ((r = check_app(sched, app, err)) < 0)
            return r;
    TAILQ_FOREACH(queue, &sched->queues, link) {
        if ((r = queue->leaf ? check_leaf(sched, queue->fair, err)
                             : check_parent(queue->fair, err)) < 0 ||
            (r = check_place(sched, queue->fair, err)) < 0)
            return r;
    }
    for (size_t i = 0; i < fair->victim_count; i++)
        if (!fair->victims[i].container->killed ||
            fair->victims[i].container->killed_index != i)
            return err_set(err, EINVAL, "a container that was told to go is listed wrongly");
    return check_people(fair, err);
}

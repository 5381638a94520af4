/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - the audit of the capacity scheduler's sums and indexes */
#include <errno.h>
#include <math.h>

#include "common/base/mem.h"
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
        if (part->listed != (active && part->pending_containers > 0))
            return err_set(err, EINVAL, "%s: is wrongly in, or missing from, its user's apps", name);
        if (part->leaf != sched_queue_part_have(app->queue, part->label) ||
            part->user->user != app->leaf_user)
            return err_set(err, EINVAL, "%s: is counted in a queue where it is not", name);
        if (part->listed &&
            RB_FIND(sched_app_part_tree, &part->user->apps, (struct app_part *)(uintptr_t)part) !=
                part)
            return err_set(err, EINVAL, "%s: is not found among its user's apps", name);
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
    if (part->wants != (part->user->wanting > 0) || part->listed != !RB_EMPTY(&part->apps) ||
        (part->listed && part->first != RB_MIN(sched_app_part_tree, &part->apps)) ||
        (part->listed && RB_FIND(sched_user_part_tree,
                                 part->sleeping ? &part->leaf->sleepers : &part->leaf->awake,
                                 part) != part))
        return err_set(err, EINVAL, "user %s in %s: is not where it belongs in the index",
                       part->user->name, part->user->queue->path);
    return 0;
}

/* Who is said to be below any limit is not over the one that there is now. */
static int check_floor(const struct sched *sched, const struct user_part *part, struct err *err)
{
    struct resource limit;

    if (sched->capacity->stale || !capacity_below_floor(part))
        return 0;
    limit = capacity_user_limit(sched, part->leaf, true);
    if (!capacity_user_over(sched, part, calc_amount(&limit)))
        return 0;
    return err_set(err, EINVAL, "user %s in %s: is over a limit that never is so low", part->user->name,
                   part->user->queue->path);
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
            if ((r = check_user_part(sched, of, err)) < 0 || (r = check_floor(sched, of, err)) < 0)
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
    struct shelf_entry entry;

    if (part->listed != (part->up && capacity_part_wants(part)))
        return err_set(err, EINVAL, "%s: is wrongly in, or missing from, its parent's index",
                       part->queue->path);
    if (part->up && part->used_capacity != capacity_used_fraction(part))
        return err_set(err, EINVAL, "%s: stands in the index by a use of %g, has %g",
                       part->queue->path, (double)part->used_capacity,
                       (double)capacity_used_fraction(part));
    if (part->held && (!part->listed || calc_is_zero(&part->sched->calc, queue_reserved(part))))
        return err_set(err, EINVAL, "%s: remembers an exchange, and has nothing reserved",
                       part->queue->path);
    if (!part->listed)
        return 0;
    if (part->key != capacity_part_key(part) || !shelf_find(part->up->shelf, part->key, &entry) ||
        entry.part != part)
        return err_set(err, EINVAL, "%s: is not found in its parent's index", part->queue->path);
    if (entry.counts != (part->held && part->held_counts))
        return err_set(err, EINVAL, "%s: its parent's index errs in whether it is counted",
                       part->queue->path);
    if (entry.need != capacity_part_need(part) || entry.hold != capacity_part_hold(part))
        return err_set(err, EINVAL, "%s: its parent's index has %g and %g of what it needs",
                       part->queue->path, (double)entry.need, (double)entry.hold);
    return 0;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t ka = (*(const struct queue_part *const *)a)->key;
    uint64_t kb = (*(const struct queue_part *const *)b)->key;

    return (ka > kb) - (ka < kb);
}

/* In the order of their keys PART's children are in that of capacity_compare_queues. */
static int check_order(const struct queue_part *part, struct err *err)
{
    const struct shelf *shelf = part->shelf;
    const struct queue_part **children = mem_array0(shelf->room_for + 1, sizeof(struct queue_part *));
    uint32_t count = 0;
    int r = 0;

    for (uint32_t rank = 0; rank < shelf->room_for; rank++)
        if (shelf_child(shelf, rank))
            children[count++] = shelf_child(shelf, rank);
    qsort(children, count, sizeof(children[0]), compare_keys);
    for (uint32_t i = 0; r == 0 && i < count; i++)
        if (!children[i]->listed || children[i]->up != part ||
            (i > 0 && capacity_compare_queues(children[i - 1], children[i]) >= 0))
            r = err_set(err, EINVAL, "%s: stands in the wrong place of its parent's index",
                        children[i]->queue->path);
    free(children);
    return r;
}

/* What PART's shelf says of each block of children is what they say. */
static int check_shelf(const struct queue_part *part, struct err *err)
{
    const struct shelf *shelf = part->shelf;
    float need = SHELF_NEVER, hold = SHELF_NEVER;
    uint32_t count = 0;

    for (uint32_t b = 0; shelf && b < shelf->block_count; b++) {
        const struct shelf_block *block = &shelf->blocks[b];
        float block_need = SHELF_NEVER, block_hold = SHELF_NEVER;
        double first = INFINITY;

        for (uint32_t i = 0; i < block->count; i++) {
            block_need = fminf(block_need, block->needs[i]);
            block_hold = fminf(block_hold, block->holds[i]);
            first = fmin(first, block->keys[i]);
        }
        if (block->need != block_need || block->hold != block_hold ||
            (block->first > 0 && block->first != first))
            return err_set(err, EINVAL, "%s: the least needs of its children are wrong",
                           part->queue->path);
        need = fminf(need, block_need);
        hold = fminf(hold, block_hold);
        count += block->count;
    }
    if (shelf && (shelf->need != need || shelf->hold != hold || shelf->count != count))
        return err_set(err, EINVAL, "%s: the least need of its children is wrong",
                       part->queue->path);
    return shelf ? check_order(part, err) : 0;
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
                (r = check_shelf(queue->parts[l], err)) < 0 ||
                (r = check_killable(sched, queue->parts[l], err)) < 0)
                return r;
        }
    return 0;
}

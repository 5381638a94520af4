/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - the audit: recomputes every sum and index of the core, and compares */
#include <errno.h>
#include <string.h>

#include "rm/sched/policy.h"

struct audit {
    struct resource total, open_total, used;
    uint32_t nodes, open, containers, borrowing, growing;
    uint32_t label_open[SCHED_LABELS_MAX];
    size_t in_room;
};

static int differs(const struct sched *sched, const char *what, const char *name, const struct resource *kept,
                   const struct resource *summed, struct err *err)
{
    char a[RESOURCE_TYPES_TEXT_MAX], b[RESOURCE_TYPES_TEXT_MAX];

    if (resource_equal(kept, summed))
        return 0;
    return err_set(err, EINVAL, "%s: %s is %s, but adds up to %s", name, what,
                   resource_types_format(&sched->names, kept, a),
                   resource_types_format(&sched->names, summed, b));
}

static int check_node(const struct sched *sched, struct sched_node *node, struct audit *audit,
                      struct err *err)
{
    struct resource used = resource_of(0, 0);
    const struct sched_container *container;
    uint32_t count = 0;
    const struct sched_room_tree *tree = node->reserved.app ? &sched->kept : &sched->room;
    bool room = sched_node_is_offered(node) && sched_node_count_fitting(sched, node, &sched->minimum, 1) == 1;
    int r;

    TAILQ_FOREACH(container, &node->containers, of_node) {
        used = resource_add(used, container_resource(container));
        if (container->node != node)
            return err_set(err, EINVAL, "%s: lists a container of another node", node->id);
        audit->borrowing += container_borrows(container) ? 1 : 0;
        audit->growing += container->growth ? 1 : 0;
        count++;
    }
    if ((r = differs(sched, "used", node->id, &node->used, &used, err)) < 0)
        return r;
    if (count != node->container_count)
        return err_set(err, EINVAL, "%s: counts %u containers, has %u", node->id, node->container_count,
                       count);
    if (sched_node_exceeds(sched, node) && !node->may_exceed)
        return err_set(err, EINVAL, "%s: has allocated more than it has", node->id);
    if (room != node->has_room)
        return err_set(err, EINVAL, "%s: %s in the index of nodes with room", node->id,
                       node->has_room ? "is wrongly" : "is missing");
    if (room && sched->orders_room &&
        RB_FIND(sched_room_tree, (struct sched_room_tree *)(uintptr_t)tree, node) != node)
        return err_set(err, EINVAL, "%s: is not found in the index of nodes with room", node->id);
    audit->in_room += room && sched->orders_room ? 1 : 0;
    audit->nodes++;
    audit->open += node->open ? 1 : 0;
    audit->label_open[node->label] += node->open ? 1 : 0;
    audit->containers += count;
    audit->total = resource_add(audit->total, node->total);
    if (node->open)
        audit->open_total = resource_add(audit->open_total, node->total);
    audit->used = resource_add(audit->used, used);
    return 0;
}

static int part_differs(const struct sched *sched, const char *what, const char *name,
                        const struct amount *kept, const struct resource *counted, struct err *err)
{
    struct resource is = sched_load(sched, kept);

    return differs(sched, what, name, &is, counted, err);
}

/* Compares the sums of PART with its containers, requests and reservations. */
static int check_part(struct sched_app *app, const struct app_partition *part, const char *name,
                      struct err *err)
{
    struct resource used = resource_of(0, 0), pending = used, reserved = used;
    const struct sched_container *container;
    const struct sched_node *node;
    struct demand *demand;
    uint64_t wanted = 0;
    int r;

    TAILQ_FOREACH(container, &app->containers, of_app)
        if (container->part == part)
            used = resource_add(used, container_resource(container));
    TAILQ_FOREACH(node, &app->reservations, reserved.of_app)
        if (node->label == part->label)
            reserved = resource_add(reserved, node->reserved.resource);
    RB_FOREACH(demand, sched_demand_tree, &app->demands) {
        if (demand->label != part->label)
            continue;
        wanted += demand->count;
        for (uint32_t t = 0; t < (uint32_t)app->sched->calc.types; t++)
            pending.value[t] += demand_size(demand)->value[t] * (int64_t)demand->count;
    }
    if ((r = part_differs(app->sched, "used", name, app_used(part), &used, err)) < 0 ||
        (r = part_differs(app->sched, "reserved", name, app_reserved(part), &reserved, err)) < 0 ||
        (r = part_differs(app->sched, "pending", name, app_pending(part), &pending, err)) < 0)
        return r;
    if (wanted != part->pending_containers)
        return err_set(err, EINVAL, "%s: counts of wanted containers are wrong", name);
    return 0;
}

/* Checks that the tree finds each row by its name. */
static int check_rows(struct demand *demand, const char *name, struct err *err)
{
    struct row *row;
    uint32_t count = 0;

    RB_FOREACH(row, sched_row_tree, &demand->rows) {
        if (sched_demand_find_row(demand, row->name) != row)
            return err_set(err, EINVAL, "%s: its ask does not find %s", name, row->name);
        count++;
    }
    if (count != demand->row_count)
        return err_set(err, EINVAL, "%s: counts the names in its ask wrongly", name);
    return 0;
}

/* Checks that each idle request has no pending containers, but data to keep. */
static int check_idle(const struct sched_app *app, const char *name, struct err *err)
{
    struct demand *demand;
    size_t rows = 0;
    int r;

    RB_FOREACH(demand, sched_demand_tree, (struct sched_demand_tree *)(uintptr_t)&app->idle) {
        if (demand->count > 0 || !sched_demand_is_kept(demand))
            return err_set(err, EINVAL, "%s: keeps a request of which all is placed for nothing", name);
        if ((r = check_rows(demand, name, err)) < 0)
            return r;
        rows += 1 + demand->row_count;
    }
    if (rows != app->idle_rows)
        return err_set(err, EINVAL, "%s: counts the rows of idle requests wrongly", name);
    return 0;
}

/* Checks that DEMAND, an increase, and its container name each other, and that nothing more is requested. */
static int check_growth(const struct sched_app *app, const struct demand *demand, const char *name,
                        struct err *err)
{
    const struct sched_container *container = demand->container;

    if (container == NULL && demand->grows == 0)
        return 0;
    if (container == NULL || container->growth != demand || container->app != app ||
        container->serial != demand->grows || demand->count != 1 || !demand->strict)
        return err_set(err, EINVAL, "%s: an increase is not that of its container", name);
    return 0;
}

static int check_app(struct sched_app *app, struct err *err)
{
    const struct sched_container *container;
    const struct app_partition *part;
    const struct sched_node *node;
    struct demand *demand;
    uint64_t wanted = 0, last_serial = 0;
    uint32_t count = 0, reserved = 0, last = 0, grown = 0, growing = 0;
    size_t rows = 0;
    char name[ID_TEXT_MAX];
    int r;

    app_id_format(&app->id, name);
    TAILQ_FOREACH(container, &app->containers, of_app) {
        if (container->app != app)
            return err_set(err, EINVAL, "%s: lists a container of another app", name);
        if (container->part != sched_app_partition_have(app, container->part->label))
            return err_set(err, EINVAL, "%s: container %u is counted in a part of another app", name,
                           container->number);
        if (!container->part->disordered && app->parts->next == NULL &&
            (container->priority < last || container->serial < last_serial))
            return err_set(err, EINVAL, "%s: its containers are not in the order of priority and age", name);
        last = container->priority;
        last_serial = container->serial;
        grown += container->growth ? 1 : 0;
        count++;
    }
    TAILQ_FOREACH(node, &app->reservations, reserved.of_app) {
        if (node->reserved.app != app)
            return err_set(err, EINVAL, "%s: lists a reservation of another app", name);
        reserved++;
    }
    RB_FOREACH(demand, sched_demand_tree, &app->demands) {
        if (demand->count == 0)
            return err_set(err, EINVAL, "%s: requests nothing at priority %u", name, demand->priority);
        if ((r = check_growth(app, demand, name, err)) < 0)
            return r;
        growing += demand->container ? 1 : 0;
        if ((r = check_rows(demand, name, err)) < 0)
            return r;
        rows += 1 + demand->row_count;
        wanted += demand->count;
    }
    if ((r = check_idle(app, name, err)) < 0)
        return r;
    for (part = app->parts; part; part = part->next)
        if ((r = check_part(app, part, name, err)) < 0)
            return r;
    if (grown != growing)
        return err_set(err, EINVAL, "%s: a container has an increase that is not requested", name);
    if (count != app->container_count || wanted != app->pending_containers || rows != app->row_count ||
        reserved != app->reserved_count)
        return err_set(err, EINVAL, "%s: counts of containers, asks or rows are wrong", name);
    return 0;
}

static int check_queue_partition(const struct sched *sched, const struct sched_queue *queue, int label,
                                 struct err *err)
{
    const struct queue_partition *kept = sched_queue_partition_have(queue, label);
    struct resource used = resource_of(0, 0), pending = used, reserved = used;
    const struct sched_container *container;
    struct sched_app *app, *next;
    uint32_t containers = 0;
    int r;

    HASH_ITER(hh, sched->apps, app, next) {
        const struct app_partition *part = sched_app_partition_have(app, label);
        const struct sched_queue *at = app->queue;

        while (at && at != queue)
            at = at->parent;
        if (at == NULL || part == NULL)
            continue;
        calc_add(&sched->calc, &used, app_used(part));
        calc_add(&sched->calc, &used, app_reserved(part));
        calc_add(&sched->calc, &reserved, app_reserved(part));
        calc_add(&sched->calc, &pending, app_pending(part));
        TAILQ_FOREACH(container, &app->containers, of_app)
            containers += container->part == part ? 1 : 0;
    }
    if (kept == NULL)
        return resource_is_zero(&used) && resource_is_zero(&pending)
                   ? 0
                   : err_set(err, EINVAL, "%s: has no sums of a partition that it uses", queue->path);
    if ((r = part_differs(sched, "used", queue->path, queue_used(kept), &used, err)) < 0 ||
        (r = part_differs(sched, "reserved", queue->path, queue_reserved(kept), &reserved, err)) < 0)
        return r;
    if (containers != kept->containers)
        return err_set(err, EINVAL, "%s: counts %u containers in a partition, has %u", queue->path,
                       kept->containers, containers);
    return part_differs(sched, "pending", queue->path, queue_pending(kept), &pending, err);
}

static int check_queue(const struct sched *sched, const struct sched_queue *queue, struct err *err)
{
    uint32_t running = 0, waiting = 0;
    struct sched_app *app, *next;
    int r;

    HASH_ITER(hh, sched->apps, app, next) {
        const struct sched_queue *at = app->queue;

        while (at && at != queue)
            at = at->parent;
        if (at == NULL)
            continue;
        running += app->container_count > 0 ? 1 : 0;
        waiting += app->container_count > 0 ? 0 : 1;
    }
    for (int l = 0; l < queue->part_count; l++) /* (for each part of an application the queues above
                                                   have a part) */
        if ((r = check_queue_partition(sched, queue, l, err)) < 0)
            return r;
    if (running != queue->apps_running || waiting != queue->apps_pending)
        return err_set(err, EINVAL, "%s: counts of apps are wrong", queue->path);
    return 0;
}

static uint32_t count_strict(const struct sched_demand_tree *demands)
{
    struct demand *demand;
    uint32_t count = 0;

    RB_FOREACH(demand, sched_demand_tree, (struct sched_demand_tree *)(uintptr_t)demands)
        count += demand->strict ? 1 : 0;
    return count;
}

static int check_strict(const struct sched *sched, struct err *err)
{
    struct sched_app *app, *next;
    const struct demand *demand;
    uint32_t count = 0, listed = 0;

    HASH_ITER(hh, sched->apps, app, next)
        count += count_strict(&app->demands) + count_strict(&app->idle);
    TAILQ_FOREACH(demand, &sched->strict, in_strict)
        listed += demand->strict ? 1 : 0;
    if (count != listed)
        return err_set(err, EINVAL, "cluster: lists %u requests with strict locality, has %u", listed, count);
    return 0;
}

int sched_check(const struct sched *sched, struct err *err)
{
    struct audit audit = { .nodes = 0 };
    struct sched_node *node, *next_node;
    struct sched_app *app, *next_app;
    const struct sched_queue *queue;
    size_t in_room = 0;
    int r;

    HASH_ITER(hh, sched->nodes, node, next_node)
        if ((r = check_node(sched, node, &audit, err)) < 0)
            return r;
    HASH_ITER(hh, sched->apps, app, next_app)
        if ((r = check_app(app, err)) < 0)
            return r;
    TAILQ_FOREACH(queue, &sched->queues, link)
        if ((r = check_queue(sched, queue, err)) < 0)
            return r;
    RB_FOREACH(node, sched_room_tree, (struct sched_room_tree *)(uintptr_t)&sched->room)
        in_room++;
    RB_FOREACH(node, sched_room_tree, (struct sched_room_tree *)(uintptr_t)&sched->kept)
        in_room++;
    if (in_room != audit.in_room)
        return err_set(err, EINVAL, "the index of nodes with room contains others, too");
    if (audit.nodes != sched->node_count || audit.open != sched->open_count ||
        audit.containers != sched->container_count || audit.borrowing != sched->borrowing_count ||
        audit.growing != sched->growing_count ||
        memcmp(audit.label_open, sched->label_open, sizeof(audit.label_open)) != 0)
        return err_set(err, EINVAL, "cluster: counts of nodes or containers are wrong");
    if ((r = differs(sched, "total", "cluster", &sched->total, &audit.total, err)) < 0 ||
        (r = differs(sched, "open", "cluster", &sched->open_total, &audit.open_total, err)) < 0 ||
        (r = differs(sched, "used", "cluster", &sched->used, &audit.used, err)) < 0)
        return r;
    if ((r = check_strict(sched, err)) < 0)
        return r;
    return sched->policy->reports.check ? sched->policy->reports.check(sched, err) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - the audit: every sum and index of the core, added up again */
#include <errno.h>
#include <string.h>

#include "rm/sched/internal.h"

struct audit {
    struct resource total, open_total, used, managed;
    uint32_t nodes, open, containers, managers;
    size_t in_room, wanting;
};

static int differs(const char *what, const char *name, const struct resource *kept,
                   const struct resource *summed, struct err *err)
{
    char a[RESOURCE_TEXT_MAX], b[RESOURCE_TEXT_MAX];

    if (resource_equal(kept, summed))
        return 0;
    return err_set(err, EINVAL, "%s: %s is %s, but adds up to %s", name, what,
                   resource_format(kept, a), resource_format(summed, b));
}

static int check_node(const struct sched *sched, struct sched_node *node, struct audit *audit,
                      struct err *err)
{
    struct resource used = resource_of(0, 0);
    const struct sched_container *container;
    uint32_t count = 0;
    bool room = node->open && sched_node_takes(sched, node, &sched->minimum, 1) == 1;
    int r;

    TAILQ_FOREACH(container, &node->containers, of_node) {
        used = resource_add(used, container->info.resource);
        if (container->info.node != node)
            return err_set(err, EINVAL, "%s: lists a container of another node", node->id);
        if (container->manager) {
            audit->managers++;
            audit->managed = resource_add(audit->managed, container->info.resource);
        }
        count++;
    }
    if ((r = differs("used", node->id, &node->used, &used, err)) < 0)
        return r;
    if (count != node->container_count)
        return err_set(err, EINVAL, "%s: counts %u containers, has %u", node->id,
                       node->container_count, count);
    if (sched_node_exceeds(sched, node) && !node->may_exceed)
        return err_set(err, EINVAL, "%s: has given out more than it has", node->id);
    if (room != node->has_room)
        return err_set(err, EINVAL, "%s: %s in the index of nodes with room", node->id,
                       node->has_room ? "wrongly stands" : "is missing");
    if (room &&
        RB_FIND(sched_room_tree, (struct sched_room_tree *)(uintptr_t)&sched->room, node) != node)
        return err_set(err, EINVAL, "%s: is not found in the index of nodes with room", node->id);
    audit->in_room += room ? 1 : 0;
    audit->nodes++;
    audit->open += node->open ? 1 : 0;
    audit->containers += count;
    audit->total = resource_add(audit->total, node->total);
    if (node->open)
        audit->open_total = resource_add(audit->open_total, node->total);
    audit->used = resource_add(audit->used, used);
    return 0;
}

static int check_app(const struct sched *sched, struct sched_app *app, struct audit *audit,
                     struct err *err)
{
    struct resource used = resource_of(0, 0), pending = resource_of(0, 0);
    const struct sched_container *container;
    uint64_t wanted = 0;
    uint32_t count = 0;
    size_t rows = 0;
    struct demand *demand;
    char name[ID_TEXT_MAX];
    int r;

    app_id_format(&app->id, name);
    TAILQ_FOREACH(container, &app->containers, of_app) {
        used = resource_add(used, container->info.resource);
        if (container->info.app != app)
            return err_set(err, EINVAL, "%s: lists a container of another app", name);
        count++;
    }
    RB_FOREACH(demand, sched_demand_tree, &app->demands) {
        rows += 1 + HASH_COUNT(demand->rows);
        wanted += demand->count;
        for (uint32_t t = 0; t < RESOURCE_TYPES_MAX; t++)
            pending.value[t] += demand->capability.value[t] * (int64_t)demand->count;
    }
    if ((r = differs("used", name, &app->used, &used, err)) < 0 ||
        (r = differs("pending", name, &app->pending, &pending, err)) < 0)
        return r;
    if (count != app->container_count || wanted != app->pending_containers ||
        rows != app->row_count)
        return err_set(err, EINVAL, "%s: counts of containers, asks or rows are wrong", name);
    if (wanted > 0 &&
        RB_FIND(sched_wanting_tree, (struct sched_wanting_tree *)(uintptr_t)&sched->wanting,
                app) != app)
        return err_set(err, EINVAL, "%s: wants something but is not among those who do", name);
    audit->wanting += wanted > 0 ? 1 : 0;
    return 0;
}

static int check_queue(const struct sched *sched, const struct sched_queue *queue, struct err *err)
{
    struct resource used = resource_of(0, 0), pending = resource_of(0, 0);
    uint32_t running = 0, waiting = 0, containers = 0;
    struct sched_app *app, *next;
    int r;

    HASH_ITER(hh, sched->apps, app, next) {
        const struct sched_queue *at = app->queue;

        while (at && at != queue)
            at = at->parent;
        if (at == NULL)
            continue;
        used = resource_add(used, app->used);
        pending = resource_add(pending, app->pending);
        containers += app->container_count;
        running += app->container_count > 0 ? 1 : 0;
        waiting += app->container_count > 0 ? 0 : 1;
    }
    if ((r = differs("used", queue->path, &queue->used, &used, err)) < 0 ||
        (r = differs("pending", queue->path, &queue->pending, &pending, err)) < 0)
        return r;
    if (containers != queue->containers || running != queue->apps_running ||
        waiting != queue->apps_pending)
        return err_set(err, EINVAL, "%s: counts of apps or containers are wrong", queue->path);
    return 0;
}

int sched_check(const struct sched *sched, struct err *err)
{
    struct audit audit = { .nodes = 0 };
    struct sched_node *node, *next_node;
    struct sched_app *app, *next_app;
    const struct sched_queue *queue;
    size_t in_room = 0, wanting = 0;
    int r;

    HASH_ITER(hh, sched->nodes, node, next_node)
        if ((r = check_node(sched, node, &audit, err)) < 0)
            return r;
    HASH_ITER(hh, sched->apps, app, next_app)
        if ((r = check_app(sched, app, &audit, err)) < 0)
            return r;
    TAILQ_FOREACH(queue, &sched->queues, link)
        if ((r = check_queue(sched, queue, err)) < 0)
            return r;
    RB_FOREACH(node, sched_room_tree, (struct sched_room_tree *)(uintptr_t)&sched->room)
        in_room++;
    RB_FOREACH(app, sched_wanting_tree, (struct sched_wanting_tree *)(uintptr_t)&sched->wanting)
        wanting++;
    if (in_room != audit.in_room || wanting != audit.wanting)
        return err_set(err, EINVAL, "an index holds what does not belong there");
    if (audit.nodes != sched->node_count || audit.open != sched->open_count ||
        audit.containers != sched->container_count || audit.managers != sched->managers)
        return err_set(err, EINVAL, "cluster: counts of nodes or containers are wrong");
    if ((r = differs("total", "cluster", &sched->total, &audit.total, err)) < 0 ||
        (r = differs("open", "cluster", &sched->open_total, &audit.open_total, err)) < 0 ||
        (r = differs("managed", "cluster", &sched->managed, &audit.managed, err)) < 0)
        return r;
    return differs("used", "cluster", &sched->used, &audit.used, err);
}

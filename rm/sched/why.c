/* SPDX-License-Identifier: Apache-2.0 */
/* why.c - explains why the pending requests of an application are not served */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "rm/sched/policy.h"

static const char *const names[SCHED_REASONS] = {
    [SCHED_REASON_NONE] = "",
    [SCHED_REASON_NO_NODES] = "NoNodes",
    [SCHED_REASON_NODE_TOO_SMALL] = "NodeTooSmall",
    [SCHED_REASON_NODE_BLACKLISTED] = "NodeBlacklisted",
    [SCHED_REASON_PLACEMENT] = "Placement",
    [SCHED_REASON_CLUSTER_FULL] = "ClusterFull",
    [SCHED_REASON_BEHIND_IN_QUEUE] = "BehindInQueue",
    [SCHED_REASON_QUEUE_LIMIT] = "QueueLimit",
    [SCHED_REASON_AM_LIMIT] = "AmLimit",
    [SCHED_REASON_PARENT_LIMIT] = "ParentLimit",
    [SCHED_REASON_USER_LIMIT] = "UserLimit",
    [SCHED_REASON_USER_AM_LIMIT] = "UserAmLimit",
    [SCHED_REASON_QUEUE_MAX_APPS] = "QueueMaxApps",
    [SCHED_REASON_USER_MAX_APPS] = "UserMaxApps",
    [SCHED_REASON_QUEUE_STOPPED] = "QueueStopped",
    [SCHED_REASON_LOCALITY_DELAY] = "LocalityDelay",
    [SCHED_REASON_RESERVED_FOR] = "ReservedFor",
    [SCHED_REASON_NODE_FULL] = "NodeFull",
    [SCHED_REASON_BEHIND_QUEUE] = "BehindQueue",
    [SCHED_REASON_NEXT_START] = "NextStart",
    [SCHED_REASON_NEXT_OFFER] = "NextOffer",
    [SCHED_REASON_LABEL_NO_MATCH] = "LabelNoMatch",
    [SCHED_REASON_ABOVE_FAIR_SHARE] = "AboveFairShare",
    [SCHED_REASON_PREEMPTING] = "Preempting",
};

const char *sched_reason_name(enum sched_reason reason)
{
    return names[reason];
}

static bool placement_allows(const struct demand *demand, const struct sched_node *node)
{
    const struct row *rack = sched_demand_find_rack(demand, node);

    return !demand->strict || sched_demand_find_local(demand, node) ||
           (sched_row_has_pending(rack) && !rack->strict);
}

bool sched_why_reserved(const struct sched_node *node, const struct sched_app *app,
                        const struct demand *demand)
{
    return node->reserved.app && !sched_node_is_reserved_for(node, app, demand);
}

struct obstacles {
    bool avoided, forbidden, reserved;
};

/* Returns true if APP may use one of the nodes in ROOM that have room for DEMAND. Adds to NOTED why APP may
 * not use other nodes, and sets ret->most to the largest free room. */
static bool may_use_node(const struct sched *sched, const struct sched_app *app, const struct demand *demand,
                         const struct sched_room_tree *room, struct obstacles *noted, struct sched_why *ret)
{
    struct sched_node *node;

    RB_FOREACH(node, sched_room_tree, (struct sched_room_tree *)(uintptr_t)room) {
        struct resource left = sched_node_free(node);

        if (left.value[RESOURCE_MEMORY_MB] < demand_size(demand)->value[RESOURCE_MEMORY_MB])
            break;
        if (node->label != demand->label)
            continue;
        ret->most = resource_max(ret->most, left);
        if (sched_node_count_fitting(sched, node, demand_size(demand), 1) == 0)
            continue;
        noted->avoided = noted->avoided || sched_app_avoids(app, node);
        noted->forbidden = noted->forbidden || !placement_allows(demand, node);
        if (sched_app_avoids(app, node) || !placement_allows(demand, node))
            continue;
        if (!sched_why_reserved(node, app, demand))
            return true;
        noted->reserved = true;
    }
    return false;
}

/* Explains whether there is room for DEMAND, an increase, on the node of its container. */
static void explain_growth(const struct sched *sched, const struct demand *demand, struct sched_why *ret)
{
    const struct sched_node *node = demand->container->node;

    ret->most = sched_node_room(node);
    if (!sched_node_is_offered(node))
        ret->reason = SCHED_REASON_NO_NODES;
    else if (!node->has_room || /* even for the smallest container: the node is not offered */
             sched_node_count_fitting(sched, node, demand_size(demand), 1) == 0)
        ret->reason = SCHED_REASON_NODE_FULL;
    else if (sched_app_avoids(demand->container->app, node))
        ret->reason = SCHED_REASON_NODE_BLACKLISTED;
    else if (sched_why_reserved(node, demand->container->app, demand))
        ret->reason = SCHED_REASON_RESERVED_FOR;
}

/* Explains whether there is room for DEMAND on a node that APP may use. */
static void explain_room(const struct sched *sched, const struct sched_app *app, const struct demand *demand,
                         struct sched_why *ret)
{
    struct obstacles noted = { .avoided = false };

    sched_order_room((struct sched *)(uintptr_t)sched);
    if (may_use_node(sched, app, demand, &sched->room, &noted, ret) ||
        may_use_node(sched, app, demand, &sched->kept, &noted, ret)) {
        ret->reason = SCHED_REASON_NONE;
        return;
    }
    ret->reason = noted.reserved    ? SCHED_REASON_RESERVED_FOR
                  : noted.forbidden ? SCHED_REASON_PLACEMENT
                  : noted.avoided   ? SCHED_REASON_NODE_BLACKLISTED
                                    : SCHED_REASON_CLUSTER_FULL;
}

/* Returns the part of ASKED that fits in LEFT, by the scarcest type of resource. */
static double part_that_fits(const struct sched *sched, const struct resource *asked,
                             const struct resource *left)
{
    double part = INFINITY;

    for (int t = 0; t < calc_types(&sched->calc); t++)
        if (asked->value[t] > 0)
            part = fmin(part, (double)left->value[t] / (double)asked->value[t]);
    return part;
}

/* Adds the nodes in ROOM that APP may use for DEMAND, of the size ret->asked, to ret->spread. *BEST is the
 * largest part of DEMAND that fits on one of them. */
static void add_spread(const struct sched *sched, const struct sched_app *app, const struct demand *demand,
                       const struct sched_room_tree *room, double *best, struct sched_why *ret)
{
    struct sched_why_spread *spread = &ret->spread;
    struct sched_node *node;

    RB_FOREACH(node, sched_room_tree, (struct sched_room_tree *)(uintptr_t)room) {
        struct resource left = sched_node_room(node);
        double part = part_that_fits(sched, &ret->asked, &left);

        if (node->label != demand->label || sched_app_avoids(app, node) || !placement_allows(demand, node) ||
            sched_why_reserved(node, app, demand))
            continue;
        spread->all = resource_add(spread->all, left);
        spread->nodes++;
        if (part > *best) {
            *best = part;
            spread->node = node->id;
            spread->free = left;
        }
    }
}

void sched_app_why_spread(const struct sched *sched, const struct sched_app *app, struct sched_why *ret)
{
    const struct demand *demand = sched_demand_first(app);
    double best = -1;

    if (ret->reason != SCHED_REASON_CLUSTER_FULL || demand == NULL || demand->container)
        return;
    sched_order_room((struct sched *)(uintptr_t)sched);
    add_spread(sched, app, demand, &sched->room, &best, ret);
    add_spread(sched, app, demand, &sched->kept, &best, ret);
    if (best < 1 && part_that_fits(sched, &ret->asked, &ret->spread.all) >= 1)
        ret->most = ret->spread.free;
    else
        ret->spread = (struct sched_why_spread){ .node = NULL };
}

/* Returns true if some open node of the partition LABEL is large enough for ASKED. LARGEST is set to the
 * largest total; zero: no node of the partition is open. */
static bool some_node_is_big_enough(const struct sched *sched, int label, const struct resource *asked,
                                    struct resource *largest)
{
    struct sched_node *node, *next;

    HASH_ITER(hh, sched->nodes, node, next) {
        struct sched_node empty = { .total = node->total };

        if (!sched_node_is_offered(node) || node->label != label)
            continue;
        if (sched_node_count_fitting(sched, &empty, asked, 1) == 1)
            return true;
        *largest = resource_max(*largest, node->total);
    }
    return false;
}

/* Finds reasons related to nodes; CLUSTER_FULL if all are full. DEMAND is NULL while the AM is not
 * requested. */
static void explain_nodes(const struct sched *sched, const struct sched_app *app, const struct demand *demand,
                          struct sched_why *ret)
{
    int label = demand ? demand->label : app->label;
    struct resource largest = resource_of(0, 0);

    if (sched->open_count == 0) {
        ret->reason = SCHED_REASON_NO_NODES;
        return;
    }
    if (sched->label_nodes[label] == 0) {
        ret->reason = SCHED_REASON_LABEL_NO_MATCH;
        return;
    }
    if (!some_node_is_big_enough(sched, label, &ret->asked, &largest)) {
        ret->reason = resource_is_zero(&largest) ? SCHED_REASON_NO_NODES : SCHED_REASON_NODE_TOO_SMALL;
        ret->most = largest;
        return;
    }
    ret->most = resource_of(0, 0);
    if (demand && demand->container)
        explain_growth(sched, demand, ret);
    else if (demand)
        explain_room(sched, app, demand, ret);
}

/* Returns how many nodes are open for requests for LABEL; SHARED: also those that lend their label. */
static uint32_t count_nodes(const struct sched *sched, int label, bool shared)
{
    uint32_t count = sched->label_open[label];

    for (int l = 1; l < sched->label_count && label == 0 && shared; l++)
        count += sched->labels[l].shared ? sched->label_open[l] : 0;
    return count;
}

/* Explains why DEMAND of APP waits; NULL: the AM, which is not requested yet. */
static void explain(const struct sched *sched, const struct sched_app *app, const struct demand *demand,
                    struct sched_why *ret)
{
    *ret = (struct sched_why){ .reason = SCHED_REASON_NONE, .label = "", .queue = app->queue->path };
    ret->names = &sched->names;
    if (demand == NULL && app->state == APP_ACTIVE)
        return;
    ret->label = sched->labels[demand ? demand->label : app->label].name;
    ret->unshared = *ret->label == '\0' && sched->policy->reports.lends_to &&
                    !sched->policy->reports.lends_to(app, demand);
    ret->nodes = count_nodes(sched, demand ? demand->label : app->label, !ret->unshared);
    ret->asked = sched_load(sched, demand ? demand_size(demand) : app_master(app));
    ret->count = demand ? demand->count : 1;
    ret->grows_on = demand && demand->container ? demand->container->node->id : NULL;
    explain_nodes(sched, app, demand, ret);
    if (ret->reason == SCHED_REASON_NO_NODES || ret->reason == SCHED_REASON_NODE_TOO_SMALL ||
        ret->reason == SCHED_REASON_LABEL_NO_MATCH)
        return;
    if (sched->policy->reports.explain)
        sched->policy->reports.explain(sched, app, ret);
    if (ret->reason == SCHED_REASON_NONE)
        ret->reason = app->state == APP_ACTIVE ? SCHED_REASON_NEXT_OFFER : SCHED_REASON_NEXT_START;
}

void sched_app_why(const struct sched *sched, const struct sched_app *app, struct sched_why *ret)
{
    explain(sched, app, sched_demand_first(app), ret);
}

bool sched_container_why(const struct sched *sched, const struct sched_container *container,
                         struct sched_why *ret)
{
    if (container->growth == NULL)
        return false;
    explain(sched, container->app, container->growth, ret);
    return true;
}

struct sched_why_item *sched_why_add(struct sched_why *why, enum sched_reason reason, bool blocking)
{
    struct sched_why_item *item;

    if (why->item_count == SCHED_WHY_ITEMS_MAX)
        return &why->items[SCHED_WHY_ITEMS_MAX - 1];
    item = &why->items[why->item_count++];
    *item = (struct sched_why_item){ .reason = reason, .blocking = blocking, .asked = why->asked };
    return item;
}

bool sched_why_settle(struct sched_why *why)
{
    for (size_t i = 0; i < why->item_count; i++) {
        struct sched_why_item item = why->items[i];

        if (!item.blocking)
            continue;
        memmove(&why->items[1], &why->items[0], i * sizeof(item));
        why->items[0] = item;
        why->reason = item.reason;
        why->queue = item.queue ? item.queue : why->queue;
        why->user = item.user;
        why->used = item.used;
        why->most = item.allowed;
        return true;
    }
    return false;
}

static bool is_of_queue(const struct sched_app *app, const struct sched_queue *queue)
{
    const struct sched_queue *at = app->queue;

    while (at && at != queue)
        at = at->parent;
    return at != NULL;
}

void sched_why_counted(const struct sched *sched, const struct sched_why_item *item, sched_name_fn *each,
                       void *context)
{
    const struct sched_queue *queue = NULL;
    const struct sched_app *app, *next;
    char text[ID_TEXT_MAX];

    if (sched->policy->reports.counts == NULL ||
        (item->queue && !sched_queue_position(sched, item->queue, &queue)))
        return;
    HASH_ITER(hh, sched->apps, app, next)
        if (sched->policy->reports.counts(app) &&
            (queue ? is_of_queue(app, queue) : text_equal(app->user, item->user)))
            each(context, app_id_format(&app->id, text));
}

/* Amounts of a reason as text. */
struct why_amounts {
    char asked[RESOURCE_TYPES_TEXT_MAX], most[RESOURCE_TYPES_TEXT_MAX], used[RESOURCE_TYPES_TEXT_MAX];
};

/* Writes a reason that concerns the application, and not one of its requests. */
static void format_of_app(const struct sched_why *why, const struct why_amounts *amounts, char *text,
                          size_t size)
{
    switch (why->reason) {
    case SCHED_REASON_NO_NODES:
        snprintf(text, size, "no node in service can run it");
        break;
    case SCHED_REASON_NODE_TOO_SMALL:
        snprintf(text, size, "asks for %s, but no node is that big: the largest of %u has %s", amounts->asked,
                 why->nodes, amounts->most);
        break;
    case SCHED_REASON_AM_LIMIT:
        snprintf(text, size,
                 "application masters may use %s together, so that resources remain for their tasks, and "
                 "use %s; it waits for one of them to end",
                 amounts->most, amounts->used);
        break;
    case SCHED_REASON_USER_AM_LIMIT:
        snprintf(
            text, size,
            "application masters of user %s may use %s in queue %s, and use %s; it waits for one of them "
            "to end",
            why->user, amounts->most, why->queue, amounts->used);
        break;
    case SCHED_REASON_QUEUE_MAX_APPS:
        snprintf(text, size, "queue %s has %" PRId64 " of %" PRId64 " applications at a time", why->queue,
                 why->items[0].apps, why->items[0].most_apps);
        break;
    case SCHED_REASON_USER_MAX_APPS:
        snprintf(text, size, "user %s has %" PRId64 " of %" PRId64 " applications at a time", why->user,
                 why->items[0].apps, why->items[0].most_apps);
        break;
    case SCHED_REASON_QUEUE_STOPPED:
        snprintf(text, size, "queue %s is stopped", why->queue);
        break;
    case SCHED_REASON_LABEL_NO_MATCH:
        snprintf(text, size,
                 *why->label ? "no node has the label that it asks for"
                             : "it asks for a node without a label, and all nodes have one");
        break;
    case SCHED_REASON_NEXT_START:
        snprintf(
            text, size,
            "no limit blocks it any more; it starts when an application enters or leaves queue %s, or the "
            "cluster changes",
            why->queue);
        break;
    default:
        *text = '\0';
        break;
    }
}

static void format_spread(const struct sched_why *why, char *text, size_t size)
{
    char all[RESOURCE_TYPES_TEXT_MAX], free_there[RESOURCE_TYPES_TEXT_MAX];

    if (why->spread.node)
        snprintf(text, size,
                 "none of %u node%s has that free now: %s are free on %u nodes, the most on %s, which has %s",
                 why->nodes, why->nodes == 1 ? "" : "s",
                 resource_types_format(why->names, &why->spread.all, all), why->spread.nodes,
                 why->spread.node, resource_types_format(why->names, &why->spread.free, free_there));
    else
        snprintf(text, size, "none of %u node%s has that free now", why->nodes, why->nodes == 1 ? "" : "s");
}

/* Writes why the nodes do not serve a request, to follow "asks for ...". Returns false for another reason. */
static bool format_of_nodes(const struct sched_why *why, char *text, size_t size)
{
    switch (why->reason) {
    case SCHED_REASON_NODE_BLACKLISTED:
        snprintf(text, size, "only nodes that it avoids have room");
        return true;
    case SCHED_REASON_PLACEMENT:
        snprintf(text, size, "only nodes that it did not name have room");
        return true;
    case SCHED_REASON_NODE_FULL:
        snprintf(
            text, size,
            resource_fits(&why->asked, &why->most)
                ? "the node of its container has less free than the smallest container, and is not offered"
                : "the node of its container does not have that free now");
        return true;
    case SCHED_REASON_CLUSTER_FULL:
        format_spread(why, text, size);
        return true;
    case SCHED_REASON_RESERVED_FOR:
        snprintf(text, size, "the room for it is reserved for other applications");
        return true;
    case SCHED_REASON_NEXT_OFFER:
        snprintf(text, size, "a node with room is offered with its next heartbeat");
        return true;
    case SCHED_REASON_LOCALITY_DELAY:
        snprintf(text, size, "it waits some time for room on the nodes or racks that it prefers");
        return true;
    default:
        return false;
    }
}

/* Writes which queue or user blocks a request, to follow "asks for ...". Returns false for another reason. */
static bool format_of_queues(const struct sched_why *why, const struct why_amounts *amounts, char *text,
                             size_t size)
{
    switch (why->reason) {
    case SCHED_REASON_BEHIND_IN_QUEUE:
        snprintf(text, size,
                 "%u%s applications of %s are served before it, and there is not enough room for them",
                 why->ahead, why->ahead >= SCHED_WHY_AHEAD_MAX ? " or more" : "", why->queue);
        return true;
    case SCHED_REASON_QUEUE_LIMIT:
    case SCHED_REASON_PARENT_LIMIT:
        snprintf(text, size, "queue %s uses %s, and may use %s", why->queue, amounts->used, amounts->most);
        return true;
    case SCHED_REASON_USER_LIMIT:
        snprintf(text, size, "user %s uses %s of queue %s, and may use %s now", why->user, amounts->used,
                 why->queue, amounts->most);
        return true;
    case SCHED_REASON_BEHIND_QUEUE:
        snprintf(text, size,
                 "queue %s is served before it, waits for more room than there is, and the free room is kept "
                 "for it",
                 why->queue);
        return true;
    case SCHED_REASON_ABOVE_FAIR_SHARE:
        snprintf(text, size, "queue %s has %s, its fair share is %s, and others come first", why->queue,
                 amounts->used, amounts->most);
        return true;
    case SCHED_REASON_PREEMPTING:
        snprintf(text, size, "other containers are being preempted for it");
        return true;
    default:
        return false;
    }
}

const char *sched_why_format(const struct sched_why *why, char *text, size_t size)
{
    struct why_amounts amounts;
    char cause[2 * RESOURCE_TYPES_TEXT_MAX + 256];

    if (why->names == NULL) {
        *text = '\0';
        return text;
    }
    resource_types_format(why->names, &why->asked, amounts.asked);
    resource_types_format(why->names, &why->most, amounts.most);
    resource_types_format(why->names, &why->used, amounts.used);
    if (format_of_nodes(why, cause, sizeof(cause)) || format_of_queues(why, &amounts, cause, sizeof(cause)))
        snprintf(text, size, "asks for %llu of %s%s; %s", (unsigned long long)why->count, amounts.asked,
                 why->count == 1 ? "" : " each", cause);
    else
        format_of_app(why, &amounts, text, size);
    return text;
}

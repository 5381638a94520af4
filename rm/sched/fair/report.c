/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - reports figures, orders and reasons for waiting of the fair scheduler */
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/fair/internal.h"

#define AHEAD_MAX 1000u /* applications are counted up to this number: "1000 or more" */

/* Recomputes the figures that depend on the size of the cluster, if they are outdated. */
static void settle(const struct sched *sched)
{
    fair_recompute_steady((struct sched *)(uintptr_t)sched);
}

/* --- figures ------------------------------------------------------------------- */

static float fraction(const struct resource *part, const struct resource *whole)
{
    return whole->value[0] > 0 ? (float)part->value[0] / (float)whole->value[0] : 0;
}

/* Returns since when APP has had less than its demand and less than its fair share times the threshold. -1:
 * APP has enough, or the last update did not check starvation, since preemption is off or the cluster is not
 * full enough. */
static int64_t app_starved_since_ms(const struct sched *sched, const struct fair_app *app)
{
    const struct fair_settings *settings = app->leaf->settings;
    struct calc calc = fair_calculator(sched, app->leaf);
    struct resource used = fair_app_used(app), fair = app->share;

    if (!fair_of(sched)->judged || app->app->state != APP_ACTIVE)
        return -1;
    fair = calc_multiply(&fair, (double)settings->fair_share_threshold);
    fair = resource_min(fair, app->demand);
    return calc_compare_largest(&calc, &sched->total, &used, &fair) < 0 ? app->at_share_ms : -1;
}

static int64_t earlier(int64_t a_ms, int64_t b_ms)
{
    return a_ms < 0 || (b_ms >= 0 && b_ms < a_ms) ? b_ms : a_ms;
}

static void leaf_figures(const struct sched *sched, const struct fair_queue *leaf,
                         struct sched_queue_figures *ret)
{
    struct fair_app *app;
    bool limited;

    ret->am_limit = fair_am_limit(sched, leaf, &limited);
    ret->am_used = leaf->am_used;
    if (fair_of(sched)->judged && leaf->below_minimum)
        ret->starved_since_ms = leaf->at_minimum_ms;
    TAILQ_FOREACH(app, &leaf->running, of_leaf)
        ret->starved_since_ms = earlier(ret->starved_since_ms, app_starved_since_ms(sched, app));
}

void fair_queue_figures(const struct sched *sched, const struct sched_queue *queue,
                        struct sched_queue_figures *ret)
{
    const struct fair_queue *mine = fair_queue_data(queue);

    settle(sched);
    ret->used = fair_used(mine);
    ret->dynamic = !mine->permanent;
    ret->demand = mine->demand;
    ret->fair_share = mine->share;
    ret->steady_fair_share = mine->steady_share;
    ret->minimum = fair_settings_minimum(mine->settings);
    ret->maximum = mine->maximum;
    for (int t = sched->calc.types; t < RESOURCE_TYPES_MAX; t++)
        ret->maximum.value[t] = INT64_MAX;
    ret->weight = mine->settings->weight;
    ret->capacity = ret->absolute_capacity = fraction(&ret->steady_fair_share, &sched->total);
    ret->max_capacity = fraction(&ret->maximum, &sched->total);
    if (ret->max_capacity > 1)
        ret->max_capacity = 1;
    ret->absolute_max_capacity = ret->max_capacity;
    ret->policy = fair_policy_name(mine->settings->policy);
    ret->absolute_used = fraction(&ret->used, &sched->total);
    ret->used_capacity = fraction(&ret->used, &ret->steady_fair_share);
    ret->max_apps = mine->settings->max_running_apps;
    ret->active_apps = queue->parallel_apps;
    ret->waiting_apps = mine->waiting_below;
    ret->preemption = fair_of(sched)->config->preemption && mine->preemptable;
    if (queue->leaf)
        leaf_figures(sched, mine, ret);
}

void fair_app_figures(const struct sched *sched, const struct sched_app *app, struct sched_app_figures *ret)
{
    ret->fair_share = fair_app_data(app)->share;
    ret->starved_since_ms = app_starved_since_ms(sched, fair_app_data(app));
}

/* --- headroom -------------------------------------------------------------------- */

/* Returns true if NAME is the first blacklisted name of NODE (node, host, rack), so that each node is
 * subtracted only once. */
static bool first_reason(const struct sched_app *app, const struct sched_node *node, const char *name)
{
    const char *const names[] = { node->id, node->host, node->rack };
    struct blacklisted *entry;

    for (int i = 0; i < 3; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
        HASH_FIND(hh, app->blacklist, names[i], strlen(names[i]), entry);
        if (entry)
            return false;
    }
    return false;
}

static void subtract_place(const struct sched_app *app, const struct place *place, const char *name,
                           struct resource *free_now)
{
    for (size_t i = 0; place && i < place->count; i++)
        if (first_reason(app, place->nodes[i], name))
            *free_now = resource_subtract(*free_now, sched_node_free(place->nodes[i]));
}

/* Returns the free room of the nodes that APP has not blacklisted. */
static struct resource free_for(const struct sched *sched, const struct sched_app *app)
{
    struct resource free_now = resource_subtract(sched->total, sched->used);
    struct blacklisted *entry, *next;

    HASH_ITER(hh, app->blacklist, entry, next) {
        struct sched_node *node;

        HASH_FIND_STR(sched->nodes, entry->name, node);
        if (node)
            free_now = resource_subtract(free_now, sched_node_free(node));
        else
            subtract_place(app, sched_place_find(sched->hosts, entry->name), entry->name, &free_now);
        subtract_place(app, sched_place_find(sched->racks, entry->name), entry->name, &free_now);
    }
    return free_now;
}

struct resource fair_headroom(const struct sched *sched, const struct sched_app *app)
{
    const struct fair_queue *leaf = fair_app_data(app)->leaf;
    struct resource used = fair_used(leaf), room, of_share;
    int types = leaf->settings->policy == FAIR_POLICY_DRF ? RESOURCE_TYPES_MAX : 1;

    fair_recompute((struct sched *)(uintptr_t)sched);
    room = resource_min(free_for(sched, app), resource_subtract(leaf->maximum, used));
    of_share = calc_subtract_positive(leaf->share, used);
    for (int t = 0; t < types; t++)
        room.value[t] = of_share.value[t] < room.value[t] ? of_share.value[t] : room.value[t];
    return room;
}

/* --- order ----------------------------------------------------------------------- */

static int compare_queues(const void *a, const void *b)
{
    const struct fair_queue *queue_a = *(struct fair_queue *const *)a;
    const struct fair_queue *queue_b = *(struct fair_queue *const *)b;

    return fair_compare_queues(&queue_a->item.entry, &queue_b->item.entry);
}

/* Orders applications without pending requests last. */
static int compare_apps(const void *a, const void *b)
{
    const struct fair_app *app_a = *(struct fair_app *const *)a;
    const struct fair_app *app_b = *(struct fair_app *const *)b;

    bool a_wants = order_has(&app_a->item.entry), b_wants = order_has(&app_b->item.entry);

    if (a_wants != b_wants)
        return a_wants ? -1 : 1;
    return fair_compare_apps(&app_a->item.entry, &app_b->item.entry);
}

static void order_children(const struct fair_queue *queue, sched_name_fn *each, void *context)
{
    struct fair_queue *child, **children = NULL;
    size_t count = 0, capacity = 0;

    TAILQ_FOREACH(child, &queue->children, sibling) {
        if (!order_has(&child->item.entry))
            child->item.key = fair_queue_key(child);
        mem_grow(children, count, capacity);
        children[count++] = child;
    }
    if (count > 1)
        qsort(children, count, sizeof(*children), compare_queues);
    for (size_t i = 0; i < count; i++)
        each(context, children[i]->queue->name);
    free(children);
}

static void order_apps(const struct fair_queue *leaf, sched_name_fn *each, void *context)
{
    struct fair_app *app, **apps = NULL;
    size_t count = 0, capacity = 0, i = 0;
    char text[ID_TEXT_MAX];

    TAILQ_FOREACH(app, &leaf->running, of_leaf) {
        if (!order_has(&app->item.entry))
            app->item.key = fair_app_key(app);
        mem_grow(apps, count, capacity);
        apps[count++] = app;
    }
    if (count > 1)
        qsort(apps, count, sizeof(*apps), compare_apps);
    for (; i < count && order_has(&apps[i]->item.entry); i++)
        each(context, app_id_format(&apps[i]->app->id, text));
    TAILQ_FOREACH(app, &leaf->waiting, of_leaf)
        each(context, app_id_format(&app->app->id, text));
    for (; i < count; i++)
        each(context, app_id_format(&apps[i]->app->id, text));
    free(apps);
}

void fair_queue_order(const struct sched *sched, const struct sched_queue *queue, sched_name_fn *each,
                      void *context)
{
    settle(sched);
    if (queue->leaf)
        order_apps(fair_queue_data(queue), each, context);
    else
        order_children(fair_queue_data(queue), each, context);
}

/* --- reasons --------------------------------------------------------------------- */

static void add_am_limit(const struct sched *sched, const struct fair_app *app, struct sched_why *why)
{
    struct sched_app *all = app->app;
    const struct demand *first = RB_MIN(sched_demand_tree, &all->demands);
    struct sched_why_item *item;
    bool lightly, limited;
    struct resource limit = fair_am_limit(sched, app->leaf, &limited);

    if (first == NULL || !first->master || !all->manages || !limited)
        return;
    item = sched_why_add(why, SCHED_REASON_AM_LIMIT, fair_over_am_limit(sched, app, &lightly));
    item->queue = app->leaf->queue->path;
    item->used = app->leaf->am_used;
    item->asked = demand_capability(first);
    item->allowed = limit;
}

static bool is_unlimited(const struct fair_queue *queue)
{
    for (int t = 0; t < queue->part->sched->calc.types; t++)
        if (queue->maximum.value[t] != INT64_MAX)
            return false;
    return true;
}

static void add_queue_limits(const struct fair_app *app, struct sched_why *why)
{
    const struct fair_queue *full = fair_full_queue(app->leaf, why->asked.value);
    struct sched_why_item *item;

    for (const struct fair_queue *at = app->leaf; at; at = at->parent) {
        if (at->parent == NULL || (at != full && (at != app->leaf || is_unlimited(at))))
            continue;
        item = sched_why_add(why, at == app->leaf ? SCHED_REASON_QUEUE_LIMIT : SCHED_REASON_PARENT_LIMIT,
                             at == full);
        item->queue = at->queue->path;
        item->used = fair_used(at);
        item->allowed = at->maximum;
    }
}

/* Returns true if FIRST may be placed on NODE at all (has_use_for() in allocate.c). */
static bool allows(const struct demand *first, const struct sched_node *node)
{
    const struct row *rack = sched_demand_find_rack(first, node);

    if (!sched_row_has_pending(rack))
        return !first->strict;
    return !rack->strict || sched_demand_find_local(first, node);
}

/* Returns true if one of the nodes in ROOM has room for FIRST. All types are compared, as in take(). ALLOWED:
 * only nodes where FIRST may be placed. */
static bool has_room_in(const struct sched *sched, const struct sched_app *app, const struct demand *first,
                        const struct sched_room_tree *room, bool allowed)
{
    struct sched_node *node;

    RB_FOREACH(node, sched_room_tree, (struct sched_room_tree *)(uintptr_t)room) {
        struct resource left = sched_node_free(node);

        if (left.value[RESOURCE_MEMORY_MB] < demand_size(first)->value[RESOURCE_MEMORY_MB])
            return false; /* the trees are ordered by free memory */
        if (calc_fits(&sched->calc, demand_size(first), &left) &&
            (node->reserved.app == NULL || calc_fits(&sched->calc, &node->reserved.resource, &left)) &&
            !sched_why_reserved(node, app, first) && !sched_app_avoids(app, node) &&
            (!allowed || allows(first, node)))
            return true;
    }
    return false;
}

static bool has_room(const struct sched *sched, const struct sched_app *app, const struct demand *first,
                     bool allowed)
{
    return has_room_in(sched, app, first, &sched->room, allowed) ||
           has_room_in(sched, app, first, &sched->kept, allowed);
}

/* The core found room. Checks whether the room is enough by the rules of the fair scheduler. */
static void check_room(const struct sched *sched, const struct sched_app *app, struct sched_why *why)
{
    const struct demand *first = sched_demand_first(app);

    if (first == NULL || why->reason != SCHED_REASON_NONE || has_room(sched, app, first, true))
        return;
    why->reason = has_room(sched, app, first, false) ? SCHED_REASON_PLACEMENT : SCHED_REASON_CLUSTER_FULL;
}

/* Adds the reason that there is room, but not yet at a locality that the request accepts. */
static void add_delay(const struct fair *fair, const struct fair_app *app, struct sched_why *why)
{
    struct sched_app *all = app->app;
    const struct demand *first = RB_MIN(sched_demand_tree, &all->demands);
    const struct fair_level *level;

    if (first == NULL || first->row_count == 0 || !fair_delays(fair))
        return;
    level = fair_level_find(app, first);
    if (level == NULL || level->allowed == SCHED_OFF_SWITCH)
        return;
    sched_why_add(why, SCHED_REASON_LOCALITY_DELAY, why->reason == SCHED_REASON_NONE)->since_ms =
        level->last_ms;
}

bool fair_limits(const struct sched *sched, const struct sched_app *app, struct sched_why *why)
{
    settle(sched);
    if (app->state != APP_ACTIVE) {
        fair_explain_run_limit(fair_of(sched), fair_app_data(app), why);
    } else {
        add_am_limit(sched, fair_app_data(app), why);
        add_queue_limits(fair_app_data(app), why);
        check_room(sched, app, why);
        add_delay(fair_of(sched), fair_app_data(app), why);
    }
    return sched_why_settle(why);
}

/* Returns the first queue, from LEAF up, that has its fair share; NULL: none. */
static const struct fair_queue *satisfied_queue(const struct sched *sched, const struct fair_queue *leaf)
{
    for (const struct fair_queue *at = leaf; at->parent; at = at->parent) {
        struct calc calc = fair_calculator(sched, at->parent);
        struct resource used = fair_used(at), share = at->share;

        if (calc_compare_largest(&calc, &sched->total, &used, &share) >= 0)
            return at;
    }
    return NULL;
}

static uint32_t count_ahead(const struct fair_app *app)
{
    const struct fair_app *other = NULL;
    uint32_t ahead = 0;

    while (ahead < AHEAD_MAX && (other = fair_next_wanting(app->leaf, other)) != NULL && other != app)
        ahead++;
    return ahead;
}

/* Adds REASON before all other items. */
static struct sched_why_item *add_first(struct sched_why *why, enum sched_reason reason)
{
    struct sched_why_item item = *sched_why_add(why, reason, true);

    memmove(&why->items[1], &why->items[0], (why->item_count - 1) * sizeof(item));
    why->items[0] = item;
    why->reason = reason;
    return &why->items[0];
}

/* Explains why APP waits while the cluster is full: containers are being preempted for APP; or its queue, or
 * one above, has its fair share, so that other queues are served first; or other applications of its queue
 * are served first. */
void fair_explain(const struct sched *sched, const struct sched_app *app, struct sched_why *why)
{
    const struct fair_app *mine = fair_app_data(app);
    const struct fair_queue *satisfied = satisfied_queue(sched, mine->leaf);
    struct sched_why_item *item;

    why->ahead = count_ahead(mine);
    if (!TAILQ_EMPTY(&mine->claims)) {
        add_first(why, SCHED_REASON_PREEMPTING)->since_ms = mine->at_share_ms;
    } else if (app->reserved_count > 0) {
        return; /* nodes are reserved for the application */
    } else if (satisfied) {
        item = add_first(why, SCHED_REASON_ABOVE_FAIR_SHARE);
        item->queue = why->queue = satisfied->queue->path;
        item->used = why->used = fair_used(satisfied);
        item->allowed = why->most = satisfied->share;
    } else if (why->ahead > 0) {
        why->reason = SCHED_REASON_BEHIND_IN_QUEUE;
    }
}

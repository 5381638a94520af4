/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demand.c - the requests of an application: a tree by priority and allocation id
 *
 * Only this file changes counts and sizes of requests, and updates the pending sums of application and
 * queues.
 */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/policy.h"

static int sched_demand_compare(const struct demand *a, const struct demand *b)
{
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    if (a->allocation_id != b->allocation_id)
        return a->allocation_id < b->allocation_id ? -1 : 1;
    return (a->grows > b->grows) - (a->grows < b->grows);
}

RB_GENERATE(sched_demand_tree, demand, link, sched_demand_compare)

static int sched_row_compare(const struct row *a, const struct row *b)
{
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return strcmp(a->name, b->name);
}

RB_GENERATE(sched_row_tree, row, link, sched_row_compare)

static unsigned hash_of(const char *name)
{
    unsigned hash;

    HASH_VALUE(name, strlen(name), hash);
    return hash;
}

/* Sets the pending containers of DEMAND to COUNT, and updates the pending sums. */
static void change_count(struct sched_app *app, struct demand *demand, uint32_t count)
{
    const int64_t more = (int64_t)count - (int64_t)demand->count;
    struct app_partition *part = sched_app_partition(app, demand->label);
    struct resource delta = { .value = { 0 } };

    for (int t = 0; t < app->sched->calc.types; t++)
        delta.value[t] = demand_size(demand)->value[t] * more;
    if (app->pending_containers == 0)
        app->waits_since_ms = app->sched->now_ms;
    sched_count_begin(app->sched, part);
    demand->count = count;
    sched_count_pending(part, &delta, more);
    sched_count_end(app->sched, part);
}

static struct demand *first_pending(struct demand *demand)
{
    while (demand && demand->count == 0)
        demand = RB_NEXT(sched_demand_tree, NULL, demand);
    return demand;
}

struct demand *sched_demand_first(const struct sched_app *app)
{
    struct sched_demand_tree demands = app->demands; /* a copy, since RB_MIN takes no const */

    return first_pending(RB_MIN(sched_demand_tree, &demands));
}

struct demand *sched_demand_next(struct demand *demand)
{
    return first_pending(RB_NEXT(sched_demand_tree, NULL, demand));
}

struct demand *sched_demand_find(struct sched_app *app, uint32_t priority, uint64_t allocation_id)
{
    struct demand key = { .priority = priority, .allocation_id = allocation_id };

    return RB_FIND(sched_demand_tree, &app->demands, &key);
}

static void drop_row(struct sched_app *app, struct demand *demand, struct row *row)
{
    RB_REMOVE(sched_row_tree, &demand->rows, row);
    demand->strict_rows -= row->strict ? 1 : 0;
    free(row);
    demand->row_count--;
    app->row_count--;
}

static void drop_rows(struct sched_app *app, struct demand *demand)
{
    struct row *row;

    while ((row = RB_ROOT(&demand->rows)) != NULL)
        drop_row(app, demand, row);
}

/* --- idle requests: those without pending containers --------------------------
 *
 * The rows of a completely placed request are kept for the next request with the same priority and allocation
 * id, as locations of that request (LocalityAppPlacementAllocator.decrementOutstanding removes the row "*"
 * alone). Its missed opportunities are kept, too, even if it is cancelled (SchedulerApplicationAttempt).
 * Differs: YARN keeps any number of such requests during the attempt. In creel, if an application has more
 * than IDLE_ROWS_MAX idle requests and rows, all of them are dropped, so that memory use is bounded. */
#define IDLE_ROWS_MAX 10000u

static struct demand *find_idle(struct sched_app *app, uint32_t priority, uint64_t allocation_id)
{
    struct demand key = { .priority = priority, .allocation_id = allocation_id };

    return RB_FIND(sched_demand_tree, &app->idle, &key);
}

static void bring_back(struct sched_app *app, struct demand *demand)
{
    RB_REMOVE(sched_demand_tree, &app->idle, demand);
    RB_INSERT(sched_demand_tree, &app->demands, demand);
    app->idle_rows -= 1 + demand->row_count;
    app->row_count += 1 + demand->row_count;
}

void sched_demand_set_strict(struct demand *demand, bool strict)
{
    struct demand_list *list = &demand->app->sched->strict;

    if (demand->strict == strict)
        return;
    demand->strict = strict;
    if (strict)
        TAILQ_INSERT_TAIL(list, demand, in_strict);
    else
        TAILQ_REMOVE(list, demand, in_strict);
}

static void free_demand(struct sched_app *app, struct demand *demand)
{
    if (demand->container) {
        demand->container->growth = NULL;
        app->sched->growing_count--;
    }
    sched_demand_set_strict(demand, false);
    drop_rows(app, demand);
    RB_REMOVE(sched_demand_tree, &app->demands, demand);
    app->row_count--;
    free(demand);
}

/* Drops all idle requests except those with reservations, whose number is limited by the number of nodes. */
static void drop_idle(struct sched_app *app)
{
    struct demand *demand, *next;

    RB_FOREACH_SAFE(demand, sched_demand_tree, &app->idle, next)
        if (demand->reserved == 0) {
            bring_back(app, demand);
            free_demand(app, demand);
        }
}

static void set_aside(struct sched_app *app, struct demand *demand)
{
    RB_REMOVE(sched_demand_tree, &app->demands, demand);
    RB_INSERT(sched_demand_tree, &app->idle, demand);
    app->row_count -= 1 + demand->row_count;
    app->idle_rows += 1 + demand->row_count;
    if (app->idle_rows > IDLE_ROWS_MAX)
        drop_idle(app);
}

struct demand *sched_demand_of_reservation(const struct sched_node *node)
{
    const struct reservation *reserved = &node->reserved;
    struct demand key = {
        .priority = reserved->priority,
        .allocation_id = reserved->allocation_id,
        .grows = reserved->grows,
    };

    return RB_FIND(sched_demand_tree, &reserved->app->demands, &key);
}

void sched_demand_unreserved(struct sched_app *app, const struct reservation *reservation)
{
    struct demand key = {
        .priority = reservation->priority,
        .allocation_id = reservation->allocation_id,
        .grows = reservation->grows,
    };
    struct demand *demand = RB_FIND(sched_demand_tree, &app->demands, &key);

    if (demand == NULL)
        demand = find_idle(app, key.priority, key.allocation_id);
    demand->reserved--;
    demand->rereserved = 0;
    if (demand->count > 0 || sched_demand_is_kept(demand))
        return;
    bring_back(app, demand);
    free_demand(app, demand);
}

/* --- demands ----------------------------------------------------------------- */

struct demand *sched_demand_get(struct sched_app *app, uint32_t priority, uint64_t allocation_id)
{
    struct demand *demand = sched_demand_find(app, priority, allocation_id);

    if (demand)
        return demand;
    demand = find_idle(app, priority, allocation_id);
    if (demand) {
        bring_back(app, demand);
        return demand;
    }
    demand = mem_alloc0(sizeof(*demand) + sched_amounts_size(app->sched, 1));
    demand->app = app;
    demand->types = (uint8_t)app->sched->calc.types;
    demand->label = app->label;
    demand->priority = priority;
    demand->allocation_id = allocation_id;
    RB_INSERT(sched_demand_tree, &app->demands, demand);
    app->row_count++;
    return demand;
}

bool sched_demand_has(const struct sched_app *app, uint32_t priority, uint64_t allocation_id,
                      const char *name)
{
    struct demand key = { .priority = priority, .allocation_id = allocation_id }, *demand;
    struct sched_demand_tree demands = app->demands, idle = app->idle; /* copies: RB_FIND takes no const */

    demand = RB_FIND(sched_demand_tree, &demands, &key);
    if (demand == NULL)
        demand = RB_FIND(sched_demand_tree, &idle, &key);
    return demand != NULL && (name == NULL || sched_demand_find_row(demand, name) != NULL);
}

void sched_demand_settle(struct sched_app *app, struct demand *demand)
{
    if (demand->count > 0)
        return;
    if (sched_demand_is_kept(demand))
        set_aside(app, demand);
    else
        free_demand(app, demand);
}

void sched_demand_cancel(struct sched_app *app, struct demand *demand)
{
    sched_demand_set_count(app, demand, 0);
    drop_rows(app, demand);
    sched_demand_settle(app, demand);
}

void sched_demand_drop_all(struct sched_app *app)
{
    struct sched_container *container;
    struct demand *demand;

    TAILQ_FOREACH(container, &app->containers, of_app)
        container->row_counts = 0;
    while ((demand = RB_MIN(sched_demand_tree, &app->demands)) != NULL) {
        sched_demand_set_count(app, demand, 0);
        free_demand(app, demand);
    }
    drop_idle(app);
}

void sched_demand_set_count(struct sched_app *app, struct demand *demand, uint32_t count)
{
    if (demand->count != count)
        change_count(app, demand, count);
}

void sched_demand_set_capability(struct sched_app *app, struct demand *demand,
                                 const struct resource *capability)
{
    struct app_partition *part = sched_app_partition(app, demand->label);
    struct resource delta = { .value = { 0 } };

    for (int t = 0; t < app->sched->calc.types; t++)
        delta.value[t] = (capability->value[t] - demand_size(demand)->value[t]) * (int64_t)demand->count;
    sched_count_begin(app->sched, part);
    calc_store(&app->sched->calc, demand_size(demand), capability);
    for (struct app_partition *of = app->parts; of && demand->reserved > 0; of = of->next)
        sched_reserve_note_size(of, demand);
    sched_count_pending(part, &delta, 0);
    sched_count_end(app->sched, part);
}

void sched_demand_set_label(struct sched_app *app, struct demand *demand, int label)
{
    struct app_partition *from = sched_app_partition(app, demand->label);
    struct app_partition *to = sched_app_partition(app, label);
    struct resource pending = { .value = { 0 } }, less = { .value = { 0 } };

    if (from == to)
        return;
    for (int t = 0; t < app->sched->calc.types; t++) {
        pending.value[t] = demand_size(demand)->value[t] * (int64_t)demand->count;
        less.value[t] = -pending.value[t];
    }
    sched_count_begin(app->sched, to); /* before subtracting, so that APP always has a pending request */
    demand->label = (uint8_t)label;
    sched_count_pending(to, &pending, demand->count);
    sched_count_end(app->sched, to);
    sched_count_begin(app->sched, from);
    sched_count_pending(from, &less, -(int64_t)demand->count);
    sched_count_end(app->sched, from);
}

static struct row *find_row(const struct demand *demand, const char *name, unsigned hash)
{
    struct row *row = RB_ROOT(&demand->rows);

    while (row) {
        int order = hash != row->hash ? (hash < row->hash ? -1 : 1) : strcmp(name, row->name);

        if (order == 0)
            return row;
        row = order < 0 ? RB_LEFT(row, link) : RB_RIGHT(row, link);
    }
    return NULL;
}

struct row *sched_demand_find_row(const struct demand *demand, const char *name)
{
    return find_row(demand, name, hash_of(name));
}

struct row *sched_demand_find_id(const struct demand *demand, const struct sched_node *node)
{
    return find_row(demand, node->id, node->id_hash);
}

struct row *sched_demand_find_host(const struct demand *demand, const struct sched_node *node)
{
    return find_row(demand, node->host, node->host_hash);
}

struct row *sched_demand_find_rack(const struct demand *demand, const struct sched_node *node)
{
    return find_row(demand, node->rack, node->rack_hash);
}

struct row *sched_demand_find_local(const struct demand *demand, const struct sched_node *node)
{
    struct row *row = sched_demand_find_id(demand, node);

    if (sched_row_has_pending(row))
        return row;
    row = sched_demand_find_host(demand, node);
    return sched_row_has_pending(row) ? row : NULL;
}

void sched_demand_set_row(struct sched_app *app, struct demand *demand, const char *name, uint32_t count,
                          bool strict)
{
    struct row *row = sched_demand_find_row(demand, name);

    if (row == NULL) {
        size_t size = strlen(name) + 1;

        row = mem_alloc0(offsetof(struct row, name) + size);
        memcpy(row->name, name, size);
        row->hash = hash_of(name);
        RB_INSERT(sched_row_tree, &demand->rows, row);
        row->order = (uint32_t)++app->sched->last_serial;
        demand->row_count++;
        app->row_count++;
    }
    row->count = count;
    demand->strict_rows += (strict ? 1u : 0u) - (row->strict ? 1u : 0u);
    row->strict = strict;
}

static int compare_order(const void *a, const void *b)
{
    const struct row *ra = *(const struct row *const *)a, *rb = *(const struct row *const *)b;

    return (ra->order > rb->order) - (ra->order < rb->order);
}

const struct row **sched_demand_rows(const struct demand *demand)
{
    const struct row **rows = mem_array0(demand->row_count + 1, sizeof(*rows));
    struct row *row;
    size_t count = 0;

    RB_FOREACH(row, sched_row_tree, (struct sched_row_tree *)(uintptr_t)&demand->rows)
        rows[count++] = row;
    qsort(rows, count, sizeof(*rows), compare_order);
    return rows;
}

/* Subtracts one container from ROW. Returns false if ROW is NULL or its count is 0 already. */
static bool subtract_row(struct sched_app *app, struct demand *demand, struct row *row)
{
    if (!sched_row_has_pending(row))
        return false;
    if (--row->count == 0)
        drop_row(app, demand, row);
    return true;
}

/* Subtracts one container, placed at LOCALITY on NODE, from the rows of DEMAND. Returns flags of enum
 * row_counts. */
static unsigned subtract_rows(struct sched_app *app, struct demand *demand, const struct sched_node *node,
                              enum sched_locality locality)
{
    struct row *rack = sched_demand_find_rack(demand, node);
    unsigned row_counts =
        (demand->strict ? ROW_COUNT_STRICT : 0u) | (rack && rack->strict ? ROW_COUNT_STRICT_RACK : 0u);

    if (locality == SCHED_NODE_LOCAL)
        row_counts |= subtract_row(app, demand, sched_demand_find_id(demand, node))     ? ROW_COUNT_NODE
                      : subtract_row(app, demand, sched_demand_find_host(demand, node)) ? ROW_COUNT_HOST
                                                                                        : 0u;
    if (locality != SCHED_OFF_SWITCH)
        row_counts |= subtract_row(app, demand, rack) ? ROW_COUNT_RACK : 0u;
    return row_counts;
}

uint8_t sched_demand_subtract(struct sched_app *app, struct demand *demand, const struct sched_node *node,
                              enum sched_locality locality)
{
    unsigned row_counts = demand->row_count > 0 ? subtract_rows(app, demand, node, locality) : 0u;

    sched_demand_set_count(app, demand, demand->count - 1);
    sched_demand_settle(app, demand);
    return (uint8_t)row_counts;
}

/* --- increases of containers (resize.c) ------------------------------------------- */

struct demand *sched_demand_new_growth(struct sched_container *container, const struct resource *size)
{
    struct sched_app *app = container->app;
    struct demand *demand = mem_alloc0(sizeof(*demand) + sched_amounts_size(app->sched, 1));

    demand->app = app;
    demand->types = (uint8_t)app->sched->calc.types;
    demand->label = container->asked_label;
    demand->priority = container->priority;
    demand->allocation_id = container->allocation_id;
    demand->grows = container->serial;
    demand->container = container;
    sched_demand_set_strict(demand, true);
    container->growth = demand;
    app->sched->growing_count++;
    RB_INSERT(sched_demand_tree, &app->demands, demand);
    app->row_count++;
    calc_store(&app->sched->calc, demand_size(demand), size);
    sched_demand_set_row(app, demand, container->node->id, 1, false);
    sched_demand_set_row(app, demand, container->node->rack, 1, true);
    sched_demand_set_count(app, demand, 1);
    return demand;
}

void sched_demand_end_growth(struct sched_container *container)
{
    struct demand *demand = container->growth;

    assert(demand->reserved == 0);
    sched_demand_set_count(container->app, demand, 0);
    free_demand(container->app, demand);
}

/* --- containers given back before the application acquired them ----------------- */

void sched_demand_acquired(struct sched_container *container)
{
    container->row_counts = 0;
}

static void return_row(struct sched_app *app, struct demand *demand, const char *name, bool strict)
{
    struct row *row = sched_demand_find_row(demand, name);

    if (row)
        row->count++;
    else
        sched_demand_set_row(app, demand, name, 1, strict);
}

/* Differs: in YARN size and label of the container replace those of a request that is pending, although the
 * application may have changed them since (LocalityAppPlacementAllocator.updatePendingAsk). */
void sched_demand_return(const struct sched_container_info *info, uint8_t row_counts, int label)
{
    struct sched_app *app = info->app;
    struct demand *demand = sched_demand_get(app, info->priority, info->allocation_id);
    bool begins = demand->count == 0;

    if (begins) {
        demand->label = (uint8_t)label;
        sched_demand_set_strict(demand, (row_counts & ROW_COUNT_STRICT) != 0);
        sched_demand_set_capability(app, demand, &info->resource);
    }
    if (row_counts & (ROW_COUNT_NODE | ROW_COUNT_HOST))
        return_row(app, demand, row_counts & ROW_COUNT_NODE ? info->node->id : info->node->host, false);
    if (row_counts & ROW_COUNT_RACK)
        return_row(app, demand, info->node->rack, (row_counts & ROW_COUNT_STRICT_RACK) != 0);
    sched_demand_set_count(app, demand, demand->count + 1);
    if (begins)
        sched_app_changed(app, SCHED_APP_REQUESTS);
}

/* --- listing --------------------------------------------------------------------- */

static size_t list_demand(const struct sched_app *app, const struct demand *demand, struct sched_ask *ret,
                          size_t capacity)
{
    struct sched_ask ask = {
        .priority = demand->priority,
        .allocation_id = demand->allocation_id,
        .capability = demand_capability(demand),
        .label = app->sched->labels[demand->label].name,
    };
    const struct row **rows = sched_demand_rows(demand);
    size_t count = 0;

    for (uint32_t i = 0; i < demand->row_count && count < capacity; i++) {
        if (!sched_row_has_pending(rows[i]))
            continue;
        ask.resource_name = rows[i]->name;
        ask.count = rows[i]->count;
        ask.strict_locality = rows[i]->strict;
        ret[count++] = ask;
    }
    free(rows);
    if (count == capacity)
        return count;
    ask.resource_name = "*";
    ask.count = demand->count;
    ask.strict_locality = demand->strict;
    ret[count++] = ask;
    return count;
}

size_t sched_app_asks(const struct sched_app *app, struct sched_ask *ret, size_t capacity)
{
    struct demand *demand;
    size_t count = 0;

    for (demand = sched_demand_first(app); demand != NULL; demand = sched_demand_next(demand))
        count += list_demand(app, demand, ret + count, capacity - count);
    return count;
}

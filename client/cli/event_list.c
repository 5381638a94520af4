/* SPDX-License-Identifier: Apache-2.0 */
/* event_list.c - finds the events of applications, containers and nodes in their reports */
#include "client/cli/event_list.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "client/cli/amounts.h"
#include "common/base/mem.h"

/* The state of an object in its last report. */
struct known {
    char *id;                                      /* owned; of any kind: ids of different kinds differ */
    int64_t submitted_ms, started_ms, finished_ms; /* of a node: time of registration as SUBMITTED_MS */
    uint32_t attempt;
    int64_t hold_ms; /* of the newest hold */
    int64_t resized_ms;
    size_t hold_count;
    int state;
    char *stuck; /* owned; of a node: its stuck_report; NULL: none */
    char *queue; /* owned; NULL: not known */
    UT_hash_handle hh;
};

struct event_list {
    int64_t since_ms;
    uint64_t last_number;
    struct known *known;
    struct event *items;
    size_t count, capacity;
    bool taken; /* ITEMS was returned, and is to be emptied first */
};

struct event_list *event_list_new(int64_t since_ms)
{
    struct event_list *list = mem_new0(struct event_list);

    list->since_ms = since_ms;
    return list;
}

static void drop_taken(struct event_list *list)
{
    if (!list->taken)
        return;
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].id);
        free(list->items[i].user);
        free(list->items[i].queue);
        free(list->items[i].text);
    }
    list->count = 0;
    list->taken = false;
}

void event_list_free(struct event_list *list)
{
    struct known *known, *next;

    if (list == NULL)
        return;
    list->taken = true;
    drop_taken(list);
    HASH_ITER(hh, list->known, known, next) {
        HASH_DEL(list->known, known);
        free(known->id);
        free(known->queue);
        free(known->stuck);
        free(known);
    }
    free(list->items);
    free(list);
}

/* Returns the entry of ID. IS_NEW: there was none. */
static struct known *find(struct event_list *list, const char *id, bool *is_new)
{
    struct known *known;

    drop_taken(list);
    HASH_FIND_STR(list->known, id, known);
    *is_new = known == NULL;
    if (known != NULL)
        return known;
    known = mem_new0(struct known);
    known->id = mem_strdup(id);
    HASH_ADD_KEYPTR(hh, list->known, known->id, strlen(known->id), known);
    return known;
}

/* --- events ---------------------------------------------------------------- */

static void add(struct event_list *list, struct event event, const char *text)
{
    if (event.time_ms < list->since_ms || event.time_ms == 0)
        return;
    mem_grow(list->items, list->count, list->capacity);
    event.number = ++list->last_number;
    event.id = mem_strdup(event.id);
    event.user = mem_strdup(event.user ? event.user : "");
    event.queue = mem_strdup(event.queue ? event.queue : "");
    event.text = mem_strdup(text ? text : "");
    list->items[list->count++] = event;
}

static void add_app(struct event_list *list, const struct creel_app *app, int64_t time_ms, const char *name,
                    const char *text)
{
    struct event event = { .time_ms = time_ms, .kind = "app", .name = name };

    event.id = (char *)(uintptr_t)app->id;
    event.user = (char *)(uintptr_t)app->user;
    event.queue = (char *)(uintptr_t)app->queue;
    add(list, event, text);
}

static void find_holds(struct event_list *list, const struct creel_app *app, struct known *known,
                       int64_t now_ms)
{
    int64_t newest_ms = known->hold_ms;

    for (size_t i = 0; i < app->hold_count; i++) {
        const struct creel_hold *hold = &app->holds[i];
        scoped_free char *text = mem_printf("by %s%s%s", hold->by, *hold->reason ? ": " : "", hold->reason);

        if (hold->since_ms <= known->hold_ms)
            continue;
        add_app(list, app, hold->since_ms, "HELD", text);
        if (hold->since_ms > newest_ms)
            newest_ms = hold->since_ms;
    }
    if (app->hold_count == 0 && known->hold_count > 0)
        add_app(list, app, app->eligible_ms > 0 ? app->eligible_ms : now_ms, "RELEASED", NULL);
    known->hold_ms = newest_ms;
    known->hold_count = app->hold_count;
}

static void find_end(struct event_list *list, const struct creel_app *app)
{
    scoped_free char *text =
        mem_printf("exit status %d%s%s", app->exit_status, *app->diagnostics ? ": " : "", app->diagnostics);
    bool has_exit = app->exit_status != CREEL_EXIT_NONE;

    add_app(list, app, app->finished_ms, creel_app_state_name(app->state),
            has_exit ? text : app->diagnostics);
}

void event_list_app(struct event_list *list, const struct creel_app *app, int64_t now_ms)
{
    bool is_new;
    struct known *known = find(list, app->id, &is_new);

    if (app->submitted_ms != known->submitted_ms)
        add_app(list, app, app->submitted_ms, "SUBMITTED", app->name);
    if (!is_new && strcmp(known->queue, app->queue) != 0) {
        scoped_free char *text = mem_printf("from %s", known->queue);

        add_app(list, app, now_ms, "MOVED", text);
    }
    find_holds(list, app, known, now_ms);
    if (app->started_ms != known->started_ms)
        add_app(list, app, app->started_ms, "STARTED", app->master_node_id);
    if (!is_new && app->attempt > known->attempt && known->attempt > 0) {
        scoped_free char *text =
            mem_printf("attempt %u%s%s", app->attempt, *app->restart_reason ? ": " : "", app->restart_reason);

        add_app(list, app, now_ms, "RETRIED", text);
    }
    if (creel_app_is_over(app) && app->finished_ms != known->finished_ms) {
        find_end(list, app);
        known->finished_ms = app->finished_ms;
    }
    known->submitted_ms = app->submitted_ms;
    known->started_ms = app->started_ms;
    known->attempt = app->attempt;
    free(known->queue);
    known->queue = mem_strdup(app->queue);
}

void event_list_container(struct event_list *list, const struct creel_container *container)
{
    struct event event = { .kind = "container" };
    char has[RECORD_AMOUNTS_MAX];
    bool is_new;
    struct known *known = find(list, container->id, &is_new);
    scoped_free char *end = mem_printf("exit status %d%s%s", container->exit_status,
                                       *container->diagnostics ? ": " : "", container->diagnostics);

    event.id = (char *)(uintptr_t)container->id;
    event.user = (char *)(uintptr_t)container->user;
    if (container->allocated_ms != known->submitted_ms) {
        event.time_ms = container->allocated_ms;
        event.name = "ALLOCATED";
        add(list, event, container->node_id);
    }
    if (container->started_ms != known->started_ms) {
        event.time_ms = container->started_ms;
        event.name = "STARTED";
        add(list, event, container->node_id);
    }
    if (container->resized_ms != known->resized_ms) {
        event.time_ms = container->resized_ms;
        event.name = "RESIZED";
        add(list, event, record_amounts(&container->resource, has));
    }
    if (container->finished_ms != known->finished_ms) {
        event.time_ms = container->finished_ms;
        event.name = "ENDED";
        add(list, event, container->exit_status == CREEL_EXIT_NONE ? container->diagnostics : end);
    }
    known->submitted_ms = container->allocated_ms;
    known->started_ms = container->started_ms;
    known->finished_ms = container->finished_ms;
    known->resized_ms = container->resized_ms;
}

/* Containers that do not end: the report names node, container and process. */
static void find_stuck(struct event_list *list, const struct creel_node *node, struct known *known,
                       int64_t now_ms)
{
    const char *report = node->stuck_report ? node->stuck_report : "";
    struct event event = { .time_ms = now_ms, .kind = "node", .name = "STUCK" };

    if (strcmp(report, known->stuck ? known->stuck : "") == 0)
        return;
    event.id = (char *)(uintptr_t)node->id;
    if (*report)
        add(list, event, report);
    free(known->stuck);
    known->stuck = mem_strdup(report);
}

void event_list_node(struct event_list *list, const struct creel_node *node, int64_t now_ms)
{
    const struct creel_node_admin_state *decision = &node->admin_state;
    struct event event = { .kind = "node", .name = creel_node_state_name(node->state) };
    bool is_new, decided = !node->in_service && decision->by != NULL && decision->since_ms > 0;
    struct known *known = find(list, node->id, &is_new);
    scoped_free char *reason =
        decided ? mem_printf("by %s%s%s", decision->by, *decision->reason ? ": " : "", decision->reason)
                : NULL;

    event.id = (char *)(uintptr_t)node->id;
    if (node->registered_ms != known->submitted_ms) {
        struct event registered = event;

        registered.name = "REGISTERED";
        registered.time_ms = node->registered_ms;
        add(list, registered, node->version);
    }
    if (decided && decision->since_ms != known->started_ms) {
        event.time_ms = decision->since_ms;
        add(list, event, reason);
    } else if (!is_new && known->state != (int)node->state) {
        event.time_ms = now_ms;
        add(list, event, node->health_report);
    }
    find_stuck(list, node, known, now_ms);
    known->submitted_ms = node->registered_ms;
    known->started_ms = decided ? decision->since_ms : 0;
    known->state = (int)node->state;
}

/* --- order ----------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->time_ms != y->time_ms)
        return x->time_ms > y->time_ms ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

const struct event *event_list_next(struct event_list *list, size_t *count)
{
    drop_taken(list);
    if (list->count > 0)
        qsort(list->items, list->count, sizeof(*list->items), compare);
    list->taken = true;
    *count = list->count;
    return list->items;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* event_list.c - the events that the resource manager keeps, and those that the history shows */
#include "client/cli/show/event_list.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"

struct known { /* an event in the list */
    UT_hash_handle hh;
    char key[]; /* id, blank, name */
};

struct of_history { /* an event of the history */
    struct of_history *next;
    struct creel_event event;
};

struct event_list {
    const void **items; /* struct creel_event, borrowed or of MADE */
    size_t count, capacity;
    struct known *known;     /* owned, uthash by key */
    struct of_history *made; /* owned */
};

struct event_list *event_list_new(void)
{
    return mem_new0(struct event_list);
}

void event_list_free(struct event_list *list)
{
    struct known *known, *next_known;
    struct of_history *made;

    if (list == NULL)
        return;
    HASH_ITER(hh, list->known, known, next_known) {
        HASH_DEL(list->known, known);
        free(known);
    }
    while ((made = list->made) != NULL) {
        list->made = made->next;
        free(made);
    }
    free(list->items);
    free(list);
}

/* Returns false if the list has an event of that name of that object. */
static bool note(struct event_list *list, const struct creel_event *event)
{
    scoped_free char *key = mem_printf("%s %s", event->id, event->name);
    struct known *known;

    HASH_FIND_STR(list->known, key, known);
    if (known != NULL)
        return false;
    known = mem_alloc0(sizeof(*known) + strlen(key) + 1);
    memcpy(known->key, key, strlen(key));
    HASH_ADD_KEYPTR(hh, list->known, known->key, strlen(known->key), known);
    return true;
}

static void append(struct event_list *list, const struct creel_event *event)
{
    mem_grow(list->items, list->count, list->capacity);
    list->items[list->count++] = event;
}

void event_list_add(struct event_list *list, const struct creel_events *events)
{
    for (size_t i = 0; i < events->count; i++) {
        (void)note(list, &events->items[i]);
        append(list, &events->items[i]);
    }
}

/* --- the history ----------------------------------------------------------------- */

static void add_made(struct event_list *list, const struct creel_event *event, int64_t since_ms)
{
    struct of_history *made;

    if (event->time_ms <= 0 || event->time_ms < since_ms || !note(list, event))
        return;
    made = mem_new0(struct of_history);
    made->event = *event;
    made->next = list->made;
    list->made = made;
    append(list, &made->event);
}

void event_list_add_ended(struct event_list *list, const struct creel_app *app, int64_t since_ms)
{
    struct creel_event event = {
        .time_ms = app->submitted_ms,
        .object = "app",
        .name = "SUBMITTED",
        .id = app->id,
        .app_id = app->id,
        .node_id = "",
        .user = app->user,
        .queue = app->queue,
        .by = app->user,
        .text = app->name,
        .exit_status = CREEL_EXIT_NONE,
    };

    add_made(list, &event, since_ms);
    event.time_ms = app->started_ms;
    event.name = "STARTED";
    event.by = event.text = "";
    event.node_id = app->master_node_id;
    event.number++;
    add_made(list, &event, since_ms);
    event.time_ms = app->finished_ms;
    event.name = creel_app_state_name(app->state);
    event.text = app->diagnostics;
    event.node_id = "";
    event.exit_status = app->exit_status;
    event.number++;
    add_made(list, &event, since_ms);
}

/* --- order and text ----------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct creel_event *x = *(const struct creel_event *const *)a;
    const struct creel_event *y = *(const struct creel_event *const *)b;

    if (x->time_ms != y->time_ms)
        return x->time_ms > y->time_ms ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

const void *const *event_list_sorted(struct event_list *list, size_t *count)
{
    if (list->count > 0)
        qsort(list->items, list->count, sizeof(*list->items), compare);
    *count = list->count;
    return list->items;
}

char *event_text(const struct creel_event *event)
{
    const char *colon = *event->text != '\0' ? ": " : "";

    if (event->exit_status != CREEL_EXIT_NONE)
        return mem_printf("exit status %d%s%s", event->exit_status, colon, event->text);
    if (*event->by != '\0' && strcmp(event->name, "SUBMITTED") != 0)
        return mem_printf("by %s%s%s", event->by, colon, event->text);
    if (*event->text == '\0' && strcmp(event->object, "node") != 0)
        return mem_strdup(event->node_id);
    return mem_strdup(event->text);
}

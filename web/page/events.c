/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - /cluster/events: what happened to applications, containers, nodes and queues
 *
 * The page lists what the resource manager lists for the user (ListEvents), as `creel events` does: so both
 * show the same, and rights are judged in one place. In the order of time, a page begins where the previous
 * one ended; for other orders, the newest events are read and sorted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/job/exit_status.h"
#include "common/base/text.h"
#include "common/proto/event_copy.h"
#include "common/proto/event_kind.h"
#include "web/page/frame.h"
#include "web/page/list.h"
#include "web/page/list_csv.h"
#include "web/page/page_text.h"
#include "web/page/pages.h"

#define USUAL_MS INT64_C(86400000) /* events of the last day, as in creel events */
#define SORTED_REPLIES_MAX 20      /* a reply has at most 250 events (rm/master/state/page.c) */
#define KEY_SIZE 24

enum event_order { BY_TIME, BY_NAME, BY_OBJECT, BY_USER };

static const struct kind_choice {
    const char *name, *word;
    enum event_object object; /* EVENT_OBJECTS: all */
} choices[] = {
    { "", "all", EVENT_OBJECTS },
    { "app", "applications", EVENT_OF_APP },
    { "container", "containers", EVENT_OF_CONTAINER },
    { "node", "nodes", EVENT_OF_NODE },
    { "queue", "queues", EVENT_OF_QUEUE },
};

#define CHOICE_COUNT (sizeof(choices) / sizeof(*choices))

struct events_page {
    struct page page;
    const struct kind_choice *choice;
    Creel__ListEvents query;
    char *node; /* the only element of QUERY.nodes */
    struct list_state list;
    const void **rows; /* struct Creel__Event, in the arena */
    size_t count, capacity;
    unsigned replies;
    bool more;         /* the resource manager has more events than ROWS */
    const char *error; /* why it lists no more; NULL: it does */
    char next[KEY_SIZE];
};

/* --- the filter ------------------------------------------------------------------ */

/* Returns the id of the node that has TEXT in its id; TEXT if there is none, or more than one. */
static const char *node_of(const struct page *page, const char *text)
{
    const struct web_node_filter filter = { .text = text };
    const Creel__NodeReport *node;
    size_t total = 0;

    if (web_model_node(page->model, text) != NULL)
        return text;
    web_model_list_nodes(page->model, &filter, WEB_NODE_BY_ID, &(struct web_page){ .limit = 1 }, &node,
                         &total);
    return total == 1 ? arena_strdup(page->arena, node->node_id) : text;
}

/* Returns the id of the application with the sequence number TEXT; TEXT if there is none. */
static const char *app_of(const struct page *page, const char *text)
{
    const Creel__AppReport *app = page_app_by_suffix(exchange_application(page->exchange), text);

    return app != NULL ? arena_strdup(page->arena, app->app_id) : text;
}

static void choose_object(struct events_page *events, const char *name)
{
    const ProtobufCEnumDescriptor *kinds = &creel__event_kind__descriptor;
    Creel__ListEvents *query = &events->query;

    events->choice = &choices[0];
    for (size_t i = 0; name != NULL && i < CHOICE_COUNT; i++)
        if (strcasecmp(choices[i].name, name) == 0)
            events->choice = &choices[i];
    query->kinds = arena_array0(events->page.arena, kinds->n_values, sizeof(*query->kinds));
    for (unsigned i = 0; i < kinds->n_values; i++) {
        Creel__EventKind kind = (Creel__EventKind)kinds->values[i].value;

        if (kind != CREEL__EVENT_KIND__EVENT_KIND_ANY && event_object(kind) == events->choice->object)
            query->kinds[query->n_kinds++] = kind;
    }
}

static void read_filter(struct events_page *events)
{
    struct page *page = &events->page;
    Creel__ListEvents *query = &events->query;
    const char *app = list_parameter(page->exchange, "app"), *node = list_parameter(page->exchange, "node");
    const char *queue = list_parameter(page->exchange, "queue"),
               *user = list_parameter(page->exchange, "user");
    const char *since = list_parameter(page->exchange, "since");
    int64_t since_ms = 0;

    creel__list_events__init(query);
    choose_object(events, list_parameter(page->exchange, "kind"));
    if (app != NULL)
        query->app_id = (char *)(uintptr_t)app_of(page, app);
    if (node != NULL) {
        events->node = (char *)(uintptr_t)node_of(page, node);
        query->nodes = &events->node;
        query->n_nodes = 1;
    }
    if (queue != NULL)
        query->queue = (char *)(uintptr_t)queue;
    if (user != NULL)
        query->user = (char *)(uintptr_t)user;
    query->tasks = app != NULL;
    query->containers = app != NULL || node != NULL || events->choice->object == EVENT_OF_CONTAINER;
    if (since != NULL && text_parse_duration_ms(since, USUAL_MS, &since_ms) && since_ms > 0)
        query->since_ms = page->now_ms - since_ms;
    else if (app == NULL && node == NULL)
        query->since_ms = page->now_ms - USUAL_MS;
}

static void add_chips(struct events_page *events)
{
    struct page *page = &events->page;

    list_chips_begin(page, "Events of");
    for (size_t i = 0; i < CHOICE_COUNT; i++)
        list_chip(page, &(struct list_chip){
                            .name = "kind",
                            .value = choices[i].name,
                            .word = choices[i].word,
                            .chosen = &choices[i] == events->choice,
                        });
    list_chips_end(page);
}

static void add_form(struct events_page *events)
{
    static const struct list_input inputs[] = {
        { "app", "Application" },        { "node", "Node" }, { "queue", "Queue" }, { "user", "User" },
        { "since", "In the last (1d)" },
    };

    list_filter_form(&events->page, "/cluster/events", "", inputs, sizeof(inputs) / sizeof(*inputs));
}

/* --- the table ------------------------------------------------------------------- */

static const char *class_of(const char *name)
{
    static const struct {
        const char *name, *class_name;
    } classes[] = {
        { "FAILED", "bad" },    { "KILLED", "off" },      { "LOST", "bad" },
        { "UNHEALTHY", "bad" }, { "REFUSED", "bad" },     { "HELD", "busy" },
        { "RETRIED", "busy" },  { "DRAINING", "busy" },   { "DECOMMISSIONING", "busy" },
        { "STOPPED", "busy" },  { "FINISHED", "good" },   { "STARTED", "good" },
        { "RUNNING", "good" },  { "REGISTERED", "good" },
    };

    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
        if (strcmp(classes[i].name, name) == 0)
            return classes[i].class_name;
    return "off";
}

static void cell_time(struct page *page, const void *row)
{
    page_ago_cell(page, "Time", ((const Creel__Event *)row)->time_ms);
}

static void cell_event(struct page *page, const void *row)
{
    const char *name = event_name(((const Creel__Event *)row)->kind);

    html_add(&page->html, "<td data-label=\"Event\">");
    page_badge(page, class_of(name), name);
    html_add(&page->html, "</td>");
}

static void cell_object(struct page *page, const void *row)
{
    const Creel__Event *event = row;

    html_add(&page->html, "<td data-label=\"Object\">");
    switch (event_object(event->kind)) {
    case EVENT_OF_CONTAINER:
        html_add(&page->html, "<a class=\"id\" href=\"/cluster/container/%s\">%s</a>",
                 html_url(page->arena, event->container_id), event->container_id);
        break;
    case EVENT_OF_NODE:
        page_node_link(page, event->node_id);
        break;
    case EVENT_OF_QUEUE:
        page_queue_link(page, event->queue);
        break;
    default:
        page_app_link(page, event->app_id);
        break;
    }
    html_add(&page->html, "</td>");
}

static void add_user(struct page *page, const char *label, const char *user)
{
    html_add(&page->html, "<td data-label=\"%s\">", label);
    if (*user != '\0')
        html_add(&page->html, "<a href=\"%s\"><bdi>%s</bdi></a>", list_target(page, "user", user), user);
    html_add(&page->html, "</td>");
}

static void cell_user(struct page *page, const void *row)
{
    add_user(page, "User", ((const Creel__Event *)row)->user);
}

static void cell_by(struct page *page, const void *row)
{
    add_user(page, "By", ((const Creel__Event *)row)->by);
}

static void cell_queue(struct page *page, const void *row)
{
    const Creel__Event *event = row;

    html_add(&page->html, "<td data-label=\"Queue\">");
    if (*event->queue != '\0' && event_object(event->kind) != EVENT_OF_QUEUE)
        page_queue_link(page, event->queue);
    html_add(&page->html, "</td>");
}

/* Writes the node of the event, its exit status and its text. */
static void cell_more(struct page *page, const void *row)
{
    const Creel__Event *event = row;
    const char *exit = page_text_exit(page->arena, event->exit_status);
    bool has_node = event_object(event->kind) != EVENT_OF_NODE && *event->node_id != '\0';

    html_add(&page->html, "<td class=\"reason\" data-label=\"More\">");
    if (has_node || *exit != '\0' || *event->text != '\0') {
        html_add(&page->html, "<div>");
        if (has_node) {
            html_add(&page->html, "on ");
            page_node_link(page, event->node_id);
        }
        html_add(&page->html, "%s%s%s<bdi>%s</bdi></div>", has_node && *exit != '\0' ? ", " : "", exit,
                 *event->text == '\0'                                      ? ""
                 : has_node || *exit != '\0'                               ? ": "
                 : event->kind == CREEL__EVENT_KIND__EVENT_NODE_REGISTERED ? "version "
                                                                           : "",
                 event->text);
    }
    html_add(&page->html, "</td>");
}

static const struct list_column columns[] = {
    { LIST_SORT("time", BY_TIME), LIST_TITLE("Time", "StartTime, FinishTime, of the change"), .number = true,
      LIST_CELL("time", cell_time) },
    { LIST_SORT("event", BY_NAME), LIST_TITLE("Event", "State after the event"),
      LIST_CELL("event", cell_event) },
    { LIST_SORT("object", BY_OBJECT),
      LIST_TITLE("Object", "ID of the application, container or node, path of the queue"),
      LIST_CELL("object", cell_object) },
    { LIST_SORT("user", BY_USER), LIST_TITLE("User", "User: owner of the application"),
      LIST_CELL("user", cell_user) },
    { LIST_TITLE("By", "user who caused the event; empty: creel itself, or not known"),
      LIST_CELL("by", cell_by) },
    { LIST_TITLE("Queue", "Queue"), LIST_CELL("queue", cell_queue) },
    { LIST_TITLE("More", "name of the application, node, reason, Diagnostics"),
      LIST_CELL("more", cell_more) },
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

/* --- rows ------------------------------------------------------------------------ */

static void add_row(struct events_page *events, const Creel__Event *event)
{
    struct arena *arena = events->page.arena;

    if (events->count == events->capacity) {
        size_t capacity = events->capacity > 0 ? 2 * events->capacity : 64;
        const void **grown = arena_array0(arena, capacity, sizeof(*grown));

        if (events->count > 0)
            memcpy(grown, events->rows, events->count * sizeof(*grown));
        events->rows = grown;
        events->capacity = capacity;
    }
    events->rows[events->count++] = event_copy_in(arena, event);
}

static const char *key_of(const Creel__Event *event, char ret[KEY_SIZE])
{
    snprintf(ret, KEY_SIZE, "%" PRIu64, event->number);
    return ret;
}

/* Returns the number of an event that the URL or list_csv.h has; 0: none. */
static uint64_t number_of(const char *key)
{
    int64_t number;

    return key != NULL && text_parse_int64(key, &number) && number > 0 ? (uint64_t)number : 0;
}

static int compare_rows(const void *a, const void *b, void *context)
{
    const Creel__Event *x = *(const Creel__Event *const *)a, *y = *(const Creel__Event *const *)b;
    const struct list_state *list = context;
    int result = 0;

    if (list->column->order == BY_NAME)
        result = strcmp(event_name(x->kind), event_name(y->kind));
    else if (list->column->order == BY_OBJECT)
        result = strcmp(event_id(x), event_id(y));
    else if (list->column->order == BY_USER)
        result = strcmp(x->user, y->user);
    if (result == 0)
        result = (x->number > y->number) - (x->number < y->number);
    return list->descending ? -result : result;
}

/* Sorts the rows, and returns the index of the first one of the page. */
static size_t sort_rows(struct events_page *events)
{
    uint64_t after = number_of(events->list.after);
    size_t i = 0;

    if (events->count > 0)
        qsort_r(events->rows, events->count, sizeof(*events->rows), compare_rows, &events->list);
    while (i < events->count && ((const Creel__Event *)events->rows[i])->number != after)
        i++;
    return i < events->count ? i + 1 : 0;
}

/* --- CSV ------------------------------------------------------------------------- */

#define FIELD(id, function, value) \
    static void id(struct csv *csv, const void *row) \
    { \
        const Creel__Event *event = row; \
        function(csv, value); \
    }

FIELD(field_time, csv_time, event->time_ms)
FIELD(field_event, csv_text, event_name(event->kind))
FIELD(field_object, csv_text, event_id(event))
FIELD(field_app, csv_text, event->app_id)
FIELD(field_node, csv_text, event->node_id)
FIELD(field_user, csv_text, event->user)
FIELD(field_by, csv_text, event->by)
FIELD(field_queue, csv_text, event->queue)
FIELD(field_text, csv_text, event->text)

static void field_exit(struct csv *csv, const void *row)
{
    const Creel__Event *event = row;

    if (event->exit_status == CONTAINER_EXIT_NONE)
        csv_text(csv, "");
    else
        csv_count(csv, event->exit_status);
}

static const struct list_field fields[] = {
    { "time", field_time },       { "event", field_event }, { "object", field_object },
    { "application", field_app }, { "node", field_node },   { "user", field_user },
    { "by", field_by },           { "queue", field_queue }, { "exit_status", field_exit },
    { "text", field_text },
};

static const struct list_fields event_fields = { "events", fields, sizeof(fields) / sizeof(*fields) };

static void ask_csv(struct exchange *exchange, void *context, const char *after, exchange_reply_fn *then,
                    void *then_context)
{
    struct events_page *events = context;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    events->query.newest_first = true;
    events->query.before = number_of(after);
    query.body_case = CREEL__ENVELOPE__BODY_LIST_EVENTS;
    query.list_events = &events->query;
    exchange_ask(exchange, &query, then, then_context);
}

static bool read_csv(void *context, const Creel__Envelope *reply, size_t *count, const char **next,
                     const char **warning)
{
    struct events_page *events = context;

    if (reply->body_case != CREEL__ENVELOPE__BODY_EVENT_LIST)
        return false;
    snprintf(events->next, sizeof(events->next), "%" PRIu64, reply->event_list->last);
    *count = reply->event_list->n_events;
    *next = reply->event_list->more ? events->next : "";
    *warning = "";
    return true;
}

static const void *row_of_csv(void *context, struct arena *arena, const Creel__Envelope *reply, size_t i)
{
    (void)context;
    (void)arena;
    return reply->event_list->events[i];
}

/* --- the page -------------------------------------------------------------------- */

static void add_notes(struct events_page *events)
{
    struct page *page = &events->page;

    if (events->error != NULL)
        html_add(&page->html, "<p class=\"note\">Events cannot be listed: %s.</p>", events->error);
    else if (events->count == 0)
        html_add(&page->html, "<p class=\"note\">No event fits.</p>");
    if (events->more && events->list.column->order != BY_TIME)
        html_add(&page->html,
                 "<p class=\"note\">Only the newest %s events are here. In the order of time, all can be "
                 "paged through.</p>",
                 page_text_count(page->arena, events->count));
    html_add(&page->html, "<p class=\"foot\">Applications that the resource manager has forgotten are in the "
                          "<a href=\"/cluster/history\">history</a>.</p>");
}

static void send(struct events_page *events)
{
    struct page *page = &events->page;
    const struct list_state *list = &events->list;
    bool by_time = list->column->order == BY_TIME;
    size_t first = by_time ? 0 : sort_rows(events), left = events->count - first;
    size_t shown = left < list->limit ? left : list->limit;
    char key[KEY_SIZE];

    html_add(&page->html, "<section id=\"rows\" class=\"live wide\"><table class=\"cards\">"
                          "<caption class=\"hidden\">Events</caption>");
    list_head(page, list, columns, COLUMN_COUNT);
    html_add(&page->html, "<tbody>");
    for (size_t i = 0; i < shown; i++)
        list_row(page, list, columns, COLUMN_COUNT, events->rows[first + i]);
    html_add(&page->html, "</tbody></table>");
    list_foot(page, list, shown, by_time ? shown : events->count,
              left > shown ? key_of(events->rows[first + shown - 1], key) : NULL, "event", "events");
    add_notes(events);
    html_add(&page->html, "</section>\n");
    list_columns_form(page, list, columns, COLUMN_COUNT, "/cluster/events");
    page_send(page);
}

static void ask_events(struct events_page *events);

/* Returns whether the rows suffice: in the order of time one more than the page shows, for the link to the
 * next page. */
static bool is_enough(const struct events_page *events)
{
    if (events->list.column->order == BY_TIME)
        return events->count > events->list.limit;
    return events->replies == SORTED_REPLIES_MAX;
}

static void handle_events(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct events_page *events = context;
    const Creel__EventList *list = reply->event_list;

    if (reply->body_case != CREEL__ENVELOPE__BODY_EVENT_LIST) {
        events->error = arena_strdup(exchange_arena(exchange), reply->body_case == CREEL__ENVELOPE__BODY_ERROR
                                                                   ? reply->error->message
                                                                   : "no answer");
        send(events);
        return;
    }
    for (size_t i = 0; i < list->n_events; i++)
        add_row(events, list->events[i]);
    events->query.after = events->query.before = list->last;
    events->more = list->more;
    events->replies++;
    if (list->more && !is_enough(events))
        ask_events(events);
    else
        send(events);
}

static void ask_events(struct events_page *events)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    if (events->list.column->order == BY_TIME)
        events->query.limit = (uint32_t)(events->list.limit + 1 - events->count);
    query.body_case = CREEL__ENVELOPE__BODY_LIST_EVENTS;
    query.list_events = &events->query;
    exchange_ask(events->page.exchange, &query, handle_events, events);
}

void page_events(struct exchange *exchange)
{
    struct events_page *events = arena_new0(exchange_arena(exchange), struct events_page);
    struct list_state *list = &events->list;

    if (!page_begin(&events->page, exchange, MENU_EVENTS, "Events", false))
        return;
    list_read(list, exchange, columns, COLUMN_COUNT, "-time");
    if (!list_choose_columns(list, exchange, columns, COLUMN_COUNT))
        return;
    read_filter(events);
    if (list_csv_is_wanted(exchange)) {
        list_csv_answer_replies(exchange, &event_fields,
                                &(struct list_replies){ ask_csv, read_csv, row_of_csv, events });
        return;
    }
    add_chips(events);
    add_form(events);
    events->query.newest_first = list->column->order != BY_TIME || list->descending;
    if (list->column->order == BY_TIME)
        events->query.after = events->query.before = number_of(list->after);
    ask_events(events);
}

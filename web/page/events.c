/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - /cluster/events: what happened to applications, containers, nodes and queues */
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "web/model/events.h"
#include "web/page/frame.h"
#include "web/page/list.h"
#include "web/page/list_csv.h"
#include "web/page/page_text.h"
#include "web/page/pages.h"

#define USUAL_MS INT64_C(86400000) /* events of the last day, as in creel events */
#define CONTAINERS_MAX 1000
#define EVENTS_OF_CONTAINER 3
#define PAGES_MAX 256 /* of the versions of the configuration; the resource manager has far fewer */

static const struct kind_choice {
    const char *name, *word;
    uint32_t kinds;
} choices[] = {
    { "", "all", 0 },
    { "app", "applications", 1u << WEB_EVENT_APP },
    { "container", "containers", 1u << WEB_EVENT_CONTAINER },
    { "node", "nodes", 1u << WEB_EVENT_NODE },
    { "queue", "queues", 1u << WEB_EVENT_QUEUE },
};

#define CHOICE_COUNT (sizeof(choices) / sizeof(*choices))

struct events_page {
    struct page page;
    struct web_event_filter filter;
    const struct kind_choice *choice;
    struct web_event *more; /* of containers or of the configuration; their texts are in the arena */
    size_t more_count;
    unsigned pages;   /* of the versions of the configuration */
    const char *note; /* why the list is not complete; NULL: it is */
    struct list_state list;
    struct web_event *csv_rows;
    char csv_key[WEB_EVENT_KEY_SIZE];
};

static const char *parameter(struct exchange *exchange, const char *name)
{
    const char *value = exchange_parameter(exchange, name, 0);

    return value != NULL && *value != '\0' ? value : NULL;
}

/* --- the filter ------------------------------------------------------------------ */

/* Returns the id of the node that has TEXT in its id; TEXT if there is none, or more than one. */
static const char *node_of(const struct page *page, const char *text)
{
    const struct web_node_filter filter = { .text = text };
    const Creel__NodeReport *node;
    size_t total = 0;

    if (text == NULL || web_model_node(page->model, text) != NULL)
        return text;
    web_model_list_nodes(page->model, &filter, WEB_NODE_BY_ID, &(struct web_page){ .limit = 1 }, &node,
                         &total);
    return total == 1 ? arena_strdup(page->arena, node->node_id) : text;
}

/* Returns the id of the application with the sequence number TEXT; TEXT if there is none. */
static const char *app_of(const struct page *page, const char *text)
{
    const Creel__AppReport *app =
        text != NULL ? page_app_by_suffix(exchange_application(page->exchange), text) : NULL;

    return app != NULL ? arena_strdup(page->arena, app->app_id) : text;
}

static void read_filter(struct events_page *events)
{
    struct page *page = &events->page;
    const char *kind = parameter(page->exchange, "kind"), *since = parameter(page->exchange, "since");
    int64_t since_ms = 0;

    events->choice = &choices[0];
    for (size_t i = 0; kind != NULL && i < CHOICE_COUNT; i++)
        if (strcasecmp(choices[i].name, kind) == 0)
            events->choice = &choices[i];
    events->filter = (struct web_event_filter){
        .kinds = events->choice->kinds,
        .app_id = app_of(page, parameter(page->exchange, "app")),
        .node = node_of(page, parameter(page->exchange, "node")),
        .queue = parameter(page->exchange, "queue"),
        .user = parameter(page->exchange, "user"),
    };
    if (since != NULL && text_parse_duration_ms(since, USUAL_MS, &since_ms) && since_ms > 0)
        events->filter.since_ms = page->now_ms - since_ms;
    else if (events->filter.app_id == NULL && events->filter.node == NULL)
        events->filter.since_ms = page->now_ms - USUAL_MS;
}

static void add_chips(struct events_page *events)
{
    struct page *page = &events->page;
    bool has_containers = events->filter.app_id != NULL || events->filter.node != NULL;

    html_add(&page->html, "<nav class=\"chips\" aria-label=\"Events of\">");
    for (size_t i = 0; i < CHOICE_COUNT; i++) {
        const struct kind_choice *choice = &choices[i];

        if (choice->kinds == 1u << WEB_EVENT_CONTAINER && !has_containers && choice != events->choice)
            continue;
        html_add(&page->html, "<a href=\"%s\"",
                 list_target(page, "kind", *choice->name != '\0' ? choice->name : NULL));
        if (choice == events->choice)
            html_add(&page->html, " aria-current=\"true\"");
        html_add(&page->html, ">%s</a>", choice->word);
    }
    html_add(&page->html, "</nav>");
}

static void add_field(struct page *page, const char *name, const char *title)
{
    const char *value = parameter(page->exchange, name);

    html_add(&page->html, "<label>%s <input name=\"%s\" value=\"%s\"></label>", title, name,
             value != NULL ? value : "");
}

static void add_form(struct events_page *events)
{
    static const char *const own[] = { "app", "node", "queue", "user", "since" };
    struct page *page = &events->page;

    html_add(&page->html, "<form class=\"filter\" action=\"/cluster/events\">");
    list_keep_parameters(page, own, sizeof(own) / sizeof(*own));
    add_field(page, "app", "Application");
    add_field(page, "node", "Node");
    add_field(page, "queue", "Queue");
    add_field(page, "user", "User");
    add_field(page, "since", "In the last (1d)");
    html_add(&page->html, "<button>Filter</button> <a href=\"/cluster/events\">clear</a></form>\n");
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
    page_ago_cell(page, "Time", ((const struct web_event *)row)->time_ms);
}

static void cell_event(struct page *page, const void *row)
{
    const char *name = ((const struct web_event *)row)->name;

    html_add(&page->html, "<td data-label=\"Event\">");
    page_badge(page, class_of(name), name);
    html_add(&page->html, "</td>");
}

static void cell_object(struct page *page, const void *row)
{
    const struct web_event *event = row;

    html_add(&page->html, "<td data-label=\"Object\">");
    switch (event->kind) {
    case WEB_EVENT_APP:
        page_app_link(page, event->id);
        break;
    case WEB_EVENT_CONTAINER:
        html_add(&page->html, "<a class=\"id\" href=\"/cluster/container/%s\">%s</a>",
                 html_url(page->arena, event->id), event->id);
        break;
    case WEB_EVENT_NODE:
        page_node_link(page, event->id);
        break;
    case WEB_EVENT_QUEUE:
        page_queue_link(page, event->id);
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
    add_user(page, "User", ((const struct web_event *)row)->user);
}

static void cell_by(struct page *page, const void *row)
{
    add_user(page, "By", ((const struct web_event *)row)->by);
}

static void cell_queue(struct page *page, const void *row)
{
    const struct web_event *event = row;

    html_add(&page->html, "<td data-label=\"Queue\">");
    if (*event->queue != '\0' && event->kind != WEB_EVENT_QUEUE)
        page_queue_link(page, event->queue);
    html_add(&page->html, "</td>");
}

/* Writes the node of the event, its exit status and its text. */
static void cell_more(struct page *page, const void *row)
{
    const struct web_event *event = row;
    const char *exit = page_text_exit(page->arena, event->exit_status);
    bool has_node = event->kind != WEB_EVENT_NODE && *event->node != '\0';

    html_add(&page->html, "<td class=\"reason\" data-label=\"More\">");
    if (has_node || *exit != '\0' || *event->text != '\0') {
        html_add(&page->html, "<div>");
        if (has_node) {
            html_add(&page->html, "on ");
            page_node_link(page, event->node);
        }
        html_add(&page->html, "%s%s%s<bdi>%s</bdi></div>", has_node && *exit != '\0' ? ", " : "", exit,
                 *event->text == '\0'                     ? ""
                 : has_node || *exit != '\0'              ? ": "
                 : strcmp(event->name, "REGISTERED") == 0 ? "version "
                                                          : "",
                 event->text);
    }
    html_add(&page->html, "</td>");
}

static const struct list_column columns[] = {
    { LIST_SORT("time", WEB_EVENT_BY_TIME), LIST_TITLE("Time", "StartTime, FinishTime, of the change"),
      .number = true, LIST_CELL("time", cell_time) },
    { LIST_SORT("event", WEB_EVENT_BY_NAME), LIST_TITLE("Event", "State after the event"),
      LIST_CELL("event", cell_event) },
    { LIST_SORT("object", WEB_EVENT_BY_OBJECT),
      LIST_TITLE("Object", "ID of the application, container or node, path of the queue"),
      LIST_CELL("object", cell_object) },
    { LIST_SORT("user", WEB_EVENT_BY_USER), LIST_TITLE("User", "User: owner of the application"),
      LIST_CELL("user", cell_user) },
    { LIST_TITLE("By", "user who caused the event; empty: creel itself, or not known"),
      LIST_CELL("by", cell_by) },
    { LIST_TITLE("Queue", "Queue"), LIST_CELL("queue", cell_queue) },
    { LIST_TITLE("More", "name of the application, node, reason, Diagnostics"),
      LIST_CELL("more", cell_more) },
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

/* --- CSV ------------------------------------------------------------------------- */

#define FIELD(id, function, value) \
    static void id(struct csv *csv, const void *row) \
    { \
        const struct web_event *event = row; \
        function(csv, value); \
    }

FIELD(field_time, csv_time, event->time_ms)
FIELD(field_event, csv_text, event->name)
FIELD(field_object, csv_text, event->id)
FIELD(field_app, csv_text, event->app_id)
FIELD(field_node, csv_text, event->node)
FIELD(field_user, csv_text, event->user)
FIELD(field_by, csv_text, event->by)
FIELD(field_queue, csv_text, event->queue)
FIELD(field_text, csv_text, event->text)

static void field_exit(struct csv *csv, const void *row)
{
    const struct web_event *event = row;

    if (event->exit_status == WEB_EVENT_NO_EXIT)
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

static size_t read_events(void *context, const char *after, const void **rows, size_t limit)
{
    struct events_page *events = context;
    size_t total, count;

    if (events->csv_rows == NULL)
        events->csv_rows = arena_array0(events->page.arena, limit, sizeof(*events->csv_rows));
    count = web_model_list_events(events->page.model, &events->filter, events->more, events->more_count,
                                  &(struct web_event_page){ WEB_EVENT_BY_TIME, true, after, limit },
                                  events->csv_rows, &total);
    for (size_t i = 0; i < count; i++)
        rows[i] = &events->csv_rows[i];
    return count;
}

static const char *key_of_event(void *context, const void *row)
{
    return web_event_key(row, ((struct events_page *)context)->csv_key);
}

/* --- the page -------------------------------------------------------------------- */

static void add_notes(struct events_page *events)
{
    struct html *html = &events->page.html;

    if (events->note != NULL)
        html_add(html, "<p class=\"note\">%s</p>", events->note);
    if (web_model_events_are_cut(events->page.model, &events->filter,
                                 (enum web_event_order)events->list.column->order))
        html_add(
            html,
            "<p class=\"note\">Of applications, only the events of the newest %s are here. In the order of "
            "time, without a node, all can be paged through.</p>",
            page_text_count(events->page.arena, WEB_EVENT_APPS_MAX));
    if (events->choice->kinds == 1u << WEB_EVENT_CONTAINER && events->filter.app_id == NULL &&
        events->filter.node == NULL)
        html_add(html, "<p class=\"note\">Choose an application or a node to see events of containers.</p>");
    html_add(html, "<p class=\"foot\">Applications that the resource manager has forgotten are in the "
                   "<a href=\"/cluster/history\">history</a>.</p>");
}

static void send(struct events_page *events)
{
    struct page *page = &events->page;
    const struct list_state list = events->list;
    struct web_event *rows;
    char key[WEB_EVENT_KEY_SIZE];
    size_t total, count, shown;

    if (list_csv_is_wanted(page->exchange)) {
        list_csv_answer_source(page->exchange, &event_fields,
                               &(struct list_source){ read_events, key_of_event, NULL, events });
        return;
    }
    rows = arena_array0(page->arena, list.limit + 1, sizeof(*rows));
    count = web_model_list_events(page->model, &events->filter, events->more, events->more_count,
                                  &(struct web_event_page){ (enum web_event_order)list.column->order,
                                                            list.descending, list.after, list.limit + 1 },
                                  rows, &total);
    shown = count < list.limit ? count : list.limit;
    html_add(&page->html, "<section id=\"rows\" class=\"live wide\"><table class=\"cards\">"
                          "<caption class=\"hidden\">Events</caption>");
    list_head(page, &list, columns, COLUMN_COUNT);
    html_add(&page->html, "<tbody>");
    for (size_t i = 0; i < shown; i++)
        list_row(page, &list, columns, COLUMN_COUNT, &rows[i]);
    html_add(&page->html, "</tbody></table>");
    if (count == 0)
        html_add(&page->html, "<p class=\"note\">No event fits.</p>");
    list_foot(page, &list, shown, total, count > shown ? web_event_key(&rows[shown - 1], key) : NULL, "event",
              "events");
    add_notes(events);
    html_add(&page->html, "</section>\n");
    list_columns_form(page, &list, columns, COLUMN_COUNT, "/cluster/events");
    page_send(page);
}

/* --- events of containers ----------------------------------------------------------- */

static void add_event(struct events_page *events, struct web_event *event, unsigned step, int64_t time_ms,
                      const char *name)
{
    event->step = step;
    event->time_ms = time_ms;
    event->name = name;
    events->more[events->more_count++] = *event;
}

static void add_container(struct events_page *events, const Creel__ContainerReport *container)
{
    struct arena *arena = events->page.arena;
    const Creel__AppReport *app = web_model_app(events->page.model, container->app_id);
    struct web_event event = WEB_EVENT_NONE;

    event.kind = WEB_EVENT_CONTAINER;
    event.id = arena_strdup(arena, container->container_id);
    event.app_id = arena_strdup(arena, container->app_id);
    event.node = arena_strdup(arena, container->node_id);
    event.user = arena_strdup(arena, container->user);
    event.queue = app != NULL ? arena_strdup(arena, app->queue) : "";
    add_event(events, &event, 0, container->allocated_ms, "ALLOCATED");
    add_event(events, &event, 1, container->started_ms, "STARTED");
    if (container->finished_ms == 0)
        return;
    event.exit_status = container->exit_status;
    event.text = arena_strdup(arena, container->diagnostics);
    add_event(events, &event, 2, container->finished_ms, "ENDED");
}

static void handle_containers(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct events_page *events = context;
    const Creel__ContainerList *list = reply->container_list;

    if (reply->body_case != CREEL__ENVELOPE__BODY_CONTAINER_LIST) {
        if (list_csv_refuse(exchange, reply))
            return;
        events->note = arena_printf(events->page.arena, "Containers cannot be listed: %s.",
                                    reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? reply->error->message
                                                                                    : "no answer");
    } else {
        events->more = arena_array0(events->page.arena, EVENTS_OF_CONTAINER * list->n_containers + 1,
                                    sizeof(*events->more));
        for (size_t i = 0; i < list->n_containers; i++)
            add_container(events, list->containers[i]);
        if (*list->next != '\0')
            events->note = "There are more containers, whose events are not listed.";
    }
    send(events);
}

static void ask_containers(struct events_page *events)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;

    if (events->filter.app_id != NULL)
        body.app_id = (char *)(uintptr_t)events->filter.app_id;
    if (events->filter.node != NULL)
        body.node_id = (char *)(uintptr_t)events->filter.node;
    body.limit = CONTAINERS_MAX;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
    query.list_containers = &body;
    exchange_ask(events->page.exchange, &query, handle_containers, events);
}

/* --- events of the configuration ----------------------------------------------------- */

#define QUEUE_KEY "yarn.scheduler.capacity."

/* Returns the queue of a key ("yarn.scheduler.capacity.root.a.state"): the longest path of a queue that
 * begins the key, or, if the queue is not there any more, all but the last part. */
static const char *queue_of_key(const struct page *page, const char *key)
{
    const Creel__QueueReport *const *queues;
    size_t count = web_model_queues(page->model, &queues), longest = 0;
    const char *path = key + strlen(QUEUE_KEY), *dot;

    if (!text_has_prefix(key, QUEUE_KEY "root"))
        return "root";
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(queues[i]->path);

        if (length > longest && strncmp(path, queues[i]->path, length) == 0 && path[length] == '.')
            longest = length;
    }
    dot = strrchr(path, '.');
    if (longest <= strlen("root") && dot != NULL && dot > path)
        longest = (size_t)(dot - path);
    return arena_printf(page->arena, "%.*s", (int)longest, path);
}

static const char *change_text(struct page *page, const Creel__ConfOverride *change, const char *queue)
{
    const char *key = change->key;

    if (text_has_prefix(key, QUEUE_KEY))
        key += strlen(QUEUE_KEY);
    if (text_has_prefix(key, queue) && key[strlen(queue)] == '.')
        key += strlen(queue) + 1;
    if (change->removed || change->as_file)
        return arena_printf(page->arena, "%s %s", key, change->removed ? "removed" : "as in the file");
    return arena_printf(page->arena, "%s=%s", key, change->value);
}

/* Adds the changes of a version as one event for each run of keys of the same queue. */
static void add_version(struct events_page *events, const Creel__SchedulerConfVersion *version)
{
    struct page *page = &events->page;
    struct web_event event = WEB_EVENT_NONE;

    event.kind = WEB_EVENT_QUEUE;
    event.by = arena_strdup(page->arena, version->by);
    for (size_t i = 0, first; i < version->n_changed;) {
        const char *queue = queue_of_key(page, version->changed[i]->key);
        struct text_builder text = TEXT_BUILDER_IN(page->arena);

        first = i;
        do {
            text_builder_separate(&text, ", ");
            text_builder_add(&text, change_text(page, version->changed[i], queue));
        } while (++i < version->n_changed &&
                 strcmp(queue_of_key(page, version->changed[i]->key), queue) == 0);
        event.id = event.queue = queue;
        event.text = text_builder_finish(&text);
        add_event(events, &event, (unsigned)version->version * 64 + (unsigned)(first % 64), version->at_ms,
                  "CONFIGURED");
    }
}

/* Makes room for further COUNT events. */
static void grow_more(struct events_page *events, size_t count)
{
    struct web_event *more =
        arena_array0(events->page.arena, events->more_count + count + 1, sizeof(*events->more));

    if (events->more_count > 0)
        memcpy(more, events->more, events->more_count * sizeof(*more));
    events->more = more;
}

static void ask_versions(struct events_page *events, uint32_t first);

static void handle_versions(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct events_page *events = context;
    size_t changes = 0;

    if (reply->body_case == CREEL__ENVELOPE__BODY_SCHEDULER_CONF) {
        const Creel__SchedulerConf *conf = reply->scheduler_conf;

        for (size_t i = 0; i < conf->n_versions; i++)
            changes += conf->versions[i]->n_changed;
        grow_more(events, changes);
        for (size_t i = 0; i < conf->n_versions; i++)
            add_version(events, conf->versions[i]);
        if (conf->next != 0 && ++events->pages < PAGES_MAX) {
            ask_versions(events, conf->next);
            return;
        }
    } else if (list_csv_refuse(exchange, reply)) {
        return;
    }
    send(events);
}

static void ask_versions(struct events_page *events, uint32_t first)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetSchedulerConf body = CREEL__GET_SCHEDULER_CONF__INIT;

    body.versions = true;
    body.first = first;
    query.body_case = CREEL__ENVELOPE__BODY_GET_SCHEDULER_CONF;
    query.get_scheduler_conf = &body;
    exchange_ask(events->page.exchange, &query, handle_versions, events);
}

void page_events(struct exchange *exchange)
{
    struct events_page *events = arena_new0(exchange_arena(exchange), struct events_page);

    if (!page_begin(&events->page, exchange, MENU_EVENTS, "Events", false))
        return;
    list_read(&events->list, exchange, columns, COLUMN_COUNT, "-time");
    if (!list_choose_columns(&events->list, exchange, columns, COLUMN_COUNT))
        return;
    read_filter(events);
    add_chips(events);
    add_form(events);
    if (events->filter.app_id != NULL || events->filter.node != NULL)
        ask_containers(events);
    else
        ask_versions(events, 0);
}

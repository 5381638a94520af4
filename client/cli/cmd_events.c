/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_events.c - creel events: what happened to applications, containers and nodes */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/event_list.h"
#include "client/cli/host_arguments.h"
#include "client/cli/listing.h"
#include "client/cli/moment.h"
#include "client/cli/show_app.h"
#include "client/include/creel-changes.h"
#include "client/include/creel-history.h"
#include "common/base/mem.h"
#include "common/io/loop.h"

#define USUAL_MS 86400000 /* events of the last day */
#define POLL_MS 1000
#define WATCH_MS 10000

const struct option_spec events_options[] = {
    { 'a', "app", "ID", "only of this application, with its containers" },
    { 0, "node", "NODE", "only of these nodes (n7, n[1-40]), with their containers" },
    { 'q', "queue", "QUEUE", "only of applications in this queue and the queues below it" },
    { 0, "since", "TIME", "events since then (default: the last day)" },
    { 'f', "follow", NULL, "print new events as they happen" },
    { 0 },
};

struct events {
    struct cli *cli;
    struct creel_client *client;
    struct event_list *list;
    char *app, *queue; /* owned; NULL: all */
    char **nodes;      /* owned ids, and the array; NULL: all */
    size_t node_count, node_capacity;
    bool queue_unknown; /* it may have been removed: an error if no application of it is known */
    bool queue_seen;    /* an application of it is known */
    struct creel_error queue_error;
    int64_t since_ms;
    bool follow;
};

/* --- what is chosen --------------------------------------------------------- */

static int choose_app(struct events *events, const char *name, struct creel_error *error)
{
    struct creel_apps *apps;
    int r = creel_app_get(events->client, name, &apps, error);

    if (r < 0)
        return r;
    events->app = mem_strdup(apps->items[0].id);
    creel_apps_free(apps);
    return 0;
}

static int choose_nodes(struct events *events, const struct host_names *names, struct creel_error *error)
{
    for (size_t i = 0; i < names->count; i++) {
        struct creel_nodes *nodes;
        int r = creel_node_list(events->client, names->items[i], &nodes, error);

        if (r < 0)
            return r;
        mem_grow(events->nodes, events->node_count, events->node_capacity);
        events->nodes[events->node_count++] = mem_strdup(nodes->items[0].id);
        creel_nodes_free(nodes);
    }
    return 0;
}

static int choose_queue(struct events *events, const char *name, struct creel_error *error)
{
    struct creel_queues *queues;
    int r = creel_queue_list(events->client, name, &queues, error);

    if (r < 0 && (r != -ENOENT || events->follow))
        return r;
    events->queue_unknown = r < 0;
    if (r < 0)
        events->queue_error = *error;
    events->queue = mem_strdup(r < 0 ? name : queues->items[0].path);
    if (r == 0)
        creel_queues_free(queues);
    return 0;
}

static int choose(struct events *events, const struct host_names *nodes, struct creel_error *error)
{
    const char *app = options_get(&events->cli->options, "app");
    const char *queue = options_get(&events->cli->options, "queue");

    if (app != NULL)
        return choose_app(events, app, error);
    return queue != NULL ? choose_queue(events, queue, error) : choose_nodes(events, nodes, error);
}

static void done(struct events *events)
{
    for (size_t i = 0; i < events->node_count; i++)
        free(events->nodes[i]);
    free(events->nodes);
    free(events->app);
    free(events->queue);
    event_list_free(events->list);
}

/* --- output ---------------------------------------------------------------- */

static const struct table_column columns[] = {
    { "time", "TIME", 0 },      { "event", "EVENT", TABLE_STATE }, { "object", "OBJECT", 0 },
    { "user", "USER", 0 },      { "queue", "QUEUE", 0 },           { "kind", "KIND", TABLE_WIDE },
    { "id", "ID", TABLE_WIDE }, { "text", "TEXT", TABLE_CUT },
};

static const char *short_id(const struct event *event)
{
    if (strcmp(event->kind, "app") == 0)
        return show_app_suffix(event->id);
    return strcmp(event->kind, "container") == 0 ? show_container_suffix(event->id) : event->id;
}

static void row(const void *item, struct table *table)
{
    const struct event *event = item;
    char time[SHOW_TIME_MAX];

    show_local_time(event->time_ms, time);
    table_text(table, time);
    table_sorted_by(table, event->time_ms);
    table_text(table, event->name);
    table_text(table, short_id(event));
    table_text(table, event->user);
    table_text(table, event->queue);
    table_text(table, event->kind);
    table_text(table, event->id);
    table_text(table, event->text);
}

static void json(const void *item, struct json_writer *json)
{
    const struct event *event = item;

    json_time(json, "time", event->time_ms);
    json_text(json, "kind", event->kind);
    json_text(json, "event", event->name);
    json_text(json, "id", event->id);
    json_text_if(json, "user", event->user);
    json_text_if(json, "queue", event->queue);
    json_text_if(json, "text", event->text);
}

static const char *id_of(const void *item)
{
    return ((const struct event *)item)->id;
}

static const struct listing listing = {
    .kind = "EventList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = id_of,
};

static int print_table(struct events *events)
{
    size_t count;
    const struct event *found = event_list_next(events->list, &count);
    scoped_free const void **items = mem_array0(count + 1, sizeof(*items));

    for (size_t i = 0; i < count; i++)
        items[i] = &found[i];
    return listing_print(events->cli, &listing, items, count);
}

static void print_line(const struct event *event)
{
    char time[SHOW_TIME_MAX];

    show_local_time(event->time_ms, time);
    printf("%s  %-12s  %s", time, event->name, short_id(event));
    if (*event->user)
        printf("  %s", event->user);
    if (*event->queue)
        printf("  %s", event->queue);
    printf("%s%s\n", *event->text ? "  " : "", event->text);
}

/* Prints the events found since the last call, one per line; returns false if standard output is closed. */
static bool print_lines(struct events *events)
{
    struct cli *cli = events->cli;
    struct items_writer items;
    size_t count;
    const struct event *found = event_list_next(events->list, &count);

    if (cli->format == FORMAT_JSON)
        cli->format = FORMAT_JSONL;
    if (cli->format == FORMAT_JSONL)
        items_begin(&items, cli, listing.kind);
    for (size_t i = 0; i < count; i++) {
        if (cli->format == FORMAT_JSONL) {
            json(&found[i], items_open(&items));
            items_close(&items);
        } else {
            print_line(&found[i]);
        }
    }
    return fflush(stdout) == 0 && !ferror(stdout);
}

/* --- one look -------------------------------------------------------------- */

static bool in_queue(const struct events *events, const struct creel_app *app)
{
    const char *dot = strrchr(app->queue, '.');
    size_t length = events->queue ? strlen(events->queue) : 0;

    return events->queue == NULL ||
           (strncmp(app->queue, events->queue, length) == 0 &&
            (app->queue[length] == '\0' || app->queue[length] == '.')) ||
           (events->queue_unknown && dot != NULL && strcmp(dot + 1, events->queue) == 0);
}

static bool is_chosen(const struct events *events, const struct creel_node *node)
{
    for (size_t i = 0; i < events->node_count; i++)
        if (strcmp(node->id, events->nodes[i]) == 0)
            return true;
    return events->nodes == NULL;
}

static void add_apps(struct events *events, const struct creel_apps *apps)
{
    for (size_t i = 0; i < apps->count; i++) {
        if (!in_queue(events, &apps->items[i]))
            continue;
        events->queue_seen = true;
        event_list_app(events->list, &apps->items[i], loop_now_ms());
    }
}

static void add_nodes(struct events *events, const struct creel_nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (is_chosen(events, &nodes->items[i]))
            event_list_node(events->list, &nodes->items[i], loop_now_ms());
}

/* Of the chosen application, or of NODE. */
static int collect_containers(struct events *events, const char *node, struct creel_error *error)
{
    struct creel_containers *containers;
    int r = creel_container_list(events->client, events->app, node, NULL, false, &containers, error);

    if (r < 0)
        return r;
    for (size_t i = 0; i < containers->count; i++)
        event_list_container(events->list, &containers->items[i]);
    creel_containers_free(containers);
    return 0;
}

static int collect_apps(struct events *events, struct creel_error *error)
{
    struct creel_apps *apps;
    int r = creel_app_list(events->client, NULL, &apps, error);

    if (r < 0)
        return r;
    add_apps(events, apps);
    creel_apps_free(apps);
    return 0;
}

static int collect_history(struct events *events, struct creel_error *error)
{
    struct creel_history_filter filter = { .since_ms = events->since_ms };
    char *warning = NULL;
    struct creel_apps *apps;
    bool more;
    int r = creel_history_list(events->client, &filter, &apps, &more, &warning, error);

    if (r < 0)
        return r;
    if (warning != NULL)
        fprintf(stderr, "creel: %s\n", warning);
    free(warning);
    add_apps(events, apps);
    creel_apps_free(apps);
    return 0;
}

static int collect_nodes(struct events *events, struct creel_error *error)
{
    struct creel_nodes *nodes;
    int r = creel_node_list(events->client, events->node_count == 1 ? events->nodes[0] : NULL, &nodes, error);

    if (r < 0)
        return r;
    add_nodes(events, nodes);
    creel_nodes_free(nodes);
    for (size_t i = 0; r == 0 && i < events->node_count; i++)
        r = collect_containers(events, events->nodes[i], error);
    return r;
}

static int collect_app(struct events *events, struct creel_error *error)
{
    struct creel_apps *apps;
    int r = creel_app_get(events->client, events->app, &apps, error);

    if (r < 0)
        return r;
    add_apps(events, apps);
    creel_apps_free(apps);
    return collect_containers(events, NULL, error);
}

/* Finds the events in the reports of the chosen application or node; if none is chosen, of all. */
static int collect_events(struct events *events, struct creel_error *error)
{
    int r;

    if (events->app != NULL)
        return collect_app(events, error);
    if (events->nodes != NULL)
        return collect_nodes(events, error);
    r = collect_apps(events, error);
    if (r == 0 && !events->follow)
        r = collect_history(events, error);
    if (r == 0 && events->queue == NULL)
        r = collect_nodes(events, error);
    return r;
}

/* --- following ------------------------------------------------------------- */

static void pause_ms(int ms)
{
    (void)poll(NULL, 0, ms);
}

/* Follows one application until it has ended. */
static int follow_app(struct events *events, struct creel_error *error)
{
    uint64_t version = 0;
    bool over = false;

    while (!over) {
        struct creel_apps *apps;
        int r = creel_app_watch(events->client, events->app, version, version ? WATCH_MS : 0, &apps, error);

        if (r == -EHOSTUNREACH) {
            pause_ms(POLL_MS);
            continue;
        }
        if (r < 0)
            return r;
        add_apps(events, apps);
        version = apps->items[0].version;
        over = creel_app_is_over(&apps->items[0]);
        creel_apps_free(apps);
        r = collect_containers(events, NULL, error);
        if (r < 0 && r != -EHOSTUNREACH)
            return r;
        if (!print_lines(events))
            return 0;
    }
    return 0;
}

/* Follows all applications and nodes. */
static int follow_changes(struct events *events, struct creel_error *error)
{
    struct creel_changes changes = { 0 };
    uint64_t session = 0, version = 0;

    for (;;) {
        int r = creel_changes_get(events->client, session, version, &changes, error);
        bool more = r == 0 && changes.more;

        if (r < 0 && r != -EHOSTUNREACH)
            return r;
        if (r == 0) {
            session = changes.session;
            version = changes.version;
            if (events->nodes == NULL)
                add_apps(events, changes.apps);
            if (events->queue == NULL)
                add_nodes(events, changes.nodes);
            if (changes.reset) /* some changes were missed: reads the whole lists */
                r = collect_events(events, error);
            creel_changes_done(&changes);
        }
        if (r < 0 && r != -EHOSTUNREACH)
            return r;
        if (!print_lines(events))
            return 0;
        if (!more)
            pause_ms(POLL_MS);
    }
}

static int follow(struct events *events, struct creel_error *error)
{
    int r = events->app != NULL ? collect_events(events, error) : 0;

    return r < 0 ? r : events->app != NULL ? follow_app(events, error) : follow_changes(events, error);
}

/* --- the command ----------------------------------------------------------- */

static int read_since(const struct options *options, struct events *events, struct err *err)
{
    const char *since = options_get(options, "since");
    int64_t now_ms = loop_now_ms();

    events->since_ms = events->follow ? now_ms : options_has(options, "app") ? 1 : now_ms - USUAL_MS;
    return since == NULL ? 0 : moment_parse_past("since", since, now_ms, &events->since_ms, err);
}

/* Prints the events until now. */
static int print_events(struct events *events, struct creel_error *error)
{
    if (collect_events(events, error) < 0)
        return cli_fail(error);
    if (events->queue_unknown && !events->queue_seen)
        return cli_fail(&events->queue_error);
    return print_table(events);
}

static int run(struct events *events, const struct host_names *nodes)
{
    struct creel_error error;

    events->list = event_list_new(events->since_ms);
    if (choose(events, nodes, &error) < 0)
        return cli_fail(&error);
    if (events->follow)
        return follow(events, &error) < 0 ? cli_fail(&error) : EXIT_DONE;
    return print_events(events, &error);
}

int cmd_events(struct cli *cli)
{
    const struct options *options = &cli->options;
    struct events events = { .cli = cli, .follow = options_has(options, "follow") };
    const char *node = options_get(options, "node");
    struct host_names nodes = { 0 };
    struct err err = { 0 };
    int code;

    if (options->argument_count > 0)
        return cli_usage(cli, "creel events has no arguments: --app ID, --node NODE, --queue QUEUE");
    if (options_has(options, "app") + (node != NULL) + options_has(options, "queue") > 1)
        return cli_usage(cli, "--app, --node and --queue exclude each other");
    if (read_since(options, &events, &err) < 0)
        return cli_usage(cli, "%s", err.text);
    if (node != NULL && !host_arguments_expand(cli, &node, 1, &nodes, &code))
        return code;
    events.client = cli_client(cli, &code);
    if (events.client != NULL)
        code = run(&events, &nodes);
    host_names_done(&nodes);
    done(&events);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_events.c - creel events: what happened to applications, containers, nodes and queues */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/frame/host_arguments.h"
#include "client/cli/frame/listing.h"
#include "client/cli/frame/moment.h"
#include "client/cli/show/event_list.h"
#include "client/cli/show/show_app.h"
#include "client/include/creel-history.h"
#include "common/base/mem.h"
#include "common/io/loop/loop.h"

#define USUAL_MS 86400000 /* events of the last day */
#define POLL_MS 1000

const struct option_spec events_options[] = {
    { 'a', "app", "ID", "only of this application, with its containers" },
    { 0, "node", "NODE", "only of these nodes (n7, n[1-40]), with their containers" },
    { 'q', "queue", "QUEUE", "only of this queue, the queues below it and their applications" },
    { 0, "since", "TIME", "events since then (default: the last day)" },
    { 'f', "follow", NULL, "print new events as they happen" },
    { 0 },
};

struct events {
    struct cli *cli;
    struct creel_client *client;
    struct creel_event_filter filter; /* its texts are owned below */
    struct creel_apps *app;           /* owned; the chosen one; NULL: all */
    char *queue;                      /* owned; NULL: all */
    char **nodes;                     /* owned ids, and the array; NULL: all */
    size_t node_count, node_capacity;
    bool queue_unknown; /* it may have been removed: an error if no application of it is known */
    bool queue_seen;    /* an application of it is known */
    struct creel_error queue_error;
    bool follow;
};

/* --- what is chosen --------------------------------------------------------- */

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
    int r = app != NULL     ? creel_app_get(events->client, app, &events->app, error)
            : queue != NULL ? choose_queue(events, queue, error)
                            : choose_nodes(events, nodes, error);

    events->filter.app_id = events->app != NULL ? events->app->items[0].id : NULL;
    events->filter.queue = events->queue;
    events->filter.nodes = (const char *const *)events->nodes;
    events->filter.node_count = events->node_count;
    events->filter.containers = app != NULL || events->node_count > 0;
    events->filter.tasks = app != NULL || events->follow;
    return r;
}

static void done(struct events *events)
{
    for (size_t i = 0; i < events->node_count; i++)
        free(events->nodes[i]);
    free(events->nodes);
    creel_apps_free(events->app);
    free(events->queue);
}

static bool is_app_over(const struct events *events)
{
    return events->app != NULL && creel_app_is_over(&events->app->items[0]);
}

/* --- output ---------------------------------------------------------------- */

static const struct table_column columns[] = {
    { "time", "TIME", 0 },      { "event", "EVENT", TABLE_STATE }, { "object", "OBJECT", 0 },
    { "user", "USER", 0 },      { "queue", "QUEUE", 0 },           { "kind", "KIND", TABLE_WIDE },
    { "id", "ID", TABLE_WIDE }, { "text", "TEXT", TABLE_CUT },
};

static const char *short_id(const struct creel_event *event)
{
    if (strcmp(event->object, "app") == 0)
        return show_app_suffix(event->id);
    return strcmp(event->object, "container") == 0 ? show_container_of_app(event->id) : event->id;
}

static void row(const void *item, struct table *table)
{
    const struct creel_event *event = item;
    scoped_free char *text = event_text(event);
    char time[SHOW_TIME_MAX];

    show_local_time(event->time_ms, time);
    table_text(table, time);
    table_sorted_by(table, event->time_ms);
    table_text(table, event->name);
    table_text(table, short_id(event));
    table_text(table, event->user);
    table_text(table, event->queue);
    table_text(table, event->object);
    table_text(table, event->id);
    table_text(table, text);
}

static void json(const void *item, struct json_writer *json)
{
    const struct creel_event *event = item;
    scoped_free char *text = event_text(event);

    json_time(json, "time", event->time_ms);
    json_text(json, "kind", event->object);
    json_text(json, "event", event->name);
    json_text(json, "id", event->id);
    json_text_if(json, "user", event->user);
    json_text_if(json, "queue", event->queue);
    json_text_if(json, "text", text);
}

static const char *id_of(const void *item)
{
    return ((const struct creel_event *)item)->id;
}

static const struct listing listing = {
    .kind = "EventList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = id_of,
};

static void print_line(const struct creel_event *event)
{
    scoped_free char *text = event_text(event);
    char time[SHOW_TIME_MAX];

    show_local_time(event->time_ms, time);
    printf("%s  %-12s  %s", time, event->name, short_id(event));
    if (*event->user)
        printf("  %s", event->user);
    if (*event->queue)
        printf("  %s", event->queue);
    printf("%s%s\n", *text ? "  " : "", text);
}

static void print_json_line(struct cli *cli, const struct creel_event *event)
{
    struct items_writer items;

    cli->format = FORMAT_JSONL;
    items_begin(&items, cli, listing.kind);
    json(event, items_open(&items));
    items_close(&items);
}

/* --- the events until now ----------------------------------------------------- */

static bool in_queue(const struct events *events, const struct creel_app *app)
{
    const char *dot = strrchr(app->queue, '.');
    size_t length = events->queue ? strlen(events->queue) : 0;

    return events->queue == NULL ||
           (strncmp(app->queue, events->queue, length) == 0 &&
            (app->queue[length] == '\0' || app->queue[length] == '.')) ||
           (events->queue_unknown && dot != NULL && strcmp(dot + 1, events->queue) == 0);
}

struct collected {
    struct event_list *list;   /* owned; borrows the others */
    struct creel_events *kept; /* owned; of the resource manager */
    struct creel_apps *ended;  /* owned; applications of the history */
};

static void collected_done(struct collected *all)
{
    event_list_free(all->list);
    creel_apps_free(all->ended);
    creel_events_free(all->kept);
}

static int get_history(struct events *events, struct creel_apps **apps, struct creel_error *error)
{
    struct creel_history_filter filter = { .since_ms = events->filter.since_ms,
                                           .tasks = events->filter.tasks,
                                           .no_long_commands = true };
    scoped_free char *warning = NULL;
    bool more;
    int r = creel_history_list(events->client, &filter, apps, &more, &warning, error);

    if (r == 0 && warning != NULL)
        fprintf(stderr, "creel: %s\n", warning);
    return r;
}

static void add_history(struct events *events, struct collected *all)
{
    if (is_app_over(events))
        event_list_add_ended(all->list, &events->app->items[0], events->filter.since_ms);
    for (size_t i = 0; all->ended != NULL && i < all->ended->count; i++) {
        if (!in_queue(events, &all->ended->items[i]))
            continue;
        events->queue_seen = true;
        event_list_add_ended(all->list, &all->ended->items[i], events->filter.since_ms);
    }
}

/* Gets the events until now. The history is read first: the resource manager has the events of applications
 * that end meanwhile. The caller calls collected_done, also after an error. */
static int collect(struct events *events, struct collected *all, struct creel_error *error)
{
    int r = 0;

    all->list = event_list_new();
    if (events->app == NULL && events->nodes == NULL)
        r = get_history(events, &all->ended, error);
    if (r == 0)
        r = creel_event_list(events->client, &events->filter, &all->kept, error);
    if (r < 0)
        return r;
    event_list_add(all->list, all->kept);
    add_history(events, all);
    return 0;
}

static int print_list(struct events *events, struct event_list *list)
{
    size_t count;
    const void *const *items = event_list_sorted(list, &count);

    if (events->queue_unknown && !events->queue_seen && count == 0)
        return cli_fail(&events->queue_error);
    return listing_print(events->cli, &listing, items, count);
}

/* Prints the events until now. */
static int print_events(struct events *events)
{
    struct collected all = { 0 };
    struct creel_error error;
    int r = collect(events, &all, &error);
    int code = r < 0 ? cli_fail(&error) : print_list(events, all.list);

    collected_done(&all);
    return code;
}

/* --- following ------------------------------------------------------------- */

struct follower {
    struct events *events;
    bool is_current;   /* has all events until LATEST_MS */
    int64_t latest_ms; /* after a restart, the resource manager lists restored events again */
    bool over;         /* the chosen application has ended, and its events are printed */
    bool is_silent;    /* the resource manager does not answer, and that is printed */
};

static void print_new(struct follower *follower, const struct creel_event *event)
{
    struct cli *cli = follower->events->cli;

    follower->over = follower->over || (follower->events->app != NULL && event->ends_app);
    if (follower->is_current && event->restored && event->time_ms <= follower->latest_ms)
        return;
    if (cli->format == FORMAT_JSON || cli->format == FORMAT_JSONL)
        print_json_line(cli, event);
    else
        print_line(event);
}

/* Prints the new events, one per line; returns false if standard output is closed. */
static bool print_all_new(struct follower *follower, const struct collected *all)
{
    const struct creel_events *kept = all->kept;
    size_t count;
    const void *const *items = event_list_sorted(all->list, &count);

    if (follower->is_current && kept->lost > 0)
        fprintf(stderr, "creel: events were lost: %llu\n", (unsigned long long)kept->lost);
    if (kept->restarted)
        fprintf(stderr, "creel: the resource manager has started again: events that it does not keep over a "
                        "restart may be missing (creel(1))\n");
    for (size_t i = 0; i < count; i++)
        print_new(follower, items[i]);
    follower->latest_ms = kept->now_ms > follower->latest_ms ? kept->now_ms : follower->latest_ms;
    follower->is_current = true;
    follower->events->filter.after = kept->last;
    follower->events->filter.newest = false;
    return fflush(stdout) == 0 && !ferror(stdout);
}

/* Gets the first time the events until now, unless only new ones are wanted; later the new ones. */
static int collect_new(struct follower *follower, struct collected *all, struct creel_error *error)
{
    struct events *events = follower->events;
    int r;

    if (!follower->is_current && !events->filter.newest)
        return collect(events, all, error);
    all->list = event_list_new();
    r = creel_event_list(events->client, &events->filter, &all->kept, error);
    if (r == 0)
        event_list_add(all->list, all->kept);
    return r;
}

/* Prints once that the resource manager does not answer, and once that it answers again. */
static void note_silence(struct follower *follower, bool is_silent, const struct creel_error *error)
{
    if (is_silent == follower->is_silent)
        return;
    follower->is_silent = is_silent;
    if (is_silent)
        fprintf(stderr, "creel: %s; trying again\n", error->text);
    else
        fprintf(stderr, "creel: the resource manager answers again\n");
}

/* Gets and prints the new events. Returns 1 if there is nothing more to follow, else 0 or an error. */
static int follow_once(struct follower *follower, struct creel_error *error)
{
    struct collected all = { 0 };
    int r = collect_new(follower, &all, error);

    if (r == 0 || r == -EHOSTUNREACH)
        note_silence(follower, r != 0, error);
    if (r == 0)
        r = !print_all_new(follower, &all) || follower->over;
    collected_done(&all);
    return r == -EHOSTUNREACH ? 0 : r;
}

/* Ends when the end of the chosen application is printed, or is older than the events that are printed. */
static int follow(struct events *events, struct creel_error *error)
{
    struct follower follower = { .events = events, .over = is_app_over(events) };
    int r;

    while ((r = follow_once(&follower, error)) == 0)
        (void)poll(NULL, 0, POLL_MS);
    return r < 0 ? r : 0;
}

/* --- the command ----------------------------------------------------------- */

static int read_since(const struct options *options, struct events *events, struct err *err)
{
    const char *since = options_get(options, "since");
    int64_t now_ms = loop_now_ms();

    events->filter.newest = events->follow && since == NULL;
    if (!events->follow && !options_has(options, "app"))
        events->filter.since_ms = now_ms - USUAL_MS;
    return since == NULL ? 0 : moment_parse_past("since", since, now_ms, &events->filter.since_ms, err);
}

static int run(struct events *events, const struct host_names *nodes)
{
    struct creel_error error;

    if (choose(events, nodes, &error) < 0)
        return cli_fail(&error);
    if (events->follow)
        return follow(events, &error) < 0 ? cli_fail(&error) : EXIT_DONE;
    return print_events(events);
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
    if (options_get(options, "queue") && !*options_get(options, "queue"))
        return cli_usage(cli, "--queue \"\": expected the name of a queue");
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

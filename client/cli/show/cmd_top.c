/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_top.c - creel top: what uses the cluster now, again and again */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/show/show_app.h"
#include "client/cli/show/show_node.h"
#include "client/cli/show/show_queue.h"
#include "client/cli/show/show_lists.h"
#include "client/cli/show/top_screen.h"
#include "client/libcreel/client.h"
#include "common/base/text.h"

#define DELAY_USUAL_S 3
#define DELAY_MAX_S 3600
#define COUNT_MAX 1000000
#define HEAD_LINES 4 /* two lines of the cluster, the titles, and the last line, which stays empty */

const struct option_spec top_options[] = {
    { 'b', "batch", NULL, "print once, or as many times as -n gives, and end" },
    { 'n', "count", "COUNT", "end after this number of times" },
    { 'd', "delay", "SECONDS", "between two times; 3" },
    { 0 },
};

const char top_help[] =
    "WHAT is apps (default), queues, nodes or users. On a terminal it is refreshed every 3 seconds. Keys:\n"
    "q ends, 1 to 4 change to apps, queues, nodes and users, R turns the order round, s and one more letter\n"
    "sort applications as in yarn top: a id, u user, t type, q queue, l priority, c containers, v vcores,\n"
    "m memory, r reserved containers, o reserved vcores, w reserved memory, s vcore-seconds,\n"
    "y memory-seconds, p progress, i age, n name. --sort works for all.\n"
    "With --batch, or if the output is no terminal, it is printed once, or COUNT times.\n\n"
    "examples:\n"
    "  creel top\n"
    "  creel top users --sort -mem\n"
    "  creel top nodes -b -n 10 -d 60 -o csv >>nodes.csv\n"
    "  creel top -b --json | jq '.items[0].name'\n";

enum view { VIEW_APPS, VIEW_QUEUES, VIEW_NODES, VIEW_USERS };

static const char *const view_names[] = {
    [VIEW_APPS] = "apps",
    [VIEW_QUEUES] = "queues",
    [VIEW_NODES] = "nodes",
    [VIEW_USERS] = "users",
};

/* Keys that choose the order of applications, as in yarn top, each with a column of show_app.c. */
static const struct sort_key {
    char letter;
    const char *order; /* as for --sort */
} sort_keys[] = {
    { 'a', "id" },       { 'u', "user" },      { 't', "type" },  { 'q', "queue" },
    { 'l', "-prio" },    { 'c', "-cont" },     { 'v', "-cpu" },  { 'm', "-mem" },
    { 'r', "-rcont" },   { 'o', "-rcpu" },     { 'w', "-rmem" }, { 's', "-vcoresecs" },
    { 'y', "-memsecs" }, { 'p', "-progress" }, { 'i', "-age" },  { 'n', "name" },
};

struct top {
    struct cli *cli;
    enum view view;
    int64_t delay_ms, count; /* COUNT 0: no limit */
    bool choosing;           /* the next key is a letter of sort_keys */
    char order[32];          /* chosen by a key; "": none */
};

/* --- one picture --------------------------------------------------------------- */

static int show_apps(struct cli *cli, bool of_users)
{
    static const enum creel_app_state live[] = { CREEL_APP_NEW, CREEL_APP_NEW_SAVING, CREEL_APP_SUBMITTED,
                                                 CREEL_APP_ACCEPTED, CREEL_APP_RUNNING };
    const struct creel_app_filter filter = {
        .states = live,
        .state_count = sizeof(live) / sizeof(live[0]),
        .no_long_commands = !cli_prints_json(cli),
    };
    struct creel_apps *apps;
    struct creel_error error;
    int code;

    if (creel_app_list(cli->client, &filter, &apps, &error) < 0)
        return cli_fail(&error);
    code = of_users ? show_users(cli, apps) : show_app_list(cli, apps);
    creel_apps_free(apps);
    return code;
}

static int show_all_queues(struct cli *cli)
{
    struct creel_queues *queues;
    struct creel_error error;
    int code;

    if (creel_queue_list(cli->client, NULL, &queues, &error) < 0)
        return cli_fail(&error);
    code = show_queues(cli, queues);
    creel_queues_free(queues);
    return code;
}

static int show_all_nodes(struct cli *cli)
{
    struct creel_nodes *nodes;
    struct creel_error error;
    int code;

    if (creel_node_list(cli->client, NULL, &nodes, &error) < 0)
        return cli_fail(&error);
    code = show_nodes(cli, nodes, NULL);
    creel_nodes_free(nodes);
    return code;
}

static int show_view(struct top *top)
{
    static const char *const usual_orders[] = {
        [VIEW_APPS] = "-mem",
        [VIEW_QUEUES] = NULL,
        [VIEW_NODES] = NULL,
        [VIEW_USERS] = "-mem",
    };
    struct cli *cli = top->cli;
    const char *given = cli->sort;
    int code;

    if (*top->order)
        cli->sort = top->order;
    else if (given == NULL)
        cli->sort = usual_orders[top->view];
    if (top->view == VIEW_QUEUES)
        code = show_all_queues(cli);
    else if (top->view == VIEW_NODES)
        code = show_all_nodes(cli);
    else
        code = show_apps(cli, top->view == VIEW_USERS);
    cli->sort = given;
    return code;
}

/* Prints two lines about the cluster. */
static int show_head(const struct top *top)
{
    struct creel_cluster *cluster;
    struct creel_error error;
    char used[TEXT_SIZE_MAX], total[TEXT_SIZE_MAX], now[16] = "";
    time_t seconds = time(NULL);
    struct tm local;

    if (creel_cluster_info(top->cli->client, &cluster, &error) < 0)
        return cli_fail(&error);
    if (localtime_r(&seconds, &local))
        strftime(now, sizeof(now), "%H:%M:%S", &local);
    printf("%s %s: %u running, %u pending; %u containers; nodes: %u running, %u lost\n",
           view_names[top->view], now, cluster->apps_running, cluster->apps_pending, cluster->containers,
           cluster->nodes_running, cluster->nodes_lost);
    printf("memory %s of %s, vcores %lld of %lld%s\n", text_format_mb(cluster->used.memory_mb, used),
           text_format_mb(cluster->total.memory_mb, total), (long long)cluster->used.vcores,
           (long long)cluster->total.vcores,
           top->choosing ? "; sort by: a u t q l c r v o m w s y p i n" : "");
    creel_cluster_free(cluster);
    return EXIT_DONE;
}

/* --- keys ---------------------------------------------------------------------- */

static void choose_order(struct top *top, int key)
{
    top->choosing = false;
    for (size_t i = 0; i < sizeof(sort_keys) / sizeof(sort_keys[0]); i++)
        if (sort_keys[i].letter == key && top->view == VIEW_APPS)
            snprintf(top->order, sizeof(top->order), "%s", sort_keys[i].order);
}

static void reverse(struct top *top)
{
    const char *order = *top->order ? top->order : top->cli->sort ? top->cli->sort : "-mem";
    char reversed[sizeof(top->order)];

    if (strchr(order, ',') != NULL ||
        (!*top->order && !top->cli->sort && top->view != VIEW_APPS && top->view != VIEW_USERS))
        return;
    snprintf(reversed, sizeof(reversed), "%s%.30s", *order == '-' ? "" : "-", order + (*order == '-'));
    memcpy(top->order, reversed, sizeof(reversed));
}

/* Returns false if KEY ends the program. */
static bool on_key(struct top *top, int key)
{
    if (top->choosing) {
        choose_order(top, key);
        return true;
    }
    if (key >= '1' && key <= '4') {
        top->view = (enum view)(key - '1');
        top->order[0] = '\0';
        top->cli->sort = NULL;
    }
    if (key == 's')
        top->choosing = top->view == VIEW_APPS;
    if (key == 'R')
        reverse(top);
    return key != 'q' && key != 'Q';
}

/* --- loops --------------------------------------------------------------------- */

static int draw(struct top *top)
{
    size_t lines = top_screen_begin();
    int code = show_head(top);

    top->cli->rows_max = lines > HEAD_LINES + 1 ? lines - HEAD_LINES : 1;
    return code == EXIT_DONE ? show_view(top) : code;
}

/* Draws again and again, until a key, a signal or COUNT ends it. Continues if the resource manager does not
 * answer; ends after other errors. */
static int redraw(struct top *top, struct top_screen *screen)
{
    for (int64_t drawn = 1;; drawn++) {
        int code = draw(top), event;

        if (code != EXIT_DONE && code != EXIT_UNREACHABLE && code != EXIT_OUT_OF_TIME &&
            code != EXIT_INTERRUPTED)
            return code;
        if (top->count > 0 && drawn >= top->count && code != EXIT_INTERRUPTED)
            return code;
        event = top_screen_wait(screen, top->delay_ms);
        if (event >= TOP_SCREEN_SIGNAL)
            return event == TOP_SCREEN_SIGNAL + SIGINT ? EXIT_DONE : 128 + event - TOP_SCREEN_SIGNAL;
        if (event != TOP_SCREEN_DUE && !on_key(top, event))
            return EXIT_DONE;
    }
}

static int run_on_terminal(struct top *top)
{
    struct top_screen screen;
    struct err err = { 0 };
    int code;

    if (top_screen_open(&screen, &err) < 0)
        return cli_fail_err(&err);
    top->cli->client->interrupt_fd = screen.signal_fd;
    code = redraw(top, &screen);
    top->cli->client->interrupt_fd = -1;
    top_screen_close(&screen);
    return code;
}

static void wait_for_next(const struct top *top)
{
    const struct timespec delay = { top->delay_ms / 1000, top->delay_ms % 1000 * 1000000 };

    nanosleep(&delay, NULL);
}

static int run_in_batch(struct top *top)
{
    int code = EXIT_DONE;
    bool table = top->cli->format == FORMAT_TABLE || top->cli->format == FORMAT_WIDE;

    for (int64_t i = 0; code == EXIT_DONE && i < (top->count > 0 ? top->count : 1); i++) {
        if (i > 0)
            wait_for_next(top);
        if (table)
            code = show_head(top);
        if (code == EXIT_DONE)
            code = show_view(top);
    }
    return code;
}

/* --- the command ----------------------------------------------------------------- */

static bool read_number(const char *text, int64_t most, int64_t *number)
{
    return text_parse_int64(text, number) && *number >= 1 && *number <= most;
}

static bool read_view(const struct options *options, enum view *view)
{
    *view = VIEW_APPS;
    if (options->argument_count == 0)
        return true;
    for (size_t i = 0; i < sizeof(view_names) / sizeof(view_names[0]); i++) {
        if (options->argument_count == 1 && strcmp(options->arguments[0], view_names[i]) == 0) {
            *view = (enum view)i;
            return true;
        }
    }
    return false;
}

int cmd_top(struct cli *cli)
{
    struct top top = { .cli = cli };
    const char *count = options_get(&cli->options, "count"), *delay = options_get(&cli->options, "delay");
    int64_t delay_s = DELAY_USUAL_S;
    bool table = cli->format == FORMAT_TABLE || cli->format == FORMAT_WIDE;
    int code;

    if (!read_view(&cli->options, &top.view))
        return cli_usage(cli, "%s: expected apps, queues, nodes or users",
                         cli->options.argument_count == 1 ? cli->options.arguments[0] : "several words");
    if (count != NULL && !read_number(count, COUNT_MAX, &top.count))
        return cli_usage(cli, "--count %s: expected a number from 1 to %d", count, COUNT_MAX);
    if (delay != NULL && !read_number(delay, DELAY_MAX_S, &delay_s))
        return cli_usage(cli, "--delay %s: expected seconds, from 1 to %d", delay, DELAY_MAX_S);
    top.delay_ms = delay_s * 1000;
    if (cli_client(cli, &code) == NULL)
        return code;
    if (options_has(&cli->options, "batch") || !table || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
        return run_in_batch(&top);
    return run_on_terminal(&top);
}

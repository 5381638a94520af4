/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_dev.c - creel dev status, env, down: state and stop of the local cluster */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/dev/dev.h"
#include "client/cli/frame/listing.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "common/io/loop/loop.h"

#define RM_TIMEOUT_MS 3000
#define KILL_WAIT_MS 10000
#define DOWN_REASON "the local cluster is taken down"
#define QUIET_MS 500 /* maximum wait, since a log may stay silent */

const struct option_spec dev_options[] = {
    { 0, "dir", "DIR", "directory of the cluster (" DEV_DEFAULT_DIR ")" },
    { 0 },
};

/* --- status ---------------------------------------------------------------- */

static const struct table_column columns[] = {
    { "role", "ROLE", 0 },         { "agent", "N", TABLE_RIGHT },
    { "pid", "PID", TABLE_RIGHT }, { "state", "STATE", TABLE_STATE },
    { "ports", "PORTS", 0 },       { "dir", "DIR", TABLE_CUT },
};

static void row(const void *item, struct table *table)
{
    const struct dev_daemon *daemon = item;
    scoped_text_builder struct text_builder ports = TEXT_BUILDER_MALLOC;

    for (int i = 0; i < daemon->port_count && daemon->ports[i] > 0; i++)
        text_builder_printf(&ports, "%s%d", i ? "," : "", daemon->ports[i]);
    table_text(table, dev_role_name(daemon->agent));
    if (daemon->agent > DEV_RM)
        table_number(table, daemon->agent);
    else
        table_text(table, "");
    if (daemon->pid)
        table_number(table, daemon->pid);
    else
        table_text(table, "-");
    table_text(table, dev_state_name(daemon->state));
    table_text(table, text_builder_text(&ports));
    table_text(table, daemon->dir);
}

static const char *port_name(const struct dev_daemon *daemon, int i)
{
    static const char *const names[DEV_RM_PORTS] = { "client", "am", "agent", "admin" };

    if (daemon->agent == DEV_RM)
        return names[i];
    return i == 0 ? dev_role_name(daemon->agent) : "http";
}

static void json(const void *item, struct json_writer *writer)
{
    const struct dev_daemon *daemon = item;

    json_text(writer, "role", dev_role_name(daemon->agent));
    if (daemon->agent > DEV_RM)
        json_int(writer, "number", daemon->agent);
    if (daemon->pid)
        json_int(writer, "pid", daemon->pid);
    json_text(writer, "dir", daemon->dir);
    json_begin_object(writer, "ports");
    for (int i = 0; i < daemon->port_count && daemon->ports[i] > 0; i++)
        json_int(writer, port_name(daemon, i), daemon->ports[i]);
    json_end_object(writer);
    json_text(writer, "state", dev_state_name(daemon->state));
}

static const char *daemon_dir(const void *item)
{
    return ((const struct dev_daemon *)item)->dir;
}

static const struct listing listing = {
    .kind = "DevProcessList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = daemon_dir,
};

/* Prints the daemons in the requested format. Returns an exit code. */
static int dev_print(struct cli *cli, const struct dev_daemon *daemons, size_t count)
{
    scoped_free const void **items = mem_array0(count + 1, sizeof(*items));

    for (size_t i = 0; i < count; i++)
        items[i] = &daemons[i];
    return listing_print(cli, &listing, items, count);
}

int dev_print_status(struct cli *cli, const struct dev *dev)
{
    size_t count = (size_t)dev_count(dev);
    scoped_free struct dev_daemon *daemons = mem_array0(count, sizeof(*daemons));

    for (int i = 0; i < dev_count(dev); i++)
        dev_daemon_inspect(dev, dev_nth(dev, i), &daemons[i]);
    return dev_print(cli, daemons, count);
}

static int no_cluster(const struct dev *dev)
{
    fprintf(stderr, "creel: %s: there is no local cluster; creel dev up makes one\n", dev->dir);
    return EXIT_NOT_FOUND;
}

static int open_dev(struct cli *cli, struct dev *dev)
{
    struct err err = { 0 };

    if (dev_open(options_get(&cli->options, "dir"), dev, &err) < 0) {
        cli_fail_err(&err);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

int cmd_dev_status(struct cli *cli)
{
    struct dev dev;
    int code = open_dev(cli, &dev);

    if (code != EXIT_DONE)
        return code;
    code = dev_exists(&dev) ? dev_print_status(cli, &dev) : no_cluster(&dev);
    dev_done(&dev);
    return code;
}

/* --- env ------------------------------------------------------------------- */

static void print_export(const char *name, const char *value)
{
    printf("export %s='", name);
    for (; *value; value++)
        fputs(*value == '\'' ? "'\\''" : (char[]){ *value, '\0' }, stdout);
    puts("'");
}

/* Without a cluster, too, the shell that evaluates the output gets the directory, in which the commands then
 * find no configuration. Otherwise they would use the cluster that was selected before. */
int cmd_dev_env(struct cli *cli)
{
    scoped_free char *conf = NULL;
    struct dev dev;
    int code = open_dev(cli, &dev);

    if (code != EXIT_DONE)
        return code;
    conf = dev_path(&dev, "conf");
    print_export("CREEL_CONF_DIR", conf);
    puts("unset CREEL_RM");
    if (!dev_exists(&dev)) {
        code = no_cluster(&dev);
        printf("(exit %d)\n", code);
    }
    dev_done(&dev);
    return code;
}

/* --- down ------------------------------------------------------------------ */

static size_t count_live(struct creel_client *client)
{
    struct creel_error error;
    struct creel_nodes *nodes;
    size_t count = 0;

    if (creel_node_list(client, NULL, &nodes, &error) < 0)
        return 0;
    for (size_t i = 0; i < nodes->count; i++) {
        if (nodes->items[i].state != CREEL_NODE_LOST)
            count += nodes->items[i].containers;
    }
    creel_nodes_free(nodes);
    return count;
}

/* Lets nothing new start, so that applications that wait need not be killed. */
static void drain_all(struct creel_client *client)
{
    const struct creel_node_order order = { .change = CREEL_NODE_DRAIN, .reason = DOWN_REASON };
    struct creel_nodes *nodes, *drained = NULL;
    struct creel_error error;
    const char **names;
    size_t count = 0;

    if (creel_node_list(client, NULL, &nodes, &error) < 0)
        return;
    names = mem_array0(nodes->count + 1, sizeof(*names));
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->items[i].in_service)
            names[count++] = nodes->items[i].id;
    if (count > 0 && creel_node_change(client, names, count, &order, &drained, &error) == 0)
        creel_nodes_free(drained);
    free(names);
    creel_nodes_free(nodes);
}

static bool is_running(const struct creel_app *app)
{
    return app->state == CREEL_APP_RUNNING || app->running_containers > 0;
}

static void kill_running(struct cli *cli, struct creel_client *client, const struct creel_apps *apps,
                         int64_t deadline_ms)
{
    struct creel_error error;

    for (size_t i = 0; i < apps->count && loop_monotonic_ms() < deadline_ms; i++)
        if (is_running(&apps->items[i]) &&
            creel_app_kill(client, apps->items[i].id, DOWN_REASON, &error) == 0)
            cli_detail(cli, "killed %s", apps->items[i].id);
}

static void wait_for_running(struct creel_client *client, const struct creel_apps *apps, int64_t deadline_ms)
{
    struct creel_error error;
    int64_t left_ms;

    for (size_t i = 0; i < apps->count && (left_ms = deadline_ms - loop_monotonic_ms()) > 0; i++) {
        struct creel_apps *ended = NULL;

        if (is_running(&apps->items[i]) &&
            creel_app_wait(client, apps->items[i].id, CREEL_WAIT_FINISHED, left_ms, &ended, &error) == 0)
            creel_apps_free(ended);
    }
}

/* Kills the applications that run through the RM, so that their commands get SIGTERM. Takes
 * KILL_WAIT_MS at most; dev_remove_containers kills the remaining processes later. */
static void kill_jobs(struct cli *cli, const struct dev *dev)
{
    struct dev_watch *watch;
    static const enum creel_app_state live[] = {
        CREEL_APP_NEW, CREEL_APP_NEW_SAVING, CREEL_APP_SUBMITTED, CREEL_APP_ACCEPTED, CREEL_APP_RUNNING,
    };
    scoped_free char *conf = dev_path(dev, "conf");
    struct creel_options options = { .conf_dir = conf, .timeout_ms = RM_TIMEOUT_MS };
    struct creel_app_filter filter = {
        .states = live, .state_count = 5, .tasks = true, .no_long_commands = true
    };
    int64_t deadline_ms = loop_monotonic_ms() + KILL_WAIT_MS;
    struct creel_client *client;
    struct creel_apps *apps;
    struct creel_error error;

    if (creel_connect(&options, &client, &error) < 0)
        return;
    drain_all(client);
    if (creel_app_list(client, &filter, &apps, &error) == 0) {
        kill_running(cli, client, apps, deadline_ms);
        wait_for_running(client, apps, deadline_ms);
        creel_apps_free(apps);
        watch = dev_watch_new(dev);
        while (count_live(client) && loop_monotonic_ms() < deadline_ms)
            dev_watch_wait(watch, QUIET_MS); /* the end of each job is a line in its agent's log */
        dev_watch_free(watch);
    }
    creel_disconnect(client);
}

static int remove_cluster(struct cli *cli, const struct dev *dev)
{
    size_t count = (size_t)dev_count(dev);
    scoped_free struct dev_daemon *daemons = mem_array0(count, sizeof(*daemons));
    struct err err = { 0 };
    int code = EXIT_DONE;

    dev_daemon_inspect(dev, DEV_RM, &daemons[0]);
    if (daemons[0].pid)
        kill_jobs(cli, dev);
    for (int i = dev_count(dev) - 1; i >= 0; i--) {
        dev_daemon_stop(dev, dev_nth(dev, i));
        dev_daemon_inspect(dev, dev_nth(dev, i), &daemons[i]);
    }
    if (dev_remove_containers(dev, &err) < 0 || dev_remove_directory(dev, &err) < 0) {
        cli_fail_err(&err);
        code = EXIT_FAILED;
    } else if (cli->format_given) {
        code = dev_print(cli, daemons, count);
    } else {
        cli_print(cli, "the local cluster in %s is gone", dev->dir);
    }
    return code;
}

int cmd_dev_down(struct cli *cli)
{
    struct err err = { 0 };
    scoped_fd int lock_fd = -1;
    struct dev dev;
    int code = open_dev(cli, &dev);

    if (code != EXIT_DONE)
        return code;
    if (dev_judge(&dev, &err) < 0) {
        cli_fail_err(&err);
        code = EXIT_NOT_PERMITTED;
    } else if (dev_exists(&dev) && (lock_fd = dev_lock(&dev, &err)) < 0) {
        cli_fail_err(&err);
        code = EXIT_FAILED;
    } else if (dev_exists(&dev)) {
        code = remove_cluster(cli, &dev);
    } else if (access(dev.dir, F_OK) == 0) {
        fprintf(stderr, "creel: %s: is not a local cluster's; it stays\n", dev.dir);
        code = EXIT_FAILED;
    } else {
        cli_print(cli, "there is no local cluster in %s", dev.dir);
        code = cli->format_given ? dev_print(cli, NULL, 0) : EXIT_DONE;
    }
    dev_done(&dev);
    return code;
}

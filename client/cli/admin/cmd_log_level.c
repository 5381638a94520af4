/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_log_level.c - creel admin log-level: shows and sets the log levels of daemons */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/frame/host_arguments.h"
#include "client/cli/frame/listing.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"

const char log_level_help[] =
    "DAEMON is rm (the resource manager), nodes (the agents of all nodes), or a node; n[1-40] is a host\n"
    "range. LEVEL is error, warn, info or debug. Without LEVEL the levels are shown, without DAEMON those\n"
    "of all.\n\n"
    "A level is in force until the daemon starts again, or reads its configuration again (systemctl\n"
    "reload); then creel.log.level counts. An agent sets its level with its next heartbeat. For\n"
    "administrators.\n\n"
    "examples:\n"
    "  creel admin log-level\n"
    "  creel admin log-level rm debug\n"
    "  creel admin log-level n7 n8 debug\n"
    "  creel admin log-level nodes info\n";

struct item {
    const char *daemon, *role;
    enum creel_log_level level, wanted;
};

static const struct table_column columns[] = {
    { "daemon", "DAEMON", 0 },
    { "level", "LEVEL", 0 },
    { "wanted", "WANTED", 0 },
};

static void row(const void *data, struct table *table)
{
    const struct item *item = data;

    table_text(table, item->daemon);
    table_text(table, creel_log_level_name(item->level));
    table_text(table, item->wanted != CREEL_LOG_LEVEL_UNKNOWN ? creel_log_level_name(item->wanted) : "");
}

static void json(const void *data, struct json_writer *writer)
{
    const struct item *item = data;

    json_text(writer, "daemon", item->daemon);
    json_text(writer, "role", item->role);
    json_text(writer, "level", creel_log_level_name(item->level));
    if (item->wanted != CREEL_LOG_LEVEL_UNKNOWN)
        json_text(writer, "wanted", creel_log_level_name(item->wanted));
}

static const char *daemon_of(const void *data)
{
    return ((const struct item *)data)->daemon;
}

static const struct listing listing = {
    .kind = "LogLevelList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = daemon_of,
};

static int print(struct cli *cli, const struct creel_log_levels *levels)
{
    scoped_free struct item *items = mem_array0(levels->node_count + 1, sizeof(*items));
    scoped_free const void **list = mem_array0(levels->node_count + 1, sizeof(*list));
    size_t count = 0;

    if (levels->rm != CREEL_LOG_LEVEL_UNKNOWN)
        items[count++] = (struct item){ "rm", "rm", levels->rm, CREEL_LOG_LEVEL_UNKNOWN };
    for (size_t i = 0; i < levels->node_count; i++)
        items[count++] = (struct item){ levels->nodes[i].node_id, "agent", levels->nodes[i].level,
                                        levels->nodes[i].wanted };
    for (size_t i = 0; i < count; i++)
        list[i] = &items[i];
    return listing_print(cli, &listing, list, count);
}

static bool read_level(const char *text, enum creel_log_level *level)
{
    static const enum creel_log_level levels[] = { CREEL_LOG_LEVEL_ERROR, CREEL_LOG_LEVEL_WARN,
                                                   CREEL_LOG_LEVEL_INFO, CREEL_LOG_LEVEL_DEBUG };

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (strcmp(text, creel_log_level_name(levels[i])) == 0 ||
            (levels[i] == CREEL_LOG_LEVEL_WARN && strcmp(text, "warning") == 0)) {
            *level = levels[i];
            return true;
        }
    return false;
}

/* Reads the arguments; the names of nodes are moved to the beginning of ARGUMENTS. */
static void read_order(const char **arguments, size_t count, struct creel_log_order *order)
{
    size_t nodes = 0;

    if (count > 0 && read_level(arguments[count - 1], &order->level))
        count--;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(arguments[i], "rm") == 0)
            order->rm = true;
        else if (strcmp(arguments[i], "nodes") == 0)
            order->all_nodes = true;
        else
            arguments[nodes++] = arguments[i];
    }
    order->node_count = nodes;
}

/* Returns whether the last argument is one of several, and ERROR is about it. */
static bool is_no_level(struct cli *cli, const struct creel_log_order *order, const struct creel_error *error)
{
    size_t count = cli->options.argument_count;

    return order->level == CREEL_LOG_LEVEL_UNKNOWN && count > 1 &&
           strstr(error->text, cli->options.arguments[count - 1]) != NULL;
}

static int send_order(struct cli *cli, const struct creel_log_order *order)
{
    struct creel_log_levels *levels;
    struct creel_error error;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (creel_log_level(cli->client, order, &levels, &error) < 0) {
        if (error.code == ENOENT && is_no_level(cli, order, &error))
            return cli_usage(cli, "%s is no node, and no level: error, warn, info or debug",
                             cli->options.arguments[cli->options.argument_count - 1]);
        return cli_fail(&error);
    }
    code = print(cli, levels);
    creel_log_levels_free(levels);
    return code;
}

int cmd_admin_log_level(struct cli *cli)
{
    size_t count = cli->options.argument_count;
    scoped_free const char **arguments = mem_array0(count + 1, sizeof(*arguments));
    struct creel_log_order order = { .rm = false };
    struct host_names names;
    int code;

    for (size_t i = 0; i < count; i++)
        arguments[i] = cli->options.arguments[i];
    read_order(arguments, count, &order);
    if (order.level != CREEL_LOG_LEVEL_UNKNOWN && count == 1)
        return cli_usage(cli, "of which daemon? creel admin log-level rm|nodes|NODE... %s",
                         cli->options.arguments[0]);
    if (order.all_nodes && order.node_count > 0)
        return cli_usage(cli, "nodes names all nodes: %s is one of them", arguments[0]);
    if (order.node_count == 0)
        return send_order(cli, &order);
    if (!host_arguments_expand(cli, arguments, order.node_count, &names, &code))
        return code;
    order.nodes = (const char *const *)names.items;
    order.node_count = names.count;
    code = send_order(cli, &order);
    host_names_done(&names);
    return code;
}

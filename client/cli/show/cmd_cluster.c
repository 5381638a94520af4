/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_cluster.c - creel node list, node show, cluster: lists of nodes, and the state of the cluster */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/cli/commands.h"
#include "client/cli/frame/amounts.h"
#include "client/cli/frame/host_arguments.h"
#include "client/cli/frame/listing.h"
#include "client/cli/frame/record_json.h"
#include "client/cli/show/show_lists.h"
#include "client/cli/show/show_node.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/conf/conf.h"
#include "common/io/loop/loop.h"
#include "common/record/cluster_fields.h"

const struct option_spec node_list_options[] = {
    { 's', "state", "STATE", "only in this state: RUNNING, LOST, UNHEALTHY, DRAINING, ..." },
    { 'R', "reasons", NULL, "nodes out of service, with user, time and reason" },
    { 0, "summary", NULL, "a row for each state, with ranges of hosts" },
    { 0 },
};

/* --- nodes ----------------------------------------------------------------- */

static const struct table_column node_columns[] = {
    { "node", "NODE", 0 },
    { "state", "STATE", TABLE_STATE },
    { "cont", "CONT", TABLE_RIGHT },
    { "memused", "MEMUSED", TABLE_RIGHT },
    { "mem", "MEM", TABLE_RIGHT },
    { "cpuused", "CPUUSED", TABLE_RIGHT },
    { "cpu", "CPU", TABLE_RIGHT },
    { "seen", "SEEN", TABLE_RIGHT },
    { "rack", "RACK", TABLE_CUT },
    { "label", "LABEL", TABLE_WIDE },
    { "others", "OTHERS", TABLE_WIDE },
    { "real", "REAL", TABLE_WIDE | TABLE_RIGHT },
    { "cgroup", "CGROUP", TABLE_WIDE },
    { "clock", "CLOCK", TABLE_WIDE | TABLE_RIGHT },
    { "version", "VERSION", TABLE_WIDE },
    { "address", "ADDRESS", TABLE_WIDE },
    { "http", "HTTP", TABLE_WIDE },
    { "report", "REPORT", TABLE_CUT },
};

static int64_t since_ms(int64_t then_ms)
{
    int64_t passed = loop_now_ms() - then_ms;

    return then_ms && passed > 0 ? passed : 0;
}

static void node_row(const void *item, struct table *table)
{
    const struct creel_node *node = item;
    char seen[TEXT_SIZE_MAX], text[512];

    table_text(table, node->id);
    table_text(table, creel_node_state_name(node->state));
    table_number(table, node->containers);
    memory_cell(table, node->used.memory_mb);
    memory_cell(table, node->total.memory_mb);
    table_number(table, node->used.vcores);
    table_number(table, node->total.vcores);
    table_text(table, text_format_elapsed_ms(node->silent_ms, seen));
    table_sorted_by(table, node->silent_ms);
    table_text(table, node->rack);
    table_text(table, node->label);
    others_cell(table, &node->used, &node->total);
    memory_cell(table, (int64_t)(node->used_memory_bytes >> 20));
    table_text(table, node->cgroup_mode);
    table_text(table, show_node_skew(node, text));
    table_sorted_by(table, node->clock_skew_ms);
    table_text(table, node->version);
    table_text(table, node->address);
    table_text(table, node->http_address);
    table_text(table, show_node_report(node, text, sizeof(text)));
}

static const char *node_id(const void *item)
{
    return ((const struct creel_node *)item)->id;
}

static const struct listing node_listing = {
    .kind = "NodeList",
    .columns = node_columns,
    .column_count = sizeof(node_columns) / sizeof(node_columns[0]),
    .row = node_row,
    .json = show_node_json,
    .id = node_id,
};

/* --- nodes out of service --------------------------------------------------- */

static const struct table_column reason_columns[] = {
    { "node", "NODE", 0 },
    { "state", "STATE", TABLE_STATE },
    { "left", "LEFT", TABLE_RIGHT },
    { "time", "DEADLINE", TABLE_RIGHT },
    { "end", "END", TABLE_RIGHT },
    { "by", "BY", 0 },
    { "since", "SINCE", TABLE_RIGHT },
    { "reason", "REASON", TABLE_CUT },
};

static void reason_row(const void *item, struct table *table)
{
    const struct creel_node *node = item;
    char text[TEXT_SIZE_MAX];

    table_text(table, node->id);
    table_text(table, creel_node_state_name(node->state));
    table_number(table, node->containers);
    table_text(table, show_node_time(node, text));
    table_text(table, show_node_end(node, text));
    table_text(table, node->in_service ? "" : node->admin_state.by);
    if (node->in_service || !node->admin_state.since_ms) {
        table_text(table, "");
    } else {
        table_text(table, text_format_elapsed_ms(since_ms(node->admin_state.since_ms), text));
        table_sorted_by(table, since_ms(node->admin_state.since_ms));
    }
    table_text(table, node->in_service ? node->health_report : node->admin_state.reason);
}

static const struct listing reason_listing = {
    .kind = "NodeList",
    .columns = reason_columns,
    .column_count = sizeof(reason_columns) / sizeof(reason_columns[0]),
    .row = reason_row,
    .json = show_node_json,
    .id = node_id,
};

/* Returns the scheme of the REST interface of agents, by the configuration of this host. */
static const char *scheme_of(const struct cli *cli)
{
    return cli->conf != NULL && strcasecmp(conf_text(cli->conf, CONF_WEB_POLICY), "HTTPS_ONLY") == 0 ? "https"
                                                                                                     : "http";
}

static void node_lines(const void *item, const struct cli *cli)
{
    const struct creel_node *node = item;
    char total[RECORD_AMOUNTS_MAX], used[RECORD_AMOUNTS_MAX], real[TEXT_SIZE_MAX];
    char seen[TEXT_SIZE_MAX], skew[TEXT_SIZE_MAX], text[512];

    record_line("Node", "%s", node->id);
    record_line("State", "%s", creel_node_state_name(node->state));
    show_node_admin_state(node);
    record_line("Health", "%s", node->health_report);
    record_line("Does not end", "%s", show_node_stuck(node, text, sizeof(text)));
    record_line("Rack", "%s", node->rack);
    record_line("Label", "%s", node->label);
    record_line("Resources", "%s", record_amounts(&node->total, total));
    show_node_size(node);
    show_node_reservation(node);
    record_line("Warning", "%s", node->warning);
    record_line("Allocated", "%s, %u container%s", record_amounts(&node->used, used), node->containers,
                node->containers == 1 ? "" : "s");
    record_line("In use", "%s, %.2f processors",
                text_format_mb((int64_t)(node->used_memory_bytes >> 20), real),
                (double)node->cpu_millicores / 1000);
    if (node->node_memory_bytes > 0)
        record_line("Whole node", "%s, %.2f processors",
                    text_format_mb((int64_t)(node->node_memory_bytes >> 20), real),
                    (double)node->node_cpu_millicores / 1000);
    record_line("Last seen", "%s ago", text_format_elapsed_ms(node->silent_ms, seen));
    if (node->lost_in_ms > 0)
        record_line("Silence", "%s", show_node_report(node, text, sizeof(text)));
    if (node->clock_measured)
        record_line("Clock", "%s the resource manager's (exact to %.3f s)",
                    show_skew(node->clock_skew_ms, skew), (double)node->clock_error_ms / 1000);
    record_line("Address", "%s", node->address);
    record_line("cgroups", "%s", node->cgroup_mode);
    if (*node->http_address)
        record_line("REST", "%s://%s/ws/v1/node", scheme_of(cli), node->http_address);
    record_line("Version", "%s", node->version);
}

static const struct record node_record = {
    .kind = "NodeList",
    .lines = node_lines,
    .json = show_node_json,
    .id = node_id,
};

static bool has_node(const struct creel_nodes *nodes, const char *id)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (!strcmp(nodes->items[i].id, id))
            return true;
    return false;
}

int show_nodes(struct cli *cli, const struct creel_nodes *nodes, const struct creel_nodes *only)
{
    scoped_free const void **items = mem_array0(nodes->count + 1, sizeof(*items));
    size_t count = 0;

    for (size_t i = 0; i < nodes->count; i++)
        if (!only || has_node(only, nodes->items[i].id))
            items[count++] = &nodes->items[i];
    return listing_print(cli, &node_listing, items, count);
}

static bool is_state(const char *text)
{
    for (int state = CREEL_NODE_RUNNING; state <= CREEL_NODE_WAITING; state++)
        if (!strcasecmp(text, creel_node_state_name((enum creel_node_state)state)))
            return true;
    return false;
}

int cmd_node_list(struct cli *cli)
{
    bool reasons = options_has(&cli->options, "reasons"), summary = options_has(&cli->options, "summary");
    const char *state = options_get(&cli->options, "state");
    scoped_free const void **items = NULL;
    struct creel_nodes *nodes;
    struct creel_error error;
    size_t count = 0;
    int code;

    if (reasons && summary)
        return cli_usage(cli, "--reasons and --summary: one of them");
    if (state && !is_state(state))
        return cli_usage(cli,
                         "--state %s: there is no such state; there are RUNNING, UNHEALTHY, DRAINING, "
                         "DRAINED, DECOMMISSIONING, DECOMMISSIONED, LOST, REBOOTED and SHUTDOWN",
                         state);
    if (!cli_client(cli, &code))
        return code;
    if (creel_node_list(cli->client, NULL, &nodes, &error) < 0)
        return cli_fail(&error);
    items = mem_array0(nodes->count + 1, sizeof(*items));
    for (size_t i = 0; i < nodes->count; i++) {
        const struct creel_node *node = &nodes->items[i];

        if (reasons && node->in_service && !*node->health_report)
            continue;
        if (!state || !strcasecmp(state, creel_node_state_name(node->state)))
            items[count++] = &nodes->items[i];
    }
    code = summary ? show_node_states(cli, (const struct creel_node *const *)items, count)
                   : listing_print(cli, reasons ? &reason_listing : &node_listing, items, count);
    creel_nodes_free(nodes);
    return code;
}

/* Prints the nodes of LISTS; each list has one node. */
static int show_each(struct cli *cli, struct creel_nodes *const *lists, size_t count)
{
    scoped_free const void **items = mem_array0(count + 1, sizeof(*items));

    for (size_t i = 0; i < count; i++)
        items[i] = &lists[i]->items[0];
    return records_print(cli, &node_record, items, count);
}

static int show_named(struct cli *cli, const struct host_names *names)
{
    scoped_free struct creel_nodes **lists = mem_array0(names->count + 1, sizeof(struct creel_nodes *));
    struct creel_error error;
    size_t count = 0;
    int code = EXIT_DONE;

    for (; count < names->count; count++) {
        if (creel_node_list(cli->client, names->items[count], &lists[count], &error) < 0) {
            code = cli_fail(&error);
            break;
        }
    }
    if (code == EXIT_DONE)
        code = show_each(cli, lists, count);
    for (size_t i = 0; i < count; i++)
        creel_nodes_free(lists[i]);
    return code;
}

int cmd_node_show(struct cli *cli)
{
    struct host_names names;
    int code;

    if (cli->options.argument_count == 0)
        return cli_usage(cli, "which node? creel node show NODE...");
    if (!host_arguments_expand(cli, cli->options.arguments, cli->options.argument_count, &names, &code))
        return code;
    if (cli_client(cli, &code)) {
        if (cli->conf == NULL) /* for scheme_of; a mistake in the configuration does not matter here */
            conf_load(cli_conf_dir(cli), NULL, NULL, &cli->conf, NULL);
        code = show_named(cli, &names);
    }
    host_names_done(&names);
    return code;
}

/* --- the cluster ----------------------------------------------------------- */

static void json_labels(struct json_writer *json, const struct creel_cluster *cluster)
{
    json_begin_array(json, "labels");
    for (size_t i = 0; i < cluster->label_count; i++) {
        json_begin_object(json, NULL);
        json_text(json, "name", cluster->labels[i].name);
        json_bool(json, "exclusive", cluster->labels[i].exclusive);
        json_uint(json, "nodes", cluster->labels[i].nodes);
        json_end_object(json);
    }
    json_end_array(json);
}

static void json_near_limits(struct json_writer *json, const struct creel_cluster *cluster)
{
    json_begin_array(json, "nearLimits");
    for (size_t i = 0; i < cluster->near_limit_count; i++) {
        json_begin_object(json, NULL);
        json_text(json, "user", cluster->near_limits[i].user);
        json_text(json, "key", cluster->near_limits[i].key);
        json_uint(json, "used", cluster->near_limits[i].used);
        json_uint(json, "limit", cluster->near_limits[i].limit);
        json_end_object(json);
    }
    json_end_array(json);
}

static void limits_lines(const struct creel_cluster *cluster)
{
    for (size_t i = 0; i < cluster->near_limit_count; i++) {
        const struct creel_user_limit *near = &cluster->near_limits[i];

        record_line("Near a limit", "%s: %llu of %llu (%s)", near->user, (unsigned long long)near->used,
                    (unsigned long long)near->limit, near->key);
    }
}

/* Prints "fast, 2 nodes; night, shared, 1 node". */
static void labels_line(const struct creel_cluster *cluster)
{
    scoped_text_builder struct text_builder text = TEXT_BUILDER_MALLOC;

    for (size_t i = 0; i < cluster->label_count; i++) {
        const struct creel_label *label = &cluster->labels[i];

        text_builder_printf(&text, "%s%s%s, %u node%s", i > 0 ? "; " : "", label->name,
                            label->exclusive ? "" : ", shared", label->nodes, label->nodes == 1 ? "" : "s");
    }
    record_line("Labels", "%s", text_builder_text(&text));
}

#define RECORD_JSON_CLOCK_INT64(writer, name, value) \
    if (*record->clock_node) \
    json_int(writer, name, value)

static void cluster_json(const void *item, struct json_writer *writer)
{
    const struct creel_cluster *record = item;

    CLUSTER_FIELDS(RECORD_JSON)
}

static void nodes_lines(const struct creel_cluster *cluster)
{
    char skew[TEXT_SIZE_MAX];

    record_line("Nodes", "%u running, %u unhealthy, %u lost", cluster->nodes_running,
                cluster->nodes_unhealthy, cluster->nodes_lost);
    if (cluster->nodes_draining + cluster->nodes_drained + cluster->nodes_decommissioning +
            cluster->nodes_decommissioned >
        0)
        record_line("Out of service",
                    "%u draining, %u drained, %u decommissioning, "
                    "%u decommissioned",
                    cluster->nodes_draining, cluster->nodes_drained, cluster->nodes_decommissioning,
                    cluster->nodes_decommissioned);
    if (cluster->nodes_waiting > 0)
        record_line("State",
                    "%u node%s waiting: what their agents have seen is missing here (creel node "
                    "list -R, creel admin state accept)",
                    cluster->nodes_waiting, cluster->nodes_waiting == 1 ? " is" : "s are");
    if (cluster->nodes_silent > 0)
        record_line("Silent", "%u node%s; longest: %s", cluster->nodes_silent,
                    cluster->nodes_silent == 1 ? "" : "s", cluster->silent_node);
    if (*cluster->clock_node)
        record_line("Clocks", "%u node%s too far off; most: %s, %s the resource manager's",
                    cluster->nodes_skewed, cluster->nodes_skewed == 1 ? "" : "s", cluster->clock_node,
                    show_skew(cluster->clock_skew_ms, skew));
}

static void amounts_lines(const struct creel_cluster *cluster)
{
    char total[TEXT_SIZE_MAX], used[TEXT_SIZE_MAX];

    record_line("Memory", "%s of %s allocated", text_format_mb(cluster->used.memory_mb, used),
                text_format_mb(cluster->total.memory_mb, total));
    record_line("vcores", "%lld of %lld allocated", (long long)cluster->used.vcores,
                (long long)cluster->total.vcores);
    for (size_t i = 0; i < cluster->total.other_count; i++) {
        const struct creel_amount *all = &cluster->total.others[i];

        record_line(all->name, "%lld%s of %lld%s allocated",
                    (long long)amount_of_other(&cluster->used, all->name), all->unit, (long long)all->amount,
                    all->unit);
    }
}

static void cluster_lines(const void *item, const struct cli *cli)
{
    const struct creel_cluster *cluster = item;
    char least[RECORD_AMOUNTS_MAX], most[RECORD_AMOUNTS_MAX];
    char up[TEXT_SIZE_MAX], refreshed[TEXT_SIZE_MAX];

    record_line("RM", "%s, creel %s, up %s, restarted %u time%s", creel_rm_address(cli->client),
                cluster->version, text_format_elapsed_ms(cluster->now_ms - cluster->started_ms, up),
                cluster->epoch, cluster->epoch == 1 ? "" : "s");
    record_line("Scheduler", "%s", cluster->scheduler);
    if (cluster->refreshed_ms)
        record_line("Queues", "%s %s ago for %s%s%s",
                    *cluster->refresh_error ? "a refresh was refused" : "refreshed",
                    text_format_elapsed_ms(cluster->now_ms - cluster->refreshed_ms, refreshed),
                    cluster->refreshed_by, *cluster->refresh_error ? ": " : "", cluster->refresh_error);
    if (cluster->check_count == 0) /* a resource manager of release 0.2.0 */
        record_line("Warning", "%s", cluster->history_problem);
    for (size_t i = 0; i < cluster->check_count; i++)
        if (cluster->checks[i].result != CREEL_HEALTH_OK)
            record_line("Warning", "%s", cluster->checks[i].text);
    record_line("Your user", "%s", cluster->user);
    nodes_lines(cluster);
    labels_line(cluster);
    amounts_lines(cluster);
    record_line("Containers", "%u, each from %s to %s", cluster->containers,
                record_amounts(&cluster->minimum_allocation, least),
                record_amounts(&cluster->maximum_allocation, most));
    record_line("Applications", "%u running, %u pending, %llu finished, %llu failed, %llu killed",
                cluster->apps_running, cluster->apps_pending, (unsigned long long)cluster->apps_finished,
                (unsigned long long)cluster->apps_failed, (unsigned long long)cluster->apps_killed);
    limits_lines(cluster);
}

static const struct record cluster_record = {
    .kind = "ClusterInfo",
    .lines = cluster_lines,
    .json = cluster_json,
};

int cmd_cluster_info(struct cli *cli)
{
    struct creel_cluster *cluster = NULL;
    struct creel_error error;
    int code;
    struct creel_client *client = cli_client(cli, &code);

    if (!client)
        return code;
    if (creel_cluster_info(client, &cluster, &error) < 0)
        return cli_fail(&error);
    code = record_print(cli, &cluster_record, cluster);
    creel_cluster_free(cluster);
    return code;
}

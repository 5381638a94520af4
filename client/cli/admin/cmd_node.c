/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_node.c - creel node drain, undrain, decommission, recommission, resources: changes of nodes */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/admin/node_change.h"
#include "client/cli/admin/wait_nodes.h"
#include "client/cli/commands.h"
#include "client/cli/frame/host_arguments.h"
#include "client/cli/show/show_node.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"

#define TIME_MAX_MS ((int64_t)100 * 365 * 86400 * 1000)

const struct option_spec node_drain_options[] = {
    { 0, "reason", "TEXT", "reason, shown in the list of nodes" },
    { 0, "deadline", "TIME", "from now (1h, 30m): remaining containers then get a notice and end" },
    { 0, "no-deadline", NULL, "no deadline; removes an earlier one" },
    { 0, "kill-now", NULL, "kill running containers at once" },
    { 'w', "wait", NULL, "wait until no container runs there" },
    { 0 },
};

const struct option_spec node_resources_options[] = {
    { 0, "for", "TIME", "for this time (2h); then the size that its agent reports" },
    { 0, "overcommit", "TIME",
      "if use exceeds the new size, kill the newest containers after TIME (0s: at once)" },
    { 0 },
};

/* --- drain and decommission ------------------------------------------------- */

/* Reads a time option. Returns false after printing an error; *CODE is the exit code. */
static bool read_time(struct cli *cli, const char *name, int64_t least_ms, int64_t *ms, int *code)
{
    const char *text = options_get(&cli->options, name);

    if (text_parse_duration_ms(text, 1000, ms) && *ms >= least_ms && *ms <= TIME_MAX_MS)
        return true;
    *code = cli_usage(cli, "--%s %s: expected a time from now on, as 90s, 30m or 2h", name, text);
    return false;
}

bool node_order_read(struct cli *cli, struct creel_node_order *order, int *code)
{
    bool none = options_has(&cli->options, "no-deadline");

    order->reason = options_get(&cli->options, "reason");
    order->kill_now = options_has(&cli->options, "kill-now");
    if (none && options_has(&cli->options, "deadline")) {
        *code = cli_usage(cli, "--deadline and --no-deadline: one of them");
        return false;
    }
    if (options_has(&cli->options, "deadline")) {
        order->deadline_given = true;
        return read_time(cli, "deadline", 1, &order->timeout_ms, code);
    }
    if (none) {
        order->deadline_given = true;
        order->timeout_ms = -1;
    }
    return true;
}

static void print_node(const struct cli *cli, const struct creel_node *node)
{
    char left[160], stuck[1024];

    if (node->in_service)
        cli_print(cli, "%s: %s%s", node->id, creel_node_state_name(node->state),
                  node->state == CREEL_NODE_SHUT_DOWN ? ", start its agent again" : "");
    else
        cli_print(cli, "%s: %s%s%s", node->id, creel_node_state_name(node->state),
                  *show_node_left(node, left, sizeof(left)) ? ", " : "",
                  show_node_left(node, left, sizeof(left)));
    if (node->containers_stuck > 0)
        cli_print(cli, "%s: %s", node->id, show_node_stuck(node, stuck, sizeof(stuck)));
}

/* Prints the present state of NODES. Returns CODE, or the exit code of printing if CODE is EXIT_DONE. */
static int show_again(struct cli *cli, const struct creel_nodes *nodes, int code)
{
    struct creel_nodes *now;
    struct creel_error error;
    int shown;

    if (creel_node_list(cli->client, NULL, &now, &error) < 0)
        return cli_fail(&error);
    shown = show_nodes(cli, now, nodes);
    creel_nodes_free(now);
    return code == EXIT_DONE ? shown : code;
}

int node_change(struct cli *cli, const char *const *names, size_t count, const struct creel_node_order *order)
{
    struct creel_nodes *nodes;
    struct creel_error error;
    int code;

    if (creel_node_change(cli->client, names, count, order, &nodes, &error) < 0)
        return cli_fail(&error);
    for (size_t i = 0; !cli->format_given && i < nodes->count; i++)
        print_node(cli, &nodes->items[i]);
    if (options_has(&cli->options, "wait"))
        code = wait_nodes(cli, nodes);
    else
        code = EXIT_DONE;
    if (cli->format_given)
        code = show_again(cli, nodes, code);
    creel_nodes_free(nodes);
    return code;
}

/* Changes the nodes that the arguments name. */
static int change_nodes(struct cli *cli, const struct creel_node_order *order)
{
    struct host_names names;
    int code;

    if (!host_arguments_expand(cli, cli->options.arguments, cli->options.argument_count, &names, &code))
        return code;
    if (cli_client(cli, &code))
        code = node_change(cli, (const char *const *)names.items, names.count, order);
    host_names_done(&names);
    return code;
}

int cmd_node_drain(struct cli *cli)
{
    struct creel_node_order order = { .change = CREEL_NODE_DRAIN };
    int code;

    if (cli->options.argument_count == 0)
        return cli_usage(cli, "which node? creel node drain NODE... --reason TEXT");
    if (!options_has(&cli->options, "reason") || !*options_get(&cli->options, "reason"))
        return cli_usage(cli, "why? creel node drain NODE... --reason TEXT");
    return node_order_read(cli, &order, &code) ? change_nodes(cli, &order) : code;
}

int cmd_node_undrain(struct cli *cli)
{
    const struct creel_node_order order = { .change = CREEL_NODE_UNDRAIN };

    if (cli->options.argument_count == 0)
        return cli_usage(cli, "which node? creel node undrain NODE...");
    return change_nodes(cli, &order);
}

int cmd_node_decommission(struct cli *cli)
{
    struct creel_node_order order = { .change = CREEL_NODE_DECOMMISSION };
    int code;

    if (cli->options.argument_count == 0)
        return cli_usage(cli, "which node? creel node decommission NODE... [--reason TEXT]");
    return node_order_read(cli, &order, &code) ? change_nodes(cli, &order) : code;
}

int cmd_node_recommission(struct cli *cli)
{
    const struct creel_node_order order = { .change = CREEL_NODE_RECOMMISSION };

    if (cli->options.argument_count == 0)
        return cli_usage(cli, "which node? creel node recommission NODE...");
    return change_nodes(cli, &order);
}

/* --- size ------------------------------------------------------------------ */

static bool read_memory(const char *text, int64_t *ret_mb)
{
    int64_t bytes;

    if (!text_parse_size_bytes(text, (int64_t)1 << 20, &bytes) || bytes < (int64_t)1 << 20)
        return false;
    *ret_mb = bytes >> 20;
    return true;
}

static bool read_vcores(const char *text, int64_t *ret)
{
    return text_parse_int64(text, ret) && *ret > 0 && *ret <= INT32_MAX;
}

/* Parses one item of "mem=4g,vcores=2". */
static bool read_amount(const char *item, struct creel_resource *total)
{
    static const struct {
        const char *name;
        bool memory;
    } names[] = {
        { "mem=", true },     { "memory=", true }, { "memory-mb=", true },
        { "vcores=", false }, { "cpu=", false },
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t length = strlen(names[i].name);

        if (strncmp(item, names[i].name, length) != 0)
            continue;
        return names[i].memory ? read_memory(item + length, &total->memory_mb)
                               : read_vcores(item + length, &total->vcores);
    }
    return false;
}

static bool read_amounts(struct cli *cli, const char *text, struct creel_resource *total, int *code)
{
    scoped_free char *copy = mem_strdup(text);
    char *rest = copy, *item;

    while ((item = strsep(&rest, ",")) != NULL) {
        if (read_amount(item, total))
            continue;
        *code = cli_usage(cli,
                          "%s: \"%s\": expected mem=SIZE, vcores=N or both, as mem=16g,vcores=8; "
                          "or default",
                          text, item);
        return false;
    }
    return true;
}

static void print_size(const struct cli *cli, const struct creel_node *node)
{
    char total[TEXT_SIZE_MAX];

    cli_print(cli, "%s: %s, %lld vcores%s", node->id, text_format_mb(node->total.memory_mb, total),
              (long long)node->total.vcores, node->resized ? "" : ", as its agent offers");
}

int cmd_node_resources(struct cli *cli)
{
    size_t count = cli->options.argument_count;
    struct creel_resource total = { 0 };
    int64_t for_ms = 0, overcommit_ms = -1;
    struct creel_nodes *nodes;
    struct creel_error error;
    struct host_names names;
    const char *amounts;
    bool reset;
    int code = EXIT_DONE, r;

    if (count < 2)
        return cli_usage(cli, "which node, and how much? creel node resources NODE... "
                              "mem=16g,vcores=8");
    amounts = cli->options.arguments[count - 1];
    reset = strcmp(amounts, "default") == 0;
    if ((!reset && !read_amounts(cli, amounts, &total, &code)) ||
        (options_has(&cli->options, "for") && !read_time(cli, "for", 1, &for_ms, &code)) ||
        (options_has(&cli->options, "overcommit") && !read_time(cli, "overcommit", 0, &overcommit_ms, &code)))
        return code;
    if (!host_arguments_expand(cli, cli->options.arguments, count - 1, &names, &code))
        return code;
    if (!cli_client(cli, &code)) {
        host_names_done(&names);
        return code;
    }
    r = creel_node_resize(cli->client, (const char *const *)names.items, names.count, reset ? NULL : &total,
                          for_ms, overcommit_ms, &nodes, &error);
    host_names_done(&names);
    if (r < 0)
        return cli_fail(&error);
    if (cli->format_given)
        code = show_nodes(cli, nodes, NULL);
    for (size_t i = 0; !cli->format_given && i < nodes->count; i++)
        print_size(cli, &nodes->items[i]);
    creel_nodes_free(nodes);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_drain_all.c - creel admin drain-all, undrain-all: takes the whole cluster out of service, and back */
#include <stdlib.h>
#include <unistd.h>

#include "client/cli/admin/node_change.h"
#include "client/cli/commands.h"
#include "client/cli/show/show_node.h"
#include "common/base/mem.h"

const char drain_all_help[] =
    "Drains all nodes that are in service, as creel node drain does: no new containers start,\n"
    "running ones may finish. It needs a reason, and asks for confirmation on a terminal; elsewhere it\n"
    "needs --yes. Applications can still be submitted, and wait. A node that registers later for the first\n"
    "time is in service. creel admin undrain-all returns the nodes to service.\n\n"
    "example:\n"
    "  creel admin drain-all --reason \"new switch\" --deadline 2h --wait\n";

const char undrain_all_help[] =
    "Returns all drained nodes to service, also those that were drained one by one. Decommissioned\n"
    "nodes, and nodes that a list of hosts excludes, stay as they are. It asks for confirmation on a\n"
    "terminal; elsewhere it needs --yes.\n\n"
    "example:\n"
    "  creel admin undrain-all --yes\n";

typedef bool wanted_fn(const struct creel_node *node);

static bool is_in_service(const struct creel_node *node)
{
    return node->in_service;
}

static bool is_drained(const struct creel_node *node)
{
    return !node->in_service && !node->admin_state.by_file && !node->admin_state.leaving;
}

/* Asks before COUNT nodes are changed; VERB is "Drain" or "Undrain". */
static bool confirmed(const struct cli *cli, const char *verb, size_t count)
{
    char answer[16];

    if (cli->yes)
        return true;
    if (!isatty(STDIN_FILENO)) {
        fprintf(stderr, "creel: this changes %zu node%s; add --yes to do it\n", count, count == 1 ? "" : "s");
        return false;
    }
    fprintf(stderr, "%s %zu node%s? [y/N] ", verb, count, count == 1 ? "" : "s");
    return fgets(answer, sizeof(answer), stdin) != NULL && (*answer == 'y' || *answer == 'Y');
}

/* Changes all nodes that are WANTED, after a confirmation. */
static int change_all(struct cli *cli, const struct creel_node_order *order, wanted_fn *wanted,
                      const char *verb, const char *none)
{
    struct creel_nodes *nodes;
    struct creel_error error;
    const char **names;
    size_t count = 0;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (creel_node_list(cli->client, NULL, &nodes, &error) < 0)
        return cli_fail(&error);
    names = mem_array0(nodes->count + 1, sizeof(*names));
    for (size_t i = 0; i < nodes->count; i++)
        if (wanted(&nodes->items[i]))
            names[count++] = nodes->items[i].id;
    if (count == 0) {
        nodes->count = 0;
        code = cli->format_given ? show_nodes(cli, nodes, NULL) : (cli_print(cli, "%s", none), EXIT_DONE);
    } else {
        code = confirmed(cli, verb, count) ? node_change(cli, names, count, order) : EXIT_FAILED;
    }
    free(names);
    creel_nodes_free(nodes);
    return code;
}

int cmd_admin_drain_all(struct cli *cli)
{
    struct creel_node_order order = { .change = CREEL_NODE_DRAIN };
    int code;

    if (cli->options.argument_count > 0)
        return cli_usage(cli, "all nodes are drained: creel node drain is for single nodes");
    if (!options_has(&cli->options, "reason") || !*options_get(&cli->options, "reason"))
        return cli_usage(cli, "why? creel admin drain-all --reason TEXT");
    if (!node_order_read(cli, &order, &code))
        return code;
    return change_all(cli, &order, is_in_service, "Drain", "no node is in service");
}

int cmd_admin_undrain_all(struct cli *cli)
{
    const struct creel_node_order order = { .change = CREEL_NODE_UNDRAIN };

    if (cli->options.argument_count > 0)
        return cli_usage(cli, "all nodes return to service: creel node undrain is for single nodes");
    return change_all(cli, &order, is_drained, "Undrain", "no node is drained");
}

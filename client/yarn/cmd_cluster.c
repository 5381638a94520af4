/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_cluster.c - yarn node, yarn queue and yarn cluster */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/include/creel-admin.h"
#include "client/yarn/print.h"
#include "client/yarn/yarn.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "yarn/node.h"

const struct yarn_option node_options[] = {
    { "all", NULL, false, "With -list: nodes of all states." },
    { "help", NULL, false, "Displays help for all commands." },
    { "list", NULL, false, "Lists the running nodes." },
    { "showDetails", NULL, false, "With -list: more about each node." },
    { "states", "States", true, "With -list: nodes of these states, separated by commas." },
    { "status", "NodeId", false, "Prints the status of the node." },
    { 0 },
};

const struct yarn_option queue_options[] = {
    { "help", NULL, false, "Displays help for all commands." },
    { "list", "Parent Queue Name", false, "Lists the queues below the queue; all: all queues." },
    { "status", "Queue Name", false, "Prints the status of the queue." },
    { 0 },
};

const struct yarn_option cluster_options[] = {
    { "help", NULL, false, "Displays help for all commands." },
    { "list-node-attributes", NULL, false, "Lists the node attributes." },
    { "list-node-labels", NULL, false, "Lists the node labels." },
    { "lna", NULL, false, "The same as --list-node-attributes." },
    { "lnl", NULL, false, "The same as --list-node-labels." },
    { 0 },
};

/* --- nodes ------------------------------------------------------------------- */

static int refuse_state(const char *word)
{
    printf(
        "The node state %s is invalid.\nThe valid node state can be one of the following: " YARN_NODE_STATES
        ".\n",
        word);
    return YARN_REFUSED;
}

/* Reads -states and -all into *STATES, bits of Creel__NodeState. Returns false after printing an error. */
static bool read_states(const struct yarn_options *options, uint32_t *states)
{
    *states = yarn_options_has(options, "states") ? 0 : 1u << CREEL_NODE_RUNNING;
    for (size_t i = 0; i < options->count; i++) {
        const struct yarn_value *value = &options->items[i];
        scoped_free char *copy = mem_strdup(value->text);
        char *rest = copy, *word;

        if (value->option == NULL || strcmp(value->option->name, "states") != 0)
            continue;
        while ((word = text_next_word(&rest)) != NULL) {
            uint32_t found = yarn_node_states_parse(word);

            if (found == 0) {
                refuse_state(word);
                return false;
            }
            *states |= found;
        }
    }
    if (yarn_options_has(options, "all"))
        *states = UINT32_MAX;
    return true;
}

static int list_nodes(struct yarn *yarn)
{
    scoped_free const struct creel_node **chosen = NULL;
    struct creel_nodes *nodes;
    struct creel_error error;
    uint32_t states;
    size_t count = 0;

    if (!read_states(&yarn->options, &states))
        return YARN_REFUSED;
    if (yarn_client(yarn) == NULL)
        return YARN_FAILED;
    if (creel_node_list(yarn->client, NULL, &nodes, &error) < 0)
        return yarn_fail(&error);
    chosen = mem_array0(nodes->count + 1, sizeof(*chosen));
    for (size_t i = 0; i < nodes->count; i++)
        if ((states & 1u << nodes->items[i].state) != 0)
            chosen[count++] = &nodes->items[i];
    print_node_list(stdout, chosen, count, yarn_options_has(&yarn->options, "showDetails"));
    creel_nodes_free(nodes);
    return YARN_DONE;
}

static int show_node(struct yarn *yarn, const char *id)
{
    struct creel_nodes *nodes;
    struct creel_error error;

    if (yarn_client(yarn) == NULL)
        return YARN_FAILED;
    if (creel_node_list(yarn->client, id, &nodes, &error) < 0) {
        if (error.code != ENOENT)
            return yarn_fail(&error);
        printf("Could not find the node report for node id : %s\n", id);
        return YARN_DONE; /* as YARN */
    }
    print_node(stdout, &nodes->items[0]);
    creel_nodes_free(nodes);
    return YARN_DONE;
}

int run_node(struct yarn *yarn)
{
    const char *id = yarn_options_get(&yarn->options, "status");

    if (yarn->options.argument_count > 0)
        return yarn_usage(yarn);
    if (id != NULL)
        return show_node(yarn, id);
    return yarn_options_has(&yarn->options, "list") ? list_nodes(yarn) : yarn_usage(yarn);
}

/* --- queues ------------------------------------------------------------------ */

static int show_queue(struct yarn *yarn, const char *name)
{
    struct creel_queues *queues;
    struct creel_error error;

    if (yarn_client(yarn) == NULL)
        return YARN_FAILED;
    if (creel_queue_list(yarn->client, name, &queues, &error) < 0) {
        if (error.code != ENOENT)
            return yarn_fail(&error);
        printf("Cannot get queue from RM by queueName = %s, please check.\n", name);
        return YARN_REFUSED;
    }
    print_queue(stdout, &queues->items[0]);
    creel_queues_free(queues);
    return YARN_DONE;
}

/* True if PATH is a queue directly below PARENT. */
static bool is_child(const char *path, const char *parent)
{
    size_t length = strlen(parent);

    return strncmp(path, parent, length) == 0 && path[length] == '.' &&
           strchr(path + length + 1, '.') == NULL;
}

static int print_children(const struct creel_queues *queues, const char *parent)
{
    scoped_free const struct creel_queue **chosen = mem_array0(queues->count + 1, sizeof(*chosen));
    size_t count = 0;

    for (size_t i = 0; i < queues->count; i++)
        if (parent == NULL || is_child(queues->items[i].path, parent))
            chosen[count++] = &queues->items[i];
    print_queue_list(stdout, chosen, count);
    return YARN_DONE;
}

static int list_queues(struct yarn *yarn, const char *name)
{
    struct creel_queues *all, *parent = NULL;
    struct creel_error error;
    int code;

    if (yarn_client(yarn) == NULL)
        return YARN_FAILED;
    if (strcasecmp(name, "all") != 0 && creel_queue_list(yarn->client, name, &parent, &error) < 0) {
        if (error.code != ENOENT)
            return yarn_fail(&error);
        printf("Cannot get any queues under %s from RM,please check.\n", name);
        return YARN_REFUSED;
    }
    code = creel_queue_list(yarn->client, NULL, &all, &error) < 0
               ? yarn_fail(&error)
               : print_children(all, parent != NULL ? parent->items[0].path : NULL);
    if (code == YARN_DONE)
        creel_queues_free(all);
    creel_queues_free(parent);
    return code;
}

int run_queue(struct yarn *yarn)
{
    const char *shown = yarn_options_get(&yarn->options, "status");
    const char *listed = yarn_options_get(&yarn->options, "list");

    if (yarn->options.argument_count > 0)
        return yarn_usage(yarn);
    if (shown != NULL)
        return show_queue(yarn, shown);
    return listed != NULL ? list_queues(yarn, listed) : yarn_usage(yarn);
}

/* --- labels ------------------------------------------------------------------ */

static int list_labels(struct yarn *yarn)
{
    struct creel_labels *labels;
    struct creel_error error;

    if (yarn_client(yarn) == NULL)
        return YARN_FAILED;
    if (creel_label_list(yarn->client, &labels, &error) < 0)
        return yarn_fail(&error);
    fputs("Node Labels: ", stdout);
    for (size_t i = 0; i < labels->count; i++)
        printf("%s<%s:exclusivity=%s>", i > 0 ? "," : "", labels->items[i].name,
               labels->items[i].exclusive ? "true" : "false");
    putchar('\n');
    creel_labels_free(labels);
    return YARN_DONE;
}

int run_cluster(struct yarn *yarn)
{
    const struct yarn_options *options = &yarn->options;

    if (options->argument_count > 0)
        return yarn_usage(yarn);
    if (yarn_options_has(options, "lnl") || yarn_options_has(options, "list-node-labels"))
        return list_labels(yarn);
    if (!yarn_options_has(options, "lna") && !yarn_options_has(options, "list-node-attributes"))
        return yarn_usage(yarn);
    puts("Node Attributes: "); /* creel has none */
    return YARN_DONE;
}

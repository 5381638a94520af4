/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_label.c - creel label, node label: partitions, and the nodes in them */
#include <stdlib.h>
#include <string.h>

#include "client/cli/amounts.h"
#include "client/cli/commands.h"
#include "client/cli/listing.h"
#include "common/base/mem.h"
#include "common/base/text.h"

/* --- labels ---------------------------------------------------------------- */

static const struct table_column columns[] = {
    { "label", "LABEL", 0 },
    { "exclusive", "EXCLUSIVE", 0 },
    { "nodes", "NODES", TABLE_RIGHT },
    { "mem", "MEM", TABLE_RIGHT },
    { "cpu", "CPU", TABLE_RIGHT },
    { "others", "OTHERS", TABLE_WIDE },
};

static void row(const void *item, struct table *table)
{
    const struct creel_label *label = item;
    char memory[TEXT_SIZE_MAX];

    table_text(table, label->name);
    table_text(table, label->exclusive ? "yes" : "no");
    table_number(table, label->nodes);
    table_text(table, text_format_mb(label->total.memory_mb, memory));
    table_sorted_by(table, label->total.memory_mb);
    table_number(table, label->total.vcores);
    others_cell(table, &label->total, NULL);
}

static void json(const void *item, struct json_writer *writer)
{
    const struct creel_label *label = item;

    json_text(writer, "name", label->name);
    json_bool(writer, "exclusive", label->exclusive);
    json_uint(writer, "nodes", label->nodes);
    json_amounts(writer, "total", &label->total);
}

static const char *label_id(const void *item)
{
    return ((const struct creel_label *)item)->name;
}

static const struct listing listing = {
    .kind = "LabelList", .columns = columns, .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row, .json = json, .id = label_id,
};

int cmd_label_list(struct cli *cli)
{
    scoped_free const void **items = NULL;
    struct creel_labels *labels;
    struct creel_error error;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (creel_label_list(cli->client, &labels, &error) < 0)
        return cli_fail(&error);
    items = mem_array0(labels->count + 1, sizeof(*items));
    for (size_t i = 0; i < labels->count; i++)
        items[i] = &labels->items[i];
    code = listing_print(cli, &listing, items, labels->count);
    creel_labels_free(labels);
    return code;
}

int cmd_label_map(struct cli *cli)
{
    if (!cli->columns)
        cli->columns = "node,label";
    return cmd_node_list(cli);
}

/* --- of a node ------------------------------------------------------------- */

static int set_label(struct cli *cli, const char *node, const char *label)
{
    struct creel_nodes *nodes;
    struct creel_error error;

    if (creel_node_set_label(cli->client, node, label, &nodes, &error) < 0)
        return cli_fail(&error);
    if (*nodes->items[0].label)
        cli_say(cli, "%s: has label %s", nodes->items[0].id, nodes->items[0].label);
    else
        cli_say(cli, "%s: has no label", nodes->items[0].id);
    creel_nodes_free(nodes);
    return EXIT_DONE;
}

/* A node is in one partition: what it has already can be set to another, not added to. */
static int judge_present(struct cli *cli, const char *node, const char *verb, const char *label)
{
    struct creel_nodes *nodes;
    struct creel_error error;
    const char *has;
    int code = EXIT_DONE;

    if (creel_node_list(cli->client, node, &nodes, &error) < 0)
        return cli_fail(&error);
    has = nodes->items[0].label;
    if (!strcmp(verb, "add") && *has && strcmp(has, label) != 0) {
        fprintf(stderr, "creel: node %s: has label %s, and a node has one at most: creel node label %s "
                "set %s\n", nodes->items[0].id, has, node, label);
        code = EXIT_REFUSED;
    } else if (!strcmp(verb, "remove") && label && strcmp(has, label) != 0) {
        fprintf(stderr, "creel: node %s: has not label %s\n", nodes->items[0].id, label);
        code = EXIT_REFUSED;
    }
    creel_nodes_free(nodes);
    return code;
}

int cmd_node_label(struct cli *cli)
{
    size_t count = cli->options.argument_count;
    const char *const *words = (const char *const *)cli->options.arguments;
    const char *verb = count >= 2 ? words[1] : "", *label = count == 3 ? words[2] : NULL;
    bool sets = !strcmp(verb, "set") || !strcmp(verb, "add"), removes = !strcmp(verb, "remove");
    int code;

    if (count > 3 || !(removes || (sets && label && *label)))
        return cli_usage(cli, "what is it to be? creel node label NODE set LABEL, or remove");
    if (!cli_client(cli, &code))
        return code;
    if (strcmp(verb, "set") != 0 && (code = judge_present(cli, words[0], verb, label)) != EXIT_DONE)
        return code;
    return set_label(cli, words[0], removes ? NULL : label);
}

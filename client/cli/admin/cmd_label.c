/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_label.c - creel label, node label: partitions of the cluster, and their nodes */
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/frame/amounts.h"
#include "client/cli/frame/host_arguments.h"
#include "client/cli/frame/listing.h"
#include "client/cli/show/show_node.h"
#include "client/include/creel-admin.h"
#include "common/base/mem.h"
#include "common/base/text.h"

/* --- labels ---------------------------------------------------------------- */

static const struct table_column columns[] = {
    { "label", "LABEL", 0 },
    { "exclusive", "EXCLUSIVE", 0 },
    { "nodes", "NODES", TABLE_RIGHT },
    { "mem", "MEM", TABLE_RIGHT },
    { "cpu", "CPU", TABLE_RIGHT },
    { "source", "SOURCE", 0 },
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
    table_text(table, *label->by ? label->by : label->source);
    others_cell(table, &label->total, NULL);
}

static void json(const void *item, struct json_writer *writer)
{
    const struct creel_label *label = item;

    json_text(writer, "name", label->name);
    json_bool(writer, "exclusive", label->exclusive);
    json_uint(writer, "nodes", label->nodes);
    json_amounts(writer, "total", &label->total);
    json_text(writer, "source", label->source);
    json_text_if(writer, "addedBy", label->by);
    json_time(writer, "added", label->since_ms);
}

static const char *label_id(const void *item)
{
    return ((const struct creel_label *)item)->name;
}

static const struct listing listing = {
    .kind = "LabelList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = label_id,
};

static int print(struct cli *cli, const struct creel_labels *labels)
{
    scoped_free const void **items = mem_array0(labels->count + 1, sizeof(*items));

    for (size_t i = 0; i < labels->count; i++)
        items[i] = &labels->items[i];
    return listing_print(cli, &listing, items, labels->count);
}

int cmd_label_list(struct cli *cli)
{
    struct creel_labels *labels;
    struct creel_error error;
    int code;

    if (cli->options.argument_count > 0)
        return cli_usage(cli, "%s: creel label list takes no arguments", cli->options.arguments[0]);
    if (!cli_client(cli, &code))
        return code;
    if (creel_label_list(cli->client, &labels, &error) < 0)
        return cli_fail(&error);
    code = print(cli, labels);
    creel_labels_free(labels);
    return code;
}

int cmd_label_map(struct cli *cli)
{
    if (!cli->columns)
        cli->columns = "node,label";
    return cmd_node_list(cli);
}

/* --- changes --------------------------------------------------------------- */

/* Parses "fast", "fast:shared", and YARN's syntax "fast(exclusive=false)". Changes WORD. */
static bool read_label(char *word, struct creel_label_spec *spec)
{
    static const struct {
        const char *text;
        bool shared;
    } kinds[] = {
        { ":exclusive", false },
        { "(exclusive=true)", false },
        { ":shared", true },
        { "(exclusive=false)", true },
    };
    size_t length = strcspn(word, ":(");

    spec->name = word;
    spec->shared = false;
    if (word[length] == '\0')
        return length > 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(word + length, kinds[i].text) != 0)
            continue;
        spec->shared = kinds[i].shared;
        word[length] = '\0';
        return length > 0;
    }
    return false;
}

static void print_change(const struct cli *cli, bool removes, const struct creel_label_spec *spec,
                         const struct creel_labels *labels)
{
    for (size_t i = 0; !removes && i < labels->count; i++)
        if (!strcmp(labels->items[i].name, spec->name))
            cli_print(cli, "label %s: is there, %s", spec->name,
                      labels->items[i].exclusive ? "for those who ask for it"
                                                 : "and lends itself to those who ask for none");
    if (removes)
        cli_print(cli, "label %s: is gone", spec->name);
}

static int change(struct cli *cli, bool removes, const struct creel_label_spec *specs, size_t count)
{
    struct creel_labels *labels;
    struct creel_error error;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (creel_label_change(cli->client, removes, specs, count, &labels, &error) < 0)
        return cli_fail(&error);
    for (size_t i = 0; !cli->format_given && i < count; i++)
        print_change(cli, removes, &specs[i], labels);
    code = cli->format_given ? print(cli, labels) : EXIT_DONE;
    creel_labels_free(labels);
    return code;
}

static int change_labels(struct cli *cli, bool removes)
{
    size_t count = cli->options.argument_count;
    scoped_free struct creel_label_spec *specs = mem_array0(count + 1, sizeof(*specs));
    scoped_free char **words = mem_array0(count + 1, sizeof(*words));
    int code = EXIT_DONE;

    if (count == 0)
        return cli_usage(cli, removes ? "which label? creel label remove LABEL..."
                                      : "which label? creel label add LABEL[:exclusive|:shared]...");
    for (size_t i = 0; code == EXIT_DONE && i < count; i++) {
        const char *given = cli->options.arguments[i];

        words[i] = mem_strdup(given);
        if (!read_label(words[i], &specs[i]) || (removes && strpbrk(given, ":(")))
            code = cli_usage(cli,
                             removes ? "%s: expected the name of a label"
                                     : "%s: expected LABEL, LABEL:exclusive or LABEL:shared",
                             given);
    }
    if (code == EXIT_DONE)
        code = change(cli, removes, specs, count);
    for (size_t i = 0; i < count; i++)
        free(words[i]);
    return code;
}

int cmd_label_add(struct cli *cli)
{
    return change_labels(cli, false);
}

int cmd_label_remove(struct cli *cli)
{
    return change_labels(cli, true);
}

/* --- labels of a node ------------------------------------------------------ */

static void print_label(const struct cli *cli, const struct creel_node *node)
{
    if (*node->label)
        cli_print(cli, "%s: has label %s", node->id, node->label);
    else
        cli_print(cli, "%s: has no label", node->id);
}

/* Prints the nodes of LISTS, which have one node each. */
static int show_changed(struct cli *cli, struct creel_nodes *const *lists, size_t count)
{
    scoped_free struct creel_node *items = mem_array0(count + 1, sizeof(*items));
    struct creel_nodes all = { .count = count, .items = items };

    for (size_t i = 0; i < count; i++)
        items[i] = lists[i]->items[0];
    return show_nodes(cli, &all, NULL);
}

static int set_label(struct cli *cli, const struct host_names *names, const char *label)
{
    scoped_free struct creel_nodes **lists = mem_array0(names->count + 1, sizeof(struct creel_nodes *));
    struct creel_error error;
    size_t count = 0;
    int code = EXIT_DONE;

    for (; code == EXIT_DONE && count < names->count; count++) {
        if (creel_node_set_label(cli->client, names->items[count], label, &lists[count], &error) < 0) {
            code = cli_fail(&error);
            break;
        }
        if (!cli->format_given)
            print_label(cli, &lists[count]->items[0]);
    }
    if (cli->format_given && count > 0) {
        int shown = show_changed(cli, lists, count);

        code = code == EXIT_DONE ? shown : code;
    }
    for (size_t i = 0; i < count; i++)
        creel_nodes_free(lists[i]);
    return code;
}

/* Refuses a node that is not known, to add a label to a node that has another label (`set` replaces a
 * label), and to remove a label that the node does not have. */
static int judge_present(struct cli *cli, const char *node, const char *verb, const char *label)
{
    struct creel_nodes *nodes;
    struct creel_error error;
    const char *has;
    int code = EXIT_DONE;

    if (creel_node_list(cli->client, node, &nodes, &error) < 0)
        return cli_fail(&error);
    if (!strcmp(verb, "set") || (!strcmp(verb, "remove") && !label)) {
        creel_nodes_free(nodes);
        return EXIT_DONE;
    }
    has = nodes->items[0].label;
    if (!strcmp(verb, "add") && *has && strcmp(has, label) != 0) {
        fprintf(stderr,
                "creel: node %s: has label %s, and a node has one at most: creel node label %s "
                "set %s\n",
                nodes->items[0].id, has, node, label);
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
    struct host_names names;
    int code;

    if (count > 3 || !(removes || (sets && label && *label)))
        return cli_usage(cli, "what is it to be? creel node label NODE set LABEL, or remove");
    if (!host_arguments_expand(cli, words, 1, &names, &code))
        return code;
    if (!cli_client(cli, &code)) {
        host_names_done(&names);
        return code;
    }
    code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < names.count; i++)
        code = judge_present(cli, names.items[i], verb, label);
    if (code == EXIT_DONE)
        code = set_label(cli, &names, removes ? NULL : label);
    host_names_done(&names);
    return code;
}

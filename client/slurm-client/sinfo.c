/* SPDX-License-Identifier: Apache-2.0 */
/* sinfo.c - lists partitions and their nodes in the formats of sinfo */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/slurm-client/job_list.h"
#include "client/slurm-client/node_fields.h"
#include "client/slurm-client/tool.h"
#include "common/base/host_range.h"
#include "common/base/mem.h"

enum option_id {
    OPT_FORMAT = 1,
    OPT_FORMAT_LONG,
    OPT_LONG,
    OPT_NODE,
    OPT_NODES,
    OPT_NO_HEADER,
    OPT_PARTITION,
    OPT_STATES,
    OPT_SUMMARY,
};

static const struct tool_option options[] = {
    { 'a', "all", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'M', "clusters", TOOL_ARGUMENT, TOOL_CLUSTERS, 0 },
    { 'd', "dead", TOOL_NO_ARGUMENT, TOOL_REFUSED, 0 },
    { 'e', "exact", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 0, "federation", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'o', "format", TOOL_ARGUMENT, TOOL_HANDLED, OPT_FORMAT },
    { 'O', "Format", TOOL_ARGUMENT, TOOL_HANDLED, OPT_FORMAT_LONG },
    { 0, "help", TOOL_NO_ARGUMENT, TOOL_HELP, 0 },
    { 0, "hide", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'i', "iterate", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "json", TOOL_OPTIONAL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'R', "list-reasons", TOOL_NO_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "local", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'l', "long", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_LONG },
    { 'N', "Node", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_NODE },
    { 0, "noconvert", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'n', "nodes", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_NODES },
    { 'h', "noheader", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_NO_HEADER },
    { 'p', "partition", TOOL_ARGUMENT, TOOL_HANDLED, OPT_PARTITION },
    { 'T', "reservation", TOOL_NO_ARGUMENT, TOOL_REFUSED, 0 },
    { 'r', "responding", TOOL_NO_ARGUMENT, TOOL_REFUSED, 0 },
    { 'S', "sort", TOOL_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 't', "states", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_STATES },
    { 's', "summarize", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_SUMMARY },
    { 0, "usage", TOOL_NO_ARGUMENT, TOOL_HELP, 0 },
    { 'v', "verbose", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'V', "version", TOOL_NO_ARGUMENT, TOOL_VERSION, 0 },
    { 0, "yaml", TOOL_OPTIONAL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0 },
};

static const char help[] =
    "sinfo [OPTION...]\n"
    "\n"
    "Lists partitions, which are queues, and the states of their nodes. creel-slurm(1) has the\n"
    "fields of formats.\n"
    "\n"
    "  -p, --partition=QUEUE,...  -n, --nodes=HOSTS          -t, --states=STATE,...\n"
    "  -N, --Node                 -s, --summarize            -l, --long\n"
    "  -o, --format=FORMAT        -O, --Format=FIELD,...     -h, --noheader\n"
    "  -V, --version\n";

#define FORMAT_USUAL "%9P %.5a %.10l %.6D %.6t %N"
#define FORMAT_LONG "%9P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N"
#define FORMAT_NODE "%N %.6D %9P %6t"
#define FORMAT_NODE_LONG "%10N %.5D %9P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E"
#define FORMAT_SUMMARY "%9P %.5a %.10l %.16F %N"

static const struct tool_variable variables[] = {
    { "SINFO_PARTITION", TOOL_ARGUMENT, TOOL_HANDLED, OPT_PARTITION },
    { 0 },
};

struct listing {
    struct tool *tool;
    const char *letters, *names; /* one of them is the format */
    const char *const *partitions, *const *states;
    struct host_names hosts;
    bool each_node, is_long, no_header;
    struct format format;
    struct node_group *groups; /* owned, of one partition */
    size_t count, capacity;
};

static bool read_hosts(struct listing *listing, const char *value)
{
    struct err err = { 0 };

    if (host_range_expand(value, &listing->hosts, &err) == 0)
        return true;
    tool_fail(listing->tool, "%s", err.text);
    return false;
}

/* States of nodes of Slurm. Those that no node of creel has choose none. */
static bool is_state(const char *word)
{
    static const char *const names[] = {
        "all",     "alloc",      "allocated",    "blocked",  "cloud",       "comp",          "completing",
        "down",    "drain",      "drained",      "draining", "drng",        "fail",          "failg",
        "failing", "future",     "futr",         "idle",     "inval",       "maint",         "mix",
        "mixed",   "no_respond", "npc",          "perfctrs", "planned",     "plnd",          "pow_dn",
        "pow_up",  "power_down", "powered_down", "power_up", "powering_up", "powering_down", "reboot",
        "reboot^", "reserved",   "resv",         "unk",      "unknown",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcasecmp(word, names[i]))
            return true;
    return false;
}

static bool read_states(struct listing *listing, const char *value)
{
    listing->states = job_query_split(listing->tool->arena, value);
    for (const char *const *state = listing->states; *state; state++) {
        if (is_state(*state))
            continue;
        tool_fail(
            listing->tool,
            "Bad state string: \"%s\"; expected idle, mixed, allocated, draining, drained, down, unknown or "
            "all",
            *state);
        return false;
    }
    return true;
}

/* Reads an option. Returns false after an error, which is printed. */
static bool read_option(void *context, int id, const char *value)
{
    struct listing *listing = context;
    struct arena *arena = listing->tool->arena;

    switch (id) {
    case OPT_FORMAT:
        listing->letters = value;
        return true;
    case OPT_FORMAT_LONG:
        listing->names = value;
        return true;
    case OPT_LONG:
        return listing->is_long = true;
    case OPT_NODE:
        return listing->each_node = true;
    case OPT_NODES:
        return read_hosts(listing, value);
    case OPT_NO_HEADER:
        return listing->no_header = true;
    case OPT_PARTITION:
        listing->partitions = job_query_split(arena, value);
        return true;
    case OPT_SUMMARY:
        listing->letters = FORMAT_SUMMARY;
        return true;
    case OPT_STATES:
    default:
        return read_states(listing, value);
    }
}

/* --- groups ---------------------------------------------------------------------------------- */

static bool has_state(const struct listing *listing, const struct creel_node *node)
{
    for (const char *const *state = listing->states; state && *state; state++)
        if (!strcasecmp(*state, node_state(node, false)) || !strcasecmp(*state, node_state(node, true)) ||
            !strcasecmp(*state, "all") ||
            (!strcasecmp(*state, "drain") && !strcmp(node_state(node, false), "drng")))
            return true;
    return listing->states == NULL;
}

static bool is_wanted(const struct listing *listing, const struct creel_node *node)
{
    const char *host = node_host(node, listing->tool->arena);
    bool named = listing->hosts.count == 0;

    for (size_t i = 0; !named && i < listing->hosts.count; i++)
        named = !strcmp(listing->hosts.items[i], host);
    return named && has_state(listing, node);
}

/* Returns whether all values of the format but sums are the same for both. */
static bool is_alike(const struct format *format, const struct node_group *left,
                     const struct node_group *right)
{
    scoped_text_builder struct text_builder a = TEXT_BUILDER_MALLOC, b = TEXT_BUILDER_MALLOC;

    for (size_t i = 0; i < format->count; i++) {
        const struct field *field = format->columns[i].field;

        if (!field || node_field_is_sum(field->put))
            continue;
        text_builder_clear(&a);
        text_builder_clear(&b);
        field->put(&a, left);
        field->put(&b, right);
        if (strcmp(text_builder_text(&a), text_builder_text(&b)) != 0)
            return false;
    }
    return true;
}

static void add_node(struct listing *listing, const struct creel_queue *queue, const struct creel_node *node)
{
    struct node_group one = { .queue = queue, .nodes = &node, .count = 1 }, *group = NULL;

    for (size_t i = 0; !listing->each_node && !group && i < listing->count; i++)
        if (is_alike(&listing->format, &listing->groups[i], &one))
            group = &listing->groups[i];
    if (!group) {
        mem_grow(listing->groups, listing->count, listing->capacity);
        group = &listing->groups[listing->count++];
        *group = (struct node_group){ .queue = queue };
    }
    mem_grow(group->nodes, group->count, group->capacity);
    group->nodes[group->count++] = node;
}

static bool has_partition(const struct listing *listing, const struct creel_queue *queue)
{
    const char *last = strrchr(queue->path, '.');

    return job_query_has(listing->partitions, queue->path) ||
           job_query_has(listing->partitions, job_partition(queue->path)) ||
           (last && job_query_has(listing->partitions, last + 1));
}

static void print_queue(struct listing *listing, const struct creel_queue *queue,
                        const struct creel_nodes *nodes)
{
    struct node_group empty = { .queue = queue };

    if (!queue->leaf || !has_partition(listing, queue))
        return;
    listing->count = 0;
    for (size_t i = 0; i < nodes->count; i++)
        if (node_serves(&nodes->items[i], queue) && is_wanted(listing, &nodes->items[i]))
            add_node(listing, queue, &nodes->items[i]);
    for (size_t i = 0; i < listing->count; i++) {
        format_print_row(&listing->format, &listing->groups[i], stdout);
        free(listing->groups[i].nodes);
    }
    if (listing->count == 0 && !listing->each_node)
        format_print_row(&listing->format, &empty, stdout);
}

static int print_all(struct listing *listing)
{
    struct creel_queues *queues;
    struct creel_nodes *nodes;
    int code = tool_load_partitions(listing->tool, NULL, &queues, &nodes);

    if (code == EXIT_SUCCESS && listing->is_long)
        tool_print_date();
    if (code == EXIT_SUCCESS && !listing->no_header)
        format_print_header(&listing->format, stdout);
    for (size_t i = 0; code == EXIT_SUCCESS && i < queues->count; i++)
        print_queue(listing, &queues->items[i], nodes);
    creel_queues_free(queues);
    creel_nodes_free(nodes);
    free(listing->groups);
    return code;
}

static int list_nodes(struct listing *listing)
{
    struct arena *arena = listing->tool->arena;
    const char *environment = getenv("SINFO_FORMAT");
    struct err err = { 0 };
    int r;

    if (listing->is_long && (listing->letters || listing->names))
        return tool_fail(listing->tool, "--format and --long exclude each other");
    if (listing->is_long)
        listing->letters = listing->each_node ? FORMAT_NODE_LONG : FORMAT_LONG;
    if (!listing->letters)
        listing->letters = environment && *environment ? environment
                           : listing->each_node        ? FORMAT_NODE
                                                       : FORMAT_USUAL;
    r = listing->names ? format_read_names(&listing->format, listing->names, sinfo_fields, arena, &err)
                       : format_read_letters(&listing->format, listing->letters, sinfo_fields, arena, &err);
    return r < 0 ? tool_fail(listing->tool, "%s", err.text) : print_all(listing);
}

int sinfo_main(struct tool *tool, int argc, char **argv)
{
    static const struct tool_line line = {
        .options = options, .variables = variables, .read = read_option, .help = help
    };
    struct listing listing = { .tool = tool };
    int at, code;

    if (tool_read(tool, &line, &listing, argc, argv, &at, &code))
        code = list_nodes(&listing);
    host_names_done(&listing.hosts);
    return code;
}

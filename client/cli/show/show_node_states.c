/* SPDX-License-Identifier: Apache-2.0 */
/* show_node_states.c - prints how many nodes are in each state */
#include "client/cli/show/show_lists.h"

#include <stdlib.h>
#include <string.h>

#include "client/cli/frame/amounts.h"
#include "client/cli/frame/listing.h"
#include "common/base/host_range.h"
#include "common/base/mem.h"

struct state_row {
    enum creel_node_state state;
    uint32_t nodes, containers;
    struct creel_resource total, used; /* memory and vcores */
    char *hosts;                       /* owned */
};

static const struct table_column columns[] = {
    { "state", "STATE", TABLE_STATE }, { "nodes", "NODES", TABLE_RIGHT },
    { "cont", "CONT", TABLE_RIGHT },   { "memused", "MEMUSED", TABLE_RIGHT },
    { "mem", "MEM", TABLE_RIGHT },     { "cpuused", "CPUUSED", TABLE_RIGHT },
    { "cpu", "CPU", TABLE_RIGHT },     { "hosts", "HOSTS", TABLE_CUT },
};

static void row(const void *item, struct table *table)
{
    const struct state_row *state = item;

    table_text(table, creel_node_state_name(state->state));
    table_number(table, state->nodes);
    table_number(table, state->containers);
    memory_cell(table, state->used.memory_mb);
    memory_cell(table, state->total.memory_mb);
    table_number(table, state->used.vcores);
    table_number(table, state->total.vcores);
    table_text(table, state->hosts);
}

static void json(const void *item, struct json_writer *writer)
{
    const struct state_row *state = item;

    json_text(writer, "state", creel_node_state_name(state->state));
    json_uint(writer, "nodes", state->nodes);
    json_uint(writer, "containers", state->containers);
    json_amounts(writer, "total", &state->total);
    json_amounts(writer, "used", &state->used);
    json_text(writer, "hosts", state->hosts);
}

static const char *state_id(const void *item)
{
    return creel_node_state_name(((const struct state_row *)item)->state);
}

static const struct listing listing = {
    .kind = "NodeStateList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = state_id,
};

static size_t host_length(const char *id)
{
    const char *colon = strrchr(id, ':');

    return colon ? (size_t)(colon - id) : strlen(id);
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp((*(const struct creel_node *const *)a)->id, (*(const struct creel_node *const *)b)->id);
}

static bool same_host(const struct creel_node *a, const struct creel_node *b)
{
    size_t length = host_length(a->id);

    return host_length(b->id) == length && !strncmp(a->id, b->id, length);
}

/* Returns the host of SORTED[i], or its id if a neighbour has the same host. The caller frees it. */
static char *name_of(const struct creel_node *const *sorted, size_t count, size_t i)
{
    bool shared = i > 0 && same_host(sorted[i - 1], sorted[i]);

    shared = shared || (i + 1 < count && same_host(sorted[i], sorted[i + 1]));
    return shared ? mem_strdup(sorted[i]->id) : mem_strndup(sorted[i]->id, host_length(sorted[i]->id));
}

static void add_up(struct state_row *row_of_state, const struct creel_node *const *sorted, char *const *names,
                   size_t count)
{
    scoped_free const char **mine = mem_array0(count + 1, sizeof(*mine));

    for (size_t i = 0; i < count; i++) {
        if (sorted[i]->state != row_of_state->state)
            continue;
        mine[row_of_state->nodes++] = names[i];
        row_of_state->containers += sorted[i]->containers;
        row_of_state->total.memory_mb += sorted[i]->total.memory_mb;
        row_of_state->total.vcores += sorted[i]->total.vcores;
        row_of_state->used.memory_mb += sorted[i]->used.memory_mb;
        row_of_state->used.vcores += sorted[i]->used.vcores;
    }
    row_of_state->hosts = host_range_fold(mine, row_of_state->nodes);
}

int show_node_states(struct cli *cli, const struct creel_node *const *nodes, size_t count)
{
    scoped_free const struct creel_node **sorted = mem_array0(count + 1, sizeof(*sorted));
    scoped_free char **names = mem_array0(count + 1, sizeof(*names));
    struct state_row rows[CREEL_NODE_WAITING + 1] = { 0 };
    const void *items[CREEL_NODE_WAITING + 1];
    size_t shown = 0;
    int code;

    memcpy(sorted, nodes, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_ids);
    for (size_t i = 0; i < count; i++)
        names[i] = name_of(sorted, count, i);
    for (int state = 0; state <= CREEL_NODE_WAITING; state++) {
        rows[state].state = (enum creel_node_state)state;
        add_up(&rows[state], sorted, names, count);
        if (rows[state].nodes > 0)
            items[shown++] = &rows[state];
    }
    code = listing_print(cli, &listing, items, shown);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    for (int state = 0; state <= CREEL_NODE_WAITING; state++)
        free(rows[state].hosts);
    return code;
}

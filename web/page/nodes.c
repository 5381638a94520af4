/* SPDX-License-Identifier: Apache-2.0 */
/* nodes.c - /cluster/nodes: a map and a table of the nodes that match the filter */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/record/node_fields.h"
#include "web/page/bar.h"
#include "web/page/frame.h"
#include "web/page/list.h"
#include "web/page/list_csv.h"
#include "web/page/page_text.h"
#include "web/page/pages.h"
#include "web/page/racks.h"
#include "web/page/record_csv.h"
#include "yarn/node.h"
#include "yarn/resource.h"

#define STATE(state) (1u << CREEL__NODE_STATE__NODE_##state)
#define NAME(state) #state

struct state_choice {
    const char *name, *word;
    uint32_t states;
};

/* The chips. The parameter "state" may also be the name of another state. */
static const struct state_choice choices[] = {
    { "", "all", 0 },
    { NAME(RUNNING), "running", STATE(RUNNING) },
    { "bad", "unhealthy or lost", STATE(UNHEALTHY) | STATE(LOST) },
    { "leaving", "leaving", STATE(DRAINING) | STATE(DECOMMISSIONING) },
    { "out", "out of service", STATE(DRAINED) | STATE(DECOMMISSIONED) | STATE(SHUT_DOWN) | STATE(REBOOTED) },
};
#define CHOICE_COUNT (sizeof(choices) / sizeof(*choices))

static void read_filter(struct exchange *exchange, struct web_node_filter *ret)
{
    const char *state = list_parameter(exchange, "state");
    Creel__NodeState one;

    *ret = (struct web_node_filter){
        .rack = list_parameter(exchange, "rack"),
        .label = list_parameter(exchange, "label"),
        .text = list_parameter(exchange, "q"),
    };
    if (state != NULL && node_state_parse(state, &one))
        ret->states = 1u << one;
    for (size_t i = 0; state != NULL && i < CHOICE_COUNT; i++)
        if (strcasecmp(choices[i].name, state) == 0)
            ret->states = choices[i].states;
}

static size_t count_nodes(const struct web_model *model, const struct web_node_filter *filter)
{
    const struct web_page none = { .limit = 1 };
    const Creel__NodeReport *first;
    size_t total = 0;

    web_model_list_nodes(model, filter, WEB_NODE_BY_ID, &none, &first, &total);
    return total;
}

static void add_chips(struct page *page, const struct web_node_filter *filter)
{
    list_chips_begin(page, "State");
    for (size_t i = 0; i < CHOICE_COUNT; i++) {
        struct web_node_filter counted = *filter;

        counted.states = choices[i].states;
        list_chip(page, &(struct list_chip){
                            .name = "state",
                            .value = choices[i].name,
                            .word = choices[i].word,
                            .count = page_text_count(page->arena, count_nodes(page->model, &counted)),
                            .chosen = choices[i].states == filter->states,
                        });
    }
    list_chips_end(page);
}

static void add_form(struct page *page)
{
    static const struct list_input inputs[] = { { "q", "Name" }, { "rack", "Rack" }, { "label", "Label" } };

    list_filter_form(page, "/cluster/nodes", "", inputs, sizeof(inputs) / sizeof(*inputs));
}

/* --- the table -------------------------------------------------------------- */

static void add_use_cell(struct page *page, const char *title, const char *text, int64_t used, int64_t total)
{
    html_add(&page->html, "<td class=\"bars\" data-label=\"%s\">", title);
    bar_use(page, (double)used, (double)total);
    html_add(&page->html, "<small>%s</small></td>", text);
}

static void cell_node(struct page *page, const void *row)
{
    html_add(&page->html, "<td data-label=\"Node\">");
    page_node_link(page, ((const Creel__NodeReport *)row)->node_id);
    html_add(&page->html, "</td>");
}

static void cell_rack(struct page *page, const void *row)
{
    const char *rack = ((const Creel__NodeReport *)row)->rack;

    html_add(&page->html, "<td data-label=\"Rack\"><a href=\"/cluster/nodes?rack=%s\"><bdi>%s</bdi></a></td>",
             html_url(page->arena, rack), rack);
}

static void cell_state(struct page *page, const void *row)
{
    Creel__NodeState state = ((const Creel__NodeReport *)row)->state;

    html_add(&page->html, "<td data-label=\"State\">");
    page_badge(page, page_text_node_class(state), node_state_name(state));
    page_node_silence(page, ((const Creel__NodeReport *)row)->node_id);
    html_add(&page->html, "</td>");
}

static void add_text(struct page *page, const char *label, const char *text)
{
    html_add(&page->html, "<td data-label=\"%s\"><bdi>%s</bdi></td>", label, text);
}

static void cell_label(struct page *page, const void *row)
{
    add_text(page, "Label", ((const Creel__NodeReport *)row)->label);
}

static void cell_containers(struct page *page, const void *row)
{
    page_count_cell(page, "Containers", ((const Creel__NodeReport *)row)->containers);
}

static void cell_memory(struct page *page, const void *row)
{
    const Creel__NodeReport *node = row;

    add_use_cell(page, "Memory", page_text_memory_of(page->arena, node->used, node->total),
                 yarn_memory_mb(node->used), yarn_memory_mb(node->total));
}

static void cell_vcores(struct page *page, const void *row)
{
    const Creel__NodeReport *node = row;

    add_use_cell(page, "Vcores", page_text_vcores_of(page->arena, node->used, node->total),
                 yarn_vcores(node->used), yarn_vcores(node->total));
}

static void add_measured(struct page *page, const char *label, uint64_t measured, const char *text)
{
    html_add(&page->html, "<td class=\"n\" data-label=\"%s\">%s</td>", label, measured == 0 ? "–" : text);
}

static void cell_in_use(struct page *page, const void *row)
{
    uint64_t bytes = ((const Creel__NodeReport *)row)->used_memory_bytes;

    add_measured(page, "In use", bytes, page_text_bytes(page->arena, bytes));
}

static void cell_cpu(struct page *page, const void *row)
{
    uint32_t cpu = ((const Creel__NodeReport *)row)->cpu_millicores;

    add_measured(page, "Processors", cpu, arena_printf(page->arena, "%.2f", (double)cpu / 1000));
}

static void cell_whole_memory(struct page *page, const void *row)
{
    uint64_t bytes = ((const Creel__NodeReport *)row)->node_memory_bytes;

    add_measured(page, "Whole node", bytes, page_text_bytes(page->arena, bytes));
}

static void cell_heartbeat(struct page *page, const void *row)
{
    html_add(&page->html, "<td class=\"n\" data-label=\"Heartbeat\">");
    page_ago(page, ((const Creel__NodeReport *)row)->last_heartbeat_ms);
    html_add(&page->html, "</td>");
}

static void cell_address(struct page *page, const void *row)
{
    add_text(page, "HTTP address", ((const Creel__NodeReport *)row)->http_address);
}

static void cell_version(struct page *page, const void *row)
{
    add_text(page, "Version", ((const Creel__NodeReport *)row)->version);
}

static void cell_registered(struct page *page, const void *row)
{
    page_ago_cell(page, "Registered", ((const Creel__NodeReport *)row)->registered_ms);
}

static const char *reason_of(const Creel__NodeReport *node)
{
    return node->admin_state != NULL && *node->admin_state->reason != '\0' ? node->admin_state->reason
                                                                           : node->health_report;
}

static void cell_reason(struct page *page, const void *row)
{
    html_add(&page->html, "<td class=\"reason\" data-label=\"Reason\"><bdi>%s</bdi></td>", reason_of(row));
}

static const struct list_column columns[] = {
    { LIST_SORT("id", WEB_NODE_BY_ID), LIST_TITLE("Node", "Node Address"), LIST_CELL("node", cell_node) },
    { LIST_TITLE("Rack", "Rack"), LIST_CELL("rack", cell_rack) },
    { LIST_SORT("state", WEB_NODE_BY_STATE), LIST_TITLE("State", "Node State"),
      LIST_CELL("state", cell_state) },
    { LIST_TITLE("Label", "Node Labels"), LIST_CELL("label", cell_label) },
    { LIST_SORT("containers", WEB_NODE_BY_CONTAINERS), LIST_TITLE("Containers", "Containers"), .number = true,
      LIST_CELL("containers", cell_containers) },
    { LIST_SORT("memory", WEB_NODE_BY_MEMORY), LIST_TITLE("Memory", "Mem Used, Mem Avail"),
      LIST_CELL("memory", cell_memory) },
    { LIST_TITLE("Vcores", "VCores Used, VCores Avail"), LIST_CELL("vcores", cell_vcores) },
    { LIST_TITLE("In use", "Phys Mem Used %"), .number = true, LIST_CELL("in-use", cell_in_use) },
    { LIST_TITLE("Processors", "Phys VCores Used %"), .number = true, .further = true,
      LIST_CELL("cpu", cell_cpu) },
    { LIST_TITLE("Whole node", "memory in use by all processes of the node"), .number = true, .further = true,
      LIST_CELL("whole-node", cell_whole_memory) },
    { LIST_TITLE("HTTP address", "Node HTTP Address"), .further = true, LIST_CELL("http", cell_address) },
    { LIST_TITLE("Version", "Version"), .further = true, LIST_CELL("version", cell_version) },
    { LIST_TITLE("Registered", NULL), .number = true, .further = true,
      LIST_CELL("registered", cell_registered) },
    { LIST_TITLE("Reason", "Health-report, reason of an administrator"), .further = true,
      LIST_CELL("reason", cell_reason) },
    { LIST_SORT("heartbeat", WEB_NODE_BY_HEARTBEAT), LIST_TITLE("Heartbeat", "Last health-update"),
      .number = true, LIST_CELL("heartbeat", cell_heartbeat) },
};
#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

/* --- CSV -------------------------------------------------------------------- */

static void csv_node_state(struct csv *csv, Creel__NodeState state)
{
    csv_text(csv, node_state_name(state));
}

#define RECORD_CSV_LINE Creel__NodeReport
NODE_FIELDS(RECORD_CSV_CELL)

#define FIELD(id, function, value) \
    static void id(struct csv *csv, const void *row) \
    { \
        const Creel__NodeReport *node = row; \
        function(csv, value); \
    }

FIELD(field_memory_used, csv_count, yarn_memory_mb(node->used))
FIELD(field_memory, csv_count, yarn_memory_mb(node->total))
FIELD(field_vcores_used, csv_count, yarn_vcores(node->used))
FIELD(field_vcores, csv_count, yarn_vcores(node->total))
FIELD(field_by, csv_text, node->admin_state != NULL ? node->admin_state->by : "")
FIELD(field_reason, csv_text, node->admin_state != NULL ? node->admin_state->reason : "")

static const struct list_field fields[] = {
    NODE_FIELDS(RECORD_CSV_COLUMN)[5] = { "memory_used_mb", field_memory_used },
    [6] = { "memory_mb", field_memory },
    [7] = { "vcores_used", field_vcores_used },
    [8] = { "vcores", field_vcores },
    [18] = { "out_of_service_by", field_by },
    [19] = { "out_of_service_reason", field_reason },
};

static const struct list_fields node_fields = { "nodes", fields, sizeof(fields) / sizeof(*fields) };

struct csv_list {
    const struct web_model *model;
    struct web_node_filter filter;
    struct list_state list;
};

static size_t read_nodes(void *context, const char *after, const void **rows, size_t limit)
{
    const struct csv_list *csv = context;
    size_t total = 0;

    return web_model_list_nodes(csv->model, &csv->filter, (enum web_node_order)csv->list.column->order,
                                &(struct web_page){ csv->list.descending, after, limit },
                                (const Creel__NodeReport **)rows, &total);
}

static const char *key_of_node(void *context, const void *row)
{
    (void)context;
    return ((const Creel__NodeReport *)row)->node_id;
}

static bool node_exists(void *context, const char *key)
{
    return web_model_node(((const struct csv_list *)context)->model, key) != NULL;
}

static void send_csv(const struct page *page, const struct web_node_filter *filter,
                     const struct list_state *list)
{
    struct csv_list *csv = arena_new0(page->arena, struct csv_list);

    *csv = (struct csv_list){ page->model, *filter, *list };
    list_csv_answer_source(page->exchange, &node_fields,
                           &(struct list_source){ read_nodes, key_of_node, node_exists, csv });
}

/* --- the page --------------------------------------------------------------- */

void page_nodes(struct exchange *exchange)
{
    const Creel__NodeReport **nodes;
    struct web_node_filter filter;
    struct list_state list;
    struct page page;
    size_t total = 0, count;

    if (!page_begin(&page, exchange, MENU_NODES, "Nodes", true))
        return;
    read_filter(exchange, &filter);
    list_read(&list, exchange, columns, COLUMN_COUNT, "id");
    if (!list_choose_columns(&list, exchange, columns, COLUMN_COUNT))
        return;
    if (list_csv_is_wanted(exchange)) {
        send_csv(&page, &filter, &list);
        return;
    }
    nodes = arena_array0(page.arena, list.limit + 1, sizeof(*nodes));
    count = web_model_list_nodes(page.model, &filter, (enum web_node_order)list.column->order,
                                 &(struct web_page){ list.descending, list.after, list.limit + 1 }, nodes,
                                 &total);
    html_add(&page.html, "<section id=\"states\" class=\"live\">");
    add_chips(&page, &filter);
    html_add(&page.html, "</section>");
    add_form(&page);
    html_add(&page.html, "<div id=\"map\" data-map=\"/cluster/nodes.bin%s\" hidden></div>\n",
             list_target(&page, "sort", NULL));
    racks_add(&page, &filter);
    html_add(&page.html, "<section id=\"rows\" class=\"live wide\"><table class=\"cards\">"
                         "<caption class=\"hidden\">Nodes</caption>");
    list_head(&page, &list, columns, COLUMN_COUNT);
    html_add(&page.html, "<tbody>");
    for (size_t i = 0; i < count && i < list.limit; i++)
        list_row(&page, &list, columns, COLUMN_COUNT, nodes[i]);
    html_add(&page.html, "</tbody></table>");
    list_foot(&page, &list, count < list.limit ? count : list.limit, total,
              count > list.limit ? nodes[list.limit - 1]->node_id : NULL, "node", "nodes");
    html_add(&page.html, "</section>\n");
    list_columns_form(&page, &list, columns, COLUMN_COUNT, "/cluster/nodes");
    page_send(&page);
}

void page_nodes_map(struct exchange *exchange)
{
    struct web_node_filter filter;

    read_filter(exchange, &filter);
    racks_send_map(exchange, &filter);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* nodes.c - /cluster/nodes: a map and a table of the nodes that match the filter */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "web/page/bar.h"
#include "web/page/frame.h"
#include "web/page/list.h"
#include "web/page/pages.h"
#include "web/page/racks.h"
#include "web/page/page_text.h"

static const struct list_column columns[] = {
    { "id", "Node", "Node Address", WEB_NODE_BY_ID, false, false },
    { NULL, "Rack", "Rack", 0, false, false },
    { "state", "State", "Node State", WEB_NODE_BY_STATE, false, false },
    { NULL, "Label", "Node Labels", 0, false, false },
    { "containers", "Containers", "Containers", WEB_NODE_BY_CONTAINERS, true, false },
    { "memory", "Memory", "Mem Used, Mem Avail", WEB_NODE_BY_MEMORY, false, false },
    { NULL, "Vcores", "VCores Used, VCores Avail", 0, false, false },
    { NULL, "In use", "Phys Mem Used %", 0, true, false },
    { "heartbeat", "Heartbeat", "Last health-update", WEB_NODE_BY_HEARTBEAT, true, false },
};
#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

#define STATE(state) (1u << CREEL__NODE_STATE__NODE_##state)

struct state_choice {
    const char *name, *word;
    uint32_t states;
};

/* The values of the parameter "state": YARN's states in capitals, and creel's groups of states. */
static const struct state_choice choices[] = {
    { "", "all", 0 },
    { "RUNNING", "running", STATE(RUNNING) },
    { "bad", "unhealthy or lost", STATE(UNHEALTHY) | STATE(LOST) },
    { "leaving", "leaving", STATE(DRAINING) | STATE(DECOMMISSIONING) },
    { "out", "out of service", STATE(DRAINED) | STATE(DECOMMISSIONED) | STATE(SHUT_DOWN) | STATE(REBOOTED) },
    { "UNHEALTHY", NULL, STATE(UNHEALTHY) },
    { "LOST", NULL, STATE(LOST) },
    { "DECOMMISSIONING", NULL, STATE(DECOMMISSIONING) },
    { "DECOMMISSIONED", NULL, STATE(DECOMMISSIONED) },
    { "DRAINING", NULL, STATE(DRAINING) },
    { "DRAINED", NULL, STATE(DRAINED) },
    { "SHUTDOWN", NULL, STATE(SHUT_DOWN) },
    { "REBOOTED", NULL, STATE(REBOOTED) },
    { "WAITING", NULL, STATE(WAITING) },
};
#define CHOICE_COUNT (sizeof(choices) / sizeof(*choices))

static const char *parameter(struct exchange *exchange, const char *name)
{
    const char *value = exchange_parameter(exchange, name, 0);

    return value != NULL && *value != '\0' ? value : NULL;
}

static void read_filter(struct exchange *exchange, struct web_node_filter *ret)
{
    const char *state = parameter(exchange, "state");

    *ret = (struct web_node_filter){
        .rack = parameter(exchange, "rack"),
        .label = parameter(exchange, "label"),
        .text = parameter(exchange, "q"),
    };
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
    struct html *html = &page->html;

    html_add(html, "<nav class=\"chips\" aria-label=\"State\">");
    for (size_t i = 0; i < CHOICE_COUNT && choices[i].word != NULL; i++) {
        struct web_node_filter counted = *filter;

        counted.states = choices[i].states;
        html_add(html, "<a href=\"%s\"",
                 list_target(page, "state", *choices[i].name ? choices[i].name : NULL));
        if (choices[i].states == filter->states)
            html_add(html, " aria-current=\"true\"");
        html_add(html, ">%s <b>%s</b></a>", choices[i].word,
                 page_text_count(page->arena, count_nodes(page->model, &counted)));
    }
    html_add(html, "</nav>");
}

static void add_field(struct page *page, const char *name, const char *title)
{
    const char *value = parameter(page->exchange, name);

    html_add(&page->html, "<label>%s <input name=\"%s\" value=\"%s\"></label>", title, name,
             value ? value : "");
}

static void add_form(struct page *page)
{
    html_add(&page->html, "<form class=\"filter\" action=\"/cluster/nodes\">");
    if (parameter(page->exchange, "state") != NULL)
        html_add(&page->html, "<input type=\"hidden\" name=\"state\" value=\"%s\">",
                 parameter(page->exchange, "state"));
    add_field(page, "q", "Name");
    add_field(page, "rack", "Rack");
    add_field(page, "label", "Label");
    html_add(&page->html, "<button>Filter</button> <a href=\"/cluster/nodes\">clear</a></form>\n");
}

/* --- the table -------------------------------------------------------------- */

static void add_use_cell(struct page *page, const char *title, const char *text, int64_t used, int64_t total)
{
    html_add(&page->html, "<td class=\"bars\" data-label=\"%s\">", title);
    bar_use(page, (double)used, (double)total);
    html_add(&page->html, "<small>%s</small></td>", text);
}

static void add_row(struct page *page, const Creel__NodeReport *node)
{
    struct arena *arena = page->arena;
    struct html *html = &page->html;

    html_add(html, "<tr><td data-label=\"Node\">");
    page_node_link(page, node->node_id);
    html_add(html,
             "</td><td data-label=\"Rack\"><a href=\"/cluster/nodes?rack=%s\"><bdi>%s</bdi></a></td>"
             "<td data-label=\"State\">",
             html_url(arena, node->rack), node->rack);
    page_badge(page, page_text_node_class(node->state), page_text_node_state(node->state));
    html_add(html, "</td><td data-label=\"Label\"><bdi>%s</bdi></td>", node->label);
    page_count_cell(page, "Containers", node->containers);
    add_use_cell(page, "Memory", page_text_memory_of(arena, node->used, node->total),
                 page_text_mb(node->used), page_text_mb(node->total));
    add_use_cell(page, "Vcores", page_text_vcores_of(arena, node->used, node->total),
                 page_text_vcores(node->used), page_text_vcores(node->total));
    html_add(html, "<td class=\"n\" data-label=\"In use\">%s</td><td class=\"n\" data-label=\"Heartbeat\">",
             node->used_memory_bytes == 0 ? "–" : page_text_bytes(arena, node->used_memory_bytes));
    page_ago(page, node->last_heartbeat_ms);
    html_add(html, "</td></tr>\n");
}

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
        add_row(&page, nodes[i]);
    html_add(&page.html, "</tbody></table>");
    list_foot(&page, &list, count < list.limit ? count : list.limit, total,
              count > list.limit ? nodes[list.limit - 1]->node_id : NULL, "node", "nodes");
    html_add(&page.html, "</section>\n");
    page_send(&page);
}

void page_nodes_map(struct exchange *exchange)
{
    struct web_node_filter filter;

    read_filter(exchange, &filter);
    racks_send_map(exchange, &filter);
}

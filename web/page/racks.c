/* SPDX-License-Identifier: Apache-2.0 */
/* racks.c - all nodes in the order of their racks */
#include "web/page/racks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "web/page/list.h"
#include "web/page/pages.h"
#include "web/page/page_text.h"
#include "yarn/resource.h"

#define NODES_MAX 50000
#define RACKS_SHOWN 20

static int by_rack(const void *a, const void *b)
{
    const Creel__NodeReport *x = *(const Creel__NodeReport *const *)a;
    const Creel__NodeReport *y = *(const Creel__NodeReport *const *)b;
    int racks = strcmp(x->rack, y->rack);

    return racks != 0 ? racks : strcmp(x->node_id, y->node_id);
}

/* Lists the nodes that match FILTER by rack and id in *RET. Returns their number; 0 if there are more than
 * NODES_MAX. */
static size_t list_by_rack(struct arena *arena, const struct web_model *model,
                           const struct web_node_filter *filter, const Creel__NodeReport ***ret)
{
    const struct web_page all = { .limit = NODES_MAX };
    const Creel__NodeReport *first;
    size_t total = 0, count;

    web_model_list_nodes(model, filter, WEB_NODE_BY_ID, &(struct web_page){ .limit = 1 }, &first, &total);
    *ret = arena_array0(arena, total + 1, sizeof(**ret));
    count = total <= NODES_MAX ? web_model_list_nodes(model, filter, WEB_NODE_BY_ID, &all, *ret, &total) : 0;
    qsort(*ret, count, sizeof(**ret), by_rack);
    return count;
}

/* --- a table of racks --------------------------------------------------------- */

static void add_rack(struct page *page, const Creel__NodeReport *const *nodes, size_t count)
{
    struct html *html = &page->html;
    int64_t used_mb = 0, total_mb = 0;
    size_t bad = 0;

    for (size_t i = 0; i < count; i++) {
        used_mb += yarn_memory_mb(nodes[i]->used);
        total_mb += yarn_memory_mb(nodes[i]->total);
        bad += strcmp(page_text_node_class(nodes[i]->state), "bad") == 0;
    }
    html_add(html, "<tr><td data-label=\"Rack\"><a href=\"%s\"><bdi>%s</bdi></a></td>",
             list_target(page, "rack", nodes[0]->rack), nodes[0]->rack);
    page_count_cell(page, "Nodes", (int64_t)count);
    page_count_cell(page, "Not well", (int64_t)bad);
    html_add(html, "<td class=\"n\" data-label=\"Memory\">%s of %s</td></tr>\n",
             page_text_memory(page->arena, used_mb), page_text_memory(page->arena, total_mb));
}

void racks_add(struct page *page, const struct web_node_filter *filter)
{
    const Creel__NodeReport **nodes;
    size_t count = list_by_rack(page->arena, page->model, filter, &nodes), first = 0, racks = 0;
    struct html *html = &page->html;

    html_add(html, "<details><summary>By rack</summary><section id=\"racks\" class=\"live wide\">"
                   "<table class=\"cards\"><thead><tr><th scope=\"col\">Rack</th>"
                   "<th scope=\"col\" class=\"n\">Nodes</th><th scope=\"col\" class=\"n\">Not well</th>"
                   "<th scope=\"col\" class=\"n\">Memory allocated</th></tr></thead><tbody>");
    for (size_t i = 1; i <= count && racks < RACKS_SHOWN; i++) {
        if (i < count && strcmp(nodes[i]->rack, nodes[first]->rack) == 0)
            continue;
        add_rack(page, nodes + first, i - first);
        first = i;
        racks++;
    }
    html_add(html, "</tbody></table>");
    if (first < count)
        html_add(html, "<p class=\"foot\">These are the first %d racks.</p>", RACKS_SHOWN);
    html_add(html, "</section></details>\n");
}

/* --- the map: a byte for each node -------------------------------------------- */

enum map_byte { MAP_BAD = 101, MAP_LEAVING = 102, MAP_OUT = 103, MAP_RACK = 255 };

static unsigned char byte_of(const Creel__NodeReport *node, const char *metric)
{
    bool vcores = strcmp(metric, "vcores") == 0, real = strcmp(metric, "real") == 0;
    int64_t total = vcores ? yarn_vcores(node->total) : yarn_memory_mb(node->total);
    int64_t used = vcores ? yarn_vcores(node->used)
                   : real ? (int64_t)(node->used_memory_bytes >> 20)
                          : yarn_memory_mb(node->used);
    const char *state = page_text_node_class(node->state);

    if (strcmp(state, "good") != 0)
        return strcmp(state, "bad") == 0 ? MAP_BAD : strcmp(state, "busy") == 0 ? MAP_LEAVING : MAP_OUT;
    if (total <= 0 || used <= 0)
        return 0;
    return (unsigned char)(used >= total ? 100 : 100 * used / total);
}

void racks_send_map(struct exchange *exchange, const struct web_node_filter *filter)
{
    const struct web_view *view = exchange_application(exchange);
    struct arena *arena = exchange_arena(exchange);
    const char *metric = exchange_parameter(exchange, "metric", 0), *rack = NULL;
    bool names = exchange_parameter(exchange, "names", 0) != NULL;
    const Creel__NodeReport **nodes;
    struct html html;
    size_t count;

    if (!web_model_is_complete(view->model)) {
        exchange_refuse(exchange, 503, "creel-web has no copy of the cluster yet.");
        return;
    }
    if (exchange_is_unchanged(exchange,
                              arena_printf(arena, "%" PRIx64 "-%" PRIu64, (uint64_t)view->started_ms,
                                           web_model_version(view->model))))
        return;
    count = list_by_rack(arena, view->model, filter, &nodes);
    html_begin(&html, arena);
    for (size_t i = 0; i < count; i++) {
        if (!names && (rack == NULL || strcmp(rack, nodes[i]->rack) != 0))
            html_add(&html, "%c", MAP_RACK);
        rack = nodes[i]->rack;
        if (names)
            html_add(&html, "%s\n", nodes[i]->node_id);
        else
            html_add(&html, "%c", byte_of(nodes[i], metric != NULL ? metric : "memory"));
    }
    exchange_answer(exchange, 200, names ? "text/plain; charset=utf-8" : "application/octet-stream",
                    html.bytes, html.size);
}

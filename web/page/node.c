/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - /cluster/node/NODE: one node, and what runs on it */
#include <inttypes.h>
#include <string.h>

#include "web/page/actions.h"
#include "web/page/bar.h"
#include "web/page/containers.h"
#include "web/page/frame.h"
#include "web/page/pages.h"
#include "web/page/page_text.h"
#include "yarn/node.h"
#include "yarn/resource.h"

static void add_fact(struct page *page, const char *title, const char *value)
{
    if (*value != '\0')
        html_add(&page->html, "<div><dt>%s</dt><dd><bdi>%s</bdi></dd></div>", title, value);
}

/* Adds a link to the page of the node that its agent serves. */
static void add_agent_link(struct page *page, const Creel__NodeReport *node)
{
    const char *scheme = exchange_is_secure(page->exchange) ? "https" : "http";

    if (*node->http_address != '\0')
        html_add(&page->html,
                 "<div><dt>Page of its agent</dt><dd><a rel=\"noreferrer\" href=\"%s://%s/node\">%s</a></dd>"
                 "</div>",
                 scheme, node->http_address, node->http_address);
}

static void add_use(struct page *page, const Creel__NodeReport *node)
{
    struct arena *arena = page->arena;
    double total_mb = (double)yarn_memory_mb(node->total);

    bar_line(page, "Memory allocated", page_text_memory_of(arena, node->used, node->total),
             (double)yarn_memory_mb(node->used), total_mb);
    if (node->used_memory_bytes > 0)
        bar_line(page, "Memory used",
                 arena_printf(arena, "%s of %s", page_text_bytes(arena, node->used_memory_bytes),
                              page_text_memory(arena, yarn_memory_mb(node->total))),
                 (double)node->used_memory_bytes, total_mb * 1048576);
    bar_line(page, "Vcores allocated", page_text_vcores_of(arena, node->used, node->total),
             (double)yarn_vcores(node->used), (double)yarn_vcores(node->total));
    if (node->cpu_millicores > 0)
        bar_line(page, "Processors used",
                 arena_printf(arena, "%.2f of %" PRId64 " vcores", (double)node->cpu_millicores / 1000,
                              yarn_vcores(node->total)),
                 (double)node->cpu_millicores / 1000, (double)yarn_vcores(node->total));
}

/* Adds the memory and CPU use of all processes of the node, not only of its containers. */
static void add_whole_node(struct page *page, const Creel__NodeReport *node)
{
    if (node->node_memory_bytes > 0)
        add_fact(page, "In use on the whole node",
                 arena_printf(page->arena, "%s, %.2f processors",
                              page_text_bytes(page->arena, node->node_memory_bytes),
                              (double)node->node_cpu_millicores / 1000));
}

static void add_admin_state(struct page *page, const Creel__NodeReport *node)
{
    const Creel__NodeAdminState *state = node->admin_state;
    struct html *html = &page->html;

    if (state == NULL)
        return;
    html_add(html, "<p class=\"note busy\">Out of service since %s",
             page_text_time(page->arena, state->since_ms));
    if (*state->by != '\0')
        html_add(html, ", by <bdi>%s</bdi>", state->by);
    if (state->by_file)
        html_add(html, ", by the lists of hosts");
    if (*state->reason != '\0')
        html_add(html, ": <bdi>%s</bdi>", state->reason);
    if (state->deadline_ms > page->now_ms)
        html_add(html, ". What runs here gets a notice in %s",
                 page_text_duration(page->arena, state->deadline_ms - page->now_ms));
    if (state->deadline_ms > page->now_ms && state->end_ms > page->now_ms)
        html_add(html, ", and ends in %s at the latest",
                 page_text_duration(page->arena, state->end_ms - page->now_ms));
    if (node->containers_stuck > 0)
        html_add(html, "; %s of its containers cannot end: a process stays",
                 page_text_count(page->arena, node->containers_stuck));
    html_add(html, ".</p>");
}

static void add_node(struct page *page, const Creel__NodeReport *node)
{
    struct arena *arena = page->arena;
    struct html *html = &page->html;

    html_add(html, "<section id=\"node\" class=\"live\"><p class=\"state\" aria-live=\"polite\">");
    page_badge(page, page_text_node_class(node->state), node_state_name(node->state));
    html_add(html, " in rack <a href=\"/cluster/nodes?rack=%s\"><bdi>%s</bdi></a> · last heartbeat ",
             html_url(arena, node->rack), node->rack);
    page_ago(page, node->last_heartbeat_ms);
    html_add(html, " ago</p>");
    if (node->lost_at_ms > 0)
        html_add(html, "<p class=\"note busy\">Its agent is %s.</p>",
                 page_text_silence(arena, node, page->now_ms));
    add_admin_state(page, node);
    if (*node->health_report != '\0')
        html_add(html, "<pre class=\"diagnostics\">%s</pre>", node->health_report);
    if (*node->stuck_report != '\0')
        html_add(html, "<pre class=\"diagnostics\">%s%s</pre>", node->stuck_report,
                 node->containers_stuck < 2
                     ? ""
                     : arena_printf(arena, "; %s more", page_text_count(arena, node->containers_stuck - 1)));
    add_use(page, node);
    html_add(html, "<dl class=\"strip\">");
    add_fact(page, "Node ID", node->node_id);
    add_fact(page, "Address of its agent", node->address);
    add_agent_link(page, node);
    add_fact(page, "Label", node->label);
    add_fact(page, "Containers", page_text_count(arena, node->containers));
    add_fact(page, "Offers", page_text_resource(arena, node->offered != NULL ? node->offered : node->total));
    add_fact(page, "Counts as", page_text_resource(arena, node->total));
    add_fact(page, "Set by", node->resources_by);
    add_whole_node(page, node);
    add_fact(page, "Registered", page_text_time(arena, node->registered_ms));
    add_fact(page, "Version", node->version);
    add_fact(page, "Control groups", node->cgroup_mode);
    if (node->clock_measured)
        add_fact(page, "Clock",
                 arena_printf(arena, "%" PRId64 " ms off (±%" PRId64 " ms)", node->clock_skew_ms,
                              node->clock_error_ms));
    html_add(html, "</dl>");
    page_events_link(page, "node", node->node_id);
    html_add(html, "</section>\n");
}

static void ask_containers(struct page *page)
{
    containers_ask(page, CONTAINERS_OF_NODE, exchange_capture(page->exchange, 0));
}

void page_node(struct exchange *exchange)
{
    struct page *page = arena_new0(exchange_arena(exchange), struct page);
    const struct web_view *view = exchange_application(exchange);
    const char *node_id = exchange_capture(exchange, 0);
    bool complete = web_model_is_complete(view->model);
    const Creel__NodeReport *node = complete ? web_model_node(view->model, node_id) : NULL;

    if (node == NULL && complete) {
        exchange_refuse(exchange, 404,
                        arena_printf(exchange_arena(exchange), "There is no node %s.", node_id));
        return;
    }
    if (node != NULL && !containers_begin(page, exchange, CONTAINERS_OF_NODE, node_id))
        return;
    if (!page_begin_watching(
            page, exchange, MENU_NODES, page_host(exchange_arena(exchange), node_id),
            arena_printf(exchange_arena(exchange), "node:%s", html_url(exchange_arena(exchange), node_id))))
        return;
    add_node(page, node);
    actions_ask_node(page, node, ask_containers);
}

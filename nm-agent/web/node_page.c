/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_page.c - /node: the page of the node, with its containers
 *
 * The addresses of YARN's other pages of a node (/node/allContainers, /node/container/ID, ...) lead to it,
 * or to the logs.
 */
#include <inttypes.h>
#include <string.h>

#include "common/base/job/exit_status.h"
#include "nm-agent/web/handlers.h"
#include "nm-agent/web/page.h"
#include "nm-agent/web/sums.h"
#include "yarn/resource.h"

#define ROWS_MAX 1000

static const char *phase_text(Creel__AgentPhase phase)
{
    switch (phase) {
    case CREEL__AGENT_PHASE__AGENT_PHASE_RUNNING:
        return "running";
    case CREEL__AGENT_PHASE__AGENT_PHASE_STOPPING:
        return "stopping";
    case CREEL__AGENT_PHASE__AGENT_PHASE_ENDED:
    case CREEL__AGENT_PHASE__AGENT_PHASE_ACKNOWLEDGED:
        return "ended";
    default:
        return "starting";
    }
}

static void add_node(struct html *html, const Creel__AgentSnapshot *node)
{
    const struct node_sums sums = node_sums_of(node);

    html_add(html, "<p>%s, %s</p>\n", node->unhealthy ? "Unhealthy" : "Healthy",
             node->registered ? "registered with the resource manager" : "not registered");
    if (*node->health_report != '\0')
        html_add(html, "<p class=\"note\">%s</p>\n", node->health_report);
    if (*node->mismatch != '\0')
        html_add(html, "<p class=\"note\">%s</p>\n", node->mismatch);
    html_add(html,
             "<p>Memory: %" PRId64 " of %" PRId64 " MiB allocated, %" PRIu64
             " MiB used by containers. Vcores: %" PRId64 " of %" PRId64
             " allocated, %.2f processors in use.</p>\n",
             sums.allocated_mb, sums.total_mb, sums.used_bytes >> 20, sums.allocated_vcores,
             sums.total_vcores, (double)node->cpu_millicores / 1000);
}

static void add_container(struct html *html, const Creel__AgentContainer *container)
{
    int64_t mb = yarn_memory_mb(container->resource);
    int64_t vcores = yarn_vcores(container->resource);

    html_add(
        html,
        "<tr><td class=\"id\"><a href=\"/node/containerlogs/%s/%s\">%s</a></td><td><bdi>%s</bdi></td><td>%s",
        container->container_id, html_url(html->arena, container->user), container->container_id,
        container->user, phase_text(container->phase));
    if (container->exit_status != CONTAINER_EXIT_NONE)
        html_add(html, " (exit %d)", (int)container->exit_status);
    html_add(html,
             "</td><td class=\"n\">%" PRIu64 " of %" PRId64 "</td><td class=\"n\">%" PRId64
             "</td><td class=\"n\">%.1f</td></tr>\n",
             container->memory_bytes >> 20, mb, vcores, (double)container->cpu_time_us / 1e6);
}

static void add_containers(struct html *html, const Creel__AgentSnapshot *node)
{
    size_t shown = node->n_containers < ROWS_MAX ? node->n_containers : ROWS_MAX;

    html_add(html, "<h2>Containers</h2>\n");
    if (shown == 0) {
        html_add(html, "<p class=\"note\">There is no container on this node.</p>\n");
        return;
    }
    html_add(html,
             "<div class=\"wide\"><table><thead><tr><th scope=\"col\">Logs of</th><th scope=\"col\">User</th>"
             "<th scope=\"col\">State</th><th scope=\"col\" class=\"n\">MiB</th>"
             "<th scope=\"col\" class=\"n\">Vcores</th><th scope=\"col\" class=\"n\">CPU seconds</th>"
             "</tr></thead><tbody>\n");
    for (size_t i = 0; i < shown; i++)
        add_container(html, node->containers[i]);
    html_add(html, "</tbody></table></div>\n");
    if (shown < node->n_containers)
        html_add(html, "<p>The first %zu of %zu containers.</p>\n", shown, node->n_containers);
}

void node_page(struct exchange *exchange)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    struct html html;

    if (node == NULL)
        return;
    node_page_begin(exchange, &html, node->node_id);
    add_node(&html, node);
    add_containers(&html, node);
    if (*node->rm_version != '\0')
        html_add(&html, "<p>Resource manager: creel %s</p>\n", node->rm_version);
    html_add(&html, "<p>creel %s · <a href=\"/ws/v1/node\">REST</a> <a href=\"/metrics\">metrics</a></p>\n",
             node->version);
    node_page_send(exchange, &html, 200);
}

static void redirect(struct exchange *exchange, const char *target)
{
    exchange_add_header(exchange, "Location", target);
    exchange_answer(exchange, 302, NULL, NULL, 0);
}

void node_root(struct exchange *exchange)
{
    redirect(exchange, "/node");
}

/* Leads to the logs of the container. */
void node_container_page(struct exchange *exchange)
{
    const Creel__AgentContainer *container = node_find_container(exchange);
    struct arena *arena = exchange_arena(exchange);

    if (container != NULL)
        redirect(exchange, arena_printf(arena, "/node/containerlogs/%s/%s", container->container_id,
                                        html_url(arena, container->user)));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* about.c - /cluster/cluster, node labels, and the search box */
#include <inttypes.h>
#include <string.h>

#include "common/base/text.h"
#include "web/page/frame.h"
#include "web/page/pages.h"
#include "web/page/page_text.h"

static void add_line(struct page *page, const char *title, const char *value)
{
    html_add(&page->html, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>", title, value);
}

void page_about(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);
    const Creel__ClusterInfo *cluster;
    struct page page;

    if (!page_begin(&page, exchange, MENU_ABOUT, "About the cluster", true))
        return;
    cluster = web_model_cluster(page.model);
    html_add(&page.html, "<section><table class=\"facts\">");
    add_line(&page, "Cluster ID", arena_printf(page.arena, "%" PRId64, cluster->cluster_ms));
    add_line(&page, "Resource manager started", page_text_time(page.arena, cluster->started_ms));
    add_line(&page, "Starts so far", arena_printf(page.arena, "%u", cluster->epoch));
    add_line(&page, "Resource manager version", cluster->version);
    add_line(&page, "This page's version", view->version);
    add_line(&page, "Scheduler", cluster->scheduler);
    add_line(&page, "Smallest container", page_text_resource(page.arena, cluster->minimum_allocation));
    add_line(&page, "Largest container", page_text_resource(page.arena, cluster->maximum_allocation));
    add_line(&page, "Your user name", exchange_user(exchange));
    html_add(&page.html, "</table></section>\n");
    page_send(&page);
}

void page_labels(struct exchange *exchange)
{
    const Creel__ClusterInfo *cluster;
    struct page page;

    if (!page_begin(&page, exchange, MENU_LABELS, "Node labels", true))
        return;
    cluster = web_model_cluster(page.model);
    html_add(&page.html, "<section id=\"labels\" class=\"live\">");
    if (cluster->n_labels == 0)
        html_add(&page.html,
                 "<p class=\"note\">There are no node labels. All nodes are in the default partition.</p>");
    else
        html_add(&page.html,
                 "<table class=\"cards\"><thead><tr><th scope=\"col\">Label</th><th scope=\"col\">Type</th>"
                 "<th scope=\"col\" class=\"n\">Nodes</th><th scope=\"col\">Total</th></tr></thead><tbody>");
    for (size_t i = 0; i < cluster->n_labels; i++) {
        const Creel__LabelReport *label = cluster->labels[i];

        html_add(&page.html,
                 "<tr><td data-label=\"Label\"><a href=\"/cluster/nodes?label=%s\"><bdi>%s</bdi></a></td>"
                 "<td data-label=\"Type\">%s</td>",
                 html_url(page.arena, label->name), label->name, label->exclusive ? "exclusive" : "shared");
        page_count_cell(&page, "Nodes", label->nodes);
        html_add(&page.html, "<td data-label=\"Total\">%s</td></tr>",
                 page_text_resource(page.arena, label->total));
    }
    html_add(&page.html, cluster->n_labels > 0 ? "</tbody></table></section>\n" : "</section>\n");
    page_send(&page);
}

/* --- search ----------------------------------------------------------------- */

const Creel__AppReport *page_app_by_suffix(const struct web_view *view, const char *text)
{
    const struct web_app_filter filter = { .states = 0 };
    const struct web_page page = { .descending = true, .limit = 1000 };
    const Creel__AppReport *apps[1000];
    size_t total, count;
    int64_t number;

    if (!text_parse_int64(*text == '_' ? text + 1 : text, &number))
        return NULL;
    count = web_model_list_apps(view->model, &filter, WEB_APP_BY_AGE, &page, apps, &total);
    for (size_t i = 0; i < count; i++) {
        const char *last = strrchr(apps[i]->app_id, '_');
        int64_t own;

        if (last != NULL && text_parse_int64(last + 1 + strspn(last + 1, "0"), &own) && own == number)
            return apps[i];
    }
    return NULL;
}

static const char *node_by_text(const struct web_view *view, const char *text)
{
    const struct web_node_filter filter = { .text = text };
    const struct web_page page = { .limit = 2 };
    const Creel__NodeReport *nodes[2];
    size_t total = 0;

    if (web_model_list_nodes(view->model, &filter, WEB_NODE_BY_ID, &page, nodes, &total) == 0)
        return NULL;
    return total == 1 ? nodes[0]->node_id : "";
}

static bool has_apps(const struct web_view *view, const char *const *user)
{
    const struct web_app_filter filter = { .users = user, .user_count = 1 };

    return web_model_count_apps(view->model, &filter) > 0;
}

/* Redirects to the first match of the text in the search box: an application, a container, a queue, a user, a
 * node or the list of nodes; else to the list of applications with the text in their names. */
void page_search(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);
    struct arena *arena = exchange_arena(exchange);
    const char *given = exchange_parameter(exchange, "q", 0);
    const char *text = text_trim(arena_strdup(arena, given != NULL ? given : ""));
    const char *url = html_url(arena, text), *node;
    const Creel__AppReport *app = web_model_app(view->model, text);
    const Creel__QueueReport *queue = web_model_queue(view->model, text);

    if (*text == '\0')
        page_redirect(exchange, "/cluster");
    else if (app != NULL || (app = page_app_by_suffix(view, text)) != NULL)
        page_redirect(exchange, arena_printf(arena, "/cluster/app/%s", html_url(arena, app->app_id)));
    else if (text_has_prefix(text, "container_"))
        page_redirect(exchange, arena_printf(arena, "/cluster/container/%s", url));
    else if (queue != NULL)
        page_redirect(exchange, arena_printf(arena, "/cluster/queue/%s", html_url(arena, queue->path)));
    else if (has_apps(view, &text))
        page_redirect(exchange, arena_printf(arena, "/cluster/apps?user=%s", url));
    else if ((node = node_by_text(view, text)) != NULL)
        page_redirect(exchange, *node != '\0' ? arena_printf(arena, "/cluster/node/%s", html_url(arena, node))
                                              : arena_printf(arena, "/cluster/nodes?q=%s", url));
    else
        page_redirect(exchange, arena_printf(arena, "/cluster/apps?name=%s", url));
}

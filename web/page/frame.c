/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c - header, menu and footer of all pages */
#include "web/page/frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "web/page/assets.h"
#include "web/page/page_text.h"

#define USUAL_PORT ":8041" /* yarn.nodemanager.address by default; nodes with another one may share a host */

/* Times after which the script of a page refreshes it without a change. */
#define QUIET_MS 60000    /* ages and times */
#define MEASURED_MS 15000 /* measured use of nodes */
#define ASKED_MS 5000     /* replies of the resource manager */

struct menu_line {
    enum page_menu menu;
    const char *target, *word;
};

/* The menu, in the order and with the words of YARN's. */
static const struct menu_line menu_lines[] = {
    { MENU_CLUSTER, "/cluster", "Overview" },
    { MENU_NODES, "/cluster/nodes", "Nodes" },
    { MENU_LABELS, "/cluster/nodelabels", "Node Labels" },
    { MENU_APPS, "/cluster/apps", "Applications" },
    { MENU_SCHEDULER, "/cluster/scheduler", "Scheduler" },
    { MENU_EVENTS, "/cluster/events", "Events" },
    { MENU_HISTORY, "/cluster/history", "History" },
    { MENU_CONF, "/cluster/conf", "Configuration" },
    { MENU_ABOUT, "/cluster/cluster", "About" },
};

/* --- header and footer ------------------------------------------------------ */

static void add_head(struct page *page, const char *title)
{
    struct html *html = &page->html;

    html_add(html, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                   "<meta name=\"color-scheme\" content=\"light dark\">");
    html_add(html,
             "<title>%s · creel</title><link rel=\"icon\" href=\"%s\">"
             "<link rel=\"stylesheet\" href=\"%s\">"
             "<script src=\"%s\" type=\"module\"></script></head>\n",
             title, asset_path(ASSET_ICON), asset_path(ASSET_STYLE), asset_path(ASSET_SCRIPT));
}

static void add_menu(struct page *page, enum page_menu current)
{
    struct html *html = &page->html;

    html_add(html, "<nav id=\"menu\" aria-label=\"Main\"><ul>");
    for (size_t i = 0; i < sizeof(menu_lines) / sizeof(*menu_lines); i++) {
        const struct menu_line *line = &menu_lines[i];

        html_add(html, "<li><a href=\"%s\"", line->target);
        if (line->menu == current)
            html_add(html, " aria-current=\"page\"");
        html_add(html, ">%s</a></li>", line->word);
    }
    html_add(html, "</ul></nav>\n");
}

static void add_header(struct page *page)
{
    struct html *html = &page->html;

    html_add(html,
             "<body><a class=\"skip\" href=\"#main\">Skip to the content</a>"
             "<header><a class=\"brand\" href=\"/cluster\">"
             "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">"
             "<rect x=\"1\" y=\"2\" width=\"14\" height=\"3\" rx=\"1\"/>"
             "<rect x=\"3\" y=\"6.5\" width=\"10\" height=\"3\" rx=\"1\"/>"
             "<rect x=\"5\" y=\"11\" width=\"6\" height=\"3\" rx=\"1\"/></svg>creel</a>"
             "<form id=\"search\" action=\"/cluster/search\" role=\"search\">"
             "<input type=\"search\" name=\"q\" "
             "aria-label=\"Search an application, node, queue or user\" "
             "placeholder=\"application, node, queue, user\"></form>"
             "<span class=\"tools\"><span class=\"who\" title=\"user of this page\">%s</span>",
             exchange_user(page->exchange));
    if (exchange_has_token_cookie(page->exchange))
        html_add(html, "<form method=\"post\" action=\"/cluster/logout\"><button>Sign out</button></form>");
    else if (exchange_accepts_tokens(page->exchange) && !exchange_is_authenticated(page->exchange))
        html_add(html, "<a class=\"sign-in\" href=\"/cluster/login\">Sign in</a>");
    html_add(html, "<span id=\"switches\"></span></span></header>\n");
}

static void add_footer(struct page *page)
{
    const struct web_view *view = exchange_application(page->exchange);
    const Creel__ClusterInfo *cluster = web_model_cluster(page->model);
    struct html *html = &page->html;

    html_add(html, "</main>\n<footer>creel %s", view->version);
    if (web_model_is_complete(page->model)) {
        const char *read_at = page_text_time(page->arena, cluster->refreshed_ms);

        html_add(html, " · resource manager %s, %s scheduler · as of <time>%s</time>", cluster->version,
                 cluster->scheduler, page_text_time(page->arena, cluster->now_ms));
        if (cluster->refreshed_ms != 0)
            html_add(html, " · configuration read %s%s%s", read_at,
                     *cluster->refresh_error != '\0' ? ", refused: " : "", cluster->refresh_error);
    }
    html_add(html, "</footer></body></html>\n");
}

/* The section exists even if it is empty, because the script of the page fills it. */
static void add_trouble(struct page *page, const struct web_view *view)
{
    html_add(&page->html, "<section id=\"trouble\" class=\"live\">");
    if (view->trouble != NULL && web_model_is_complete(view->model))
        html_add(&page->html,
                 "<p class=\"note bad\">This page is not up to date: %s. It shows the cluster as of "
                 "<time>%s</time>.</p>",
                 view->trouble, page_text_time(page->arena, page->now_ms));
    else if (view->trouble != NULL)
        html_add(&page->html, "<p class=\"note bad\">The cluster cannot be read: %s.</p>", view->trouble);
    html_add(&page->html, "</section>\n");
}

/* The part of the model that a page of a menu shows, and after how long it is refreshed without a change. */
static const struct {
    const char *topics;
    int refresh_ms;
} watched[] = {
    [MENU_CLUSTER] = { "apps,nodes,queues,cluster", QUIET_MS },
    [MENU_NODES] = { "nodes,cluster", MEASURED_MS },
    [MENU_LABELS] = { "nodes,cluster", QUIET_MS },
    [MENU_APPS] = { "apps", QUIET_MS },
    [MENU_SCHEDULER] = { "apps,queues,cluster", QUIET_MS },
    [MENU_ABOUT] = { "cluster", QUIET_MS },
};

/* Writes the attributes of <main> that the script reads. TOPICS NULL: the page is refreshed by time alone. */
static void add_watch(struct page *page, const char *topics, int refresh_ms)
{
    const struct web_view *view = exchange_application(page->exchange);

    if (topics != NULL)
        html_add(&page->html,
                 " data-changes=\"/cluster/changes?topics=%s&amp;since=%s%s\" data-refresh-ms=\"%s\"", topics,
                 arena_printf(page->arena, "%" PRIu64, web_model_version(page->model)),
                 view->trouble != NULL ? "&trouble=1" : "", arena_printf(page->arena, "%d", refresh_ms));
}

static void open_page(struct page *page, struct exchange *exchange, enum page_menu menu, const char *title,
                      const char *topics, int refresh_ms)
{
    const struct web_view *view = exchange_application(exchange);

    *page = (struct page){
        .exchange = exchange,
        .model = view->model,
        .arena = exchange_arena(exchange),
    };
    if (web_model_is_complete(page->model))
        page->now_ms = web_model_cluster(page->model)->now_ms;
    html_begin(&page->html, page->arena);
    add_head(page, title);
    add_header(page);
    add_menu(page, menu);
    html_add(&page->html, "<main id=\"main\" tabindex=\"-1\"");
    add_watch(page, topics, refresh_ms);
    html_add(&page->html, "><h1><bdi>%s</bdi></h1>\n", title);
    add_trouble(page, view);
}

/* Answers 503 if the model is not complete. Returns whether it is. */
static bool require_model(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);

    if (web_model_is_complete(view->model))
        return true;
    exchange_add_header(exchange, "Retry-After", "2");
    exchange_add_header(exchange, "Refresh", "2");
    page_refuse(exchange, 503,
                "creel-web has no copy of the cluster yet. This page loads again by itself as soon "
                "as the resource manager answers.");
    return false;
}

/* Returns the ETag of a page that shows only data of the model: it has all that such a page depends on. */
static const char *tag_of(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);
    struct arena *arena = exchange_arena(exchange);

    return arena_printf(arena, "%" PRIx64 "-%" PRIu64 "-%s-%d%d-%s", (uint64_t)view->started_ms,
                        web_model_version(view->model), html_url(arena, exchange_user(exchange)),
                        exchange_is_authenticated(exchange), exchange_has_token_cookie(exchange),
                        view->trouble != NULL ? html_url(arena, view->trouble) : "");
}

bool page_begin_watching(struct page *page, struct exchange *exchange, enum page_menu menu, const char *title,
                         const char *topics)
{
    if (!require_model(exchange))
        return false;
    open_page(page, exchange, menu, title, topics, ASKED_MS);
    return true;
}

bool page_begin(struct page *page, struct exchange *exchange, enum page_menu menu, const char *title,
                bool model_only)
{
    if (!model_only)
        return page_begin_watching(page, exchange, menu, title, NULL);
    if (!require_model(exchange))
        return false;
    if (exchange_is_unchanged(exchange, tag_of(exchange)))
        return false;
    open_page(page, exchange, menu, title, watched[menu].topics, watched[menu].refresh_ms);
    return true;
}

void page_send_status(struct page *page, int status)
{
    add_footer(page);
    exchange_answer(page->exchange, status, "text/html; charset=utf-8", page->html.bytes, page->html.size);
}

void page_send(struct page *page)
{
    page_send_status(page, 200);
}

void page_refuse(struct exchange *exchange, int status, const char *message)
{
    struct page page;

    open_page(&page, exchange, MENU_NONE,
              status == 404   ? "Not found"
              : status == 403 ? "Not permitted"
              : status == 503 ? "Please wait"
                              : "This did not work",
              NULL, 0);
    html_add(&page.html, "<p class=\"note bad\">%s</p><p><a href=\"/cluster\">To the overview</a></p>",
             message);
    page_send_status(&page, status);
}

void page_redirect(struct exchange *exchange, const char *target)
{
    exchange_add_header(exchange, "Location", target);
    exchange_answer(exchange, 302, NULL, NULL, 0);
}

/* --- small parts ------------------------------------------------------------ */

void page_app_link(struct page *page, const char *app_id)
{
    html_add(&page->html, "<a class=\"id\" href=\"/cluster/app/%s\">%s</a>", html_url(page->arena, app_id),
             app_id);
}

const char *page_host(struct arena *arena, const char *node_id)
{
    const char *colon = strrchr(node_id, ':');

    return colon == NULL || strcmp(colon, USUAL_PORT) != 0
               ? node_id
               : arena_printf(arena, "%.*s", (int)(colon - node_id), node_id);
}

void page_node_link(struct page *page, const char *node_id)
{
    html_add(&page->html, "<a href=\"/cluster/node/%s\" title=\"%s\"><bdi>%s</bdi></a>",
             html_url(page->arena, node_id), node_id, page_host(page->arena, node_id));
}

void page_node_silence(struct page *page, const char *node_id)
{
    const Creel__NodeReport *node = web_model_node(page->model, node_id);

    if (node != NULL && node->lost_at_ms > 0)
        html_add(&page->html, " <span class=\"sub\">%s</span>",
                 page_text_silence(page->arena, node, page->now_ms));
}

void page_queue_link(struct page *page, const char *path)
{
    html_add(&page->html, "<a href=\"/cluster/queue/%s\"><bdi>%s</bdi></a>", html_url(page->arena, path),
             path);
}

void page_user_link(struct page *page, const char *user)
{
    html_add(&page->html, "<a href=\"/cluster/apps?user=%s\"><bdi>%s</bdi></a>", html_url(page->arena, user),
             user);
}

void page_events_link(struct page *page, const char *parameter, const char *id)
{
    html_add(&page->html,
             "<p class=\"foot\"><a href=\"/cluster/events?%s=%s\" title=\"what happened, when, and by whom\">"
             "Events of this %s</a></p>",
             parameter, html_url(page->arena, id), *parameter == 'a' ? "application" : parameter);
}

void page_app_cells(struct page *page, const Creel__AppReport *app)
{
    struct html *html = &page->html;

    html_add(html, "<td data-label=\"Application\">");
    page_app_link(page, app->app_id);
    html_add(html, "<div class=\"sub\"><bdi>%s</bdi></div></td><td data-label=\"User\">", app->name);
    page_user_link(page, app->user);
    html_add(html, "</td><td data-label=\"Queue\">");
    page_queue_link(page, app->queue);
    html_add(html, "</td>");
}

void page_plural(struct page *page, size_t count, const char *one, const char *many)
{
    html_add(&page->html, "%s %s", page_text_count(page->arena, count), count == 1 ? one : many);
}

void page_badge(struct page *page, const char *class_name, const char *word)
{
    html_add(&page->html, "<span class=\"badge %s\">%s</span>", class_name, word);
}

void page_ago(struct page *page, int64_t ms)
{
    if (ms == 0)
        html_add(&page->html, "–");
    else
        html_add(&page->html, "<time title=\"%s\">%s</time>", page_text_time(page->arena, ms),
                 page_text_duration(page->arena, page->now_ms - ms));
}

void page_ago_cell(struct page *page, const char *label, int64_t ms)
{
    html_add(&page->html, "<td class=\"n\" data-label=\"%s\"><span>", label);
    page_ago(page, ms);
    html_add(&page->html, "%s</span></td>", ms != 0 ? " ago" : "");
}

void page_count_cell(struct page *page, const char *label, int64_t count)
{
    html_add(&page->html, "<td class=\"n\" data-label=\"%s\">%s</td>", label,
             page_text_count(page->arena, count > 0 ? (uint64_t)count : 0));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* overview.c - /cluster: one screen that shows whether all is well, and what waits */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/certificate_time.h"
#include "web/page/bar.h"
#include "web/page/frame.h"
#include "web/page/pages.h"
#include "web/page/page_text.h"
#include "web/page/trend.h"
#include "yarn/resource.h"

#define LONGEST_WAITING 10
#define REASONS_MAX 64
#define SCANNED_MAX 2000 /* most waiting applications whose reasons are counted */

static const uint32_t waiting_states =
    1u << CREEL__APP_STATE__APP_NEW | 1u << CREEL__APP_STATE__APP_NEW_SAVING |
    1u << CREEL__APP_STATE__APP_SUBMITTED | 1u << CREEL__APP_STATE__APP_ACCEPTED;

/* --- tiles ------------------------------------------------------------------ */

static void add_tile(struct page *page, const char *target, const char *class_name, uint64_t count,
                     const char *word, const char *more)
{
    html_add(&page->html, "<a class=\"tile %s\" href=\"%s\"><b>%s</b><span>%s</span><small>%s</small></a>",
             class_name, target, page_text_count(page->arena, count), word, more);
}

/* Adds the tiles of applications, which have the figures of the lists behind them. The figures of CLUSTER
 * include the tasks of arrays. */
static void add_app_tiles(struct page *page, const Creel__ClusterInfo *cluster)
{
    const size_t *counts = web_model_states(page->model);
    size_t running = counts[CREEL__APP_STATE__APP_RUNNING], waiting = 0;
    struct arena *arena = page->arena;

    for (size_t i = 0; i < WEB_APP_STATES; i++)
        waiting += (waiting_states & 1u << i) != 0 ? counts[i] : 0;
    add_tile(page, "/cluster/apps?state=RUNNING", "good", running, "running",
             cluster->apps_running > running
                 ? arena_printf(arena, "and %s tasks of arrays",
                                page_text_count(arena, cluster->apps_running - running))
                 : arena_printf(arena, "%s ended well, %s failed",
                                page_text_count(arena, cluster->apps_finished),
                                page_text_count(arena, cluster->apps_failed)));
    add_tile(page, "/cluster/apps?state=ACCEPTED&sort=-wait", waiting > 0 ? "busy" : "", waiting, "waiting",
             cluster->apps_pending > waiting
                 ? arena_printf(arena, "and %s tasks of arrays",
                                page_text_count(arena, cluster->apps_pending - waiting))
                 : "applications not yet started");
}

/* Returns false if a check is not ok, or a node is silent or has a wrong clock: then the notes have what is
 * wrong. */
static bool is_well(const Creel__ClusterInfo *cluster)
{
    for (size_t i = 0; i < cluster->n_checks; i++)
        if (cluster->checks[i]->result != CREEL__HEALTH_RESULT__HEALTH_OK)
            return false;
    return cluster->nodes_silent == 0 && cluster->nodes_waiting == 0 && cluster->nodes_skewed == 0;
}

/* Returns what the tile of nodes counts: BAD nodes, or those that are running. */
static const char *nodes_word(const Creel__ClusterInfo *cluster, uint32_t bad)
{
    if (bad > 0)
        return bad == 1 ? "node unhealthy or lost" : "nodes unhealthy or lost";
    if (cluster->nodes_running == 1)
        return is_well(cluster) ? "node, healthy" : "node";
    return is_well(cluster) && cluster->nodes_running > 0 ? "nodes, all healthy" : "nodes";
}

static void add_tiles(struct page *page, const Creel__ClusterInfo *cluster)
{
    uint32_t bad = cluster->nodes_lost + cluster->nodes_unhealthy;
    uint32_t leaving = cluster->nodes_draining + cluster->nodes_drained + cluster->nodes_decommissioning;
    struct arena *arena = page->arena;

    html_add(&page->html, "<section id=\"tiles\" class=\"live tiles\" aria-label=\"Cluster\">");
    add_app_tiles(page, cluster);
    add_tile(page, "/cluster/apps?state=RUNNING&sort=-containers", "", cluster->containers, "containers",
             arena_printf(arena, "%s used", page_text_resource(arena, cluster->used)));
    add_tile(page, bad > 0 ? "/cluster/nodes?state=bad" : "/cluster/nodes", bad > 0 ? "bad" : "good",
             bad > 0 ? bad : cluster->nodes_running, nodes_word(cluster, bad),
             arena_printf(arena, "%s running, %s leaving", page_text_count(arena, cluster->nodes_running),
                          page_text_count(arena, leaving)));
    html_add(&page->html, "</section>\n");
}

/* --- use -------------------------------------------------------------------- */

static void add_resources(struct page *page, const Creel__ClusterInfo *cluster)
{
    struct arena *arena = page->arena;

    html_add(&page->html, "<section id=\"use\" class=\"live\"><h2>In use</h2>");
    bar_line(page, "Memory", page_text_memory_of(arena, cluster->used, cluster->total),
             (double)yarn_memory_mb(cluster->used), (double)yarn_memory_mb(cluster->total));
    bar_line(page, "Vcores", page_text_vcores_of(arena, cluster->used, cluster->total),
             (double)yarn_vcores(cluster->used), (double)yarn_vcores(cluster->total));
    for (size_t i = 0; cluster->total != NULL && i < cluster->total->n_others; i++) {
        const Creel__NamedAmount *total = cluster->total->others[i];
        int64_t used = 0;

        for (size_t u = 0; cluster->used != NULL && u < cluster->used->n_others; u++)
            if (strcmp(cluster->used->others[u]->name, total->name) == 0)
                used = cluster->used->others[u]->amount;
        bar_line(page, total->name,
                 arena_printf(arena, "%s of %s", page_text_count(arena, (uint64_t)used),
                              page_text_count(arena, (uint64_t)total->amount)),
                 (double)used, (double)total->amount);
    }
    html_add(&page->html, "</section>\n");
}

/* --- what waits ------------------------------------------------------------- */

struct reason_count {
    const char *code;
    size_t apps;
};

static int more_apps_first(const void *a, const void *b)
{
    const struct reason_count *x = a, *y = b;

    return x->apps != y->apps ? (x->apps < y->apps ? 1 : -1) : strcmp(x->code, y->code);
}

static size_t count_reasons(const Creel__AppReport *const *apps, size_t count, struct reason_count *reasons)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        const char *code = *apps[i]->reason_code != '\0' ? apps[i]->reason_code : "Starting";
        size_t r = 0;

        while (r < n && strcmp(reasons[r].code, code) != 0)
            r++;
        if (r == n && n < REASONS_MAX)
            reasons[n++] = (struct reason_count){ .code = code };
        if (r < n)
            reasons[r].apps++;
    }
    qsort(reasons, n, sizeof(*reasons), more_apps_first);
    return n;
}

static void add_reasons(struct page *page, const struct reason_count *reasons, size_t count, size_t apps)
{
    static const char *const classes[] = { "c0", "c1", "c2", "c3", "c4", "c5" };
    struct bar_part parts[REASONS_MAX];
    size_t before = 0;

    for (size_t i = 0; i < count; i++) {
        parts[i].from = (double)before / (double)apps;
        before += reasons[i].apps;
        parts[i].to = (double)before / (double)apps;
        parts[i].class_name = classes[i < 6 ? i : 5];
    }
    bar_draw(page, "", "waiting applications by reason", parts, count, NULL, 0);
    html_add(&page->html, "<ul class=\"legend\">");
    for (size_t i = 0; i < count; i++)
        html_add(&page->html,
                 "<li><a href=\"/cluster/apps?reason=%s&amp;sort=-wait\"><i class=\"%s\"></i>%s <b>%s</b>"
                 "</a></li>",
                 html_url(page->arena, reasons[i].code), classes[i < 6 ? i : 5], reasons[i].code,
                 page_text_count(page->arena, reasons[i].apps));
    html_add(&page->html, "</ul>");
}

static void add_waiting_row(struct page *page, const Creel__AppReport *app)
{
    struct html *html = &page->html;

    html_add(html, "<tr>");
    page_app_cells(page, app);
    html_add(html, "<td class=\"n\" data-label=\"Waits\">");
    page_ago(page, app->submitted_ms);
    html_add(html, "</td><td data-label=\"Reason\"><b>%s</b> %s</td></tr>", app->reason_code,
             *app->reason_short != '\0' ? app->reason_short : app->reason);
}

static void add_waiting(struct page *page)
{
    const struct web_app_filter filter = { .states = waiting_states };
    const struct web_page all = { .descending = true, .limit = SCANNED_MAX };
    const Creel__AppReport **apps = arena_array0(page->arena, SCANNED_MAX, sizeof(*apps));
    struct reason_count reasons[REASONS_MAX];
    size_t total = 0, count = web_model_list_apps(page->model, &filter, WEB_APP_BY_WAIT, &all, apps, &total);
    struct html *html = &page->html;

    html_add(html, "<section id=\"waiting\" class=\"live\"><h2>Waiting, and why</h2>");
    if (count == 0) {
        html_add(html, "<p class=\"note good\">No application waits.</p></section>\n");
        return;
    }
    add_reasons(page, reasons, count_reasons(apps, count, reasons), count);
    html_add(html,
             "<table class=\"cards\"><caption>%s</caption><thead><tr><th scope=\"col\">Application</th>"
             "<th scope=\"col\">User</th><th scope=\"col\">Queue</th><th scope=\"col\" class=\"n\">Waits</th>"
             "<th scope=\"col\">Reason</th></tr></thead><tbody>",
             count > LONGEST_WAITING ? "The ten that have waited longest" : "Longest first");
    for (size_t i = 0; i < count && i < LONGEST_WAITING; i++)
        add_waiting_row(page, apps[i]);
    html_add(html, "</tbody></table>");
    if (total > LONGEST_WAITING)
        html_add(html,
                 "<p class=\"foot\"><a href=\"/cluster/apps?state=ACCEPTED&amp;sort=-wait\">all %s</a></p>",
                 page_text_count(page->arena, total));
    html_add(html, "</section>\n");
}

/* --- alerts, and YARN's strip ------------------------------------------------ */

/* Adds a note for each check of the resource manager that is not ok. */
static void add_failed_checks(struct page *page, const Creel__ClusterInfo *cluster)
{
    for (size_t i = 0; i < cluster->n_checks; i++) {
        const Creel__HealthCheck *check = cluster->checks[i];

        if (check->result == CREEL__HEALTH_RESULT__HEALTH_OK)
            continue;
        html_add(&page->html, "<p class=\"note %s\">%s: %s",
                 check->result == CREEL__HEALTH_RESULT__HEALTH_FAILED ? "bad" : "busy", check->name,
                 check->text);
        if (check->since_ms > 0)
            html_add(&page->html, ", since %s", page_text_time(page->arena, check->since_ms));
        html_add(&page->html, ". %s</p>", check->remedy);
    }
}

/* Adds a note if the certificate of creel-web expires soon. */
static void add_certificate(struct page *page)
{
    const struct web_view *view = exchange_application(page->exchange);
    int64_t expires_ms = view->certificate_expires_ms;
    bool expired = expires_ms <= page->now_ms;

    if (!certificate_ends_soon(expires_ms, page->now_ms))
        return;
    html_add(&page->html,
             "<p class=\"note %s\">The certificate of these pages %s on %s. Replace it, and restart "
             "creel-web.</p>",
             expired ? "bad" : "busy", expired ? "expired" : "expires",
             page_text_time(page->arena, expires_ms));
}

static void add_alerts(struct page *page, const Creel__ClusterInfo *cluster)
{
    struct html *html = &page->html;

    html_add(html, "<div id=\"alerts\" class=\"live\">");
    if (cluster->nodes_running == 0)
        html_add(html, "<p class=\"note bad\">No node is running: nothing can start. "
                       "<a href=\"/cluster/nodes\">Nodes</a></p>");
    if (cluster->nodes_waiting > 0) {
        html_add(html, "<p class=\"note bad\">");
        page_plural(page, cluster->nodes_waiting, "node waits", "nodes wait");
        html_add(html, " since the resource manager's state is older than what they have seen. See "
                       "<code>creel admin state</code>.</p>");
    }
    if (*cluster->refresh_error != '\0')
        html_add(html, "<p class=\"note bad\">The configuration was refused %s, the old one holds: %s</p>",
                 page_text_time(page->arena, cluster->refreshed_ms), cluster->refresh_error);
    if (cluster->nodes_silent > 0) {
        html_add(html, "<p class=\"note busy\">");
        page_plural(page, cluster->nodes_silent, "node is silent", "nodes are silent");
        html_add(html, ", longest %s: <a href=\"/cluster/nodes?sort=heartbeat\">Nodes</a></p>",
                 cluster->silent_node);
    }
    if (cluster->nodes_skewed > 0)
        html_add(html,
                 "<p class=\"note busy\">The clock of %s differs by %" PRId64 " ms from the resource "
                 "manager's.</p>",
                 cluster->clock_node, cluster->clock_skew_ms);
    add_failed_checks(page, cluster);
    add_certificate(page);
    html_add(html, "</div>");
}

static void add_strip_cell(struct page *page, const char *title, const char *value)
{
    html_add(&page->html, "<div><dt>%s</dt><dd>%s</dd></div>", title, value);
}

static void add_yarn_strip(struct page *page, const Creel__ClusterInfo *cluster)
{
    struct arena *arena = page->arena;
    uint64_t over = cluster->apps_finished + cluster->apps_failed + cluster->apps_killed;

    html_add(&page->html, "<details id=\"metrics\"><summary>Cluster metrics, with YARN's names</summary>"
                          "<dl class=\"strip\">");
    add_strip_cell(page, "Apps Submitted",
                   page_text_count(arena, over + cluster->apps_pending + cluster->apps_running));
    add_strip_cell(page, "Apps Pending", page_text_count(arena, cluster->apps_pending));
    add_strip_cell(page, "Apps Running", page_text_count(arena, cluster->apps_running));
    add_strip_cell(page, "Apps Completed", page_text_count(arena, over));
    add_strip_cell(page, "Containers Running", page_text_count(arena, cluster->containers));
    add_strip_cell(page, "Used Resources", page_text_resource(arena, cluster->used));
    add_strip_cell(page, "Total Resources", page_text_resource(arena, cluster->total));
    add_strip_cell(page, "Active Nodes", page_text_count(arena, cluster->nodes_running));
    add_strip_cell(page, "Decommissioning Nodes", page_text_count(arena, cluster->nodes_decommissioning));
    add_strip_cell(page, "Decommissioned Nodes", page_text_count(arena, cluster->nodes_decommissioned));
    add_strip_cell(page, "Lost Nodes", page_text_count(arena, cluster->nodes_lost));
    add_strip_cell(page, "Unhealthy Nodes", page_text_count(arena, cluster->nodes_unhealthy));
    add_strip_cell(page, "Scheduler Type", cluster->scheduler);
    add_strip_cell(page, "Minimum Allocation", page_text_resource(arena, cluster->minimum_allocation));
    add_strip_cell(page, "Maximum Allocation", page_text_resource(arena, cluster->maximum_allocation));
    html_add(&page->html, "</dl></details>\n");
}

void page_overview(struct exchange *exchange)
{
    const Creel__ClusterInfo *cluster;
    struct page page;

    if (!page_begin(&page, exchange, MENU_CLUSTER, "Overview", true))
        return;
    cluster = web_model_cluster(page.model);
    add_alerts(&page, cluster);
    add_tiles(&page, cluster);
    add_resources(&page, cluster);
    trend_add(&page);
    add_waiting(&page);
    add_yarn_strip(&page, cluster);
    page_send(&page);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.c - /cluster/scheduler: the tree of queues, a bar each */
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "web/page/pages.h"
#include "web/page/frame.h"
#include "web/page/list.h"
#include "web/page/list_csv.h"
#include "web/page/queue_bar.h"
#include "web/page/page_text.h"
#include "yarn/queue.h"
#include "yarn/resource.h"

#define LEVELS_SHOWN 3    /* levels of the tree: the queue itself, and two below */
#define CHILDREN_SHOWN 10 /* children shown of a queue that is not the topmost */
#define ROWS_MAX 50

static size_t depth_of(const char *path)
{
    size_t depth = 0;

    for (; *path != '\0'; path++)
        depth += *path == '.';
    return depth;
}

static bool is_below(const char *path, const char *top)
{
    size_t length = strlen(top);

    return strncmp(path, top, length) == 0 && (path[length] == '.' || path[length] == '\0');
}

/* --- rows ------------------------------------------------------------------- */

static void add_name(struct page *page, const Creel__QueueReport *queue, size_t depth, size_t hidden)
{
    const char *dot = strrchr(queue->path, '.');
    struct html *html = &page->html;

    html_add(html, "<td class=\"queue d%zu\" data-label=\"Queue\">", depth < 8 ? depth : 8);
    html_add(html, "<a href=\"/cluster/queue/%s\" title=\"%s\"><bdi>%s</bdi></a>",
             html_url(page->arena, queue->path), queue->path,
             dot != NULL && depth > 0 ? dot + 1 : queue->path);
    if (strcmp(queue->state, YARN_QUEUE_RUNNING) != 0) {
        html_add(html, " ");
        page_badge(page, "off", queue->state);
    }
    if (hidden > 0)
        html_add(html, " <a class=\"more\" href=\"/cluster/scheduler?of=%s\">all %zu below</a>",
                 html_url(page->arena, queue->path), hidden);
    html_add(html, "</td>");
}

static void add_row(struct page *page, const Creel__QueueReport *queue, size_t depth, size_t hidden)
{
    struct html *html = &page->html;

    html_add(html, "<tr>");
    add_name(page, queue, depth, hidden);
    html_add(html, "<td class=\"bars\" data-label=\"Use\">");
    queue_bar(page, queue);
    html_add(html, "</td><td class=\"n\" data-label=\"Used\"><b>%s</b></td>",
             page_text_percent(page->arena, (double)queue->absolute_used));
    html_add(html,
             "<td class=\"n\" data-label=\"Guaranteed\">%s</td>"
             "<td class=\"n\" data-label=\"Maximum\">%s</td>",
             page_text_percent(page->arena, (double)queue->absolute_capacity),
             page_text_percent(page->arena, (double)queue->absolute_max_capacity));
    html_add(html,
             "<td class=\"n\" data-label=\"Running\">"
             "<a href=\"/cluster/apps?queue=%s&amp;state=RUNNING\">%s</a></td>",
             html_url(page->arena, queue->path), page_text_count(page->arena, queue->apps_running));
    html_add(html, queue->apps_pending > 0 ? "<td class=\"n waits\" data-label=\"Waiting\">"
                                           : "<td class=\"n\" data-label=\"Waiting\">");
    html_add(html, "<a href=\"/cluster/apps?queue=%s&amp;state=ACCEPTED\">%s</a></td></tr>\n",
             html_url(page->arena, queue->path), page_text_count(page->arena, queue->apps_pending));
}

static void add_head(struct page *page)
{
    html_add(&page->html,
             "<table class=\"cards queues\"><caption class=\"hidden\">Queues</caption><thead><tr>"
             "<th scope=\"col\">Queue</th><th scope=\"col\">Use of the cluster</th>"
             "<th scope=\"col\" class=\"n\" title=\"Absolute Used Capacity\">Used</th>"
             "<th scope=\"col\" class=\"n\" title=\"Absolute Configured Capacity\">Guaranteed</th>"
             "<th scope=\"col\" class=\"n\" title=\"Absolute Configured Max Capacity\">Maximum</th>"
             "<th scope=\"col\" class=\"n\" title=\"Num Schedulable Applications\">Running</th>"
             "<th scope=\"col\" class=\"n\" title=\"Num Non-Schedulable Applications\">Waiting</th>"
             "</tr></thead><tbody>");
}

/* Returns the number of queues below PARENT. They begin at index I, since they follow PARENT. */
static size_t count_below(const Creel__QueueReport *const *queues, size_t count, size_t i, const char *parent)
{
    size_t below = 0;

    while (i + below < count && is_below(queues[i + below]->path, parent))
        below++;
    return below;
}

/* Adds the rows of TOP and of the queues below, parents before children. Queues below LEVELS_SHOWN, and
 * siblings after CHILDREN_SHOWN, have no rows: the row of their parent has the number of queues below. */
static void add_tree(struct page *page, const Creel__QueueReport *const *queues, size_t count,
                     const char *top)
{
    size_t shown = 0, top_depth = depth_of(top), beside[LEVELS_SHOWN + 1] = { 0 };

    for (size_t i = 0; i < count && shown < ROWS_MAX; i++) {
        size_t depth = depth_of(queues[i]->path) - top_depth, below;

        if (!is_below(queues[i]->path, top) || depth >= LEVELS_SHOWN)
            continue;
        if (depth > 1 && ++beside[depth] > CHILDREN_SHOWN)
            continue;
        beside[depth + 1] = 0;
        below = count_below(queues, count, i + 1, queues[i]->path);
        add_row(page, queues[i], depth,
                depth == LEVELS_SHOWN - 1 || (depth > 0 && below > CHILDREN_SHOWN) ? below : 0);
        shown++;
    }
    html_add(&page->html, "</tbody></table>");
    if (shown == ROWS_MAX)
        html_add(&page->html,
                 "<p class=\"foot\">The first %d queues. The box above finds others by name.</p>", ROWS_MAX);
}

static void add_found(struct page *page, const Creel__QueueReport *const *queues, size_t count,
                      const char *text)
{
    size_t shown = 0;

    for (size_t i = 0; i < count && shown < ROWS_MAX; i++) {
        if (strcasestr(queues[i]->path, text) == NULL)
            continue;
        add_row(page, queues[i], 0, 0);
        shown++;
    }
    html_add(&page->html, "</tbody></table>");
    if (shown == 0)
        html_add(&page->html, "<p class=\"note\">No queue has this in its name.</p>");
}

static void add_legend(struct page *page, bool fair)
{
    html_add(&page->html,
             "<ul class=\"legend\"><li><i class=\"used\"></i>used</li>"
             "<li><i class=\"borrowed\"></i>used beyond %s</li><li><i class=\"asked\"></i>pending</li>",
             fair ? "the fair share" : "the guarantee");
    if (fair)
        html_add(&page->html, "<li><i class=\"line guarantee\"></i>steady fair share</li>"
                              "<li><i class=\"line instant\"></i>fair share now</li>");
    else
        html_add(&page->html, "<li><i class=\"line guarantee\"></i>guaranteed</li>");
    html_add(&page->html, "<li><i class=\"line maximum\"></i>maximum</li></ul>");
}

/* --- CSV -------------------------------------------------------------------------- */

#define FIELD(id, function, value) \
    static void id(struct csv *csv, const void *row) \
    { \
        const Creel__QueueReport *queue = row; \
        function(csv, value); \
    }

FIELD(field_queue, csv_text, queue->path)
FIELD(field_state, csv_text, queue->state)
FIELD(field_used, csv_fraction, queue->absolute_used)
FIELD(field_guaranteed, csv_fraction, queue->absolute_capacity)
FIELD(field_maximum, csv_fraction, queue->absolute_max_capacity)
FIELD(field_memory_used, csv_count, yarn_memory_mb(queue->used))
FIELD(field_vcores_used, csv_count, yarn_vcores(queue->used))
FIELD(field_memory_pending, csv_count, yarn_memory_mb(queue->pending))
FIELD(field_vcores_pending, csv_count, yarn_vcores(queue->pending))
FIELD(field_running, csv_count, queue->apps_running)
FIELD(field_waiting, csv_count, queue->apps_pending)

static void field_leaf(struct csv *csv, const void *row)
{
    csv_text(csv, ((const Creel__QueueReport *)row)->leaf ? "true" : "false");
}

static const struct list_field fields[] = {
    { "queue", field_queue },
    { "leaf", field_leaf },
    { "state", field_state },
    { "absolute_used", field_used },
    { "absolute_guaranteed", field_guaranteed },
    { "absolute_maximum", field_maximum },
    { "memory_used_mb", field_memory_used },
    { "vcores_used", field_vcores_used },
    { "memory_pending_mb", field_memory_pending },
    { "vcores_pending", field_vcores_pending },
    { "running", field_running },
    { "waiting", field_waiting },
};

static const struct list_fields queue_fields = { "queues", fields, sizeof(fields) / sizeof(*fields) };

static const void *csv_row(void *context, size_t i)
{
    return ((const Creel__QueueReport **)context)[i];
}

/* Sends the queues with FIND in their paths, or those below OF, whether or not they have a row on the
 * page. */
static void send_csv(const struct page *page, const Creel__QueueReport *const *queues, size_t count,
                     const char *find, const char *of)
{
    const Creel__QueueReport **rows = arena_array0(page->arena, count + 1, sizeof(*rows));
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        if (find != NULL && *find != '\0' ? strcasestr(queues[i]->path, find) != NULL
                                          : is_below(queues[i]->path, of))
            rows[found++] = queues[i];
    if (list_csv_is_recent(page->exchange))
        list_csv_answer(page->exchange, &queue_fields, csv_row, found, rows);
}

void page_scheduler(struct exchange *exchange)
{
    const Creel__QueueReport *const *queues;
    const char *find = exchange_parameter(exchange, "q", 0), *of = exchange_parameter(exchange, "of", 0);
    struct page page;
    size_t count;

    if (!page_begin(&page, exchange, MENU_SCHEDULER, "Scheduler", true))
        return;
    count = web_model_queues(page.model, &queues);
    if (of == NULL || web_model_queue(page.model, of) == NULL)
        of = "root";
    if (list_csv_is_wanted(exchange)) {
        send_csv(&page, queues, count, find, of);
        return;
    }
    html_add(&page.html,
             "<form class=\"filter\" action=\"/cluster/scheduler\"><label>Queue "
             "<input name=\"q\" value=\"%s\"></label><button>Find</button>",
             find != NULL ? find : "");
    if (strcmp(of, "root") != 0 || (find != NULL && *find != '\0'))
        html_add(&page.html, " <a href=\"/cluster/scheduler\">whole tree</a>");
    html_add(&page.html, "</form>\n<section id=\"queues\" class=\"live wide\">");
    add_legend(&page, count > 0 && *queues[0]->policy != '\0');
    add_head(&page);
    if (find != NULL && *find != '\0')
        add_found(&page, queues, count, find);
    else
        add_tree(&page, queues, count, of);
    html_add(&page.html, "<p class=\"foot\">");
    page_plural(&page, count, "queue", "queues");
    list_csv_link(&page);
    html_add(&page.html, "</p></section>\n");
    page_send(&page);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* containers.c - containers, with their usage beside their limits */
#include "web/page/containers.h"

#include <inttypes.h>

#include "common/base/id.h"
#include "web/page/bar.h"
#include "web/page/list.h"
#include "web/page/page_text.h"

static const char *class_of(const Creel__ContainerReport *container)
{
    if (container->state == CREEL__CONTAINER_STATE__CONTAINER_RUNNING)
        return "good";
    if (container->state != CREEL__CONTAINER_STATE__CONTAINER_COMPLETE)
        return "busy";
    return container->exit_status == 0 ? "off" : "bad";
}

/* Adds the peak memory use of the container beside its limit, which shows memory that was never used. */
static void add_memory(struct page *page, const Creel__ContainerReport *container)
{
    uint64_t asked = (uint64_t)page_text_mb(container->resource) << 20, peak = container->memory_peak_bytes;

    html_add(&page->html, "<td data-label=\"Memory\">");
    if (peak == 0) {
        html_add(&page->html, "%s</td>", page_text_memory(page->arena, page_text_mb(container->resource)));
        return;
    }
    bar_use(page, (double)peak, (double)asked);
    html_add(&page->html, "<small>%s of %s</small></td>", page_text_bytes(page->arena, peak),
             page_text_bytes(page->arena, asked));
}

static void add_logs(struct page *page, const Creel__ContainerReport *container)
{
    static const char *const files[] = { "stdout", "stderr" };

    html_add(&page->html, "<td data-label=\"Logs\">");
    for (size_t i = 0; i < sizeof(files) / sizeof(*files) && container->started_ms != 0; i++)
        html_add(&page->html, "%s<a href=\"/cluster/app/%s/logs/%s/%s\">%s</a>", i > 0 ? " " : "",
                 container->app_id, container->container_id, files[i], files[i]);
    html_add(&page->html, "</td>");
}

static void add_row(struct page *page, const Creel__ContainerReport *container, enum containers_of of)
{
    struct html *html = &page->html;
    int64_t end_ms = container->finished_ms != 0 ? container->finished_ms : page->now_ms;

    html_add(html, "<tr><td data-label=\"Container\"><span class=\"id\">%s</span>%s</td>",
             container->container_id, container->master ? " (master)" : "");
    if (of == CONTAINERS_OF_APP) {
        html_add(html, "<td data-label=\"Task\"><bdi>%s</bdi></td><td data-label=\"Node\">",
                 container->title);
        page_node_link(page, container->node_id);
    } else { /* in one column, so that the table is not wider than the screen */
        html_add(html, "<td data-label=\"Application\">");
        page_app_link(page, container->app_id);
        html_add(html, "<div class=\"sub\">");
        page_user_link(page, container->user);
        html_add(html, "</div>");
    }
    html_add(html, "</td><td data-label=\"State\">");
    page_badge(page, class_of(container), page_text_container_state(container->state));
    if (container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE)
        html_add(html, " <small title=\"%s\">%s</small>", container->diagnostics,
                 page_text_exit(page->arena, container->exit_status));
    html_add(html, "</td>");
    add_memory(page, container);
    page_count_cell(page, "Vcores", page_text_vcores(container->resource));
    html_add(html, "<td class=\"n\" data-label=\"CPU time\">%s</td>",
             page_text_duration(page->arena, (int64_t)(container->cpu_time_us / 1000)));
    html_add(html, "<td class=\"n\" data-label=\"Runs\">%s</td>",
             container->started_ms == 0 ? ""
                                        : page_text_duration(page->arena, end_ms - container->started_ms));
    add_logs(page, container);
    html_add(html, "</tr>\n");
}

/* --- the table, of one or more replies ---------------------------------------------- */

/* A reply lists the containers among some of those in the cluster: those of one node may be few of many. */
#define REPLIES_MAX 20

struct table { /* in the arena of the page */
    struct page *page;
    enum containers_of of;
    const char *id;    /* of the application or node */
    const char *after; /* container before the next reply; "": the first */
    size_t rows;
    int replies;
};

static void ask(struct table *table);

static void add_head(struct html *html, enum containers_of of)
{
    html_add(html, "<table class=\"cards\"><thead><tr><th scope=\"col\">Container</th>");
    if (of == CONTAINERS_OF_APP)
        html_add(html, "<th scope=\"col\">Task</th><th scope=\"col\">Node</th>");
    else
        html_add(html, "<th scope=\"col\">Application, user</th>");
    html_add(html, "<th scope=\"col\">State</th><th scope=\"col\">Memory, peak of limit</th>"
                   "<th scope=\"col\" class=\"n\">Vcores</th><th scope=\"col\" class=\"n\">CPU time</th>"
                   "<th scope=\"col\" class=\"n\">Runs</th><th scope=\"col\">Logs</th></tr></thead><tbody>");
}

/* Ends the section, and the page. NEXT: container after which the next page begins; "": there is none. NOTE:
 * why rows are missing; NULL: none are. */
static void finish(struct table *table, const char *next, const char *note)
{
    struct page *page = table->page;
    struct html *html = &page->html;
    const char *after = exchange_parameter(page->exchange, "after", 0);

    if (table->rows > 0)
        html_add(html, "</tbody></table>");
    if (note != NULL)
        html_add(html, "<p class=\"note\">%s</p>", note);
    else if (table->rows == 0)
        html_add(html, "<p class=\"note\">%s</p>",
                 *next != '\0'   ? "There are none among the first of the cluster."
                 : after != NULL ? "There are no more."
                                 : "There are none.");
    if (after != NULL || *next != '\0')
        html_add(html, "<p class=\"foot\">%s shown", page_text_count(page->arena, table->rows));
    if (after != NULL)
        html_add(html, " · <a href=\"%s\">first page</a>", list_target(page, "after", NULL));
    if (*next != '\0')
        html_add(html, " · <a rel=\"next\" href=\"%s\">next page</a>", list_target(page, "after", next));
    html_add(html, "%s</section>\n", after != NULL || *next != '\0' ? "</p>" : "");
    page_send(page);
}

static void handle(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__ContainerList *list =
        reply->body_case == CREEL__ENVELOPE__BODY_CONTAINER_LIST ? reply->container_list : NULL;
    struct table *table = context;

    (void)exchange;
    if (list == NULL) {
        finish(table, "",
               reply->body_case == CREEL__ENVELOPE__BODY_ERROR
                   ? reply->error->message
                   : "The resource manager sent an unexpected reply.");
        return;
    }
    if (table->rows == 0 && list->n_containers > 0)
        add_head(&table->page->html, table->of);
    for (size_t i = 0; i < list->n_containers; i++)
        add_row(table->page, list->containers[i], table->of);
    table->rows += list->n_containers;
    table->after = arena_strdup(table->page->arena, list->next);
    if (*table->after != '\0' && table->rows < CONTAINERS_SHOWN && ++table->replies < REPLIES_MAX)
        ask(table);
    else
        finish(table, table->after, NULL);
}

static void ask(struct table *table)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;

    if (table->of == CONTAINERS_OF_APP)
        body.app_id = (char *)(uintptr_t)table->id;
    else
        body.node_id = (char *)(uintptr_t)table->id;
    body.live_only = table->of == CONTAINERS_OF_NODE;
    body.after = (char *)(uintptr_t)table->after;
    body.limit = (uint32_t)(CONTAINERS_SHOWN - table->rows);
    query.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
    query.list_containers = &body;
    exchange_ask(table->page->exchange, &query, handle, table);
}

void containers_ask(struct page *page, enum containers_of of, const char *id)
{
    const char *after = exchange_parameter(page->exchange, "after", 0);
    struct table *table = arena_new0(page->arena, struct table);
    struct container_id parsed;

    *table = (struct table){ .page = page, .of = of, .id = id, .after = "" };
    if (after != NULL && container_id_parse(after, &parsed))
        table->after = after;
    html_add(&page->html, "<section id=\"containers\" class=\"live wide\"><h2>Containers</h2>");
    ask(table);
}

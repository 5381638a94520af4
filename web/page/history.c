/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - /cluster/history: ended applications of the resource manager's history files, newest first */
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "web/page/frame.h"
#include "web/page/history.h"
#include "web/page/list.h"
#include "web/page/page_text.h"
#include "web/page/pages.h"

static const struct list_column columns[] = {
    { NULL, "Application", NULL, 0, false, false },
    { NULL, "User", NULL, 0, false, false },
    { NULL, "Queue", NULL, 0, false, false },
    { NULL, "Result", "finalStatus", 0, false, false },
    { NULL, "Ended", "finishedTime", 0, true, false },
    { NULL, "Waited", NULL, 0, true, false },
    { NULL, "Ran", "elapsedTime", 0, true, false },
    { NULL, "GiB-hours", "memorySeconds", 0, true, false },
    { NULL, "Vcore-hours", "vcoreSeconds", 0, true, false },
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

static const struct {
    const char *name, *word;
    Creel__AppState state; /* filter; ANY: all states */
} choices[] = {
    { "", "all", CREEL__APP_STATE__APP_STATE_ANY },
    { "FINISHED", "finished", CREEL__APP_STATE__APP_FINISHED },
    { "FAILED", "failed", CREEL__APP_STATE__APP_FAILED },
    { "KILLED", "killed", CREEL__APP_STATE__APP_KILLED },
};

#define CHOICE_COUNT (sizeof(choices) / sizeof(*choices))

struct history_page {
    struct page page;
    struct history_filter filter;
    struct list_state list;
};

static char *parameter(struct exchange *exchange, const char *name)
{
    const char *value = exchange_parameter(exchange, name, 0);

    return (char *)(uintptr_t)(value != NULL ? value : "");
}

static size_t chosen(struct exchange *exchange)
{
    const char *state = parameter(exchange, "state");

    for (size_t i = 0; i < CHOICE_COUNT; i++)
        if (strcasecmp(choices[i].name, state) == 0)
            return i;
    return 0;
}

/* --- the filter --------------------------------------------------------------- */

void history_add_views(struct page *page, const char *current)
{
    static const char *const views[][3] = {
        { "", "/cluster/history", "applications" },
        { "hour", "/cluster/history/usage", "usage by time" },
        { "queue", "/cluster/history/usage", "usage by queue" },
        { "user", "/cluster/history/usage", "usage by user" },
    };
    struct html *html = &page->html;

    html_add(html, "<nav class=\"chips\" aria-label=\"View\">");
    for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
        html_add(html, "<a href=\"%s%s\"", views[i][1],
                 list_target(page, "by", *views[i][0] != '\0' ? views[i][0] : NULL));
        if (strcmp(views[i][0], current) == 0)
            html_add(html, " aria-current=\"true\"");
        html_add(html, ">%s</a>", views[i][2]);
    }
    html_add(html, "</nav>");
}

static void add_chips(struct page *page)
{
    struct html *html = &page->html;

    html_add(html, "<nav class=\"chips\" aria-label=\"State\">");
    for (size_t i = 0; i < CHOICE_COUNT; i++) {
        html_add(html, "<a href=\"%s\"",
                 list_target(page, "state", *choices[i].name != '\0' ? choices[i].name : NULL));
        if (i == chosen(page->exchange))
            html_add(html, " aria-current=\"true\"");
        html_add(html, ">%s</a>", choices[i].word);
    }
    html_add(html, "</nav>");
}

static void add_field(struct page *page, const char *name, const char *title)
{
    html_add(&page->html, "<label>%s <input name=\"%s\" value=\"%s\"></label>", title, name,
             parameter(page->exchange, name));
}

void history_add_filter(struct page *page, const char *path, const char *since)
{
    const char *by = parameter(page->exchange, "by");

    add_chips(page);
    html_add(&page->html, "<form class=\"filter\" action=\"%s\">", path);
    if (chosen(page->exchange) > 0)
        html_add(&page->html, "<input type=\"hidden\" name=\"state\" value=\"%s\">",
                 choices[chosen(page->exchange)].name);
    if (*by != '\0')
        html_add(&page->html, "<input type=\"hidden\" name=\"by\" value=\"%s\">", by);
    add_field(page, "name", "Name, with * and ?");
    add_field(page, "user", "User");
    add_field(page, "queue", "Queue");
    add_field(page, "since", since);
    html_add(&page->html, "<button>Filter</button> <a href=\"%s\">clear</a></form>\n", path);
}

/* Points to parameters of the exchange, which are valid in all continuations. */
void history_read_filter(struct page *page, int64_t usual_ms, struct history_filter *ret)
{
    struct exchange *exchange = page->exchange;
    Creel__ListJobHistory *query = &ret->query;
    int64_t since_ms = 0;

    creel__list_job_history__init(query);
    ret->user = parameter(exchange, "user");
    ret->queue = parameter(exchange, "queue");
    ret->state = choices[chosen(exchange)].state;
    query->states = &ret->state;
    query->n_states = ret->state != CREEL__APP_STATE__APP_STATE_ANY ? 1 : 0;
    query->users = &ret->user;
    query->n_users = *ret->user != '\0' ? 1 : 0;
    query->queues = &ret->queue;
    query->n_queues = *ret->queue != '\0' ? 1 : 0;
    query->name = parameter(exchange, "name");
    if (!text_parse_duration_ms(parameter(exchange, "since"), 86400000, &since_ms) || since_ms <= 0)
        since_ms = usual_ms;
    if (since_ms > 0)
        query->since_ms = page->now_ms - since_ms;
}

/* --- the table ------------------------------------------------------------------ */

static void add_duration(struct page *page, const char *label, int64_t from_ms, int64_t to_ms)
{
    html_add(&page->html, "<td class=\"n\" data-label=\"%s\">%s</td>", label,
             from_ms > 0 && to_ms >= from_ms ? page_text_duration(page->arena, to_ms - from_ms) : "-");
}

static void add_row(struct page *page, const Creel__AppReport *app)
{
    struct html *html = &page->html;
    int64_t began_ms = app->started_ms > 0 ? app->started_ms : app->finished_ms;

    html_add(html, "<tr>");
    page_app_cells(page, app);
    html_add(html, "<td data-label=\"Result\">");
    page_badge(page, page_text_app_class(app), page_text_app_state(app->state));
    if (app->state == CREEL__APP_STATE__APP_FINISHED)
        html_add(html, " <small>%s</small>", page_text_final_status(app->final_status));
    html_add(html, "</td>");
    page_ago_cell(page, "Ended", app->finished_ms);
    add_duration(page, "Waited", app->submitted_ms, began_ms);
    add_duration(page, "Ran", app->started_ms, app->finished_ms);
    html_add(html,
             "<td class=\"n\" data-label=\"GiB-hours\">%.1f</td><td class=\"n\" "
             "data-label=\"Vcore-hours\">%.1f</td></tr>\n",
             (double)app->memory_mb_seconds / 1024 / 3600, (double)app->vcore_seconds / 3600);
}

static void add_rows(struct history_page *history, const Creel__JobHistory *reply)
{
    struct page *page = &history->page;

    html_add(&page->html, "<section id=\"rows\" class=\"wide\"><table class=\"cards\">"
                          "<caption class=\"hidden\">Ended applications</caption>");
    list_head(page, &history->list, columns, COLUMN_COUNT);
    html_add(&page->html, "<tbody>");
    for (size_t i = 0; i < reply->n_apps; i++)
        add_row(page, reply->apps[i]);
    html_add(&page->html, "</tbody></table>");
    if (reply->n_apps == 0)
        html_add(&page->html, "<p class=\"note\">No ended application fits.</p>");
    list_foot(page, &history->list, reply->n_apps, reply->n_apps, *reply->next != '\0' ? reply->next : NULL,
              "application", "applications");
    if (*reply->warning != '\0')
        html_add(&page->html, "<p class=\"note\">%s</p>", reply->warning);
    html_add(&page->html, "</section>\n");
}

static void finish(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct history_page *history = context;

    (void)exchange;
    if (reply->body_case == CREEL__ENVELOPE__BODY_JOB_HISTORY)
        add_rows(history, reply->job_history);
    else
        html_add(&history->page.html, "<p class=\"note\">The history cannot be read: %s.</p>",
                 reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? reply->error->message : "no answer");
    page_send(&history->page);
}

void page_history(struct exchange *exchange)
{
    struct history_page *history = arena_new0(exchange_arena(exchange), struct history_page);
    Creel__ListJobHistory *body = &history->filter.query;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    if (!page_begin(&history->page, exchange, MENU_HISTORY, "History", false))
        return;
    list_read(&history->list, exchange, columns, COLUMN_COUNT, NULL);
    history_add_views(&history->page, "");
    history_add_filter(&history->page, "/cluster/history", "Ended in the last (7d)");
    history_read_filter(&history->page, 0, &history->filter);
    body->after = parameter(exchange, "after");
    body->limit = (uint32_t)history->list.limit;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY;
    query.list_job_history = body;
    exchange_ask(exchange, &query, finish, history);
}

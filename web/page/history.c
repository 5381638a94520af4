/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - /cluster/history: ended applications of the resource manager's history files, newest first */
#include <string.h>

#include "common/base/text.h"
#include "web/page/app_fields.h"
#include "web/page/frame.h"
#include "web/page/history.h"
#include "web/page/list.h"
#include "web/page/list_csv.h"
#include "web/page/page_text.h"
#include "web/page/pages.h"
#include "yarn/app.h"

static const struct {
    const char *word;
    Creel__AppState state; /* filter; ANY: all states */
} choices[] = {
    { "all", CREEL__APP_STATE__APP_STATE_ANY },
    { "finished", CREEL__APP_STATE__APP_FINISHED },
    { "failed", CREEL__APP_STATE__APP_FAILED },
    { "killed", CREEL__APP_STATE__APP_KILLED },
};

#define CHOICE_COUNT (sizeof(choices) / sizeof(*choices))

#define CSV_ROWS 250 /* of a reply, for the table as CSV */

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
    Creel__AppState state;

    if (!yarn_app_state_parse(parameter(exchange, "state"), &state))
        return 0;
    for (size_t i = 0; i < CHOICE_COUNT; i++)
        if (choices[i].state == state)
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

    list_chips_begin(page, "View");
    for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
        list_chip(page, &(struct list_chip){
                            .path = views[i][1],
                            .name = "by",
                            .value = views[i][0],
                            .word = views[i][2],
                            .chosen = strcmp(views[i][0], current) == 0,
                        });
    list_chips_end(page);
}

static void add_chips(struct page *page)
{
    list_chips_begin(page, "State");
    for (size_t i = 0; i < CHOICE_COUNT; i++)
        list_chip(page, &(struct list_chip){
                            .name = "state",
                            .value = i > 0 ? yarn_app_state(choices[i].state) : NULL,
                            .word = choices[i].word,
                            .chosen = i == chosen(page->exchange),
                        });
    list_chips_end(page);
}

void history_add_filter(struct page *page, const char *path, const char *since)
{
    const struct list_input inputs[] = {
        { "name", "Name, with * and ?" },
        { "user", "User" },
        { "queue", "Queue" },
        { "since", since },
    };

    add_chips(page);
    list_filter_form(page, path, "", inputs, sizeof(inputs) / sizeof(*inputs));
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

static void cell_app(struct page *page, const void *row)
{
    const Creel__AppReport *app = row;

    html_add(&page->html, "<td data-label=\"Application\">");
    page_app_link(page, app->app_id);
    html_add(&page->html, "<div class=\"sub\"><bdi>%s</bdi></div></td>", app->name);
}

static void cell_user(struct page *page, const void *row)
{
    html_add(&page->html, "<td data-label=\"User\">");
    page_user_link(page, ((const Creel__AppReport *)row)->user);
    html_add(&page->html, "</td>");
}

static void cell_queue(struct page *page, const void *row)
{
    html_add(&page->html, "<td data-label=\"Queue\">");
    page_queue_link(page, ((const Creel__AppReport *)row)->queue);
    html_add(&page->html, "</td>");
}

static void cell_result(struct page *page, const void *row)
{
    const Creel__AppReport *app = row;
    const char *reason = page_text_app_end(page->arena, app);

    html_add(&page->html, "<td class=\"result\" data-label=\"Result\">");
    page_badge(page, page_text_app_class(app), yarn_app_state(app->state));
    if (app->state == CREEL__APP_STATE__APP_FINISHED)
        html_add(&page->html, " <small>%s</small>", yarn_final_status(app->final_status));
    if (*reason != '\0')
        html_add(&page->html, "<div class=\"sub\">%s</div>", reason);
    html_add(&page->html, "</td>");
}

static void cell_ended(struct page *page, const void *row)
{
    page_ago_cell(page, "Ended", ((const Creel__AppReport *)row)->finished_ms);
}

static void cell_waited(struct page *page, const void *row)
{
    const Creel__AppReport *app = row;

    add_duration(page, "Waited", app->submitted_ms, app->started_ms > 0 ? app->started_ms : app->finished_ms);
}

static void cell_ran(struct page *page, const void *row)
{
    const Creel__AppReport *app = row;

    add_duration(page, "Ran", app->started_ms, app->finished_ms);
}

static void cell_memory(struct page *page, const void *row)
{
    html_add(&page->html, "<td class=\"n\" data-label=\"GiB-hours\">%.1f</td>",
             (double)((const Creel__AppReport *)row)->memory_mb_seconds / 1024 / 3600);
}

static void cell_vcores(struct page *page, const void *row)
{
    html_add(&page->html, "<td class=\"n\" data-label=\"Vcore-hours\">%.1f</td>",
             (double)((const Creel__AppReport *)row)->vcore_seconds / 3600);
}

static void cell_cpu(struct page *page, const void *row)
{
    html_add(&page->html, "<td class=\"n\" data-label=\"CPU-hours\">%.1f</td>",
             (double)((const Creel__AppReport *)row)->cpu_time_us / 1e6 / 3600);
}

static void cell_peak(struct page *page, const void *row)
{
    html_add(&page->html, "<td class=\"n\" data-label=\"Peak memory\">%s</td>",
             page_text_bytes(page->arena, ((const Creel__AppReport *)row)->memory_peak_bytes));
}

static void cell_type(struct page *page, const void *row)
{
    html_add(&page->html, "<td data-label=\"Type\"><bdi>%s</bdi></td>",
             ((const Creel__AppReport *)row)->type);
}

static const struct list_column columns[] = {
    { LIST_TITLE("Application", NULL), LIST_CELL("app", cell_app) },
    { LIST_TITLE("User", NULL), LIST_CELL("user", cell_user) },
    { LIST_TITLE("Queue", NULL), LIST_CELL("queue", cell_queue) },
    { LIST_TITLE("Result", "finalStatus"), LIST_CELL("result", cell_result) },
    { LIST_TITLE("Ended", "finishedTime"), LIST_CELL("ended", cell_ended), .number = true },
    { LIST_TITLE("Waited", NULL), LIST_CELL("waited", cell_waited), .number = true },
    { LIST_TITLE("Ran", "elapsedTime"), LIST_CELL("ran", cell_ran), .number = true },
    { LIST_TITLE("GiB-hours", "memorySeconds"), LIST_CELL("gib-hours", cell_memory), .number = true },
    { LIST_TITLE("Vcore-hours", "vcoreSeconds"), LIST_CELL("vcore-hours", cell_vcores), .number = true },
    { LIST_TITLE("CPU-hours", "processor time that was used"), LIST_CELL("cpu-hours", cell_cpu),
      .number = true, .further = true },
    { LIST_TITLE("Peak memory", "of the container with the largest use"), LIST_CELL("peak", cell_peak),
      .number = true, .further = true },
    { LIST_TITLE("Type", "applicationType"), LIST_CELL("type", cell_type), .further = true },
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

static void add_rows(struct history_page *history, const Creel__JobHistory *reply)
{
    struct page *page = &history->page;

    html_add(&page->html, "<section id=\"rows\" class=\"wide\"><table class=\"cards\">"
                          "<caption class=\"hidden\">Ended applications</caption>");
    list_head(page, &history->list, columns, COLUMN_COUNT);
    html_add(&page->html, "<tbody>");
    for (size_t i = 0; i < reply->n_apps; i++)
        list_row(page, &history->list, columns, COLUMN_COUNT, reply->apps[i]);
    html_add(&page->html, "</tbody></table>");
    if (reply->n_apps == 0)
        html_add(&page->html, "<p class=\"note\">No ended application fits.</p>");
    list_foot(page, &history->list, reply->n_apps, reply->n_apps, *reply->next != '\0' ? reply->next : NULL,
              "application", "applications");
    if (*reply->warning != '\0')
        html_add(&page->html, "<p class=\"note\">%s</p>", reply->warning);
    html_add(&page->html, "</section>\n");
    list_columns_form(page, &history->list, columns, COLUMN_COUNT, "/cluster/history");
}

/* Returns true if the time of a page ended before a row was found: the next part may have some. */
static bool is_part_without_rows(const Creel__Envelope *reply)
{
    return reply->body_case == CREEL__ENVELOPE__BODY_JOB_HISTORY && reply->job_history->n_apps == 0 &&
           *reply->job_history->next != '\0' && *reply->job_history->warning == '\0';
}

static void ask_page(struct history_page *history, const char *after);

static void finish(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct history_page *history = context;

    if (is_part_without_rows(reply)) {
        ask_page(history, arena_strdup(exchange_arena(exchange), reply->job_history->next));
        return;
    }
    if (reply->body_case == CREEL__ENVELOPE__BODY_JOB_HISTORY)
        add_rows(history, reply->job_history);
    else
        html_add(&history->page.html, "<p class=\"note\">The history cannot be read: %s.</p>",
                 reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? reply->error->message : "no answer");
    page_send(&history->page);
}

static void ask_page(struct history_page *history, const char *after)
{
    Creel__ListJobHistory *body = &history->filter.query;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    body->after = (char *)(uintptr_t)after;
    body->limit = (uint32_t)history->list.limit;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY;
    query.list_job_history = body;
    exchange_ask(history->page.exchange, &query, finish, history);
}

/* --- CSV ------------------------------------------------------------------------ */

static void ask_csv(struct exchange *exchange, void *context, const char *after, exchange_reply_fn *then,
                    void *then_context)
{
    struct history_page *history = context;
    Creel__ListJobHistory *body = &history->filter.query;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    body->after = (char *)(uintptr_t)after;
    body->limit = CSV_ROWS;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY;
    query.list_job_history = body;
    exchange_ask(exchange, &query, then, then_context);
}

static bool read_csv(void *context, const Creel__Envelope *reply, size_t *count, const char **next,
                     const char **warning)
{
    (void)context;
    if (reply->body_case != CREEL__ENVELOPE__BODY_JOB_HISTORY)
        return false;
    *count = reply->job_history->n_apps;
    *next = reply->job_history->next;
    *warning = reply->job_history->warning;
    return true;
}

static const void *row_of_csv(void *context, struct arena *arena, const Creel__Envelope *reply, size_t i)
{
    (void)context;
    (void)arena;
    return reply->job_history->apps[i];
}

void page_history(struct exchange *exchange)
{
    struct history_page *history = arena_new0(exchange_arena(exchange), struct history_page);

    if (!page_begin(&history->page, exchange, MENU_HISTORY, "History", false))
        return;
    list_read(&history->list, exchange, columns, COLUMN_COUNT, NULL);
    if (!list_choose_columns(&history->list, exchange, columns, COLUMN_COUNT))
        return;
    if (list_csv_is_wanted(exchange)) {
        history_read_filter(&history->page, 0, &history->filter);
        list_csv_answer_replies(exchange, &history_fields,
                                &(struct list_replies){ ask_csv, read_csv, row_of_csv, history });
        return;
    }
    history_add_views(&history->page, "");
    history_add_filter(&history->page, "/cluster/history", "Ended in the last (7d)");
    history_read_filter(&history->page, 0, &history->filter);
    ask_page(history, parameter(exchange, "after"));
}

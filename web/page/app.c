/* SPDX-License-Identifier: Apache-2.0 */
/* app.c - /cluster/app/ID: state, why it waits, containers */
#include <inttypes.h>
#include <string.h>

#include "common/base/job/exit_status.h"
#include "common/base/text_builder.h"
#include "common/proto/task_counts.h"
#include "web/page/actions.h"
#include "web/page/bar.h"
#include "web/page/containers.h"
#include "web/page/frame.h"
#include "web/page/pages.h"
#include "web/page/page_text.h"
#include "yarn/app.h"
#include "yarn/resource.h"

/* --- what it is ------------------------------------------------------------- */

static void add_fact(struct page *page, const char *title, const char *value)
{
    if (*value != '\0')
        html_add(&page->html, "<div><dt>%s</dt><dd><bdi>%s</bdi></dd></div>", title, value);
}

static void add_state_line(struct page *page, const Creel__AppReport *app)
{
    struct html *html = &page->html;
    int64_t end_ms = app->finished_ms != 0 ? app->finished_ms : page->now_ms;

    html_add(html, "<p class=\"state\" aria-live=\"polite\">");
    page_badge(page, page_text_app_class(app), yarn_app_state(app->state));
    if (yarn_app_is_over(app->state)) {
        html_add(html, " <b>%s</b>", yarn_final_status(app->final_status));
        if (app->exit_status != CONTAINER_EXIT_NONE)
            html_add(html, ", %s", page_text_exit(page->arena, app->exit_status));
    }
    html_add(html, " · application of ");
    page_user_link(page, app->user);
    html_add(html, " in queue ");
    page_queue_link(page, app->queue);
    if (app->started_ms != 0)
        html_add(html, " · waited %s, %s %s",
                 page_text_duration(page->arena, app->started_ms - app->submitted_ms),
                 yarn_app_is_over(app->state) ? "ran" : "runs for",
                 page_text_duration(page->arena, end_ms - app->started_ms));
    else
        html_add(html, " · %s %s", yarn_app_is_over(app->state) ? "waited" : "waiting for",
                 page_text_duration(page->arena, end_ms - app->submitted_ms));
    html_add(html, "</p>");
    if (*app->diagnostics != '\0')
        html_add(html, "<pre class=\"diagnostics\">%s</pre>", app->diagnostics);
    if (*app->silent_nodes != '\0')
        html_add(html, "<p class=\"note busy\">%s</p>", app->silent_nodes);
}

static void add_tasks(struct page *page, const Creel__AppReport *app)
{
    const Creel__TaskCounts *tasks = app->tasks;
    struct bar_part parts[3];
    double total, at;
    uint32_t running, waiting;

    if (tasks == NULL || tasks->total == 0)
        return;
    total = tasks->total;
    at = tasks->succeeded / total;
    parts[0] = (struct bar_part){ 0, at, "done" };
    parts[1] = (struct bar_part){ at, at + tasks->failed / total, "failed" };
    at += tasks->failed / total;
    running = task_counts_running(tasks);
    waiting = task_counts_waiting(tasks);
    parts[2] = (struct bar_part){ at, at + running / total, "used" };
    html_add(&page->html, "<div class=\"use\"><span>Tasks</span>");
    bar_draw(page, "", "tasks", parts, 3, NULL, 0);
    html_add(&page->html, "<span class=\"n\"><b>%s</b> of %s done, %s running, %s failed",
             page_text_count(page->arena, tasks->succeeded), page_text_count(page->arena, tasks->total),
             page_text_count(page->arena, running), page_text_count(page->arena, task_counts_failed(tasks)));
    if (tasks->killed > 0)
        html_add(&page->html, ", %s killed", page_text_count(page->arena, tasks->killed));
    if (waiting > 0 && !yarn_app_is_over(app->state))
        html_add(&page->html, ", %s waiting", page_text_count(page->arena, waiting));
    html_add(&page->html, "</span></div>");
}

/* Names the tasks of an array that failed, and the commands for them. */
static void add_failed_tasks(struct page *page, const Creel__AppReport *app)
{
    if (*app->failed_tasks == '\0')
        return;
    html_add(
        &page->html,
        "<p class=\"note\">Failed tasks: %s · <code>creel logs %s_%s</code> shows the output of the first, "
        "<code>creel app rerun %s --failed</code> runs all of them again.</p>",
        app->failed_tasks, app->app_id,
        arena_printf(page->arena, "%.*s", (int)strcspn(app->failed_tasks, ",-"), app->failed_tasks),
        app->app_id);
}

struct step {
    const char *name, *class_name;
    int64_t from_ms, to_ms;
};

/* Sets the steps of APP, in order. NOW_MS ends the present step. Returns their number. */
static size_t list_steps(const Creel__AppReport *app, int64_t now_ms, struct step ret[3])
{
    int64_t end_ms = app->finished_ms != 0 ? app->finished_ms : now_ms;
    int64_t started_ms = app->started_ms != 0 ? app->started_ms : end_ms;
    int64_t entered_ms = app->eligible_ms != 0                      ? app->eligible_ms
                         : app->n_holds > 0 && app->started_ms == 0 ? end_ms
                                                                    : app->submitted_ms;
    const struct step steps[] = {
        { "outside its queue", "asked", app->submitted_ms, entered_ms },
        { "waiting", "borrowed", entered_ms, started_ms },
        { "running", "used", started_ms, end_ms },
    };
    size_t count = 0;

    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
        if (steps[i].to_ms > steps[i].from_ms)
            ret[count++] = steps[i];
    return count;
}

/* Draws how long APP was in each step. */
static void add_timeline(struct page *page, const Creel__AppReport *app)
{
    struct bar_part parts[3];
    struct step steps[3];
    size_t count = list_steps(app, page->now_ms, steps);
    struct html *html = &page->html;
    double total;

    if (count == 0 || app->submitted_ms == 0)
        return;
    total = (double)(steps[count - 1].to_ms - steps[0].from_ms);
    for (size_t i = 0; i < count; i++)
        parts[i] =
            (struct bar_part){ (double)(steps[i].from_ms - steps[0].from_ms) / total,
                               (double)(steps[i].to_ms - steps[0].from_ms) / total, steps[i].class_name };
    html_add(html, "<div class=\"use\"><span>Timeline</span>");
    bar_draw(page, "", "timeline", parts, count, NULL, 0);
    html_add(html, "<span class=\"n\"><b>%s</b> in all</span></div><ul class=\"legend\">",
             page_text_duration(page->arena, (int64_t)total));
    for (size_t i = 0; i < count; i++)
        html_add(html, "<li title=\"%s to %s\"><i class=\"%s\"></i>%s %s</li>",
                 page_text_time(page->arena, steps[i].from_ms), page_text_time(page->arena, steps[i].to_ms),
                 steps[i].class_name, steps[i].name,
                 page_text_duration(page->arena, steps[i].to_ms - steps[i].from_ms));
    html_add(html, "</ul>");
}

static void add_facts(struct page *page, const Creel__AppReport *app)
{
    struct arena *arena = page->arena;

    html_add(&page->html, "<dl class=\"strip\">");
    add_fact(page, "Type", app->type);
    add_fact(page, "Command",
             text_builder_join(arena, (const char *const *)app->command, app->n_command, " "));
    add_fact(page, "Tags", text_builder_join(arena, (const char *const *)app->tags, app->n_tags, ", "));
    if (*app->rerun_of != '\0') {
        html_add(&page->html, "<div><dt>Rerun of</dt><dd>");
        page_app_link(page, app->rerun_of);
        html_add(&page->html, "</dd></div>");
    }
    add_fact(page, "Node label", app->label);
    add_fact(page, "Priority", arena_printf(arena, "%d", (int)app->priority));
    add_fact(page, "Submitted", page_text_time(arena, app->submitted_ms));
    add_fact(page, "First container", page_text_time(arena, app->started_ms));
    add_fact(page, "Ended", page_text_time(arena, app->finished_ms));
    add_fact(page, "Killed at the latest", page_text_time(arena, app->expires_ms));
    add_fact(page, "Attempt",
             arena_printf(arena, "%u (fails after %u failed attempts)", app->attempt, app->max_attempts));
    add_fact(page, "Avoided nodes",
             text_builder_join(arena, (const char *const *)app->avoided_nodes, app->n_avoided_nodes, ", "));
    add_fact(page, "Allocated", page_text_resource(arena, app->allocated));
    add_fact(page, "Pending", page_text_resource(arena, app->pending));
    add_fact(page, "Use",
             arena_printf(arena, "%s MiB·s, %s vcore·s", page_text_count(arena, app->memory_mb_seconds),
                          page_text_count(arena, app->vcore_seconds)));
    html_add(&page->html, "</dl>");
}

/* --- why it waits ------------------------------------------------------------ */

/* Draws a bar for the memory under a limit: the used memory, the requested memory behind it, and the
 * limit. */
static void add_limit(struct page *page, const Creel__WhyItem *item)
{
    double allowed = (double)yarn_memory_mb(item->allowed), used, asked;
    struct bar_part parts[2];
    struct bar_mark mark = { 0, "maximum" };
    double scale;

    if (allowed <= 0)
        return;
    used = (double)yarn_memory_mb(item->used);
    asked = (double)yarn_memory_mb(item->asked);
    scale = used + asked > allowed ? used + asked : allowed;
    parts[0] = (struct bar_part){ 0, used / scale, "used" };
    parts[1] = (struct bar_part){ used / scale, (used + asked) / scale, "asked" };
    mark.at = allowed / scale;
    bar_draw(page, "limit",
             arena_printf(page->arena, "%s used, %s pending, limit %s",
                          page_text_memory(page->arena, yarn_memory_mb(item->used)),
                          page_text_memory(page->arena, yarn_memory_mb(item->asked)),
                          page_text_memory(page->arena, yarn_memory_mb(item->allowed))),
             parts, 2, &mark, 1);
}

static void add_passed_over(struct page *page, const Creel__WhyItem *item)
{
    html_add(&page->html, "<ul class=\"legend\">");
    for (size_t i = 0; i < item->n_passed_over; i++)
        html_add(&page->html, "<li><b>%s</b> %s</li>",
                 page_text_count(page->arena, item->passed_over[i]->nodes), item->passed_over[i]->reason);
    html_add(&page->html, "</ul>");
}

static void add_item(struct page *page, const Creel__WhyItem *item)
{
    struct html *html = &page->html;

    html_add(html, "<li class=\"%s\"><b class=\"code\">%s</b> %s", item->blocking ? "blocking" : "passing",
             item->reason_code, item->text);
    if (item->since_ms != 0)
        html_add(html, " <small>for %s</small>",
                 page_text_duration(page->arena, page->now_ms - item->since_ms));
    if (*item->queue != '\0') {
        html_add(html, " <small>queue ");
        page_queue_link(page, item->queue);
        html_add(html, "</small>");
    }
    if (item->blocking)
        add_limit(page, item);
    if (item->n_passed_over > 0)
        add_passed_over(page, item);
    html_add(html, "</li>");
}

static void add_why(struct page *page, const Creel__AppExplanation *why)
{
    struct html *html = &page->html;

    html_add(html, "<section id=\"why\" class=\"live why\"><h2>Why it waits</h2><p class=\"summary\">%s</p>",
             why->summary);
    if (why->waiting_since_ms != 0) {
        html_add(html, "<p>Waiting for %s",
                 page_text_duration(page->arena, page->now_ms - why->waiting_since_ms));
        if (why->count > 0)
            html_add(html, ": %s × %s", page_text_count(page->arena, why->count),
                     page_text_resource(page->arena, why->asked));
        html_add(html, ".</p>");
    }
    if (why->n_items > 0) {
        html_add(html, "<ul class=\"items\">");
        for (size_t i = 0; i < why->n_items; i++)
            add_item(page, why->items[i]);
        html_add(html, "</ul>");
    }
    if (why->n_advice > 0) {
        html_add(html, "<h3>What would help</h3><ul>");
        for (size_t i = 0; i < why->n_advice; i++)
            html_add(html, "<li>%s</li>", why->advice[i]);
        html_add(html, "</ul>");
    }
    html_add(html, "</section>\n");
}

/* --- the page, in two or three questions ---------------------------------------------- */

static void ask_containers(struct page *page)
{
    containers_ask(page, CONTAINERS_OF_APP, exchange_capture(page->exchange, 0));
}

static void add_explanation(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct page *page = context;

    (void)exchange;
    if (reply->body_case == CREEL__ENVELOPE__BODY_APP_EXPLANATION)
        add_why(page, reply->app_explanation);
    else if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        html_add(&page->html,
                 "<section id=\"why\" class=\"live\"><p class=\"note busy\">Why it waits is not known: "
                 "%s</p></section>",
                 reply->error->message);
    ask_containers(page);
}

static void ask_why(struct page *page, const char *app_id)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;

    body.app_id = (char *)(uintptr_t)app_id;
    query.body_case = CREEL__ENVELOPE__BODY_EXPLAIN_APP;
    query.explain_app = &body;
    exchange_ask(page->exchange, &query, add_explanation, page);
}

static void add_app(struct page *page, const Creel__AppReport *app)
{
    html_add(&page->html, "<section id=\"app\" class=\"live\"><p class=\"subtitle\"><bdi>%s</bdi></p>",
             app->name);
    add_state_line(page, app);
    add_tasks(page, app);
    add_failed_tasks(page, app);
    add_timeline(page, app);
    add_facts(page, app);
    page_events_link(page, "app", app->app_id);
    html_add(&page->html, "</section>\n");
    actions_add_app(page, app);
    if (yarn_app_is_over(app->state) || (*app->reason_code == '\0' && app->pending_containers == 0 &&
                                         app->state == CREEL__APP_STATE__APP_RUNNING))
        ask_containers(page);
    else
        ask_why(page, exchange_capture(page->exchange, 0));
}

static bool has_failed_tasks(const Creel__AppReport *app)
{
    return *app->array != '\0' && app->tasks != NULL && app->tasks->failed > 0;
}

static const Creel__AppReport *find_app(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);
    const char *app_id = exchange_capture(exchange, 0);
    const Creel__AppReport *app = web_model_app(view->model, app_id);

    if (app == NULL)
        exchange_refuse(exchange, 404,
                        arena_printf(exchange_arena(exchange),
                                     "There is no application %s. It may "
                                     "have been forgotten after it ended.",
                                     app_id));
    return app;
}

/* Shows the application in REPLY, which has all that this user may see. If REPLY has none, shows the
 * application of the model, which has what every user may see. */
static void handle_app(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__AppReport *app;

    if (reply->body_case == CREEL__ENVELOPE__BODY_APP_LIST && reply->app_list->n_apps == 1)
        app = reply->app_list->apps[0];
    else if ((app = find_app(exchange)) == NULL)
        return;
    add_app(context, app);
}

static void ask_app(struct page *page)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListApps body = CREEL__LIST_APPS__INIT;

    body.app_id = (char *)(uintptr_t)exchange_capture(page->exchange, 0);
    query.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    query.list_apps = &body;
    exchange_ask(page->exchange, &query, handle_app, page);
}

void page_app(struct exchange *exchange)
{
    struct page *page = arena_new0(exchange_arena(exchange), struct page);
    const struct web_view *view = exchange_application(exchange);
    const Creel__AppReport *app = NULL;

    if (web_model_is_complete(view->model) && (app = find_app(exchange)) == NULL)
        return;
    if (app != NULL && !containers_begin(page, exchange, CONTAINERS_OF_APP, exchange_capture(exchange, 0)))
        return;
    if (!page_begin_watching(page, exchange, MENU_APPS, exchange_capture(exchange, 0),
                             arena_printf(exchange_arena(exchange), "app:%s", exchange_capture(exchange, 0))))
        return;
    /* With access lists the model lacks the command and the diagnostics, which the owner may see. It never
     * has the right of the user to change the application, and not the sentence about its silent nodes, nor
     * the indexes of failed tasks. */
    if (app->n_command > 0 && !actions_need_right(page, app) && !has_failed_tasks(app) &&
        web_model_cluster(view->model)->nodes_silent == 0)
        add_app(page, app);
    else
        ask_app(page);
}

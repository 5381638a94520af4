/* SPDX-License-Identifier: Apache-2.0 */
/* queue.c - /cluster/queue/PATH: one queue, its limits, users and order of service */
#include <string.h>

#include "web/page/bar.h"
#include "web/page/frame.h"
#include "web/page/pages.h"
#include "web/page/queue_bar.h"
#include "web/page/page_text.h"
#include "yarn/resource.h"

#define USER_REPLIES_MAX 8 /* requests for users; a reply has at most 250 (rm/master/state/page.c) */

static void add_line(struct page *page, const char *title, const char *yarn, const char *value)
{
    html_add(&page->html, "<tr><th scope=\"row\" title=\"%s\">%s</th><td>%s</td></tr>", yarn, title, value);
}

static const char *percent_of_cluster(struct page *page, float parent, float cluster)
{
    return arena_printf(page->arena, "%s of its parent, %s of the cluster",
                        page_text_percent(page->arena, (double)parent),
                        page_text_percent(page->arena, (double)cluster));
}

/* Returns a limit of applications. In the capacity scheduler, every queue has one, which may be 0. */
static const char *limit_of(struct page *page, const Creel__QueueReport *queue, int64_t limit)
{
    if (limit < 0)
        return "0";
    return limit > 0 || queue->settings != NULL ? page_text_count(page->arena, (uint64_t)limit) : "no limit";
}

static const char *lifetime_of(struct page *page, int64_t seconds)
{
    return seconds > 0 ? page_text_duration(page->arena, 1000 * seconds) : "no limit";
}

static void add_fair(struct page *page, const Creel__QueueReport *queue)
{
    add_line(page, "Policy", "schedulingPolicy", queue->policy);
    add_line(page, "Fair share now", "Instantaneous Fair Share",
             page_text_resource(page->arena, queue->fair_share));
    add_line(page, "Steady fair share", "Steady Fair Share",
             page_text_resource(page->arena, queue->steady_fair_share));
    add_line(page, "Demand", "Demand", page_text_resource(page->arena, queue->demand));
    if (queue->starved_since_ms != 0)
        add_line(page, "Below its fair share for", "",
                 page_text_duration(page->arena, page->now_ms - queue->starved_since_ms));
}

/* Returns the text of a limit of QUEUE: of memory alone if vcores have no limit. */
static const char *limit_text(struct page *page, const Creel__QueueReport *queue,
                              const Creel__Resource *limit)
{
    return queue->memory_only ? page_text_memory(page->arena, yarn_memory_mb(limit))
                              : page_text_resource(page->arena, limit);
}

static void add_settings(struct page *page, const Creel__QueueReport *queue)
{
    struct arena *arena = page->arena;

    html_add(&page->html, "<table class=\"facts\">");
    add_line(page, "State", "Queue State", queue->state);
    if (*queue->policy != '\0')
        add_fair(page, queue);
    else
        add_line(page, "Guaranteed", "Configured Capacity, Absolute Configured Capacity",
                 percent_of_cluster(page, queue->capacity, queue->absolute_capacity));
    add_line(page, "Maximum", "Configured Max Capacity",
             percent_of_cluster(page, queue->max_capacity, queue->absolute_max_capacity));
    add_line(page, "Used", "Used Resources",
             arena_printf(arena, "%s, %s of what is guaranteed", page_text_resource(arena, queue->used),
                          page_text_percent(arena, (double)queue->used_capacity)));
    add_line(page, "Reserved", "Reserved Resources", page_text_resource(arena, queue->reserved));
    add_line(page, "Asked for", "Pending Resources", page_text_resource(arena, queue->pending));
    if (queue->leaf) {
        add_line(page, "Application masters", "Used / Max Application Master Resources",
                 arena_printf(arena, "%s of at most %s", page_text_resource(arena, queue->am_used),
                              limit_text(page, queue, queue->am_limit)));
        add_line(page, "One user may have", "User Limit", limit_text(page, queue, queue->user_limit));
        add_line(page, "Applications at most", "Max Applications", limit_of(page, queue, queue->max_apps));
        add_line(page, "Applications of a user", "Max Applications Per User",
                 limit_of(page, queue, queue->max_apps_per_user));
        add_line(page, "Lifetime", "Maximum and Default Application Lifetime",
                 arena_printf(arena, "longest: %s; if it names none: %s",
                              lifetime_of(page, queue->maximum_lifetime_s),
                              lifetime_of(page, queue->default_lifetime_s)));
    }
    add_line(page, "Containers", "Num Containers", page_text_count(arena, queue->containers));
    add_line(page, "Preemption", "Preemption",
             queue->preemption ? "may be preempted from" : "is not preempted from");
    html_add(&page->html, "</table>");
}

/* --- users, in a second question --------------------------------------------- */

static void add_user(struct page *page, const Creel__QueueUserReport *user)
{
    struct arena *arena = page->arena;
    struct html *html = &page->html;

    html_add(html, "<tr><td data-label=\"User\">");
    page_user_link(page, user->user);
    html_add(html, user->active ? " <small>active</small></td>" : "</td>");
    html_add(html, "<td data-label=\"Use\">");
    bar_use(page, (double)yarn_memory_mb(user->used), (double)yarn_memory_mb(user->limit));
    html_add(html, "</td><td data-label=\"Has\">%s</td><td data-label=\"May have\">%s</td>",
             page_text_resource(arena, user->used), page_text_resource(arena, user->limit));
    page_count_cell(page, "Running", user->active_apps);
    page_count_cell(page, "Waiting", user->waiting_apps);
    html_add(html, "</tr>");
}

struct user_table {
    struct page *page;
    const char *path;
    size_t count, replies;
};

static void ask_users(struct user_table *table, const char *after);

/* Adds what follows the rows; REPLY is the last one. */
static void end_users(struct user_table *table, const Creel__Envelope *reply)
{
    struct html *html = &table->page->html;

    if (table->count > 0)
        html_add(html, "</tbody></table>");
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        html_add(html, "<p class=\"note\">%s</p>", reply->error->message);
    else if (reply->body_case == CREEL__ENVELOPE__BODY_QUEUE_USER_LIST &&
             *reply->queue_user_list->next != '\0')
        html_add(html, "<p class=\"foot\">creel queue users lists further users.</p>");
    else if (table->count == 0)
        html_add(html, "<p class=\"note\">No user has an application here.</p>");
    html_add(html, "</section>\n");
    page_send(table->page);
}

static void handle_users(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__QueueUserList *list =
        reply->body_case == CREEL__ENVELOPE__BODY_QUEUE_USER_LIST ? reply->queue_user_list : NULL;
    struct user_table *table = context;

    (void)exchange;
    for (size_t i = 0; list != NULL && i < list->n_users; i++) {
        if (table->count++ == 0)
            html_add(&table->page->html,
                     "<table class=\"cards\"><thead><tr><th scope=\"col\">User</th><th scope=\"col\">Use</th>"
                     "<th scope=\"col\">Has</th><th scope=\"col\">May have</th>"
                     "<th scope=\"col\" class=\"n\">Running</th>"
                     "<th scope=\"col\" class=\"n\">Waiting</th></tr></thead><tbody>");
        add_user(table->page, list->users[i]);
    }
    if (list != NULL && *list->next != '\0' && ++table->replies < USER_REPLIES_MAX)
        ask_users(table, list->next);
    else
        end_users(table, reply);
}

static void ask_users(struct user_table *table, const char *after)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListQueueUsers body = CREEL__LIST_QUEUE_USERS__INIT;

    body.queue = (char *)(uintptr_t)table->path;
    body.after = (char *)(uintptr_t)after;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_QUEUE_USERS;
    query.list_queue_users = &body;
    exchange_ask(table->page->exchange, &query, handle_users, table);
}

static void add_users(struct page *page, const char *path)
{
    struct user_table *table = arena_new0(page->arena, struct user_table);

    *table = (struct user_table){ .page = page, .path = path };
    html_add(&page->html, "<section id=\"users\" class=\"live\"><h2>Users</h2>");
    ask_users(table, "");
}

static void add_explanation(struct page *page, const Creel__QueueReport *queue)
{
    struct html *html = &page->html;

    if (queue->n_explanation > 0) {
        html_add(html,
                 "<section id=\"explanation\" class=\"live\"><h2>How these figures came about</h2><ul>");
        for (size_t i = 0; i < queue->n_explanation; i++)
            html_add(html, "<li>%s</li>", queue->explanation[i]);
        html_add(html, "</ul></section>\n");
    }
    if (queue->n_next > 0) {
        html_add(html, "<section id=\"order\" class=\"live\"><h2>Order of service</h2><ol>");
        for (size_t i = 0; i < queue->n_next; i++) {
            html_add(html, "<li>");
            if (queue->leaf)
                page_app_link(page, queue->next[i]);
            else
                page_queue_link(page, arena_printf(page->arena, "%s.%s", queue->path, queue->next[i]));
            html_add(html, "</li>");
        }
        html_add(html, "</ol></section>\n");
    }
}

static void add_queue(struct page *page, const Creel__QueueReport *queue)
{
    html_add(&page->html, "<section id=\"queue\" class=\"live\">");
    queue_bar(page, queue);
    html_add(&page->html,
             "<p class=\"foot\"><a href=\"/cluster/apps?queue=%s\">%s running, %s waiting applications"
             "</a> · "
             "<a href=\"/cluster/scheduler?of=%s\">queues below</a> · "
             "<a href=\"/cluster/events?queue=%s\">events</a></p>",
             html_url(page->arena, queue->path), page_text_count(page->arena, queue->apps_running),
             page_text_count(page->arena, queue->apps_pending), html_url(page->arena, queue->path),
             html_url(page->arena, queue->path));
    add_settings(page, queue);
    html_add(&page->html, "</section>\n");
    add_explanation(page, queue);
}

/* Shows the reply rather than the copy: limits that depend on other queues may be two minutes old
 * there. */
static void handle_queue(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct page *page = context;
    const char *path = exchange_capture(exchange, 0);
    bool found = reply->body_case == CREEL__ENVELOPE__BODY_QUEUE_LIST && reply->queue_list->n_queues > 0;
    const Creel__QueueReport *queue =
        found ? reply->queue_list->queues[0] : web_model_queue(page->model, path);

    if (queue != NULL)
        add_queue(page, queue);
    if (!found)
        html_add(&page->html,
                 "<p class=\"note\">The resource manager did not answer: %s. Limits may be two minutes old."
                 "</p>",
                 reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? reply->error->message : "no answer");
    add_users(page, path);
}

void page_queue(struct exchange *exchange)
{
    struct page *page = arena_new0(exchange_arena(exchange), struct page);
    const struct web_view *view = exchange_application(exchange);
    const char *path = exchange_capture(exchange, 0);
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListQueues body = CREEL__LIST_QUEUES__INIT;

    if (web_model_is_complete(view->model) && web_model_queue(view->model, path) == NULL) {
        exchange_refuse(exchange, 404, arena_printf(exchange_arena(exchange), "There is no queue %s.", path));
        return;
    }
    if (!page_begin_watching(page, exchange, MENU_SCHEDULER, path, "queues"))
        return;
    body.queue = (char *)(uintptr_t)path;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_QUEUES;
    query.list_queues = &body;
    exchange_ask(exchange, &query, handle_queue, page);
}

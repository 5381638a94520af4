/* SPDX-License-Identifier: Apache-2.0 */
/* apps.c - /cluster/apps: filtered, sorted and paged by the model */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "web/page/frame.h"
#include "web/page/list.h"
#include "web/page/pages.h"
#include "web/page/page_text.h"

#define FILTER_VALUES_MAX 8 /* values of one repeated parameter */

static const struct list_column columns[] = {
    { "age", "Application", "ID, Name", WEB_APP_BY_AGE, false, false },
    { "name", "name", NULL, WEB_APP_BY_NAME, false, true },
    { "user", "User", "User", WEB_APP_BY_USER, false, false },
    { "queue", "Queue", "Queue", WEB_APP_BY_QUEUE, false, false },
    { "state", "State", "State, FinalStatus", WEB_APP_BY_STATE, false, false },
    { "containers", "Containers", "Running Containers", WEB_APP_BY_CONTAINERS, true, false },
    { "memory", "Memory", "Allocated Memory MB", WEB_APP_BY_MEMORY, true, false },
    { "vcores", "Vcores", "Allocated CPU VCores", WEB_APP_BY_VCORES, true, false },
    { NULL, "Age", "since StartTime", 0, true, false },
    { NULL, "Reason", "why it waits", 0, false, false },
    { "wait", "longest wait", NULL, WEB_APP_BY_WAIT, true, true },
};
#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

struct state_choice {
    const char *name, *word;
    uint32_t states;
};

#define STATE(state) (1u << CREEL__APP_STATE__APP_##state)

static const struct state_choice choices[] = {
    { "", "not ended", STATE(NEW) | STATE(NEW_SAVING) | STATE(SUBMITTED) | STATE(ACCEPTED) | STATE(RUNNING) },
    { "ACCEPTED", "waiting", STATE(NEW) | STATE(NEW_SAVING) | STATE(SUBMITTED) | STATE(ACCEPTED) },
    { "RUNNING", "running", STATE(RUNNING) },
    { "FINISHED", "finished", STATE(FINISHED) },
    { "FAILED", "failed", STATE(FAILED) },
    { "KILLED", "killed", STATE(KILLED) },
    { "ALL", "all", 0 },
    { "NEW", NULL, STATE(NEW) },
    { "NEW_SAVING", NULL, STATE(NEW_SAVING) },
    { "SUBMITTED", NULL, STATE(SUBMITTED) },
};
#define CHOICE_COUNT (sizeof(choices) / sizeof(*choices))

/* --- the filter -------------------------------------------------------------- */

static const char *parameter(struct exchange *exchange, const char *name)
{
    const char *value = exchange_parameter(exchange, name, 0);

    return value != NULL && *value != '\0' ? value : NULL;
}

static size_t values(struct exchange *exchange, const char *name, const char *const **ret)
{
    const char **list = arena_array0(exchange_arena(exchange), FILTER_VALUES_MAX, sizeof(*list));
    size_t count = 0;

    for (size_t i = 0; i < FILTER_VALUES_MAX && exchange_parameter(exchange, name, i) != NULL; i++)
        if (*exchange_parameter(exchange, name, i) != '\0')
            list[count++] = exchange_parameter(exchange, name, i);
    *ret = list;
    return count;
}

/* Returns the states in all parameters "state" as bits; 0: no filter. Without a parameter, returns the states
 * of applications that have not ended. An unknown state means no filter. */
static uint32_t read_states(struct exchange *exchange)
{
    uint32_t states = 0;
    const char *wanted;

    for (size_t i = 0; (wanted = exchange_parameter(exchange, "state", i)) != NULL; i++) {
        size_t c = 0;

        while (c < CHOICE_COUNT && strcasecmp(choices[c].name, wanted) != 0)
            c++;
        if (c == CHOICE_COUNT || choices[c].states == 0)
            return 0;
        states |= choices[c].states;
    }
    return states != 0 ? states : choices[0].states;
}

static void read_filter(struct exchange *exchange, struct web_app_filter *ret)
{
    *ret = (struct web_app_filter){
        .states = read_states(exchange),
        .queue = parameter(exchange, "queue"),
        .name = parameter(exchange, "name"),
        .reason_code = parameter(exchange, "reason"),
    };
    ret->user_count = values(exchange, "user", &ret->users);
    ret->type_count = values(exchange, "type", &ret->types);
    ret->tag_count = values(exchange, "tag", &ret->tags);
}

static size_t count_states(const size_t counts[WEB_APP_STATES], uint32_t states)
{
    size_t count = 0;

    for (size_t i = 0; i < WEB_APP_STATES; i++)
        if (states == 0 || (states & 1u << i) != 0)
            count += counts[i];
    return count;
}

static void add_chips(struct page *page, const struct web_app_filter *filter)
{
    struct html *html = &page->html;
    size_t counts[WEB_APP_STATES];

    web_model_count_states(page->model, filter, counts);
    html_add(html, "<nav class=\"chips\" aria-label=\"State\">");
    for (size_t i = 0; i < CHOICE_COUNT && choices[i].word != NULL; i++) {
        html_add(html, "<a href=\"%s\"",
                 list_target(page, "state", *choices[i].name != '\0' ? choices[i].name : NULL));
        if (choices[i].states == filter->states)
            html_add(html, " aria-current=\"true\"");
        html_add(html, ">%s <b>%s</b></a>", choices[i].word,
                 page_text_count(page->arena, count_states(counts, choices[i].states)));
    }
    html_add(html, "</nav>");
}

static void add_field(struct page *page, const char *name, const char *title)
{
    const char *value = exchange_parameter(page->exchange, name, 0);

    html_add(&page->html, "<label>%s <input name=\"%s\" value=\"%s\"></label>", title, name,
             value ? value : "");
}

static void add_form(struct page *page)
{
    static const char *const kept[] = { "state", "sort", "n" };
    struct html *html = &page->html;

    html_add(html, "<form class=\"filter\" action=\"/cluster/apps\">");
    for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
        if (parameter(page->exchange, kept[i]) != NULL)
            html_add(html, "<input type=\"hidden\" name=\"%s\" value=\"%s\">", kept[i],
                     parameter(page->exchange, kept[i]));
    add_field(page, "name", "Name");
    add_field(page, "user", "User");
    add_field(page, "queue", "Queue");
    add_field(page, "reason", "Reason");
    html_add(html, "<button>Filter</button> <a href=\"/cluster/apps\">clear</a></form>\n");
}

/* --- the table -------------------------------------------------------------- */

static void add_state(struct page *page, const Creel__AppReport *app)
{
    page_badge(page, page_text_app_class(app), page_text_app_state(app->state));
    if (app->state == CREEL__APP_STATE__APP_FINISHED &&
        app->final_status != CREEL__FINAL_STATUS__FINAL_SUCCEEDED)
        html_add(&page->html, " <small>%s</small>", page_text_final_status(app->final_status));
}

static void add_amounts(struct page *page, const Creel__AppReport *app)
{
    int64_t mb = page_text_mb(app->allocated), vcores = page_text_vcores(app->allocated);
    struct html *html = &page->html;

    html_add(html, "<td class=n>%s", page_text_count(page->arena, app->running_containers));
    if (app->pending_containers > 0)
        html_add(html, "<small title=\"requested, not yet allocated\"> +%s</small>",
                 page_text_count(page->arena, app->pending_containers));
    if (mb < 1024) /* its text is the whole number already */
        html_add(html, "<td class=n>%s", page_text_memory(page->arena, mb));
    else
        html_add(html, "<td class=n title=\"%" PRId64 " MiB\">%s", mb, page_text_memory(page->arena, mb));
    html_add(html, "<td class=n>%s", page_text_count(page->arena, vcores > 0 ? (uint64_t)vcores : 0));
}

/* A page of 100 rows has at most 60 kB: rows have no end tags, which HTML allows, and the labels of cells on
 * narrow screens are in the style sheet (".apps"). An empty cell is hidden there: nothing may follow the last
 * cell. */
static void add_row(struct page *page, const Creel__AppReport *app)
{
    struct html *html = &page->html;

    html_add(html, "<tr><td>");
    page_app_link(page, app->app_id);
    html_add(html, "<div class=sub><bdi>%s</bdi></div><td>", app->name);
    page_user_link(page, app->user);
    html_add(html, "<td>");
    page_queue_link(page, app->queue);
    html_add(html, "<td>");
    add_state(page, app);
    add_amounts(page, app);
    html_add(html, "<td class=n>");
    page_ago(page, app->submitted_ms);
    html_add(html, "<td class=reason>");
    if (*app->reason_code != '\0')
        html_add(html, "<b>%s</b> %s", app->reason_code, app->reason_short);
    else if (page_text_app_is_over(app))
        html_add(html, "<span class=sub>%s</span>", app->diagnostics);
}

void page_apps(struct exchange *exchange)
{
    const Creel__AppReport **apps;
    struct web_app_filter filter;
    struct list_state list;
    struct page page;
    size_t total = 0, count;

    if (!page_begin(&page, exchange, MENU_APPS, "Applications", true))
        return;
    read_filter(exchange, &filter);
    list_read(&list, exchange, columns, COLUMN_COUNT, "-age");
    apps = arena_array0(page.arena, list.limit + 1, sizeof(*apps));
    count =
        web_model_list_apps(page.model, &filter, (enum web_app_order)list.column->order,
                            &(struct web_page){ list.descending, list.after, list.limit + 1 }, apps, &total);

    html_add(&page.html, "<section id=\"apps\" class=\"live\">");
    add_chips(&page, &filter);
    html_add(&page.html, "</section>");
    add_form(&page);
    html_add(&page.html, "<section id=\"rows\" class=\"live wide\"><table class=\"cards apps\">"
                         "<caption class=\"hidden\">Applications</caption>");
    list_head(&page, &list, columns, COLUMN_COUNT);
    html_add(&page.html, "<tbody>");
    for (size_t i = 0; i < count && i < list.limit; i++)
        add_row(&page, apps[i]);
    html_add(&page.html, "</tbody></table>");
    if (count == 0)
        html_add(&page.html, "<p class=\"note\">No application fits.</p>");
    list_foot(&page, &list, count < list.limit ? count : list.limit, total,
              count > list.limit ? apps[list.limit - 1]->app_id : NULL, "application", "applications");
    html_add(&page.html, "</section>\n");
    page_send(&page);
}

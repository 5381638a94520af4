/* SPDX-License-Identifier: Apache-2.0 */
/* apps.c - /cluster/apps: filtered, sorted and paged by the model */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "web/page/app_fields.h"
#include "web/page/frame.h"
#include "web/page/list.h"
#include "web/page/list_csv.h"
#include "web/page/pages.h"
#include "web/page/page_text.h"
#include "yarn/app.h"
#include "yarn/resource.h"

#define FILTER_VALUES_MAX 8 /* values of one repeated parameter */

struct state_choice {
    const char *name, *word;
    uint32_t states;
};

#define STATE(state) (1u << CREEL__APP_STATE__APP_##state)
#define WAITING (STATE(NEW) | STATE(NEW_SAVING) | STATE(SUBMITTED) | STATE(ACCEPTED))
#define NAME(state) #state

/* The chips. The parameter "state" may also be the name of another state. */
static const struct state_choice choices[] = {
    { "", "not ended", WAITING | STATE(RUNNING) },
    { NAME(ACCEPTED), "waiting", WAITING },
    { NAME(RUNNING), "running", STATE(RUNNING) },
    { NAME(FINISHED), "finished", STATE(FINISHED) },
    { NAME(FAILED), "failed", STATE(FAILED) },
    { NAME(KILLED), "killed", STATE(KILLED) },
    { "ALL", "all", 0 },
};
#define CHOICE_COUNT (sizeof(choices) / sizeof(*choices))

/* --- the filter -------------------------------------------------------------- */

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
    Creel__AppState state;
    uint32_t states = 0;
    const char *wanted;

    for (size_t i = 0; (wanted = exchange_parameter(exchange, "state", i)) != NULL; i++) {
        size_t c = 0;

        while (c < CHOICE_COUNT && strcasecmp(choices[c].name, wanted) != 0)
            c++;
        if (c < CHOICE_COUNT && choices[c].states != 0)
            states |= choices[c].states;
        else if (c == CHOICE_COUNT && yarn_app_state_parse(wanted, &state))
            states |= 1u << state;
        else
            return 0;
    }
    return states != 0 ? states : choices[0].states;
}

static void read_filter(struct exchange *exchange, struct web_app_filter *ret)
{
    *ret = (struct web_app_filter){
        .states = read_states(exchange),
        .queue = list_parameter(exchange, "queue"),
        .name = list_parameter(exchange, "name"),
        .reason_code = list_parameter(exchange, "reason"),
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
    size_t counts[WEB_APP_STATES];

    web_model_count_states(page->model, filter, counts);
    list_chips_begin(page, "State");
    for (size_t i = 0; i < CHOICE_COUNT; i++)
        list_chip(page, &(struct list_chip){
                            .name = "state",
                            .value = choices[i].name,
                            .word = choices[i].word,
                            .count = page_text_count(page->arena, count_states(counts, choices[i].states)),
                            .chosen = choices[i].states == filter->states,
                        });
    list_chips_end(page);
}

static void add_form(struct page *page)
{
    static const struct list_input inputs[] = {
        { "name", "Name" },
        { "user", "User" },
        { "queue", "Queue" },
        { "reason", "Reason" },
    };

    list_filter_form(page, "/cluster/apps", "", inputs, sizeof(inputs) / sizeof(*inputs));
}

/* --- the table -------------------------------------------------------------- */

struct row {
    const Creel__AppReport *app;
    bool labelled; /* the columns are chosen, so that the style sheet does not know the labels of cells */
};

/* A page of 100 rows has at most 60 kB: cells have no end tags, which HTML allows, and the labels of the
 * usual cells on narrow screens are in the style sheet (".apps"). */
static void open_cell(struct page *page, const struct row *row, const char *label, const char *class_name)
{
    html_add(&page->html, "<td");
    if (*class_name != '\0')
        html_add(&page->html, " class=%s", class_name);
    if (row->labelled)
        html_add(&page->html, " data-label=\"%s\"", label);
    html_add(&page->html, ">");
}

static void cell_app(struct page *page, const void *context)
{
    const struct row *row = context;

    open_cell(page, row, "Application", "");
    page_app_link(page, row->app->app_id);
    html_add(&page->html, "<div class=sub><bdi>%s</bdi></div>", row->app->name);
}

static void cell_user(struct page *page, const void *context)
{
    const struct row *row = context;

    open_cell(page, row, "User", "");
    page_user_link(page, row->app->user);
}

static void cell_queue(struct page *page, const void *context)
{
    const struct row *row = context;

    open_cell(page, row, "Queue", "");
    page_queue_link(page, row->app->queue);
}

static void cell_state(struct page *page, const void *context)
{
    const struct row *row = context;
    const Creel__AppReport *app = row->app;

    open_cell(page, row, "State", "");
    page_badge(page, page_text_app_class(app), yarn_app_state(app->state));
    if (app->state == CREEL__APP_STATE__APP_FINISHED &&
        app->final_status != CREEL__FINAL_STATUS__FINAL_SUCCEEDED)
        html_add(&page->html, " <small>%s</small>", yarn_final_status(app->final_status));
}

static void cell_containers(struct page *page, const void *context)
{
    const struct row *row = context;

    open_cell(page, row, "Containers", "n");
    html_add(&page->html, "%s", page_text_count(page->arena, row->app->running_containers));
    if (row->app->pending_containers > 0)
        html_add(&page->html, "<small title=\"requested, not yet allocated\"> +%s</small>",
                 page_text_count(page->arena, row->app->pending_containers));
}

static void cell_memory(struct page *page, const void *context)
{
    const struct row *row = context;
    int64_t mb = yarn_memory_mb(row->app->allocated);

    open_cell(page, row, "Memory", "n");
    if (mb < 1024) /* its text is the whole number already */
        html_add(&page->html, "%s", page_text_memory(page->arena, mb));
    else
        html_add(&page->html, "<span title=\"%" PRId64 " MiB\">%s</span>", mb,
                 page_text_memory(page->arena, mb));
}

static void add_number(struct page *page, const struct row *row, const char *label, int64_t number)
{
    open_cell(page, row, label, "n");
    html_add(&page->html, "%s", page_text_count(page->arena, number > 0 ? (uint64_t)number : 0));
}

static void cell_vcores(struct page *page, const void *context)
{
    const struct row *row = context;

    add_number(page, row, "Vcores", yarn_vcores(row->app->allocated));
}

static void cell_age(struct page *page, const void *context)
{
    const struct row *row = context;

    open_cell(page, row, "Age", "n");
    page_ago(page, row->app->submitted_ms);
}

static void cell_reason(struct page *page, const void *context)
{
    const struct row *row = context;
    const Creel__AppReport *app = row->app;

    open_cell(page, row, "Reason", "reason");
    if (*app->reason_code != '\0')
        html_add(&page->html, "<b>%s</b> %s", app->reason_code, app->reason_short);
    else if (yarn_app_is_over(app->state))
        html_add(&page->html, "<span class=sub>%s</span>", page_text_app_end(page->arena, app));
    else if (app->array != NULL && *app->array != '\0')
        html_add(&page->html, "%s", app->reason_short);
}

static void cell_type(struct page *page, const void *context)
{
    const struct row *row = context;

    open_cell(page, row, "Type", "");
    html_add(&page->html, "<bdi>%s</bdi>", row->app->type);
}

static void cell_tags(struct page *page, const void *context)
{
    const struct row *row = context;

    open_cell(page, row, "Tags", "");
    for (size_t i = 0; i < row->app->n_tags; i++)
        html_add(&page->html, "%s<bdi>%s</bdi>", i > 0 ? ", " : "", row->app->tags[i]);
}

static void cell_priority(struct page *page, const void *context)
{
    const struct row *row = context;

    open_cell(page, row, "Priority", "n");
    html_add(&page->html, "%d", row->app->priority);
}

static void cell_label(struct page *page, const void *context)
{
    const struct row *row = context;

    open_cell(page, row, "Label", "");
    html_add(&page->html, "<bdi>%s</bdi>", row->app->label);
}

static void add_time(struct page *page, const struct row *row, const char *label, int64_t ms)
{
    open_cell(page, row, label, "n");
    page_ago(page, ms);
    html_add(&page->html, "%s", ms != 0 ? " ago" : "");
}

static void cell_started(struct page *page, const void *context)
{
    const struct row *row = context;

    add_time(page, row, "Started", row->app->started_ms);
}

static void cell_finished(struct page *page, const void *context)
{
    const struct row *row = context;

    add_time(page, row, "Finished", row->app->finished_ms);
}

static void cell_final(struct page *page, const void *context)
{
    const struct row *row = context;

    open_cell(page, row, "Final status", "");
    html_add(&page->html, "%s", yarn_final_status(row->app->final_status));
}

static void cell_memory_seconds(struct page *page, const void *context)
{
    const struct row *row = context;

    open_cell(page, row, "GiB-hours", "n");
    html_add(&page->html, "%.1f", (double)row->app->memory_mb_seconds / 1024 / 3600);
}

static void cell_vcore_seconds(struct page *page, const void *context)
{
    const struct row *row = context;

    open_cell(page, row, "Vcore-hours", "n");
    html_add(&page->html, "%.1f", (double)row->app->vcore_seconds / 3600);
}

static void cell_preempted(struct page *page, const void *context)
{
    const struct row *row = context;

    add_number(page, row, "Preempted", row->app->preempted_containers);
}

static const struct list_column columns[] = {
    { LIST_SORT("age", WEB_APP_BY_AGE), LIST_TITLE("Application", "ID, Name"), LIST_CELL("app", cell_app) },
    { LIST_SORT("name", WEB_APP_BY_NAME), LIST_TITLE("name", NULL), .beside = true },
    { LIST_SORT("user", WEB_APP_BY_USER), LIST_TITLE("User", "User"), LIST_CELL("user", cell_user) },
    { LIST_SORT("queue", WEB_APP_BY_QUEUE), LIST_TITLE("Queue", "Queue"), LIST_CELL("queue", cell_queue) },
    { LIST_SORT("state", WEB_APP_BY_STATE), LIST_TITLE("State", "State, FinalStatus"),
      LIST_CELL("state", cell_state) },
    { LIST_SORT("containers", WEB_APP_BY_CONTAINERS), LIST_TITLE("Containers", "Running Containers"),
      .number = true, LIST_CELL("containers", cell_containers) },
    { LIST_SORT("memory", WEB_APP_BY_MEMORY), LIST_TITLE("Memory", "Allocated Memory MB"), .number = true,
      LIST_CELL("memory", cell_memory) },
    { LIST_SORT("vcores", WEB_APP_BY_VCORES), LIST_TITLE("Vcores", "Allocated CPU VCores"), .number = true,
      LIST_CELL("vcores", cell_vcores) },
    { LIST_TITLE("Age", "since StartTime"), .number = true, LIST_CELL("age", cell_age) },
    { LIST_TITLE("Type", "Application Type"), LIST_CELL("type", cell_type), .further = true },
    { LIST_TITLE("Tags", "Application Tags"), LIST_CELL("tags", cell_tags), .further = true },
    { LIST_SORT("priority", WEB_APP_BY_PRIORITY), LIST_TITLE("Priority", "Application Priority"),
      .number = true, LIST_CELL("priority", cell_priority), .further = true },
    { LIST_TITLE("Label", "appNodeLabelExpression"), LIST_CELL("label", cell_label), .further = true },
    { LIST_TITLE("Started", "LaunchTime"), .number = true, LIST_CELL("started", cell_started),
      .further = true },
    { LIST_TITLE("Finished", "FinishTime"), .number = true, LIST_CELL("finished", cell_finished),
      .further = true },
    { LIST_TITLE("Final status", "FinalStatus"), LIST_CELL("final", cell_final), .further = true },
    { LIST_TITLE("GiB-hours", "memorySeconds"), .number = true, LIST_CELL("gib-hours", cell_memory_seconds),
      .further = true },
    { LIST_TITLE("Vcore-hours", "vcoreSeconds"), .number = true, LIST_CELL("vcore-hours", cell_vcore_seconds),
      .further = true },
    { LIST_TITLE("Preempted", "numNonAMContainerPreempted"), .number = true,
      LIST_CELL("preempted", cell_preempted), .further = true },
    { LIST_TITLE("Reason", "why it waits"), LIST_CELL("reason", cell_reason) },
    { LIST_SORT("wait", WEB_APP_BY_WAIT), LIST_TITLE("longest wait", NULL), .number = true, .beside = true },
};
#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

/* --- CSV -------------------------------------------------------------------- */

struct csv_list {
    const struct web_model *model;
    struct web_app_filter filter;
    struct list_state list;
};

static size_t read_apps(void *context, const char *after, const void **rows, size_t limit)
{
    const struct csv_list *csv = context;
    size_t total;

    return web_model_list_apps(csv->model, &csv->filter, (enum web_app_order)csv->list.column->order,
                               &(struct web_page){ csv->list.descending, after, limit },
                               (const Creel__AppReport **)rows, &total);
}

static const char *key_of_app(void *context, const void *row)
{
    (void)context;
    return ((const Creel__AppReport *)row)->app_id;
}

static bool app_exists(void *context, const char *key)
{
    return web_model_app(((const struct csv_list *)context)->model, key) != NULL;
}

static void send_csv(const struct page *page, const struct web_app_filter *filter,
                     const struct list_state *list)
{
    struct csv_list *csv = arena_new0(page->arena, struct csv_list);

    *csv = (struct csv_list){ page->model, *filter, *list };
    list_csv_answer_source(page->exchange, &app_fields,
                           &(struct list_source){ read_apps, key_of_app, app_exists, csv });
}

/* --- the page --------------------------------------------------------------- */

static void add_table(struct page *page, const struct list_state *list, const Creel__AppReport *const *apps,
                      size_t count, size_t total)
{
    html_add(&page->html,
             "<section id=\"rows\" class=\"live wide\"><table class=\"cards%s\">"
             "<caption class=\"hidden\">Applications</caption>",
             list->chosen ? "" : " apps");
    list_head(page, list, columns, COLUMN_COUNT);
    html_add(&page->html, "<tbody>");
    for (size_t i = 0; i < count && i < list->limit; i++)
        list_row(page, list, columns, COLUMN_COUNT, &(struct row){ apps[i], list->chosen });
    html_add(&page->html, "</tbody></table>");
    if (count == 0)
        html_add(&page->html, "<p class=\"note\">No application fits.</p>");
    list_foot(page, list, count < list->limit ? count : list->limit, total,
              count > list->limit ? apps[list->limit - 1]->app_id : NULL, "application", "applications");
    html_add(&page->html, "</section>\n");
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
    if (!list_choose_columns(&list, exchange, columns, COLUMN_COUNT))
        return;
    if (list_csv_is_wanted(exchange)) {
        send_csv(&page, &filter, &list);
        return;
    }
    apps = arena_array0(page.arena, list.limit + 1, sizeof(*apps));
    count =
        web_model_list_apps(page.model, &filter, (enum web_app_order)list.column->order,
                            &(struct web_page){ list.descending, list.after, list.limit + 1 }, apps, &total);

    html_add(&page.html, "<section id=\"apps\" class=\"live\">");
    add_chips(&page, &filter);
    html_add(&page.html, "</section>");
    add_form(&page);
    add_table(&page, &list, apps, count, total);
    list_columns_form(&page, &list, columns, COLUMN_COUNT, "/cluster/apps");
    page_send(&page);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* usage.c - /cluster/history/usage: sums of ended applications by time, queue or user, with charts */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/record/history_sum.h"
#include "web/page/chart.h"
#include "web/page/frame.h"
#include "web/page/history.h"
#include "web/page/list.h"
#include "web/page/list_csv.h"
#include "web/page/page_text.h"
#include "web/page/pages.h"

#define PATH "/cluster/history/usage"
#define HOUR_MS INT64_C(3600000)
#define DAY_MS (24 * HOUR_MS)
#define HOURS_MAX 72     /* a longer time is shown by day */
#define COLUMNS_MAX 400  /* columns of a chart */
#define GROUPS_MAX 20000 /* groups that are read */

enum order { BY_GROUP, BY_JOBS, BY_FAILED, BY_VCORES, BY_MEMORY, BY_WAIT };

struct group {
    const char *name; /* a user, a queue, or the time */
    int64_t begin_ms; /* by time: begin of the hour or day */
    Creel__JobHistorySum sum;
};

struct usage_page {
    struct page page;
    struct history_filter filter;
    struct list_state list;
    Creel__HistoryGroup by;
    const char *by_name; /* "hour", "queue", "user" */
    int64_t step_ms;     /* by time: an hour or a day */
    struct group *groups;
    size_t count, capacity;
    size_t read; /* groups of the resource manager */
    const char *warning;
};

/* --- groups ---------------------------------------------------------------------- */

static struct group *add_group(struct usage_page *usage)
{
    struct arena *arena = usage->page.arena;

    if (usage->count == usage->capacity) {
        size_t capacity = usage->capacity > 0 ? 2 * usage->capacity : 64;
        struct group *groups = arena_array0(arena, capacity, sizeof(*groups));

        if (usage->count > 0)
            memcpy(groups, usage->groups, usage->count * sizeof(*groups));
        usage->groups = groups;
        usage->capacity = capacity;
    }
    usage->groups[usage->count] = (struct group){ .name = "", .sum = CREEL__JOB_HISTORY_SUM__INIT };
    return &usage->groups[usage->count++];
}

/* Returns "2026-11-25", or for an hour "2026-11-25 06:00". */
static const char *time_text(const struct usage_page *usage, int64_t ms)
{
    return arena_printf(usage->page.arena, "%.*s", usage->step_ms == DAY_MS ? 10 : 16,
                        page_text_time(usage->page.arena, ms));
}

/* Hours of a day are neighbours, as the sums come in the order of time. */
static void add_to_group(struct usage_page *usage, const Creel__JobHistorySum *sum)
{
    struct group *last = usage->count > 0 ? &usage->groups[usage->count - 1] : NULL;
    int64_t begin_ms = 0;

    if (usage->by == CREEL__HISTORY_GROUP__HISTORY_BY_HOUR) {
        if (!text_parse_int64(sum->group, &begin_ms))
            return;
        begin_ms -= begin_ms % usage->step_ms;
        if (last == NULL || last->begin_ms != begin_ms) {
            last = add_group(usage);
            last->begin_ms = begin_ms;
            last->name = time_text(usage, begin_ms);
        }
    } else {
        last = add_group(usage);
        last->name = arena_strdup(usage->page.arena, sum->group);
    }
    HISTORY_SUM_ADD(&last->sum, sum);
}

static double vcore_hours(const Creel__JobHistorySum *sum)
{
    return (double)sum->vcore_seconds / 3600;
}

static double cpu_hours(const Creel__JobHistorySum *sum)
{
    return (double)sum->cpu_time_us / 1e6 / 3600;
}

static double gib_hours(const Creel__JobHistorySum *sum)
{
    return (double)sum->memory_mb_seconds / 1024 / 3600;
}

static double used_gib_hours(const Creel__JobHistorySum *sum)
{
    return (double)sum->memory_used_mb_seconds / 1024 / 3600;
}

static int64_t average_wait_ms(const Creel__JobHistorySum *sum)
{
    return sum->jobs > 0 ? (int64_t)(sum->waited_ms / sum->jobs) : 0;
}

/* --- the charts -------------------------------------------------------------------- */

typedef double hours_fn(const Creel__JobHistorySum *sum);

static double highest(const struct usage_page *usage, hours_fn *hours, hours_fn *used)
{
    double most = 0;

    for (size_t i = 0; i < usage->count; i++) {
        const Creel__JobHistorySum *sum = &usage->groups[i].sum;

        most = hours(sum) > most ? hours(sum) : most;
        most = used(sum) > most ? used(sum) : most;
    }
    return most;
}

static void add_column(struct page *page, const char *class_name, size_t place, size_t places, double share)
{
    double width = (double)CHART_WIDTH / (double)places;

    if (share > 0)
        html_add(&page->html, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
                 class_name, (double)place * width, (1 - share) * CHART_HEIGHT, width > 3 ? width - 1 : width,
                 share * CHART_HEIGHT);
}

/* Draws a column for each hour or day since FROM_MS: what was allocated, and before it what was used. UNIT
 * names the amounts. */
static void add_chart(struct usage_page *usage, int64_t from_ms, const char *title, const char *unit,
                      hours_fn *hours, hours_fn *used)
{
    struct page *page = &usage->page;
    struct html *html = &page->html;
    size_t places = (size_t)((page->now_ms - from_ms) / usage->step_ms) + 1;
    const char *first = time_text(usage, from_ms);
    const char *last = time_text(usage, from_ms + (int64_t)(places - 1) * usage->step_ms);
    double most = highest(usage, hours, used);

    chart_begin(
        page, title, arena_printf(page->arena, "highest: %.1f %s", most, unit),
        arena_printf(page->arena, "%s from %s to %s, highest %.1f %s", title, first, last, most, unit),
        "The table below has each amount.");
    for (size_t i = 0; i < usage->count && most > 0; i++) {
        const struct group *group = &usage->groups[i];
        int64_t place = (group->begin_ms - from_ms) / usage->step_ms;

        if (group->begin_ms < from_ms || place >= (int64_t)places)
            continue;
        html_add(html, "<g><title>%s: %.1f %s allocated, %.1f used</title>", group->name, hours(&group->sum),
                 unit, used(&group->sum));
        add_column(page, "asked", (size_t)place, places, hours(&group->sum) / most);
        add_column(page, "used", (size_t)place, places, used(&group->sum) / most);
        html_add(html, "</g>");
    }
    chart_end(page, first, last);
}

static void add_charts(struct usage_page *usage)
{
    struct html *html = &usage->page.html;
    int64_t from_ms = usage->filter.query.since_ms, now_ms = usage->page.now_ms;

    if (usage->count == 0 || usage->by != CREEL__HISTORY_GROUP__HISTORY_BY_HOUR)
        return;
    if (from_ms < now_ms - (COLUMNS_MAX - 1) * usage->step_ms)
        from_ms = now_ms - (COLUMNS_MAX - 1) * usage->step_ms;
    from_ms -= from_ms % usage->step_ms;
    html_add(html, "<section id=\"charts\"><ul class=\"legend\"><li><i class=\"asked\"></i>allocated</li>"
                   "<li><i class=\"used\"></i>used</li></ul><div class=\"charts\">");
    add_chart(usage, from_ms, "Processors", "vcore-hours", vcore_hours, cpu_hours);
    add_chart(usage, from_ms, "Memory", "GiB-hours", gib_hours, used_gib_hours);
    html_add(
        html,
        "</div><p class=\"foot\">An application counts in the %s in which it ended, in UTC.</p></section>\n",
        usage->step_ms == DAY_MS ? "day" : "hour");
}

/* --- the table ---------------------------------------------------------------------- */

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

/* Orders groups by ORDER; equal ones by name. */
static int compare_groups(enum order order, const struct group *a, const struct group *b)
{
    int result = 0;

    switch (order) {
    case BY_GROUP:
        break;
    case BY_JOBS:
        result = compare_numbers((double)a->sum.jobs, (double)b->sum.jobs);
        break;
    case BY_FAILED:
        result = compare_numbers((double)a->sum.failed, (double)b->sum.failed);
        break;
    case BY_VCORES:
        result = compare_numbers(vcore_hours(&a->sum), vcore_hours(&b->sum));
        break;
    case BY_MEMORY:
        result = compare_numbers(gib_hours(&a->sum), gib_hours(&b->sum));
        break;
    case BY_WAIT:
        result = compare_numbers((double)average_wait_ms(&a->sum), (double)average_wait_ms(&b->sum));
        break;
    }
    return result != 0 ? result : strcmp(a->name, b->name);
}

static int compare(const void *a, const void *b, void *context)
{
    const struct list_state *list = context;
    int result = compare_groups((enum order)list->column->order, a, b);

    return list->descending ? -result : result;
}

static const char *title_of(const struct usage_page *usage)
{
    return usage->by == CREEL__HISTORY_GROUP__HISTORY_BY_HOUR    ? "Time"
           : usage->by == CREEL__HISTORY_GROUP__HISTORY_BY_QUEUE ? "Queue"
                                                                 : "User";
}

struct row {
    struct usage_page *usage;
    const struct group *group;
    double most_vcores, most_memory;
};

static void cell_group(struct page *page, const void *context)
{
    const struct row *row = context;
    const struct usage_page *usage = row->usage;

    html_add(&page->html, "<td data-label=\"%s\">", title_of(usage));
    if (usage->by == CREEL__HISTORY_GROUP__HISTORY_BY_HOUR)
        html_add(&page->html, "<time>%s</time>", row->group->name);
    else
        html_add(&page->html, "<a href=\"/cluster/history%s\"><bdi>%s</bdi></a>",
                 list_target(page, usage->by_name, row->group->name), row->group->name);
    html_add(&page->html, "</td>");
}

static const Creel__JobHistorySum *sum_of(const void *row)
{
    return &((const struct row *)row)->group->sum;
}

static void cell_jobs(struct page *page, const void *row)
{
    page_count_cell(page, "Jobs", (int64_t)sum_of(row)->jobs);
}

static void cell_succeeded(struct page *page, const void *row)
{
    page_count_cell(page, "Succeeded", (int64_t)sum_of(row)->succeeded);
}

static void cell_failed(struct page *page, const void *row)
{
    page_count_cell(page, "Failed", (int64_t)sum_of(row)->failed);
}

static void cell_killed(struct page *page, const void *row)
{
    page_count_cell(page, "Killed", (int64_t)sum_of(row)->killed);
}

static void add_hours(struct page *page, const char *label, double hours)
{
    html_add(&page->html, "<td class=\"n\" data-label=\"%s\">%.1f</td>", label, hours);
}

/* Writes the amount with a bar for its share of the largest one. */
static void add_bar(struct page *page, const char *label, double hours, double used, double most)
{
    struct html *html = &page->html;

    html_add(html, "<td class=\"n bars\" data-label=\"%s\">", label);
    html_add(html,
             "<svg class=\"bar small\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" "
             "aria-hidden=\"true\"><rect class=\"asked\" width=\"%.0f\" height=\"10\"/>"
             "<rect class=\"used\" width=\"%.0f\" height=\"10\"/></svg><small>%.1f</small></td>",
             most > 0 ? 1000 * hours / most : 0, most > 0 ? 1000 * used / most : 0, hours);
}

static void cell_vcores(struct page *page, const void *row)
{
    add_bar(page, "Vcore-hours", vcore_hours(sum_of(row)), cpu_hours(sum_of(row)),
            ((const struct row *)row)->most_vcores);
}

static void cell_cpu(struct page *page, const void *row)
{
    add_hours(page, "CPU-hours", cpu_hours(sum_of(row)));
}

static void cell_memory(struct page *page, const void *row)
{
    add_bar(page, "GiB-hours", gib_hours(sum_of(row)), used_gib_hours(sum_of(row)),
            ((const struct row *)row)->most_memory);
}

static void cell_used(struct page *page, const void *row)
{
    add_hours(page, "GiB-hours used", used_gib_hours(sum_of(row)));
}

static void cell_wait(struct page *page, const void *row)
{
    html_add(&page->html, "<td class=\"n\" data-label=\"Average wait\">%s</td>",
             page_text_duration(page->arena, average_wait_ms(sum_of(row))));
}

static const struct list_column columns[] = {
    { LIST_SORT("group", BY_GROUP), LIST_TITLE("", NULL), LIST_CELL("group", cell_group) },
    { LIST_SORT("jobs", BY_JOBS), LIST_TITLE("Jobs", "applications that ended"), .number = true,
      LIST_CELL("jobs", cell_jobs) },
    { LIST_TITLE("Succeeded", "finalStatus SUCCEEDED"), .number = true,
      LIST_CELL("succeeded", cell_succeeded) },
    { LIST_SORT("failed", BY_FAILED), LIST_TITLE("Failed", "finalStatus FAILED"), .number = true,
      LIST_CELL("failed", cell_failed) },
    { LIST_TITLE("Killed", "finalStatus KILLED"), .number = true, LIST_CELL("killed", cell_killed) },
    { LIST_SORT("vcores", BY_VCORES),
      LIST_TITLE("Vcore-hours", "vcoreSeconds: allocated vcores, summed over time"), .number = true,
      LIST_CELL("vcore-hours", cell_vcores) },
    { LIST_TITLE("CPU-hours", "processor time that was used"), .number = true,
      LIST_CELL("cpu-hours", cell_cpu) },
    { LIST_SORT("memory", BY_MEMORY),
      LIST_TITLE("GiB-hours", "memorySeconds: allocated memory, summed over time"), .number = true,
      LIST_CELL("gib-hours", cell_memory) },
    { LIST_TITLE("GiB-hours used", "peak of each container times the time that it ran"), .number = true,
      LIST_CELL("gib-hours-used", cell_used) },
    { LIST_SORT("wait", BY_WAIT), LIST_TITLE("Average wait", "from the submission to the first container"),
      .number = true, LIST_CELL("wait", cell_wait) },
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

/* --- CSV --------------------------------------------------------------------------- */

#define FIELD(id, function, value) \
    static void id(struct csv *csv, const void *row) \
    { \
        const struct group *group = row; \
        function(csv, value); \
    }

FIELD(field_group, csv_text, group->name)
FIELD(field_jobs, csv_count, (int64_t)group->sum.jobs)
FIELD(field_succeeded, csv_count, (int64_t)group->sum.succeeded)
FIELD(field_failed, csv_count, (int64_t)group->sum.failed)
FIELD(field_killed, csv_count, (int64_t)group->sum.killed)
FIELD(field_vcores, csv_number, vcore_hours(&group->sum))
FIELD(field_cpu, csv_number, cpu_hours(&group->sum))
FIELD(field_memory, csv_number, gib_hours(&group->sum))
FIELD(field_used, csv_number, used_gib_hours(&group->sum))
FIELD(field_wait, csv_count, average_wait_ms(&group->sum))

static const struct list_field fields[] = {
    { "group", field_group },          { "jobs", field_jobs },        { "succeeded", field_succeeded },
    { "failed", field_failed },        { "killed", field_killed },    { "vcore_hours", field_vcores },
    { "cpu_hours", field_cpu },        { "gib_hours", field_memory }, { "gib_hours_used", field_used },
    { "average_wait_ms", field_wait },
};

static const struct list_fields usage_fields = { "usage", fields, sizeof(fields) / sizeof(*fields) };

static const void *csv_row(void *context, size_t i)
{
    return &((struct usage_page *)context)->groups[i];
}

/* --- the page ---------------------------------------------------------------------- */

/* Sorts the groups, and returns the first group of the page. */
static size_t sort_groups(struct usage_page *usage)
{
    const char *after = usage->list.after;

    if (usage->count > 0)
        qsort_r(usage->groups, usage->count, sizeof(*usage->groups), compare, &usage->list);
    for (size_t i = 0; after != NULL && i < usage->count; i++)
        if (strcmp(usage->groups[i].name, after) == 0)
            return i + 1;
    return 0;
}

static void add_table(struct usage_page *usage)
{
    struct page *page = &usage->page;
    double most_vcores = highest(usage, vcore_hours, cpu_hours);
    double most_memory = highest(usage, gib_hours, used_gib_hours);
    size_t begin = sort_groups(usage), left = usage->count - begin;
    size_t end = begin + (left < usage->list.limit ? left : usage->list.limit);
    struct list_column shown[COLUMN_COUNT];

    memcpy(shown, columns, sizeof(shown));
    shown[0].title = title_of(usage);
    usage->list.column = &shown[usage->list.column - columns];
    html_add(&page->html, "<section id=\"rows\" class=\"wide\"><table class=\"cards\">"
                          "<caption class=\"hidden\">Usage</caption>");
    list_head(page, &usage->list, shown, COLUMN_COUNT);
    html_add(&page->html, "<tbody>");
    for (size_t i = begin; i < end; i++)
        list_row(page, &usage->list, columns, COLUMN_COUNT,
                 &(struct row){ usage, &usage->groups[i], most_vcores, most_memory });
    html_add(&page->html, "</tbody></table>");
    if (usage->count == 0)
        html_add(&page->html, "<p class=\"note\">No ended application fits.</p>");
    list_foot(page, &usage->list, end - begin, usage->count,
              end < usage->count ? usage->groups[end - 1].name : NULL, "row", "rows");
    if (usage->warning != NULL)
        html_add(&page->html, "<p class=\"note\">%s</p>", usage->warning);
    html_add(&page->html, "</section>\n");
    list_columns_form(page, &usage->list, shown, COLUMN_COUNT, PATH);
}

/* --- the questions ------------------------------------------------------------------- */

static void ask(struct usage_page *usage, const char *after);

static void handle_sums(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct usage_page *usage = context;
    const Creel__JobHistorySums *sums = reply->job_history_sums;

    if (reply->body_case != CREEL__ENVELOPE__BODY_JOB_HISTORY_SUMS) {
        if (list_csv_refuse(exchange, reply))
            return;
        html_add(&usage->page.html, "<p class=\"note\">The history cannot be read: %s.</p>",
                 reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? reply->error->message : "no answer");
        page_send(&usage->page);
        return;
    }
    for (size_t i = 0; i < sums->n_sums; i++)
        add_to_group(usage, sums->sums[i]);
    usage->read += sums->n_sums;
    if (*sums->warning != '\0')
        usage->warning = arena_strdup(usage->page.arena, sums->warning);
    if (*sums->next != '\0' && sums->n_sums > 0 && usage->read < GROUPS_MAX) {
        ask(usage, arena_strdup(usage->page.arena, sums->next));
        return;
    }
    if (*sums->next != '\0')
        usage->warning = "There are more groups than are shown; choose a shorter time or a queue.";
    if (*sums->next != '\0' && list_csv_refuse_incomplete(exchange, 400, usage->warning))
        return;
    if (list_csv_is_wanted(exchange)) {
        if (usage->warning != NULL)
            list_csv_warn(exchange, usage->warning);
        (void)sort_groups(usage);
        list_csv_answer(exchange, &usage_fields, csv_row, usage->count, usage);
        return;
    }
    add_charts(usage);
    add_table(usage);
    page_send(&usage->page);
}

static void ask(struct usage_page *usage, const char *after)
{
    Creel__SumJobHistory body = CREEL__SUM_JOB_HISTORY__INIT;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    usage->filter.query.after = (char *)(uintptr_t)after;
    usage->filter.query.tasks = true; /* as creel history usage: tasks of arrays count */
    body.filter = &usage->filter.query;
    body.by = usage->by;
    query.body_case = CREEL__ENVELOPE__BODY_SUM_JOB_HISTORY;
    query.sum_job_history = &body;
    exchange_ask(usage->page.exchange, &query, handle_sums, usage);
}

void page_usage(struct exchange *exchange)
{
    static const struct {
        const char *name;
        Creel__HistoryGroup by;
        const char *sort;
    } groups[] = {
        { "hour", CREEL__HISTORY_GROUP__HISTORY_BY_HOUR, "-group" },
        { "queue", CREEL__HISTORY_GROUP__HISTORY_BY_QUEUE, "-vcores" },
        { "user", CREEL__HISTORY_GROUP__HISTORY_BY_USER, "-vcores" },
    };
    struct usage_page *usage = arena_new0(exchange_arena(exchange), struct usage_page);
    const char *by = exchange_parameter(exchange, "by", 0);
    size_t chosen = 0;

    if (!page_begin(&usage->page, exchange, MENU_HISTORY, "Usage", false))
        return;
    for (size_t i = 0; by != NULL && i < sizeof(groups) / sizeof(*groups); i++)
        if (strcmp(groups[i].name, by) == 0)
            chosen = i;
    usage->by = groups[chosen].by;
    usage->by_name = groups[chosen].name;
    list_read(&usage->list, exchange, columns, COLUMN_COUNT, groups[chosen].sort);
    if (!list_choose_columns(&usage->list, exchange, columns, COLUMN_COUNT))
        return;
    history_add_views(&usage->page, usage->by_name);
    history_add_filter(&usage->page, PATH, "Ended in the last (7d)");
    history_read_filter(&usage->page, 7 * DAY_MS, &usage->filter);
    usage->step_ms =
        usage->page.now_ms - usage->filter.query.since_ms > HOURS_MAX * HOUR_MS ? DAY_MS : HOUR_MS;
    ask(usage, "");
}

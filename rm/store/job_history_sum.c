/* SPDX-License-Identifier: Apache-2.0 */
/* job_history_sum.c - adds up the applications in history files by user, queue or hour */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/record/history_sum.h"
#include "rm/store/job_history.h"
#include "rm/store/job_history_file.h"
#include "rm/store/job_history_reader.h"

/* The page is merged from the first LIMIT + 1 groups of each file. These are enough: a group that is among
 * the first LIMIT + 1 of all files is also among the first LIMIT + 1 of each file that has it. */
struct page {
    const struct job_history_filter *filter;
    enum job_history_group by;
    int64_t offset_ms, after_hour;
    bool has_after;
    struct job_history_sum *sums; /* in order; their texts are owned */
    size_t count;
};

/* --- SQL ------------------------------------------------------------------- */

static char *group_sql(const struct page *page)
{
    long long offset_ms = page->offset_ms;

    if (page->by == JOB_HISTORY_BY_HOUR)
        return mem_printf("(finished_ms - (%lld)) / 3600000 * 3600000 + (%lld)", offset_ms, offset_ms);
    return mem_strdup(page->by == JOB_HISTORY_BY_USER ? "user" : "queue");
}

static char *page_sql(const struct page *page)
{
    scoped_free char *group = group_sql(page);
    scoped_free char *head =
        mem_printf("SELECT %s AS in_group, count(*), total(succeeded), total(NOT succeeded AND state = %d),"
                   " total(waited_ms), total(vcore_seconds), total(memory_mb_seconds), total(cpu_time_us),"
                   " total(memory_used_mb_seconds) FROM apps WHERE ",
                   group, (int)CREEL__APP_STATE__APP_KILLED);
    scoped_free char *tail =
        mem_printf("%s%s%s GROUP BY in_group ORDER BY in_group LIMIT %zu", page->has_after ? " AND " : "",
                   page->has_after ? group : "", page->has_after ? " > ?" : "", page->filter->limit + 1);
    struct history_sql sql = { .length = 0 };

    history_sql_add(&sql, head);
    history_sql_add_filter(&sql, page->filter);
    history_sql_add(&sql, " AND ");
    history_sql_add_choice(&sql, page->filter);
    history_sql_add(&sql, tail);
    return sql.text;
}

static void bind_page(sqlite3_stmt *statement, const struct page *page)
{
    int last = history_choice_bind(statement, history_filter_bind(statement, 1, page->filter), page->filter);

    if (!page->has_after)
        return;
    if (page->by == JOB_HISTORY_BY_HOUR)
        sqlite3_bind_int64(statement, last, page->after_hour);
    else
        sqlite3_bind_text(statement, last, page->filter->after, -1, SQLITE_STATIC);
}

/* --- sums ------------------------------------------------------------------ */

static uint64_t number(sqlite3_stmt *statement, int column)
{
    double value = sqlite3_column_double(statement, column);

    return value < 0 ? 0 : value >= (double)INT64_MAX ? INT64_MAX : (uint64_t)value;
}

static struct job_history_sum sum_of_row(sqlite3_stmt *statement)
{
    const char *group = (const char *)sqlite3_column_text(statement, 0);
    struct job_history_sum sum = {
        .group = mem_strdup(group != NULL ? group : ""),
        .jobs = number(statement, 1),
        .succeeded = number(statement, 2),
        .killed = number(statement, 3),
        .waited_ms = number(statement, 4),
        .vcore_seconds = number(statement, 5),
        .memory_mb_seconds = number(statement, 6),
        .cpu_time_us = number(statement, 7),
        .memory_used_mb_seconds = number(statement, 8),
    };

    sum.failed = sum.jobs - sum.succeeded - sum.killed;
    return sum;
}

static int compare(const struct page *page, const char *a, const char *b)
{
    long long x, y;

    if (page->by != JOB_HISTORY_BY_HOUR)
        return strcmp(a, b);
    x = strtoll(a, NULL, 10);
    y = strtoll(b, NULL, 10);
    return x < y ? -1 : x > y;
}

static void drop(struct job_history_sum *sums, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(sums[i].group);
    free(sums);
}

/* Merges NEWS, which are in order, into the page, and takes ownership of them. */
static void merge(struct page *page, struct job_history_sum *news, size_t count)
{
    struct job_history_sum *merged = mem_array0(page->count + count + 1, sizeof(*merged));
    size_t a = 0, b = 0, n = 0, most = page->filter->limit + 1;

    while (a < page->count || b < count) {
        int order = a == page->count ? 1
                    : b == count     ? -1
                                     : compare(page, page->sums[a].group, news[b].group);

        if (order == 0) {
            HISTORY_SUM_ADD(&page->sums[a], &news[b]);
            free(news[b++].group);
        }
        merged[n++] = order <= 0 ? page->sums[a++] : news[b++];
    }
    free(page->sums);
    free(news);
    for (size_t i = most; i < n; i++)
        free(merged[i].group);
    page->sums = merged;
    page->count = n < most ? n : most;
}

static void read_month(struct history_reader *reader, size_t i, const char *sql, struct page *page)
{
    struct job_history_sum *sums = NULL;
    size_t count = 0, capacity = 0;
    sqlite3_stmt *statement;
    int code;

    if (!history_reader_begin(reader, i, sql, &statement))
        return;
    bind_page(statement, page);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        mem_grow(sums, count, capacity);
        sums[count++] = sum_of_row(statement);
    }
    sqlite3_finalize(statement);
    if (code == SQLITE_DONE) {
        merge(page, sums, count);
        return;
    }
    drop(sums, count);
    history_reader_mark(reader, i);
}

static int read_after(struct page *page, struct err *err)
{
    const char *after = page->filter->after;

    page->has_after = after != NULL && after[0] != '\0';
    if (page->has_after && page->by == JOB_HISTORY_BY_HOUR && !text_parse_int64(after, &page->after_hour))
        return err_set(err, EINVAL, "\"%s\" is no hour of the history", after);
    return 0;
}

int job_history_sum(const char *state_directory, const struct job_history_filter *filter,
                    enum job_history_group by, int64_t offset_ms,
                    void (*each)(void *context, const struct job_history_sum *sum), void *context, bool *more,
                    size_t *damaged, struct err *err)
{
    struct page page = { .filter = filter, .by = by, .offset_ms = offset_ms };
    scoped_free char *sql = NULL;
    struct history_reader reader;
    int r = read_after(&page, err);

    if (r < 0 || (r = history_reader_open(&reader, state_directory, err)) < 0)
        return r;
    history_reader_filter(&reader, filter);
    sql = page_sql(&page);
    for (size_t i = 0; i < reader.count; i++)
        if (history_filter_has_month(filter, reader.months[i])) {
            read_month(&reader, i, sql, &page);
            history_reader_leave(&reader, i);
        }
    *damaged = reader.damaged;
    r = history_reader_judge(&reader, err);
    history_reader_close(&reader);
    if (r < 0) {
        drop(page.sums, page.count);
        return r;
    }
    *more = page.count > filter->limit;
    for (size_t i = 0; i < page.count && i < filter->limit; i++)
        each(context, &page.sums[i]);
    drop(page.sums, page.count);
    return 0;
}

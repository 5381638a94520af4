/* SPDX-License-Identifier: Apache-2.0 */
/* container_rows.c - copies, filters and sorts containers */
#include "web/page/container_rows.h"

#include <stdlib.h>
#include <string.h>

#include "web/page/page_text.h"
#include "yarn/resource.h"

struct container_row container_row_from(struct arena *arena, const Creel__ContainerReport *report,
                                        int64_t now_ms)
{
    int64_t end_ms = report->finished_ms != 0 ? report->finished_ms : now_ms;
    struct container_row row = {
        CONTAINER_FIELDS(RECORD_CSV_COPY).exit_status = report->exit_status,
        .master = report->master,
        .memory_mb = yarn_memory_mb(report->resource),
        .vcores = yarn_vcores(report->resource),
        .cpu_time_us = report->cpu_time_us,
    };

    /* The times are of the agent's clock, which may be ahead of ours. */
    if (report->started_ms != 0 && end_ms > report->started_ms)
        row.duration_ms = end_ms - report->started_ms;
    (void)container_id_parse(report->container_id, &row.parsed);
    return row;
}

static bool has_ended(const struct container_row *row)
{
    return row->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
}

static bool has_part(const char *text, const char *part)
{
    return part == NULL || strcasestr(text, part) != NULL;
}

bool container_filter_matches(const struct container_filter *filter, const struct container_row *row)
{
    if (filter->states != 0 && (filter->states & 1u << row->state) == 0)
        return false;
    if (filter->failed && (!has_ended(row) || row->exit_status == 0))
        return false;
    if (filter->has_exit && (!has_ended(row) || row->exit_status != filter->exit_status))
        return false;
    if (!has_part(row->container_id, filter->text) && !has_part(row->title, filter->text))
        return false;
    if (!has_part(row->node_id, filter->node) || !has_part(row->app_id, filter->app))
        return false;
    if (filter->user != NULL && strcmp(filter->user, row->user) != 0)
        return false;
    return row->started_ms >= filter->started_from_ms && row->duration_ms >= filter->duration_from_ms &&
           row->memory_peak_bytes >= (uint64_t)filter->peak_from_bytes;
}

bool container_filter_is_set(const struct container_filter *filter)
{
    return filter->has_exit || filter->text != NULL || filter->node != NULL || filter->app != NULL ||
           filter->user != NULL || filter->started_from_ms > 0 || filter->duration_from_ms > 0 ||
           filter->peak_from_bytes > 0;
}

/* --- sort orders ----------------------------------------------------------------- */

struct ordering {
    enum container_order order;
    bool descending;
};

static int64_t number_of(enum container_order order, const struct container_row *row)
{
    switch (order) {
    case CONTAINER_BY_STATE:
        return row->state;
    case CONTAINER_BY_EXIT:
        return has_ended(row) ? row->exit_status : INT64_MIN;
    case CONTAINER_BY_MEMORY:
        return (int64_t)row->memory_peak_bytes;
    case CONTAINER_BY_VCORES:
        return row->vcores;
    case CONTAINER_BY_CPU:
        return (int64_t)row->cpu_time_us;
    case CONTAINER_BY_START:
        return row->started_ms != 0 ? row->started_ms : INT64_MAX;
    case CONTAINER_BY_DURATION:
        return row->duration_ms;
    default:
        return 0;
    }
}

static int compare_rows(enum container_order order, const struct container_row *a,
                        const struct container_row *b)
{
    int64_t x, y;

    switch (order) {
    case CONTAINER_BY_ID:
        return 0;
    case CONTAINER_BY_TITLE:
        return strverscmp(a->title, b->title);
    case CONTAINER_BY_NODE:
        return strcmp(a->node_id, b->node_id);
    case CONTAINER_BY_USER:
        return strcmp(a->user, b->user);
    default:
        x = number_of(order, a);
        y = number_of(order, b);
        return (x > y) - (x < y);
    }
}

static int compare(const void *a, const void *b, void *context)
{
    const struct container_row *x = a, *y = b;
    const struct ordering *ordering = context;
    int result = compare_rows(ordering->order, x, y);

    if (result == 0)
        result = container_id_compare(&x->parsed, &y->parsed);
    return ordering->descending ? -result : result;
}

void container_rows_sort(struct container_row *rows, size_t count, enum container_order order,
                         bool descending)
{
    struct ordering ordering = { order, descending };

    if (count > 1)
        qsort_r(rows, count, sizeof(*rows), compare, &ordering);
}

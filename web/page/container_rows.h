/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container_rows.h - rows of a table of containers: copies of reports, a filter, and sort orders (pure)
 *
 * All texts are in the arena that the caller passes, or belong to the caller.
 */
#ifndef CREEL_WEB_PAGE_CONTAINER_ROWS_H
#define CREEL_WEB_PAGE_CONTAINER_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/id.h"
#include "common/proto/creel.pb-c.h"
#include "common/record/container_fields.h"
#include "web/page/record_csv.h"

struct container_row {
    CONTAINER_FIELDS(RECORD_CSV_MEMBER)
    struct container_id parsed;
    int32_t exit_status; /* valid in state COMPLETE */
    bool master;         /* the first container of its attempt */
    int64_t memory_mb, vcores;
    uint64_t cpu_time_us;
    int64_t duration_ms; /* from the start to the end, or until now */
};

/* Conditions, all of which must hold. A field that is 0 or NULL is no condition. */
struct container_filter {
    uint32_t states; /* one bit for each: 1 << state */
    bool failed;     /* has ended with an exit status other than 0 */
    bool has_exit;   /* has ended with EXIT_STATUS */
    int64_t exit_status;
    const char *text, *node, *app; /* parts of the id or the title, of the node and of the application, in any
                                      case */
    const char *user;
    int64_t started_from_ms;  /* has started at this time or later */
    int64_t duration_from_ms; /* runs or ran for at least this time */
    int64_t peak_from_bytes;  /* has used at least this memory at a time */
};

/* Sort orders. Equal containers are in the order of their ids. */
enum container_order {
    CONTAINER_BY_ID,
    CONTAINER_BY_TITLE, /* numbers in titles as numbers */
    CONTAINER_BY_NODE,
    CONTAINER_BY_USER,
    CONTAINER_BY_STATE,
    CONTAINER_BY_EXIT, /* those that have not ended first */
    CONTAINER_BY_MEMORY,
    CONTAINER_BY_VCORES,
    CONTAINER_BY_CPU,
    CONTAINER_BY_START, /* those that have not started last */
    CONTAINER_BY_DURATION,
};

/* Copies what the table shows of REPORT. */
struct container_row container_row_from(struct arena *arena, const Creel__ContainerReport *report,
                                        int64_t now_ms);
bool container_filter_matches(const struct container_filter *filter, const struct container_row *row);
/* Returns whether FILTER has a condition other than that on the state. */
bool container_filter_is_set(const struct container_filter *filter);
void container_rows_sort(struct container_row *rows, size_t count, enum container_order order,
                         bool descending);

#endif

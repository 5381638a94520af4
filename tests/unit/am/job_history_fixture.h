/* SPDX-License-Identifier: Apache-2.0 */
/* job_history_fixture.h - fixture: history files in a scratch directory, written and read row by row */
#ifndef CREEL_TESTS_JOB_HISTORY_FIXTURE_H
#define CREEL_TESTS_JOB_HISTORY_FIXTURE_H

#include "rm/store/job_history.h"
#include "tests/unit/store/store_support.h"

#define NOVEMBER_MS 1795000000000 /* 2026-11-18 */
#define DAY_MS 86400000
#define YEAR_MS (365 * (int64_t)DAY_MS)
#define ROWS_MAX 300

struct history_fixture {
    char *directory;
    struct job_history *history;
    struct job_history_row rows[ROWS_MAX];
    size_t count;
    char listed[8192]; /* "1 2 3": numbers of applications in order */
    Creel__AppReport *last;
    char next[JOB_HISTORY_NEXT_MAX];
    struct job_history_sum sum; /* the last; without its group */
    bool more;
    size_t damaged;
    char *set_aside;
};

int history_set_up(void **state);
int history_tear_down(void **state);

/* Add a row, which the next call of history_write writes. */
void history_add_app(struct history_fixture *f, unsigned seq, int64_t finished_ms, const char *user,
                     const char *queue);
void history_add_task(struct history_fixture *f, unsigned seq, unsigned array, unsigned index);
/* Of user ann. */
void history_add_container(struct history_fixture *f, unsigned seq, unsigned number, int64_t finished_ms,
                           const char *node, int exit_status);
/* Writes the rows at NOVEMBER_MS and a day, or at NOW_MS. */
void history_write(struct history_fixture *f);
int history_write_at(struct history_fixture *f, int64_t now_ms, struct err *err);

/* Returns the numbers of the applications in one page, as "1 2 3", also in f->listed. */
const char *history_list(struct history_fixture *f, struct job_history_filter filter);
#define HISTORY_LIST(f, ...) history_list((f), (struct job_history_filter){ __VA_ARGS__ })

/* Returns "GROUP:JOBS/SUCCEEDED/FAILED/KILLED ..." of one page. */
const char *history_sum_page(struct history_fixture *f, enum job_history_group by, int64_t offset_ms,
                             struct job_history_filter filter);
#define HISTORY_SUM(f, by, ...) history_sum_page((f), (by), 0, (struct job_history_filter){ __VA_ARGS__ })

/* Callbacks of job_history_list and job_history_sum: add the number of REPORT, or SUM, to f->listed. */
bool history_note(void *context, Creel__AppReport *report);
void history_note_sum(void *context, const struct job_history_sum *sum);

#endif

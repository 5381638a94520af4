/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_list.h - applications as the rows of Slurm's commands
 *
 * An application is a row. An array has a row for all its tasks that wait (42_[3-9]), as in Slurm, and one
 * for each task that has begun. Rows are in order of number and index.
 */
#ifndef CREEL_SLURM_CLIENT_JOB_LIST_H
#define CREEL_SLURM_CLIENT_JOB_LIST_H

#include "client/cli/show/slurm_state.h"
#include "client/slurm-client/job_ids.h"
#include "client/slurm-client/job_users.h"
#include "client/slurm-client/tool.h"

/* struct tool.unreachable of the commands that list jobs. */
#define JOB_LIST_UNREACHABLE "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"

struct job_query { /* all zero: all applications that have not ended */
    struct job_ids ids;
    const char *const *users, *const *names, *const *queues; /* end with NULL; NULL: all */
    bool states[SLURM_STATES];
    bool states_given; /* else those that have not ended; with ALL_STATES all */
    bool all_states;
    bool each_task;             /* a row for each task that waits */
    bool launch;                /* with creel_app.launch, for job_launch.c */
    bool limits;                /* with job_row.queue_limit_s */
    bool history;               /* also what the resource manager has forgotten */
    int64_t since_ms, until_ms; /* of HISTORY: those that existed then; 0: no bound */
};

struct job_row {
    const struct creel_app *app; /* of TASKS the array */
    const struct slurm_state *state;
    uint32_t number;         /* of the array, if it is a task */
    uint32_t account_number; /* JobIDRaw of sacct: of one task of an array that of the array, else its own */
    const char *tasks;       /* indexes of tasks that wait; NULL: it is no such row */
    bool is_task;            /* has INDEX */
    uint32_t index;
    int64_t now_ms;
    struct job_users *users; /* those of the list */
    int64_t queue_limit_s;   /* lifetime of jobs in its queue; 0: no limit, or it was not requested */
    bool is_step;            /* the row of the step "batch" */
    bool measured;           /* the fields below are known */
    uint64_t memory_peak_bytes, cpu_time_us;
};

struct job_list {
    struct job_row *rows; /* owned */
    size_t count, capacity;
    struct creel_apps **replies; /* owned, with its elements: what rows refer to */
    size_t reply_count, reply_capacity;
    struct arena *arena;     /* of texts */
    struct job_users *users; /* owned: what this host knows of the owners of jobs */
};

/* Gets the rows of QUERY. Returns false after an error, which is printed. Ids that do not exist have no row;
 * MISSING (may be NULL) becomes true if none of them exists. The caller calls job_list_done in any case. */
bool job_list_get(struct tool *tool, const struct job_query *query, struct job_list *list, bool *missing);
void job_list_done(struct job_list *list);

/* Prints that no job has the number of the query, as Slurm does, without the name of the command. Returns
 * 1. */
int job_list_fail_missing(void);

/* Makes the query one without --states. */
void job_query_reset_states(struct job_query *query);
/* Reads VALUE, a list of states as "PD,RUNNING" or "all", into QUERY. Returns false after an error, which is
 * printed. */
bool job_query_read_states(const struct tool *tool, const char *value, struct job_query *query);
/* Splits VALUE at commas; the list ends with NULL. */
const char *const *job_query_split(struct arena *arena, const char *value);
/* Returns whether LIST (NULL: all) has NAME. */
bool job_query_has(const char *const *list, const char *name);

/* Returns the name of a partition: the path of a queue without "root.". */
const char *job_partition(const char *queue);

#endif

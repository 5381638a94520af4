/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_fields.h - the fields of a job in the formats of squeue and sacct
 *
 * An item is a struct job_row. What creel does not know is "(null)", "N/A" or empty, as in Slurm.
 */
#ifndef CREEL_SLURM_CLIENT_JOB_FIELDS_H
#define CREEL_SLURM_CLIENT_JOB_FIELDS_H

#include "client/slurm-client/format.h"
#include "client/slurm-client/job_list.h"

extern const struct field squeue_fields[]; /* letters of -o and names of -O */
extern const struct field sacct_fields[];  /* names of --format, and widths */

/* Fields that other commands have, too. */
field_put job_put_raw_id, job_put_name, job_put_user, job_put_user_id, job_put_account, job_put_partition,
    job_put_state, job_put_reason, job_put_priority, job_put_cpus, job_put_node_count, job_put_nodes,
    job_put_memory, job_put_dependency, job_put_command, job_put_exit, job_put_restarts, job_put_resources,
    job_put_quality, job_put_label, job_put_generic_resources, job_put_group, job_put_group_id;
/* Of row->app->launch (job_launch.c): the script with its arguments, its directory, files and size. */
field_put job_put_script, job_put_directory, job_put_out_file, job_put_err_file, job_put_in_file,
    job_put_script_tasks, job_put_script_cpus, job_put_cpus_of_task;
field_put job_put_given_account; /* without an account nothing, as sacct has it (job_launch.c) */
/* Adds WORD with a '?' for each control character of ASCII: a command makes no rows and columns. */
void job_add_visible(struct text_builder *text, const char *word);
/* Times and durations (job_times.c): [DAYS-]HH:MM:SS; SHORT without leading zeros, RAW a number. A start or
 * end is the expected one, if there is one; started and ended are "Unknown" before. */
field_put job_put_elapsed, job_put_elapsed_short, job_put_raw_elapsed, job_put_limit, job_put_limit_short,
    job_put_raw_limit, job_put_left, job_put_submitted, job_put_eligible, job_put_started, job_put_ended,
    job_put_start, job_put_end, job_put_planned, job_put_allocated_cpu, job_put_raw_allocated_cpu;
/* Figures of ended jobs, of row->measured alone. */
field_put job_put_peak, job_put_cpu_time, job_put_average;

/* Returns whether FORMAT has a time limit: then the list of the jobs needs job_query.limits. */
bool job_format_has_limit(const struct format *format);
/* Returns the number of containers of a job of tasks; else 1. */
uint32_t job_tasks(const struct creel_app *app);
/* Adds MS as a local time, "2026-11-24T14:22:47" or by SLURM_TIME_FORMAT; UNKNOWN if it is 0. */
void job_put_time(struct text_builder *text, int64_t ms, const char *unknown);
/* Returns whether SLURM_TIME_FORMAT is a format of strftime(3) or "standard". Else the error is printed. */
bool job_check_time_format(const struct tool *tool);

/* Returns the signal that a status above 128 means, or 0. */
int job_exit_signal(int status);

#endif

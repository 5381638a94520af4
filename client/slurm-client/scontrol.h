/* SPDX-License-Identifier: Apache-2.0 */
/* scontrol.h - the parts of scontrol; all functions return an exit status, and print errors */
#ifndef CREEL_SLURM_CLIENT_SCONTROL_H
#define CREEL_SLURM_CLIENT_SCONTROL_H

#include "client/slurm-client/tool.h"

enum scontrol_hosts {
    SCONTROL_HOSTNAMES, /* a line for each */
    SCONTROL_HOSTLIST,  /* "n[1-3]" */
    SCONTROL_HOSTLIST_SORTED,
};

/* LIST may be NULL: the hosts of this job. */
int scontrol_show_hosts(struct tool *tool, const char *list, enum scontrol_hosts form);

/* Print KEY=VALUE of jobs (IDS NULL: all that the resource manager remembers), nodes and partitions (NAME
 * NULL: all). ONE_LINE: a line for each. */
int scontrol_show_jobs(struct tool *tool, const char *ids, bool one_line);
int scontrol_show_nodes(struct tool *tool, const char *name, bool one_line);
int scontrol_show_partitions(struct tool *tool, const char *name, bool one_line);

/* Writes the script of the job WORDS[1], as it was submitted, to the file WORDS[2] ("-": standard output;
 * NULL: slurm-ID.sh). WORDS[0] is "batch_script". */
int scontrol_write(struct tool *tool, char *const *words);

/* Hold, release or requeue, by WORD, the jobs of LISTS: 42, 42_7, 42_[1-3], with commas; "jobname=NAME"
 * (hold, release); "Incomplete" before them (requeue, requeuehold). Returns false for another WORD. */
bool scontrol_change_jobs(struct tool *tool, const char *word, char *const *lists, int *code);

/* Changes the job, array or task ID: "42", "42_7". */
typedef int scontrol_change_fn(void *context, const char *id);
/* Calls CHANGE for each id of LISTS, which ends with NULL, also after a failure; for none if one of them is
 * not an id. */
int scontrol_change_list(struct tool *tool, char *const *lists, scontrol_change_fn *change, void *context);
/* Prints ERROR, about the job ID. */
int scontrol_job_refused(const struct tool *tool, const char *id, const struct creel_error *error);

/* Changes a job or nodes. PAIRS ends with NULL: JobId=42 TimeLimit=60; NodeName=n1 State=DRAIN Reason=X. All
 * pairs are judged before the first change. */
int scontrol_update(struct tool *tool, char *const *pairs);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel-job.h - libcreel: the description of a job
 *
 * creel.h includes this header and has the functions that submit a job. The caller sets a struct creel_job to
 * zero first; it may grow, with a new soname. The library reads it during a call only. Times are milliseconds
 * since 1970 (_ms) or numbers of seconds (_s), memory is in MiB (_mb).
 */
#ifndef CREEL_JOB_H
#define CREEL_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum creel_job_kind {
    CREEL_JOB_COMMAND = 0, /* the command is the first container */
    CREEL_JOB_TASKS = 1,   /* TASK_COUNT containers, run by the built-in master */
    CREEL_JOB_MASTER = 2,  /* the command is an application master */
};

/* Of a type that the cluster's yarn.resource-types names beside memory and vcores. */
#define CREEL_OTHERS_MAX 6
struct creel_amount {
    const char *name; /* "licence", "yarn.io/gpu" */
    int64_t amount;
    const char *unit; /* of AMOUNT: "Gi", "k"; "" or (in a job) NULL: the type's own */
};

/* A file that travels with the job and is found in the working directory. */
struct creel_file {
    const char *source; /* path on this machine */
    const char *name;   /* there; NULL: the last component of SOURCE */
    bool executable;    /* mode 0500; else 0400, or 0500 if SOURCE is executable */
};

struct creel_job {
    const char *name;  /* NULL: the command's */
    const char *queue; /* NULL: the user's default */
    const char *type;  /* NULL: "CREEL" */
    int priority;
    enum creel_job_kind kind;
    const char *const *command;     /* argv, ends with NULL; argv[0] is looked up in PATH there */
    const char *const *environment; /* "NAME=value", ends with NULL; may be NULL */
    const struct creel_file *files;
    size_t file_count;
    const char *directory;                /* run there; NULL: the container's working directory */
    int64_t memory_mb;                    /* of each container; 0: the cluster's minimum */
    int64_t vcores;                       /* 0: the cluster's minimum */
    const struct creel_amount *resources; /* and of other types, of each container */
    size_t resource_count;
    uint32_t task_count;      /* CREEL_JOB_TASKS */
    uint32_t max_attempts;    /* 0: the cluster's limit */
    int64_t master_memory_mb; /* CREEL_JOB_TASKS: of the built-in master; 0: default */
    int64_t master_vcores;
    const char *const *tags;         /* ends with NULL; may be NULL */
    const char *label;               /* partition of its containers; NULL: the queue's */
    const char *retry_on;            /* starts again after: "node,preempt,oom,exit:75"; NULL: not */
    uint32_t retries;                /* so often */
    int64_t time_limit_s;            /* killed so long after its first container's start; 0: never */
    int64_t lifetime_s;              /* killed so long after its submission; 0: the queue's default */
    const char *preempt_signal;      /* sent when it is to be preempted, as "USR1"; NULL: none. With one
                                        any end after that counts as preempted, and it runs again */
    const char *limit_signal;        /* sent ahead of the time limit: "USR1@60"; NULL: none */
    const char *umask;               /* as "027"; NULL: the agent's own */
    int nice;                        /* up to 19; below 0: for jobs of root alone; 0: the agent's own */
    const char *submit_directory;    /* without DIRECTORY: run there if the node has it; NULL: none */
    bool input;                      /* it waits for a writer to .creel-input in CREEL_SCRATCH */
    uint32_t input_task;             /* CREEL_JOB_TASKS: the task that does */
    bool name_leftovers;             /* its diagnostics name files left in CREEL_SCRATCH */
    const char *out_file, *err_file; /* of the node, with %j, %A, %a, %u, %N, %t; NULL: its logs */
    const char *open_mode;           /* of both: "append", "truncate"; NULL: "truncate" */
    const char *script_system;       /* "slurm": the command finds Slurm's variables, too; NULL: not */
    int64_t stop_after_ms;           /* after the loss of the RM; below 0: never; 0: as the cluster's */
    bool hold;                       /* it waits, in no queue, until it is released */
    int64_t begin_ms, deadline_ms;   /* Unix time: earliest start, and kill, also while it waits; 0: none */
    const char *array;               /* indexes of the tasks of an array, as "0-99%8"; NULL: it is none */
    uint32_t stop_after_failures;    /* of an array: failed tasks after which no task starts; 0: no limit */
    const char *depends_on;          /* jobs that it waits for, as "ok:41,any:42"; NULL: none */
};

#endif

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
    CREEL_JOB_COMMAND = 0, /* the command runs in the first container */
    CREEL_JOB_TASKS = 1,   /* the built-in application master runs TASK_COUNT containers */
    CREEL_JOB_MASTER = 2,  /* the command is an application master */
};

/* An amount of a resource type that yarn.resource-types of the cluster defines, beside memory and vcores. */
#define CREEL_OTHERS_MAX 6
struct creel_amount {
    const char *name; /* "licence", "yarn.io/gpu" */
    int64_t amount;
    const char *unit; /* of AMOUNT: "Gi", "k"; "" or (in a job) NULL: the unit of the type */
};

/* A file of a job, which is linked into the working directory. */
struct creel_file {
    const char *source; /* path on this machine */
    const char *name;   /* in the working directory; NULL: the last component of SOURCE */
    bool executable;    /* mode 0500; else 0400, or 0500 if SOURCE is executable */
    bool unpack;        /* SOURCE is an archive (tar, zip, cpio, also compressed), and NAME a directory with
                           its content */
};

struct creel_job {
    const char *name;  /* NULL: the name of the command */
    const char *queue; /* NULL: the default queue of the user */
    const char *type;  /* NULL: "CREEL" */
    int priority;
    enum creel_job_kind kind;
    const char *const *command;     /* argv, ends with NULL; argv[0] is looked up in PATH of the node */
    const char *const *environment; /* "NAME=value", ends with NULL; may be NULL */
    const struct creel_file *files;
    size_t file_count;
    const char *directory;                /* the command runs there; NULL: in the working directory */
    int64_t memory_mb;                    /* of each container; 0: the cluster's minimum */
    int64_t vcores;                       /* 0: the cluster's minimum */
    const struct creel_amount *resources; /* of other types, of each container */
    size_t resource_count;
    uint32_t task_count;      /* CREEL_JOB_TASKS */
    uint32_t max_attempts;    /* 0: the cluster's limit */
    int64_t master_memory_mb; /* CREEL_JOB_TASKS: of the built-in application master; 0: default */
    int64_t master_vcores;
    const char *const *tags;      /* ends with NULL; may be NULL */
    const char *label;            /* partition of its containers; NULL: the default of the queue */
    const char *retry_on;         /* ends after which the job starts again: "node,oom,exit:75"; NULL: none */
    uint32_t retries;             /* maximum number of restarts after the ends in RETRY_ON */
    int64_t time_limit_s;         /* killed this long after the start of its first container; 0: never */
    int64_t lifetime_s;           /* killed this long after it entered its queue; 0: the queue's default */
    const char *preempt_signal;   /* sent with a preemption notice, such as "USR1"; NULL: none. If it is
                                        given, any end after the notice counts as preempted, and the command
                                        runs again */
    const char *limit_signal;     /* sent ahead of the time limit: "USR1@60"; NULL: none */
    const char *limit_signal_to;  /* its processes: "all", "first", "others"; NULL: "all" */
    const char *fetch;            /* files of its working directory that are packed at its end, separated by
                                        commas: results.tar and results.txt of creel_log_open; NULL: none */
    const char *umask;            /* octal, such as "027"; NULL: the agent's */
    const char *limits;           /* soft limits, such as "CORE=0,NOFILE=4096": names of --propagate and
                                        values of getrlimit, or "unlimited"; NULL: the agent's */
    int nice;                     /* -20 to 19, below 0 only for jobs of root; 0: the agent's */
    const char *submit_directory; /* the command runs there if DIRECTORY is NULL and the node has it */
    bool input;                   /* standard input is the FIFO .creel-input in CREEL_SCRATCH */
    uint32_t input_task;          /* CREEL_JOB_TASKS: the task to which INPUT applies */
    bool input_all;               /* CREEL_JOB_TASKS: INPUT applies to every task */
    bool name_leftovers;          /* its diagnostics list files left in CREEL_SCRATCH */
    const char *out_file, *err_file; /* files on the node, with %j, %A, %a, %u, %N, %t; NULL: logs */
    const char *in_file;             /* file on the node for standard input; NULL: none */
    const char *open_mode;           /* of both files: "append", "truncate"; NULL: "truncate" */
    const char *script_system;       /* "slurm": the command also gets Slurm's variables; NULL: none */
    int64_t stop_after_ms;           /* its containers stop this long after the loss of the RM; below 0:
                                        never; 0: as configured for the cluster */
    bool hold;                       /* it waits outside its queue until it is released */
    int64_t begin_ms, deadline_ms;   /* begins not before BEGIN_MS, is killed at DEADLINE_MS; 0: not given */
    const char *array;               /* indexes of the tasks of an array, such as "0-99%8"; NULL: no array */
    uint32_t stop_after_failures; /* of an array: number of failed tasks after which no task starts; 0: any */
    const char *depends_on;       /* jobs that it waits for, such as "ok:41,any:42"; NULL: none */
    bool unmanaged;               /* CREEL_JOB_MASTER: the owner runs the AM outside of the cluster
                                     (creel_am_open_unmanaged); COMMAND is for lists alone */
    const char *mail_type;        /* events about which mail is sent: "END,FAIL"; NULL: none */
    const char *mail_user;        /* recipients, separated by commas; NULL: the user of the job */
    bool no_requeue;              /* it never starts a second time */
    const char *script;           /* absolute path of the script of Slurm here, for lists; NULL: none */
};

/* A hold of an application. */
struct creel_hold {
    const char *by, *reason;
    bool administrator; /* only an administrator can release it */
    int64_t since_ms;
};

/* A dependency of an application on another one. */
struct creel_dependency {
    const char *app_id;    /* "" for a singleton */
    const char *condition; /* "ok", "any", "notok", "after", "singleton" */
    const char *reason;    /* FAILED: why it can never be met */
    bool met, failed;      /* both false: it waits; both are always false for a singleton */
    bool is_of_task;       /* it is on the task TASK_INDEX of the array APP_ID */
    uint32_t task_index;
};

struct creel_launch {      /* how the command of an application is started; texts are "" if not given */
    const char *directory; /* it runs there; "": in a directory of its own */
    const char *out_file, *err_file, *in_file; /* as in struct creel_job */
    const char *script_system;                 /* "slurm": a script of Slurm */
    const char *script;                        /* its path on the host of the submission */
    uint32_t script_tasks, script_cpus;        /* its SLURM_NTASKS and SLURM_CPUS_PER_TASK; 0: not given */
    const char *submit_host;                   /* its SLURM_SUBMIT_HOST */
    const uint8_t *script_hash;                /* 32 bytes; NULL: it was not sent, or is not the user's own */
};

#endif

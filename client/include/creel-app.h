/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel-app.h - libcreel: what is known of an application
 *
 * creel.h includes this header behind the types that it uses; programs include creel.h. Conventions for
 * errors, memory and times are those of creel.h.
 */
#ifndef CREEL_APP_H
#define CREEL_APP_H

/* tools/record-fields writes the members, from common/record/app_fields.h. */
struct creel_app {
    const char *id;
    const char *name;
    const char *user;
    const char *queue;
    const char *type;
    enum creel_app_state state;
    enum creel_final_status final_status;
    int exit_status; /* of the result, or CREEL_EXIT_NONE */
    double progress; /* 0 to 1 */
    const char *diagnostics;
    int64_t submitted_ms;
    int64_t started_ms;
    int64_t finished_ms;
    uint32_t running_containers;
    uint32_t pending_containers;
    struct creel_resource allocated;
    struct creel_resource pending;
    struct creel_resource requested; /* of each container */
    uint64_t memory_mb_seconds;
    uint64_t vcore_seconds;
    uint32_t attempt;
    uint32_t max_attempts;
    const char *master_container_id;
    const char *master_node_id;
    const char *tracking_url;
    int priority;
    const char *reason_code;
    const char *reason; /* why it waits; empty: it does not */
    uint32_t tasks_total;
    uint32_t tasks_running;
    uint32_t tasks_succeeded;
    uint32_t tasks_failed;
    enum creel_job_kind kind;
    uint64_t version; /* grows with each change */
    const char *const *tags;
    const char *const *command;
    const char *reason_short; /* the reason, for a column: dev.ml 100% of max 40% */
    const char *label;
    int64_t expires_ms;  /* killed at this time, by its lifetime or time limit; 0: never */
    int64_t eligible_ms; /* when it entered its queue; 0: it waits outside its queue */
    int64_t begin_ms;    /* as in struct creel_job */
    int64_t deadline_ms; /* as in struct creel_job */
    /* holds of users and administrators: it waits until they are released */
    const struct creel_hold *holds;
    const struct creel_dependency *dependencies; /* applications that it waits for, or waited */
    size_t hold_count;
    size_t dependency_count;
    const char *array;    /* indexes of the tasks of an array, which are applications */
    const char *array_id; /* it is a task of this array */
    uint32_t array_index;
    uint32_t array_at_once;        /* number of tasks that an array submits at a time; 0: no limit */
    const struct creel_used *used; /* creel-history.h; NULL: it is not from the history */
    int64_t time_limit_s;          /* killed so long after the start of the first container of an attempt */
    uint32_t retries;              /* how often it starts again after the ends of --retry-on */
    uint32_t retries_used;
    /* how the attempt before the present one ended; empty: there was none */
    const char *restart_reason;
    uint64_t preempted_memory_mb_seconds; /* of preempted containers */
    uint64_t preempted_vcore_seconds;
    const char *am_host;            /* host from which the AM registered; empty: it has not registered */
    struct creel_resource reserved; /* nodes that are reserved for its requests */
    uint32_t reserved_containers;   /* number of these reservations */
    bool unmanaged;                 /* its AM runs outside of the cluster */
    bool no_requeue;                /* it never starts a second time (--no-requeue) */
    /* logs on shared storage: the word of YARN, as RUNNING or DISABLED */
    const char *log_aggregation;
    /* where first containers failed: that of the present attempt is not placed on these nodes */
    const char *const *avoided_nodes;
    const char *silent_nodes; /* a sentence about silent nodes with its containers; empty: none */
    uint32_t tasks_killed;    /* tasks of an array that were killed; not in tasks_failed */
    /* COMMAND is empty, as it has more than 1,024 bytes: creel_app_get has it */
    bool command_left_out;
    uint32_t tasks_waiting; /* tasks that have not begun */
    /* indexes of tasks of an array that failed or were killed; '...': there are more; none in lists */
    const char *failed_tasks;
    /* the application in a container of which it was submitted, with the token of that application */
    const char *submitted_in;
    const char *rerun_of; /* the application whose work it repeats (creel app rerun) */
    /* NULL in lists without creel_app_filter.launch, and if hidden */
    const struct creel_launch *launch;
    /* one of the dependencies is enough; false: all of them are needed */
    bool one_dependency_is_enough;
    int64_t attempt_started_ms; /* start of the present attempt; 0: it has not begun */
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_app.h - an application and its attempts, as the resource manager keeps them
 *
 * An application owns its attempts and containers; all other pointers to it are indexes. state.h includes
 * this.
 */
#ifndef CREEL_RM_MASTER_STATE_APP_H
#define CREEL_RM_MASTER_STATE_APP_H

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#include <uthash.h>

#include "common/base/id.h"
#include "common/base/job/depends.h"
#include "common/base/resource.h"
#include "rm/master/jobs/job_array.h"
#include "rm/master/master.h"
#include "rm/master/parts/app_nodes.h"
#include "rm/master/parts/change.h"
#include "rm/master/parts/series.h"
#include "rm/master/parts/states.h"
#include "rm/master/parts/usage.h"
#include "rm/master/state/account.h"
#include "rm/master/state/deadline.h"
#include "rm/master/state/turns.h"
#include "rm/master/state/wait_pool.h"

struct waiter { /* a waiting WaitApp request */
    TAILQ_ENTRY(waiter) link;
    struct app *app;
    struct wait wait;
};

struct submitter { /* waits for the app's row to be stored */
    TAILQ_ENTRY(submitter) link;
    enum master_channel channel;
    uint64_t connection, request_id;
};

struct hold {
    char *by;           /* owned */
    bool administrator; /* set by an administrator: only an administrator may remove the
                           hold */
    char *reason;       /* owned; NULL: none was given */
    int64_t since_ms;
};

enum dependency_state { DEPENDENCY_WAITS, DEPENDENCY_MET, DEPENDENCY_FAILED, DEPENDENCY_STATES };

struct dependency {               /* depend.h */
    TAILQ_ENTRY(dependency) link; /* in parent->children or unstored->unstored_children */
    struct app *child;
    struct app *parent;   /* for which it waits; NULL: none */
    struct app *unstored; /* the parent, which settled it; the row of CHILD does not have that. NULL: none */
    struct app_id id;     /* of the parent; of its array if IS_OF_TASK */
    bool is_of_task;      /* on the task TASK_INDEX of an array */
    uint32_t task_index;
    enum depends_on on;
    enum dependency_state state; /* unused if ON is DEPENDS_SINGLETON */
    char *why;                   /* owned; reason of state FAILED: "_0041 failed (exit status 1)" */
};

struct job_name { /* the applications of a user with a job name that have not ended */
    UT_hash_handle hh;
    char *key;              /* owned: user, newline, name */
    TAILQ_HEAD(, app) apps; /* oldest first */
};

struct attempt {
    TAILQ_ENTRY(attempt) link;
    struct app *app;
    struct attempt_id id;
    char text[ID_TEXT_MAX];
    enum attempt_state state, target; /* TARGET: state that follows FINAL_SAVING */
    uint64_t saving_seq;              /* number of the row that must be on disk before the state changes */
    struct container *am_container;   /* NULL until allocated */
    bool registered;                  /* has registered, possibly before the start */
    bool known;                       /* has registered since the start, and may allocate */
    bool tokens_old;               /* signed with an earlier key: the AM must register again for new ones */
    bool blocked;                  /* waits for ends of earlier attempts, or for ASKS_AT_MS (retry.h) */
    int64_t asks_at_ms;            /* requests its first container then at the earliest; 0: not set */
    bool unregistered;             /* the AM has reported FINAL_STATUS, the outcome of the application */
    bool counts;                   /* its failure counts against max_attempts */
    Creel__AttemptRestart restart; /* retry.h; RESTART_BY_LIMIT while it runs */
    bool requeued_soon;            /* was requeued less than RM_RETRY_SOON_MS after its start */
    Creel__FinalStatus final_status;
    int32_t exit_status;
    char *diagnostics;  /* owned */
    char *tracking_url; /* owned */
    char *am_host;      /* owned; host from which its AM registered */

    uint64_t am_connection;
    uint64_t am_session, last_session; /* unmanaged AM: of its last registration; last assigned */
    int64_t am_seen_ms;
    struct deadline expiry;
    uint64_t response_id;
    uint64_t confirmed_id; /* highest response id that its AM has confirmed */
    uint8_t *last_reply;   /* owned: packed AllocateReply */
    size_t last_reply_size;
    uint64_t last_reply_seq; /* number of the row that must be on disk before LAST_REPLY is sent */
    bool wakeup_due, wakeup_sent;
    uint32_t step;                           /* number of registrations that FinishAm or expiry has ended */
    TAILQ_HEAD(, container) newly_allocated; /* allocated containers, to be sent to the AM */
    TAILQ_HEAD(, container) completed;       /* ended containers, to be reported to the AM */
    TAILQ_HEAD(, container)
    unstarted; /* ended ones, sent to the AM, that are forgotten when it confirms that
                                                (rm_container_is_unstarted) */
    TAILQ_HEAD(, container) preempting; /* containers with notices to be sent to the AM */
    TAILQ_HEAD(, container) resized;    /* containers with a new size, to be sent to the AM */
};

struct app {
    RB_ENTRY(app) link;
    struct app_id id;
    char text[ID_TEXT_MAX];
    char *user, *queue; /* owned */
    struct account_share share;
    char **groups; /* owned; groups of USER at submission */
    size_t group_count;
    int32_t priority;
    int64_t expires_ms;       /* end of its lifetime; 0: no limit */
    int64_t limit_ms;         /* end of its time limit; 0: no time limit counts yet (time_limit.h) */
    struct deadline lifetime; /* timer at the earlier of EXPIRES_MS and LIMIT_MS */
    int64_t limit_wait_ms;    /* its limit is reached, and waits: the limit of its agents; 0: no */
    struct hold *holds;       /* owned array */
    size_t hold_count, hold_capacity;
    struct dependency *dependencies; /* owned array, never reallocated, since its items are on lists */
    size_t dependency_count;
    uint32_t dependency_states[DEPENDENCY_STATES]; /* number by state; those "singleton" are not counted */
    bool one_dependency_is_enough, is_singleton;
    TAILQ_HEAD(, dependency) children, unstored_children; /* of other applications, on this application */
    struct job_name *of_name; /* list on which the application is; NULL: it has ended */
    TAILQ_ENTRY(app) in_name;
    struct job_array *array; /* owned; NULL: the application is no array */
    struct app *array_app;   /* array of which the application is a task; NULL: no task, or the
                                array is forgotten */
    struct app_id array_id;  /* id of that array; SEQ 0: the application is no task */
    uint32_t array_index, array_position;
    TAILQ_ENTRY(app) in_array, in_array_waiting;
    bool waits_in_array;     /* is on the list WAITING of its array */
    int64_t eligible_ms;     /* time at which the application entered its queue; 0: it waits
                             outside (job_wait.h) */
    struct deadline recheck; /* timer: the application may enter its queue, or the array may submit tasks */
    struct deadline end;     /* timer at job->deadline_ms */
    char *refusal;           /* owned: reason for which its queue refused the application last; NULL: none */
    bool queue_stopped;      /* the queue refused the application because it is stopped */
    bool over_limit;         /* of an array: a limit on its user refused a task (user_limits.h) */
    uint32_t refusals;
    Creel__JobSpec *job; /* owned; after a change: rm_job_changed */
    ProtobufCBinaryData
        packed_job; /* owned; JOB, packed as a field of the row; empty: not kept (job_rows.h) */
    UT_hash_handle by_key;
    char *key; /* owned: user, newline, submission key; NULL: none */
    enum app_state state, target;
    Creel__AppState shown;        /* state that clients see */
    Creel__AppState shown_target; /* in FINAL_SAVING: state that clients will see */
    uint64_t saving_seq;
    struct sched_app *sched; /* NULL when the application has ended and its last container is gone,
                                or while it waits outside its queue */
    TAILQ_HEAD(attempt_list, attempt) attempts; /* owned; the present attempt is the last */
    struct attempt *attempt;
    int64_t submitted_ms, started_ms, finished_ms;
    int64_t attempt_started_ms; /* when the present attempt began to run; 0: it has not */
    Creel__FinalStatus final_status;
    int32_t exit_status;
    char *diagnostics;     /* owned */
    uint32_t retries_used; /* attempts with RESTART_RETRY */
    bool kill_requested;
    bool kill_at_once; /* not stored: after a restart of the resource manager containers stop
                          with the usual grace period */
    char *kill_reason; /* owned */
    float progress;
    uint32_t tasks[5]; /* total, running, succeeded, failed or killed, killed */
    uint8_t *am_state; /* owned: state of its AM for the next attempt; NULL: none */
    size_t am_state_size;
    uint64_t version;
    struct unwritten unwritten;
    struct turn turn;
    struct due_answers due_answers;
    size_t job_bytes;  /* rm_job_bytes() of JOB */
    size_t text_bytes; /* of texts that rm_account_set_text() has set */
    bool changed;      /* is on master->changed */
    TAILQ_ENTRY(app) in_changed, in_ended;
    struct change change;
    bool listed_ended;
    TAILQ_HEAD(, waiter) waiters; /* owned, oldest first */
    TAILQ_HEAD(, submitter) submitters;

    uint32_t live;          /* containers that have not ended */
    uint32_t live_alone;    /* live containers with STOP_AFTER_MS above 0; the next attempt waits
                               until there are none (cutoff.h) */
    struct app_node *nodes; /* owned */
    TAILQ_HEAD(, container)
    completed; /* ended containers that may be forgotten, oldest end first
                                          (completed.h) */
    uint32_t completed_count;
    struct failed_node *failed_nodes; /* owned, uthash by node id */
    struct app_logs *logs;            /* owned: nodes that move its logs at the moment (app_logs.h) */
    bool logs_reported, logs_failed;  /* a node has reported about its logs; one of them has given up */
    Creel__LogAggregation logs_final; /* SUCCEEDED or FAILED, as stored; DISABLED: not known yet */
    struct usage usage;
    struct usage_sum stored_use; /* of an ended application: in its last row (app_row.h) */
    struct series *use;          /* series that includes USED_MB (measure.c); NULL: none */
    int64_t used_mb;
    struct { /* preempted containers since the start (counters.c) */
        uint32_t containers, ams;
        struct resource amount;
        uint64_t memory_mb_ms, vcore_ms;
    } preempted;
};

RB_HEAD(rm_app_tree, app);

#define APP_STATES_SHOWN (CREEL__APP_STATE__APP_KILLED + 1)

#endif

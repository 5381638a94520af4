/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - the state of the resource manager: applications, attempts, containers, nodes
 *
 * An application owns its attempts and containers. Nodes, applications and containers are each in one tree by
 * id; all other pointers to them are indexes. This file declares only data; index.h is the lowest layer of
 * functions.
 */
#ifndef CREEL_RM_MASTER_STATE_H
#define CREEL_RM_MASTER_STATE_H

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#include <uthash.h>

#include "common/base/job/exit_status.h"
#include "common/base/histogram.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/record/container_totals.h"
#include "rm/master/state/account.h"
#include "rm/master/parts/app_nodes.h"
#include "rm/master/nodes/contacts.h"
#include "rm/master/state/deadline.h"
#include "rm/master/parts/event_ring.h"
#include "rm/master/nodes/certificates.h"
#include "rm/master/master.h"
#include "rm/master/jobs/job_array.h"
#include "rm/master/nodes/node_faults.h"
#include "rm/master/parts/series.h"
#include "rm/master/parts/states.h"
#include "rm/master/state/turns.h"
#include "rm/master/parts/usage.h"
#include "rm/master/state/wait_pool.h"
#include "rm/master/nodes/web_services.h"
#include "rm/identity/acl.h"
#include "common/base/job/depends.h"
#include "rm/sched/sched.h"

/* --- changes (changes.h) --------------------------------------------------- */

enum change_kind { CHANGE_APP, CHANGE_NODE, CHANGE_QUEUE, CHANGE_APP_GONE, CHANGE_NODE_GONE };

struct change {
    RB_ENTRY(change) link;
    enum change_kind kind;
    void *owner; /* struct app, struct node, struct queue_change or struct gone, by KIND */
    uint64_t version;
    uint64_t session; /* recording session whose tree contains the change */
};

RB_HEAD(rm_change_tree, change);

struct gone {
    struct change change;
    TAILQ_ENTRY(gone) link;
    char id[];
};

struct queue_change { /* uthash by path */
    UT_hash_handle hh;
    struct change change;
    char path[];
};

struct changes {
    uint64_t session; /* 0: changes are not recorded */
    uint64_t last_session;
    uint64_t version;   /* number of the last change */
    uint64_t forgotten; /* number of the newest removal that was dropped from GONE */
    int64_t asked_ms;
    struct rm_change_tree tree;
    TAILQ_HEAD(, gone) gone; /* owned, the oldest first */
    size_t gone_count;
    struct queue_change *queues; /* owned; queues that have changed in this session */
};

/* --- apps ------------------------------------------------------------------ */

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

/* --- containers ------------------------------------------------------------ */

enum order_kind { ORDER_NONE, ORDER_START, ORDER_STOP };

struct container {
    RB_ENTRY(container) link;
    RB_ENTRY(container) by_node; /* in node->live or node->ended */
    struct container_id id;
    char text[ID_TEXT_MAX];
    struct app *app;
    struct attempt *attempt;
    struct node *node;             /* never NULL */
    struct sched_container *sched; /* NULL: ended, or its node has not registered since the start */
    enum container_state state;
    bool is_am;
    bool seen;             /* its node has reported it */
    bool retry_elsewhere;  /* as in ContainerStatus; not stored */
    bool stored;           /* has a row in the store */
    bool am_news;          /* is on attempt->newly_allocated or ->completed */
    bool am_confirms;      /* is on attempt->unstarted */
    bool may_be_forgotten; /* is on app->completed */
    bool keeps_row;        /* its row is kept until its application is forgotten (completed.h) */
    uint64_t end_seq;      /* its AM gets the end after this commit; 0: stored before the start */
    uint64_t end_sent;     /* response id of the reply with its end; 0: not sent since the start */
    struct resource resource;
    uint32_t priority;
    uint64_t allocation_id, serial; /* SERIAL: its age, for the scheduler (sched_container_info) */
    int64_t stop_after_ms;          /* it ends after this time without contact; 0: it continues */
    int64_t expires_ms;             /* end of the validity of the grant */
    struct deadline expiry;
    uint32_t step;
    Creel__ContainerState shown;
    int64_t allocated_ms, started_ms, finished_ms;
    int32_t exit_status;
    TAILQ_ENTRY(container) in_starting;
    int64_t starting_ms;               /* since when it starts (starting.h); 0: it is not on that list */
    char *diagnostics, *title, *stuck; /* owned, may be NULL; STUCK: ContainerStatus.stuck */
    uint64_t memory_bytes;             /* present use, as PIDS */
    uint32_t pids;
    struct container_totals totals;
    int64_t figures_ms;    /* time at which the figures were received; 0: never */
    enum order_kind order; /* if not NONE: the container is on node->orders */
    bool order_sent;
    bool command_ended;     /* its agent reported that its command has ended, and what it left has not: */
    int32_t command_status; /* exit status of the command */
    int32_t stop_status;
    char *stop_reason;             /* owned */
    bool stopped;                  /* stopped because its attempt was ending or over */
    int64_t stopping_ms;           /* when its agent first reported that it is STOPPING; 0: never */
    int64_t preempt_ms;            /* it is stopped then, to serve others; 0: it is not preempted */
    char *preempt_reason;          /* owned; NULL: the scheduler needs its resources */
    bool evicting;                 /* preempted because of its node, whatever the scheduler decides */
    bool oversized;                /* EVICTING only while its node is smaller than its use (evict.h) */
    int64_t sched_preempt_ms;      /* time at which the scheduler will kill it; 0: never */
    char *gainer;                  /* owned: queue of its last notice or kill (making_room.h); NULL: none */
    bool makes_room;               /* is on m->making_room */
    int64_t announced_deadline_ms; /* the PREEMPT_MS that its node reported last */
    int64_t spare_ms;              /* deadline of a revoked notice that node or AM have not confirmed */
    bool notice_pending, notice_sent; /* is on node->preempt_notices */
    int64_t reported_limit_ms;        /* time limit that its agent reported last */
    bool limit_pending, limit_sent;   /* is on node->limits: its agent does not have the present limit */
    uint32_t version;                 /* how often RESOURCE has changed (resize.h) */
    int64_t resized_ms;               /* when it changed last; 0: never */
    uint64_t resize_seq;              /* number of the row with the last change; 0: none since the start */
    bool resize_pending;              /* is on node->resizes_due: its agent has not reported VERSION */
    bool am_resized;                  /* is on attempt->resized */
    struct resource asked;            /* size of an increase that waits, if a user asked for it; else 0 */
    TAILQ_ENTRY(container) in_resizes, in_am_resized, in_room;
    bool am_preempting; /* is on attempt->preempting */
    bool am_notified;   /* the AM received PREEMPT_MS */
    TAILQ_ENTRY(container) of_node, in_completed, in_orders, in_am_news, in_notices, in_preempting, in_limits;
};

RB_HEAD(rm_container_tree, container);
RB_HEAD(rm_node_container_tree, container); /* in the order of their ids too */

/* --- nodes ----------------------------------------------------------------- */

#define AVOID_FAULTS 3

/* The administrative state of a node, and the user that set it (drain.c). */
struct admin {
    enum admin_state state;
    bool by_file;      /* set by the lists of hosts, not by an administrator */
    bool forced;       /* running containers are stopped without notice */
    int64_t forced_ms; /* since when; after a restart: since then */
    char *by, *reason; /* owned; NULL while the node serves */
    int64_t since_ms;
    int64_t deadline_ms; /* time at which containers are evicted; 0: never */
};

/* The size of a node as set by an administrator (node_total.c). */
struct size {
    struct resource set;   /* amounts above 0 replace the amounts that the agent offers */
    char *by;              /* owned; NULL: nothing is set */
    int64_t until_ms;      /* 0: no time limit */
    int64_t overcommit_ms; /* time at which containers that do not fit are stopped; 0: never */
};

struct watcher { /* a waiting WaitNodes request */
    TAILQ_ENTRY(watcher) link;
    bool expired; /* is on master->expired_watchers: it is answered without a change */
    struct wait wait;
};

/* The lists of hosts (hosts.c). */
struct host {
    UT_hash_handle hh;
    char *name; /* owned */
    bool timed;
    int64_t timeout_ms; /* if TIMED: timeout of its decommissioning; below 0: none */
};

struct hosts {
    struct host *include, *exclude; /* owned */
    bool has_addresses;             /* some names are IP addresses */
    int64_t timeout_ms;             /* default timeout of graceful decommissioning */
};

struct orphan;   /* node_orders.h */
struct finished; /* there, too */

struct node {
    RB_ENTRY(node) link;
    char *id, *host; /* owned, as all text here */
    char *rack, *address, *http_address, *agent_key, *version, *cgroup_mode, *principal, *health_report;
    char *warning;   /* of its agent, about the configuration; NULL: none */
    char *label;     /* its partition; NULL: none */
    char *own_label; /* label that its agent reports */
    enum node_state state;
    Creel__NodeState event_state; /* in its last event (rm_event_node_state) */
    int64_t kill_delay_ms;        /* of its agent: RegisterNode.kill_delay_ms */
    bool unpacks, restores;       /* its agent unpacks archives (FileRef.unpack); RegisterNode.restores */
    bool resizes;                 /* its agent carries out ResizeOrder */
    struct sched_node *sched;     /* NULL unless registered */
    struct resource offered;      /* resources that its agent offers */
    struct resource total;        /* effective resources: amounts of SIZE.SET above 0, else of OFFERED */
    struct resource grown, grown_sent; /* total that its agent has accepted; total that was sent to it last */
    struct admin admin;
    struct size size;
    uint32_t oversized;    /* how many of its containers are OVERSIZED */
    struct deadline evict; /* timer: the next container to announce or stop, or the end of SIZE */
    bool to_check;         /* is on master->to_check: the end of the step checks whether it is empty */
    TAILQ_ENTRY(node) in_to_check;
    uint64_t session, incarnation, connection;
    uint64_t register_request;  /* the latest registration of this incarnation */
    uint64_t heartbeat_request; /* request id of the heartbeats of this session; 0: none yet */
    uint64_t seq;               /* sequence number of the latest heartbeat */
    TAILQ_HEAD(, ack) acks;
    TAILQ_ENTRY(node) in_contact; /* if EXPECTED: on a list of master->contacts */
    bool expected, silent;
    int64_t seen_ms, registered_ms;
    bool registered; /* as in its row: it is neither lost nor retired, and expected after a restart */
    struct deadline expiry;
    uint64_t used_memory_bytes, node_memory_bytes; /* of its containers; of all processes */
    uint32_t cpu_millicores, node_cpu_millicores;  /* as above, thousandths of a processor */
    struct {
        bool measured, differs;    /* DIFFERS: in its last event */
        int64_t skew_ms, error_ms; /* the node's clock minus the resource manager's, and the maximum
                                      error of that */
    } clock;
    Creel__LogLevel log_level;          /* that its agent reported last */
    Creel__LogLevel log_level_wanted;   /* to be sent until the agent reports it; UNKNOWN: none */
    int64_t certificate_expires_ms;     /* of its REST interface, as its agent reported last; 0: none */
    bool keys_due, keys_sent;           /* new token keys have to be sent; were sent in the reply to heartbeat
                                           SEQ */
    TAILQ_HEAD(, container) containers; /* containers that have not ended */
    uint32_t container_count;
    uint32_t stuck_count; /* of CONTAINERS and ORPHANS: those with STUCK */
    struct faulty faulty;
    struct rm_node_container_tree live, ended; /* all its containers: those in CONTAINERS; the others */
    struct {
        struct app_id apps[AVOID_FAULTS]; /* applications whose launches failed one after another */
        size_t count;
        int64_t until_ms;      /* end of the time in which the node is avoided; 0: was never avoided */
        char *reason;          /* owned; kept after UNTIL_MS; NULL: was never avoided */
    } faults;                  /* avoid.h */
    uint32_t references;       /* containers that point to the node, including ended ones */
    bool forgotten;            /* removed from the master's tree, freed with its last reference */
    struct deadline untracked; /* timer: forgets the node, which is not connected and in no list of hosts */
    TAILQ_HEAD(, container) orders;
    TAILQ_HEAD(, container) preempt_notices; /* containers whose PreemptOrder the node has not confirmed */
    TAILQ_HEAD(, container) limits;          /* containers whose LimitOrder the node has not confirmed */
    TAILQ_HEAD(, container) resizes_due;     /* containers whose ResizeOrder the node has not confirmed */
    struct orphan *orphans;                  /* owned */
    struct finished *finished;               /* owned */
    TAILQ_HEAD(, orphan) orphan_turns;       /* those of ORPHANS, the one whose order is due first is first */
    TAILQ_HEAD(, finished) finished_turns;   /* likewise */
    uint32_t ignored; /* unknown containers in reports since the last reply, beyond the most that are kept */
    Creel__History *waiting; /* owned: history of its agent, if an operator has to accept the loss of that
                                history (history.c); else NULL */
    uint32_t waiting_containers;
    uint32_t accepted;     /* number of the acceptance (master->accepts) that it waited with; 0: none */
    uint64_t history_sent; /* number of the commit that was sent to the agent last */
    struct change change;
    bool push; /* is on master->pushes, since it has new orders */
    TAILQ_ENTRY(node) in_pushes;
};

RB_HEAD(rm_node_tree, node);

/* --- settings of administrators -------------------------------------------- */

#define SETTING_QUEUE_STATE "queue-state"
#define SETTING_NODE_LABEL "node-label"
#define SETTING_APP_NUMBER "app-number" /* its name is "last", its value a number: app_numbers.h */
#define SETTING_JOIN_TOKEN "join-token"
#define SETTING_JOINED_HOST "joined-host"
#define SETTING_LABEL "label" /* value: one of the next two */
#define LABEL_EXCLUSIVE "exclusive"
#define LABEL_SHARED "shared"
#define SETTING_ACCESS_TOKEN "access-token" /* name: hash of the token; value: see access_token.c */

struct setting {
    UT_hash_handle hh;                             /* by KEY: kind, blank, name */
    char *key, *kind, *name, *value, *before, *by; /* owned; as in StoredSetting */
    int64_t since_ms;
    uint32_t uses, used; /* of a join token */
    int64_t expires_ms;
    UT_hash_handle by_key; /* of a join token or a joined host: by VALUE, a public key */
};

/* --- the master ------------------------------------------------------------ */

enum saving_kind { SAVING_APP, SAVING_ATTEMPT, SAVING_HELD };

/* An action that is performed when row STORE_SEQ is on disk. */
struct saving {
    TAILQ_ENTRY(saving) link;
    uint64_t store_seq;
    enum saving_kind kind;
    struct attempt_id id;        /* id of the application or attempt */
    enum master_channel channel; /* HELD: a message to be sent */
    uint64_t connection;
    uint8_t *packed; /* owned */
    size_t size;
    char *done; /* owned; the answer if the store fails (rm_send_changed); NULL: none */
    uint64_t request_id;
};

/* Counters since the resource manager started; see ClusterCounters. */
struct counters {
    uint64_t apps_submitted;
    uint64_t allocated, resized, launched, succeeded, failed, preempted, out_of_memory, lost, stopped;
    uint64_t heartbeats;
    struct histogram heartbeat_delay; /* seconds */
    uint64_t decided_allocations;     /* also of containers that were not wanted any more */
    uint64_t wasted_ms;               /* that preempted containers had run */
    uint64_t preemption_rounds;       /* of the capacity scheduler */
    uint64_t jobs_over_limit, asks_over_limit, requests_over_limit; /* refused: user_limits.h */
};

struct master {
    struct master_config config; /* its texts are owned; SCHED is cleared */
    Creel__LogLevel log_level;   /* of this resource manager */
    uint32_t accepts;            /* acceptances of missing histories (AcceptState) since the start */
    struct resource minimum, maximum;
    struct resource_types types; /* fixed until the resource manager restarts */
    int64_t cluster_ms, started_ms, now_ms;
    int64_t wall_ahead_ms; /* the machine's wall clock minus now_ms (master_set_wall_ahead) */
    uint32_t epoch;
    uint64_t last_recovered;              /* serial of the container that was recovered last */
    const struct master_ended *forgotten; /* borrowed, from master_set_ended */
    size_t forgotten_count;
    struct sched *sched;
    struct sched_features features; /* features of the scheduler */
    bool memory_only;               /* the scheduler counts memory alone */
    struct deadline tick, preemption, update, batch;
    int64_t refreshed_ms;               /* 0: never */
    char *refreshed_by, *refresh_error; /* owned */
    char *part_errors[MASTER_PARTS]; /* owned; why the last refresh of each was refused; NULL: it was not */
    struct sched_decisions decisions;
    size_t decided;             /* decisions handled so far */
    struct master_effects *out; /* effects of the present step */
    const char *asking_job; /* borrowed; struct master_peer.job of the request that is handled; NULL: none */

    struct setting *settings;                 /* owned */
    struct setting *join_keys;                /* index: settings that have a public key */
    struct rm_app_tree apps;                  /* owned */
    struct app *keys;                         /* index by submission key */
    struct job_name *job_names;               /* owned, uthash by key */
    struct account *accounts;                 /* owned, uthash by user */
    TAILQ_HEAD(, account) changed_accounts;   /* in this step */
    uint32_t apps_shown[APP_STATES_SHOWN];    /* applications by the state that clients see */
    struct app_number *numbers;               /* owned, uthash by number: app_numbers.h */
    struct numbers_of_user *numbers_of_users; /* owned, uthash by user */
    uint32_t last_app_seq;
    uint32_t known_app_seq; /* highest at recovery: others not assigned here are of a missing history */
    struct rm_container_tree containers; /* owned */
    struct rm_node_tree nodes;           /* owned */
    uint64_t last_session;
    struct register_list *register_lists; /* owned, uthash by node id: register_list.h */
    struct rm_deadline_tree deadlines;
    uint64_t last_deadline;

    uint64_t store_seq, stored_seq;
    TAILQ_HEAD(saving_list, saving) savings; /* in order of STORE_SEQ */
    char *store_trouble, *store_lost; /* owned; why the last write failed, why rows do not last; NULL */

    struct event_log events;
    struct changes changes;
    TAILQ_HEAD(, app) changed;
    TAILQ_HEAD(, app) ended; /* oldest first */
    uint32_t ended_count;
    struct contacts contacts;
    struct certificates certificates;
    struct web_services web_services;
    struct node_faults node_faults;
    TAILQ_HEAD(, container) starting;    /* starting.h */
    TAILQ_HEAD(, container) making_room; /* making_room.h, in the order of their notices */
    TAILQ_HEAD(, node) pushes;
    TAILQ_HEAD(, node) to_check;
    uint64_t nodes_version; /* grows with each change that WaitNodes reports */
    uint64_t nodes_seq;     /* with this row all that NODES_VERSION counts is on disk */
    bool nodes_changed;     /* in this step */
    TAILQ_HEAD(, watcher) watchers, expired_watchers; /* owned, oldest first */
    struct wait_pool app_waits, node_waits;
    struct hosts hosts;
    uint64_t total_finished, total_failed, total_killed;
    struct counters counters;
    struct series_table *series; /* owned */
    struct trend *trend;         /* owned; trend.h */
    struct attempt **wakeups;    /* owned array, of the present step */
    size_t wakeup_count, wakeup_capacity;
    struct follow_up *follow_ups; /* owned array, empty between steps */
    size_t follow_up_count, follow_up_capacity;
    struct unwritten_apps unwritten;
    struct turns turns;
};

#endif

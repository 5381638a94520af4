/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel.h - libcreel: submit work to a creel cluster and watch it
 *
 *     struct creel_error error;
 *     struct creel_client *client;
 *     struct creel_job job = { .name = "hello", .command = (const char *[]){ "date", NULL } };
 *     char id[CREEL_ID_MAX];
 *
 *     if (creel_connect(NULL, &client, &error) < 0 ||
 *         creel_submit(client, &job, id, &error) < 0)
 *             errx(1, "%s", error.text);
 *     puts(id);
 *     creel_disconnect(client);
 *
 * Calls block, at most for the client's timeout unless they say otherwise, and
 * are repeated while time is left if the resource manager (RM) does not answer.
 * A client is used by one thread at a time; different clients are independent.
 *
 * Errors: 0, or a negative errno that is also in error->code, with a sentence
 * for people in error->text (ERROR may be NULL). On failure other outputs are
 * untouched. These stand for the same thing everywhere:
 *   -EINVAL        the request or an argument is malformed; never retry
 *   -ENOENT        no such application, container, node, queue or file
 *   -EPERM         not permitted for this user
 *   -EBUSY         refused in the present state (already finished, queue stopped)
 *   -ERANGE        asks for more than this cluster can ever give
 *   -EFBIG         over a configured limit (size of files, number of tasks)
 *   -EHOSTUNREACH  the RM (or an agent) did not answer, or cannot be reached
 *   -EACCES        it does not accept our key, or is not the one it should be
 *   -EPROTO        it has another version of the protocol, or does not know the request
 *   -EAGAIN        it is not able to do that now; try again later
 *   -ETIMEDOUT     what was waited for did not happen in time
 *   -ENOKEY        we have no usable certificate of our own
 *   -EBADMSG       the configuration is wrong or not there; text has one line for each mistake
 *   -ENOMEM        out of memory
 *
 * Memory: results are one block each, freed by the function named beside them;
 * strings in them live as long. Strings are never NULL; what is not known is
 * "", 0 or, for exit statuses, CREEL_EXIT_NONE. What an answer of the RM needs
 * is allocated with checks (-ENOMEM). Small internal allocations, and those of
 * ZeroMQ, end the process when memory is exhausted.
 *
 * Compatibility: structs that the library returns may grow at their end;
 * structs that the caller fills are to be zeroed first and may grow too, with a
 * new soname. Times are milliseconds since 1970, memory is in MiB (_mb).
 */
#ifndef CREEL_H
#define CREEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "creel-job.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CREEL_ID_MAX 80         /* room for any id, terminator included */
#define CREEL_EXIT_NONE (-1000) /* no exit status yet */

struct creel_client; /* opaque */

struct creel_error {
    int code;        /* positive errno */
    char text[4096]; /* one sentence, or one line for each mistake */
};

/* --- connection ------------------------------------------------------------ */

struct creel_options {
    const char *rm_address; /* "host:port[,host:port]"; NULL: as configured */
    const char *conf_dir;   /* NULL: CREEL_CONF_DIR, YARN_CONF_DIR, HADOOP_CONF_DIR,
                               /etc/creel */
    const char *key_dir;    /* cluster's certificates; NULL: as configured */
    const char *user_key;   /* own certificate; NULL: as configured */
    const char *as_user;    /* act for another user (proxy users only) */
    int64_t timeout_ms;     /* of each call; 0: 10 s */
};

/* Read configuration and keys, and make a client. OPTIONS may be NULL. Does not wait for the
 * RM: the first call does. */
int creel_connect(const struct creel_options *options, struct creel_client **ret, struct creel_error *error);
void creel_disconnect(struct creel_client *client); /* NULL is fine */

/* Where the RM is looked for, as given: for messages. */
const char *creel_rm_address(const struct creel_client *client);
/* Change the time limit of the calls that follow. */
void creel_set_timeout(struct creel_client *client, int64_t timeout_ms);

/* --- submitting ------------------------------------------------------------ */

/* Send the files that the RM does not have yet, then the job. When it returns 0 the RM
 * has the job on disk. A submission carries a random key, so that however often it has to
 * be repeated the job is submitted once; with -EHOSTUNREACH it may have been. */
int creel_submit(struct creel_client *client, const struct creel_job *job, char app_id[CREEL_ID_MAX],
                 struct creel_error *error);

/* What would become of a job; nothing is submitted, and no file is sent. */
struct creel_trial {
    const char *queue;                /* where it would go */
    uint32_t nodes_fitting;           /* nodes that are large enough for its largest container */
    uint32_t nodes_with_room;         /* that have room for it now */
    const char *reason_code, *reason; /* why it would have to wait; "": it would begin at once */
};

/* -ENOENT, -EPERM, -EBUSY as creel_submit would say; -ERANGE: it could never run. */
int creel_submit_test(struct creel_client *client, const struct creel_job *job, struct creel_trial **ret,
                      struct creel_error *error);
void creel_trial_free(struct creel_trial *trial); /* NULL is fine */

/* --- applications ---------------------------------------------------------- */

enum creel_app_state {
    CREEL_APP_NEW = 1,
    CREEL_APP_NEW_SAVING,
    CREEL_APP_SUBMITTED,
    CREEL_APP_ACCEPTED,
    CREEL_APP_RUNNING,
    CREEL_APP_FINISHED,
    CREEL_APP_FAILED,
    CREEL_APP_KILLED,
};

enum creel_final_status {
    CREEL_FINAL_UNDEFINED = 0,
    CREEL_FINAL_SUCCEEDED,
    CREEL_FINAL_FAILED,
    CREEL_FINAL_KILLED,
};

struct creel_resource {
    int64_t memory_mb, vcores;
    struct creel_amount others[CREEL_OTHERS_MAX]; /* what there is of further types */
    size_t other_count;
};

struct creel_hold {
    const char *by, *reason;
    bool administrator; /* only an administrator releases it */
    int64_t since_ms;
};

struct creel_dependency {
    const char *app_id, *condition; /* "ok", "any", "notok", "after"; "singleton", without an id */
    bool met, failed;               /* neither: it waits; of a singleton neither is set */
    const char *reason;             /* FAILED: why it can never be met */
};

struct creel_app {
    const char *id, *name, *user, *queue, *type;
    enum creel_app_state state;
    enum creel_final_status final_status;
    int exit_status; /* of the result, or CREEL_EXIT_NONE */
    double progress; /* 0 to 1 */
    const char *diagnostics;
    int64_t submitted_ms, started_ms, finished_ms;
    uint32_t running_containers, pending_containers;
    struct creel_resource allocated, pending, requested; /* requested: of each container */
    uint64_t memory_mb_seconds, vcore_seconds;
    uint32_t attempt, max_attempts;
    const char *master_container_id, *master_node_id, *tracking_url;
    int priority;
    const char *reason_code, *reason; /* why it waits; "" if it does not */
    uint32_t tasks_total, tasks_running, tasks_succeeded, tasks_failed;
    enum creel_job_kind kind;
    uint64_t version;        /* grows at each change */
    const char *const *tags; /* end with NULL */
    const char *const *command;
    const char *reason_short; /* the reason for a column: "dev.ml 100% of max 40%" */
    const char *label;
    int64_t expires_ms;            /* killed then, by its lifetime or time limit; 0: never */
    int64_t eligible_ms;           /* when it entered its queue; 0: it waits outside of the queues */
    int64_t begin_ms, deadline_ms; /* as in struct creel_job */
    const struct creel_hold *holds;
    const struct creel_dependency *dependencies;
    size_t hold_count, dependency_count;
    const char *array;    /* as in struct creel_job; "": it is none */
    const char *array_id; /* it is a task of this array; "": it is none */
    uint32_t array_index, array_at_once;
    const struct creel_used *used; /* creel-history.h; NULL: it is not from the history */
    int64_t time_limit_s;          /* as in struct creel_job */
    uint32_t retries, retries_used;
    const char *restart_reason; /* how the attempt before the present one ended; "": there was none */
};

struct creel_apps {
    size_t count;
    struct creel_app *items; /* oldest first */
};

struct creel_app_filter { /* all zero: everything */
    const enum creel_app_state *states;
    size_t state_count;
    const char *const *users; /* end with NULL */
    const char *const *queues;
    bool tasks; /* of arrays, too */
};

bool creel_app_is_over(const struct creel_app *app);
const char *creel_app_state_name(enum creel_app_state state);        /* "RUNNING" */
const char *creel_final_status_name(enum creel_final_status status); /* "SUCCEEDED" */

/* FILTER may be NULL. */
int creel_app_list(struct creel_client *client, const struct creel_app_filter *filter,
                   struct creel_apps **ret, struct creel_error *error);
/* One application by its id or a suffix of it that is unique ("7", "_0007"). */
int creel_app_get(struct creel_client *client, const char *id, struct creel_apps **ret,
                  struct creel_error *error);
/* The same, as soon as its version differs from KNOWN_VERSION, or after WAIT_MS. */
int creel_app_watch(struct creel_client *client, const char *app_id, uint64_t known_version, int64_t wait_ms,
                    struct creel_apps **ret, struct creel_error *error);
/* Wait until it runs (or is over), or until it is over. LIMIT_MS < 0: for ever. -ETIMEDOUT when
 * the limit has come. The RM may be away for up to CREEL_PATIENCE_MS meanwhile. */
#define CREEL_PATIENCE_MS 300000
enum creel_wait_for { CREEL_WAIT_RUNNING, CREEL_WAIT_FINISHED };
int creel_app_wait(struct creel_client *client, const char *app_id, enum creel_wait_for what,
                   int64_t limit_ms, struct creel_apps **ret, struct creel_error *error);
int creel_app_kill(struct creel_client *client, const char *app_id, const char *reason,
                   struct creel_error *error);
/* The same without the time that containers have after TERM; also of one that is over, while containers of
 * it are still ending. */
int creel_app_kill_at_once(struct creel_client *client, const char *app_id, const char *reason,
                           struct creel_error *error);
/* These change an application that is not over; RET is what it is then (on disk). -EBUSY: over. */
int creel_app_move(struct creel_client *client, const char *id, const char *queue, struct creel_apps **ret,
                   struct creel_error *error);
/* Higher is served first; cut to what the cluster allows. */
int creel_app_set_priority(struct creel_client *client, const char *id, int priority, struct creel_apps **ret,
                           struct creel_error *error);
/* EXPIRES_MS by the RM's clock; 0: as late as its queue allows. */
int creel_app_set_expiry(struct creel_client *client, const char *id, int64_t expires_ms,
                         struct creel_apps **ret, struct creel_error *error);
/* Tasks of an array by their indexes, as "1-3,7"; RET is the array. */
int creel_app_kill_tasks(struct creel_client *client, const char *id, const char *tasks, const char *reason,
                         struct creel_apps **ret, struct creel_error *error);
/* How many of its tasks an array submits at a time; 0: no limit. */
int creel_app_set_at_once(struct creel_client *client, const char *id, uint32_t at_once,
                          struct creel_apps **ret, struct creel_error *error);
/* It waits, in no queue, until it is released. -EBUSY: it has begun. REASON may be NULL. */
int creel_app_hold(struct creel_client *client, const char *id, const char *reason, struct creel_apps **ret,
                   struct creel_error *error);
/* Removes the holds that the user may remove. -EPERM: only an administrator may; -EBUSY: there is none. */
int creel_app_release(struct creel_client *client, const char *id, struct creel_apps **ret,
                      struct creel_error *error);
/* Ends its present attempt; when its containers have ended it starts again. -EBUSY: it has not begun, or is
 * about to end. REASON may be NULL. */
int creel_app_requeue(struct creel_client *client, const char *id, const char *reason,
                      struct creel_apps **ret, struct creel_error *error);
void creel_apps_free(struct creel_apps *apps); /* NULL is fine, as for all below */

/* Something that blocks the application, or could; for an ended one, how it ended. */
struct creel_why_passed {
    const char *reason;      /* "LacksMemory", "Drained", "Lost" */
    uint32_t nodes, fitting; /* FITTING: out of service, but large enough */
};

struct creel_why_item {
    const char *code;         /* "QueueLimit", "Nodes", "OutOfMemory" */
    bool blocking;            /* or shown for comparison */
    const char *queue, *user; /* the queue or user with the limit; "": none */
    struct creel_resource used, asked, allowed;
    int64_t since_ms;                      /* 0: not known */
    uint32_t nodes;                        /* passed over for this */
    const char *text;                      /* a sentence */
    const struct creel_why_passed *passed; /* code "Nodes": those without room, by why */
    size_t passed_count;
};

struct creel_why {
    struct creel_apps *apps;     /* the application, alone */
    const char *summary;         /* one sentence */
    int64_t waiting_since_ms;    /* 0: it does not wait */
    uint64_t count;              /* containers of its first ask that waits */
    struct creel_resource asked; /* each */
    size_t item_count;
    const struct creel_why_item *items; /* the dominant one first */
    const char *const *advice;          /* what to do next; ends with NULL */
    struct creel_resource fair_share;   /* of the application; of the fair scheduler, else 0 */
    int64_t starved_since_ms;           /* has had less than what is fair since then; 0: has not */
};

int creel_app_why(struct creel_client *client, const char *id, struct creel_why **ret,
                  struct creel_error *error);
void creel_why_free(struct creel_why *why);

/* --- containers ------------------------------------------------------------ */

enum creel_container_state {
    CREEL_CONTAINER_UNKNOWN = 0,
    CREEL_CONTAINER_ALLOCATED,
    CREEL_CONTAINER_STARTING,
    CREEL_CONTAINER_RUNNING,
    CREEL_CONTAINER_STOPPING,
    CREEL_CONTAINER_COMPLETE,
};

struct creel_container {
    const char *id, *app_id, *node_id, *user;
    enum creel_container_state state;
    struct creel_resource resource;
    uint32_t priority;
    int64_t allocated_ms, started_ms, finished_ms;
    int exit_status; /* or CREEL_EXIT_NONE */
    const char *diagnostics;
    const char *title; /* the task's number, for tasks */
    bool master;       /* the attempt's first container */
    uint64_t memory_peak_bytes, cpu_time_us;
    uint64_t memory_bytes;               /* now; 0: not known, or it has ended */
    uint64_t read_bytes, written_bytes;  /* from and to disks */
    uint32_t pids, pids_peak;            /* processes and threads, now and at most */
    int64_t figures_ms;                  /* when its agent reported them; 0: never, or it has ended */
    const char *node_address, *node_key; /* where its logs are read */
};

struct creel_containers {
    size_t count;
    struct creel_container *items;
};

const char *creel_container_state_name(enum creel_container_state state);

/* Of an application, of a node (LIVE_ONLY: those that are not complete), or one by id; exactly
 * one of APP_ID, NODE_ID and CONTAINER_ID is not NULL. */
int creel_container_list(struct creel_client *client, const char *app_id, const char *node_id,
                         const char *container_id, bool live_only, struct creel_containers **ret,
                         struct creel_error *error);
void creel_containers_free(struct creel_containers *containers);

/* --- nodes, queues, cluster ------------------------------------------------ */

enum creel_node_state {
    CREEL_NODE_RUNNING = 1,
    CREEL_NODE_UNHEALTHY,
    CREEL_NODE_DECOMMISSIONING,
    CREEL_NODE_DECOMMISSIONED,
    CREEL_NODE_LOST,
    CREEL_NODE_REBOOTED,
    CREEL_NODE_SHUT_DOWN,
    CREEL_NODE_DRAINING,
    CREEL_NODE_DRAINED,
    CREEL_NODE_WAITING, /* not registered: it knows a newer state than the RM has stored */
};

/* Why a node gets nothing new. */
struct creel_node_admin_state {
    const char *by, *reason; /* the administrator, and the reason */
    int64_t since_ms;
    int64_t deadline_ms;          /* then the containers get a notice and end; 0: never */
    bool by_file;                 /* by the lists of hosts */
    uint32_t containers_notified; /* to go already */
    uint32_t apps_left;           /* of a node that leaves: not over, and were there */
};

struct creel_node {
    const char *id, *rack;
    enum creel_node_state state;
    struct creel_resource total, used;
    uint32_t containers;
    int64_t last_heartbeat_ms, registered_ms;
    const char *version, *health_report, *cgroup_mode, *address;
    uint64_t used_memory_bytes; /* what its containers really take */
    const char *label;          /* its partition; "": none */
    bool in_service;
    struct creel_node_admin_state admin_state; /* unless it is in service */
    bool resized;                              /* TOTAL was set by RESOURCES_BY */
    struct creel_resource offered;             /* by its agent, if it was */
    int64_t resources_until_ms;                /* 0: until they are set again */
    const char *resources_by;
    int64_t silent_ms; /* since its last heartbeat, by the RM's clock */
    bool clock_measured;
    int64_t clock_skew_ms;    /* its clock minus the RM's */
    int64_t clock_error_ms;   /* to how much that is exact */
    const char *http_address; /* host:port of its REST interface; "": none */
};

struct creel_nodes {
    size_t count;
    uint64_t version; /* for creel_node_watch */
    struct creel_node *items;
};

const char *creel_node_state_name(enum creel_node_state state);
/* NODE NULL: all; else one by id, host, or a prefix of it that is unique. */
int creel_node_list(struct creel_client *client, const char *node, struct creel_nodes **ret,
                    struct creel_error *error);
void creel_nodes_free(struct creel_nodes *nodes);

struct creel_queue {
    const char *path, *state;      /* RUNNING, STOPPED, DRAINING */
    double capacity, max_capacity; /* fractions of its parent */
    double used_capacity;          /* of what it is guaranteed; above 1 is borrowed */
    struct creel_resource used, pending;
    uint32_t apps_running, apps_pending, containers;
    bool leaf, dynamic;                                             /* takes applications; was made by one */
    bool preemption;                                                /* may be preempted from */
    double absolute_capacity, absolute_max_capacity, absolute_used; /* of the cluster */
    double weight;                                                  /* below 0: it has none */
    int priority;
    struct creel_resource reserved, minimum, maximum; /* guaranteed, and most */
    struct creel_resource am_limit, am_used;          /* leaf: of application masters */
    struct creel_resource user_limit;                 /* leaf: limit of one active user */
    int64_t max_apps, max_apps_per_user;              /* 0: no limit */
    uint32_t active_apps, waiting_apps;               /* kept back by no limit on applications, by one */
    uint32_t active_users;
    int64_t maximum_lifetime_s, default_lifetime_s; /* -1: none */
    const char *const *next;          /* children or applications in the order of service, and */
    const char *const *explanation;   /* sentences: of one queue that was asked for; end with NULL */
    const char *policy;               /* fair scheduler: fair, drf, fifo; else "", and what follows 0 */
    struct creel_resource demand;     /* used and asked for, up to the maximum */
    struct creel_resource fair_share; /* now, beside queues that have applications running */
    struct creel_resource steady_fair_share; /* beside all */
    int64_t starved_since_ms;                /* has had less than what is fair since then; 0: has not */
};

struct creel_queues {
    size_t count;
    struct creel_queue *items;
    int64_t refreshed_ms; /* as in struct creel_cluster */
    const char *refreshed_by, *refresh_error;
};

/* QUEUE NULL: all; else one by name or path. */
int creel_queue_list(struct creel_client *client, const char *queue, struct creel_queues **ret,
                     struct creel_error *error);
void creel_queues_free(struct creel_queues *queues);

struct creel_queue_user {
    const char *user;
    double weight;
    bool active; /* wants something */
    struct creel_resource used, reserved, limit, am_used, am_limit;
    uint32_t active_apps, waiting_apps;
    struct creel_resource fair_share; /* of the user's applications; of the fair scheduler, else 0 */
};

struct creel_queue_users {
    const char *queue; /* path of the leaf */
    size_t count;
    struct creel_queue_user *items;
};

int creel_queue_user_list(struct creel_client *client, const char *queue, struct creel_queue_users **ret,
                          struct creel_error *error);
void creel_queue_users_free(struct creel_queue_users *users);

struct creel_queue_access {
    const char *queue, *user;
    const char *const *groups; /* of the user, as the RM knows them; end with NULL */
    bool may_submit, may_administer;
    const char *submit_reason, *administer_reason; /* the list that decides */
};

/* USER NULL: who asks. */
int creel_queue_access_get(struct creel_client *client, const char *queue, const char *user,
                           struct creel_queue_access **ret, struct creel_error *error);
void creel_queue_access_free(struct creel_queue_access *access);

struct creel_label { /* a partition of the cluster */
    const char *name;
    bool exclusive;              /* only for those who ask for it */
    uint32_t nodes;              /* that have it now */
    struct creel_resource total; /* what these have */
    const char *source;          /* why there is it: configuration (creel.node-labels), command
                                    (creel-admin.h), queue (one names it), node (one has it) */
    const char *by;              /* command: who added it; else "" */
    int64_t since_ms;            /* command: when; else 0 */
};

struct creel_cluster {
    int64_t cluster_ms;         /* part of every id of this cluster */
    int64_t started_ms, now_ms; /* of the RM, by its clock */
    uint32_t epoch;             /* restarts so far */
    const char *version, *scheduler;
    struct creel_resource total, used, minimum_allocation, maximum_allocation;
    uint32_t nodes_running, nodes_lost, nodes_unhealthy;
    uint32_t nodes_draining, nodes_drained, nodes_decommissioning, nodes_decommissioned;
    uint32_t nodes_waiting;
    uint32_t apps_pending, apps_running;
    uint64_t apps_finished, apps_failed, apps_killed;
    uint32_t containers;
    const char *user;                         /* who the RM takes us for */
    int64_t refreshed_ms;                     /* queues were refreshed last, or that was refused; 0: never */
    const char *refreshed_by, *refresh_error; /* ERROR "": it was taken */
    const struct creel_label *labels;
    size_t label_count;
    const char *clock_node; /* whose clock differs most from the RM's; "": none was measured */
    int64_t clock_skew_ms;  /* of that node */
    uint32_t nodes_skewed;  /* by more than the RM is configured to warn of */
};

int creel_cluster_info(struct creel_client *client, struct creel_cluster **ret, struct creel_error *error);
void creel_cluster_free(struct creel_cluster *cluster);

/* --- logs ------------------------------------------------------------------ */

struct creel_log; /* one log file of one container, open for reading */

struct creel_log_piece {
    uint64_t offset;  /* of the first byte of DATA */
    const void *data; /* until the next read of this log */
    size_t size;      /* 0: nothing there (yet) */
    uint64_t file_size;
    bool finished; /* the container ended: the file grows no more */
};

/* FILE is "stdout" or "stderr". The log is read straight from the container's agent, running or
 * ended. Only one address is contacted: -EHOSTUNREACH if the node is gone. -ENOENT also if the
 * log has expired. */
int creel_log_open(struct creel_client *client, const struct creel_container *container, const char *file,
                   struct creel_log **ret, struct creel_error *error);
/* Read from OFFSET (FROM_END: so many bytes before the end), at most MAX_BYTES (0: as many as
 * fit a message). If there is nothing, wait up to WAIT_MS for more. */
int creel_log_read(struct creel_log *log, uint64_t offset, bool from_end, size_t max_bytes, int64_t wait_ms,
                   struct creel_log_piece *piece, struct creel_error *error);
void creel_log_close(struct creel_log *log);

/* --- inside a container ---------------------------------------------------- */

/* For the owner of the application and administrators (-EPERM: for others). The container's agent
 * is asked directly: -EHOSTUNREACH if it does not answer; -EBUSY: the container does not run. */
enum creel_signal_scope {
    CREEL_SIGNAL_GROUP, /* the process group of the container's command */
    CREEL_SIGNAL_MAIN,  /* the command alone */
    CREEL_SIGNAL_ALL,   /* every process of the container */
};
int creel_container_signal(struct creel_client *client, const struct creel_container *container,
                           int signal_number, enum creel_signal_scope scope, struct creel_error *error);

struct creel_exec {
    const char *const *command; /* ends with NULL */
    int in, out, err;           /* descriptors, blocking; IN -1: the command has no input */
    bool terminal;              /* the command is on a terminal, of the size of IN's, which
                                   the caller has made raw; its errors come by OUT */
    const char *term;           /* with TERMINAL: its TERM; NULL: none */
};

struct creel_exec_end {
    int exit_status;       /* 0 to 255; 128 + signal; 126, 127: could not be run */
    char diagnostics[512]; /* "", or why it was not the command's own end */
};

/* Run a command inside CONTAINER: in its control groups, as its user, with its environment and
 * directory. Returns when the command has ended. Until then SIGINT and SIGQUIT, unless there is a
 * TERMINAL, go to the command, a second one and SIGTERM or SIGHUP end it (-EINTR); SIGWINCH
 * hands the terminal's size on: these signals of the process are taken, so that only one thread
 * may do this at a time. If the caller dies the command is killed.
 *   -ECONNRESET  the command was lost on the way: its agent was restarted */
int creel_container_exec(struct creel_client *client, const struct creel_container *container,
                         const struct creel_exec *exec, struct creel_exec_end *end,
                         struct creel_error *error);

/* --- the library ----------------------------------------------------------- */

const char *creel_version(void); /* as "0.2.0" */
uint32_t creel_protocol_version(void);

#ifdef __cplusplus
}
#endif

#endif

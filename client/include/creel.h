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
 * Calls block, at most for the client's timeout unless documented otherwise. If the
 * resource manager (RM) does not answer, a call repeats its request while time is left.
 * Only one thread at a time may use a client; different clients are independent.
 *
 * Errors: 0, or a negative errno that is also in error->code, with a sentence
 * for users in error->text (ERROR may be NULL). On failure other outputs are
 * unchanged. The codes have the same meaning in all functions:
 *   -EINVAL        the request or an argument is malformed; never retry
 *   -ENOENT        no such application, container, node, queue or file
 *   -EPERM         not permitted for this user
 *   -EBUSY         not possible in the present state (already finished, queue stopped)
 *   -ERANGE        requests more than this cluster can ever allocate
 *   -EFBIG         over a configured limit (size of files, number of tasks)
 *   -EHOSTUNREACH  the RM (or an agent) did not answer, or cannot be reached
 *   -EACCES        the server does not accept the client's key, or has another key than expected
 *   -EPROTO        the server has another version of the protocol, or does not know the request
 *   -EAGAIN        the server cannot do that now; try again later
 *   -ETIMEDOUT     the awaited event did not happen in time
 *   -ENOKEY        the user has no usable key file
 *   -EBADMSG       the configuration is invalid or missing; text has one line for each mistake
 *   -ENOMEM        out of memory
 *
 * Memory: each result is one block, freed by the function declared next to it; strings
 * in the block live as long. Strings are never NULL. Unknown values are "", 0 or, for
 * exit statuses, CREEL_EXIT_NONE. If memory for a reply of the RM cannot be allocated,
 * a call returns -ENOMEM. If small internal allocations, or those of ZeroMQ, fail, the
 * process ends.
 *
 * Compatibility: structs that the library returns may grow at their end;
 * the caller must zero structs that it fills; those structs may grow with a new
 * soname. Times are milliseconds since 1970, memory is in MiB (_mb).
 */
#ifndef CREEL_H
#define CREEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CREEL_ID_MAX 80                 /* size of any id, terminator included */
#define CREEL_EXIT_NONE (-1000)         /* value of exit_status fields: no exit status yet */

struct creel_client;                    /* opaque */

struct creel_error {
    int code;                           /* positive errno */
    char text[4096];                    /* one sentence, or one line for each mistake */
};

/* --- connection ------------------------------------------------------------ */

struct creel_options {
    const char *rm_address;             /* "host:port[,host:port]"; NULL: from the configuration */
    const char *conf_dir;               /* configuration directory; NULL: CREEL_CONF_DIR, YARN_CONF_DIR,
                                           HADOOP_CONF_DIR, /etc/creel */
    const char *key_dir;                /* certificates of the cluster; NULL: from the configuration */
    const char *user_key;               /* user's key file; NULL: from the configuration */
    const char *as_user;                /* user to act for (proxy users only) */
    int64_t timeout_ms;                 /* time limit of each call; 0: 10 s */
};

/* Reads configuration and keys and makes a client. OPTIONS may be NULL. Does not connect to the RM: the
 * first call does. */
int creel_connect(const struct creel_options *options, struct creel_client **ret,
                  struct creel_error *error);
void creel_disconnect(struct creel_client *client);     /* NULL is allowed */

/* Returns the addresses of the RM as configured, for messages. */
const char *creel_rm_address(const struct creel_client *client);
/* Sets the time limit of subsequent calls. */
void creel_set_timeout(struct creel_client *client, int64_t timeout_ms);

/* --- submitting ------------------------------------------------------------ */

enum creel_job_kind {
    CREEL_JOB_COMMAND = 0,              /* a single container, which runs the command */
    CREEL_JOB_TASKS = 1,                /* TASK_COUNT containers run the command, started by the built-in
                                           master */
    CREEL_JOB_MASTER = 2,               /* the command is an application master (creel-am.h) */
};

/* An amount of a type that yarn.resource-types defines beside memory and vcores. */
#define CREEL_OTHERS_MAX 6
struct creel_amount {
    const char *name;                   /* type: "licence", "yarn.io/gpu" */
    int64_t amount;
    const char *unit;                   /* unit of AMOUNT: "Gi", "k"; "" or (in a job) NULL: the type's own */
};

/* A file that is sent with the job and is placed in the container's working directory. */
struct creel_file {
    const char *source;                 /* path on this machine */
    const char *name;                   /* name in the container; NULL: the last component of SOURCE */
    bool executable;                    /* mode 0500; false: 0400, or 0500 if SOURCE is executable */
};

struct creel_job {
#define CREEL_INPUT_FIFO ".creel-input"
    const char *name;                   /* NULL: the command's */
    const char *queue;                  /* NULL: the user's default */
    const char *type;                   /* NULL: "CREEL" */
    int priority;
    enum creel_job_kind kind;
    const char *const *command;         /* argv, ends with NULL; argv[0] is looked up in PATH on the node */
    const char *const *environment;     /* "NAME=value", ends with NULL; may be NULL */
    const struct creel_file *files;
    size_t file_count;
    const char *directory;              /* directory on the node; NULL: the container's working directory */
    int64_t memory_mb;                  /* memory of each container; 0: the cluster's minimum */
    int64_t vcores;                     /* vcores of each container; 0: the cluster's minimum */
    const struct creel_amount *resources;       /* amounts of other types, for each container */
    size_t resource_count;
    uint32_t task_count;                /* only for CREEL_JOB_TASKS */
    uint32_t max_attempts;              /* 0: the cluster's limit */
    int64_t master_memory_mb;           /* CREEL_JOB_TASKS: memory of the built-in master; 0: default */
    int64_t master_vcores;
    const char *const *tags;            /* ends with NULL; may be NULL */
    const char *label;                  /* partition of its containers; NULL: the queue's */
    int64_t lifetime_s;                 /* killed so long after its submission; 0: the queue's default */
    const char *preempt_signal;         /* sent when it is to be preempted, as "USR1"; NULL: none. With one
                                           any end after that counts as preempted, and it runs again */
    const char *umask;                  /* as "027"; NULL: the agent's own */
    int nice;                           /* up to 19; below 0: for jobs of root alone; 0: the agent's own */
    const char *submit_directory;       /* without DIRECTORY: run there if the node has it; NULL: none */
    bool input;                         /* it waits for a writer to CREEL_INPUT_FIFO in CREEL_SCRATCH */
    uint32_t input_task;                /* CREEL_JOB_TASKS: the task that does */
    bool name_leftovers;                /* its diagnostics name files left in CREEL_SCRATCH */
    const char *out_file, *err_file;    /* of the node, with %j, %A, %a, %u, %N, %t; NULL: its logs */
    const char *open_mode;              /* of both: "append", "truncate"; NULL: "truncate" */
    const char *script_system;          /* "slurm": the command finds Slurm's variables, too; NULL: not */
    int64_t stop_after_ms;              /* after the loss of the RM; below 0: never; 0: as the cluster's */
    bool hold;                          /* it waits, in no queue, until it is released */
    int64_t begin_ms, deadline_ms;      /* it waits until the one, and is killed at the other; 0: not */
    const char *array;                  /* indexes of the tasks of an array, as "0-99%8"; NULL: it is none */
    uint32_t stop_after_failures;       /* of an array: begin no further task then; 0: never */
    const char *depends_on;             /* jobs that it waits for, as "ok:41,any:42"; NULL: none */
};

/* Sends the files that the RM does not have yet, then the job. Returns 0 when the RM has stored the job on
 * disk. Each submission has a random key, so repeated requests submit the job only once. After
 * -EHOSTUNREACH the job may have been submitted. */
int creel_submit(struct creel_client *client, const struct creel_job *job,
                 char app_id[CREEL_ID_MAX], struct creel_error *error);

/* Result of a trial submission: nothing is submitted, and no file is sent. */
struct creel_trial {
    const char *queue;                  /* queue that would get the job */
    uint32_t nodes_fitting;             /* nodes large enough for the job's largest container */
    uint32_t nodes_with_room;           /* nodes with enough free resources now */
    const char *reason_code, *reason;   /* reason why the job would be pending; "": starts at once */
};

/* Tests a submission. -ENOENT, -EPERM, -EBUSY as from creel_submit; -ERANGE: the job could never run. */
int creel_submit_test(struct creel_client *client, const struct creel_job *job,
                      struct creel_trial **ret, struct creel_error *error);
void creel_trial_free(struct creel_trial *trial);       /* NULL is allowed */

/* --- applications ---------------------------------------------------------- */

enum creel_app_state {
    CREEL_APP_NEW = 1, CREEL_APP_NEW_SAVING, CREEL_APP_SUBMITTED, CREEL_APP_ACCEPTED,
    CREEL_APP_RUNNING, CREEL_APP_FINISHED, CREEL_APP_FAILED, CREEL_APP_KILLED,
};

enum creel_final_status {
    CREEL_FINAL_UNDEFINED = 0, CREEL_FINAL_SUCCEEDED, CREEL_FINAL_FAILED, CREEL_FINAL_KILLED,
};

struct creel_resource {
    int64_t memory_mb, vcores;
    struct creel_amount others[CREEL_OTHERS_MAX];       /* amounts of further types */
    size_t other_count;
};

struct creel_hold {
    const char *by, *reason;
    bool administrator;                 /* only an administrator releases it */
    int64_t since_ms;
};

struct creel_dependency {
    const char *app_id, *condition;     /* "ok", "any", "notok", "after"; "singleton", without an id */
    bool met, failed;                   /* neither: it waits; of a singleton neither is set */
    const char *reason;                 /* FAILED: why it can never be met */
};

struct creel_app {
    const char *id, *name, *user, *queue, *type;
    enum creel_app_state state;
    enum creel_final_status final_status;
    int exit_status;                    /* exit status of the result, or CREEL_EXIT_NONE */
    double progress;                    /* 0 to 1 */
    const char *diagnostics;
    int64_t submitted_ms, started_ms, finished_ms;
    uint32_t running_containers, pending_containers;
    struct creel_resource allocated, pending, requested;    /* requested: of each container */
    uint64_t memory_mb_seconds, vcore_seconds;
    uint32_t attempt, max_attempts;
    const char *master_container_id, *master_node_id, *tracking_url;
    int priority;
    const char *reason_code, *reason;   /* reason why the application is pending; "": not pending */
    uint32_t tasks_total, tasks_running, tasks_succeeded, tasks_failed;
    enum creel_job_kind kind;
    uint64_t version;                   /* changes whenever the application changes */
    const char *const *tags;            /* end with NULL */
    const char *const *command;
    const char *reason_short;           /* short reason for a table column: "dev.ml 100% of max 40%" */
    const char *label;
    int64_t expires_ms;                 /* killed then, by its lifetime; 0: never */
    int64_t eligible_ms;                /* when it entered its queue; 0: it waits outside of the queues */
    int64_t begin_ms, deadline_ms;      /* as in struct creel_job */
    const struct creel_hold *holds;
    const struct creel_dependency *dependencies;
    size_t hold_count, dependency_count;
    const char *array;                  /* as in struct creel_job; "": it is none */
    const char *array_id;               /* it is a task of this array; "": it is none */
    uint32_t array_index, array_at_once;
};

struct creel_apps {
    size_t count;
    struct creel_app *items;            /* oldest first */
};

struct creel_app_filter {               /* all fields zero: no filter */
    const enum creel_app_state *states;
    size_t state_count;
    const char *const *users;           /* end with NULL */
    const char *const *queues;
    bool tasks;                         /* of arrays, too */
};

bool creel_app_is_over(const struct creel_app *app);
const char *creel_app_state_name(enum creel_app_state state);              /* "RUNNING" */
const char *creel_final_status_name(enum creel_final_status status);       /* "SUCCEEDED" */

/* Lists applications. FILTER may be NULL. */
int creel_app_list(struct creel_client *client, const struct creel_app_filter *filter,
                   struct creel_apps **ret, struct creel_error *error);
/* Returns one application by its id or a unique suffix of the id ("7", "_0007"). */
int creel_app_get(struct creel_client *client, const char *id, struct creel_apps **ret,
                  struct creel_error *error);
/* Like creel_app_get, as soon as the version differs from KNOWN_VERSION, or after WAIT_MS. */
int creel_app_watch(struct creel_client *client, const char *app_id, uint64_t known_version,
                    int64_t wait_ms, struct creel_apps **ret, struct creel_error *error);
/* Waits until the application runs (or has ended), or until it has ended. LIMIT_MS < 0: no limit.
 * -ETIMEDOUT: the limit has passed. Tolerates up to CREEL_PATIENCE_MS without an answer of the RM. */
#define CREEL_PATIENCE_MS 300000
enum creel_wait_for { CREEL_WAIT_RUNNING, CREEL_WAIT_FINISHED };
int creel_app_wait(struct creel_client *client, const char *app_id, enum creel_wait_for what,
                   int64_t limit_ms, struct creel_apps **ret, struct creel_error *error);
int creel_app_kill(struct creel_client *client, const char *app_id, const char *reason,
                   struct creel_error *error);
/* Like creel_app_kill, without the time between SIGTERM and SIGKILL; also for an ended application whose
 * containers are still ending. */
int creel_app_kill_at_once(struct creel_client *client, const char *app_id, const char *reason,
                           struct creel_error *error);
/* Changes of an application that has not ended. RET is the application after the change (stored on disk).
 * -EBUSY: ended. */
int creel_app_move(struct creel_client *client, const char *id, const char *queue,
                   struct creel_apps **ret, struct creel_error *error);
/* Sets the priority. Larger numbers are served first; values above the cluster's maximum are reduced to
 * it. */
int creel_app_set_priority(struct creel_client *client, const char *id, int priority,
                           struct creel_apps **ret, struct creel_error *error);
/* Sets the end of the lifetime, by the RM's clock; 0: the maximum that the queue allows. */
int creel_app_set_expiry(struct creel_client *client, const char *id, int64_t expires_ms,
                         struct creel_apps **ret, struct creel_error *error);
/* Tasks of an array by their indexes, as "1-3,7"; RET is the array. */
int creel_app_kill_tasks(struct creel_client *client, const char *id, const char *tasks, const char *reason,
                         struct creel_apps **ret, struct creel_error *error);
/* How many of its tasks an array submits at a time; 0: no limit. */
int creel_app_set_at_once(struct creel_client *client, const char *id, uint32_t at_once,
                          struct creel_apps **ret, struct creel_error *error);
/* It waits, in no queue, until it is released. -EBUSY: it has begun. REASON may be NULL. */
int creel_app_hold(struct creel_client *client, const char *id, const char *reason,
                   struct creel_apps **ret, struct creel_error *error);
/* Removes the holds that the user may remove. -EPERM: only an administrator may; -EBUSY: there is none. */
int creel_app_release(struct creel_client *client, const char *id, struct creel_apps **ret,
                      struct creel_error *error);
void creel_apps_free(struct creel_apps *apps);          /* NULL is fine, as for all below */

/* Nodes that cannot run the next container of the application, by reason. */
struct creel_why_passed {
    const char *reason;                 /* "LacksMemory", "Drained", "Lost" */
    uint32_t nodes, fitting;            /* FITTING: nodes out of service that are large enough */
};

/* A cause that blocks the application, or could block it; for an ended application, how it ended. */
struct creel_why_item {
    const char *code;                   /* "QueueLimit", "Nodes", "OutOfMemory" */
    bool blocking;                      /* false: shown for comparison */
    const char *queue, *user;           /* the limit's queue and user; "": none */
    struct creel_resource used, asked, allowed;
    int64_t since_ms;                   /* 0: unknown */
    uint32_t nodes;                     /* nodes excluded for this reason */
    const char *text;                   /* a sentence */
    const struct creel_why_passed *passed;      /* code "Nodes": nodes without enough resources, by reason */
    size_t passed_count;
};

struct creel_why {
    struct creel_apps *apps;            /* a list of this application alone */
    const char *summary;                /* one sentence */
    int64_t waiting_since_ms;           /* 0: not pending */
    uint64_t count;                     /* pending containers of its first request */
    struct creel_resource asked;        /* resources of each of these containers */
    size_t item_count;
    const struct creel_why_item *items; /* most important first */
    const char *const *advice;          /* what to do next; ends with NULL */
    struct creel_resource fair_share;   /* fair scheduler: of the application; else 0 */
    int64_t starved_since_ms;           /* below its fair share since then; 0: is not */
};

int creel_app_why(struct creel_client *client, const char *id, struct creel_why **ret,
                  struct creel_error *error);
void creel_why_free(struct creel_why *why);

/* --- containers ------------------------------------------------------------ */

enum creel_container_state {
    CREEL_CONTAINER_UNKNOWN = 0, CREEL_CONTAINER_ALLOCATED, CREEL_CONTAINER_STARTING,
    CREEL_CONTAINER_RUNNING, CREEL_CONTAINER_STOPPING, CREEL_CONTAINER_COMPLETE,
};

struct creel_container {
    const char *id, *app_id, *node_id, *user;
    enum creel_container_state state;
    struct creel_resource resource;
    uint32_t priority;
    int64_t allocated_ms, started_ms, finished_ms;
    int exit_status;                    /* exit status, or CREEL_EXIT_NONE */
    const char *diagnostics;
    const char *title;                  /* title given by the AM; for tasks the task's number */
    bool master;                        /* the attempt's AM container */
    uint64_t memory_peak_bytes, cpu_time_us;
    uint64_t memory_bytes;              /* current memory; 0: unknown, or ended */
    uint64_t read_bytes, written_bytes; /* disk I/O */
    uint32_t pids, pids_peak;           /* processes and threads: current and maximum */
    int64_t figures_ms;                 /* time of the agent's last usage report; 0: none, or ended */
    const char *node_address, *node_key;    /* agent that serves the logs */
};

struct creel_containers {
    size_t count;
    struct creel_container *items;
};

const char *creel_container_state_name(enum creel_container_state state);

/* Lists containers of an application, of a node (LIVE_ONLY: only those not complete), or one by id.
 * Exactly one of APP_ID, NODE_ID and CONTAINER_ID is not NULL. */
int creel_container_list(struct creel_client *client, const char *app_id, const char *node_id,
                         const char *container_id, bool live_only,
                         struct creel_containers **ret, struct creel_error *error);
void creel_containers_free(struct creel_containers *containers);

/* --- nodes, queues, cluster ------------------------------------------------ */

enum creel_node_state {
    CREEL_NODE_RUNNING = 1, CREEL_NODE_UNHEALTHY, CREEL_NODE_DECOMMISSIONING,
    CREEL_NODE_DECOMMISSIONED, CREEL_NODE_LOST, CREEL_NODE_REBOOTED, CREEL_NODE_SHUT_DOWN,
    CREEL_NODE_DRAINING, CREEL_NODE_DRAINED,
    CREEL_NODE_WAITING,                 /* not registered: knows a newer state than the RM */
};

/* Drain or decommission of a node, on which no container is placed meanwhile. */
struct creel_node_admin_state {
    const char *by, *reason;            /* administrator who changed the state, and the reason */
    int64_t since_ms;
    int64_t deadline_ms;                /* then containers get a notice and are stopped; 0: never */
    bool by_file;                       /* caused by the lists of hosts */
    uint32_t containers_notified;           /* with a preemption notice */
    uint32_t apps_left;                 /* decommissioning: running applications that used the node */
};

struct creel_node {
    const char *id, *rack;
    enum creel_node_state state;
    struct creel_resource total, used;
    uint32_t containers;
    int64_t last_heartbeat_ms, registered_ms;
    const char *version, *health_report, *cgroup_mode, *address;
    uint64_t used_memory_bytes;         /* memory that its containers actually use */
    const char *label;                  /* partition of the node; "": none */
    bool in_service;
    struct creel_node_admin_state admin_state;        /* all zero: in service */
    bool resized;                       /* TOTAL was set by RESOURCES_BY */
    struct creel_resource offered;      /* by its agent, if resized */
    int64_t resources_until_ms;         /* end of the resize; 0: none */
    const char *resources_by;
    int64_t silent_ms;                  /* time since its last heartbeat, by the RM's clock */
    bool clock_measured;
    int64_t clock_skew_ms;              /* node's clock minus the RM's clock */
    int64_t clock_error_ms;             /* measurement error of clock_skew_ms */
};

struct creel_nodes {
    size_t count;
    uint64_t version;                   /* KNOWN_VERSION for the next creel_node_watch */
    struct creel_node *items;
};

const char *creel_node_state_name(enum creel_node_state state);
/* NODE NULL: all nodes; else one by id, host, or a unique prefix of them. */
int creel_node_list(struct creel_client *client, const char *node, struct creel_nodes **ret,
                    struct creel_error *error);
void creel_nodes_free(struct creel_nodes *nodes);

struct creel_queue {
    const char *path, *state;           /* state: RUNNING, STOPPED, DRAINING */
    double capacity, max_capacity;      /* fractions of the parent's capacity */
    double used_capacity;               /* used fraction of its guaranteed capacity; above 1: borrows */
    struct creel_resource used, pending;
    uint32_t apps_running, apps_pending, containers;
    bool leaf, dynamic;                 /* LEAF: accepts applications; DYNAMIC: created by a submission */
    bool preemption;                    /* containers may be preempted */
    double absolute_capacity, absolute_max_capacity, absolute_used;     /* fractions of the cluster */
    double weight;                      /* below 0: none */
    int priority;
    struct creel_resource reserved, minimum, maximum;   /* minimum: guaranteed capacity */
    struct creel_resource am_limit, am_used;            /* leaf: limit on and use of AMs */
    struct creel_resource user_limit;   /* leaf: limit of one user who is active now */
    int64_t max_apps, max_apps_per_user;        /* 0: no limit */
    uint32_t active_apps, waiting_apps; /* waiting: not started because of a limit on AMs or apps */
    uint32_t active_users;
    int64_t maximum_lifetime_s, default_lifetime_s;     /* -1: none */
    const char *const *next;            /* children or applications in scheduling order, and */
    const char *const *explanation;     /* explanations of that order: only if a single queue was
                                           requested; end with NULL */
    const char *policy;                 /* fair scheduler: fair, drf, fifo; else "", and the fields below
                                           are 0 */
    struct creel_resource demand;       /* used and requested, up to the maximum */
    struct creel_resource fair_share;   /* current, among queues with running applications */
    struct creel_resource steady_fair_share;    /* among all queues */
    int64_t starved_since_ms;           /* below its fair share since then; 0: is not */
};

struct creel_queues {
    size_t count;
    struct creel_queue *items;
    int64_t refreshed_ms;               /* as in struct creel_cluster */
    const char *refreshed_by, *refresh_error;
};

/* QUEUE NULL: all queues; else one by name or path. */
int creel_queue_list(struct creel_client *client, const char *queue, struct creel_queues **ret,
                     struct creel_error *error);
void creel_queues_free(struct creel_queues *queues);

struct creel_queue_user {
    const char *user;
    double weight;
    bool active;                        /* has pending requests */
    struct creel_resource used, reserved, limit, am_used, am_limit;
    uint32_t active_apps, waiting_apps;
    struct creel_resource fair_share;   /* fair scheduler: share of the user's applications; else 0 */
};

struct creel_queue_users {
    const char *queue;                  /* path of the leaf queue */
    size_t count;
    struct creel_queue_user *items;
};

int creel_queue_user_list(struct creel_client *client, const char *queue,
                          struct creel_queue_users **ret, struct creel_error *error);
void creel_queue_users_free(struct creel_queue_users *users);

struct creel_queue_access {
    const char *queue, *user;
    const char *const *groups;          /* the user's groups according to the RM; end with NULL */
    bool may_submit, may_administer;
    const char *submit_reason, *administer_reason;      /* access control list that decides */
};

/* USER NULL: the calling user. */
int creel_queue_access_get(struct creel_client *client, const char *queue, const char *user,
                           struct creel_queue_access **ret, struct creel_error *error);
void creel_queue_access_free(struct creel_queue_access *access);

struct creel_label {                    /* a partition of the cluster */
    const char *name;
    bool exclusive;                     /* only for requests with this label */
    uint32_t nodes;                     /* current number of nodes */
    struct creel_resource total;        /* total of these nodes */
    const char *source;                 /* origin: configuration (creel.node-labels), command
                                           (creel-admin.h), queue (a queue names it), node (a node has it) */
    const char *by;                     /* command: administrator who added the label; else "" */
    int64_t since_ms;                   /* command: time of that; else 0 */
};

struct creel_cluster {
    int64_t cluster_ms;                 /* part of every id of this cluster (the cluster timestamp) */
    int64_t started_ms, now_ms;         /* of the RM, by the RM's clock */
    uint32_t epoch;                     /* number of RM restarts */
    const char *version, *scheduler;
    struct creel_resource total, used, minimum_allocation, maximum_allocation;
    uint32_t nodes_running, nodes_lost, nodes_unhealthy;
    uint32_t nodes_draining, nodes_drained, nodes_decommissioning, nodes_decommissioned;
    uint32_t nodes_waiting;
    uint32_t apps_pending, apps_running;
    uint64_t apps_finished, apps_failed, apps_killed;
    uint32_t containers;
    const char *user;                   /* user name under which the RM knows the client */
    int64_t refreshed_ms;               /* time of the last reload of queues, accepted or refused; 0: none */
    const char *refreshed_by, *refresh_error;   /* ERROR "": accepted */
    const struct creel_label *labels;
    size_t label_count;
    const char *clock_node;             /* node whose clock differs most from the RM's; "": unknown */
    int64_t clock_skew_ms;              /* node's clock minus the RM's clock */
    uint32_t nodes_skewed;              /* nodes with more skew than the RM's warning limit */
};

int creel_cluster_info(struct creel_client *client, struct creel_cluster **ret,
                       struct creel_error *error);
void creel_cluster_free(struct creel_cluster *cluster);

/* --- logs ------------------------------------------------------------------ */

struct creel_log;                       /* one log file of one container, open for reading */

struct creel_log_piece {
    uint64_t offset;                    /* position of the first byte of DATA */
    const void *data;                   /* valid until the next read of this log */
    size_t size;                        /* 0: no data (yet) */
    uint64_t file_size;
    bool finished;                      /* the container ended: no more data will follow */
};

/* Opens a log. FILE is "stdout" or "stderr". The container's agent serves the log, whether the container
 * runs or has ended. -EHOSTUNREACH: the agent does not answer. -ENOENT also if the log has expired. */
int creel_log_open(struct creel_client *client, const struct creel_container *container,
                   const char *file, struct creel_log **ret, struct creel_error *error);
/* Reads from OFFSET (FROM_END: OFFSET bytes before the end), at most MAX_BYTES (0: as many as fit into a
 * message). If there is no data, waits up to WAIT_MS for more. */
int creel_log_read(struct creel_log *log, uint64_t offset, bool from_end, size_t max_bytes,
                   int64_t wait_ms, struct creel_log_piece *piece, struct creel_error *error);
void creel_log_close(struct creel_log *log);

/* --- inside a container ---------------------------------------------------- */

/* For the owner of the application and administrators (-EPERM: other users). The client contacts the
 * container's agent: -EHOSTUNREACH if the agent does not answer; -EBUSY: the container does not run. */
enum creel_signal_scope {
    CREEL_SIGNAL_GROUP,                 /* the process group of the container's command */
    CREEL_SIGNAL_MAIN,                  /* the command's process only */
    CREEL_SIGNAL_ALL,                   /* every process of the container */
};
int creel_container_signal(struct creel_client *client, const struct creel_container *container,
                           int signal_number, enum creel_signal_scope scope,
                           struct creel_error *error);

struct creel_exec {
    const char *const *command;         /* ends with NULL */
    int in, out, err;                   /* blocking file descriptors; IN -1: the command has no input */
    bool terminal;                      /* the command runs on a pseudo-terminal of the size of IN's
                                           terminal, which the caller has set to raw mode; its stderr goes
                                           to OUT */
    const char *term;                   /* with TERMINAL: value of TERM; NULL: none */
};

struct creel_exec_end {
    int exit_status;                    /* 0 to 255; 128 + signal; 126, 127: could not be executed */
    char diagnostics[512];              /* "", or why the command did not end by itself */
};

/* Runs a command inside CONTAINER: in its cgroups, as its user, with its environment and directory.
 * Returns when the command has ended. Meanwhile, unless there is a TERMINAL, SIGINT and SIGQUIT are
 * forwarded to the command; a second one, SIGTERM or SIGHUP kills the command (-EINTR). SIGWINCH forwards
 * the terminal's size. These signals of the process are caught, so only one thread may call this function
 * at a time. If the caller dies, the command is killed.
 *   -ECONNRESET  the command was lost: its agent was restarted */
int creel_container_exec(struct creel_client *client, const struct creel_container *container,
                         const struct creel_exec *exec, struct creel_exec_end *end,
                         struct creel_error *error);

/* --- the library ----------------------------------------------------------- */

const char *creel_version(void);        /* "0.1.0" */
uint32_t creel_protocol_version(void);

#ifdef __cplusplus
}
#endif

#endif

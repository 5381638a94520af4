/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel.h - libcreel: submit work to a creel cluster and watch it
 *
 *     struct creel_error error;
 *     struct creel_client *client;
 *     struct creel_job job = { .name = "hello", .command = (const char *[]){ "date", NULL } };
 *     char id[CREEL_ID_MAX];
 *
 *     if (creel_connect(NULL, &client, &error) < 0 || creel_submit(client, &job, id, &error) < 0)
 *             errx(1, "%s", error.text);
 *     puts(id);
 *     creel_disconnect(client);
 *
 * Calls block, at most for the client's timeout unless documented otherwise. A request is repeated within
 * that time if the resource manager (RM) does not answer. A client is used by one thread at a time;
 * different clients are independent.
 *
 * Errors: functions return 0, or a negative errno. error->code is the errno and error->text a sentence for
 * people (ERROR may be NULL). On failure other outputs are unchanged. These codes mean the same everywhere:
 *   -EINVAL        the request or an argument is malformed; do not repeat
 *   -ENOENT        no such application, container, node, queue or file
 *   -EPERM         not permitted for this user
 *   -EBUSY         not possible in the present state (already finished, queue stopped)
 *   -ERANGE        requests more than this cluster could ever allocate
 *   -EFBIG         over a configured limit (size of files, number of tasks)
 *   -EHOSTUNREACH  the RM (or an agent) did not answer, or cannot be reached
 *   -EACCES        the peer does not accept the client's key, or has another key than expected
 *   -EPROTO        the peer has another version of the protocol, or does not know the request
 *   -EAGAIN        not possible now; try again later
 *   -EIO           the RM could not write to its disk, or another failure
 *   -ETIMEDOUT     the expected state was not reached in time
 *   -ENOKEY        the user has no usable certificate, and cannot sign in by MUNGE
 *   -EBADMSG       the configuration is invalid or missing; text has one line for each error
 *   -ENOMEM        out of memory
 *
 * Memory: each result is one block, which the documented function frees with all strings in it. Strings are
 * never NULL; an unknown value is "", 0 or, for exit statuses, CREEL_EXIT_NONE. Memory for a reply of the RM
 * is allocated with checks (-ENOMEM). If others fail, also those of ZeroMQ, the process ends.
 *
 * Compatibility: structs that the library returns may grow at their end. The caller sets structs that it
 * fills to zero first; they may grow, too, with a new soname. Times are milliseconds since 1970, _mb is MiB.
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
    char text[4096]; /* one sentence, or one line for each error */
};

/* --- connection ------------------------------------------------------------ */

struct creel_options {
    const char *rm_address; /* "host:port[,host:port]"; NULL: as configured */
    const char *conf_dir;   /* NULL: CREEL_CONF_DIR, YARN_CONF_DIR, HADOOP_CONF_DIR, /etc/creel */
    const char *key_dir;    /* certificates of the cluster; NULL: as configured */
    const char *user_key;   /* certificate of the user; NULL: as configured */
    const char *as_user;    /* act for another user (proxy users only) */
    int64_t timeout_ms;     /* of each call; 0: 10 s */
    bool needs_listener;    /* without an RM that listens, a call ends after 0.3 s: -EHOSTUNREACH */
};

/* Reads configuration and keys, and creates a client. OPTIONS may be NULL. The first request, not this
 * function, waits for the RM. */
int creel_connect(const struct creel_options *options, struct creel_client **ret, struct creel_error *error);
void creel_disconnect(struct creel_client *client); /* NULL is fine */

const char *creel_rm_address(const struct creel_client *client); /* as it was given, for messages */

/* The user name of the client at the RM. */
struct creel_identity {
    const char *user;
    const char *method; /* "certificate", "munge" or "job": with the token of APP_ID, which else is "" */
    int64_t valid_ms;   /* "munge": time until the key expires, renewed by the client; 0: never */
    const char *app_id;
};
int creel_identity_get(struct creel_client *client, struct creel_identity **ret, struct creel_error *error);
void creel_identity_free(struct creel_identity *identity); /* NULL is fine */

/* Sets the timeout of further calls. */
void creel_set_timeout(struct creel_client *client, int64_t timeout_ms);

/* --- submitting ------------------------------------------------------------ */

/* Sends the files that the RM does not have yet, then the job. Returns 0 when the RM has stored the job on
 * disk. A submission has a random key, so that a repeated request does not submit the job twice. After
 * -EHOSTUNREACH the job may have been submitted. */
int creel_submit(struct creel_client *client, const struct creel_job *job, char app_id[CREEL_ID_MAX],
                 struct creel_error *error);

/* Checks a job as creel_submit does before it sends the job, including the files, which are read. Sends
 * nothing: what only the RM knows (queues, labels, limits) is not checked. */
int creel_submit_check(const struct creel_job *job, struct creel_error *error);

/* The expected result of a submission. */
struct creel_trial {
    const char *queue;                /* path of the queue that it would enter */
    uint32_t nodes_fitting;           /* nodes that are large enough for its largest container */
    uint32_t nodes_with_room;         /* those that have room for it now */
    const char *reason_code, *reason; /* why it would wait; "": it could start at once */
};

/* Checks a job. Submits nothing and sends no file. Errors as of creel_submit; -ERANGE: it could never run. */
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
    struct creel_amount others[CREEL_OTHERS_MAX]; /* amounts of further types */
    size_t other_count;
};

#include "creel-app.h"

struct creel_apps {
    size_t count;
    struct creel_app *items; /* oldest first */
};

struct creel_app_filter { /* all zero: all applications but tasks of arrays */
    const enum creel_app_state *states;
    size_t state_count;
    const char *const *users; /* end with NULL */
    const char *const *queues;
    bool tasks;            /* also tasks of arrays */
    bool launch;           /* sets creel_app.launch */
    bool no_long_commands; /* leaves out commands of more than 1,024 bytes: the list becomes much smaller */
};

bool creel_app_is_over(const struct creel_app *app);
/* Returns attempt_started_ms. An RM of 0.2.0 does not report it: of an application that runs, or has ended in
 * its first attempt, started_ms takes its place. */
int64_t creel_app_attempt_start_ms(const struct creel_app *app);
const char *creel_app_state_name(enum creel_app_state state);        /* "RUNNING" */
const char *creel_final_status_name(enum creel_final_status status); /* "SUCCEEDED" */

/* FILTER may be NULL. */
int creel_app_list(struct creel_client *client, const struct creel_app_filter *filter,
                   struct creel_apps **ret, struct creel_error *error);
/* Returns one application by its id, or the end of its id ("7", "_0007"). */
int creel_app_get(struct creel_client *client, const char *id, struct creel_apps **ret,
                  struct creel_error *error);
/* Returns one application when its version differs from KNOWN_VERSION, or after WAIT_MS (at most 10 s). */
int creel_app_watch(struct creel_client *client, const char *app_id, uint64_t known_version, int64_t wait_ms,
                    struct creel_apps **ret, struct creel_error *error);
/* Waits until the application has ended or, with CREEL_WAIT_RUNNING, runs. LIMIT_MS below 0: no limit.
 * -ETIMEDOUT: the limit has passed. If the RM has answered CLIENT before, it may be unreachable for up to
 * CREEL_PATIENCE_MS meanwhile. */
#define CREEL_PATIENCE_MS 300000
enum creel_wait_for { CREEL_WAIT_RUNNING, CREEL_WAIT_FINISHED };
int creel_app_wait(struct creel_client *client, const char *app_id, enum creel_wait_for what,
                   int64_t limit_ms, struct creel_apps **ret, struct creel_error *error);
int creel_app_kill(struct creel_client *client, const char *app_id, const char *reason,
                   struct creel_error *error);
/* Kills an application without the delay between SIGTERM and SIGKILL. Also works after the application has
 * ended, while its containers are being stopped. */
int creel_app_kill_at_once(struct creel_client *client, const char *app_id, const char *reason,
                           struct creel_error *error);
/* The next functions change an application that has not ended. *RET is its state after the change. The RM
 * stores the change on disk before it answers. -EBUSY: the application has ended. */
int creel_app_move(struct creel_client *client, const char *id, const char *queue, struct creel_apps **ret,
                   struct creel_error *error);
/* Sets the time at which it is killed, by the RM's clock; 0: no limit but that of its queue. */
int creel_app_set_expiry(struct creel_client *client, const char *id, int64_t expires_ms,
                         struct creel_apps **ret, struct creel_error *error);
/* Sets its time limit, which counts from the start of the present attempt, also if it is over already; 0: no
 * limit but that of its queue. APP is from creel_app_get. */
int creel_app_set_time_limit(struct creel_client *client, const struct creel_app *app, int64_t limit_s,
                             struct creel_apps **ret, struct creel_error *error);
/* Kills tasks of an array by their indexes, such as "1-3,7"; *RET is the array. */
int creel_app_kill_tasks(struct creel_client *client, const char *id, const char *tasks, const char *reason,
                         struct creel_apps **ret, struct creel_error *error);
/* Sets the number of tasks that an array submits at a time; 0: no limit. */
int creel_app_set_at_once(struct creel_client *client, const char *id, uint32_t at_once,
                          struct creel_apps **ret, struct creel_error *error);
/* Holds an application: it waits outside its queue. -EBUSY: it has begun. REASON may be NULL. */
int creel_app_hold(struct creel_client *client, const char *id, const char *reason, struct creel_apps **ret,
                   struct creel_error *error);
/* The same, and an application that has begun is held before its next attempt; its present one goes on.
 * -EBUSY: it has ended or is an array whose tasks have begun, or the resource manager is older and the
 * application has begun; -EINVAL: it never starts a second time (no_requeue of struct creel_job). */
int creel_app_hold_next(struct creel_client *client, const char *id, const char *reason,
                        struct creel_apps **ret, struct creel_error *error);
/* Removes the holds that the user may remove. -EPERM: only an administrator may; -EBUSY: there is no hold. */
int creel_app_release(struct creel_client *client, const char *id, struct creel_apps **ret,
                      struct creel_error *error);
void creel_apps_free(struct creel_apps *apps); /* NULL is fine, as for all functions below */

/* Nodes without room for a request. */
struct creel_why_passed {
    const char *reason;      /* "LacksMemory", "Drained", "Lost" */
    uint32_t nodes, fitting; /* FITTING: those that accept no containers, but are large enough */
};

/* Containers of one queue that are preempted. */
struct creel_why_room {
    const char *queue; /* path */
    uint32_t containers;
};

/* One reason for which the application waits or could wait, or how a part of it ended. */
struct creel_why_item {
    const char *code;         /* "QueueLimit", "Nodes", "OutOfMemory" */
    bool blocking;            /* true: it blocks now; false: for information */
    const char *queue, *user; /* the queue or user with the limit; "": none */
    struct creel_resource used, asked, allowed;
    int64_t since_ms;                      /* 0: not known */
    uint32_t nodes;                        /* number of nodes skipped for this reason */
    const char *text;                      /* a sentence */
    const struct creel_why_passed *passed; /* code "Nodes": nodes without room, by reason */
    size_t passed_count;
    bool limits_apps;                  /* it is a limit on applications at a time: */
    int64_t used_apps, allowed_apps;   /* applications that count, and the limit */
    uint32_t room_containers;          /* code "MakingRoom": containers that are preempted for QUEUE */
    int64_t room_first_end_ms;         /* ... the first of them ends then at the latest; 0: not known */
    const struct creel_why_room *room; /* ... by the queues that have them, at most 16 */
    size_t room_count;
};

struct creel_why {
    struct creel_apps *apps;     /* only the application */
    const char *summary;         /* one sentence */
    int64_t waiting_since_ms;    /* 0: it does not wait */
    uint64_t count;              /* containers of its first pending request */
    struct creel_resource asked; /* size of each of them */
    size_t item_count;
    const struct creel_why_item *items; /* the main reason first */
    const char *const *advice;          /* sentences; ends with NULL */
    struct creel_resource fair_share;   /* fair scheduler: of the application; else 0 */
    int64_t starved_since_ms;           /* fair scheduler: below its fair share since then; 0: it is not */
};

int creel_app_why(struct creel_client *client, const char *id, struct creel_why **ret,
                  struct creel_error *error);
void creel_why_free(struct creel_why *why);

/* --- containers ------------------------------------------------------------ */

#include "creel-container.h"
#include "creel-rerun.h"

/* --- nodes, queues, cluster ------------------------------------------------ */

enum creel_node_state {
    CREEL_NODE_RUNNING = 1,
    CREEL_NODE_UNHEALTHY,
    CREEL_NODE_DECOMMISSIONING,
    CREEL_NODE_DECOMMISSIONED,
    CREEL_NODE_LOST,
    CREEL_NODE_REBOOTED,
    CREEL_NODE_SHUT_DOWN, /* "SHUTDOWN" */
    CREEL_NODE_DRAINING,
    CREEL_NODE_DRAINED,
    CREEL_NODE_WAITING, /* not registered: it has seen a state of the RM's store that the RM does not have */
};

/* Why a node is not in service. */
struct creel_node_admin_state {
    const char *by, *reason; /* the administrator, and the reason */
    int64_t since_ms;
    int64_t deadline_ms;          /* its containers get a notice then, and are stopped later; 0: never */
    bool by_file;                 /* because of the lists of hosts */
    uint32_t containers_notified; /* containers with a notice, or being stopped */
    uint32_t apps_left;           /* decommissioning: applications that it waits for */
    bool leaving;                 /* decommissioned or being decommissioned; false: drained */
};

struct creel_node {
    const char *id;
    const char *rack;
    enum creel_node_state state;
    struct creel_resource total;
    struct creel_resource used;
    uint32_t containers;
    int64_t last_heartbeat_ms;
    int64_t registered_ms;
    const char *version; /* of its agent */
    const char *health_report;
    const char *cgroup_mode;
    const char *address;
    uint64_t used_memory_bytes; /* memory in use by its containers, as measured last */
    const char *label;          /* its partition; "": none */
    bool in_service;
    struct creel_node_admin_state admin_state; /* if it is not in service */
    bool resized;                              /* an administrator, RESOURCES_BY, set TOTAL */
    struct creel_resource offered;             /* if it was resized: resources that its agent offers */
    int64_t resources_until_ms;                /* if it was resized: end of TOTAL; 0: at the next change */
    const char *resources_by;
    int64_t silent_ms; /* since its last heartbeat, by the RM's clock */
    /* above 0: its agent is silent, and the node counts as lost after this time */
    int64_t lost_in_ms;
    bool clock_measured;
    int64_t clock_skew_ms;            /* its clock minus the resource manager's */
    int64_t clock_error_ms;           /* maximum error of the difference */
    const char *http_address;         /* host:port of its REST interface; "": none */
    uint64_t node_memory_bytes;       /* in use on the whole node; 0: not known */
    uint32_t cpu_millicores;          /* processors that its containers use */
    uint32_t node_cpu_millicores;     /* processors in use on the whole node */
    uint64_t containers_memory_bytes; /* in use by its containers, as its agent reported last */
    const char *warning;              /* of its agent, about its configuration */
    const char *stuck_report;         /* names the first of them, and the process */
    /* out of service with a deadline or kill_now: latest end of its containers */
    int64_t containers_end_ms;
    uint32_t containers_stuck; /* containers with a process that was killed and does not end */
    const char *reserved_for;  /* the application whose request the node is reserved for */
    struct creel_resource reserved;
};

struct creel_nodes {
    size_t count;
    uint64_t version; /* for creel_node_watch */
    struct creel_node *items;
};
const char *creel_node_state_name(enum creel_node_state state);
/* NODE NULL: all nodes; else one by id, host, or a unique beginning of an id. */
int creel_node_list(struct creel_client *client, const char *node, struct creel_nodes **ret,
                    struct creel_error *error);
void creel_nodes_free(struct creel_nodes *nodes);

#include "creel-queue.h"

struct creel_label { /* a partition of the cluster */
    const char *name;
    bool exclusive;              /* its nodes serve only requests that name it */
    uint32_t nodes;              /* number of registered nodes that have it */
    struct creel_resource total; /* sum of their resources */
    const char *source;          /* why it exists: configuration (creel.node-labels), command
                                    (creel-admin.h), queue (a queue names it), node (a node has it) */
    const char *by;              /* command: the administrator who added it; else "" */
    int64_t since_ms;            /* command: when it was added; else 0 */
};

enum creel_health { CREEL_HEALTH_OK, CREEL_HEALTH_WARNING, CREEL_HEALTH_FAILED };

struct creel_check { /* of the health of the RM */
    const char *name;
    enum creel_health result;
    const char *text, *remedy; /* what is wrong, and what to do; REMEDY "": the result is ok */
    int64_t since_ms;          /* since when it is wrong; 0: not known, or ok */
    const char *const
        *causes; /* ends with NULL: all of which TEXT names the first ones; none: TEXT has all */
};

/* A user who has reached 80 % or more of a limit on what the RM keeps for a user. */
struct creel_user_limit {
    const char *user, *key; /* KEY: the configuration key of the limit */
    uint64_t used, limit;   /* jobs, bytes or rows of requests, by KEY */
};

struct creel_cluster {
    int64_t cluster_ms; /* part of every id of this cluster */
    int64_t started_ms; /* start of the RM */
    int64_t now_ms;     /* the RM's clock */
    uint32_t epoch;     /* number of the RM's start, from 0 */
    const char *version;
    const char *scheduler;
    struct creel_resource total;
    struct creel_resource used;
    struct creel_resource minimum_allocation;
    struct creel_resource maximum_allocation;
    uint32_t nodes_running;
    uint32_t nodes_lost;
    uint32_t nodes_unhealthy;
    uint32_t nodes_draining;
    uint32_t nodes_drained;
    uint32_t nodes_decommissioning;
    uint32_t nodes_decommissioned;
    uint32_t nodes_waiting;
    uint32_t apps_pending;
    uint32_t apps_running;
    uint64_t apps_finished;
    uint64_t apps_failed;
    uint64_t apps_killed;
    uint32_t containers;
    const char *user;     /* the user as whom requests are made */
    int64_t refreshed_ms; /* last refresh of the queues, successful or not; 0: never */
    const char *refreshed_by;
    const char *refresh_error; /* "": it succeeded */
    const struct creel_label *labels;
    size_t label_count;
    /* the node whose clock differs most from the RM's; "": none was measured */
    const char *clock_node;
    int64_t clock_skew_ms;       /* its clock minus the RM's */
    uint32_t nodes_silent;       /* nodes in service whose agents have missed several heartbeats */
    const char *silent_node;     /* the one that has been silent longest; "": none */
    uint32_t nodes_skewed;       /* nodes whose clock differs by more than the configured limit */
    const char *history_problem; /* why the history is incomplete; "": it is complete */
    const struct creel_check *checks;
    size_t check_count; /* 0: the RM is of release 0.2.0, which sends none */
    const struct creel_user_limit *near_limits;
    size_t near_limit_count;
};

int creel_cluster_info(struct creel_client *client, struct creel_cluster **ret, struct creel_error *error);
void creel_cluster_free(struct creel_cluster *cluster);

/* --- logs ------------------------------------------------------------------ */

struct creel_log; /* one log file of one container, open for reading */

struct creel_log_piece {
    uint64_t offset;  /* of the first byte of DATA */
    const void *data; /* valid until the next read of this log */
    size_t size;      /* 0: there is no more output (yet) */
    uint64_t file_size;
    bool finished; /* the container has ended: the file does not grow any more */
};

/* Opens a log of a running or ended container. FILE is "stdout" or "stderr", or, for results
 * (creel_job.fetch), "results.txt", their list, or "results.tar". The agent of the container is not contacted
 * yet. -EHOSTUNREACH: the node of the container is not connected. */
int creel_log_open(struct creel_client *client, const struct creel_container *container, const char *file,
                   struct creel_log **ret, struct creel_error *error);
/* Reads from OFFSET (FROM_END: counted back from the end), at most MAX_BYTES (0: the maximum of one message).
 * If there is no output yet, waits up to WAIT_MS (at most 60 s) for it. The log is read from the container's
 * agent. -EHOSTUNREACH: the agent does not answer; -ENOENT also if the log has been deleted. */
int creel_log_read(struct creel_log *log, uint64_t offset, bool from_end, size_t max_bytes, int64_t wait_ms,
                   struct creel_log_piece *piece, struct creel_error *error);
/* When the file changed last, as of the last read; 0: not known, or nothing was read. */
int64_t creel_log_modified_ms(const struct creel_log *log);
void creel_log_close(struct creel_log *log);

/* --- inside a container ---------------------------------------------------- */

/* The next two functions are only for the owner of the application and administrators (-EPERM). They send
 * requests to the container's agent. -EHOSTUNREACH: the agent does not answer; -EBUSY: the container does not
 * run. */
enum creel_signal_scope {
    CREEL_SIGNAL_GROUP,  /* the process group of the container's command */
    CREEL_SIGNAL_MAIN,   /* only the command */
    CREEL_SIGNAL_ALL,    /* every process of the container */
    CREEL_SIGNAL_OTHERS, /* all but the command; an agent of 0.2.0 refuses it */
    CREEL_SIGNAL_STEPS,  /* those of the steps of srun, also if there are none; all but the command if the
                            container never had a step. An agent of 0.2.0 refuses it */
};
int creel_container_signal(struct creel_client *client, const struct creel_container *container,
                           int signal_number, enum creel_signal_scope scope, struct creel_error *error);

struct creel_exec {
    const char *const *command; /* ends with NULL */
    int in, out, err;           /* descriptors, blocking; IN -1: the command has no input */
    bool terminal;              /* the command gets a terminal of the size of the terminal IN, which
                                   the caller has set to raw mode; its errors are written to OUT */
    const char *term;           /* if TERMINAL: environment variable TERM; NULL: not set */
};

struct creel_exec_end {
    int exit_status;       /* 0 to 255; 128 + signal; 126, 127: could not be run */
    char diagnostics[512]; /* why it ended; "": it exited by itself */
};

/* Runs a command inside CONTAINER: in its control groups, as its user, with its environment and
 * directory. Returns when the command has ended. Meanwhile this function handles signals of the
 * process, so only one thread may call it at a time. The first SIGINT or SIGQUIT is forwarded to the
 * command. A second one, SIGTERM or SIGHUP ends the command (-EINTR). With TERMINAL, SIGWINCH sends the
 * new size of the terminal. If the calling process ends, the command is killed.
 *   -ECONNRESET  the command was lost because its agent was restarted */
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

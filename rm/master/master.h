/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master.h - the core of the resource manager: events in, effects out
 *
 * Keeps applications, attempts, containers and nodes as state machines; does liveness, recovery, admission
 * and the requests of clients. Pure: no clock (NOW_MS comes with each event), no I/O, no threads, no
 * randomness. The daemon (rm/net, called the shell below) passes received messages to the core and carries
 * out the effects; the simulator does the same on a virtual network. docs/architecture.md describes the
 * layers of its files.
 *
 * Messages are the structs of the schema (common/proto/creel.proto). common/io/wire/wire.h has checked them:
 * sizes within bounds, valid ids, enums in range. struct master_peer is their authenticated sender.
 *
 * Durability: the STORE effects are numbered 1, 2, 3, ... The shell commits them in order, many in a
 * transaction, and calls master_on_stored. Nothing is acknowledged to a client or an agent before the rows
 * that the acknowledgement depends on are committed: the core delays such replies until then, so that the
 * shell may send each SEND effect at once.
 */
#ifndef CREEL_RM_MASTER_H
#define CREEL_RM_MASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/id.h"
#include "common/base/protocol_range.h"
#include "common/base/resource.h"
#include "common/proto/creel.pb-c.h"

struct conf;
struct master; /* opaque */
struct sched;  /* rm/sched/sched.h */
struct sched_config;

enum master_seen {
    MASTER_SEEN_OURS,     /* part of the present history */
    MASTER_SEEN_ACCEPTED, /* not part of it, and an operator accepted its loss */
    MASTER_SEEN_NEWER,    /* of this store, but newer than the present state */
    MASTER_SEEN_OTHER,    /* of another store */
};

/* Limits on what is kept for one user; 0: none. */
struct master_user_limits {
    uint32_t jobs;       /* that have not ended */
    uint64_t job_bytes;  /* size of these, and of those that have ended and are remembered */
    uint64_t file_bytes; /* of the files of jobs that have not ended */
    uint32_t asks;       /* rows of the requests of the AMs */
};

/* What agents of nodes in service, and creel-web, report and an operator has to repair. The texts name the
 * first ones. */
struct master_node_faults {
    uint32_t stuck;    /* containers with a process that was killed and does not end */
    uint32_t flapping; /* nodes that become silent again and again (flapping.h) */
    const char *flapping_text;
    uint32_t starting; /* containers whose start takes long (starting.h) */
    uint32_t failing;  /* nodes on which most containers fail soon after their start (failing.h) */
    const char *failing_text;
    uint32_t web_services, web_silent; /* processes creel-web that report; those that do not any more */
    const char *web_silent_text;
    uint32_t common;         /* nodes that have the same fault (common_faults.h); 0: no fault is common */
    bool common_everywhere;  /* no node is without it, and it prevents or ends containers */
    const char *common_text; /* with the number of nodes */
    uint32_t versions;       /* nodes of another version than this build */
    uint32_t expiring,
        expired; /* TLS certificates that end soon (certificate_time.h); those that have ended */
    uint32_t
        reports; /* healthy nodes that report a problem, as logs that cannot be moved to shared storage */
    uint32_t crashing; /* nodes whose agents end again and again without being stopped */
    const char *stuck_text, *starting_text, *versions_text, *certificates_text, *reports_text, *crashing_text;
};

/* Queues that accept no applications. */
struct master_stopped_queues {
    bool root;       /* then all others, too */
    bool fallback;   /* root.default, the queue of jobs that name none */
    bool every_leaf; /* every queue that may have applications */
};

struct master_config {              /* copied by master_new */
    const char *version;            /* of this build, for ClusterInfo and RegisterNodeReply */
    struct protocol_range protocol; /* versions of the protocol that this build accepts */
    const char *scheduler;          /* "fifo" */
    struct resource minimum_allocation, maximum_allocation;
    int64_t heartbeat_interval_ms;
    int64_t node_expiry_ms, am_expiry_ms, container_expiry_ms;
    int64_t untracked_ms; /* time after which a node is forgotten that is not connected and in
                             no list of hosts, although the include list is not empty */
    int64_t am_memory_mb; /* memory of the built-in AM, before rounding */
    uint32_t max_attempts;
    bool avoid_failed_nodes;   /* the first container of an attempt is not placed on nodes where those of
                                  earlier attempts failed ... */
    double failed_nodes_share; /* ... while those are less than this share of the nodes */
    uint32_t max_completed_apps;
    uint32_t max_completed_containers; /* of one application that runs (completed.h) */
    uint32_t max_tasks;
    struct master_user_limits user_limits;
    size_t am_reply_bytes;          /* maximum size of the lists in one message to an AM; 0: a size that keeps
                                messages below 1 MiB and 64 KiB */
    int64_t stop_after_ms;          /* for containers whose jobs do not set this: time without contact
                                between agent and resource manager after which they end; 0: they
                                continue */
    bool log_aggregation;           /* nodes move logs of ended applications to shared storage */
    int64_t log_timeout_ms;         /* ... and have this time after the end */
    uint32_t nodes_per_certificate; /* nodes of one host that are in contact at a time; 0: no limit */
    struct resource node_maximum;   /* largest memory and vcores of a node; 0: no limit */
    int64_t clock_skew_ms;          /* a node whose clock differs by more is counted in ClusterInfo */
    int64_t clock_set_ms;           /* by how much the clock was set since the times in the rows were made */
    int64_t evict_notice_ms;        /* between announcement and stop of an evicted container */
    const char *admin_users;        /* "*" or users, blank- or comma-separated */
    const char *proxy_users;
    bool queue_admins_change_conf;    /* administrators of a queue may change it with ChangeSchedulerConf */
    bool has_notify_command;          /* events of jobs are passed to a command, which may send mail */
    bool user_metrics;                /* the metrics have the memory of each user in each queue */
    bool job_tokens;                  /* containers get a token with which their processes act as the user */
    bool acl_enable;                  /* false: every user may see and kill every application, as in YARN */
    bool assign_on_demand;            /* offer free nodes as soon as resources are requested, not only at
                                         the next heartbeat */
    const struct sched_config *sched; /* NULL: built from SCHEDULER, the limits and ASSIGN_ON_DEMAND.
                                         Otherwise used instead of these; the master owns its parts once
                                         master_new succeeded */

    /* Signs PAYLOAD (AmGrant, JobGrant, ContainerGrant, LogGrant) as a SignedToken of KIND and returns the
     * bytes, in ARENA. Container and log tokens are valid on the node NODE_ID alone; AM and job tokens have
     * none (NULL). A log token with NULL is for a client of an earlier release: it is empty if such tokens
     * are not valid any more. A callback, since the shell keeps the keys. */
    ProtobufCBinaryData (*sign)(void *context, struct arena *arena, Creel__TokenKind kind,
                                const char *node_id, const ProtobufCMessage *payload);
    /* Fills KEYS, in ARENA, with the present keys of the tokens of the node NODE_ID, for
     * RegisterNodeReply and, after master_keys_changed, for the next HeartbeatReply of each node. Returns
     * their number. */
    size_t (*token_keys)(void *context, struct arena *arena, const char *node_id, Creel__TokenKey *keys,
                         size_t room);
    /* Returns the groups of USER on this host, the primary one first, in ARENA. NULL: no user has groups.
     * Called at submission, to store the groups with the application, and to check access. */
    size_t (*groups)(void *context, struct arena *arena, const char *user, const char *const **ret);
    /* Returns the address of HOST as text, in ARENA; NULL: unknown. If the callback itself is NULL, an
     * address in a list of hosts matches only nodes whose name is that address. */
    const char *(*address)(void *context, struct arena *arena, const char *host);
    /* Adds to METRICS, in ARENA, what the shell measures. The callback may be NULL. */
    void (*metrics)(void *context, struct arena *arena, Creel__Metrics *metrics);
    /* Sets the checks and the history_problem of INFO, in ARENA, and adds to near_limits. The callback may be
     * NULL. */
    void (*health)(void *context, struct arena *arena, const struct master_node_faults *faults,
                   const struct master_stopped_queues *stopped, Creel__ClusterInfo *info);
    /* Returns the CURVE public key (Z85) of the AM of an attempt, borrowed until the next call; NULL:
     * unknown. The callback itself may be NULL: then no keys are announced to agents. */
    const char *(*attempt_key)(void *context, const char *attempt_id);
    /* Returns true if USER has a credential by which it may be a client. The callback may be NULL: then all
     * users have one. */
    bool (*has_credential)(void *context, const char *user);
    /* history returns the history of the store as far as it is committed (RET points to data that is valid
     * until the next commit); judge_history compares it with SEEN, the history that an agent has seen. The
     * callbacks are NULL if there is no history. */
    void (*history)(void *context, Creel__History *ret);
    enum master_seen (*judge_history)(void *context, const Creel__History *seen);
    /* Returns true if the time of a query is used up. A list then ends its page after at least one row. If
     * the callback is NULL, only the size limits a page. */
    bool (*time_is_up)(void *context);
    bool (*brief_time_is_up)(void *context); /* the same for a brief page */
    void *context;
};

/* Which hosts may be part of the cluster (yarn-behaviour 15). */
struct master_host {
    const char *name; /* name or address of a host, or id of a node */
    bool timed;
    int64_t timeout_ms; /* if TIMED: timeout of its decommissioning; below 0: none */
};

struct master_hosts {                            /* copied */
    const struct master_host *include, *exclude; /* no INCLUDE list: all hosts are allowed */
    size_t include_count, exclude_count;
    int64_t timeout_ms; /* default timeout of graceful decommissioning */
};

/* --- effects --------------------------------------------------------------- */

enum master_channel { MASTER_AGENT, MASTER_AM, MASTER_CLIENT, MASTER_ADMIN };

struct master_peer {
    enum master_channel channel;
    uint64_t connection;   /* number of the connection, given by the shell; never 0 */
    const char *principal; /* agent name or user name; for MASTER_AM the attempt id
                              that its verified token names */
    const char *job; /* id of the application whose job token the user has shown; NULL: none. Such a peer
                              has no rights of an administrator */
};

enum master_effect_kind {
    MASTER_SEND,      /* send ENVELOPE to CONNECTION on CHANNEL; may be lost */
    MASTER_STORE_APP, /* insert or replace the row of message->app_id ... */
    MASTER_STORE_ATTEMPT,
    MASTER_STORE_CONTAINER,
    MASTER_STORE_SETTING, /* insert or replace; a setting without a value: delete */
    MASTER_STORE_NODE,
    MASTER_STORE_SCHEDULER_CONF, /* insert; configurations that are too old may be deleted */
    MASTER_FORGET_APP,           /* delete APP_ID with its attempts and containers. If it has ended, the shell
                                    may do it later; if it recovers the application, this effect
                                    is repeated */
    MASTER_FORGET_CONTAINER,     /* delete CONTAINER_ID, which has ended; the shell may do it later. If it
                                    recovers the container, this effect may be repeated */
    MASTER_RELOAD,               /* read the configuration of queues, then master_reload with
                            RELOAD */
    MASTER_RELOAD_HOSTS,         /* read the lists of hosts, then master_reload_hosts */
    MASTER_SCHEDULER_CONF, /* answer the request ENVELOPE, GetSchedulerConf or ChangeSchedulerConf; for the
                              latter: build the configuration, then master_reload with RELOAD */
    MASTER_REFRESH_ACCESS, /* answer the request ENVELOPE, RefreshAccess: read that part of the configuration;
                              for access lists: master_set_access */
    MASTER_LOG_LEVEL,      /* set the level of the log to LOG_LEVEL */
    MASTER_EVENT,          /* note EVENT, which has happened and is on disk */
    MASTER_ACCEPT,         /* store that the loss of HISTORIES is accepted, then master_accepted with
                              RELOAD */
};

/* The request to refresh queues or lists of hosts. */
struct master_reload {
    enum master_channel channel;
    uint64_t connection, request_id; /* CONNECTION 0: there is no reply */
    const char *user;                /* user who requested it, or the cause: "SIGHUP" */
    Creel__RefreshKind kind;         /* of lists of hosts: graceful or immediate decommissioning of newly
                                        excluded hosts */
    bool timeout_given;
    int64_t timeout_ms;
    const char *principal; /* of a request: the peer, which acts for USER */
    const Creel__StoredSchedulerConf
        *changed; /* queue configuration of a ChangeSchedulerConf, to be stored if it is accepted; NULL
                     for other requests */
    const Creel__SchedulerConfVersion *version; /* with CHANGED: the properties that it changes */
};

struct master_effect {
    enum master_effect_kind kind;
    uint64_t store_seq; /* number of STORE and FORGET effects; 0: another effect, which stores nothing */
    enum master_channel channel;
    uint64_t connection;
    Creel__Envelope *envelope; /* allocated in the arena, as everything below */
    ProtobufCBinaryData app;   /* a StoredApp, packed; APP_ID is its id */
    Creel__StoredAttempt *attempt;
    Creel__StoredContainer *container;
    Creel__StoredSetting *setting;
    Creel__StoredNode *node;
    const Creel__StoredSchedulerConf *scheduler_conf;
    const char *app_id;
    const char *container_id; /* of MASTER_FORGET_CONTAINER */
    bool ended;               /* of MASTER_FORGET_APP: the application has ended */
    struct master_reload reload;
    Creel__LogLevel log_level;
    const Creel__Event *event; /* if a notify command gets it: APP is the row of its application then */
    const Creel__History *const *histories;
    size_t history_count;
};

/* The effects of one step, in order. The caller owns them, carries them out and then resets the struct; all
 * memory is in ARENA. */
struct master_effects {
    struct arena *arena;
    struct master_effect *items;
    size_t count, capacity;
    Creel__NodeList
        *watched; /* list of the nodes that are not in service, for replies (wait.c); NULL: none */
};

void master_effects_init(struct master_effects *effects);
void master_effects_reset(struct master_effects *effects);
void master_effects_done(struct master_effects *effects);

/* --- life ------------------------------------------------------------------ */

/* Creates an empty master. CLUSTER_MS, the time at which the state store was created, is part of all ids;
 * EPOCH counts the starts of the resource manager from 0; STARTED_MS is the present time. -EINVAL: the
 * configuration is contradictory. */
int master_new(const struct master_config *config, int64_t cluster_ms, uint32_t epoch, int64_t started_ms,
               struct master **ret, struct err *err);
void master_free(struct master *master); /* NULL is fine */

/* Recovery: the caller passes every stored row, applications in order of id, each followed by its attempts
 * and then its containers, and calls master_recover_done at the end. An invalid row is refused (-EINVAL,
 * nothing changed), so that the shell can put that row aside and continue. */
int master_recover_app(struct master *master, const Creel__StoredApp *row, struct err *err);
int master_recover_attempt(struct master *master, const Creel__StoredAttempt *row, struct err *err);
int master_recover_container(struct master *master, const Creel__StoredContainer *row, struct err *err);
/* A setting of an administrator; before or after the rows of applications. */
int master_recover_setting(struct master *master, const Creel__StoredSetting *row, struct err *err);
/* The row of a node; before or after the rows of applications. */
int master_recover_node(struct master *master, const Creel__StoredNode *row, struct err *err);
/* Sets the lists of hosts at the start; without lists all hosts may be part of the cluster. */
void master_recover_hosts(struct master *master, const struct master_hosts *hosts);
/* Sets the highest number that an application ever had, including forgotten ones, so that no number is used
 * again. */
void master_recover_last_app(struct master *master, uint32_t seq);
/* A change of the configuration of queues, with the properties that it changed; in the order of versions. */
void master_recover_scheduler_conf(struct master *master, const Creel__SchedulerConfVersion *version);
void master_recover_done(struct master *master, int64_t now_ms, struct master_effects *effects);

/* --- events ---------------------------------------------------------------- */

/* Handles one request of PEER. A request that is not allowed on PEER's channel, or a reply, is answered with
 * Error BAD_REQUEST. The shell answers GetBlob, HaveBlobs and PutBlob itself and never passes them on. */
void master_on_message(struct master *master, int64_t now_ms, const struct master_peer *peer,
                       const Creel__Envelope *envelope, struct master_effects *effects);

/* Handles JoinNode or GetIdentity of a peer that has connected with the key of a join token; PEER's
 * principal is the id of the token. The shell has checked that the host has no certificate. */
void master_on_join(struct master *master, int64_t now_ms, const struct master_peer *peer,
                    const Creel__Envelope *envelope, struct master_effects *effects);

/* Notes that rows up to STORE_SEQ are on disk. */
void master_on_stored(struct master *master, int64_t now_ms, uint64_t store_seq,
                      struct master_effects *effects);

/* Notes that rows up to STORE_SEQ could not be written (disk full), for the reason WHY. Submissions among
 * them are refused (ERROR_STORE) and undone; the shell continues to retry all other rows, in order. Until a
 * later master_on_stored the master refuses new submissions, and changes of users who are no administrators,
 * since their rows and replies would wait in memory. */
void master_on_store_failed(struct master *master, int64_t now_ms, uint64_t store_seq, const char *why,
                            struct master_effects *effects);

/* Notes that the rows that are written now are not found by the next start, for the reason WHY, as that the
 * file of the state was removed; NULL: they are. Meanwhile the master refuses submissions and changes of
 * users, as after master_on_store_failed. */
void master_set_store_lost(struct master *master, const char *why);

/* Handles deadlines. To be called at the time that master_next_deadline_ms returns (INT64_MAX: none). */
void master_on_timer(struct master *master, int64_t now_ms, struct master_effects *effects);
int64_t master_next_deadline_ms(const struct master *master);

/* Sets by how much the machine's wall clock is ahead of the times that the events carry. Begin times and
 * deadlines of jobs are compared with the wall clock; all else, as time limits, with the times of the
 * events. To be called often; small changes are ignored. The next deadline may have changed after it. */
void master_set_wall_ahead(struct master *master, int64_t wall_ahead_ms);

/* Notes that the keys of container tokens have changed: nodes receive the new keys with their next
 * HeartbeatReply. The next Allocate of each AM is answered with AM_RESYNC; the AM registers again and gets
 * new tokens for its running containers. */
void master_keys_changed(struct master *master);

/* Sets who are administrators and proxies, as in struct master_config; the texts are copied. */
void master_set_access(struct master *master, const char *admin_users, const char *proxy_users,
                       bool acl_enable);

/* Reads yarn.admin.acl and yarn.acl.enable from CONF for the access lists of queues. CONF is not stored. */
void master_read_queue_access(struct master *master, const struct conf *conf);

/* Sets the limits on what is kept for one user. What is above a limit already stays. */
void master_set_user_limits(struct master *master, const struct master_user_limits *limits);
/* Adds the limit KEY on USER, of whose LIMIT (0: none) USED is used, to INFO, in ARENA, if most of it is
 * used. */
void master_report_limit(struct arena *arena, Creel__ClusterInfo *info, const char *user, const char *key,
                         uint64_t used, uint64_t limit);
/* Counts a change of a user that the shell has refused, since too many of that user wait. */
void master_count_refused_request(struct master *master);

/* Returns the report of an application out of its ROW, in ARENA; messages in it are borrowed from ROW. It has
 * all that does not change any more when the application has ended. COMMAND_MAX: the size of the command,
 * which ends with "[...]" if it is longer; 0: none. DEPENDENCIES_MAX: maximum number of dependencies. */
Creel__AppReport *master_row_report(struct arena *arena, const Creel__StoredApp *row, size_t command_max,
                                    size_t dependencies_max);

#define MASTER_COMMAND_SHORT_MAX 1024u /* bytes of all words, with their 0 bytes */
#define MASTER_DEPENDENCIES_SHORT_MAX 8u
/* Returns whether a command of COUNT words and a number of dependencies are never left out of a report
 * (AppReport.command_left_out). */
bool master_lists_are_short(char *const *words, size_t count, size_t dependencies);
/* Returns the reason code of the exit status of an ended container: "Exit", "OutOfMemory", ... */
const char *master_end_code(int32_t status);
#define MASTER_ENDS_SHOWN 5 /* ended containers in an explanation */
/* Returns true if a container that ended with STATUS explains the end of its application; false if it
 * succeeded, or was stopped with the application or because of its end. STOPPED: the application was killed,
 * or the container is a task of an attempt that another followed. */
bool master_explains_end(bool stopped, int32_t status);
/* Returns a sentence about the end of a container, in ARENA, for a further item of REPLY: a reason that REPLY
 * has already is not repeated. DIAGNOSTICS may be NULL. */
char *master_end_text(struct arena *arena, const Creel__AppExplanation *reply, const char *container_id,
                      const char *node_id, int32_t status, const char *diagnostics);

/* Notes the level of the log, for SetLogLevel. To be called at the start, and if the level changes
 * otherwise than by MASTER_LOG_LEVEL. */
void master_log_level_is(struct master *master, Creel__LogLevel level);

/* Texts for the reply to a refresh; borrowed. */
struct master_remarks {
    const char *const *warnings;
    const char *const *changes; /* each key with another value, as "<key>: <old> -> <new>" */
    size_t warning_count, change_count;
};

/* Applies CONFIG (NULL: reading the configuration failed, for the reason in ERR) and replies with REMARKS.
 * 0: the master owns the parts of CONFIG now, and the caller may free the configuration that owned the
 * previous parts. -EINVAL: nothing changed, the caller still owns the parts of CONFIG, and ERR has the
 * reason. */
int master_reload(struct master *master, int64_t now_ms, const struct master_reload *reload,
                  const struct sched_config *config, const struct master_remarks *remarks, struct err *err,
                  struct master_effects *effects);

/* Parts of the configuration that are refreshed beside the queues. */
enum master_part { MASTER_PART_HOSTS, MASTER_PART_ACCESS, MASTER_PART_GROUPS, MASTER_PARTS };

/* Notes the end of a refresh of PART for USER: ERROR, why it was refused, is reported with those of the
 * queues until PART is refreshed; NULL: it was accepted. */
void master_note_refresh(struct master *master, int64_t now_ms, enum master_part part, const char *user,
                         const char *error, struct master_effects *effects);

struct master_hosts_result {
    uint32_t leaving, left; /* nodes that are being, or have been, decommissioned because of the
                               lists */
    uint32_t returned;      /* nodes that may register again from now on */
    char **changes;         /* "<object>: <old> -> <new>"; in the arena of the effects */
    size_t change_count;
};

/* Applies HOSTS (NULL: reading the lists failed, for the reason in ERR) and replies. RET (may be NULL): the
 * result. */
void master_reload_hosts(struct master *master, int64_t now_ms, const struct master_reload *reload,
                         const struct master_hosts *hosts, const struct err *err,
                         struct master_hosts_result *ret, struct master_effects *effects);

/* Notes that the store has accepted the loss of histories; EPOCH and LAST_APP_SEQ are its new values. ERR:
 * accepting failed. */
void master_accepted(struct master *master, int64_t now_ms, const struct master_reload *asked, uint32_t epoch,
                     uint32_t last_app_seq, const struct err *err, struct master_effects *effects);

size_t master_live_nodes(const struct master *master); /* registered, and not lost */
size_t master_live_apps(const struct master *master);  /* applications that have not ended */

/* Returns the units of work (turns.h) of all steps so far. */
uint64_t master_work(const struct master *master);

/* --- queries --------------------------------------------------------------- */

/* Returns true if a request with BODY is a query: a query only reads, and is answered in the step that
 * handles it; the shell may handle it later than other requests. Queries are ListApps, ListContainers,
 * ListNodes, ListQueues, ListQueueUsers, GetQueueAccess, ListLabels, GetClusterInfo, GetChanges, GetMetrics,
 * ListEvents, ExplainApp, TestApp, ListAccessTokens and FindAccessToken. */
bool master_is_query(Creel__Envelope__BodyCase body);

/*
 * Answers QUERY as USER sees it, outside of any step; for tests (creel-web asks over a channel). The caller
 * has checked QUERY as a received message (common/io/wire/wire.h), and has authenticated USER. Nothing is
 * stored
 * or sent. *RET is the reply, or an Error, in ARENA. -ENOTSUP: master_is_query is false for QUERY.
 */
int master_query(struct master *master, int64_t now_ms, const char *user, const Creel__Envelope *query,
                 struct arena *arena, const Creel__Envelope **ret);

/* --- applications that only the history has -------------------------------------- */

/* Returns true if TEXT is the id, or the number ("7", "_0007"), of an application that the master does not
 * have and may have had. ID is the whole id then. */
bool master_has_forgotten(const struct master *master, const char *text, struct app_id *id);
/* The same for a task, "42_7": sets the id of its array, and its index. */
bool master_has_forgotten_task(const struct master *master, const char *text, struct app_id *array,
                               uint32_t *index);
/* Finds the forgotten applications that the dependencies of REQUEST, a SubmitApp, name. Returns their
 * number, and their ids in IDS (NULL if there are none). The caller frees IDS. */
size_t master_forgotten_parents(const struct master *master, const Creel__Envelope *request,
                                struct app_id **ids);

struct master_ended { /* the result of an application that has been forgotten */
    struct app_id id;
    Creel__FinalStatus final_status;
    int exit_status;
};
/* Sets the forgotten applications that dependencies of submissions may name from now on. ENDED is borrowed
 * until the next call. COUNT 0: none. */
void master_set_ended(struct master *master, const struct master_ended *ended, size_t count);
/* Returns the user for whom PEER sends ENVELOPE. NULL: PEER may not act for that user; ERR has the reason.
 * */
const char *master_acting_user(struct master *master, const struct master_peer *peer,
                               const Creel__Envelope *envelope, struct err *err);

enum master_right { MASTER_MAY_SEE, MASTER_MAY_LIST, MASTER_MAY_READ_LOGS };
/* Returns true if USER has RIGHT on the application of REPORT: to see all fields, to list its containers, or
 * to read its logs. JOB is as in struct master_peer. */
bool master_may(struct master *master, const char *user, const char *job, enum master_right right,
                const Creel__AppReport *report);
/* Signs GRANT, whose app_id and user are set, for each node of the request BODY, as valid from NOW_MS on.
 * Fills RET, in ARENA. The caller has checked that the user may. -EINVAL: a client of an earlier release,
 * which names no node, and tokens for all nodes are not valid any more. */
int master_log_access(const struct master *master, struct arena *arena, const Creel__GetLogAccess *body,
                      const Creel__LogGrant *grant, int64_t now_ms, Creel__LogAccess *ret, struct err *err);
/* Clears the fields of REPORT, an unpacked message, that USER, with JOB, may not see. */
void master_hide(struct master *master, const char *user, const char *job, Creel__AppReport *report);

/* Calls EACH for the job of every application that has not ended or still has containers, to find the files
 * in use; also for those that have ended without success and have at most MASTER_RERUN_FILES_MAX bytes of
 * files, so that they can run again (GetRerun): of each user the newest, until their files have together
 * MASTER_RERUN_FILES_OF_USER_MAX bytes. A file of many jobs counts once. */
#define MASTER_RERUN_FILES_MAX ((uint64_t)1 << 20)
#define MASTER_RERUN_FILES_OF_USER_MAX ((uint64_t)64 << 20)
#define MASTER_RERUN_BLOCK 4096u /* smallest size that a file counts with there */
void master_each_live_job(const struct master *master, void (*each)(void *context, const Creel__JobSpec *job),
                          void *context);

/* Returns true if an AM of the attempt may be running: from the allocation of its first container until the
 * attempt has ended. */
bool master_attempt_lives(const struct master *master, const char *attempt_id);
/* Returns the user of the application of an attempt; NULL: the attempt is not known. Borrowed. */
const char *master_attempt_user(const struct master *master, const char *attempt_id);
/* Returns true if the answer to REQUEST of the AM of an attempt is long though the request is short: the
 * list of its containers, or the repetition of a long reply. Such a request has to wait for the turn of its
 * user. */
bool master_answer_is_long(const struct master *master, const char *attempt_id,
                           const Creel__Envelope *request);
/* Returns the user of an application, borrowed; NULL: there is none with this id, or it has ended and so have
 * all of its containers: their processes may act as the user until then, as in the grace of a time limit. */
const char *master_live_user(const struct master *master, const char *app_id);
/* Calls EACH for all attempts for which master_attempt_lives is true. */
void master_each_live_attempt(const struct master *master,
                              void (*each)(void *context, const char *attempt_id), void *context);
/* Calls EACH for all applications that have not ended and of which a container may have been started, also
 * if they wait for another attempt. */
void master_each_begun_app(const struct master *master, void (*each)(void *context, const char *app_id),
                           void *context);

/* Return the id of the join token, or the name of the host that has joined, with the key PUBLIC_TEXT;
 * NULL: there is none. A token that has expired or is used up is found as well; master_on_join refuses
 * that peer. */
const char *master_join_token(const struct master *master, const char *public_text);
const char *master_joined_host(const struct master *master, const char *public_text);
/* Calls EACH for every node that the recovered rows name and that has not registered since; for tests. */
void master_each_expected_node(const struct master *master, void (*each)(void *context, const char *node_id),
                               void *context);
/* Returns true if USER may act for other users (creel.security.proxy-users). */
bool master_is_proxy_user(const struct master *master, const char *user);
/* Returns 0 if PRINCIPAL may send requests for AS_USER ("": for itself), else -EPERM. */
int master_may_act(const struct master *master, const char *principal, const char *as_user, struct err *err);
bool master_has_joined(const struct master *master, const char *host);

/* A host that has joined with a join token. */
struct master_joined {
    const char *host, *public_key, *token; /* TOKEN: the id of its join token */
    int64_t since_ms;
};
/* Calls EACH for every host that has joined, in no order. */
void master_each_joined_host(const struct master *master,
                             void (*each)(void *context, const struct master_joined *joined), void *context);
/* Adds a host that the stored rows do not have, and stores it. Returns false, and changes nothing, if its
 * name or key has joined already, or if its name is not valid. */
bool master_adopt_host(struct master *master, int64_t now_ms, const struct master_joined *joined,
                       struct master_effects *effects);
/* Removes HOST if it joined at SINCE_MS or before. Returns false, and changes nothing, if it did not. */
bool master_remove_host(struct master *master, int64_t now_ms, const char *host, int64_t since_ms,
                        struct master_effects *effects);
/* Returns true if EFFECT stores a host that has joined, or removes one (its row has no value). */
bool master_changes_joined_hosts(const struct master_effect *effect);

/* Checks every invariant of the state: for each node used + free == total == the sum of its containers; the
 * sums of applications; the states of application, attempt and container agree; the indexes agree. Returns
 * 0, or -EINVAL with the first violation in ERR. Visits all objects; for tests and simulation. */
int master_check(const struct master *master, struct err *err);

/* For simulations: return the scheduler, which is read only, and whether the node NODE_ID is connected and
 * drained, so that nothing may run on that node. */
const struct sched *master_sched(const struct master *master);
bool master_node_is_drained(const struct master *master, const char *node_id);

#endif

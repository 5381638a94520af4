/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master.h - the core of the resource manager: events in, effects out
 *
 * Applications, attempts, containers and nodes as state machines; liveness, recovery, admission and
 * the requests of clients. Pure: no clock (NOW_MS comes with each event), no I/O, no threads, no
 * randomness. The daemon (rm/net) hands it what arrives and carries out the effects; the simulator
 * does the same on a virtual network. docs/architecture.md has the layers of its files.
 *
 * Messages are the structs of the schema (common/proto/creel.proto). They were checked before
 * (common/io/wire.h): sizes in bounds, ids that parse, enums in range. struct master_peer is their
 * authenticated sender.
 *
 * Durability: each STORE effect has the next number of a sequence. The shell commits them in order,
 * many to a transaction, and calls master_on_stored. Nothing is acknowledged to a client or an agent
 * before the rows that it rests on are committed: the core keeps such replies back until then, so
 * that the shell may send each SEND effect at once.
 */
#ifndef CREEL_RM_MASTER_H
#define CREEL_RM_MASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/resource.h"
#include "common/proto/creel.pb-c.h"

struct master;                          /* opaque */
struct sched;                           /* rm/sched/sched.h */
struct sched_config;

enum master_seen {
    MASTER_SEEN_OURS,                   /* part of our history */
    MASTER_SEEN_ACCEPTED,               /* not, and an operator accepted that */
    MASTER_SEEN_NEWER,                  /* of our store, and missing here */
    MASTER_SEEN_OTHER,                  /* of another store */
};

struct master_config {                  /* copied by master_new */
    const char *version;                /* of this build, for ClusterInfo */
    const char *scheduler;              /* "fifo" */
    struct resource minimum_allocation, maximum_allocation;
    int64_t heartbeat_interval_ms;
    int64_t node_expiry_ms, am_expiry_ms, container_expiry_ms;
    int64_t untracked_ms;               /* a node that is gone, and in no list of hosts although there
                                           is one of those included, is forgotten after so long */
    int64_t am_memory_mb;               /* of the built-in AM, before rounding */
    uint32_t max_attempts;
    uint32_t max_completed_apps;
    uint32_t max_tasks;
    int64_t stop_after_ms;              /* of containers whose jobs do not choose: they end when their agent
                                           has lost us for so long; 0: they go on */
    int64_t clock_skew_ms;              /* a node whose clock differs by more is counted in ClusterInfo */
    int64_t evict_notice_ms;            /* between announcement and stop of an evicted container */
    const char *admin_users;            /* "*" or users, blank- or comma-separated */
    const char *proxy_users;
    bool acl_enable;                    /* false: everybody may see and kill everything, as in
                                           YARN */
    bool assign_on_demand;              /* offer free nodes as soon as something is asked, not
                                           only at the next heartbeat */
    const struct sched_config *sched;   /* NULL: built from SCHEDULER, the limits and
                                           ASSIGN_ON_DEMAND. Otherwise it replaces these, and its
                                           parts belong to the master once master_new succeeded */

    /* Sign PAYLOAD (AmGrant, ContainerGrant, LogGrant) as a SignedToken of KIND;
     * the bytes live in ARENA. Handed in, since keys are the shell's. */
    ProtobufCBinaryData (*sign)(void *context, struct arena *arena, Creel__TokenKind kind,
                                const ProtobufCMessage *payload);
    /* Fill KEYS with the present keys of container tokens, for RegisterNodeReply and, after
     * master_keys_changed, for the next HeartbeatReply of each node. */
    size_t (*token_keys)(void *context, Creel__TokenKey *keys, size_t room);
    /* The groups of USER as this host knows them, the primary one first, in ARENA. NULL: no user
     * has any. Called at submission, whose result is kept with the application, and to check
     * access. */
    size_t (*groups)(void *context, struct arena *arena, const char *user,
                     const char *const **ret);
    /* The address of HOST as text, in ARENA; NULL: it is not known. NULL: addresses in lists of
     * hosts fit only nodes that call themselves so. */
    const char *(*address)(void *context, struct arena *arena, const char *host);
    /* The history of the store, as far as it is safe on disk (RET points to what lives until the next
     * commit), and how what an agent has seen compares with it. NULL: there is nothing to compare. */
    void (*history)(void *context, Creel__History *ret);
    enum master_seen (*judge_history)(void *context, const Creel__History *seen);
    /* Has a query taken long enough? A list ends its page then, with one row at least. NULL: pages end by
     * their size alone. */
    bool (*time_is_up)(void *context);
    void *context;
};

/* Which hosts may be part of the cluster (yarn-behaviour 15). */
struct master_host {
    const char *name;                   /* of a host, its address, or a node's id */
    bool timed;
    int64_t timeout_ms;                 /* if TIMED: of its decommissioning; below 0: none */
};

struct master_hosts {                   /* copied */
    const struct master_host *include, *exclude;    /* no host included: all are */
    size_t include_count, exclude_count;
    int64_t timeout_ms;                 /* of graceful decommissioning, by default */
};

/* --- effects --------------------------------------------------------------- */

enum master_channel { MASTER_AGENT, MASTER_AM, MASTER_CLIENT, MASTER_ADMIN };

struct master_peer {
    enum master_channel channel;
    uint64_t connection;                /* the shell's name for where to reply; never 0 */
    const char *principal;              /* agent name or user name; for MASTER_AM the attempt id
                                           that its verified token names */
};

enum master_effect_kind {
    MASTER_SEND,                        /* ENVELOPE to CONNECTION on CHANNEL; may be lost */
    MASTER_STORE_APP,                   /* insert or replace the row of message->app_id ... */
    MASTER_STORE_ATTEMPT,
    MASTER_STORE_CONTAINER,
    MASTER_STORE_SETTING,               /* one without a value: delete it */
    MASTER_STORE_NODE,
    MASTER_FORGET_APP,                  /* delete APP_ID with its attempts and containers */
    MASTER_RELOAD,                      /* read the configuration of queues, then master_reload with
                                           RELOAD */
    MASTER_RELOAD_HOSTS,                /* read the lists of hosts, then master_reload_hosts */
    MASTER_ACCEPT,                      /* store that HISTORIES are accepted to be lost, then
                                           master_accepted with RELOAD */
};

/* The request to refresh queues or lists of hosts. */
struct master_reload {
    enum master_channel channel;
    uint64_t connection, request_id;    /* CONNECTION 0: there is no reply */
    const char *user;                   /* or what it was: "SIGHUP" */
    Creel__RefreshKind kind;            /* of hosts: how those leave that are excluded now */
    bool timeout_given;
    int64_t timeout_ms;
};

struct master_effect {
    enum master_effect_kind kind;
    uint64_t store_seq;                 /* of STORE and FORGET effects: 1, 2, 3, ... */
    enum master_channel channel;
    uint64_t connection;
    Creel__Envelope *envelope;          /* in the arena, as everything below */
    Creel__StoredApp *app;
    Creel__StoredAttempt *attempt;
    Creel__StoredContainer *container;
    Creel__StoredSetting *setting;
    Creel__StoredNode *node;
    const char *app_id;
    struct master_reload reload;
    const Creel__History *const *histories;
    size_t history_count;
};

/* What one step decided, in order. The caller owns it and resets it after
 * carrying it out; all memory is in ARENA. */
struct master_effects {
    struct arena *arena;
    struct master_effect *items;
    size_t count, capacity;
};

void master_effects_init(struct master_effects *effects);
void master_effects_reset(struct master_effects *effects);
void master_effects_done(struct master_effects *effects);

/* --- life ------------------------------------------------------------------ */

/* An empty master. CLUSTER_MS is part of all ids (the time at which the state store was made);
 * EPOCH counts RM starts from 0; STARTED_MS is now. -EINVAL if the configuration contradicts itself. */
int master_new(const struct master_config *config, int64_t cluster_ms, uint32_t epoch,
               int64_t started_ms, struct master **ret, struct err *err);
void master_free(struct master *master);        /* NULL is fine */

/* Recovery: every stored row, apps in order of id, each app's attempts and then its
 * containers behind it; then master_recover_done. A row that makes no
 * sense is refused (-EINVAL, nothing changed) so that the shell can set it
 * aside and go on. */
int master_recover_app(struct master *master, const Creel__StoredApp *row, struct err *err);
int master_recover_attempt(struct master *master, const Creel__StoredAttempt *row,
                           struct err *err);
int master_recover_container(struct master *master, const Creel__StoredContainer *row,
                             struct err *err);
/* A setting of an administrator; before or after the others. */
int master_recover_setting(struct master *master, const Creel__StoredSetting *row, struct err *err);
/* Of a node; before or after the others. */
int master_recover_node(struct master *master, const Creel__StoredNode *row, struct err *err);
/* The lists of hosts at the start; without them all hosts may be part of the cluster. */
void master_recover_hosts(struct master *master, const struct master_hosts *hosts);
/* The highest number that an app ever had, forgotten ones included: none comes twice. */
void master_recover_last_app(struct master *master, uint32_t seq);
void master_recover_done(struct master *master, int64_t now_ms, struct master_effects *effects);

/* --- events ---------------------------------------------------------------- */

/* One request of a peer. Bodies of another channel, or replies, are answered
 * with Error BAD_REQUEST. GetBlob, HaveBlobs, PutBlob and GetLogAccess's token key are the
 * shell's and master's respectively: the first three never come here. */
void master_on_message(struct master *master, int64_t now_ms, const struct master_peer *peer,
                       const Creel__Envelope *envelope, struct master_effects *effects);

/* Rows up to STORE_SEQ are on disk. */
void master_on_stored(struct master *master, int64_t now_ms, uint64_t store_seq,
                      struct master_effects *effects);

/* The store refuses (disk full): rows up to STORE_SEQ are not on disk, for the reason WHY. Submissions
 * among them are refused to their clients (ERROR_STORE) and taken back; all other rows
 * stay the shell's to write again, in order. Until a later master_on_stored the
 * master refuses new submissions. */
void master_on_store_failed(struct master *master, int64_t now_ms, uint64_t store_seq,
                            const char *why, struct master_effects *effects);

/* Deadlines: call when master_next_deadline_ms has come (INT64_MAX: none). */
void master_on_timer(struct master *master, int64_t now_ms, struct master_effects *effects);
int64_t master_next_deadline_ms(const struct master *master);

/* The keys of container tokens were rolled: nodes receive them with the reply to their next heartbeat.
 * The next Allocate of each AM is answered with AM_RESYNC; when it registers again it gets new tokens
 * for its running containers. */
void master_keys_changed(struct master *master);

/* Applies CONFIG (NULL: it could not be read, for the reason in ERR), and sends the reply with WARNINGS.
 * 0: its parts belong to the master now, and the configuration that the old ones were read from may
 * be freed. -EINVAL: nothing changed, CONFIG's parts are the caller's, ERR has the reason. */
int master_reload(struct master *master, int64_t now_ms, const struct master_reload *reload,
                  const struct sched_config *config, const char *const *warnings,
                  size_t warning_count, struct err *err, struct master_effects *effects);

struct master_hosts_result {
    uint32_t leaving, left;             /* nodes that are being decommissioned because of them, or were */
    uint32_t returned;                  /* that may come back since now */
};

/* Applies HOSTS (NULL: they could not be read, for the reason in ERR), and sends the reply. RET (may
 * be NULL): the result. */
void master_reload_hosts(struct master *master, int64_t now_ms, const struct master_reload *reload,
                         const struct master_hosts *hosts, const struct err *err,
                         struct master_hosts_result *ret, struct master_effects *effects);

/* The store has accepted the loss: EPOCH and LAST_APP_SEQ are its own now. ERR: it could not. */
void master_accepted(struct master *master, int64_t now_ms, const struct master_reload *asked,
                     uint32_t epoch, uint32_t last_app_seq, const struct err *err,
                     struct master_effects *effects);

/* Does a clock that was measured with SKEW_MS, exact to ERROR_MS, certainly differ by more than LIMIT_MS? */
bool master_clock_differs(int64_t skew_ms, int64_t error_ms, int64_t limit_ms);

/* --- queries --------------------------------------------------------------- */

/* Is a request with BODY a query: one that reads, is answered at once, and may wait before that? These are
 * ListApps, ListContainers, ListNodes, ListQueues, ListQueueUsers, GetQueueAccess, ListLabels,
 * GetClusterInfo, GetChanges, ExplainApp and TestApp. */
bool master_is_query(Creel__Envelope__BodyCase body);

/*
 * Answers QUERY as USER sees it, outside of any step: for HTTP, pages and tools in this process. QUERY
 * is a query as above, and was checked as a message is (common/io/wire.h);
 * the caller has authenticated USER. Nothing changes, nothing is sent. *RET is the reply, or an Error,
 * in ARENA. -ENOTSUP: QUERY is another request.
 */
int master_query(struct master *master, int64_t now_ms, const char *user,
                 const Creel__Envelope *query, struct arena *arena, const Creel__Envelope **ret);

/* Call EACH for the job of every app that is not over (files in use). */
void master_each_live_job(const struct master *master,
                          void (*each)(void *context, const Creel__JobSpec *job), void *context);

/* May an application master of the attempt be there? From the order to start its first container until the
 * attempt is over. */
bool master_attempt_lives(const struct master *master, const char *attempt_id);
/* Call EACH for those. */
void master_each_live_attempt(const struct master *master,
                              void (*each)(void *context, const char *attempt_id), void *context);

/* Every invariant of the state: per node used + free == total and the sum of its containers;
 * apps' sums; states of app, attempt and container agree; indexes agree.
 * 0, or -EINVAL with the first that is broken. Cost: everything; for tests and simulation. */
int master_check(const struct master *master, struct err *err);

/* For simulations: the scheduler, to be read only; and whether the node NODE_ID is connected and
 * drained, so that nothing may run on it. */
const struct sched *master_sched(const struct master *master);
bool master_node_is_drained(const struct master *master, const char *node_id);

#endif

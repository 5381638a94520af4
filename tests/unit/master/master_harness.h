/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_harness.h - fixture: the resource manager's core (struct master) with a scripted store, agents, AMs
 * and users
 *
 * Tests send every event through harness functions. Each function audits the master afterwards (master_check)
 * and stores the messages that the master sent. The harness takes no decisions of its own.
 */
#ifndef CREEL_TESTS_MASTER_HARNESS_H
#define CREEL_TESTS_MASTER_HARNESS_H

#include "common/conf/conf.h"
#include "rm/master/master.h"
#include "rm/sched/sched.h"

#define CLUSTER_MS 1700000000000

struct sent { /* one message from the master; in order of sending */
    enum master_channel channel;
    uint64_t connection;
    Creel__Envelope *envelope; /* owned */
};

struct row { /* one row of the store, on disk or not yet committed */
    enum master_effect_kind kind;
    uint64_t seq;
    char id[128];
    uint8_t *packed; /* owned; NULL: a deletion */
    size_t size;
};

struct harness {
    struct master *master;
    struct master_config config;
    struct master_effects effects;
    int64_t now;
    uint32_t epoch;
    uint64_t next_request;
    bool hold_store; /* rows stay uncommitted until harness_commit */
    struct sent *sent;
    size_t sent_count, sent_capacity;
    struct row *disk, *waiting;
    size_t disk_count, disk_capacity, waiting_count, waiting_capacity;
    uint32_t last_seq;
    unsigned app_rows, array_rows;    /* how often the row of an application, of an array, was stored */
    unsigned job_events;              /* events for the notify command */
    int reloads;                      /* reloads requested by the master */
    Creel__LogLevel log_level;        /* that the master has set */
    int host_reloads;                 /* reloads of the lists of hosts */
    const struct master_hosts *hosts; /* lists for each start; NULL: none */
    struct master_reload host_reload; /* last reload of the lists */
};

void harness_init(struct harness *h);  /* default configuration: on demand, 1 s heartbeats */
void harness_start(struct harness *h); /* starts the master with h->config */
void harness_done(struct harness *h);
void harness_commit(struct harness *h);
/* Simulates a crash: the RM restarts with the rows on disk. Earlier messages are dropped. */
void harness_restart(struct harness *h);
void harness_tick(struct harness *h, int64_t ms); /* advances the clock, runs due timers */

Creel__Envelope *harness_envelope(struct harness *h, Creel__Envelope__BodyCase body);
/* Sends ENVELOPE. Returns the reply (borrowed until the next harness_forget), or NULL if there is none
 * yet. */
const Creel__Envelope *harness_ask(struct harness *h, enum master_channel channel, uint64_t connection,
                                   const char *principal, Creel__Envelope *envelope);
const Creel__Envelope *harness_find_reply(struct harness *h, uint64_t connection, uint64_t request_id);
void harness_forget(struct harness *h); /* drops the sent messages */
/* Carries out the effects that a direct call of the master left in h->effects. */
void harness_run_effects(struct harness *h);

/* --- configuration ---------------------------------------------------------- */

/* Returns the defaults with COUNT settings. The caller frees the result. An invalid setting fails the
 * test. */
struct conf *conf_of(const char *const settings[][2], size_t count);
/* Returns the scheduler's configuration of the queues in CONF. CONF must outlive the scheduler. */
struct sched_config capacity_of(const struct conf *conf);

/* --- users ----------------------------------------------------------------- */

/* Returns a job of KIND that would run `true`; static storage, valid until the next call. */
Creel__JobSpec *job_of(Creel__AppKind kind, int64_t memory_mb, uint32_t tasks);
/* Submits JOB. TEXT gets the app's id, or "" if refused; *ERROR then is the error (ERROR may be NULL). */
void people_submit(struct harness *h, const Creel__JobSpec *job, const char *key, char text[80],
                   const Creel__Error **error);
/* Like people_submit, for USER. Returns the whole reply. */
const Creel__Envelope *people_submit_as(struct harness *h, const char *user, const Creel__JobSpec *job,
                                        const char *key, char text[80]);
const Creel__AppReport *people_show(struct harness *h, const char *app_id);
const Creel__Envelope *people_kill(struct harness *h, const char *app_id);

/* --- agents ---------------------------------------------------------------- */

#define AGENT_CONTAINERS_MAX 512
#define AGENT_KEY "0123456789012345678901234567890123456789"

struct fake_container {
    char id[80];
    Creel__ContainerState state;
    int exit_status;
    uint64_t reported_seq; /* heartbeat that first reported the state COMPLETE */
    bool acked;            /* end was acknowledged: never reported or started again */
    bool ran;
    int64_t started_ms; /* 0: not reported */
    bool no_account;    /* it was not started since its user has no account there */
    bool node_fault;    /* it was not started for a reason of the node */
    int64_t finished_ms;
    bool retry_elsewhere;
    int64_t preempt_ms;  /* clock time of the preemption notice; ms */
    int64_t spared_ms;   /* clock time of the notice's withdrawal; ms */
    int64_t limit_ms;    /* of the last LimitOrder, as the agent reports it */
    int limit_orders;    /* number of LimitOrders */
    uint32_t version;    /* of the last ResizeOrder, as the agent reports it */
    int64_t memory_mb;   /* of the last ResizeOrder; 0: none came */
    int preempt_notices; /* number of preemption notices */
    const char *stuck;   /* ContainerStatus.stuck; NULL: "" */
    const char *reason;  /* ContainerStatus.diagnostics; NULL: "" */
    uint8_t *grant;      /* owned, packed */
    size_t grant_size;
};

struct fake_agent {
    char node_id[64];
    char principal[64];
    uint64_t connection, session, seq, incarnation;
    int64_t memory_mb, vcores;
    Creel__NamedAmount **others; /* borrowed: amounts of further resource types */
    size_t other_count;
    const char *version;            /* NULL: "" */
    int64_t certificate_expires_ms; /* as in Heartbeat */
    uint32_t crashes;               /* as in Heartbeat */
    int64_t clock_skew_ms;          /* as in Heartbeat; 0: it is not measured */
    bool unhealthy, shut_down;
    const char *health_report; /* NULL: none */
    bool unpacks;              /* it unpacks archives */
    bool restores;             /* it restores escaped texts */
    bool old;                  /* of a version that cannot resize containers */
    bool deaf;                 /* it does not carry out ResizeOrders */
    int64_t ordered_total_mb;  /* total that the RM ordered the node to offer; 0: no order */
    bool lose_reply;           /* the next reply is lost */
    struct fake_container containers[AGENT_CONTAINERS_MAX];
    size_t count;
    char finished[64][80];
    size_t finished_count;
    size_t next_sent;   /* index in sent[] of the first message not yet read */
    bool ignores_stops; /* its containers run on after an order to stop */
};

void agent_init(struct fake_agent *a, const char *node_id, int64_t memory_mb, int64_t vcores);
void agent_done(struct fake_agent *a);
void agent_register(struct harness *h, struct fake_agent *a);
void agent_heartbeat(struct harness *h, struct fake_agent *a);
/* Processes the orders that the master has pushed. */
void agent_listen(struct harness *h, struct fake_agent *a);
void agent_start(struct fake_agent *a, const char *container_id, const ProtobufCBinaryData *token);
struct fake_container *agent_find(struct fake_agent *a, const char *container_id);
void agent_exit(struct fake_agent *a, const char *container_id, int exit_status);
int agent_running(const struct fake_agent *a);
int agent_unacked(const struct fake_agent *a);

/* --- application masters ---------------------------------------------------- */

struct fake_am {
    char attempt_id[80];
    uint64_t connection, response_id;
    uint64_t session;          /* of an unmanaged AM */
    char *diagnostics;         /* borrowed, of its FinishAm; NULL: none */
    char *tracking_url, *host; /* borrowed, of its RegisterAm; NULL: none */
    uint32_t tasks[4];         /* counts of tasks that it reports; [0] is the total, 0: none */
};

void am_init(struct fake_am *am, const char *app_id, unsigned attempt);
const Creel__Envelope *am_register(struct harness *h, struct fake_am *am);
/* Requests COUNT containers of MEMORY_MB at priority 1 (COUNT -1: none) and releases RELEASE unless NULL. */
const Creel__AllocateReply *am_allocate(struct harness *h, struct fake_am *am, int count, int64_t memory_mb,
                                        const char *release);
const Creel__Envelope *am_finish(struct harness *h, struct fake_am *am, Creel__FinalStatus status,
                                 int exit_status);

#endif

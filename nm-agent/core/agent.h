/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent.h - the node agent's mind: events in, effects out
 *
 * Registration, heartbeats, orders of the resource manager (RM), starts and
 * stops of application masters (AMs), and the life of each container. Pure: no
 * clock (the time comes with each event), no I/O, no threads, no randomness
 * but a seeded generator. The daemon (nm-agent/net) carries the effects out
 * and reports what came of them; the simulator does the same on a virtual
 * machine.
 *
 * Messages are the schema's structs (common/proto/creel.proto), already checked
 * by the wire: in bounds, ids that parse, enums in range. What an AM sends was
 * authenticated by its tokens before it comes here.
 *
 * Everything that is sent may be lost, repeated, late: what matters is sent
 * again until it was answered. Answers to effects (agent_on_saved, _fetched,
 * _launched, _running, _exited) come in later calls, never lost, at most once.
 */
#ifndef CREEL_NM_AGENT_H
#define CREEL_NM_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/resource_types.h"
#include "common/proto/creel.pb-c.h"
#include "nm-agent/launch.h"

struct agent;                           /* opaque */

/* Two clocks, since one of them may be set while the agent runs. */
struct agent_time {
    int64_t wall_ms;                    /* Unix epoch: what is reported */
    int64_t steady_ms;                  /* never goes back, from anywhere: deadlines */
};

struct agent_config {                   /* copied by agent_new */
    const char *node_id;                /* host:port */
    const char *address;                /* where AMs and clients reach the agent */
    const char *rack;
    const char *label;                  /* its partition; NULL or "": none */
    const char *agent_key;              /* its public key, Z85 */
    const char *version;
    const char *cgroup_mode;
    struct resource total;              /* what the node offers */
    struct resource_offers others;      /* and beside it; how much of that is given out is the
                                           resource manager's alone to count */
    uint64_t incarnation;               /* larger at each start of the agent */
    uint64_t seed;                      /* of jitter and request ids; should differ as well */
    const char *conf_dir;               /* CREEL_CONF_DIR of containers; "" to leave it out */
    /* in the environment of first containers (application masters) */
    const char *rm_client_address;      /* CREEL_RM */
    const char *rm_am_address;          /* CREEL_RM_AM */
    const char *rm_key;                 /* CREEL_RM_KEY */
    bool new_state;                     /* its directory was made anew: what an earlier agent here accepted
                                           is not known, and grants from before the first registration
                                           are refused */
    const void *history;                /* AGENT_KEEP_HISTORY of an earlier agent; NULL: none */
    size_t history_size;
};

/* --- effects --------------------------------------------------------------- */

enum agent_effect_kind {
    AGENT_SEND,             /* ENVELOPE to the RM */
    AGENT_REPLY,            /* ENVELOPE to CONNECTION, which asked */
    AGENT_LEARN_KEYS,       /* KEYS: of container tokens, the present one first; no others hold */
    AGENT_SAVE,             /* DATA is the record of CONTAINER_ID, to be on disk before
                               agent_on_saved; may replace an earlier one */
    AGENT_FETCH,            /* DATA is the hash of a file: have it in the cache, then
                               agent_on_fetched (at once if it is there) */
    AGENT_LAUNCH,           /* LAUNCH: start it; then agent_on_launched */
    AGENT_PREEMPT_NOTICE,   /* CONTAINER_ID, which runs, will be stopped at DEADLINE_MS because of TEXT:
                               leave it the notice, then send SIGNAL_NUMBER (0: none) */
    AGENT_SPARE,            /* CONTAINER_ID stays after all: take that notice away */
    AGENT_STOP,             /* CONTAINER_ID: end it; agent_on_exited follows. May be repeated */
    AGENT_CLEANUP,          /* CONTAINER_ID has ended: remove directory and cgroup */
    AGENT_ACKNOWLEDGE,      /* the RM has the exit of CONTAINER_ID: leave a tombstone */
    AGENT_CLEANUP_APP,      /* APP_ID is over: nothing of it stays but its logs for a while, and
                               its id for agent_recall */
    AGENT_SHUTDOWN,         /* the RM refuses this node because of TEXT; all containers ended.
                               WARNING: it was refused; else it was let in before, and is to stop */
    AGENT_KEEP_HISTORY,     /* DATA is what the RM's store has come to: agent_config.history of the next
                               agent. It need not be on disk at once */
    AGENT_NOTE,             /* TEXT for the log, about CONTAINER_ID (may be NULL) */
};

struct agent_effect {
    enum agent_effect_kind kind;
    const char *container_id, *app_id;
    const char *text;
    bool warning;                       /* AGENT_NOTE: an operator should look */
    bool at_once;                       /* AGENT_STOP: without a delay before KILL */
    int64_t deadline_ms;                /* wall clock */
    int signal_number;
    uint64_t connection;
    Creel__TokenKey *const *keys;
    size_t key_count;
    const uint8_t *data;
    size_t size;
    Creel__Envelope *envelope;
    const struct launch *launch;
};

/* What one or several steps decided, in order; carry them out in this order.
 * All they point to lives in ARENA until agent_effects_reset. */
struct agent_effects {
    struct arena *arena;
    struct agent_effect *items;
    size_t count, capacity;
};

void agent_effects_init(struct agent_effects *effects);
void agent_effects_reset(struct agent_effects *effects);
void agent_effects_done(struct agent_effects *effects);

/* --- life ------------------------------------------------------------------ */

struct agent *agent_new(const struct agent_config *config);
void agent_free(struct agent *agent);   /* NULL is fine */

/* Before agent_start, for each container that an earlier agent left: */
enum agent_found_state {
    AGENT_FOUND_SAVED,                  /* accepted, nothing was started */
    AGENT_FOUND_RUNNING,                /* started; agent_on_exited follows */
    AGENT_FOUND_ENDED,                  /* started, and over: agent_on_exited comes at once */
    AGENT_FOUND_ACKED,                  /* a tombstone */
};
/* RECORD is that of the last AGENT_SAVE; NULL or damaged, the container is ended
 * and reported as lost (154). */
void agent_found(struct agent *agent, struct agent_time now, const char *container_id,
                 enum agent_found_state state, const void *record, size_t size,
                 int64_t started_ms, struct agent_effects *effects);
/* Applications that earlier agents cleaned up (AGENT_CLEANUP_APP), the newest last: a start
 * that was long on its way must not run again what ended with them. */
#define AGENT_FINISHED_APPS_MAX 4096    /* more are not remembered */
void agent_recall(struct agent *agent, const char *app_id);
/* Then begin to register. */
void agent_start(struct agent *agent, struct agent_time now, struct agent_effects *effects);

/* --- events ---------------------------------------------------------------- */

/* From the RM: replies and pushed NodeOrders. Anything else is ignored. */
void agent_on_message(struct agent *agent, struct agent_time now,
                      const Creel__Envelope *envelope, struct agent_effects *effects);

/* One element of an AM's StartContainers. */
struct agent_start_request {
    const Creel__ContainerGrant *grant; /* from its verified token; NULL: the token was refused */
    const Creel__LaunchContext *launch;
    Creel__ErrorCode refusal;           /* without GRANT: what is answered */
    const char *refusal_text;
};
/* The reply comes when all that were taken are on disk, results in order. */
void agent_on_start(struct agent *agent, struct agent_time now, uint64_t connection,
                    uint64_t request_id, const struct agent_start_request *requests,
                    size_t count, struct agent_effects *effects);

/* An AM's StopContainers, each grant verified. The reply is Ok, at once; a container
 * that is not known here is passed over. */
void agent_on_stop(struct agent *agent, struct agent_time now, uint64_t connection,
                   uint64_t request_id, const Creel__ContainerGrant *const *grants,
                   size_t count, struct agent_effects *effects);

/* Answers to effects. CODE is 0 or a negative errno, WHY (NULL when 0) is for a person. What the
 * disk did (-ENOSPC, -EDQUOT, -EROFS, -EIO) counts as YARN's -101, so that it is tried elsewhere. */
void agent_on_saved(struct agent *agent, struct agent_time now, const char *container_id,
                    int code, const char *why, struct agent_effects *effects);
void agent_on_fetched(struct agent *agent, struct agent_time now, const uint8_t hash[32],
                      int code, const char *why, struct agent_effects *effects);
/* 0: its shim is on its way; running and exited follow (running is left out if the command
 * could not be executed). Else nothing of it is left, nothing follows; when it was descriptors,
 * processes or memory that were short (-EMFILE, -ENFILE, -EAGAIN, -ENOMEM), AGENT_LAUNCH comes
 * again later. At most AGENT_LAUNCHES_MAX launches are unanswered at a time: a shell that does
 * them itself answers in a later turn, so that what else happens has its turn, too. */
#define AGENT_LAUNCHES_MAX 16
void agent_on_launched(struct agent *agent, struct agent_time now, const char *container_id,
                       int code, const char *why, struct agent_effects *effects);
void agent_on_running(struct agent *agent, struct agent_time now, const char *container_id,
                      int64_t started_ms, struct agent_effects *effects);

struct agent_exit {
    int exit_status;                    /* code, 128+signal, or YARN's: -104, 154, ... */
    const char *diagnostics;            /* "" or NULL */
    int64_t started_ms, finished_ms;    /* wall clock */
    uint64_t memory_peak_bytes, cpu_time_us;
    uint64_t read_bytes, written_bytes; /* from and to disks */
    uint32_t pids_peak;                 /* 0: not known */
};
/* Nothing of the container is left running. */
void agent_on_exited(struct agent *agent, struct agent_time now, const char *container_id,
                     const struct agent_exit *end, struct agent_effects *effects);

/* What CONTAINER_ID uses now. Sent to the RM when it has changed significantly; the rate is limited for each
 * container and for each heartbeat. */
struct agent_figures {
    uint64_t memory_bytes, memory_peak_bytes, cpu_time_us;
    uint64_t read_bytes, written_bytes;
    uint32_t pids;
};
void agent_on_figures(struct agent *agent, struct agent_time now, const char *container_id,
                      const struct agent_figures *figures);

/* CONTAINER_ID has broken a limit that the shell watches (nm-agent/core/monitor.h): it is stopped
 * and counts as STATUS (-103, -104, -109) with WHY as its diagnostics. */
void agent_on_over_limit(struct agent *agent, struct agent_time now, const char *container_id,
                         int status, const char *why, struct agent_effects *effects);

/* The node's condition, sent with heartbeats; a change of HEALTHY at once. */
void agent_on_health(struct agent *agent, struct agent_time now, bool healthy,
                     const char *report, uint64_t used_memory_bytes,
                     struct agent_effects *effects);

/* The newest AGENT_SEND did not leave (there is no connection): it is made up again soon. A
 * shell may leave this out. */
void agent_on_unsent(struct agent *agent, struct agent_time now);

/* Deadlines: call when agent_next_deadline_ms (steady clock; INT64_MAX: none) has come.
 * Earlier does nothing. */
void agent_on_timer(struct agent *agent, struct agent_time now, struct agent_effects *effects);
int64_t agent_next_deadline_ms(const struct agent *agent);

/* --- contact with the RM ------------------------------------------------------- */

/* On the steady clock: the RM has had a heartbeat of this node then, or later. INT64_MIN: not known. The
 * shell keeps it for containers that end without contact (launch.stop_after_ms), also while no agent is
 * there. */
int64_t agent_contact_ms(const struct agent *agent);

/* --- the RM's clock ----------------------------------------------------------- */

/* What grants expire by; see clock.c. */
struct agent_clock {
    bool known;                         /* it was measured; else RM_MS is this node's own clock */
    int64_t rm_ms;                      /* what the RM's clock shows now */
    int64_t skew_ms;                    /* this node's clock minus that */
    int64_t error_ms;                   /* to how much both are exact */
};
struct agent_clock agent_clock(const struct agent *agent, struct agent_time now);
/* May EXPIRES_MS, a time of the RM's (0: never), have passed? In doubt it has: the RM counts on that. */
bool agent_clock_is_past(const struct agent_clock *clock, int64_t expires_ms);
/* "has expired 3 s ago by the clock of ...", with the skew. */
void agent_clock_explain(const struct agent_clock *clock, int64_t expires_ms, char *text, size_t room);

/* --- looking --------------------------------------------------------------- */

struct agent_summary {
    bool registered;
    bool waiting;                       /* the RM has not the history that this agent has seen: it is not
                                           registered, and keeps its containers (history.c) */
    uint64_t session;
    struct resource total;
    struct resource used;               /* of containers that may have processes */
    size_t live, ended, tombstones;     /* ended: not yet acknowledged */
};
struct agent_summary agent_summarise(const struct agent *agent);

/* The reported state of a container: the schema's state; UNKNOWN if it is not known
 * here. A tombstone is COMPLETE. */
Creel__ContainerState agent_container_state(const struct agent *agent, const char *container_id);

/* What CONTAINER_ID was granted; false if it is not known here. */
bool agent_container_resource(const struct agent *agent, const char *container_id,
                              struct resource *resource);

/* What a running container was launched with, in the arena of EFFECTS; NULL if it does not run. */
const struct launch *agent_container_launch(struct agent *agent, const char *container_id,
                                            struct agent_effects *effects);

/* Call EACH for every container in order of id, tombstones too. */
struct agent_view {
    const char *container_id, *app_id;
    Creel__ContainerState state;
    bool acknowledged;
    bool may_run;                       /* launched, and not known to have ended */
    int exit_status;
    struct resource resource;
};
void agent_each_container(const struct agent *agent,
                          void (*each)(void *context, const struct agent_view *view),
                          void *context);

/* Every invariant of the state: used == the sum of what may run, and within the total (but
 * for what was found after a restart); accepted within the total; states, fetches, replies and indexes
 * agree. 0, or -EINVAL with the first that is broken. Cost: everything; for tests and simulation. */
int agent_check(const struct agent *agent, struct err *err);

#endif

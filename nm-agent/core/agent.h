/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent.h - core of the node agent: a state machine that turns events into effects
 *
 * The core handles registration, heartbeats, orders of the resource manager (RM), starts and stops requested
 * by application masters (AMs), and the life of each container. Pure: no clock (the time is a parameter of
 * each event), no I/O, no threads, no randomness except a seeded generator. The shell executes the effects
 * and reports their results: the daemon (nm-agent/net), or the simulator on a virtual machine.
 *
 * Messages are the schema's structs (common/proto/creel.proto). The wire functions have checked them before:
 * within limits, valid ids, enums in range. A message of an AM has been authenticated by its tokens.
 *
 * Any sent message may be lost, repeated or late: the core repeats important messages until they are
 * answered. Results of effects (agent_on_saved, _fetched, _launched, _running, _exited) are reported in later
 * calls; they are never lost, and reported at most once.
 */
#ifndef CREEL_NM_AGENT_H
#define CREEL_NM_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/histogram.h"
#include "common/base/job/job_field.h"
#include "common/base/protocol_range.h"
#include "common/base/resource_types.h"
#include "common/proto/creel.pb-c.h"
#include "common/record/container_totals.h"
#include "nm-agent/container_end.h"
#include "nm-agent/launch.h"

struct agent; /* opaque */

/* Two clocks, since the wall clock may be set while the agent runs. */
struct agent_time {
    int64_t wall_ms;   /* Unix epoch; used in reports */
    int64_t steady_ms; /* monotonic clock with any origin; used for deadlines */
};

struct agent_config {         /* copied by agent_new */
    const char *node_id;      /* host:port */
    const char *address;      /* endpoint at which AMs and clients reach the agent */
    const char *http_address; /* endpoint of its REST interface; "": none */
    const char *rack;
    const char *warning;   /* about the node's configuration; NULL or "": none */
    const char *label;     /* node label (partition); NULL or "": none */
    const char *agent_key; /* public key of the agent, Z85 */
    const char *version;
    struct protocol_range protocol; /* versions of the protocol that the agent accepts */
    const char *cgroup_mode;
    int64_t kill_delay_ms;         /* between SIGTERM and SIGKILL of a container that is stopped */
    struct resource total;         /* memory and vcores that the node offers */
    struct resource_offers others; /* other resources that the node offers; only the resource manager
                                      accounts for them */
    uint64_t incarnation;          /* larger at each start of the agent */
    uint64_t seed;                 /* for jitter and request ids; should differ at each start, too */
    const char *conf_dir;          /* CREEL_CONF_DIR of containers; "": not set */
    /* environment variables of first containers (application masters) */
    const char *cluster;           /* environment variable SLURM_CLUSTER_NAME */
    const char *rm_client_address; /* environment variable CREEL_RM */
    const char *rm_am_address;     /* environment variable CREEL_RM_AM */
    const char *rm_key;            /* environment variable CREEL_RM_KEY */
    bool moves_logs;               /* the runtime moves logs of ended applications: agent_on_logs */
    bool new_state;                /* the state directory was created by this agent: containers accepted
                                      by an earlier agent are unknown, and grants from before the first
                                      registration are refused */
    size_t message_bytes;          /* maximum size of the lists in one message to the RM; 0: a size that keeps
                                      messages below 1 MiB */
    const void *history;           /* DATA of an earlier agent's AGENT_KEEP_HISTORY; NULL: none */
    size_t history_size;
};

/* --- effects --------------------------------------------------------------- */

enum agent_effect_kind {
    AGENT_SEND,           /* send ENVELOPE to the RM */
    AGENT_REPLY,          /* send ENVELOPE as reply to CONNECTION */
    AGENT_LOG_LEVEL,      /* set the level of the log to LOG_LEVEL */
    AGENT_LEARN_KEYS,     /* replace the keys of container tokens by KEYS, the current key first */
    AGENT_SAVE,           /* write DATA, the record of CONTAINER_ID, to disk, then call agent_on_saved; may
                             replace an earlier record */
    AGENT_FETCH,          /* DATA is the hash of a file of USER: put the file into the cache, then call
                             agent_on_fetched (at once if the file is cached). Repeated for each other
                             user whose container needs the file */
    AGENT_LAUNCH,         /* start the container of LAUNCH; then call agent_on_launched */
    AGENT_PREEMPT_NOTICE, /* CONTAINER_ID, which runs, will be stopped at DEADLINE_MS because of TEXT: write
                             the notice, then send SIGNAL_NUMBER (0: none) */
    AGENT_SPARE,          /* CONTAINER_ID continues after DEADLINE_MS of its notice: remove the notice */
    AGENT_SIGNAL,  /* the time limit of CONTAINER_ID, which runs, is at DEADLINE_MS: write a notice with
                             TEXT, then send SIGNAL_NUMBER to the processes of SIGNAL_TO */
    AGENT_RESIZE,  /* apply RESOURCE to CONTAINER_ID, which runs; then call agent_on_resized with RESIZE */
    AGENT_STOP,    /* stop CONTAINER_ID; agent_on_exited follows. May be repeated */
    AGENT_CLEANUP, /* CONTAINER_ID has ended: remove its directory and cgroup */
    AGENT_ACKNOWLEDGE,  /* the RM has stored the exit of CONTAINER_ID: replace the record by a
                             tombstone */
    AGENT_CLEANUP_APP,  /* APP_ID has ended: remove all its files, but keep its logs for a while, and its
                             id for agent_recall */
    AGENT_SHUTDOWN,     /* the RM refuses this node because of TEXT; all containers have ended. WARNING is
                             true if the registration was refused, false if a registered node was ordered to
                             stop */
    AGENT_KEEP_HISTORY, /* DATA is the newest history of the RM's store (history.c). Write it to disk, at
                             once or later; the next agent gets it as agent_config.history */
    AGENT_NOTE,         /* log TEXT, about CONTAINER_ID (may be NULL) */
};

struct agent_effect {
    enum agent_effect_kind kind;
    const char *container_id, *app_id;
    const char *user;
    const char *text;
    bool warning;        /* AGENT_NOTE: needs the attention of an operator */
    bool at_once;        /* AGENT_STOP: send KILL without a delay */
    int64_t deadline_ms; /* wall clock */
    int signal_number;
    enum job_signal_to signal_to;
    uint64_t connection;
    Creel__LogLevel log_level;
    Creel__TokenKey *const *keys;
    size_t key_count;
    const uint8_t *data;
    size_t size;
    Creel__Envelope *envelope;
    const struct launch *launch;
    const Creel__ResizeOrder *resize;
    struct resource resource;
};

/* The effects of one or several steps, in order; the shell must execute them in this order. All memory that
 * they point to is in ARENA until agent_effects_reset. */
struct agent_effects {
    struct arena *arena;
    struct agent_effect *items;
    size_t count, capacity;
};

void agent_effects_init(struct agent_effects *effects);
void agent_effects_reset(struct agent_effects *effects);
void agent_effects_done(struct agent_effects *effects);

/* --- creation, destruction and restart ------------------------------------- */

struct agent *agent_new(const struct agent_config *config);
void agent_free(struct agent *agent); /* AGENT may be NULL */

/* State of a container left by an earlier agent, for calls of agent_found before agent_start. */
enum agent_found_state {
    AGENT_FOUND_SAVED,   /* accepted, no process was started */
    AGENT_FOUND_RUNNING, /* started; agent_on_exited follows */
    AGENT_FOUND_ENDED,   /* started, and has ended: agent_on_exited is called at once */
    AGENT_FOUND_ACKED,   /* a tombstone exists: the RM has acknowledged the exit */
};
/* Adds a container left by an earlier agent. RECORD is the record of its last AGENT_SAVE. If it is NULL or
 * damaged, the container is stopped and reported as lost (154), but an exit status of 0 or below is reported
 * unchanged. */
void agent_found(struct agent *agent, struct agent_time now, const char *container_id,
                 enum agent_found_state state, const void *record, size_t size, int64_t started_ms,
                 struct agent_effects *effects);
/* Adds APP_ID, an application that an earlier agent cleaned up (AGENT_CLEANUP_APP): late starts of its
 * containers are refused. Call it in the order of the cleanups, the newest last. */
#define AGENT_FINISHED_APPS_MAX 4096 /* older applications are forgotten */
void agent_recall(struct agent *agent, const char *app_id);
/* Starts the registration. */
void agent_start(struct agent *agent, struct agent_time now, struct agent_effects *effects);

/* --- events ---------------------------------------------------------------- */

/* A message of the RM: a reply or pushed NodeOrders. Other messages are ignored. */
void agent_on_message(struct agent *agent, struct agent_time now, const Creel__Envelope *envelope,
                      struct agent_effects *effects);

/* One container of an AM's StartContainers. */
struct agent_start_request {
    const Creel__ContainerGrant *grant; /* from the verified token; NULL: the token was refused */
    const Creel__LaunchContext *launch;
    Creel__ErrorCode refusal; /* if GRANT is NULL: error code of the reply */
    const char *refusal_text;
};
/* An AM's StartContainers. The reply is sent when the records of all accepted containers are on disk; results
 * are in the order of REQUESTS. */
void agent_on_start(struct agent *agent, struct agent_time now, uint64_t connection, uint64_t request_id,
                    const struct agent_start_request *requests, size_t count, struct agent_effects *effects);

/* An AM's StopContainers, each grant verified. The reply is Ok, at once; unknown containers are ignored. */
void agent_on_stop(struct agent *agent, struct agent_time now, uint64_t connection, uint64_t request_id,
                   const Creel__ContainerGrant *const *grants, size_t count, struct agent_effects *effects);

/* Returns true if CODE, the result of an effect, shows that a disk of the node cannot be written: the
 * container ends with CONTAINER_EXIT_DISKS, and the shell should check the node's health before it calls the
 * core. */
bool agent_is_disk_error(int code);
/* Results of effects. CODE is 0 or a negative errno, WHY (NULL if CODE is 0) is for a person. Disk errors
 * (-ENOSPC, -EDQUOT, -EROFS, -EIO) give YARN's exit status -101, so that the container is tried on another
 * node. agent_on_saved returns true if the container has an earlier record on disk: then it goes on, and the
 * shell should write this one when it can. */
bool agent_on_saved(struct agent *agent, struct agent_time now, const char *container_id, int code,
                    const char *why, struct agent_effects *effects);
void agent_on_fetched(struct agent *agent, struct agent_time now, const uint8_t hash[32], int code,
                      const char *why, struct agent_effects *effects);
/* The result of AGENT_LAUNCH. CODE 0: the shim was started; agent_on_running and agent_on_exited follow
 * (running is omitted if the command could not be executed). Else nothing of the container is left and no
 * event follows. -EBADR: names of files of the job are wrong, which is no fault of the node. If
 * descriptors, processes or memory were short (-EMFILE, -ENFILE, -EAGAIN, -ENOMEM), the core repeats
 * AGENT_LAUNCH later. At most AGENT_LAUNCHES_MAX launches are unanswered at a time. A shell that launches
 * synchronously reports the result in a later turn of the loop, so that other events are processed between
 * launches. */
#define AGENT_LAUNCHES_MAX 16
void agent_on_launched(struct agent *agent, struct agent_time now, const char *container_id, int code,
                       const char *why, struct agent_effects *effects);
void agent_on_running(struct agent *agent, struct agent_time now, const char *container_id,
                      int64_t started_ms, struct agent_effects *effects);

/* The result of AGENT_RESIZE. CODE 0: the limits of the container are those of ORDER. Else its limits are as
 * they were, or partly changed: the RM repeats the order. Call it before any other event. */
void agent_on_resized(struct agent *agent, struct agent_time now, const Creel__ResizeOrder *order, int code,
                      const char *why, struct agent_effects *effects);

/* The command of the container ended with EXIT_STATUS, and left processes that are being stopped: the
 * container is STOPPING for the RM. agent_on_exited follows. */
void agent_on_command_ended(struct agent *agent, struct agent_time now, const char *container_id,
                            int exit_status, int64_t command_ms, struct agent_effects *effects);

/* The container has ended: none of its processes is left. */
void agent_on_exited(struct agent *agent, struct agent_time now, const char *container_id,
                     const struct container_end *end, struct agent_effects *effects);

/* Resource usage of a container. It is sent to the RM when it has changed significantly; the rate is limited
 * for each container and for each heartbeat. */
struct agent_figures {
    uint64_t memory_bytes; /* now, as PIDS */
    uint32_t pids;
    struct container_totals totals;
};
void agent_on_figures(struct agent *agent, struct agent_time now, const char *container_id,
                      const struct agent_figures *figures);

/* CONTAINER_ID has exceeded a limit that the shell monitors (nm-agent/core/monitor.h): the core stops it,
 * with exit STATUS (-103, -104, -109) and WHY as diagnostics. */
void agent_on_over_limit(struct agent *agent, struct agent_time now, const char *container_id, int status,
                         const char *why, struct agent_effects *effects);

/* Resource use of all containers together, and of the whole node. 0: no use, or unknown. */
struct agent_use {
    uint64_t memory_bytes, node_memory_bytes;
    uint32_t cpu_millicores, node_cpu_millicores; /* thousandths of a processor */
};

/* The node's health and use, sent with heartbeats; a change of HEALTHY is sent at once. */
void agent_on_health(struct agent *agent, struct agent_time now, bool healthy, const char *report,
                     const struct agent_use *use, struct agent_effects *effects);

/* Returns a sentence about a shortage of descriptors, processes or memory that prevents launches. The caller
 * frees it. NULL: there is none, or it is short. */
char *agent_shortage(const struct agent *agent, struct agent_time now);

/* The logs of APP_ID, which has ended, have reached STATE: SUCCEEDED or FAILED. */
void agent_on_logs(struct agent *agent, const char *app_id, Creel__LogAggregation state);

/* The file with the record of the container was removed: it is written again (AGENT_SAVE). */
void agent_on_record_lost(struct agent *agent, struct agent_time now, const char *container_id,
                          struct agent_effects *effects);

/* A process of the container was killed and does not end; WHAT names it, for a person. */
void agent_on_stuck(struct agent *agent, struct agent_time now, const char *container_id, const char *what,
                    struct agent_effects *effects);

/* The agent's REST interface is at ADDRESS from now on; a registered agent registers again to report it. */
void agent_on_http_address(struct agent *agent, struct agent_time now, const char *address,
                           struct agent_effects *effects);

/* Notes the level of the log, which is sent with heartbeats. To be called at the start, and if the level
 * changes otherwise than by AGENT_LOG_LEVEL. */
void agent_log_level_is(struct agent *agent, Creel__LogLevel level);

/* Notes when the TLS certificate of the REST interface expires, since 1970, which is sent with heartbeats. */
void agent_certificate_is(struct agent *agent, int64_t expires_ms);
/* Notes how often the agent has ended in the last hour without being stopped. */
void agent_crashes_are(struct agent *agent, uint32_t crashes);

/* Reports that the newest AGENT_SEND could not be sent because there is no connection. The core issues it
 * again soon. A shell may omit this call. */
void agent_on_unsent(struct agent *agent, struct agent_time now);

/* Processes deadlines: call it when agent_next_deadline_ms (steady clock; INT64_MAX: none) has passed. An
 * earlier call does nothing. */
void agent_on_timer(struct agent *agent, struct agent_time now, struct agent_effects *effects);
int64_t agent_next_deadline_ms(const struct agent *agent);

/* --- contact with the RM ------------------------------------------------------- */

/* Returns a steady time: the RM received a message of this node then or later. INT64_MIN: unknown. The shell
 * stores it for containers that must end when the contact is lost (launch.stop_after_ms), also while no agent
 * runs. */
int64_t agent_contact_ms(const struct agent *agent);

/* --- the RM's clock ----------------------------------------------------------- */

/* Estimate of the RM's clock, by which grants expire; see clock.c. */
struct agent_clock {
    bool known;       /* the RM's clock was measured; else RM_MS is this node's own clock */
    int64_t rm_ms;    /* current time of the RM's clock */
    int64_t skew_ms;  /* this node's clock minus the RM's clock */
    int64_t error_ms; /* maximum error of both */
};
struct agent_clock agent_clock(const struct agent *agent, struct agent_time now);
/* Returns true if EXPIRES_MS, a time of the RM's clock (0: never), may have passed. If the error of the clock
 * leaves it open, the result is true, because the RM may regard the time as past. */
bool agent_clock_is_past(const struct agent_clock *clock, int64_t expires_ms);
/* Writes "has expired 3 s ago by the clock of ...", with the skew. */
void agent_clock_explain(const struct agent_clock *clock, int64_t expires_ms, char *text, size_t room);

/* --- queries --------------------------------------------------------------- */

struct agent_summary {
    bool registered;
    bool waiting;                      /* the RM's store lacks history that this agent has seen: the agent is
                     not registered, and keeps its containers (history.c) */
    const char *rm_version;            /* of the RM that answered last; "": it gave none */
    struct protocol_range rm_protocol; /* versions of the protocol that it accepts */
    const char
        *mismatch; /* not NULL: the agent is not registered, because these versions and the agent's do not
                                          meet: the text for users. Valid until the next event */
    uint64_t session;
    struct resource total;
    struct resource used;           /* sum over containers that may have processes */
    size_t live, ended, tombstones; /* ended: exit not yet acknowledged by the RM */
};
struct agent_summary agent_summarise(const struct agent *agent);

/* How long the starts of containers took since agent_new, in seconds. */
struct agent_durations {
    struct histogram localize; /* from the acceptance of a container until its files are in the cache;
                                  containers without files are not counted */
    struct histogram start;    /* from AGENT_LAUNCH until the command runs */
};
const struct agent_durations *agent_durations(const struct agent *agent);

/* Returns the state of a container as reported in the schema; UNKNOWN for an unknown container. A tombstone
 * is COMPLETE. */
Creel__ContainerState agent_container_state(const struct agent *agent, const char *container_id);

/* Stores the resource allocated to CONTAINER_ID; returns false if the container is unknown. */
bool agent_container_resource(const struct agent *agent, const char *container_id, struct resource *resource);

/* Returns the launch parameters of a running container, in the arena of EFFECTS; NULL if it does not run. */
const struct launch *agent_container_launch(struct agent *agent, struct agent_time now,
                                            const char *container_id, struct agent_effects *effects);

/* Description of a container. agent_each_container calls EACH with one for every container, in order of id,
 * tombstones included. */
struct agent_view {
    const char *container_id, *app_id;
    const char *user;        /* valid during the call */
    const char *diagnostics; /* "": none */
    Creel__AgentPhase phase;
    bool app_over; /* the RM reported the end of the application */
    int exit_status;
    struct resource resource;
    struct agent_figures figures; /* measured last; 0 before the first measurement */
};
void agent_each_container(const struct agent *agent,
                          void (*each)(void *context, const struct agent_view *view), void *context);

/* Checks every invariant of the state: `used` is the sum over containers that may run, and within the total
 * (except for containers found after a restart); accepted containers fit the total; states, fetches, replies
 * and indexes are consistent. Returns 0, or -EINVAL with the first violation. Visits the whole state; for
 * tests and simulation. */
int agent_check(const struct agent *agent, struct err *err);

#endif

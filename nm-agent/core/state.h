/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - the state of the agent, which the files of its core share
 *
 * Containers, applications and files being fetched are in trees in order of
 * their ids; lists keep the order in which things were asked for. Nothing
 * outside nm-agent/core includes this.
 */
#ifndef CREEL_NM_STATE_H
#define CREEL_NM_STATE_H

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>

#include "common/base/exit_status.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/rng.h"
#include "nm-agent/core/agent.h"
#include "nm-agent/core/container_phase.h"

#define TEXT_SHOWN_MAX 1000             /* diagnostics, kept and sent */
#define TITLE_SHOWN_MAX 200
#define HASH_SIZE 32

#define LAUNCH_PAUSE_MS 250             /* when the machine is short of something */

/* --- replies to AMs that wait for saves ------------------------------------ */

struct reply_result {
    char *container_id;                 /* "" if the token was refused */
    bool pending, failed;
    Creel__ErrorCode code;
    char *text;
};

struct reply {
    uint64_t connection, request_id;
    size_t count, pending;
    struct reply_result *results;
    TAILQ_ENTRY(reply) next;
};

struct reply_wait {                     /* a container's save, a result of a reply */
    struct reply *reply;
    size_t index;
    TAILQ_ENTRY(reply_wait) next;
};

/* --- files ------------------------------------------------------------------ */

struct container;

struct fetch_wait {
    struct container *container;
    struct fetch *fetch;
    TAILQ_ENTRY(fetch_wait) in_fetch, in_container;
};

struct fetch {
    uint8_t hash[HASH_SIZE];
    TAILQ_HEAD(, fetch_wait) waits;     /* in the order of asking; may be empty */
    RB_ENTRY(fetch) entry;
};

/* --- containers and applications ------------------------------------------- */

struct container {
    struct container_id id;
    char text[ID_TEXT_MAX];
    struct app *app;
    enum container_phase phase;
    Creel__StoredStart *start;          /* owned; as on disk. NULL while FOLDED: see state_stored_start */
    uint8_t *folded;                    /* owned; packed */
    size_t folded_size;
    struct resource resource;
    bool ordered;                       /* by the RM itself */
    bool stop_at_once;                  /* no time to end after TERM */
    bool on_disk;                       /* it has a record: tombstones and directories are needed */
    bool found;                         /* left by an earlier agent, or accepted when the total was
                                           larger: may exceed it */
    int exit_status;
    char *diagnostics;                  /* NULL: none */
    int64_t started_ms, finished_ms;
    uint64_t memory_peak_bytes, cpu_time_us;
    uint64_t read_bytes, written_bytes;
    uint32_t pids_peak;
    struct agent_figures figures, figures_sent;     /* while it runs */
    int64_t figures_sent_at;            /* steady: when they were sent; 0: never */
    bool measured;                      /* is in agent->measured: there is news */

    bool dirty;                         /* the RM has yet to acknowledge its status */
    uint64_t first_sent_seq;            /* heartbeat that sent it first; 0: not sent yet */

    TAILQ_HEAD(, reply_wait) replies;
    TAILQ_HEAD(, fetch_wait) fetches;   /* files that are missing */
    RB_ENTRY(container) entry;
    TAILQ_ENTRY(container) in_app, in_dirty, in_waiting, in_measured;
};

struct app {
    struct app_id id;
    char text[ID_TEXT_MAX];
    TAILQ_HEAD(, container) containers;
    bool over;                          /* as the RM reported */
    bool cleaned;                       /* nothing of it is left; to be confirmed */
    uint64_t first_sent_seq;            /* heartbeat that confirmed it first; 0: none yet */
    RB_ENTRY(app) entry;
    TAILQ_ENTRY(app) in_cleaned;
};

/* Applications that ended here not long ago: late starts are refused by it. */
struct finished_app {
    struct app_id id;
    RB_ENTRY(finished_app) entry;
    TAILQ_ENTRY(finished_app) next;
};

RB_HEAD(container_tree, container);
RB_HEAD(app_tree, app);
RB_HEAD(fetch_tree, fetch);
RB_HEAD(finished_app_tree, finished_app);
RB_PROTOTYPE(container_tree, container, entry, container_order)
RB_PROTOTYPE(app_tree, app, entry, app_order)
RB_PROTOTYPE(fetch_tree, fetch, entry, fetch_order)
RB_PROTOTYPE(finished_app_tree, finished_app, entry, finished_app_order)

/* --- the line to the RM ------------------------------------------------------ */

enum link_state {
    LINK_OFF,                           /* before agent_start */
    LINK_REGISTERING,
    LINK_REGISTERED,
    LINK_REFUSED,                       /* containers are being ended; then SHUTDOWN */
};

struct link {
    enum link_state state;
    uint64_t next_request;
    uint64_t session, first_session;

    uint64_t register_floor;            /* replies below belong to an earlier registration */
    int64_t register_at;                /* when to send (again) */
    int64_t register_sent;              /* INT64_MIN: never */
    int64_t backoff_ms;

    uint64_t heartbeat_floor;           /* replies below belong to an earlier session */
    int64_t interval_ms;
    uint64_t seq;
    bool outstanding;
    uint64_t outstanding_request;
    uint8_t *packed;                    /* the outstanding heartbeat, to be sent again unchanged */
    size_t packed_size;
    int64_t resend_at;
    int64_t sent_at;                    /* of the newest heartbeat, first time */
    int64_t answered_at;                /* of the newest answer */
    int64_t lease_ms;                   /* how long the RM counts on this node; INT64_MAX: unknown */
    int64_t leased_until;               /* start nothing from here on; INT64_MIN: nothing yet */
    int64_t contact_at;                 /* the RM had a message of ours then or later; INT64_MIN: unknown */
    int64_t judged_at;                  /* when starts were last considered */
    int64_t urgent_at;                  /* something matters: not later than this; INT64_MAX none */
    Creel__History *seen;               /* owned: the newest of the RM's histories; NULL: none yet */
    bool waiting;                       /* what the RM has is not what follows SEEN */
    int64_t kept_at;                    /* steady: when SEEN was kept last; INT64_MIN: never */
    bool stop_ordered;                  /* and not refused when it registered */
    bool shutdown_sent;
    char *refusal;
};

struct rm_clock {                       /* see clock.c */
    bool known;
    int64_t offset_ms;                  /* the RM's clock minus the steady one */
    int64_t error_ms;
};

struct agent {
    struct agent_config config;         /* texts are owned */
    struct resource total;              /* of config, or more if the RM wants so */
    char *host, *port;                  /* of the node id */
    struct rng rng;
    struct link link;
    struct rm_clock rm_clock;

    struct container_tree containers;
    struct app_tree apps;
    struct fetch_tree fetches;
    struct finished_app_tree finished;
    TAILQ_HEAD(, finished_app) finished_oldest;
    size_t finished_count;
    TAILQ_HEAD(dirty_list, container) dirty;        /* oldest first */
    TAILQ_HEAD(waiting_list, container) waiting;    /* PHASE_WAITING, in order */
    TAILQ_HEAD(measured_list, container) measured;  /* with figures to be sent, oldest first */
    TAILQ_HEAD(cleaned_list, app) cleaned;
    TAILQ_HEAD(reply_list, reply) replies;

    size_t launching;                   /* handed to the runtime, which has yet to answer */
    int64_t launch_at;                  /* the machine was short of something: not before this */

    struct resource promised;           /* accepted and not ordered to stop */
    struct resource used;               /* of phases that may run */
    struct resource used_found;         /* part of it that was found after a restart */
    size_t phase_counts[PHASE_COUNT];

    bool unhealthy;
    char *health_report;
    uint64_t used_memory_bytes;
};

/* One step: everything a function needs to act. */
struct step {
    struct agent *agent;
    struct agent_time now;
    struct agent_effects *effects;
};

/* --- effects.c ---------------------------------------------------------------- */

struct agent_effect *effect_add(struct step *step, enum agent_effect_kind kind);
struct agent_effect *effect_container(struct step *step, enum agent_effect_kind kind,
                                      const struct container *container);
void effect_note(struct step *step, const struct container *container, bool warning,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
/* A copy of MESSAGE, all of it in ARENA. */
ProtobufCMessage *effect_copy(struct arena *arena, const ProtobufCMessage *message);
/* Unpack into ARENA; NULL if BYTES are no such message. */
ProtobufCMessage *effect_unpack(struct arena *arena, const ProtobufCMessageDescriptor *type,
                                const void *bytes, size_t size);
Creel__Envelope *effect_envelope(struct arena *arena, uint64_t request_id);
/* RESOURCE of a message; NULL gives zero. */
struct resource resource_from_message(const Creel__Resource *resource);
/* TEXT fit to be sent: at most MAX bytes of valid UTF-8 without control characters
 * (newline and tab stay). malloc'ed; NULL gives "". */
char *effect_clean_text(const char *text, size_t max);

/* --- clock.c -------------------------------------------------------------------- */

/* The RM's clock showed RM_MS (0: not in the answer) after SENT_AT, and before now. */
void clock_take(struct step *step, int64_t sent_at, int64_t rm_ms);
/* What this node's own clock shows when the RM's shows RM_MS. */
int64_t clock_own_ms(const struct step *step, int64_t rm_ms);

/* --- state.c -------------------------------------------------------------------- */

struct container *state_find(const struct agent *agent, const char *container_id);
/* A new container in PHASE_NEW; START becomes its own. */
struct container *state_add(struct agent *agent, const struct container_id *id,
                            Creel__StoredStart *start);
void state_remove(struct agent *agent, struct container *container);
/* What it was started with, CONTAINER's. Of those of which nothing is new it is kept packed, in a
 * quarter of the room: state_fold. */
Creel__StoredStart *state_stored_start(struct container *container);
void state_fold(struct container *container);
/* It may exceed the total from now on. */
void state_mark_found(struct agent *agent, struct container *container);
/* Is there ROOM for AMOUNT? Memory alone: it cannot be given out twice. How many containers share the
 * CPUs is the scheduler's business, which, with YARN's usual calculator, does not count vcores. */
bool state_fits(const struct resource *amount, const struct resource *room);
void state_set_phase(struct agent *agent, struct container *container,
                     enum container_phase phase);
struct app *state_app(struct agent *agent, const struct app_id *id);    /* made if absent */
struct app *state_find_app(const struct agent *agent, const struct app_id *id);
void state_remove_app(struct agent *agent, struct app *app);
bool state_app_finished(const struct agent *agent, const struct app_id *id);
void state_add_finished(struct agent *agent, const struct app_id *id);
/* It waits for no file any more. */
void state_drop_fetches(struct container *container);
/* There is nothing new of its figures any more. */
void state_drop_measured(struct agent *agent, struct container *container);
void state_free(struct agent *agent);

/* --- containers.c ---------------------------------------------------------------- */

/* Let EVENT happen to CONTAINER, which may be gone afterwards. */
void containers_event(struct step *step, struct container *container,
                      enum container_event event);
/* Tell it to stop; STATUS is what it will count as. */
void containers_stop(struct step *step, struct container *container, int status,
                     const char *reason);
void containers_set_diagnostics(struct container *container, const char *text);
/* The next to be launched at STEADY_MS; NULL: none. One that is to end without contact does not begin when
 * half of its time is over. */
struct container *containers_first_waiting(const struct agent *agent, int64_t steady_ms);
/* Launch what waits and has room now. */
void containers_launch_waiting(struct step *step);
/* Gives CONTAINER, which runs, the notice of its preemption if that was ordered and not yet given. */
void containers_give_due_notice(struct step *step, struct container *container);
/* It will be preempted at DEADLINE_MS, for REASON: it gets the notice as soon as it runs. A repeated
 * call does nothing. */
void containers_preempt_notice(struct step *step, struct container *container, int64_t deadline_ms,
                               const char *reason);
/* Nothing comes of the notice with DEADLINE_MS. */
void containers_spare(struct step *step, struct container *container, int64_t deadline_ms);
/* Have its files fetched; with none it goes on at once. */
void containers_fetch(struct step *step, struct container *container);
void containers_report(struct step *step, struct container *container, bool urgent);

/* --- apps.c ---------------------------------------------------------------------- */

/* An application that is over and of which nothing is left is cleaned up. */
void apps_settle(struct step *step, struct app *app);

/* --- replies.c ------------------------------------------------------------------- */

struct reply *replies_new(struct step *step, uint64_t connection, uint64_t request_id,
                          size_t count);
void replies_wait(struct container *container, struct reply *reply, size_t index);
void replies_accept(struct reply *reply, size_t index, const char *container_id);
void replies_refuse(struct reply *reply, size_t index, const char *container_id,
                    Creel__ErrorCode code, const char *text);
/* All results that wait for CONTAINER's save are settled; NULL TEXT: accepted. */
void replies_settle(struct step *step, struct container *container, Creel__ErrorCode code,
                    const char *text);
/* Send REPLY and forget it if nothing is pending any more. */
void replies_finish(struct step *step, struct reply *reply);
void replies_free(struct agent *agent);

/* --- orders.c -------------------------------------------------------------------- */

void orders_take(struct step *step, const Creel__NodeOrders *orders);
/* APP is over: end what is left of it. */
void orders_end_app(struct step *step, struct app *app);

/* --- launch.c -------------------------------------------------------------------- */

/* Could CONTEXT be launched for USER? -EINVAL or -EPERM, with what is wrong. FIRST: as an attempt's first. */
int launch_judge(const Creel__LaunchContext *context, const char *user, bool first, struct err *err);
const struct launch *launch_make(struct step *step, struct container *container);

/* --- link.c ---------------------------------------------------------------------- */

void link_init(struct agent *agent);
void link_start(struct step *step);
void link_message(struct step *step, const Creel__Envelope *envelope);
void link_timer(struct step *step);
int64_t link_deadline_ms(const struct agent *agent);
void link_unsent(struct agent *agent, struct agent_time now);
void link_free(struct agent *agent);

/* --- link_state.c ---------------------------------------------------------------- */

/* May containers be started: does the RM still count on this node? */
bool link_is_leased(const struct agent *agent, struct agent_time now);
void link_renew_lease(struct link *link);   /* the newest heartbeat was answered */
void link_urgent(struct step *step);        /* send a heartbeat very soon */
void link_settle(struct step *step);        /* refused and empty: SHUTDOWN */

/* --- history.c ------------------------------------------------------------------- */

void history_init(struct agent *agent, const void *data, size_t size);
void history_free(struct agent *agent);
/* For a registration, in the arena of EFFECTS; NULL: none. */
Creel__History *history_report(struct step *step);
/* May this answer to a registration be followed? False: the RM has forgotten what this agent knows. */
bool history_follows(struct step *step, const Creel__RegisterNodeReply *reply);
/* The RM of this session has come to NOW (NULL is fine). */
void history_take(struct step *step, const Creel__History *now);

/* --- figures.c ------------------------------------------------------------------- */

/* Some of those that are due go into BODY. */
void figures_fill(struct step *step, Creel__Heartbeat *body);
/* An RM that may know nothing yet is sent all of them again. */
void figures_again(struct agent *agent);
/* --- status.c -------------------------------------------------------------------- */

/* The status of CONTAINER to be sent; with GRANT for registrations. DIAGNOSTICS_MAX bytes at most. */
Creel__ContainerStatus *status_make(struct arena *arena, struct container *container,
                                    bool grant, size_t diagnostics_max);

#endif

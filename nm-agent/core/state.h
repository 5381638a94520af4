/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - the state of the agent, shared by the files of its core
 *
 * Containers, applications and files being fetched are in trees ordered by id; lists are in the order of the
 * requests. Only files of nm-agent/core include this header.
 */
#ifndef CREEL_NM_STATE_H
#define CREEL_NM_STATE_H

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>

#include "common/base/id.h"
#include "common/base/job/exit_status.h"
#include "common/base/mem.h"
#include "common/base/rng.h"
#include "nm-agent/core/agent.h"
#include "nm-agent/core/container_phase.h"

#define TEXT_SHOWN_MAX 1000 /* maximum length of stored and sent diagnostics */
#define TITLE_SHOWN_MAX 200
#define HASH_SIZE 32
#define MESSAGE_BYTES ((size_t)960 << 10) /* maximum size of the lists in a message to the RM */

#define LAUNCH_PAUSE_MS \
    250 /* pause before the next launch if the machine is short of a
           resource */

struct shortage { /* shortage.c: of descriptors, processes or memory */
    char *why;    /* owned; of the last launch that failed; NULL: none since the last one that succeeded */
    int64_t since, failed_at; /* steady clock; of the first and the last of these */
};

/* --- replies to AMs that wait for saves ------------------------------------ */

struct reply_result {
    char *container_id; /* "" if the token was refused */
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

struct reply_wait { /* one result of REPLY: it is settled when the record of the container is saved */
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
    char **users; /* owned; for whom it was requested */
    size_t user_count, user_capacity;
    TAILQ_HEAD(, fetch_wait) waits; /* in the order of the requests; may be empty */
    RB_ENTRY(fetch) entry;
};

/* --- containers and applications ------------------------------------------- */

struct container {
    struct container_id id;
    char text[ID_TEXT_MAX];
    struct app *app;
    enum container_phase phase;
    int64_t phase_at;          /* steady time of the event that led to PHASE */
    Creel__StoredStart *start; /* owned; as written to disk. NULL while FOLDED is set: see
                                  state_stored_start */
    uint8_t *folded;           /* owned; START in packed form */
    size_t folded_size;
    struct resource resource;
    bool ordered;      /* the RM ordered the start itself, not an AM */
    bool stop_at_once; /* KILL without a delay after TERM */
    bool on_disk;      /* a record exists: tombstone and directory removal are needed */
    bool found;        /* left by an earlier agent, or accepted when the total was larger:
                          may exceed the total */
    int exit_status;
    uint32_t resize_failed; /* version of the last order of resize.c that failed; 0: none */
    char *diagnostics;      /* NULL: none */
    char *stuck;            /* names a process that was killed and does not end; NULL: none */
    int64_t launched_ms;    /* wall clock, of AGENT_LAUNCH; 0: not launched by this agent */
    int64_t started_ms, finished_ms;
    int64_t command_ms;             /* end of the command, which an order to stop may come after */
    struct container_totals totals; /* when it has ended; until then FIGURES has them */
    struct agent_figures figures, figures_sent; /* while the container runs */
    int64_t figures_sent_at;                    /* steady time of the last sending; 0: never */
    bool measured;                              /* in agent->measured: figures have changed */

    bool limit_armed; /* in agent->limits */
    int64_t limit_at; /* steady time of its signal, or of its stop: time_limit.c */
    RB_ENTRY(container) by_limit;

    bool node_fault;         /* it was not started because of the node, not of the job; not stored on disk */
    bool retry_elsewhere;    /* the same, or because of its user on this node; not stored on disk */
    bool no_account;         /* the latter: its user has no account here; not stored on disk */
    bool dirty;              /* the RM has not acknowledged the status yet */
    uint64_t first_sent_seq; /* first heartbeat with this status; 0: not sent yet */

    TAILQ_HEAD(, reply_wait) replies;
    TAILQ_HEAD(, fetch_wait) fetches; /* files still to be fetched */
    RB_ENTRY(container) entry;
    TAILQ_ENTRY(container) in_app, in_dirty, in_waiting, in_measured;
};

struct app {
    struct app_id id;
    char text[ID_TEXT_MAX];
    TAILQ_HEAD(, container) containers;
    bool over;               /* the RM reported the end of the application */
    bool cleaned;            /* AGENT_CLEANUP_APP was issued; the RM has not acknowledged it yet */
    uint64_t first_sent_seq; /* first heartbeat with the confirmation; 0: none yet */
    RB_ENTRY(app) entry;
    TAILQ_ENTRY(app) in_cleaned;
};

/* A new state of the logs of an ended application, until the RM has acknowledged it. */
struct log_news {
    TAILQ_ENTRY(log_news) link;
    char app_id[ID_TEXT_MAX];
    Creel__LogAggregation state;
    uint64_t first_sent_seq; /* first heartbeat with it; 0: none yet */
};

/* An application that ended on this node recently: late starts of its containers are refused. */
struct finished_app {
    struct app_id id;
    RB_ENTRY(finished_app) entry;
    TAILQ_ENTRY(finished_app) next;
};

RB_HEAD(container_tree, container);
RB_HEAD(limit_tree, container);
RB_HEAD(app_tree, app);
RB_HEAD(fetch_tree, fetch);
RB_HEAD(finished_app_tree, finished_app);
RB_PROTOTYPE(container_tree, container, entry, container_order)
RB_PROTOTYPE(limit_tree, container, by_limit, limit_compare)
RB_PROTOTYPE(app_tree, app, entry, app_order)
RB_PROTOTYPE(fetch_tree, fetch, entry, fetch_order)
RB_PROTOTYPE(finished_app_tree, finished_app, entry, finished_app_order)

/* --- the connection to the RM ------------------------------------------------ */

enum link_state {
    LINK_OFF, /* before agent_start */
    LINK_REGISTERING,
    LINK_REGISTERED,
    LINK_REFUSED, /* containers are being stopped; then AGENT_SHUTDOWN */
};

struct link {
    enum link_state state;
    uint64_t next_request;
    uint64_t session, first_session;

    uint64_t register_floor; /* replies with a smaller request id belong to an earlier
                                registration */
    int64_t register_at;     /* time of the next registration request */
    int64_t register_sent;   /* time of the last registration request; INT64_MIN: never */
    int64_t backoff_ms;
    uint64_t registration;            /* number of this registration, larger than those before */
    char register_after[ID_TEXT_MAX]; /* the RM has the containers up to this one; "": none yet */
    uint32_t register_before;         /* number of these containers */

    uint64_t heartbeat_floor; /* replies with a smaller request id belong to an earlier session */
    int64_t interval_ms;
    uint64_t seq;
    bool outstanding;
    uint64_t outstanding_request;
    uint8_t *packed; /* the outstanding heartbeat, which is resent unchanged */
    size_t packed_size;
    int64_t resend_at;
    int64_t sent_at;      /* first sending of the newest heartbeat */
    int64_t answered_at;  /* time of the newest reply */
    int64_t lease_ms;     /* time for which the RM regards this node as alive; INT64_MAX:
                             unknown */
    int64_t leased_until; /* no container starts after this time; INT64_MIN: none may start
                             yet */
    int64_t contact_at;   /* the RM got a message of this agent then or later; INT64_MIN:
                             unknown */
    int64_t judged_at;    /* time of the last containers_launch_waiting */
    int64_t urgent_at;    /* an urgent heartbeat is due by this time; INT64_MAX: none */
    Creel__History *seen; /* owned: newest history of the RM (history.c); NULL: none */
    bool waiting;         /* the RM's history does not continue SEEN: no registration */
    int64_t kept_at;      /* steady time of the last AGENT_KEEP_HISTORY; INT64_MIN: never */
    char *rm_version;     /* owned: release of the RM that answered the last registration; NULL: none did */
    struct protocol_range rm_protocol;
    char *mismatch; /* owned: the RM's versions of the protocol and the agent's do not meet; NULL: they do */
    bool stop_ordered; /* the RM ordered the shutdown of a registered node (not a refused
                             registration) */
    bool shutdown_sent;
    char *refusal;
};

struct rm_clock { /* see clock.c */
    bool known;
    int64_t offset_ms; /* the RM's clock minus the steady clock */
    int64_t error_ms;
};

struct agent {
    struct agent_config config; /* copied; its texts are owned */
    struct resource total;      /* total of CONFIG, or a larger one ordered by the RM */
    char *host, *port;          /* parts of the node id */
    struct rng rng;
    struct link link;
    struct rm_clock rm_clock;

    struct container_tree containers;
    struct limit_tree limits; /* running containers with a time limit, by limit_at */
    struct app_tree apps;
    struct fetch_tree fetches;
    struct finished_app_tree finished;
    TAILQ_HEAD(, finished_app) finished_oldest;
    size_t finished_count;
    TAILQ_HEAD(dirty_list, container) dirty;       /* oldest first */
    TAILQ_HEAD(waiting_list, container) waiting;   /* PHASE_WAITING, in the order of launches */
    TAILQ_HEAD(measured_list, container) measured; /* containers with figures to be sent, oldest first */
    TAILQ_HEAD(cleaned_list, app) cleaned;
    TAILQ_HEAD(log_list, log_news) log_news; /* oldest first */
    TAILQ_HEAD(reply_list, reply) replies;

    size_t launching;  /* launches issued to the runtime and not yet answered */
    int64_t launch_at; /* earliest time of the next launch, after the machine was short of a
                          resource */
    struct shortage shortage;

    struct resource promised;   /* sum of containers accepted and not ordered to stop */
    struct resource used;       /* sum of containers in phases that may run */
    struct resource used_found; /* part of USED that belongs to containers with FOUND */
    size_t phase_counts[PHASE_COUNT];
    struct agent_durations durations;

    bool unhealthy;
    Creel__LogLevel log_level;
    char *health_report;
    int64_t certificate_expires_ms;
    uint32_t crashes;
    struct agent_use use;
};

/* Context of one step of the core, passed to all functions that act. */
struct step {
    struct agent *agent;
    struct agent_time now;
    struct agent_effects *effects;
};

/* --- effects.c ---------------------------------------------------------------- */

struct agent_effect *effect_add(struct step *step, enum agent_effect_kind kind);
struct agent_effect *effect_container(struct step *step, enum agent_effect_kind kind,
                                      const struct container *container);
void effect_note(struct step *step, const struct container *container, bool warning, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Returns a deep copy of MESSAGE in ARENA. */
ProtobufCMessage *effect_copy(struct arena *arena, const ProtobufCMessage *message);
/* Unpacks a message into ARENA; returns NULL if BYTES are not valid. */
ProtobufCMessage *effect_unpack(struct arena *arena, const ProtobufCMessageDescriptor *type,
                                const void *bytes, size_t size);
Creel__Envelope *effect_envelope(struct arena *arena, uint64_t request_id);
/* Converts the resource of a message; NULL gives zero. */
struct resource resource_from_message(const Creel__Resource *resource);
/* Returns TEXT in a form that can be sent: at most MAX bytes of valid UTF-8 without control characters
 * (except newline and tab). The caller frees the result; NULL gives "". */
char *effect_clean_text(const char *text, size_t max);

/* --- clock.c -------------------------------------------------------------------- */

/* Updates the estimate of the RM's clock, which showed RM_MS between SENT_AT and now. RM_MS 0 (an RM that
 * sends no time): changes nothing. Returns true if the RM's clock was not known before. */
bool clock_update(struct step *step, int64_t sent_at, int64_t rm_ms);
/* Returns the time of this node's wall clock at which the RM's clock shows RM_MS. */
int64_t clock_own_ms(const struct step *step, int64_t rm_ms);

/* --- state.c -------------------------------------------------------------------- */

struct container *state_find(const struct agent *agent, const char *container_id);
/* Adds a container in PHASE_NEW, which takes ownership of START. */
struct container *state_add(struct agent *agent, const struct container_id *id, Creel__StoredStart *start);
void state_remove(struct agent *agent, struct container *container);
/* Returns the stored start of CONTAINER, owned by the container. state_fold packs the start of a container
 * without unsent changes, which saves three quarters of the memory; this function unpacks it again. */
Creel__StoredStart *state_stored_start(struct container *container);
void state_fold(struct container *container);
/* Marks CONTAINER as one that may exceed the total. */
void state_mark_found(struct agent *agent, struct container *container);
/* Returns true if AMOUNT fits into ROOM. Only memory is compared, since memory cannot be shared. The
 * scheduler decides how many containers share the CPUs; YARN's default resource calculator ignores vcores. */
bool state_fits(const struct resource *amount, const struct resource *room);
void state_set_phase(struct agent *agent, struct container *container, enum container_phase phase);
/* Sets the resource of CONTAINER, and corrects the sums that count it. */
void state_set_resource(struct agent *agent, struct container *container, const struct resource *resource);
/* Stops the timer of the time limit of CONTAINER (limit_arm), if it runs. */
void state_disarm_limit(struct agent *agent, struct container *container);
struct app *state_app(struct agent *agent, const struct app_id *id); /* creates the application if it is
                                                                        unknown */
struct app *state_find_app(const struct agent *agent, const struct app_id *id);
void state_remove_app(struct agent *agent, struct app *app);
bool state_app_finished(const struct agent *agent, const struct app_id *id);
void state_add_finished(struct agent *agent, const struct app_id *id);

/* --- log_news.c: states of the logs of ended applications ------------------------ */

void log_news_add(struct agent *agent, const char *app_id, Creel__LogAggregation state);
void log_news_acknowledged(struct agent *agent, uint64_t acked_seq);
void log_news_again(struct agent *agent); /* a new session: the RM may have received none of them */
void log_news_free(struct agent *agent);
/* Removes CONTAINER from the waits of all files. */
void state_drop_fetches(struct container *container);
void state_free_fetch(struct fetch *fetch); /* no container waits for it, and it is in no tree */
/* Removes CONTAINER from the list of changed figures. */
void state_drop_measured(struct agent *agent, struct container *container);
void state_free(struct agent *agent);

/* --- containers.c ---------------------------------------------------------------- */

/* Processes EVENT of CONTAINER, and may delete CONTAINER. */
void containers_event(struct step *step, struct container *container, enum container_event event);
/* Stops CONTAINER; STATUS is its exit status. */
void containers_stop(struct step *step, struct container *container, int status, const char *reason);
void containers_set_diagnostics(struct container *container, const char *text);
/* Returns the next container to launch at STEADY_MS; NULL: none. A container with stop_after_ms is not
 * launched when half of that time has passed since the last contact with the RM. */
struct container *containers_first_waiting(const struct agent *agent, int64_t steady_ms);
/* Launches waiting containers for which resources are free. */
void containers_launch_waiting(struct step *step);
/* Issues AGENT_PREEMPT_NOTICE for CONTAINER, which runs, if a notice was ordered and not issued yet. */
void containers_send_due_notice(struct step *step, struct container *container);
/* Records that CONTAINER will be preempted at DEADLINE_MS because of REASON: the notice is issued as soon as
 * the container runs. A call with the same DEADLINE_MS, or for a container that is being stopped, only
 * reports the container to the RM again. */
void containers_preempt_notice(struct step *step, struct container *container, int64_t deadline_ms,
                               const char *reason);
/* Cancels the preemption with DEADLINE_MS, and reports the container to the RM. May be repeated. */
void containers_spare(struct step *step, struct container *container, int64_t deadline_ms);
/* Fetches the files of CONTAINER; without files to fetch, the container continues at once. */
void containers_fetch(struct step *step, struct container *container);
void containers_report(struct step *step, struct container *container, bool urgent);
/* Writes the record of CONTAINER. */
void containers_save(struct step *step, struct container *container);

/* --- durations.c ---------------------------------------------------------------- */

void durations_init(struct agent *agent);
/* Counts how long the phase of CONTAINER took, which EVENT ends, if its duration is counted. */
void durations_count(struct step *step, struct container *container, enum container_event event);

/* --- limit.c -------------------------------------------------------------------- */

/* Returns the time of this node's wall clock at which CONTAINER is stopped by the time limit of its
 * application; 0: no limit is known. */
int64_t limit_end_ms(const struct step *step, struct container *container);
/* Returns the time at which the RM ends CONTAINER (RM's clock): from its last order, or else from the grant;
 * 0: none. */
int64_t limit_rm_ms(struct container *container);
/* Sets the timer of CONTAINER, which starts or runs, by its present limit. */
void limit_arm(struct step *step, struct container *container);
void limit_arm_all(struct step *step);
void state_disarm_limit(struct agent *agent, struct container *container);
int64_t limit_next_ms(const struct agent *agent); /* steady time; INT64_MAX: nothing is due */
/* Returns how long before its time limit CONTAINER gets *SIGNAL_NUMBER; 0: its job requested no signal. */
int64_t limit_signal_ahead_ms(struct container *container, int *signal_number);

/* --- time_limit.c --------------------------------------------------------------- */

/* Handles the RM's order that sets the time limit of CONTAINER to LIMIT_MS (RM's clock; 0: no limit). */
void limit_order(struct step *step, struct container *container, int64_t limit_ms);
/* Sends the signals, and stops the containers, that are due. */
void limit_timer(struct step *step);

/* --- resize.c ------------------------------------------------------------------- */

/* Handles the RM's order that changes the size of a container. */
void resize_order(struct step *step, const Creel__ResizeOrder *order);

/* --- apps.c ---------------------------------------------------------------------- */

/* Cleans up APP if it has ended and has no containers left. */
void apps_settle(struct step *step, struct app *app);

/* --- replies.c ------------------------------------------------------------------- */

struct reply *replies_new(struct step *step, uint64_t connection, uint64_t request_id, size_t count);
void replies_wait(struct container *container, struct reply *reply, size_t index);
void replies_accept(struct reply *reply, size_t index, const char *container_id);
void replies_refuse(struct reply *reply, size_t index, const char *container_id, Creel__ErrorCode code,
                    const char *text);
/* Settles all results that wait for the save of CONTAINER: accepts them if TEXT is NULL, else refuses them
 * with CODE and TEXT. */
void replies_settle(struct step *step, struct container *container, Creel__ErrorCode code, const char *text);
/* Sends and deletes REPLY if it has no pending results. */
void replies_finish(struct step *step, struct reply *reply);
void replies_free(struct agent *agent);

/* --- orders.c -------------------------------------------------------------------- */

void orders_apply(struct step *step, const Creel__NodeOrders *orders);
/* Stops the remaining containers of APP, which has ended. */
void orders_end_app(struct step *step, struct app *app);

/* --- launch.c -------------------------------------------------------------------- */

/* Checks whether CONTEXT can be launched for USER. Returns 0, or -EINVAL or -EPERM with the reason in
 * ERR. */
int launch_judge(const Creel__LaunchContext *context, const char *user, struct err *err);
/* The same for a new container with GRANT of the application APP_ID: checks the names of its files (FIRST: it
 * is the first container of an attempt) and the lengths of its paths, too, also of the names that the
 * patterns of its output files become. Containers that an earlier version started may have others. */
int launch_judge_new(const struct step *step, const Creel__LaunchContext *context,
                     const Creel__ContainerGrant *grant, const char *app_id, bool first, struct err *err);
const struct launch *launch_make(struct step *step, struct container *container);

/* --- link.c ---------------------------------------------------------------------- */

void link_init(struct agent *agent);
void link_start(struct step *step);
void link_register_again(struct step *step); /* if the agent is registered */
void link_message(struct step *step, const Creel__Envelope *envelope);
void link_timer(struct step *step);
int64_t link_deadline_ms(const struct agent *agent);
void link_unsent(struct agent *agent, struct agent_time now);
void link_free(struct agent *agent);

/* --- link_state.c ---------------------------------------------------------------- */

/* Returns true if containers may be started: the RM still regards this node as alive. */
bool link_is_leased(const struct agent *agent, struct agent_time now);
void link_renew_lease(struct link *link); /* called when the newest heartbeat was answered */
void link_urgent(struct step *step);      /* sends a heartbeat very soon */
void link_settle(struct step *step);      /* issues AGENT_SHUTDOWN if the node is refused and has no
                                             containers */

/* --- shortage.c ------------------------------------------------------------------ */

/* Returns true if a launch failed with CODE because the machine is short of something. */
bool shortage_is(int code);
/* Notes such a failure, for reason WHY. Returns true if the launch is to be tried again on this node; false:
 * no launch has succeeded for long. */
bool shortage_retries(struct step *step, const char *why);
/* Puts CONTAINER back to the front of the waiting list. Replies to heartbeats trigger the next attempt. A
 * container that is being stopped ends instead. */
void shortage_postpone(struct step *step, struct container *container);
void shortage_end(struct agent *agent); /* a launch has succeeded */

/* --- register.c ------------------------------------------------------------------ */

/* Begins the list of containers of a new registration. */
void register_reset(struct agent *agent);
/* Returns true if a registration lists CONTAINER. */
bool register_lists(const struct container *container);
/* Returns the next message of the registration: RegisterContainers, or RegisterNode with the last part. */
Creel__Envelope *register_make(struct step *step, uint64_t request_id);
/* Lets the next part begin after the last container that REPLY confirms. Returns true if the RM has more
 * containers of the list than before. */
bool register_handle_reply(struct agent *agent, const Creel__RegisterContainersReply *reply);

/* --- history.c ------------------------------------------------------------------- */

void history_init(struct agent *agent, const void *data, size_t size);
void history_free(struct agent *agent);
/* Returns the history for a registration, in the arena of EFFECTS; NULL: none. */
Creel__History *history_report(struct step *step);
/* Returns true if the history in REPLY continues the history that this agent has seen. False: the RM has lost
 * state that this agent knows. */
bool history_follows(struct step *step, const Creel__RegisterNodeReply *reply);

/* --- release.c ----------------------------------------------------------------- */

/* Notes the RM's release and protocol versions. Returns false if these and the agent's do not meet. */
bool release_fits(struct step *step, const Creel__RegisterNodeReply *reply);
const char *release_text(const struct step *step); /* both releases; in the arena of the step's effects */
void release_free(struct agent *agent);
/* Stores NOW (may be NULL), the latest history of the RM of this session. */
void history_update(struct step *step, const Creel__History *now);

/* --- figures.c ------------------------------------------------------------------- */

/* Adds to BODY the figures that are due, up to a maximum number. */
void figures_fill(struct step *step, Creel__Heartbeat *body);
/* Marks all figures as unsent, for an RM that may not have them. */
void figures_again(struct agent *agent);
/* --- status.c -------------------------------------------------------------------- */

/* Returns the status of CONTAINER to be sent, with at most DIAGNOSTICS_MAX bytes of diagnostics. GRANT: with
 * the grant, for registrations. */
Creel__ContainerStatus *status_make(struct arena *arena, struct container *container, bool grant,
                                    size_t diagnostics_max);

#endif

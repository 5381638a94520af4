/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - the master's books, seen by rm/master alone
 *
 * An app owns its attempts and containers; nodes, apps and containers each
 * stand in one tree by id; everything else that points at them is an index.
 * A step (step_begin .. step_end) handles one event: state machines first, then whatever
 * the scheduler decided, then what is pushed because of it.
 */
#ifndef CREEL_RM_MASTER_INTERNAL_H
#define CREEL_RM_MASTER_INTERNAL_H

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#include <uthash.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/master/master.h"
#include "rm/master/states.h"
#include "rm/sched/sched.h"

/* YARN's exit statuses (yarn-behaviour 13.5). */
enum {
    EXIT_NONE = -1000,
    EXIT_ABORTED = -100,
    EXIT_DISKS = -101,
    EXIT_PREEMPTED = -102,
    EXIT_BY_AM = -105,
    EXIT_BY_RM = -106,
    EXIT_APP_OVER = -107,
    EXIT_AGENT_LOST_IT = 154,
};

#define MESSAGE_BYTES_MAX ((size_t)4 << 20)     /* of lists in one message; frames go to 16 MiB */

/* --- deadlines ------------------------------------------------------------- */

enum deadline_kind {
    DEADLINE_NODE, DEADLINE_CONTAINER, DEADLINE_AM, DEADLINE_WAITER, DEADLINE_LIFETIME,
    DEADLINE_TICK, DEADLINE_PREEMPTION
};

struct deadline {
    RB_ENTRY(deadline) link;
    int64_t at_ms;
    uint64_t serial;                    /* unique: the order of equal times */
    enum deadline_kind kind;
    void *owner;                        /* borrowed: the object that embeds it */
    bool armed;
};

RB_HEAD(rm_deadline_tree, deadline);

/* --- apps ------------------------------------------------------------------ */

struct waiter {                         /* of WaitApp */
    TAILQ_ENTRY(waiter) link;
    struct app *app;
    struct deadline deadline;
    enum master_channel channel;
    uint64_t connection, request_id, known_version;
    struct waiting *who;                /* asked */
};

struct waiting {                        /* of one user */
    UT_hash_handle hh;
    char *user;                         /* owned */
    uint32_t count;
};

struct submitter {                      /* waits for the app's row to be stored */
    TAILQ_ENTRY(submitter) link;
    enum master_channel channel;
    uint64_t connection, request_id;
};

/* A node that the app had containers on, until it has cleaned up. */
struct app_node {
    UT_hash_handle hh;
    char *node_id;                      /* owned */
    uint32_t live;                      /* containers of the app there */
};

struct attempt {
    TAILQ_ENTRY(attempt) link;
    struct app *app;
    struct attempt_id id;
    char text[ID_TEXT_MAX];
    enum attempt_state state, target;   /* TARGET: where FINAL_SAVING leads */
    uint64_t saving_seq;                /* the row that the state waits for */
    struct container *master;           /* NULL until allocated */
    bool registered;                    /* ever */
    bool known;                         /* registered with this very master, may allocate */
    bool tokens_old;                    /* signed with a key before the present one: to register
                                           again, which gives new ones */
    bool unregistered;                  /* the outcome below is the app's */
    bool counts;                        /* its failure, against max_attempts */
    Creel__FinalStatus final_status;
    int32_t exit_status;
    char *diagnostics;                  /* owned */
    char *tracking_url;                 /* owned */

    uint64_t am_connection;
    int64_t am_seen_ms;
    struct deadline expiry;
    uint64_t response_id;
    uint8_t *last_reply;                /* owned: packed AllocateReply */
    size_t last_reply_size;
    uint64_t last_reply_seq;            /* rows that it rests on */
    bool nudge, nudged;
    uint32_t step;                      /* registrations that FinishAm ended (APP_COMMAND) */
    TAILQ_HEAD(, container) fresh;      /* allocated, to be handed out */
    TAILQ_HEAD(, container) ended;      /* complete, to be told */
    TAILQ_HEAD(, container) warned;     /* to be preempted, to be told */
};

struct app {
    RB_ENTRY(app) link;
    struct app_id id;
    char text[ID_TEXT_MAX];
    char *user, *queue;                 /* owned */
    char **groups;                      /* owned; of USER when it submitted */
    size_t group_count;
    int32_t priority;
    int64_t expires_ms;                 /* its lifetime is over then; 0: never */
    struct deadline lifetime;
    Creel__JobSpec *job;                /* owned */
    UT_hash_handle by_key;
    char *key;                          /* owned: user, newline, submission key; NULL: none */
    enum app_state state, target;
    Creel__AppState shown;              /* what clients see */
    Creel__AppState shown_target;       /* in FINAL_SAVING: what they will */
    uint64_t saving_seq;
    struct sched_app *sched;            /* NULL once it is over and its last container gone */
    TAILQ_HEAD(, attempt) attempts;     /* owned; the present one is the last */
    struct attempt *attempt;
    int64_t submitted_ms, started_ms, finished_ms;
    Creel__FinalStatus final_status;
    int32_t exit_status;
    char *diagnostics;                  /* owned */
    bool kill_requested;
    char *kill_reason;                  /* owned */
    float progress;
    uint32_t tasks[4];                  /* total, running, succeeded, failed */
    uint64_t version;
    bool changed;                       /* stands in master->changed */
    TAILQ_ENTRY(app) in_changed, in_ended;
    bool listed_ended;
    TAILQ_HEAD(, waiter) waiters;
    TAILQ_HEAD(, submitter) submitters;

    uint32_t live, running;             /* containers not complete; seen running */
    struct app_node *nodes;             /* owned */
    struct resource held;               /* of containers in the scheduler's books */
    int64_t held_since_ms;
    uint64_t memory_mb_ms, vcore_ms;    /* up to HELD_SINCE_MS */
};

RB_HEAD(rm_app_tree, app);

/* --- containers ------------------------------------------------------------ */

enum order_kind { ORDER_NONE, ORDER_START, ORDER_STOP };

struct container {
    RB_ENTRY(container) link;
    struct container_id id;
    char text[ID_TEXT_MAX];
    struct app *app;
    struct attempt *attempt;
    struct node *node;                  /* never NULL */
    struct sched_container *sched;      /* NULL: not in the books (ended, or its node has yet to
                                           come back after a restart) */
    enum container_state state;
    bool master;
    bool seen;                          /* its node has reported it */
    bool stored;                        /* has a row */
    bool told;                          /* stands in attempt->fresh or ->ended */
    struct resource resource;
    uint32_t priority;
    uint64_t allocation_id;
    int64_t expires_ms;                 /* of the grant */
    struct deadline expiry;
    uint32_t step;
    Creel__ContainerState shown;
    int64_t allocated_ms, started_ms, finished_ms;
    int32_t exit_status;
    char *diagnostics, *title;          /* owned, may be NULL */
    uint64_t memory_peak_bytes, cpu_time_us;
    enum order_kind order;              /* stands in node->orders */
    bool order_sent;
    int32_t stop_status;
    char *stop_reason;                  /* owned */
    int64_t preempt_ms;                 /* it will be stopped then, to serve others; 0: will not */
    bool warning, warning_sent;         /* stands in node->warnings */
    bool am_warned;                     /* stands in attempt->warned */
    TAILQ_ENTRY(container) of_node, in_orders, in_told, in_warnings, in_warned;
};

RB_HEAD(rm_container_tree, container);

/* --- nodes ----------------------------------------------------------------- */

struct stray {                          /* runs on the node, but must not */
    UT_hash_handle hh;
    char *container_id;                 /* owned */
    int32_t status;
    bool unseen;                        /* never reported: to be refused if it is started yet */
    const char *reason;                 /* static */
};

struct finished {                       /* an app that the node is to clean up */
    UT_hash_handle hh;
    char *app_id;                       /* owned */
};

struct ack {                            /* heartbeat SEQ is safe when STORE_SEQ is on disk */
    TAILQ_ENTRY(ack) link;
    uint64_t seq, store_seq;
};

struct node {
    RB_ENTRY(node) link;
    char *id, *host;                    /* owned, as all text here */
    char *rack, *address, *agent_key, *version, *cgroup_mode, *principal, *health_report;
    char *label;                        /* its partition; NULL: none */
    enum node_state state;
    struct sched_node *sched;           /* NULL unless registered */
    struct resource total;
    uint64_t session, incarnation, connection;
    uint64_t register_request;          /* the latest of this incarnation */
    uint64_t seq;                       /* the latest heartbeat */
    TAILQ_HEAD(, ack) acks;
    int64_t seen_ms, registered_ms;
    struct deadline expiry;
    uint64_t used_memory_bytes;
    bool keys_due, keys_sent;           /* new token keys; in the reply to SEQ */
    TAILQ_HEAD(, container) containers; /* live ones */
    uint32_t container_count;
    TAILQ_HEAD(, container) orders;
    TAILQ_HEAD(, container) warnings;   /* PreemptOrders that it has not confirmed */
    struct stray *strays;               /* owned */
    struct finished *finished;          /* owned */
    bool push;                          /* stands in master->pushes: new orders */
    TAILQ_ENTRY(node) in_pushes;
};

RB_HEAD(rm_node_tree, node);

/* --- all of it ------------------------------------------------------------- */

enum saving_kind { SAVING_APP, SAVING_ATTEMPT, SAVING_HELD };

/* What is to happen when a row is on disk. */
struct saving {
    TAILQ_ENTRY(saving) link;
    uint64_t store_seq;
    enum saving_kind kind;
    struct attempt_id id;               /* APP, ATTEMPT */
    enum master_channel channel;        /* HELD: a message kept back */
    uint64_t connection;
    uint8_t *packed;                    /* owned */
    size_t size;
};

struct capacity_config;
struct capacity_access;

struct master {
    struct master_config config;        /* its texts are owned; SCHED is not kept */
    struct resource minimum, maximum;
    int64_t cluster_ms, started_ms, now_ms;
    uint32_t epoch;
    struct sched *sched;
    const struct capacity_config *capacity;     /* the scheduler's; NULL: it is not capacity */
    struct capacity_access *access;     /* the scheduler's; NULL: everybody may do everything */
    struct deadline tick, preemption;
    int64_t preempt_interval_ms;        /* 0: nobody is preempted */
    int64_t refreshed_ms;               /* 0: never */
    char *refreshed_by, *refresh_error; /* owned */
    struct sched_decisions decisions;
    size_t decided;                     /* decisions handled so far */
    struct master_effects *out;         /* of the present step */

    struct rm_app_tree apps;               /* owned */
    struct app *keys;                   /* index by submission key */
    uint32_t last_app_seq;
    struct rm_container_tree containers;   /* owned */
    struct rm_node_tree nodes;             /* owned */
    uint64_t last_session;
    struct rm_deadline_tree deadlines;
    uint64_t last_deadline;

    uint64_t store_seq, stored_seq;
    TAILQ_HEAD(saving_list, saving) savings;    /* in order of STORE_SEQ */
    char *store_trouble;                /* owned; NULL: the store works */

    TAILQ_HEAD(, app) changed;
    TAILQ_HEAD(, app) ended;            /* oldest first */
    uint32_t ended_count;
    TAILQ_HEAD(, node) pushes;
    uint32_t waiter_count;
    struct waiting *waiting;            /* uthash by user: who waits, how often */
    uint64_t total_finished, total_failed, total_killed;
    struct attempt **nudges;            /* owned array, of the present step */
    size_t nudge_count, nudge_capacity;
};

/* master.c */
void rm_step_begin(struct master *m, int64_t now_ms, struct master_effects *effects);
void rm_step_end(struct master *m);
void rm_take_decisions(struct master *m);

/* queues.c: the scheduler's life, and how apps and the rest of it come together */
int rm_queues_new(struct master *m, const struct master_config *config, struct err *err);
void rm_queues_free(struct master *m);
void rm_queues_tick(struct master *m);
void rm_queues_start_timers(struct master *m);
void rm_queues_on_timer(struct master *m, enum deadline_kind kind);
/* Accept APP (its queue, groups and priority are set then), or refuse it as sched_app_add. */
int rm_queues_enter(struct master *m, struct app *app, bool recovered, struct err *err);
int rm_queues_test(struct master *m, const char *user, const Creel__JobSpec *job,
                   const struct resource *largest, struct err *err);
Creel__ErrorCode rm_queues_error(int r);        /* what stands for the scheduler's -errno */
bool rm_queues_have_labels(const struct master *m);
/* Is memory all that limits are about? Then they are said so, too. */
bool rm_queues_count_memory(const struct master *m);
const char *rm_limit_words(struct master *m, const struct resource *amounts);
/* NAME as the scheduler takes it: "dev.ml", as it is shown, is "root.dev.ml". In the arena. */
const char *rm_queue_name(struct master *m, const char *name);
/* The groups of USER now, in the step's arena. */
size_t rm_groups_of(struct master *m, const char *user, const char *const **ret);
bool rm_queues_may_administer(struct master *m, const char *user, const char *queue);
/* How long an app of QUEUE that asks for ASKED_S (0: did not) may live; 0: for ever. */
int64_t rm_queues_lifetime_s(const struct master *m, const char *queue, int64_t asked_s);
/* Those of the queue itself; -1: none. */
void rm_queues_lifetimes(const struct master *m, const char *queue, int64_t *maximum_s,
                         int64_t *default_s);

/* why_ended.c, why.c: parts of an explanation */
void rm_why_ended(struct master *m, struct app *app, Creel__AppExplanation *reply);
Creel__WhyItem *rm_why_item(struct master *m, const struct sched_why_item *item,
                            const char *text);
/* One that the scheduler knows nothing of; there is room for it in REPLY. */
void rm_why_add(struct master *m, Creel__AppExplanation *reply, const char *code, bool blocking,
                const char *text, int64_t at_ms);
void rm_why_advise(struct master *m, Creel__AppExplanation *reply, const char *text);
/* why.c: the dominant reason, as a sentence */
const char *rm_why_text(struct master *m, const struct sched_why *why);
/* and for a column: "dev.ml 100% of max 40%" */
const char *rm_why_short(struct master *m, const struct sched_why *why);

/* preempt.c: notices of preemption, to agents and application masters */
void rm_preempt_notice(struct master *m, const struct sched_decision *decision);
void rm_preempt_kill(struct master *m, const struct sched_decision *decision);
void rm_preempt_confirmed(struct container *container, int64_t preempt_ms);
/* It ends, or is told to: nobody needs to be warned any more. */
void rm_preempt_forget(struct container *container);
void rm_preempt_forget_warned(struct attempt *attempt);
/* The AM of ATTEMPT registers: it is told again of all. */
void rm_preempt_again(struct master *m, struct attempt *attempt);
void rm_preempt_orders(struct master *m, struct node *node, Creel__NodeOrders *orders, bool all,
                       size_t most);
/* NULL: there is nothing new. */
Creel__PreemptionNotice *rm_preempt_pull(struct master *m, struct attempt *attempt);

/* effects.c */
void rm_effect_reload(struct master *m, const struct master_peer *peer, uint64_t request_id,
                      const char *user);
Creel__Envelope *rm_envelope_new(struct master *m, uint64_t request_id,
                              Creel__Envelope__BodyCase body);
void rm_send_to(struct master *m, enum master_channel channel, uint64_t connection,
             Creel__Envelope *envelope);
/* As soon as rows up to STORE_SEQ are on disk. */
void rm_send_stored(struct master *m, uint64_t store_seq, enum master_channel channel,
                 uint64_t connection, Creel__Envelope *envelope);
void rm_reply_to(struct master *m, const struct master_peer *peer, Creel__Envelope *envelope);
void rm_reply_ok(struct master *m, const struct master_peer *peer, uint64_t request_id);
void rm_reply_error(struct master *m, const struct master_peer *peer, uint64_t request_id,
                 Creel__ErrorCode code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
uint64_t rm_store_app(struct master *m, const struct app *app);
uint64_t rm_store_attempt(struct master *m, const struct attempt *attempt);
uint64_t rm_store_container(struct master *m, struct container *container);
uint64_t rm_store_forget(struct master *m, const struct app *app);
struct saving *rm_saving_add(struct master *m, uint64_t store_seq, enum saving_kind kind);
void rm_saving_free(struct saving *saving);
void rm_effects_release_held(struct master *m, const struct saving *saving);

/* message.c */
struct resource rm_resource_from(const Creel__Resource *resource);
Creel__TaskCounts *rm_task_counts(struct arena *arena, const struct app *app);
Creel__Resource *rm_resource_message(struct arena *arena, const struct resource *resource);
ProtobufCMessage *rm_message_copy(const ProtobufCMessage *message);        /* to be freed */
ProtobufCMessage *rm_message_copy_in(struct arena *arena, const ProtobufCMessage *message);
char *rm_message_text(struct arena *arena, const char *text);              /* NULL gives "" */
bool rm_text_is_empty(const char *text);
void rm_text_set(char **field, const char *text);                          /* owned copy */
bool rm_user_list_has(const char *list, const char *user);                 /* "*", or words */
Creel__ContainerGrant *rm_grant_message(struct master *m, const struct container *container);
Creel__ContainerReport *rm_container_report(struct master *m, const struct container *container);
Creel__AppReport *rm_app_report(struct master *m, const struct app *app, const char *asker);
Creel__NodeReport *rm_node_report(struct master *m, const struct node *node);
Creel__ContainerStatus *rm_status_message(struct master *m, const struct container *container);
/* Who acts: the peer, or whom it may stand for; NULL after an error reply. */
const char *rm_acting_user(struct master *m, const struct master_peer *peer,
                        const Creel__Envelope *envelope);
bool rm_may_administer(struct master *m, const char *user, const struct app *app);
bool rm_may_see(struct master *m, const char *user, const struct app *app);

/* deadline.c */
void rm_deadline_init(struct deadline *deadline, enum deadline_kind kind, void *owner);
void rm_deadline_set(struct master *m, struct deadline *deadline, int64_t at_ms);
void rm_deadline_clear(struct master *m, struct deadline *deadline);
struct deadline *rm_deadline_first(const struct master *m);        /* NULL: none */

/* app.c */
struct app *rm_app_new(struct master *m, const struct app_id *id, const char *user,
                    const Creel__JobSpec *job, const char *submission_key);
void rm_app_free(struct master *m, struct app *app);
struct app *rm_app_find(const struct master *m, uint32_t seq);
void rm_app_event(struct master *m, struct app *app, enum app_event event);
bool rm_app_is_over(const struct app *app);
void rm_app_touch(struct master *m, struct app *app);      /* a user would see the difference */
void rm_app_take_tasks(struct app *app, const Creel__TaskCounts *counts);      /* NULL: not said */
void rm_app_set_outcome(struct app *app, const struct attempt *attempt);
void rm_app_stop_containers(struct master *m, struct app *app, bool spare_master, int32_t status,
                         const char *reason);
void rm_app_container_gone(struct master *m, struct app *app, const struct container *container);
void rm_app_charge_usage(struct master *m, struct app *app, const struct resource *amount,
                         int sign);
struct app_node *rm_app_node_get(struct app *app, const char *node_id);
void rm_app_list_ended(struct master *m, struct app *app);
/* Kill it, for REASON (whole); nothing if that was asked before. */
void rm_app_kill(struct master *m, struct app *app, const char *reason);
/* It may live until EXPIRES_MS; 0: for ever. */
void rm_app_set_expiry(struct master *m, struct app *app, int64_t expires_ms);
void rm_app_on_lifetime(struct master *m, struct app *app);
void rm_app_settle(struct master *m, struct app *app);     /* over, and nothing of it is left? */
bool rm_app_attempts_left(const struct master *m, const struct app *app);
uint32_t rm_app_max_attempts(const struct master *m, const struct app *app);
RB_PROTOTYPE(rm_app_tree, app, link, rm_app_compare)
int rm_app_compare(const struct app *a, const struct app *b);

/* attempt.c */
struct attempt *rm_attempt_new(struct master *m, struct app *app, uint32_t number);
void rm_attempt_free(struct master *m, struct attempt *attempt);
struct attempt *rm_attempt_find(const struct master *m, const struct attempt_id *id);
void rm_attempt_event(struct master *m, struct attempt *attempt, enum attempt_event event);
void rm_attempt_master_ended(struct master *m, struct attempt *attempt);
void rm_attempt_nudge(struct master *m, struct attempt *attempt);
bool rm_attempt_is_over(const struct attempt *attempt);
struct resource rm_attempt_master_resource(const struct master *m, const struct app *app);
void rm_attempt_on_expiry(struct master *m, struct attempt *attempt);
void rm_attempt_end_step(struct master *m, struct attempt *attempt);
void rm_attempt_set_outcome(struct attempt *attempt, Creel__FinalStatus status, int32_t exit_status,
                         const char *diagnostics);

/* container.c */
struct container *rm_container_new(struct master *m, struct attempt *attempt,
                                const struct container_id *id, struct node *node);
void rm_container_free(struct master *m, struct container *container);
struct container *rm_container_find(const struct master *m, const char *text);
void rm_container_event(struct master *m, struct container *container, enum container_event event);
/* Stop it: STATUS is what it will count as. */
void rm_container_stop(struct master *m, struct container *container, int32_t status,
                    const char *reason);
void rm_container_lost(struct master *m, struct container *container, int32_t status,
                    const char *reason);
void rm_container_report_status(struct master *m, struct container *container,
                             const Creel__ContainerStatus *status);
/* Its node registered and does not list it: order the start again, or wait for the AM's. */
void rm_container_unseen(struct master *m, struct container *container);
void rm_container_on_expiry(struct master *m, struct container *container);
void rm_container_allocated(struct master *m, const struct sched_decision *decision);
void rm_container_enter_node(struct container *container);
void rm_container_enter_books(struct master *m, struct container *container);
RB_PROTOTYPE(rm_container_tree, container, link, rm_container_compare)
int rm_container_compare(const struct container *a, const struct container *b);

/* node.c */
struct node *rm_node_new(struct master *m, const char *id);
void rm_node_free(struct master *m, struct node *node);
struct node *rm_node_find(const struct master *m, const char *id);
void rm_node_event(struct master *m, struct node *node, enum node_event event);
void rm_node_on_expiry(struct master *m, struct node *node);
void rm_node_order(struct master *m, struct container *container, enum order_kind kind);
/* Have CONTAINER told of its preemption. */
void rm_node_warn(struct master *m, struct container *container);
void rm_node_finish_app(struct master *m, struct node *node, const char *app_id);
void rm_node_app_cleaned(struct master *m, struct node *node, const char *app_id);
void rm_node_stop_stray(struct master *m, struct node *node, const char *container_id,
                        int32_t status, const char *reason);
/* CONTAINER was given up before it was seen. Whoever has its grant can start it as long as that is
 * valid, so its node is told to refuse. */
void rm_node_refuse(struct master *m, const struct container *container);
void rm_node_stray_gone(struct master *m, struct node *node, const char *container_id);
/* A new session: everything is said again. */
void rm_node_resend(struct master *m, struct node *node);
void rm_node_update_open(struct master *m, struct node *node);
Creel__NodeOrders *rm_node_orders(struct master *m, struct node *node, bool all);
RB_PROTOTYPE(rm_node_tree, node, link, rm_node_compare)
int rm_node_compare(const struct node *a, const struct node *b);

/* master_node.c, master_am.c, master_client.c, master_query.c: one request each */
void rm_on_register_node(struct master *m, const struct master_peer *peer,
                         const Creel__Envelope *in);
void rm_on_heartbeat(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_node_message_containers(struct master *m, struct node *node,
                             Creel__ContainerStatus **statuses, size_t count);
void rm_on_register_am(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_allocate(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_finish_am(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_submit_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_kill_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_wait_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_get_log_access(struct master *m, const struct master_peer *peer,
                       const Creel__Envelope *in);
void rm_on_list_apps(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_list_containers(struct master *m, const struct master_peer *peer,
                        const Creel__Envelope *in);
void rm_on_list_nodes(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_list_queues(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_get_cluster_info(struct master *m, const struct master_peer *peer,
                         const Creel__Envelope *in);
void rm_on_explain_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_test_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_move_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_set_priority(struct master *m, const struct master_peer *peer,
                        const Creel__Envelope *in);
void rm_on_set_lifetime(struct master *m, const struct master_peer *peer,
                        const Creel__Envelope *in);
void rm_on_list_queue_users(struct master *m, const struct master_peer *peer,
                            const Creel__Envelope *in);
void rm_on_get_queue_access(struct master *m, const struct master_peer *peer,
                            const Creel__Envelope *in);
void rm_on_set_queue_state(struct master *m, const struct master_peer *peer,
                           const Creel__Envelope *in);
void rm_on_refresh_queues(struct master *m, const struct master_peer *peer,
                          const Creel__Envelope *in);
/* The job as a submission would have it; ERROR_UNKNOWN: nothing is wrong with it. */
Creel__ErrorCode rm_judge_job(const struct master *m, const Creel__JobSpec *job, struct err *err);
bool rm_app_is_ended(const struct app *app);
const char *rm_app_state_word(const struct app *app);   /* of an ended one */
/* The app that a person's "7", "_0007" or whole id means; NULL after an error reply. */
struct app *rm_resolve_app(struct master *m, const struct master_peer *peer, uint64_t request_id,
                        const char *text);
void rm_waiter_refuse(struct master *m, struct waiter *waiter);     /* its app is forgotten */
void rm_waiters_answer(struct master *m, struct app *app);
void rm_waiter_answer(struct master *m, struct waiter *waiter);
void rm_submitters_answer(struct master *m, struct app *app, const char *refusal);

#endif

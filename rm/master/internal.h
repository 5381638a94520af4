/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the master's files do for each other, seen by rm/master alone
 *
 * A step (step_begin .. step_end) handles one event: state machines first, then whatever
 * the scheduler decided, then what is pushed because of it.
 */
#ifndef CREEL_RM_MASTER_INTERNAL_H
#define CREEL_RM_MASTER_INTERNAL_H

#include "rm/master/books.h"

/* master.c */
void rm_step_begin(struct master *m, int64_t now_ms, struct master_effects *effects);
void rm_step_end(struct master *m);
void rm_take_decisions(struct master *m);
/* APP, all of whose containers have ended, is about to go: nothing that waits to be taken names it. */
void rm_forget_decisions(struct master *m, const struct sched_app *app);

/* queues.c: the scheduler's life, and how apps and the rest of it come together */
int rm_queues_new(struct master *m, const struct master_config *config, struct err *err);
void rm_queues_free(struct master *m);
void rm_queues_tick(struct master *m);
void rm_queues_start_timers(struct master *m);
void rm_queues_on_timer(struct master *m, enum deadline_kind kind);
/* NODE was heard of: it is offered, unless that is not what offers are made by. */
void rm_queues_heard(struct master *m, struct sched_node *node);
/* A step is about to end: what is wanted now is offered soon. */
void rm_queues_step_end(struct master *m);
/* Accept APP (its queue, groups and priority are set then), or refuse it as sched_app_add. */
int rm_queues_enter(struct master *m, struct app *app, bool recovered, struct err *err);
/* Path of the queue that JOB of USER would go to, which may not be there yet. */
const char *rm_queues_place(struct master *m, const char *user, const Creel__JobSpec *job);
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
bool rm_queues_may_submit(struct master *m, const char *user, const char *queue);
/* How long an app of QUEUE that asks for ASKED_S (0: did not) may live; 0: for ever. */
int64_t rm_queues_lifetime_s(const struct master *m, const char *queue, int64_t asked_s);

/* queues_fair.c: explains a queue with fair shares: SAY is called with one sentence after the other. */
const char *rm_share_words(struct master *m, const struct resource *share);
typedef void rm_say_fn(void *context, const char *text);
void rm_fair_say_queue(struct master *m, const struct sched_queue_figures *figures, rm_say_fn *say,
                       void *context);

/* why_ended.c, why.c: parts of an explanation */
void rm_why_ended(struct master *m, struct app *app, Creel__AppExplanation *reply);
Creel__WhyItem *rm_why_item(struct master *m, const struct sched_why_item *item,
                            const char *text);
/* One that the scheduler knows nothing of; there is room for it in REPLY. */
void rm_why_add(struct master *m, Creel__AppExplanation *reply, const char *code, bool blocking,
                const char *text, int64_t at_ms);
void rm_why_advise(struct master *m, Creel__AppExplanation *reply, const char *text);
/* why_nodes.c: what the scheduler says of APP, which it knows; and a node too small is none that is out
 * of service and large enough */
void rm_why_ask(struct master *m, const struct app *app, struct sched_why *ret);
/* How many nodes have room, and how many were passed over for what. */
Creel__WhyItem *rm_why_nodes(struct master *m, const struct sched_why *why);
void rm_why_advise_nodes(struct master *m, const struct sched_why *why, Creel__AppExplanation *reply);
/* why.c: the dominant reason, as a sentence */
const char *rm_why_text(struct master *m, const struct sched_why *why);
/* and for a column: "dev.ml 100% of max 40%" */
const char *rm_why_short(struct master *m, const struct sched_why *why);

/* preempt.c: notices of preemption, to agents and application masters */
void rm_preempt_notice(struct master *m, const struct sched_decision *decision);
void rm_preempt_kill(struct master *m, const struct sched_decision *decision);
void rm_preempt_spare(struct master *m, const struct sched_decision *decision);
/* Have CONTAINER told, for REASON, that it is stopped at DEADLINE_MS; earlier, if that was said. */
void rm_preempt_press(struct master *m, struct container *container, int64_t deadline_ms,
                      const char *reason);
void rm_preempt_confirmed(struct container *container, const Creel__ContainerStatus *status);
/* It ends, or is told to: nobody needs to be warned any more. */
void rm_preempt_forget(struct container *container);
void rm_preempt_forget_warned(struct attempt *attempt);
/* The AM of ATTEMPT registers: it is told again of all. */
void rm_preempt_again(struct master *m, struct attempt *attempt);
void rm_preempt_orders(struct master *m, struct node *node, Creel__NodeOrders *orders, bool all,
                       size_t most);
/* NULL: there is nothing new. */
Creel__PreemptionNotice *rm_preempt_pull(struct master *m, struct attempt *attempt);

/* history.c */
/* Ours, in the step's arena; NULL: there is none. */
Creel__History *rm_history(struct master *m);
/* True if IN registers an agent that has seen another history: it was told to wait. NODE may be NULL. */
bool rm_history_waits(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                      struct node *node);
/* SEEN, if it is not ours and was accepted to be lost; else NULL. */
Creel__History *rm_history_accepted(struct master *m, const Creel__History *seen);
void rm_history_forget(struct node *node);
/* Is this attempt one that the present history should know, if it were whole? */
bool rm_history_misses(struct master *m, const char *attempt_id);
void rm_on_accept_state(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);

/* effects.c */
void rm_effect_accept(struct master *m, const struct master_peer *peer, uint64_t request_id,
                      const char *user, const Creel__History *const *histories, size_t count);
void rm_effect_reload(struct master *m, const struct master_peer *peer, uint64_t request_id,
                      const char *user);
void rm_effect_reload_hosts(struct master *m, const struct master_peer *peer,
                            const Creel__Envelope *in, const char *user);
uint64_t rm_store_node(struct master *m, const struct node *node);
/* The reply rests on all rows of this step. */
void rm_reply_stored(struct master *m, const struct master_peer *peer, Creel__Envelope *envelope);
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
uint64_t rm_store_setting(struct master *m, const struct setting *setting, bool forget);
uint64_t rm_store_forget(struct master *m, const struct app *app);
struct saving *rm_saving_add(struct master *m, uint64_t store_seq, enum saving_kind kind);
void rm_saving_free(struct saving *saving);
void rm_effects_release_held(struct master *m, const struct saving *saving);

/* amounts.c */
/* Without what is no type here (any more); NULL gives zero. */
struct resource rm_resource_from(const struct master *m, const Creel__Resource *resource);
/* Does what is asked for name types, amounts and units that there are? -EINVAL, -ERANGE. */
int rm_resource_judge(const struct master *m, const Creel__Resource *resource, struct err *err);
Creel__Resource *rm_resource_message(struct master *m, const struct resource *resource);
const char *rm_amount_words(struct master *m, const struct resource *amounts);

/* message.c */
Creel__TaskCounts *rm_task_counts(struct arena *arena, const struct app *app);
ProtobufCMessage *rm_message_copy(const ProtobufCMessage *message);        /* to be freed */
ProtobufCMessage *rm_message_copy_in(struct arena *arena, const ProtobufCMessage *message);
char *rm_message_text(struct arena *arena, const char *text);              /* NULL gives "" */
bool rm_text_is_empty(const char *text);
void rm_text_set(char **field, const char *text);                          /* owned copy */
bool rm_user_list_has(const char *list, const char *user);                 /* "*", or words */
Creel__ContainerGrant *rm_grant_message(struct master *m, const struct container *container);
Creel__ContainerReport *rm_container_report(struct master *m, const struct container *container);
Creel__AppReport *rm_app_report(struct master *m, const struct app *app, const char *asker);
Creel__NodeState rm_node_shown(const struct node *node);
Creel__NodeReport *rm_node_report(struct master *m, const struct node *node);
Creel__ContainerStatus *rm_status_message(struct master *m, const struct container *container);
/* Who acts: the peer, or whom it may stand for; NULL after an error reply. */
const char *rm_acting_user(struct master *m, const struct master_peer *peer,
                        const Creel__Envelope *envelope);
/* As that, of an administrator of the cluster. */
const char *rm_administrator(struct master *m, const struct master_peer *peer,
                             const Creel__Envelope *envelope);
bool rm_may_administer(struct master *m, const char *user, const struct app *app);
bool rm_may_see(struct master *m, const char *user, const struct app *app);

/* settings.c */
struct setting *rm_setting_find(const struct master *m, const char *kind, const char *name);
void rm_setting_put(struct master *m, const char *kind, const char *name, const char *value,
                    const char *before, const char *by);
void rm_setting_forget(struct master *m, struct setting *setting);
void rm_settings_free(struct master *m);
/* For good; as sched_queue_set_running. */
int rm_queue_state_set(struct master *m, const char *path, bool running, const char *user,
                       struct err *err);
/* The configuration is new: have labels and queues as people said. How many sentences there are about
 * it. */
size_t rm_settings_apply(struct master *m, const char *const **ret);

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
/* Its containers, when they are stopped, or if they are on their way, get no time for it. */
void rm_app_kill_at_once(struct master *m, struct app *app);
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
struct resource rm_attempt_master_asked(const struct master *m, const struct app *app);
struct resource rm_attempt_master_resource(const struct master *m, const struct app *app);  /* rounded */
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
void rm_container_report_figures(struct master *m, struct container *container,
                                 const Creel__ContainerFigures *figures);
void rm_container_report_status(struct master *m, struct container *container,
                             const Creel__ContainerStatus *status);
/* Its node registered and does not list it: order the start again, or wait for the AM's. */
void rm_container_unseen(struct master *m, struct container *container);
void rm_container_on_expiry(struct master *m, struct container *container);
void rm_container_allocated(struct master *m, const struct sched_decision *decision);
void rm_container_enter_node(struct container *container);
void rm_container_enter_books(struct master *m, struct container *container);
void rm_container_leave_books(struct master *m, struct container *container);
RB_PROTOTYPE(rm_container_tree, container, link, rm_container_compare)
int rm_container_compare(const struct container *a, const struct container *b);

/* labels.c: which labels there are */
bool rm_label_is_shared(const struct master *m, const char *name);
bool rm_label_is_known(const struct master *m, const char *name);
/* "there is fast, slow" */
const char *rm_labels_known(const struct master *m);
Creel__LabelList *rm_labels_list(struct master *m);
/* For rm_settings_apply; NOTES has room for a sentence about each. */
size_t rm_labels_apply(struct master *m, const char **notes);
void rm_on_list_labels(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_change_labels(struct master *m, const struct master_peer *peer,
                         const Creel__Envelope *in);

/* node_labels.c: the partition that NODE is to be in */
void rm_node_take_label(struct master *m, struct node *node);
/* The label is gone: so it is from nodes whom an administrator gave it. */
void rm_node_labels_forget(struct master *m, const char *label);
void rm_on_set_node_label(struct master *m, const struct master_peer *peer,
                          const Creel__Envelope *in);

/* node.c: into the scheduler, closed, with what runs there */
void rm_node_enter_books(struct master *m, struct node *node);
struct node *rm_node_new(struct master *m, const char *id);
/* Out of the tree and the books; while containers that have ended name it the struct stays. */
void rm_node_free(struct master *m, struct node *node);
void rm_node_let_go(struct node *node);     /* one of them goes */
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
/* The node that a person's words mean, by its id or as much of it as is unique; NULL after an error. */
struct node *rm_resolve_node(struct master *m, const struct master_peer *peer, uint64_t request_id,
                             const char *text);
/* The app that a person's "7", "_0007" or whole id means; NULL after an error reply. */
struct app *rm_resolve_app(struct master *m, const struct master_peer *peer, uint64_t request_id,
                        const char *text);
void rm_waiter_refuse(struct master *m, struct waiter *waiter);     /* its app is forgotten */
void rm_waiters_answer(struct master *m, struct app *app);
void rm_waiter_answer(struct master *m, struct waiter *waiter);
void rm_submitters_answer(struct master *m, struct app *app, const char *refusal);

/* --- clock.c ---------------------------------------------------------------- */

void rm_clock_take(struct node *node, const Creel__Heartbeat *body);
void rm_clock_report(const struct node *node, Creel__NodeReport *report);
void rm_clock_summarise(struct master *m, Creel__ClusterInfo *info);

#endif

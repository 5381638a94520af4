/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - functions shared by the files of the fair scheduler; records.h has the data structures
 *
 * tree.c         live queues: those of the allocation file, and those that submissions create
 * admit.c        applications are added, removed and moved
 * runnable.c     runs applications within the limits on running applications (8.9)
 * compare.c      compares queues and applications under each policy (8.7)
 * index.c        ordered indexes of queues and applications, by rm/sched/order.h
 * update.c       demand and fair shares, as of the last update (8.5, 8.6)
 * assign.c       offers a node to the queues, from root down (8.8)
 * allocate.c     tries one application on one node: limits, locality, reservations
 * starvation.c   determines which applications are starved, and since when (8.11)
 * preempt.c      preempts containers for starved applications, and records claims to their room
 * am_deadlock.c  if only AMs use the cluster, preempts one of them
 * report.c       figures and reasons
 * queries.c      features and access
 * check.c        the audit
 */
#ifndef CREEL_RM_SCHED_FAIR_INTERNAL_H
#define CREEL_RM_SCHED_FAIR_INTERNAL_H

#include "rm/sched/fair/records.h"

/* tree.c */
int fair_configure(struct sched *sched, const struct sched_config *config, struct err *err);
int fair_refresh(struct sched *sched, const struct sched_config *config, struct sched_decisions *decisions,
                 struct err *err);
void fair_free(struct sched *sched);
struct fair_queue *fair_queue_find(const struct fair *fair, const char *path);
/* Sets *RET to the leaf PATH. Creates the leaf and missing parents if it does not exist. -EISDIR: PATH is a
 * parent, a queue above it is a leaf, or a policy is not allowed at its place; -EINVAL: too many levels. */
int fair_queue_create(struct sched *sched, const char *path, struct fair_queue **ret, struct err *err);
/* Checks whether applications may enter QUEUE. -EISDIR: QUEUE is the existing root.default, but its policy is
 * not allowed below root, so that YARN could not create it. */
int fair_queue_may_enter(const struct sched *sched, const struct fair_queue *queue, struct err *err);
/* Sets fair->usual_counts if LEAF is root.default. Called when an application enters LEAF. */
void fair_usual_is_used(struct fair *fair, const struct fair_queue *leaf);
/* Removes empty queues that are not in the file. Then creates queues of the file that could not be created
 * because of the removed queues. */
void fair_tidy(struct sched *sched);

/* admit.c */
int fair_admit(struct sched *sched, const struct sched_app_spec *spec, bool test, struct sched_queue **ret,
               struct err *err);
char *fair_place(struct sched *sched, const struct sched_app_spec *spec);
int fair_may_ask(const struct sched *sched, const struct sched_queue *queue, bool recovered,
                 const struct resource *asked, struct err *err);
void fair_join(struct sched *sched, struct sched_app *app);
void fair_leave(struct sched *sched, struct sched_app *app);
void fair_start(struct sched *sched, struct sched_app *app);
int fair_may_move(struct sched *sched, struct sched_app *app, const char *name, struct sched_queue **ret,
                  struct err *err);
void fair_offer_released(struct sched *sched, struct sched_decisions *decisions);
/* Counts CONTAINER, an AM, which starts (SIGN 1) or ends (-1). */
void fair_count_am(struct sched_container *container, int sign);
/* Notes that the size of CONTAINER, an AM, has changed by DELTA. */
void fair_am_resized(struct sched_container *container, const struct resource *delta);

/* runnable.c */
bool fair_may_run(const struct fair *fair, const struct fair_app *app);
/* Adds to WHY the limit on running applications that stops APP, if one does. */
void fair_explain_run_limit(const struct fair *fair, const struct fair_app *app, struct sched_why *why);
void fair_run(struct fair_app *app);  /* APP must be in no list */
void fair_wait(struct fair_app *app); /* APP must be in no list */
/* Removes APP from its list, if APP is in one. */
void fair_unlist(struct fair_app *app);
/* Runs waiting applications that may run now, after a running application of PERSON left LEAF. */
void fair_run_next(struct fair *fair, struct fair_queue *leaf, struct fair_person *person);
void fair_run_all(struct fair *fair); /* after limits changed */

/* compare.c. A result below 0: A is served first. fair_compare_keys() compares only keys, and may return
 * 0. */
int fair_compare_keys(const struct fair_key *a, const struct fair_key *b);
int fair_compare_queues(const struct order_entry *a, const struct order_entry *b);
int fair_compare_apps(const struct order_entry *a, const struct order_entry *b);
int fair_order_apps(const struct sched_app *a, const struct sched_app *b);
/* Return the key of QUEUE (not root), or of APP, computed from the present figures. */
struct fair_key fair_queue_key(const struct fair_queue *queue);
struct fair_key fair_app_key(const struct fair_app *app);

/* index.c */
bool fair_app_has_pending(const struct fair_app *app);
void fair_partition_changed(struct app_partition *part);
bool fair_can_assign(const struct sched *sched);
/* Returns true if QUEUE may be offered room, unless QUEUE is at its maximum. */
bool fair_queue_can_assign(const struct fair_queue *queue);
/* Update the place of APP or QUEUE in the index of its parent, or remove it from the index, and discard
 * earlier refusals by maxAMShare or the queue's maximum. Call after changes of values from which the keys are
 * computed; first for APP, then for the queues from the leaf up. */
void fair_app_renew(struct fair_app *app);
void fair_queue_renew(struct fair_queue *queue);
/* Updates the indexes after the requests or the state of APP changed. */
void fair_app_touch(struct fair_app *app);
/* Returns the smallest need of any request in QUEUE's index. fair_queue_measure() computes and stores this
 * need. */
struct resource fair_queue_need(const struct fair_queue *queue, struct resource *exchange);
void fair_queue_measure(struct fair_queue *queue);
/* Stops offers to QUEUE, which is at its maximum, until something below QUEUE changes. */
void fair_sleep(struct fair_queue *queue);
/* Stops offers to APP, whose AM would exceed maxAMShare, until the AMs or the share of its leaf change.
 * LIGHTLY: also more free room in the cluster ends this. */
void fair_refuse_am(struct fair_app *app, bool lightly);
void fair_wake_apps(struct fair_queue *leaf);
void fair_index_rebuild(struct sched *sched);
/* Returns the application after AFTER (NULL: the first) among LEAF's applications with pending requests, in
 * order, including those refused by maxAMShare. NULL: there are no more. */
struct fair_app *fair_next_wanting(const struct fair_queue *leaf, const struct fair_app *after);

/* demand.c */
/* Marks QUEUE and all queues above, so that the next update visits them. */
void fair_mark(struct fair_queue *queue);
/* Marks LEAF after an application started or stopped running: shares of LEAF and of the queues above must be
 * computed again. */
void fair_mark_active(struct fair_queue *leaf);
/* Computes the demand of APP and of the queues above at once. */
void fair_count_demand(struct fair_app *app);
/* Computes the demand of APP, and updates the sum of its leaf. */
void fair_demand_measure(struct fair_app *app);
/* Computes the demand of QUEUE from its sum, and updates the sum of its parent. */
void fair_demand_cut(struct fair_queue *queue);
/* Returns the sum of the demands below QUEUE, at most its maximum. */
struct resource fair_demand_below_maximum(const struct fair_queue *queue);

/* update.c */
void fair_update(struct sched *sched, struct sched_decisions *decisions);
/* Recomputes all values that depend on the cluster or the settings, if either has changed. */
void fair_recompute(struct sched *sched);
/* Computes the limits of QUEUE from its settings and the present cluster. */
void fair_limit(struct sched *sched, struct fair_queue *queue);
/* Recomputes steady fair shares, if an input of them has changed. */
void fair_recompute_steady(struct sched *sched);

/* assign.c */
unsigned fair_assign(struct sched *sched, struct sched_node *node, const struct offer *offer,
                     struct sched_decisions *decisions);
enum sched_answer fair_assign_to(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                 struct sched_decisions *decisions);

/* allocate.c */
enum fair_outcome { FAIR_NOTHING, FAIR_PLACED, FAIR_RESERVED };

struct fair_visit {
    struct sched *sched;
    struct fair *fair;
    struct sched_node *node;
    const struct offer *offer;
    struct sched_decisions *decisions;
    struct resource available;        /* free in the cluster when the offer began */
    int64_t free[RESOURCE_TYPES_MAX]; /* free on the node now; of the types in use */
    struct order_offer offered;       /* FREE in the form that the indexes use */
    bool serves_reservation;
    bool hopeful; /* nothing was placed because of this node; another node may be of
                     use */
};

enum fair_outcome fair_allocate(struct fair_visit *visit, struct fair_app *app);
/* Serves the reservation of the node. Returns false if the reservation could no longer be served and was
 * cancelled. *OUTCOME is FAIR_PLACED or FAIR_NOTHING. */
bool fair_allocate_reserved(struct fair_visit *visit, enum fair_outcome *outcome);
/* Returns the smallest amount of each type in APP's requests. *EXCHANGE: 0 if a node may be reserved for one
 * of the requests, else ORDER_NEVER. fair_app_measure() computes and stores both. */
struct resource fair_app_need(const struct fair_app *app, struct resource *exchange);
void fair_app_measure(struct fair_app *app);
/* Returns true if APP's AM is not placed yet and would exceed maxAMShare. *LIGHTLY as for
 * fair_refuse_am(). */
bool fair_over_am_limit(const struct sched *sched, const struct fair_app *app, bool *lightly);
struct resource fair_am_limit(const struct sched *sched, const struct fair_queue *leaf, bool *has_limit);
struct fair_level *fair_level_find(const struct fair_app *app, const struct demand *demand);
void fair_levels_free(struct fair_app *app);

/* state.c */
/* Updates FREE and OFFERED after the free room of the node changed. */
void fair_visit_room(struct fair_visit *visit);
/* Returns true if APP is starved now, without any timeout: APP is below its fair share, or has a part in what
 * its leaf lacks of the minimum share (FSAppAttempt.isStarved). */
bool fair_is_starved(const struct sched *sched, const struct fair_app *app);
/* Returns the resource calculator of LEAF's policy. */
struct calc fair_calculator(const struct sched *sched, const struct fair_queue *leaf);
/* Returns true if the AM of APP must not be placed for now, so that other applications get the room
 * (am_deadlock.c). */
bool fair_am_is_held(const struct sched *sched, const struct fair_app *app);
/* Returns the first queue from LEAF up that would exceed its maximum with AMOUNT more; NULL: none. */
const struct fair_queue *fair_full_queue(const struct fair_queue *leaf, const int64_t *amount);
/* Returns true if requests are delayed for better locality. */
bool fair_delays(const struct fair *fair);

/* claims.c: room on nodes, for the application for which containers are preempted. */
/* Returns the claim of APP on NODE, or NULL. */
struct fair_claim *fair_claim_find(const struct sched_node *node, const struct fair_app *app);
/* Ends CLAIM. Its memory is freed when its last victim has ended. */
void fair_claim_drop(struct fair_claim *claim);
/* A victim of CLAIM has ended, or its end is not expected any more. */
void fair_claim_victim_gone(struct fair_claim *claim);
/* Returns true if containers that were killed for CLAIM are ending; false on a node that is closed or silent,
 * where nothing can end. */
bool fair_claim_awaits_victims(const struct fair_claim *claim);
/* Returns true if containers that were preempted for an application are ending on NODE. Its room is offered
 * only to applications with a claim until all have ended.
 * Differs: in YARN, containers that are killed release their room at once, and together. In creel each one
 * has time to end. If others could use the room of the first one, the claim would never be satisfied. */
bool fair_node_awaits_victims(const struct sched_node *node);
/* Reduces CLAIM after one container of DEMAND was placed on its node. */
void fair_claim_use(struct fair_claim *claim, const struct demand *demand);

/* starvation.c */
void fair_find_starved(struct sched *sched);

/* am_deadlock.c */
/* If AMs alone have filled the cluster, preempts one of them so that another application can run. */
void fair_end_am_deadlock(struct sched *sched, struct sched_decisions *decisions);

/* preempt.c */
void fair_preempt_for_starved(struct sched *sched, struct sched_decisions *decisions);
/* Sends a preemption notice to CONTAINER's application. CONTAINER is killed after waitTimeBeforeKill. GAINER
 * is to get its room; NULL: no application in particular. */
void fair_preempt(struct sched *sched, struct sched_container *container, const struct fair_app *gainer,
                  struct sched_decisions *decisions);
void fair_kill_due(struct sched *sched, struct sched_decisions *decisions);
void fair_ended(struct sched *sched, struct sched_container *container);
/* As sched_container_stopping(). */
void fair_stopping(struct sched *sched, struct sched_container *container, bool stuck);
/* Notes that the size of CONTAINER, which is being preempted, has changed by DELTA. */
void fair_victim_resized(struct sched_container *container, const struct resource *delta);
void fair_node_gone(struct sched *sched, struct sched_node *node);

/* queries.c */
void fair_read_access(struct sched *sched, const struct conf *conf);
enum sched_access fair_queue_access(const struct sched *sched, const char *path,
                                    const struct acl_person *person, enum sched_permission permission,
                                    char *reason);

/* report.c */
void fair_queue_figures(const struct sched *sched, const struct sched_queue *queue,
                        struct sched_queue_figures *ret);
void fair_app_figures(const struct sched *sched, const struct sched_app *app, struct sched_app_figures *ret);
void fair_queue_order(const struct sched *sched, const struct sched_queue *queue, sched_name_fn *each,
                      void *context);
struct resource fair_headroom(const struct sched *sched, const struct sched_app *app);
bool fair_limits(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);
void fair_explain(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);

/* check.c */
int fair_check(const struct sched *sched, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of the fair scheduler offer to each other; see records.h for what they keep
 *
 * tree.c     live queues: those of the allocation file, and those that submissions create
 * admit.c    apps come, go and move
 * runnable.c which apps run, which wait for a limit on running apps (8.9)
 * compare.c  the order under each policy (8.7)
 * index.c    which queues and apps are offered room, in that order, by rm/sched/order.h
 * update.c   demand and fair shares, as of the last update (8.5, 8.6)
 * assign.c   a node is offered to the queues, from root down (8.8)
 * allocate.c one app and one node: limits, locality, reservations
 * starve.c   which apps are starved, and since when (8.11)
 * preempt.c  which containers are preempted for them, when, and for which app their room is earmarked
 * standstill.c  AMs alone have filled the cluster: one gives way
 * report.c   figures and reasons
 * queries.c  features and access
 * check.c    the audit
 */
#ifndef CREEL_RM_SCHED_FAIR_INTERNAL_H
#define CREEL_RM_SCHED_FAIR_INTERNAL_H

#include "rm/sched/fair/records.h"

/* tree.c */
int fair_configure(struct sched *sched, const struct sched_config *config, struct err *err);
int fair_refresh(struct sched *sched, const struct sched_config *config,
                 struct sched_decisions *decisions, struct err *err);
void fair_free(struct sched *sched);
struct fair_queue *fair_queue_find(const struct fair *fair, const char *path);
/* The leaf PATH, created with the parents that it needs if it does not exist. -EISDIR: it is a parent, a
 * queue above it is a leaf, or a policy is not allowed there; -EINVAL: it is too deep. */
int fair_queue_create(struct sched *sched, const char *path, struct fair_queue **ret,
                      struct err *err);
/* -EISDIR: QUEUE is root.default, which exists, but by its policy may not: YARN could not create it. */
int fair_queue_may_enter(const struct sched *sched, const struct fair_queue *queue, struct err *err);
/* An app enters LEAF: it may be root.default. */
void fair_usual_is_used(struct fair *fair, const struct fair_queue *leaf);
/* Remove empty queues that are not in the file; create queues of the file that waited for that. */
void fair_tidy(struct sched *sched);

/* admit.c */
int fair_admit(struct sched *sched, const struct sched_app_spec *spec, bool test,
               struct sched_queue **ret, struct err *err);
char *fair_place(struct sched *sched, const struct sched_app_spec *spec);
int fair_may_ask(const struct sched *sched, const struct sched_queue *queue, bool recovered,
                 const struct resource *asked, struct err *err);
void fair_join(struct sched *sched, struct sched_app *app);
void fair_leave(struct sched *sched, struct sched_app *app);
void fair_start(struct sched *sched, struct sched_app *app);
int fair_may_move(struct sched *sched, struct sched_app *app, const char *name,
                  struct sched_queue **ret, struct err *err);
void fair_offer_released(struct sched *sched, struct sched_decisions *decisions);
/* CONTAINER, an AM, starts (SIGN 1) or ends (-1). */
void fair_count_am(struct sched_container *container, int sign);

/* runnable.c */
bool fair_may_run(const struct fair *fair, const struct fair_app *app);
/* Which limit on running apps does not let APP run? QUEUE: whose it is; NULL: the user's. */
enum sched_reason fair_run_limit(const struct fair *fair, const struct fair_app *app,
                                 const struct fair_queue **queue);
void fair_run(struct fair_app *app);    /* APP is in no list */
void fair_wait(struct fair_app *app);   /* APP is in no list */
/* Remove APP from its list, if it is in one. */
void fair_unlist(struct fair_app *app);
/* An app of PERSON that ran left LEAF: run waiting apps that may run now. */
void fair_run_next(struct fair *fair, struct fair_queue *leaf, struct fair_person *person);
void fair_run_all(struct fair *fair);   /* after limits changed */

/* compare.c. <0: A is served first. The first compares keys alone, and may return 0. */
int fair_compare_keys(const struct fair_key *a, const struct fair_key *b);
int fair_compare_queues(const struct order_entry *a, const struct order_entry *b);
int fair_compare_apps(const struct order_entry *a, const struct order_entry *b);
int fair_order_apps(const struct sched_app *a, const struct sched_app *b);
/* The key of QUEUE (not root), or APP, by its present figures. */
struct fair_key fair_queue_key(const struct fair_queue *queue);
struct fair_key fair_app_key(const struct fair_app *app);

/* index.c */
bool fair_app_wants(const struct fair_app *app);
void fair_partition_changed(struct app_partition *part);
bool fair_wants(const struct sched *sched);
/* May QUEUE be offered room, unless it is at its maximum? */
bool fair_queue_wants(const struct fair_queue *queue);
/* Put it where it now belongs in the index above, or remove it there. After changes of what keys depend
 * on; queues after those below them. */
void fair_app_place(struct fair_app *app);
void fair_queue_place(struct fair_queue *queue);
/* The same; and maxAMShare, or the queue's maximum, is to be checked anew. */
void fair_app_renew(struct fair_app *app);
void fair_queue_renew(struct fair_queue *queue);
/* APP's requests or its state changed. */
void fair_app_touch(struct fair_app *app);
/* The least that any request in QUEUE's index needs. The second computes and keeps it. */
struct resource fair_queue_need(const struct fair_queue *queue, struct resource *exchange);
void fair_queue_measure(struct fair_queue *queue);
/* QUEUE is at its maximum: no offers until something below it changes. */
void fair_sleep(struct fair_queue *queue);
/* APP's AM is above maxAMShare: no offers until LEAF's AMs or share change; LIGHTLY: or there is more free
 * room. */
void fair_refuse_am(struct fair_app *app, bool lightly);
void fair_wake_apps(struct fair_queue *leaf);
void fair_index_rebuild(struct sched *sched);
/* The app behind AFTER (NULL: the first) of LEAF's apps with pending requests, in order, refused ones
 * included; NULL: there are no more. */
struct fair_app *fair_next_wanting(const struct fair_queue *leaf, const struct fair_app *after);

/* demand.c */
/* The next update is to look at QUEUE, and therefore at all queues above. */
void fair_mark(struct fair_queue *queue);
/* An app began or ceased to run in LEAF: shares there and above are to be computed. */
void fair_mark_active(struct fair_queue *leaf);
/* Count the demand of APP and of the queues above it now. */
void fair_count_demand(struct fair_app *app);
/* Count the demand of APP anew, and correct the sum of its leaf. */
void fair_demand_measure(struct fair_app *app);
/* Count the demand of QUEUE anew from its sum, and correct the sum of its parent. */
void fair_demand_cut(struct fair_queue *queue);
/* The sum of what is below QUEUE demands, at most its maximum. */
struct resource fair_demand_below_maximum(const struct fair_queue *queue);

/* update.c */
void fair_update(struct sched *sched, struct sched_decisions *decisions);
/* Compute anew what depends on the cluster and the settings, if one of them changed. */
void fair_settle(struct sched *sched);
/* Compute what the settings of QUEUE mean in the present cluster. */
void fair_limit(struct sched *sched, struct fair_queue *queue);
/* Compute steady shares, if something changed. */
void fair_settle_steady(struct sched *sched);

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
    struct resource available;          /* in the cluster when the offer began */
    int64_t free[RESOURCE_TYPES_MAX];   /* of the node, now; of the types in use */
    struct order_offer offered;         /* the same, as the indexes compare it */
    bool serves_reservation;
    bool hopeful;                       /* nothing was placed because of this node; another may do */
};

enum fair_outcome fair_allocate(struct fair_visit *visit, struct fair_app *app);
/* Serve the reservation of the node. False: it could no longer be served, and was released. OUTCOME is PLACED
 * or NOTHING. */
bool fair_allocate_reserved(struct fair_visit *visit, enum fair_outcome *outcome);
/* The least amount of each type in APP's requests. EXCHANGE: 0 if a node may be reserved for one,
 * else ORDER_NEVER. The second computes and keeps them. */
struct resource fair_app_need(const struct fair_app *app, struct resource *exchange);
void fair_app_measure(struct fair_app *app);
/* Is APP's AM still to be placed, and would it be above maxAMShare? LIGHTLY as for fair_refuse_am(). */
bool fair_over_am_limit(const struct sched *sched, const struct fair_app *app, bool *lightly);
struct resource fair_am_limit(const struct sched *sched, const struct fair_queue *leaf,
                              bool *has_limit);
struct fair_level *fair_level_find(const struct fair_app *app, const struct demand *demand);
void fair_levels_free(struct fair_app *app);

/* state.c */
/* The free room of the node has changed. */
void fair_visit_room(struct fair_visit *visit);
/* Is APP starved at this moment, for however short a time: below its fair share, or given a part of
 * what its leaf lacks of the minimum share (FSAppAttempt.isStarved)? */
bool fair_is_starved(const struct sched *sched, const struct fair_app *app);
/* The calculator that LEAF's policy compares by. */
struct calc fair_calculator(const struct sched *sched, const struct fair_queue *leaf);
/* Is APP's AM not placed for now, so that other applications get the room? */
bool fair_am_is_held(const struct sched *sched, const struct fair_app *app);
/* The first queue from LEAF up that AMOUNT more would put above its maximum; NULL: none. */
const struct fair_queue *fair_full_queue(const struct fair_queue *leaf,
                                         const int64_t *amount);
/* Do requests wait for a better place? */
bool fair_delays(const struct fair *fair);

/* earmark.c */
/* The earmark of APP on NODE, or NULL. */
struct fair_earmark *fair_earmark_find(const struct sched_node *node, const struct fair_app *app);
void fair_earmark_drop(struct fair_earmark *earmark);
/* One container of DEMAND is placed there. */
void fair_earmark_use(struct fair_earmark *earmark, const struct demand *demand);

/* starve.c */
void fair_find_starved(struct sched *sched);

/* standstill.c */
/* If AMs alone have filled the cluster: one of them gives way. */
void fair_end_standstill(struct sched *sched, struct sched_decisions *decisions);

/* preempt.c */
void fair_preempt_for_starved(struct sched *sched, struct sched_decisions *decisions);
/* CONTAINER's app is notified, and CONTAINER is killed after waitTimeBeforeKill. */
void fair_preempt(struct sched *sched, struct sched_container *container,
                  struct sched_decisions *decisions);
void fair_kill_due(struct sched *sched, struct sched_decisions *decisions);
void fair_ended(struct sched *sched, struct sched_container *container);
void fair_node_gone(struct sched *sched, struct sched_node *node);

/* queries.c */
enum sched_access fair_queue_access(const struct sched *sched, const char *path,
                                    const struct acl_person *person,
                                    enum sched_permission permission, char *reason);

/* report.c */
void fair_queue_figures(const struct sched *sched, const struct sched_queue *queue,
                        struct sched_queue_figures *ret);
void fair_app_figures(const struct sched *sched, const struct sched_app *app,
                      struct sched_app_figures *ret);
void fair_queue_order(const struct sched *sched, const struct sched_queue *queue,
                      sched_name_fn *each, void *context);
struct resource fair_headroom(const struct sched *sched, const struct sched_app *app);
bool fair_limits(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);
void fair_explain(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);

/* check.c */
int fair_check(const struct sched *sched, struct err *err);

#endif

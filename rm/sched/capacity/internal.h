/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of the capacity scheduler offer to each other; see records.h for what they keep
 *
 * tree.c     live queues for the configured ones, figures that follow from the cluster
 * index.c    ordered indexes: which queues, users and applications are offered a node
 * users.c    limits of users, headroom
 * admit.c    submissions and moves
 * priority.c application priorities
 * managed.c  which leaves of a managed parent have their capacity
 * active.c   which users are active
 * activate.c which accepted applications are served
 * assign.c   a node is offered to root, to a queue's children, to a leaf
 * limits.c   how much queues may use
 * app_walk.c the applications of a leaf, in order
 * allocate.c one application and one node: requests, locality, reservations
 * report.c   figures
 * why.c      why an application waits
 * queries.c  features, access and labels
 * check.c    the audit
 * killable.c  lazy preemption: containers that may be killed
 * preemption.c  snapshots for the preemption policy, and its marks
 */
#ifndef CREEL_RM_SCHED_CAPACITY_INTERNAL_H
#define CREEL_RM_SCHED_CAPACITY_INTERNAL_H

#include "rm/sched/capacity/records.h"

/* settle.c */
/* Bring figures, keys and active apps up to date after the cluster changed. Does nothing if it
 * has not. */
void capacity_settle(struct sched *sched);

/* tree.c */
int capacity_configure(struct sched *sched, const struct sched_config *config, struct err *err);
int capacity_refresh(struct sched *sched, const struct sched_config *config,
                     struct sched_decisions *decisions, struct err *err);
void capacity_free(struct sched *sched);
/* A live queue for each configured one that has none. */
void capacity_grow(struct sched *sched);
struct sched_queue *capacity_find_queue(const struct sched *sched, const char *name);
void capacity_label_added(struct sched *sched, int label);
int capacity_set_running(struct sched *sched, struct sched_queue *queue, bool running,
                         struct err *err);
void capacity_tick(struct sched *sched, struct sched_decisions *decisions);

/* index.c */
RB_PROTOTYPE(capacity_user_tree, leaf_user, link, capacity_compare_names)
int capacity_compare_names(const struct leaf_user *a, const struct leaf_user *b);
RB_PROTOTYPE(capacity_active_tree, capacity_app_partition_data, active, capacity_compare_active)
int capacity_compare_active(const struct capacity_app_partition_data *a,
                            const struct capacity_app_partition_data *b);
RB_PROTOTYPE(capacity_waiting_tree, capacity_app_data, link, capacity_compare_waiting)
int capacity_compare_waiting(const struct capacity_app_data *a, const struct capacity_app_data *b);
int capacity_compare_queues(const struct queue_partition *a, const struct queue_partition *b);
int capacity_compare_partitions(const struct app_partition *a, const struct app_partition *b);
int capacity_order(const struct sched_app *a, const struct sched_app *b);
/* The room that a node must have for PART to be visited if its need refuses it: the least size of a container
 * for which nodes are reserved below it. A queue at its maximum may still have room of a type that is not
 * dominant. With reservations below, it is visited whatever room the node has: the limits of its children may
 * let them have new containers, which its own maximum refuses only afterwards (is_accepted), and it may keep
 * headroom from its siblings. */
const struct resource *capacity_exchange_below(const struct queue_partition *part);
static inline struct queue_partition *capacity_queue_of(const struct order_entry *entry)
{
    return order_record(entry, struct capacity_partition_data, entry)->part;
}
static inline struct user_partition *capacity_user_of(const struct order_entry *entry)
{
    return order_record(entry, struct capacity_user_data, entry)->part;
}
static inline struct app_partition *capacity_app_of(const struct order_entry *entry)
{
    return order_record(entry, struct capacity_app_partition_data, entry)->part;
}
void capacity_partition_changed(struct app_partition *part);
bool capacity_has_pending(const struct queue_partition *part);
float capacity_used_fraction(const struct queue_partition *part); /* used by guaranteed */
/* What siblings are ordered by: the same, but of the cluster if PART is guaranteed nothing. */
float capacity_use_in_order(const struct queue_partition *part);
/* Makes the indexes of queues and users anew after their shares, or the cluster, changed. APPS: those of
 * applications, too, which depend on the configuration alone. */
void capacity_index_rebuild(struct sched *sched, bool apps);
/* User limits in all partitions of LEAF have changed; CHANGING's are known to. */
void capacity_limits_changed(struct sched_queue *leaf, const struct queue_partition *changing);
/* APP's requests, or the nodes that it avoids, may have changed. */
void capacity_touch(struct sched_app *app);
/* No node is of use to PART until something below it changes. Meanwhile it keeps BLOCKED from the siblings
 * behind it. */
void capacity_index_block(struct queue_partition *part, const struct resource *blocked);
/* A node with a smaller total, whatever runs there, is of no use to PART's application. */
struct resource capacity_app_need(const struct app_partition *part);
/* A user is not refused by LIMIT, of a user of weight 1, only if its need fits the measure of LIMIT. */
struct resource capacity_user_need(const struct user_partition *user);
struct resource capacity_limit_measure(const struct queue_partition *leaf, const struct resource *limit);

/* users.c */
struct resource capacity_user_limit(const struct sched *sched, const struct queue_partition *leaf,
                                    bool active);
/* That of a user of WEIGHT, when a user of weight 1 has LIMIT. */
struct resource capacity_weighted_limit(const struct sched *sched, const struct resource *limit,
                                        float weight);
bool capacity_user_over(const struct sched *sched, const struct user_partition *user,
                        const struct amount *limit);
struct resource capacity_headroom(const struct sched *sched, const struct sched_app *app);

/* admit.c */
int capacity_admit(struct sched *sched, const struct sched_app_spec *spec, bool test,
                   struct sched_queue **ret, struct err *err);
void capacity_join(struct sched *sched, struct sched_app *app);
void capacity_leave(struct sched *sched, struct sched_app *app);
void capacity_start(struct sched *sched, struct sched_app *app);
int capacity_may_move(struct sched *sched, struct sched_app *app, const char *name,
                      struct sched_queue **ret, struct err *err);
void capacity_priority_changed(struct sched *sched, struct sched_app *app);
void capacity_offer_released(struct sched *sched, struct sched_decisions *decisions);

/* priority.c */
int capacity_choose_priority(const struct sched *sched, const struct sched_queue *queue,
                             const struct sched_app_spec *spec, int32_t *ret, struct err *err);
int capacity_may_have_priority(const struct sched *sched, const struct sched_app *app,
                               const struct sched_app_spec *who, struct err *err);

/* active.c */
void capacity_requested(struct sched_app *app, unsigned changes);
/* APP requests something at a request key where it requested nothing. */
void capacity_want(struct sched_app *app);
/* Does APP request nothing any more? CHANGING: as of capacity_limits_changed. */
void capacity_rest(struct sched_app *app, const struct queue_partition *changing);
/* APP leaves its queue. Its user counts as active until leaving_users is set to 0. */
void capacity_leave_user(struct sched_app *app);
/* The number of apps or of active apps of USER has changed. */
void capacity_recount_user(struct leaf_user *user);
/* What the user limits of LEAF follow from has changed. */
void capacity_users_changed(struct sched_queue *leaf);
/* The user limits of LEAF are needed: if they have changed, count the users all of whose apps wait. */
void capacity_users_count(struct sched_queue *leaf);
/* The cluster or the configuration has changed. */
void capacity_users_settle(struct sched *sched);
/* Users that the limit of a user's AMs counts. */
uint32_t capacity_users_contending(const struct sched_queue *leaf);

/* activate.c */
void capacity_activate(struct sched *sched, struct sched_queue *queue);
void capacity_activate_all(struct sched *sched);
void capacity_deactivate(struct sched *sched, struct sched_app *app);
/* The size of its AM is about to change; or, if DONE, has changed. */
void capacity_master_changes(struct sched_app *app, bool done);
/* What counts of APP against limits on masters. */
struct resource capacity_master_of(const struct sched_app *app);
struct resource capacity_am_limit(const struct sched *sched, const struct queue_partition *leaf);
struct resource capacity_user_am_limit(const struct sched *sched, const struct queue_partition *leaf,
                                       float weight);
/* The limit on AMs that keeps APP, which waits, from being active; NONE. LIMIT is how much it is. */
enum sched_reason capacity_am_refusal(const struct sched *sched, const struct sched_app *app,
                                      struct resource *limit);
/* Which queue or user has all the parallel apps that it may? NONE if neither has. */
enum sched_reason capacity_parallel_limit(const struct sched *sched, const struct sched_app *app,
                                          const struct sched_queue **queue);

/* limits.c (AbstractCSQueue, AbstractParentQueue; yarn-behaviour 5.5) */
/* What PART uses. For a parent, killable containers count as free. */
struct resource capacity_use(const struct queue_partition *part);
/* What PARENT's children may use beside what they have, if PARENT may use LIMIT. */
struct resource capacity_room(const struct queue_partition *parent, const struct resource *limit);
/* Is ROOM, which PARENT has left, too little for any container, in each type? Killable containers count as
 * free in each queue above them, so that a queue below PARENT may have more room than PARENT. */
bool capacity_is_used_up(const struct queue_partition *parent, const struct resource *room);
/* How much CHILD may use when its parent has ROOM left. */
struct resource capacity_child_limit(const struct queue_partition *child, const struct resource *room);
/* How much LEAF would be offered now, if its siblings kept nothing back; at most its maximum. */
struct resource capacity_limit_now(const struct sched *sched, const struct queue_partition *leaf);

/* assign.c */
unsigned capacity_assign(struct sched *sched, struct sched_node *node, const struct offer *offer,
                         struct sched_decisions *decisions);
enum sched_answer capacity_assign_to(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                     struct sched_decisions *decisions);
bool capacity_wants(const struct sched *sched);
/* What would an offer of NODE reach of PART's application, and what keeps it from it? */
void capacity_probe(struct sched *sched, struct sched_node *node, struct app_partition *part,
                    struct asking *asking);
/* What would be decided about NODE if that offer reached the application? REJECTED: it would be against a
 * maximum. */
enum outcome capacity_probe_node(struct sched *sched, struct sched_node *node, struct app_partition *part,
                                 const struct asking *asking, bool *rejected);

/* allocate.c */
enum outcome { ALLOCATED, RESERVED, SKIP_DEMAND, SKIP_APP, SKIP_LOCALITY, SKIP_QUEUE };

/* One offer of a node. */
struct visit {
    struct sched *sched;
    struct sched_node *node;
    const struct offer *offer;
    struct sched_decisions *decisions;
    int label;                          /* the partition whose requests are served */
    bool borrowing;                     /* the node is of another partition, which lends it */
    bool looks_on;                      /* reservations may be given up for this node */
    const struct resource *total;       /* of the partition */
    const struct resource *unreserve;   /* what the user must give up to respect its limit; NULL: nothing */
    struct resource exchange;           /* room for containers that reservations are given up for */
    bool certain;                       /* the queue that is visited would refuse any node */
    bool limited;                       /* it might not if its parent had more left */
    bool off_switch;                    /* what was placed was neither node- nor rack-local */
    bool rejected;                      /* what was decided is against a maximum (AbstractCSQueue.accept) */
    struct asking *asking;              /* nothing is placed: what would this application be offered? */
    bool dry;                           /* nothing changes: what would be decided? */
    bool hopeful;                       /* only this node was of no use to the application: another may be */
};

/* Serve APP on the node. HEADROOM: what its queue may still use. */
enum outcome capacity_allocate(struct visit *visit, struct app_partition *app,
                               const struct resource *headroom);
/* Is the first request of APP refused for want of HEADROOM, whatever the node is? */
bool capacity_lacks_headroom(const struct visit *visit, const struct app_partition *app,
                             const struct resource *headroom);
/* The node is reserved: serve that application, keep the reservation, or give it up. */
enum outcome capacity_allocate_reserved(struct visit *visit);

/* app_walk.c */
/* A walk through the applications of a leaf in order. Users who were begun have a cursor each, in a heap. */
struct app_walk {
    struct capacity *capacity;
    struct queue_partition *leaf;
    const struct amount *user_limit;    /* of a user of weight 1; NULL: users have no limit */
    struct order_offer users;           /* finds users who may get more */
    struct order_offer node;            /* finds applications of which the node could take a request */
    bool all;                           /* the node does not matter: every application is visited */
    bool passed_over;                   /* some may have been left out because of the node */
    const struct user_partition *begun; /* the last one; NULL: none yet */
    size_t count;                       /* of cursors */
    bool started;
};
/* Begins a walk through the applications with pending requests, without those that USER_LIMIT refuses for
 * certain, and those for whose first request a node of TOTAL is too small (NULL: with these). The leaf must
 * not change before the walk ends. */
void capacity_walk_begin(struct app_walk *walk, struct queue_partition *leaf, const struct amount *user_limit,
                         const struct resource *total);
/* The next application, or NULL. */
struct app_partition *capacity_walk_next(struct app_walk *walk);

/* queries.c */
enum sched_access capacity_queue_access(const struct sched *sched, const char *path,
                                        const struct acl_person *person,
                                        enum sched_permission permission, char *reason);

/* report.c */
void capacity_queue_settings(const struct sched *sched, const struct sched_queue *queue,
                             struct sched_queue_settings *ret);
void capacity_queue_figures(const struct sched *sched, const struct sched_queue *queue,
                            struct sched_queue_figures *ret);
void capacity_queue_order(const struct sched *sched, const struct sched_queue *queue,
                          sched_name_fn *each, void *context);
bool capacity_queue_user_next(const struct sched *sched, const struct sched_queue *queue,
                              const char *after, struct sched_user_figures *ret);

/* why.c */
void capacity_explain(const struct sched *sched, const struct sched_app *app,
                      struct sched_why *ret);
int capacity_check(const struct sched *sched, struct err *err);

/* managed.c */
void capacity_deal(struct sched *sched, struct sched_decisions *decisions);

/* killable.c */
void capacity_make_killable(struct sched *sched, struct sched_container *container);
void capacity_note_killed(struct sched *sched, struct sched_container *container);
void capacity_spare(struct sched *sched, struct sched_container *container);
void capacity_spare_app(struct sched *sched, struct sched_app *app);
void capacity_spare_node(struct sched *sched, struct sched_node *node);
/* But not those with a notice, which are about to end. OFF: they are not counted as gone either. */
void capacity_spare_all(struct sched *sched, bool off);
void capacity_spare_needed(struct sched *sched);
void capacity_spare_tell(struct sched *sched, struct sched_decisions *decisions);
/* It has ended: there is nothing to announce. */
void capacity_spare_gone(struct sched *sched, struct sched_container *container);
/* Is there room for NEED on NODE once killable containers are gone, and is LEAF, which OWN (reserved
 * there for NEED) is part of, one that may have them killed? Then they get a notice. */
bool capacity_make_room(struct sched *sched, struct sched_node *node, const struct queue_partition *leaf,
                        const struct resource *own, const struct resource *need,
                        struct sched_decisions *decisions);
/* The use of containers below PART that have a notice. */
struct resource capacity_killed_use(const struct queue_partition *part);

/* preemption.c */
void capacity_preemption_free(struct preemption *preemption);
/* SETTINGS may be NULL, or not enabled: nobody is preempted from now on. */
void capacity_preemption_configure(struct sched *sched, const struct preempt_settings *settings);
/* Before a refresh to NEXT. */
void capacity_preemption_prepare(struct sched *sched, const struct sched_config *next);
/* 0: nothing is preempted. */
int64_t capacity_preempt_interval_ms(const struct sched *sched);
void capacity_ended(struct sched *sched, struct sched_container *container);
void capacity_preempt(struct sched *sched, struct sched_decisions *decisions);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - functions shared by the files of the capacity scheduler; records.h has the data structures
 *
 * tree.c     live queues for the configured ones, figures that follow from the cluster
 * index.c    ordered indexes: in which order queues, users and applications are offered a node
 * users.c    limits of users, headroom
 * admit.c    submissions and moves
 * priority.c application priorities
 * managed.c  assigns the capacity of managed parents to their leaves
 * active.c   determines which users are active
 * parallel.c places of max-parallel-apps
 * activate.c activates accepted applications within limits on AMs
 * assign.c   offers a node to root, to a queue's children, to a leaf
 * limits.c   limits of queues
 * app_walk.c iterates over the applications of a leaf, in order
 * allocate.c tries one application on one node: requests, locality, reservations
 * report.c   figures
 * why.c      why an application waits
 * queries.c  features, access and labels
 * check.c    the audit
 * killable.c  lazy preemption: containers that may be killed
 * preempt_pending.c  what is pending for the preemption policy
 * preemption.c  snapshots for the preemption policy, and its marks
 */
#ifndef CREEL_RM_SCHED_CAPACITY_INTERNAL_H
#define CREEL_RM_SCHED_CAPACITY_INTERNAL_H

#include "rm/sched/capacity/records.h"

/* recompute.c */
/* Updates figures, index keys and active applications after the cluster changed. Does nothing if it did not
 * change. */
void capacity_recompute(struct sched *sched);

/* tree.c */
int capacity_configure(struct sched *sched, const struct sched_config *config, struct err *err);
int capacity_refresh(struct sched *sched, const struct sched_config *config,
                     struct sched_decisions *decisions, struct err *err);
void capacity_free(struct sched *sched);
/* Creates a live queue for each configured queue that has none. */
void capacity_grow(struct sched *sched);
void capacity_label_added(struct sched *sched, int label);
int capacity_set_running(struct sched *sched, struct sched_queue *queue, bool running, struct err *err);
void capacity_tick(struct sched *sched, struct sched_decisions *decisions);

/* index.c */
RB_PROTOTYPE(capacity_user_tree, leaf_user, link, capacity_compare_names)
RB_PROTOTYPE(capacity_active_tree, capacity_app_partition_data, active, capacity_compare_active)
int capacity_compare_active(const struct capacity_app_partition_data *a,
                            const struct capacity_app_partition_data *b);
int capacity_compare_waiting(const struct capacity_app_data *a, const struct capacity_app_data *b);
RB_PROTOTYPE(capacity_waiting_tree, capacity_app_data, link, capacity_compare_waiting)
RB_PROTOTYPE(capacity_borrower_tree, capacity_partition_data, borrower, )
int capacity_compare_queues(const struct queue_partition *a, const struct queue_partition *b);
int capacity_compare_partitions(const struct app_partition *a, const struct app_partition *b);
/* Returns the room with which a node is offered to PART although PART's need does not fit: the smallest size
 * of a container below PART for which nodes are reserved. ORDER_ALWAYS if PART is at its maximum, has
 * reservations below it, and still has room of a resource type that is not dominant. Every node is then
 * offered to PART, for two reasons: the limits of its children may admit new containers that PART's own
 * maximum refuses only afterwards (is_accepted), and PART may block headroom of its siblings. */
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
/* Updates the indexes on the path of PART after its sums changed. */
void capacity_index_update(struct app_partition *part);
bool capacity_has_pending(const struct queue_partition *part);
float capacity_used_fraction(const struct queue_partition *part); /* used divided by guaranteed capacity */
/* Returns the key by which siblings are ordered: the used fraction, but of the cluster if PART has no
 * guaranteed capacity. */
float capacity_use_in_order(const struct queue_partition *part);
/* Rebuilds the indexes of queues and users after their shares, or the cluster, changed. APPS: also rebuilds
 * the indexes of applications. Their order depends only on the configuration. */
void capacity_index_rebuild(struct sched *sched, bool apps);
/* Updates the indexes after the user limits in all partitions of LEAF changed, except in CHANGING, which the
 * caller updates. */
void capacity_limits_changed(struct sched_queue *leaf, const struct queue_partition *changing);
/* Updates the indexes after the requests of APP, or the nodes that APP avoids, may have changed. */
void capacity_touch(struct sched_app *app);
/* Excludes PART from offers until something below PART changes, because no node is of use to PART. Meanwhile
 * BLOCKED is subtracted from the room of the siblings after PART. */
void capacity_index_block(struct queue_partition *part, const struct resource *blocked);
/* Returns the least total of a node that could be of use to PART's application, whatever runs on the node. */
struct resource capacity_app_need(const struct app_partition *part);
/* Returns the need of USER in the index of users. If the need does not fit capacity_limit_measure() of LIMIT,
 * the limit of a user of weight 1, then LIMIT certainly refuses USER. */
struct resource capacity_user_need(const struct user_partition *user);
struct resource capacity_limit_measure(const struct queue_partition *leaf, const struct resource *limit);

/* users.c */
struct resource capacity_user_limit(const struct sched *sched, const struct queue_partition *leaf,
                                    bool active);
/* Returns the limit of a user of WEIGHT, given the LIMIT of a user of weight 1. */
struct resource capacity_weighted_limit(const struct sched *sched, const struct resource *limit,
                                        float weight);
bool capacity_user_over(const struct sched *sched, const struct user_partition *user,
                        const struct amount *limit);
struct resource capacity_headroom(const struct sched *sched, const struct sched_app *app);

/* admit.c */
int capacity_admit(struct sched *sched, const struct sched_app_spec *spec, bool test,
                   struct sched_queue **ret, struct err *err);
/* Returns the user NAME of the leaf QUEUE; NULL: it has no applications there. */
struct leaf_user *capacity_find_user(const struct sched_queue *queue, const char *name);
void capacity_join(struct sched *sched, struct sched_app *app);
/* MOVES: APP enters another queue next, and takes its place with it. */
void capacity_leave(struct sched *sched, struct sched_app *app, bool moves);
void capacity_start(struct sched *sched, struct sched_app *app);
int capacity_may_move(struct sched *sched, struct sched_app *app, const char *name, struct sched_queue **ret,
                      struct err *err);
void capacity_priority_changed(struct sched *sched, struct sched_app *app);
void capacity_offer_released(struct sched *sched, struct sched_decisions *decisions);

/* priority.c */
int capacity_choose_priority(const struct sched *sched, const struct sched_queue *queue,
                             const struct sched_app_spec *spec, int32_t *ret, struct err *err);
/* Returns PRIORITY, at most the maximum of the cluster. */
int32_t capacity_cut_priority(const struct sched *sched, int32_t priority);
int capacity_may_have_priority(const struct sched *sched, const struct sched_queue *queue,
                               const struct sched_app_spec *who, struct err *err);

/* active.c */
void capacity_requested(struct sched_app *app, unsigned changes);
/* Notes that APP now requests containers at a request key where nothing was pending. */
void capacity_note_pending(struct sched_app *app);
/* Checks whether APP has no pending request any more, and updates its user if so. CHANGING: as in
 * capacity_limits_changed(). */
void capacity_note_none_pending(struct sched_app *app, const struct queue_partition *changing);
/* Removes APP from its user when APP leaves its queue. The user counts as active until leaving_users is set
 * to 0. */
void capacity_leave_user(struct sched_app *app);
/* Updates USER after the number of its applications, or of its active applications, changed. */
void capacity_recount_user(struct leaf_user *user);
/* Notes that an input of the user limits of LEAF changed. */
void capacity_users_changed(struct sched_queue *leaf);
/* Updates the users after the cluster or the configuration changed. */
void capacity_users_recompute(struct sched *sched);
/* Returns the number of users among whom the leaf's limit on AMs is divided (capacity_user_am_limit()). */
uint32_t capacity_users_contending(const struct sched_queue *leaf);

/* activate.c */
void capacity_activate(struct sched *sched, struct sched_queue *queue);
/* Does the same for the leaf of APP, which got a place in the present deal (capacity->deals). Checks only APP
 * if the others were refused in this deal. */
void capacity_activate_placed(struct sched *sched, struct sched_app *app);
void capacity_activate_all(struct sched *sched);
void capacity_deactivate(struct sched *sched, struct sched_app *app);
/* Called before the size of APP's AM changes (DONE false) and after the change (DONE true). */
void capacity_master_changes(struct sched_app *app, bool done);
/* Returns the resource of APP that counts against limits on AMs. */
struct resource capacity_master_of(const struct sched_app *app);
struct resource capacity_am_limit(const struct sched *sched, const struct queue_partition *leaf);
struct resource capacity_user_am_limit(const struct sched *sched, const struct queue_partition *leaf,
                                       float weight);
/* Returns the AM limit that keeps the waiting APP from activation, or NONE. Sets LIMIT to its amount. */
enum sched_reason capacity_am_refusal(const struct sched *sched, const struct sched_app *app,
                                      struct resource *limit);
/* Adds APP to the applications that wait for their activation. */
void capacity_wait(struct sched_app *app);

/* parallel.c */
/* Orders applications of a leaf that wait for a place. */
int capacity_parallel_compare(const struct capacity_app_data *a, const struct capacity_app_data *b);
/* Gives APP, which starts, a place, or lets it wait for one. If it has a place in another queue, that place
 * becomes free. */
void capacity_parallel_enter(struct sched_app *app);
/* Gives APP's place to other applications, unless APP moves and takes it to another queue. */
void capacity_parallel_leave(struct sched_app *app, bool moves);
/* Removes APP from those that wait for a place. */
void capacity_parallel_stop_waiting(struct sched_app *app);
/* Gives places away after the limits may have changed. */
void capacity_parallel_refresh(struct sched *sched);
/* Adds to WHY the full limit for which APP waits, if it waits for a place. */
void capacity_parallel_explain(const struct sched_app *app, struct sched_why *why);
bool capacity_parallel_has_place(const struct sched_app *app);
void capacity_parallel_free(struct sched *sched);
bool capacity_parallel_check(const struct sched *sched);

/* limits.c (AbstractCSQueue, AbstractParentQueue; yarn-behaviour 5.5) */
/* Returns the resource that PART uses. For a parent, killable containers count as free. */
struct resource capacity_use(const struct queue_partition *part);
/* Returns the resource that PARENT's children may use in addition to their present use, if PARENT may use
 * LIMIT. */
struct resource capacity_room(const struct queue_partition *parent, const struct resource *limit);
/* Returns true if ROOM, the room left in PARENT, is too little for any container, in each resource type.
 * Killable containers count as free in each queue above them, so a queue below PARENT may have more room than
 * PARENT. */
bool capacity_is_used_up(const struct queue_partition *parent, const struct resource *room);
/* Returns the limit of CHILD when its parent has ROOM left. */
struct resource capacity_child_limit(const struct queue_partition *child, const struct resource *room);
/* Returns the limit that LEAF would be offered now, at most its maximum, without what siblings block. */
struct resource capacity_limit_now(const struct sched *sched, const struct queue_partition *leaf);

/* assign.c */
unsigned capacity_assign(struct sched *sched, struct sched_node *node, const struct offer *offer,
                         struct sched_decisions *decisions);
enum sched_answer capacity_assign_to(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                     struct sched_decisions *decisions);
bool capacity_can_assign(const struct sched *sched);
/* Finds out how far an offer of NODE would get towards PART's application, and what stops the offer. */
void capacity_probe(struct sched *sched, struct sched_node *node, struct app_partition *part,
                    struct asking *asking);
/* Finds out what would be decided about NODE if an offer reached the application with the headroom of ASKING.
 * Nothing changes. *REJECTED is set if the decision would exceed a maximum. */
enum outcome capacity_probe_node(struct sched *sched, struct sched_node *node, struct app_partition *part,
                                 const struct asking *asking, bool *rejected);

/* allocate.c */
/* Returns true if DEMAND (NULL: the AM) may be placed on a borrowed node. */
bool capacity_lends_to(const struct sched_app *app, const struct demand *demand);
enum outcome { ALLOCATED, RESERVED, SKIP_DEMAND, SKIP_APP, SKIP_LOCALITY, SKIP_QUEUE };

/* One offer of a node. */
struct visit {
    struct sched *sched;
    struct sched_node *node;
    const struct offer *offer;
    struct sched_decisions *decisions;
    int label;                        /* partition whose requests are served */
    bool borrowing;                   /* the node is in another, non-exclusive partition */
    bool looks_on;                    /* reservations may be cancelled in exchange for room on this node */
    bool exceeds;                     /* ... also by queues that are at their limit */
    const struct resource *partition; /* total of the node's partition */
    const struct resource *unreserve; /* resource that the user must unreserve to respect the user limit;
                                         NULL: none */
    struct resource exchange;         /* room for containers in exchange for cancelled reservations */
    bool certain;                     /* the visited queue would refuse any node */
    bool limited;                     /* the visited queue might accept if its parent had more room left */
    bool off_switch;                  /* the container placed was neither node-local nor rack-local */
    bool rejected;                    /* the decision exceeds a maximum (AbstractCSQueue.accept) */
    struct asking *asking;            /* probe: nothing is placed; records what this application would be
                                         offered */
    bool dry;                         /* dry run: only the decision is computed, nothing changes */
    bool hopeful;                     /* only this node was of no use to the application: another node
                                         may be */
};

/* Returns the part in which a container on the node would be counted: that of the node's partition, also if
 * PART borrows it. */
static inline struct queue_partition *visit_counts_in(const struct visit *visit,
                                                      const struct queue_partition *part)
{
    return part->queue->parts[visit->node->label];
}
/* Returns what APP has reserved in the node's partition. */
const struct amount *visit_reserved(const struct visit *visit, const struct app_partition *app);
/* Returns what APP's user uses in the node's partition, and the user's limit there. */
struct resource visit_user_used(const struct visit *visit, const struct app_partition *app);
struct resource visit_user_limit(const struct visit *visit, const struct app_partition *app);

/* Tries to serve APP on the node. HEADROOM: resource that the queue may still use. */
enum outcome capacity_allocate(struct visit *visit, struct app_partition *app,
                               const struct resource *headroom);
/* Returns true if HEADROOM is too small for the first request of APP, on any node. */
bool capacity_lacks_headroom(const struct visit *visit, const struct app_partition *app,
                             const struct resource *headroom);
/* Handles a reserved node: serves the application of the reservation, keeps the reservation, or cancels
 * it. */
enum outcome capacity_allocate_reserved(struct visit *visit);

/* app_walk.c */
/* Iterator over the applications of a leaf queue in scheduling order. Each user with an application visited
 * so far has a cursor in a heap. */
struct app_walk {
    struct capacity *capacity;
    struct queue_partition *leaf;
    const struct amount *user_limit;    /* of a user of weight 1; NULL: users have no limit */
    struct order_offer users;           /* finds users below their limit */
    struct order_offer node;            /* finds applications with a request that fits the node */
    bool all;                           /* ignore the node: visit every application */
    bool passed_over;                   /* applications may have been skipped because of the node */
    const struct user_partition *begun; /* last user for whom a cursor was created; NULL: none yet */
    size_t count;                       /* number of cursors */
    bool started;
};
/* Begins an iteration over the applications with pending requests. Skips applications of users that
 * certainly exceed USER_LIMIT; the caller checks the others. If TOTAL, the size of a node, is not NULL, also
 * skips applications whose first request is larger than TOTAL.
 * The leaf must not change before the iteration ends. */
void capacity_walk_begin(struct app_walk *walk, struct queue_partition *leaf, const struct amount *user_limit,
                         const struct resource *total);
/* Returns the next application, or NULL at the end. */
struct app_partition *capacity_walk_next(struct app_walk *walk);

/* queries.c */
void capacity_read_access(struct sched *sched, const struct conf *conf);
enum sched_access capacity_queue_access(const struct sched *sched, const char *path,
                                        const struct acl_person *person, enum sched_permission permission,
                                        char *reason);

/* report.c */
void capacity_partition_figures(const struct sched *sched, const struct queue_partition *part,
                                struct sched_partition_figures *ret);
void capacity_queue_templates(const struct sched *sched, const struct sched_queue *queue,
                              sched_template_fn *each, void *context);
void capacity_queue_settings(const struct sched *sched, const struct sched_queue *queue,
                             struct sched_queue_settings *ret);
void capacity_queue_figures(const struct sched *sched, const struct sched_queue *queue,
                            struct sched_queue_figures *ret);
void capacity_label_keys(const struct sched *sched, int label, sched_name_fn *each, void *context);
void capacity_queue_order(const struct sched *sched, const struct sched_queue *queue, sched_name_fn *each,
                          void *context);
bool capacity_queue_user_next(const struct sched *sched, const struct sched_queue *queue, const char *after,
                              struct sched_user_figures *ret);
bool capacity_queue_user_partition(const struct sched *sched, const struct sched_queue *queue,
                                   const char *user, int label, struct sched_user_figures *ret);

/* why.c */
void capacity_explain(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);
int capacity_check(const struct sched *sched, struct err *err);

/* managed.c */
void capacity_deal(struct sched *sched, struct sched_decisions *decisions);

/* killable.c */
void capacity_make_killable(struct sched *sched, struct sched_container *container);
/* Notes that the size of CONTAINER, which is killable, has changed by DELTA. */
void capacity_killable_resized(struct sched *sched, struct sched_container *container,
                               const struct resource *delta);
void capacity_note_killed(struct sched *sched, struct sched_container *container);
/* The same for a container that is being stopped for another reason. */
void capacity_note_stopped(struct sched *sched, struct sched_container *container);
/* Takes that back. */
void capacity_note_continues(struct sched *sched, struct sched_container *container);
/* Announces that the notice of CONTAINER has no consequence any more, unless it is killable or killed. */
void capacity_spare_notified(struct sched *sched, struct sched_container *container);
void capacity_spare_app(struct sched *sched, struct sched_app *app);
void capacity_spare_node(struct sched *sched, struct sched_node *node);
/* Cancels the preemption of all killable containers, except those killed already. OFF: in addition, those
 * killed already no longer count as free. */
void capacity_spare_all(struct sched *sched, bool off);
void capacity_spare_needed(struct sched *sched);
void capacity_spare_report(struct sched *sched, struct sched_decisions *decisions);
/* Removes CONTAINER, which has ended, from all lists of killable.c. No SCHED_SPARE is decided for it. */
void capacity_spare_gone(struct sched *sched, struct sched_container *container);
/* Kills killable containers on NODE if that makes room for NEED, and if LEAF is below its guarantee without
 * OWN, the resource reserved for NEED on NODE. Returns true if they were killed. */
bool capacity_make_room(struct sched *sched, struct sched_node *node, const struct queue_partition *leaf,
                        const struct resource *own, const struct resource *need,
                        struct sched_decisions *decisions);
/* Returns the resource used by containers below PART that preemption has killed and that have not ended. */
struct resource capacity_killed_use(const struct queue_partition *part);

/* preempt_pending.c: what is pending for preemption */

struct preempt_figures;
/* Subtracts from the pending requests of applications and users (SIGN -1) those that no open node may
 * serve, and all increases of containers, or adds them again (1). This is done for the time of a round. */
void capacity_pending_adjust(struct sched *sched, int sign);
/* Adds the pending requests of LEAF, those of each user up to the user limit. */
void capacity_pending_fill(const struct sched *sched, const struct queue_partition *leaf,
                           struct preempt_figures *ret);
/* Returns true if DEMAND is an increase that its user may get, and that its node would serve if it had
 * room. */
bool capacity_pending_has_increase(const struct sched *sched, const struct demand *demand);

/* preemption.c */
void capacity_preemption_free(struct preemption *preemption);
/* Configures preemption. SETTINGS may be NULL, or not enabled: preemption is then off. */
void capacity_preemption_configure(struct sched *sched, const struct preempt_settings *settings);
/* Called before a refresh to NEXT. */
void capacity_preemption_prepare(struct sched *sched, const struct sched_config *next);
/* Returns the interval of preemption rounds in milliseconds; 0: preemption is off. */
int64_t capacity_preempt_interval_ms(const struct sched *sched);
/* Returns true if containers of QUEUE may be preempted for others in it. */
bool capacity_preempts_within(const struct sched *sched, const struct sched_queue *queue);
/* Like sched_container_gainer(). */
const char *capacity_gainer(const struct sched *sched, const struct sched_container *container);
/* Returns true if the last round picked CONTAINER for preemption and did not kill it. */
bool capacity_is_picked(const struct sched *sched, const struct sched_container *container);
void capacity_ended(struct sched *sched, struct sched_container *container);
void capacity_preempt(struct sched *sched, struct sched_decisions *decisions);

#endif

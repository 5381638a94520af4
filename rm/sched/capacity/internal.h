/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - the capacity scheduler's books beside the core's, seen by rm/sched/capacity alone
 *
 * tree.c     queues as the configuration wants them, figures that follow from the cluster
 * index.c    who is offered what next: orders of queues, users and apps
 * shelf.c    the children of a queue, in order
 * hold.c     full queues: who would exchange what it has reserved
 * users.c    limits of users, headroom
 * admit.c    who may enter
 * priority.c with which application priority
 * managed.c  which leaves of a managed parent have their capacity
 * active.c   which users are active
 * activate.c which of those who entered are served
 * assign.c   a node on its way down the tree of queues
 * limits.c   what each of them may hold, and has left
 * walk.c     the apps of a leaf, in order
 * allocate.c an app and a node: locality, reservations
 * look.c     figures and reasons
 * queries.c  features, access and labels
 * check.c    the audit
 * killable.c  lazy preemption: what may go, and when it does
 * preemption.c  snapshots for the policy, and what follows from its marks
 */
#ifndef CREEL_RM_SCHED_CAPACITY_INTERNAL_H
#define CREEL_RM_SCHED_CAPACITY_INTERNAL_H

#include "rm/sched/capacity/placement/access.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/capacity/placement/placement.h"
#include "rm/sched/capacity/shelf.h"
#include "rm/sched/policy.h"

/* An app on the way through the users of a leaf, in order. */
struct cursor {
    struct user_part *user;
    struct app_part *app;
};

/* Active apps of one person in the whole cluster (user.max-parallel-apps). */
struct person {
    UT_hash_handle hh;
    char *name;                         /* owned */
    uint32_t active_apps;
};

struct capacity {
    struct capacity_config *config;     /* owned */
    struct capacity_placement *placement;       /* owned; may be NULL */
    struct capacity_access *access;     /* owned; may be NULL */
    char *labels[SCHED_LABELS_MAX];     /* owned; indexes that outlive a configuration */
    int to_config[SCHED_LABELS_MAX];    /* which index the present one has for it */
    int label_count;
    uint64_t offers;                    /* of nodes to all leaves, one for each container */
    bool stale;                         /* the cluster or the configuration changed: see settle */
    bool visits_all;                    /* nobody is stepped over: to hold what is decided, and what is
                                           owed, against; set by tests alone */
    int64_t next_deal_ms;               /* when managed parents deal out their capacity again */
    int64_t next_sweep_ms;              /* when dynamic queues are looked at again */
    struct person *people;              /* owned */
    struct sched_app **released;        /* owned array: activated, not offered anything yet */
    size_t released_count, released_capacity;
    struct cursor *cursors;             /* owned; room for a visit of a leaf */
    size_t cursor_capacity;
    struct sched_container **going;     /* owned array: killed or killable, and not gone yet */
    size_t going_count, going_capacity;
    struct sched_container **spared;    /* owned array: killable no longer; said with the next round */
    size_t spared_count, spared_capacity;
    struct preemption *preemption;      /* owned; NULL: nobody is preempted */
};

/* tree.c */
int capacity_configure(struct sched *sched, const struct sched_config *config, struct err *err);
int capacity_refresh(struct sched *sched, const struct sched_config *config,
                     struct sched_decisions *decisions, struct err *err);
void capacity_free(struct sched *sched);
void capacity_cluster_changed(struct sched *sched);
/* Bring figures, keys and active apps up to date after the cluster changed. Does nothing if it
 * has not. */
void capacity_settle(struct sched *sched);
/* A live queue for each configured one that has none. */
void capacity_grow(struct sched *sched);
struct sched_queue *capacity_find_queue(const struct sched *sched, const char *name);
int capacity_label(const struct sched *sched, const struct sched_queue *queue, const char *label);
int capacity_node_label(struct sched *sched, const char *label);
void capacity_share_label(struct sched *sched, int label, bool shared);
const struct resource *capacity_queue_maximum(const struct sched_queue *queue);
int capacity_set_running(struct sched *sched, struct sched_queue *queue, bool running,
                         struct err *err);
void capacity_tick(struct sched *sched, struct sched_decisions *decisions);

/* index.c */
RB_PROTOTYPE(sched_leaf_user_tree, leaf_user, link, capacity_compare_names)
int capacity_compare_names(const struct leaf_user *a, const struct leaf_user *b);
RB_PROTOTYPE(sched_user_part_tree, user_part, link, capacity_compare_users)
RB_PROTOTYPE(sched_app_part_tree, app_part, link, capacity_compare_parts)
RB_PROTOTYPE(sched_waiting_tree, sched_app, wanting, capacity_order)
int capacity_compare_queues(const struct queue_part *a, const struct queue_part *b);
int capacity_compare_users(const struct user_part *a, const struct user_part *b);
int capacity_compare_parts(const struct app_part *a, const struct app_part *b);
int capacity_order(const struct sched_app *a, const struct sched_app *b);
void capacity_begin(struct app_part *part);
void capacity_end(struct app_part *part);
bool capacity_wants(const struct sched *sched);
float capacity_used_fraction(const struct queue_part *part);    /* of what is guaranteed */
/* All keys anew, nobody sleeping. */
void capacity_index_rebuild(struct sched *sched);
/* PART was refused by a limit that only a change below it can move: not again until then. */
void capacity_sleep(struct queue_part *part);
/* The next ask of a leaf, PART's, was REFUSED for want of room: not again while a queue above has no more. */
void capacity_starve(const struct app_part *part, const struct demand *refused);
/* How much A is, so that what is more by calc_compare is not less by this. */
double capacity_measure_any(const struct sched *sched, int label, const int64_t *a);
static inline double capacity_measure_values(const struct sched *sched, int label, const int64_t *a)
{
    const int64_t *total = sched->label_total[label].value;
    double first, second;

    if (!sched->calc.dominant || sched->calc.types != 2 || total[0] <= 0 || total[1] <= 0)
        return capacity_measure_any(sched, label, a);
    first = (double)a[0] / (double)total[0];            /* as it mostly is */
    second = (double)a[1] / (double)total[1];
    first = first > 0 ? first : 0;
    return second > first ? second : first;
}
#define capacity_measure(sched, label, a) capacity_measure_values(sched, label, (a)->value)
float capacity_at_least(double measure);        /* as a shelf keeps it: not more */
/* What a shelf says of PART, as it is now; see shelf.h. */
bool capacity_part_wants(const struct queue_part *part);
uint64_t capacity_part_key(const struct queue_part *part);
float capacity_part_need(const struct queue_part *part);
float capacity_part_hold(const struct queue_part *part);
/* PART's need or hold is another: the shelves above learn of it. */
void capacity_note(struct queue_part *part);
/* User limits in all partitions of LEAF have changed; CHANGING's are known to. */
void capacity_limits_changed(struct sched_queue *leaf, const struct queue_part *changing);
void capacity_touch(struct sched_app *app);
/* USER is over its limit; until the limit moves. */
void capacity_sleep_user(struct user_part *user);
/* Of those who sleep in LEAF, wake whose limit moved; what it is now is known. Or ALL. */
void capacity_wake_users(struct sched *sched, struct queue_part *leaf, bool all);

/* users.c */
struct resource capacity_user_limit(const struct sched *sched, const struct queue_part *leaf,
                                    bool active);
/* Who uses less than this part of the cluster is below any limit that LEAF may set to a user of weight 1
 * before the cluster or the configuration changes. */
float capacity_user_floor(const struct sched *sched, const struct queue_part *leaf);
/* That of a user of WEIGHT, when a user of weight 1 has LIMIT. */
struct resource capacity_weighted_limit(const struct sched *sched, const struct resource *limit,
                                        float weight);
bool capacity_user_over(const struct sched *sched, const struct user_part *user,
                        const struct amount *limit);
struct resource capacity_headroom(const struct sched *sched, const struct sched_app *app);

/* admit.c */
int capacity_admit(struct sched *sched, const struct sched_app_spec *spec, bool test,
                   struct sched_queue **ret, struct err *err);
void capacity_join(struct sched *sched, struct sched_app *app);
void capacity_leave(struct sched *sched, struct sched_app *app);
void capacity_forget(struct sched *sched, struct sched_app *app);
void capacity_left(struct sched *sched, const struct sched_app *app, struct sched_queue *queue);
void capacity_start(struct sched *sched, struct sched_app *app);
int capacity_may_move(struct sched *sched, struct sched_app *app, const char *name,
                      struct sched_queue **ret, struct err *err);
void capacity_set_priority(struct sched *sched, struct sched_app *app, int32_t priority);
void capacity_offer_released(struct sched *sched, struct sched_decisions *decisions);

/* priority.c */
int capacity_choose_priority(const struct sched *sched, const struct sched_queue *queue,
                             const struct sched_app_spec *spec, int32_t *ret, struct err *err);
int capacity_may_have_priority(const struct sched *sched, const struct sched_app *app,
                               const struct sched_app_spec *who, struct err *err);

/* active.c */
void capacity_requested(struct sched_app *app, bool begins, bool called);
/* APP requests something at a request key where it requested nothing. */
void capacity_want(struct sched_app *app);
/* Does APP request nothing any more? CHANGING: as of capacity_limits_changed. */
void capacity_rest(struct sched_app *app, const struct queue_part *changing);
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
void capacity_set_master(struct sched *sched, struct sched_app *app, const struct resource *size);
/* What counts of APP against limits on masters. */
struct resource capacity_master_of(const struct sched_app *app);
struct resource capacity_am_limit(const struct sched *sched, const struct queue_part *leaf);
struct resource capacity_user_am_limit(const struct sched *sched, const struct queue_part *leaf,
                                       float weight);
/* Which queue or user has all the parallel apps that it may? NONE if neither has. */
enum sched_reason capacity_parallel_limit(const struct sched *sched, const struct sched_app *app,
                                          const struct sched_queue **queue);

/* assign.c */
unsigned capacity_assign(struct sched *sched, struct sched_node *node, const struct offer *offer,
                         struct sched_decisions *decisions);
enum sched_answer capacity_assign_to(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                     struct sched_decisions *decisions);

/* limits.c */
/* Less what PART uses; of a queue above others what may be killed there is as good as free. */
void capacity_subtract_use(const struct sched *sched, struct resource *room, const struct queue_part *part);
/* What it uses, by that; in FIRM where it is no sum of the books. */
const struct amount *capacity_use_of(const struct queue_part *part, struct resource *firm);
/* What PART, which may hold LIMIT, has left for its children; ROOM was zero. */
void capacity_leave_room(const struct sched *sched, const struct queue_part *part,
                         const struct resource *limit, struct resource *room);
/* DOWN, which was zero or another child's: of ROOM, which its parent has left. */
void capacity_hand_down(const struct sched *sched, const struct resource *room,
                        const struct queue_part *child, struct resource *down);
/* What PART could have left at most, whatever its parents have. */
struct resource capacity_room_at_most(const struct sched *sched, const struct queue_part *part);
/* What LEAF may hold now, its parents' limits and use considered. */
struct resource capacity_limit_now(const struct sched *sched, const struct queue_part *leaf);
/* What a parent that may hold LIMIT hands down to CHILD. */
struct resource capacity_child_limit(const struct sched *sched, const struct queue_part *parent,
                                     const struct resource *limit, const struct queue_part *child);

/* walk.c */
/* Users whose apps were begun: the one whose next app comes first, and the others, a heap by theirs; then
 * those not begun, in their tree. */
struct app_walk {
    struct capacity *capacity;
    struct queue_part *leaf;
    struct cursor top;                  /* its user is NULL if none was begun */
    struct user_part *next_user;
    struct user_part *begun;            /* NEXT_USER, yet to be looked up, is behind it; NULL: it is known */
    size_t count;                       /* of the heap */
};

/* The one whose app comes first; NULL if nobody is awake. */
static inline struct user_part *capacity_first_user(struct queue_part *leaf)
{
    if (leaf->first_awake == NULL)
        leaf->first_awake = RB_MIN(sched_user_part_tree, &leaf->awake);
    return leaf->first_awake;
}
/* No limit that may be set before the cluster or the configuration changes keeps USER back. A ratio of 0 may
 * stand for one that is not finite. */
static inline bool capacity_below_floor(const struct user_part *user)
{
    return user->ratio > 0 && user->ratio < user->leaf->user_floor &&
           user->leaf->queue->weighted == 0;
}
/* As a shelf has it: with less room than this DEMAND of PART's app is refused whatever the node, and its leaf
 * with it; 0 if that is not certain. */
float capacity_demand_need(const struct app_part *part, const struct demand *demand);
/* The same of what PART's app wants first; 0 also if it may not be asked at all. Until something of the leaf
 * changes. */
float capacity_app_need(const struct app_part *part);
/* LEAF changed: what it needs is, from now on, the same of the app that is asked first. */
void capacity_know_need(struct queue_part *leaf);
/* The user whose app comes next; NULL behind the last. */
const struct cursor *capacity_walk_top(struct app_walk *walk);
/* The top's app was skipped, or, if LEAVE, its user with all its apps. */
void capacity_walk_next(struct app_walk *walk, bool leave);

/* allocate.c */
enum outcome { ALLOCATED, RESERVED, SKIP_DEMAND, SKIP_APP, SKIP_LOCALITY, SKIP_QUEUE };

struct visit {
    struct sched *sched;
    struct sched_node *node;
    const struct offer *offer;
    struct sched_decisions *decisions;
    int label;                          /* whose demand is served */
    bool borrowing;                     /* a node of another partition that lends itself out */
    bool looks_on;                      /* a reservation may be given up for a node that is free */
    bool off_switch;                    /* what was placed was neither node- nor rack-local */
    bool passed;                        /* something was skipped that another node may serve */
    const struct resource *total;       /* of the partition */
    double room_measure;                /* free on the node, as capacity_measure has it */
    const struct resource *unreserve;   /* how much of an app's reservations its user's limit wants given up
                                           for more; NULL: nothing */
    const struct demand *refused;       /* SKIP_QUEUE: the one that there was no headroom for */
    struct queue_part *exchanging;      /* the leaf that is visited, if it has reserved something; NULL */
    bool full;                          /* it may only exchange: a queue above is full */
    bool sure;                          /* EXCHANGING: it ends the same on any node with less than LEAST */
    bool steady;                        /* and with any room above it from 0 up to less than MOST */
    bool counts;                        /* and opportunities are missed then */
    bool firm;                          /* no limit of a user had a say in it */
    bool hopeful;                       /* in vain because of this node: another may do */
    double least, most;
};

/* Serve APP on the node. HEADROOM: what its queue may still take. */
enum outcome capacity_allocate(struct visit *visit, struct app_part *app,
                               const struct resource *headroom);
/* Nothing is left for APP: nor would it take anything while there is less than it asks for first. */
void capacity_look_beyond(struct visit *visit, const struct app_part *app);
/* The node is reserved: serve that, keep it, or give it up. */
enum outcome capacity_allocate_reserved(struct visit *visit);

/* hold.c: what PARENT has left for its children is ROOM, and they are offered a node in exchange. Then
 * either none took it, or the one of KEY did. */
void capacity_hold_begin(struct queue_part *parent, const struct resource *room);
void capacity_hold_passed(const struct visit *visit, struct queue_part *parent);
void capacity_hold_taken(const struct visit *visit, struct queue_part *parent, uint64_t key);
/* PART did not take it, nor will it take one with less room than VISIT's LEAST, whether its parent has less
 * left than MOST (0: only with what it has left now). */
void capacity_hold_remember(const struct visit *visit, struct queue_part *part, double most);
/* The same of a leaf that took it. */
void capacity_hold_remember_taker(const struct visit *visit, struct queue_part *leaf, double most);
/* Could LEAF, by its own maximum, have any room that is less than MOST? */
bool capacity_hold_reaches(const struct sched *sched, const struct queue_part *leaf, double most);
/* What the smallest container takes of what PARENT's children may hold is another. */
void capacity_hold_know_least(struct queue_part *parent);
/* PART changes, or is visited: what it owes is paid, and it has to be asked again. */
void capacity_hold_forget(struct queue_part *part);
/* The same between begin and end of a change below PART, but of those that follow what they have below;
 * shelves learn of it when that ends. */
void capacity_hold_forget_changing(struct queue_part *part);
/* And there, what PART, of the queues that changed, remembers may be true no longer. */
void capacity_hold_ask(struct queue_part *part);
static inline void capacity_hold_changed(struct queue_part *part)
{
    if (part->held_follows)
        capacity_hold_ask(part);
}
/* It is visited, and those above it were before. */
void capacity_hold_settle(struct queue_part *part);
static inline void capacity_hold_visit(struct queue_part *part)
{
    if (part->held)
        capacity_hold_settle(part);
}
/* That was in vain. */
static inline void capacity_hold_vain(const struct visit *visit, struct queue_part *part)
{
    if (part->held_follows && visit->looks_on && visit->offer->opportunity)
        part->held_from++;              /* the same pass is to be counted of its parent */
}
/* Whole containers, and not less than none? */
bool capacity_in_whole(const struct sched *sched, const struct resource *room);
/* A container of AMOUNT is to end in LEAF, and nothing else is to change: what that makes uncertain is
 * forgotten. */
void capacity_hold_ending(struct queue_part *leaf, const struct resource *amount);
/* What DEMAND of APP has counted, with what it is owed; to be looked at. */
int64_t capacity_hold_opportunities(const struct sched_app *app, const struct demand *demand);

/* queries.c */
void capacity_features(const struct sched *sched, struct sched_features *ret);
enum sched_access capacity_queue_access(const struct sched *sched, const char *path,
                                        const struct acl_person *person,
                                        enum sched_permission permission, char *reason);
bool capacity_label_at(const struct sched *sched, int index, struct sched_label *ret);
const char *capacity_label_queue(const struct sched *sched, int index);

/* look.c */
void capacity_queue_figures(const struct sched *sched, const struct sched_queue *queue,
                            struct sched_queue_figures *ret);
void capacity_queue_order(const struct sched *sched, const struct sched_queue *queue,
                          sched_name_fn *each, void *context);
bool capacity_queue_user_next(const struct sched *sched, const struct sched_queue *queue,
                              const struct leaf_user **at, struct sched_user_figures *ret);
bool capacity_limits(const struct sched *sched, const struct sched_app *app,
                     struct sched_why *ret);
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
/* But not those that were told to go, which are on their way. OFF: nor does anybody count them as gone. */
void capacity_spare_all(struct sched *sched, bool off);
void capacity_spare_needed(struct sched *sched);
void capacity_spare_tell(struct sched *sched, struct sched_decisions *decisions);
/* It has gone: nothing is left to be said of it. */
void capacity_spare_gone(struct sched *sched, struct sched_container *container);
/* Is there room for NEED on NODE once killable containers are gone, and is LEAF, which OWN (reserved
 * there for NEED) is part of, one that may have them killed? Then they are told to go. */
bool capacity_make_room(struct sched *sched, struct sched_node *node, const struct queue_part *leaf,
                        const struct resource *own, const struct resource *need,
                        struct sched_decisions *decisions);
/* What PART, a queue above others, uses beside what may be killed below it. */
static inline struct resource capacity_firm_use(const struct queue_part *part)
{
    struct resource used = sched_load(part->sched, queue_used(part));

    if (part->killable)
        calc_subtract(&part->sched->calc, &used, part->killable);
    return used;
}
/* Then a queue below PART may have more room than PART has left: its limit has all that it uses, and it may
 * be as full as that beside what may be killed. Nobody below is stepped over for want of room in PART. */
static inline bool capacity_any_killable(const struct queue_part *part)
{
    return part->killable && !resource_is_zero(part->killable);
}

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

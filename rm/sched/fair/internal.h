/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - the fair scheduler's books beside the core's, seen by rm/sched/fair alone
 *
 * tree.c     live queues: those of the allocation file, and those that submissions make
 * admit.c    apps come, go and move
 * runnable.c which apps run, which wait for a limit on running apps (8.9)
 * index.c    which queues and apps are offered room, in order (8.7), by rm/sched/order.h
 * compare.c  the order under each policy
 * update.c   demand and fair shares, as of the last update (8.5, 8.6)
 * assign.c   a node on its way down the tree of queues (8.8)
 * allocate.c an app and a node: locality, masters, reservations
 * starve.c   who starves, and for how long (8.11)
 * preempt.c  whose containers go for it, when, and for whom the room is kept
 * look.c     figures and reasons
 * queries.c  features and access
 *
 * Partitions (node labels) do not exist here: everything is of partition 0. USED of a queue does
 * not include what is reserved, as YARN counts; see fair_used.
 */
#ifndef CREEL_RM_SCHED_FAIR_INTERNAL_H
#define CREEL_RM_SCHED_FAIR_INTERNAL_H

#include "rm/sched/fair/config.h"
#include "rm/sched/policy.h"
#include "rm/sched/order.h"

TAILQ_HEAD(fair_queue_list, fair_queue);
TAILQ_HEAD(fair_app_list, fair_app);

/* What a queue has an amount of, of each type in use: see fair_get. */
enum fair_queue_amount {
    FAIR_DEMAND_SUM, FAIR_DEMAND,       /* before and after the cut at the maximum */
    FAIR_SHARE,
    FAIR_AM_USED,                       /* leaf: of masters that live */
    FAIR_QUEUE_AMOUNTS
};

/* And one that has bounds. */
enum fair_bound_amount {
    FAIR_MAXIMUM,                       /* in the present cluster */
    FAIR_MINIMUM,
    FAIR_BOUND_AMOUNTS
};

/* And an app. */
enum fair_app_amount {
    FAIR_APP_DEMAND,                    /* as of the last update */
    FAIR_APP_SHARE,
    FAIR_APP_AMOUNTS
};

enum fair_hunger_amount {
    FAIR_HUNGER_SHARE, FAIR_HUNGER_MINIMUM,     /* what it lacks of its fair share, of its leaf's minimum */
    FAIR_HUNGER_LEAVING,                /* of its containers that were told to go */
    FAIR_HUNGER_AMOUNTS
};

/* Of a queue that has, or had, a maximum, a minimum share, or a largest container of its own. */
struct fair_bounds {
    struct fair_queue *queue;
    TAILQ_ENTRY(fair_bounds) of_minimums;       /* fair->minimums, while LISTED: has a minimum share */
    int64_t at_minimum_ms;              /* leaf: when it last had its minimum share, or wanted no more */
    uint64_t minimums_round;            /* since which it is not among those that have one */
    bool listed, below_minimum;
    struct resource *container_maximum; /* owned; NULL: the cluster's */
    int64_t amounts[];
};
TAILQ_HEAD(fair_bounds_list, fair_bounds);

/* What a policy compares: see compare.c. The smaller is served first. */
struct fair_key {
    int rank;                           /* compared before the figures */
    double figure[RESOURCE_TYPES_MAX];
};

/* A queue or an app, in an index. */
struct fair_item {
    struct order_entry entry;
    struct fair_key key;                /* as of when it was put there; changes only with its place */
    uint8_t types;                      /* resource types in use */
    bool changed, am_counted;           /* of an app: see fair_app */
};

struct fair_queue {
    struct fair_item item;              /* in the parent's ORDER */
    struct sched_queue *queue;
    struct queue_part *part;            /* of QUEUE */
    struct fair_queue *parent;          /* NULL for root */
    struct order order;                 /* children, or apps, that may be offered room */
    float weight;
    enum fair_policy policy : 8;        /* by which ORDER is */
    bool leaf : 1;
    bool limited : 1;                   /* of some type there is a maximum: BOUNDS are there */
    bool has_minimum : 1;               /* the same */
    bool sleeping : 1;                  /* at its maximum, until something below changes */
    bool marked : 1;
    bool share_changed : 1, members_changed : 1;        /* children's, or apps', shares are to be computed */
    bool permanent : 1;                 /* in the file, or root.default */
    bool preemptable : 1;               /* it and all above allow it */
    bool owns_settings : 1;
    uint32_t waiting_below;             /* apps kept back by a limit on running apps */
    uint32_t index;                     /* among fair->steady, while that is not stale */
    const struct fair_settings *settings;       /* of the file, or owned: the file does not name it */
    struct fair_bounds *bounds;         /* owned; NULL: never had any */
    TAILQ_ENTRY(fair_queue) sibling;
    TAILQ_ENTRY(fair_queue) changed_link;       /* in the parent's CHANGED, while MARKED */
    union {
        struct {                        /* parent */
            struct fair_queue_list children;    /* in order of arrival */
            struct fair_queue_list changed;     /* of them, with something to compute, below or there */
            size_t child_count;
        };
        struct {                        /* leaf */
            struct order refused;       /* apps whose AM is above maxAMShare, until that may have changed */
            bool refused_lightly;       /* the limit of one of them depends on the free room */
            struct fair_app **changed_apps;     /* owned; whose demand is not what was counted */
            uint32_t changed_count, changed_capacity;   /* of room for all its apps */
            struct fair_app_list running, waiting;      /* waiting: kept back by a limit on running apps */
            int64_t since_ms;           /* it is there */
        };
    };
    int64_t amounts[];
};

/* Offers of nodes at one priority and allocation id, for the locality delay (12.3). */
struct fair_level {
    UT_hash_handle hh;
    struct { uint64_t allocation_id, priority; } key;
    enum sched_locality allowed;
    uint32_t opportunities;
    int64_t last_ms;                    /* of the first offer, or of the last relaxation */
};

/* Room on a node that was made for an app. */
struct fair_earmark {
    TAILQ_ENTRY(fair_earmark) of_app, of_node;
    struct fair_app *app;
    struct sched_node *node;
    struct resource left;
};
TAILQ_HEAD(fair_earmark_list, fair_earmark);

struct fair_node {
    struct fair_earmark_list earmarks;  /* owned; oldest first */
    struct resource earmarked;
};

/* A user in the whole cluster. */
struct fair_person {
    UT_hash_handle hh;
    char *name;                         /* owned */
    uint32_t apps, running;
    struct fair_app **waiting;          /* owned array; oldest first */
    size_t waiting_count, waiting_capacity;
};

/* Of an app that starves, or loses containers; made when it first does. */
struct fair_hunger {
    int64_t next_check_ms;              /* not looked at before */
    struct fair_earmark_list earmarks;  /* index */
    int64_t amounts[];
};

/* ITEM.CHANGED: it is one of the leaf's CHANGED_APPS. ITEM.AM_COUNTED: its AM runs. */
struct fair_app {
    struct fair_item item;              /* in its leaf's ORDER or REFUSED */
    struct sched_app *app;
    struct fair_queue *leaf;
    struct app_part *part;              /* of APP */
    float weight;
    uint32_t changed_index;             /* if it is CHANGED */
    struct fair_level *levels;          /* owned hash */
    struct fair_person *person;
    TAILQ_ENTRY(fair_app) of_leaf;      /* in running or waiting of its leaf; started ones */

    /* starve.c, preempt.c */
    int64_t at_share_ms;                /* when it last had what is fair */
    struct fair_hunger *hunger;         /* owned; NULL: none */
    int64_t amounts[];
};

/* A container that was told to go. */
struct fair_victim {
    struct sched_container *container;
    int64_t deadline_ms;
    bool told;                          /* the kill, too */
};

struct fair {
    struct fair_config *config;         /* owned */
    struct resource threshold;          /* what a node is kept for at least */
    struct fair_settings_tree others;   /* of queues that the file does not name; owned by those */
    struct fair_queue *root, *usual;    /* root.default */
    struct fair_person *people;         /* owned */
    bool stale;                         /* cluster or settings changed: see fair_settle */
    bool steady_stale;
    bool recount;                       /* all demand is to be cut anew */
    bool incomplete;                    /* a queue of the file waits for another to go */
    bool judged;                        /* the last update looked who starves */
    const struct fair_visit *visit;     /* the offer that is being served; NULL: none */
    bool placing;                       /* a request becomes a container: nothing new is requested */
    int64_t pending_before[RESOURCE_TYPES_MAX]; /* of the app that changes, between begin and end */
    int64_t next_tidy_ms;
    struct fair_bounds_list minimums;   /* of leaves that have a minimum share */
    int64_t minimums_ms;                /* when they were last looked at */
    uint64_t minimums_round;            /* how often they were */
    int64_t *steady;                    /* owned array: steady shares, made when somebody looks */
    size_t steady_capacity;             /* queues */
    struct fair_member *members;        /* owned; room for one level */
    size_t member_capacity;
    struct fair_app **starved;          /* owned array; during an update */
    size_t starved_count, starved_capacity;
    struct fair_victim *victims;        /* owned array */
    size_t victim_count, victim_capacity;
    int64_t next_kill_ms;               /* INT64_MAX: none */
    size_t earmark_count;               /* on all nodes: mostly none, and no node is asked for its own */
    struct sched_app **released;        /* owned array: may run now, not offered anything yet */
    size_t released_count, released_capacity;
    struct fair_move {                  /* an app between two leaves */
        bool on;
        enum app_state state;           /* before */
        struct fair_queue *from;
    } move;
};

static inline int64_t *fair_amount(struct fair_queue *queue, enum fair_queue_amount which)
{
    return &queue->amounts[(unsigned)which * queue->item.types];
}

static inline const int64_t *fair_amount_of(const struct fair_queue *queue,
                                            enum fair_queue_amount which)
{
    return &queue->amounts[(unsigned)which * queue->item.types];
}

static inline struct resource fair_get(const struct fair_queue *queue, enum fair_queue_amount which)
{
    return calc_load_values(fair_amount_of(queue, which), queue->item.types);
}

static inline void fair_set(struct fair_queue *queue, enum fair_queue_amount which,
                            struct resource value)
{
    calc_store_values(fair_amount(queue, which), value.value, queue->item.types);
}

static inline const int64_t *fair_bound(const struct fair_queue *queue, enum fair_bound_amount which)
{
    return &queue->bounds->amounts[(unsigned)which * queue->item.types];
}

/* In the present cluster; of types that are not in use 0. */
static inline struct resource fair_maximum(const struct fair_queue *queue)
{
    struct resource maximum = { .value = { 0 } };

    if (queue->limited)
        return calc_load_values(fair_bound(queue, FAIR_MAXIMUM), queue->item.types);
    for (int t = 0; t < queue->item.types; t++)
        maximum.value[t] = INT64_MAX;
    return maximum;
}

static inline struct resource fair_minimum(const struct fair_queue *queue)
{
    if (!queue->has_minimum)
        return resource_of(0, 0);
    return calc_load_values(fair_bound(queue, FAIR_MINIMUM), queue->item.types);
}

static inline struct fair_queue *fair_queue_of(const struct order_entry *entry)
{
    return (struct fair_queue *)((uintptr_t)entry - offsetof(struct fair_queue, item.entry));
}

static inline struct fair_app *fair_app_of(const struct order_entry *entry)
{
    return (struct fair_app *)((uintptr_t)entry - offsetof(struct fair_app, item.entry));
}

/* Is APP's AM refused by maxAMShare, since the last change that could have let it in? */
static inline bool fair_app_is_refused(const struct fair_app *app)
{
    return app->item.entry.order == &app->leaf->refused;
}

static inline const int64_t *fair_app_amount(const struct fair_app *app, enum fair_app_amount which)
{
    return &app->amounts[(unsigned)which * app->item.types];
}

static inline struct resource fair_app_get(const struct fair_app *app, enum fair_app_amount which)
{
    return calc_load_values(fair_app_amount(app, which), app->item.types);
}

static inline void fair_app_set(struct fair_app *app, enum fair_app_amount which,
                                struct resource value)
{
    calc_store_values(&app->amounts[(unsigned)which * app->item.types], value.value, app->item.types);
}

/* What its containers hold, of one type. */
static inline int64_t fair_used_of(const struct fair_queue *queue, int type)
{
    return queue_used(queue->part)->value[type] - queue_reserved(queue->part)->value[type];
}

static inline struct resource fair_used(const struct fair_queue *queue)
{
    struct resource used = { .value = { 0 } };

    for (int t = 0; t < queue->item.types; t++)
        used.value[t] = fair_used_of(queue, t);
    return used;
}

static inline int64_t fair_app_used_of(const struct fair_app *app, int type)
{
    return app_used(app->part)->value[type];
}

static inline int64_t fair_app_pending_of(const struct fair_app *app, int type)
{
    return app_pending(app->part)->value[type];
}

static inline struct resource fair_app_used(const struct fair_app *app)
{
    struct resource used = { .value = { 0 } };

    for (int t = 0; t < app->item.types; t++)
        used.value[t] = fair_app_used_of(app, t);
    return used;
}

/* What its demand will be in the next update. */
static inline int64_t fair_app_next_demand(const struct fair_app *app, int type)
{
    int64_t sum = fair_app_used_of(app, type);

    calc_add_one(&sum, fair_app_pending_of(app, type));
    return sum;
}

/* Wanted beyond what it has, by the last update. */
static inline struct resource fair_app_wanted(const struct fair_app *app)
{
    return resource_subtract(fair_app_get(app, FAIR_APP_DEMAND), fair_app_used(app));
}

static inline struct resource fair_hunger_get(const struct fair_app *app, enum fair_hunger_amount which)
{
    if (app->hunger == NULL)
        return resource_of(0, 0);
    return calc_load_values(&app->hunger->amounts[(unsigned)which * app->item.types], app->item.types);
}

/* Of its fair share, and of its leaf's minimum, by the last update. */
static inline struct resource fair_app_lacks(const struct fair_app *app)
{
    return resource_add(fair_hunger_get(app, FAIR_HUNGER_SHARE),
                        fair_hunger_get(app, FAIR_HUNGER_MINIMUM));
}

/* tree.c */
int fair_configure(struct sched *sched, const struct sched_config *config, struct err *err);
int fair_refresh(struct sched *sched, const struct sched_config *config,
                 struct sched_decisions *decisions, struct err *err);
void fair_free(struct sched *sched);
struct fair_queue *fair_queue_find(const struct fair *fair, const char *path);
struct sched_queue *fair_find_queue(const struct sched *sched, const char *name);
/* Make the leaf PATH and what is missing above it. -EISDIR: something above it is a leaf; -EINVAL: it
 * is too deep. */
int fair_queue_create(struct sched *sched, const char *path, struct fair_queue **ret,
                      struct err *err);
/* Empty queues that nothing asks for go; what waited for them comes. */
void fair_tidy(struct sched *sched);

/* admit.c */
int fair_admit(struct sched *sched, const struct sched_app_spec *spec, bool test,
               struct sched_queue **ret, struct err *err);
char *fair_place(struct sched *sched, const struct sched_app_spec *spec);
int fair_may_ask(const struct sched *sched, const struct sched_queue *queue, bool recovered,
                 const struct resource *asked, struct err *err);
void fair_join(struct sched *sched, struct sched_app *app);
void fair_leave(struct sched *sched, struct sched_app *app);
void fair_forget(struct sched *sched, struct sched_app *app);
void fair_left(struct sched *sched, const struct sched_app *app, struct sched_queue *queue);
void fair_start(struct sched *sched, struct sched_app *app);
int fair_may_move(struct sched *sched, struct sched_app *app, const char *name,
                  struct sched_queue **ret, struct err *err);
void fair_set_priority(struct sched *sched, struct sched_app *app, int32_t priority);
void fair_offer_released(struct sched *sched, struct sched_decisions *decisions);
/* What APP's master has, if it runs. */
struct resource fair_app_master(const struct fair_app *app);

/* runnable.c */
bool fair_may_run(const struct fair *fair, const struct fair_app *app);
/* Who keeps APP back? QUEUE: NULL if it is its user's limit. NONE: nobody. */
enum sched_reason fair_run_limit(const struct fair *fair, const struct fair_app *app,
                                 const struct fair_queue **queue);
void fair_run(struct fair_app *app);    /* APP is in no list */
void fair_wait(struct fair_app *app);   /* APP is in no list */
/* Out of its list, if it is in one. */
void fair_unlist(struct fair_app *app);
/* An app of PERSON that ran left LEAF: who may run instead? */
void fair_run_next(struct fair *fair, struct fair_queue *leaf, struct fair_person *person);
void fair_run_all(struct fair *fair);   /* limits moved */

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
void fair_begin(struct app_part *part);
void fair_end(struct app_part *part);
void fair_touch(struct sched_app *app);
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
struct order_amount fair_queue_need(const struct fair_queue *queue, struct order_amount *exchange);
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

/* update.c */
void fair_update(struct sched *sched, struct sched_decisions *decisions);
void fair_cluster_changed(struct sched *sched);
/* Bring what follows from cluster and settings up to date; does nothing if neither has changed. */
void fair_settle(struct sched *sched);
/* What the settings make of QUEUE in the present cluster. */
void fair_limit(struct sched *sched, struct fair_queue *queue);
void fair_settle_steady(struct sched *sched);
/* As of the last settle_steady. */
struct resource fair_steady(const struct sched *sched, const struct fair_queue *queue);
/* QUEUE, and the way to it, is to be looked at in the next update. */
void fair_mark(struct fair_queue *queue);
/* Which queues and apps count as active changed at LEAF. */
void fair_mark_active(struct fair_queue *leaf);
/* APP's demand is what it now has and asks for; LEAF's and all above follow, at once. */
void fair_count_demand(struct fair_app *app);

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
    bool hopeful;                       /* in vain because of this node: another may do */
};

enum fair_outcome fair_allocate(struct fair_visit *visit, struct fair_app *app);
/* The node is reserved: true if the reservation still holds. OUTCOME is PLACED or NOTHING. */
bool fair_allocate_reserved(struct fair_visit *visit, enum fair_outcome *outcome);
/* What is free on the node has changed. */
void fair_visit_room(struct fair_visit *visit);
/* The least of each type that one of APP's requests asks for. EXCHANGE: 0 if a node may be reserved for one,
 * else ORDER_NEVER. The second computes and keeps them. */
struct order_amount fair_app_need(const struct fair_app *app, struct order_amount *exchange);
void fair_app_measure(struct fair_app *app);
/* Is APP's master still to be placed, and over what masters may hold? LIGHTLY as fair_refuse_am. */
bool fair_over_am_limit(const struct sched *sched, const struct fair_app *app, bool *lightly);
struct resource fair_am_limit(const struct sched *sched, const struct fair_queue *leaf,
                              bool *has_limit);
/* Which queue from LEAF up has no room for AMOUNT more? NULL: none. */
const struct fair_queue *fair_full_queue(const struct fair_queue *leaf,
                                         const int64_t *amount);
struct fair_level *fair_level_find(const struct fair_app *app, const struct demand *demand);
bool fair_delays(const struct fair *fair);
void fair_levels_free(struct fair_app *app);

/* starve.c */
void fair_find_starved(struct sched *sched);
/* APP's, made if there is none. */
struct fair_hunger *fair_hunger_make(struct fair_app *app);
void fair_hunger_set(struct fair_app *app, enum fair_hunger_amount which, struct resource value);
/* Is APP starved at this moment, for however short a time: below its fair share, or given a part of
 * what its leaf lacks of the minimum share (FSAppAttempt.isStarved)? */
bool fair_is_starved(const struct sched *sched, const struct fair_app *app);
/* The calculator that LEAF's policy compares by. */
struct calc fair_calculator(const struct sched *sched, const struct fair_queue *leaf);

/* preempt.c */
void fair_preempt_for_starved(struct sched *sched, struct sched_decisions *decisions);
void fair_kill_due(struct sched *sched, struct sched_decisions *decisions);
void fair_ended(struct sched *sched, struct sched_container *container);
void fair_node_gone(struct sched *sched, struct sched_node *node);
/* The earmark of APP on NODE, or NULL. */
struct fair_earmark *fair_earmark_find(const struct sched_node *node, const struct fair_app *app);
void fair_earmark_drop(struct fair_earmark *earmark);
/* One container of DEMAND comes to stand there. */
void fair_earmark_use(struct fair_earmark *earmark, const struct demand *demand);

/* queries.c */
void fair_features(const struct sched *sched, struct sched_features *ret);
enum sched_access fair_queue_access(const struct sched *sched, const char *path,
                                    const struct acl_person *person,
                                    enum sched_permission permission, char *reason);

/* look.c */
void fair_queue_figures(const struct sched *sched, const struct sched_queue *queue,
                        struct sched_queue_figures *ret);
void fair_app_figures(const struct sched *sched, const struct sched_app *app,
                      struct sched_app_figures *ret);
void fair_queue_order(const struct sched *sched, const struct sched_queue *queue,
                      sched_name_fn *each, void *context);
struct resource fair_headroom(const struct sched *sched, const struct sched_app *app);
bool fair_limits(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);
void fair_explain(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);
const struct resource *fair_queue_maximum(const struct sched_queue *queue);

/* check.c */
int fair_check(const struct sched *sched, struct err *err);

#endif

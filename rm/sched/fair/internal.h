/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - the fair scheduler's books beside the core's, seen by rm/sched/fair alone
 *
 * tree.c     live queues: those of the allocation file, and those that submissions make
 * admit.c    apps come, go and move
 * runnable.c which apps run, which wait for a limit on running apps (8.9)
 * index.c    who is offered what next: queues and apps in order (8.7), by order.h
 * key.c      what decides between two of them
 * update.c   demand and fair shares, as of the last update (8.5, 8.6)
 * assign.c   a node on its way down the tree of queues (8.8)
 * allocate.c an app and a node: locality, masters, reservations
 * starve.c   who starves, and for how long (8.11)
 * preempt.c  whose containers go for it, when, and for whom the room is kept
 * look.c     figures and reasons
 *
 * Partitions (node labels) do not exist here: everything is of partition 0. USED of a queue does
 * not include what is reserved, as YARN counts; see fair_used.
 */
#ifndef CREEL_RM_SCHED_FAIR_INTERNAL_H
#define CREEL_RM_SCHED_FAIR_INTERNAL_H

#include "rm/sched/fair/config.h"
#include "rm/sched/fair/order.h"
#include "rm/sched/internal.h"

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

/* Of a leaf whose masters the limit on masters refused at some time. */
struct fair_refused {
    struct fair_order order;            /* who is asleep */
    bool lightly;                       /* the limit that refused them follows the free room */
    int64_t least[];                    /* the smallest master of those asleep, per type */
};

/* What the hot path reads of a queue stands at its beginning. */
struct fair_queue {
    struct fair_item item;              /* in the parent's ORDER, while listed */
    struct sched_queue *queue;
    struct queue_part *part;            /* of QUEUE */
    struct fair_queue *parent;          /* NULL for root */
    struct fair_order order;            /* children, or apps, that want something */
    float weight;
    enum fair_policy policy : 8;        /* by which ORDER is */
    bool leaf : 1;
    bool limited : 1;                   /* of some type there is a maximum: BOUNDS are there */
    bool has_minimum : 1;               /* the same */
    bool sleeping : 1;                  /* at its maximum, until something below changes */
    bool marked : 1;
    bool share_changed : 1, members_changed : 1;        /* children's, or apps', shares are to be computed */
    bool wanting_listed : 1;
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
            struct fair_refused *refused;       /* owned; NULL: there were none */
            struct fair_app **changed_apps;     /* owned; whose demand is not what was counted */
            uint32_t changed_count, changed_capacity;   /* of room for all its apps */
            struct fair_app_list running, waiting;      /* waiting: kept back by a limit on running apps */
            TAILQ_ENTRY(fair_queue) wanting_link;       /* fair->leaves, while WANTING_LISTED */
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

/* ITEM.ASLEEP: it stands in its leaf's ASLEEP. ITEM.CHANGED: it is among the leaf's CHANGED_APPS.
 * ITEM.AM_COUNTED: its master runs. */
struct fair_app {
    struct fair_item item;              /* in its leaf's ORDER or ASLEEP, while listed */
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
    bool placing;                       /* asks become containers: nothing new is asked for */
    int64_t pending_before[RESOURCE_TYPES_MAX]; /* between begin and end; an app's, */
    int64_t used_before[RESOURCE_TYPES_MAX];    /* and its leaf's */
    bool listed_before;
    int64_t cluster_ms;                 /* of the first app: see fair_app_tie; 0: there was none */
    int64_t next_tidy_ms;
    struct fair_queue_list leaves;      /* with apps that want something */
    struct fair_bounds_list minimums;   /* of leaves that have a minimum share */
    int64_t minimums_ms;                /* when they were last looked at */
    uint64_t minimums_round;            /* how often they were */
    int64_t *steady;                    /* owned array: steady shares, made when somebody looks */
    size_t steady_capacity;             /* queues */
    struct fair_member *members;        /* owned; room for one level */
    size_t member_capacity;
    struct fair_item **ranked;          /* owned array: a heap of who is not given out yet */
    size_t ranked_count, ranked_capacity;
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

/* Those whose masters were refused, and are to be looked at when there is more room: are there any? */
static inline bool fair_refused_lightly(const struct fair_queue *leaf)
{
    return leaf->refused && leaf->refused->lightly && !fair_order_is_empty(&leaf->refused->order);
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
int fair_may_ask(const struct sched *sched, const struct sched_queue *queue,
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

/* Zeroed, SIZE long and with room for COUNT amounts and what an item needs beyond two types. Begins with
 * an item, the rest is the caller's. To be given back by free(). */
void *fair_record_new(const struct sched *sched, size_t size, size_t count);

/* key.c. The first two: of equal keys. */
int fair_compare_queues(const struct fair_item *a, const struct fair_item *b);
int fair_compare_apps(const struct fair_item *a, const struct fair_item *b);
int fair_order_apps(const struct sched_app *a, const struct sched_app *b);
/* What QUEUE, or APP, stands by; returns what of that REST is. */
uint64_t fair_queue_key(const struct fair_queue *queue, struct fair_key *ret);
uint64_t fair_app_key(const struct fair_app *app, struct fair_key *ret);
/* What decides between equal ones, as far as a number says it: set once. */
uint64_t fair_queue_tie(const char *name);
uint64_t fair_app_tie(struct fair *fair, const struct sched_app *app);

/* index.c */
bool fair_app_wants(const struct fair_app *app);
void fair_begin(struct app_part *part);
void fair_end(struct app_part *part);
void fair_touch(struct sched_app *app);
bool fair_wants(const struct sched *sched);
bool fair_queue_wants(const struct fair_queue *queue);
/* To where it now belongs, or out. After changes of what keys depend on; queues after those below
 * them. */
void fair_app_place(struct fair_app *app);
struct fair_order *fair_order_of(const struct fair_app *app);   /* that it is in, if it is in one */
void fair_queue_place(struct fair_queue *queue);
void fair_queue_remove(struct fair_queue *queue);       /* for it goes */
/* To where it now belongs; what refused it holds no longer. FRESH: there may be asks below that nobody
 * has looked at; true: so it is for what is above, too. */
bool fair_app_renew(struct fair_app *app);
bool fair_queue_renew(struct fair_queue *queue, bool fresh);
/* APP may enter or leave the orders, for it may run now, or may not. */
void fair_app_touch(struct fair_app *app);
/* QUEUE is refused until something below changes. */
void fair_sleep(struct fair_queue *queue);
/* APP's master is refused; LIGHTLY: until there is more free room, maybe. */
void fair_sleep_app(struct fair_app *app, bool lightly);
void fair_wake_apps(struct fair_queue *leaf);
void fair_index_rebuild(struct sched *sched);
/* LEAF's apps that want something, asleep ones too, one after the other in order; NULL: no more. */
void fair_rank(struct fair *fair, const struct fair_queue *leaf);
struct fair_app *fair_next_ranked(struct fair *fair);
static inline struct fair_app *fair_app_of(struct fair_item *item)
{
    return (struct fair_app *)(void *)item;
}
static inline struct fair_queue *fair_queue_of(struct fair_item *item)
{
    return (struct fair_queue *)(void *)item;
}

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
    int64_t free[RESOURCE_TYPES_MAX];   /* of the node, now; of the types in use */
    struct fair_filter filter;          /* the same */
    bool serves_reservation;
    bool hopeful;                       /* in vain because of this node: another may do */
};

enum fair_outcome fair_allocate(struct fair_visit *visit, struct fair_app *app);
/* The node is reserved: true if the reservation still holds. OUTCOME is PLACED or NOTHING. */
bool fair_allocate_reserved(struct fair_visit *visit, enum fair_outcome *outcome);
/* Could what ITEM says be placed on the node, or have the node kept for it? */
bool fair_may_serve(const struct fair_visit *visit, const struct fair_item *item);
/* What is free on the node has changed. */
void fair_visit_room(struct fair_visit *visit);
/* What APP asks for: the least of each type; true: a node may be kept for it. */
bool fair_app_needs(const struct fair_app *app, uint32_t need[RESOURCE_TYPES_MAX]);
/* The same, into what its item says. */
void fair_app_measure(struct fair_app *app);
/* Is APP's master still to be placed, and over what masters may hold? LIGHTLY as fair_sleep_app. */
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

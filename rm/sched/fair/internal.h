/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - the fair scheduler's books beside the core's, seen by rm/sched/fair alone
 *
 * tree.c     live queues: those of the allocation file, and those that submissions make
 * admit.c    apps come, go and move
 * runnable.c which apps run, which wait for a limit on running apps (8.9)
 * index.c    who is offered what next: ordered trees of queues and apps (8.7)
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
#include "rm/sched/internal.h"

RB_HEAD(fair_queue_tree, fair_queue);
RB_HEAD(fair_app_tree, fair_app);
TAILQ_HEAD(fair_queue_list, fair_queue);
TAILQ_HEAD(fair_app_list, fair_app);

/* What decides between siblings, before start time and name: the smaller is served first. */
struct fair_key {
    int rank;
    int count;                          /* of VALUE; the same for all siblings */
    double value[RESOURCE_TYPES_MAX];
};

/* What the asks below may be: bounds, so that nobody looks below in vain. */
struct fair_reach {
    bool known;                         /* else anything may be there */
    bool counts;                        /* some ask counts the nodes that it is offered */
    struct resource least, most;        /* per type */
};

struct fair_queue {
    UT_hash_handle hh;                  /* fair->by_path */
    struct sched_queue *queue;
    struct fair_queue *parent;          /* NULL for root */
    TAILQ_ENTRY(fair_queue) sibling;
    struct fair_queue_list children;    /* in order of arrival */
    size_t child_count;
    const struct fair_settings *settings;       /* of the file, or OWN */
    struct fair_settings *own;          /* owned; of a queue that the file does not name */
    bool permanent;                     /* in the file, or root.default */
    bool preemptable;                   /* it and all above allow it */
    struct resource maximum;            /* in the present cluster */
    struct resource container_maximum;

    struct resource demand_sum, demand; /* before and after the cut at MAXIMUM */
    struct resource share, steady;

    /* index.c */
    RB_ENTRY(fair_queue) link;          /* in the parent's WANTING, while LISTED */
    struct fair_key key;
    bool listed;
    bool sleeping;                      /* at its maximum, until something below changes */
    struct fair_reach reach;
    struct fair_queue_tree wanting;     /* parent: children with something to place */
    struct fair_app_tree awake, asleep; /* leaf: apps that want something; ASLEEP: masters that the
                                           limit on masters refused */
    struct resource asleep_least;       /* smallest master of those, per type */
    bool asleep_lightly;                /* the limit that refused them follows the free room */

    /* update.c */
    TAILQ_ENTRY(fair_queue) changed_link;       /* in the parent's CHANGED, while MARKED */
    struct fair_queue_list changed;     /* children with something to compute, below or there */
    struct fair_app_list changed_apps;  /* leaf: whose demand is not what was counted */
    bool marked;
    uint32_t waiting_below;             /* apps kept back by a limit on running apps */
    bool share_changed, members_changed;        /* children's, or apps', shares are to be computed */

    /* leaf */
    struct fair_app_list running, waiting;      /* waiting: kept back by a limit on running apps */
    uint32_t running_count;
    struct resource am_used;            /* of masters that live */
    TAILQ_ENTRY(fair_queue) wanting_link;       /* fair->leaves, while WANTING_LISTED */
    TAILQ_ENTRY(fair_queue) minimum_link;       /* fair->minimums: has a minimum share */
    bool wanting_listed, minimum_listed;
    int64_t at_minimum_ms;              /* when it last had its minimum share, or wanted no more */
    bool below_minimum;
    uint64_t minimums_round;            /* since which it is not among those that have one */
};

/* Offers of nodes at one priority and allocation id, for the locality delay (12.3). */
struct fair_level {
    UT_hash_handle hh;
    struct { uint64_t allocation_id, priority; } key;
    enum sched_locality allowed;
    uint32_t opportunities;
    int64_t last_ms;                    /* of a container, or of the last relaxation */
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
    struct fair_app_list waiting;       /* oldest first */
};

struct fair_app {
    struct sched_app *app;
    struct fair_queue *leaf;
    struct fair_person *person;
    TAILQ_ENTRY(fair_app) of_leaf;      /* in running or waiting of its leaf; started ones */
    TAILQ_ENTRY(fair_app) of_person;    /* in waiting */
    TAILQ_ENTRY(fair_app) changed_link;
    bool changed;

    struct resource demand;             /* as of the last update */
    struct resource share;
    float weight;

    RB_ENTRY(fair_app) link;            /* in its leaf's AWAKE or ASLEEP, while LISTED */
    struct fair_key key;
    bool listed, asleep;
    struct fair_reach reach;

    bool am_counted;                    /* its master runs, and takes AM */
    struct resource am;
    struct fair_level *levels;          /* owned hash */

    /* starve.c, preempt.c */
    int64_t at_share_ms;                /* when it last had what is fair */
    int64_t next_check_ms;              /* not looked at before */
    struct resource share_starved, minimum_starved;
    struct resource leaving;            /* of its containers that were told to go */
    struct fair_earmark_list earmarks;  /* index */
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
    struct fair_queue *by_path;         /* hash */
    struct fair_queue *root, *usual;    /* root.default */
    struct fair_person *people;         /* owned */
    bool stale;                         /* cluster or settings changed: see fair_settle */
    bool steady_stale;
    bool recount;                       /* all demand is to be cut anew */
    bool incomplete;                    /* a queue of the file waits for another to go */
    bool judged;                        /* the last update looked who starves */
    bool placing;                       /* asks become containers: nothing new is asked for */
    struct resource pending_before;     /* between begin and end */
    bool listed_before;
    int64_t next_tidy_ms;
    struct fair_queue_list leaves;      /* with apps that want something */
    struct fair_queue_list minimums;    /* leaves that have a minimum share */
    int64_t minimums_ms;                /* when they were last looked at */
    uint64_t minimums_round;            /* how often they were */
    struct fair_member *members;        /* owned; room for one level */
    size_t member_capacity;
    struct fair_app **starved;          /* owned array; during an update */
    size_t starved_count, starved_capacity;
    struct fair_victim *victims;        /* owned array */
    size_t victim_count, victim_capacity;
    int64_t next_kill_ms;               /* INT64_MAX: none */
    struct sched_app **released;        /* owned array: may run now, not offered anything yet */
    size_t released_count, released_capacity;
    struct fair_move {                  /* an app between two leaves */
        bool on;
        enum app_state state;           /* before */
        struct fair_queue *from;
    } move;
};

static inline struct queue_part *fair_part(const struct fair_queue *queue)
{
    return queue->queue->parts[0];
}

/* What its containers hold. */
static inline struct resource fair_used(const struct fair_queue *queue)
{
    const struct queue_part *part = fair_part(queue);
    struct resource used = sched_load(queue->queue->sched, queue_used(part));

    calc_subtract(&queue->queue->sched->calc, &used, queue_reserved(part));
    return used;
}

static inline struct resource fair_app_used(const struct fair_app *app)
{
    const struct app_part *part = sched_app_part_have(app->app, 0);

    return part ? sched_load(app->app->sched, app_used(part)) : resource_of(0, 0);
}

/* Wanted beyond what it has, by the last update. */
static inline struct resource fair_app_wanted(const struct fair_app *app)
{
    return resource_subtract(app->demand, fair_app_used(app));
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

/* index.c */
RB_PROTOTYPE(fair_queue_tree, fair_queue, link, fair_compare_queues)
RB_PROTOTYPE(fair_app_tree, fair_app, link, fair_compare_apps)
int fair_compare_queues(const struct fair_queue *a, const struct fair_queue *b);
int fair_compare_apps(const struct fair_app *a, const struct fair_app *b);
int fair_order(const struct sched_app *a, const struct sched_app *b);
struct fair_key fair_queue_key(const struct fair_queue *queue);
struct fair_key fair_app_key(const struct fair_app *app);
void fair_begin(struct app_part *part);
void fair_end(struct app_part *part);
bool fair_wants(const struct sched *sched);
/* Out of the trees, and back where it now belongs. Around changes of what keys depend on; a queue is
 * put back after those below it. */
void fair_queue_out(struct fair_queue *queue);
void fair_queue_in(struct fair_queue *queue);
void fair_app_out(struct fair_app *app);
void fair_app_in(struct fair_app *app);
/* APP may enter or leave the trees, for it may run now, or may not. */
void fair_app_touch(struct fair_app *app);
/* QUEUE is refused until something below changes. */
void fair_sleep(struct fair_queue *queue);
/* APP's master is refused; LIGHTLY: until there is more free room, maybe. */
void fair_sleep_app(struct fair_app *app, bool lightly);
void fair_wake_apps(struct fair_queue *leaf);
void fair_index_rebuild(struct sched *sched);
/* The first of LEAF's apps that want something, asleep ones too, behind AFTER (NULL: the first). */
struct fair_app *fair_next_wanting(struct fair_queue *leaf, const struct fair_app *after);

/* update.c */
void fair_update(struct sched *sched, struct sched_decisions *decisions);
void fair_cluster_changed(struct sched *sched);
/* Bring what follows from cluster and settings up to date; does nothing if neither has changed. */
void fair_settle(struct sched *sched);
/* What the settings make of QUEUE in the present cluster. */
void fair_limit(struct sched *sched, struct fair_queue *queue);
void fair_settle_steady(struct sched *sched);
/* QUEUE, and the way to it, is to be looked at in the next update. */
void fair_mark(struct fair_queue *queue);
/* Which queues and apps count as active changed at LEAF. */
void fair_mark_active(struct fair_queue *leaf);
/* APP's demand is what it now has and asks for; LEAF's and all above follow, at once. */
void fair_count_demand(struct fair_app *app);

/* assign.c */
unsigned fair_assign(struct sched *sched, struct sched_node *node, const struct offer *offer,
                     struct sched_decisions *decisions);

/* allocate.c */
enum fair_outcome { FAIR_NOTHING, FAIR_PLACED, FAIR_RESERVED };

struct fair_visit {
    struct sched *sched;
    struct fair *fair;
    struct sched_node *node;
    const struct offer *offer;
    struct sched_decisions *decisions;
    struct resource free;               /* of the node, now */
    bool serves_reservation;
    struct resource placed;             /* by the last outcome PLACED */
};

enum fair_outcome fair_allocate(struct fair_visit *visit, struct fair_app *app);
/* The node is reserved: true if the reservation still holds. OUTCOME is PLACED or NOTHING. */
bool fair_allocate_reserved(struct fair_visit *visit, enum fair_outcome *outcome);
/* Could an ask within REACH be placed on the node, or have the node kept for it? */
bool fair_may_serve(const struct fair_visit *visit, const struct fair_queue *leaf_or_parent,
                    const struct fair_reach *reach);
struct fair_reach fair_app_reach(const struct fair *fair, const struct fair_app *app);
/* Is APP's master still to be placed, and over what masters may hold? LIGHTLY as fair_sleep_app. */
bool fair_over_am_limit(const struct sched *sched, const struct fair_app *app, bool *lightly);
struct resource fair_am_limit(const struct sched *sched, const struct fair_queue *leaf,
                              bool *has_limit);
/* Which queue from LEAF up has no room for AMOUNT more? NULL: none. */
const struct fair_queue *fair_full_queue(const struct fair_queue *leaf,
                                         const struct resource *amount);
struct fair_level *fair_level_find(const struct fair_app *app, const struct demand *demand);
bool fair_delays(const struct fair *fair);
void fair_levels_free(struct fair_app *app);

/* starve.c */
void fair_find_starved(struct sched *sched);
bool fair_is_starved(const struct fair_app *app);
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
void fair_earmark_use(struct fair_earmark *earmark, const struct resource *amount);

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

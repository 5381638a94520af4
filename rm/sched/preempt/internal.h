/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of the preemption policy share
 *
 * A round: ideal.c works out what each queue should have and what each leaf gives
 * (7.2 to 7.4); one file for each selector picks containers (fifo.c, reserved.c, priority.c,
 * intra.c), all through take.c; marks.c turns picks into marks by what is remembered.
 */
#ifndef CREEL_RM_SCHED_PREEMPT_INTERNAL_H
#define CREEL_RM_SCHED_PREEMPT_INTERNAL_H

#include "rm/sched/preempt/preempt.h"

/* What is worked out for a queue in a partition. */
struct work {
    struct resource pending, pending_unreserved;        /* parents: of all below */
    struct resource untouchable, preemptable;   /* of what it has over its guarantee (7.2) */
    struct resource ideal;
    struct resource to_preempt;
    struct resource obtain;             /* leaf: what the present selector is to get from it */
    struct resource wants;              /* leaf: ideal above use, not yet paid for by a pick */
    bool underserved;                   /* is in the list of struct round */
};

/* The position of a queue in the tree. */
struct place {
    uint32_t first_child, child_count;  /* in struct round's children */
    uint32_t depth;
    uint32_t first_pick;                /* leaf: of the picks from it, chained; or PREEMPT_NONE */
};

struct pick {
    struct preempt_container container;
    enum preempt_selector selector;
    uint32_t gainer;
    uint32_t next;                      /* pick from the same leaf, or PREEMPT_NONE */
    bool release;                       /* a reservation to take back, no pick for other purposes */
};

/* An array that is used again each round. */
#define ARRAY(type) struct { type *items; size_t count, capacity; }

/* What is remembered of a container. */
struct memory {
    uint64_t id;
    int64_t first_ms;                   /* marked at */
    int64_t wait_ms;
    uint32_t round, released;           /* picked in; taken back in, if a reservation */
    bool taken;                         /* is there something in this slot? */
    bool marked;                        /* else only picked in this round */
};

/* A partition, for the leaf at hand. */
struct part {
    struct resource obtain;             /* still to be obtained, while OPEN */
    bool open;
    uint32_t wanting_at, wanting_end;   /* of struct preempt's WANTING, whose turn it is to gain */
};

struct preempt {
    struct preempt_settings settings;
    struct memory *slots;               /* open addressing; slot_count is a power of two */
    size_t slot_count, remembered;
    uint32_t round;                     /* counts from 1 */

    /* Working space of a round. */
    const struct preempt_snapshot *snapshot;
    int64_t now_ms;
    struct resource allowed;            /* what may still be taken in this round */
    struct work *works;                 /* as the snapshot's figures */
    struct place *places;               /* by queue */
    uint32_t *children;
    size_t work_capacity, queue_capacity;
    ARRAY(struct heap_entry) heap;
    ARRAY(uint32_t) batch;
    ARRAY(uint32_t) underserved;        /* index into works, in the order in which they were found */
    ARRAY(uint32_t) wanting;            /* likewise: leaves that are to gain */
    ARRAY(struct pick) picks;
    size_t picks_known;                 /* of them, to the table of what is remembered */
    ARRAY(struct preempt_app) apps;
    ARRAY(struct preempt_user) users;
    ARRAY(struct preempt_container) containers;
    ARRAY(struct preempt_container) masters;    /* set aside */
    ARRAY(struct preempt_reservation) reservations;
    ARRAY(uint32_t) order;              /* of containers that are not sorted: a heap */
    size_t victims_left;                /* of containers that are sorted */
    void *victims_app;                  /* its containers come in order, in batches; or NULL */
    bool victims_sorted;
    bool victims_checked;               /* was something picked from this leaf before? */
    ARRAY(struct app_work) app_works;
    ARRAY(struct user_work) user_works;
    ARRAY(struct node_cost) costs;
    ARRAY(const struct preempt_container *) sorted;     /* priority.c: of a node */
    ARRAY(const struct preempt_container *) waiting;    /* ... what is reserved */
    ARRAY(const struct preempt_container *) spare;
    struct part *parts;
    size_t part_capacity, open_count;
};

struct heap_entry {                     /* a queue that is still thirsty */
    double filled;                      /* ideal by guarantee */
    int32_t priority;
    uint32_t queue;
};

struct app_work {                       /* intra.c */
    struct preempt_app app;
    struct resource selected;           /* by earlier selectors */
    struct resource ideal, wants, gives, actual;
    struct resource fair_share;
    const struct user_work *user;       /* these two for ordering */
    const struct preempt *preempt;
};

struct user_work {
    struct resource used_deduct_am, am, limit;  /* LIMIT less AM */
    struct resource ideal, selected, rolling;
    uint32_t apps;
    bool quota_done;
};

struct node_cost {
    uint32_t reservation;
    float cost;
};

/* What an ideal is worked out for. */
struct aim {
    bool whole_pending;                 /* reservations count as pending, and nothing is damped */
    bool balance;                       /* satisfied queues may go on growing */
};

static inline struct work *work_of(const struct preempt *preempt, uint32_t partition,
                                   uint32_t queue)
{
    return &preempt->works[(size_t)partition * preempt->snapshot->queue_count + queue];
}

static inline const struct preempt_figures *figures_of(const struct preempt *preempt,
                                                       uint32_t partition, uint32_t queue)
{
    const struct preempt_snapshot *snapshot = preempt->snapshot;

    return &snapshot->figures[(size_t)partition * snapshot->queue_count + queue];
}

static inline struct resource size_of(const struct preempt *preempt,
                                      const struct preempt_container *container)
{
    return calc_load(&preempt->settings.calc, container->size);
}

/* Comparison with the whole cluster as total. */
#define compare(preempt, a, b) \
    calc_compare(&(preempt)->settings.calc, &(preempt)->snapshot->cluster, a, b)

static inline bool above_zero(const struct preempt *preempt, const struct resource *a)
{
    return calc_above_zero(&preempt->settings.calc, &preempt->snapshot->cluster, a);
}

/* tree.c */
void tree_prepare(struct preempt *preempt);     /* places, children, works with their pending */
bool tree_outranks(const struct preempt *preempt, uint32_t leaf, uint32_t other);

/* ideal.c: ideals, amounts to preempt, and what each leaf gives. */
void ideal_compute(struct preempt *preempt, const struct aim *aim);
/* What earlier picks got already comes off what leaves give. */
void ideal_deduct_picks(struct preempt *preempt);

/* take.c */
void take_open_leaf(struct preempt *preempt, uint32_t leaf);    /* every partition's obtain */
void take_open_one(struct preempt *preempt, uint32_t partition, const struct resource *obtain);
/* Pick CONTAINER if that gets something that is to be obtained, on GAINER's account or, if that is
 * PREEMPT_NONE, on that of the leaves that are below their ideals. */
bool take_container(struct preempt *preempt, const struct preempt_container *container,
                    enum preempt_selector selector, uint32_t gainer, bool conservative);
/* Pick it. Nothing is deducted. */
void take_pick(struct preempt *preempt, const struct preempt_container *container,
               enum preempt_selector selector, uint32_t gainer);
void take_release(struct preempt *preempt, const struct preempt_container *container,
                  enum preempt_selector selector);
bool take_is_picked(struct preempt *preempt, const struct preempt_container *container);

/* victims.c: load what the source has into the arrays of struct preempt */
void victims_load_apps(struct preempt *preempt, uint32_t leaf, uint32_t partition);
void victims_load_users(struct preempt *preempt, uint32_t leaf, uint32_t partition);
void victims_load_containers(struct preempt *preempt, void *app);
void victims_load_borrowers(struct preempt *preempt, uint32_t leaf, uint32_t partition);
void victims_load_reservations(struct preempt *preempt);
void victims_load_node(struct preempt *preempt, void *node);
/* The following calls are for LEAF: containers that were picked from it before are passed over. */
void victims_start_leaf(struct preempt *preempt, uint32_t leaf);
/* The loaded containers in the order of preemption: largest priority number, then newest. Reservations, and
 * containers that are killable or picked, are passed over. */
void victims_begin(struct preempt *preempt);
const struct preempt_container *victims_next(struct preempt *preempt);     /* NULL: no more */

/* One for each selector. */
void fifo_select(struct preempt *preempt, bool balance);
void reserved_select(struct preempt *preempt);
void priority_select(struct preempt *preempt);
void intra_select(struct preempt *preempt);

/* marks.c */
struct memory *marks_find(const struct preempt *preempt, uint64_t id);
struct memory *marks_add(struct preempt *preempt, uint64_t id);        /* or find; NULL: full */
void marks_act(struct preempt *preempt, struct preempt_marks *marks);

#endif

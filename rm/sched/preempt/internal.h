/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - declarations shared by the files of the preemption policy
 *
 * In each round, ideal.c computes the ideal amount of each queue and how much each leaf must give (7.2 to
 * 7.4). One file for each selector picks containers (fifo.c, reserved.c, priority.c, intra.c,
 * increases.c), all through take.c. marks.c turns picks into marks, using the remembered marks of earlier
 * rounds.
 */
#ifndef CREEL_RM_SCHED_PREEMPT_INTERNAL_H
#define CREEL_RM_SCHED_PREEMPT_INTERNAL_H

#include "rm/sched/preempt/preempt.h"

/* Values computed for a queue in a partition. */
struct work {
    struct resource pending, pending_unreserved; /* parents: sum of all queues below */
    struct resource untouchable, preemptable;    /* parts of the use above the guarantee (7.2) */
    struct resource ideal;
    struct resource keep; /* amount down to which the use may be preempted */
    struct resource to_preempt;
    struct resource obtain; /* leaf: amount that the present selector still has to pick from
                               this leaf */
    struct resource wants;  /* leaf: ideal minus use, not yet covered by a pick */
    struct resource use;    /* increases.c: use when all picked containers have ended */
    bool underserved;       /* is in UNDERSERVED of struct preempt */
};

/* Position of a queue in the tree. */
struct place {
    uint32_t first_child, child_count; /* index range in struct preempt's CHILDREN */
    uint32_t depth;
    uint32_t first_pick; /* leaf: index of its first pick, a linked list; or PREEMPT_NONE */
};

struct pick {
    struct preempt_container container;
    enum preempt_selector selector;
    uint32_t gainer;
    uint32_t next; /* next pick from the same leaf, or PREEMPT_NONE */
    bool release;  /* a reservation to cancel; not counted as a pick otherwise */
};

/* An array that is reused in each round. */
#define ARRAY(type) \
    struct { \
        type *items; \
        size_t count, capacity; \
    }

/* The record of a container picked in this round or marked earlier. */
struct memory {
    uint64_t id;
    void *container;  /* handle of the container that got a mark; NULL: not marked, or a reservation */
    int64_t first_ms; /* time of the first mark of the container */
    int64_t wait_ms;
    uint32_t round, released; /* last round when the container was picked; last round when this
                                 reservation was released */
    uint32_t gainer;          /* of its last pick: the leaf that gets the room, or PREEMPT_NONE */
    bool taken;               /* the slot is used */
    bool marked;              /* the container got a mark; false: it was only picked, in this round */
};

/* A partition, for the leaf being processed. */
struct part {
    struct resource obtain; /* still to be picked, while OPEN */
    bool open;
    uint32_t asking;                  /* number of leaves with pending requests */
    uint32_t wanting_at, wanting_end; /* index range in struct preempt's WANTING: leaves that gain next */
};

struct preempt {
    struct preempt_settings settings;
    struct memory *slots; /* hash table with open addressing; slot_count is a power of two */
    size_t slot_count, remembered;
    uint32_t round; /* number of the present round, from 1 */

    /* Working memory of a round. */
    const struct preempt_snapshot *snapshot;
    int64_t now_ms;
    struct resource allowed; /* amount that may still be picked in this round */
    struct work *works;      /* index as the snapshot's figures */
    struct place *places;    /* by queue index */
    uint32_t *children;
    size_t work_capacity, queue_capacity;
    ARRAY(struct heap_entry) heap;
    ARRAY(uint32_t) batch;
    ARRAY(uint32_t) underserved; /* indexes into WORKS, in the order in which they were found */
    ARRAY(uint32_t) wanting;     /* indexes into WORKS: leaves below their ideal */
    ARRAY(struct pick) picks;
    size_t picks_known; /* number of picks already entered into SLOTS */
    ARRAY(struct preempt_app) apps;
    ARRAY(struct preempt_user) users;
    ARRAY(struct preempt_container) containers;
    ARRAY(struct preempt_container) masters; /* AM containers, considered after all others */
    ARRAY(struct preempt_reservation) reservations;
    ARRAY(uint32_t) order; /* containers that are not presorted: a heap */
    size_t victims_left;   /* presorted containers not returned yet */
    void *victims_app;     /* application whose containers are loaded presorted, in batches;
                              NULL: none */
    bool victims_sorted;
    bool victims_checked; /* a container was picked from this leaf before */
    ARRAY(struct app_work) app_works;
    ARRAY(struct user_work) user_works;
    ARRAY(struct node_cost) costs;
    ARRAY(const struct preempt_container *) sorted;  /* priority.c: containers of a node */
    ARRAY(const struct preempt_container *) waiting; /* priority.c: reserved containers */
    ARRAY(const struct preempt_container *) spare;
    struct part *parts;
    size_t part_capacity, open_count;
};

struct heap_entry { /* a queue that could still get more */
    double filled;  /* ideal divided by guarantee */
    int32_t priority;
    uint32_t queue;
};

struct app_work { /* intra.c */
    struct preempt_app app;
    struct resource selected; /* picked by earlier selectors */
    struct resource ideal, wants, gives, actual;
    struct resource fair_share;
    const struct user_work *user; /* for the comparison functions, like PREEMPT */
    const struct preempt *preempt;
};

struct user_work {
    struct resource used_deduct_am, am, limit; /* LIMIT less AM */
    struct resource ideal, selected, rolling;
    uint32_t apps;
    bool quota_done;
};

struct node_cost {
    uint32_t reservation;
    float cost;
};

/* Options of one computation of ideals. */
struct ideal_options {
    bool whole_pending; /* pending includes reservations, and amounts are not damped */
    bool balance;       /* satisfied queues may grow further */
};

static inline struct work *work_of(const struct preempt *preempt, uint32_t partition, uint32_t queue)
{
    return &preempt->works[(size_t)partition * preempt->snapshot->queue_count + queue];
}

static inline const struct preempt_figures *figures_of(const struct preempt *preempt, uint32_t partition,
                                                       uint32_t queue)
{
    const struct preempt_snapshot *snapshot = preempt->snapshot;

    return &snapshot->figures[(size_t)partition * snapshot->queue_count + queue];
}

static inline struct resource size_of(const struct preempt *preempt,
                                      const struct preempt_container *container)
{
    return calc_load(&preempt->settings.calc, container->size);
}

/* Compares A with B, relative to the whole cluster. */
#define compare(preempt, a, b) calc_compare(&(preempt)->settings.calc, &(preempt)->snapshot->cluster, a, b)

static inline bool above_zero(const struct preempt *preempt, const struct resource *a)
{
    return calc_above_zero(&preempt->settings.calc, &preempt->snapshot->cluster, a);
}

/* tree.c */
void tree_prepare(struct preempt *preempt); /* fills PLACES, CHILDREN, and pending in WORKS */
bool tree_outranks(const struct preempt *preempt, uint32_t leaf, uint32_t other);

/* ideal.c: computes ideals, amounts to preempt, and what each leaf gives. */
void ideal_compute(struct preempt *preempt, const struct ideal_options *options);
/* Subtracts what was already picked from what the leaves give. */
void ideal_deduct_picks(struct preempt *preempt);

/* take.c */
void take_open_leaf(struct preempt *preempt, uint32_t leaf); /* opens every partition's obtain */
void take_open_one(struct preempt *preempt, uint32_t partition, const struct resource *obtain);
/* Picks CONTAINER if that obtains resources still to be obtained. The pick is for GAINER or, if that is
 * PREEMPT_NONE, for the leaves that are below their ideal. Returns true if picked. */
bool take_container(struct preempt *preempt, const struct preempt_container *container,
                    enum preempt_selector selector, uint32_t gainer, bool conservative);
/* Picks CONTAINER without deducting it from any amount. */
void take_pick(struct preempt *preempt, const struct preempt_container *container,
               enum preempt_selector selector, uint32_t gainer);
void take_release(struct preempt *preempt, const struct preempt_container *container,
                  enum preempt_selector selector);
bool take_is_picked(struct preempt *preempt, const struct preempt_container *container);

/* victims.c: loads data from the snapshot's source into the arrays of struct preempt */
void victims_load_apps(struct preempt *preempt, uint32_t leaf, uint32_t partition);
void victims_load_users(struct preempt *preempt, uint32_t leaf, uint32_t partition);
void victims_load_containers(struct preempt *preempt, void *app);
void victims_load_borrowers(struct preempt *preempt, uint32_t leaf, uint32_t partition);
void victims_load_reservations(struct preempt *preempt);
void victims_load_increases(struct preempt *preempt); /* into RESERVATIONS, too */
void victims_load_node(struct preempt *preempt, void *node);
/* YARN compares the ids of the containers: first by application, then by attempt and number. */
bool victims_is_newer(const struct preempt_container *a, const struct preempt_container *b);
void victims_sort_newest(struct preempt *preempt); /* sorts the loaded containers, the newest first */
/* Selects LEAF for the following calls: containers picked from it before are skipped. */
void victims_start_leaf(struct preempt *preempt, uint32_t leaf);
/* Iterate over the loaded containers in preemption order: largest priority number first, then newest.
 * Reservations, and containers that are killable or picked, are skipped. */
void victims_begin(struct preempt *preempt);
const struct preempt_container *victims_next(struct preempt *preempt); /* NULL: end */

/* The selectors, one function each. */
void fifo_select(struct preempt *preempt, bool balance);
void reserved_select(struct preempt *preempt);
void priority_select(struct preempt *preempt);
void intra_select(struct preempt *preempt);
void increases_select(struct preempt *preempt);

/* marks.c */
struct memory *marks_find(const struct preempt *preempt, uint64_t id);
struct memory *marks_add(struct preempt *preempt, uint64_t id); /* finds or adds; NULL: the table is
                                                                   full */
void marks_act(struct preempt *preempt, struct preempt_marks *marks);

#endif

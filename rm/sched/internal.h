/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - the records of the core, for rm/sched alone
 *
 * Every node, app and container is owned by one table (nodes, apps, the app's list). Everything else that
 * points at it is an index.
 *
 * Sums are kept for each partition in a chain of parts (partitions.h). accounting.c alone changes them, and
 * calls the policy's partition_changed() after each change, so that it can update its indexes. An application
 * without pending requests, or that a limit refuses as long as nothing changes, is in no index and costs
 * nothing.
 * sched_check() computes everything again.
 */
#ifndef CREEL_RM_SCHED_INTERNAL_H
#define CREEL_RM_SCHED_INTERNAL_H

#include <assert.h>
#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#include <uthash.h>

#include "rm/sched/calc.h"
#include "rm/sched/partitions.h"
#include "rm/sched/sched.h"

RB_HEAD(sched_demand_tree, demand);
RB_HEAD(sched_row_tree, row);
RB_HEAD(sched_room_tree, sched_node);

struct sched_policy;

/* Somebody with apps in a leaf. Owned by the queue. */
struct leaf_user {
    RB_ENTRY(leaf_user) link;           /* queue->users, by name */
    struct sched_queue *queue;
    struct user_partition *parts;       /* owned */
    float weight;
    uint32_t apps, active_apps;         /* all; those that no limit on apps keeps back */
    uint32_t wanting;                   /* apps that make it active: see capacity/active.c */
    uint32_t index;                     /* among its leaf's, for a round of preemption */
    bool waits;                         /* all of its apps wait */
    char name[];
};

struct sched_queue {
    TAILQ_ENTRY(sched_queue) link;
    UT_hash_handle by_path;
    struct sched *sched;                /* borrowed */
    struct sched_queue *parent;         /* borrowed; NULL for root */
    char *path;                         /* owned */
    const char *name;                   /* last component of PATH */
    bool leaf;
    uint8_t part_count;
    struct queue_partition **parts;     /* owned, by label; NULL: the queue has nothing of that partition */
    uint32_t apps_running, apps_pending;        /* with a container, without */
    uint32_t active_apps;               /* of a leaf; kept by the policy, as the next */
    uint32_t parallel_apps;             /* active ones of this queue and all below */
    /* Set by the policy: */
    const struct resource *maximum;     /* of one container; NULL: the cluster's */
    uint64_t labels;                    /* a bit for each label that requests here may name; */
    uint64_t labels_named;              /* for each that the configuration of this very queue has */
    uint8_t default_label;              /* of requests that name none */

    void *data;                         /* the policy's own */
};

struct sched_container {
    TAILQ_ENTRY(sched_container) of_node, of_app;
    struct sched_node *node;
    struct sched_app *app;
    struct app_partition *part;         /* of APP: where it is counted */
    uint64_t serial;                    /* order of arrival */
    void *owner;
    uint64_t allocation_id;
    uint32_t number;                    /* counts from 1 in the app's present attempt */
    uint32_t priority;
    uint32_t killed_index;              /* KILLED or KILLABLE: where preemption lists it */
    uint8_t asked_label;                /* the partition of the request: another may lend its nodes */
    bool killed;                        /* preempted, and not gone yet */
    bool killable;                      /* its time is up; it goes when its room is of use */
    bool launched;
    bool manager;                       /* the AM of an app that requests containers itself */
    bool master;                        /* requested by sched_app_start() */
    uint8_t took;                       /* of enum took: the rows of its request that it was counted in */
    uint8_t types;
    int64_t amounts[];
};

static inline struct amount *container_size(const struct sched_container *container)
{
    return sched_amount(container->amounts, 0, 0);
}

static inline struct resource container_resource(const struct sched_container *container)
{
    return calc_load_values(container->amounts, container->types);
}

static inline bool container_borrows(const struct sched_container *container)
{                                       /* runs on a node that another partition lends out */
    return container->asked_label != container->part->label;
}

/* What a container took of its request beside one of "*", until its app hears of it: so that it can be given
 * back. */
enum took {
    TOOK_NODE = 1, TOOK_HOST = 2, TOOK_RACK = 4,        /* one off the rows of these names */
    TOOK_STRICT = 8, TOOK_STRICT_RACK = 16,             /* "*", or the rack's row, is strict */
};

TAILQ_HEAD(container_list, sched_container);

/* A host or rack name and the nodes that bear it. */
struct place {
    UT_hash_handle hh;
    char *name;                         /* owned */
    struct sched_node **nodes;          /* owned array, in order of arrival */
    size_t count, capacity;
};

/* A node is reserved for a request of an app that does not fit yet. */
struct reservation {
    TAILQ_ENTRY(sched_node) of_app;     /* app->reservations, oldest first */
    struct resource resource;
    uint32_t priority;                  /* of the demand that it is for */
    uint64_t allocation_id;
    int64_t since_ms;
    uint64_t serial;
    struct sched_app *app;              /* NULL: none */
};

struct sched_node {
    UT_hash_handle hh;                  /* sched->nodes, by id; iterates in order of arrival */
    RB_ENTRY(sched_node) room;
    char *id, *host, *rack, *label_name;        /* owned; label "" is none */
    uint64_t serial;                    /* order of arrival */
    unsigned id_hash, host_hash, rack_hash;     /* as uthash has them */
    struct reservation reserved;
    struct container_list containers;   /* index */
    uint32_t container_count;
    uint32_t killable;                  /* containers that are */
    uint8_t label;
    bool open, has_room;                /* HAS_ROOM: at least the minimum is free */
    bool may_exceed;                    /* total was lowered, or containers were recovered, so
                                           that more is used than there is */
    void *owner;
    struct resource used, total;
    struct resource capacity;           /* TOTAL, when it was open last */
    void *data;                         /* the policy's own */
};

TAILQ_HEAD(reserved_list, sched_node);
TAILQ_HEAD(sched_queue_list, sched_queue);

/* A row of a request: for a host, a node id or a rack. */
struct row {
    RB_ENTRY(row) link;                 /* by hash, then name */
    unsigned hash;
    uint32_t count;                     /* 0: a location that is not wanted now */
    uint32_t order;                     /* of asking */
    bool strict;
    char name[];
};

/* The requests of an app at one priority and allocation id. */
struct demand {
    RB_ENTRY(demand) link;
    uint64_t allocation_id;
    uint32_t priority;
    uint32_t count;                     /* of "*": how many are still wanted */
    struct sched_row_tree rows;         /* owned */
    uint32_t opportunities;             /* missed: offers since the last one near enough (12.2) */
    uint32_t missed_shared;             /* offers of nodes that others' label lends out */
    uint32_t row_count, strict_rows;    /* of ROWS; of them, those that are strict */
    uint32_t reserved, rereserved;      /* nodes reserved for it; how often they were offered without room */
    uint8_t label, types;
    bool strict;                        /* of "*" */
    bool master;
    bool dropped;                       /* the last decision for it was not accepted, nor those since */
    int64_t dropped_since_ms;
    int64_t amounts[];
};

/* Are containers requested at that place? ROW may be NULL. */
static inline bool sched_row_wants(const struct row *row)
{
    return row && row->count > 0;
}

/* The size of one container. */
static inline struct amount *demand_size(const struct demand *demand)
{
    return sched_amount(demand->amounts, 0, 0);
}

struct blacklisted {
    UT_hash_handle hh;
    char *name;                         /* owned */
};

enum app_state { APP_NEW, APP_WAITING, APP_ACTIVE };

struct sched_app {
    UT_hash_handle hh;                  /* sched->apps, by id */
    struct app_id id;
    char *user;                         /* owned */
    int32_t priority;
    uint32_t row_count;                 /* demands and rows together */
    struct sched_demand_tree idle;      /* owned: requests of which nothing is pending: see demand.c */
    uint32_t idle_rows;                 /* those requests and their rows together */
    struct reserved_list reservations;  /* index */
    uint64_t serial;                    /* order of arrival */
    int64_t added_ms, waits_since_ms;
    struct sched *sched;                /* borrowed */
    struct sched_queue *queue;          /* borrowed */
    struct leaf_user *leaf_user;        /* borrowed; NULL in fifo */
    struct app_partition *parts;        /* owned */
    struct sched_demand_tree demands;   /* owned */
    struct blacklisted *blacklist;      /* owned */
    struct container_list containers;   /* owned */
    uint64_t pending_containers;
    uint32_t container_count;
    uint32_t last_number;
    uint32_t reserved_count;            /* nodes reserved for it */
    uint8_t label;                      /* partition of requests that name none */
    enum app_state state;
    bool manages;                       /* its first container is an AM that will request others */
    bool recovered;
    bool ending;                        /* its attempt ended, and it has requested nothing since */
    bool ask_for_master;                /* request the AM container once the app is activated */
    void *data;                         /* the policy's own */
    void *owner;
    int64_t amounts[];
};

static inline struct resource demand_capability(const struct demand *demand)
{
    return calc_load_values(demand_size(demand)->value, demand->types);
}

/* What counts as its master's against limits. */
static inline struct amount *app_master(const struct sched_app *app)
{
    return sched_amount(app->amounts, 0, 0);
}

/* Memory of containers: chunks that are never given back, and what is free in them. */
struct pool {
    TAILQ_HEAD(, sched_container) free;
    char **chunks;                      /* owned */
    size_t chunk_count, chunk_capacity;
};

struct sched_largest {                  /* of all nodes, each type by itself; see size.c */
    struct resource size;
    uint32_t nodes[RESOURCE_TYPES_MAX]; /* that have so much */
};

struct sched {
    const struct sched_policy *policy;
    void *data;                         /* the policy's own */
    struct sched_features features;     /* set by the core, completed by the policy */
    bool stale;                         /* the total of the cluster changed; the policy may set it, too, and
                                           clears it when it has computed again what follows from it */
    struct calc calc;
    struct resource minimum, step, maximum;
    struct resource_types names;        /* of resources, for messages */
    bool assign_on_demand;
    int64_t now_ms;

    struct sched_queue_list queues;     /* owned, parents first */
    struct sched_queue *queues_by_path; /* index */
    struct sched_node *nodes;           /* owned */
    struct place *hosts, *racks;        /* owned */
    struct sched_app *apps;             /* owned */
    struct sched_room_tree room;        /* open nodes with at least the minimum free, if ORDERS_ROOM */
    struct sched_room_tree kept;        /* the same, of nodes that are reserved */
    bool orders_room;                   /* somebody looks for the emptiest node */
    struct pool pool;
    uint64_t last_serial;
    uint64_t visits;                    /* of applications by offers: what an offer costs */
    struct resource total, open_total, used;
    /* By index: 0 is the partition of nodes without a label, and the only one of a policy that has none. */
    struct sched_label labels[SCHED_LABELS_MAX];        /* names are owned */
    int label_count;
    struct resource label_total[SCHED_LABELS_MAX];      /* of all nodes of a partition */
    uint32_t label_nodes[SCHED_LABELS_MAX];
    struct resource batch_free;         /* continuous scheduling: the node that comes next */
    uint64_t batch_serial;              /* 0: the emptiest */
    struct sched_node **batch;          /* owned array, of use while one is offered */
    size_t batch_capacity;
    uint32_t node_count, open_count, container_count;
    struct sched_largest largest;
    int64_t started_ms, size_wait_ms;   /* see sched_config */
    uint32_t borrowing_count;           /* containers in another partition than that of their request */

    const struct app_partition *changing;   /* from sched_count_begin() to _end(), CHANGE_DEPTH deep */
    unsigned change_depth;
    bool use_changed;                   /* by that change */
};

/* sched.c: queues */
struct sched_queue *sched_queue_new(struct sched *sched, struct sched_queue *parent,
                                    const char *path, bool leaf);
void sched_queue_free(struct sched *sched, struct sched_queue *queue);
struct queue_partition *sched_queue_partition(struct sched_queue *queue, int label); /* made if missing */
static inline struct resource sched_load(const struct sched *sched, const struct amount *amount)
{
    return calc_load(&sched->calc, amount);
}
static inline struct resource sched_load_sum(const struct sched *sched, const struct amount *a,
                                             const struct amount *b)
{
    struct resource sum = calc_load(&sched->calc, a);

    calc_add(&sched->calc, &sum, b);
    return sum;
}
/* As it is, NULL if there is none. */
static inline struct queue_partition *sched_queue_partition_have(const struct sched_queue *queue, int label)
{
    return label < queue->part_count ? queue->parts[label] : NULL;
}
/* Round ASKED as a container of QUEUE; see sched_normalise. */
int sched_normalise_for(const struct sched *sched, const struct sched_queue *queue,
                        const struct resource *asked, struct resource *normal, struct err *err);

/* As sched_size_check(), and against the maximum of QUEUE (NULL: of the cluster). */
int sched_size_check_for(const struct sched *sched, const struct sched_queue *queue,
                         const struct resource *asked, struct err *err);
void sched_size_node_added(struct sched *sched, struct sched_node *node);
void sched_size_node_changed(struct sched *sched, struct sched_node *node);     /* its total, or it opened */
void sched_size_node_removed(struct sched *sched, const struct sched_node *node);
/* May larger nodes than there are still register? Also if there is none. */
bool sched_nodes_register(const struct sched *sched);

/* How many bytes COUNT amounts take behind a record. */
size_t sched_amounts_size(const struct sched *sched, size_t count);
/* The policy's data of RECORD, in the same memory, OFFSET bytes behind its beginning. It begins with a
 * pointer to RECORD. NULL if it has 0 BYTES. */
static inline void *sched_data_of(void *record, size_t offset, size_t bytes)
{
    void **data = (void **)(void *)((char *)record + offset);

    if (bytes == 0)
        return NULL;
    *data = record;
    return data;
}

/* accounting.c: sums. A change begins and ends; changes of the same part may be nested. */
void sched_count_begin(struct sched *sched, struct app_partition *part);
void sched_count_end(struct sched *sched, struct app_partition *part);
struct app_partition *sched_app_partition(struct sched_app *app, int label); /* made if missing */
struct app_partition *sched_app_partition_have(const struct sched_app *app, int label);
void sched_count_container(struct sched *sched, struct app_partition *part,
                           const struct resource *amount, int sign);
void sched_count_reserved(struct sched *sched, struct app_partition *part,
                          const struct resource *amount, int sign);
/* Within a change. */
void sched_count_pending(struct app_partition *part, const struct resource *delta, int64_t containers);
/* All that APP has leaves its queue (SIGN -1), or enters the one that it now has. */
void sched_count_app(struct sched *sched, struct sched_app *app, int sign);
/* See app_changed() of policy.h. */
void sched_app_changed(struct sched_app *app, unsigned changes);
/* Nodes of PART's partition are, or may be, reserved for DEMAND: see app_least_reserved(). */
void sched_reserve_note_size(struct app_partition *part, const struct demand *demand);

/* queue_find.c: by its path, its path without "root.", or the name of a leaf if only one has it; "" is
 * "default". */
struct sched_queue *sched_queue_find(const struct sched *sched, const char *name);

/* node_room.c */
RB_PROTOTYPE(sched_room_tree, sched_node, room, sched_node_compare_room)
int sched_node_compare_room(const struct sched_node *a, const struct sched_node *b);
struct resource sched_node_free(const struct sched_node *node);
/* What is free, but never below 0: a request for none of a type fits. */
struct resource sched_node_room(const struct sched_node *node);
/* How many of WANT, at most MOST, go into the free part of NODE. */
uint32_t sched_node_takes_values(const struct sched *sched, const struct sched_node *node,
                                 const int64_t *want, uint32_t most);
#define sched_node_takes(sched, node, want, most) \
    sched_node_takes_values(sched, node, (want)->value, most)
/* Is more given out than there is? */
bool sched_node_exceeds(const struct sched *sched, const struct sched_node *node);
/* Out of the order of nodes with room, and into it again: before and after its room changes. */
void sched_node_leave_room(struct sched *sched, struct sched_node *node);
void sched_node_enter_room(struct sched *sched, struct sched_node *node);
void sched_node_charge(struct sched *sched, struct sched_node *node, const struct resource *amount,
                       int sign);
/* From now on sched->room and sched->kept have the nodes with room, in order. */
void sched_order_room(struct sched *sched);
/* For APP from now on, or NULL: for nobody. */
void sched_node_keep(struct sched *sched, struct sched_node *node, struct sched_app *app);

/* node_places.c: nodes by host, or by rack */
const struct place *sched_place_find(const struct place *places, const char *name);
void sched_place_add(struct place **places, struct sched_node *node, const char *name);
void sched_place_remove(struct place **places, struct sched_node *node, const char *name);

/* demand.c */
RB_PROTOTYPE(sched_demand_tree, demand, link, sched_demand_compare)
int sched_demand_compare(const struct demand *a, const struct demand *b);
RB_PROTOTYPE(sched_row_tree, row, link, sched_row_compare)
int sched_row_compare(const struct row *a, const struct row *b);
/* The first request in order of priority and allocation id of which containers are pending, and the first
 * such behind DEMAND. NULL: none. */
struct demand *sched_demand_first(const struct sched_app *app);
struct demand *sched_demand_next(struct demand *demand);
struct demand *sched_demand_find(struct sched_app *app, uint32_t priority, uint64_t allocation_id);
struct demand *sched_demand_get(struct sched_app *app, uint32_t priority, uint64_t allocation_id);
/* Is there something in DEMAND for the next request of its priority and allocation id? */
static inline bool sched_demand_is_kept(const struct demand *demand)
{
    return demand->row_count > 0 || demand->opportunities > 0 || demand->missed_shared > 0 ||
           demand->reserved > 0;
}
/* If nothing more of DEMAND is requested, that is kept. DEMAND may be gone, as after the call below. */
void sched_demand_settle(struct sched_app *app, struct demand *demand);
/* "*" was requested with 0 containers: DEMAND goes with its rows. */
void sched_demand_cancel(struct sched_app *app, struct demand *demand);
/* Its reservations ended before. */
void sched_demand_drop_all(struct sched_app *app);
/* A reservation for that request, pending or not, ended. */
void sched_demand_unreserved(struct sched_app *app, uint32_t priority, uint64_t allocation_id);
void sched_demand_set_count(struct sched_app *app, struct demand *demand, uint32_t count);
void sched_demand_set_capability(struct sched_app *app, struct demand *demand,
                           const struct resource *capability);
void sched_demand_set_label(struct sched_app *app, struct demand *demand, int label);
struct row *sched_demand_find_row(const struct demand *demand, const char *name);
/* The row that names NODE by its id, its host or its rack; NULL. */
struct row *sched_demand_find_id(const struct demand *demand, const struct sched_node *node);
struct row *sched_demand_find_host(const struct demand *demand, const struct sched_node *node);
struct row *sched_demand_find_rack(const struct demand *demand, const struct sched_node *node);
/* The row of the node or its host at which containers are pending; NULL. */
struct row *sched_demand_find_local(const struct demand *demand, const struct sched_node *node);
void sched_demand_set_row(struct sched_app *app, struct demand *demand, const char *name,
                    uint32_t count, bool strict);
/* The rows in the order in which they were requested, row_count of them; to be freed by free(). */
const struct row **sched_demand_rows(const struct demand *demand);
/* One container was placed at LOCALITY on NODE: what counts it is one less. DEMAND may be gone. Returns what
 * it took, of enum took. */
uint8_t sched_demand_take(struct sched_app *app, struct demand *demand, const struct sched_node *node,
                          enum sched_locality locality);
/* It will not be given back: CONTAINER ended, or its application acquired it. */
void sched_demand_acquired(struct sched_container *container);
/* What the container of INFO, which ended, TOOK of a request of partition LABEL is pending again. */
void sched_demand_return(const struct sched_container_info *info, uint8_t took, int label);

/* label.c */
/* The index of the label NAME; -1: there is none. */
int sched_label_index(const struct sched *sched, const char *name);
/* The same, created if it is new; -1: there are too many. For policies that are being configured. */
int sched_label_new(struct sched *sched, const char *name);
/* The same, with a call of label_added(); 0: there are too many, or the policy has none. */
int sched_label_add(struct sched *sched, const char *name);
/* The label of requests in QUEUE that name NAME (NULL: none); -1: QUEUE may not use it. */
int sched_label_for(const struct sched *sched, const struct sched_queue *queue, const char *name);
void sched_labels_free(struct sched *sched);

/* app.c */
bool sched_app_avoids(const struct sched_app *app, const struct sched_node *node);
/* Requests the AM of APP, which may run now. */
void sched_app_ask_for_master(struct sched_app *app);
/* Sums over all partitions. */
struct resource sched_app_used(const struct sched_app *app);
struct resource sched_app_pending(const struct sched_app *app);
struct resource sched_app_reserved(const struct sched_app *app);

/* place_demand.c: places up to LIMIT containers of DEMAND on NODE, as many as fit: node-local before
 * rack-local before any, without delay. How many; if all that are wanted, DEMAND may be freed. */
unsigned sched_place_demand(struct sched *sched, struct sched_node *node, struct sched_app *app,
                            struct demand *demand, unsigned limit, struct sched_decisions *decisions);

/* sched_containers.c: the one way to place something, and to whom nodes are offered on demand */
struct offer {
    unsigned limit;                     /* containers */
    bool heartbeat;                     /* the limits on what one may bring apply */
    bool opportunity;                   /* requests that wait for a better place count it */
    bool reserve;                       /* the node may be reserved for a request that does not fit */
};

void sched_place_one(struct sched *sched, struct sched_node *node, struct sched_app *app,
                     struct demand *demand, enum sched_locality locality,
                     struct sched_decisions *decisions);
/* The same, in exchange for the reservation of KEPT for DEMAND. REPORT: as for sched_unreserve(). */
void sched_place_reserved(struct sched *sched, struct sched_node *node, struct sched_app *app,
                          struct demand *demand, enum sched_locality locality, struct sched_node *kept,
                          bool report, struct sched_decisions *decisions);
void sched_offer_node(struct sched *sched, struct sched_node *node,
                      struct sched_decisions *decisions);
void sched_offer_app(struct sched *sched, struct sched_app *app, struct sched_decisions *decisions);
/* Apps that a limit has let go are offered what there is. */
void sched_offer_released(struct sched *sched, struct sched_decisions *decisions);

/* decisions.c */
struct sched_decision *sched_decide(struct sched_decisions *decisions,
                                    enum sched_decision_kind kind, struct sched_node *node,
                                    struct sched_app *app);

/* why.c: is NODE reserved, and not for DEMAND of APP? */
bool sched_why_reserved(const struct sched_node *node, const struct sched_app *app,
                        const struct demand *demand);
/* One more cause that blocks the application (BLOCKING), or could. */
struct sched_why_item *sched_why_add(struct sched_why *why, enum sched_reason reason, bool blocking);
/* The first that blocks comes first, and is the reason; false: none does. */
bool sched_why_settle(struct sched_why *why);

/* reserve.c */
void sched_reserve(struct sched *sched, struct sched_node *node, struct sched_app *app,
                   struct demand *demand, struct sched_decisions *decisions);
/* REPORT: the reservation was not served: add a decision SCHED_UNRESERVED. */
void sched_unreserve(struct sched *sched, struct sched_node *node, bool report,
                     struct sched_decisions *decisions);
/* DECISIONS may be NULL: they are not reported. */
void sched_unreserve_app(struct sched *sched, struct sched_app *app, struct sched_decisions *decisions);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - data structures of the scheduler core; only for rm/sched
 *
 * Every node, application and container is owned by one table (sched->nodes, sched->apps, app->containers).
 * All other pointers to them are indexes.
 *
 * Sums are stored per partition in a chain of parts (partitions.h). Only accounting.c changes sums; it calls
 * the policy's partition_changed() after each change, so that the policy can update its indexes. An
 * application that has no pending requests, or that a limit refuses until something changes, is in no index
 * and costs no time. sched_check() recomputes and compares all sums.
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

/* A user with applications in a leaf. Owned by the queue. */
struct leaf_user {
    RB_ENTRY(leaf_user) link; /* queue->users, by name */
    struct sched_queue *queue;
    struct user_partition *parts; /* owned */
    float weight;
    uint32_t apps, active_apps; /* number of applications: all; those not blocked by a limit on
                                   applications */
    uint32_t wanting;           /* applications with pending requests: capacity/active.c */
    uint32_t index;             /* index among the users of its leaf, for a round of preemption */
    bool waits;                 /* the user has applications, and none of them is active */
    struct parallel_line *line; /* its applications without a place: capacity/parallel.c; NULL: none */
    uint32_t placeless;         /* number of applications in LINE */
    char name[];
};

struct sched_queue {
    TAILQ_ENTRY(sched_queue) link;
    UT_hash_handle by_path;
    struct sched *sched;        /* borrowed */
    struct sched_queue *parent; /* borrowed; NULL for root */
    char *path;                 /* owned */
    const char *name;           /* last component of PATH */
    bool leaf;
    uint8_t part_count;
    struct queue_partition **parts;      /* owned, by label; NULL: the queue has no sums in that partition */
    uint32_t apps_running, apps_pending; /* applications with, and without, a container */
    uint32_t active_apps;                /* of a leaf; set by the policy, like PARALLEL_APPS */
    uint32_t parallel_apps;              /* active applications of this queue and all queues below */
    /* Set by the policy: */
    const struct resource *maximum; /* largest container; NULL: the cluster's limit */
    uint64_t labels;                /* labels that requests in this queue may name, one bit each; */
    uint64_t labels_named;          /* labels named by the configuration of this queue itself */
    uint8_t default_label;          /* label of requests that name none */

    bool changed; /* is in the list of changed queues */
    TAILQ_ENTRY(sched_queue) changed_link;

    void *data; /* the policy's data */
};

struct sched_container {
    TAILQ_ENTRY(sched_container) of_node, of_app;
    struct sched_node *node;
    struct sched_app *app;
    struct app_partition *part; /* part of APP in which the container is counted */
    struct demand *growth;      /* its pending increase (resize.c), one of APP's requests; NULL: none */
    uint64_t serial;            /* order of creation, also over restarts */
    void *owner;
    uint64_t allocation_id;
    uint32_t number; /* number in the application's present attempt, from 1 */
    uint32_t priority;
    uint32_t killed_index; /* KILLED or KILLABLE: index in the policy's list of preempted
                              containers */
    uint8_t asked_label;   /* partition of the request; not that of the node if the node is
                              borrowed from another partition */
    bool killed;           /* preempted or being stopped, and not ended yet; if so: */
    bool stopped, stuck;   /* not by preemption; a process of it does not end */
    bool killable;         /* lazy preemption: may be killed when its room is needed */
    bool launched;
    bool manager;              /* the AM of an application that requests containers itself */
    bool master;               /* requested by sched_app_start() */
    uint8_t types, row_counts; /* flags of enum row_counts: the rows that counted it */
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
{ /* runs on a node of another, non-exclusive partition */
    return container->asked_label != container->part->label;
}

/* The rows of its request, besides "*", from which a container was subtracted. Stored until the application
 * acquires the container, so that the container can be given back. */
enum row_counts {
    ROW_COUNT_NODE = 1,
    ROW_COUNT_HOST = 2,
    ROW_COUNT_RACK = 4, /* NODE, HOST, RACK: subtracted from the row of that name */
    ROW_COUNT_STRICT = 8,
    ROW_COUNT_STRICT_RACK = 16, /* STRICT: "*" is strict; STRICT_RACK: the row of the rack is strict */
};

TAILQ_HEAD(container_list, sched_container);

/* A host or rack name and the nodes with this name. */
struct place {
    UT_hash_handle hh;
    char *name;                /* owned */
    struct sched_node **nodes; /* owned array, in order of registration */
    size_t count, capacity;
    uint64_t search; /* sched->search that found it last */
};

/* The reservation of a node for a request that does not fit yet. */
struct reservation {
    TAILQ_ENTRY(sched_node) of_app; /* app->reservations, oldest first */
    struct resource resource;
    uint32_t priority; /* priority of the request */
    uint64_t allocation_id;
    uint64_t grows; /* as in struct demand */
    int64_t since_ms;
    uint64_t serial;
    struct sched_app *app; /* NULL: the node is not reserved */
};

struct sched_node {
    UT_hash_handle hh; /* sched->nodes, by id; iterates in order of registration */
    RB_ENTRY(sched_node) room;
    char *id, *host, *rack, *label_name;    /* owned; label "" is none */
    uint64_t serial, search;                /* order of registration; sched->search that found its id last */
    unsigned id_hash, host_hash, rack_hash; /* hash values of uthash */
    struct reservation reserved;
    struct container_list containers; /* index */
    uint32_t container_count;
    uint32_t killable; /* number of killable containers */
    uint8_t label;
    bool open, silent, has_room; /* OPEN and not SILENT: it is offered; HAS_ROOM: and the minimum is free */
    bool may_exceed;             /* more than TOTAL may be used: TOTAL was lowered, or after a recovery */
    void *owner;
    struct resource used, total;
    struct resource capacity; /* TOTAL when the node was last open */
    void *data;               /* the policy's data */
};

TAILQ_HEAD(reserved_list, sched_node);
TAILQ_HEAD(sched_queue_list, sched_queue);

/* A row of a request: the containers requested on a host, node id or rack. */
struct row {
    RB_ENTRY(row) link; /* by hash, then name */
    unsigned hash;
    uint32_t count; /* 0: a location where nothing is requested now */
    uint32_t order; /* order in which rows were first requested */
    bool strict;
    char name[];
};

/* The requests of an application at one priority and allocation id; or the pending increase of one container
 * (resize.c), at the container's priority and allocation id, and served behind the requests there. */
struct demand {
    RB_ENTRY(demand) link;
    TAILQ_ENTRY(demand) in_strict; /* while STRICT */
    struct sched_app *app;
    uint64_t allocation_id;
    uint64_t grows; /* serial of the container that is to grow; 0: a request for containers */
    struct sched_container *container;
    uint32_t priority;
    uint32_t count;                  /* pending containers of "*" */
    struct sched_row_tree rows;      /* owned */
    uint32_t opportunities;          /* missed opportunities: offers since the last node that was near
                                        enough (12.2) */
    uint32_t missed_shared;          /* missed offers of nodes of a shared (non-exclusive) partition */
    uint32_t row_count, strict_rows; /* number of ROWS; number of strict ones among them */
    uint32_t reserved, rereserved;   /* nodes reserved for it; how often those were offered in vain */
    uint8_t label, types;
    bool strict;        /* strict locality of "*"; changed only by sched_demand_set_strict() */
    bool master, awake; /* AWAKE: its rows were not looked up since containers are pending again */
    bool dropped;       /* all decisions for it since DROPPED_SINCE_MS were rejected */
    int64_t dropped_since_ms;
    int64_t amounts[];
};

/* Returns true if containers are requested at the place of ROW. ROW may be NULL. */
static inline bool sched_row_has_pending(const struct row *row)
{
    return row && row->count > 0;
}

/* Returns the size of one container. */
static inline struct amount *demand_size(const struct demand *demand)
{
    return sched_amount(demand->amounts, 0, 0);
}

struct blacklisted {
    UT_hash_handle hh;
    char *name; /* owned */
};

enum app_state { APP_NEW, APP_WAITING, APP_ACTIVE };

struct sched_app {
    UT_hash_handle hh; /* sched->apps, by id */
    struct app_id id;
    char *user; /* owned */
    int32_t priority;
    uint32_t row_count;                /* number of demands and of their rows together */
    struct sched_demand_tree idle;     /* owned: requests without pending containers: see demand.c */
    uint32_t idle_rows;                /* number of IDLE requests and of their rows together */
    struct reserved_list reservations; /* index */
    uint64_t serial;                   /* order of submission */
    int64_t added_ms, waits_since_ms;
    struct sched *sched;              /* borrowed */
    struct sched_queue *queue;        /* borrowed */
    struct leaf_user *leaf_user;      /* borrowed; NULL in fifo */
    struct app_partition *parts;      /* owned */
    struct sched_demand_tree demands; /* owned */
    struct blacklisted *blacklist;    /* owned, as is: */
    struct blacklisted *avoided;      /* nodes that the first container avoids, until it is placed */
    double avoided_share;             /* sched_avoided.share */
    struct container_list containers; /* owned */
    uint64_t pending_containers;
    uint32_t container_count, last_number;
    uint32_t reserved_count; /* number of nodes reserved for the application */
    uint64_t labels_asked;   /* labels that requests of the attempt have named, one bit each */
    uint8_t label;           /* partition of its AM: limits on AMs count it there */
    uint8_t own_label;       /* label of the submission, for requests that name none ... */
    bool names_label;        /* ... if the submission named one */
    enum app_state state;
    bool manages; /* its first container is an AM that requests further containers */
    bool recovered;
    bool ending;         /* its attempt has ended, and it has requested nothing since */
    bool ask_for_master; /* request the AM container when the application is activated */
    void *data;          /* the policy's data */
    void *owner;
    int64_t amounts[];
};

static inline struct resource demand_capability(const struct demand *demand)
{
    return calc_load_values(demand_size(demand)->value, demand->types);
}

/* Returns the size of the AM that counts against limits. */
static inline struct amount *app_master(const struct sched_app *app)
{
    return sched_amount(app->amounts, 0, 0);
}

/* Memory pool of containers: chunks that are never returned to the C library, and a list of free
 * containers. */
struct pool {
    TAILQ_HEAD(, sched_container) free;
    char **chunks; /* owned */
    size_t chunk_count, chunk_capacity;
};

struct sched_largest { /* largest total of any node, for each type separately; see size.c */
    struct resource size;
    uint32_t nodes[RESOURCE_TYPES_MAX]; /* number of nodes with that amount */
};

struct sched {
    const struct sched_policy *policy;
    void *data;                     /* the policy's data */
    struct sched_features features; /* set by the core, completed by the policy */
    bool stale;                     /* the total of the cluster changed; the policy may set this, too,
                                       and clears it when dependent values are up to date */
    struct calc calc;
    struct resource minimum, step, maximum;
    struct resource_types names; /* names of resource types, for messages */
    bool assign_on_demand;
    int64_t now_ms;

    struct sched_queue_list queues;        /* owned, parents first */
    struct sched_queue *queues_by_path;    /* index */
    struct sched_queue_list changed;       /* queues with changed figures; see sched_queue_next_changed() */
    uint64_t queues_version;               /* see sched_queues_version() */
    STAILQ_HEAD(, queue_note) queue_notes; /* owned; see sched_queue_next_new_or_gone() */
    struct sched_node *nodes;              /* owned */
    struct place *hosts, *racks;           /* owned */
    struct sched_app *apps;                /* owned */
    struct sched_room_tree room;           /* open nodes with at least the minimum free, if ORDERS_ROOM */
    struct sched_room_tree kept;           /* like ROOM, for reserved nodes */
    bool orders_room;                      /* maintain ROOM and KEPT; see sched_order_room() */
    struct pool pool;
    uint64_t last_serial, lookups, search; /* SEARCH: number of the last search for nodes of requests */
    uint64_t visits;                       /* number of applications visited by offers: the cost of offers */
    struct resource total, open_total, used;
    /* By label index. Index 0: nodes without a label; the only one if the policy has no labels. */
    struct sched_label labels[SCHED_LABELS_MAX]; /* names are owned */
    int label_count;
    bool labels_share;                                                    /* some label is shared */
    struct resource label_total[SCHED_LABELS_MAX];                        /* of all nodes of a partition */
    uint32_t label_nodes[SCHED_LABELS_MAX], label_open[SCHED_LABELS_MAX]; /* all nodes; open nodes */
    struct resource batch_free; /* continuous scheduling: position of the next node */
    uint64_t batch_serial;      /* 0: start at the node with most free room */
    struct sched_node **batch;  /* owned array, in use while a batch is offered */
    size_t batch_capacity;
    uint32_t node_count, open_count, container_count;
    struct sched_largest largest;
    int64_t started_ms, size_wait_ms;       /* see sched_config */
    uint32_t borrowing_count;               /* containers in another partition than that of their request */
    uint32_t growing_count;                 /* containers with a pending increase */
    TAILQ_HEAD(demand_list, demand) strict; /* index: requests with strict locality, increases as well */

    const struct app_partition *changing; /* part being changed, from sched_count_begin() to _end() */
    unsigned change_depth;                /* how deep these calls are nested */
    bool use_changed;                     /* the change of CHANGING has changed a used amount */
};

/* sched.c: queues */
struct sched_queue *sched_queue_new(struct sched *sched, struct sched_queue *parent, const char *path,
                                    bool leaf);
void sched_queue_free(struct sched *sched, struct sched_queue *queue);

/* queue_changes.c: Records that figures of QUEUE and of all queues above may have changed, */
void sched_queue_note_change(struct sched_queue *queue);
/* that figures of all queues may have changed, */
void sched_queues_note_change(struct sched *sched);
/* or that the queue PATH was added or removed. */
void sched_queue_note_list(struct sched *sched, const char *path);
struct queue_partition *sched_queue_partition(struct sched_queue *queue, int label); /* created if missing */
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
/* Returns the part of QUEUE in a partition, NULL if there is none. */
static inline struct queue_partition *sched_queue_partition_have(const struct sched_queue *queue, int label)
{
    return label < queue->part_count ? queue->parts[label] : NULL;
}
/* Rounds ASKED to the size of a container in QUEUE; see sched_normalise(). */
int sched_normalise_for(const struct sched *sched, const struct sched_queue *queue,
                        const struct resource *asked, struct resource *normal, struct err *err);

/* Like sched_size_check(), but also checks the maximum of QUEUE (NULL: of the cluster). */
int sched_size_check_for(const struct sched *sched, const struct sched_queue *queue,
                         const struct resource *asked, struct err *err);
void sched_size_node_added(struct sched *sched, struct sched_node *node);
void sched_size_node_changed(struct sched *sched, struct sched_node *node); /* the node's total
                                                                               changed, or the node
                                                                               opened */
void sched_size_node_removed(struct sched *sched, const struct sched_node *node);
/* Returns true if larger nodes may still register: for SIZE_WAIT_MS after the start, or if there is no
 * node. */
bool sched_nodes_register(const struct sched *sched);

/* Returns the bytes that COUNT amounts need at the end of a record. */
size_t sched_amounts_size(const struct sched *sched, size_t count);
/* Returns the policy's data of RECORD, in the same memory block, OFFSET bytes after the start of RECORD. The
 * data begins with a pointer to RECORD, which is set. NULL if BYTES is 0. */
static inline void *sched_data_of(void *record, size_t offset, size_t bytes)
{
    void **data = (void **)(void *)((char *)record + offset);

    if (bytes == 0)
        return NULL;
    *data = record;
    return data;
}

/* accounting.c: sums. A change has a begin and an end; changes of the same part may be nested. */
void sched_count_begin(struct sched *sched, struct app_partition *part);
void sched_count_end(struct sched *sched, struct app_partition *part);
struct app_partition *sched_app_partition(struct sched_app *app, int label); /* created if missing */
struct app_partition *sched_app_partition_have(const struct sched_app *app, int label);
void sched_count_container(struct sched *sched, struct app_partition *part, const struct resource *amount,
                           int sign);
/* Counts that a container of PART has grown (SIGN 1) or shrunk (-1) by AMOUNT. */
void sched_count_resized(struct sched *sched, struct app_partition *part, const struct resource *amount,
                         int sign);
void sched_count_reserved(struct sched *sched, struct app_partition *part, const struct resource *amount,
                          int sign);
/* Call between sched_count_begin() and sched_count_end(). */
void sched_count_pending(struct app_partition *part, const struct resource *delta, int64_t containers);
/* Subtracts all sums of APP from its queue (SIGN -1), or adds them to its present queue (SIGN 1). */
void sched_count_app(struct sched *sched, struct sched_app *app, int sign);
/* See app_changed() of policy.h. */
void sched_app_changed(struct sched_app *app, unsigned changes);
/* Lowers app_least_reserved() of PART to the size of DEMAND, for which a node is reserved. */
void sched_reserve_note_size(struct app_partition *part, const struct demand *demand);

/* queue_find.c: finds a queue by its path, its path without "root.", or the name of a leaf if only one leaf
 * has that name; "" means "default". NULL: none. */
struct sched_queue *sched_queue_find(const struct sched *sched, const char *name);

/* node_room.c */
RB_PROTOTYPE(sched_room_tree, sched_node, room, sched_node_compare_room)
int sched_node_compare_room(const struct sched_node *a, const struct sched_node *b);
struct resource sched_node_free(const struct sched_node *node);
/* Returns the free resource of NODE, at least 0 for each type. So a request for 0 of a type fits, even if
 * more of this type is used than NODE has. */
struct resource sched_node_room(const struct sched_node *node);
/* Returns how many containers of size WANT, at most MOST, fit in the free room of NODE. */
uint32_t sched_node_count_fitting_values(const struct sched *sched, const struct sched_node *node,
                                         const int64_t *want, uint32_t most);
#define sched_node_count_fitting(sched, node, want, most) \
    sched_node_count_fitting_values(sched, node, (want)->value, most)
/* Returns true if more is used of NODE than its total, of any type that the calculator compares. */
bool sched_node_exceeds(const struct sched *sched, const struct sched_node *node);
bool sched_node_is_offered(const struct sched_node *node); /* open, and not silent */
/* Remove NODE from the index of nodes with room, and add it again: call before and after its room changes. */
void sched_node_leave_room(struct sched *sched, struct sched_node *node);
void sched_node_enter_room(struct sched *sched, struct sched_node *node);
void sched_node_charge(struct sched *sched, struct sched_node *node, const struct resource *amount, int sign);
/* From now on maintains sched->room and sched->kept, the ordered indexes of nodes with room. */
void sched_order_room(struct sched *sched);
/* Sets the application for which NODE is reserved; NULL: none. */
void sched_node_set_reserved(struct sched *sched, struct sched_node *node, struct sched_app *app);

/* node_places.c: nodes by host, or by rack */
struct place *sched_place_find(const struct place *places, const char *name);
void sched_place_add(struct place **places, struct sched_node *node, const char *name);
void sched_place_remove(struct place **places, struct sched_node *node, const char *name);

/* demand.c */
RB_PROTOTYPE(sched_demand_tree, demand, link, sched_demand_compare)
RB_PROTOTYPE(sched_row_tree, row, link, sched_row_compare)
/* Return the first request with pending containers, in order of priority and allocation id, and the next such
 * request after DEMAND. NULL: none. */
struct demand *sched_demand_first(const struct sched_app *app);
struct demand *sched_demand_next(struct demand *demand);
struct demand *sched_demand_find(struct sched_app *app, uint32_t priority, uint64_t allocation_id);
struct demand *sched_demand_get(struct sched_app *app, uint32_t priority, uint64_t allocation_id);
/* Returns true if APP has a request of PRIORITY and ALLOCATION_ID, idle or not, and in it the row NAME, which
 * may be NULL. */
bool sched_demand_has(const struct sched_app *app, uint32_t priority, uint64_t allocation_id,
                      const char *name);
/* Returns the request for which NODE is reserved; NULL: nothing of it is pending. */
struct demand *sched_demand_of_reservation(const struct sched_node *node);
/* Creates the request for the increase of CONTAINER by SIZE on its node, or removes it. Both change the
 * pending sums. */
struct demand *sched_demand_new_growth(struct sched_container *container, const struct resource *size);
void sched_demand_end_growth(struct sched_container *container);
/* Returns true if DEMAND has data that the next request at the same priority and allocation id uses. */
static inline bool sched_demand_is_kept(const struct demand *demand)
{
    return demand->row_count > 0 || demand->opportunities > 0 || demand->missed_shared > 0 ||
           demand->reserved > 0;
}
/* If nothing of DEMAND is pending any more, stores DEMAND among the idle requests or frees it. DEMAND must
 * not be used afterwards; the same holds for sched_demand_cancel(). */
void sched_demand_settle(struct sched_app *app, struct demand *demand);
/* Removes DEMAND with its rows, after "*" was requested with 0 containers. */
void sched_demand_cancel(struct sched_app *app, struct demand *demand);
/* Removes all requests of APP. Reservations of APP must have been cancelled before. */
void sched_demand_drop_all(struct sched_app *app);
/* Notes that a reservation for the request, pending or not, ended. */
void sched_demand_unreserved(struct sched_app *app, const struct reservation *reservation);
void sched_demand_set_count(struct sched_app *app, struct demand *demand, uint32_t count);
void sched_demand_set_capability(struct sched_app *app, struct demand *demand,
                                 const struct resource *capability);
void sched_demand_set_label(struct sched_app *app, struct demand *demand, int label);
struct row *sched_demand_find_row(const struct demand *demand, const char *name);
/* Return the row that names NODE by its id, host or rack; NULL: none. */
struct row *sched_demand_find_id(const struct demand *demand, const struct sched_node *node);
struct row *sched_demand_find_host(const struct demand *demand, const struct sched_node *node);
struct row *sched_demand_find_rack(const struct demand *demand, const struct sched_node *node);
/* Returns the row of the node id or host of NODE at which containers are pending; NULL: none. */
struct row *sched_demand_find_local(const struct demand *demand, const struct sched_node *node);
void sched_demand_set_row(struct sched_app *app, struct demand *demand, const char *name, uint32_t count,
                          bool strict);
/* Returns the rows in the order in which they were requested, row_count of them; the caller frees the array
 * with free(). */
const struct row **sched_demand_rows(const struct demand *demand);
/* Subtracts one container placed at LOCALITY on NODE from the rows that count it. DEMAND may be freed.
 * Returns flags of enum row_counts. */
uint8_t sched_demand_subtract(struct sched_app *app, struct demand *demand, const struct sched_node *node,
                              enum sched_locality locality);
/* Notes that CONTAINER, which ended or was acquired by its application, cannot be given back any more. */
void sched_demand_acquired(struct sched_container *container);
/* Requests the container described by INFO, which has ended, again: in "*" and in the rows of ROW_COUNTS.
 * LABEL: partition of its request, used if nothing is pending at its priority and allocation id. */
void sched_demand_return(const struct sched_container_info *info, uint8_t row_counts, int label);

/* label.c */
/* Returns the index of the label NAME, which is created if it is new; -1: there are too many. For policies,
 * when configured. */
int sched_label_new(struct sched *sched, const char *name);
/* Sets whether LABEL is shared (not exclusive). */
void sched_label_set_shared(struct sched *sched, int label, bool shared);
/* Like sched_label_new(), and calls label_added() for a new label; 0: there are too many, or the policy has
 * no labels. */
int sched_label_add(struct sched *sched, const char *name);
/* Returns the label of requests in QUEUE that name the label NAME (NULL: none); -1: QUEUE may not use it. */
int sched_label_for(const struct sched *sched, const struct sched_queue *queue, const char *name);
void sched_labels_free(struct sched *sched);

/* blacklist.c */
bool sched_app_avoids(const struct sched_app *app, const struct sched_node *node);
/* Applies the changes of the blacklist in REQUEST. */
void sched_app_change_blacklist(struct sched_app *app, const struct sched_request *request);
void sched_app_clear_blacklist(struct sched_app *app);
/* Drops the list of sched_app_set_avoided(): the first container of APP is placed, or APP is removed. */
void sched_app_clear_avoided(struct sched_app *app);

/* app.c */
/* Checks whether a container of APP may have the size ASKED. -ERANGE: no, ERR has the reason. */
int sched_app_check_size(const struct sched_app *app, const struct resource *asked, struct err *err);
/* Requests the AM container of APP, after APP was activated. */
void sched_app_ask_for_master(struct sched_app *app);
/* Sets the partition of the AM of APP. Its node has another label now, or a new attempt starts. */
void sched_app_set_master_label(struct sched_app *app, int label);
/* Return sums over all partitions. */
struct resource sched_app_used(const struct sched_app *app);
struct resource sched_app_pending(const struct sched_app *app);

/* Places up to LIMIT containers of DEMAND on NODE, as many as fit: first node-local, then rack-local, then
 * any, without delay. Returns the number placed. If all pending containers were placed, DEMAND may be
 * freed. */
unsigned sched_place_demand(struct sched *sched, struct sched_node *node, struct sched_app *app,
                            struct demand *demand, unsigned limit, struct sched_decisions *decisions);

/* sched_containers.c: places containers, and chooses to which applications nodes are offered on demand */
struct offer {
    unsigned limit;   /* maximum number of containers */
    bool heartbeat;   /* the limits of containers per heartbeat apply */
    bool opportunity; /* requests that wait for better locality count this offer as a
                         missed opportunity */
    bool reserve;     /* the node may be reserved for a request that does not fit */
};

void sched_place_one(struct sched *sched, struct sched_node *node, struct sched_app *app,
                     struct demand *demand, enum sched_locality locality, struct sched_decisions *decisions);
/* Like sched_place_one(), in exchange for the reservation of KEPT for DEMAND. REPORT: as for
 * sched_unreserve(). */
void sched_place_reserved(struct sched *sched, struct sched_node *node, struct sched_app *app,
                          struct demand *demand, enum sched_locality locality, struct sched_node *kept,
                          bool report, struct sched_decisions *decisions);
void sched_offer_node(struct sched *sched, struct sched_node *node, struct sched_decisions *decisions);
/* Offer nodes to APP: all its requests, or those that are new. The others were offered what is free. */
void sched_offer_app(struct sched *sched, struct sched_app *app, struct sched_decisions *decisions);
void sched_offer_asks(struct sched *sched, struct sched_app *app, const struct sched_request *request,
                      struct sched_decisions *decisions);
void sched_offer_growth(struct sched *sched, struct sched_container *grows,
                        struct sched_decisions *decisions);
/* Offers free nodes to applications that a limit of the policy no longer blocks. */
void sched_offer_released(struct sched *sched, struct sched_decisions *decisions);

/* decisions.c */
struct sched_decision *sched_decide(struct sched_decisions *decisions, enum sched_decision_kind kind,
                                    struct sched_node *node, struct sched_app *app);

/* why.c: returns true if NODE is reserved for another request than DEMAND of APP. */
bool sched_why_reserved(const struct sched_node *node, const struct sched_app *app,
                        const struct demand *demand);
/* Adds a reason to WHY. BLOCKING: the reason blocks the application now; false: it could block it. */
struct sched_why_item *sched_why_add(struct sched_why *why, enum sched_reason reason, bool blocking);
/* Moves the first blocking item to the front and makes it the reason of WHY. False: no item blocks. */
bool sched_why_settle(struct sched_why *why);

/* resize.c */
/* Returns true if NODE is reserved for DEMAND of APP. */
static inline bool sched_node_is_reserved_for(const struct sched_node *node, const struct sched_app *app,
                                              const struct demand *demand)
{
    return node->reserved.app == app && node->reserved.priority == demand->priority &&
           node->reserved.allocation_id == demand->allocation_id && node->reserved.grows == demand->grows;
}
/* Lets the container of DEMAND, a pending increase that fits its node, grow, and removes DEMAND. */
void sched_grow(struct sched *sched, struct demand *demand, struct sched_decisions *decisions);

/* reserve.c */
void sched_reserve(struct sched *sched, struct sched_node *node, struct sched_app *app, struct demand *demand,
                   struct sched_decisions *decisions);
/* Ends the reservation of NODE. REPORT: adds a decision SCHED_UNRESERVED, because it was not served. */
void sched_unreserve(struct sched *sched, struct sched_node *node, bool report,
                     struct sched_decisions *decisions);
/* Cancels all reservations for APP. DECISIONS NULL: adds no decisions. */
void sched_unreserve_app(struct sched *sched, struct sched_app *app, struct sched_decisions *decisions);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched.h - interface of the scheduler core, which decides on which node each container is allocated
 *
 * The caller reports nodes, applications, requests and ended containers; the core answers with decisions. The
 * interface is the same for all policies (fifo, capacity and fair, see policy.h). The core is pure: no clock,
 * no I/O, no threads, no randomness, so that the same calls give the same decisions. The time is that of the
 * last sched_tick().
 *
 * The core owns nodes, applications and containers. Each is valid until the call that ends it
 * (sched_node_remove, sched_app_remove, sched_container_end). Each has an OWNER pointer for the caller, which
 * the core never dereferences. A call that can place containers appends its decisions to the caller's list,
 * in the order in which they were made; the core has already counted them.
 *
 * This header has the calls that change the scheduler's state. sched_queues.h has queries about queues,
 * users, access and labels; sched_why.h explains why an application waits. Both are included by this header.
 *
 * The used resource of a node never exceeds its total, unless the total was lowered, or recovered containers
 * do not fit. A container uses its resources until sched_container_end(), which the caller calls when the
 * container has stopped.
 */
#ifndef CREEL_RM_SCHED_H
#define CREEL_RM_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/id.h"
#include "common/base/resource_types.h"
#include "rm/sched/sched_queues.h"
#include "rm/sched/sched_why.h"

struct sched; /* opaque, like the following structs */
struct sched_node;
struct sched_app;
struct sched_container;
struct sched_decisions;
struct sched_policy;       /* rm/sched/policy.h */
struct capacity_config;    /* rm/sched/capacity/config/config.h */
struct capacity_placement; /* rm/sched/capacity/placement/placement.h */
struct capacity_access;    /* rm/sched/capacity/placement/access.h */
struct fair_config;        /* rm/sched/fair/config.h */
struct preempt_settings;   /* rm/sched/preempt/preempt.h */

/* Resource types used to round requests and to check whether containers fit on nodes (yarn-behaviour 2.3). */
enum sched_calculator {
    SCHED_MEMORY_ONLY, /* YARN's default: only memory; vcores become 1 */
    SCHED_EVERY_TYPE,  /* each type is rounded, and must fit */
};

struct sched_config {
    const char *policy;                /* "fifo", "capacity", "fair" */
    const struct sched_policy *custom; /* a custom policy used instead (policy.h); borrowed; NULL: none */
    enum sched_calculator calculator;
    int types;                              /* resource types in use; 0 means memory and vcores */
    const struct resource_types *names;     /* names of those types, for messages; copied; may be NULL */
    struct resource minimum, step, maximum; /* of one container; step 0 does not round */
    int64_t now_ms;                         /* the present time, not after the first sched_tick() */
    int64_t size_wait_ms;                   /* for this time after NOW_MS, requests larger than the largest
                                               node are accepted, because nodes still register. Normally
                                               SCHED_SIZE_WAIT_MS */
    uint32_t am_permille;                   /* fifo: share of the open nodes, in thousandths, that AMs of
                                               applications with MANAGES may use together (one AM may always
                                               run); 0: no limit */
    bool assign_on_demand;                  /* true: place containers as soon as resources are requested or
                                               freed, each on the node with most room; false: only in
                                               sched_node_heartbeat() */

    /* Only for "capacity". The scheduler owns these if sched_new() or sched_refresh() succeeds, else the
     * caller. */
    struct capacity_config *capacity;          /* its calculator, limits and types must equal those above */
    struct capacity_placement *placement;      /* NULL: an application enters the queue that it names */
    struct capacity_access *access;            /* NULL: no access lists */
    const struct preempt_settings *preemption; /* copied; NULL: no preemption */

    /* Only for "fair"; owned in the same way. Its minimum, increment, maximum and types must equal MINIMUM,
     * STEP, MAXIMUM and TYPES above. */
    struct fair_config *fair;
};

/* YARN's default of yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms. */
#define SCHED_SIZE_WAIT_MS 10000

/* The largest possible maximum of memory or vcores, 1 PiB in MiB: products of counts and sizes stay far from
 * overflow. */
#define SCHED_AMOUNT_MAX ((int64_t)1 << 30)

/* Returns the configuration of policy fifo that creel uses.
 * Differs: YARN's FIFO counts memory alone and gives every container one vcore. creel counts vcores as
 * requested, so that a node is never used above its total.
 * Differs: YARN's FIFO lets AMs fill the cluster; then no task ever runs. In creel, AMs may use half of the
 * cluster. */
struct sched_config sched_config_fifo(struct resource minimum, struct resource maximum,
                                      bool assign_on_demand);

/* Creates a scheduler. -EINVAL: unknown policy, or contradictory limits (ERR names them). */
int sched_new(const struct sched_config *config, struct sched **ret, struct err *err);
void sched_free(struct sched *sched); /* frees everything it contains, too; NULL is fine */

/* Replaces the configuration by CONFIG, of the same policy (yarn-behaviour 5.14). Running containers
 * continue, even above new limits. -EINVAL: nothing has changed, ERR names the setting that a refresh cannot
 * change, and the caller still owns the parts of CONFIG. */
int sched_refresh(struct sched *sched, const struct sched_config *config, struct sched_decisions *decisions,
                  struct err *err);

/* Sets the time to NOW_MS (monotonic). Kills containers whose preemption deadline has passed, and removes
 * dynamic queues that have been empty for long enough. */
void sched_tick(struct sched *sched, int64_t now_ms, struct sched_decisions *decisions);

/* Runs one round of the capacity scheduler's preemption (yarn-behaviour 7); see struct sched_features. */
void sched_preempt(struct sched *sched, struct sched_decisions *decisions);

/* Runs the fair scheduler's update: demand, fair shares, starvation (yarn-behaviour 8.5, 8.6, 8.11); see
 * struct sched_features. */
void sched_update(struct sched *sched, struct sched_decisions *decisions);

/* --- decisions ------------------------------------------------------------- */

enum sched_decision_kind {
    SCHED_ALLOCATED,  /* CONTAINER of APP was placed on NODE */
    SCHED_RESERVED,   /* NODE is reserved for APP; there is no CONTAINER */
    SCHED_UNRESERVED, /* the reservation of NODE for APP was cancelled, not served */
    SCHED_PREEMPT,    /* CONTAINER will be killed at DEADLINE_MS: send a preemption
                         notice */
    SCHED_KILL,       /* the deadline of CONTAINER has passed: stop it, and call
                         sched_container_end() when it has stopped */
    SCHED_SPARE,      /* the preemption notice of CONTAINER has no consequence any more */
    SCHED_RESIZED,    /* CONTAINER has the size that was requested for it; see sched_container_info() */
};

enum sched_locality { SCHED_NODE_LOCAL, SCHED_RACK_LOCAL, SCHED_OFF_SWITCH };

struct sched_decision {
    enum sched_decision_kind kind;
    enum sched_locality locality;
    struct sched_container *container;
    struct sched_node *node;
    struct sched_app *app;
    int64_t deadline_ms; /* of PREEMPT */
    const char *gainer;  /* of PREEMPT and KILL: path of the queue that is to get the room; NULL: not known,
                            or named by an earlier PREEMPT of the container. A later round may change it:
                            sched_container_gainer(). Borrowed until the next call that can remove a queue */
};

/* Owned by the caller: initialise it to zero, set COUNT to 0 to reuse it, free(items) at the end. */
struct sched_decisions {
    struct sched_decision *items;
    size_t count, capacity;
};

/* --- nodes ----------------------------------------------------------------- */

struct sched_node_spec {     /* copied */
    const char *id;          /* host:port, unique */
    const char *host, *rack; /* requests and blacklists may name these, or ID */
    const char *label;       /* the node's label; NULL or "": none */
    struct resource total;
    bool closed; /* closed until sched_node_set_open() */
    void *owner;
};

struct sched_node *sched_node_add(struct sched *sched, const struct sched_node_spec *spec,
                                  struct sched_decisions *decisions);
/* Removes NODE. Its containers must have been ended before. */
void sched_node_remove(struct sched *sched, struct sched_node *node);
/* Sets the total of NODE. The containers on NODE continue, even if they use more. */
void sched_node_update(struct sched *sched, struct sched_node *node, struct resource total,
                       struct sched_decisions *decisions);
/* Moves NODE to another partition (NULL or "": none). Its containers continue and are counted in the new
 * partition; the reservation of NODE is cancelled. */
void sched_node_set_label(struct sched *sched, struct sched_node *node, const char *label,
                          struct sched_decisions *decisions);
/* Notes that the agent of NODE is silent, or is heard again. A silent node is not offered; all else, its
 * reservation and the size of the cluster too, stays as it is. A node that is heard again is offered by
 * sched_node_heartbeat(), after its message was read. (YARN offers a node when it sends a heartbeat; its
 * asynchronous scheduling skips nodes that have missed two.) */
void sched_node_set_silent(struct sched *sched, struct sched_node *node, bool silent);
/* Opens or closes NODE. A closed node (unhealthy, draining, being recovered) is not offered. */
void sched_node_set_open(struct sched *sched, struct sched_node *node, bool open,
                         struct sched_decisions *decisions);
/* Offers NODE, which sent a heartbeat. */
void sched_node_heartbeat(struct sched *sched, struct sched_node *node, struct sched_decisions *decisions);

/* Continuous scheduling: offers the next nodes with room, at most MOST, those with most free memory first,
 * and returns their number. A result below MOST: all were offered, and the next call starts over. */
size_t sched_node_batch(struct sched *sched, size_t most, struct sched_decisions *decisions);
/* Returns true if a node has room, and an application would use a node. */
bool sched_needs_batch(struct sched *sched);

struct sched_app *sched_node_reserved_by(const struct sched_node *node); /* or NULL */
const char *sched_node_label(const struct sched_node *node);             /* "" is none */
struct resource sched_node_total(const struct sched_node *node);
struct resource sched_node_used(const struct sched_node *node);
struct resource sched_node_reserved(const struct sched_node *node); /* not included in the used resource */
uint32_t sched_node_containers(const struct sched_node *node);
void *sched_node_owner(const struct sched_node *node);

/* --- apps ------------------------------------------------------------------ */

struct sched_app_spec { /* copied */
    struct app_id id;
    const char *user;
    const char *const *groups; /* groups of the user, the primary group first; may be NULL */
    size_t group_count;
    const char *name;  /* for placement by application name; may be NULL */
    const char *label; /* label of its requests that name none; NULL: the queue's default */
    const char *queue; /* name or path; "" is the default queue */
    int32_t priority;
    bool priority_open;      /* the submission has no priority: PRIORITY is used if no rule sets
                                another */
    const char *const *tags; /* for priorities of workflows (capacity scheduler); may be NULL */
    size_t tag_count;
    const struct resource *master; /* requested size of its first container; may be NULL */
    bool manages;                  /* its first container is an AM, which requests further containers */
    bool recovered;                /* accepted before a restart: limits and access lists are not
                                      checked again */
    void *owner;
};

/* Submits an application. -ENOENT: no such queue; -EEXIST: the id is in use; -EACCES: the user may not submit
 * to the queue, or not with that priority; -EDQUOT: queue or user have too many applications; -ESHUTDOWN: the
 * queue is stopped; -EINVAL: the queue may not use the label. */
int sched_app_add(struct sched *sched, const struct sched_app_spec *spec, struct sched_app **ret,
                  struct err *err);
/* Removes APP and its requests. Its containers must have been ended before. */
void sched_app_remove(struct sched *sched, struct sched_app *app, struct sched_decisions *decisions);
/* Starts a new attempt: drops requests and the blacklist, and restarts container numbers at 1. Requests a
 * first container of size MASTER, already normalised, at priority 0; NULL: none (the container was recovered,
 * or the AM runs elsewhere). */
void sched_app_start(struct sched *sched, struct sched_app *app, const struct resource *master,
                     struct sched_decisions *decisions);
/* Nodes on which the first container of an application is not placed, as in YARN's SimpleBlacklistManager.
 * The list is ignored while it has at least SHARE x the number of open nodes of the application's partition.
 * YARN decides this once for each attempt. Differs: creel decides it at each offer, so that an application
 * does not wait for nodes that are lost. */
struct sched_avoided {
    const char *const *nodes; /* ids; borrowed for the call */
    size_t count;
    double share;
};

/* Sets the nodes that the first container of APP avoids. Call this before sched_app_start(). The list is
 * dropped when that container is placed. COUNT 0: none. */
void sched_app_set_avoided(struct sched_app *app, const struct sched_avoided *avoided);
/* Returns true if a list of COUNT nodes would be ignored now. */
bool sched_app_ignores(const struct sched_app *app, size_t count, double share);
/* Sets the size of the AM of APP, running or expected. Call this for a recovered application before
 * sched_app_start(), so that limits on AMs count the AM while its node has not registered yet. */
void sched_app_set_master(struct sched *sched, struct sched_app *app, const struct resource *size);
/* Drops the requests of APP; its containers continue. */
void sched_app_stop_asking(struct sched *sched, struct sched_app *app);
/* Moves APP to another leaf, with its containers and requests. -errno as of sched_app_add(): nothing has
 * changed. */
int sched_app_move(struct sched *sched, struct sched_app *app, const char *queue,
                   struct sched_decisions *decisions, struct err *err);
/* Sets the priority of APP, at most the maximum of the cluster. */
void sched_app_set_priority(struct sched *sched, struct sched_app *app, int32_t priority,
                            struct sched_decisions *decisions);
/* Checks whether WHO->user, with WHO->groups, may give APP the priority WHO->priority. -EACCES: no.
 * WHO->queue not NULL: in that queue, with errors as of sched_app_move. */
int sched_app_may_have_priority(struct sched *sched, struct sched_app *app, const struct sched_app_spec *who,
                                struct err *err);
int32_t sched_app_priority(const struct sched_app *app);
/* Checks whether SPEC would be accepted now. -errno as of sched_app_add(). -ERANGE: no container of size
 * LARGEST could ever be placed for it. */
int sched_app_test(struct sched *sched, const struct sched_app_spec *spec, const struct resource *largest,
                   struct err *err);
/* Returns the path of the queue in which SPEC would be placed now. This queue may not exist yet. The caller
 * frees the path. Returns NULL if SPEC would be refused. */
char *sched_app_place(struct sched *sched, const struct sched_app_spec *spec);
/* Returns the priority that SPEC would have now; that of SPEC if it would be refused. */
int32_t sched_app_expected_priority(struct sched *sched, const struct sched_app_spec *spec);

struct sched_ask {
    uint32_t priority;         /* smaller is served first */
    uint64_t allocation_id;    /* of equal priorities, smaller is served first */
    const char *resource_name; /* a node's id or host, a rack, or "*" */
    struct resource capability;
    uint32_t count;       /* replaces the count of an earlier ask; the count of "*" is the total */
    bool strict_locality; /* for a rack or "*": do not relax locality to this level */
    const char *label;    /* for "*": the label; NULL: the application's */
};

/* Fills RET with the pending requests of APP, in the order of service: hosts and racks first, then "*". At
 * most CAPACITY. Names are borrowed until APP's requests change. Returns the number of entries. */
size_t sched_app_asks(const struct sched_app *app, struct sched_ask *ret, size_t capacity);

/* Fills RET with the nodes, hosts and racks that APP has blacklisted, the first ones if there are more than
 * CAPACITY. Names are borrowed until the next call for APP. Returns the number of entries. */
size_t sched_app_blacklist(const struct sched_app *app, const char **ret, size_t capacity);
/* Return the length of the blacklist of APP, and how many of COUNT NAMES would be new in it; a name that
 * occurs twice in NAMES counts twice. */
uint32_t sched_app_blacklist_count(const struct sched_app *app);
size_t sched_app_new_blacklisted(const struct sched_app *app, const char *const *names, size_t count);
/* Drops the blacklist of APP: another AM takes over, which does not know it. */
void sched_app_drop_blacklist(struct sched_app *app);

struct sched_request { /* borrowed for the call */
    const struct sched_ask *asks;
    size_t ask_count;
    struct sched_container *const *releases; /* containers to end first */
    size_t release_count;
    const char *const *blacklist_add, *const *blacklist_remove; /* node ids, hosts, racks */
    size_t blacklist_add_count, blacklist_remove_count;
};

/* Validates, normalises and applies REQUEST. -ERANGE: a size is negative or above the maximum; -E2BIG: APP
 * would name more than SCHED_NAMES_MAX hosts, racks or priorities. After an error, nothing has changed. */
int sched_allocate(struct sched *sched, struct sched_app *app, const struct sched_request *request,
                   struct sched_decisions *decisions, struct err *err);

#define SCHED_NAMES_MAX 100000 /* per application: rows of requests, or blacklisted names */

struct sched_app_figures {
    bool active; /* requests of the application are served: no limit on applications
                    blocks it */
    struct resource used, pending, reserved;
    uint32_t containers;          /* allocated or running */
    uint32_t reserved_containers; /* number of nodes reserved for the application */
    uint64_t pending_containers;
    uint32_t labelled_reserved_containers; /* those of nodes with a label, as the next */
    uint64_t labelled_pending_containers;
    struct resource headroom;   /* upper bound of what the application could get now; below 0 (only
                                   fair, as in YARN) if the use exceeds a total or a maximum */
    struct resource fair_share; /* of the fair scheduler */
    int64_t starved_since_ms;   /* fair: since when its use is below its queue's starvation
                                   threshold; -1: not below, or preemption is off */
};

/* Returns the number of rows that APP has requested, each a priority, an allocation id and a place; also
 * those that wait for no container. */
uint32_t sched_app_rows(const struct sched_app *app);
/* Returns how many rows were looked up among the nodes, and how many nodes that rows name were offered, since
 * SCHED was created: the cost of requests. */
uint64_t sched_lookups(const struct sched *sched);
/* Returns how many of ASKS would add a row to APP. The others replace a row, or request no container. */
size_t sched_app_new_rows(const struct sched_app *app, const struct sched_ask *asks, size_t count);
void sched_app_figures(const struct sched *sched, const struct sched_app *app, struct sched_app_figures *ret);
/* Sets USED, PENDING and RESERVED in RET to those of APP in the partition of LABEL, an index from 0. Returns
 * false if APP never used or requested anything there. */
bool sched_app_partition_figures(const struct sched_app *app, int label, struct sched_app_figures *ret);
/* Returns whether APP has used and requested nothing on nodes with a label. */
bool sched_app_only_unlabelled(const struct sched_app *app);
const char *sched_app_queue(const struct sched_app *app); /* full path */
void *sched_app_owner(const struct sched_app *app);

/* Checks whether one container may have the size ASKED. -ERANGE: no, ERR has the numbers. Sets *NORMAL (may
 * be NULL) to the rounded size. */
int sched_normalise(const struct sched *sched, const struct resource *asked, struct resource *normal,
                    struct err *err);
/* Like sched_normalise(), for a new request. In addition, the memory may not exceed that of the node with
 * most memory, the vcores those of the node with most vcores, and so on. This is not checked for SIZE_WAIT_MS
 * after the start, nor while there is no node. sched_app_add() and sched_allocate() check the same. */
int sched_size_check(const struct sched *sched, const struct resource *asked, struct err *err);

/* --- containers ------------------------------------------------------------ */

struct sched_container_info {
    struct sched_node *node;
    struct sched_app *app;
    struct resource resource;
    uint32_t number; /* number in the current attempt, from 1 */
    uint64_t serial; /* order of creation; of containers of an earlier scheduler: from 1, in the order of
                        their ids */
    uint32_t priority;
    uint64_t allocation_id;
    bool master;   /* the AM: requested by sched_app_start() */
    bool killable; /* lazy preemption: may be killed when its room is needed; not set by the caller */
};

void sched_container_info(const struct sched_container *container, struct sched_container_info *ret);
void *sched_container_owner(const struct sched_container *container);
void sched_container_set_owner(struct sched_container *container, void *owner);

/* Notes that the application received the allocation: CONTAINER cannot be given back any more. Idempotent. */
void sched_container_acquired(struct sched *sched, struct sched_container *container);
/* Ends CONTAINER, which its application has not received, and requests it again, with the host and rack of
 * the original request. The count is added to the pending count (YARN:
 * recoverResourceRequestForContainer). */
void sched_container_return(struct sched *sched, struct sched_container *container,
                            struct sched_decisions *decisions);
/* Notes that its node reported CONTAINER as running. Idempotent. */
void sched_container_launched(struct sched *sched, struct sched_container *container);
/* Notes that CONTAINER is being stopped: preemption counts its room as free, and does not choose it. STUCK: a
 * process of it does not end, so that its room is not counted. May be called again. */
void sched_container_stopping(struct sched *sched, struct sched_container *container, bool stuck);
/* Returns the path of the queue for which the last round of preemption has chosen CONTAINER, which got
 * SCHED_PREEMPT; "": it has chosen it for none, and the container will be spared or chosen again. NULL: the
 * queue of its last decision holds. Borrowed until the next call that can remove a queue. */
const char *sched_container_gainer(const struct sched *sched, const struct sched_container *container);
/* Notes that the process has ended because of which CONTAINER was STUCK, and that CONTAINER is not being
 * stopped: preemption may choose it again. A preemption that has begun is not withdrawn. */
void sched_container_continues(struct sched *sched, struct sched_container *container);
/* Changes the size of CONTAINER, which runs, to ASKED (resize.c). It replaces an increase of CONTAINER that
 * is pending. A smaller size counts at once, a larger one becomes a pending request that is served on the
 * node of CONTAINER alone. Both add the decision SCHED_RESIZED when the new size counts. -ERANGE: ASKED is
 * negative or above the maximum, or more than the node has; -EINVAL: one amount is larger than now, and
 * another smaller; -EALREADY: ASKED is rounded to the size that CONTAINER has. After an error nothing has
 * changed. */
int sched_container_resize(struct sched *sched, struct sched_container *container,
                           const struct resource *asked, struct sched_decisions *decisions, struct err *err);
/* Withdraws the pending increase of CONTAINER, if there is one. */
void sched_container_cancel_resize(struct sched *sched, struct sched_container *container,
                                   struct sched_decisions *decisions);
/* Returns true if an increase of CONTAINER is pending, and sets *TARGET to the size that it is to have. */
bool sched_container_grows(const struct sched_container *container, struct resource *target);
/* Frees CONTAINER, which has ended, for any reason (exit, release, expiry, loss of its node). */
void sched_container_end(struct sched *sched, struct sched_container *container,
                         struct sched_decisions *decisions);
/* Adds a container that was running before a restart, as INFO describes it, even if it does not fit. NUMBER
 * is stored; the counter of container numbers does not change. */
struct sched_container *sched_container_recover(struct sched *sched, const struct sched_container_info *info,
                                                void *owner);

/* --- figures --------------------------------------------------------------- */

struct sched_cluster {
    struct resource total, used; /* sum over all nodes, also closed ones */
    uint32_t nodes, open_nodes, containers;
};

void sched_cluster(const struct sched *sched, struct sched_cluster *ret);

/* The audit: recomputes all sums. -EINVAL: ERR has the first wrong sum or index. */
int sched_check(const struct sched *sched, struct err *err);

#endif

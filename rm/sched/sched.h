/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched.h - the scheduler core: who gets which container on which node
 *
 * Nodes, apps, asks and containers go in; decisions come out. One core for all
 * policies (fifo, capacity and fair, see policy.h). Pure: no clock, no I/O, no threads, no
 * randomness; the same calls give the same decisions. Time is what sched_tick said last.
 *
 * Handles belong to the core and stay valid until the call that ends them
 * (sched_node_remove, sched_app_remove, sched_container_end). Each carries an OWNER pointer
 * that the core never looks at. Every call that can place something appends to
 * the caller's decisions; what is in there already happened in the books, in this order.
 *
 * This header is about what changes something. sched_queues.h has the questions about queues, users, access
 * and labels, sched_why.h explains why an app waits; including this one includes them.
 *
 * What a node has given out never exceeds its total, unless its total was lowered
 * below its use or containers were recovered that do not fit. A container holds
 * its resources until sched_container_end: who stops one calls it when it is gone.
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

struct sched;                           /* all opaque */
struct sched_node;
struct sched_app;
struct sched_container;
struct sched_decisions;
struct sched_policy;                    /* rm/sched/policy.h */
struct capacity_config;                 /* rm/sched/capacity/config/config.h */
struct capacity_placement;              /* rm/sched/capacity/placement/placement.h */
struct capacity_access;                 /* rm/sched/capacity/placement/access.h */
struct fair_config;                     /* rm/sched/fair/config.h */
struct preempt_settings;                /* rm/sched/preempt/preempt.h */

/* What counts when asks are rounded and nodes are filled (yarn-behaviour 2.3). */
enum sched_calculator {
    SCHED_MEMORY_ONLY,                  /* YARN's default: memory alone; vcores become 1 */
    SCHED_EVERY_TYPE,                   /* each type is rounded, and must fit */
};

struct sched_config {
    const char *policy;               /* "fifo", "capacity", "fair" */
    const struct sched_policy *custom;  /* a policy of the caller's own instead (policy.h); borrowed. NULL */
    enum sched_calculator calculator;
    int types;                          /* resource types in use; 0 means memory and vcores */
    const struct resource_types *names; /* of those types, for messages; copied. NULL: not named */
    struct resource minimum, step, maximum;     /* of one container; step 0 does not round */
    int64_t now_ms;                     /* what time it is; never after the first sched_tick's */
    uint32_t am_permille;               /* fifo: the share of the open nodes that AMs of apps that
                                           MANAGE may use together (one AM may always use more);
                                           0: no limit */
    bool assign_on_demand;              /* place as soon as something is asked or freed, one
                                           container to the emptiest node after the other; else
                                           only in sched_node_heartbeat */

    /* Of "capacity" alone; on success they belong to the scheduler, else to the caller still. */
    struct capacity_config *capacity;   /* calculator, limits and types above must be its own */
    struct capacity_placement *placement;       /* NULL: an app goes where it asks to */
    struct capacity_access *access;     /* NULL: everybody may do everything */
    const struct preempt_settings *preemption;  /* copied; NULL: nobody is preempted */

    /* Of "fair" alone; owned in the same way. MINIMUM, STEP, MAXIMUM and TYPES above must be its own. */
    struct fair_config *fair;
};

/* The largest maximum of memory or vcores, a petabyte of MiB: products of counts and sizes stay far
 * from overflow. */
#define SCHED_AMOUNT_MAX ((int64_t)1 << 30)

/* Strategy fifo as creel runs it. Differs: YARN's FIFO looks at memory alone and gives every container one
 * vcore; here vcores are kept as asked and must fit as well: a node never gives out more than it has.
 * And YARN's lets masters fill the cluster, and then none of them finds room for its tasks, for ever;
 * here they may hold half of it. */
struct sched_config sched_config_fifo(struct resource minimum, struct resource maximum,
                                      bool assign_on_demand);

/* -EINVAL: unknown policy, or limits that contradict each other (ERR names them). */
int sched_new(const struct sched_config *config, struct sched **ret, struct err *err);
void sched_free(struct sched *sched);   /* NULL is fine; everything in it goes too */

/* Go on with CONFIG, of the same policy, all or nothing (yarn-behaviour 5.14). Running containers
 * stay, also above new limits. -EINVAL: ERR says what may not change so; the old one stays in force
 * and CONFIG's parts belong to the caller. */
int sched_refresh(struct sched *sched, const struct sched_config *config,
                  struct sched_decisions *decisions, struct err *err);

/* It is NOW_MS (monotonic, never back). Timers that fell due run: the kill that a notice of preemption
 * announced, the removal of dynamic queues that stood empty. */
void sched_tick(struct sched *sched, int64_t now_ms, struct sched_decisions *decisions);

/* One round of the preemption policy (yarn-behaviour 7). Of the capacity scheduler; nothing else. */
void sched_preempt(struct sched *sched, struct sched_decisions *decisions);

/* The fair scheduler's update: demand, fair shares, and who starves (yarn-behaviour 8.5, 8.6, 8.11);
 * call it every yarn.scheduler.fair.update-interval-ms. Nothing in others. */
void sched_update(struct sched *sched, struct sched_decisions *decisions);

/* --- decisions ------------------------------------------------------------- */

enum sched_decision_kind {
    SCHED_ALLOCATED,                    /* CONTAINER stands on NODE for APP */
    SCHED_RESERVED,                     /* NODE waits for room for APP; no CONTAINER yet */
    SCHED_UNRESERVED,                   /* NODE waits for APP no longer, without having served it */
    SCHED_PREEMPT,                      /* CONTAINER will be killed at DEADLINE_MS: tell it so */
    SCHED_KILL,                         /* CONTAINER was preempted and its time is up: stop it, and
                                           say sched_container_end when it is gone */
    SCHED_SPARE,                        /* CONTAINER was told so, and stays after all (lazy preemption) */
};

enum sched_locality { SCHED_NODE_LOCAL, SCHED_RACK_LOCAL, SCHED_OFF_SWITCH };

struct sched_decision {
    enum sched_decision_kind kind;
    enum sched_locality locality;
    struct sched_container *container;
    struct sched_node *node;
    struct sched_app *app;
    int64_t deadline_ms;                /* of PREEMPT */
};

/* Owned by the caller: set to zero to begin with, set COUNT to 0 to use again, free(items). */
struct sched_decisions {
    struct sched_decision *items;
    size_t count, capacity;
};

/* --- nodes ----------------------------------------------------------------- */

struct sched_node_spec {                /* copied */
    const char *id;                     /* host:port, unique */
    const char *host, *rack;            /* what asks and blacklists may name, beside ID */
    const char *label;                  /* its partition; NULL or "": none */
    struct resource total;
    bool closed;                        /* until sched_node_set_open */
    void *owner;
};

struct sched_node *sched_node_add(struct sched *sched, const struct sched_node_spec *spec,
                                  struct sched_decisions *decisions);
/* Its containers have been ended before. */
void sched_node_remove(struct sched *sched, struct sched_node *node);
/* A new total; what runs there stays, even if it is more. */
void sched_node_update(struct sched *sched, struct sched_node *node, struct resource total,
                       struct sched_decisions *decisions);
/* Another partition, NULL or "": none. What runs there stays and counts in the new one from now on; a
 * reservation ends. */
void sched_node_set_label(struct sched *sched, struct sched_node *node, const char *label,
                          struct sched_decisions *decisions);
/* A closed node (unhealthy, draining, still being recovered) is offered to nobody. */
void sched_node_set_open(struct sched *sched, struct sched_node *node, bool open,
                         struct sched_decisions *decisions);
/* Offer NODE now. */
void sched_node_heartbeat(struct sched *sched, struct sched_node *node,
                          struct sched_decisions *decisions);

/* Continuous scheduling: offer the next of the nodes with room, MOST at once, the one with most free
 * memory first; how many were offered. Fewer than MOST: that was the last, the next call begins
 * anew. Sleep between calls is the caller's. */
size_t sched_node_batch(struct sched *sched, size_t most, struct sched_decisions *decisions);
/* Does somebody want something, and has some node room? Else a batch is in vain. */
bool sched_wants_batch(const struct sched *sched);

struct sched_app *sched_node_reserved_by(const struct sched_node *node);        /* or NULL */
const char *sched_node_label(const struct sched_node *node);    /* "" is none */
struct resource sched_node_total(const struct sched_node *node);
struct resource sched_node_used(const struct sched_node *node);
uint32_t sched_node_containers(const struct sched_node *node);
void *sched_node_owner(const struct sched_node *node);

/* --- apps ------------------------------------------------------------------ */

struct sched_app_spec {                 /* copied */
    struct app_id id;
    const char *user;
    const char *const *groups;          /* of the user, the primary one first; may be NULL */
    size_t group_count;
    const char *name;                   /* for placement by name; may be NULL */
    const char *label;                  /* where its asks go that name no label; NULL: the queue's */
    const char *queue;                  /* name or path; "" is the default queue */
    int32_t priority;
    bool priority_open;                 /* none was asked for: PRIORITY counts if nothing else is set */
    const char *const *tags;            /* for priorities of workflows; may be NULL */
    size_t tag_count;
    const struct resource *master;      /* its first container, as asked for; NULL: not known */
    bool manages;                       /* its first container will ask for more */
    bool recovered;                     /* was accepted before a restart: limits and access lists do
                                           not refuse it again */
    void *owner;
};

/* Accept or refuse. -ENOENT: no such queue (ERR lists what there is); -EEXIST: the id is here; -EACCES:
 * the user may not submit there, or not with that priority; -EDQUOT: queue or user have too many apps;
 * -ESHUTDOWN: the queue is stopped; -EINVAL: a label that the queue may not use. */
int sched_app_add(struct sched *sched, const struct sched_app_spec *spec,
                  struct sched_app **ret, struct err *err);
/* Its containers have been ended before; its asks go. */
void sched_app_remove(struct sched *sched, struct sched_app *app,
                      struct sched_decisions *decisions);
/* A new attempt: earlier asks and blacklists are forgotten, container numbers begin at 1.
 * MASTER, already normalised, is asked for as its first container, at priority 0; NULL if
 * there is none to ask for (it is recovered, or unmanaged). */
void sched_app_start(struct sched *sched, struct sched_app *app, const struct resource *master,
                     struct sched_decisions *decisions);
/* Its master is, or will be, of SIZE: of a recovered app before it is started, so that limits on
 * masters see it while its node has yet to come back. */
void sched_app_set_master(struct sched *sched, struct sched_app *app, const struct resource *size);
/* Want nothing more: asks go, containers stay. */
void sched_app_stop_asking(struct sched *sched, struct sched_app *app);
/* To another leaf, containers, asks and all. -errno as of sched_app_add; then nothing changed. */
int sched_app_move(struct sched *sched, struct sched_app *app, const char *queue,
                   struct sched_decisions *decisions, struct err *err);
/* Cut to what the cluster allows. */
void sched_app_set_priority(struct sched *sched, struct sched_app *app, int32_t priority,
                            struct sched_decisions *decisions);
/* May the user of WHO, with their groups, give APP the priority of WHO? -EACCES. */
int sched_app_may_have_priority(const struct sched *sched, const struct sched_app *app,
                                const struct sched_app_spec *who, struct err *err);
int32_t sched_app_priority(const struct sched_app *app);
/* Would SPEC be accepted now, and could a container of LARGEST ever be placed for it? 0, what
 * sched_app_add would say, or -ERANGE. */
int sched_app_test(struct sched *sched, const struct sched_app_spec *spec,
                   const struct resource *largest, struct err *err);
/* Path of the queue that SPEC would go to now, which may not be there yet; owned by the caller. NULL:
 * it would be refused. */
char *sched_app_place(struct sched *sched, const struct sched_app_spec *spec);

struct sched_ask {
    uint32_t priority;                  /* smaller is served first */
    uint64_t allocation_id;             /* then the smaller of these */
    const char *resource_name;          /* a node's id or host, a rack, or "*" */
    struct resource capability;
    uint32_t count;                     /* absolute: replaces; that of "*" is authoritative */
    bool strict_locality;               /* do not go to this (rack, "*") level for want of a
                                           closer one */
    const char *label;                  /* of "*": the partition; NULL: the app's */
};

struct sched_request {                  /* all borrowed for the call */
    const struct sched_ask *asks;
    size_t ask_count;
    struct sched_container *const *releases;    /* ended at once */
    size_t release_count;
    const char *const *blacklist_add, *const *blacklist_remove; /* node ids, hosts, racks */
    size_t blacklist_add_count, blacklist_remove_count;
};

/* Validate everything, then normalise and apply it. -ERANGE: an ask is negative or over the
 * maximum, -E2BIG: APP would name more places or keys than SCHED_NAMES_MAX; then nothing was
 * changed. */
int sched_allocate(struct sched *sched, struct sched_app *app, const struct sched_request *request,
                   struct sched_decisions *decisions, struct err *err);

#define SCHED_NAMES_MAX 100000          /* rows of asks, and blacklisted names, of one app */

struct sched_app_figures {
    bool active;                        /* its asks are served: no limit on apps keeps it back */
    struct resource used, pending, reserved;
    uint32_t containers;                /* live ones */
    uint32_t reserved_containers;       /* nodes that wait for it */
    uint64_t pending_containers;
    struct resource headroom;           /* what it could still get now, at most */
    struct resource fair_share;         /* of the fair scheduler */
    int64_t starved_since_ms;           /* fair: since when it has less of it than its queue's
                                           threshold; -1: it has not, or nobody is preempted */
};

void sched_app_figures(const struct sched *sched, const struct sched_app *app,
                       struct sched_app_figures *ret);
const char *sched_app_queue(const struct sched_app *app);       /* full path */
void *sched_app_owner(const struct sched_app *app);

/* Is ASKED within what one container may have? -ERANGE with the numbers if not. *NORMAL (may be
 * NULL) gets it rounded. */
int sched_normalise(const struct sched *sched, const struct resource *asked,
                    struct resource *normal, struct err *err);

/* --- containers ------------------------------------------------------------ */

struct sched_container_info {
    struct sched_node *node;
    struct sched_app *app;
    struct resource resource;
    uint32_t number;                    /* counts from 1 in the app's present attempt */
    uint32_t priority;
    uint64_t allocation_id;
    bool master;                        /* asked for by sched_app_start */
};

void sched_container_info(const struct sched_container *container,
                          struct sched_container_info *ret);
void *sched_container_owner(const struct sched_container *container);
void sched_container_set_owner(struct sched_container *container, void *owner);

/* Its app has heard of it: it will not be given back. Saying it again does nothing. */
void sched_container_heard(struct sched *sched, struct sched_container *container);
/* It ends before its app heard of it, and is wanted once more: as YARN's recoverResourceRequestForContainer
 * has it, at the places that it was counted off, under the same conditions, beside what is left of the
 * ask. */
void sched_container_give_back(struct sched *sched, struct sched_container *container,
                               struct sched_decisions *decisions);
/* Its node was seen running it. Saying it again does nothing. */
void sched_container_launched(struct sched *sched, struct sched_container *container);
/* It is gone, for whatever reason (exit, release, expiry, loss of its node): the books forget
 * it. */
void sched_container_end(struct sched *sched, struct sched_container *container,
                         struct sched_decisions *decisions);
/* One that runs already (after a restart) enters the books, as INFO says, fit or not. NUMBER is
 * kept for the record; it does not move the counter. */
struct sched_container *sched_container_recover(struct sched *sched,
                                                const struct sched_container_info *info,
                                                void *owner);

/* --- looking --------------------------------------------------------------- */

struct sched_cluster {
    struct resource total, used;        /* of all nodes, closed ones too */
    uint32_t nodes, open_nodes, containers;
};

void sched_cluster(const struct sched *sched, struct sched_cluster *ret);

/* Add everything up again: 0, or -EINVAL with the first sum or index that is wrong. */
int sched_check(const struct sched *sched, struct err *err);

#endif

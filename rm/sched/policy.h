/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.h - what a scheduling policy is: fifo, capacity, fair, or one of your own
 *
 * The core (internal.h) keeps nodes, applications, requests, containers and reservations, and adds up
 * what each application and queue uses and has pending. A policy is a table of functions, the struct
 * sched_policy below, that the core calls: it decides which queue accepts an application, keeps an index
 * of the applications with pending requests, and places containers in its order when a node is offered.
 * fifo.c is the commented example. docs/policy.md explains how to write one.
 *
 * Functions that are not marked "required" may be NULL. The comment then has what the core does instead.
 * All are called from one thread, must not block, and must not call back into sched.h.
 *
 * A policy keeps its data behind the pointers "data" in the core's records, which the core never looks at. It
 * allocates that of struct sched in configure(). The core allocates that of other records with the record, in
 * the size that the table has (struct sched_policy_data), and frees it with the record.
 */
#ifndef CREEL_RM_SCHED_POLICY_H
#define CREEL_RM_SCHED_POLICY_H

#include "rm/sched/internal.h"

/* What assign_to() did. */
enum sched_answer {
    SCHED_TAKEN,                        /* it placed a container: the node has less room now */
    SCHED_DECLINED,                     /* not on this node */
    SCHED_HOPELESS,                     /* nor on any other node that the application does not name */
};

/* What app_changed() is called for, as bits. Only those of requests come together. */
enum sched_app_change {
    /* APP was added to APP->queue. Nothing of it is counted there yet. */
    SCHED_APP_ENTERS = 1 << 0,
    /* The AM of APP may be requested, or runs already (after a restart). A policy with starts_apps sets
     * APP->state to APP_ACTIVE and calls sched_app_ask_for_master() now or, if a limit on applications blocks
     * it, later. */
    SCHED_APP_STARTS = 1 << 1,
    /* APP leaves APP->queue, to enter another one or to be freed. Nothing of it is counted there any more, so
     * that others may start now. */
    SCHED_APP_LEAVES = 1 << 2,
    /* APP->priority is a new one. partition_changed() was called for one of its parts. */
    SCHED_APP_PRIORITY = 1 << 3,
    /* The size of its AM, app_master(), is about to change; it has changed. */
    SCHED_APP_AM_CHANGES = 1 << 4, SCHED_APP_AM_CHANGED = 1 << 5,
    /* It has requested something at a priority and allocation id for which nothing was pending. */
    SCHED_APP_REQUESTS = 1 << 6,
    /* The hosts and racks that it names or blacklists may differ. */
    SCHED_APP_NAMES = 1 << 7,
    /* Its AM has called, and the reply reports the headroom. */
    SCHED_APP_CALL = 1 << 8,
};

enum sched_timer {
    SCHED_TIMER_TICK,                   /* time passed; at least once a second */
    SCHED_TIMER_PREEMPT,                /* every features.preempt_interval_ms */
    SCHED_TIMER_UPDATE,                 /* every features.update_interval_ms */
};

/* What admit() decides. */
struct sched_admission {
    struct sched_queue *queue;          /* a leaf; may stay NULL for a test: it would have to be created */
    int32_t priority;                   /* of the application; as requested, unless admit() changes it */
    char *path;                         /* of the leaf, for a test; owned by the caller; may stay NULL */
};

/* --- 1. admission: who may enter which queue ---------------------------------- */

struct sched_policy_admission {
    /* May the application SPEC be submitted, and to which leaf? With TEST set nothing may change: the caller
     * only asks. -errno as of sched_app_add(). NULL: to the leaf that it names. */
    int (*admit)(struct sched *sched, const struct sched_app_spec *spec, bool test,
                 struct sched_admission *ret, struct err *err);
    /* May APP be moved to the queue NAME? NULL: to any leaf. Then it leaves, enters and starts, and the core
     * moves what it uses and has pending. -errno as of sched_app_move(). */
    int (*may_move)(struct sched *sched, struct sched_app *app, const char *name,
                    struct sched_queue **ret, struct err *err);
    /* May the user of WHO give APP the priority of WHO? -EACCES. NULL: yes. */
    int (*may_set_priority)(const struct sched *sched, const struct sched_app *app,
                            const struct sched_app_spec *who, struct err *err);
};

/* --- 2. accounting: what happened, so that indexes and limits can follow ------- */

struct sched_policy_accounting {
    /* What PART and the queues above it use, reserve and have pending has changed, or the priority of its
     * application: put them into their places in indexes that are sorted by such a thing. No other part has
     * changed since the last call. */
    void (*partition_changed)(struct app_partition *part);
    /* CHANGES: of enum sched_app_change. */
    void (*app_changed)(struct sched *sched, struct sched_app *app, unsigned changes);
    /* CONTAINER was placed or recovered, and is about to be counted (STARTED); or it is about to be freed. */
    void (*container_changed)(struct sched *sched, struct sched_container *container, bool started);
    /* NODE is about to be removed, or to get another label. */
    void (*node_leaves)(struct sched *sched, struct sched_node *node);
    void (*timer)(struct sched *sched, enum sched_timer timer, struct sched_decisions *decisions);
};

/* --- 3. assignment: who gets the room ------------------------------------------ */

struct sched_policy_assignment {
    /* Required. NODE is offered: place up to OFFER->limit containers there, and return how many. */
    unsigned (*assign)(struct sched *sched, struct sched_node *node, const struct offer *offer,
                       struct sched_decisions *decisions);
    /* Required. APP has new requests, and NODE has room, which was offered to the others before: place one
     * container of APP. The core calls it for one node after the other, the one with most room first. */
    enum sched_answer (*assign_to)(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                   struct sched_decisions *decisions);
    /* Something ended, or a limit changed: call sched_offer_app() for each application that a limit of the
     * policy has blocked and blocks no longer. */
    void (*offer_released)(struct sched *sched, struct sched_decisions *decisions);
    /* Continuous scheduling: is there an application that would use a node? NULL: yes. */
    bool (*wants)(const struct sched *sched);
};

/* --- 4. rules of queues (optional) ----------------------------------------------- */

struct sched_policy_rules {
    /* May a container of QUEUE, not above QUEUE->maximum, have ASKED? RECOVERED: for an application that ran
     * before a restart. -ERANGE. NULL: yes. */
    int (*check_size)(const struct sched *sched, const struct sched_queue *queue, bool recovered,
                      const struct resource *asked, struct err *err);
    /* As sched_queue_access(); *REASON is "" before. NULL: there are no access lists. */
    enum sched_access (*access)(const struct sched *sched, const char *path,
                                const struct acl_person *person, enum sched_permission permission,
                                char *reason);
    /* Stop or start QUEUE. NULL: queues cannot be stopped. */
    int (*set_running)(struct sched *sched, struct sched_queue *queue, bool running, struct err *err);
    /* sched->labels has the new LABEL, a partition of the cluster: set the labels of queues (labels,
     * labels_named and default_label in struct sched_queue). NULL: nodes have no labels. */
    void (*label_added)(struct sched *sched, int label);
};

/* --- 5. reports: what people see (optional) -------------------------------------- */

/* RET is filled with what the core knows: complete or replace it. */
struct sched_policy_reports {
    void (*app_figures)(const struct sched *sched, const struct sched_app *app,
                        struct sched_app_figures *ret);
    void (*queue_figures)(const struct sched *sched, const struct sched_queue *queue,
                          struct sched_queue_figures *ret);
    /* As sched_queue_settings(). NULL: there are none. */
    void (*queue_settings)(const struct sched *sched, const struct sched_queue *queue,
                           struct sched_queue_settings *ret);
    /* As sched_queue_order(). NULL: children in the order of their creation, applications in the order of
     * their submission. */
    void (*queue_order)(const struct sched *sched, const struct sched_queue *queue,
                        sched_name_fn *each, void *context);
    /* As sched_queue_user_next(). NULL: the policy does not count by user. */
    bool (*queue_user_next)(const struct sched *sched, const struct sched_queue *queue,
                            const char *after, struct sched_user_figures *ret);
    /* Why is APP's first request not served? ret->reason is what the core found by looking at nodes:
     * CLUSTER_FULL, another, or NONE if a node has room. Replace it if the policy has a limit that is why. */
    void (*explain)(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);
    /* The audit, for tests: compute again what the policy keeps, and compare. -EINVAL: ERR tells the first
     * difference. */
    int (*check)(const struct sched *sched, struct err *err);
};

/* --- data ------------------------------------------------------------------------ */

/* Sizes of the policy's data for each record of that type; 0: it has none there, or allocates it by itself.
 * Data is zero at first, but for its first member, which is a pointer to the record. */
struct sched_policy_data {
    size_t queue;                       /* struct sched_queue *queue; ... */
    size_t queue_partition;             /* struct queue_partition *part; ... */
    size_t user_partition;              /* struct user_partition *part; ... */
    size_t app;                         /* struct sched_app *app; ... */
    size_t app_partition;               /* struct app_partition *part; ... */
};

/* --- the policy ------------------------------------------------------------------ */

struct sched_policy {
    const char *name;

    /* Create the queues, a parent before its children, root first (sched_queue_new()), and data. Set the
     * members of sched->features that differ from those of a policy with plain queues. NULL: root and the
     * leaf root.default. */
    int (*configure)(struct sched *sched, const struct sched_config *config, struct err *err);
    /* Go on with CONFIG, or change nothing. NULL: only the largest container may have changed. */
    int (*refresh)(struct sched *sched, const struct sched_config *config,
                   struct sched_decisions *decisions, struct err *err);
    /* Free what configure() allocated, also after it failed. Applications and queues were freed before. */
    void (*free)(struct sched *sched);

    struct sched_policy_data data_bytes;
    struct sched_policy_admission admission;
    struct sched_policy_accounting accounting;
    struct sched_policy_assignment assignment;
    struct sched_policy_rules rules;
    struct sched_policy_reports reports;

    bool starts_apps;                   /* applications wait for the policy to make them active; else they are
                                         * active as soon as they enter */
    bool minimum_may_be_zero;           /* the smallest container may be 0 */
    bool reserves_full_nodes;           /* heartbeats of nodes without any room are offered, too */
};

extern const struct sched_policy sched_fifo;
extern const struct sched_policy sched_capacity;
extern const struct sched_policy sched_fair;

#endif

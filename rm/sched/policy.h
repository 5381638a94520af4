/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.h - interface between the scheduler core and its policies: fifo, capacity, fair, or a custom policy
 *
 * The core (internal.h) manages nodes, applications, requests, containers and reservations, and sums the used
 * and pending resources of each application and queue. A policy is a table of functions, the struct
 * sched_policy below, that the core calls: it decides which queue accepts an application, keeps an index of
 * the applications with pending requests, and places containers in its order when a node is offered.
 * fifo.c is the commented example. docs/policy.md explains how to write one.
 *
 * Functions that are not marked "required" may be NULL. Their comments describe the core's default behaviour.
 * All functions are called from one thread, must not block, and must not call back into sched.h.
 *
 * A policy keeps its data behind the pointers "data" in the core's records, which the core never reads. The
 * policy allocates the data of struct sched in configure(). The core allocates the data of other records
 * together with the record, in the size given in the table (struct sched_policy_data), and frees both
 * together.
 */
#ifndef CREEL_RM_SCHED_POLICY_H
#define CREEL_RM_SCHED_POLICY_H

#include "rm/sched/internal.h"

/* The result of assign_to(). */
enum sched_answer {
    SCHED_TAKEN,    /* placed a container: the node has less room now */
    SCHED_DECLINED, /* nothing can be placed on this node */
    SCHED_HOPELESS, /* nothing can be placed on this node, nor on any node that the
                       application does not name */
};

/* Reasons of a call of app_changed(), as bits. Only the bits about requests, and LEAVES and MOVES, can
 * be combined. */
enum sched_app_change {
    /* APP was added to APP->queue. Nothing of APP is counted in the queue yet. */
    SCHED_APP_ENTERS = 1 << 0,
    /* The AM of APP may be requested, or runs already (after a restart). A policy with starts_apps sets
     * APP->state to APP_ACTIVE and calls sched_app_ask_for_master() now or, if a limit on applications blocks
     * it, later. */
    SCHED_APP_STARTS = 1 << 1,
    /* APP leaves APP->queue, to enter another queue or to be freed. Nothing of APP is counted in the queue
     * any more, so that other applications may start now. */
    SCHED_APP_LEAVES = 1 << 2,
    /* APP->priority changed. partition_changed() was called for one part of APP. */
    SCHED_APP_PRIORITY = 1 << 3,
    /* The size of APP's AM, app_master(), is about to change, or has changed. */
    SCHED_APP_AM_CHANGES = 1 << 4,
    SCHED_APP_AM_CHANGED = 1 << 5,
    /* APP has requested containers at a priority and allocation id for which nothing was pending. */
    SCHED_APP_REQUESTS = 1 << 6,
    /* The hosts and racks that APP names or blacklists may have changed. */
    SCHED_APP_NAMES = 1 << 7,
    /* The AM of APP has called, and the reply reports the headroom. */
    SCHED_APP_CALL = 1 << 8,
    /* With LEAVES: APP enters another queue next. */
    SCHED_APP_MOVES = 1 << 9,
};

enum sched_timer {
    SCHED_TIMER_TICK,    /* time passed; at least once a second */
    SCHED_TIMER_PREEMPT, /* every features.preempt_interval_ms */
    SCHED_TIMER_UPDATE,  /* every features.update_interval_ms */
};

/* The result of admit(). */
struct sched_admission {
    struct sched_queue *queue; /* a leaf; may stay NULL in a test if the leaf would have to be
                                  created */
    int32_t priority;          /* of the application; as requested, unless admit() changes it */
    char *path;                /* of the leaf, for a test; owned by the caller; may stay NULL */
};

/* --- 1. admission: who may enter which queue ---------------------------------- */

struct sched_policy_admission {
    /* Decides whether the application SPEC may be submitted, and to which leaf. TEST: only checks, and must
     * not change anything. -errno as of sched_app_add(). NULL: accepts the leaf that SPEC names. */
    int (*admit)(struct sched *sched, const struct sched_app_spec *spec, bool test,
                 struct sched_admission *ret, struct err *err);
    /* Decides whether APP may be moved to the queue NAME. NULL: APP may be moved to any leaf. If allowed, the
     * core calls app_changed() for leaving, entering and starting, and moves the used and pending sums of
     * APP. -errno as of sched_app_move(). */
    int (*may_move)(struct sched *sched, struct sched_app *app, const char *name, struct sched_queue **ret,
                    struct err *err);
    /* Checks whether WHO->user may give an application in QUEUE the priority WHO->priority. -EACCES: no.
     * NULL: every user may. */
    int (*may_set_priority)(const struct sched *sched, const struct sched_queue *queue,
                            const struct sched_app_spec *who, struct err *err);
};

/* --- 2. accounting: notifications to update indexes and limits ------------------ */

struct sched_policy_accounting {
    /* Called after a change of the used, reserved or pending sums of PART and the queues above, or of the
     * priority of its application. Moves PART and the queues to their places in indexes sorted by these
     * values. No other part has changed since the last call. */
    void (*partition_changed)(struct app_partition *part);
    /* Called for changes of APP. CHANGES: bits of enum sched_app_change. */
    void (*app_changed)(struct sched *sched, struct sched_app *app, unsigned changes);
    /* Called before CONTAINER, placed or recovered, is counted (STARTED), or before CONTAINER is freed. */
    void (*container_changed)(struct sched *sched, struct sched_container *container, bool started);
    /* Called when the size of CONTAINER has changed by DELTA (amounts below 0: less), before the new size is
     * counted. For policies that add up sizes of containers themselves. */
    void (*container_resized)(struct sched *sched, struct sched_container *container,
                              const struct resource *delta);
    /* Called when CONTAINER is being stopped, before container->stuck becomes STUCK
     * (sched_container_stopping). For policies that preempt. */
    void (*container_stopping)(struct sched *sched, struct sched_container *container, bool stuck);
    /* Called when CONTAINER is not being stopped after all: takes back container_stopping, which has set
     * container->stopped, before container->stuck becomes false. */
    void (*container_continues)(struct sched *sched, struct sched_container *container);
    /* Called before NODE is removed or gets another label. */
    void (*node_leaves)(struct sched *sched, struct sched_node *node);
    void (*timer)(struct sched *sched, enum sched_timer timer, struct sched_decisions *decisions);
};

/* --- 3. assignment of free room to applications ------------------------------------ */

struct sched_policy_assignment {
    /* Required. Places up to OFFER->limit containers on NODE, which is offered. Returns how many. */
    unsigned (*assign)(struct sched *sched, struct sched_node *node, const struct offer *offer,
                       struct sched_decisions *decisions);
    /* Required. Places one container of APP on NODE. APP has new requests, and the room of NODE was offered
     * to the other applications before. The core calls this for one node after another: first for nodes that
     * APP named, then for other nodes, the node with most room first. */
    enum sched_answer (*assign_to)(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                   struct sched_decisions *decisions);
    /* Called after a container ended or a limit changed. Calls sched_offer_app() for each application that a
     * limit of the policy blocked and no longer blocks. */
    void (*offer_released)(struct sched *sched, struct sched_decisions *decisions);
    /* Continuous scheduling: returns true if some application would use a node. NULL: true. */
    bool (*can_assign)(const struct sched *sched);
};

/* --- 4. rules of queues (optional) ----------------------------------------------- */

struct sched_policy_rules {
    /* Checks whether a container in QUEUE may have the size ASKED, which is not above QUEUE->maximum.
     * RECOVERED: for an application that ran before a restart. -ERANGE. NULL: every size is allowed. */
    int (*check_size)(const struct sched *sched, const struct sched_queue *queue, bool recovered,
                      const struct resource *asked, struct err *err);
    /* Like sched_queue_access(); *REASON is "" on entry. NULL: there are no access lists. */
    enum sched_access (*access)(const struct sched *sched, const char *path, const struct acl_person *person,
                                enum sched_permission permission, char *reason);
    /* As sched_queues_read_access(). NULL: there are no access lists. */
    void (*read_access)(struct sched *sched, const struct conf *conf);
    /* Stops or starts QUEUE. NULL: queues cannot be stopped. */
    int (*set_running)(struct sched *sched, struct sched_queue *queue, bool running, struct err *err);
    /* Called after the new LABEL, a partition of the cluster, was added to sched->labels. Sets the labels of
     * queues (labels, labels_named and default_label in struct sched_queue). NULL: nodes have no labels. */
    void (*label_added)(struct sched *sched, int label);
};

/* --- 5. reports to users (optional) -------------------------------------------------- */

/* RET is filled with the core's figures on entry: the function adds to them or replaces them. */
struct sched_policy_reports {
    void (*app_figures)(const struct sched *sched, const struct sched_app *app,
                        struct sched_app_figures *ret);
    void (*queue_figures)(const struct sched *sched, const struct sched_queue *queue,
                          struct sched_queue_figures *ret);
    /* Like sched_queue_settings(). NULL: there are none. */
    void (*queue_settings)(const struct sched *sched, const struct sched_queue *queue,
                           struct sched_queue_settings *ret);
    /* Like sched_queue_templates(). NULL: there are none. */
    void (*queue_templates)(const struct sched *sched, const struct sched_queue *queue,
                            sched_template_fn *each, void *context);
    /* Like sched_queue_partition_figures(). NULL: there are no partitions. */
    void (*partition_figures)(const struct sched *sched, const struct queue_partition *part,
                              struct sched_partition_figures *ret);
    /* Like sched_label_keys(). NULL: no key is known by its name. */
    void (*label_keys)(const struct sched *sched, int label, sched_name_fn *each, void *context);
    /* Like sched_queue_order(). NULL: children in the order of their creation, applications in the order of
     * their submission. */
    void (*queue_order)(const struct sched *sched, const struct sched_queue *queue, sched_name_fn *each,
                        void *context);
    /* Like sched_queue_user_next(). NULL: the policy does not count users. */
    bool (*queue_user_next)(const struct sched *sched, const struct sched_queue *queue, const char *after,
                            struct sched_user_figures *ret);
    /* Like sched_queue_user_partition(). NULL: the policy does not count users. */
    bool (*queue_user_partition)(const struct sched *sched, const struct sched_queue *queue, const char *user,
                                 int label, struct sched_user_figures *ret);
    /* Explains why APP's first request is not served. On entry, ret->reason is what the core found by
     * checking nodes: CLUSTER_FULL, another reason, or NONE if a node has room. The function replaces this
     * reason if a limit of the policy is the cause. */
    void (*explain)(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);
    /* Returns true if APP counts against the limits on applications at a time. NULL: there are none. */
    bool (*counts)(const struct sched_app *app);
    /* Returns true if DEMAND of APP, which names no label, may use nodes that lend theirs. DEMAND NULL: the
     * AM, which is not requested yet. NULL: every request may. */
    bool (*lends_to)(const struct sched_app *app, const struct demand *demand);
    /* Like sched_container_gainer(). NULL: the queue of the last decision holds. */
    const char *(*container_gainer)(const struct sched *sched, const struct sched_container *container);
    /* The audit, for tests: recomputes the policy's data and compares. -EINVAL: ERR has the first
     * difference. */
    int (*check)(const struct sched *sched, struct err *err);
};

/* --- data ------------------------------------------------------------------------ */

/* Sizes of the policy's data for each record of that type; 0: there is none, or the policy allocates it. Data
 * is zeroed, except its first member, which is a pointer to the record. */
struct sched_policy_data {
    size_t queue;           /* struct sched_queue *queue; ... */
    size_t queue_partition; /* struct queue_partition *part; ... */
    size_t user_partition;  /* struct user_partition *part; ... */
    size_t app;             /* struct sched_app *app; ... */
    size_t app_partition;   /* struct app_partition *part; ... */
};

/* --- the policy ------------------------------------------------------------------ */

struct sched_policy {
    const char *name;

    /* Creates the queues, a parent before its children, root first (sched_queue_new()), and the policy's
     * data. Sets the members of sched->features that differ from a policy with plain queues. NULL: the core
     * creates root and the leaf root.default. */
    int (*configure)(struct sched *sched, const struct sched_config *config, struct err *err);
    /* Replaces the configuration by CONFIG; after an error nothing has changed. NULL: the core only replaces
     * the largest size of a container. */
    int (*refresh)(struct sched *sched, const struct sched_config *config, struct sched_decisions *decisions,
                   struct err *err);
    /* Frees the memory of configure(), also after it failed. Applications and queues were freed before. */
    void (*free)(struct sched *sched);

    struct sched_policy_data data_bytes;
    struct sched_policy_admission admission;
    struct sched_policy_accounting accounting;
    struct sched_policy_assignment assignment;
    struct sched_policy_rules rules;
    struct sched_policy_reports reports;

    bool starts_apps;         /* applications wait until the policy activates them; false: they
                               * are active as soon as they enter a queue */
    bool minimum_may_be_zero; /* the minimum size of containers may be 0 */
    bool reserves_full_nodes; /* nodes without any free room are offered at heartbeats, too */
};

extern const struct sched_policy sched_fifo;
extern const struct sched_policy sched_capacity;
extern const struct sched_policy sched_fair;

/* --- requests with strict locality ----------------------------------------------- */

void sched_demand_set_strict(struct demand *demand, bool strict);
/* Returns how many of the pending containers of DEMAND are left if those that may only run on closed nodes
 * (not open, silent, avoided by the application, unknown) are not counted. */
uint32_t sched_demand_count_open(const struct demand *demand);

#endif

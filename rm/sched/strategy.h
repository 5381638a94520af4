/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.h - what differs between fifo, capacity and fair
 *
 * The core keeps nodes, apps, asks, containers, reservations and their sums (internal.h); a
 * strategy answers questions about queues, order and limits, and keeps the indexes that
 * find the next app to serve without looking at the others. A field is added here when two
 * strategies differ on it. NULL where a strategy has nothing to say.
 */
#ifndef CREEL_RM_SCHED_STRATEGY_H
#define CREEL_RM_SCHED_STRATEGY_H

#include "rm/sched/sched.h"

struct sched_queue;
struct app_part;
struct sched_container;
struct offer;

enum sched_answer {
    SCHED_TAKEN,                        /* NODE has less now */
    SCHED_DECLINED,
    SCHED_HOPELESS,                     /* so it will be of any node that its asks do not name, for now */
};

struct sched_strategy {
    const char *name;
    bool minimum_may_be_zero;           /* of what one container may have */
    bool keeps_reservations;            /* also when nothing is left to ask: until their node is
                                           offered next */
    bool reserves_full_nodes;           /* a node without any room is offered on heartbeats too */

    /* Make the queues that SCHED begins with, parents before children. */
    int (*configure)(struct sched *sched, const struct sched_config *config, struct err *err);
    int (*refresh)(struct sched *sched, const struct sched_config *config,
                   struct sched_decisions *decisions, struct err *err);
    void (*free)(struct sched *sched);  /* what CONFIGURE made; queues and apps are gone */

    /* The leaf that SPEC goes to, made if need be unless TEST. -errno of sched_app_add. */
    int (*admit)(struct sched *sched, const struct sched_app_spec *spec, bool test,
                 struct sched_queue **ret, struct err *err);
    /* Path of the leaf that SPEC goes to, there or not; owned by the caller, NULL: nowhere. May be NULL
     * where ADMIT, as a test, finds all that there may be. */
    char *(*place)(struct sched *sched, const struct sched_app_spec *spec);
    /* APP has entered its queue, with no sums yet. It is about to leave: it wants nothing there any
     * more. It has left, and its sums with it. */
    void (*join)(struct sched *sched, struct sched_app *app);
    void (*leave)(struct sched *sched, struct sched_app *app);
    void (*forget)(struct sched *sched, struct sched_app *app);
    /* APP has left QUEUE, and is elsewhere or nowhere: let others in. */
    void (*left)(struct sched *sched, const struct sched_app *app, struct sched_queue *queue);
    /* A first container is to be asked for, or was recovered: now, or when a limit allows. */
    void (*start)(struct sched *sched, struct sched_app *app);
    /* APP's master is, or will be, of SIZE. */
    void (*set_master)(struct sched *sched, struct sched_app *app, const struct resource *size);
    /* May APP go to QUEUE? The caller moves its sums. */
    int (*may_move)(struct sched *sched, struct sched_app *app, const char *name,
                    struct sched_queue **ret, struct err *err);
    /* The priority with which SPEC enters QUEUE, and may WHO give APP theirs? -EACCES. Not there: what
     * was asked for; yes. */
    int (*choose_priority)(const struct sched *sched, const struct sched_queue *queue,
                           const struct sched_app_spec *spec, int32_t *ret, struct err *err);
    int (*may_have_priority)(const struct sched *sched, const struct sched_app *app,
                             const struct sched_app_spec *who, struct err *err);
    void (*set_priority)(struct sched *sched, struct sched_app *app, int32_t priority);

    /* Around every change of the sums of PART and all above it. */
    void (*begin)(struct app_part *part);
    void (*end)(struct app_part *part);
    /* What APP names or avoids is about to change. */
    void (*touch)(struct sched_app *app);
    /* Nodes came, went, or changed. */
    void (*cluster_changed)(struct sched *sched);
    void (*tick)(struct sched *sched, struct sched_decisions *decisions);
    void (*preempt)(struct sched *sched, struct sched_decisions *decisions);
    void (*update)(struct sched *sched, struct sched_decisions *decisions);
    void (*node_gone)(struct sched *sched, struct sched_node *node);           /* about to go */
    void (*node_relabels)(struct sched *sched, struct sched_node *node);       /* about to */
    /* CONTAINER was placed or recovered, and is about to be counted in its app and queues; it ended, and is
     * about to be freed. */
    void (*started)(struct sched *sched, struct sched_container *container);
    void (*ended)(struct sched *sched, struct sched_container *container);

    /* Place on NODE, which has room or is reserved; how many were placed. */
    unsigned (*assign)(struct sched *sched, struct sched_node *node, const struct offer *offer,
                       struct sched_decisions *decisions);
    /* One container for APP, which has asked and may run. The others were offered what NODE has before. */
    enum sched_answer (*assign_to)(struct sched *sched, struct sched_node *node, struct sched_app *app,
                                   struct sched_decisions *decisions);
    bool (*wants)(const struct sched *sched);   /* does any app that may, want anything? */
    /* Something ended or was let go: offer it to whom a limit kept waiting (on demand only). */
    void (*offer_released)(struct sched *sched, struct sched_decisions *decisions);

    /* RET has what the core knows: complete it. */
    void (*features)(const struct sched *sched, struct sched_features *ret);
    /* As sched_queue_access(); *REASON is "" before. NULL: there are no access lists. */
    enum sched_access (*access)(const struct sched *sched, const char *path,
                                const struct acl_person *person, enum sched_permission permission,
                                char *reason);
    /* NAME is a path, or a name that only one leaf has; NULL. */
    struct sched_queue *(*find_queue)(const struct sched *sched, const char *name);
    struct resource (*headroom)(const struct sched *sched, const struct sched_app *app);
    void (*app_figures)(const struct sched *sched, const struct sched_app *app,
                        struct sched_app_figures *ret);
    /* May be NULL: nothing more to say. Fill in what the core does not know of a queue. */
    void (*queue_figures)(const struct sched *sched, const struct sched_queue *queue,
                          struct sched_queue_figures *ret);
    void (*queue_order)(const struct sched *sched, const struct sched_queue *queue,
                        sched_name_fn *each, void *context);
    bool (*queue_user_next)(const struct sched *sched, const struct sched_queue *queue,
                            const struct leaf_user **at, struct sched_user_figures *ret);
    int (*set_running)(struct sched *sched, struct sched_queue *queue, bool running,
                       struct err *err);
    /* Limits that hold APP's first ask back, and those that don't, into RET's items; true if one
     * of them is why. */
    bool (*limits)(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);
    /* APP's first ask fits nowhere (ret->reason is CLUSTER_FULL): say it better if possible. */
    void (*explain)(const struct sched *sched, const struct sched_app *app,
                    struct sched_why *ret);
    /* Index of the partition LABEL (NULL: the queue's own), or -1: QUEUE may not use it. */
    int (*label)(const struct sched *sched, const struct sched_queue *queue, const char *label);
    /* The partition of a node that says LABEL, made if it is new. */
    int (*node_label)(struct sched *sched, const char *label);
    /* That partition (not the first) lends itself to who asks for none, or does not. */
    void (*share_label)(struct sched *sched, int label, bool shared);
    const char *(*label_name)(const struct sched *sched, int label);
    /* As sched_label_count() and so on. Their index is not that of a partition. */
    int (*label_count)(const struct sched *sched);
    void (*label_at)(const struct sched *sched, int index, struct sched_label *ret);
    const char *(*label_queue)(const struct sched *sched, int index);
    /* Beyond the maximum of one container: -ERANGE if no container of QUEUE can have ASKED. RECOVERED: for
     * an app that ran before the restart. */
    int (*may_ask)(const struct sched *sched, const struct sched_queue *queue, bool recovered,
                   const struct resource *asked, struct err *err);
    /* Largest container of QUEUE; NULL: the cluster's. */
    const struct resource *(*queue_maximum)(const struct sched_queue *queue);
    int (*check)(const struct sched *sched, struct err *err);
};

extern const struct sched_strategy sched_fifo;
extern const struct sched_strategy sched_capacity;
extern const struct sched_strategy sched_fair;

#endif

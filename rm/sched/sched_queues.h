/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_queues.h - questions about the scheduler: what it offers, queues, users, access, node labels
 *
 * A part of the scheduler's interface (sched.h). All answers have the same form for all
 * policies, so that callers need not know which policy is in use. Texts in an answer belong to the
 * scheduler and are valid until the next call that changes something.
 */
#ifndef CREEL_RM_SCHED_QUEUES_H
#define CREEL_RM_SCHED_QUEUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/resource.h"
#include "rm/identity/acl.h"

struct sched;
struct sched_decisions;

/* --- what the scheduler offers ---------------------------------------------- */

/* What the figures of a queue mean. */
enum sched_queue_model {
    SCHED_QUEUES_PLAIN,                 /* queues only group applications: no shares, no limits */
    SCHED_QUEUES_CAPACITY,              /* a guaranteed capacity, and a maximum; the rest is borrowed */
    SCHED_QUEUES_FAIR,                  /* fair shares of what there is, and a maximum */
};

/* Changes only with sched_refresh(). */
struct sched_features {
    enum sched_queue_model queues;
    bool users;                         /* sched_queue_user_next() knows users and their limits */
    bool labels;                        /* node labels are supported ... */
    bool labels_enabled;                /* ... and yarn.node-labels.enabled is true */
    bool preemption;                    /* containers are preempted */
    bool ticks;                         /* sched_tick() has work to do: call it every second at least */
    /* How often the caller has to call these functions; 0: never. */
    int64_t preempt_interval_ms;        /* sched_preempt() */
    int64_t update_interval_ms;         /* sched_update() */
    int64_t batch_interval_ms;          /* sched_node_batch(): in continuous scheduling, where */
    size_t batch_nodes;                 /* batches of so many nodes replace most heartbeats */
};

const struct sched_features *sched_features(const struct sched *sched);

/* --- queues ------------------------------------------------------------------ */

struct sched_queue_figures {            /* for the unlabelled partition where it matters */
    const char *path;                   /* "root.default" */
    const char *state;                  /* RUNNING, DRAINING, STOPPED */
    const char *configured_state;       /* RUNNING, STOPPED: set for this very queue; "": not set */
    bool leaf, dynamic;
    float capacity, max_capacity;       /* fractions of the parent; CAPACITY of a queue with a weight is 0 */
    float absolute_capacity, absolute_max_capacity, absolute_used;      /* of the cluster */
    float used_capacity;                /* of what is guaranteed; above 1 is borrowed */
    float weight;                       /* -1: none */
    float normalized_weight;            /* WEIGHT as a fraction of its siblings'; 0: none */
    int32_t priority;
    struct resource used, pending, reserved;    /* USED includes RESERVED */
    struct resource minimum, maximum;   /* guaranteed, and most */
    struct resource demand, fair_share, steady_fair_share;      /* of the fair scheduler */
    const char *policy;                 /* fair: how it shares out among its children; else NULL */
    struct resource am_limit, am_used;  /* leaf: of application masters */
    struct resource user_limit;         /* leaf: of one user who is active now */
    float user_limit_percent, user_limit_factor;        /* from which it follows; 0: not known */
    int64_t max_apps, max_apps_per_user;        /* INT64_MAX: no limit */
    int64_t maximum_lifetime_s, default_lifetime_s;     /* of applications; -1: none */
    uint32_t apps_running;              /* have a container */
    uint32_t apps_pending;              /* have none */
    uint32_t active_apps, waiting_apps; /* kept back by no limit on apps, by one */
    uint32_t active_users;              /* leaf, capacity: with pending requests */
    uint32_t containers;
    bool preemption;                    /* may be preempted from */
    int64_t starved_since_ms;           /* fair, leaf: below its minimum share, or an app in it
                                           below what is fair; -1: neither, or nobody is preempted */
};

struct sched_queue;                     /* opaque: a position in the iteration below */

/* The queue behind *AT (NULL to begin with), parents before children; false behind the last. Queues must
 * not come or go meanwhile. */
bool sched_queue_next(const struct sched *sched, const struct sched_queue **at,
                      struct sched_queue_figures *ret);
/* The position of the queue PATH in that order; false: there is no such queue. */
bool sched_queue_position(const struct sched *sched, const char *path, const struct sched_queue **ret);
size_t sched_queue_count(const struct sched *sched);
/* By name or path: false if there is no such queue. */
bool sched_queue_find_figures(const struct sched *sched, const char *name,
                              struct sched_queue_figures *ret);

/* What the configuration sets for a queue, or for one above it. Of the capacity scheduler alone. */
struct sched_queue_settings {
    const char *mode;                   /* percentage, weight, absolute */
    uint64_t labels;                    /* that requests may name, a bit by index; UINT64_MAX: all */
    int default_label;                  /* of requests that name none, by index; 0: none */
    const char *submit_acl, *administer_acl;
    const char *ordering;               /* leaf: fifo, fair; else utilization, priority-utilization */
    float am_fraction;                  /* maximum-am-resource-percent */
    int32_t default_app_priority;
    struct resource maximum_allocation, user_am_limit;
    int64_t max_parallel_apps;          /* INT64_MAX: no limit */
    bool intra_queue_preemption;
    const char *auto_creation;          /* off, legacy, flexible */
};

/* By path; false: there is no such queue, or the scheduler has no such settings. */
bool sched_queue_settings(const struct sched *sched, const char *path, struct sched_queue_settings *ret);
/* Does NAME (name or path) mean the queue at PATH? */
bool sched_queue_is(const struct sched *sched, const char *name, const char *path);
/* Stop (new apps are refused, those there finish: DRAINING, then STOPPED) or start. -ENOENT;
 * -EINVAL: its parent is stopped, or queues of this scheduler cannot be stopped. */
int sched_queue_set_running(struct sched *sched, const char *name, bool running,
                            struct sched_decisions *decisions, struct err *err);
/* The children (names) or apps (ids) of a queue in the order in which they are served, those without
 * pending requests last. */
typedef void sched_name_fn(void *context, const char *name);
void sched_queue_order(const struct sched *sched, const char *path, sched_name_fn *each,
                       void *context);

struct sched_user_figures {             /* of one user in one leaf */
    const char *user;
    float weight;
    struct resource used, reserved, limit, am_used, am_limit;
    uint32_t active_apps, waiting_apps;
    bool active;                        /* has pending requests */
};

/* The first user of the leaf PATH by name, behind the user AFTER unless that is NULL. False behind the last,
 * and if the scheduler does not count by user. Logarithmic cost. */
bool sched_queue_user_next(const struct sched *sched, const char *path, const char *after,
                           struct sched_user_figures *ret);

/* --- access ------------------------------------------------------------------ */

enum sched_permission { SCHED_SUBMIT, SCHED_ADMINISTER };

enum sched_access {
    SCHED_ACCESS_NO_LISTS,              /* there are no access lists: the caller decides */
    SCHED_ACCESS_ALLOWED,
    SCHED_ACCESS_REFUSED,
};

#define SCHED_ACCESS_TEXT_MAX 1024

/* May PERSON do that in the queue at PATH? The access lists of the queue and of all queues above it count.
 * REASON (may be NULL) gets the list that decided, in words; "" without lists.
 * (sched_app_add() checks SCHED_SUBMIT by itself.) */
enum sched_access sched_queue_access(const struct sched *sched, const char *path,
                                     const struct acl_person *person, enum sched_permission permission,
                                     char reason[SCHED_ACCESS_TEXT_MAX]);

/* --- node labels ------------------------------------------------------------- */

#define SCHED_LABELS_MAX 32             /* partitions, the unlabelled one included */
#define SCHED_LABEL_NAME_MAX 255

struct sched_label {
    char *name;                         /* borrowed; "": the partition of nodes without a label */
    bool shared;                        /* not exclusive: requests without a label may use its idle nodes */
    bool configured;                    /* creel.node-labels names it */
};

/* The label with INDEX, counted from 1; false: there is none. A label that was removed stays until the next
 * start. */
bool sched_label_at(const struct sched *sched, int index, struct sched_label *ret);
/* The number of labels, the unlabelled partition included: at least 1. */
int sched_label_count(const struct sched *sched);
/* False: no such label. */
bool sched_label_find(const struct sched *sched, const char *name, struct sched_label *ret);
/* The path of the first queue whose configuration names the label; NULL: none does. O(queues). */
const char *sched_label_queue(const struct sched *sched, const char *name);
/* NAME is a label from now on, if it was none. -E2BIG: there are too many; -ENOTSUP: the scheduler has no
 * labels. */
int sched_label_declare(struct sched *sched, const char *name, bool shared);

#endif

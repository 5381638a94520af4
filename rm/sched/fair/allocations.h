/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocations.h - reads and validates the allocation file, fair-scheduler.xml (yarn-behaviour 8.2, 8.3)
 *
 * A fair_allocations has the settings of the allocation file, with all defaults and inherited values that do
 * not depend on the size of the cluster. A fair_allocations does not change. It has no data about
 * applications, and no queues created by submissions: fair_settings_new() returns the settings of such a
 * queue. A reload reads a new fair_allocations. If the file is broken, the present fair_allocations remains
 * in use.
 *
 * All texts and queues belong to the allocations. Weights, AM shares and thresholds are IEEE
 * single, as in YARN.
 */
#ifndef CREEL_RM_SCHED_FAIR_ALLOCATIONS_H
#define CREEL_RM_SCHED_FAIR_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#include <uthash.h>

#include "common/base/err.h"
#include "common/base/resource.h"
#include "common/conf/conf.h"
#include "common/conf/resource_types.h"
#include "rm/identity/acl.h"
#include "rm/sched/fair/amount.h"
#include "rm/sched/fair/placement.h"
#include "rm/sched/fair/shares.h"

#define FAIR_NEVER_MS INT64_MAX /* no timeout */
#define FAIR_NO_LIMIT INT64_MAX /* of running applications */
#define FAIR_QUEUES_MAX 200000

/* Settings that only few queues have. Kept apart to save memory. */
struct fair_own {
    struct resource minimum;
    struct fair_amount *maximum;       /* owned, as are all pointers below; NULL: not set */
    struct fair_amount *child_maximum; /* maxChildResources: maximum of queues created below this one by
                                          submissions */
    struct resource *container_maximum;
    struct acl *acl_submit, *acl_administer;
};

struct fair_settings {                             /* of one queue */
    RB_ENTRY(fair_settings) by_path;               /* in the allocations */
    STAILQ_ENTRY(fair_settings) link;              /* allocations->queues */
    const struct fair_settings *parent;            /* NULL for root */
    struct fair_own *own;                          /* owned; NULL: none */
    const struct fair_amount *maximum;             /* maxResources, or queueMaxResourcesDefault */
    const struct resource *container_maximum;      /* maxContainerAllocation, inherited; FAIR_UNBOUNDED */
    const struct acl *acl_submit, *acl_administer; /* set for this queue itself: see access.h */
    int64_t max_running_apps;
    int64_t min_share_timeout_ms, fair_share_timeout_ms; /* inherited */
    float fair_share_threshold;                          /* inherited; 0..1 */
    float max_am_share;                                  /* of a leaf, 0..1; -1: no limit */
    float weight;
    uint32_t line;  /* line in the file; 0: not in the file (possible for root) */
    uint16_t given; /* elements set for this queue, a bit each; used by the reader */
    enum fair_policy policy : 8;
    bool leaf : 1;                  /* has no queues below, is not type="parent", is not root */
    bool reservable : 1;            /* <reservation>: a parent of queues created by reservations */
    bool barred : 1;                /* its scheduling policy is not allowed below its parent's. As in
                                       YARN, a warning is given, and neither this queue nor the queues
                                       below are created */
    bool allow_preemption_from : 1; /* set for this queue itself; false also protects the queues below */
    char path[];                    /* "root.dev.ml" */
};

RB_HEAD(fair_settings_tree, fair_settings);
RB_PROTOTYPE(fair_settings_tree, fair_settings, by_path, fair_settings_compare)

/* Returns minResources. */
static inline struct resource fair_settings_minimum(const struct fair_settings *settings)
{
    return settings->own ? settings->own->minimum : resource_of(0, 0);
}

struct fair_user {
    UT_hash_handle hh;
    char *name;
    int64_t max_running_apps;
};

struct fair_allocations {
    STAILQ_HEAD(, fair_settings) queues; /* owned; parents before children, file order; root first */
    struct fair_settings_tree by_path;
    struct fair_settings *root;
    size_t queue_count;

    struct fair_user *users; /* owned hash, by name */
    int64_t user_max_apps;   /* userMaxAppsDefault */

    /* Settings of queues that are not in the file. */
    int64_t queue_max_apps;           /* queueMaxAppsDefault */
    struct fair_amount queue_maximum; /* queueMaxResourcesDefault */
    float queue_max_am_share;         /* queueMaxAMShareDefault, 0.5 */
    enum fair_policy policy;          /* defaultQueueSchedulingPolicy */

    struct acl *everybody, *nobody;    /* owned; the default access lists */
    struct resource container_maximum; /* used if no queue sets one: FAIR_UNBOUNDED */
    struct fair_placement *placement;  /* queuePlacementPolicy, or the default one */
};

/* Settings from other files than the allocation file. */
struct fair_options {
    struct resource_types types;
    bool user_as_default_queue;  /* yarn.scheduler.fair.user-as-default-queue (true) */
    bool allow_undeclared_pools; /* yarn.scheduler.fair.allow-undeclared-pools (true) */
};

/*
 * Reads SIZE bytes of TEXT, the content of the file NAME. WARN (may be NULL) is called once for each element
 * that is ignored, and for settings that are probably a mistake. -EINVAL: the file is broken, and nothing of
 * it is used; ERR has one line for each problem, at most 20:
 *   <name>:<line>:<column>: <message of expat>
 *   <name>:<line>: queue root.dev: weight: "heavy": expected <what>
 */
int fair_allocations_load(const char *name, const char *text, size_t size, const struct fair_options *options,
                          conf_warn_fn *warn, void *context, struct fair_allocations **ret, struct err *err);

/* Returns the settings used without a file: only root. */
struct fair_allocations *fair_allocations_none(const struct fair_options *options);

void fair_allocations_free(struct fair_allocations *allocations); /* NULL is fine */

/* Returns the settings of the queue PATH in the file, or NULL. */
const struct fair_settings *fair_allocations_find(const struct fair_allocations *allocations,
                                                  const char *path);

/* Returns the kind of PATH in the file, as a callback of struct fair_queue_view. ALLOCATIONS is the
 * context. */
enum fair_queue_kind fair_allocations_configured(void *allocations, const char *path);

/* Returns how many applications of USER may run at the same time. */
int64_t fair_allocations_user_max_apps(const struct fair_allocations *allocations, const char *user);

/*
 * Returns the settings of PATH, which is not in the file, below a queue with the settings PARENT (from the
 * file, or from this function): defaults, inherited values, and PARENT's maxChildResources. Owned by the
 * caller; in no list. PARENT must outlive the result.
 */
struct fair_settings *fair_settings_new(const struct fair_allocations *allocations,
                                        const struct fair_settings *parent, const char *path, bool leaf);
void fair_settings_free(struct fair_settings *settings); /* NULL is fine */

/* Returns the maximum in a cluster of TOTAL, at least the minimum. */
struct resource fair_settings_maximum(const struct fair_settings *settings, const struct resource *total);

/* Returns true if a queue with policy CHILD may be below a queue with policy PARENT. drf is not allowed below
 * fair, and no queue is allowed below fifo. */
bool fair_policy_allows(enum fair_policy parent, enum fair_policy child);
const char *fair_policy_name(enum fair_policy policy); /* "fair", "drf", "fifo" */

#endif

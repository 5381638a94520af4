/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocations.h - fair-scheduler.xml, read and judged (yarn-behaviour 8.2, 8.3)
 *
 * A fair_allocations has the settings of the allocation file, with all defaults and inherited values that do
 * not depend on the size of the cluster. It does not change, and has no apps and no queues that submissions
 * create; fair_settings_new returns the settings of those. A reload reads another one. If the file is
 * broken, the present one remains in use.
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

#define FAIR_NEVER_MS INT64_MAX         /* no timeout */
#define FAIR_NO_LIMIT INT64_MAX         /* of running apps */
#define FAIR_QUEUES_MAX 200000

/* Settings that only few queues have of their own. */
struct fair_own {
    struct resource minimum;
    struct fair_amount *maximum;        /* owned, like the next ones; NULL: not set */
    struct fair_amount *child_maximum;  /* maxChildResources: of queues below that submissions create */
    struct resource *container_maximum;
    struct acl *acl_submit, *acl_administer;
};

struct fair_settings {                  /* of one queue */
    RB_ENTRY(fair_settings) by_path;    /* in the allocations */
    STAILQ_ENTRY(fair_settings) link;   /* allocations->queues */
    const struct fair_settings *parent; /* NULL for root */
    struct fair_own *own;               /* owned; NULL: none */
    const struct fair_amount *maximum;  /* maxResources, or queueMaxResourcesDefault */
    const struct resource *container_maximum;   /* maxContainerAllocation, inherited; FAIR_UNBOUNDED */
    const struct acl *acl_submit, *acl_administer;      /* its own: see access.h */
    int64_t max_running_apps;
    int64_t min_share_timeout_ms, fair_share_timeout_ms;        /* inherited */
    float fair_share_threshold;                                 /* inherited; 0..1 */
    float max_am_share;                 /* of a leaf, 0..1; -1: no limit */
    float weight;
    uint32_t line;                      /* of the file; 0: not in it (root may be) */
    uint16_t given;                     /* its own elements, as bits; for the reader */
    enum fair_policy policy : 8;
    bool leaf : 1;                      /* no queues in it, not type="parent", not root */
    bool reservable : 1;                /* <reservation>: a parent of queues that reservations create */
    bool barred : 1;                    /* its policy is not allowed there: neither it nor the queues
                                           below are created, as in YARN, which logs that */
    bool allow_preemption_from : 1;     /* its own; false also protects the queues below */
    char path[];                        /* "root.dev.ml" */
};

RB_HEAD(fair_settings_tree, fair_settings);
RB_PROTOTYPE(fair_settings_tree, fair_settings, by_path, fair_settings_compare)
int fair_settings_compare(const struct fair_settings *a, const struct fair_settings *b);

/* minResources */
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
    STAILQ_HEAD(, fair_settings) queues;        /* owned; parents before children, file order; root first */
    struct fair_settings_tree by_path;
    struct fair_settings *root;
    size_t queue_count;

    struct fair_user *users;            /* owned hash, by name */
    int64_t user_max_apps;              /* userMaxAppsDefault */

    /* For queues that are not in the file. */
    int64_t queue_max_apps;             /* queueMaxAppsDefault */
    struct fair_amount queue_maximum;   /* queueMaxResourcesDefault */
    float queue_max_am_share;           /* queueMaxAMShareDefault, 0.5 */
    enum fair_policy policy;            /* defaultQueueSchedulingPolicy */

    struct acl *everybody, *nobody;     /* owned; the defaults */
    struct resource container_maximum;  /* if no queue has one: FAIR_UNBOUNDED */
    struct fair_placement *placement;   /* queuePlacementPolicy, or the default one */
};

/* Settings outside of the file. */
struct fair_options {
    struct resource_types types;
    bool user_as_default_queue;         /* yarn.scheduler.fair.user-as-default-queue (true) */
    bool allow_undeclared_pools;        /* yarn.scheduler.fair.allow-undeclared-pools (true) */
};

/*
 * Read SIZE bytes of TEXT, the file NAME. WARN (may be NULL) is called once for each element that is ignored,
 * and for settings that are probably a mistake.
 * -EINVAL: the file is broken, and nothing of it is used; ERR has one line for each problem, at most 20:
 *   <name>:<line>:<column>: <message of expat>
 *   <name>:<line>: queue root.dev: weight: "heavy": expected <what>
 */
int fair_allocations_load(const char *name, const char *text, size_t size,
                          const struct fair_options *options, conf_warn_fn *warn, void *context,
                          struct fair_allocations **ret, struct err *err);

/* The settings without a file: root alone. */
struct fair_allocations *fair_allocations_none(const struct fair_options *options);

void fair_allocations_free(struct fair_allocations *allocations);       /* NULL is fine */

/* The queue PATH of the file, or NULL. */
const struct fair_settings *fair_allocations_find(const struct fair_allocations *allocations,
                                                  const char *path);

/* For fair_queue_view: the kind of PATH in the file. ALLOCATIONS is the context. */
enum fair_queue_kind fair_allocations_configured(void *allocations, const char *path);

/* How many apps of USER may run at once. */
int64_t fair_allocations_user_max_apps(const struct fair_allocations *allocations,
                                       const char *user);

/*
 * The settings of PATH, which the file does not name, below a queue with the settings PARENT (of the file, or
 * from this function): the defaults, inherited values, and PARENT's maxChildResources. Owned by the caller;
 * PARENT must outlive them. They are in no list.
 */
struct fair_settings *fair_settings_new(const struct fair_allocations *allocations,
                                        const struct fair_settings *parent, const char *path,
                                        bool leaf);
void fair_settings_free(struct fair_settings *settings);        /* NULL is fine */

/* The maximum in a cluster of TOTAL: never below the minimum. */
struct resource fair_settings_maximum(const struct fair_settings *settings,
                                      const struct resource *total);

/* May a queue with policy CHILD be below one with PARENT? fair may not have drf, fifo nothing. */
bool fair_policy_allows(enum fair_policy parent, enum fair_policy child);
const char *fair_policy_name(enum fair_policy policy);          /* "fair", "drf", "fifo" */

#endif

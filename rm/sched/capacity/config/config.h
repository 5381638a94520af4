/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - capacity-scheduler.xml, read and judged (yarn-behaviour 5)
 *
 * A capacity_config is the tree of queues that an administrator wrote, with every
 * key resolved (defaults, inheritance), and the figures that follow from it and
 * from the size of the cluster. It knows nothing of apps or containers. The scheduler
 * owns one and points into it; a refresh loads a second one, asks
 * capacity_config_accept whether it may follow the first, and replaces it.
 *
 * All texts and queues belong to the config. Capacities are IEEE single as in YARN
 * (a configured 70 is 0.7f); computed fractions and amounts equal YARN's.
 */
#ifndef CREEL_RM_SCHED_CAPACITY_CONFIG_CONFIG_H
#define CREEL_RM_SCHED_CAPACITY_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bsd/sys/queue.h>
#include <uthash.h>

#include "common/base/err.h"
#include "common/base/resource.h"
#include "common/conf/conf.h"
#include "common/conf/resource_types.h"
#include "rm/identity/acl.h"

#define CAPACITY_LABELS_MAX 32          /* partitions, the unlabelled one included */
#define CAPACITY_LABEL_NAME_MAX 255
#define CAPACITY_DEPTH_MAX 64
#define CAPACITY_QUEUES_MAX 200000
#define CAPACITY_PATH_MAX 255           /* bytes: what a name in a message may have */

enum capacity_mode { CAPACITY_PERCENT, CAPACITY_WEIGHT, CAPACITY_VECTOR };
enum capacity_unit { CAPACITY_UNIT_ABSOLUTE, CAPACITY_UNIT_PERCENT, CAPACITY_UNIT_WEIGHT };

/* "[memory=10240,vcores=12]", or, outside legacy mode, with % and w per type. */
struct capacity_vector {
    bool given[RESOURCE_TYPES_MAX];
    enum capacity_unit unit[RESOURCE_TYPES_MAX];
    double value[RESOURCE_TYPES_MAX];
};

/* The capacity of a queue in one partition. */
struct capacity_share {
    enum capacity_mode mode : 8;
    bool idle;                          /* of a leaf to which its parent deals capacity out: it has
                                           none now (5.11, v1) */
    float configured;                   /* PERCENT: 0..100; WEIGHT: 0..10000 */
    float configured_maximum;           /* percent, 100 if not given */
    float am_fraction;                  /* maximum-am-resource-percent that holds here, 0..1 */
    struct capacity_vector *minimum_vector, *maximum_vector;    /* owned; NULL if not so written */

    /* Set by capacity_config_compute. Fractions: 0.105 is 10.5 %. */
    float capacity, absolute;           /* of the parent; of the partition */
    float maximum, absolute_maximum;
    struct resource effective_minimum, effective_maximum;
};

enum capacity_state { CAPACITY_RUNNING, CAPACITY_STOPPED };
enum capacity_order { CAPACITY_ORDER_FIFO, CAPACITY_ORDER_FAIR };       /* of a leaf's apps */

struct capacity_number {                /* a number by name, in a hash */
    UT_hash_handle hh;
    char *name;                         /* owned */
    double value;
};

/* Of acl_application_max_priority: which users may have which priority. */
struct capacity_priority_rule {
    struct acl *who;                    /* owned */
    int32_t most, usual;                /* the highest that they may have; what they get unasked */
};

TAILQ_HEAD(capacity_queue_list, capacity_queue);

struct capacity_queue {
    UT_hash_handle hh;                  /* config->by_path */
    UT_hash_handle by_name;             /* config->leaves */
    struct capacity_queue *namesake;    /* the next leaf of its name */
    TAILQ_ENTRY(capacity_queue) link;   /* config->queues: parents before children, file order */
    TAILQ_ENTRY(capacity_queue) sibling;
    struct capacity_queue_list children;
    struct capacity_queue *parent;      /* NULL for root */
    char *path;                         /* "root.dev.ml" */
    const char *name;                   /* its last component */
    uint32_t position;                  /* among its siblings, from 0 */
    bool leaf;
    bool dynamic;                       /* made by a submission, not by the file */
    enum capacity_state state;          /* with what it inherits */
    bool state_given;                   /* the file names a state for this very queue */
    bool stop_given;                    /* ... and it is STOPPED */
    bool priority_utilization;          /* order of its children is priority-utilization */
    bool size_based_weight;             /* ordering-policy.fair.enable-size-based-weight */

    struct capacity_share *shares;      /* owned; label_count of them, by label index */
    uint64_t access;                    /* bit per label index it may use; bit 0 always set;
                                         * all bits, also of labels not yet known: "*" */
    int default_label;                  /* default-node-label-expression as index; 0 is none */

    int32_t priority;
    enum capacity_order order;
    int32_t default_app_priority;
    struct capacity_priority_rule *priority_rules;      /* owned; by MOST. None: all may have any */
    size_t priority_rule_count;

    float user_limit_percent;           /* minimum-user-limit-percent, 100 */
    float user_limit_factor;            /* 1; -1: none */
    struct capacity_number *user_weights;       /* owned; by user, those of this very queue */
    int64_t max_apps, max_apps_per_user;        /* as 5.2 computes them, after compute */
    int64_t max_apps_given;             /* -1: not */
    int64_t max_parallel_apps;          /* of this queue itself; INT64_MAX: no limit */

    char *acl_submit, *acl_administer;  /* as written; what is not given is " " below root */
    struct resource maximum_allocation; /* of one container, inherited, never above the cluster's */
    int64_t maximum_lifetime_s, default_lifetime_s;     /* -1: none; inherited */
    bool disable_preemption, disable_intra_preemption;  /* inherited */

    bool access_given;                  /* accessible-node-labels names them for this very queue */

    bool auto_create;                   /* auto-queue-creation-v2.enabled */
    bool auto_create_legacy;            /* auto-create-child-queue.enabled */
    bool auto_create_fails;             /* ... .fail-on-exceeding-parent-capacity */
    bool auto_remove;                   /* queue-auto-removal.enable */
    bool allow_zero_capacity_sum;
    int64_t auto_create_max_queues;
    int64_t auto_create_max_depth;

    void *live;                         /* the scheduler's queue; not looked at here */
};

struct capacity_config {
    struct capacity_queue_list queues;  /* root is the first */
    struct capacity_queue *by_path;     /* owned hash */
    size_t queue_count;
    struct capacity_queue *root;

    char *labels[CAPACITY_LABELS_MAX];  /* owned; labels[0] is "" */
    bool label_shared[CAPACITY_LABELS_MAX];     /* not exclusive; false for all but those declared so */
    bool label_declared[CAPACITY_LABELS_MAX];   /* creel.node-labels names it */
    int label_count;
    bool labels_enabled;                /* yarn.node-labels.enabled */

    struct resource_types types;        /* what the indices of a struct resource mean */
    struct capacity_queue *leaves;      /* hash by name, of the first of each name */

    bool dominant;                      /* resource-calculator is DominantResourceCalculator */
    struct resource minimum_allocation, maximum_allocation;
    int64_t maximum_applications;       /* the system's, 10000 */
    int64_t queue_max_apps;             /* of a queue without its own; 0, -1: not set */
    int64_t user_max_parallel_apps;     /* default of each user; INT64_MAX: no limit */
    struct capacity_number *user_parallel;      /* owned; user.<user>.max-parallel-apps, by user */
    int64_t node_locality_delay, rack_locality_additional_delay;
    bool rack_locality_full_reset;
    bool reservations_continue_look;
    bool multiple_assignments;
    int64_t maximum_container_assignments;      /* per heartbeat; -1: no limit */
    int64_t maximum_offswitch_assignments;      /* per heartbeat, at least 1 */
    bool legacy_queue_mode;
    bool lazy_preemption;
    struct capacity_number *weighted_users;     /* owned; who has a weight anywhere, also in templates */
    struct capacity_number *workflows;  /* owned; workflow-priority-mappings: the priority by
                                         * "<path of a queue>:<workflow id>" */
    char *workflow_prefix;              /* owned; tags that begin with it name a workflow */
    bool workflow_override;             /* workflow-priority-mappings-override.enable */
    int64_t maximum_app_priority;       /* yarn.cluster.max-application-priority */
    int64_t deal_interval_ms;           /* of parents that deal capacity out, 1500 */
    int64_t queue_expiration_ms;        /* of empty dynamic queues */

    const struct conf *conf;            /* borrowed: templates of queues yet to be made; must outlive */
};

/* Called once for each warning: a key of a queue that does not exist, and the like. */
typedef void capacity_warn_fn(void *context, const char *text);

/*
 * Read yarn.scheduler.capacity.* (and minimum and maximum allocation, resource types, node
 * labels) out of CONF, judge it whole. CONF is borrowed for the life of the config.
 * A CONF without any queue key is the shipped default: root.default with 100 %.
 * -EINVAL: ERR has one line per problem, at most 20:
 *   <file>:<line>: <key>: "<value>": expected <what>, or the rule that is broken with its numbers
 */
int capacity_config_load(const struct conf *conf, capacity_warn_fn *warn, void *context,
                         struct capacity_config **ret, struct err *err);
void capacity_config_free(struct capacity_config *config);     /* NULL is fine */

/* Set what depends on the cluster: TOTALS by label index (label_count of them). Cost: the
 * number of queues times labels. */
void capacity_config_compute(struct capacity_config *config, const struct resource *totals);

/* The queue that NAME (full path, or the name of a leaf if only one has it) means; NULL if there
 * is none, or several (*AMBIGUOUS, may be NULL). */
struct capacity_queue *capacity_config_find(const struct capacity_config *config, const char *name,
                                            bool *ambiguous);
/* Index of LABEL ("" is 0), or -1. */
int capacity_config_label(const struct capacity_config *config, const char *label);
/* As before, but a label that nobody has declared gets the next index. -E2BIG. Queues get a
 * share of it that has nothing. */
int capacity_config_label_add(struct capacity_config *config, const char *label);

float capacity_queue_user_weight(const struct capacity_queue *queue, const char *user);
int64_t capacity_config_user_parallel(const struct capacity_config *config, const char *user);

/* What WORKFLOW is mapped to in QUEUE, or else in the nearest queue above it. */
bool capacity_config_workflow(const struct capacity_config *config,
                              const struct capacity_queue *queue, const char *workflow,
                              int32_t *priority);

/*
 * Make the queue PATH and its missing ancestors from templates (5.11, flexible form).
 * -EINVAL: no ancestor makes queues; -ENOSPC: max-queues; -E2BIG: too deep. ERR has which.
 * Figures are current only after the next capacity_config_compute.
 */
int capacity_config_create(struct capacity_config *config, const char *path,
                           struct capacity_queue **ret, struct err *err);
/* Take the dynamic QUEUE, which has no children, out. */
void capacity_config_remove(struct capacity_config *config, struct capacity_queue *queue);

/* Does the parent of LEAF deal out what LEAF has of LABEL? */
bool capacity_config_is_dealt(const struct capacity_queue *leaf, int label);
/* Has the parent as much left as LEAF would get? Amounts are those of the last compute. */
bool capacity_config_may_deal(const struct capacity_config *config,
                              const struct capacity_queue *leaf, int label);

/* The state of a queue in the running scheduler. */
struct capacity_live {
    bool stopped;                       /* its state is STOPPED: it has no apps left */
    bool has_apps;
};
typedef struct capacity_live capacity_live_fn(void *context, const char *path);

/* May NEXT follow OLD (5.14)? On success NEXT has OLD's dynamic queues too. -EINVAL: ERR has
 * which rule, with file, line and key; then NEXT is of no more use: free it. Figures are current
 * only after the next capacity_config_compute. */
int capacity_config_accept(const struct capacity_config *old, struct capacity_config *next,
                           capacity_live_fn *live, void *context, struct err *err);

#endif

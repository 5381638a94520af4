/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - reads and validates capacity-scheduler.xml (yarn-behaviour 5)
 *
 * A capacity_config is the tree of queues that an administrator configured, with every key resolved
 * (defaults, inheritance), and the figures computed from that tree and from the size of the cluster. A
 * capacity_config has no data about applications or containers. The scheduler owns one config and points into
 * it. A refresh loads a second config, calls capacity_config_accept() to check whether it may replace the
 * first, and replaces it.
 *
 * All texts and queues belong to the config. Capacities are IEEE single precision as in YARN (a configured 70
 * is 0.7f). Computed fractions and amounts equal YARN's.
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

/* Templates of queues that are created below another one; as enum sched_template. */
enum capacity_template_kind {
    CAPACITY_TEMPLATE_MANAGED,
    CAPACITY_TEMPLATE_DYNAMIC,
    CAPACITY_TEMPLATE_PARENT,
    CAPACITY_TEMPLATE_LEAF,
};
/* STARS: number of components of the path in the key that are "*". */
typedef void capacity_template_fn(void *context, enum capacity_template_kind kind, const char *name,
                                  const char *value, int stars);

#define CAPACITY_LABELS_MAX 32 /* partitions, the unlabelled one included */
#define CAPACITY_DEPTH_MAX 64
#define CAPACITY_QUEUES_MAX 200000
#define CAPACITY_PATH_MAX 255 /* bytes of a queue path that messages show */

enum capacity_mode { CAPACITY_PERCENT, CAPACITY_WEIGHT, CAPACITY_VECTOR };
enum capacity_unit { CAPACITY_UNIT_ABSOLUTE, CAPACITY_UNIT_PERCENT, CAPACITY_UNIT_WEIGHT };

/* Resource amounts: "[memory=10240,vcores=12]". Outside legacy mode, a value may also end in % or w. */
struct capacity_vector {
    bool given[RESOURCE_TYPES_MAX];
    enum capacity_unit unit[RESOURCE_TYPES_MAX];
    double value[RESOURCE_TYPES_MAX];
};

/* The capacity of a queue in one partition. */
struct capacity_share {
    enum capacity_mode mode : 8;
    bool idle;                /* leaf whose parent assigns capacity to its leaves (5.11, v1):
                                 this leaf has none now */
    float configured;         /* PERCENT: 0..100; WEIGHT: 0..10000 */
    float configured_maximum; /* percent; not given: 100, but 0 for a label of which no key is set */
    float am_fraction;        /* the effective maximum-am-resource-percent, 0..1 */
    struct capacity_vector *minimum_vector, *maximum_vector; /* owned; NULL: not configured as amounts */

    /* Set by capacity_config_compute(), as fractions: 0.105 is 10.5 %. */
    float capacity, absolute; /* of the parent; of the partition */
    float maximum, absolute_maximum;
    struct resource effective_minimum, effective_maximum;
};

enum capacity_state { CAPACITY_RUNNING, CAPACITY_STOPPED };
enum capacity_order { CAPACITY_ORDER_FIFO, CAPACITY_ORDER_FAIR }; /* order of a leaf's applications */

struct capacity_number { /* a number stored by name in a hash */
    UT_hash_handle hh;
    char *name; /* owned */
    double value;
};

/* One entry of acl_application_max_priority: which users may use which application priority. */
struct capacity_priority_rule {
    struct acl *who;     /* owned */
    int32_t most, usual; /* MOST: highest priority allowed; USUAL: default priority */
};

TAILQ_HEAD(capacity_queue_list, capacity_queue);

struct capacity_queue {
    UT_hash_handle hh;                /* config->by_path */
    UT_hash_handle by_name;           /* config->leaves */
    struct capacity_queue *namesake;  /* next leaf with the same name */
    TAILQ_ENTRY(capacity_queue) link; /* config->queues: parents before children, file order */
    TAILQ_ENTRY(capacity_queue) sibling;
    struct capacity_queue_list children;
    struct capacity_queue *parent; /* NULL for root */
    char *path;                    /* "root.dev.ml" */
    const char *name;              /* last component of PATH */
    uint32_t position;             /* among its siblings, from 0 */
    bool leaf;
    bool dynamic;              /* created by a submission, not configured in the file */
    enum capacity_state state; /* own state, or STOPPED because of a parent */
    bool state_given;          /* the file sets the state of this queue itself */
    bool stop_given;           /* ... to STOPPED */
    bool priority_utilization; /* ordering policy of the children is priority-utilization */
    bool size_based_weight;    /* ordering-policy.fair.enable-size-based-weight */

    struct capacity_share *shares; /* owned array of label_count elements, by label index */
    uint64_t access;               /* labels that the queue may use, one bit per label index; bit 0 is
                                    * always set; UINT64_MAX: "*", also labels that are added later */
    int default_label;             /* default-node-label-expression as index; 0 is none */

    int32_t priority;
    enum capacity_order order;
    int32_t default_app_priority;
    struct capacity_priority_rule *priority_rules; /* owned; sorted by MOST. None: every user may use
                                                      any priority */
    size_t priority_rule_count;

    float user_limit_percent;             /* minimum-user-limit-percent; default 100 */
    float user_limit_factor;              /* default 1; -1: no limit */
    struct capacity_number *user_weights; /* owned; weights by user name, set for this queue itself */
    int64_t max_apps, max_apps_per_user;  /* limits of yarn-behaviour 5.2, set by
                                             capacity_config_compute() */
    int64_t max_apps_given;               /* configured limit; -1: not configured */
    int64_t max_parallel_apps;            /* limit of this queue itself; INT64_MAX: no limit */

    char *acl_submit, *acl_administer;  /* owned; as written in the file. Not configured: " " (no user)
                                           below root */
    struct resource maximum_allocation; /* largest container of the queue; inherited, at most the cluster's */
    int64_t maximum_lifetime_s, default_lifetime_s;    /* -1: none; inherited */
    bool disable_preemption, disable_intra_preemption; /* inherited */

    bool access_given; /* accessible-node-labels is set for this queue itself */

    bool auto_create;        /* auto-queue-creation-v2.enabled */
    bool auto_create_legacy; /* auto-create-child-queue.enabled */
    bool auto_create_fails;  /* ... .fail-on-exceeding-parent-capacity */
    bool auto_remove;        /* queue-auto-removal.enable */
    bool allow_zero_capacity_sum;
    int64_t auto_create_max_queues;
    int64_t auto_create_max_depth;

    void *live; /* the scheduler's struct sched_queue; not used by the
                   configuration code */
};

struct capacity_config {
    struct capacity_queue_list queues; /* root is the first */
    struct capacity_queue *by_path;    /* owned hash */
    size_t queue_count;
    struct capacity_queue *root;

    char *labels[CAPACITY_LABELS_MAX];        /* owned; labels[0] is "" */
    bool label_shared[CAPACITY_LABELS_MAX];   /* exclusive=false is configured: requests without a
                                                 label may use idle nodes */
    bool label_declared[CAPACITY_LABELS_MAX]; /* creel.node-labels names it */
    int label_count;
    bool labels_enabled; /* yarn.node-labels.enabled */
    bool masters_borrow; /* yarn.resourcemanager.node-labels.am.allow-non-exclusive-allocation */

    struct resource_types types;   /* names of the resource types, by index in a struct resource */
    struct capacity_queue *leaves; /* hash by name; the first leaf of each name */

    bool dominant; /* resource-calculator is DominantResourceCalculator */
    struct resource minimum_allocation, maximum_allocation;
    int64_t maximum_applications;          /* yarn.scheduler.capacity.maximum-applications, default 10000 */
    int64_t queue_max_apps;                /* global-queue-max-application: limit of a queue without its own;
                                              0, -1: not set */
    int64_t user_max_parallel_apps;        /* default limit of each user; INT64_MAX: no limit */
    struct capacity_number *user_parallel; /* owned; user.<user>.max-parallel-apps, by user */
    int64_t node_locality_delay, rack_locality_additional_delay;
    bool rack_locality_full_reset;
    bool reservations_continue_look;
    bool multiple_assignments;
    int64_t maximum_container_assignments; /* per heartbeat; -1: no limit */
    int64_t maximum_offswitch_assignments; /* per heartbeat, at least 1 */
    bool legacy_queue_mode;
    bool lazy_preemption;
    struct capacity_number *weighted_users; /* owned; users with a weight in any queue or template */
    struct capacity_number *workflows;      /* owned; workflow-priority-mappings: priority by "<path of a
                                             * queue>:<workflow id>" */
    char *workflow_prefix;                  /* owned; tags that begin with this text name a workflow */
    bool workflow_override;                 /* workflow-priority-mappings-override.enable */
    int64_t maximum_app_priority;           /* yarn.cluster.max-application-priority */
    int64_t deal_interval_ms;               /* how often a managed parent reassigns capacity to its leaves;
                                               default 1500 */
    int64_t queue_expiration_ms;            /* an empty dynamic queue is removed after this time */

    struct capacity_template {
        char *path; /* owned; of the parent; its last components may be "*" */
        enum capacity_template_kind kind;
        const char *name, *value; /* borrowed of CONF */
    } * templates;                /* owned; for reports */
    size_t template_count, template_capacity;

    const struct conf *conf; /* borrowed: has the templates of queues created later; must
                                outlive this config */
};

/*
 * Reads yarn.scheduler.capacity.*, the minimum and maximum allocation, resource types and node labels from
 * CONF, and validates them. CONF is borrowed as long as the config exists. A CONF without any queue key gives
 * the default configuration: root.default with 100 %.
 * -EINVAL: ERR has one line for each problem, at most 20:
 *   <file>:<line>: <key>: "<value>": expected <what>, or the broken rule with its numbers
 */
int capacity_config_load(const struct conf *conf, conf_warn_fn *warn, void *context,
                         struct capacity_config **ret, struct err *err);
void capacity_config_free(struct capacity_config *config); /* NULL is fine */

/* Calls EACH for all properties of the templates of QUEUE: of keys with its path, and with "*" as the last
 * components of a path. */
void capacity_each_template(const struct capacity_config *config, const struct capacity_queue *queue,
                            capacity_template_fn *each, void *context);

/* Computes the figures that depend on the cluster. TOTALS has the total resource of each partition, by label
 * index (label_count elements). Cost: O(queues * labels). */
void capacity_config_compute(struct capacity_config *config, const struct resource *totals);

/* Finds a queue by NAME: its full path, or the name of a leaf if no other leaf has that name. Returns NULL if
 * there is none, or if several leaves have that name. *AMBIGUOUS (AMBIGUOUS may be NULL) is true if
 * several. */
struct capacity_queue *capacity_config_find(const struct capacity_config *config, const char *name,
                                            bool *ambiguous);
/* Returns the index of LABEL ("" is 0), or -1 if LABEL is unknown. */
int capacity_config_label(const struct capacity_config *config, const char *label);
/* Like capacity_config_label(), but gives an unknown label the next index. Queues get an empty share of it.
 * -E2BIG: too many labels. */
int capacity_config_label_add(struct capacity_config *config, const char *label);

/* Returns true if the configuration of QUEUE gives it something of the label, or names it as its default. */
bool capacity_queue_names_label(const struct capacity_queue *queue, int label);
/* Calls EACH for each key, of QUEUE or of the template that made it, that names the label. */
typedef void capacity_name_fn(void *context, const char *name);
void capacity_each_label_key(struct capacity_config *config, const struct capacity_queue *queue, int label,
                             capacity_name_fn *each, void *context);

float capacity_queue_user_weight(const struct capacity_queue *queue, const char *user);
int64_t capacity_config_user_parallel(const struct capacity_config *config, const char *user);

/* Looks up the priority of WORKFLOW in QUEUE, or else in the nearest ancestor that maps it. Returns false if
 * none does. */
bool capacity_config_workflow(const struct capacity_config *config, const struct capacity_queue *queue,
                              const char *workflow, int32_t *priority);

/*
 * Creates the queue PATH and its missing ancestors from templates (5.11, flexible form).
 * -EINVAL: no ancestor may create queues; -ENOSPC: max-queues is reached; -E2BIG: too many levels. ERR has
 * the queue.
 *
 * The figures of the new queues are valid after the next capacity_config_compute().
 */
int capacity_config_create(struct capacity_config *config, const char *path, struct capacity_queue **ret,
                           struct err *err);
/* Removes the dynamic QUEUE, which must have no children. */
void capacity_config_remove(struct capacity_config *config, struct capacity_queue *queue);

/* Returns true if the parent of LEAF assigns the capacity of LEAF in the partition LABEL. */
bool capacity_config_is_dealt(const struct capacity_queue *leaf, int label);
/* Returns true if the parent has enough unassigned capacity for LEAF, by the figures of the last compute. */
bool capacity_config_may_deal(const struct capacity_config *config, const struct capacity_queue *leaf,
                              int label);

/* Returns the configured capacity of resource type T and its unit, in any of the three modes. */
double capacity_share_amount(const struct capacity_share *share, size_t t, enum capacity_unit *unit);

/* Returns the amounts that SHARE, of a leaf whose parent has the share ABOVE, has in a partition of the size
 * TOTAL while its capacity is assigned. */
struct resource capacity_share_template(const struct capacity_share *share,
                                        const struct capacity_share *above, const struct resource *total);

/* The state of a queue in the running scheduler. */
struct capacity_live {
    bool stopped; /* the state is STOPPED: no applications are left */
    bool has_apps;
};
typedef struct capacity_live capacity_live_fn(void *context, const char *path);

/* Checks whether NEXT may replace OLD (5.14). On success, the dynamic queues of OLD are added to NEXT.
 * -EINVAL: ERR has the broken rule, with file, line and key; the caller must then free NEXT. Figures are
 * valid after the next capacity_config_compute(). */
int capacity_config_accept(const struct capacity_config *old, struct capacity_config *next,
                           capacity_live_fn *live, void *context, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_queues.h - queries about the scheduler: features, queues, users, access, node labels
 *
 * A part of the scheduler's interface (sched.h). All results have the same form for all policies, so that
 * callers need not know which policy is in use. The scheduler owns the texts in a result; they are valid
 * until the next call that changes its state.
 */
#ifndef CREEL_RM_SCHED_QUEUES_H
#define CREEL_RM_SCHED_QUEUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/resource.h"
#include "rm/identity/acl.h"

struct conf;
struct sched;
struct sched_decisions;

/* --- features of the scheduler ---------------------------------------------- */

/* Meaning of the figures of a queue. */
enum sched_queue_model {
    SCHED_QUEUES_PLAIN,    /* queues only group applications: no shares, no limits */
    SCHED_QUEUES_CAPACITY, /* guaranteed capacity and a maximum; use above the guarantee is
                              borrowed */
    SCHED_QUEUES_FAIR,     /* fair shares of the cluster, and a maximum */
};

/* Changes only with sched_refresh(). */
struct sched_features {
    enum sched_queue_model queues;
    bool users;          /* sched_queue_user_next() returns users and their limits */
    bool labels;         /* node labels are supported ... */
    bool labels_enabled; /* ... and yarn.node-labels.enabled is true */
    bool preemption;     /* containers may be preempted */
    bool ticks;          /* call sched_tick() at least every second */
    /* How often the caller must call these functions; 0: never. */
    int64_t preempt_interval_ms; /* sched_preempt() */
    int64_t update_interval_ms;  /* sched_update() */
    int64_t batch_interval_ms;   /* sched_node_batch(); 0 without continuous scheduling */
    size_t batch_nodes;          /* number of nodes to offer in each call of sched_node_batch() */
};

const struct sched_features *sched_features(const struct sched *sched);

/* --- queues ------------------------------------------------------------------ */

struct sched_queue_figures {      /* of the unlabelled partition, where partitions matter */
    const char *path;             /* "root.default" */
    const char *state;            /* RUNNING, DRAINING, STOPPED */
    const char *configured_state; /* state set for this queue itself: RUNNING, STOPPED; "": not set */
    bool leaf, dynamic;
    float capacity, max_capacity; /* fractions of the parent; CAPACITY of a queue with a weight is 0 */
    float absolute_capacity, absolute_max_capacity, absolute_used; /* fractions of the cluster */
    float used_capacity;     /* used fraction of the guaranteed capacity; above 1: borrows */
    float weight;            /* -1: none */
    float normalized_weight; /* WEIGHT divided by the sum of the weights of all siblings; 0:
                                none */
    int32_t priority;
    struct resource used, pending, reserved;               /* USED includes RESERVED */
    struct resource minimum, maximum;                      /* guaranteed resource, and limit */
    struct resource demand, fair_share, steady_fair_share; /* of the fair scheduler */
    const char *policy;                          /* fair: scheduling policy among its children; else NULL */
    struct resource am_limit, am_used;           /* leaf: of application masters */
    struct resource user_limit;                  /* leaf: limit of one active user */
    float user_limit_percent, user_limit_factor; /* settings from which USER_LIMIT is computed; 0:
                                                    not known */
    int64_t max_apps, max_apps_per_user;         /* INT64_MAX: no limit */
    int64_t maximum_lifetime_s, default_lifetime_s; /* of applications; -1: none */
    uint32_t apps_running;                          /* applications with a container */
    uint32_t apps_pending;                          /* applications without a container */
    uint32_t active_apps, waiting_apps;             /* not blocked, and blocked, by a limit on applications */
    uint32_t active_users;                          /* leaf, capacity: see capacity/active.c */
    uint32_t containers, labelled_containers;       /* of all nodes; those of nodes with a label */
    bool preemption;                                /* containers of the queue may be preempted */
    int64_t starved_since_ms;                       /* fair, leaf: since when below its minimum share, or an
                                 application below its fair share; -1: neither, or preemption is
                                 off */
};

struct sched_queue; /* opaque: a position in the iteration below */

/* Sets *AT to the queue after *AT (NULL: to the first), parents before children, and fills in RET. Returns
 * false at the end. No queue may be added or removed during the iteration. */
bool sched_queue_next(const struct sched *sched, const struct sched_queue **at,
                      struct sched_queue_figures *ret);
/* Sets *RET to the queue PATH, as a position of sched_queue_next(). Returns false if there is no such
 * queue. */
bool sched_queue_position(const struct sched *sched, const char *path, const struct sched_queue **ret);
size_t sched_queue_count(const struct sched *sched);
/* Finds a queue by name or path. Returns false if there is no such queue. */
bool sched_queue_find_figures(const struct sched *sched, const char *name, struct sched_queue_figures *ret);

/* Fills in RET for the queue with this path. Returns false if there is none. Cost: O(1). */
bool sched_queue_at_path(const struct sched *sched, const char *path, struct sched_queue_figures *ret);

/* Returns the path of a queue whose figures may have changed since this function last returned it, and
 * removes it from the list of these queues. NULL: the list is empty. Limits that depend on what other queues
 * use (am_limit, user_limit) may change without that. */
const char *sched_queue_next_changed(struct sched *sched);
bool sched_queue_any_changed(const struct sched *sched);
/* Returns a number that grows when the figures of all queues may have changed: after a change of the
 * cluster's size, of the configuration, or of the list of queues. These changes are not in the list of
 * changed queues. */
uint64_t sched_queues_version(const struct sched *sched);

/* Returns the path of a queue that was added or removed, in the order of these changes, which the caller
 * frees; NULL: this function has returned all. A queue that was added and removed is returned twice. */
char *sched_queue_next_new_or_gone(struct sched *sched);

/* Settings of a queue, its own or inherited. Only for the capacity scheduler. */
/* The configured capacity of a queue in one partition. */
struct sched_capacity {
    int types;                     /* number of elements of UNIT and VALUE */
    char unit[RESOURCE_TYPES_MAX]; /* by type of resource; '%': of the parent, 'w': weight, '=': amount */
    double value[RESOURCE_TYPES_MAX];
    struct resource minimum, maximum; /* amounts; MAXIMUM: its own or inherited. Zero: none */
};

struct sched_queue_settings {
    const char *mode; /* percentage, weight, absolute, mixed */
    struct sched_capacity configured;
    uint64_t labels;   /* labels that requests may name, one bit per label index;
                          UINT64_MAX: all */
    int default_label; /* label index of requests that name none; 0: none */
    const char *submit_acl, *administer_acl;
    const char *ordering; /* leaf: fifo, fair; else utilization, priority-utilization */
    float am_fraction;    /* maximum-am-resource-percent */
    int32_t default_app_priority;
    struct resource maximum_allocation, user_am_limit;
    int64_t max_parallel_apps; /* INT64_MAX: no limit */
    bool intra_queue_preemption;
    const char *auto_creation; /* off, legacy, flexible */
};

/* Returns false if there is no queue PATH, or the scheduler has no such settings. */
bool sched_queue_settings(const struct sched *sched, const char *path, struct sched_queue_settings *ret);
/* Templates of queues that are created below another one. */
enum sched_template {
    SCHED_TEMPLATE_MANAGED, /* leaf-queue-template */
    SCHED_TEMPLATE_DYNAMIC, /* auto-queue-creation-v2.template, and so on */
    SCHED_TEMPLATE_PARENT,
    SCHED_TEMPLATE_LEAF,
};
/* Of several values of NAME in one template, that with the smallest GENERALITY is in effect. */
typedef void sched_template_fn(void *context, enum sched_template kind, const char *name, const char *value,
                               int generality);
/* Calls EACH for all properties of the templates of the queue PATH. */
void sched_queue_templates(const struct sched *sched, const char *path, sched_template_fn *each,
                           void *context);
/* Figures of a queue in the partition of a label. ABSOLUTE_* are fractions of the partition. */
struct sched_partition_figures {
    const char *label;
    bool accessible;                             /* requests in the queue may name the label */
    bool exists;                                 /* the configuration names the label, or a node has it */
    float capacity, max_capacity, used_capacity; /* as in sched_queue_figures */
    float absolute_capacity, absolute_max_capacity, absolute_used;
    float weight, normalized_weight; /* -1 and 0: none */
    float am_fraction;
    struct resource used, reserved, pending, minimum, maximum; /* USED includes RESERVED */
    struct resource am_used, am_limit, user_am_limit;          /* leaf */
    uint32_t containers;
    struct sched_capacity configured;
};

/* Returns false if there is no queue PATH, it has no part in the partition of LABEL, an index from 1, or the
 * scheduler has no partitions. */
bool sched_queue_partition_figures(const struct sched *sched, const char *path, int label,
                                   struct sched_partition_figures *ret);
/* Returns the lifetime, in seconds, of an application in QUEUE that requests ASKED_S (0: no request); 0:
 * unlimited. As in YARN (CapacityScheduler.checkAndGetApplicationLifetime): without a request the default of
 * the queue applies, or else its maximum; with a request the maximum is the limit. */
int64_t sched_queue_lifetime_s(const struct sched *sched, const char *queue, int64_t asked_s);
/* Returns true if NAME (name or path) denotes the queue at PATH. */
bool sched_queue_is(const struct sched *sched, const char *name, const char *path);
/* Reads yarn.admin.acl and yarn.acl.enable from CONF: administrators pass the access lists of all queues, and
 * so do all users if access lists are off. CONF is not used after the call. */
void sched_queues_read_access(struct sched *sched, const struct conf *conf);
/* Stops or starts a queue. A stopped queue refuses new applications; those it contains finish (DRAINING, then
 * STOPPED). -ENOENT: no such queue; -EINVAL: its parent is stopped, or queues of this scheduler cannot be
 * stopped. */
int sched_queue_set_running(struct sched *sched, const char *name, bool running,
                            struct sched_decisions *decisions, struct err *err);
/* Calls EACH for the children (names) or applications (ids) of a queue in the order in which they are served:
 * applications with pending requests, then those that wait for their start, in the order in which they start,
 * and those without pending requests last. */
typedef void sched_name_fn(void *context, const char *name);
void sched_queue_order(const struct sched *sched, const char *path, sched_name_fn *each, void *context);

struct sched_user_figures { /* of one user in one leaf; amounts: in one partition */
    const char *user;
    float weight;
    struct resource used, reserved, limit, am_used, am_limit;
    uint32_t active_apps, waiting_apps;
    bool active; /* has pending requests */
};

/* Fills in RET with the next user of the leaf PATH in order of names, after the user AFTER (NULL: with the
 * first user). Returns false at the end, or if the scheduler does not count users. Cost: O(log n). */
bool sched_queue_user_next(const struct sched *sched, const char *path, const char *after,
                           struct sched_user_figures *ret);
/* Fills in RET with the amounts of USER in the leaf PATH in the partition of LABEL, an index from 1. Returns
 * false if its applications neither use nor request anything there, or the scheduler does not count users. */
bool sched_queue_user_partition(const struct sched *sched, const char *path, const char *user, int label,
                                struct sched_user_figures *ret);

/* --- access ------------------------------------------------------------------ */

enum sched_permission { SCHED_SUBMIT, SCHED_ADMINISTER };

enum sched_access {
    SCHED_ACCESS_NO_LISTS, /* there are no access lists: the caller decides */
    SCHED_ACCESS_ALLOWED,
    SCHED_ACCESS_REFUSED,
};

#define SCHED_ACCESS_TEXT_MAX 1024

/* Checks whether PERSON has PERMISSION in the queue at PATH. The access lists of the queue and of all queues
 * above it apply. REASON (may be NULL) is set to the list that decided, as text; "" without lists.
 * (sched_app_add() checks SCHED_SUBMIT itself.) */
enum sched_access sched_queue_access(const struct sched *sched, const char *path,
                                     const struct acl_person *person, enum sched_permission permission,
                                     char reason[SCHED_ACCESS_TEXT_MAX]);

/* --- node labels ------------------------------------------------------------- */

#define SCHED_LABELS_MAX 32 /* partitions, including the unlabelled one */
#define SCHED_LABEL_NAME_MAX 255

struct sched_label {
    char *name;      /* borrowed; "": the partition of nodes without a label */
    bool shared;     /* not exclusive: requests without a label may use its idle nodes */
    bool configured; /* creel.node-labels names it */
};

/* Fills in RET with the label INDEX, from 1. Returns false if there is none. A label removed from the
 * configuration remains until the next start. */
bool sched_label_at(const struct sched *sched, int index, struct sched_label *ret);
/* Returns the number of labels, including the unlabelled partition: at least 1. */
int sched_label_count(const struct sched *sched);
/* Finds a label by NAME. Returns false if there is no such label. */
bool sched_label_find(const struct sched *sched, const char *name, struct sched_label *ret);
/* Returns the path of the first queue whose configuration names the label; NULL: none does. Cost:
 * O(queues). */
const char *sched_label_queue(const struct sched *sched, const char *name);
/* Calls EACH for each configuration key by which a queue names the label, in the order of the queues. A key
 * of a template comes once for each queue that was made by it. Cost: O(queues). */
void sched_label_keys(const struct sched *sched, const char *name, sched_name_fn *each, void *context);
/* Makes NAME a label, if it is not one yet. -E2BIG: too many labels; -ENOTSUP: the scheduler has no
 * labels. */
int sched_label_declare(struct sched *sched, const char *name, bool shared);

#endif

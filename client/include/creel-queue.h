/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel-queue.h - libcreel: queues, their users, and access to them
 *
 * creel.h includes this header behind the types that it uses; programs include creel.h. Conventions for
 * errors, memory and times are those of creel.h. tools/record-fields writes the members of the first three
 * structs, from common/record/queue_fields.h and queue_user_fields.h.
 */
#ifndef CREEL_QUEUE_H
#define CREEL_QUEUE_H

/* A queue on the nodes of a label, as struct creel_queue, whose figures are of nodes without one. */
struct creel_queue_label {
    const char *label;
    double absolute_capacity;     /* fraction of the partition */
    double absolute_max_capacity; /* fraction of the partition */
    double absolute_used;         /* fraction of the partition */
    struct creel_resource used;
    struct creel_resource pending;
    struct creel_resource reserved;
    struct creel_resource minimum; /* guaranteed resources */
    struct creel_resource maximum; /* limit of its use */
    uint32_t containers;
};

struct creel_queue {
    const char *path;
    const char *state;
    double capacity;      /* fraction of its parent */
    double max_capacity;  /* fraction of its parent */
    double used_capacity; /* fraction of its guaranteed resources; above 1: it borrows */
    struct creel_resource used;
    struct creel_resource pending;
    uint32_t apps_running;
    uint32_t apps_pending;
    uint32_t containers;
    bool leaf;                    /* applications are submitted to it */
    bool dynamic;                 /* a submission created it */
    bool preemption;              /* its containers may be preempted */
    double absolute_capacity;     /* fraction of the cluster */
    double absolute_max_capacity; /* fraction of the cluster */
    double absolute_used;         /* fraction of the cluster */
    double weight;                /* below 0: it has none */
    int priority;
    struct creel_resource reserved;
    struct creel_resource minimum;    /* guaranteed resources */
    struct creel_resource maximum;    /* limit of its use */
    struct creel_resource am_limit;   /* leaf: limit of AMs */
    struct creel_resource am_used;    /* leaf: resources of AMs */
    struct creel_resource user_limit; /* leaf: limit of one active user */
    /* limits count memory alone: the vcores of MINIMUM and the limits have no effect */
    bool memory_only;
    int64_t max_apps;          /* 0: no limit; -1: the limit is 0 */
    int64_t max_apps_per_user; /* 0: no limit; -1: the limit is 0 */
    uint32_t active_apps;
    uint32_t waiting_apps; /* applications that a limit on applications or AMs blocks */
    /* users who count for user limits: with requests made while an application of theirs was active */
    uint32_t active_users;
    int64_t maximum_lifetime_s; /* of applications; -1: none */
    int64_t default_lifetime_s; /* of applications; -1: none */
    /* in the order of service, end with NULL; only of one queue, as EXPLANATION */
    const char *const *next;
    const char *const *explanation; /* sentences */
    /* of the fair scheduler; "": another scheduler, and the other values of shares are 0 */
    const char *policy;
    struct creel_resource demand;            /* used and pending, up to the maximum */
    struct creel_resource fair_share;        /* share among the queues that have applications */
    struct creel_resource steady_fair_share; /* share among all queues */
    int64_t starved_since_ms;                /* below its minimum or fair share since then; 0: it is not */
    /* that requests may name, "*": all; end with NULL; capacity scheduler */
    const char *const *labels;
    const char *default_label; /* of requests that name none; "": none */
    int64_t max_parallel_apps; /* running at a time; 0: no limit; -1: the limit is 0 */
    bool intra_queue_preemption;
    /* labels that it may use, or uses; capacity scheduler */
    const struct creel_queue_label *by_label;
    uint32_t by_label_count;
    uint32_t labelled_containers; /* those of CONTAINERS that are on nodes with a label */
};

struct creel_queues {
    size_t count;
    struct creel_queue *items;
    int64_t refreshed_ms; /* as in struct creel_cluster */
    const char *refreshed_by, *refresh_error;
};

/* QUEUE NULL: all queues; else one by name or path. */
int creel_queue_list(struct creel_client *client, const char *queue, struct creel_queues **ret,
                     struct creel_error *error);
void creel_queues_free(struct creel_queues *queues);

struct creel_queue_user {
    const char *user;
    const char *label; /* of the nodes on which it has the amounts; "": nodes without one */
    double weight;
    bool active; /* has pending requests */
    struct creel_resource used;
    struct creel_resource reserved;
    struct creel_resource limit;
    struct creel_resource am_used;  /* resources of AMs */
    struct creel_resource am_limit; /* limit of AMs */
    uint32_t active_apps;
    uint32_t waiting_apps;
    uint32_t by_label_count;
    struct creel_resource fair_share; /* fair scheduler: sum over the user's applications; else 0 */
    /* the user on the nodes of labels that it uses or requests */
    const struct creel_queue_user *by_label;
};

struct creel_queue_users {
    const char *queue; /* path of the leaf */
    size_t count;
    struct creel_queue_user *items;
};

int creel_queue_user_list(struct creel_client *client, const char *queue, struct creel_queue_users **ret,
                          struct creel_error *error);
void creel_queue_users_free(struct creel_queue_users *users);

struct creel_queue_access {
    const char *queue, *user;
    const char *const *groups;                     /* of the user on the RM's host; end with NULL */
    bool may_submit, may_administer;               /* by the access lists of the queue */
    const char *submit_reason, *administer_reason; /* the access lists that decided */
    bool administers_cluster; /* by yarn.admin.acl: may administer the queue in any case */
};

/* USER NULL: the user of the client. */
int creel_queue_access_get(struct creel_client *client, const char *queue, const char *user,
                           struct creel_queue_access **ret, struct creel_error *error);
void creel_queue_access_free(struct creel_queue_access *access);

#endif

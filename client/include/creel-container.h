/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel-container.h - libcreel: containers
 *
 * creel.h includes this header behind the types that it uses; programs include creel.h. Conventions for
 * errors, memory and times are those of creel.h.
 */
#ifndef CREEL_CONTAINER_H
#define CREEL_CONTAINER_H

enum creel_container_state {
    CREEL_CONTAINER_UNKNOWN = 0,
    CREEL_CONTAINER_ALLOCATED,
    CREEL_CONTAINER_STARTING,
    CREEL_CONTAINER_RUNNING,
    CREEL_CONTAINER_STOPPING,
    CREEL_CONTAINER_COMPLETE,
};

/* tools/record-fields writes the members, from common/record/container_fields.h. */
struct creel_container {
    const char *id;
    const char *app_id;
    const char *node_id;
    const char *user;
    enum creel_container_state state;
    struct creel_resource resource;
    uint32_t priority;
    int64_t allocated_ms;
    int64_t started_ms;
    int64_t finished_ms;
    int exit_status; /* or CREEL_EXIT_NONE */
    const char *diagnostics;
    const char *title; /* the number of the task, for tasks */
    bool master;       /* the first container of its attempt */
    uint64_t memory_peak_bytes;
    uint64_t cpu_time_us;
    uint64_t memory_bytes;  /* now; 0: not known, or it has ended */
    uint64_t read_bytes;    /* from disks */
    uint64_t written_bytes; /* to disks */
    uint32_t pids;          /* processes and threads now */
    uint32_t pids_peak;     /* processes and threads, at most */
    /* when its agent reported memory and processes of now; 0: never, or it has ended */
    int64_t figures_ms;
    const char *node_address; /* its agent, from which its logs are read */
    const char *node_key;     /* public key of its agent */
    /* the first container of the present attempt is not placed on this node, since this one failed there */
    bool node_avoided;
    uint32_t version;   /* how often its size has changed (creel container resize) */
    bool resizing;      /* its agent has not reported yet that it applies the size */
    int64_t resized_ms; /* when the size changed last; 0: never */
    /* the size that it is to have when there is room; all 0: no increase waits */
    struct creel_resource wanted;
    uint64_t swap_peak_bytes; /* the largest amount of swap in use; 0: none, or not known */
};

struct creel_containers {
    size_t count;
    struct creel_container *items;
};

const char *creel_container_state_name(enum creel_container_state state);

/* Lists the containers of an application or of a node (LIVE_ONLY: those that have not ended), or one
 * container. Exactly one of APP_ID, NODE_ID and CONTAINER_ID is not NULL. */
int creel_container_list(struct creel_client *client, const char *app_id, const char *node_id,
                         const char *container_id, bool live_only, struct creel_containers **ret,
                         struct creel_error *error);
void creel_containers_free(struct creel_containers *containers);

struct creel_resized {
    struct creel_container container;
    const char *waits, *waits_code; /* why an increase waits, and its reason code; "": the size has changed */
    const char *warning;            /* the container uses more than its new size, and may be killed; "": no */
};

/* Changes the size of a running container, for its owner and administrators: RESOURCE is the new size, in
 * which 0 leaves an amount as it is. A smaller size counts at once; a larger one when its node has room and
 * no limit is in the way, and replaces an increase that waits. RESOURCE NULL: withdraws the increase that
 * waits. -EBUSY: the container does not run; -ERANGE: above a limit, or more than its node has; -EINVAL:
 * larger and smaller at once; -EPROTO: its agent cannot resize containers. */
int creel_container_resize(struct creel_client *client, const char *container_id,
                           const struct creel_resource *resource, struct creel_resized **ret,
                           struct creel_error *error);
void creel_resized_free(struct creel_resized *resized); /* NULL is allowed */

#endif

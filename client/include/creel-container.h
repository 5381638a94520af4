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

struct creel_container {
    const char *id, *app_id, *node_id, *user;
    enum creel_container_state state;
    struct creel_resource resource;
    uint32_t priority;
    int64_t allocated_ms, started_ms, finished_ms;
    int exit_status; /* or CREEL_EXIT_NONE */
    const char *diagnostics;
    const char *title; /* the task's number, for tasks */
    bool master;       /* the attempt's first container */
    uint64_t memory_peak_bytes, cpu_time_us;
    uint64_t memory_bytes;               /* now; 0: not known, or it has ended */
    uint64_t read_bytes, written_bytes;  /* from and to disks */
    uint32_t pids, pids_peak;            /* processes and threads, now and at most */
    int64_t figures_ms;                  /* when its agent reported them; 0: never, or it has ended */
    const char *node_address, *node_key; /* its agent, from which its logs are read */
    bool node_avoided;                   /* MASTER: its node is in avoided_nodes of the application */
    uint32_t version;                    /* how often RESOURCE has changed */
    bool resizing;                       /* its agent has not reported yet that it applies RESOURCE */
    int64_t resized_ms;                  /* when RESOURCE changed last; 0: never */
    struct creel_resource wanted;        /* size that it is to have when there is room; all 0: none waits */
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

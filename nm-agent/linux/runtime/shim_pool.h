/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shim_pool.h - starts shims before their container, to make launches faster
 *
 * Executing the shim program takes a large part of a launch. So, from the first launch on, two shims wait for
 * an order, connected to the agent by a socket: they become the shims of the next containers. A template
 * process, which never has a container itself, forks a new shim when a waiting shim has its order or was
 * killed. All are children of the agent, send their pid when they wait, and end with the agent.
 *
 * Private to nm-agent/linux.
 */
#ifndef CREEL_NM_SHIM_POOL_H
#define CREEL_NM_SHIM_POOL_H

#include <sys/types.h>

#include "common/base/err.h"

struct shim_pool {
    const char *shim_path; /* borrowed, as is HOMES: groups that the shims join, see keeper.h */
    char *const *homes;
    int fd;         /* socket to the waiting shims; -1: none */
    pid_t template; /* pid of the template; 0: none */
    pid_t pid;      /* pid of the waiting shim; 0: not received yet */
    int order_fd;   /* socket to the waiting shim; -1: none */
};

void shim_pool_init(struct shim_pool *pool, const char *shim_path, char *const *homes);
/* Ends the waiting processes. */
void shim_pool_close(struct shim_pool *pool);

/* Makes the waiting shim the shim of CONTAINER_ID, with the descriptors FDS of plan.h, which the caller still
 * owns; starts the program if no shim waits. *PID is a child of the caller, *PID_FD (owned by the caller) its
 * pidfd. */
int shim_pool_pop(struct shim_pool *pool, const char *container_id, const int fds[3], pid_t *pid, int *pid_fd,
                  struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shim_pool.h - shims that are started before their container
 *
 * To execute the shim is a large part of a launch. So two wait, at the other end of a socket, from
 * the first launch on: they become the shims of the next containers. A template process, which never
 * has a container itself, forks another when one has its order or was killed. All are
 * children of the agent, send their pid when they wait, and end with the agent.
 *
 * Private to nm-agent/linux.
 */
#ifndef CREEL_NM_SHIM_POOL_H
#define CREEL_NM_SHIM_POOL_H

#include <sys/types.h>

#include "common/base/err.h"

struct shim_pool {
    const char *shim_path;              /* borrowed, as is HOMES: groups that they join, see keeper.h */
    char *const *homes;
    int fd;                             /* -1: none waits */
    pid_t template;                     /* forks them; 0: none */
    pid_t pid;                          /* of the next one; 0: none has sent it yet */
    int order_fd;                       /* socket to that one; -1: none */
};

void shim_pool_init(struct shim_pool *pool, const char *shim_path, char *const *homes);
/* End those that wait. */
void shim_pool_close(struct shim_pool *pool);

/* Make the next one the shim of CONTAINER_ID, with the descriptors FDS of plan.h, which stay the
 * caller's; the program is started if none waits. *PID is a child of the caller's, *PID_FD (the
 * caller's too) its pidfd. */
int shim_pool_take(struct shim_pool *pool, const char *container_id, const int fds[3], pid_t *pid,
                   int *pid_fd, struct err *err);

#endif

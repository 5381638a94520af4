/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiter.h - shims that are there before their container
 *
 * To load a program takes as long as much of a start. So two shims wait, at the other end of a
 * socket, from the first start on: they become those of the next containers. Behind them stands
 * the source, which knows of no container ever, and forks another when one has its
 * order, or is killed. All are children of the agent. Each says its pid once it waits, and all
 * go when the agent does.
 *
 * Private to nm-agent/linux.
 */
#ifndef CREEL_NM_WAITER_H
#define CREEL_NM_WAITER_H

#include <sys/types.h>

#include "common/base/err.h"

struct waiter {
    const char *shim_path;              /* borrowed, as is HOMES: groups that they join, see keeper.h */
    char *const *homes;
    int fd;                             /* -1: nobody waits */
    pid_t source;                       /* who forks them; 0: nobody */
    pid_t pid;                          /* whose turn it is; 0: nobody has said so yet */
    int order_fd;                       /* to that one; -1: none */
};

void waiter_init(struct waiter *waiter, const char *shim_path, char *const *homes);
/* Let go of who waits: it ends. */
void waiter_drop(struct waiter *waiter);

/* Make who waits the shim of CONTAINER_ID, with the descriptors FDS of plan.h, which stay the
 * caller's; the program is started if nobody waits. *PID is a child of the caller's, *PID_FD (the
 * caller's too) its pidfd. */
int waiter_order(struct waiter *waiter, const char *container_id, const int fds[3], pid_t *pid,
                 int *pid_fd, struct err *err);

#endif

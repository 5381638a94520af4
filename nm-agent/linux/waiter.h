/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiter.h - shims that are there before their container
 *
 * To load a program takes as long as much of a start. So one shim waits, at the other end of a
 * socket, from the first start on: it becomes the shim of the next container, and by a mere fork
 * leaves another one in its place, which is a child of the agent as it is itself. It says its pid
 * when it begins to wait, and goes when the agent does.
 *
 * Private to nm-agent/linux.
 */
#ifndef CREEL_NM_WAITER_H
#define CREEL_NM_WAITER_H

#include <sys/types.h>

#include "common/base/err.h"

struct waiter {
    int fd;                             /* -1: nobody waits */
    pid_t pid;                          /* of who waits; 0: it has not said so yet */
    int pid_fd;                         /* -1: none */
};

void waiter_init(struct waiter *waiter);
/* Let go of who waits: it ends. */
void waiter_drop(struct waiter *waiter);

/* Make who waits the shim of CONTAINER_ID, with the descriptors of plan.h, which stay the caller's;
 * the program SHIM_PATH is started if nobody waits. *PID is a child of the caller's, *PID_FD (the
 * caller's too) its pidfd. */
int waiter_order(struct waiter *waiter, const char *shim_path, const char *container_id,
                 int plan_fd, int state_fd, int report_fd, pid_t *pid, int *pid_fd,
                 struct err *err);

#endif

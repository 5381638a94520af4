/* SPDX-License-Identifier: Apache-2.0 */
/* waiter.c - shims that are there before their container */
#include "nm-agent/linux/waiter.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/child.h"
#include "nm-agent/linux/container.h"
#include "nm-agent/linux/plan.h"

#define PATIENCE_MS 5000                /* until it says that it waits: it has next to nothing to do */
#define TRIES 5                         /* two may have been killed, and who forked them */

void waiter_init(struct waiter *waiter, const char *shim_path, char *const *homes)
{
    *waiter = (struct waiter){ .shim_path = shim_path, .homes = homes, .fd = -1, .order_fd = -1 };
}

/* Whose turn it is, if that one has said so. */
static void hear(struct waiter *waiter)
{
    pid_t pid = 0;
    struct iovec part = { .iov_base = &pid, .iov_len = sizeof(pid) };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                              .msg_controllen = sizeof(control) };

    if (waiter->pid != 0 ||
        recvmsg(waiter->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(pid))
        return;
    waiter->pid = pid;
    if (message.msg_controllen >= CMSG_LEN(sizeof(int)))
        memcpy(&waiter->order_fd, CMSG_DATA(&control.header), sizeof(int));
}

/* It is our child and not yet reaped, so that it is who it was. */
static void kill_child(pid_t *pid)
{
    if (*pid <= 0)
        return;
    kill(*pid, SIGKILL);
    while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *pid = 0;
}

/* Where no process can be forked, the source is the one that waits: it is the source no more. */
static void forget_source(struct waiter *waiter)
{
    if (waiter->pid == waiter->source)
        waiter->source = 0;
}

/* It is of no use. Nothing was ordered of it. */
static void end(struct waiter *waiter)
{
    forget_source(waiter);
    container_close_fd(&waiter->order_fd);
    kill_child(&waiter->pid);
}

void waiter_drop(struct waiter *waiter)
{
    if (waiter->fd >= 0)
        hear(waiter);
    container_close_fd(&waiter->fd);
    end(waiter);
    kill_child(&waiter->source);
}

static int spawn(struct waiter *waiter)
{
    char name[] = "creel-shim", title[] = SHIM_WAITS;
    char *const argv[] = { name, title, waiter->homes[0], waiter->homes[1], NULL };
    char *empty[] = { NULL };
    int pair[2], result;
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return -errno;
    result = child_spawn(waiter->shim_path, argv, empty, (int[]){ -1, -1, -1, pair[1] }, 4, &pid);
    close(pair[1]);
    if (result != 0) {
        close(pair[0]);
        return result;
    }
    waiter->fd = pair[0];
    waiter->source = pid;
    return 0;
}

/* There is one whose turn it is, and who. -ECHILD: there is none any more. */
static int find(struct waiter *waiter)
{
    struct pollfd item = { .events = POLLIN };
    int result = waiter->fd >= 0 ? 0 : spawn(waiter);

    if (result != 0)
        return result;
    item.fd = waiter->fd;
    if (waiter->pid == 0 && poll(&item, 1, PATIENCE_MS) == 1)
        hear(waiter);
    if (waiter->pid == 0) {             /* all were killed, or one hangs */
        waiter_drop(waiter);
        return -ECHILD;
    }
    return waiter->order_fd < 0 ? -EMFILE : 0;
}

static int tell(const struct waiter *waiter, const char *container_id, const int fds[3])
{
    struct shim_order order = { .container_id = "" };
    struct iovec part = { .iov_base = &order, .iov_len = sizeof(order) };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(3 * sizeof(int))];
    } control = { .space = { 0 } };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                              .msg_controllen = sizeof(control) };

    snprintf(order.container_id, sizeof(order.container_id), "%s", container_id);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(3 * sizeof(int));
    memcpy(CMSG_DATA(&control.header), fds, 3 * sizeof(int));
    return sendmsg(waiter->order_fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int waiter_order(struct waiter *waiter, const char *container_id, const int fds[3], pid_t *pid,
                 int *pid_fd, struct err *err)
{
    int result = -ECHILD;

    for (int tries = 0; tries < TRIES && result != 0; tries++) {
        result = find(waiter);
        if (result == 0)
            result = tell(waiter, container_id, fds);
        if (result != 0)                /* killed: it is the next one's turn */
            end(waiter);
    }
    if (result != 0)
        return err_set_errno(err, -result, "cannot start %s", waiter->shim_path);
    forget_source(waiter);
    *pid = waiter->pid;
    container_close_fd(&waiter->order_fd);
    waiter->pid = 0;
    /* It is our child and not yet reaped, so that the pid is still its own. */
    *pid_fd = (int)syscall(SYS_pidfd_open, *pid, 0);
    if (*pid_fd >= 0)
        return 0;
    result = -errno;
    kill(*pid, SIGKILL);
    waitpid(*pid, NULL, 0);
    return err_set_errno(err, -result, "cannot watch %s", waiter->shim_path);
}

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
#define TRIES 3

void waiter_init(struct waiter *waiter)
{
    *waiter = (struct waiter){ .fd = -1, .pid_fd = -1 };
}

/* Who it is, if it has said so. */
static void hear(struct waiter *waiter)
{
    pid_t pid;

    if (waiter->pid == 0 && recv(waiter->fd, &pid, sizeof(pid), MSG_DONTWAIT) == sizeof(pid))
        waiter->pid = pid;
}

void waiter_drop(struct waiter *waiter)
{
    if (waiter->fd >= 0)
        hear(waiter);
    container_close_fd(&waiter->fd);
    container_close_fd(&waiter->pid_fd);
    /* Nothing was ordered of it, and it is our child and not yet reaped: it is who it was. */
    if (waiter->pid > 0) {
        kill(waiter->pid, SIGKILL);
        while (waitpid(waiter->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    waiter->pid = 0;
}

static int spawn(struct waiter *waiter, const char *shim_path)
{
    char name[] = "creel-shim", title[] = SHIM_WAITS;
    char *const argv[] = { name, title, NULL };
    char *empty[] = { NULL };
    int pair[2], result;
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return -errno;
    result = child_spawn(shim_path, argv, empty, (int[]){ -1, -1, -1, pair[1] }, 4, &pid);
    close(pair[1]);
    if (result != 0) {
        close(pair[0]);
        return result;
    }
    waiter->fd = pair[0];
    return 0;
}

/* There is one who waits, and who it is. -ECHILD: it has gone meanwhile. */
static int find(struct waiter *waiter, const char *shim_path)
{
    struct pollfd item = { .events = POLLIN };
    int result = waiter->fd >= 0 ? 0 : spawn(waiter, shim_path);

    if (result != 0)
        return result;
    item.fd = waiter->fd;
    if (waiter->pid == 0 && poll(&item, 1, PATIENCE_MS) == 1)
        hear(waiter);
    if (waiter->pid == 0)               /* the last one was killed before it left another, or hangs */
        return -ECHILD;
    if (waiter->pid_fd < 0)
        waiter->pid_fd = (int)syscall(SYS_pidfd_open, waiter->pid, 0);
    if (waiter->pid_fd < 0)
        return -errno;
    item.fd = waiter->pid_fd;
    return poll(&item, 1, 0) == 0 ? 0 : -ECHILD;
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
    return sendmsg(waiter->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int waiter_order(struct waiter *waiter, const char *shim_path, const char *container_id,
                 int plan_fd, int state_fd, int report_fd, pid_t *pid, int *pid_fd,
                 struct err *err)
{
    const int fds[] = { plan_fd, state_fd, report_fd };
    int result = -ECHILD;

    /* Somebody may have killed it: then there is another. */
    for (int tries = 0; tries < TRIES && result != 0; tries++) {
        result = find(waiter, shim_path);
        if (result == 0)
            result = tell(waiter, container_id, fds);
        if (result != 0)
            waiter_drop(waiter);
    }
    if (result != 0)
        return err_set_errno(err, -result, "cannot start %s", shim_path);
    *pid = waiter->pid;
    *pid_fd = fd_take(&waiter->pid_fd);
    waiter->pid = 0;
    return 0;
}

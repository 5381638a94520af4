/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait.c - a shim that is there before its container
 *
 * Its name in lists of processes is creel-waiter until it has an order, and creel-shim with
 * the container's id after that.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nm-agent/linux/shim/shim.h"

/* The words of its command line from TITLE on, in the room that SHIM_WAITS takes. */
static void set_title(const struct shim *shim, const char *name, const char *title)
{
    size_t room = sizeof(SHIM_WAITS), length = strnlen(title, room - 1);

    memset(shim->title, 0, room);
    memcpy(shim->title, title, length);
    prctl(PR_SET_NAME, name, 0, 0, 0);
    /* Else there are blanks behind it. */
    prctl(PR_SET_MM, PR_SET_MM_ARG_END, shim->title + length + 1, 0, 0);
}

static bool say_so(struct shim *shim)
{
    set_title(shim, "creel-waiter", "waits-for-a-container");
    return process_of(getpid(), &shim->self) == 0 &&
           send(SHIM_FD_WAIT, &shim->self.pid, sizeof(shim->self.pid), MSG_NOSIGNAL) > 0;
}

void wait_begin(struct shim *shim)
{
    if (dup2(SHIM_FD_PLAN, SHIM_FD_WAIT) < 0 || close(SHIM_FD_PLAN) != 0)
        _exit(2);
    fcntl(SHIM_FD_WAIT, F_SETFD, FD_CLOEXEC);
    close_range(SHIM_FD_WAIT + 1, ~0U, 0);
    if (!say_so(shim))
        _exit(0);
}

bool wait_order(struct shim *shim)
{
    struct shim_order order;
    struct iovec part = { .iov_base = &order, .iov_len = sizeof(order) };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(3 * sizeof(int))];
    } control;
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                              .msg_controllen = sizeof(control) };
    static const int expected[] = { SHIM_FD_PLAN, SHIM_FD_STATE, SHIM_FD_REPORT };
    ssize_t got;

    while ((got = recvmsg(SHIM_FD_WAIT, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    /* The lowest free numbers are those. */
    if (got != (ssize_t)sizeof(order) || (message.msg_flags & MSG_CTRUNC) ||
        message.msg_controllen < CMSG_LEN(sizeof(expected)) ||
        memcmp(CMSG_DATA(&control.header), expected, sizeof(expected)) != 0)
        return false;
    order.container_id[sizeof(order.container_id) - 1] = '\0';
    set_title(shim, "creel-shim", order.container_id);
    return true;
}

bool wait_succeed(struct shim *shim, struct plan *plan, struct payload *payload)
{
    struct clone_args args = { .flags = CLONE_PARENT };
    pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

    if (pid != 0) {                     /* without one the agent starts another when it needs it */
        close(SHIM_FD_WAIT);
        return false;
    }
    for (int fd = SHIM_FD_PLAN; fd < SHIM_FD_WAIT; fd++)
        close(fd);
    close_range(SHIM_FD_WAIT + 1, ~0U, 0);
    *payload = (struct payload){ .pid = -1, .status_fd = -1 };
    plan_clear(plan);
    setsid();
    if (!say_so(shim))
        _exit(0);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait.c - lets a shim, started before its container, wait for an order
 *
 * Its process name is creel-waiter until it has an order, and then creel-shim with the container's id.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nm-agent/linux/shim/shim.h"

#define READY_MAX 2 /* waiting shims at a time, so that the next start need not wait for a fork */
#define VAIN_MAX \
    20 /* consecutive deaths without an order after which the template ends, so that
          the agent notices */

/* Sets the process name to NAME, and the command line to its first argument, a blank, and TITLE. If the last
 * byte of the arguments is not 0, Linux shows them only up to the first 0 (proc_pid_cmdline(5)). */
static void set_title(const struct shim *shim, const char *name, const char *title)
{
    size_t room = sizeof(SHIM_WAITS), length = strnlen(title, room - 2);

    memset(shim->title, 0, room);
    memcpy(shim->title, title, length);
    shim->title[-1] = ' '; /* the end of the first argument */
    *shim->arguments_end = ' ';
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

/* Sends the pid and the socket for the order to the agent; returns false if the agent has ended. */
static bool report_ready(struct shim *shim)
{
    struct iovec part = { .iov_base = &shim->self.pid, .iov_len = sizeof(shim->self.pid) };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = { .space = { 0 } };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };
    int pair[2];

    if (process_of(getpid(), &shim->self) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    dup3(pair[0], SHIM_FD_ORDER, O_CLOEXEC);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), &pair[1], sizeof(int));
    if (sendmsg(SHIM_FD_WAIT, &message, MSG_NOSIGNAL) < 0)
        return false;
    close(pair[0]);
    close(pair[1]);
    return true;
}

/* Read ends of the pipes from the waiting shims to the template; -1: place for a new shim. */
struct row {
    int turn[READY_MAX];
    int vain; /* consecutive deaths without an order */
};

/* Called if fork fails: this process itself becomes the waiting shim. The agent starts another template when
 * needed. */
static bool be_the_last(void)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (fd >= 0 && fd != SHIM_FD_TURN) { /* occupies the number, so that no other file gets it */
        dup3(fd, SHIM_FD_TURN, O_CLOEXEC);
        close(fd);
    }
    return true;
}

/* Forks a shim for PLACE; returns true in the new process. The new process inherits no descriptors of other
 * containers, since the template has none. CLONE_PARENT makes it a child of the agent: a long chain of
 * parents would slow the kernel's page handling. */
static bool fork_one(struct row *row, int place)
{
    struct clone_args args = { .flags = CLONE_PARENT };
    int turn[2];
    pid_t pid;

    if (pipe2(turn, O_CLOEXEC) != 0)
        return be_the_last();
    /* The low numbers are reserved for the descriptors of the order. */
    row->turn[place] = fcntl(turn[0], F_DUPFD_CLOEXEC, SHIM_FD_ORDER + 1);
    dup3(turn[1], SHIM_FD_TURN, O_CLOEXEC);
    close(turn[0]);
    close(turn[1]);
    pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
    if (pid < 0)
        return be_the_last();
    if (pid > 0) {
        close(SHIM_FD_TURN);
        return false;
    }
    for (int i = 0; i < READY_MAX; i++)
        if (row->turn[i] >= 0)
            close(row->turn[i]);
    setsid();
    return true;
}

/* Forks shims for all free places; returns true in a forked process. */
static bool fill(struct row *row)
{
    for (int i = 0; i < READY_MAX; i++)
        if (row->turn[i] < 0 && fork_one(row, i))
            return true;
    return false;
}

/* Waits until a shim has its order or has died; returns false if the agent has ended. */
static bool wait_for_turn(struct row *row)
{
    struct pollfd items[READY_MAX + 1] = { { .fd = SHIM_FD_WAIT } };
    char byte;

    for (int i = 0; i < READY_MAX; i++)
        items[i + 1] = (struct pollfd){ .fd = row->turn[i], .events = POLLIN };
    if (poll(items, READY_MAX + 1, -1) < 0)
        return errno == EINTR;
    for (int i = 0; i < READY_MAX; i++) {
        if (items[i + 1].revents == 0)
            continue;
        row->vain = read(row->turn[i], &byte, 1) == 1 ? 0 : row->vain + 1;
        close(row->turn[i]);
        row->turn[i] = -1;
    }
    return items[0].revents == 0;
}

static bool receive_order(struct shim *shim)
{
    static const int expected[] = { SHIM_FD_PLAN, SHIM_FD_STATE, SHIM_FD_REPORT };
    struct shim_order order;
    struct iovec part = { .iov_base = &order, .iov_len = sizeof(order) };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(expected))];
    } control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };
    ssize_t got;

    while ((got = recvmsg(SHIM_FD_ORDER, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    /* The received descriptors have the lowest free numbers. */
    if (got != (ssize_t)sizeof(order) || (message.msg_flags & MSG_CTRUNC) ||
        message.msg_controllen < CMSG_LEN(sizeof(expected)) ||
        memcmp(CMSG_DATA(&control.header), expected, sizeof(expected)) != 0)
        return false;
    close(SHIM_FD_ORDER);
    order.container_id[sizeof(order.container_id) - 1] = '\0';
    set_title(shim, SHIM_NAME, order.container_id);
    return true;
}

/* --- entry points ------------------------------------------------------------- */

bool wait_for_order(struct shim *shim, char *const *homes)
{
    struct row row = { .turn = { -1, -1 } };

    if (dup3(SHIM_FD_PLAN, SHIM_FD_WAIT, O_CLOEXEC) < 0 || close(SHIM_FD_PLAN) != 0)
        return false;
    /* Leave the agent's unit, which must have no process but the agent when it is restarted. Done before the
     * start of a container, because the move may take ten milliseconds. */
    for (; *homes != NULL; homes++)
        leaf_write(*homes, "cgroup.procs", "0");
    /* A waiting shim ends on SIGTERM, which all processes of a unit get when it is stopped. */
    signal(SIGTERM, SIG_DFL);
    set_title(shim, "creel-waiter", "waits-for-a-container");
    if (process_boot_id(shim->self.boot_id) != 0)
        return false;
    while (!fill(&row))
        if (!wait_for_turn(&row) || row.vain >= VAIN_MAX)
            return false;
    if (!report_ready(shim) || !receive_order(shim))
        return false;
    signal(SIGTERM, SIG_IGN);
    return true;
}

void wait_pass_on(void)
{
    close(SHIM_FD_WAIT);
    while (write(SHIM_FD_TURN, "", 1) < 0 && errno == EINTR)
        ;
    close(SHIM_FD_TURN);
}

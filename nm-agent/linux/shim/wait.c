/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait.c - a shim that is there before its container
 *
 * Its name in lists of processes is creel-waiter until it has an order, and creel-shim with
 * the container's id after that.
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

#define VAIN_MAX 20             /* so many that die in a row have a reason that the agent has to know */

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

/* Say that it is our turn, and where orders are to go; false: nobody hears it any more. */
static bool say_so(struct shim *shim)
{
    struct iovec part = { .iov_base = &shim->self.pid, .iov_len = sizeof(shim->self.pid) };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = { .space = { 0 } };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                              .msg_controllen = sizeof(control) };
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

static bool is_agent_gone(void)
{
    struct pollfd item = { .fd = SHIM_FD_WAIT };

    return poll(&item, 1, 0) != 0;
}

/* Until who was forked last has an order; false: it is dead. */
static bool wait_for_turn(void)
{
    ssize_t got;
    char byte;

    while ((got = read(SHIM_FD_TURN, &byte, 1)) < 0 && errno == EINTR)
        ;
    close(SHIM_FD_TURN);
    return got == 1;
}

/* Nobody can be forked: be the next one ourselves. The agent starts others when it needs them. */
static bool be_the_last(void)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (fd >= 0 && fd != SHIM_FD_TURN) {        /* its number is not to be that of another file */
        dup3(fd, SHIM_FD_TURN, O_CLOEXEC);
        close(fd);
    }
    return true;
}

/* Fork the next one; true: in that. It sees no descriptor of another's container, since we never see
 * one; and it is not the child's child of many before it, whose memory the kernel would look for
 * through all of them. */
static bool fork_next(void)
{
    struct clone_args args = { .flags = CLONE_PARENT };
    int turn[2], high[2];
    pid_t pid;

    if (pipe2(turn, O_CLOEXEC) != 0)
        return be_the_last();
    for (int i = 0; i < 2; i++) {       /* low numbers are for what comes with the order */
        high[i] = fcntl(turn[i], F_DUPFD_CLOEXEC, SHIM_FD_ORDER + 1);
        close(turn[i]);
    }
    pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
    if (pid >= 0)
        dup3(high[pid == 0 ? 1 : 0], SHIM_FD_TURN, O_CLOEXEC);
    close(high[0]);
    close(high[1]);
    if (pid < 0)
        return be_the_last();
    if (pid == 0)
        setsid();
    return pid == 0;
}

static bool take_order(struct shim *shim)
{
    static const int expected[] = { SHIM_FD_PLAN, SHIM_FD_STATE, SHIM_FD_REPORT };
    struct shim_order order;
    struct iovec part = { .iov_base = &order, .iov_len = sizeof(order) };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(expected))];
    } control;
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                              .msg_controllen = sizeof(control) };
    ssize_t got;

    while ((got = recvmsg(SHIM_FD_ORDER, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    /* The lowest free numbers are those. */
    if (got != (ssize_t)sizeof(order) || (message.msg_flags & MSG_CTRUNC) ||
        message.msg_controllen < CMSG_LEN(sizeof(expected)) ||
        memcmp(CMSG_DATA(&control.header), expected, sizeof(expected)) != 0)
        return false;
    close(SHIM_FD_ORDER);
    order.container_id[sizeof(order.container_id) - 1] = '\0';
    set_title(shim, "creel-shim", order.container_id);
    return true;
}

/* --- from outside ------------------------------------------------------------- */

bool wait_for_order(struct shim *shim, char *const *homes)
{
    int vain = 0;

    if (dup3(SHIM_FD_PLAN, SHIM_FD_WAIT, O_CLOEXEC) < 0 || close(SHIM_FD_PLAN) != 0)
        return false;
    /* Out of the agent's unit, which shall have no process but the agent when it is started again,
     * while nobody waits for it: to move may take ten milliseconds. */
    for (; *homes != NULL; homes++)
        leaf_write(*homes, "cgroup.procs", "0");
    /* Who waits for nothing in particular ends with those of its unit. */
    signal(SIGTERM, SIG_DFL);
    set_title(shim, "creel-waiter", "waits-for-a-container");
    if (process_boot_id(shim->self.boot_id) != 0)
        return false;
    while (!is_agent_gone() && vain < VAIN_MAX && !fork_next())
        vain = wait_for_turn() ? 0 : vain + 1;
    if (vain == VAIN_MAX || is_agent_gone() || !say_so(shim) || !take_order(shim))
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

/* SPDX-License-Identifier: Apache-2.0 */
/* shim_pool.c - starts shims before their container, to make launches faster */
#include "nm-agent/linux/runtime/shim_pool.h"

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
#include "common/base/spawn.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/shim/plan.h"

#define PATIENCE_MS 5000 /* time limit for the pid of a new shim */
#define TRIES 5          /* both waiting shims and the template may have been killed */

void shim_pool_init(struct shim_pool *pool, const char *shim_path, char *const *homes)
{
    *pool = (struct shim_pool){ .shim_path = shim_path, .homes = homes, .fd = -1, .order_fd = -1 };
}

/* Receives the pid of the waiting shim, if it was sent. */
static void receive_pid(struct shim_pool *pool)
{
    pid_t pid = 0;
    struct iovec part = { .iov_base = &pid, .iov_len = sizeof(pid) };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };

    if (pool->pid != 0 ||
        recvmsg(pool->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(pid))
        return;
    pool->pid = pid;
    if (message.msg_controllen >= CMSG_LEN(sizeof(int)))
        memcpy(&pool->order_fd, CMSG_DATA(&control.header), sizeof(int));
}

/* Kills and reaps a child. Since it is not reaped yet, its pid is not reused. */
static void kill_child(pid_t *pid)
{
    if (*pid <= 0)
        return;
    kill(*pid, SIGKILL);
    while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *pid = 0;
}

/* Forgets the template if it has become the waiting shim itself, which it does when fork fails. */
static void forget_source(struct shim_pool *pool)
{
    if (pool->pid == pool->template)
        pool->template = 0;
}

/* Ends the waiting shim, which is unusable and has no order. */
static void end(struct shim_pool *pool)
{
    forget_source(pool);
    container_close_fd(&pool->order_fd);
    kill_child(&pool->pid);
}

void shim_pool_close(struct shim_pool *pool)
{
    if (pool->fd >= 0)
        receive_pid(pool);
    container_close_fd(&pool->fd);
    end(pool);
    kill_child(&pool->template);
}

static int spawn(struct shim_pool *pool)
{
    const char *const argv[] = { "creel-shim", SHIM_WAITS, pool->homes[0], pool->homes[1], NULL };
    static const char *const empty[] = { NULL };
    struct spawn shim = {
        .program = pool->shim_path,
        .arguments = argv,
        .environment = empty,
        .fd_count = 4,
        .new_session = true,
        .usual_signals = true,
    };
    int pair[2], result;
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return -errno;
    shim.fds = (const int[]){ SPAWN_NULL, SPAWN_NULL, SPAWN_NULL, pair[1] };
    result = spawn_start(&shim, &pid);
    close(pair[1]);
    if (result != 0) {
        close(pair[0]);
        return result;
    }
    pool->fd = pair[0];
    pool->template = pid;
    return 0;
}

/* Ensures that a shim waits and its pid is known. -ECHILD: there is none, and the pool was closed. */
static int find(struct shim_pool *pool)
{
    struct pollfd item = { .events = POLLIN };
    int result = pool->fd >= 0 ? 0 : spawn(pool);

    if (result != 0)
        return result;
    item.fd = pool->fd;
    if (pool->pid == 0 && poll(&item, 1, PATIENCE_MS) == 1)
        receive_pid(pool);
    if (pool->pid == 0) { /* all were killed, or one does not respond */
        shim_pool_close(pool);
        return -ECHILD;
    }
    return pool->order_fd < 0 ? -EMFILE : 0;
}

static int send_order(const struct shim_pool *pool, const char *container_id, const int fds[3])
{
    struct shim_order order = { .container_id = "" };
    struct iovec part = { .iov_base = &order, .iov_len = sizeof(order) };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(3 * sizeof(int))];
    } control = { .space = { 0 } };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };

    snprintf(order.container_id, sizeof(order.container_id), "%s", container_id);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(3 * sizeof(int));
    memcpy(CMSG_DATA(&control.header), fds, 3 * sizeof(int));
    return sendmsg(pool->order_fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int shim_pool_pop(struct shim_pool *pool, const char *container_id, const int fds[3], pid_t *pid, int *pid_fd,
                  struct err *err)
{
    int result = -ECHILD;

    for (int tries = 0; tries < TRIES && result != 0; tries++) {
        result = find(pool);
        if (result == 0)
            result = send_order(pool, container_id, fds);
        if (result != 0) /* the shim was killed: try the next one */
            end(pool);
    }
    if (result != 0)
        return err_set_errno(err, -result, "cannot start %s", pool->shim_path);
    forget_source(pool);
    *pid = pool->pid;
    container_close_fd(&pool->order_fd);
    pool->pid = 0;
    /* The child is not reaped yet, so its pid is not reused. */
    *pid_fd = (int)syscall(SYS_pidfd_open, *pid, 0);
    if (*pid_fd >= 0)
        return 0;
    result = -errno;
    kill(*pid, SIGKILL);
    waitpid(*pid, NULL, 0);
    return err_set_errno(err, -result, "cannot watch %s", pool->shim_path);
}

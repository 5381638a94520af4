/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enter.c - parent process of a command that a client runs inside a container
 *
 * It reports the start and the exit of the command. When the agent closes the socket, or ends, the command
 * gets HUP, and then all its descendants are killed: orphans become children of this process, so that none
 * escapes.
 *
 * While the container is being stopped (stop_order.h), all its processes handle SIGTERM until the container's
 * own shim kills them. So this process reports the exit when no descendant is left, and it kills none. If the
 * client or the agent has gone, it reads their output: a program that saves its work does not end of SIGPIPE.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/monotonic.h"
#include "nm-agent/linux/exec_message.h"
#include "nm-agent/linux/shim/shim.h"

#define HANG_UP_MS 500   /* time between HUP and KILL */
#define ROUNDS_MAX 1000  /* rounds of killing; remaining processes end with the container */
#define ORPHANS_MS 10000 /* interval of checks for orphans that have ended */
#define STOP_LOOK_MS 50  /* interval of checks while the container is being stopped */

static void send_message(enum exec_message_kind kind, int status, const char *diagnostics)
{
    struct exec_message message = { .kind = kind, .status = status };

    snprintf(message.diagnostics, sizeof(message.diagnostics), "%s", diagnostics);
    while (send(EXEC_FD_CONTROL, &message, sizeof(message), MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

/* Kills every child; returns their number. A pid of a child cannot be reused before it was waited for. */
static int kill_children(void)
{
    FILE *stream = fopen("/proc/thread-self/children", "re");
    int pid, count = 0;

    while (stream != NULL && fscanf(stream, "%d", &pid) == 1)
        count += kill(pid, SIGKILL) == 0;
    if (stream != NULL)
        fclose(stream);
    return count;
}

static void end_all(pid_t command, int command_fd)
{
    struct pollfd item = { .fd = command_fd, .events = POLLIN };
    struct timespec pause = { .tv_nsec = 1000000 };

    kill(-command, SIGHUP);
    poll(&item, 1, HANG_UP_MS);
    kill(-command, SIGKILL); /* not reaped yet: its pid is not reused */
    for (int round = 0; round < ROUNDS_MAX; round++) {
        kill_children();
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
            return;
        nanosleep(&pause, NULL);
    }
}

/* Handles a message of the agent; returns false if the agent has closed the socket. OVER: the command was
 * reaped, so that its pid may be that of another process. */
static bool obey(pid_t command, bool over)
{
    int signal_number;
    ssize_t got = recv(EXEC_FD_CONTROL, &signal_number, sizeof(signal_number), MSG_DONTWAIT);

    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    if (got == (ssize_t)sizeof(signal_number) && signal_number > 0 && !over)
        kill(-command, signal_number);
    return got > 0;
}

struct entered {
    pid_t command;
    int command_fd, status; /* STATUS: of waitpid */
    bool over;              /* the command has ended */
    bool childless;         /* no descendant is left */
    bool alone;             /* the agent has closed the socket */
};

/* Returns true while the container's processes have time to handle a signal. */
static bool is_stopping(void)
{
    struct stop_order order;

    state_read_order(EXEC_FD_STATE, &order);
    return order.kill_at_ms != 0 || order.signal_until_ms > monotonic_ms();
}

static void reap(struct entered *entered)
{
    int status;
    pid_t ended;

    while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
        if (ended == entered->command) {
            entered->over = true;
            entered->status = status;
        }
    entered->childless = ended < 0 && errno == ECHILD;
}

static void discard_output(void)
{
    char bytes[4096];

    for (int fd = EXEC_FD_OUT_READ; fd <= EXEC_FD_ERR_READ; fd++)
        while (read(fd, bytes, sizeof(bytes)) > 0)
            ;
}

static void await_news(const struct entered *entered)
{
    struct pollfd items[] = { { .fd = entered->alone ? -1 : EXEC_FD_CONTROL, .events = POLLIN },
                              { .fd = entered->over ? -1 : entered->command_fd, .events = POLLIN } };
    bool looks = entered->alone || entered->over;

    /* If there is no pidfd for the command, poll every 100 ms. */
    poll(items, 2, looks ? STOP_LOOK_MS : entered->command_fd < 0 ? 100 : ORPHANS_MS);
}

static void watch(pid_t command)
{
    struct entered entered = { .command = command, .command_fd = (int)syscall(SYS_pidfd_open, command, 0) };

    for (;;) {
        await_news(&entered);
        reap(&entered);
        /* What the command left belongs to the container. */
        if (entered.over && (entered.childless || !is_stopping())) {
            send_message(EXEC_ENDED, finish_status(entered.status), "");
            return;
        }
        entered.alone = entered.alone || !obey(command, entered.over);
        if (entered.alone && !is_stopping()) {
            end_all(command, entered.command_fd);
            return;
        }
        if (entered.alone)
            discard_output();
    }
}

int enter_main(bool terminal)
{
    struct payload_io io = { { EXEC_FD_IN, EXEC_FD_OUT, EXEC_FD_ERR }, terminal };
    struct exit_record record = { .status = 126 };
    struct payload payload;
    struct plan plan;
    pid_t command;
    int result = plan_read(SHIM_FD_PLAN, &plan);

    if (result != 0) {
        send_message(EXEC_FAILED, 126, strerror(-result));
        return 1;
    }
    payload_begin(&plan, &io, &payload);
    command = payload_await(&payload);
    for (int fd = EXEC_FD_IN; fd <= EXEC_FD_ERR; fd++)
        close(fd); /* the agent must see when the last copy is closed */
    if (command < 0)
        payload_explain(&plan, &payload.failure, &record);
    plan_clear(&plan);
    if (command < 0) {
        send_message(EXEC_FAILED, record.status > 0 ? record.status : 126, record.diagnostics);
        return 0;
    }
    send_message(EXEC_STARTED, 0, "");
    watch(command);
    return 0;
}

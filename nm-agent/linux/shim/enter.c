/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enter.c - parent process of a command that a client runs inside a container
 *
 * It reports the start and the exit of the command. When the agent closes the socket, or ends, the command
 * gets HUP, and then all its descendants are killed: orphans become children of this process, so that none
 * escapes.
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

#include "nm-agent/linux/exec_message.h"
#include "nm-agent/linux/shim/shim.h"

#define HANG_UP_MS 500   /* time between HUP and KILL */
#define ROUNDS_MAX 1000  /* rounds of killing; remaining processes end with the container */
#define ORPHANS_MS 10000 /* interval of checks for orphans that have ended */

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

/* Handles a message of the agent; returns false if the agent has closed the socket. */
static bool obey(pid_t command)
{
    int signal_number;
    ssize_t got = recv(EXEC_FD_CONTROL, &signal_number, sizeof(signal_number), MSG_DONTWAIT);

    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    if (got == (ssize_t)sizeof(signal_number) && signal_number > 0)
        kill(-command, signal_number);
    return got > 0;
}

static void watch(pid_t command)
{
    int command_fd = (int)syscall(SYS_pidfd_open, command, 0), status = 0;
    struct pollfd items[] = { { .fd = EXEC_FD_CONTROL, .events = POLLIN },
                              { .fd = command_fd, .events = POLLIN } };

    /* If there is no pidfd for the command, poll every 100 ms. */
    for (;;) {
        pid_t ended;

        poll(items, 2, command_fd < 0 ? 100 : ORPHANS_MS);
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0 && ended != command)
            ;
        if (ended == command) {
            send_message(EXEC_ENDED, finish_status(status), "");
            return; /* processes that it left belong to the container */
        }
        if (items[0].revents != 0 && !obey(command)) {
            end_all(command, command_fd);
            return;
        }
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

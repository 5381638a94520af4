/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enter.c - parent process of a command that a client runs inside a container: a step
 *
 * It reports the start and the exit of the command. When the agent closes the socket, since the client has
 * ended the step or has gone, or ends itself, the step is over: all descendants of this process (orphans
 * become its children, so that none escapes) are what is left behind. They get SIGTERM, and SIGKILL after the
 * kill delay, as grace.h decides for a container. On a terminal, whose other side is closed then, the kernel
 * sends SIGHUP before: to the command, and when the command ends, to the others in the foreground. So SIGTERM
 * waits for the end of the command, for HANG_UP_MS at most.
 *
 * While the container is being stopped (stop_order.h), all its processes have had SIGTERM, and handle it
 * until the container's own shim kills them. So this process reports the exit when no descendant is left.
 *
 * If the client or the agent has gone, it reads their output: a program that saves its work does not end of
 * SIGPIPE.
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
#include "common/base/text_print.h"
#include "nm-agent/linux/cgroup/term_note.h"
#include "nm-agent/linux/shim/exec_message.h"
#include "nm-agent/linux/shim/grace.h"
#include "nm-agent/linux/shim/shim.h"

#define ROUNDS_MAX 1000  /* rounds of killing between two looks at the agent's socket */
#define ORPHANS_MS 10000 /* interval of checks for orphans that have ended */
#define HANG_UP_MS 2000  /* from the end of a terminal to SIGTERM, if SIGHUP does not end the command */
#define STOP_LOOK_MS 50  /* interval of checks while the step or the container is being stopped */

static void send_message(enum exec_message_kind kind, int status, const char *diagnostics)
{
    struct exec_message message = { .kind = kind, .status = status };

    text_print(message.diagnostics, sizeof(message.diagnostics), "%s", diagnostics);
    while (send(EXEC_FD_CONTROL, &message, sizeof(message), MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

/* Calls FUNCTION for every child. A pid of a child cannot be reused before it was waited for. */
static void each_child(void (*function)(pid_t pid))
{
    FILE *stream = fopen("/proc/thread-self/children", "re");
    int pid;

    while (stream != NULL && fscanf(stream, "%d", &pid) == 1)
        function(pid);
    if (stream != NULL)
        fclose(stream);
}

static void kill_child(pid_t pid)
{
    (void)kill(pid, SIGKILL);
}

static void note_stuck(pid_t pid)
{
    state_note_stuck_step(EXEC_FD_STATE, pid);
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
    const struct plan *plan;
    pid_t command;
    int command_fd, status; /* STATUS: of waitpid */
    bool terminal;          /* the command runs on a terminal */
    bool over;              /* the command has ended */
    bool childless;         /* no descendant is left */
    bool alone;             /* the agent has closed the socket: the step is over */
    bool terminated;        /* the descendants have had SIGTERM for that */
    int64_t hung_up_ms;     /* monotonic time at which ALONE was set */
    int64_t stuck_ms;       /* monotonic time to note that killed processes do not end; 0: not killed */
    struct grace grace;     /* used if ALONE */
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

#define DISCARD_READS 256 /* of each pipe: a step may write faster than this process reads */

static void discard_output(void)
{
    char bytes[4096];

    for (int fd = EXEC_FD_OUT_READ; fd <= EXEC_FD_ERR_READ; fd++)
        for (int i = 0; i < DISCARD_READS && read(fd, bytes, sizeof(bytes)) > 0; i++)
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

/* --- the end of a step without a client --------------------------------------- */

/* Returns true if no descendant is left, or those that are left have not ended for some time after SIGKILL:
 * they are noted for the agent, and end when the kernel lets them. */
static bool kill_all(struct entered *entered)
{
    struct timespec pause = { .tv_nsec = 1000000 };

    if (entered->stuck_ms == 0)
        entered->stuck_ms = monotonic_ms() + STOP_ORDER_STUCK_MS;
    if (!entered->over)
        kill(-entered->command, SIGKILL); /* not reaped yet: its pid is not reused */
    for (int round = 0; round < ROUNDS_MAX && !entered->childless; round++) {
        each_child(kill_child);
        nanosleep(&pause, NULL);
        reap(entered);
    }
    if (entered->childless)
        return true;
    if (monotonic_ms() < entered->stuck_ms)
        return false;
    each_child(note_stuck);
    return true;
}

static struct grace_view look(const struct entered *entered)
{
    struct grace_view view = {
        .now_ms = monotonic_ms(),
        .command_over = true,
        .empty = entered->childless,
        .kill_delay_ms = entered->plan->kill_delay_ms,
    };

    view.terminated =
        entered->terminated || state_is_terminated(EXEC_FD_STATE) || state_keeper_is_stopped(entered->plan);
    state_read_order(EXEC_FD_STATE, &view.order);
    return view;
}

/* Sends the signals that are due to the descendants. Returns false when the step is over. */
static bool end_step(struct entered *entered)
{
    struct grace_view view = look(entered);
    int64_t until_ms;

    switch (grace_next(&entered->grace, &view, &until_ms)) {
    case GRACE_OVER:
        return false;
    case GRACE_KILL:
        if (kill_all(entered))
            return false;
        break;
    case GRACE_TERM:
        term_note_step(&entered->plan->leaf, EXEC_FD_STATE, getpid());
        entered->terminated = true;
        break;
    case GRACE_WAIT:
        break;
    }
    discard_output();
    return true;
}

/* --- the loop ------------------------------------------------------------------- */

/* Returns true while the command may still end of the SIGHUP of its terminal. */
static bool is_hanging_up(const struct entered *entered)
{
    return entered->terminal && !entered->over && monotonic_ms() < entered->hung_up_ms + HANG_UP_MS;
}

/* Sets ALONE if the agent has closed the socket. */
static void obey_agent(struct entered *entered)
{
    if (entered->alone || obey(entered->command, entered->over))
        return;
    entered->alone = true;
    entered->hung_up_ms = monotonic_ms();
}

static void watch(const struct plan *plan, pid_t command, bool terminal)
{
    struct entered entered = { .plan = plan,
                               .command = command,
                               .terminal = terminal,
                               .command_fd = (int)syscall(SYS_pidfd_open, command, 0) };

    for (;;) {
        await_news(&entered);
        reap(&entered);
        obey_agent(&entered);
        if (entered.alone && !is_hanging_up(&entered) && !end_step(&entered))
            break;
        /* What the command left belongs to the container. */
        if (!entered.alone && entered.over && (entered.childless || !is_stopping())) {
            send_message(EXEC_ENDED, finish_status(entered.status), "");
            return;
        }
    }
    if (entered.terminated)
        term_note_forget(EXEC_FD_STATE, getpid());
}

int enter_main(bool terminal)
{
    struct payload_io io = { { EXEC_FD_IN, EXEC_FD_OUT, EXEC_FD_ERR }, terminal };
    struct container_end record = { .exit_status = 126 };
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
    if (command < 0) {
        send_message(EXEC_FAILED, record.exit_status > 0 ? record.exit_status : 126, record.diagnostics);
    } else {
        send_message(EXEC_STARTED, 0, "");
        watch(&plan, command, terminal);
    }
    plan_clear(&plan);
    return 0;
}

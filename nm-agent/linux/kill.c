/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill.c - stops, kills and signals containers, and handles the end of their shims
 *
 *   stop:  TERM to all processes, once one exists; after the kill delay, rounds of
 *          KILL until the shim, which outlives them all, has ended. The shim has the
 *          order, too (stop_order.h), and ends when no process is left.
 *   lost:  the shim was killed; rounds of KILL until the cgroup is empty, then 154.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/process.h"
#include "nm-agent/linux/record.h"
#include "nm-agent/linux/runtime_state.h"

#define LOOK_MS 5 /* first pause between two rounds; doubled each time */
#define LOOK_MAX_MS 200
#define STUCK_MS \
    5000 /* a process that exists this long after KILL is blocked in the
            kernel */

static void check_later(struct runtime *runtime, struct container *container, int64_t now_ms)
{
    container->pause_ms = container->pause_ms == 0 ? LOOK_MS : container->pause_ms * 2;
    if (container->pause_ms > LOOK_MAX_MS)
        container->pause_ms = LOOK_MAX_MS;
    container_set_due(runtime, container, now_ms + container->pause_ms);
}

/* --- containers that do not end ---------------------------------------------- */

static void read_line(const char *path, char *line, size_t room)
{
    FILE *stream = fopen(path, "re");

    if (stream == NULL || fgets(line, (int)room, stream) == NULL)
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (stream != NULL)
        fclose(stream);
}

/* Names the process, and the kernel function in which it is blocked. State "D" means a disk, a network file
 * system or a freezer. */
void container_describe_stuck(const struct leaf *leaf, char *text, size_t room)
{
    scoped_free char *members = mem_printf("%s/cgroup.procs", leaf->directory[LEAF_PIDS]);
    char pid[16], path[64], name[64], stat[512], where[80];
    const char *state;

    read_line(members, pid, sizeof(pid));
    snprintf(path, sizeof(path), "/proc/%s/comm", pid);
    read_line(path, name, sizeof(name));
    snprintf(path, sizeof(path), "/proc/%s/stat", pid);
    read_line(path, stat, sizeof(stat));
    snprintf(path, sizeof(path), "/proc/%s/wchan", pid);
    read_line(path, where, sizeof(where));
    state = strrchr(stat, ')');
    snprintf(text, room,
             "was killed and does not end: process %s (%s) is in state %.1s%s%s; it goes "
             "as soon as the kernel lets it",
             pid, name, state && state[1] ? state + 2 : "?", where[0] ? ", waiting in " : "", where);
}

static void note_stuck(struct runtime *runtime, struct container *container, int64_t now_ms)
{
    struct runtime_event event = { .kind = RUNTIME_STUCK };

    if (container->stuck_ms == 0)
        container->stuck_ms = now_ms + STUCK_MS;
    if (container->stuck_reported || now_ms < container->stuck_ms)
        return;
    container->stuck_reported = true;
    memcpy(event.container_id, container->id, sizeof(event.container_id));
    container_describe_stuck(&container->meta.leaf, event.diagnostics, sizeof(event.diagnostics));
    container_push_event(runtime, &event);
}

/* --- stop ------------------------------------------------------------------ */

static void tick_stop(struct runtime *runtime, struct container *container, int64_t now_ms)
{
    if (container->stop == STOP_TERM && now_ms >= container->order.kill_at_ms) {
        container->stop = STOP_KILL;
        container->pause_ms = 0;
    }
    if (container->stop == STOP_KILL) {
        /* If the group was removed, the processes are still descendants of the shim. */
        if (leaf_kill(&container->meta.leaf) <= 0 && container->shim > 0)
            process_kill_below(container->shim);
        note_stuck(runtime, container, now_ms);
        check_later(runtime, container, now_ms);
        return;
    }
    /* The command may not have joined its cgroup yet. */
    if (!container->terminated && leaf_terminate(&container->meta.leaf) > 0)
        stop_note_terminated(runtime, container);
    if (!container->terminated)
        check_later(runtime, container, now_ms);
    if (container->terminated || container->due_ms > container->order.kill_at_ms)
        container_set_due(runtime, container, container->order.kill_at_ms);
}

static void stop_within(struct runtime *runtime, const char *container_id, enum stop_phase before,
                        int64_t delay_ms)
{
    struct container *container = container_find(runtime, container_id);
    int64_t now_ms = monotonic_ms();

    if (container == NULL || container->stop > before || container->state == CONTAINER_ENDED)
        return;
    container->stop = STOP_TERM;
    stop_announce(runtime, container, now_ms + delay_ms);
    container->pause_ms = 0;
    container_tick(runtime, container, now_ms);
    runtime_arm(runtime);
}

void runtime_stop(struct runtime *runtime, const char *container_id)
{
    stop_within(runtime, container_id, STOP_NONE, runtime->kill_delay_ms > 0 ? runtime->kill_delay_ms : 0);
}

void runtime_kill(struct runtime *runtime, const char *container_id)
{
    stop_within(runtime, container_id, STOP_TERM, 0);
}

/* Opens the command's process, whose identity the shim has written; returns a pidfd, or -ESRCH. */
static int open_command(const struct runtime *runtime, const char *id, struct process *command)
{
    scoped_fd int state_fd = container_open(runtime, id, NULL);
    scoped_free char *text = NULL;
    const char *second;

    if (state_fd < 0 || record_read(state_fd, "started", &text, NULL, NULL) != 0 ||
        (second = strchr(text, '\n')) == NULL || !process_parse(second + 1, command))
        return -ESRCH;
    return process_open(command);
}

/* Returns the number of processes that got the signal. */
static int signal_scope(const struct runtime *runtime, const struct container *container,
                        enum runtime_scope scope, int signal_number)
{
    scoped_fd int fd = -1;
    struct process command;

    if (scope == RUNTIME_SIGNAL_ALL)
        return leaf_signal(&container->meta.leaf, signal_number);
    fd = open_command(runtime, container->id, &command);
    if (fd < 0)
        return 0;
    if (scope == RUNTIME_SIGNAL_GROUP)
        return leaf_signal_group(&container->meta.leaf, command.pid, signal_number);
    return syscall(SYS_pidfd_send_signal, fd, signal_number, NULL, 0) == 0;
}

int container_signal_all(struct runtime *runtime, struct container *container, int signal_number,
                         int64_t until_ms)
{
    /* A signal before, of a time limit or a user, may give its processes more time. */
    if (container->stop == STOP_NONE && until_ms > container->order.signal_until_ms)
        stop_note_signal(runtime, container, signal_number, until_ms);
    return signal_scope(runtime, container, RUNTIME_SIGNAL_ALL, signal_number);
}

/* Several processes get SIGNAL_NUMBER: if it ends the command, the others may still handle it. */
static void note_signal(struct runtime *runtime, struct container *container, enum runtime_scope scope,
                        int signal_number)
{
    int64_t until_ms = monotonic_ms() + runtime->kill_delay_ms;

    if (scope == RUNTIME_SIGNAL_MAIN || signal_number == SIGKILL || container->stop != STOP_NONE)
        return;
    if (until_ms > container->order.signal_until_ms)
        stop_note_signal(runtime, container, signal_number, until_ms);
}

int runtime_signal(struct runtime *runtime, const char *container_id, enum runtime_scope scope,
                   int signal_number, struct err *err)
{
    struct container *container = container_find(runtime, container_id);

    if (signal_number <= 0 || signal_number >= NSIG)
        return err_set(err, EINVAL, "%d is no signal", signal_number);
    if (container == NULL || container->state == CONTAINER_ENDED || container->state == CONTAINER_LOST)
        return err_set(err, ESRCH, "container %s does not run", container_id);
    note_signal(runtime, container, scope, signal_number);
    if (signal_scope(runtime, container, scope, signal_number) == 0)
        return err_set(err, ESRCH, "container %s has no process to be signalled (yet, or any more)",
                       container_id);
    return 0;
}

/* --- end of the shim ------------------------------------------------------- */

static void tick_lost(struct runtime *runtime, struct container *container, int64_t now_ms)
{
    struct exit_record record = {
        .status = CONTAINER_EXIT_LOST,
        .started_ms = container->started_ms,
        .finished_ms = process_now_ms(),
        .diagnostics = "Lost: its shim ended without leaving an exit status; what it ran was "
                       "killed",
    };
    char text[EXIT_RECORD_SIZE];
    scoped_fd int state_fd = container_open(runtime, container->id, NULL);

    if (container->of_other_boot)
        snprintf(record.diagnostics, sizeof(record.diagnostics), "Lost: its host was restarted");

    /* A command that was being started when the shim was killed will end by itself. */
    if (leaf_kill(&container->meta.leaf) > 0 || (state_fd >= 0 && container_is_locked(state_fd))) {
        note_stuck(runtime, container, now_ms);
        check_later(runtime, container, now_ms);
        return;
    }
    record.memory_peak_bytes = leaf_memory_peak(&container->meta.leaf);
    record.cpu_time_us = leaf_cpu_time_us(&container->meta.leaf);
    record.pids_peak = leaf_pids_peak(&container->meta.leaf);
    /* If the disk is full, the same decision is made again after a restart. */
    if (state_fd >= 0)
        record_put(state_fd, "exit", text, exit_record_format(&record, text), NULL);
    container_end(runtime, container, &record);
}

void container_shim_gone(struct runtime *runtime, struct container *container)
{
    int state_fd = container_open(runtime, container->id, NULL);
    struct exit_record record;
    bool whole = state_fd >= 0 && container_read_exit(state_fd, &record);

    if (state_fd >= 0)
        close(state_fd);
    if (container->shim > 0)
        waitpid(container->shim, NULL, WNOHANG);
    container->shim = 0;
    container_reported(runtime, container);
    if (whole) {
        container_end(runtime, container, &record);
        return;
    }
    container_unwatch(runtime, &container->shim_fd);
    container->state = CONTAINER_LOST;
    container->stop = STOP_NONE;
    container->pause_ms = 0;
    tick_lost(runtime, container, monotonic_ms());
}

void container_reported(struct runtime *runtime, struct container *container)
{
    struct runtime_event event = { .kind = RUNTIME_RUNNING };
    int64_t started_ms;
    ssize_t got;

    if (container->report_fd < 0)
        return;
    got = read(container->report_fd, &started_ms, sizeof(started_ms));
    container_unwatch(runtime, &container->report_fd);
    if (got != (ssize_t)sizeof(started_ms))
        return; /* not started: the reason is in the exit record */
    container->state = CONTAINER_RUNNING;
    container->started_ms = event.started_ms = started_ms;
    memcpy(event.container_id, container->id, sizeof(event.container_id));
    container_push_event(runtime, &event);
}

/* --- after a restart ------------------------------------------------------- */

/* Waits for the identity of a shim. The state directory is locked, so a shim exists; it will write its pid to
 * "started" soon. On a slow host this may take long: while the lock exists, the container does not count as
 * lost, unless it is being stopped and the kill delay has passed. */
static void tick_finding(struct runtime *runtime, struct container *container, int64_t now_ms)
{
    int state_fd = container_open(runtime, container->id, NULL), shim_fd = -1;
    bool alive = state_fd < 0 ? state_fd != -ENOENT : container_is_locked(state_fd);
    scoped_free char *text = NULL;
    struct process shim;

    if (state_fd >= 0 && record_read(state_fd, "started", &text, NULL, NULL) == 0 &&
        process_parse(text, &shim))
        shim_fd = process_open(&shim);
    mem_close_fd(&state_fd);
    if (shim_fd >= 0) {
        container->state = CONTAINER_RUNNING;
        container_set_due(runtime, container, 0);
        container_watch(runtime, container, shim_fd, -1);
        if (container->stop != STOP_NONE)
            tick_stop(runtime, container, now_ms);
    } else if (!alive || (container->stop != STOP_NONE && now_ms >= container->order.kill_at_ms)) {
        container_shim_gone(runtime, container);
    } else {
        check_later(runtime, container, now_ms);
    }
}

/* Removes remaining groups, also those that belong to no container any more; kills their processes first. */
static void tick_removal(struct runtime *runtime, struct container *container, int64_t now_ms)
{
    leaf_kill(&container->meta.leaf);
    if (leaf_remove(&container->meta.leaf) != 0) {
        check_later(runtime, container, now_ms);
        return;
    }
    cgroups_leave(runtime->cgroups, &container->meta.leaf);
    container_forget(runtime, container);
}

void container_tick(struct runtime *runtime, struct container *container, int64_t now_ms)
{
    container_set_due(runtime, container, 0);
    switch (container->state) {
    case CONTAINER_FINDING:
        tick_finding(runtime, container, now_ms);
        break;
    case CONTAINER_LAUNCHED:
    case CONTAINER_RUNNING:
        if (container->stop != STOP_NONE)
            tick_stop(runtime, container, now_ms);
        break;
    case CONTAINER_LOST:
        tick_lost(runtime, container, now_ms);
        break;
    case CONTAINER_ENDED:
        if (container->removing)
            tick_removal(runtime, container, now_ms);
        break;
    }
}

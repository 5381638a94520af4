/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill.c - stops, kills and signals containers, and handles the end of their shims
 *
 *   stop:  TERM to all processes, once one exists; after the kill delay, rounds of
 *          KILL until the shim, which outlives them all, has ended. The shim has the
 *          order, too (stop_order.h), and ends when no process is left.
 *   finding: after a restart the shim is not found yet: the same, without the shim.
 *   lost:  the shim was killed; rounds of KILL until the cgroup is empty, then 154.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/job/job_field.h"
#include "common/base/mem.h"
#include "common/base/text_print.h"
#include "nm-agent/linux/cgroup/term_note.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/linux/parts/step_process.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/shim/plan.h"

#define LOOK_MS 5 /* first pause between two rounds; doubled each time */
#define LOOK_MAX_MS 200

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

struct blocked {              /* a process as /proc has it */
    char name[64], where[80]; /* WHERE: the kernel function in which it is blocked; "": none */
    char state;               /* '?': there is no such process */
};

static void find_blocked(const char *pid, struct blocked *blocked)
{
    char path[64], stat[512];
    const char *state;

    snprintf(path, sizeof(path), "/proc/%s/comm", pid);
    read_line(path, blocked->name, sizeof(blocked->name));
    snprintf(path, sizeof(path), "/proc/%s/stat", pid);
    read_line(path, stat, sizeof(stat));
    snprintf(path, sizeof(path), "/proc/%s/wchan", pid);
    read_line(path, blocked->where, sizeof(blocked->where));
    state = strrchr(stat, ')');
    blocked->state = state != NULL && state[1] != '\0' && state[2] != '\0' ? state[2] : '?';
}

/* All processes of the group have ended, but its shim, with process id SHIM, has not noticed that. */
static void describe_shim(pid_t shim, char *text, size_t room)
{
    struct blocked blocked = { .state = '?' };
    char pid[16];

    snprintf(pid, sizeof(pid), "%d", (int)shim);
    if (shim > 0)
        find_blocked(pid, &blocked);
    if (blocked.state == '?')
        snprintf(text, room, "was killed and does not end, although no process is left in its group");
    else if (blocked.state == 'T' || blocked.state == 't')
        snprintf(
            text, room,
            "was killed and does not end: its shim (process %s) is in state %c: kill -CONT %s on the node "
            "lets it go on",
            pid, blocked.state, pid);
    else
        snprintf(text, room, "was killed and does not end: its shim (process %s) is in state %c%s%s", pid,
                 blocked.state, *blocked.where != '\0' ? ", waiting in " : "", blocked.where);
}

/* Names the process, and the kernel function in which it is blocked. State "D" means a disk, a network file
 * system or a freezer. */
void container_describe_stuck(const struct leaf *leaf, pid_t shim, char *text, size_t room)
{
    scoped_free char *members = mem_printf("%s/cgroup.procs", leaf->directory[LEAF_PIDS]);
    struct blocked blocked = { .state = '?' };
    char pid[16];

    read_line(members, pid, sizeof(pid));
    if (*pid != '\0')
        find_blocked(pid, &blocked);
    if (blocked.state == '?')
        describe_shim(shim, text, room);
    else
        snprintf(text, room,
                 "was killed and does not end: process %s (%s) is in state %c%s%s; it goes "
                 "as soon as the kernel lets it",
                 pid, blocked.name, blocked.state, *blocked.where != '\0' ? ", waiting in " : "",
                 blocked.where);
}

void container_describe_step(pid_t pid, char *text, size_t room)
{
    struct blocked blocked = { .state = '?' };
    char number[16];

    snprintf(number, sizeof(number), "%d", (int)pid);
    find_blocked(number, &blocked);
    snprintf(text, room,
             "process %s (%s) of a command of creel container exec was killed and does not end: it is in "
             "state %c%s%s; the container cannot end before it",
             number, blocked.name, blocked.state, *blocked.where != '\0' ? ", waiting in " : "",
             blocked.where);
}

/* Returns the process id of the shim of CONTAINER, also if an earlier agent started it; 0: not known. */
static pid_t shim_of(const struct container *container)
{
    if (container->shim > 0)
        return container->shim;
    return container->shim_fd >= 0 ? process_of_fd(container->shim_fd) : 0;
}

void container_report_stuck(struct runtime *runtime, struct container *container)
{
    struct runtime_event event = { .kind = RUNTIME_STUCK };

    container->stuck_reported = true;
    memcpy(event.container_id, container->id, sizeof(event.container_id));
    container_describe_stuck(&container->meta.leaf, shim_of(container), event.end.diagnostics,
                             sizeof(event.end.diagnostics));
    container_push_event(runtime, &event);
}

static void note_stuck(struct runtime *runtime, struct container *container, int64_t now_ms)
{
    if (container->stuck_ms == 0)
        container->stuck_ms = now_ms + STOP_ORDER_STUCK_MS;
    if (!container->stuck_reported && now_ms >= container->stuck_ms)
        container_report_stuck(runtime, container);
}

/* --- stop ------------------------------------------------------------------ */

static int terminate(const struct runtime *runtime, const struct container *container)
{
    scoped_fd int state_fd = container_open(runtime, container->id, NULL);

    return term_note_container(&container->meta.leaf, state_fd);
}

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
    if (!container->terminated && terminate(runtime, container) > 0)
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

static int signal_command(const struct process *command, int signal_number)
{
    scoped_fd int fd = process_open(command);

    return fd >= 0 && syscall(SYS_pidfd_send_signal, fd, signal_number, NULL, 0) == 0;
}

/* Returns true if the pid of COMMAND belongs to another process now. While COMMAND's process group has a
 * member, the kernel gives no process this pid, also after the end of COMMAND itself. */
static bool pid_is_reused(const struct process *command)
{
    struct process now = { .pid = 0 };

    return process_of(command->pid, &now) == 0 && now.start_ticks != command->start_ticks;
}

static bool is_of_step(void *context, pid_t pid)
{
    return step_process_is(pid, context);
}

/* Returns whether srun has started a step in CONTAINER: also if the step has ended. */
static bool had_steps(const struct container *container)
{
    scoped_free char *directory = mem_printf("%s/" JOB_STEPS_DIR, container->meta.work);
    struct stat status;

    return lstat(directory, &status) == 0;
}

/* Sends the signal to the processes of steps; to all but the command if the container never had a step. */
static int signal_steps(const struct container *container, pid_t command, int signal_number)
{
    const struct leaf *leaf = &container->meta.leaf;
    size_t bytes = STEP_PROCESS_BYTES_MAX;

    return had_steps(container) ? leaf_signal_chosen(leaf, is_of_step, &bytes, signal_number)
                                : leaf_signal_others(leaf, command, signal_number);
}

/* Returns the number of processes that got the signal. */
static int signal_scope(const struct runtime *runtime, const struct container *container,
                        enum runtime_scope scope, int signal_number)
{
    const struct leaf *leaf = &container->meta.leaf;
    struct process command;

    if (scope == RUNTIME_SIGNAL_ALL)
        return leaf_signal(leaf, signal_number);
    /* Which process is the command is as little known as the shim. */
    if (container->state == CONTAINER_FINDING)
        return scope == RUNTIME_SIGNAL_STEPS ? signal_steps(container, 0, signal_number)
                                             : leaf_signal(leaf, signal_number);
    if (!container_read_command(runtime, container->id, &command))
        return 0;
    if (scope == RUNTIME_SIGNAL_STEPS)
        return signal_steps(container, pid_is_reused(&command) ? 0 : command.pid, signal_number);
    if (scope == RUNTIME_SIGNAL_OTHERS)
        return leaf_signal_others(leaf, pid_is_reused(&command) ? 0 : command.pid, signal_number);
    if (scope == RUNTIME_SIGNAL_GROUP)
        return pid_is_reused(&command) ? 0 : leaf_signal_group(leaf, command.pid, signal_number);
    return signal_command(&command, signal_number);
}

int container_signal_until(struct runtime *runtime, struct container *container, enum runtime_scope scope,
                           int signal_number, int64_t until_ms)
{
    /* A signal before, of a time limit or a user, may give its processes more time. */
    if (scope != RUNTIME_SIGNAL_MAIN && container->stop == STOP_NONE &&
        until_ms > container->order.signal_until_ms)
        stop_note_signal(runtime, container, signal_number, until_ms);
    return signal_scope(runtime, container, scope, signal_number);
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
    if (signal_scope(runtime, container, scope, signal_number) == 0 && scope != RUNTIME_SIGNAL_STEPS)
        return err_set(err, ESRCH, "container %s has no process to be signalled (yet, or any more)",
                       container_id);
    return 0;
}

/* --- end of the shim ------------------------------------------------------- */

static void tick_lost(struct runtime *runtime, struct container *container, int64_t now_ms)
{
    struct container_end record = {
        .exit_status = CONTAINER_EXIT_LOST,
        .started_ms = container->started_ms,
        .finished_ms = process_now_ms(),
        .diagnostics = "Lost: its shim ended without leaving an exit status; what it ran was "
                       "killed",
    };
    char text[EXIT_RECORD_SIZE];
    scoped_fd int state_fd = container_open(runtime, container->id, NULL);

    if (container->of_other_boot)
        text_print(record.diagnostics, sizeof(record.diagnostics), "Lost: its host was restarted");

    /* A command that was being started when the shim was killed will end by itself. */
    if (leaf_kill(&container->meta.leaf) > 0 || (state_fd >= 0 && container_is_locked(state_fd))) {
        note_stuck(runtime, container, now_ms);
        check_later(runtime, container, now_ms);
        return;
    }
    leaf_measure(&container->meta.leaf, &record.totals);
    /* If the disk is full, the same decision is made again after a restart. */
    if (state_fd >= 0)
        record_put(state_fd, "exit", text, exit_record_format(&record, text), NULL);
    container_end(runtime, container, &record);
}

void container_shim_gone(struct runtime *runtime, struct container *container)
{
    int state_fd = container_open(runtime, container->id, NULL);
    struct container_end record;
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

static void command_end_reported(struct runtime *runtime, struct container *container)
{
    struct command_end end;
    ssize_t got = read(container->report_fd, &end, sizeof(end));

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    container_unwatch(runtime, &container->report_fd);
    if (got == (ssize_t)sizeof(end))
        container_command_ended(runtime, container, &end);
}

void container_reported(struct runtime *runtime, struct container *container)
{
    struct runtime_event event = { .kind = RUNTIME_RUNNING };
    struct shim_report report;
    ssize_t got;

    if (container->report_fd < 0)
        return;
    if (container->state == CONTAINER_RUNNING) {
        command_end_reported(runtime, container);
        return;
    }
    got = read(container->report_fd, &report, sizeof(report));
    if (got != (ssize_t)sizeof(report)) {
        container_unwatch(runtime, &container->report_fd);
        return; /* not started: the reason is in the exit record */
    }
    container->state = CONTAINER_RUNNING;
    container->started_ms = event.end.started_ms = report.started_ms;
    container_note_command(runtime, container);
    memcpy(event.container_id, container->id, sizeof(event.container_id));
    container_push_event(runtime, &event);
}

/* --- after a restart ------------------------------------------------------- */

static void report_shim(struct runtime *runtime, struct container *container, bool found)
{
    struct runtime_event event = { .kind = RUNTIME_STUCK };

    container->stopped_reported = !found;
    memcpy(event.container_id, container->id, sizeof(event.container_id));
    if (!found)
        snprintf(event.end.diagnostics, sizeof(event.end.diagnostics),
                 "its shim is not found: %s/containers/%s/started is missing or damaged, and no process has "
                 "this directory open as a shim has it: signals go to all processes of the container, and no "
                 "command can be run in it",
                 runtime->state_dir, container->id);
    container_push_event(runtime, &event);
}

static void note_unfound(struct runtime *runtime, struct container *container, int64_t now_ms)
{
    if (container->unfound_ms == 0)
        container->unfound_ms = now_ms + STOP_ORDER_STUCK_MS;
    if (!container->stopped_reported && now_ms >= container->unfound_ms)
        report_shim(runtime, container, false);
}

/* Looks for the shim. The state directory is locked, so a shim exists; it may be about to write its pid to
 * "started", which takes long on a slow host. While the lock exists, the container does not count as lost. A
 * stop is the agent's work alone. */
static void tick_finding(struct runtime *runtime, struct container *container, int64_t now_ms)
{
    scoped_fd int state_fd = container_open(runtime, container->id, NULL);
    bool alive = state_fd < 0 ? state_fd != -ENOENT : container_is_locked(state_fd);

    if (state_fd >= 0 && container_adopt_shim(runtime, container, state_fd)) {
        container_set_due(runtime, container, 0);
        if (container->stopped_reported)
            report_shim(runtime, container, true);
        if (container->stop != STOP_NONE)
            tick_stop(runtime, container, now_ms);
    } else if (!alive) {
        container_shim_gone(runtime, container);
    } else {
        note_unfound(runtime, container, now_ms);
        if (container->stop != STOP_NONE)
            tick_stop(runtime, container, now_ms);
        check_later(runtime, container, now_ms); /* also when TERM was sent: the shim may end */
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

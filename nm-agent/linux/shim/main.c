/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - creel-shim, the parent of one container's command
 *
 * Started by creel-nm and by nobody else. It waits for a container (waiter.h), or is born with
 * one's plan and state directory as descriptors (plan.h). Leaves "started" before it runs the
 * command and "exit" after; nothing that happens to the agent concerns it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nm-agent/linux/exec_message.h"
#include "nm-agent/linux/process.h"
#include "nm-agent/linux/shim/shim.h"

/* Signals meant for the agent's terminal or group, and the pipe's end after the
 * agent's death, are none of our business. */
static void leave_agent(int last_fd)
{
    static const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2,
                                   SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU };

    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
        signal(ignored[i], SIG_IGN);
    setsid();                           /* fails if posix_spawn did it already */
    umask(022);
    if (chdir("/") != 0)
        _exit(2);
    close_range((unsigned)last_fd + 1, ~0U, 0);
    for (int fd = SHIM_FD_PLAN; fd <= last_fd; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    /* Daemonised grandchildren come to us when their parent ends. */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* Is the command born in its control group? On v1 it joins those with limits, and for the rest is where
 * its parent is. */
static bool is_born_apart(const struct plan *plan)
{
    for (int i = 0; i < LEAF_CONTROLLERS; i++)
        if (plan->leaf.directory[i] != NULL && plan->leaf.version[i] != 2)
            return false;
    return true;
}

/* Out of the agent's unit, which shall have no process but the agent when it is started again. If it
 * may be, only when the command runs: to move may take ten milliseconds, for which that need not
 * wait, and a shim that stays is no worse off, since the unit kills none but its main process. */
static void go_home(struct shim *shim, const struct plan *plan)
{
    for (int i = 0; i < PLAN_HOMES_MAX && plan->homes[i] != NULL; i++) {
        /* Born there, of one that had moved: to move again would take as long. */
        if (strcmp(shim->homes[i], plan->homes[i]) == 0)
            continue;
        if (leaf_write(plan->homes[i], "cgroup.procs", "0") == 0)
            snprintf(shim->homes[i], sizeof(shim->homes[i]), "%s", plan->homes[i]);
    }
}

static void run(const struct shim *shim, const struct plan *plan, struct payload *payload,
                struct exit_record *record)
{
    struct shim_report report;
    pid_t pid = payload_await(payload);

    if (pid < 0) {
        payload_explain(plan, &payload->failure, record);
        record->finished_ms = process_now_ms();
        return;
    }
    record->started_ms = report.started_ms = process_now_ms();
    state_note_pids(SHIM_FD_STATE, &shim->self, pid);
    /* If the agent is not there any more, the next one finds the pid file instead. */
    while (write(SHIM_FD_REPORT, &report, sizeof(report)) < 0 && errno == EINTR)
        ;
    close(SHIM_FD_REPORT);
    finish_wait(plan, pid, record);
}

static void begin(struct shim *shim, const struct plan *plan, struct payload *payload)
{
    bool first = !is_born_apart(plan);

    if (first)
        go_home(shim, plan);
    payload_begin(plan, NULL, payload);
    if (!first)
        go_home(shim, plan);
}

/* The container's whole life; its own exit status. NEXT: this process is not the shim, but
 * the one that waits in its place. */
static int live(struct shim *shim, bool *next)
{
    struct exit_record record = { .status = -1 };
    struct payload payload = { .pid = -1, .status_fd = -1 };
    struct plan plan = { .argv = NULL };
    int exit_fd = openat(SHIM_FD_STATE, "exit.tmp", O_WRONLY | O_CLOEXEC);
    int result = exit_fd < 0 ? -EEXIST : state_claim(SHIM_FD_STATE, &shim->self);

    if (result == 0)
        result = plan_read(SHIM_FD_PLAN, &plan);
    if (result == 0)
        begin(shim, &plan, &payload);
    *next = shim->title != NULL && wait_succeed(shim, &plan, &payload);
    if (*next || result == -EEXIST)
        return 1;
    if (result == 0)
        run(shim, &plan, &payload, &record);
    else
        snprintf(record.diagnostics, sizeof(record.diagnostics),
                 "could not be started: creel-shim: %s", strerror(-result));
    plan_clear(&plan);
    if (record.finished_ms == 0)
        record.finished_ms = process_now_ms();
    state_write_exit(SHIM_FD_STATE, exit_fd, &record);
    return 0;
}

static int wait_and_live(struct shim *shim)
{
    bool next = true;
    int status = 0;

    wait_begin(shim);
    while (next && wait_order(shim)) {
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);      /* no child inherits that */
        status = live(shim, &next);
    }
    return status;
}

/* For a command inside a running container (exec_message.h) rather than for a container. */
static bool is_for_exec(int argc, char **argv)
{
    struct stat status;

    return argc >= 2 && argc <= 3 && strcmp(argv[0], EXEC_ARGV0) == 0 &&
           fstat(EXEC_FD_CONTROL, &status) == 0 && S_ISSOCK(status.st_mode);
}

int main(int argc, char **argv)
{
    struct shim shim = { .title = NULL };
    struct stat status;
    bool next;

    if (is_for_exec(argc, argv)) {
        leave_agent(EXEC_FD_ERR);
        return enter_main(argc == 3 && strcmp(argv[2], EXEC_ON_TERMINAL) == 0);
    }
    if (argc == 2 && strcmp(argv[1], SHIM_WAITS) == 0 &&
        fstat(SHIM_FD_PLAN, &status) == 0 && S_ISSOCK(status.st_mode)) {
        leave_agent(SHIM_FD_PLAN);
        shim.title = argv[1];
        return wait_and_live(&shim);
    }
    if (argc != 2 || argv[1][0] == '-' || fstat(SHIM_FD_STATE, &status) != 0 ||
        !S_ISDIR(status.st_mode) || process_of(getpid(), &shim.self) != 0) {
        fputs("creel-shim is started by creel-nm, once for each container\n", stderr);
        return 2;
    }
    leave_agent(SHIM_FD_REPORT);
    return live(&shim, &next);
}

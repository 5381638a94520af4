/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - main program of creel-shim, the parent process of one container's command
 *
 * Started only by creel-nm. It waits for a container (shim_pool.h), or is started with the plan and the state
 * directory of a container as descriptors (plan.h). It writes "started" before it runs the command and "exit"
 * after the command's end, and does not depend on the agent.
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

#include "nm-agent/linux/shim/exec_message.h"
#include "common/base/text_print.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/shim/shim.h"

/* Makes the shim independent of the agent: ignores signals to the agent's terminal or process group, and
 * SIGPIPE after the agent's end. */
static void leave_agent(int last_fd)
{
    static const int ignored[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1,
                                   SIGUSR2, SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU };

    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
        signal(ignored[i], SIG_IGN);
    setsid(); /* fails if posix_spawn called it already */
    umask(022);
    if (chdir("/") != 0)
        _exit(2);
    close_range((unsigned)last_fd + 1, ~0U, 0);
    for (int fd = SHIM_FD_PLAN; fd <= last_fd; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Makes this process the parent of orphaned descendants. Children do not inherit the setting. */
static void adopt_orphans(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* The other steps depend on what the job names, or wrote. */
static bool is_node_fault(enum payload_step step)
{
    return step == STEP_FORK || step == STEP_CGROUP || step == STEP_USER;
}

static void run(const struct shim *shim, const struct plan *plan, struct payload *payload,
                struct container_end *record)
{
    struct shim_report report;
    pid_t pid = payload_await(payload);

    if (pid < 0) {
        payload_explain(plan, &payload->failure, record);
        record->node_fault = is_node_fault(payload->failure.step);
        record->finished_ms = process_now_ms();
        return;
    }
    record->started_ms = report.started_ms = process_now_ms();
    state_note_command(SHIM_FD_STATE, &shim->self, pid);
    /* If the agent has ended, the next agent reads the line in "started" instead. */
    while (write(SHIM_FD_REPORT, &report, sizeof(report)) < 0 && errno == EINTR)
        ;
    finish_wait(plan, pid, record);
    close(SHIM_FD_REPORT);
    results_make(plan, payload->elsewhere != 0 ? plan->scratch : plan->launch.directory, record);
    if (payload->elsewhere != 0)
        record_add(record, "Ran in the scratch directory, since %s could not be entered there: %s",
                   plan->launch.directory, strerror(payload->elsewhere));
    if (*payload->reduced)
        record_add(record, "Soft limits reduced to the hard ones of the node: %s", payload->reduced);
}

/* Runs a container from start to end; returns the shim's own exit status. */
static int live(const struct shim *shim)
{
    struct container_end record = { .exit_status = -1 };
    struct payload payload = { .pid = -1, .status_fd = -1 };
    struct plan plan = { .data = NULL };
    int exit_fd = openat(SHIM_FD_STATE, "exit.tmp", O_WRONLY | O_CLOEXEC);
    int result = exit_fd < 0 ? -EEXIST : state_claim(SHIM_FD_STATE, &shim->self);

    if (result == 0)
        result = plan_read(SHIM_FD_PLAN, &plan);
    if (result == 0)
        payload_begin(&plan, NULL, &payload);
    /* The next shim is forked only now, when the command is being started. */
    if (shim->title != NULL)
        wait_pass_on();
    if (result == -EEXIST)
        return 1;
    if (result == 0)
        run(shim, &plan, &payload, &record);
    else {
        record.node_fault = true;
        text_print(record.diagnostics, sizeof(record.diagnostics), "could not be started: creel-shim: %s",
                   strerror(-result));
    }
    plan_clear(&plan);
    if (record.finished_ms == 0)
        record.finished_ms = process_now_ms();
    state_write_exit(SHIM_FD_STATE, exit_fd, &record);
    return 0;
}

/* Returns true if this shim is for a command inside a running container (exec_message.h). */
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

    if (is_for_exec(argc, argv)) {
        leave_agent(EXEC_FD_STATE);
        adopt_orphans();
        return enter_main(argc == 3 && strcmp(argv[2], EXEC_ON_TERMINAL) == 0);
    }
    if (argc >= 2 && strcmp(argv[1], SHIM_WAITS) == 0 && fstat(SHIM_FD_PLAN, &status) == 0 &&
        S_ISSOCK(status.st_mode)) {
        leave_agent(SHIM_FD_PLAN);
        shim.title = argv[1];
        shim.arguments_end = argv[argc - 1] + strlen(argv[argc - 1]);
        if (!wait_for_order(&shim, argv + 2))
            return 0;
        adopt_orphans();
        return live(&shim);
    }
    if (argc != 2 || argv[1][0] == '-' || fstat(SHIM_FD_STATE, &status) != 0 || !S_ISDIR(status.st_mode) ||
        process_of(getpid(), &shim.self) != 0) {
        fputs("creel-shim is started by creel-nm, once for each container\n", stderr);
        return 2;
    }
    leave_agent(SHIM_FD_REPORT);
    adopt_orphans();
    return live(&shim);
}

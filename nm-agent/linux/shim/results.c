/* SPDX-License-Identifier: Apache-2.0 */
/* results.c - runs creel-pack for the results of a container, after its command */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nm-agent/linux/shim/shim.h"

#define NAMES_MAX 1100 /* files of LaunchContext.files, and what the agent adds */

/* Fills ARGV behind COUNT with the names that are no results: those that the agent put into the scratch
 * directory, without the directories of archives, which the command may have changed. */
static void put_own_names(const struct plan *plan, const char **argv, size_t count)
{
    for (const char *const *own = plan->own_names; own && *own && count <= NAMES_MAX; own++) {
        const char *const *archive = plan->archives;

        while (archive && *archive && strcmp(*archive, *own) != 0)
            archive++;
        if (archive == NULL || *archive == NULL)
            argv[count++] = *own;
    }
}

static __attribute__((noreturn)) void become_pack(const struct plan *plan, const char *directory, pid_t shim,
                                                  int message_fd)
{
    static const char *argv[NAMES_MAX + 2]; /* zero: ends with NULL */
    static const char *const environment[] = { "LC_ALL=C.UTF-8", NULL };
    static char logs[PATH_MAX];
    char bytes_max[24];
    const char *slash = strrchr(plan->out_path, '/');
    int r;

    /* If the shim dies before this process is in the control group, nothing else would find it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != shim)
        _exit(127);
    r = payload_enter(plan);
    prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
    snprintf(logs, sizeof(logs), "%.*s", slash ? (int)(slash - plan->out_path) : 0, plan->out_path);
    snprintf(bytes_max, sizeof(bytes_max), "%lld", (long long)plan->results_bytes_max);
    argv[0] = "creel-pack";
    argv[1] = logs;
    argv[2] = bytes_max;
    argv[3] = plan->launch.fetch;
    if (strcmp(directory, plan->scratch) == 0)
        put_own_names(plan, argv, 4);
    if (r != 0)
        errno = -r;
    else if (dup2(message_fd, STDERR_FILENO) >= 0 && chdir(directory) == 0 &&
             close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
        execve(plan->pack_program, (char **)(uintptr_t)argv, (char **)(uintptr_t)environment);
    dprintf(message_fd, "%s cannot be run: %s\n", plan->pack_program, strerror(errno));
    _exit(127);
}

/* Runs creel-pack in DIRECTORY. TEXT gets its message, or "". */
static void run_pack(const struct plan *plan, const char *directory, char text[PAYLOAD_TEXT_MAX])
{
    pid_t shim = getpid(), pid;
    int message[2], status = 0;

    if (pipe2(message, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
        snprintf(text, PAYLOAD_TEXT_MAX, "%s cannot be run: %s", plan->pack_program, strerror(errno));
        return; /* the shim ends soon, and the pipe with it */
    }
    if (pid == 0)
        become_pack(plan, directory, shim, message[1]);
    close(message[1]);
    message_read(message[0], text);
    close(message[0]);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return;
    if (WIFSIGNALED(status))
        snprintf(text, PAYLOAD_TEXT_MAX, "signal %d ended creel-pack%s", WTERMSIG(status),
                 WTERMSIG(status) == SIGKILL ? " (killed with the container, or out of memory)" : "");
}

static void make(const struct plan *plan, const char *directory, struct container_end *record)
{
    char text[PAYLOAD_TEXT_MAX] = "";

    run_pack(plan, directory, text);
    if (*text)
        record_add(record, "Results not fetched: %s", text);
}

void results_make(const struct plan *plan, const char *directory, struct container_end *record)
{
    bool is_asked = plan->pack_program != NULL && plan->launch.fetch != NULL && *plan->launch.fetch != '\0';

    /* Nothing runs on when the host was cut off, or the keeper stopped. */
    if (is_asked && record->exit_status != CONTAINER_EXIT_ABORTED)
        make(plan, directory, record);
    if (!is_asked)
        leftovers_name(plan, record);
}

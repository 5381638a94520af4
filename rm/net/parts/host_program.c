/* SPDX-License-Identifier: Apache-2.0 */
/* host_program.c - runs a program of the host, as tar */
#include "rm/net/parts/host_program.h"

#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int host_program_run(const char *const *arguments, int input, int output, struct err *err)
{
    posix_spawn_file_actions_t actions;
    int r, status = 0;
    pid_t pid;

    unsetenv("TAR_OPTIONS");
    posix_spawn_file_actions_init(&actions);
    if (input >= 0)
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (output >= 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    r = posix_spawnp(&pid, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (r != 0)
        return err_set_errno(err, r, "%s: cannot be run", arguments[0]);
    if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
        return err_set(err, EIO, "%s: was killed", arguments[0]);
    if (WEXITSTATUS(status) != 0)
        return err_set(err, EIO, "%s: ended with status %d", arguments[0], WEXITSTATUS(status));
    return 0;
}

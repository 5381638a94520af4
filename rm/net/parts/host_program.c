/* SPDX-License-Identifier: Apache-2.0 */
/* host_program.c - runs a program of the host, as tar */
#include "rm/net/parts/host_program.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "common/base/spawn.h"

int host_program_run(const char *const *arguments, int input, int output, struct err *err)
{
    const int fds[] = { input >= 0 ? input : SPAWN_SAME, output >= 0 ? output : SPAWN_SAME };
    const struct spawn program = {
        .program = arguments[0],
        .arguments = arguments,
        .fds = fds,
        .fd_count = 2,
    };
    int r, status = 0;
    pid_t pid;

    unsetenv("TAR_OPTIONS");
    r = spawn_start(&program, &pid);
    if (r < 0)
        return err_set_errno(err, -r, "%s: cannot be run", arguments[0]);
    if (spawn_wait(pid, &status) < 0 || !WIFEXITED(status))
        return err_set(err, EIO, "%s: was killed", arguments[0]);
    if (WEXITSTATUS(status) != 0)
        return err_set(err, EIO, "%s: ended with status %d", arguments[0], WEXITSTATUS(status));
    return 0;
}

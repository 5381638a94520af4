/* SPDX-License-Identifier: Apache-2.0 */
/* helper_process.c - starts a program of creel that serves this process over a pair of sockets */
#include "common/io/server/helper_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/spawn.h"

char *helper_find_program(const char *name, const char *variable)
{
    const char *configured = getenv(variable);
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash, *path;

    if (configured != NULL)
        return mem_strdup(configured);
    self[length > 0 ? length : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    path = mem_printf("%s/%s", self, name);
    if (access(path, X_OK) == 0)
        return path;
    free(path);
    return mem_printf(PKGLIBEXECDIR "/%s", name);
}

int helper_process_start(const struct helper_program *program, bool capture, struct helper_process *ret,
                         struct err *err)
{
    static const char *const environment[] = { NULL };
    struct spawn child = {
        .program = program->path,
        .arguments = program->arguments,
        .environment = environment,
        .fd_count = HELPER_FD + 1,
        .closes_others = true,
        .usual_signals = true,
    };
    scoped_fd int ours = -1, our_errors = -1, theirs = -1, their_errors = -1;
    int pair[2], errors[2], r;

    if (capture) {
        if (pipe2(errors, O_CLOEXEC | O_NONBLOCK) != 0)
            return err_set_errno(err, errno, "cannot make a pipe");
        our_errors = errors[0];
        their_errors = errors[1];
    }
    if (socketpair(AF_UNIX, program->socket_type | SOCK_CLOEXEC, 0, pair) != 0)
        return err_set_errno(err, errno, "cannot make a socketpair");
    ours = pair[0];
    theirs = pair[1];
    child.fds = (const int[]){ SPAWN_NULL, SPAWN_NULL, capture ? their_errors : SPAWN_SAME, theirs };
    r = spawn_start(&child, &ret->pid);
    if (r < 0)
        return err_set_errno(err, -r, "cannot run %s, %s", program->path, program->purpose);
    ret->fd = fd_take(&ours);
    ret->errors = fd_take(&our_errors);
    return 0;
}

int helper_process_end(pid_t pid)
{
    int status = 0;

    kill(pid, SIGKILL);
    (void)spawn_wait(pid, &status);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* helper_process.c - starts a program of creel that serves this process over a pair of sockets */
#include "common/io/server/helper_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"

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

/* Starts PROGRAM with FD as its socket, and ERRORS as its standard error (-1: that of this process). Both
 * numbers are above PROGRAM's fd. Returns 0 or an errno. */
static int spawn(const struct helper_program *program, int fd, int errors, pid_t *pid)
{
    char *const environment[] = { NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int rc;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDOUT_FILENO);
    if (errors >= 0)
        posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&files, fd, program->fd);
    posix_spawn_file_actions_addclosefrom_np(&files, program->fd + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    rc = posix_spawn(pid, program->path, &files, &attributes, program->arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

/* Moves FD to a number above LEAST, since spawn() overwrites the descriptors up to this number. */
static int move_above(int fd, int least)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, least + 1);

    close(fd);
    return moved;
}

int helper_process_start(const struct helper_program *program, bool capture, struct helper_process *ret,
                         struct err *err)
{
    scoped_fd int ours = -1, our_errors = -1, theirs = -1, their_errors = -1;
    int pair[2], errors[2], rc;

    if (capture) {
        if (pipe2(errors, O_CLOEXEC | O_NONBLOCK) != 0)
            return err_set_errno(err, errno, "cannot make a pipe");
        our_errors = errors[0];
        their_errors = move_above(errors[1], program->fd);
    }
    if (socketpair(AF_UNIX, program->socket_type | SOCK_CLOEXEC, 0, pair) != 0)
        return err_set_errno(err, errno, "cannot make a socketpair");
    ours = pair[0];
    theirs = move_above(pair[1], program->fd);
    rc = theirs < 0 || (capture && their_errors < 0) ? EMFILE
                                                     : spawn(program, theirs, their_errors, &ret->pid);
    if (rc != 0)
        return err_set_errno(err, rc, "cannot run %s, %s", program->path, program->purpose);
    ret->fd = ours;
    ret->errors = our_errors;
    ours = our_errors = -1;
    return 0;
}

int helper_process_end(pid_t pid)
{
    int status = 0;

    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

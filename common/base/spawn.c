/* SPDX-License-Identifier: Apache-2.0 */
/* spawn.c - starts a program in a process of its own */
#include "common/base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"

/* Adds the actions for the descriptors. HIGH has copies of SPAWN->fds with numbers from FD_COUNT up, so that
 * no action overwrites the source of another one. */
static int add_files(const struct spawn *spawn, const int *high, posix_spawn_file_actions_t *files)
{
    int code = 0;

    if (spawn->directory > 0)
        code = posix_spawn_file_actions_addfchdir_np(files, spawn->directory);
    for (size_t i = 0; i < spawn->fd_count && code == 0; i++) {
        if (spawn->fds[i] == SPAWN_NULL)
            code = posix_spawn_file_actions_addopen(files, (int)i, "/dev/null", O_RDWR, 0);
        else if (spawn->fds[i] != SPAWN_SAME)
            code = posix_spawn_file_actions_adddup2(files, high[i], (int)i);
    }
    if (code == 0 && spawn->closes_others)
        code = posix_spawn_file_actions_addclosefrom_np(files, (int)spawn->fd_count);
    return code;
}

static void set_attributes(const struct spawn *spawn, posix_spawnattr_t *attributes)
{
    int flags =
        (spawn->new_session ? POSIX_SPAWN_SETSID : 0) | (spawn->new_group ? POSIX_SPAWN_SETPGROUP : 0);
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    if (spawn->usual_signals) {
        flags |= POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        posix_spawnattr_setsigmask(attributes, &none);
        posix_spawnattr_setsigdefault(attributes, &all);
    } else if (spawn->mask != NULL) {
        flags |= POSIX_SPAWN_SETSIGMASK;
        posix_spawnattr_setsigmask(attributes, spawn->mask);
    }
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setflags(attributes, (short)flags);
}

static int start(const struct spawn *spawn, const int *high, pid_t *pid)
{
    const char *const *environment =
        spawn->environment != NULL ? spawn->environment : (const char *const *)environ;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int code;

    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    set_attributes(spawn, &attributes);
    code = add_files(spawn, high, &files);
    if (code == 0)
        code =
            posix_spawnp(pid, spawn->program, &files, &attributes, (char *const *)(uintptr_t)spawn->arguments,
                         (char *const *)(uintptr_t)environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return -code;
}

int spawn_start(const struct spawn *spawn, pid_t *pid)
{
    scoped_free int *high = mem_array0(spawn->fd_count, sizeof(*high));
    pid_t started;
    int r = 0;

    for (size_t i = 0; i < spawn->fd_count; i++) {
        high[i] = spawn->fds[i] < 0 ? -1 : fcntl(spawn->fds[i], F_DUPFD_CLOEXEC, (int)spawn->fd_count);
        if (spawn->fds[i] >= 0 && high[i] < 0)
            r = -errno;
    }
    if (r == 0)
        r = start(spawn, high, &started);
    if (r == 0)
        *pid = started;
    for (size_t i = 0; i < spawn->fd_count; i++)
        mem_close_fd(&high[i]);
    return r;
}

int spawn_wait(pid_t pid, int *status)
{
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return 0;
}

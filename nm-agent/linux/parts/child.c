/* SPDX-License-Identifier: Apache-2.0 */
/* child.c - starts a program that is not a container's command */
#include "nm-agent/linux/parts/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>

#include "common/base/mem.h"

#define HIGH_FD 16 /* above all descriptors with which a child is started */

/* Adds the actions that move HIGH[i] to descriptor i. The caller has duplicated all descriptors to numbers
 * from HIGH_FD up, so no action overwrites the source of another one. */
static int add_descriptors(posix_spawn_file_actions_t *actions, const int *high, size_t count)
{
    int code = 0;

    for (size_t i = 0; i < count && code == 0; i++) {
        if (high[i] < 0)
            code = posix_spawn_file_actions_addopen(actions, (int)i, "/dev/null", O_RDWR, 0);
        else
            code = posix_spawn_file_actions_adddup2(actions, high[i], (int)i);
    }
    return code;
}

static int spawn_with(const char *path, char *const argv[], char *const environment[], const int *high,
                      size_t count, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int code;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    code = add_descriptors(&actions, high, count);
    if (code == 0)
        code = posix_spawn(pid, path, &actions, &attributes, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return -code;
}

int child_spawn(const char *path, char *const argv[], char *const environment[], const int *fds, size_t count,
                pid_t *pid)
{
    scoped_free int *high = mem_array0(count, sizeof(*high));
    int result = 0;

    for (size_t i = 0; i < count; i++) {
        high[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD_CLOEXEC, HIGH_FD);
        if (fds[i] >= 0 && high[i] < 0)
            result = -errno;
    }
    if (result == 0)
        result = spawn_with(path, argv, environment, high, count, pid);
    for (size_t i = 0; i < count; i++)
        mem_close_fd(&high[i]);
    return result;
}

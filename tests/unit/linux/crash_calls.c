/* SPDX-License-Identifier: Apache-2.0 */
/* crash_calls.c - fault injection: ends a process right before its Nth system call that changes state */
#include "tests/unit/linux/crash_calls.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int calls_left, calls_made;
static pid_t counted;
#ifdef CRASH_BY_FILE
static int calls_each;
static pid_t agent;
#endif

void crash_before(int count)
{
    calls_left = count;
    calls_made = 0;
    counted = getpid();
}

int crash_calls(void)
{
    return calls_made;
}

#define IS_SET(flags) (((flags)&O_CREAT) != 0)

static void count_call(void)
{
#ifdef CRASH_BY_FILE
    /* The process forked to wait counts its own calls. Its parent is the agent, as for the shim that
     * forked it. */
    if (counted != 0 && counted != getpid() && getppid() == agent)
        crash_before(calls_each);
#endif
    if (counted != getpid())
        return;
    calls_made++;
    if (calls_left > 0 && --calls_left == 0)
        _exit(CRASH_STATUS);
}

/* With --wrap, the linker redirects calls of NAME to __wrap_NAME; __real_NAME is the original function. */
#define WRAP(type, name, parameters, arguments) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters \
    { \
        count_call(); \
        return __real_##name arguments; \
    }

WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(int, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode))
WRAP(int, rmdir, (const char *path), (path))
WRAP(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
WRAP(int, renameat, (int from, const char *old, int to, const char *path), (from, old, to, path))
WRAP(int, linkat, (int from, const char *old, int to, const char *path, int flags),
     (from, old, to, path, flags))
WRAP(int, fsync, (int fd), (fd))
WRAP(int, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid))
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(int, fallocate, (int fd, int mode, off_t offset, off_t size), (fd, mode, offset, size))
WRAP(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
WRAP(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
WRAP(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
WRAP(ssize_t, send, (int fd, const void *data, size_t size, int flags), (fd, data, size, flags))
WRAP(int, unlink, (const char *path), (path))
WRAP(int, close, (int fd), (fd))
WRAP(pid_t, fork, (void), ())
WRAP(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options))
WRAP(int, flock, (int fd, int operation), (fd, operation))
WRAP(int, posix_spawn,
     (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const argv[], char *const environment[]),
     (pid, path, actions, attributes, argv, environment))

int __real_openat(int fd, const char *path, int flags, ...);
int __wrap_openat(int fd, const char *path, int flags, ...);
int __wrap_openat(int fd, const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list more;

    if (IS_SET(flags)) {
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
        count_call();
    }
    return __real_openat(fd, path, flags, mode);
}

/* A shim starts with an empty environment: it reads the number of the call from a file beside its program. */
#ifdef CRASH_BY_FILE
static __attribute__((constructor)) void crash_by_file(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(".count"));
    FILE *stream;
    int count;

    if (length <= 0)
        return;
    memcpy(path + length, ".count", sizeof(".count"));
    stream = fopen(path, "re");
    if (stream != NULL && fscanf(stream, "%d", &count) == 1) {
        calls_each = count;
        agent = getppid();
        crash_before(count);
    }
    if (stream != NULL)
        fclose(stream);
}
#endif

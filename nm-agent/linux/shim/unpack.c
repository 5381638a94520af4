/* SPDX-License-Identifier: Apache-2.0 */
/* unpack.c - runs creel-unpack for the archives of a container, before its command */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nm-agent/linux/shim/shim.h"

#define NAMES_MAX 1024 /* the maximum of LaunchContext.files */

static __attribute__((noreturn)) void become_unpack(const struct plan *plan, int message_fd)
{
    static const char *argv[NAMES_MAX + 2]; /* zero: ends with NULL */
    static const char *const environment[] = { "LC_ALL=C.UTF-8", NULL };
    size_t count = 0;

    argv[count++] = "creel-unpack";
    for (const char *const *name = plan->archives; *name && count <= NAMES_MAX; name++)
        argv[count++] = *name;
    if (dup2(message_fd, STDERR_FILENO) >= 0 && chdir(plan->scratch) == 0 &&
        close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
        execve(plan->unpack_program, (char **)(uintptr_t)argv, (char **)(uintptr_t)environment);
    dprintf(message_fd, "its archives could not be unpacked: %s cannot be run: %s\n", plan->unpack_program,
            strerror(errno));
    _exit(127);
}

void message_read(int fd, char text[PAYLOAD_TEXT_MAX])
{
    char rest[256];
    size_t length = 0;

    for (;;) {
        bool is_full = length == PAYLOAD_TEXT_MAX - 1;
        ssize_t got =
            is_full ? read(fd, rest, sizeof(rest)) : read(fd, text + length, PAYLOAD_TEXT_MAX - 1 - length);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += is_full ? 0 : (size_t)got;
    }
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

int unpack_archives(const struct plan *plan, char text[PAYLOAD_TEXT_MAX])
{
    int message[2], status = 0;
    pid_t pid;

    *text = '\0';
    if (plan->archives == NULL || plan->archives[0] == NULL)
        return 0;
    if (pipe2(message, O_CLOEXEC) != 0)
        return -errno;
    pid = fork();
    if (pid < 0)
        return -errno; /* the payload ends, and the pipe with it */
    if (pid == 0)
        become_unpack(plan, message[1]);
    close(message[1]);
    message_read(message[0], text);
    close(message[0]);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFSIGNALED(status))
        snprintf(text, PAYLOAD_TEXT_MAX, "its archives could not be unpacked: signal %d ended creel-unpack%s",
                 WTERMSIG(status), WTERMSIG(status) == SIGKILL ? " (out of memory?)" : "");
    return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? -ENOEXEC : -EINVAL;
}

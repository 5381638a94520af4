/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - what the shim leaves in the container's state directory */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nm-agent/linux/process.h"
#include "nm-agent/linux/shim/shim.h"

#define RETRY_MAX_MS 1000

/* For who comes later in this boot: what a power cut takes ended with it (recover.c). */
static int write_file(int state_fd, const char *name, const char *text)
{
    int fd = openat(state_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t length = strlen(text);
    int result = 0;

    if (fd < 0)
        return -errno;
    if (write(fd, text, length) != (ssize_t)length)
        result = errno ? -errno : -ENOSPC;
    close(fd);
    return result;
}

int state_claim(int state_fd)
{
    struct process self;
    char text[PROCESS_TEXT_MAX];
    int result = process_of(getpid(), &self);

    if (result != 0)
        return result;
    process_format(&self, text);
    result = write_file(state_fd, "started.tmp", text);
    /* A link appears whole or not at all, and never replaces one. */
    if (result == 0 && linkat(state_fd, "started.tmp", state_fd, "started", 0) != 0)
        result = -errno;
    unlinkat(state_fd, "started.tmp", 0);
    return result;
}

void state_note_pids(int state_fd, pid_t payload)
{
    struct process of[2];
    char text[2 * PROCESS_TEXT_MAX];

    if (process_of(getpid(), &of[0]) != 0 || process_of(payload, &of[1]) != 0)
        return;
    process_format(&of[0], text);
    process_format(&of[1], text + strlen(text));
    if (write_file(state_fd, "pid.tmp", text) == 0)
        renameat(state_fd, "pid.tmp", state_fd, "pid");
}

static int try_exit(int state_fd, int exit_fd, const char *text, size_t length)
{
    if (pwrite(exit_fd, text, length, 0) != (ssize_t)length)
        return -1;
    /* Without the rename it counts all the same, being whole (see recover.c). */
    renameat(state_fd, "exit.tmp", state_fd, "exit");
    return 0;
}

void state_write_exit(int state_fd, int exit_fd, const struct exit_record *record)
{
    char text[EXIT_RECORD_SIZE];
    size_t length = exit_record_format(record, text);
    long pause_ms = 10;

    while (try_exit(state_fd, exit_fd, text, length) != 0) {
        struct timespec pause = { .tv_sec = pause_ms / 1000,
                                  .tv_nsec = pause_ms % 1000 * 1000000 };

        nanosleep(&pause, NULL);
        pause_ms = pause_ms * 2 > RETRY_MAX_MS ? RETRY_MAX_MS : pause_ms * 2;
    }
}

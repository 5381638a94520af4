/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - writes the shim's files in the container's state directory */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/shim/shim.h"

#define RETRY_MAX_MS 1000

/* Writes a file without fsync, for a later agent of the same boot: a power failure also ends the container
 * (recover.c). */
static int write_file(int state_fd, const char *name, int flags, const char *text)
{
    int fd = openat(state_fd, name, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
    size_t length = strlen(text);
    int result = 0;

    if (fd < 0)
        return -errno;
    if (write(fd, text, length) != (ssize_t)length)
        result = errno ? -errno : -ENOSPC;
    close(fd);
    return result;
}

/* Creates "started". Its existence means that the command may have run, even if the file is empty: then the
 * shim died, or is about to write its identity. */
int state_claim(int state_fd, const struct process *self)
{
    char text[PROCESS_TEXT_MAX];

    process_format(self, text);
    return write_file(state_fd, "started", O_EXCL, text);
}

void state_note_command(int state_fd, const struct process *self, pid_t pid)
{
    char text[PROCESS_TEXT_MAX];
    struct process command = *self; /* copies the boot id */

    if (process_of(pid, &command) != 0)
        return;
    process_format(&command, text);
    write_file(state_fd, "started", O_APPEND, text);
}

void state_read_order(int state_fd, struct stop_order *order)
{
    char text[STOP_ORDER_TEXT_MAX];
    int fd = openat(state_fd, STOP_ORDER_FILE, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    if (fd >= 0)
        close(fd);
    *order = (struct stop_order){ .kill_at_ms = 0 };
    if (got < 0)
        return;
    text[got] = '\0';
    (void)stop_order_parse(text, order);
}

void state_note_terminated(int state_fd)
{
    write_file(state_fd, STOP_ORDER_TERM_FILE, 0, "");
}

void state_note_stuck(int state_fd)
{
    write_file(state_fd, STOP_ORDER_STUCK_FILE, 0, "");
}

void state_note_stuck_step(int state_fd, pid_t pid)
{
    struct process process = { .pid = 0 };
    char text[PROCESS_TEXT_MAX];

    if (process_of(pid, &process) != 0)
        return;
    process_format(&process, text);
    write_file(state_fd, STOP_ORDER_STUCK_STEPS_FILE, O_APPEND, text);
}

void state_note_command_end(int state_fd, const struct command_end *end)
{
    char text[COMMAND_END_TEXT_MAX];

    command_end_format(end, text);
    write_file(state_fd, COMMAND_END_FILE, O_TRUNC, text);
}

bool state_is_terminated(int state_fd)
{
    return faccessat(state_fd, STOP_ORDER_TERM_FILE, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool state_keeper_is_stopped(const struct plan *plan)
{
    return plan->keeper_file != NULL && access(plan->keeper_file, F_OK) != 0;
}

static int try_exit(int state_fd, int exit_fd, const char *text, size_t length)
{
    if (pwrite(exit_fd, text, length, 0) != (ssize_t)length)
        return -1;
    /* If the rename fails, a complete exit.tmp is valid, too (see recover.c). */
    renameat(state_fd, "exit.tmp", state_fd, "exit");
    return 0;
}

void state_write_exit(int state_fd, int exit_fd, const struct container_end *record)
{
    char text[EXIT_RECORD_SIZE];
    size_t length = exit_record_format(record, text);
    long pause_ms = 10;

    while (try_exit(state_fd, exit_fd, text, length) != 0) {
        struct timespec pause = { .tv_sec = pause_ms / 1000, .tv_nsec = pause_ms % 1000 * 1000000 };

        nanosleep(&pause, NULL);
        pause_ms = pause_ms * 2 > RETRY_MAX_MS ? RETRY_MAX_MS : pause_ms * 2;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt_notice.c - writes the notice of a preemption or time limit: a file in the container's own
 * directory, and a signal
 *
 * The user owns the directory, and may have created any file in it: no link is followed, and the notice is a
 * new file that atomically replaces any file with its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/process.h"
#include "nm-agent/linux/runtime_state.h"

#define NEW_NOTICE "." RUNTIME_NOTICE ".new"
#define REASON_SHOWN_MAX 400

/* Writes REASON as the inside of a JSON string: cuts it, and replaces all bytes that need escaping or are not
 * ASCII. */
static void quote(const char *reason, char text[REASON_SHOWN_MAX + 1])
{
    size_t used = 0;

    for (; *reason != '\0' && used < REASON_SHOWN_MAX; reason++) {
        unsigned char byte = (unsigned char)*reason;

        text[used++] = byte == '"' || byte == '\\'   ? '\''
                       : byte < 0x20 || byte == 0x7f ? ' '
                       : byte >= 0x80                ? '?'
                                                     : *reason;
    }
    text[used] = '\0';
}

static char *make_notice(int64_t deadline_ms, const char *reason)
{
    time_t seconds = (time_t)(deadline_ms / 1000);
    char when[40] = "", shown[REASON_SHOWN_MAX + 1];
    struct tm parts;

    if (gmtime_r(&seconds, &parts))
        strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &parts);
    quote(reason, shown);
    return mem_printf("{\"deadlineAt\":\"%s.%03dZ\",\"deadlineMs\":%lld,\"reason\":\"%s\"}\n", when,
                      (int)(deadline_ms % 1000), (long long)deadline_ms, shown);
}

static int write_all(int fd, const char *text)
{
    size_t size = strlen(text);
    ssize_t put = write(fd, text, size);

    return put < 0 ? -errno : (size_t)put < size ? -ENOSPC : 0;
}

static int put_notice(const struct meta *meta, const char *text)
{
    scoped_fd int directory = open(meta->work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    scoped_fd int fd = -1;
    struct stat info;
    int code;

    if (directory < 0 || fstat(directory, &info) != 0)
        return -errno;
    if (info.st_uid != meta->uid) /* not the directory that the agent created */
        return -EPERM;
    /* If the user has created a directory with that name, the open fails. */
    (void)unlinkat(directory, NEW_NOTICE, 0);
    fd = openat(directory, NEW_NOTICE, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
    if (fd < 0)
        return -errno;
    code = write_all(fd, text);
    if (code == 0 && fchown(fd, meta->uid, (gid_t)-1) != 0)
        code = -errno;
    if (code == 0 && renameat(directory, NEW_NOTICE, directory, RUNTIME_NOTICE) != 0)
        code = -errno;
    if (code != 0)
        (void)unlinkat(directory, NEW_NOTICE, 0);
    return code;
}

int runtime_preempt_notice(struct runtime *runtime, const char *container_id, int64_t deadline_ms,
                           const char *reason, int signal_number, struct err *err)
{
    struct container *container = container_find(runtime, container_id);
    scoped_free char *text = NULL;
    int code;

    if (container == NULL || container->state == CONTAINER_ENDED || container->state == CONTAINER_LOST)
        return err_set(err, ESRCH, "container %s does not run", container_id);
    text = make_notice(deadline_ms, reason);
    code = put_notice(&container->meta, text);
    /* The signal is sent even if the file could not be written, since a process may wait for it. */
    if (signal_number > 0) {
        container->notice_until_ms = monotonic_ms() + deadline_ms - process_now_ms();
        container_signal_all(runtime, container, signal_number, container->notice_until_ms);
    }
    return code == 0 ? 0
                     : err_set_errno(err, -code, "container %s: the notice of its end cannot be written",
                                     container_id);
}

void runtime_spare(struct runtime *runtime, const char *container_id)
{
    struct container *container = container_find(runtime, container_id);
    scoped_fd int directory = -1;
    struct stat info;

    if (container == NULL)
        return;
    /* The time of another signal, of a time limit or a user, goes on. */
    if (container->order.signal_until_ms != 0 && container->stop == STOP_NONE &&
        container->order.signal_until_ms == container->notice_until_ms)
        stop_note_signal(runtime, container, 0, 0);
    directory = open(container->meta.work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    /* unlinkat follows no link, and does not remove a directory. */
    if (directory >= 0 && fstat(directory, &info) == 0 && info.st_uid == container->meta.uid)
        (void)unlinkat(directory, RUNTIME_NOTICE, 0);
}

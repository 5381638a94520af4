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

#include "common/base/file.h"
#include "common/base/job/job_field.h"
#include "common/base/mem.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/state/disk_io.h"

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

static int put_notice(const struct meta *meta, const char *text)
{
    scoped_fd int directory = open(meta->work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat info;

    if (directory < 0 || fstat(directory, &info) != 0)
        return -errno;
    if (info.st_uid != meta->uid) /* not the directory that the agent created */
        return -EPERM;
    /* If the user has created a directory with the name of the temporary file, this fails. */
    return file_replace(directory, JOB_NOTICE_FILE,
                        &(struct file_content){ .data = text,
                                                .size = strlen(text),
                                                .mode = 0400,
                                                .owner = meta->uid,
                                                .temporary = JOB_NOTICE_FILE_NEW });
}

int runtime_preempt_notice(struct runtime *runtime, const char *container_id, int64_t deadline_ms,
                           const char *reason, enum runtime_scope scope, int signal_number, struct err *err)
{
    struct container *container = container_find(runtime, container_id);
    scoped_free char *text = NULL;
    int code;

    if (container == NULL || container->state == CONTAINER_ENDED || container->state == CONTAINER_LOST)
        return err_set(err, ESRCH, "container %s does not run", container_id);
    text = make_notice(deadline_ms, reason);
    code = disk_path_answers(runtime, container->meta.work) ? put_notice(&container->meta, text) : -ETIMEDOUT;
    /* The signal is sent even if the file could not be written, since a process may wait for it. */
    if (signal_number > 0) {
        container->notice_until_ms = monotonic_ms() + deadline_ms - process_now_ms();
        container_signal_until(runtime, container, scope, signal_number, container->notice_until_ms);
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
    if (!disk_path_answers(runtime, container->meta.work))
        return;
    directory = open(container->meta.work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    /* unlinkat follows no link, and does not remove a directory. */
    if (directory >= 0 && fstat(directory, &info) == 0 && info.st_uid == container->meta.uid)
        (void)unlinkat(directory, JOB_NOTICE_FILE, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * save.c - what an agent has to find again after a crash, many at a time
 *
 * To wait for the disk takes as long for one file as for many that were written
 * before: so all are written, then all are synced, then all are renamed, and
 * then the directories are synced. The first of each round pays for the others.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/container.h"
#include "nm-agent/linux/paths.h"
#include "nm-agent/linux/record.h"

#define AT_ONCE 64                      /* two descriptors each */

/* --- records --------------------------------------------------------------- */

struct save {
    struct runtime_record *record;
    int state_fd, file_fd;
    bool made;                          /* the directory, just now */
};

static void fail(struct save *save, int code, const char *what)
{
    if (save->record->code == 0)
        save->record->code = err_set_errno(&save->record->err, code, "container %s: cannot %s",
                                           save->record->container_id, what);
}

static void begin(struct runtime *runtime, struct save *save)
{
    struct runtime_record *record = save->record;
    int result;

    record->code = 0;
    save->state_fd = save->file_fd = -1;
    if (!paths_is_name(record->container_id)) {
        record->code = err_set(&record->err, EINVAL, "\"%.80s\" is not a container id",
                               record->container_id);
        return;
    }
    save->state_fd = container_make(runtime, record->container_id, &save->made, &record->err);
    if (save->state_fd < 0) {
        record->code = save->state_fd;
        return;
    }
    if (container_has(save->state_fd, "acked")) {
        record->code = err_set(&record->err, EEXIST, "container %s has run and ended here",
                               record->container_id);
        return;
    }
    result = record_begin(save->state_fd, "record", record->data, record->size, &save->file_fd,
                          &record->err);
    if (result != 0) {
        err_prefix(&record->err, "container %s", record->container_id);
        record->code = result;
    }
}

static void end(struct runtime *runtime, struct save *save)
{
    const struct runtime_record *record = save->record;

    container_close_fd(&save->file_fd);
    if (record->code != 0 && save->state_fd >= 0) {
        unlinkat(save->state_fd, "record.new", 0);
        if (save->made)                 /* nobody was told of it */
            unlinkat(save->state_fd, "record", 0);
        unlinkat(runtime->containers_fd, record->container_id, AT_REMOVEDIR);   /* if empty */
    }
    container_close_fd(&save->state_fd);
}

static void save_some(struct runtime *runtime, struct runtime_record *records, size_t count)
{
    struct save saves[AT_ONCE] = { { .record = NULL } };
    bool made = false;

    for (size_t i = 0; i < count; i++) {
        saves[i].record = &records[i];
        begin(runtime, &saves[i]);
        made = made || saves[i].made;
    }
    for (size_t i = 0; i < count; i++)
        if (records[i].code == 0 && fsync(saves[i].file_fd) != 0)
            fail(&saves[i], errno, "write its record");
    for (size_t i = 0; i < count; i++)
        if (records[i].code == 0 &&
            renameat(saves[i].state_fd, "record.new", saves[i].state_fd, "record") != 0)
            fail(&saves[i], errno, "write its record");
    for (size_t i = 0; i < count; i++)
        if (records[i].code == 0 && fsync(saves[i].state_fd) != 0)
            fail(&saves[i], errno, "sync its directory");
    if (made && fsync(runtime->containers_fd) != 0) {
        int code = errno;

        for (size_t i = 0; i < count; i++)
            if (saves[i].made)
                fail(&saves[i], code, "sync the directory of all containers");
    }
    for (size_t i = 0; i < count; i++)
        end(runtime, &saves[i]);
}

void runtime_save_all(struct runtime *runtime, struct runtime_record *records, size_t count)
{
    for (size_t at = 0; at < count; at += AT_ONCE)
        save_some(runtime, &records[at], count - at < AT_ONCE ? count - at : AT_ONCE);
}

int runtime_save(struct runtime *runtime, const char *container_id, const void *record,
                 size_t size, struct err *err)
{
    struct runtime_record one = { .container_id = container_id, .data = record, .size = size };

    runtime_save_all(runtime, &one, 1);
    if (one.code != 0 && err != NULL)
        *err = one.err;
    return one.code;
}

/* --- tombstones ------------------------------------------------------------ */

/* The state directory with its tombstone, not synced yet; -1: it is not known, or not over. */
static int bury(struct runtime *runtime, const char *id)
{
    scoped_fd int state_fd = -1, acked_fd = -1;

    if (!paths_is_name(id))
        return -1;
    state_fd = container_open(runtime, id, NULL);
    if (state_fd < 0 || !container_is_over(runtime, id, state_fd))
        return -1;
    acked_fd = openat(state_fd, "acked", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return acked_fd < 0 ? -1 : fd_take(&state_fd);
}

static void acknowledge_some(struct runtime *runtime, const char *const *ids, size_t count)
{
    static const char *const gone[] = { "record", "pid", "exit", "exit.tmp" };
    int state_fds[AT_ONCE];

    for (size_t i = 0; i < count; i++)
        state_fds[i] = bury(runtime, ids[i]);
    /* Without the tombstone the rest has to stay: the acknowledgement comes again. */
    for (size_t i = 0; i < count; i++)
        if (state_fds[i] >= 0 && fsync(state_fds[i]) != 0)
            container_close_fd(&state_fds[i]);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; state_fds[i] >= 0 && k < sizeof(gone) / sizeof(gone[0]); k++)
            unlinkat(state_fds[i], gone[k], 0);
        container_close_fd(&state_fds[i]);
    }
}

void runtime_acknowledge_all(struct runtime *runtime, const char *const *container_ids,
                             size_t count)
{
    for (size_t at = 0; at < count; at += AT_ONCE)
        acknowledge_some(runtime, &container_ids[at], count - at < AT_ONCE ? count - at : AT_ONCE);
}

void runtime_acknowledge(struct runtime *runtime, const char *container_id)
{
    runtime_acknowledge_all(runtime, &container_id, 1);
}

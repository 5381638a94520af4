/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep_records.c - makes the files of running containers again if they were removed or damaged
 *
 * Without them the next agent would not find the container, and would end it. This agent has in memory what
 * they say. The directory of a container is not made again: its shim has locked the one that was removed, and
 * writes the exit record there.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/mem.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/state/disk_io.h"

struct keeping { /* one look at all containers */
    struct runtime *runtime;
    size_t lost;       /* containers whose files cannot be made again */
    const char *first; /* one of them */
    struct err why;    /* of FIRST */
};

static void report_made(struct runtime *runtime, const struct container *container, const char *name)
{
    struct runtime_event event = { .kind = RUNTIME_RECORD_MADE };

    memcpy(event.container_id, container->id, sizeof(event.container_id));
    snprintf(event.end.diagnostics, sizeof(event.end.diagnostics),
             "its file %s in the state directory was removed or damaged: it is made again", name);
    container_push_event(runtime, &event);
}

/* The time of the file is that of the start: recover.c. */
static int make_started(int state_fd, const struct container *container, struct err *err)
{
    struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
                                 { .tv_sec = (time_t)(container->started_ms / 1000),
                                   .tv_nsec = (long)(container->started_ms % 1000) * 1000000 } };
    struct process shim = { .pid = process_of_fd(container->shim_fd) };
    char text[2 * PROCESS_TEXT_MAX]; /* of the shim and the command, as the shim writes them */
    int result;

    if (shim.pid == 0 || process_boot_id(shim.boot_id) != 0 || process_of(shim.pid, &shim) != 0)
        return 0; /* it has just ended */
    process_format(&shim, text);
    if (container->command.pid > 0)
        process_format(&container->command, text + strlen(text));
    result = record_put(state_fd, "started", text, strlen(text), err);
    if (result == 0 && container->started_ms > 0)
        (void)utimensat(state_fd, "started", times, AT_SYMLINK_NOFOLLOW);
    return result;
}

int container_make_started(struct runtime *runtime, struct container *container, int state_fd,
                           struct err *err)
{
    int result = make_started(state_fd, container, err);

    if (result == 0)
        report_made(runtime, container, "started");
    return result;
}

static int keep_started(struct runtime *runtime, struct container *container, int state_fd, struct err *err)
{
    struct process shim;

    if (!container_read_shim(state_fd, &shim))
        return container_make_started(runtime, container, state_fd, err);
    container_note_command(runtime, container);
    return 0;
}

static int keep_files(struct runtime *runtime, struct container *container, struct err *err)
{
    scoped_fd int state_fd = container_open(runtime, container->id, err);
    int result = 0;

    if (state_fd < 0)
        return state_fd;
    if (!container_has(state_fd, "meta") && container->meta.app_id != NULL) {
        if ((result = meta_replace(state_fd, &container->meta, err)) < 0)
            return result;
        report_made(runtime, container, "meta");
    }
    if ((result = keep_started(runtime, container, state_fd, err)) < 0)
        return result;
    if (!container_has(state_fd, "record")) {
        struct runtime_event event = { .kind = RUNTIME_RECORD_LOST };

        memcpy(event.container_id, container->id, sizeof(event.container_id));
        container_push_event(runtime, &event);
    }
    return 0;
}

static char *describe(const struct keeping *keeping)
{
    if (keeping->lost == 0)
        return NULL;
    return mem_printf(
        "%s/containers: files of %zu running container%s were removed and cannot be made again (%s: %s): let "
        "these containers end before creel-nm is restarted: the restart would end them",
        keeping->runtime->state_dir, keeping->lost, keeping->lost == 1 ? "" : "s", keeping->first,
        keeping->why.text);
}

void runtime_keep_records(struct runtime *runtime)
{
    struct keeping keeping = { .runtime = runtime };
    struct container *container, *next;

    if (!disk_answers(&runtime->health.state))
        return;
    HASH_ITER(hh, runtime->containers, container, next) {
        struct err err = { 0 };

        if (container->state != CONTAINER_RUNNING || container->shim_fd < 0 ||
            keep_files(runtime, container, &err) == 0)
            continue;
        if (keeping.lost++ > 0)
            continue;
        keeping.first = container->id;
        keeping.why = err;
    }
    free(runtime->health.records_problem);
    runtime->health.records_problem = describe(&keeping);
    runtime_arm(runtime);
}

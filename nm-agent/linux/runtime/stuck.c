/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stuck.c - finds containers that do not end, although the agent does not stop them
 *
 *   stopped: the shim was stopped by a signal. It does not notice the end of its command, which stays a
 *            zombie: its container would run for ever.
 *   killed:  the command has ended, and the shim has killed the processes that it left. One of them does not
 *            end, and the shim has written STOP_ORDER_STUCK_FILE.
 *   step:    the container runs. The shim of a step that is over has killed its processes. One of them does
 *            not end, and that shim has added it to STOP_ORDER_STUCK_STEPS_FILE.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/state/disk_io.h"

static void report(struct runtime *runtime, struct container *container, const char *text)
{
    struct runtime_event event = { .kind = RUNTIME_STUCK };

    snprintf(event.container_id, sizeof(event.container_id), "%s", container->id);
    snprintf(event.end.diagnostics, sizeof(event.end.diagnostics), "%s", text);
    container_push_event(runtime, &event);
}

static void look_at_shim(struct runtime *runtime, struct container *container)
{
    int pid = process_of_fd(container->shim_fd);
    char state = pid > 0 ? process_state(pid) : '\0', text[256];

    if (state != 'T' && state != 't') {
        container->stopped_looks = 0;
        if (container->stopped_reported) {
            report(runtime, container, "");
            container->stuck_step = 0; /* is reported again */
        }
        container->stopped_reported = false;
        return;
    }
    if (container->stopped_reported || ++container->stopped_looks < 2) /* once may be a short stop */
        return;
    container->stopped_reported = true;
    snprintf(
        text, sizeof(text),
        "its shim (process %d) is in state %c, so that the end of its command is not noticed: kill -CONT "
        "%d on the node lets it go on",
        pid, state, pid);
    report(runtime, container, text);
}

static void look_at_processes(struct runtime *runtime, struct container *container)
{
    scoped_free char *name = NULL;

    if (container->stuck_reported || container->stopped_reported)
        return;
    name = mem_printf("%s/" STOP_ORDER_STUCK_FILE, container->id);
    if (container_has(runtime->containers_fd, name))
        container_report_stuck(runtime, container);
}

/* Returns the first process in the file NAME that has not ended; 0: all have, or there is no file. */
static pid_t first_left(const struct runtime *runtime, const char *name)
{
    int fd = openat(runtime->containers_fd, name, O_RDONLY | O_CLOEXEC);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "re");
    char line[PROCESS_TEXT_MAX];
    struct process process;
    pid_t left = 0;

    while (left == 0 && stream != NULL && fgets(line, sizeof(line), stream) != NULL) {
        scoped_fd int process_fd = process_parse(line, &process) ? process_open(&process) : -1;

        left = process_fd >= 0 ? process.pid : 0;
    }
    if (stream != NULL)
        fclose(stream);
    else if (fd >= 0)
        close(fd);
    return left;
}

static void look_at_steps(struct runtime *runtime, struct container *container)
{
    scoped_free char *name = NULL;
    char text[320] = "";
    pid_t left;

    if (container->stuck_reported || container->stopped_reported)
        return;
    name = mem_printf("%s/" STOP_ORDER_STUCK_STEPS_FILE, container->id);
    left = first_left(runtime, name);
    if (left == container->stuck_step)
        return;
    container->stuck_step = left;
    if (left != 0)
        container_describe_step(left, text, sizeof(text));
    report(runtime, container, text);
}

void runtime_find_stuck(struct runtime *runtime)
{
    bool answers = disk_answers(&runtime->health.state);
    struct container *container, *next;

    HASH_ITER(hh, runtime->containers, container, next) {
        if ((container->state != CONTAINER_RUNNING && container->state != CONTAINER_LAUNCHED) ||
            container->stop == STOP_KILL || container->shim_fd < 0)
            continue;
        look_at_shim(runtime, container);
        if (!answers)
            continue;
        look_at_processes(runtime, container);
        look_at_steps(runtime, container);
    }
    runtime_arm(runtime); /* there may be a new event */
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find_shim.c - finds the shim of a container that an earlier agent started
 *
 * The file "started" identifies it. If the file was removed or damaged while no agent ran, the shim is the
 * oldest SHIM_NAME that has the container's state directory open as SHIM_FD_STATE. (/proc/locks does not name
 * it: an agent took the lock.) Only a shim that has a child is found in this way: one that has none may not
 * have made "started" yet, and would end if it found the file there.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/shim/plan.h"

#define SEARCH_MS \
    1000 /* between two searches for the shim of one container, each of which reads all of /proc */

/* Returns a pidfd of the shim that has STATE_FD's directory open, and stores the process of its command. -1:
 * it is not found. */
static int search(int state_fd, struct process *command)
{
    struct process shim;
    struct stat status;
    int fd;

    if (fstat(state_fd, &status) != 0 || !process_find_holder(SHIM_NAME, SHIM_FD_STATE, &status, &shim) ||
        !process_first_child(shim.pid, command))
        return -1;
    fd = process_open(&shim);
    return fd < 0 ? -1 : fd;
}

/* Watches the shim that SHIM_FD refers to. */
static void adopt(struct runtime *runtime, struct container *container, int shim_fd)
{
    container->state = CONTAINER_RUNNING;
    container->unfound_ms = 0;
    container_watch(runtime, container, shim_fd, -1);
}

bool container_adopt_shim(struct runtime *runtime, struct container *container, int state_fd)
{
    struct process shim, command;
    int64_t now_ms = monotonic_ms();
    int shim_fd = container_read_shim(state_fd, &shim) ? process_open(&shim) : -1;

    if (shim_fd >= 0) {
        adopt(runtime, container, shim_fd);
        container_note_command(runtime, container);
        return true;
    }
    if (now_ms < container->search_ms || !container_is_locked(state_fd))
        return false;
    container->search_ms = now_ms + SEARCH_MS;
    shim_fd = search(state_fd, &command);
    if (shim_fd < 0)
        return false;
    adopt(runtime, container, shim_fd);
    container->command = command;
    container->started_ms = process_start_ms(&command);
    /* After an error, as on a full disk, runtime_keep_records tries it again, and reports it. */
    (void)container_make_started(runtime, container, state_fd, NULL);
    return true;
}

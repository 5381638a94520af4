/* SPDX-License-Identifier: Apache-2.0 */
/*
 * save.c - writes and removes the records of containers, which the next agent needs
 *
 * No function waits for the disk. The next agent finds what was written, however this agent ended. Only a
 * power failure may lose it, which also ends the containers: when the agent returns without containers that
 * it had reported, the RM counts these as lost, and it repeats the orders for the others. (YARN's agent does
 * not sync its records either.)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "nm-agent/linux/parts/paths.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/linux/runtime/cleanup.h"
#include "nm-agent/linux/runtime_state.h"

/* --- records --------------------------------------------------------------- */

int runtime_save(struct runtime *runtime, const char *container_id, const void *record, size_t size,
                 struct err *err)
{
    scoped_fd int state_fd = -1;
    bool made;
    int result;

    if (!paths_is_name(container_id))
        return err_set(err, EINVAL, "\"%.80s\" is not a container id", container_id);
    state_fd = container_make(runtime, container_id, &made, err);
    if (state_fd < 0)
        return state_fd;
    if (!made && container_has(state_fd, "acked"))
        return err_set(err, EEXIST, "container %s has run and ended here", container_id);
    result = record_put(state_fd, "record", record, size, NULL);
    if (result == 0)
        return 0;
    err_set_errno(err, -result, "cannot write %s/containers/%s/record", runtime->state_dir, container_id);
    unlinkat(runtime->containers_fd, container_id, AT_REMOVEDIR); /* fails unless it is empty */
    return result;
}

/* --- tombstones ------------------------------------------------------------ */

void runtime_acknowledge(struct runtime *runtime, const char *container_id)
{
    static const char *const gone[] = { "record",
                                        "exit.tmp",
                                        STOP_ORDER_FILE,
                                        STOP_ORDER_TERM_FILE,
                                        STOP_ORDER_STUCK_FILE,
                                        STOP_ORDER_STUCK_STEPS_FILE,
                                        COMMAND_END_FILE };
    scoped_fd int state_fd = -1, acked_fd = -1;

    if (!paths_is_name(container_id))
        return;
    state_fd = container_open(runtime, container_id, NULL);
    if (state_fd < 0 || !container_is_over(runtime, container_id, state_fd))
        return;
    /* The exit record becomes the tombstone; a container that never ran has no exit record. If this fails,
     * the other files stay, and the acknowledgement is repeated. */
    if (renameat(state_fd, "exit", state_fd, "acked") != 0 &&
        (acked_fd = file_open(state_fd, "acked", O_WRONLY | O_CREAT, 0600, NULL)) < 0)
        return;
    for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
        unlinkat(state_fd, gone[i], 0);
}

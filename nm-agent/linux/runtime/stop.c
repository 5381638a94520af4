/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stop.c - writes for the shim of a container that it is being stopped: stop_order.h
 *
 * If the file cannot be written, as on a full disk or one that does not answer, the stop goes on: then the
 * shim counts the kill delay from the end of the command, and a later agent from its own start.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/state/disk_io.h"

static void put_order(struct runtime *runtime, struct container *container)
{
    scoped_fd int state_fd = -1;
    char text[STOP_ORDER_TEXT_MAX];

    if (!disk_answers(&runtime->health.state) ||
        (state_fd = container_open(runtime, container->id, NULL)) < 0)
        return;
    stop_order_format(&container->order, text);
    if (record_put(state_fd, STOP_ORDER_FILE, text, strlen(text), NULL) == 0 && container->shim_fd >= 0)
        syscall(SYS_pidfd_send_signal, container->shim_fd, STOP_ORDER_CHANGED, NULL, 0);
}

void stop_announce(struct runtime *runtime, struct container *container, int64_t kill_at_ms)
{
    scoped_fd int state_fd = -1;

    container->order.kill_at_ms = kill_at_ms;
    put_order(runtime, container);
    /* The shim has sent TERM if the command had ended by itself. */
    if (disk_answers(&runtime->health.state) &&
        (state_fd = container_open(runtime, container->id, NULL)) >= 0 &&
        container_has(state_fd, STOP_ORDER_TERM_FILE))
        container->terminated = true;
}

void stop_note_signal(struct runtime *runtime, struct container *container, int signal_number,
                      int64_t until_ms)
{
    container->order.signal_number = signal_number;
    container->order.signal_until_ms = until_ms;
    put_order(runtime, container);
}

void stop_note_terminated(struct runtime *runtime, struct container *container)
{
    scoped_fd int state_fd = -1, fd = -1;

    container->terminated = true;
    if (disk_answers(&runtime->health.state) &&
        (state_fd = container_open(runtime, container->id, NULL)) >= 0)
        fd = file_open(state_fd, STOP_ORDER_TERM_FILE, O_WRONLY | O_CREAT, 0600, NULL);
}

void stop_recover(struct container *container, int state_fd)
{
    scoped_free char *text = NULL;

    if (record_read(state_fd, STOP_ORDER_FILE, &text, NULL, NULL) != 0 ||
        !stop_order_parse(text, &container->order) || container->order.kill_at_ms == 0)
        return;
    container->stop = STOP_TERM;
    container->terminated = container_has(state_fd, STOP_ORDER_TERM_FILE);
}

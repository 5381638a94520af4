/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dev_watch.c - waits until a daemon of a local cluster writes to its log, or ends
 *
 * A daemon logs each change of its state, so a new line means that the state should be read again.
 */
#include <errno.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/cli/dev/dev.h"
#include "common/base/mem.h"

struct dev_watch {
    struct pollfd *fds; /* owned: the inotify descriptor, then pidfds */
    nfds_t count;
};

struct dev_watch *dev_watch_new(const struct dev *dev)
{
    struct dev_watch *watch = mem_new0(struct dev_watch);

    watch->fds = mem_array0((size_t)dev_count(dev) + 1, sizeof(*watch->fds));
    watch->fds[watch->count++] = (struct pollfd){
        .fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
        .events = POLLIN,
    };
    for (int i = 0; i < dev_count(dev); i++) {
        scoped_free char *log = dev_daemon_path(dev, dev_nth(dev, i), "log");
        struct dev_daemon daemon;
        int fd;

        (void)inotify_add_watch(watch->fds[0].fd, log, IN_MODIFY);
        dev_daemon_inspect(dev, dev_nth(dev, i), &daemon);
        fd = daemon.pid ? (int)syscall(SYS_pidfd_open, daemon.pid, 0) : -1;
        if (fd >= 0)
            watch->fds[watch->count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
    }
    return watch;
}

void dev_watch_free(struct dev_watch *watch)
{
    if (watch == NULL)
        return;
    for (nfds_t i = 0; i < watch->count; i++)
        if (watch->fds[i].fd >= 0)
            close(watch->fds[i].fd);
    free(watch->fds);
    free(watch);
}

void dev_watch_wait(struct dev_watch *watch, int timeout_ms)
{
    char events[4096];

    if (poll(watch->fds, watch->count, timeout_ms) <= 0)
        return;
    while (read(watch->fds[0].fd, events, sizeof(events)) > 0) {
        /* the content of the events does not matter */
    }
    /* Removes ended daemons, so that each end is reported once. */
    for (nfds_t i = 1; i < watch->count; i++)
        if (watch->fds[i].revents != 0) {
            close(watch->fds[i].fd);
            watch->fds[i].fd = -1;
        }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* lock.c - locks a directory, so that only one agent uses it */
#include "nm-agent/linux/parts/lock.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>

int lock_patiently(int fd)
{
    const struct timespec pause = { .tv_nsec = 10000000 };

    for (int i = 0; i < 100; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK)
            return -errno;
        nanosleep(&pause, NULL);
    }
    return -EBUSY;
}

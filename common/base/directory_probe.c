/* SPDX-License-Identifier: Apache-2.0 */
/* directory_probe.c - tests whether files can be written in a directory */
#include "common/base/directory_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/base/mem.h"

static int write_and_sync(int fd)
{
    ssize_t put = write(fd, "probe\n", 6);

    if (put != 6)
        return put < 0 ? errno : ENOSPC;
    return fsync(fd) < 0 ? errno : 0;
}

static int probe_by_name(const char *directory)
{
    scoped_free char *name = mem_printf("%s/.creel-probe", directory);
    scoped_fd int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    int error = fd < 0 ? errno : write_and_sync(fd);

    unlink(name);
    return error;
}

int directory_probe(const char *directory, bool sync)
{
    scoped_fd int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    int error = fd < 0 ? errno : sync ? write_and_sync(fd) : 0;

    if (fd < 0 && error == EOPNOTSUPP && sync)
        error = probe_by_name(directory);
    else if (fd < 0 && error == EOPNOTSUPP)
        error = access(directory, W_OK | X_OK) < 0 ? errno : 0;
    return error == EMFILE || error == ENFILE || error == EINTR || error == ENOMEM ? 0 : error;
}

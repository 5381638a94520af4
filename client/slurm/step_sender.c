/* SPDX-License-Identifier: Apache-2.0 */
/* step_sender.c - finds the process that has sent a signal to srun */
#include "client/slurm/step_sender.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"

#define GROUPS_BYTES_MAX 65536

/* Returns the control groups of a process; NULL: unreadable. */
static char *read_groups(const char *process)
{
    scoped_free char *path = mem_printf("/proc/%s/cgroup", process);
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *groups = NULL;
    size_t size;

    return fd >= 0 && file_read(fd, GROUPS_BYTES_MAX, &groups, &size) == 0 ? groups : NULL;
}

/* Returns whether PROCESS is known to be in other control groups than this one: not in the container. */
static bool is_outside(pid_t process)
{
    scoped_free char *number = mem_printf("%ld", (long)process);
    scoped_free char *own = read_groups("self");
    scoped_free char *other = read_groups(number);

    return own && other && *own != '\0' && *other != '\0' && strcmp(own, other) != 0;
}

bool step_sender_is_agent(pid_t sender, uid_t user)
{
    if (user != 0)
        return false;
    return sender == 0 || is_outside(sender);
}

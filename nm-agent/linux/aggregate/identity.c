/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - makes the process one of a user, and ends it with its parent */
#include "nm-agent/linux/aggregate/identity.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "nm-agent/linux/aggregate/aggregate.h"

int identity_set(uid_t uid, gid_t gid, const gid_t *groups, size_t count)
{
    if (geteuid() == 0 &&
        (setgroups(count, groups) != 0 || setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0))
        return -errno;
    if (geteuid() != uid || getuid() != uid)
        return -EPERM;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ? -errno : 0;
}

void identity_end_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent)
        _exit(AGGREGATE_STORAGE);
}

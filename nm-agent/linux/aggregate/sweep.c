/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.c - checks the directory of all aggregated logs, and deletes old files of all users */
#include "nm-agent/linux/aggregate/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/shared_directory.h"
#include "nm-agent/linux/aggregate/aggregate.h"
#include "nm-agent/linux/aggregate/identity.h"

#define GROUPS_MAX 65536 /* NGROUPS_MAX of Linux */

struct sweep {
    const char *base, *suffix;
    int64_t retain_ms, interval_ms;
};

int64_t aggregate_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int set_identity(const struct passwd *user)
{
    scoped_free gid_t *groups = mem_array0(GROUPS_MAX, sizeof(*groups));
    int count = GROUPS_MAX;

    if (getgrouplist(user->pw_name, user->pw_gid, groups, &count) < 0)
        return -E2BIG;
    return identity_set(user->pw_uid, user->pw_gid, groups, (size_t)count);
}

static __attribute__((noreturn)) void expire_as(const struct sweep *sweep, const struct passwd *user,
                                                pid_t parent)
{
    struct aggregate_place place = { sweep->base, user->pw_name, sweep->suffix };
    int kind;

    if (set_identity(user) != 0)
        _exit(1);
    identity_end_with(parent);
    _exit(aggregate_expire(&place, aggregate_now_ms(), sweep->retain_ms, sweep->interval_ms, &kind, NULL) <
          0);
}

/* Returns the account whose directory is NAME in BASE; NULL: there is none, or its files are left out. */
static const struct passwd *owner_of(int base_fd, const char *name)
{
    const struct passwd *user;
    struct stat status;

    if (name[0] == '.' || fstatat(base_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISDIR(status.st_mode) || status.st_uid == 0 || (geteuid() != 0 && geteuid() != status.st_uid))
        return NULL;
    user = getpwnam(name);
    return user != NULL && user->pw_uid == status.st_uid ? user : NULL;
}

static void expire_users(const struct sweep *sweep, DIR *stream)
{
    struct dirent *entry;

    while ((entry = readdir(stream)) != NULL) {
        const struct passwd *user = owner_of(dirfd(stream), entry->d_name);
        pid_t parent = getpid(), child;

        if (user == NULL)
            continue;
        child = fork();
        if (child == 0)
            expire_as(sweep, user, parent);
        while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
}

int aggregate_sweep(const char *base, const char *suffix, int64_t retain_ms, int64_t interval_ms,
                    struct err *err)
{
    const struct sweep sweep = { base, suffix, retain_ms, interval_ms };
    int r = shared_directory_check(base, err);
    DIR *stream;

    if (r < 0 || retain_ms < 0)
        return r;
    stream = opendir(base);
    if (stream == NULL)
        return err_set_errno(err, errno, "%s", base);
    expire_users(&sweep, stream);
    closedir(stream);
    return 0;
}

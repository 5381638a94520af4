/* SPDX-License-Identifier: Apache-2.0 */
/* dev.c - `creel dev`: directory of the local cluster */
#include "client/cli/dev/dev.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text.h"

/* Returns the absolute path of DIR. DIR need not exist; its parent must. */
static char *absolute(const char *dir, struct err *err)
{
    scoped_free char *copy = mem_strdup(dir);
    scoped_free char *parent = NULL;
    size_t length = strlen(copy);
    const char *name;
    char *slash;

    while (length > 1 && copy[length - 1] == '/')
        copy[--length] = '\0';
    slash = strrchr(copy, '/');
    name = slash ? slash + 1 : copy;
    if (!*name || !strcmp(name, ".") || !strcmp(name, "..")) {
        parent = realpath(copy, NULL);
        if (!parent || !strcmp(parent, "/")) {
            err_set(err, EINVAL, "%s: cannot be a cluster's directory", dir);
            return NULL;
        }
        return mem_strdup(parent);
    }
    if (slash)
        *slash = '\0';
    parent = realpath(!slash ? "." : slash == copy ? "/" : copy, NULL);
    if (!parent)
        return mem_printf("%s%s%s", slash ? copy : "", slash ? "/" : "", name);
    return mem_printf("%s/%s", strcmp(parent, "/") ? parent : "", name);
}

static int count_agents(const struct dev *dev)
{
    int agents = 0;

    while (agents < DEV_AGENTS_MAX) {
        scoped_free char *path = dev_path(dev, "agent-%d/conf/creel-site.xml", agents + 1);

        if (access(path, F_OK) < 0)
            break;
        agents++;
    }
    return agents;
}

int dev_open(const char *dir, struct dev *ret, struct err *err)
{
    struct dev dev = { .dir = absolute(dir ? dir : DEV_DEFAULT_DIR, err) };

    if (!dev.dir)
        return -EINVAL;
    if (*dev.dir != '/') {
        free(dev.dir);
        return err_set(err, ENOENT, "%s: the directory above it does not exist", dir);
    }
    if (strlen(dev.dir) > 150) {
        int r = err_set(err, ENAMETOOLONG, "%s: too long for a cluster's directory", dev.dir);

        free(dev.dir);
        return r;
    }
    snprintf(dev.cgroup, sizeof(dev.cgroup), "creel-dev-%08x", text_hash(dev.dir));
    dev.agents = count_agents(&dev);
    *ret = dev;
    return 0;
}

/* Replaces the content of the lock file by the id of this process. */
static void write_holder(int fd)
{
    char text[24];
    int length = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

    /* Only for the message of others: an error does no harm. */
    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)length, 0) < 0)
        return;
}

/* Returns the process id in the lock file; 0: not known. */
static long read_holder(int fd)
{
    char text[24] = "";

    return pread(fd, text, sizeof(text) - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;
}

int dev_lock(struct dev *dev, struct err *err)
{
    scoped_free char *name = mem_printf("/run/%s.lock", dev->cgroup);
    scoped_fd int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return err_set_errno(err, errno, "%s: cannot be opened", name);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK)
            return err_set_errno(err, errno, "%s: cannot be locked", name);
        return err_set(err, EBUSY,
                       "%s: another creel dev up or creel dev down (process %ld) works there: wait until it "
                       "has ended",
                       dev->dir, read_holder(fd));
    }
    write_holder(fd);
    dev->agents = count_agents(dev);
    return fd_take(&fd);
}

int dev_count(const struct dev *dev)
{
    return dev->agents + 2;
}

int dev_nth(const struct dev *dev, int i)
{
    return i <= dev->agents ? i : DEV_WEB;
}

void dev_done(struct dev *dev)
{
    free(dev->dir);
    dev->dir = NULL;
}

char *dev_path(const struct dev *dev, const char *format, ...)
{
    scoped_free char *rest = NULL;
    va_list args;

    va_start(args, format);
    rest = mem_vprintf(format, args);
    va_end(args);
    return mem_printf("%s/%s", dev->dir, rest);
}

const char *dev_role_name(int agent)
{
    return agent == DEV_WEB ? "web" : agent == DEV_RM ? "rm" : "agent";
}

char *dev_daemon_path(const struct dev *dev, int agent, const char *suffix)
{
    const char *slash = *suffix ? "/" : "";

    return agent > DEV_RM ? dev_path(dev, "agent-%d%s%s", agent, slash, suffix)
                          : dev_path(dev, "%s%s%s", dev_role_name(agent), slash, suffix);
}

char *dev_daemon_conf(const struct dev *dev, int agent)
{
    return agent == DEV_RM ? dev_path(dev, "conf") : dev_daemon_path(dev, agent, "conf");
}

bool dev_exists(const struct dev *dev)
{
    scoped_free char *marker = dev_path(dev, "creel-dev");

    return access(marker, F_OK) == 0;
}

int dev_judge(const struct dev *dev, struct err *err)
{
    struct stat status;

    if (lstat(dev->dir, &status) < 0)
        return errno == ENOENT ? 0 : err_set_errno(err, errno, "%s", dev->dir);
    if (!S_ISDIR(status.st_mode))
        return err_set(err, ENOTDIR, "%s: is not a directory", dev->dir);
    if (status.st_uid != geteuid())
        return err_set(err, EPERM, "%s: belongs to user id %u, not to you; choose another --dir", dev->dir,
                       (unsigned)status.st_uid);
    if ((status.st_mode & 022) != 0)
        return err_set(err, EPERM,
                       "%s: can be written by others; chmod go-w it, or choose another "
                       "--dir",
                       dev->dir);
    return 0;
}

int dev_write_file(const char *path, const char *text, struct err *err)
{
    int r = file_replace(AT_FDCWD, path,
                         &(struct file_content){ .data = text, .size = strlen(text), .mode = 0644 });

    return r < 0 ? err_set_errno(err, -r, "%s: cannot be written", path) : 0;
}

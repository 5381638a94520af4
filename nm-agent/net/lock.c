/* SPDX-License-Identifier: Apache-2.0 */
/* lock.c - locks the state directory for one agent, and numbers the agent's starts */
#include "nm-agent/net/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/io/loop/log.h"
#include "nm-agent/linux/parts/record.h"

static int make_directory(const char *directory, struct err *err)
{
    scoped_free char *path = mem_strdup(directory);

    if (directory[0] != '/')
        return err_set(err, EINVAL, "creel.nodemanager.state-dir: \"%s\": has to begin at /", directory);
    for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(path, 0755) < 0 && errno != EEXIST)
            return err_set_errno(err, errno, "%s: cannot make the directory", path);
        *at = '/';
    }
    if (mkdir(path, 0711) < 0 && errno != EEXIST)
        return err_set_errno(err, errno,
                             "%s: cannot make the state directory; run as root, or "
                             "set creel.nodemanager.state-dir to another one",
                             path);
    /* Users must be able to pass through this directory to their working directories and logs, which are
     * below it by default. Only root can list it, or open other files in it. */
    if (chmod(path, 0711) < 0)
        return err_set_errno(err, errno, "%s: cannot set the mode of the state directory (0711)", path);
    return 0;
}

int lock_acquire(const char *directory, struct err *err)
{
    scoped_free char *file = mem_printf("%s/lock", directory);
    scoped_fd int fd = -1;
    char holder[32] = "";
    int r = make_directory(directory, err);

    if (r < 0)
        return r;
    /* Mode 0600: a process that can open the file could lock it, and so prevent the agent from starting. */
    fd = file_open(AT_FDCWD, file, O_RDWR | O_CREAT, 0600, err);
    if (fd < 0)
        return fd;
    if (fchmod(fd, 0600) < 0)
        return err_set_errno(err, errno, "%s: cannot open", file);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        ssize_t got = read(fd, holder, sizeof(holder) - 1);

        holder[got > 0 ? got : 0] = '\0';
        holder[strcspn(holder, "\n")] = '\0';
        return err_set(err, EBUSY,
                       "%s: another agent (pid %s) works in this state directory; end "
                       "that one, or give this one a directory of its own "
                       "(creel.nodemanager.state-dir)",
                       directory, *holder ? holder : "unknown");
    }
    if (ftruncate(fd, 0) < 0 || dprintf(fd, "%ld\n", (long)getpid()) < 0)
        return err_set_errno(err, errno, "%s: cannot write", file);
    return fd_take(&fd);
}

uint64_t lock_next_incarnation(const char *directory, int64_t now_ms)
{
    scoped_fd int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    scoped_free char *data = NULL;
    uint64_t next = now_ms > 0 ? (uint64_t)now_ms : 1;
    unsigned long long last = 0;
    struct err err = { 0 };
    char text[32];

    if (fd >= 0 && record_read(fd, "incarnation", &data, NULL, NULL) == 0 &&
        sscanf(data, "%20llu", &last) == 1 && last >= next && last < UINT64_MAX)
        next = last + 1;
    snprintf(text, sizeof(text), "%llu\n", (unsigned long long)next);
    if (fd < 0 || record_write(fd, "incarnation", text, strlen(text), &err) < 0)
        log_line(LOG_LEVEL_WARN, "%s: cannot keep the number of this start: %s", directory,
                 fd < 0 ? "cannot open the directory" : err.text);
    return next;
}

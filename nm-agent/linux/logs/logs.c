/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.c - reads the logs of containers
 *
 * The log directory belongs to the user: a file in it may be a symbolic link, or another user's file that was
 * moved to it from another directory. Only a regular file owned by the user, with a single name, is read.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/id.h"
#include "common/base/job/results.h"
#include "common/base/mem.h"
#include "nm-agent/linux/parts/paths.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/state/disk_io.h"
#include "nm-agent/linux/state/retention.h"

bool runtime_is_log(const char *file)
{
    static const char *const names[] = { "stdout", "stderr", RESULTS_LIST, RESULTS_ARCHIVE };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(file, names[i]) == 0)
            return true;
    return false;
}

/* Opens the log directory of ID below that of APP_ID in one of the log dirs. -ETIMEDOUT: none of those that
 * answer has it. */
static int open_below_app(const struct runtime *runtime, const char *app_id, const char *id)
{
    int result = -ENOENT;

    for (char **dir = runtime->log_dirs; *dir; dir++) {
        scoped_free char *path = paths_logs(*dir, app_id, id);
        bool answers = disk_path_answers(runtime, path);
        int fd = answers ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

        if (fd >= 0)
            return fd;
        if (!answers)
            result = -ETIMEDOUT;
    }
    return result;
}

/* Returns the application of container ID, from its meta file or from its id; NULL if unknown. */
static char *find_app(const struct runtime *runtime, const char *id)
{
    scoped_fd int state_fd = container_open(runtime, id, NULL);
    struct meta meta = { .app_id = NULL };
    struct container_id parsed;
    char text[ID_TEXT_MAX], *app_id = NULL;

    if (state_fd >= 0 && meta_read(state_fd, &meta, NULL) == 0)
        app_id = mem_strdup(meta.app_id);
    else if (container_id_parse(id, &parsed))
        app_id = mem_strdup(app_id_format(&parsed.attempt.app, text));
    meta_clear(&meta);
    return app_id;
}

static int missing_error(const struct runtime *runtime, const char *id, const char *file, const char *app_id,
                         struct err *err)
{
    const struct retention *retention = app_id ? retention_find(runtime, app_id) : NULL;

    if (retention != NULL && retention->state == RETENTION_MOVED)
        return err_set(err, ENOENT,
                       "%s of container %s is no longer on this node: the logs of %s are in %s/USER/%s/%s/%s",
                       file, id, app_id,
                       runtime->aggregation.dir ? runtime->aggregation.dir : "shared storage",
                       runtime->aggregation.suffix ? runtime->aggregation.suffix : "logs", app_id,
                       runtime->aggregation.file ? runtime->aggregation.file : "");
    if (retention != NULL && retention->state == RETENTION_EXPIRED)
        return err_set(err, ENOENT,
                       "%s of container %s has expired: logs are kept %" PRId64
                       " s after the application's end (yarn.nodemanager.log.retain-seconds)",
                       file, id, retention->retain_ms / 1000);
    return err_set(err, ENOENT, "container %s has written no %s on this node", id, file);
}

/* Opens FILE, whose status gets into STATUS. Returns the descriptor or a negative errno. */
static int open_file(int directory_fd, const char *file, struct stat *status)
{
    scoped_fd int fd = openat(directory_fd, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat directory;
    int opened;

    if (fd < 0 || fstat(directory_fd, &directory) != 0 || fstat(fd, status) != 0)
        return -errno;
    if (!S_ISREG(status->st_mode) || status->st_nlink > 1 || status->st_uid != directory.st_uid)
        return -EPERM;
    opened = fd;
    fd = -1;
    return opened;
}

static int read_file(int directory_fd, const char *file, uint64_t offset, void *buffer, size_t room,
                     size_t *got, uint64_t *size)
{
    struct stat status;
    scoped_fd int fd = open_file(directory_fd, file, &status);
    ssize_t count;

    if (fd < 0)
        return fd;
    count = offset > INT64_MAX ? 0 : pread(fd, buffer, room, (off_t)offset);
    if (count < 0)
        return -errno;
    *got = (size_t)count;
    *size = (uint64_t)status.st_size;
    return 0;
}

static int stat_file(int directory_fd, const char *file, uint64_t *size, int64_t *modified_ms)
{
    struct stat status;
    scoped_fd int fd = open_file(directory_fd, file, &status);

    if (fd < 0)
        return fd;
    *size = (uint64_t)status.st_size;
    *modified_ms = (int64_t)status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000;
    return 0;
}

/* Opens the directory of the logs of CONTAINER_ID. *APP_ID, which the caller frees, is its application.
 * Returns the descriptor, -ENOENT or -ETIMEDOUT; -EINVAL: the names are not valid, and ERR has the reason. */
static int open_directory(const struct runtime *runtime, const char *container_id, const char *file,
                          char **app_id, struct err *err)
{
    if (!paths_is_name(container_id))
        return err_set(err, EINVAL, "\"%.80s\" is not a container id", container_id);
    if (!runtime_is_log(file))
        return err_set(err, EINVAL, "\"%.80s\": a container's logs are stdout and stderr", file);
    *app_id = find_app(runtime, container_id);
    return *app_id ? open_below_app(runtime, *app_id, container_id) : -ENOENT;
}

/* Sets ERR by RESULT, and returns it. */
static int explain(const struct runtime *runtime, const char *container_id, const char *file,
                   const char *app_id, int result, struct err *err)
{
    if (result == -ENOENT)
        return missing_error(runtime, container_id, file, app_id, err);
    if (result == -EPERM || result == -ELOOP)
        return err_set(err, EPERM, "%s of container %s is no longer a plain file of its user", file,
                       container_id);
    if (result == -ETIMEDOUT)
        return err_set(err, ETIMEDOUT,
                       "%s of container %s cannot be read: a log directory of its node " DISK_NO_ANSWER, file,
                       container_id);
    if (result != 0)
        return err_set_errno(err, -result, "cannot read %s of container %s", file, container_id);
    return 0;
}

int runtime_read_log(struct runtime *runtime, const char *container_id, const char *file, uint64_t offset,
                     void *buffer, size_t room, size_t *got, uint64_t *size, struct err *err)
{
    scoped_free char *app_id = NULL;
    scoped_fd int fd = open_directory(runtime, container_id, file, &app_id, err);
    int result;

    if (fd == -EINVAL)
        return fd;
    result = fd < 0 ? fd : read_file(fd, file, offset, buffer, room, got, size);
    if (result == 0)
        retention_note_read(runtime, app_id);
    return explain(runtime, container_id, file, app_id, result, err);
}

int runtime_stat_log(struct runtime *runtime, const char *container_id, const char *file, uint64_t *size,
                     int64_t *modified_ms, struct err *err)
{
    scoped_free char *app_id = NULL;
    scoped_fd int fd = open_directory(runtime, container_id, file, &app_id, err);
    int result;

    if (fd == -EINVAL)
        return fd;
    result = fd < 0 ? fd : stat_file(fd, file, size, modified_ms);
    return explain(runtime, container_id, file, app_id, result, err);
}

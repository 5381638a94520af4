/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workdir.c - creates a container's directories and their initial content
 *
 * All parents of a container's directory belong to root, so that no user can replace one by a link; the
 * directory itself is given to the user when its content is complete.
 */
#include "nm-agent/linux/disks/workdir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/job/job_field.h"
#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "nm-agent/linux/disks/removal.h"
#include "nm-agent/linux/disks/workdir_pool.h"
#include "nm-agent/linux/parts/paths.h"
#include "nm-agent/linux/parts/tree.h"
#include "nm-agent/linux/state/disk_io.h"

/* Returns the good directory with the most free space for users; the first of equals. */
static const char *roomiest(const struct runtime *runtime, char *const *dirs)
{
    const char *best = dirs[0];
    uint64_t most = 0;

    for (char *const *dir = dirs; *dir; dir++) {
        struct statvfs status;
        uint64_t room;

        if (!health_is_good(&runtime->health, *dir) || !disk_path_answers(runtime, *dir) ||
            statvfs(*dir, &status) != 0 || (status.f_flag & ST_RDONLY))
            continue;
        room = (uint64_t)status.f_bavail * status.f_frsize;
        if (room > most) {
            most = room;
            best = *dir;
        }
    }
    return best;
}

/* Creates an empty directory PATH that only root can use for now; removes the remains of an earlier
 * attempt. */
static int fresh_directory(const char *path, struct err *err)
{
    scoped_free char *parent = mem_strndup(path, (size_t)(strrchr(path, '/') - path));
    int result = tree_make_wide(parent, 0755, err);

    if (result != 0)
        return result;
    if (mkdir(path, 0700) == 0)
        return 0;
    if (errno == EEXIST && tree_remove(path) == 0 && mkdir(path, 0700) == 0)
        return 0;
    return err_set_errno(err, errno, "cannot make directory %s", path);
}

/* Sets owner and mode. Correct values are not written again: checking costs almost nothing. */
static int set_owner_and_mode(int fd, const char *path, const struct user *user, mode_t mode, struct err *err)
{
    struct stat status;
    bool is_theirs, is_so;

    if (fstat(fd, &status) != 0)
        return err_set_errno(err, errno, "cannot read the attributes of %s", path);
    is_theirs = geteuid() != 0 || (status.st_uid == user->uid && status.st_gid == user->gid);
    is_so = (status.st_mode & 07777) == mode;
    if ((!is_theirs && fchown(fd, user->uid, user->gid) != 0) || (!is_so && fchmod(fd, mode) != 0))
        return err_set_errno(err, errno, "cannot give %s to user %s", path, user->name);
    return 0;
}

static int write_secret(int directory_fd, const struct launch_secret *secret, const struct user *user,
                        struct err *err)
{
    scoped_fd int fd = -1;
    int r;

    if (!paths_is_file_name(secret->name))
        return err_set(err, EBADR, "\"%s\" is not a file name", secret->name);
    fd = openat(directory_fd, secret->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot write file \"%s\"", secret->name);
    if ((r = file_write(fd, secret->data, secret->size)) < 0)
        return err_set_errno(err, -r, "cannot write file \"%s\"", secret->name);
    return set_owner_and_mode(fd, secret->name, user, 0400, err);
}

static int fill(struct runtime *runtime, int fd, const struct launch *launch, const struct user *user,
                struct err *err)
{
    scoped_fd int tmp_fd = -1;
    int result = 0;

    if (mkdirat(fd, JOB_TMP_DIRECTORY, 0700) != 0)
        return err_set_errno(err, errno, "cannot make directory tmp");
    tmp_fd = openat(fd, JOB_TMP_DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (tmp_fd < 0)
        return err_set_errno(err, errno, "cannot open directory tmp");
    result = set_owner_and_mode(tmp_fd, JOB_TMP_DIRECTORY, user, 0700, err);
    for (size_t i = 0; i < launch->file_count && result == 0; i++) {
        const struct launch_file *file = &launch->files[i];

        if (!paths_is_file_name(file->name))
            result = err_set(err, EBADR, "\"%s\" is not a file name", file->name);
        else
            result = cache_link(runtime->cache, file->hash_hex, (file->mode & 0111) != 0, user->uid, fd,
                                file->name, err);
        if (result == -EEXIST) /* the directory was empty: a name of the job is there twice */
            result = -EBADR;
    }
    for (size_t i = 0; i < launch->secret_count && result == 0; i++)
        result = write_secret(fd, &launch->secrets[i], user, err);
    return result;
}

/* Sets the project of the directory FD and of "tmp" in it. If that fails, the usage is only measured. */
static void join_project(int fd, uint32_t project)
{
    scoped_fd int tmp_fd = openat(fd, JOB_TMP_DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    (void)quota_join(fd, project);
    if (tmp_fd >= 0)
        (void)quota_join(tmp_fd, project);
}

static int make_one(struct runtime *runtime, const char *path, bool own, uint32_t project,
                    const struct launch *launch, const struct user *user, struct err *err)
{
    scoped_fd int fd = -1;
    int result;

    if (!disk_path_answers(runtime, path) || !removal_cancel(runtime, path))
        return disk_no_answer(path, err);
    /* Files and secrets must be created before the directory belongs to the user, so a pooled directory is
     * used only without them. */
    if (own && project == QUOTA_NONE && launch->file_count == 0 && launch->secret_count == 0 &&
        workdir_pool_reuse(runtime, path, user->uid))
        return 0;
    result = fresh_directory(path, err);
    if (result != 0)
        return result;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open directory %s", path);
    if (own)
        result = fill(runtime, fd, launch, user, err);
    if (result != 0) {
        err_prefix(err, "%s", path);
        return result;
    }
    if (project != QUOTA_NONE) /* last, since files of the cache cannot be linked after that */
        join_project(fd, project);
    return set_owner_and_mode(fd, path, user, 0700, err);
}

/* Returns true if PATH is a whole file of SIZE bytes: a power failure may have left an empty one. */
static bool is_written(const char *path, size_t size)
{
    struct stat status;

    return lstat(path, &status) == 0 && S_ISREG(status.st_mode) && (size_t)status.st_size == size;
}

/* Writes the token of the application to its directory, unless an earlier container has. The directory
 * belongs to root, so the user cannot replace the file; the token of an application is always the same. */
static int write_job_token(const struct launch *launch, const struct user *user, const char *work,
                           struct err *err)
{
    const struct file_content content = {
        .data = launch->job_token,
        .size = launch->job_token_size,
        .mode = 0400,
        .owner = user->uid,
        .durability = FILE_COMPLETE,
    };
    scoped_free char *path = paths_job_token(work);
    int r;

    if (launch->job_token_size == 0 || is_written(path, launch->job_token_size))
        return 0;
    r = file_replace(AT_FDCWD, path, &content);
    return r < 0 ? err_set_errno(err, -r, "cannot write %s", path) : 0;
}

/* Creates the log directory. Logs of an earlier attempt are kept: the new start appends to them. */
static int make_logs(const struct runtime *runtime, const char *path, const struct user *user,
                     struct err *err)
{
    scoped_free char *parent = mem_strndup(path, (size_t)(strrchr(path, '/') - path));
    scoped_fd int fd = -1;
    int result;

    if (!disk_path_answers(runtime, path))
        return disk_no_answer(path, err);
    result = tree_make_wide(parent, 0755, err);
    if (result != 0)
        return result;
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return err_set_errno(err, errno, "cannot make directory %s", path);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open directory %s", path);
    return set_owner_and_mode(fd, path, user, 0700, err);
}

int workdir_make(struct runtime *runtime, const struct launch *launch, const struct user *user,
                 struct meta *meta, struct err *err)
{
    scoped_free char **answering = disk_answering_local_dirs(runtime);
    const char *own = roomiest(runtime, runtime->local_dirs);
    int result = 0;

    meta->project = quota_assign(&runtime->quota, answering);
    meta->work = paths_work(own, user->name, launch->app_id, launch->container_id);
    meta->logs = paths_logs(roomiest(runtime, runtime->log_dirs), launch->app_id, launch->container_id);
    for (char **dir = runtime->local_dirs; *dir && result == 0; dir++) {
        scoped_free char *path = paths_work(*dir, user->name, launch->app_id, launch->container_id);

        /* Bad disks are skipped, except the command's own directory, used even if all disks are bad. */
        if (*dir == own || (health_is_good(&runtime->health, *dir) && disk_path_answers(runtime, *dir)))
            result = make_one(runtime, path, *dir == own, meta->project, launch, user, err);
    }
    if (result == 0)
        result = write_job_token(launch, user, meta->work, err);
    return result != 0 ? result : make_logs(runtime, meta->logs, user, err);
}

char *workdir_local_dirs(const struct runtime *runtime, const struct launch *launch)
{
    struct text_builder list = TEXT_BUILDER_MALLOC;

    for (char **dir = runtime->local_dirs; *dir; dir++) {
        scoped_free char *path = paths_work(*dir, launch->user, launch->app_id, launch->container_id);

        if (disk_path_answers(runtime, path) && access(path, F_OK) == 0) /* else its disk is bad */
            text_builder_printf(&list, "%s%s", list.length > 0 ? "," : "", path);
    }
    return text_builder_finish(&list);
}

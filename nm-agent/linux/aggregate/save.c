/* SPDX-License-Identifier: Apache-2.0 */
/* save.c - writes the logs of an ended application on one node into one file */
#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "nm-agent/linux/aggregate/aggregate.h"
#include "nm-agent/linux/aggregate/place.h"

#define BLOCK_BYTES ((size_t)64 << 10)
#define FILE_MODE 0640
#define LEVEL "3" /* of compression: logs are hardly larger than with the default, in half the time */

struct save {
    struct archive *out; /* owned */
    char *block;         /* owned; BLOCK_BYTES */
    const char *path;    /* of the file, for messages */
    int *kind;
    struct err *err;
};

/* --- errors ------------------------------------------------------------------ */

static int unwritten(struct save *save, int code)
{
    *save->kind = place_kind(code);
    return err_set_errno(save->err, code, "%s", save->path);
}

static int unwritten_archive(struct save *save)
{
    int code = archive_errno(save->out);

    return unwritten(save, code > 0 ? code : EIO);
}

static int unread(struct save *save, const char *container, const char *name, int code)
{
    *save->kind = AGGREGATE_USER;
    return err_set_errno(save->err, code, "the log %s of %s cannot be read", name, container);
}

/* --- one log file ------------------------------------------------------------ */

static int write_header(struct save *save, const char *container, const char *name, const struct stat *status)
{
    scoped_free char *path = mem_printf("%s/%s", container, name);
    struct archive_entry *entry = archive_entry_new();
    int r;

    archive_entry_set_pathname(entry, path);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, FILE_MODE);
    archive_entry_set_size(entry, status->st_size);
    archive_entry_set_mtime(entry, status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
    archive_entry_set_uid(entry, status->st_uid);
    archive_entry_set_gid(entry, status->st_gid);
    r = archive_write_header(save->out, entry);
    archive_entry_free(entry);
    return r < ARCHIVE_WARN ? unwritten_archive(save) : 0;
}

/* Copies SIZE bytes. If the file has become shorter, libarchive writes zeros for the rest. */
static int write_content(struct save *save, int fd, const char *container, const char *name, int64_t size)
{
    while (size > 0) {
        ssize_t got = read(fd, save->block, size < (int64_t)BLOCK_BYTES ? (size_t)size : BLOCK_BYTES);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return unread(save, container, name, errno);
        if (got == 0)
            break;
        if (archive_write_data(save->out, save->block, (size_t)got) < 0)
            return unwritten_archive(save);
        size -= got;
    }
    return archive_write_finish_entry(save->out) < ARCHIVE_WARN ? unwritten_archive(save) : 0;
}

/* Adds the log NAME. Files other than regular files of the user with a single name are left out. */
static int save_log(struct save *save, int directory_fd, const char *container, const char *name)
{
    scoped_fd int fd = openat(directory_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    int r;

    if (fd < 0 && (errno == EIO || errno == EMFILE || errno == ENFILE || errno == ENOMEM))
        return unread(save, container, name, errno);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1 ||
        status.st_uid != geteuid())
        return 0;
    r = write_header(save, container, name, &status);
    return r == 0 ? write_content(save, fd, container, name, status.st_size) : r;
}

/* --- directories ------------------------------------------------------------- */

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int is_container(const struct dirent *entry)
{
    struct container_id id;

    return container_id_parse(entry->d_name, &id);
}

static int save_container(struct save *save, int app_fd, const char *container)
{
    scoped_fd int fd = openat(app_fd, container, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct dirent **entries = NULL;
    struct stat status;
    int count, r = 0;

    if (fd < 0 || fstat(fd, &status) != 0)
        return errno == ENOENT ? 0 : unread(save, container, "directory", errno);
    if (status.st_uid != geteuid())
        return 0;
    count = scandirat(fd, ".", &entries, is_entry, alphasort);
    if (count < 0)
        return unread(save, container, "directory", errno);
    for (int i = 0; i < count; i++) {
        if (r == 0)
            r = save_log(save, fd, container, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return r;
}

static int save_app(struct save *save, const char *log_dir, const char *app_id)
{
    scoped_free char *path = mem_printf("%s/%s", log_dir, app_id);
    scoped_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct dirent **entries = NULL;
    int count, r = 0;

    if (fd < 0)
        return errno == ENOENT ? 0 : unread(save, app_id, "directory", errno);
    count = scandirat(fd, ".", &entries, is_container, alphasort);
    if (count < 0)
        return unread(save, app_id, "directory", errno);
    for (int i = 0; i < count; i++) {
        if (r == 0)
            r = save_container(save, fd, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return r;
}

/* --- the file ---------------------------------------------------------------- */

static int write_archive(struct save *save, int fd, const char *app_id, const char *const *log_dirs)
{
    int r = 0;

    archive_write_set_format_pax_restricted(save->out);
    if (archive_write_add_filter_gzip(save->out) < ARCHIVE_WARN ||
        archive_write_set_filter_option(save->out, "gzip", "compression-level", LEVEL) != ARCHIVE_OK ||
        archive_write_open_fd(save->out, fd) != ARCHIVE_OK)
        return unwritten_archive(save);
    for (; *log_dirs && r == 0; log_dirs++)
        r = save_app(save, *log_dirs, app_id);
    if (r == 0 && archive_write_close(save->out) != ARCHIVE_OK)
        r = unwritten_archive(save);
    return r;
}

/* Writes the file NAME in the directory, synced. */
static int write_file(struct save *save, int directory_fd, const char *name, const char *app_id,
                      const char *const *log_dirs)
{
    int fd, r;

    if (unlinkat(directory_fd, name, 0) != 0 && errno != ENOENT)
        return unwritten(save, errno);
    fd = openat(directory_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    if (fd < 0)
        return unwritten(save, errno);
    r = write_archive(save, fd, app_id, log_dirs);
    if (r == 0 && fsync(fd) != 0)
        r = unwritten(save, errno);
    if (close(fd) != 0 && r == 0) /* a file system of a network may report errors of writing only now */
        r = unwritten(save, errno);
    return r;
}

static int save_below(struct save *save, int directory_fd, const char *file, const char *app_id,
                      const char *const *log_dirs)
{
    scoped_free char *name = mem_printf(".%s.tmp", file);
    int r = write_file(save, directory_fd, name, app_id, log_dirs);

    if (r == 0 && renameat(directory_fd, name, directory_fd, file) != 0)
        r = unwritten(save, errno);
    if (r == 0 && fsync(directory_fd) != 0 &&
        errno != EINVAL) /* EINVAL: not possible for directories there */
        r = unwritten(save, errno);
    if (r != 0)
        (void)unlinkat(directory_fd, name, 0);
    return r;
}

int aggregate_save(const struct aggregate_place *place, const char *app_id, const char *file,
                   const char *const *log_dirs, int *kind, struct err *err)
{
    scoped_free char *path = mem_printf("%s/%s/%s", place->base, place->user, place->suffix);
    scoped_free char *file_path = mem_printf("%s/%s/%s", path, app_id, file);
    scoped_fd int fd = place_open(place, true, kind, err);
    scoped_fd int app_fd = -1;
    struct save save = { .path = file_path, .kind = kind, .err = err };
    int r;

    if (fd < 0)
        return fd;
    app_fd = place_enter(fd, path, app_id, true, kind, err);
    if (app_fd < 0)
        return app_fd;
    save.out = archive_write_new();
    save.block = mem_alloc(BLOCK_BYTES);
    r = save_below(&save, app_fd, file, app_id, log_dirs);
    archive_write_free(save.out);
    free(save.block);
    return r;
}

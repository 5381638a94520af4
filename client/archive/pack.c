/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c - packs a directory of a job into an archive */
#include "client/archive/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/job/archive_limits.h"
#include "common/base/mem.h"

#define BLOCK_BYTES ((size_t)64 << 10)
#define DEPTH_MAX 200 /* each level has an open directory */

struct pack {
    const char *directory;
    struct archive *archive; /* owned */
    char *block;             /* owned */
    int64_t entries, bytes;
    struct err *err;
};

/* A directory that is being packed. */
struct level {
    int fd;
    const char *path; /* below the packed directory; "": itself */
    unsigned depth;
};

/* --- errors ------------------------------------------------------------------ */

/* Separates PATH from the directory in messages. */
static const char *slash_of(const char *path)
{
    return *path ? "/" : "";
}

static int failed(const struct pack *pack, const char *path, const char *what)
{
    return err_set_errno(pack->err, errno, "directory %s: %s%s%s", pack->directory, path, *path ? " " : "",
                         what);
}

static int unwritten(const struct pack *pack)
{
    const char *reason = archive_error_string(pack->archive);
    int code = archive_errno(pack->archive);

    return err_set(pack->err, code > 0 ? code : EIO, "directory %s: cannot be packed: %s", pack->directory,
                   reason ? reason : "unknown error");
}

static int changed(const struct pack *pack, const char *path)
{
    return err_set(pack->err, EAGAIN,
                   "directory %s: %s%s%s changed while it was packed; submit again when it is complete",
                   pack->directory, pack->directory, slash_of(path), path);
}

static bool is_same(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino && one->st_size == other->st_size &&
           one->st_mtim.tv_sec == other->st_mtim.tv_sec && one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

/* --- one entry --------------------------------------------------------------- */

static int write_header(struct pack *pack, const char *path, const struct stat *info, const char *target)
{
    struct archive_entry *entry = archive_entry_new();
    int r;

    if (entry == NULL)
        return err_set(pack->err, ENOMEM, "directory %s: no memory", pack->directory);
    archive_entry_set_pathname(entry, path);
    archive_entry_set_mode(entry, info->st_mode & (S_IFMT | 0777));
    archive_entry_set_mtime(entry, info->st_mtim.tv_sec, 0);
    archive_entry_set_size(entry, S_ISREG(info->st_mode) ? info->st_size : 0);
    if (target != NULL)
        archive_entry_set_symlink(entry, target);
    r = archive_write_header(pack->archive, entry) < ARCHIVE_OK ? unwritten(pack) : 0;
    archive_entry_free(entry);
    return r;
}

static int copy_content(struct pack *pack, const char *path, int fd, const struct stat *info)
{
    int64_t left = info->st_size;
    struct stat after;

    while (left > 0) {
        size_t want = left < (int64_t)BLOCK_BYTES ? (size_t)left : BLOCK_BYTES;
        ssize_t got = read(fd, pack->block, want);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failed(pack, path, "cannot be read");
        if (got == 0)
            return changed(pack, path);
        if (archive_write_data(pack->archive, pack->block, (size_t)got) != got)
            return unwritten(pack);
        left -= got;
    }
    if (fstat(fd, &after) != 0)
        return failed(pack, path, "cannot be accessed");
    return is_same(info, &after) ? 0 : changed(pack, path);
}

static int pack_file(struct pack *pack, const struct level *level, const char *name, const char *path,
                     const struct stat *info)
{
    /* Non-blocking, so that open does not wait on a FIFO that took the place of the file. */
    scoped_fd int fd = openat(level->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat opened;
    int r;

    if (fd < 0)
        return failed(pack, path, "cannot be read");
    if (fstat(fd, &opened) != 0)
        return failed(pack, path, "cannot be accessed");
    if (!is_same(info, &opened))
        return changed(pack, path);
    pack->bytes += info->st_size;
    if (pack->bytes > ARCHIVE_BYTES_MAX)
        return err_set(pack->err, EFBIG, "directory %s: has more than %lld GiB of files, the limit",
                       pack->directory, (long long)(ARCHIVE_BYTES_MAX >> 30));
    r = write_header(pack, path, info, NULL);
    return r < 0 ? r : copy_content(pack, path, fd, info);
}

static int pack_link(struct pack *pack, const struct level *level, const char *name, const char *path,
                     const struct stat *info)
{
    char target[PATH_MAX];
    ssize_t length = readlinkat(level->fd, name, target, sizeof(target));

    if (length < 0)
        return failed(pack, path, "cannot be read");
    if ((size_t)length >= sizeof(target))
        return err_set(pack->err, ENAMETOOLONG, "directory %s: the target of link %s is too long",
                       pack->directory, path);
    target[length] = '\0';
    return write_header(pack, path, info, target);
}

/* --- directories ------------------------------------------------------------- */

struct names {
    char **items; /* owned, and each one */
    size_t count, capacity;
};

static void names_done(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Fills NAMES with what is in LEVEL, sorted. */
static int list(struct pack *pack, const struct level *level, struct names *names)
{
    int copy = openat(level->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;

    if (stream == NULL) {
        int r = failed(pack, level->path, "cannot be read");

        if (copy >= 0)
            close(copy);
        return r;
    }
    errno = 0;
    while ((entry = readdir(stream)) != NULL && (int64_t)names->count <= ARCHIVE_ENTRIES_MAX) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        mem_grow(names->items, names->count, names->capacity);
        names->items[names->count++] = mem_strdup(entry->d_name);
    }
    if (entry == NULL && errno != 0) {
        int r = failed(pack, level->path, "cannot be read");

        closedir(stream);
        return r;
    }
    closedir(stream);
    if (names->count > 0)
        qsort(names->items, names->count, sizeof(*names->items), compare_names);
    return 0;
}

static int pack_level(struct pack *pack, const struct level *level);

static int pack_below(struct pack *pack, const struct level *level, const char *name, const char *path,
                      const struct stat *info)
{
    scoped_fd int fd = openat(level->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int r;

    if (fd < 0)
        return failed(pack, path, "cannot be read");
    if (level->depth + 1 == DEPTH_MAX)
        return err_set(pack->err, EFBIG, "directory %s: has more than %d levels of directories, the limit",
                       pack->directory, DEPTH_MAX);
    r = write_header(pack, path, info, NULL);
    return r < 0 ? r : pack_level(pack, &(struct level){ .fd = fd, .path = path, .depth = level->depth + 1 });
}

static int pack_entry(struct pack *pack, const struct level *level, const char *name)
{
    scoped_free char *path = mem_printf("%s%s%s", level->path, slash_of(level->path), name);
    struct stat info;
    const char *kind;

    if (++pack->entries > ARCHIVE_ENTRIES_MAX)
        return err_set(pack->err, EFBIG, "directory %s: has more than %d files and directories, the limit",
                       pack->directory, ARCHIVE_ENTRIES_MAX);
    if (fstatat(level->fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? changed(pack, level->path) : failed(pack, path, "cannot be accessed");
    if (S_ISREG(info.st_mode))
        return pack_file(pack, level, name, path, &info);
    if (S_ISDIR(info.st_mode))
        return pack_below(pack, level, name, path, &info);
    if (S_ISLNK(info.st_mode))
        return pack_link(pack, level, name, path, &info);
    kind = S_ISSOCK(info.st_mode) ? "socket" : S_ISFIFO(info.st_mode) ? "FIFO" : "device";
    return err_set(pack->err, EINVAL,
                   "directory %s: %s is a %s; only files, directories and links are sent with a job",
                   pack->directory, path, kind);
}

static int pack_level(struct pack *pack, const struct level *level)
{
    struct names names = { .items = NULL };
    struct stat before, after;
    int r = fstat(level->fd, &before) != 0 ? failed(pack, level->path, "cannot be accessed") : 0;

    if (r == 0)
        r = list(pack, level, &names);
    for (size_t i = 0; r == 0 && i < names.count; i++)
        r = pack_entry(pack, level, names.items[i]);
    names_done(&names);
    if (r == 0 && fstat(level->fd, &after) != 0)
        r = failed(pack, level->path, "cannot be accessed");
    if (r == 0 && !is_same(&before, &after))
        r = changed(pack, level->path);
    return r;
}

/* --- the archive ------------------------------------------------------------- */

static int pack_all(struct pack *pack, int root, int target)
{
    int r;

    if (pack->archive == NULL)
        return err_set(pack->err, ENOMEM, "directory %s: no memory", pack->directory);
    /* Names of GNU tar are bytes, in no character set. */
    archive_write_set_format_gnutar(pack->archive);
    /* ARCHIVE_WARN (this libarchive would run the program zstd) is refused, too. */
    if (archive_write_add_filter_zstd(pack->archive) != ARCHIVE_OK)
        return unwritten(pack);
    archive_write_set_bytes_in_last_block(pack->archive, 1);
    if (archive_write_open_fd(pack->archive, target) != ARCHIVE_OK)
        return unwritten(pack);
    r = pack_level(pack, &(struct level){ .fd = root, .path = "" });
    if (r == 0 && archive_write_close(pack->archive) != ARCHIVE_OK)
        r = unwritten(pack);
    return r;
}

int pack_directory(const char *directory, int target, struct err *err)
{
    struct pack pack = { .directory = directory, .err = err };
    scoped_fd int root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int r;

    if (root < 0)
        return failed(&pack, "", "cannot be read");
    pack.archive = archive_write_new();
    pack.block = mem_alloc(BLOCK_BYTES);
    r = pack_all(&pack, root, target);
    archive_write_free(pack.archive);
    free(pack.block);
    return r;
}

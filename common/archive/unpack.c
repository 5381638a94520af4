/* SPDX-License-Identifier: Apache-2.0 */
/* unpack.c - unpacks the archive of a job into a directory */
#include "common/archive/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"

#define BLOCK_BYTES ((size_t)64 << 10)
#define PATH_SHOWN 120

struct unpack {
    struct archive *in, *out; /* owned */
    const struct unpack_limits *limits;
    int64_t entries, bytes;
    struct err *err;
};

/* --- errors ------------------------------------------------------------------ */

/* Returns TEXT with a '?' for each control character, cut if it is long. */
static const char *shown(const char *text, char buffer[PATH_SHOWN + 4])
{
    size_t length = 0;

    for (; text[length] && length < PATH_SHOWN; length++)
        buffer[length] = iscntrl((unsigned char)text[length]) ? '?' : text[length];
    memcpy(buffer + length, text[length] ? "..." : "", text[length] ? 4 : 1);
    return buffer;
}

static int refuse(struct unpack *unpack, const char *path, const char *reason)
{
    char buffer[PATH_SHOWN + 4];

    return err_set(unpack->err, EINVAL, "entry \"%s\" %s", shown(path, buffer), reason);
}

/* Returns the error of reading a damaged archive. */
static int damaged(struct unpack *unpack)
{
    const char *reason = archive_error_string(unpack->in);
    char buffer[PATH_SHOWN + 4];

    return err_set(unpack->err, EINVAL, "cannot be read after %lld entries: %s", (long long)unpack->entries,
                   shown(reason ? reason : "it is damaged", buffer));
}

/* Returns the error of writing the entry PATH. */
static int unwritten(struct unpack *unpack, const char *path)
{
    const char *reason = archive_error_string(unpack->out);
    int code = archive_errno(unpack->out);
    char entry[PATH_SHOWN + 4], buffer[PATH_SHOWN + 4];

    return err_set(unpack->err, code > 0 ? code : EINVAL, "entry \"%s\" cannot be written: %s",
                   shown(path, entry), shown(reason ? reason : "unknown error", buffer));
}

/* --- entries ----------------------------------------------------------------- */

static bool has_dot_dot(const char *path)
{
    while (*path) {
        size_t length = strcspn(path, "/");

        if (length == 2 && path[0] == '.' && path[1] == '.')
            return true;
        path += length + (path[length] == '/');
    }
    return false;
}

/* Returns the reason to refuse PATH, the path of an entry or the target of a hard link; NULL: it is valid. */
static const char *path_problem(const char *path)
{
    if (*path == '\0')
        return "has no name";
    if (*path == '/')
        return "has an absolute path";
    return has_dot_dot(path) ? "has \"..\" in its path" : NULL;
}

static const char *type_problem(const struct archive_entry *entry)
{
    /* libarchive's getters need a pointer that is not const. */
    switch (archive_entry_filetype((struct archive_entry *)(uintptr_t)entry)) {
    case AE_IFREG:
    case AE_IFDIR:
    case AE_IFLNK:
        return NULL;
    case AE_IFCHR:
    case AE_IFBLK:
        return "is a device";
    case AE_IFIFO:
        return "is a FIFO";
    case AE_IFSOCK:
        return "is a socket";
    default:
        return "is neither a file nor a directory nor a link";
    }
}

/* Checks ENTRY. Clears its mode bits set-user-ID, set-group-ID and sticky, and gives its owner access. */
static int judge(struct unpack *unpack, struct archive_entry *entry)
{
    const char *path = archive_entry_pathname(entry);
    const char *target = archive_entry_hardlink(entry);
    const char *problem;
    mode_t mode;

    if (path == NULL)
        return err_set(unpack->err, EINVAL, "the name of entry %lld cannot be read",
                       (long long)unpack->entries);
    if ((problem = path_problem(path)) != NULL)
        return refuse(unpack, path, problem);
    if (target != NULL && path_problem(target) != NULL)
        return refuse(unpack, path, "is a hard link to a file outside of the archive");
    if (target == NULL && (problem = type_problem(entry)) != NULL)
        return refuse(unpack, path, problem);
    mode = archive_entry_perm(entry) & 0777;
    archive_entry_set_perm(entry, mode | (archive_entry_filetype(entry) == AE_IFDIR ? 0700 : 0400));
    return 0;
}

static int write_content(struct unpack *unpack, const char *path)
{
    const void *block;
    la_int64_t offset;
    size_t size;
    int r;

    while ((r = archive_read_data_block(unpack->in, &block, &size, &offset)) == ARCHIVE_OK) {
        unpack->bytes += (int64_t)size;
        if (unpack->bytes > unpack->limits->bytes)
            return err_set(unpack->err, EFBIG, "has more than %lld MiB of files, the limit",
                           (long long)(unpack->limits->bytes >> 20));
        if (archive_write_data_block(unpack->out, block, size, offset) < ARCHIVE_OK)
            return unwritten(unpack, path);
    }
    return r == ARCHIVE_EOF ? 0 : damaged(unpack);
}

static int unpack_entry(struct unpack *unpack, struct archive_entry *entry)
{
    const char *path;
    int r;

    if (++unpack->entries > unpack->limits->entries)
        return err_set(unpack->err, EFBIG, "has more than %lld entries, the limit",
                       (long long)unpack->limits->entries);
    if ((r = judge(unpack, entry)) < 0)
        return r;
    path = archive_entry_pathname(entry);
    if (archive_write_header(unpack->out, entry) < ARCHIVE_OK)
        return unwritten(unpack, path);
    if (archive_entry_hardlink(entry) == NULL && (r = write_content(unpack, path)) < 0)
        return r;
    return archive_write_finish_entry(unpack->out) < ARCHIVE_OK ? unwritten(unpack, path) : 0;
}

static int unpack_all(struct unpack *unpack)
{
    struct archive_entry *entry;
    int r;

    /* ARCHIVE_WARN: a name or an attribute could not be converted; judge refuses an entry without name. */
    while ((r = archive_read_next_header(unpack->in, &entry)) == ARCHIVE_OK || r == ARCHIVE_WARN) {
        if ((r = unpack_entry(unpack, entry)) < 0)
            return r;
    }
    if (r != ARCHIVE_EOF)
        return damaged(unpack);
    /* Times and modes of directories are set at the end. */
    return archive_write_close(unpack->out) < ARCHIVE_OK ? unwritten(unpack, ".") : 0;
}

/* --- the archive ------------------------------------------------------------- */

static struct archive *reader_new(void)
{
    struct archive *in = archive_read_new();

    if (in == NULL)
        return NULL;
    archive_read_support_format_tar(in);
    archive_read_support_format_zip_seekable(in);
    archive_read_support_format_cpio(in);
    archive_read_support_filter_gzip(in);
    archive_read_support_filter_bzip2(in);
    archive_read_support_filter_xz(in);
    archive_read_support_filter_zstd(in);
    return in;
}

static struct archive *writer_new(void)
{
    struct archive *out = archive_write_disk_new();

    if (out != NULL)
        archive_write_disk_set_options(out, ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_SECURE_SYMLINKS |
                                                ARCHIVE_EXTRACT_SECURE_NODOTDOT |
                                                ARCHIVE_EXTRACT_SECURE_NOABSOLUTEPATHS);
    return out;
}

/* Opens the archive NAME, replaces it by an empty directory, and makes that the working directory. */
static int enter(const char *name, int *fd, struct err *err)
{
    *fd = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (*fd < 0)
        return err_set_errno(err, errno, "cannot be opened");
    if (unlink(name) != 0 || mkdir(name, 0755) != 0 || chdir(name) != 0)
        return err_set_errno(err, errno, "cannot be replaced by a directory");
    return 0;
}

int unpack_here(int fd, const struct unpack_limits *limits, struct err *err)
{
    struct unpack unpack = { .in = reader_new(), .out = writer_new(), .limits = limits, .err = err };
    int r;

    if (unpack.in == NULL || unpack.out == NULL)
        r = err_set(err, ENOMEM, "no memory");
    else if (archive_read_open_fd(unpack.in, fd, BLOCK_BYTES) != ARCHIVE_OK)
        r = damaged(&unpack);
    else
        r = unpack_all(&unpack);
    archive_read_free(unpack.in);
    archive_write_free(unpack.out);
    return r;
}

int unpack_archive(const char *name, const struct unpack_limits *limits, struct err *err)
{
    scoped_fd int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    scoped_fd int fd = -1;
    int r;

    if (before < 0)
        return err_set_errno(err, errno, "archive %s: the directory cannot be opened", name);
    r = enter(name, &fd, err);
    if (r == 0)
        r = unpack_here(fd, limits, err);
    if (fchdir(before) != 0 && r == 0)
        r = err_set_errno(err, errno, "the directory cannot be entered again");
    if (r < 0)
        err_prefix(err, "archive %s", name);
    return r;
}

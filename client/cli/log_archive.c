/* SPDX-License-Identifier: Apache-2.0 */
/* log_archive.c - reads files of aggregated logs */
#include "client/cli/log_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef HASH_FUNCTION
#define HASH_FUNCTION HASH_OAT /* the default one has fall-through cases without a mark */
#endif
#include <uthash.h>

#include "common/base/id.h"
#include "common/base/mem.h"

#define BLOCK_BYTES ((size_t)64 << 10)
#define ENTRIES_MAX 10000000

struct item {
    char *path; /* owned: "CONTAINER/FILE" */
    struct log_archive_entry entry;
    UT_hash_handle hh; /* by PATH */
};

struct log_archive {
    int fd;
    uint64_t size;      /* of the temporary file */
    struct item *items; /* owned */
    size_t count;
};

/* --- errors ------------------------------------------------------------------ */

static int damaged(struct archive *in, struct err *err)
{
    const char *reason = archive_error_string(in);
    char text[160];

    snprintf(text, sizeof(text), "%s", reason ? reason : "it is damaged");
    for (char *at = text; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    return err_set(err, EBADMSG, "cannot be read: %s", text);
}

static int unwritten(int code, struct err *err)
{
    return err_set_errno(err, code, "a temporary file cannot be written (TMPDIR names its directory)");
}

/* --- reading ------------------------------------------------------------------ */

static int open_temporary(struct err *err)
{
    const char *directory = getenv("TMPDIR");
    scoped_free char *path = NULL;
    int fd;

    if (directory == NULL || *directory == '\0')
        directory = "/tmp";
    fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    path = mem_printf("%s/creel-logs.XXXXXX", directory);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return unwritten(errno, err);
    (void)unlink(path);
    return fd;
}

static int put(struct log_archive *archive, const void *data, size_t size, struct err *err)
{
    const char *at = data;

    while (size > 0) {
        ssize_t written = pwrite(archive->fd, at, size, (off_t)archive->size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return unwritten(written < 0 ? errno : ENOSPC, err);
        archive->size += (uint64_t)written;
        at += written;
        size -= (size_t)written;
    }
    return 0;
}

/* Returns true if PATH is "CONTAINER/FILE"; ID gets the container. */
static bool is_log(const char *path, char id[ID_TEXT_MAX])
{
    const char *slash = path ? strchr(path, '/') : NULL;
    struct container_id parsed;

    if (slash == NULL || slash - path >= ID_TEXT_MAX || slash[1] == '\0' || strchr(slash + 1, '/') != NULL)
        return false;
    memcpy(id, path, (size_t)(slash - path));
    id[slash - path] = '\0';
    return container_id_parse(id, &parsed);
}

static int copy_content(struct log_archive *archive, struct archive *in, struct log_archive_entry *entry,
                        struct err *err)
{
    const void *block;
    la_int64_t offset;
    size_t size;
    int r;

    entry->offset = archive->size;
    while ((r = archive_read_data_block(in, &block, &size, &offset)) == ARCHIVE_OK) {
        if (offset < 0 || (uint64_t)offset != archive->size - entry->offset)
            return err_set(err, EBADMSG, "cannot be read: it has a sparse file");
        if ((r = put(archive, block, size, err)) < 0)
            return r;
    }
    entry->size = archive->size - entry->offset;
    return r == ARCHIVE_EOF ? 0 : damaged(in, err);
}

static struct item *find(const struct log_archive *archive, const char *path)
{
    struct item *item;

    HASH_FIND_STR(archive->items, path, item);
    return item;
}

static int add_entry(struct log_archive *archive, struct archive *in, struct archive_entry *entry,
                     const char *path, struct err *err)
{
    struct log_archive_entry found = {
        .modified_ms = (int64_t)archive_entry_mtime(entry) * 1000 + archive_entry_mtime_nsec(entry) / 1000000,
    };
    struct item *item;
    int r;

    if (find(archive, path) != NULL)
        return 0;
    r = copy_content(archive, in, &found, err);
    if (r < 0)
        return r;
    item = mem_new0(struct item);
    item->path = mem_strdup(path);
    item->entry = found;
    HASH_ADD_KEYPTR(hh, archive->items, item->path, strlen(item->path), item);
    archive->count++;
    return 0;
}

static int read_entries(struct log_archive *archive, struct archive *in, const char *only, struct err *err)
{
    struct archive_entry *entry;
    char id[ID_TEXT_MAX];
    size_t first = archive->count;
    int r;

    while ((r = archive_read_next_header(in, &entry)) == ARCHIVE_OK || r == ARCHIVE_WARN) {
        const char *path = archive_entry_pathname(entry);

        if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != NULL ||
            !is_log(path, id))
            continue;
        if (only != NULL && strcmp(only, id) != 0) {
            if (archive->count > first)
                return 0; /* entries of a container follow one another */
            continue;
        }
        if (archive->count >= ENTRIES_MAX)
            return err_set(err, EFBIG, "has more than %d entries", ENTRIES_MAX);
        if ((r = add_entry(archive, in, entry, path, err)) < 0)
            return r;
    }
    return r == ARCHIVE_EOF ? 0 : damaged(in, err);
}

int log_archive_add(struct log_archive *archive, int fd, const char *only, struct err *err)
{
    struct archive *in = archive_read_new();
    int r;

    if (in == NULL)
        return err_set(err, ENOMEM, "no memory");
    archive_read_support_format_tar(in);
    archive_read_support_filter_gzip(in);
    if (archive_read_open_fd(in, fd, BLOCK_BYTES) != ARCHIVE_OK)
        r = damaged(in, err);
    else
        r = read_entries(archive, in, only, err);
    archive_read_free(in);
    return r;
}

int log_archive_new(struct log_archive **ret, struct err *err)
{
    int fd = open_temporary(err);

    if (fd < 0)
        return fd;
    *ret = mem_new0(struct log_archive);
    (*ret)->fd = fd;
    return 0;
}

void log_archive_free(struct log_archive *archive)
{
    struct item *item, *next;

    if (archive == NULL)
        return;
    HASH_ITER(hh, archive->items, item, next) {
        HASH_DEL(archive->items, item);
        free(item->path);
        free(item);
    }
    close(archive->fd);
    free(archive);
}

int log_archive_fd(const struct log_archive *archive)
{
    return archive->fd;
}

const struct log_archive_entry *log_archive_find(const struct log_archive *archive, const char *container_id,
                                                 const char *file)
{
    scoped_free char *path = mem_printf("%s/%s", container_id, file);
    const struct item *item = find(archive, path);

    return item ? &item->entry : NULL;
}

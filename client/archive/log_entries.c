/* SPDX-License-Identifier: Apache-2.0 */
/* log_entries.c - reads files of aggregated logs */
#include "client/archive/log_entries.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef HASH_FUNCTION
#define HASH_FUNCTION HASH_OAT /* the default one has fall-through cases without a mark */
#endif
#include <uthash.h>

#include "common/base/file.h"
#include "common/base/id.h"
#include "common/base/mem.h"

#define BLOCK_BYTES ((size_t)64 << 10)
#define ENTRIES_MAX 10000000

struct name {   /* of an entry that was copied: the first of several entries with a name counts */
    char *path; /* owned */
    UT_hash_handle hh;
};

struct copy {
    struct archive *in; /* owned */
    int in_fd, out;
    uint64_t size; /* of OUT */
    FILE *list;
    struct name *names; /* owned */
    size_t count;
    char block[BLOCK_BYTES];
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

static int copy_content(struct copy *copy, uint64_t *size, struct err *err)
{
    uint64_t begin = copy->size;
    const void *block;
    la_int64_t offset;
    size_t length;
    int r;

    while ((r = archive_read_data_block(copy->in, &block, &length, &offset)) == ARCHIVE_OK) {
        if (offset < 0 || (uint64_t)offset != copy->size - begin)
            return err_set(err, EBADMSG, "cannot be read: it has a sparse file");
        if ((r = file_write(copy->out, block, length)) < 0)
            return unwritten(-r, err);
        copy->size += length;
    }
    *size = copy->size - begin;
    return r == ARCHIVE_EOF ? 0 : damaged(copy->in, err);
}

static bool is_known(const struct copy *copy, const char *path)
{
    struct name *name;

    HASH_FIND_STR(copy->names, path, name);
    return name != NULL;
}

static void add_name(struct copy *copy, const char *path)
{
    struct name *name = mem_new0(struct name);

    name->path = mem_strdup(path);
    HASH_ADD_KEYPTR(hh, copy->names, name->path, strlen(name->path), name);
}

static void free_names(struct copy *copy)
{
    struct name *name, *next;

    HASH_ITER(hh, copy->names, name, next) {
        HASH_DEL(copy->names, name);
        free(name->path);
        free(name);
    }
}

static int copy_entry(struct copy *copy, struct archive_entry *entry, const char *path, struct err *err)
{
    int64_t modified_ms =
        (int64_t)archive_entry_mtime(entry) * 1000 + archive_entry_mtime_nsec(entry) / 1000000;
    uint64_t begin = copy->size, size = 0;
    int r = copy_content(copy, &size, err);

    if (r < 0)
        return r;
    fprintf(copy->list, "%" PRIu64 " %" PRIu64 " %" PRId64 " %s%c", begin, size, modified_ms, path, '\0');
    add_name(copy, path);
    copy->count++;
    return 0;
}

static int copy_entries(struct copy *copy, const char *only, struct err *err)
{
    struct archive_entry *entry;
    char id[ID_TEXT_MAX];
    int r;

    while ((r = archive_read_next_header(copy->in, &entry)) == ARCHIVE_OK || r == ARCHIVE_WARN) {
        const char *path = archive_entry_pathname(entry);

        if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != NULL ||
            !is_log(path, id))
            continue;
        if (is_known(copy, path))
            continue;
        if (only != NULL && strcmp(only, id) != 0) {
            if (copy->count > 0)
                return 0; /* entries of a container follow one another */
            continue;
        }
        if (copy->count >= ENTRIES_MAX)
            return err_set(err, EFBIG, "has more than %d entries", ENTRIES_MAX);
        if ((r = copy_entry(copy, entry, path, err)) < 0)
            return r;
    }
    return r == ARCHIVE_EOF ? 0 : damaged(copy->in, err);
}

/* A callback of libarchive: reads a block, and reports that. */
static la_ssize_t read_block(struct archive *in, void *context, const void **block)
{
    struct copy *copy = context;
    ssize_t got;

    do
        got = read(copy->in_fd, copy->block, sizeof(copy->block));
    while (got < 0 && errno == EINTR);
    if (got < 0)
        archive_set_error(in, errno, "%s", strerror(errno));
    else if (fputc('\0', copy->list) != EOF)
        fflush(copy->list);
    *block = copy->block;
    return got;
}

int log_entries_copy(int in, const char *only, int out, FILE *list, struct err *err)
{
    off_t end = lseek(out, 0, SEEK_CUR);
    scoped_free struct copy *copy = mem_new0(struct copy);
    int r;

    *copy = (struct copy){
        .in = archive_read_new(), .in_fd = in, .out = out, .size = (uint64_t)end, .list = list
    };
    if (copy->in == NULL || end < 0)
        r = err_set_errno(err, end < 0 ? errno : ENOMEM, "cannot be read");
    else {
        archive_read_support_format_tar(copy->in);
        archive_read_support_filter_gzip(copy->in);
        r = archive_read_open(copy->in, copy, NULL, read_block, NULL) != ARCHIVE_OK
                ? damaged(copy->in, err)
                : copy_entries(copy, only, err);
    }
    archive_read_free(copy->in);
    free_names(copy);
    if (fflush(list) != 0 && r == 0)
        r = err_set_errno(err, errno, "the list of entries cannot be written");
    return r;
}

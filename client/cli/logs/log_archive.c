/* SPDX-License-Identifier: Apache-2.0 */
/* log_archive.c - files of aggregated logs, which creel-archive reads */
#include "client/cli/logs/log_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef HASH_FUNCTION
#define HASH_FUNCTION HASH_OAT /* the default one has fall-through cases without a mark */
#endif
#include <uthash.h>

#include "client/cli/frame/archive_program.h"
#include "common/base/mem.h"

#define ENTRIES_MAX 10000000 /* of all files together */

struct item {
    char *path; /* owned: "CONTAINER/FILE" */
    struct log_archive_entry entry;
    UT_hash_handle hh; /* by PATH */
};

struct log_archive {
    int fd;
    struct item *items; /* owned */
    size_t count;
    log_archive_read_fn *on_read; /* NULL: none */
    void *on_read_context;
};

static struct item *find(const struct log_archive *archive, const char *path)
{
    struct item *item;

    HASH_FIND_STR(archive->items, path, item);
    return item;
}

void log_archive_note(struct log_archive *archive, const char *path, const struct log_archive_entry *entry)
{
    struct item *item;

    if (find(archive, path) != NULL)
        return;
    item = mem_new0(struct item);
    item->path = mem_strdup(path);
    item->entry = *entry;
    HASH_ADD_KEYPTR(hh, archive->items, item->path, strlen(item->path), item);
    archive->count++;
}

/* Adds the entry of LINE, which creel-archive wrote: "OFFSET SIZE MODIFIED-MS PATH"; an empty line for each
 * block that it has read. */
static int add_line(struct log_archive *archive, const char *line, struct err *err)
{
    struct log_archive_entry entry;
    int length = -1;

    if (*line == '\0' && archive->on_read != NULL)
        archive->on_read(archive->on_read_context);
    if (*line == '\0')
        return 0;
    if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNd64 "%n", &entry.offset, &entry.size, &entry.modified_ms,
               &length) != 3 ||
        line[length] != ' ')
        return err_set(err, EBADMSG, "cannot be read: creel-archive is not of this version");
    if (archive->count >= ENTRIES_MAX)
        return err_set(err, EFBIG, "has more than %d entries, with those of other nodes", ENTRIES_MAX);
    log_archive_note(archive, line + length + 1, &entry);
    return 0;
}

static int read_list(struct log_archive *archive, FILE *list, struct err *err)
{
    char *line = NULL;
    size_t capacity = 0;
    int r = 0;

    while (r == 0 && getdelim(&line, &capacity, '\0', list) > 0)
        r = add_line(archive, line, err);
    free(line);
    return r;
}

int log_archive_add(struct log_archive *archive, int fd, const char *only, struct err *err)
{
    struct archive_request request = {
        .words = { "logs", only }, .in = fd, .out = archive->fd, .directory = -1
    };
    struct archive_program program;
    int ends[2], r, listed;
    FILE *list;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_set_errno(err, errno, "cannot make a pipe");
    request.list = ends[1];
    r = archive_program_start(&request, &program, err);
    close(ends[1]);
    list = fdopen(ends[0], "r");
    if (r < 0 || list == NULL) {
        close(ends[0]);
        return r < 0 ? r : err_set_errno(err, errno, "cannot read a pipe");
    }
    listed = read_list(archive, list, err);
    fclose(list);
    r = archive_program_wait(&program, err);
    return listed < 0 ? listed : r;
}

int log_archive_new(struct log_archive **ret, struct err *err)
{
    int fd = archive_program_temporary(err);

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

void log_archive_on_read(struct log_archive *archive, log_archive_read_fn *fn, void *context)
{
    archive->on_read = fn;
    archive->on_read_context = context;
}

void log_archive_each(const struct log_archive *archive, size_t from, log_archive_entry_fn *fn, void *context)
{
    size_t number = 0;

    for (const struct item *item = archive->items; item != NULL; item = item->hh.next)
        if (number++ >= from)
            fn(context, item->path, &item->entry);
}

size_t log_archive_count(const struct log_archive *archive)
{
    return archive->count;
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

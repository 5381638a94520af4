/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_archive.h - reads files of aggregated logs: tars, compressed with gzip, of entries CONTAINER/FILE
 *
 * creel-archive reads the files, which others write. Entries of other names or types are left out. The
 * content of all files is copied to one temporary file without a name, since logs are read from their end,
 * too.
 */
#ifndef CREEL_CLI_LOG_ARCHIVE_H
#define CREEL_CLI_LOG_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

struct log_archive; /* opaque */

struct log_archive_entry {
    uint64_t offset, size; /* in log_archive_fd */
    int64_t modified_ms;
};

/* Creates an empty archive. -errno: the temporary file cannot be made. */
int log_archive_new(struct log_archive **ret, struct err *err);
void log_archive_free(struct log_archive *archive); /* ARCHIVE may be NULL */

/* Adds the entries of the file of the descriptor FD, which stays open. ONLY, unless NULL, is the container
 * whose entries are needed. If an entry comes twice, the first one counts. Returns 0, or -errno if the file
 * is damaged or the temporary file cannot be written; entries before the damage are added. */
int log_archive_add(struct log_archive *archive, int fd, const char *only, struct err *err);

/* FN is called for each block that log_archive_add reads. */
typedef void log_archive_read_fn(void *context);
void log_archive_on_read(struct log_archive *archive, log_archive_read_fn *fn, void *context);

/* For an archive that another process fills, which shares the temporary file. That process calls FN for each
 * entry but the first FROM; this one notes the entries. */
typedef void log_archive_entry_fn(void *context, const char *path, const struct log_archive_entry *entry);
void log_archive_each(const struct log_archive *archive, size_t from, log_archive_entry_fn *fn,
                      void *context);
size_t log_archive_count(const struct log_archive *archive);
void log_archive_note(struct log_archive *archive, const char *path, const struct log_archive_entry *entry);

int log_archive_fd(const struct log_archive *archive);
/* Returns the entry; NULL: there is none. Valid as long as the archive. */
const struct log_archive_entry *log_archive_find(const struct log_archive *archive, const char *container_id,
                                                 const char *file);

#endif

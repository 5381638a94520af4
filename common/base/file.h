/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - reads and writes whole small files
 *
 * The functions return 0 or -errno. The caller, which knows the purpose of the file, makes the message for
 * people. A NAME is relative to DIRECTORY_FD, as for openat(2): AT_FDCWD is the working directory, and an
 * absolute name needs no directory. Interrupted calls are repeated, and short ones are continued; FD must
 * block.
 */
#ifndef CREEL_BASE_FILE_H
#define CREEL_BASE_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct err;

/* Opens NAME, which has to be a regular file, as openat(2) does, without waiting: a FIFO in its place
 * would be waited for, and a device might do something. Returns the descriptor, which is closed on exec;
 * -EISDIR, or -EINVAL for another kind, if it is no regular file. ERR, which may be NULL, names NAME. */
int file_open(int directory_fd, const char *name, int flags, mode_t mode, struct err *err);
/* The same, as a stream to read from; NULL with errno set on failure. */
FILE *file_stream(const char *name, struct err *err);

/* Reads FD from its position to its end. The size from stat(2) is only a hint: files of /proc have none.
 * -EFBIG: there are more than MOST bytes. The caller frees *RET, which has a '\0' behind its *SIZE bytes
 * (SIZE may be NULL). */
int file_read(int fd, size_t most, char **ret, size_t *size);

/* Writes all SIZE bytes. -ENOSPC: the disk is full, or a write made no progress. */
int file_write(int fd, const void *data, size_t size);

/* What is on the disk after a power failure. Other processes see the old or the new content in any case. */
enum file_durability {
    FILE_COMPLETE, /* the old content, the new content, or an empty file: for what is made again */
    FILE_DURABLE,  /* the new content: the file and its directory are synchronized with fsync(2) */
};

struct file_content {
    const void *data;
    size_t size;
    mode_t mode;           /* exactly; the umask does not change it */
    uid_t owner;           /* 0: the user of this process */
    const char *temporary; /* NULL: NAME.new; of its own for each process if several replace one file */
    enum file_durability durability;
};

/* Writes a temporary file beside NAME and renames it to NAME. An older file NAME is replaced, not written to:
 * a symbolic link is replaced itself, and other hard links keep the old content. A temporary file that an
 * earlier process left is removed. On failure NAME is unchanged, and there is no temporary file; but if the
 * directory could not be synchronized, the new content is there. */
int file_replace(int directory_fd, const char *name, const struct file_content *content);
/* Sets ERR to the reason why file_replace of PATH has returned R, with the remedy if a directory has this
 * name. Returns R. */
int file_explain_replace(const char *path, int r, struct err *err);

/* Synchronizes the directory of NAME, so that the name is there after a power failure. */
int file_sync_directory(int directory_fd, const char *name);

#endif

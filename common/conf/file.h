/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - reads a whole configuration file into memory */
#ifndef CREEL_CONF_FILE_H
#define CREEL_CONF_FILE_H

#include <stddef.h>
#include <sys/types.h>

#define CONF_FILE_BYTES_MAX ((size_t)16 << 20)

struct conf_file_id { /* identity of a file: equal for two names of the same file */
    dev_t device;
    ino_t inode;
};

/* Reads the regular file PATH. The caller frees *DATA, which has SIZE bytes. -EISDIR: a directory; -EINVAL:
 * another kind of file (opening a FIFO does not block); -EFBIG: more than CONF_FILE_BYTES_MAX; else the error
 * of open or read. On failure the outputs are untouched. */
int conf_file_read(const char *path, char **data, size_t *size, struct conf_file_id *id);

/* Returns the text for people that explains -RESULT of conf_file_read. */
const char *conf_file_explain(int result);

#endif

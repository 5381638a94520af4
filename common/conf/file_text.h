/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_text.h - reads a whole file that people edit, and decides when to read the file again
 *
 * A mark identifies the file at a path and its state. If the marks before and after a read are equal, the
 * file was not written or replaced meanwhile. A watch stores marks and decides when to read the file again:
 * it uses no files and no clock.
 */
#ifndef CREEL_CONF_FILE_TEXT_H
#define CREEL_CONF_FILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

struct file_mark {
    bool there; /* the file exists; if false, all members below are 0 */
    uint64_t device, inode;
    int64_t size;
    int64_t modified_ns, changed_ns; /* since the Unix epoch; users cannot set changed_ns */
};

/* Returns the mark of the file at PATH, symbolic links followed. A file that stat cannot read counts as
 * missing. */
struct file_mark file_mark_of(const char *path);
bool file_mark_equal(const struct file_mark *a, const struct file_mark *b);

/*
 * Reads PATH, a file of at most MOST bytes. The caller frees *TEXT, which has SIZE bytes and a zero after
 * them. -ENOENT: there is no file; -EINVAL: not a regular file, or too large; -EAGAIN: the file was changed
 * or replaced repeatedly while it was read; else the error of open or read. ERR begins with PATH.
 */
int file_text_read(const char *path, size_t most, char **text, size_t *size, struct err *err);

/* --- when to read a file again ---------------------------------------------- */

struct file_watch {
    struct file_mark taken; /* mark of the last read, valid content or not */
    struct file_mark seen;  /* latest mark; the file has it since SEEN_MS, unless it equals TAKEN */
    int64_t seen_ms;
};

enum file_watch_verdict {
    FILE_WATCH_REST, /* no new state, or the file has changed too recently */
    FILE_WATCH_READ,
    FILE_WATCH_GONE, /* the file existed before, and does not exist now */
};

/* Records that the file was read, with the mark MARK, for any reason. */
void file_watch_note_read(struct file_watch *watch, const struct file_mark *mark);

/* Decides whether to read the file, whose mark is MARK at NOW_MS (Unix epoch). A new state is reported when
 * the file has not changed for QUIET_MS, by the file's own times or by the marks passed to this function.
 * Returns FILE_WATCH_READ or FILE_WATCH_GONE once for each new state. */
enum file_watch_verdict file_watch_check(struct file_watch *watch, const struct file_mark *mark,
                                         int64_t now_ms, int64_t quiet_ms);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_text.h - read a file that people edit, as a whole or not at all, and know when to read it again
 *
 * A mark identifies the file at a path and its state. If the marks before and after a read are equal, the
 * file was not written or replaced meanwhile. A watch takes marks and decides when to read the file again:
 * it uses no files and no clock.
 */
#ifndef CREEL_CONF_FILE_TEXT_H
#define CREEL_CONF_FILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

struct file_mark {
    bool there;                         /* else all below is 0 */
    uint64_t device, inode;
    int64_t size;
    int64_t modified_ns, changed_ns;    /* Unix epoch; the latter cannot be set by hand */
};

/* Of what PATH leads to, links followed. What cannot be looked at is not there. */
struct file_mark file_mark_of(const char *path);
bool file_mark_equal(const struct file_mark *a, const struct file_mark *b);

/*
 * Read PATH, a file of at most MOST bytes. The caller frees *TEXT, which has SIZE bytes and a zero after
 * them. -ENOENT: there is no file; -EINVAL: not a regular file, or too large; -EAGAIN: it was changed or
 * replaced repeatedly while it was read; else the error of open or read. ERR begins with PATH.
 */
int file_text_read(const char *path, size_t most, char **text, size_t *size, struct err *err);

/* --- when to read it again -------------------------------------------------- */

struct file_watch {
    struct file_mark taken;             /* what was read last, good or bad */
    struct file_mark seen;              /* what has stood there since SEEN_MS, and is not TAKEN */
    int64_t seen_ms;
};

enum file_watch_verdict {
    FILE_WATCH_REST,                    /* nothing new, or it has not come to rest yet */
    FILE_WATCH_READ,
    FILE_WATCH_GONE,                    /* there was one, and there is none any more */
};

/* MARK was read, by whatever reason. */
void file_watch_take(struct file_watch *watch, const struct file_mark *mark);

/* The file's mark is MARK at NOW_MS (Unix epoch). A new state counts when it has not changed for QUIET_MS,
 * by the file's own times or as seen here. READ and GONE are returned once for each new state. */
enum file_watch_verdict file_watch_look(struct file_watch *watch, const struct file_mark *mark,
                                        int64_t now_ms, int64_t quiet_ms);

#endif

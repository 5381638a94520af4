/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage.h - how much of a disk a tree of a user's takes, measured a little at a time
 *
 * A tree may have millions of files, so a walk goes on for as long as it is given, and remembers where it
 * was. Links are not followed, and what is mounted below is left out. A file with several names
 * counts once over all of them. Files of root (those of the cache) do not count, unless root is the
 * user. A file that was removed while a process has it open is not seen.
 *
 * Private to nm-agent/linux.
 */
#ifndef CREEL_NM_USAGE_H
#define CREEL_NM_USAGE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define USAGE_DEPTH_MAX 64              /* directories that are open at a time */

struct usage_walk {                     /* all zero: none */
    DIR *open[USAGE_DEPTH_MAX];         /* owned; the outermost first */
    int depth;                          /* how many */
    dev_t device;
    uid_t user;
    uint64_t bytes;                     /* so far */
    bool too_deep;                      /* some directories are deeper, and were not counted */
};

/* Begin at the directory PATH of USER. 0 or -errno; a walk that was not over is given up. */
int usage_begin(struct usage_walk *walk, const char *path, uid_t user);
/* Go on until UNTIL_MS (CLOCK_MONOTONIC): true once all is counted. */
bool usage_go_on(struct usage_walk *walk, int64_t until_ms);
void usage_end(struct usage_walk *walk);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage.h - measures the disk space of a user's directory tree, in steps of limited time
 *
 * A tree may have millions of files, so each call continues the measurement for a limited time, and stores
 * the position reached. Links are not followed, and mounted file systems are left out. The size of a file
 * with several names is divided by the number of its names. Files of root (from the cache) are not counted,
 * unless the user is root. A removed file that a process still has open is not counted.
 *
 * Private to nm-agent/linux.
 */
#ifndef CREEL_NM_USAGE_H
#define CREEL_NM_USAGE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define USAGE_DEPTH_MAX 64 /* maximum number of open directories */

struct usage_walk {             /* all zero: no measurement */
    DIR *open[USAGE_DEPTH_MAX]; /* owned; outermost directory first */
    int depth;                  /* number of open directories */
    dev_t device;
    uid_t user;
    uint64_t bytes; /* bytes counted so far */
    bool too_deep;  /* some directories are deeper, and are not counted */
};

/* Starts at the directory PATH of USER. Returns 0 or -errno; an unfinished measurement is aborted. */
int usage_begin(struct usage_walk *walk, const char *path, uid_t user);
/* Continues until UNTIL_MS (CLOCK_MONOTONIC); returns true when everything is counted. */
bool usage_go_on(struct usage_walk *walk, int64_t until_ms);
void usage_end(struct usage_walk *walk);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results.h - the results of a task (--fetch): the paths that were requested, and the list of what was packed
 *
 * When the command of a container has ended, creel-pack packs the requested paths of its working directory
 * into RESULTS_ARCHIVE, and then writes RESULTS_LIST; both are in the log directory of the container. The
 * list is read by another program on another host, which does not trust it. Pure functions.
 */
#ifndef CREEL_RESULTS_H
#define CREEL_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESULTS_ARCHIVE "results.tar" /* tar, not compressed; does not exist if nothing was packed */
#define RESULTS_LIST "results.txt"

#define RESULTS_PATHS_MAX 256
#define RESULTS_TEXT_MAX 4096                /* of the option: all paths with their commas */
#define RESULTS_BYTES_MAX (INT64_C(1) << 40) /* of an archive */
#define RESULTS_HASH_BYTES 32
#define RESULTS_PROBLEMS_MAX 16
#define RESULTS_PROBLEM_MAX 320
#define RESULTS_PATH_MAX 256       /* of a path that is shown */
#define RESULTS_LIST_MAX (8 << 10) /* size of RESULTS_LIST in bytes */

/* --- requested paths ------------------------------------------------------------------ */

/* Copies the next path of *TEXT to PATH, and moves *TEXT behind it. Paths are separated by commas; a
 * backslash before a comma makes it part of the path. A path is a pattern of glob(3), relative to the working
 * directory. Returns 1, 0 after the last path, or -EINVAL: the path is empty or longer than RESULTS_TEXT_MAX,
 * begins with a slash, or has a component "..". */
int results_next_path(const char **text, char path[RESULTS_TEXT_MAX]);
/* Returns whether TEXT has 1 to RESULTS_PATHS_MAX valid paths, and at most RESULTS_TEXT_MAX - 1 bytes. */
bool results_paths_valid(const char *text);

/* --- links in an archive ---------------------------------------------------------------- */

/* Returns whether a symbolic link at PATH, relative to the root of a tree, leads to a place inside the tree
 * if the other links do: TARGET is relative, has ".." only at its beginning, and no more of them than PATH
 * has directories. */
bool results_link_stays_inside(const char *path, const char *target);

/* --- the list ----------------------------------------------------------------------------- */

struct results {
    int64_t bytes;   /* size of RESULTS_ARCHIVE; 0: nothing was packed */
    int64_t entries; /* files, directories and links in it */
    uint8_t sha256[RESULTS_HASH_BYTES];
    int64_t left_out; /* special files, and links that lead outside of the working directory */
    char left_out_path[RESULTS_PATH_MAX]; /* the first of them */
    size_t problem_count;
    char problems[RESULTS_PROBLEMS_MAX][RESULTS_PROBLEM_MAX]; /* sentences without control characters */
};

/* Adds a sentence to the problems of RESULTS, with a '?' for each control character. If there are too many,
 * the last one becomes "more problems are not listed". */
void results_add_problem(struct results *results, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Counts PATH, which was left out. */
void results_leave_out(struct results *results, const char *path);
/* Writes RESULTS as the content of RESULTS_LIST; returns its length. */
size_t results_format(const struct results *results, char text[RESULTS_LIST_MAX]);
/* Reads SIZE bytes of a RESULTS_LIST. Returns 0, or -EINVAL: malformed, incomplete or beyond the limits. */
int results_parse(const char *text, size_t size, struct results *results);

#endif

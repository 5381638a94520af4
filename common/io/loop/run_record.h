/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_record.h - notices that a daemon ended without being stopped, and how often
 *
 * The first line of the file "runs" in the state directory of creel-rm or creel-nm is "running" from the
 * start of the daemon to its orderly end, then "stopped". A start that finds "running" comes after a crash, a
 * kill or a loss of power. The file has the times of such starts of the last hour, one a line.
 */
#ifndef CREEL_RUN_RECORD_H
#define CREEL_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_RECORD_MS 3600000 /* older starts are forgotten */
#define RUN_RECORD_STARTS 64  /* so many are remembered, the newest */

struct run_record {
    int64_t starts_ms[RUN_RECORD_STARTS]; /* since 1970; starts after an end without a stop, oldest first */
    size_t count;
    bool begun;
};

/* Reads the file of DIRECTORY, adds this start if it comes after an end without a stop, and writes the file.
 * A file that cannot be written is logged: the checks of the disk report it. WALL_MS: now, since 1970. */
void run_record_begin(struct run_record *record, const char *directory, int64_t wall_ms);
/* Notes an orderly end. Does nothing if the record was not begun. */
void run_record_end(struct run_record *record, const char *directory);
/* Returns how many of the starts are at most RUN_RECORD_MS old. */
size_t run_record_recent(const struct run_record *record, int64_t wall_ms);

#endif

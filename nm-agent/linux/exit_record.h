/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exit_record.h - how a container ended, on disk
 *
 * Lines of "name value", closed by "end": a file without it is half-written and
 * counts as none. Agent and shim share this, so it needs libc alone.
 */
#ifndef CREEL_NM_EXIT_RECORD_H
#define CREEL_NM_EXIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/exit_status.h"

#define EXIT_RECORD_SIZE 4096           /* room that is reserved for it before the start */

struct exit_record {
    int status;                         /* see runtime_event.exit_status */
    int64_t started_ms, finished_ms;    /* since 1970; started 0: never ran */
    uint64_t memory_peak_bytes, cpu_time_us;
    uint64_t read_bytes, written_bytes; /* from and to disks */
    uint64_t pids_peak;                 /* 0: not known */
    char diagnostics[512];
};

/* Returns the length, which is below EXIT_RECORD_SIZE. */
size_t exit_record_format(const struct exit_record *record, char text[EXIT_RECORD_SIZE]);
/* False if TEXT (terminated) is not a whole record; *RECORD is then untouched. */
bool exit_record_parse(const char *text, struct exit_record *record);

#endif

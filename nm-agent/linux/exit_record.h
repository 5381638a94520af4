/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exit_record.h - formats and parses the file that records the exit of a container
 *
 * Lines of "name value", and a last line "end": a file without it is incomplete and is treated as missing.
 * Agent and shim use this file, so it needs libc alone.
 */
#ifndef CREEL_NM_EXIT_RECORD_H
#define CREEL_NM_EXIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/exit_status.h"

#define EXIT_RECORD_SIZE 4096 /* bytes reserved on disk before the start */

struct exit_record {
    int status;                      /* see runtime_event.exit_status */
    int64_t started_ms, finished_ms; /* ms since 1970; started 0: never ran */
    uint64_t memory_peak_bytes, cpu_time_us;
    uint64_t read_bytes, written_bytes; /* on disks */
    uint64_t pids_peak;                 /* 0: unknown */
    char diagnostics[512];
};

/* Returns the length of the text, which is below EXIT_RECORD_SIZE. */
size_t exit_record_format(const struct exit_record *record, char text[EXIT_RECORD_SIZE]);
/* Returns false if TEXT (terminated) is not a complete record; *RECORD is then untouched. */
bool exit_record_parse(const char *text, struct exit_record *record);

/* Returns true if the kernel killed processes of the container because memory was short outside of it: its
 * peak was far below MEMORY_BYTES, its limit, or it has none (0 or less). To be called for a container of
 * which processes were killed for memory: the kernel counts both cases alike. */
bool exit_record_is_machine_full(const struct exit_record *record, int64_t memory_bytes);

#endif

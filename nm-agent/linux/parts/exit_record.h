/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exit_record.h - formats and parses the file that records the exit of a container
 *
 * Lines of "name value", and a line "end": a file without it is incomplete and is treated as missing. Behind
 * it are the numbers of container_totals.h.
 * Agent and shim use this file, so it needs libc alone.
 */
#ifndef CREEL_NM_EXIT_RECORD_H
#define CREEL_NM_EXIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/job/exit_status.h"
#include "nm-agent/container_end.h"

#define EXIT_RECORD_SIZE 4096 /* bytes reserved on disk before the start */

/* The end of a command that has left other processes. The shim reports it to the agent that started it, and
 * writes it to COMMAND_END_FILE in the state directory for later agents. */
#define COMMAND_END_FILE "command"
#define COMMAND_END_TEXT_MAX 64
struct command_end {
    int64_t command_ms; /* ms since 1970 */
    int64_t status;     /* exit status */
};

void command_end_format(const struct command_end *end, char text[COMMAND_END_TEXT_MAX]);
/* Returns false if TEXT (terminated) is not complete; *END is then untouched. */
bool command_end_parse(const char *text, struct command_end *end);

/* Returns the length of the text, which is below EXIT_RECORD_SIZE. */
size_t exit_record_format(const struct container_end *record, char text[EXIT_RECORD_SIZE]);
/* Returns false if TEXT (terminated) is not a complete record; *RECORD is then untouched. */
bool exit_record_parse(const char *text, struct container_end *record);

/* Returns true if the kernel killed processes of the container because memory was short outside of it: its
 * peak was far below MEMORY_BYTES, its limit, or it has none (0 or less). To be called for a container of
 * which processes were killed for memory: the kernel counts both cases alike. */
bool exit_record_is_machine_full(const struct container_end *record, int64_t memory_bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* exit_record.c - formats and parses the file that records the exit of a container */
#include "nm-agent/linux/parts/exit_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The lines of all numbers, and node_fault, come after "end": agents of version 0.2, whose shim may be
 * replaced by this one while they run, expect the lines before it as they are, and do not read on. */
static size_t format_totals(const struct container_totals *totals, char *text, size_t size)
{
    size_t length = 0;

#define T(type, member, step) \
    length += \
        (size_t)snprintf(text + length, size - length, #member " %" PRIu64 "\n", (uint64_t)totals->member);
    CONTAINER_TOTALS(T)
#undef T
    return length;
}

size_t exit_record_format(const struct container_end *record, char text[EXIT_RECORD_SIZE])
{
    const struct container_totals *totals = &record->totals;
    size_t length = (size_t)snprintf(text, EXIT_RECORD_SIZE,
                                     "status %d\nstarted_ms %" PRId64 "\nfinished_ms %" PRId64 "\n"
                                     "memory_peak_bytes %" PRIu64 "\ncpu_time_us %" PRIu64 "\n"
                                     "read_bytes %" PRIu64 "\nwritten_bytes %" PRIu64 "\n"
                                     "pids_peak %" PRIu32 "\ncommand_ms %" PRId64 "\ndiagnostics ",
                                     record->exit_status, record->started_ms, record->finished_ms,
                                     totals->memory_peak_bytes, totals->cpu_time_us, totals->read_bytes,
                                     totals->written_bytes, totals->pids_peak, record->command_ms);

    for (const char *from = record->diagnostics; *from; from++)
        text[length++] = *from == '\n' ? '\t' : *from; /* a value must be one line */
    length += (size_t)snprintf(text + length, EXIT_RECORD_SIZE - length, "\nend\nnode_fault %d\n",
                               record->node_fault);
    return length + format_totals(totals, text + length, EXIT_RECORD_SIZE - length);
}

/* Reads the lines after "end". A name of a later version is ignored, and so is a line that is cut off. */
static void parse_rest(const char *text, struct container_end *record)
{
    struct container_totals *totals = &record->totals;
    char name[32];
    uint64_t number;
    int used = 0;

    for (; sscanf(text, "%31s %" SCNu64 "%n", name, &number, &used) == 2 && text[used] == '\n';
         text += used + 1) {
#define T(type, member, step) \
    if (strcmp(name, #member) == 0) \
        totals->member = (type)number;
        CONTAINER_TOTALS(T)
#undef T
        if (strcmp(name, "node_fault") == 0)
            record->node_fault = number != 0;
    }
}

/* Reads the diagnostics from TEXT, and the lines after "end". */
static bool parse_end(const char *text, struct container_end *record)
{
    const char *stop = strchr(text, '\n');
    size_t length;

    if (stop == NULL || strncmp(stop, "\nend\n", 5) != 0)
        return false;
    length = (size_t)(stop - text);
    if (length >= sizeof(record->diagnostics))
        return false;
    memcpy(record->diagnostics, text, length);
    for (size_t i = 0; i < length; i++)
        if (record->diagnostics[i] == '\t')
            record->diagnostics[i] = '\n';
    parse_rest(stop + 5, record);
    return true;
}

bool exit_record_parse(const char *text, struct container_end *record)
{
    struct container_end found = { .exit_status = 0 };
    struct container_totals *totals = &found.totals;
    int used = 0, more = 0;

    if (sscanf(text,
               "status %d\nstarted_ms %" SCNd64 "\nfinished_ms %" SCNd64 "\n"
               "memory_peak_bytes %" SCNu64 "\ncpu_time_us %" SCNu64 "\n%n",
               &found.exit_status, &found.started_ms, &found.finished_ms, &totals->memory_peak_bytes,
               &totals->cpu_time_us, &used) != 5 ||
        used == 0)
        return false;
    text += used;
    /* A shim of an earlier version does not write these fields, or not the last one. */
    if (sscanf(text, "read_bytes %" SCNu64 "\nwritten_bytes %" SCNu64 "\npids_peak %" SCNu32 "\n%n",
               &totals->read_bytes, &totals->written_bytes, &totals->pids_peak, &more) == 3)
        text += more;
    found.command_ms = found.finished_ms;
    more = 0;
    if (sscanf(text, "command_ms %" SCNd64 "\n%n", &found.command_ms, &more) == 1)
        text += more;
    if (strncmp(text, "diagnostics ", 12) != 0 || !parse_end(text + 12, &found))
        return false;
    *record = found;
    return true;
}

bool exit_record_is_machine_full(const struct container_end *record, int64_t memory_bytes)
{
    uint64_t limit = memory_bytes > 0 ? (uint64_t)memory_bytes : UINT64_MAX;

    return record->totals.memory_peak_bytes > 0 && record->totals.memory_peak_bytes < limit - limit / 8;
}

void command_end_format(const struct command_end *end, char text[COMMAND_END_TEXT_MAX])
{
    snprintf(text, COMMAND_END_TEXT_MAX, "%" PRId64 " %" PRId64 " end\n", end->command_ms, end->status);
}

bool command_end_parse(const char *text, struct command_end *end)
{
    struct command_end found;
    int length = 0;

    if (sscanf(text, "%" SCNd64 " %" SCNd64 " end\n%n", &found.command_ms, &found.status, &length) != 2 ||
        length == 0)
        return false;
    *end = found;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* exit_record.c - formats and parses the file that records the exit of a container */
#include "nm-agent/linux/exit_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t exit_record_format(const struct exit_record *record, char text[EXIT_RECORD_SIZE])
{
    int length = snprintf(text, EXIT_RECORD_SIZE,
                          "status %d\nstarted_ms %" PRId64 "\nfinished_ms %" PRId64 "\n"
                          "memory_peak_bytes %" PRIu64 "\ncpu_time_us %" PRIu64 "\n"
                          "read_bytes %" PRIu64 "\nwritten_bytes %" PRIu64 "\n"
                          "pids_peak %" PRIu64 "\ndiagnostics ",
                          record->status, record->started_ms, record->finished_ms, record->memory_peak_bytes,
                          record->cpu_time_us, record->read_bytes, record->written_bytes, record->pids_peak);

    for (const char *from = record->diagnostics; *from; from++)
        text[length++] = *from == '\n' ? '\t' : *from; /* a value must be one line */
    return (size_t)(length + snprintf(text + length, EXIT_RECORD_SIZE - (size_t)length, "\nend\n"));
}

bool exit_record_parse(const char *text, struct exit_record *record)
{
    struct exit_record found = { .status = 0 };
    int used = 0, more = 0;
    const char *stop;
    size_t length;

    if (sscanf(text,
               "status %d\nstarted_ms %" SCNd64 "\nfinished_ms %" SCNd64 "\n"
               "memory_peak_bytes %" SCNu64 "\ncpu_time_us %" SCNu64 "\n%n",
               &found.status, &found.started_ms, &found.finished_ms, &found.memory_peak_bytes,
               &found.cpu_time_us, &used) != 5 ||
        used == 0)
        return false;
    text += used;
    /* A shim of an earlier version does not write these fields. */
    if (sscanf(text, "read_bytes %" SCNu64 "\nwritten_bytes %" SCNu64 "\npids_peak %" SCNu64 "\n%n",
               &found.read_bytes, &found.written_bytes, &found.pids_peak, &more) == 3)
        text += more;
    if (strncmp(text, "diagnostics ", 12) != 0)
        return false;
    text += 12;
    stop = strchr(text, '\n');
    if (stop == NULL || strncmp(stop, "\nend\n", 5) != 0)
        return false;
    length = (size_t)(stop - text);
    if (length >= sizeof(found.diagnostics))
        return false;
    memcpy(found.diagnostics, text, length);
    for (size_t i = 0; i < length; i++)
        if (found.diagnostics[i] == '\t')
            found.diagnostics[i] = '\n';
    *record = found;
    return true;
}

bool exit_record_is_machine_full(const struct exit_record *record, int64_t memory_bytes)
{
    uint64_t limit = memory_bytes > 0 ? (uint64_t)memory_bytes : UINT64_MAX;

    return record->memory_peak_bytes > 0 && record->memory_peak_bytes < limit - limit / 8;
}

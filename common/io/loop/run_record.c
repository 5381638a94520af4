/* SPDX-License-Identifier: Apache-2.0 */
/* run_record.c - notices that a daemon ended without being stopped, and how often */
#include "common/io/loop/run_record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/err.h"
#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "common/io/loop/log.h"

static bool is_recent(int64_t start_ms, int64_t wall_ms)
{
    return start_ms <= wall_ms && wall_ms - start_ms <= RUN_RECORD_MS;
}

static void add(struct run_record *record, int64_t start_ms)
{
    if (record->count == RUN_RECORD_STARTS)
        memmove(record->starts_ms, record->starts_ms + 1, --record->count * sizeof(record->starts_ms[0]));
    record->starts_ms[record->count++] = start_ms;
}

/* Reads the recent starts. Returns true if the last run has not noted its end. */
static bool read_starts(struct run_record *record, const char *path, int64_t wall_ms)
{
    FILE *file = file_stream(path, NULL);
    char line[64];
    bool running;

    if (file == NULL)
        return false;
    running = fgets(line, sizeof(line), file) != NULL && strcmp(line, "running\n") == 0;
    while (fgets(line, sizeof(line), file) != NULL) {
        int64_t start_ms;

        if (sscanf(line, "%" SCNd64, &start_ms) == 1 && is_recent(start_ms, wall_ms))
            add(record, start_ms);
    }
    fclose(file);
    return running;
}

static void write_starts(const struct run_record *record, const char *path, const char *state)
{
    struct text_builder text = TEXT_BUILDER_MALLOC;
    scoped_free char *content = NULL;
    struct err err = { 0 };
    int r;

    text_builder_printf(&text, "%s\n", state);
    for (size_t i = 0; i < record->count; i++)
        text_builder_printf(&text, "%" PRId64 "\n", record->starts_ms[i]);
    content = text_builder_finish(&text);
    r = file_replace(AT_FDCWD, path,
                     &(struct file_content){ .data = content, .size = strlen(content), .mode = 0600 });
    if (r < 0 && file_explain_replace(path, r, &err) < 0)
        log_line(LOG_LEVEL_WARN, "%s", err.text);
}

void run_record_begin(struct run_record *record, const char *directory, int64_t wall_ms)
{
    scoped_free char *path = mem_printf("%s/runs", directory);

    *record = (struct run_record){ .begun = true };
    if (read_starts(record, path, wall_ms)) {
        add(record, wall_ms);
        log_line(LOG_LEVEL_WARN,
                 "the last run ended without being stopped: it crashed, was killed, or its host lost power");
    }
    write_starts(record, path, "running");
}

void run_record_end(struct run_record *record, const char *directory)
{
    scoped_free char *path = NULL;

    if (!record->begun)
        return;
    path = mem_printf("%s/runs", directory);
    record->begun = false;
    write_starts(record, path, "stopped");
}

size_t run_record_recent(const struct run_record *record, int64_t wall_ms)
{
    size_t recent = 0;

    for (size_t i = 0; i < record->count; i++)
        recent += is_recent(record->starts_ms[i], wall_ms);
    return recent;
}

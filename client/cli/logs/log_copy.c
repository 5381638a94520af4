/* SPDX-License-Identifier: Apache-2.0 */
/* log_copy.c - copies the current content of a log, from an offset to its end */
#include "client/cli/logs/log_copy.h"

#include <errno.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"

#define BLOCK ((uint64_t)64 << 10)

/* Reads from START to END completely, in as many reads as the agent needs. */
static int read_block(struct creel_log *log, uint64_t start, uint64_t end, char *block,
                      struct creel_error *error)
{
    uint64_t at = start;

    while (at < end) {
        struct creel_log_piece piece;
        int r = creel_log_read(log, at, false, (size_t)(end - at), 0, &piece, error);

        if (r < 0)
            return r;
        if (piece.size == 0 || piece.size > end - at) {
            error->code = EIO;
            snprintf(error->text, sizeof(error->text), "the log became shorter while it was read");
            return -EIO;
        }
        memcpy(block + (at - start), piece.data, piece.size);
        at += piece.size;
    }
    return 0;
}

/* Finds the start of the last LINES lines: reads blocks backwards and counts newlines. */
static int find_lines(struct creel_log *log, int64_t lines, uint64_t *offset, uint64_t *size,
                      struct creel_error *error)
{
    scoped_free char *block = mem_alloc(BLOCK);
    struct creel_log_piece piece;
    int64_t seen = -1; /* newlines counted; -1: excludes the newline that ends the last line */
    uint64_t end;
    int r = creel_log_read(log, 1, true, 1, 0, &piece, error);

    if (r < 0)
        return r;
    *size = end = piece.file_size;
    if (piece.size == 1 && *(const char *)piece.data != '\n')
        seen = 0;
    while (lines > 0 && end > 0) {
        uint64_t start = end > BLOCK ? end - BLOCK : 0;

        r = read_block(log, start, end, block, error);
        if (r < 0)
            return r;
        for (uint64_t i = end - start; i-- > 0;) {
            if (block[i] == '\n' && ++seen == lines) {
                *offset = start + i + 1;
                return 0;
            }
        }
        end = start;
    }
    *offset = lines > 0 ? 0 : *size;
    return 0;
}

int log_copy_start(struct creel_log *log, const struct log_tail *tail, uint64_t *offset, uint64_t *size,
                   struct creel_error *error)
{
    struct creel_log_piece piece;
    int r;

    if (tail->lines >= 0)
        return find_lines(log, tail->lines, offset, size, error);
    r = creel_log_read(log, 1, true, 1, 0, &piece, error);
    if (r < 0)
        return r;
    *size = piece.file_size;
    *offset = tail->bytes >= 0 && piece.file_size > (uint64_t)tail->bytes
                  ? piece.file_size - (uint64_t)tail->bytes
                  : 0;
    return 0;
}

static void write_prefixed(const char *data, size_t size, const char *prefix, bool *at_start, FILE *out)
{
    while (size > 0) {
        const char *newline = memchr(data, '\n', size);
        size_t length = newline ? (size_t)(newline - data) + 1 : size;

        if (*at_start)
            fputs(prefix, out);
        fwrite(data, 1, length, out);
        *at_start = newline != NULL;
        data += length;
        size -= length;
    }
}

int log_copy(struct creel_log *log, const struct log_tail *tail, const char *prefix, FILE *out,
             struct creel_error *error)
{
    struct creel_log_piece piece;
    uint64_t offset, size;
    bool at_start = true;
    int r = log_copy_start(log, tail, &offset, &size, error);

    while (r == 0 && offset < size) {
        r = creel_log_read(log, offset, false, 0, 0, &piece, error);
        if (r < 0 || piece.size == 0)
            break;
        write_prefixed(piece.data, piece.size, prefix, &at_start, out);
        offset = piece.offset + piece.size;
        size = piece.file_size;
    }
    if (*prefix && !at_start)
        fputc('\n', out);
    return r;
}

const char *log_label(const struct creel_app *app, const struct creel_container *container,
                      char text[LOG_LABEL_MAX])
{
    struct container_id id;
    int64_t task;

    if (app->kind == CREEL_JOB_TASKS && text_parse_int64(container->title, &task) && task >= 0)
        snprintf(text, LOG_LABEL_MAX, "[c%02lld] ", (long long)task);
    else if (container_id_parse(container->id, &id))
        snprintf(text, LOG_LABEL_MAX, "[%02u_%06u] ", id.attempt.attempt, id.number);
    else
        *text = '\0';
    return text;
}

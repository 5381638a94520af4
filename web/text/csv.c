/* SPDX-License-Identifier: Apache-2.0 */
/* csv.c - writes comma-separated values */
#include "web/text/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/mem.h"
#include "web/text/number.h"

#define CAPACITY_FIRST 16384

void csv_begin(struct csv *csv, struct arena *arena)
{
    *csv = (struct csv){ .arena = arena, .capacity = CAPACITY_FIRST };
    csv->bytes = arena_alloc0(arena, csv->capacity);
}

void csv_clear(struct csv *csv)
{
    csv->size = csv->row = 0;
}

static void put(struct csv *csv, const char *bytes, size_t size)
{
    if (size > csv->capacity - csv->size) {
        size_t capacity = 2 * csv->capacity + size;
        char *larger = arena_alloc0(csv->arena, capacity);

        memcpy(larger, csv->bytes, csv->size);
        csv->bytes = larger;
        csv->capacity = capacity;
    }
    memcpy(csv->bytes + csv->size, bytes, size);
    csv->size += size;
}

static void begin_cell(struct csv *csv)
{
    if (csv->size > csv->row)
        put(csv, ",", 1);
}

/* Bytes for which a spreadsheet takes a text as a formula. */
static bool is_formula(const char *text)
{
    return *text != '\0' && strchr("=+-@\t\r\n", *text) != NULL;
}

/* Writes control characters other than tabs and line breaks as blanks: text of a user could contain them. */
static void put_quoted(struct csv *csv, const char *text)
{
    put(csv, "\"", 1);
    if (is_formula(text))
        put(csv, "'", 1);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"')
            put(csv, "\"\"", 2);
        else
            put(csv, (c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f ? " " : text, 1);
    }
    put(csv, "\"", 1);
}

/* An empty text at the beginning of a row is quoted, so that it counts as a cell. */
void csv_text(struct csv *csv, const char *text)
{
    size_t plain =
        strcspn(text, "\",\r\n\t\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14"
                      "\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f");

    begin_cell(csv);
    if ((*text == '\0' && csv->size == csv->row) || text[plain] != '\0' || is_formula(text))
        put_quoted(csv, text);
    else
        put(csv, text, plain);
}

void csv_texts(struct csv *csv, const char *const *texts, size_t count)
{
    scoped_free char *joined = NULL;
    size_t size = 1;
    char *end;

    for (size_t i = 0; i < count; i++)
        size += strlen(texts[i]) + 1;
    end = joined = mem_alloc0(size);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *end++ = ',';
        end = stpcpy(end, texts[i]);
    }
    csv_text(csv, joined);
}

void csv_count(struct csv *csv, int64_t count)
{
    char text[24];

    begin_cell(csv);
    put(csv, text, (size_t)snprintf(text, sizeof(text), "%" PRId64, count));
}

void csv_number(struct csv *csv, double number)
{
    char text[NUMBER_TEXT_MAX];

    begin_cell(csv);
    number_format_double(isfinite(number) ? number : 0, text);
    put(csv, text, strlen(text));
}

void csv_fraction(struct csv *csv, float number)
{
    char text[NUMBER_TEXT_MAX];

    begin_cell(csv);
    number_format_float(isfinite(number) ? number : 0, text);
    put(csv, text, strlen(text));
}

void csv_time(struct csv *csv, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;
    char text[40];

    if (ms <= 0 || gmtime_r(&seconds, &parts) == NULL) {
        csv_text(csv, "");
        return;
    }
    begin_cell(csv);
    put(csv, text, strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts));
}

void csv_end_row(struct csv *csv)
{
    put(csv, "\r\n", 2);
    csv->row = csv->size;
}

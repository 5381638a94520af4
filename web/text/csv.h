/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - writes comma-separated values (RFC 4180), safe for spreadsheets (pure)
 *
 * A spreadsheet takes a text that begins with "=", "+", "-", "@", a tab or a line break as a formula: such a
 * text gets an apostrophe before it. Numbers and times are written by functions of their own, and need none.
 */
#ifndef CREEL_WEB_TEXT_CSV_H
#define CREEL_WEB_TEXT_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"

struct csv {
    struct arena *arena;
    char *bytes;
    size_t size, capacity;
    size_t row; /* where the present row begins */
};

/* Begins an empty text, whose bytes are in ARENA. */
void csv_begin(struct csv *csv, struct arena *arena);
/* Makes the text empty again, and keeps its memory. */
void csv_clear(struct csv *csv);

/* Add a cell. */
void csv_text(struct csv *csv, const char *text);
void csv_texts(struct csv *csv, const char *const *texts, size_t count); /* joined by commas */
void csv_count(struct csv *csv, int64_t count);
void csv_number(struct csv *csv, double number);
void csv_fraction(struct csv *csv, float number); /* with the digits that a float has */
void csv_time(struct csv *csv, int64_t ms);       /* "2026-11-25T06:30:12Z"; empty for 0 */
void csv_end_row(struct csv *csv);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - rows for people: as wide as the terminal, never wrapped
 *
 * Cells are text; a number beside it sorts. On a terminal the columns marked
 * TABLE_CUT give way, the last first, and what is cut ends in "..."; where that is not
 * enough, columns are left out, empty ones and numbers first. Not on a terminal (width
 * 0) nothing is cut.
 */
#ifndef CREEL_CLI_TABLE_H
#define CREEL_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/err.h"

enum {
    TABLE_WIDE = 1,             /* only with -o wide, --columns and in CSV */
    TABLE_RIGHT = 2,            /* numbers */
    TABLE_CUT = 4,              /* free text: gives way */
    TABLE_STATE = 8,            /* a state: coloured by its word */
};

struct table_column {
    const char *key;            /* for --columns and --sort: "queue" */
    const char *title;          /* "QUEUE" */
    unsigned flags;
};

struct table;

struct table *table_new(const struct table_column *columns, size_t column_count);
void table_free(struct table *table);           /* NULL is fine */

/* Rows are filled from the left: first table_row, then a call for each column. */
void table_row(struct table *table);
void table_text(struct table *table, const char *text);
void table_textf(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void table_number(struct table *table, int64_t number);
void table_sorted_by(struct table *table, int64_t number);      /* the number of the cell filled last */
size_t table_row_count(const struct table *table);

/* Show these columns, by key or title, comma-separated, in this order; NULL: the usual ones, with
 * WIDE all. -EINVAL names a column that there is not, and those there are. */
int table_choose(struct table *table, const char *columns, bool wide, struct err *err);

/* Sort by keys, comma-separated; "-key" from large to small. Rows that are equal keep their order. */
int table_sort(struct table *table, const char *keys, struct err *err);

struct table_style {
    size_t width;               /* of the terminal; 0: as wide as it gets */
    bool header, color;
};

void table_print(struct table *table, const struct table_style *style, FILE *out);
void table_print_csv(struct table *table, bool header, FILE *out);      /* RFC 4180 */

/* Where row I came to stand was added as row table_source(I). */
size_t table_source(const struct table *table, size_t row);

#endif

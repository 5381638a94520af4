/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - text tables that fit the width of the terminal
 *
 * Cells are text, with an optional number for sorting. On a terminal, columns marked TABLE_CUT are shortened,
 * the last first, and cut text ends in "..."; the last one keeps 24 characters of 80. If that is not enough,
 * columns are left out: empty ones first, then numbers, TABLE_KEEP last. If stdout is not a terminal (width
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
    TABLE_WIDE = 1,  /* only printed with -o wide, --columns and in CSV */
    TABLE_RIGHT = 2, /* right-aligned: numbers */
    TABLE_CUT = 4,   /* free text: may be shortened */
    TABLE_STATE = 8, /* a state: coloured by its value */
    TABLE_KEEP = 16, /* left out after those without this flag, unless it is empty */
};

struct table_column {
    const char *key;   /* name for --columns and --sort: "queue" */
    const char *title; /* "QUEUE" */
    unsigned flags;
};

struct table;

struct table *table_new(const struct table_column *columns, size_t column_count);
void table_free(struct table *table); /* NULL is allowed */

/* Add a row: first call table_row, then a function for each column from the left. */
void table_row(struct table *table);
void table_text(struct table *table, const char *text);
void table_textf(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_number(struct table *table, int64_t number);
void table_sorted_by(struct table *table, int64_t number); /* sets the sort number of the last cell */
size_t table_row_count(const struct table *table);

/* Selects columns by key or title, comma-separated, in this order; NULL: the default columns, with WIDE
 * all. -EINVAL names an unknown column, and the existing ones. */
int table_choose(struct table *table, const char *columns, bool wide, struct err *err);

/* Sorts by keys, comma-separated; "-key" in descending order. The sort is stable. */
int table_sort(struct table *table, const char *keys, struct err *err);

/* Drops all rows behind the first ROWS. */
void table_cut(struct table *table, size_t rows);

struct table_style {
    size_t width; /* of the terminal; 0: unlimited */
    bool header, color;
};

void table_print(struct table *table, const struct table_style *style, FILE *out);
void table_print_csv(struct table *table, bool header, FILE *out); /* prints CSV as in RFC 4180 */

/* Returns the number under which the row that is now at ROW was added. */
size_t table_source(const struct table *table, size_t row);

#endif

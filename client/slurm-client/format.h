/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.h - rows by the formats of Slurm's commands
 *
 *     %.18i %9P      letters, of squeue -o and sinfo -o: [.]WIDTH and the letter; "." aligns to the right
 *     JobID:10,State names, of squeue -O and sinfo -O: NAME[:[.][WIDTH][SUFFIX]]; without ":" 20 wide,
 *                    without WIDTH as wide as the value
 *     JobID%20,State names or unique prefixes of them, of sacct: NAME[%[-]WIDTH]; "-" aligns to the left
 *
 *     %all, all      all fields, with "|" between letters
 *
 * A value that is longer than its column is cut. Sources: squeue(1), sinfo(1), sacct(1) of Slurm 22.05. Pure.
 */
#ifndef CREEL_SLURM_CLIENT_FORMAT_H
#define CREEL_SLURM_CLIENT_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/text_builder.h"

/* Adds the value of ITEM to TEXT, which is empty. */
typedef void field_put(struct text_builder *text, const void *item);

struct field {
    char letter;        /* 0: none */
    const char *name;   /* upper or lower case; NULL: it has a letter alone; both 0: the end of a table */
    const char *header; /* of a format with letters; NULL: NAME */
    int width;          /* of sacct; below 0: aligned to the left */
    field_put *put;
};

struct format_column {
    const struct field *field; /* NULL: only BEFORE */
    const char *before;        /* text in front of the column */
    int width;                 /* 0: as wide as the value */
    bool to_right;
};

struct format {
    struct format_column *columns;
    size_t count;
    bool marks_cut; /* sacct: a value that is cut ends with "+" */
};

/* Read TEXT by TABLE. The format is in ARENA. -EINVAL: there is no such field, or a prefix has several. */
int format_read_letters(struct format *format, const char *text, const struct field *table,
                        struct arena *arena, struct err *err);
int format_read_names(struct format *format, const char *text, const struct field *table, struct arena *arena,
                      struct err *err);
/* SEPARATOR: between columns without a width, as sacct --parsable; NULL: columns. LAST: also behind the last
 * column. */
int format_read_accounting(struct format *format, const char *text, const struct field *table,
                           const char *separator, bool last, struct arena *arena, struct err *err);

/* Returns whether FORMAT has the column whose values PUT makes. */
bool format_has(const struct format *format, field_put *put);

/* Print the header, the line of dashes below that of sacct, and the row of ITEM. */
void format_print_header(const struct format *format, FILE *out);
void format_print_dashes(const struct format *format, FILE *out);
void format_print_row(const struct format *format, const void *item, FILE *out);

#endif

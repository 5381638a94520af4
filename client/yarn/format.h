/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.h - numbers, times, amounts and columns as YARN's commands print them
 *
 * Names of days and months are English; times are of this host's time zone. Results are in TEXT.
 */
#ifndef CREEL_YARN_FORMAT_H
#define CREEL_YARN_FORMAT_H

#include <stdint.h>
#include <stdio.h>

#include "client/include/creel.h"

#define FORMAT_MAX 256
#define FORMAT_AMOUNTS_MAX 640

/* A fraction as "5.12%", "50%", ".5%", "0%": Java's ###.##%. */
const char *format_progress(double fraction, char text[FORMAT_MAX]);
/* A number with two decimals and no zero before the point, "12.50", ".00", "-1.00": Java's #.00. */
const char *format_decimal(double number, char text[FORMAT_MAX]);

/* "Thu Nov 26 08:17:08 +0000 2026"; "N/A" for 0. */
const char *format_date(int64_t ms, char text[FORMAT_MAX]);
/* "2026-11-26T08:17:08.123+0000" */
const char *format_iso(int64_t ms, char text[FORMAT_MAX]);
/* "Thu 26/Nov/26 08:17:08:123UTC" */
const char *format_health_date(int64_t ms, char text[FORMAT_MAX]);

/* "<memory:8192, vCores:16, yarn.io/gpu: 1>" */
const char *format_amounts(const struct creel_resource *amounts, char text[FORMAT_AMOUNTS_MAX]);

/* Prints CELLS, COUNT of them, right-aligned to WIDTHS characters, with tabs between them, and a newline.
 * Tabs and newlines in a cell become blanks, so that a row is one line. */
void format_row(FILE *out, const int *widths, size_t count, const char *const *cells);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_entries.h - reads files of aggregated logs: tars, compressed with gzip, of entries CONTAINER/FILE
 *
 * Others write the files. Entries of other names or types are left out. The content of the entries is
 * appended to one file, since logs are read from their end, too; and a list of the entries is written to a
 * stream.
 */
#ifndef CREEL_ARCHIVE_LOG_ENTRIES_H
#define CREEL_ARCHIVE_LOG_ENTRIES_H

#include <stdio.h>

#include "common/base/err.h"

/* Reads the file of the descriptor IN and appends the content of its entries to the file OUT, which is at
 * its end. For each entry writes to LIST: offset in OUT, size, time of modification in ms, CONTAINER/FILE,
 * separated by blanks and ended by a zero byte; and a zero byte for each block of IN. Of several entries with
 * one name the first counts. ONLY, unless NULL, is the container whose entries are needed. Returns 0, or
 * -errno if the file is damaged or OUT cannot be written; entries before the damage are in OUT and LIST. */
int log_entries_copy(int in, const char *only, int out, FILE *list, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_copy.h - copies the current content of a log, from an offset to its end
 *
 * For `creel logs` without -f; see follow.h for -f.
 */
#ifndef CREEL_CLI_LOG_COPY_H
#define CREEL_CLI_LOG_COPY_H

#include <stdint.h>
#include <stdio.h>

#include "client/include/creel.h"

struct log_tail {
    int64_t lines, bytes; /* start this many before the end; -1: from the beginning */
};

/* Computes the offset in LOG where TAIL starts; *SIZE is the file's current size. */
int log_copy_start(struct creel_log *log, const struct log_tail *tail, uint64_t *offset, uint64_t *size,
                   struct creel_error *error);

/* Copies from TAIL to the end of the log to OUT, with PREFIX ("" for none) before each line. A last line
 * without newline gets one if there is a prefix. */
int log_copy(struct creel_log *log, const struct log_tail *tail, const char *prefix, FILE *out,
             struct creel_error *error);

/* Writes the label to TEXT: "[c03] " with the number of the task, or else of the container. */
#define LOG_LABEL_MAX 64
const char *log_label(const struct creel_app *app, const struct creel_container *container,
                      char text[LOG_LABEL_MAX]);

#endif

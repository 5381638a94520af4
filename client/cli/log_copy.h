/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_copy.h - copy the present content of a log, from an offset to its end
 *
 * For `creel logs` without -f; follow.h follows logs.
 */
#ifndef CREEL_CLI_LOG_COPY_H
#define CREEL_CLI_LOG_COPY_H

#include <stdint.h>
#include <stdio.h>

#include "client/include/creel.h"

struct log_tail {
    int64_t lines, bytes;       /* begin so many before the end; -1: from the beginning */
};

/* Where reading of LOG begins by TAIL; *SIZE is the file's size now. */
int log_copy_start(struct creel_log *log, const struct log_tail *tail, uint64_t *offset,
                   uint64_t *size, struct creel_error *error);

/* Copy from TAIL to what is the end when it is reached, to OUT, with PREFIX ("" for none) before
 * each line. A last line without newline gets one if there is a prefix. */
int log_copy(struct creel_log *log, const struct log_tail *tail, const char *prefix, FILE *out,
             struct creel_error *error);

/* "[c03] " for a task, by its number; else for a container, by its own; into TEXT. */
#define LOG_LABEL_MAX 64
const char *log_label(const struct creel_app *app, const struct creel_container *container,
                      char text[LOG_LABEL_MAX]);

#endif

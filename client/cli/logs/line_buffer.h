/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_buffer.h - joins chunks of output into whole lines with a label
 *
 * Each line is passed on in one piece, with label and newline. A line longer than LINE_BUFFER_MAX is split.
 * With the label "" bytes are passed on unchanged; without a label (NULL) as whole lines, and a line longer
 * than that in pieces without newlines.
 */
#ifndef CREEL_CLI_LINE_BUFFER_H
#define CREEL_CLI_LINE_BUFFER_H

#include <stddef.h>

#define LINE_BUFFER_MAX ((size_t)1 << 20)

struct line_buffer { /* all zero: empty */
    char *text;      /* owned: the label, then the unfinished line */
    size_t size, capacity;
};

typedef void line_buffer_fn(void *context, const char *data, size_t size);

void line_buffer_add(struct line_buffer *buffer, const char *label, const char *data, size_t size,
                     line_buffer_fn *out, void *context);
/* Passes on an unfinished line, with a newline (if there is a label). */
void line_buffer_flush(struct line_buffer *buffer, const char *label, line_buffer_fn *out, void *context);
void line_buffer_done(struct line_buffer *buffer);

#endif

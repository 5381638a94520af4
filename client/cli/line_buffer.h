/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_buffer.h - bytes in pieces become whole lines with a label
 *
 * A line is given out in one piece, label and newline included. One that grows
 * beyond LINE_BUFFER_MAX is cut there. With the label "" bytes go through as they come.
 */
#ifndef CREEL_CLI_LINE_BUFFER_H
#define CREEL_CLI_LINE_BUFFER_H

#include <stddef.h>

#define LINE_BUFFER_MAX ((size_t)1 << 20)

struct line_buffer {                    /* zeroed is empty */
    char *text;                         /* owned: label and the unfinished line behind it */
    size_t size, capacity;
};

typedef void line_buffer_fn(void *context, const char *data, size_t size);

void line_buffer_add(struct line_buffer *buffer, const char *label, const char *data,
                     size_t size, line_buffer_fn *out, void *context);
/* Give out what has no newline yet, with one (if there is a label). */
void line_buffer_flush(struct line_buffer *buffer, const char *label, line_buffer_fn *out,
                       void *context);
void line_buffer_done(struct line_buffer *buffer);

#endif

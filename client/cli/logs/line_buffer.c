/* SPDX-License-Identifier: Apache-2.0 */
/* line_buffer.c - joins chunks of output into whole lines with a label */
#include "client/cli/logs/line_buffer.h"

#include <string.h>

#include "common/base/mem.h"

static void append(struct line_buffer *buffer, const char *data, size_t size)
{
    if (buffer->size + size > buffer->capacity) {
        buffer->capacity = (buffer->size + size) * 2;
        buffer->text = mem_resize(buffer->text, buffer->capacity, 1);
    }
    memcpy(buffer->text + buffer->size, data, size);
    buffer->size += size;
}

void line_buffer_add(struct line_buffer *buffer, const char *label, const char *data, size_t size,
                     line_buffer_fn *out, void *context)
{
    size_t label_size = label ? strlen(label) : 0;

    if (label && !label_size) {
        if (size)
            out(context, data, size);
        return;
    }
    while (size) {
        const char *newline = memchr(data, '\n', size);
        size_t part = newline ? (size_t)(newline - data) + 1 : size;

        if (!buffer->size && label)
            append(buffer, label, label_size);
        append(buffer, data, part);
        data += part;
        size -= part;
        if (!newline && buffer->size < LINE_BUFFER_MAX)
            continue;
        if (!newline && label)
            append(buffer, "\n", 1);
        out(context, buffer->text, buffer->size);
        buffer->size = 0;
    }
}

void line_buffer_flush(struct line_buffer *buffer, const char *label, line_buffer_fn *out, void *context)
{
    if (!buffer->size)
        return;
    if (label && label[0])
        append(buffer, "\n", 1);
    out(context, buffer->text, buffer->size);
    buffer->size = 0;
}

void line_buffer_done(struct line_buffer *buffer)
{
    free(buffer->text);
    *buffer = (struct line_buffer){ .size = 0 };
}

/* SPDX-License-Identifier: Apache-2.0 */
/* text_print.c - messages in buffers of a fixed size */
#include "common/base/text_print.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"

static void mark_cut(char *text, size_t size)
{
    memcpy(text + utf8_cut(text, size - 4), "...", 4);
}

void text_vprint(char *text, size_t size, const char *format, va_list args)
{
    if (vsnprintf(text, size, format, args) >= (int)size)
        mark_cut(text, size);
}

void text_print(char *text, size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vprint(text, size, format, args);
    va_end(args);
}

void text_vprint_more(char *text, size_t size, const char *format, va_list args)
{
    static const char separator[] = "; ";
    size_t used = strlen(text), between = used > 0 ? strlen(separator) : 0;
    bool has_room = used + between < size;
    int length = vsnprintf(has_room ? text + used + between : NULL, has_room ? size - used - between : 0,
                           format, args);

    if (length <= 0)
        return;
    if (has_room)
        memcpy(text + used, separator, between);
    if (used + between + (size_t)length >= size)
        mark_cut(text, size);
}

void text_print_more(char *text, size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vprint_more(text, size, format, args);
    va_end(args);
}

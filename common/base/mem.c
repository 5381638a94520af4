/* SPDX-License-Identifier: Apache-2.0 */
/* mem.c - allocation functions that abort when memory is exhausted */
#include "common/base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void *checked(void *pointer)
{
    if (pointer == NULL) {
        fputs("creel: out of memory\n", stderr);
        abort();
    }
    return pointer;
}

void *mem_alloc(size_t size)
{
    return checked(malloc(size ? size : 1));
}

void *mem_alloc0(size_t size)
{
    return checked(calloc(1, size ? size : 1));
}

void *mem_array0(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *mem_resize(void *old, size_t count, size_t size)
{
    return checked(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *mem_strdup(const char *text)
{
    return checked(strdup(text));
}

char *mem_strndup(const char *text, size_t length)
{
    return checked(strndup(text, length));
}

void *mem_dup(const void *data, size_t size)
{
    void *copy = mem_alloc(size);

    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

char *mem_vprintf(const char *format, va_list args)
{
    char *text = NULL;
    int length = vasprintf(&text, format, args);

    return checked(length < 0 ? NULL : text);
}

char *mem_printf(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = mem_vprintf(format, args);
    va_end(args);
    return text;
}

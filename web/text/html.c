/* SPDX-License-Identifier: Apache-2.0 */
/* html.c - text buffer that escapes HTML */
#include "web/text/html.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"

#define SPEC_MAX 16

void html_begin(struct html *html, struct arena *arena)
{
    *html = (struct html){ .arena = arena, .capacity = 16384 };
    html->bytes = arena_alloc0(arena, html->capacity);
}

static void put(struct html *html, const char *text, size_t length)
{
    if (html->size + length > html->capacity) {
        char *larger;

        while (html->size + length > html->capacity)
            html->capacity *= 2;
        larger = arena_alloc0(html->arena, html->capacity);
        memcpy(larger, html->bytes, html->size);
        html->bytes = larger;
    }
    memcpy(html->bytes + html->size, text, length);
    html->size += length;
}

static const char *entity(unsigned char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return (c < ' ' && c != '\n' && c != '\t') || c == 0x7f ? "\xef\xbf\xbd" : NULL;
    }
}

static void put_escaped(struct html *html, const char *text)
{
    const char *start = text;

    for (; *text != '\0'; text++) {
        const char *replaced = entity((unsigned char)*text);

        if (replaced == NULL)
            continue;
        put(html, start, (size_t)(text - start));
        put(html, replaced, strlen(replaced));
        start = text + 1;
    }
    put(html, start, (size_t)(text - start));
}

/* Writes the next argument of ARGS, formatted by SPEC, one conversion with its "%". */
static void convert(struct html *html, const char *spec, va_list *args)
{
    char text[64], kind = spec[strlen(spec) - 1];
    int n = 0;

    if (kind == 's') {
        const char *given = va_arg(*args, const char *);

        put_escaped(html, given != NULL ? given : "");
        return;
    }
/* (SPEC is part of the format of html_add, which the compiler has checked) */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (kind == 'f')
        n = snprintf(text, sizeof(text), spec, va_arg(*args, double));
    else if (strchr(spec, 'z') != NULL || strchr(spec, 'l') != NULL)
        n = snprintf(text, sizeof(text), spec, va_arg(*args, uint64_t));
    else
        n = snprintf(text, sizeof(text), spec, va_arg(*args, int));
#pragma GCC diagnostic pop
    assert(n >= 0 && (size_t)n < sizeof(text));
    put(html, text, (size_t)n);
}

void html_add(struct html *html, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    while (*format != '\0') {
        size_t plain = strcspn(format, "%");
        char spec[SPEC_MAX];
        size_t length;

        put(html, format, plain);
        format += plain;
        if (*format == '\0')
            break;
        if (format[1] == '%') {
            put(html, "%", 1);
            format += 2;
            continue;
        }
        length = strcspn(format, "sducf") + 1;
        assert(length < SPEC_MAX);
        memcpy(spec, format, length);
        spec[length] = '\0';
        convert(html, spec, &args);
        format += length;
    }
    va_end(args);
}

const char *html_url(struct arena *arena, const char *text)
{
    char *url = arena_alloc0(arena, 3 * strlen(text) + 1), *out = url;

    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            (c != '\0' && strchr("-._~", c) != NULL))
            *out++ = (char)c;
        else
            out += snprintf(out, 4, "%%%02X", c);
    }
    return url;
}

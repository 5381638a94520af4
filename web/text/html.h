/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.h - writes HTML with all texts escaped; the only code that writes HTML
 *
 * All text arguments of a format are escaped, so that they are safe between tags and in quoted attributes. No
 * function writes an argument unescaped. Callers never write scripts or styles into a page.
 */
#ifndef CREEL_WEB_TEXT_HTML_H
#define CREEL_WEB_TEXT_HTML_H

#include <stddef.h>

#include "common/base/arena.h"

struct html {
    struct arena *arena;
    char *bytes;
    size_t size, capacity;
};

/* Begins an empty text, whose bytes are in ARENA. */
void html_begin(struct html *html, struct arena *arena);
/* Appends text like printf. Strings (%s) are escaped: & < > " ' become entities, control characters U+FFFD.
 * Conversions are %s, %c, %f, %%, and %d and %u with the lengths l, ll and z. */
void html_add(struct html *html, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns TEXT as a part of a URL: all bytes but letters, digits and "-._~" as %XX. */
const char *html_url(struct arena *arena, const char *text);

#endif

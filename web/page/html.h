/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.h - writes HTML with all texts escaped; the only code that writes HTML
 *
 * Every text that is not part of a format is escaped, so that it can stand between tags and in attributes
 * with quotation marks. There is no way to write such a text unescaped. Scripts and styles are never
 * written.
 */
#ifndef CREEL_WEB_PAGE_HTML_H
#define CREEL_WEB_PAGE_HTML_H

#include <stddef.h>

#include "common/base/arena.h"

struct html {
    struct arena *arena;
    char *bytes;
    size_t size, capacity;
};

/* BYTES grow in memory of ARENA. */
void html_begin(struct html *html, struct arena *arena);
/* As printf, with %s escaped: & < > " ' as entities, control characters as U+FFFD. Conversions are %s, %d,
 * %u, %c with the lengths l, ll and z, and %f. */
void html_add(struct html *html, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same format, chosen by COUNT: html_plural(h, 1, "node", "nodes") writes "1 node", 1,000 as "1,000". */
void html_plural(struct html *html, size_t count, const char *one, const char *many);

/* TEXT as a part of an address: all but letters, digits and "-._~" as %XX. */
const char *html_url(struct arena *arena, const char *text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.h - elements of XML 1.0 (pure)
 *
 * Names are trusted, texts are not: markup in them is escaped, and what is not UTF-8 or not allowed in XML
 * gets U+FFFD in its place.
 */
#ifndef CREEL_WEB_TEXT_XML_H
#define CREEL_WEB_TEXT_XML_H

#include <stdio.h>

/* TYPE, which may be NULL, is its xsi:type. */
void xml_begin(FILE *out, const char *name, const char *type);
void xml_end(FILE *out, const char *name);
void xml_empty(FILE *out, const char *name);
void xml_element(FILE *out, const char *name, const char *text);
void xml_text(FILE *out, const char *text);

#endif

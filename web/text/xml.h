/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.h - writes elements of XML 1.0 (pure)
 *
 * Names are written unchanged. Texts are escaped, and bytes that are not UTF-8 or not allowed in XML become
 * U+FFFD.
 */
#ifndef CREEL_WEB_TEXT_XML_H
#define CREEL_WEB_TEXT_XML_H

#include <stdio.h>

/* Writes a start tag. TYPE is the value of xsi:type, or NULL. */
void xml_begin(FILE *out, const char *name, const char *type);
void xml_end(FILE *out, const char *name);
void xml_empty(FILE *out, const char *name);
void xml_element(FILE *out, const char *name, const char *text);

#endif

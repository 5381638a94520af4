/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_doc.h - writes the manual of the configuration from the key table, in scdoc's language
 *
 * The manual has the types, defaults, units and ranges by which conf.h checks values.
 */
#ifndef CREEL_CONF_CONF_DOC_H
#define CREEL_CONF_CONF_DOC_H

#include <stdio.h>

/* Writes TEXT with scdoc's special characters escaped; other manuals use it, too. */
void conf_write_text(FILE *out, const char *text);

/* Writes the section KEYS: every row of the table. Declared for tests. */
void conf_write_keys(FILE *out);

/* Writes the whole page creel-site.xml(5). */
void conf_write_man(FILE *out);

#endif

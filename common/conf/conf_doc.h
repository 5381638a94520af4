/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_doc.h - the manual of the configuration, out of the key table
 *
 * In scdoc's language. Types, defaults, units and ranges are those by which
 * values are judged.
 */
#ifndef CREEL_CONF_CONF_DOC_H
#define CREEL_CONF_CONF_DOC_H

#include <stdio.h>

/* TEXT with what means something to scdoc escaped; for other manuals, too. */
void conf_write_text(FILE *out, const char *text);

/* The section KEYS: every row of the table. */
void conf_write_keys(FILE *out);

/* The whole page creel-site.xml(5). */
void conf_write_man(FILE *out);

#endif

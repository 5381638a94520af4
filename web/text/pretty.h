/* SPDX-License-Identifier: Apache-2.0 */
/* pretty.h - JSON with line breaks, as Hadoop's servlets write it (pure) */
#ifndef CREEL_WEB_TEXT_PRETTY_H
#define CREEL_WEB_TEXT_PRETTY_H

#include <stddef.h>

/*
 * Returns TEXT, valid JSON without blanks between its parts and at most 64 levels deep, with one member of an
 * object on a line, two blanks for each object around it, and a blank before and after each colon:
 *
 *   {
 *     "beans" : [ {
 *       "name" : "a"
 *     } ]
 *   }
 *
 * Scripts that read /jmx line by line depend on this form. OBJECTS is the number of objects around TEXT. The
 * caller must free the result.
 */
char *pretty_json(const char *text, size_t size, size_t objects, size_t *ret_size);

#endif

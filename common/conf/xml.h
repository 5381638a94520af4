/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.h - reads properties from Hadoop's XML files
 *
 *   <configuration>
 *     <property><name>..</name><value>..</value>[<final>true</final>]</property>
 *     <property name=".." value=".." final="true"/>
 *     <xi:include href="FILE">[<xi:fallback>..</xi:fallback>]</xi:include>
 *   </configuration>
 * The path of an include is relative to the file that contains the include; a fallback replaces a file that
 * cannot be opened. External entities are never read. Errors are: entity bombs, files over 16 MiB, values
 * over 1 MiB, includes deeper than 20 or in a circle, more than 1000 includes. As in Hadoop, unknown elements
 * are ignored; creel warns about them.
 */
#ifndef CREEL_CONF_XML_H
#define CREEL_CONF_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "common/conf/problems.h"

#define XML_VALUE_BYTES_MAX ((size_t)1 << 20)
#define XML_INCLUDE_DEPTH_MAX 20
#define XML_INCLUDES_MAX 1000

struct xml_property {  /* all texts are borrowed for the call */
    const char *name;  /* trimmed, not empty */
    const char *value; /* as written, with blanks */
    const char *file;
    size_t name_line;
    size_t value_line;
    bool final;
};

typedef void xml_property_fn(void *context, const struct xml_property *property);

/* Called for each file that was read, in the order in which they begin. */
typedef void xml_file_fn(void *context, const char *path);

/* Calls EACH for every property of the file PATH and of the files that it includes, in order, and FILE for
 * each of these files. Adds errors to PROBLEMS; EACH still gets the properties read before an error. -ENOENT
 * (and no problem) if PATH itself does not exist, else 0. */
int xml_read_file(const char *path, xml_property_fn *each, xml_file_fn *file, void *context,
                  struct problems *problems);

/* Does the same as xml_read_file for SIZE bytes of text, which were read from a file named PATH. */
void xml_read_buffer(const char *path, const char *data, size_t size, xml_property_fn *each, void *context,
                     struct problems *problems);

#endif

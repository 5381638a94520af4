/* SPDX-License-Identifier: Apache-2.0 */
/* xml_source.h - state of an XML file being read; only for xml.c and xml_expat.c */
#ifndef CREEL_CONF_XML_SOURCE_H
#define CREEL_CONF_XML_SOURCE_H

#include <expat.h>

#include "common/conf/file.h"
#include "common/conf/xml.h"

#define XML_NESTING_MAX 64
#define XML_URI_END '|' /* separator between a namespace and a name */

enum xml_place {
    XML_DOCUMENT,
    XML_CONFIGURATION,
    XML_PROPERTY,
    XML_NAME,
    XML_VALUE,
    XML_FINAL,
    XML_INCLUDE,
    XML_FALLBACK
};

/* An open element. */
struct xml_frame {
    enum xml_place place;
    size_t line;
    char *href; /* owned; attribute of an INCLUDE */
    int result; /* of an INCLUDE: 0, or minus the errno of opening the file */
};

/* Text of an element of a property. */
struct xml_text {
    bool present;
    bool too_long;
    size_t line;
    size_t used, room;
    char *text; /* owned; terminated if PRESENT */
};

/* State of one call of xml_read_*, shared by a file and all files that it includes. */
struct xml_reader {
    xml_property_fn *each;
    xml_file_fn *file; /* NULL: none */
    void *context;
    struct problems *problems;
    size_t includes;
    size_t bytes;
};

/* One file being read. */
struct xml_source {
    struct xml_reader *reader;
    const struct xml_source *parent; /* the file that includes this file, or NULL */
    size_t depth;                    /* number of including files; 0: not included */
    const char *path;
    const char *data;
    size_t size;
    struct conf_file_id id; /* zero for a buffer */
    XML_Parser parser;
    struct xml_frame frames[XML_NESTING_MAX];
    size_t nesting; /* frames in use, at least 1 */
    size_t skipped; /* number of open elements inside an ignored element */
    bool stray_text_reported;
    bool explained; /* the reason why creel stopped expat is reported */
    struct xml_text name, value, final;
};

/* Functions that expat calls for each element and text of a source. */
struct xml_handlers {
    XML_StartElementHandler start;
    XML_EndElementHandler end;
    XML_CharacterDataHandler text;
};

/* xml_expat.c: parses the data of SOURCE. Reports syntax errors, and entities outside of the file. */
void xml_expat_parse(struct xml_source *source, const struct xml_handlers *handlers);

#endif

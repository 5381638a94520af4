/* SPDX-License-Identifier: Apache-2.0 */
/* xml_source.h - a file while it is read; between xml.c and xml_element.c */
#ifndef CREEL_CONF_XML_SOURCE_H
#define CREEL_CONF_XML_SOURCE_H

#include <expat.h>

#include "common/conf/file.h"
#include "common/conf/xml.h"

#define XML_NESTING_MAX 64
#define XML_URI_END '|'         /* between a namespace and a name */

enum xml_place {
    XML_DOCUMENT, XML_CONFIGURATION, XML_PROPERTY, XML_NAME, XML_VALUE, XML_FINAL, XML_INCLUDE,
    XML_FALLBACK
};

/* An open element. */
struct xml_frame {
    enum xml_place place;
    size_t line;
    char *href;                 /* INCLUDE: owned */
    int result;                 /* INCLUDE: 0, or why its file could not be opened */
};

/* The text of an element of a property. */
struct xml_text {
    bool present;
    bool too_long;
    size_t line;
    size_t used, room;
    char *text;                 /* owned; terminated if present */
};

/* One call of xml_read_*: shared by a file and all that it includes. */
struct xml_reader {
    xml_property_fn *each;
    void *context;
    struct problems *problems;
    size_t includes;
    size_t bytes;
};

/* One file being read. */
struct xml_source {
    struct xml_reader *reader;
    const struct xml_source *parent;        /* the file that includes this one, or NULL */
    size_t depth;                       /* 0 for the first */
    const char *path;
    const char *data;
    size_t size;
    struct conf_file_id id;             /* zero for a buffer */
    XML_Parser parser;
    struct xml_frame frames[XML_NESTING_MAX];
    size_t nesting;                     /* frames in use, at least 1 */
    size_t skipped;                     /* open elements inside one that is passed over */
    bool stray_text_reported;
    bool explained;                     /* why we stopped the parser is reported */
    struct xml_text name, value, final;
};

/* xml.c: read the file of SOURCE (path, data, and where it is included). */
void xml_source_read(struct xml_source *source);

/* xml_element.c: what expat calls for each element and text of a source. */
void XMLCALL xml_element_start(void *source, const char *name, const char **attributes);
void XMLCALL xml_element_end(void *source, const char *name);
void XMLCALL xml_element_text(void *source, const char *text, int length);

#endif

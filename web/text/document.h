/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document.h - a document written as JSON, in one of YARN's two dialects, or as XML (pure)
 *
 * YARN's answers have a root name and, below it, objects, lists and maps. One sequence of calls writes
 * each of the forms. The document is built in memory, all of it or a piece at a time (document_take).
 *
 *                  NATURAL               MAPPED                    XML
 *   root           {"apps":{...}}        {...}                     <apps>...</apps>
 *   number         1024                  "1024"                    <n>1024</n>
 *   list of 1      [x]                   x                         <name>x</name>
 *   list of 0      left out              left out                  nothing
 *   empty object   {}                    null                      <name/>
 *   map            {"entry":[{"key","value"},...]}                 <entry><key/><value/></entry>
 *
 * BARE is NATURAL without the root name. YARN repeats the key "entry" of a natural map, which most parsers
 * read as its last entry alone. Differs: here it is a list.
 */
#ifndef CREEL_WEB_TEXT_DOCUMENT_H
#define CREEL_WEB_TEXT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text_builder.h"

enum document_form { DOCUMENT_NATURAL, DOCUMENT_BARE, DOCUMENT_MAPPED, DOCUMENT_XML };

struct document;

/* Begins a document whose root object is ROOT. All names are borrowed until document_finish. */
struct document *document_new(enum document_form form, const char *root);
/* Ends the root object, and frees DOCUMENT. All inner objects, lists and maps must have been ended. Returns
 * the text, owned by the caller. */
char *document_finish(struct document *document, size_t *size);
/* Adds what was written since the last call to OUT, and forgets it: for a document that is sent a piece at a
 * time. What document_finish returns follows. */
void document_take(struct document *document, struct text_builder *out);
/* Frees DOCUMENT, which may be NULL, without producing the text. */
void document_free(struct document *document);

/* Begins an object. NAME is ignored inside a list: the elements have the list's name. */
void document_begin(struct document *document, const char *name);
/* Begins an object with a subtype TYPE: the member "type" in JSON, the attribute xsi:type in XML. */
void document_begin_as(struct document *document, const char *name, const char *type);
void document_end(struct document *document);
/* Begins a list. The caller then writes COUNT elements. */
void document_begin_list(struct document *document, const char *name, size_t count);
void document_end_list(struct document *document);
/* Begins a map. The caller then calls document_entry COUNT times. */
void document_begin_map(struct document *document, const char *name, size_t count);
void document_entry(struct document *document, const char *key, const char *value);
void document_end_map(struct document *document);
/* Writes an object without members. */
void document_empty(struct document *document, const char *name);

/* Writes a string; VALUE NULL means "". Bytes that are not UTF-8 or not allowed in XML become U+FFFD. */
void document_text(struct document *document, const char *name, const char *value);
void document_int(struct document *document, const char *name, int64_t value);
void document_uint(struct document *document, const char *name, uint64_t value);
/* Write the shortest decimal text that reads back as VALUE, with a point: "100.0". NaN and infinity become
 * 0.0. */
void document_float(struct document *document, const char *name, float value);
void document_double(struct document *document, const char *name, double value);
void document_bool(struct document *document, const char *name, bool value);

#endif

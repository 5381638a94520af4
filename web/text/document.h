/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document.h - a document written as JSON, in one of YARN's two dialects, or as XML (pure)
 *
 * YARN's answers have a root name and, below it, objects, lists and maps. One sequence of calls writes
 * each of the forms. Memory only: a document is written whole before it is sent.
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

enum document_form { DOCUMENT_NATURAL, DOCUMENT_BARE, DOCUMENT_MAPPED, DOCUMENT_XML };

struct document;

/* Begins a document whose root object is ROOT. All names are borrowed until document_finish. */
struct document *document_new(enum document_form form, const char *root);
/* Ends the root object, and frees the document. Everything else must have ended. The text is for the
 * caller to free. */
char *document_finish(struct document *document, size_t *size);
/* Without a text. NULL is fine. */
void document_free(struct document *document);

/* NAME is ignored for the elements of a list, which have its name. */
void document_begin(struct document *document, const char *name);
/* An object that has a subtype: its first member "type", or XML's attribute xsi:type. */
void document_begin_as(struct document *document, const char *name, const char *type);
void document_end(struct document *document);
/* COUNT elements follow. */
void document_begin_list(struct document *document, const char *name, size_t count);
void document_end_list(struct document *document);
/* COUNT calls of document_entry follow. */
void document_begin_map(struct document *document, const char *name, size_t count);
void document_entry(struct document *document, const char *key, const char *value);
void document_end_map(struct document *document);
/* An object without members. */
void document_empty(struct document *document, const char *name);

/* NULL is "". What is not UTF-8, or cannot be in XML, gets U+FFFD in its place. */
void document_text(struct document *document, const char *name, const char *value);
void document_int(struct document *document, const char *name, int64_t value);
void document_uint(struct document *document, const char *name, uint64_t value);
/* With a point, and as many digits as a float or a double needs: "100.0". What is not finite is 0.0. */
void document_float(struct document *document, const char *name, float value);
void document_double(struct document *document, const char *name, double value);
void document_bool(struct document *document, const char *name, bool value);

#endif

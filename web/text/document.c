/* SPDX-License-Identifier: Apache-2.0 */
/* document.c - a document written as JSON, in one of YARN's two dialects, or as XML */
#include "web/text/document.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json_writer.h"
#include "common/base/mem.h"
#include "web/text/number.h"
#include "web/text/xml.h"

#define LARGE 65536 /* bytes; a text that is larger is not copied by document_take */

enum level_kind { LEVEL_OBJECT, LEVEL_LIST, LEVEL_MAP };

struct level {
    enum level_kind kind;
    const char *name;
    bool is_array; /* the level is a JSON array */
};

struct document {
    enum document_form form;
    FILE *out; /* writes TEXT */
    char *text;
    size_t size;
    struct json_writer json;
    struct level levels[JSON_DEPTH_MAX];
    size_t depth; /* the innermost open level is levels[depth - 1] */
};

/* --- levels ------------------------------------------------------------------ */

static struct level *present(struct document *document)
{
    return &document->levels[document->depth - 1];
}

static void enter(struct document *document, struct level level)
{
    assert(document->depth < JSON_DEPTH_MAX);
    document->levels[document->depth++] = level;
}

static struct level leave(struct document *document, enum level_kind kind)
{
    assert(document->depth > 0 && present(document)->kind == kind);
    return document->levels[--document->depth];
}

/* Returns the name to write: the list's name inside a list, else NAME. */
static const char *name_of(struct document *document, const char *name)
{
    if (document->depth == 0 || present(document)->kind != LEVEL_LIST)
        return name;
    return present(document)->name;
}

/* Returns the name to write in JSON; NULL: an element of an array has no name. */
static const char *json_name_of(struct document *document, const char *name)
{
    bool is_element = document->depth > 0 && present(document)->is_array;

    return is_element ? NULL : name_of(document, name);
}

static bool is_xml(const struct document *document)
{
    return document->form == DOCUMENT_XML;
}

/* --- the document ------------------------------------------------------------ */

static FILE *open_text(struct document *document)
{
    document->out = open_memstream(&document->text, &document->size);
    if (document->out == NULL)
        abort();
    /* One thread uses it: a lock at each call would take half of the time. */
    __fsetlocking(document->out, FSETLOCKING_BYCALLER);
    return document->out;
}

struct document *document_new(enum document_form form, const char *root)
{
    struct document *document = mem_new0(struct document);

    document->form = form;
    json_init(&document->json, open_text(document), true);
    if (is_xml(document)) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>", document->out);
    } else {
        json_begin_object(&document->json, NULL);
        if (form != DOCUMENT_NATURAL) {
            enter(document, (struct level){ LEVEL_OBJECT, root, false });
            return document;
        }
    }
    document_begin(document, root);
    return document;
}

char *document_finish(struct document *document, size_t *size)
{
    char *text;

    assert(document->depth == 1);
    if (is_xml(document) || document->form == DOCUMENT_NATURAL)
        document_end(document);
    if (!is_xml(document))
        json_end_object(&document->json);
    if (fclose(document->out) != 0)
        abort();
    text = document->text;
    *size = document->size;
    free(document);
    return text;
}

void document_take(struct document *document, struct text_builder *out)
{
    if (fflush(document->out) != 0)
        abort();
    if (document->size < LARGE) {
        text_builder_add_bytes(out, document->text, document->size);
        rewind(document->out);
        return;
    }
    if (fclose(document->out) != 0)
        abort();
    text_builder_adopt(out, document->text, document->size);
    document->json.out = open_text(document);
}

void document_free(struct document *document)
{
    if (document == NULL)
        return;
    fclose(document->out);
    free(document->text);
    free(document);
}

/* --- objects, lists and maps ------------------------------------------------- */

void document_begin(struct document *document, const char *name)
{
    document_begin_as(document, name, NULL);
}

void document_begin_as(struct document *document, const char *name, const char *type)
{
    const char *own = name_of(document, name);

    if (is_xml(document))
        xml_begin(document->out, own, type);
    else
        json_begin_object(&document->json, json_name_of(document, name));
    enter(document, (struct level){ LEVEL_OBJECT, own, false });
    if (type != NULL && !is_xml(document))
        json_text(&document->json, "type", type);
}

void document_end(struct document *document)
{
    struct level level = leave(document, LEVEL_OBJECT);

    if (is_xml(document))
        xml_end(document->out, level.name);
    else
        json_end_object(&document->json);
}

void document_begin_list(struct document *document, const char *name, size_t count)
{
    bool is_array = count > 0 && !is_xml(document) && (document->form != DOCUMENT_MAPPED || count > 1);

    if (is_array)
        json_begin_array(&document->json, json_name_of(document, name));
    enter(document, (struct level){ LEVEL_LIST, name, is_array });
}

void document_end_list(struct document *document)
{
    struct level level = leave(document, LEVEL_LIST);

    if (level.is_array)
        json_end_array(&document->json);
}

void document_begin_map(struct document *document, const char *name, size_t count)
{
    if (count == 0) {
        document_empty(document, name);
    } else {
        document_begin(document, name);
        document_begin_list(document, "entry", count);
    }
    enter(document, (struct level){ LEVEL_MAP, name, count > 0 });
}

void document_entry(struct document *document, const char *key, const char *value)
{
    struct level map = leave(document, LEVEL_MAP);

    document_begin(document, NULL);
    document_text(document, "key", key);
    document_text(document, "value", value);
    document_end(document);
    enter(document, map);
}

void document_end_map(struct document *document)
{
    struct level map = leave(document, LEVEL_MAP);

    if (!map.is_array)
        return;
    document_end_list(document);
    document_end(document);
}

void document_empty(struct document *document, const char *name)
{
    if (is_xml(document)) {
        xml_empty(document->out, name_of(document, name));
    } else if (document->form == DOCUMENT_MAPPED) {
        json_raw(&document->json, json_name_of(document, name), "null");
    } else {
        json_begin_object(&document->json, json_name_of(document, name));
        json_end_object(&document->json);
    }
}

/* --- values ------------------------------------------------------------------ */

void document_text(struct document *document, const char *name, const char *value)
{
    const char *text = value != NULL ? value : "";

    if (is_xml(document))
        xml_element(document->out, name_of(document, name), text);
    else
        json_text(&document->json, json_name_of(document, name), text);
}

/* Writes VALUE, the text of a number, "true" or "false": without quotation marks, unless the form
 * needs them. */
static void put_bare(struct document *document, const char *name, const char *value)
{
    if (is_xml(document) || document->form == DOCUMENT_MAPPED)
        document_text(document, name, value);
    else
        json_raw(&document->json, json_name_of(document, name), value);
}

void document_int(struct document *document, const char *name, int64_t value)
{
    char text[NUMBER_TEXT_MAX];

    snprintf(text, sizeof(text), "%" PRId64, value);
    put_bare(document, name, text);
}

void document_uint(struct document *document, const char *name, uint64_t value)
{
    char text[NUMBER_TEXT_MAX];

    snprintf(text, sizeof(text), "%" PRIu64, value);
    put_bare(document, name, text);
}

static void add_point(char text[NUMBER_TEXT_MAX])
{
    size_t length = strlen(text);

    if (strpbrk(text, ".e") == NULL && length + 2 < NUMBER_TEXT_MAX)
        memcpy(text + length, ".0", 3);
}

void document_float(struct document *document, const char *name, float value)
{
    char text[NUMBER_TEXT_MAX];

    number_format_float(isfinite(value) ? value : 0, text);
    add_point(text);
    put_bare(document, name, text);
}

void document_double(struct document *document, const char *name, double value)
{
    char text[NUMBER_TEXT_MAX];

    number_format_double(isfinite(value) ? value : 0, text);
    add_point(text);
    put_bare(document, name, text);
}

void document_bool(struct document *document, const char *name, bool value)
{
    put_bare(document, name, value ? "true" : "false");
}

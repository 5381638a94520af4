/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - parses a client's JSON or XML into the same kind of tree */
#include "web/text/tree.h"

#include <errno.h>
#include <expat.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/xml_position.h"

struct reading {
    struct arena *arena;
    struct err *err;
    size_t nodes, depth;
    struct tree *stack[TREE_DEPTH_MAX + 1]; /* XML: open elements, below a node without a name */
    XML_Parser parser;
    char *text; /* owned; XML text since the last tag */
    size_t text_size, text_room;
    int result;
};

/* Adds a node to PARENT. NULL: too many nodes, and ERR is set. NAME is copied. */
static struct tree *add_node(struct reading *reading, struct tree *parent, const char *name, const char *text)
{
    struct tree *node;

    if (++reading->nodes > TREE_NODES_MAX) {
        reading->result = err_set(reading->err, EINVAL, "more than %d values", TREE_NODES_MAX);
        return NULL;
    }
    node = arena_new0(reading->arena, struct tree);
    node->name = arena_strdup(reading->arena, name);
    node->text = text;
    if (parent == NULL)
        return node;
    if (parent->last != NULL)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    return node;
}

/* --- JSON -------------------------------------------------------------------- */

static void add_json(struct reading *reading, struct tree *parent, const char *name, json_t *value,
                     size_t depth);

static const char *scalar_text(struct reading *reading, json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        return arena_strdup(reading->arena, json_string_value(value));
    case JSON_INTEGER:
        return arena_printf(reading->arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    case JSON_REAL:
        return arena_printf(reading->arena, "%.17g", json_real_value(value));
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    default:
        return "";
    }
}

static void add_members(struct reading *reading, struct tree *node, json_t *object, size_t depth)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value) add_json(reading, node, key, value, depth + 1);
}

static void add_elements(struct reading *reading, struct tree *parent, const char *name, json_t *array,
                         size_t depth)
{
    json_t *value;
    size_t i;

    json_array_foreach(array, i, value)
    {
        if (json_is_array(value)) {
            reading->result = err_set(reading->err, EINVAL, "%s: a list in a list", name);
            return;
        }
        add_json(reading, parent, name, value, depth);
    }
}

static void add_json(struct reading *reading, struct tree *parent, const char *name, json_t *value,
                     size_t depth)
{
    struct tree *node;

    if (reading->result < 0)
        return;
    if (depth > TREE_DEPTH_MAX) {
        reading->result = err_set(reading->err, EINVAL, "%s: deeper than %d levels", name, TREE_DEPTH_MAX);
        return;
    }
    if (json_is_array(value)) {
        add_elements(reading, parent, name, value, depth);
        return;
    }
    node = add_node(reading, parent, name, scalar_text(reading, value));
    if (node != NULL && json_is_object(value))
        add_members(reading, node, value, depth);
}

int tree_read_json(struct arena *arena, const char *bytes, size_t size, const char *root, struct tree **ret,
                   struct err *err)
{
    struct reading reading = { .arena = arena, .err = err };
    json_error_t error;
    json_t *json = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error), *inner;

    if (json == NULL)
        return err_set(err, EINVAL, "line %d, column %d: %s", error.line, error.column, error.text);
    if (!json_is_object(json)) {
        json_decref(json);
        return err_set(err, EINVAL, "is no object");
    }
    inner = json_object_get(json, root);
    *ret = add_node(&reading, NULL, root, "");
    add_members(&reading, *ret, json_object_size(json) == 1 && json_is_object(inner) ? inner : json, 0);
    json_decref(json);
    return reading.result;
}

/* --- XML --------------------------------------------------------------------- */

static void stop(struct reading *reading, int result)
{
    reading->result = result;
    XML_StopParser(reading->parser, XML_FALSE);
}

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct reading *reading = context;
    struct tree *node;

    (void)attributes;
    reading->text_size = 0;
    if (reading->depth == TREE_DEPTH_MAX) {
        stop(reading, err_set(reading->err, EINVAL, "<%s>: deeper than %d levels", name, TREE_DEPTH_MAX));
        return;
    }
    node = add_node(reading, reading->stack[reading->depth], name, "");
    if (node == NULL)
        XML_StopParser(reading->parser, XML_FALSE);
    else
        reading->stack[++reading->depth] = node;
}

static void XMLCALL on_end(void *context, const XML_Char *name)
{
    struct reading *reading = context;
    struct tree *node = reading->stack[reading->depth];

    (void)name;
    if (node->first == NULL) /* with children, the text is only blanks between elements */
        node->text =
            arena_printf(reading->arena, "%.*s", (int)reading->text_size, reading->text ? reading->text : "");
    reading->text_size = 0;
    reading->depth--;
}

static void XMLCALL on_text(void *context, const XML_Char *text, int length)
{
    struct reading *reading = context;

    while (reading->text_room < reading->text_size + (size_t)length) {
        reading->text_room = reading->text_room * 2 + 256;
        reading->text = mem_resize(reading->text, reading->text_room, 1);
    }
    memcpy(reading->text + reading->text_size, text, (size_t)length);
    reading->text_size += (size_t)length;
}

static void XMLCALL on_doctype(void *context, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int has_subset)
{
    struct reading *reading = context;

    (void)name;
    (void)system;
    (void)public;
    (void)has_subset;
    stop(reading, err_set(reading->err, EINVAL, "has a DTD"));
}

int tree_read_xml(struct arena *arena, const char *bytes, size_t size, const char *root, struct tree **ret,
                  struct err *err)
{
    struct tree top = { .name = "", .text = "" };
    struct reading reading = { .arena = arena, .err = err, .stack = { &top }, .result = 0 };

    reading.parser = XML_ParserCreate(NULL);
    XML_SetUserData(reading.parser, &reading);
    XML_SetElementHandler(reading.parser, on_start, on_end);
    XML_SetCharacterDataHandler(reading.parser, on_text);
    XML_SetStartDoctypeDeclHandler(reading.parser, on_doctype);
    if (XML_Parse(reading.parser, bytes, (int)size, XML_TRUE) != XML_STATUS_OK && reading.result == 0)
        reading.result = err_set(err, EINVAL, "line %zu: %s", xml_position_line(reading.parser),
                                 XML_ErrorString(XML_GetErrorCode(reading.parser)));
    XML_ParserFree(reading.parser);
    free(reading.text);
    if (reading.result < 0)
        return reading.result;
    *ret = top.first;
    if (!text_equal(top.first->name, root))
        return err_set(err, EINVAL, "<%s> instead of <%s>", top.first->name, root);
    return 0;
}

/* --- what is in it ----------------------------------------------------------- */

const struct tree *tree_find(const struct tree *tree, const char *name)
{
    const struct tree *child = tree != NULL ? tree->first : NULL;

    while (child != NULL && strcmp(child->name, name) != 0)
        child = child->next;
    return child;
}

const struct tree *tree_next(const struct tree *tree)
{
    const struct tree *next = tree->next;

    while (next != NULL && strcmp(next->name, tree->name) != 0)
        next = next->next;
    return next;
}

const char *tree_text(const struct tree *tree, const char *name)
{
    const struct tree *child = tree_find(tree, name);

    return child != NULL ? child->text : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* xml_tree.c - parses a whole XML document into memory */
#include "common/conf/xml_tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "common/base/arena.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/xml_position.h"
#include "common/conf/problems.h"

#define BEFORE_MAX 40 /* characters of a long line shown before the error */

struct xml_tree {
    struct arena *arena;
    struct xml_node *root;
};

/* An open element, and its text so far. */
struct open {
    struct xml_node *node;
    char *text; /* owned; not terminated */
    size_t used, room;
};

struct reader {
    const char *name, *data;
    size_t size;
    XML_Parser parser;
    struct xml_tree *tree;
    struct open open[XML_TREE_DEPTH_MAX];
    size_t depth;
    const char *refused; /* reason why creel stopped the parser, or NULL */
};

static void stop(struct reader *reader, const char *why)
{
    if (reader->refused == NULL)
        reader->refused = why;
    XML_StopParser(reader->parser, XML_FALSE);
}

static void XMLCALL on_start(void *data, const char *name, const char **attributes)
{
    struct reader *reader = data;
    struct arena *arena = reader->tree->arena;
    struct xml_node *node;
    size_t count = 0;

    if (reader->refused)
        return;
    if (reader->depth == XML_TREE_DEPTH_MAX) {
        stop(reader, "elements are nested too deep");
        return;
    }
    node = arena_new0(arena, struct xml_node);
    STAILQ_INIT(&node->children);
    node->name = arena_strdup(arena, name);
    node->text = "";
    node->line = xml_position_line(reader->parser);
    while (attributes[2 * count])
        count++;
    node->attributes = arena_array0(arena, count, sizeof(node->attributes[0]));
    for (size_t i = 0; i < count; i++)
        node->attributes[i] = (struct xml_attribute){
            .name = arena_strdup(arena, attributes[2 * i]),
            .value = arena_strdup(arena, attributes[2 * i + 1]),
        };
    node->attribute_count = count;
    if (reader->depth > 0)
        STAILQ_INSERT_TAIL(&reader->open[reader->depth - 1].node->children, node, link);
    else
        reader->tree->root = node;
    reader->open[reader->depth++] = (struct open){ .node = node };
}

static void XMLCALL on_end(void *data, const char *name)
{
    struct reader *reader = data;
    struct open *open;

    (void)name;
    if (reader->refused)
        return;
    open = &reader->open[--reader->depth];
    if (open->used > 0) {
        char *text = arena_alloc0(reader->tree->arena, open->used + 1);

        memcpy(text, open->text, open->used);
        open->node->text = text;
    }
    free(open->text);
}

static void XMLCALL on_text(void *data, const char *text, int length)
{
    struct reader *reader = data;
    struct open *open;
    size_t size = (size_t)length;

    if (reader->refused || reader->depth == 0)
        return;
    open = &reader->open[reader->depth - 1];
    if (size > open->room - open->used) {
        open->room = (open->used + size) * 2;
        open->text = mem_resize(open->text, open->room, 1);
    }
    memcpy(open->text + open->used, text, size);
    open->used += size;
}

static int XMLCALL on_external_entity(XML_Parser parser, const char *names, const char *base,
                                      const char *system_id, const char *public_id)
{
    (void)names, (void)base, (void)system_id, (void)public_id;
    stop(XML_GetUserData(parser), "an entity that is not in the file itself: such are not read");
    return XML_STATUS_ERROR;
}

static void XMLCALL on_skipped_entity(void *data, const char *name, int is_parameter)
{
    (void)name, (void)is_parameter;
    stop(data, "an entity that is not in the file itself: such are not read");
}

/* Returns the line where the parser stopped, or the part of a long line around that place; "" if it cannot be
 * shown (UTF-16, or past the end). Owned by the caller. */
static char *current_line(const struct reader *reader)
{
    int64_t index = xml_position_offset(reader->parser);
    size_t at = index < 0 || (size_t)index > reader->size ? reader->size : (size_t)index;
    size_t start = at, end = at;

    while (start > 0 && reader->data[start - 1] != '\n' && at - start < BEFORE_MAX)
        start--;
    while (end < reader->size && reader->data[end] != '\n' && end - start < PROBLEMS_SHOWN_MAX)
        end++;
    if (memchr(reader->data + start, '\0', end - start))
        return mem_strdup("");
    return mem_strndup(reader->data + start, end - start);
}

static int report(const struct reader *reader, struct err *err)
{
    scoped_free char *line = current_line(reader);
    char shown[PROBLEMS_SHOWN_MAX];

    problems_show(text_trim(line), shown);
    return err_set(err, EINVAL, "%s:%zu:%zu: %s%s%s", reader->name, xml_position_line(reader->parser),
                   xml_position_column(reader->parser),
                   reader->refused ? reader->refused : XML_ErrorString(XML_GetErrorCode(reader->parser)),
                   *shown ? ": " : "", shown);
}

static int parse(struct reader *reader, struct err *err)
{
    XML_Parser parser = reader->parser = XML_ParserCreate(NULL);
    int r = 0;

    if (parser == NULL)
        abort();
    XML_SetUserData(parser, reader);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetExternalEntityRefHandler(parser, on_external_entity);
    XML_SetSkippedEntityHandler(parser, on_skipped_entity);
    if (XML_Parse(parser, reader->data, (int)reader->size, XML_TRUE) != XML_STATUS_OK)
        r = report(reader, err);
    XML_ParserFree(parser);
    while (reader->depth > 0)
        free(reader->open[--reader->depth].text);
    return r;
}

int xml_tree_parse(const char *name, const char *data, size_t size, struct xml_tree **ret, struct err *err)
{
    struct reader reader = { .name = name, .data = data, .size = size };
    int r;

    if (size > XML_TREE_BYTES_MAX)
        return err_set(err, EINVAL, "%s: larger than 16 MiB", name);
    reader.tree = mem_new0(struct xml_tree);
    reader.tree->arena = arena_new();
    if ((r = parse(&reader, err)) < 0) {
        xml_tree_free(reader.tree);
        return r;
    }
    *ret = reader.tree;
    return 0;
}

void xml_tree_free(struct xml_tree *tree)
{
    if (tree == NULL)
        return;
    arena_free(tree->arena);
    free(tree);
}

const struct xml_node *xml_tree_root(const struct xml_tree *tree)
{
    return tree->root;
}

const char *xml_node_attribute(const struct xml_node *node, const char *name)
{
    for (size_t i = 0; i < node->attribute_count; i++)
        if (strcmp(node->attributes[i].name, name) == 0)
            return node->attributes[i].value;
    return NULL;
}

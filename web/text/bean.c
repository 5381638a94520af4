/* SPDX-License-Identifier: Apache-2.0 */
/* bean.c - collects JMX beans and writes them as JSON */
#include "web/text/bean.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "web/text/document.h"
#include "web/text/pretty.h"

#define TEXT_END "\"\n  }" /* of a bean whose last attribute is a text */

enum type { TYPE_INT, TYPE_DOUBLE, TYPE_TEXT, TYPE_BOOL, TYPE_MEMORY };

struct attribute {
    const char *name;
    enum type type;
    union {
        int64_t integer;
        double number;
        const char *text;
        bool truth;
    };
    struct attribute *next;
};

struct bean {
    struct arena *arena;
    const char *name, *modeler;
    struct attribute *first, *last;
    struct bean *next;
};

struct bean_list {
    struct arena *arena;
    struct bean *first, *last;
};

/* --- beans ---------------------------------------------------------------------- */

struct bean_list *bean_list_new(struct arena *arena)
{
    struct bean_list *list = arena_new0(arena, struct bean_list);

    list->arena = arena;
    return list;
}

struct arena *bean_list_arena(const struct bean_list *list)
{
    return list->arena;
}

struct bean *bean_add(struct bean_list *list, const char *name, const char *modeler)
{
    struct bean *bean = arena_new0(list->arena, struct bean);

    *bean = (struct bean){ .arena = list->arena, .name = name, .modeler = modeler };
    if (list->last != NULL)
        list->last->next = bean;
    else
        list->first = bean;
    list->last = bean;
    return bean;
}

static void add(struct bean *bean, struct attribute added)
{
    struct attribute *attribute = arena_new0(bean->arena, struct attribute);

    *attribute = added;
    if (bean->last != NULL)
        bean->last->next = attribute;
    else
        bean->first = attribute;
    bean->last = attribute;
}

void bean_int(struct bean *bean, const char *name, int64_t value)
{
    add(bean, (struct attribute){ .name = name, .type = TYPE_INT, .integer = value });
}

void bean_double(struct bean *bean, const char *name, double value)
{
    add(bean, (struct attribute){ .name = name, .type = TYPE_DOUBLE, .number = value });
}

void bean_text(struct bean *bean, const char *name, const char *value)
{
    add(bean, (struct attribute){ .name = name, .type = TYPE_TEXT, .text = value });
}

void bean_bool(struct bean *bean, const char *name, bool value)
{
    add(bean, (struct attribute){ .name = name, .type = TYPE_BOOL, .truth = value });
}

void bean_memory(struct bean *bean, const char *name, int64_t bytes)
{
    add(bean, (struct attribute){ .name = name, .type = TYPE_MEMORY, .integer = bytes });
}

/* --- names ---------------------------------------------------------------------- */

/* Returns the next property of *TEXT, "key=value", and moves *TEXT behind it; NULL: there is none. */
static const char *next_property(const char **text, size_t *length)
{
    const char *property = *text;

    if (*property == '\0')
        return NULL;
    *length = strcspn(property, ",");
    *text = property + *length + (property[*length] == ',' ? 1 : 0);
    return property;
}

/* Returns whether one of PROPERTIES, "a=1,b=2", matches the LENGTH bytes of WANTED. */
static bool has_property(const char *properties, const char *wanted, size_t length)
{
    char *pattern = strndup(wanted, length);
    const char *property;
    bool found = false;
    size_t size;

    while (!found && (property = next_property(&properties, &size)) != NULL) {
        char *text = strndup(property, size);

        if (pattern == NULL || text == NULL)
            abort();
        found = fnmatch(pattern, text, FNM_NOESCAPE) == 0;
        free(text);
    }
    free(pattern);
    return found;
}

static size_t property_count(const char *properties)
{
    size_t count = 0, length;

    while (next_property(&properties, &length) != NULL)
        count++;
    return count;
}

/* A name has each property once: WANTED with more properties than the name has matches none. (This also
 * bounds the time that a long parameter takes.) */
static bool properties_match(const char *properties, const char *wanted)
{
    size_t known = property_count(properties), named = 0, length;
    const char *property;
    bool others = false;

    while ((property = next_property(&wanted, &length)) != NULL) {
        if (length == 1 && *property == '*') {
            others = true;
            continue;
        }
        if (++named > known || !has_property(properties, property, length))
            return false;
    }
    return others || named == known;
}

bool bean_name_matches(const char *name, const char *pattern)
{
    const char *colon = strchr(name, ':'), *wanted = strchr(pattern, ':');
    char *domain, *wanted_domain;
    bool same;

    if (fnmatch(pattern, name, FNM_NOESCAPE) == 0)
        return true;
    if (colon == NULL || wanted == NULL)
        return false;
    domain = strndup(name, (size_t)(colon - name));
    wanted_domain = strndup(pattern, (size_t)(wanted - pattern));
    if (domain == NULL || wanted_domain == NULL)
        abort();
    same = fnmatch(wanted_domain, domain, FNM_NOESCAPE) == 0;
    free(domain);
    free(wanted_domain);
    return same && properties_match(colon + 1, wanted + 1);
}

/* --- JSON ----------------------------------------------------------------------- */

static void write_memory(struct document *document, const struct attribute *attribute)
{
    document_begin(document, attribute->name);
    document_int(document, "committed", attribute->integer);
    document_int(document, "init", attribute->integer);
    document_int(document, "max", -1);
    document_int(document, "used", attribute->integer);
    document_end(document);
}

static void write_attribute(struct document *document, const struct attribute *attribute)
{
    switch (attribute->type) {
    case TYPE_INT:
        document_int(document, attribute->name, attribute->integer);
        break;
    case TYPE_DOUBLE:
        document_double(document, attribute->name, attribute->number);
        break;
    case TYPE_BOOL:
        document_bool(document, attribute->name, attribute->truth);
        break;
    case TYPE_TEXT:
        document_text(document, attribute->name, attribute->text);
        break;
    case TYPE_MEMORY:
        write_memory(document, attribute);
        break;
    }
}

static bool is_wanted(const struct bean *bean, const char *pattern)
{
    return pattern == NULL || bean_name_matches(bean->name, pattern);
}

static bool has_attribute(const struct bean *bean, const char *name)
{
    for (const struct attribute *at = bean->first; name != NULL && at != NULL; at = at->next)
        if (strcmp(at->name, name) == 0)
            return true;
    return name == NULL;
}

/* Frees DOCUMENT and adds its text, which has OBJECTS around it, to OUT. */
static void finish(struct document *document, size_t objects, struct text_builder *out)
{
    size_t compact_size, size;
    char *compact = document_finish(document, &compact_size);
    char *text = pretty_json(compact, compact_size, objects, &size);

    text_builder_add_bytes(out, text, size);
    free(compact);
    free(text);
}

/* Writes BEAN with the attribute NAME; NULL: with all. */
static void write_bean(const struct bean *bean, const char *name, struct text_builder *out)
{
    struct document *document = document_new(DOCUMENT_BARE, "bean");

    document_text(document, "name", bean->name);
    document_text(document, "modelerType", bean->modeler);
    for (const struct attribute *at = bean->first; at != NULL; at = at->next)
        if (name == NULL || strcmp(at->name, name) == 0)
            write_attribute(document, at);
    finish(document, 1, out);
}

enum bean_found bean_list_find(const struct bean_list *list, const struct bean_question *question)
{
    enum bean_found found = BEANS_NONE;

    for (const struct bean *bean = list->first; bean != NULL; bean = bean->next) {
        if (!is_wanted(bean, question->pattern))
            continue;
        if (has_attribute(bean, question->attribute))
            return BEANS_FOUND;
        found = BEANS_WITHOUT_ATTRIBUTE;
    }
    return found;
}

void bean_text_begin(struct bean_text *text)
{
    text->any = false;
    text_builder_add(text->out, "{\n  \"beans\" : [");
}

void bean_text_add(struct bean_text *text, const struct bean_list *list, const struct bean_question *question)
{
    for (const struct bean *bean = list->first; bean != NULL; bean = bean->next) {
        if (!is_wanted(bean, question->pattern))
            continue;
        text_builder_add(text->out, text->any ? ", " : " ");
        write_bean(bean, question->attribute, text->out);
        text->any = true;
    }
}

static bool is_asked_for(const struct bean *bean, const struct attribute *attribute,
                         const struct bean_question *question)
{
    return is_wanted(bean, question->pattern) &&
           (question->attribute == NULL || strcmp(attribute->name, question->attribute) == 0);
}

bool bean_text_add_open(struct bean_text *text, const struct bean_list *list,
                        const struct bean_question *question)
{
    scoped_text_builder struct text_builder closed = TEXT_BUILDER_MALLOC;
    struct bean_text to = { .out = &closed, .any = text->any };
    bool open = is_asked_for(list->last, list->last->last, question);

    bean_text_add(&to, list, question);
    text_builder_add_bytes(text->out, text_builder_text(&closed),
                           closed.length - (open ? strlen(TEXT_END) : 0));
    text->any = to.any;
    return open;
}

void bean_text_add_piece(struct bean_text *text, const char *piece)
{
    static const char begin[] = "{\"\":\"", end[] = "\"}";
    struct document *document = document_new(DOCUMENT_BARE, "piece");
    size_t size;
    char *escaped;

    document_text(document, "", piece);
    escaped = document_finish(document, &size);
    text_builder_add_bytes(text->out, escaped + strlen(begin), size - strlen(begin) - strlen(end));
    free(escaped);
}

void bean_text_close(struct bean_text *text)
{
    text_builder_add(text->out, TEXT_END);
}

void bean_text_end(struct bean_text *text)
{
    text_builder_add(text->out, " ]\n}");
}

char *bean_text_unknown(const char *attribute)
{
    struct text_builder out = TEXT_BUILDER_MALLOC;
    struct document *document = document_new(DOCUMENT_BARE, "jmx");
    char *message = mem_printf("No attribute with name %s was found.", attribute);

    document_text(document, "result", "ERROR");
    document_text(document, "message", message);
    free(message);
    finish(document, 0, &out);
    return text_builder_finish(&out);
}

char *bean_list_write(const struct bean_list *list, const struct bean_question *question, int *status)
{
    struct text_builder out = TEXT_BUILDER_MALLOC;
    struct bean_text text = { .out = &out };

    *status = bean_list_find(list, question) == BEANS_WITHOUT_ATTRIBUTE ? 404 : 200;
    if (*status == 404)
        return bean_text_unknown(question->attribute);
    bean_text_begin(&text);
    bean_text_add(&text, list, question);
    bean_text_end(&text);
    return text_builder_finish(&out);
}

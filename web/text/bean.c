/* SPDX-License-Identifier: Apache-2.0 */
/* bean.c - collects JMX beans and writes them as JSON */
#include "web/text/bean.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "web/text/document.h"
#include "web/text/pretty.h"

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

/* Writes BEAN with the attribute NAME; NULL: with all. Returns the number of attributes. */
static size_t write_bean(struct document *document, const struct bean *bean, const char *name)
{
    size_t count = 0;

    document_begin(document, NULL);
    document_text(document, "name", bean->name);
    document_text(document, "modelerType", bean->modeler);
    for (const struct attribute *at = bean->first; at != NULL; at = at->next) {
        if (name != NULL && strcmp(at->name, name) != 0)
            continue;
        write_attribute(document, at);
        count++;
    }
    document_end(document);
    return count;
}

static bool is_wanted(const struct bean *bean, const char *pattern)
{
    return pattern == NULL || bean_name_matches(bean->name, pattern);
}

/* Frees DOCUMENT and returns its text. */
static char *finish(struct document *document, size_t *size)
{
    size_t compact_size;
    char *compact = document_finish(document, &compact_size);
    char *text = pretty_json(compact, compact_size, size);

    free(compact);
    return text;
}

/* Returns what Hadoop answers if a bean has no attribute NAME. */
static char *write_unknown(const char *name, size_t *size)
{
    struct document *document = document_new(DOCUMENT_BARE, "jmx");
    char *message = mem_printf("No attribute with name %s was found.", name);

    document_text(document, "result", "ERROR");
    document_text(document, "message", message);
    free(message);
    return finish(document, size);
}

static char *write_none(size_t *size)
{
    static const char text[] = "{\n  \"beans\" : [ ]\n}";

    *size = sizeof(text) - 1;
    return mem_strdup(text);
}

char *bean_list_write(const struct bean_list *list, const struct bean_question *question, int *status,
                      size_t *size)
{
    struct document *document = document_new(DOCUMENT_BARE, "jmx");
    size_t beans = 0, attributes = 0;

    for (const struct bean *bean = list->first; bean != NULL; bean = bean->next)
        beans += is_wanted(bean, question->pattern) ? 1 : 0;
    *status = 200;
    if (beans == 0) {
        document_free(document);
        return write_none(size);
    }
    document_begin_list(document, "beans", beans);
    for (const struct bean *bean = list->first; bean != NULL; bean = bean->next)
        if (is_wanted(bean, question->pattern))
            attributes += write_bean(document, bean, question->attribute);
    document_end_list(document);
    if (question->attribute == NULL || attributes > 0)
        return finish(document, size);
    document_free(document);
    *status = 404;
    return write_unknown(question->attribute, size);
}

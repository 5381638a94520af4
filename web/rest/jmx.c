/* SPDX-License-Identifier: Apache-2.0 */
/* jmx.c - /jmx?qry=BEAN and /jmx?get=BEAN::ATTRIBUTE, as Hadoop's servlet answers them */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "web/rest/bean.h"
#include "web/rest/handlers.h"
#include "web/rest/reply.h"

static void add_attribute(struct document *document, const struct bean_attribute *attribute)
{
    switch (attribute->type) {
    case BEAN_INT:
        document_int(document, attribute->name, attribute->integer);
        break;
    case BEAN_DOUBLE:
        document_double(document, attribute->name, attribute->number);
        break;
    case BEAN_BOOL:
        document_bool(document, attribute->name, attribute->truth);
        break;
    case BEAN_TEXT:
        document_text(document, attribute->name, attribute->text);
        break;
    }
}

/* Writes BEAN with ATTRIBUTE; NULL: with all attributes. */
static void add_bean(struct document *document, const struct bean *bean, const char *attribute)
{
    document_begin(document, NULL);
    document_text(document, "name", bean->name);
    document_text(document, "modelerType", bean->modeler);
    for (size_t i = 0; i < bean->count; i++)
        if (attribute == NULL || text_equal(bean->attributes[i].name, attribute))
            add_attribute(document, &bean->attributes[i]);
    document_end(document);
}

/* Returns whether the name of BEAN matches PATTERN, which may have stars like Java's ObjectName. NULL matches
 * all. */
static bool is_wanted(const struct bean *bean, const char *pattern)
{
    return pattern == NULL || fnmatch(pattern, bean->name, FNM_NOESCAPE) == 0;
}

static void send_beans(struct exchange *exchange, const char *pattern, const char *attribute)
{
    const struct bean *beans = beans_of(exchange_application(exchange), exchange_arena(exchange));
    struct document *document = document_new(DOCUMENT_BARE, "jmx");
    size_t count = 0, size;
    char *text;

    for (const struct bean *bean = beans; bean != NULL; bean = bean->next)
        count += is_wanted(bean, pattern) ? 1 : 0;
    document_begin_list(document, "beans", count);
    for (const struct bean *bean = beans; bean != NULL; bean = bean->next)
        if (is_wanted(bean, pattern))
            add_bean(document, bean, attribute);
    document_end_list(document);
    text = document_finish(document, &size);
    exchange_add_header(exchange, "Access-Control-Allow-Origin", "*");
    exchange_add_header(exchange, "Access-Control-Allow-Methods", "GET");
    exchange_add_header(exchange, "Cache-Control", "no-cache");
    exchange_answer(exchange, 200, "application/json; charset=utf8", text, size);
    free(text);
}

void servlet_jmx(struct exchange *exchange)
{
    const char *get = exchange_parameter(exchange, "get", 0), *colons;

    if (!rest_model_is_complete(exchange))
        return;
    if (get == NULL) {
        send_beans(exchange, exchange_parameter(exchange, "qry", 0), NULL);
        return;
    }
    colons = strstr(get, "::");
    if (colons == NULL) {
        rest_bad_request(exchange, "query format is not as expected: BEAN::ATTRIBUTE");
        return;
    }
    send_beans(exchange, arena_printf(exchange_arena(exchange), "%.*s", (int)(colons - get), get),
               colons + 2);
}

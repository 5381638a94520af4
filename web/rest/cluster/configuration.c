/* SPDX-License-Identifier: Apache-2.0 */
/* configuration.c - /conf, the configuration as Hadoop's servlet sends it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/json_writer.h"
#include "common/base/text.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/reply.h"
#include "web/text/xml.h"

/* Returns the name of the file with the property. Tools expect Hadoop's name of the file with the
 * defaults. */
static const char *source_of(const struct web_property *property)
{
    return text_equal(property->source, "default") ? "yarn-default.xml" : property->source;
}

static const struct web_property *find(const struct web_view *view, const char *name)
{
    for (size_t i = 0; i < view->property_count; i++)
        if (text_equal(view->properties[i].name, name))
            return &view->properties[i];
    return NULL;
}

static void add_json(struct json_writer *json, const char *name, const struct web_property *property)
{
    json_begin_object(json, name);
    json_text(json, "key", property->name);
    json_text(json, "value", property->value);
    json_bool(json, "isFinal", property->final);
    json_text(json, "resource", source_of(property));
    json_end_object(json);
}

static void write_json(FILE *out, const struct web_view *view, const struct web_property *only)
{
    struct json_writer json;

    json_init(&json, out, true);
    json_begin_object(&json, NULL);
    if (only != NULL) {
        add_json(&json, "property", only);
    } else {
        json_begin_array(&json, "properties");
        for (size_t i = 0; i < view->property_count; i++)
            add_json(&json, NULL, &view->properties[i]);
        json_end_array(&json);
    }
    json_end_object(&json);
    json_finish(&json);
}

static void add_xml(FILE *out, const struct web_property *property)
{
    xml_begin(out, "property", NULL);
    xml_element(out, "name", property->name);
    xml_element(out, "value", property->value);
    xml_element(out, "final", property->final ? "true" : "false");
    xml_element(out, "source", source_of(property));
    xml_end(out, "property");
    fputc('\n', out);
}

static void write_xml(FILE *out, const struct web_view *view, const struct web_property *only)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?><configuration>\n", out);
    if (only != NULL)
        add_xml(out, only);
    else
        for (size_t i = 0; i < view->property_count; i++)
            add_xml(out, &view->properties[i]);
    fputs("</configuration>\n", out);
}

/* Reads the format from the parameter "format", which is in Hadoop's manual, else from the header Accept,
 * which is all that YARN reads, else it is XML. Returns false after answering 400. */
static bool read_format(struct exchange *exchange, bool *json)
{
    const char *format = exchange_parameter(exchange, "format", 0);
    const char *accept = exchange_header(exchange, "Accept");

    if (format == NULL) {
        *json = accept != NULL && strstr(accept, "application/json") != NULL;
        return true;
    }
    *json = strcasecmp(format, "json") == 0;
    if (*json || strcasecmp(format, "xml") == 0)
        return true;
    rest_bad_request(exchange, arena_printf(exchange_arena(exchange),
                                            "Bad format: %s. It should be one of [xml, json]", format));
    return false;
}

void servlet_conf(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);
    const char *name = exchange_parameter(exchange, "name", 0);
    const struct web_property *only = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out;
    bool json;

    if (!read_format(exchange, &json))
        return;
    if (name != NULL && *name != '\0' && (only = find(view, name)) == NULL) {
        rest_not_found(exchange, arena_printf(exchange_arena(exchange), "Property %s not found", name));
        return;
    }
    out = open_memstream(&text, &size);
    if (out == NULL)
        abort();
    (json ? write_json : write_xml)(out, view, only);
    fclose(out);
    exchange_answer(exchange, 200, json ? "application/json;charset=utf-8" : "text/xml;charset=utf-8", text,
                    size);
    free(text);
}

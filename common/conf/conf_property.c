/* SPDX-License-Identifier: Apache-2.0 */
/* conf_property.c - the properties of a configuration, and where they were set */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/conf/conf_struct.h"

const char *conf_property_place(const struct conf_property *property, size_t line, char *text, size_t size)
{
    if (line > 0)
        snprintf(text, size, "%s:%zu", property->file, line);
    else
        snprintf(text, size, "%s", property->file);
    return text;
}

struct conf_property *conf_property_find(const struct conf *conf, const char *name)
{
    struct conf_property *property;

    HASH_FIND_STR(conf->properties, name, property);
    return property;
}

void conf_property_free(struct conf_property *property)
{
    free(property->name);
    free(property->written);
    free(property->trimmed);
    free(property->acl);
    free(property->file);
    free(property);
}

void conf_property_insert(struct conf *conf, struct conf_property *property)
{
    HASH_ADD_KEYPTR(hh, conf->properties, property->name, strlen(property->name), property);
}

struct conf_property *conf_property_add(struct conf *conf, const struct conf_property *property)
{
    struct conf_property *kept = mem_dup(property, sizeof(*property));

    kept->number = conf->property_number++;
    conf_property_insert(conf, kept);
    return kept;
}

void conf_property_drop(struct conf *conf, struct conf_property *property)
{
    if (property == NULL)
        return;
    HASH_DEL(conf->properties, property);
    conf_property_free(property);
}

const char *conf_origin(const struct conf *conf, const char *name, char *text, size_t size)
{
    const struct conf_property *property = conf_property_find(conf, name);
    enum conf_key key;

    if (property && property->file)
        conf_property_place(property, property->value_line, text, size);
    else if (property)
        snprintf(text, size, "set");
    else
        snprintf(text, size, "%s", conf_key_find(name, &key) ? "default" : "unset");
    return text;
}

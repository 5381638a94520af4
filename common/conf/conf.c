/* SPDX-License-Identifier: Apache-2.0 */
/* conf.c - functions that return and set the values of a configuration */
#include "common/conf/conf.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/conf_struct.h"

void conf_free(struct conf *conf)
{
    struct conf_property *property, *next;

    if (conf == NULL)
        return;
    HASH_ITER(hh, conf->properties, property, next)
        conf_property_drop(conf, property);
    for (size_t i = 0; i < CONF_KEY_COUNT; i++)
        free(conf->values[i].text);
    for (size_t i = 0; i < conf->files_count; i++)
        free(conf->files[i]);
    free(conf->files);
    free(conf->directory);
    free(conf);
}

struct conf *conf_new_defaults(void)
{
    struct conf *conf = mem_new0(struct conf);
    struct problems problems = { .warn = NULL };

    conf->directory = mem_strdup("");
    conf_resolve(conf, &problems);
    assert(problems.count == 0); /* else a row of the table is invalid */
    return conf;
}

int conf_set(struct conf *conf, const char *key, const char *value, struct err *err)
{
    struct problems problems = { .warn = NULL }, none = { .warn = NULL };
    scoped_free char *copy = mem_strdup(key);
    const char *name = text_trim(copy);
    struct conf_property *old = conf_property_find(conf, name), *new;
    int result;

    if (old)
        HASH_DEL(conf->properties, old);
    new = conf_property_add(
        conf, &(struct conf_property){ .name = mem_strdup(name), .written = mem_strdup(value) });
    conf_resolve(conf, &problems);
    result = problems_finish(&problems, err);
    if (result == 0) {
        if (old)
            conf_property_free(old);
        return 0;
    }
    conf_property_drop(conf, new);
    if (old)
        conf_property_insert(conf, old);
    conf_resolve(conf, &none);
    assert(none.count == 0); /* the value was valid before */
    return result;
}

int conf_verify(const struct conf *conf, struct err *err)
{
    struct problems problems = { .warn = NULL };

    conf_judge_pairs(conf, &problems);
    return problems_finish(&problems, err);
}

static const struct conf_value *value_of(const struct conf *conf, enum conf_key key, enum conf_type type)
{
    /* A caller that reads a key as another type has a bug. */
    assert(conf_key_info(key)->type == type);
    return &conf->values[key];
}

int64_t conf_int(const struct conf *conf, enum conf_key key)
{
    return value_of(conf, key, CONF_INT)->number;
}

bool conf_bool(const struct conf *conf, enum conf_key key)
{
    return value_of(conf, key, CONF_BOOL)->number != 0;
}

double conf_float(const struct conf *conf, enum conf_key key)
{
    return value_of(conf, key, CONF_FLOAT)->real;
}

const char *conf_text(const struct conf *conf, enum conf_key key)
{
    enum conf_type type = conf_key_info(key)->type;

    assert(type == CONF_TEXT || type == CONF_ACL || type == CONF_CHOICE);
    return conf->values[key].text;
}

int64_t conf_ms(const struct conf *conf, enum conf_key key)
{
    return value_of(conf, key, CONF_DURATION)->number;
}

int64_t conf_cutoff_ms(const struct conf *conf, enum conf_key key)
{
    return value_of(conf, key, CONF_CUTOFF)->number;
}

int64_t conf_bytes(const struct conf *conf, enum conf_key key)
{
    return value_of(conf, key, CONF_SIZE)->number;
}

const char *conf_raw(const struct conf *conf, const char *name)
{
    const struct conf_property *property = conf_property_find(conf, name);

    return property ? property->trimmed : NULL;
}

const char *conf_raw_acl(const struct conf *conf, const char *name)
{
    const struct conf_property *property = conf_property_find(conf, name);

    return property ? property->acl : NULL;
}

const char *conf_loaded_from(const struct conf *conf)
{
    return conf->directory;
}

void conf_each_file(const struct conf *conf, conf_file_fn *each, void *context)
{
    for (size_t i = 0; i < conf->files_count; i++)
        each(context, conf->files[i]);
}

size_t conf_file_count(const struct conf *conf)
{
    return conf->file_count;
}

const char *conf_show(const struct conf *conf, const char *name)
{
    enum conf_key key;

    return conf_key_find(name, &key) ? conf->values[key].text : conf_raw(conf, name);
}

bool conf_is_final(const struct conf *conf, const char *name)
{
    const struct conf_property *property = conf_property_find(conf, name);

    return property != NULL && property->final;
}

void conf_each(const struct conf *conf, conf_each_fn *each, void *context)
{
    struct conf_property *property, *next;
    char origin[CONF_ORIGIN_MAX];
    enum conf_key key;

    for (unsigned i = 0; i < CONF_KEY_COUNT; i++) {
        const char *name = conf_key_info((enum conf_key)i)->name;

        each(context, name, conf->values[i].text, conf_origin(conf, name, origin, sizeof(origin)));
    }
    HASH_ITER(hh, conf->properties, property, next)
        if (!conf_key_find(property->name, &key))
            each(context, property->name, property->trimmed,
                 conf_origin(conf, property->name, origin, sizeof(origin)));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* conf_struct.h - what a struct conf is made of; for common/conf alone */
#ifndef CREEL_CONF_CONF_STRUCT_H
#define CREEL_CONF_CONF_STRUCT_H

#include <stdbool.h>
#include <stddef.h>

#include <uthash.h>

#include "common/conf/conf.h"
#include "common/conf/problems.h"
#include "common/conf/value.h"

/* A property that somebody set. All texts are owned. */
struct conf_property {
    char *name;
    char *written;              /* as it was set, blanks and all */
    char *trimmed;              /* WRITTEN, substituted and trimmed */
    char *acl;                  /* the same with one leading blank if WRITTEN had one */
    char *file;                 /* NULL: conf_set */
    size_t name_line, value_line;
    size_t number;              /* properties that came before */
    bool final;
    UT_hash_handle hh;
};

struct conf {
    char *directory;            /* owned */
    size_t file_count;
    size_t property_number;     /* of the next property */
    struct conf_property *properties;       /* hash by name; owned */
    struct conf_value values[CONF_KEY_COUNT];
};

struct conf_property *conf_property_find(const struct conf *conf, const char *name);

/* Add a copy of PROPERTY, whose texts are owned by CONF from now on. Returns it. */
struct conf_property *conf_property_add(struct conf *conf, const struct conf_property *property);

/* Take PROPERTY out, which may be NULL, and free it. */
void conf_property_drop(struct conf *conf, struct conf_property *property);

/* conf_resolve.c: substitute all properties and judge the known ones; what is
 * wrong goes to PROBLEMS. The values are whole only if it has no errors. */
void conf_resolve(struct conf *conf, struct problems *problems);

/* Report what must hold between keys. */
void conf_judge_pairs(const struct conf *conf, struct problems *problems);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* conf_struct.h - members of struct conf; only for the files of common/conf */
#ifndef CREEL_CONF_CONF_STRUCT_H
#define CREEL_CONF_CONF_STRUCT_H

#include <stdbool.h>
#include <stddef.h>

#include <uthash.h>

#include "common/conf/conf.h"
#include "common/conf/problems.h"
#include "common/conf/value.h"

/* A property that a file or conf_set has set. All texts are owned. */
struct conf_property {
    char *name;
    char *written; /* value as it was set, with blanks */
    char *trimmed; /* value after substitution, without blanks at both ends */
    char *acl;     /* as TRIMMED, with one leading blank if WRITTEN has one */
    char *file;    /* path of the file that set the property, or the origin of an override; NULL: set by
                      conf_set */
    size_t name_line, value_line; /* 0: not from a file */
    size_t number;                /* number of properties set before this one */
    bool final;
    UT_hash_handle hh;
};

struct conf {
    char *directory; /* owned */
    size_t file_count;
    char **files; /* owned; all files that were read, with those that were included */
    size_t files_count, files_room;
    size_t property_number;           /* number of the next property */
    struct conf_property *properties; /* hash by name; owned */
    struct conf_value values[CONF_KEY_COUNT];
};

/* Writes "FILE:LINE" of PROPERTY, which has a file, or the origin of an override. Returns TEXT. */
const char *conf_property_place(const struct conf_property *property, size_t line, char *text, size_t size);

struct conf_property *conf_property_find(const struct conf *conf, const char *name);

/* Adds a copy of PROPERTY, and returns the copy. CONF owns its texts from now on. */
struct conf_property *conf_property_add(struct conf *conf, const struct conf_property *property);

/* Inserts PROPERTY, which CONF owns from now on. */
void conf_property_insert(struct conf *conf, struct conf_property *property);

void conf_property_free(struct conf_property *property);

/* Removes and frees PROPERTY, which may be NULL. */
void conf_property_drop(struct conf *conf, struct conf_property *property);

/* conf_resolve.c: substitutes all properties and checks the known keys; adds errors to PROBLEMS. The values
 * are complete only if PROBLEMS has no errors. */
void conf_resolve(struct conf *conf, struct problems *problems);
/* Does the same, but only errors of the COUNT keys in NEEDED count. Other known keys with an invalid value
 * have their default, and unknown keys are ignored. */
void conf_resolve_needed(struct conf *conf, const enum conf_key *needed, size_t count,
                         struct problems *problems);

/* Reports violated relations between keys to PROBLEMS. */
void conf_judge_pairs(const struct conf *conf, struct problems *problems);

#endif

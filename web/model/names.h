/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - interned strings (users, queues, types), so that equal strings have equal pointers */
#ifndef CREEL_WEB_MODEL_NAMES_H
#define CREEL_WEB_MODEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <uthash.h>

struct name {
    UT_hash_handle hh;
    size_t users; /* number of rows that refer to the name */
    bool fits;    /* whether the name matches the filter of the current list */
    char text[];
};

/* Returns the interned TEXT, and adds a reference, which names_drop removes. An empty *TABLE is NULL. */
struct name *names_intern(struct name **table, const char *text);
void names_drop(struct name **table, struct name *name); /* NULL is fine */

#endif

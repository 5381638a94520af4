/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - each text once: users, queues, types of many applications, compared by their pointers */
#ifndef CREEL_WEB_MODEL_NAMES_H
#define CREEL_WEB_MODEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <uthash.h>

struct name {
    UT_hash_handle hh;
    size_t users;                       /* rows that have it */
    bool fits;                          /* the filter of the present list lets it through */
    char text[];
};

/* Of a table that begins as NULL. Each call of names_take needs one of names_drop. */
struct name *names_take(struct name **table, const char *text);
void names_drop(struct name **table, struct name *name);        /* NULL is fine */

#endif

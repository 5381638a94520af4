/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depends.h - read what a job depends on: "ok:41,any:42:43,singleton"
 *
 *     ok:ID[:ID...]      each has ended, and succeeded             also afterok
 *     any:ID...          each has ended, however                   also afterany
 *     notok:ID...        each has ended, and did not succeed       also afternotok
 *     after:ID...        each has started, or ended without
 *     singleton          no earlier job of the same user and name is left
 *
 * Between items: ',' if all of them have to be met, '?' if one is enough. The words and signs are those of
 * Slurm. Pure; ids are not looked up here.
 */
#ifndef CREEL_RM_JOBS_DEPENDS_H
#define CREEL_RM_JOBS_DEPENDS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/err.h"

#define DEPENDS_MAX 1000        /* items of one job */

enum depends_on { DEPENDS_OK, DEPENDS_ANY, DEPENDS_NOT_OK, DEPENDS_AFTER, DEPENDS_SINGLETON };

struct depends_item {
    enum depends_on on;
    const char *id;             /* NULL: SINGLETON */
};

struct depends {
    bool one_is_enough;
    struct depends_item *items;
    size_t count;
};

/* The items of TEXT, in ARENA. -EINVAL: the error names the item; -EMSGSIZE: too many. */
int depends_parse(struct arena *arena, const char *text, struct depends *ret, struct err *err);
/* "ok", "any", ... */
const char *depends_word(enum depends_on on);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depends.h - parses the dependencies of a job: "ok:41,any:42:43,singleton"
 *
 *     ok:ID[:ID...]      each job has ended with success         also afterok
 *     any:ID...          each job has ended                      also afterany
 *     notok:ID...        each job has ended without success      also afternotok
 *     after:ID...        each job has started, or ended without having started
 *     corr:ID...         of arrays: the task with the same index has succeeded           also aftercorr
 *     singleton          every earlier job of the same user and name has ended
 *
 * A ',' between items means that all of them have to be satisfied, a '?' that one of them is enough, which is
 * not possible with corr. The syntax is that of Slurm's --dependency. Pure: the ids are not looked up.
 */
#ifndef CREEL_DEPENDS_H
#define CREEL_DEPENDS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/err.h"

#define DEPENDS_MAX 1000 /* dependencies of one job */

enum depends_on { DEPENDS_OK, DEPENDS_ANY, DEPENDS_NOT_OK, DEPENDS_AFTER, DEPENDS_CORR, DEPENDS_SINGLETON };

struct depends_item {
    enum depends_on on;
    const char *id; /* NULL for SINGLETON */
};

struct depends {
    bool one_is_enough;
    struct depends_item *items;
    size_t count;
};

/* Parses TEXT into RET, with the items in ARENA, each once. -EINVAL: an item is malformed, and ERR quotes it.
 * -EMSGSIZE: more than DEPENDS_MAX items. */
int depends_parse(struct arena *arena, const char *text, struct depends *ret, struct err *err);
/* Returns whether one of the dependencies of TEXT is enough. */
bool depends_one_is_enough(const char *text);
/* Returns the keyword of ON: "ok", "any", ... */
const char *depends_word(enum depends_on on);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_range.h - ranges of hosts, as in n[1-40] and rack[1-2]-n[01-12,15]:8041
 *
 * The syntax is Slurm's. A range is one or more numbers and pairs LOW-HIGH between brackets, separated by
 * commas; a LOW with leading zeros sets the width of its numbers. A name may have several ranges. Commas
 * outside of brackets separate names. Brackets with a colon are an IPv6 address, and no range.
 */
#ifndef CREEL_BASE_HOST_RANGE_H
#define CREEL_BASE_HOST_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"

#define HOST_RANGE_NAMES_MAX 10000 /* the maximum of nodes that one request may change */
#define HOST_RANGE_NAME_SIZE 256   /* bytes of a name, with its terminator */

struct host_names {
    char **items; /* owned; ends with NULL if COUNT is above 0 */
    size_t count, capacity;
};

/* Appends the names of TEXT to NAMES, in order; a name that NAMES has already is left out. -EINVAL: TEXT is
 * not valid; -E2BIG: more than HOST_RANGE_NAMES_MAX names. On failure NAMES is unchanged. */
int host_range_expand(const char *text, struct host_names *names, struct err *err);
/* As host_range_expand; a name that TEXT has twice is there twice. */
int host_range_expand_all(const char *text, struct host_names *names, struct err *err);
void host_names_done(struct host_names *names);

/* Returns NAMES with ranges, sorted: "login,n[1-3,7]"; the caller frees it. If no name has commas or
 * brackets, host_range_expand returns the same names, up to HOST_RANGE_NAMES_MAX. */
char *host_range_fold(const char *const *names, size_t count);
/* Folds as Slurm does: with repeated names, unless SORTED in the order of NAMES ("n[2,1-2],login"), and only
 * numbers at the end of a name, for Slurm takes no other range: n1-ib,n2-ib stay as they are. */
char *host_range_fold_all(const char *const *names, size_t count, bool sorted);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.h - hadoop.user.group.static.mapping.overrides
 *
 *   "alice=staff,ops;bob=staff;carol="
 *
 * sets the groups of some users, instead of the groups that the system has for them. The first is the primary
 * group. A user listed without groups has none. Hadoop's default is "dr.who=".
 */
#ifndef CREEL_RM_IDENTITY_GROUPS_H
#define CREEL_RM_IDENTITY_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"

#define GROUPS_KEY "hadoop.user.group.static.mapping.overrides"

struct groups;

/* TEXT may be NULL: nobody is named. A user named twice has the groups named last.
 * -EINVAL: more than one "=" in an entry, or groups without a user; ERR has key, value and entry. */
int groups_parse(const char *text, struct groups **ret, struct err *err);
void groups_free(struct groups *groups);        /* NULL is fine */

/* Is USER named? Then its groups, primary first; they belong to GROUPS. */
bool groups_find(const struct groups *groups, const char *user, const char *const **names,
                 size_t *count);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.h - parses hadoop.user.group.static.mapping.overrides, the groups that a configuration sets
 *
 *   "alice=staff,ops;bob=staff;carol="
 *
 * The key sets the groups of some users, instead of the groups that the system has for them. The first group
 * is the primary group. A user listed without groups has none. Hadoop's default is "dr.who=".
 */
#ifndef CREEL_RM_IDENTITY_GROUPS_H
#define CREEL_RM_IDENTITY_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"

#define GROUPS_KEY "hadoop.user.group.static.mapping.overrides"

struct groups;

/* Parses TEXT; NULL: no users are listed. A user listed twice has the groups listed last. -EINVAL: more than
 * one "=" in an entry, or groups without a user; ERR has key, value and entry. */
int groups_parse(const char *text, struct groups **ret, struct err *err);
void groups_free(struct groups *groups); /* NULL is fine */

/* Returns true if USER is listed. Sets *NAMES to the user's groups, primary first; GROUPS owns them. */
bool groups_find(const struct groups *groups, const char *user, const char *const **names, size_t *count);

#endif

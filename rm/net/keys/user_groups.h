/* SPDX-License-Identifier: Apache-2.0 */
/*
 * user_groups.h - the groups of a user on this host
 *
 * The groups are read from the name service (getgrouplist), which may be a remote directory, and cached for
 * some minutes. hadoop.user.group.static.mapping.overrides takes precedence, as in Hadoop. A user that the
 * host does not know has no groups.
 */
#ifndef CREEL_RM_USER_GROUPS_H
#define CREEL_RM_USER_GROUPS_H

#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/conf/conf.h"

struct user_groups; /* opaque */

/* Reads the static mapping from CONF. -EINVAL: it is malformed; ERR has file, line and key. */
int user_groups_new(const struct conf *conf, struct user_groups **ret, struct err *err);
void user_groups_free(struct user_groups *groups); /* NULL is fine */

/* Returns the number of groups of USER, and their names in ARENA, the primary group first. NOW_MS must not
 * decrease. */
size_t user_groups_find(struct user_groups *groups, int64_t now_ms, struct arena *arena, const char *user,
                        const char *const **ret);

#endif

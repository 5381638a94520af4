/* SPDX-License-Identifier: Apache-2.0 */
/* users.h - decides which users may run containers on this node, and finds their ids */
#ifndef CREEL_NM_USERS_H
#define CREEL_NM_USERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/err.h"

struct users_rule {
    int64_t min_user_id;
    const char *allowed, *banned; /* comma-separated, may be NULL */
};

struct user {
    char *name, *home, *shell;
    uid_t uid;
    gid_t gid;
    gid_t *groups; /* GID included */
    size_t group_count;
};

/* Looks up NAME. -EACCES: ERR has the reason and the configuration key that would allow the user.
 * -LAUNCH_NO_ACCOUNT: there is no such account. On success the caller frees *USER with users_clear. */
int users_find(const char *name, const struct users_rule *rule, struct user *user, struct err *err);
/* The same for the user with the id UID. */
int users_find_id(uid_t uid, const struct users_rule *rule, struct user *user, struct err *err);
void users_clear(struct user *user);

/* Users looked up in the last seconds. */
#define USERS_KNOWN_MAX 16
struct users_cache {
    struct {
        struct user user;
        int64_t until_ms;
    } known[USERS_KNOWN_MAX];
    unsigned next;
};

/* Does the same as users_find with a cache of some seconds, for many starts at once: a user who is removed
 * from a group, or whose account is removed, can start containers for that time. NOW_MS is monotonic. *USER
 * is borrowed until the next call. */
int users_recall(struct users_cache *cache, const char *name, const struct users_rule *rule, int64_t now_ms,
                 const struct user **user, struct err *err);
void users_forget(struct users_cache *cache);

#endif

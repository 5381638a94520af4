/* SPDX-License-Identifier: Apache-2.0 */
/* users.c - decides which users may run containers on this node, and finds their ids */
#include "nm-agent/linux/parts/users.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/launch.h"
#include "nm-agent/linux/parts/paths.h"

#define KNOWN_MS 5000
#define GROUPS_MAX 65536 /* NGROUPS_MAX of Linux */

/* Returns true for an error that may be temporary, unlike an unknown user. */
static bool is_shortage(int code)
{
    return code == EMFILE || code == ENFILE || code == ENOMEM || code == EAGAIN;
}

static int look_up(const char *name, struct passwd *entry, char **buffer, struct err *err)
{
    struct passwd *found = NULL;
    size_t room = 1024;
    int code;

    for (;;) {
        *buffer = mem_resize(*buffer, room, 1);
        code = getpwnam_r(name, entry, *buffer, room, &found);
        if (code != ERANGE || room > 1 << 24)
            break;
        room *= 2;
    }
    if (found == NULL && code != 0 && code != ENOENT && code != ESRCH)
        return err_set_errno(err, is_shortage(code) ? code : EACCES,
                             "user %s cannot be looked up on this node (%s)", name, strerror(code));
    if (found == NULL)
        return err_set(err, LAUNCH_NO_ACCOUNT,
                       "user %s is unknown on this node; create the account there, "
                       "or submit as another user",
                       name);
    return 0;
}

static int check(const char *name, const struct passwd *entry, const struct users_rule *rule, struct err *err)
{
    /* Some directory services accept names in any case, or numbers: then NAME differs from the name in the
     * lists. */
    if (strcmp(entry->pw_name, name) != 0)
        return err_set(err, EACCES, "user %s is called %s on this node; submit under that name", name,
                       entry->pw_name);
    /* For the kernel an id of -1 means "no change". */
    if (entry->pw_uid == (uid_t)-1 || entry->pw_gid == (gid_t)-1)
        return err_set(err, EACCES, "user %s has no usable user and group id on this node", name);
    if (paths_list_has(rule->banned, entry->pw_name))
        return err_set(err, EACCES,
                       "user %s may not run containers on this node: listed in "
                       "creel.container.banned-users",
                       entry->pw_name);
    if ((int64_t)entry->pw_uid < rule->min_user_id && !paths_list_has(rule->allowed, entry->pw_name))
        return err_set(err, EACCES,
                       "user %s may not run containers on this node: user id %u is "
                       "below creel.container.min-user-id %" PRId64 "; an administrator can add "
                       "the name to creel.container.allowed-system-users",
                       entry->pw_name, (unsigned)entry->pw_uid, rule->min_user_id);
    if (geteuid() != 0 && geteuid() != entry->pw_uid)
        return err_set(err, EACCES,
                       "user %s: this agent does not run as root, so that it can "
                       "run containers of user id %u alone",
                       entry->pw_name, (unsigned)geteuid());
    return 0;
}

static void read_groups(struct user *user)
{
    int count = 32;

    user->groups = mem_array0((size_t)count, sizeof(gid_t));
    while (getgrouplist(user->name, user->gid, user->groups, &count) < 0 && count <= GROUPS_MAX)
        user->groups = mem_resize(user->groups, (size_t)count, sizeof(gid_t));
    user->group_count = count > 0 && count <= GROUPS_MAX ? (size_t)count : 0;
}

int users_find(const char *name, const struct users_rule *rule, struct user *user, struct err *err)
{
    scoped_free char *buffer = NULL;
    struct passwd entry;
    int result;

    if (!paths_is_name(name))
        return err_set(err, EACCES, "\"%s\" is not a user name", name ? name : "");
    result = look_up(name, &entry, &buffer, err);
    if (result == 0)
        result = check(name, &entry, rule, err);
    if (result != 0)
        return result;
    *user = (struct user){
        .name = mem_strdup(name),
        .home = mem_strdup(entry.pw_dir[0] ? entry.pw_dir : "/"),
        .shell = mem_strdup(entry.pw_shell[0] ? entry.pw_shell : "/bin/sh"),
        .uid = entry.pw_uid,
        .gid = entry.pw_gid,
    };
    read_groups(user);
    return 0;
}

int users_find_id(uid_t uid, const struct users_rule *rule, struct user *user, struct err *err)
{
    scoped_free char *buffer = NULL, *name = NULL;
    struct passwd entry, *found = NULL;
    size_t room = 1024;
    int code;

    do {
        buffer = mem_resize(buffer, room, 1);
        code = getpwuid_r(uid, &entry, buffer, room, &found);
        room *= 2;
    } while (code == ERANGE && room <= 1 << 24);
    if (found == NULL && code != 0 && code != ENOENT && code != ESRCH)
        return err_set_errno(err, is_shortage(code) ? code : EACCES,
                             "user id %u cannot be looked up on this node (%s)", (unsigned)uid,
                             strerror(code));
    if (found == NULL)
        return err_set(err, EACCES, "user id %u has no account on this node", (unsigned)uid);
    name = mem_strdup(found->pw_name);
    return users_find(name, rule, user, err);
}

void users_clear(struct user *user)
{
    free(user->name);
    free(user->home);
    free(user->shell);
    free(user->groups);
    *user = (struct user){ .name = NULL };
}

/* --- cache ------------------------------------------------------------------- */

int users_recall(struct users_cache *cache, const char *name, const struct users_rule *rule, int64_t now_ms,
                 const struct user **user, struct err *err)
{
    struct user found;
    unsigned place = cache->next;
    int result;

    for (unsigned i = 0; i < USERS_KNOWN_MAX; i++) {
        *user = &cache->known[i].user;
        if ((*user)->name == NULL || name == NULL || strcmp((*user)->name, name) != 0)
            continue;
        if (now_ms < cache->known[i].until_ms)
            return 0;
        place = i;
    }
    result = users_find(name, rule, &found, err);
    if (result != 0)
        return result;
    users_clear(&cache->known[place].user);
    cache->known[place].user = found;
    cache->known[place].until_ms = now_ms + KNOWN_MS;
    if (place == cache->next)
        cache->next = (cache->next + 1) % USERS_KNOWN_MAX;
    *user = &cache->known[place].user;
    return 0;
}

void users_forget(struct users_cache *cache)
{
    for (unsigned i = 0; i < USERS_KNOWN_MAX; i++)
        users_clear(&cache->known[i].user);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* user_groups.c - the groups of a user on this host */
#include "rm/net/keys/user_groups.h"

#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "rm/identity/groups.h"

#define KEPT_MS 300000
#define KEPT_MAX 10000u /* maximum of cached users; beyond that the cache is emptied */
#define ROOM_MAX 65536  /* NGROUPS_MAX of Linux */

struct known {
    UT_hash_handle hh;
    char *user;   /* owned */
    char **names; /* owned */
    size_t count;
    int64_t until_ms;
};

struct user_groups {
    struct groups *overrides;
    struct known *known; /* owned: by user */
};

int user_groups_new(const struct conf *conf, struct user_groups **ret, struct err *err)
{
    struct groups *overrides = NULL;
    char origin[CONF_ORIGIN_MAX];
    int r = groups_parse(conf_raw(conf, GROUPS_KEY), &overrides, err);

    if (r < 0) {
        err_prefix(err, "%s", conf_origin(conf, GROUPS_KEY, origin, sizeof(origin)));
        return r;
    }
    *ret = mem_new0(struct user_groups);
    (*ret)->overrides = overrides;
    return 0;
}

static void forget(struct user_groups *groups, struct known *known)
{
    HASH_DEL(groups->known, known);
    for (size_t i = 0; i < known->count; i++)
        free(known->names[i]);
    free(known->names);
    free(known->user);
    free(known);
}

void user_groups_free(struct user_groups *groups)
{
    struct known *known, *next;

    if (groups == NULL)
        return;
    HASH_ITER(hh, groups->known, known, next)
        forget(groups, known);
    groups_free(groups->overrides);
    free(groups);
}

/* --- the name service ------------------------------------------------------ */

/* Returns the number of groups of USER, and their ids, the primary group first. */
static size_t list_ids(const char *user, gid_t primary, gid_t **ret)
{
    int count = 64, room;

    do {
        room = count;
        *ret = mem_resize(*ret, (size_t)room, sizeof(**ret));
        if (getgrouplist(user, primary, *ret, &count) >= 0)
            return count > 0 ? (size_t)count : 0;
        count = count > room ? count : room * 2;
    } while (count <= ROOM_MAX);
    return 0;
}

static void add_name(struct known *known, const char *name)
{
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->names[i], name) == 0)
            return;
    known->names = mem_resize(known->names, known->count + 1, sizeof(*known->names));
    known->names[known->count++] = mem_strdup(name);
}

static void look_up(struct known *known)
{
    const struct passwd *entry = getpwnam(known->user);
    scoped_free gid_t *ids = NULL;
    gid_t primary = entry ? entry->pw_gid : 0;
    size_t count = entry ? list_ids(known->user, primary, &ids) : 0;
    const struct group *group = entry ? getgrgid(primary) : NULL;

    if (group)
        add_name(known, group->gr_name);
    for (size_t i = 0; i < count; i++) {
        group = getgrgid(ids[i]);
        if (group)
            add_name(known, group->gr_name);
    }
}

static struct known *find_known(struct user_groups *groups, int64_t now_ms, const char *user)
{
    struct known *known, *next;

    HASH_FIND_STR(groups->known, user, known);
    if (known && known->until_ms > now_ms)
        return known;
    if (known)
        forget(groups, known);
    if (HASH_COUNT(groups->known) >= KEPT_MAX)
        HASH_ITER(hh, groups->known, known, next)
            forget(groups, known);
    known = mem_new0(struct known);
    known->user = mem_strdup(user);
    known->until_ms = now_ms + KEPT_MS;
    look_up(known);
    HASH_ADD_KEYPTR(hh, groups->known, known->user, strlen(known->user), known);
    return known;
}

size_t user_groups_find(struct user_groups *groups, int64_t now_ms, struct arena *arena, const char *user,
                        const char *const **ret)
{
    const char *const *names;
    const char **copy;
    size_t count;

    if (!groups_find(groups->overrides, user, &names, &count)) {
        const struct known *known = find_known(groups, now_ms, user);

        names = (const char *const *)known->names;
        count = known->count;
    }
    copy = arena_array0(arena, count + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = arena_strdup(arena, names[i]);
    *ret = copy;
    return count;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* job_users.c - what this host knows of the owners of jobs */
#include "client/slurm-client/job_users.h"

#include <grp.h>
#include <pwd.h>
#include <uthash.h>

#include "common/base/arena.h"
#include "common/base/mem.h"

struct entry {
    const char *name;
    struct job_user user;
    UT_hash_handle hh;
};

struct job_users {
    struct arena *arena; /* of entries and texts */
    struct entry *all;   /* uthash by name */
};

struct job_users *job_users_new(void)
{
    struct job_users *users = mem_new0(struct job_users);

    users->arena = arena_new();
    return users;
}

void job_users_free(struct job_users *users)
{
    if (!users)
        return;
    HASH_CLEAR(hh, users->all);
    arena_free(users->arena);
    free(users);
}

static void look_up(struct arena *arena, const char *name, struct job_user *user)
{
    const struct passwd *known = getpwnam(name);
    const struct group *group;

    if (!known)
        return;
    *user = (struct job_user){ .is_known = true, .id = known->pw_uid, .group_id = known->pw_gid };
    group = getgrgid(user->group_id);
    user->group = group ? arena_strdup(arena, group->gr_name) : NULL;
}

const struct job_user *job_users_find(struct job_users *users, const char *name)
{
    struct entry *entry;

    HASH_FIND_STR(users->all, name, entry);
    if (entry)
        return &entry->user;
    entry = arena_new0(users->arena, struct entry);
    entry->name = arena_strdup(users->arena, name);
    look_up(users->arena, name, &entry->user);
    HASH_ADD_KEYPTR(hh, users->all, entry->name, strlen(entry->name), entry);
    return &entry->user;
}

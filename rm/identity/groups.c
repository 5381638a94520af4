/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - parses the groups of users that a configuration sets */
#include "rm/identity/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/problems.h"

struct member {
    UT_hash_handle hh;
    char *user;          /* owned; the groups point into the same block */
    const char **groups; /* owned array */
    size_t count, capacity;
};

struct groups {
    struct member *members; /* owned hash, by user */
};

static void member_free(struct member *member)
{
    free(member->user);
    free(member->groups);
    free(member);
}

void groups_free(struct groups *groups)
{
    struct member *member, *next;

    if (groups == NULL)
        return;
    HASH_ITER(hh, groups->members, member, next) {
        HASH_DEL(groups->members, member);
        member_free(member);
    }
    free(groups);
}

/* Parses an entry, "alice=staff,ops", and adds the user to GROUPS. */
static int read_entry(struct groups *groups, const char *entry, struct err *err)
{
    struct member *member = mem_new0(struct member), *old = NULL;
    char *names = member->user = mem_strdup(entry), *user;
    char shown[PROBLEMS_SHOWN_MAX];
    size_t length;

    user = text_trim(strsep(&names, "="));
    if (*user == '\0' || (names && strchr(names, '='))) {
        member_free(member);
        return err_set(err, EINVAL, "%s: \"%s\": expected user=group1,group2;...", GROUPS_KEY,
                       problems_show(entry, shown));
    }
    for (char *name; (name = text_next_word(&names)) != NULL;) {
        mem_grow(member->groups, member->count, member->capacity);
        member->groups[member->count++] = name;
    }
    length = strlen(user);
    HASH_FIND(hh, groups->members, user, length, old);
    if (old) {
        HASH_DEL(groups->members, old);
        member_free(old);
    }
    HASH_ADD_KEYPTR(hh, groups->members, user, length, member);
    return 0;
}

int groups_parse(const char *text, struct groups **ret, struct err *err)
{
    struct groups *groups = mem_new0(struct groups);
    scoped_free char *copy = mem_strdup(text ? text : "");
    char *rest = copy;

    for (char *entry; (entry = strsep(&rest, ";")) != NULL;) {
        entry = text_trim(entry);
        if (*entry != '\0' && read_entry(groups, entry, err) < 0) {
            groups_free(groups);
            return -EINVAL;
        }
    }
    *ret = groups;
    return 0;
}

bool groups_find(const struct groups *groups, const char *user, const char *const **names, size_t *count)
{
    struct member *member = NULL;

    HASH_FIND(hh, groups->members, user, strlen(user), member);
    if (member == NULL)
        return false;
    *names = member->groups;
    *count = member->count;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* signed_in.c - table of the public keys of users who have signed in by MUNGE */
#include "rm/net/keys/signed_in.h"

#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/keys/keys.h"

#define DROPPED_AT_ONCE 8 /* expired keys that one call of signed_in_put removes at most */

struct user;

struct entry {
    char key[KEY_TEXT];
    struct user *user;
    int64_t until_ms;
    TAILQ_ENTRY(entry) of_user, of_all; /* the least recently used first */
    UT_hash_handle hh;
};

TAILQ_HEAD(entries, entry);

/* A user with at least one key. */
struct user {
    char *name;
    unsigned count;
    struct entries entries;
    UT_hash_handle hh;
};

struct signed_in {
    struct entry *by_key;
    struct user *users;
    struct entries entries;
    size_t count;
};

struct signed_in *signed_in_new(void)
{
    struct signed_in *table = mem_new0(struct signed_in);

    TAILQ_INIT(&table->entries);
    return table;
}

static void remove_entry(struct signed_in *table, struct entry *entry)
{
    struct user *user = entry->user;

    HASH_DEL(table->by_key, entry);
    TAILQ_REMOVE(&table->entries, entry, of_all);
    TAILQ_REMOVE(&user->entries, entry, of_user);
    table->count--;
    free(entry);
    if (--user->count > 0)
        return;
    HASH_DEL(table->users, user);
    free(user->name);
    free(user);
}

void signed_in_free(struct signed_in *table)
{
    if (table == NULL)
        return;
    while (!TAILQ_EMPTY(&table->entries))
        remove_entry(table, TAILQ_FIRST(&table->entries));
    free(table);
}

static struct entry *find_entry(const struct signed_in *table, const char *key)
{
    struct entry *entry;

    HASH_FIND_STR(table->by_key, key, entry);
    return entry;
}

static struct user *need_user(struct signed_in *table, const char *name)
{
    struct user *user;

    HASH_FIND_STR(table->users, name, user);
    if (user != NULL)
        return user;
    user = mem_new0(struct user);
    user->name = mem_strdup(name);
    TAILQ_INIT(&user->entries);
    HASH_ADD_KEYPTR(hh, table->users, user->name, strlen(user->name), user);
    return user;
}

static void mark_used(struct signed_in *table, struct entry *entry)
{
    TAILQ_REMOVE(&table->entries, entry, of_all);
    TAILQ_INSERT_TAIL(&table->entries, entry, of_all);
    TAILQ_REMOVE(&entry->user->entries, entry, of_user);
    TAILQ_INSERT_TAIL(&entry->user->entries, entry, of_user);
}

/* Adds KEY of USER, which the table does not have. */
static struct entry *add_entry(struct signed_in *table, const char *key, const char *name)
{
    struct entry *entry = mem_new0(struct entry);
    struct user *user = need_user(table, name);

    memcpy(entry->key, key, KEY_TEXT);
    entry->user = user;
    HASH_ADD_STR(table->by_key, key, entry);
    TAILQ_INSERT_TAIL(&table->entries, entry, of_all);
    TAILQ_INSERT_TAIL(&user->entries, entry, of_user);
    user->count++;
    table->count++;
    if (user->count > SIGNED_IN_OF_USER_MAX)
        remove_entry(table, TAILQ_FIRST(&user->entries));
    else if (table->count > SIGNED_IN_MAX)
        remove_entry(table, TAILQ_FIRST(&table->entries));
    return entry;
}

/* Removes some expired keys. Those of ended commands are the least recently used. */
static void drop_expired(struct signed_in *table, int64_t now_ms)
{
    for (unsigned i = 0; i < DROPPED_AT_ONCE; i++) {
        struct entry *first = TAILQ_FIRST(&table->entries);

        if (first == NULL || first->until_ms > now_ms)
            return;
        remove_entry(table, first);
    }
}

bool signed_in_put(struct signed_in *table, const char *key, const char *user, int64_t now_ms,
                   int64_t until_ms)
{
    struct entry *entry;

    if (strlen(key) != KEY_TEXT - 1)
        return false;
    drop_expired(table, now_ms);
    entry = find_entry(table, key);
    if (entry != NULL && entry->until_ms <= now_ms) {
        remove_entry(table, entry);
        entry = NULL;
    }
    if (entry != NULL && strcmp(entry->user->name, user) != 0)
        return false;
    if (entry == NULL)
        entry = add_entry(table, key, user);
    else
        mark_used(table, entry);
    entry->until_ms = until_ms;
    return true;
}

const char *signed_in_find(struct signed_in *table, const char *key, int64_t now_ms)
{
    struct entry *entry = find_entry(table, key);

    if (entry == NULL)
        return NULL;
    if (entry->until_ms <= now_ms) {
        remove_entry(table, entry);
        return NULL;
    }
    mark_used(table, entry);
    return entry->user->name;
}

int64_t signed_in_left_ms(const struct signed_in *table, const char *key, int64_t now_ms)
{
    const struct entry *entry = find_entry(table, key);

    return entry != NULL && entry->until_ms > now_ms ? entry->until_ms - now_ms : 0;
}

void signed_in_each(const struct signed_in *table, int64_t now_ms,
                    void (*each)(void *context, const char *key, const char *user, int64_t left_ms),
                    void *context)
{
    const struct entry *entry;

    TAILQ_FOREACH(entry, &table->entries, of_all)
        if (entry->until_ms > now_ms)
            each(context, entry->key, entry->user->name, entry->until_ms - now_ms);
}

size_t signed_in_count(const struct signed_in *table)
{
    return table->count;
}

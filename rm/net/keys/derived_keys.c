/* SPDX-License-Identifier: Apache-2.0 */
/* derived_keys.c - finds the attempt, or the application, that a public key belongs to */
#include "rm/net/keys/derived_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/io/keys/derived_key.h"

struct entry {
    char id[ID_TEXT_MAX]; /* of the attempt or application */
    char public_text[KEY_TEXT];
    UT_hash_handle hh_id, hh_key;
    TAILQ_ENTRY(entry) link; /* the entry that was checked longest ago is first */
};

struct derived_keys {
    const struct token_ring *ring;
    Creel__TokenKind kind;
    derived_keys_lives_fn *lives;
    void *context;
    struct entry *by_id, *by_key;
    TAILQ_HEAD(, entry) all;
};

struct derived_keys *derived_keys_new(const struct token_ring *ring, Creel__TokenKind kind,
                                      derived_keys_lives_fn *lives, void *context)
{
    struct derived_keys *keys = mem_new0(struct derived_keys);

    keys->ring = ring;
    keys->kind = kind;
    keys->lives = lives;
    keys->context = context;
    TAILQ_INIT(&keys->all);
    return keys;
}

static void forget(struct derived_keys *keys, struct entry *entry)
{
    HASH_DELETE(hh_id, keys->by_id, entry);
    HASH_DELETE(hh_key, keys->by_key, entry);
    TAILQ_REMOVE(&keys->all, entry, link);
    free(entry);
}

void derived_keys_free(struct derived_keys *keys)
{
    if (keys == NULL)
        return;
    while (!TAILQ_EMPTY(&keys->all))
        forget(keys, TAILQ_FIRST(&keys->all));
    free(keys);
}

static void derive(const struct derived_keys *keys, struct entry *entry)
{
    Creel__AmGrant of_attempt = CREEL__AM_GRANT__INIT;
    Creel__JobGrant of_app = CREEL__JOB_GRANT__INIT;
    scoped_free uint8_t *token = NULL;
    struct key key;
    size_t size;

    of_attempt.attempt_id = entry->id;
    of_app.app_id = entry->id;
    token_sign(keys->ring, keys->kind,
               keys->kind == CREEL__TOKEN_KIND__TOKEN_AM ? &of_attempt.base : &of_app.base, &token, &size);
    derived_key_make(token, size, &key);
    memcpy(entry->public_text, key.public_text, KEY_TEXT);
    explicit_bzero(&key, sizeof(key));
}

void derived_keys_add(struct derived_keys *keys, const char *id)
{
    struct entry *entry;

    HASH_FIND(hh_id, keys->by_id, id, strlen(id), entry);
    if (entry != NULL)
        return;
    entry = mem_new0(struct entry);
    snprintf(entry->id, sizeof(entry->id), "%s", id);
    derive(keys, entry);
    HASH_ADD_KEYPTR(hh_id, keys->by_id, entry->id, strlen(entry->id), entry);
    HASH_ADD_KEYPTR(hh_key, keys->by_key, entry->public_text, strlen(entry->public_text), entry);
    TAILQ_INSERT_TAIL(&keys->all, entry, link);
}

const char *derived_keys_public(const struct derived_keys *keys, const char *id)
{
    struct entry *entry;

    HASH_FIND(hh_id, keys->by_id, id, strlen(id), entry);
    return entry != NULL ? entry->public_text : NULL;
}

const char *derived_keys_find(struct derived_keys *keys, const char *public_text)
{
    struct entry *entry;

    HASH_FIND(hh_key, keys->by_key, public_text, strlen(public_text), entry);
    return entry != NULL && keys->lives(keys->context, entry->id) ? entry->id : NULL;
}

void derived_keys_sweep(struct derived_keys *keys, size_t most)
{
    size_t count = derived_keys_count(keys);

    for (size_t i = 0; i < most && i < count; i++) {
        struct entry *entry = TAILQ_FIRST(&keys->all);

        TAILQ_REMOVE(&keys->all, entry, link);
        TAILQ_INSERT_TAIL(&keys->all, entry, link);
        if (!keys->lives(keys->context, entry->id))
            forget(keys, entry);
    }
}

size_t derived_keys_count(const struct derived_keys *keys)
{
    return HASH_CNT(hh_id, keys->by_id);
}

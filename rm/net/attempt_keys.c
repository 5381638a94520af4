/* SPDX-License-Identifier: Apache-2.0 */
/* attempt_keys.c - finds the attempt that a public key belongs to */
#include "rm/net/attempt_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/io/attempt_key.h"

struct entry {
    char attempt_id[ID_TEXT_MAX];
    char public_text[KEY_TEXT];
    UT_hash_handle hh_id, hh_key;
    TAILQ_ENTRY(entry) link; /* the entry that was checked longest ago is first */
};

struct attempt_keys {
    const struct token_ring *ring;
    attempt_keys_lives_fn *lives;
    void *context;
    struct entry *by_id, *by_key;
    TAILQ_HEAD(, entry) all;
};

struct attempt_keys *attempt_keys_new(const struct token_ring *ring, attempt_keys_lives_fn *lives,
                                      void *context)
{
    struct attempt_keys *keys = mem_new0(struct attempt_keys);

    keys->ring = ring;
    keys->lives = lives;
    keys->context = context;
    TAILQ_INIT(&keys->all);
    return keys;
}

static void forget(struct attempt_keys *keys, struct entry *entry)
{
    HASH_DELETE(hh_id, keys->by_id, entry);
    HASH_DELETE(hh_key, keys->by_key, entry);
    TAILQ_REMOVE(&keys->all, entry, link);
    free(entry);
}

void attempt_keys_free(struct attempt_keys *keys)
{
    if (keys == NULL)
        return;
    while (!TAILQ_EMPTY(&keys->all))
        forget(keys, TAILQ_FIRST(&keys->all));
    free(keys);
}

static void derive(const struct attempt_keys *keys, struct entry *entry)
{
    Creel__AmGrant grant = CREEL__AM_GRANT__INIT;
    scoped_free uint8_t *token = NULL;
    struct key key;
    size_t size;

    grant.attempt_id = entry->attempt_id;
    token_sign(keys->ring, CREEL__TOKEN_KIND__TOKEN_AM, &grant.base, &token, &size);
    attempt_key_derive(token, size, &key);
    memcpy(entry->public_text, key.public_text, KEY_TEXT);
    explicit_bzero(&key, sizeof(key));
}

void attempt_keys_add(struct attempt_keys *keys, const char *attempt_id)
{
    struct entry *entry;

    HASH_FIND(hh_id, keys->by_id, attempt_id, strlen(attempt_id), entry);
    if (entry != NULL)
        return;
    entry = mem_new0(struct entry);
    snprintf(entry->attempt_id, sizeof(entry->attempt_id), "%s", attempt_id);
    derive(keys, entry);
    HASH_ADD_KEYPTR(hh_id, keys->by_id, entry->attempt_id, strlen(entry->attempt_id), entry);
    HASH_ADD_KEYPTR(hh_key, keys->by_key, entry->public_text, strlen(entry->public_text), entry);
    TAILQ_INSERT_TAIL(&keys->all, entry, link);
}

const char *attempt_keys_public(const struct attempt_keys *keys, const char *attempt_id)
{
    struct entry *entry;

    HASH_FIND(hh_id, keys->by_id, attempt_id, strlen(attempt_id), entry);
    return entry != NULL ? entry->public_text : NULL;
}

const char *attempt_keys_find(struct attempt_keys *keys, const char *public_text)
{
    struct entry *entry;

    HASH_FIND(hh_key, keys->by_key, public_text, strlen(public_text), entry);
    return entry != NULL && keys->lives(keys->context, entry->attempt_id) ? entry->attempt_id : NULL;
}

void attempt_keys_sweep(struct attempt_keys *keys, size_t most)
{
    size_t count = attempt_keys_count(keys);

    for (size_t i = 0; i < most && i < count; i++) {
        struct entry *entry = TAILQ_FIRST(&keys->all);

        TAILQ_REMOVE(&keys->all, entry, link);
        TAILQ_INSERT_TAIL(&keys->all, entry, link);
        if (!keys->lives(keys->context, entry->attempt_id))
            forget(keys, entry);
    }
}

size_t attempt_keys_count(const struct attempt_keys *keys)
{
    return HASH_CNT(hh_id, keys->by_id);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* signing_keys.c - the keys with which the resource manager signs */
#include "rm/net/signing_keys.h"

#include <errno.h>
#include <stdlib.h>

static int load_or_make(struct token_ring *ring, int64_t *rolled_ms, const char *name, struct store *store,
                        int64_t now_ms, struct err *err)
{
    int r = store_get_ring(store, name, ring, rolled_ms, err);

    if (r != -ENOENT)
        return r;
    token_ring_roll(ring);
    *rolled_ms = now_ms;
    return store_put_ring(store, name, ring, now_ms, err);
}

int signing_keys_load(struct signing_keys *signing, struct store *store, int64_t now_ms, struct err *err)
{
    int64_t am_rolled_ms;
    int r = load_or_make(&signing->am, &am_rolled_ms, "am", store, now_ms, err);

    if (r < 0)
        return r;
    return load_or_make(&signing->container, &signing->container_rolled_ms, "container", store, now_ms, err);
}

int64_t signing_keys_due_ms(const struct signing_keys *signing, int64_t interval_ms)
{
    if (interval_ms > INT64_MAX - signing->container_rolled_ms)
        return INT64_MAX;
    return signing->container_rolled_ms + interval_ms;
}

int signing_keys_roll(struct signing_keys *signing, struct store *store, int64_t now_ms, struct err *err)
{
    struct token_ring next = signing->container;
    int r;

    token_ring_roll(&next);
    r = store_put_ring(store, "container", &next, now_ms, err);
    if (r < 0)
        return r;
    signing->container = next;
    signing->container_rolled_ms = now_ms;
    return 0;
}

ProtobufCBinaryData signing_keys_sign(void *context, struct arena *arena, Creel__TokenKind kind,
                                      const ProtobufCMessage *payload)
{
    struct signing_keys *signing = context;
    const struct token_ring *ring = kind == CREEL__TOKEN_KIND__TOKEN_AM ? &signing->am : &signing->container;
    ProtobufCBinaryData token;
    uint8_t *bytes;
    size_t size;

    token_sign(ring, kind, payload, &bytes, &size);
    token.data = arena_dup(arena, bytes, size);
    token.len = size;
    free(bytes);
    return token;
}

size_t signing_keys_token_keys(void *context, Creel__TokenKey *keys, size_t room)
{
    struct signing_keys *signing = context;
    size_t count = 0;

    for (size_t i = 0; i < TOKEN_KEYS_MAX && count < room; i++) {
        struct token_key *key = &signing->container.keys[i];

        if (key->id == 0)
            continue;
        creel__token_key__init(&keys[count]);
        keys[count].key_id = key->id;
        keys[count].key.data = key->bytes;
        keys[count].key.len = TOKEN_KEY_BYTES;
        count++;
    }
    return count;
}

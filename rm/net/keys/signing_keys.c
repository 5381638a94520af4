/* SPDX-License-Identifier: Apache-2.0 */
/* signing_keys.c - the keys with which the resource manager signs */
#include "rm/net/keys/signing_keys.h"

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

/* The ring of an earlier release: its current key is valid beside the first key of the node ring. */
static int load_shared(struct signing_keys *signing, struct store *store, struct err *err)
{
    struct token_ring former = { 0 };
    int64_t rolled_ms;
    int r = store_get_ring(store, "container", &former, &rolled_ms, err);

    if (r < 0 && r != -ENOENT)
        return r;
    signing->shared = former.keys[0];
    return 0;
}

int signing_keys_load(struct signing_keys *signing, struct store *store, int64_t now_ms, struct err *err)
{
    int64_t am_rolled_ms;
    int r = load_or_make(&signing->am, &am_rolled_ms, "am", store, now_ms, err);

    if (r == 0)
        r = load_shared(signing, store, err);
    if (r < 0)
        return r;
    signing->node = (struct token_ring){ .keys = { { .id = signing->shared.id } } };
    r = store_get_ring(store, "node", &signing->node, &signing->node_rolled_ms, err);
    if (r != -ENOENT)
        return r;
    /* The first key follows the shared one, so that no two keys of an agent have the same id. */
    token_ring_roll(&signing->node);
    signing->node.keys[1] = (struct token_key){ .id = 0 };
    signing->node_rolled_ms = now_ms;
    return store_put_ring(store, "node", &signing->node, now_ms, err);
}

int64_t signing_keys_due_ms(const struct signing_keys *signing, int64_t interval_ms)
{
    if (interval_ms > INT64_MAX - signing->node_rolled_ms)
        return INT64_MAX;
    return signing->node_rolled_ms + interval_ms;
}

int signing_keys_roll(struct signing_keys *signing, struct store *store, int64_t now_ms, struct err *err)
{
    static const struct token_ring none;
    struct token_ring next = signing->node;
    int r;

    token_ring_roll(&next);
    r = signing->shared.id == 0 ? 0 : store_put_ring(store, "container", &none, now_ms, err);
    if (r == 0)
        r = store_put_ring(store, "node", &next, now_ms, err);
    if (r < 0)
        return r;
    signing->node = next;
    signing->node_rolled_ms = now_ms;
    signing->shared.id = 0;
    return 0;
}

static bool signs_for_node(Creel__TokenKind kind)
{
    return kind == CREEL__TOKEN_KIND__TOKEN_CONTAINER || kind == CREEL__TOKEN_KIND__TOKEN_LOG;
}

ProtobufCBinaryData signing_keys_sign(void *context, struct arena *arena, Creel__TokenKind kind,
                                      const char *node_id, const ProtobufCMessage *payload)
{
    struct signing_keys *signing = context;
    struct token_ring ring = signing->am;
    ProtobufCBinaryData token = { 0, NULL };
    uint8_t *bytes;
    size_t size;

    if (signs_for_node(kind) && node_id != NULL)
        token_ring_derive(&signing->node, node_id, &ring);
    else if (signs_for_node(kind))
        ring = (struct token_ring){ .keys = { signing->shared } };
    if (ring.keys[0].id == 0)
        return token;
    token_sign(&ring, kind, payload, &bytes, &size);
    token.data = arena_dup(arena, bytes, size);
    token.len = size;
    free(bytes);
    return token;
}

static void add_key(struct arena *arena, const struct token_key *key, Creel__TokenKey *keys, size_t room,
                    size_t *count)
{
    if (key->id == 0 || *count >= room || *count >= TOKEN_KEYS_MAX)
        return;
    creel__token_key__init(&keys[*count]);
    keys[*count].key_id = key->id;
    keys[*count].key.data = arena_dup(arena, key->bytes, sizeof(key->bytes));
    keys[*count].key.len = sizeof(key->bytes);
    ++*count;
}

size_t signing_keys_token_keys(void *context, struct arena *arena, const char *node_id, Creel__TokenKey *keys,
                               size_t room)
{
    const struct signing_keys *signing = context;
    struct token_ring ring;
    size_t count = 0;

    token_ring_derive(&signing->node, node_id, &ring);
    for (size_t i = 0; i < TOKEN_KEYS_MAX; i++)
        add_key(arena, &ring.keys[i], keys, room, &count);
    add_key(arena, &signing->shared, keys, room, &count);
    return count;
}

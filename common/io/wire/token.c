/* SPDX-License-Identifier: Apache-2.0 */
/* token.c - signs and verifies tokens, with which a process proves a permission without contacting the RM */
#include "common/io/wire/token.h"

#include <assert.h>
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"

#define MAC_BYTES crypto_auth_hmacsha512256_BYTES

_Static_assert(TOKEN_KEY_BYTES == crypto_auth_hmacsha512256_KEYBYTES, "the key fits the algorithm");

static void prepare(void)
{
    int rc = sodium_init(); /* 1: initialized before */

    assert(rc >= 0);
}

static void push(struct token_ring *ring, const struct token_key *key)
{
    memmove(&ring->keys[1], &ring->keys[0], (TOKEN_KEYS_MAX - 1) * sizeof(ring->keys[0]));
    ring->keys[0] = *key;
}

static const struct token_key *find(const struct token_ring *ring, uint32_t id)
{
    for (size_t i = 0; i < TOKEN_KEYS_MAX; i++)
        if (id != 0 && ring->keys[i].id == id)
            return &ring->keys[i];
    return NULL;
}

void token_ring_roll(struct token_ring *ring)
{
    struct token_key key = { .id = ring->keys[0].id + 1 };

    prepare();
    assert(key.id != 0);
    randombytes_buf(key.bytes, sizeof(key.bytes));
    push(ring, &key);
}

void token_ring_learn(struct token_ring *ring, uint32_t id, const uint8_t bytes[TOKEN_KEY_BYTES])
{
    struct token_key key = { .id = id };

    if (id == 0 || find(ring, id) != NULL)
        return;
    memcpy(key.bytes, bytes, sizeof(key.bytes));
    push(ring, &key);
}

void token_ring_replace(struct token_ring *ring, Creel__TokenKey *const *keys, size_t count)
{
    struct token_ring fresh = { .keys = { { .id = 0 } } };

    if (count > TOKEN_KEYS_MAX)
        count = TOKEN_KEYS_MAX;
    while (count-- > 0)
        if (keys[count]->key.len == TOKEN_KEY_BYTES)
            token_ring_learn(&fresh, keys[count]->key_id, keys[count]->key.data);
    if (fresh.keys[0].id != 0)
        *ring = fresh;
}

void token_ring_derive(const struct token_ring *ring, const char *node_id, struct token_ring *ret)
{
    static const char purpose[] = "creel: token key of the node ";

    prepare();
    *ret = *ring;
    for (size_t i = 0; i < TOKEN_KEYS_MAX; i++) {
        crypto_auth_hmacsha512256_state state;

        if (ring->keys[i].id == 0)
            continue;
        crypto_auth_hmacsha512256_init(&state, ring->keys[i].bytes, sizeof(ring->keys[i].bytes));
        crypto_auth_hmacsha512256_update(&state, (const uint8_t *)purpose, sizeof(purpose) - 1);
        crypto_auth_hmacsha512256_update(&state, (const uint8_t *)node_id, strlen(node_id));
        crypto_auth_hmacsha512256_final(&state, ret->keys[i].bytes);
    }
}

static void make_mac(const struct token_key *key, Creel__TokenKind kind, const void *payload, size_t size,
                     uint8_t mac[MAC_BYTES])
{
    crypto_auth_hmacsha512256_state state;
    uint8_t head[8];

    for (unsigned i = 0; i < 4; i++) {
        head[i] = (uint8_t)((uint32_t)kind >> (8 * i));
        head[4 + i] = (uint8_t)(key->id >> (8 * i));
    }
    crypto_auth_hmacsha512256_init(&state, key->bytes, sizeof(key->bytes));
    crypto_auth_hmacsha512256_update(&state, head, sizeof(head));
    crypto_auth_hmacsha512256_update(&state, payload, size);
    crypto_auth_hmacsha512256_final(&state, mac);
}

void token_sign(const struct token_ring *ring, Creel__TokenKind kind, const ProtobufCMessage *payload,
                uint8_t **bytes, size_t *size)
{
    const struct token_key *key = &ring->keys[0];
    Creel__SignedToken token = CREEL__SIGNED_TOKEN__INIT;
    size_t payload_size = protobuf_c_message_get_packed_size(payload);
    scoped_free uint8_t *packed = mem_alloc(payload_size + 1);
    uint8_t mac[MAC_BYTES];

    prepare();
    assert(key->id != 0 && kind != CREEL__TOKEN_KIND__TOKEN_NONE);
    protobuf_c_message_pack(payload, packed);
    make_mac(key, kind, packed, payload_size, mac);
    token.kind = kind;
    token.key_id = key->id;
    token.payload = (ProtobufCBinaryData){ payload_size, packed };
    token.mac = (ProtobufCBinaryData){ sizeof(mac), mac };
    *size = creel__signed_token__get_packed_size(&token);
    *bytes = mem_alloc(*size);
    creel__signed_token__pack(&token, *bytes);
}

static int check_signature(const struct token_ring *ring, Creel__TokenKind kind,
                           const Creel__SignedToken *token, struct err *err)
{
    const struct token_key *key = find(ring, token->key_id);
    uint8_t mac[MAC_BYTES];

    if (token->kind != kind)
        return err_set(err, EBADMSG, "token: of kind %d where kind %d is needed", (int)token->kind,
                       (int)kind);
    if (key == NULL)
        return err_set(err, EKEYEXPIRED,
                       "token: signed with key %u, which is not valid any more "
                       "or not yet known here",
                       token->key_id);
    make_mac(key, kind, token->payload.data, token->payload.len, mac);
    if (sodium_memcmp(mac, token->mac.data, sizeof(mac)) != 0)
        return err_set(err, EKEYREJECTED, "token: wrong signature");
    return 0;
}

int token_open(const struct token_ring *ring, Creel__TokenKind kind, const ProtobufCMessageDescriptor *type,
               const void *bytes, size_t size, ProtobufCMessage **ret, struct err *err)
{
    ProtobufCMessage *outer;
    Creel__SignedToken *token;
    int rc;

    prepare();
    if (size == 0)
        return err_set(err, EBADMSG, "token: missing");
    if (size > TOKEN_BYTES_MAX)
        return err_set(err, EBADMSG, "token: %zu bytes, more than %d", size, TOKEN_BYTES_MAX);
    rc = wire_unpack(&creel__signed_token__descriptor, bytes, size, &outer, err);
    if (rc < 0) {
        err_prefix(err, "token");
        return rc;
    }
    token = (Creel__SignedToken *)outer;
    rc = check_signature(ring, kind, token, err);
    if (rc == 0)
        rc = wire_unpack(type, token->payload.data, token->payload.len, ret, err);
    protobuf_c_message_free_unpacked(outer, NULL);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token.h - signs and verifies tokens, with which a process proves a permission without contacting the RM
 *
 * A ring has the current key and the previous key; the RM rolls its rings. For each node the RM derives
 * a ring from its container ring, and sends that node's keys to its agent alone: a token that is signed
 * for one node is not valid on another, and the keys of one node sign nothing for another. Signatures
 * are HMAC-SHA-512/256 by libsodium, compared in constant time. See SignedToken in creel.proto.
 */
#ifndef CREEL_IO_TOKEN_H
#define CREEL_IO_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

#define TOKEN_KEY_BYTES 32
#define TOKEN_KEYS_MAX 2
#define TOKEN_BYTES_MAX 8192 /* maximum size of one SignedToken */

struct token_key {
    uint32_t id; /* counted from 1; 0: no key */
    uint8_t bytes[TOKEN_KEY_BYTES];
};

struct token_ring {
    struct token_key keys[TOKEN_KEYS_MAX]; /* current key first */
};

/* Makes a new random key the current key; the former current key stays valid. */
void token_ring_roll(struct token_ring *ring);
/* Makes BYTES the current key, with the id ID. Does nothing if ID is 0 or the ring has a key with this id.
 * Declared for tests. */
void token_ring_learn(struct token_ring *ring, uint32_t id, const uint8_t bytes[TOKEN_KEY_BYTES]);
/* Replaces the keys of the ring by the keys that the RM sent, the current key first (RegisterNodeReply,
 * HeartbeatReply). Ignores invalid keys. If there is no valid key, the ring does not change. */
void token_ring_replace(struct token_ring *ring, Creel__TokenKey *const *keys, size_t count);

/* Derives the keys of the node NODE_ID: HMAC-SHA-512/256 of its id, with a key of RING. The ids stay the
 * same. */
void token_ring_derive(const struct token_ring *ring, const char *node_id, struct token_ring *ret);

/* Signs PAYLOAD with the current key. The caller frees *BYTES, a packed SignedToken, with free(). */
void token_sign(const struct token_ring *ring, Creel__TokenKind kind, const ProtobufCMessage *payload,
                uint8_t **bytes, size_t *size);

/* Verifies a token and returns its payload of TYPE, which the caller frees with
 * protobuf_c_message_free_unpacked. The caller must check expires_ms. -EBADMSG: not a token of KIND;
 * -EKEYREJECTED: wrong signature; -EKEYEXPIRED: signed with a key that has been removed from the ring (or is
 * not in the ring yet). */
int token_open(const struct token_ring *ring, Creel__TokenKind kind, const ProtobufCMessageDescriptor *type,
               const void *bytes, size_t size, ProtobufCMessage **ret, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token.h - what the RM signs so that others can act without asking it
 *
 * A ring holds the present key and the one before it; the RM rolls its rings
 * and sends the keys of the container ring to its agents. HMAC-SHA-512/256 by
 * libsodium, compared in constant time. See SignedToken in creel.proto.
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
#define TOKEN_BYTES_MAX 8192    /* of one SignedToken */

struct token_key {
    uint32_t id;                /* from 1, growing; 0: none */
    uint8_t bytes[TOKEN_KEY_BYTES];
};

struct token_ring {
    struct token_key keys[TOKEN_KEYS_MAX];      /* the present one first */
};

/* Put a new random key first; the one that was first stays valid. */
void token_ring_roll(struct token_ring *ring);
/* Put KEY first unless the ring has its id. */
void token_ring_learn(struct token_ring *ring, uint32_t id, const uint8_t bytes[TOKEN_KEY_BYTES]);
/* Take over the keys that the RM sent, the present one first (RegisterNodeReply,
 * HeartbeatReply): what is not among them is forgotten. None: the ring stays. */
void token_ring_replace(struct token_ring *ring, Creel__TokenKey *const *keys, size_t count);

/* Sign PAYLOAD with the present key; malloc'ed SignedToken bytes. */
void token_sign(const struct token_ring *ring, Creel__TokenKind kind,
                const ProtobufCMessage *payload, uint8_t **bytes, size_t *size);

/* Check a token and hand out its payload of TYPE, freed with
 * protobuf_c_message_free_unpacked. Its expires_ms is the caller's to judge.
 * -EBADMSG not a token of KIND, -EKEYREJECTED wrong signature, -EKEYEXPIRED signed
 * with a key that was rolled away (or not yet learnt). */
int token_open(const struct token_ring *ring, Creel__TokenKind kind,
               const ProtobufCMessageDescriptor *type, const void *bytes, size_t size,
               ProtobufCMessage **ret, struct err *err);

#endif

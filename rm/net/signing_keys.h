/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signing_keys.h - the keys with which the resource manager signs
 *
 * Two key rings are kept in the store, so that tokens remain valid over restarts. The ring "container" signs
 * container and log tokens, is shared with the agents and is rolled periodically. The ring "am" never leaves
 * the resource manager and is not rolled: its tokens name one attempt and end with that attempt, and an AM
 * that runs for weeks has no way to get a new one.
 */
#ifndef CREEL_RM_SIGNING_KEYS_H
#define CREEL_RM_SIGNING_KEYS_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/io/token.h"
#include "rm/store/store.h"

struct signing_keys {
    struct token_ring am, container;
    int64_t container_rolled_ms;
};

/* Reads the key rings, or creates and stores missing ones. */
int signing_keys_load(struct signing_keys *signing, struct store *store, int64_t now_ms, struct err *err);

/* Returns the time at which the container ring has to be rolled. */
int64_t signing_keys_due_ms(const struct signing_keys *signing, int64_t interval_ms);

/* Adds a key to the container ring, which signs from then on. If the store fails, the ring is unchanged. */
int signing_keys_roll(struct signing_keys *signing, struct store *store, int64_t now_ms, struct err *err);

/* The callbacks of struct master_config; CONTEXT is a struct signing_keys. */
ProtobufCBinaryData signing_keys_sign(void *context, struct arena *arena, Creel__TokenKind kind,
                                      const ProtobufCMessage *payload);
size_t signing_keys_token_keys(void *context, Creel__TokenKey *keys, size_t room);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signing_keys.h - the keys with which the resource manager signs
 *
 * Key rings are stored, so that tokens remain valid over restarts. None of them leaves the resource manager.
 *   "node"      From its keys the keys of each node are derived (token_ring_derive). These sign container and
 *               log tokens for that node, and its agent alone gets them. Rolled periodically.
 *   "am"        Signs AM and job tokens. Not rolled: a token names one attempt or application and ends with
 *               it, and a process that runs for weeks has no way to get a new one.
 *   "container" The ring of earlier releases, whose keys all agents know. Its current key is still sent to
 *               agents until the ring "node" is rolled for the first time, so that tokens that were signed
 *               before an upgrade remain valid, and programs of the earlier release can read logs until then.
 */
#ifndef CREEL_RM_SIGNING_KEYS_H
#define CREEL_RM_SIGNING_KEYS_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/io/wire/token.h"
#include "rm/store/store.h"

struct signing_keys {
    struct token_ring am, node;
    struct token_key shared; /* key of the ring "container"; its id is 0 if there is none */
    int64_t node_rolled_ms;
};

/* Reads the key rings, or creates and stores missing ones. */
int signing_keys_load(struct signing_keys *signing, struct store *store, int64_t now_ms, struct err *err);

/* Returns the time at which the node ring has to be rolled. */
int64_t signing_keys_due_ms(const struct signing_keys *signing, int64_t interval_ms);

/* Adds a key to the node ring, which signs from then on. The shared key ends. If the store fails, the
 * ring is unchanged. */
int signing_keys_roll(struct signing_keys *signing, struct store *store, int64_t now_ms, struct err *err);

/* The callbacks of struct master_config; CONTEXT is a struct signing_keys. */
ProtobufCBinaryData signing_keys_sign(void *context, struct arena *arena, Creel__TokenKind kind,
                                      const char *node_id, const ProtobufCMessage *payload);
size_t signing_keys_token_keys(void *context, struct arena *arena, const char *node_id, Creel__TokenKey *keys,
                               size_t room);

#endif

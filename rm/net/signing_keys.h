/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signing_keys.h - the keys with which the resource manager signs
 *
 * Two key rings, both kept in the store so that tokens stay valid over restarts:
 * "container" signs container and log tokens, is shared with the agents and is
 * rolled by time; "am" never leaves the resource manager. It is not rolled: a
 * token of it names one attempt and ends with that attempt, and an AM that
 * runs for weeks has no way to be given a new one.
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

/* Read them, or make and keep those that are not there. */
int signing_keys_load(struct signing_keys *signing, struct store *store, int64_t now_ms, struct err *err);

/* When the container ring is due to be rolled. */
int64_t signing_keys_due_ms(const struct signing_keys *signing, int64_t interval_ms);

/* Roll it; on failure (the store refuses) the old keys stay in use. */
int signing_keys_roll(struct signing_keys *signing, struct store *store, int64_t now_ms, struct err *err);

/* The callbacks of struct master_config; CONTEXT is a struct signing_keys. */
ProtobufCBinaryData signing_keys_sign(void *context, struct arena *arena, Creel__TokenKind kind,
                                      const ProtobufCMessage *payload);
size_t signing_keys_token_keys(void *context, Creel__TokenKey *keys, size_t room);

#endif

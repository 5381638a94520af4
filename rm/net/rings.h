/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rings.h - the keys with which the resource manager signs
 *
 * Two rings, both kept in the store so that tokens stay valid over restarts:
 * "container" signs container and log tokens, is shared with the agents and is
 * rolled by time; "am" never leaves the resource manager. It is not rolled: a
 * token of it names one attempt and ends with that attempt, and an AM that
 * runs for weeks has no way to be given a new one.
 */
#ifndef CREEL_RM_RINGS_H
#define CREEL_RM_RINGS_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/io/token.h"
#include "rm/store/store.h"

struct rings {
    struct token_ring am, container;
    int64_t container_rolled_ms;
};

/* Read them, or make and keep those that are not there. */
int rings_load(struct rings *rings, struct store *store, int64_t now_ms, struct err *err);

/* When the container ring is due to be rolled. */
int64_t rings_due_ms(const struct rings *rings, int64_t interval_ms);

/* Roll it; on failure (the store refuses) the old keys stay in use. */
int rings_roll(struct rings *rings, struct store *store, int64_t now_ms, struct err *err);

/* The callbacks of struct master_config; CONTEXT is a struct rings. */
ProtobufCBinaryData rings_sign(void *context, struct arena *arena, Creel__TokenKind kind,
                               const ProtobufCMessage *payload);
size_t rings_token_keys(void *context, Creel__TokenKey *keys, size_t room);

#endif

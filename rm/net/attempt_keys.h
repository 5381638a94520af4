/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempt_keys.h - finds the attempt that a public key belongs to
 *
 * A table in memory. The keys are derived from tokens (common/io/attempt_key.h), so after a restart the table
 * is built again from the attempts that have not ended. The key of an attempt is valid from the order to
 * start its first container until the attempt ends. The table does not depend on events: it asks the master
 * whether an attempt has ended.
 */
#ifndef CREEL_RM_ATTEMPT_KEYS_H
#define CREEL_RM_ATTEMPT_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/io/token.h"

struct attempt_keys;

/* Returns true if the attempt ATTEMPT_ID has a first container and has not ended. */
typedef bool attempt_keys_lives_fn(void *context, const char *attempt_id);

/* Creates an empty table. RING (borrowed) signs the tokens of AMs. */
struct attempt_keys *attempt_keys_new(const struct token_ring *ring, attempt_keys_lives_fn *lives,
                                      void *context);
void attempt_keys_free(struct attempt_keys *keys); /* NULL is fine */

/* Adds an attempt. Does nothing if the table already has the attempt. */
void attempt_keys_add(struct attempt_keys *keys, const char *attempt_id);
/* Returns the public key of an attempt, borrowed until the attempt is removed. NULL: the table does not have
 * the attempt. */
const char *attempt_keys_public(const struct attempt_keys *keys, const char *attempt_id);
/* Returns the id of the attempt with PUBLIC_TEXT, borrowed until the next call; NULL: unknown, or the attempt
 * has ended. */
const char *attempt_keys_find(struct attempt_keys *keys, const char *public_text);
/* Checks the next MOST attempts and removes those that have ended. */
void attempt_keys_sweep(struct attempt_keys *keys, size_t most);
size_t attempt_keys_count(const struct attempt_keys *keys);

#endif

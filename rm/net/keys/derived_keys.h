/* SPDX-License-Identifier: Apache-2.0 */
/*
 * derived_keys.h - finds the attempt, or the application, that a public key belongs to
 *
 * A table in memory, of the tokens of one kind: of attempts (TOKEN_AM) or of applications (TOKEN_JOB). The
 * keys are derived from the tokens (common/io/keys/derived_key.h), so after a restart the table is built
 * again
 * from the attempts, or the applications, that have begun and not ended. A key is valid from the order to
 * start the first container of an attempt until the attempt ends, or the application and its last container.
 * The table does not
 * depend on events: it asks the master whether that is over.
 */
#ifndef CREEL_RM_DERIVED_KEYS_H
#define CREEL_RM_DERIVED_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/io/wire/token.h"

struct derived_keys;

/* Returns true if the key of ID, an attempt or an application, is valid still. */
typedef bool derived_keys_lives_fn(void *context, const char *id);

/* Creates an empty table. RING (borrowed) signs the tokens, which are of KIND: TOKEN_AM or TOKEN_JOB. */
struct derived_keys *derived_keys_new(const struct token_ring *ring, Creel__TokenKind kind,
                                      derived_keys_lives_fn *lives, void *context);
void derived_keys_free(struct derived_keys *keys); /* NULL is fine */

/* Adds the key of ID. Does nothing if the table already has ID. */
void derived_keys_add(struct derived_keys *keys, const char *id);
/* Returns the public key of ID, borrowed until ID is removed. NULL: the table does not have ID. */
const char *derived_keys_public(const struct derived_keys *keys, const char *id);
/* Returns the id with PUBLIC_TEXT, borrowed until the next call; NULL: unknown, or over. */
const char *derived_keys_find(struct derived_keys *keys, const char *public_text);
/* Checks the next MOST ids and removes those that are over. */
void derived_keys_sweep(struct derived_keys *keys, size_t most);
/* Returns the number of ids. Declared for tests. */
size_t derived_keys_count(const struct derived_keys *keys);

#endif

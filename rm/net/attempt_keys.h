/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempt_keys.h - which attempt has a public key
 *
 * A table in memory: keys follow from tokens (common/io/attempt_key.h), so after a restart it is made again
 * from the attempts that are not over. An attempt's key counts from the order to start its first container to
 * its end; the master is asked whether that has come, so no event can be missed.
 */
#ifndef CREEL_RM_ATTEMPT_KEYS_H
#define CREEL_RM_ATTEMPT_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/io/token.h"

struct attempt_keys;

/* Does the attempt ATTEMPT_ID have a first container, and is it not over? */
typedef bool attempt_keys_lives_fn(void *context, const char *attempt_id);

/* RING signs tokens of application masters; borrowed. */
struct attempt_keys *attempt_keys_new(const struct token_ring *ring, attempt_keys_lives_fn *lives,
                                      void *context);
void attempt_keys_free(struct attempt_keys *keys);      /* NULL is fine */

/* One that is there already costs nothing. */
void attempt_keys_add(struct attempt_keys *keys, const char *attempt_id);
/* The id of the attempt with PUBLIC_TEXT; NULL: there is none, or it is over. Borrowed until the next
 * call. */
const char *attempt_keys_find(struct attempt_keys *keys, const char *public_text);
/* Looks at MOST attempts, in turn, and forgets those that are over. */
void attempt_keys_sweep(struct attempt_keys *keys, size_t most);
size_t attempt_keys_count(const struct attempt_keys *keys);

#endif

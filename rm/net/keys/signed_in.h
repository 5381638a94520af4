/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signed_in.h - table of the public keys of users who have signed in by MUNGE
 *
 * A table in memory; signed_in_file.h keeps it over a restart. Each key has a time at which it
 * expires. The number of keys is limited, for each user and in all: a new key replaces the one that was used
 * least recently. Each question about a key counts as a use, and the keys of connections are asked about
 * again and again, so the keys that are replaced are those of commands that have ended.
 * Times are monotonic, in ms. Not thread-safe.
 */
#ifndef CREEL_RM_SIGNED_IN_H
#define CREEL_RM_SIGNED_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIGNED_IN_OF_USER_MAX 1024u
#define SIGNED_IN_MAX 65536u

struct signed_in; /* opaque */

struct signed_in *signed_in_new(void);
void signed_in_free(struct signed_in *table); /* NULL is fine */

/* Makes KEY (Z85) a key of USER until UNTIL_MS. Returns false if it is a key of another user; nothing changes
 * then. */
bool signed_in_put(struct signed_in *table, const char *key, const char *user, int64_t now_ms,
                   int64_t until_ms);
/* Returns the user of KEY, borrowed until the next call; NULL: there is none, or the key has expired. */
const char *signed_in_find(struct signed_in *table, const char *key, int64_t now_ms);
/* Returns the time until KEY expires; 0: it is not in the table. */
int64_t signed_in_left_ms(const struct signed_in *table, const char *key, int64_t now_ms);
/* Calls EACH for each key that has not expired, the least recently used first. */
void signed_in_each(const struct signed_in *table, int64_t now_ms,
                    void (*each)(void *context, const char *key, const char *user, int64_t left_ms),
                    void *context);
/* Returns the number of keys, expired ones included, for tests. */
size_t signed_in_count(const struct signed_in *table);

#endif

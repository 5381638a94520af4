/* SPDX-License-Identifier: Apache-2.0 */
/* key_counts.h - counts, for each key, its connections and the bytes not yet sent on them (private) */
#ifndef CREEL_IO_KEY_COUNTS_H
#define CREEL_IO_KEY_COUNTS_H

#include <stddef.h>

/* Hash table from a public key (Z85) to its connections and unsent bytes. A key without connections has no
 * entry. NULL is an empty table. */
struct key_count;

unsigned key_counts_get(const struct key_count *counts, const char *key);
void key_counts_add(struct key_count **counts, const char *key);
/* Removes one connection of KEY, which must have one. */
void key_counts_remove(struct key_count **counts, const char *key);

size_t key_counts_waiting(const struct key_count *counts, const char *key);
/* Add to and subtract from the unsent bytes of KEY, which must have a connection. */
void key_counts_wait(struct key_count *counts, const char *key, size_t bytes);
void key_counts_sent(struct key_count *counts, const char *key, size_t bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* key_counts.h - counts the connections of each key (private) */
#ifndef CREEL_IO_KEY_COUNTS_H
#define CREEL_IO_KEY_COUNTS_H

/* Hash table from a public key (Z85) to the number of its connections. A key without connections has no
 * entry. NULL is an empty table. */
struct key_count;

unsigned key_counts_get(const struct key_count *counts, const char *key);
void key_counts_add(struct key_count **counts, const char *key);
/* Removes one connection of KEY, which must have one. */
void key_counts_remove(struct key_count **counts, const char *key);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* key_counts.h - how many connections each key has (private) */
#ifndef CREEL_IO_KEY_COUNTS_H
#define CREEL_IO_KEY_COUNTS_H

/* Z85 of a public key -> its connections; no entry where there are none. NULL is an empty one. */
struct key_count;

unsigned key_counts_get(const struct key_count *counts, const char *key);
void key_counts_add(struct key_count **counts, const char *key);
/* KEY was added before. */
void key_counts_remove(struct key_count **counts, const char *key);

#endif

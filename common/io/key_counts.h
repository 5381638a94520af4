/* SPDX-License-Identifier: Apache-2.0 */
/* key_counts.h - how many connections each key has, and what waits for them (private) */
#ifndef CREEL_IO_KEY_COUNTS_H
#define CREEL_IO_KEY_COUNTS_H

#include <stddef.h>

/* Z85 of a public key -> its connections, and the bytes that are on the way to them; no entry where there are
 * no connections. NULL is an empty one. */
struct key_count;

unsigned key_counts_get(const struct key_count *counts, const char *key);
void key_counts_add(struct key_count **counts, const char *key);
/* KEY was added before. */
void key_counts_remove(struct key_count **counts, const char *key);

size_t key_counts_waiting(const struct key_count *counts, const char *key);
/* KEY was added before. BYTES more, or less, wait. */
void key_counts_wait(struct key_count *counts, const char *key, size_t bytes);
void key_counts_sent(struct key_count *counts, const char *key, size_t bytes);

#endif

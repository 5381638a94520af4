/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - submitted files, named by their BLAKE2b-256, read-only
 *
 * A file is kept as root's 0444, and once more as 0555 when a container wants
 * it executable: containers get hard links, which they can read and unlink but
 * not change. On another file system they get a copy, and so do containers of the
 * agent's own user, whom the mode does not stop. What is over the size is removed,
 * least recently linked first, never what a container still links to.
 */
#ifndef CREEL_NM_CACHE_H
#define CREEL_NM_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/err.h"

struct cache;

/* In STATE_DIR/cache; half-fetched files of an earlier run are removed. */
int cache_new(const char *state_dir, int64_t size_mb, struct cache **ret, struct err *err);
void cache_free(struct cache *cache);

bool cache_has(const struct cache *cache, const char *hash_hex);
/* See runtime_cache_write. */
int cache_write(struct cache *cache, const char *hash_hex, uint64_t total, uint64_t offset,
                const void *data, size_t size, struct err *err);

/* Put the file as NAME in DIRECTORY_FD, for USER. -ENOENT: not in the cache. */
int cache_link(struct cache *cache, const char *hash_hex, bool executable, uid_t user,
               int directory_fd, const char *name, struct err *err);

#endif

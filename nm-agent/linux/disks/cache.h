/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - read-only cache of submitted files, named by their BLAKE2b-256 hash
 *
 * A file is stored with owner root and mode 0444, and once more with mode 0555 if a container needs it
 * executable. Containers get hard links, which they can read and unlink but not modify. A container on
 * another file system gets a copy; so does a container of the agent's own user, for whom the mode is no
 * protection. When the cache exceeds its size, files are removed, the least recently linked first, but never
 * a file that a container still links to.
 */
#ifndef CREEL_NM_CACHE_H
#define CREEL_NM_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/err.h"

struct cache;

/* Opens the cache in STATE_DIR/cache; removes partly fetched files of an earlier run. */
int cache_new(const char *state_dir, int64_t size_mb, struct cache **ret, struct err *err);
void cache_free(struct cache *cache);

bool cache_has(const struct cache *cache, const char *hash_hex);
/* Writes a chunk of a file, as runtime_cache_write does. */
int cache_write(struct cache *cache, const char *hash_hex, uint64_t total, uint64_t offset, const void *data,
                size_t size, struct err *err);

/* Creates the file as NAME in DIRECTORY_FD, for USER. -ENOENT: not in the cache. */
int cache_link(struct cache *cache, const char *hash_hex, bool executable, uid_t user, int directory_fd,
               const char *name, struct err *err);

#endif

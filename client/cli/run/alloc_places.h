/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_places.h - which containers of an allocation are in use by steps, on the host of its shell
 *
 * A directory of this host has one file for each container. A step locks the files of its containers (flock);
 * the kernel removes the locks of a process that has ended. A step that waits for containers locks the file
 * "queue" meanwhile, so that steps get containers in the order in which they asked.
 */
#ifndef CREEL_CLI_ALLOC_PLACES_H
#define CREEL_CLI_ALLOC_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"

/* Makes the directory; the caller frees its name in *RET. */
int alloc_places_make(char **ret, struct err *err);
/* Removes it with its files. DIRECTORY may be NULL. */
void alloc_places_remove(const char *directory);

/* Called once, before the first wait. */
typedef void alloc_places_wait_fn(void *context);

/* Locks WANTED of the COUNT containers in IDS, until this process ends. Waits while fewer are free. Sets the
 * positions of the locked ones in TAKEN. */
int alloc_places_lock(const char *directory, const char *const *ids, size_t count, size_t wanted,
                      size_t *taken, alloc_places_wait_fn *waits, void *context, struct err *err);

#endif

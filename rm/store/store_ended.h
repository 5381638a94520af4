/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_ended.h - reads the rows of ended containers and applications from the state, in any thread
 *
 * A connection of its own reads one snapshot of state.db, while the store writes. Containers
 * come before applications, each in order of id.
 */
#ifndef CREEL_RM_STORE_STORE_ENDED_H
#define CREEL_RM_STORE_STORE_ENDED_H

#include <stddef.h>

#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

struct store_ended; /* opaque */

/* Opens state.db of DIRECTORY for reading. -ENOENT: there is none. */
int store_ended_open(const char *directory, struct store_ended **ret, struct err *err);
void store_ended_close(struct store_ended *ended); /* NULL is fine */

/* Receives one row. Either APP or CONTAINER is NULL. */
typedef void store_ended_fn(void *context, const Creel__StoredApp *app,
                            const Creel__StoredContainer *container);

/* Passes the next LIMIT rows to EACH. Returns the number of rows, 0 after the last one. Rows that cannot be
 * unpacked are left out: the load of the state reports them. -errno: the state cannot be read. */
int store_ended_next(struct store_ended *ended, int limit, store_ended_fn *each, void *context,
                     struct err *err);

#endif

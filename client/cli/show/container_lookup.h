/* SPDX-License-Identifier: Apache-2.0 */
/* container_lookup.h - finds a container by a shortened id */
#ifndef CREEL_CLI_CONTAINER_LOOKUP_H
#define CREEL_CLI_CONTAINER_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "client/include/creel.h"
#include "common/base/err.h"

/* Returns whether TEXT names the id FULL: the whole id, or an end of it that starts at a number of the id,
 * with or without leading zeros ("3", "_000003", "01_000003"). Declared for tests. */
bool container_id_matches(const char *full, const char *text);

/* Finds the container that TEXT names: an id, an end of an id, or a task's number ("task 3", "#3").
 * -ENOENT: none, -EINVAL: several (ERR lists some of them). */
int container_lookup(const struct creel_containers *containers, const char *text,
                     const struct creel_container **ret, struct err *err);

#endif

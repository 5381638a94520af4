/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container_lookup.h - find a container by a shortened id
 */
#ifndef CREEL_CLI_CONTAINER_LOOKUP_H
#define CREEL_CLI_CONTAINER_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "client/include/creel.h"
#include "common/base/err.h"

/* Does TEXT name the id FULL: whole, or an end of it whose digits begin where a number of the id begins or
 * where only zeros were left out ("3", "_000003", "01_000003")? */
bool container_id_matches(const char *full, const char *text);

/* The one of CONTAINERS that TEXT names: an id, an end of one, or a task's number as "task 3" does
 * ("#3"). -ENOENT none, -EINVAL several (ERR lists some of them). */
int container_lookup(const struct creel_containers *containers, const char *text,
                   const struct creel_container **ret, struct err *err);

#endif

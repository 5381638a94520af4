/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - opens the directories of one user below the directory of all aggregated logs */
#ifndef CREEL_NM_AGGREGATE_PLACE_H
#define CREEL_NM_AGGREGATE_PLACE_H

#include <stdbool.h>

#include "nm-agent/linux/aggregate/aggregate.h"

/* Returns the kind of the error number CODE of a file operation on the shared storage. */
int place_kind(int code);

/* Opens BASE/USER/SUFFIX, and creates USER and SUFFIX if MAKE. Returns a descriptor or -errno: -ENOENT
 * without a message if a directory does not exist and MAKE is false. */
int place_open(const struct aggregate_place *place, bool make, int *kind, struct err *err);

/* Opens the directory NAME below DIRECTORY_FD, whose path is PATH in messages. -EPERM: another user has made
 * it. */
int place_enter(int directory_fd, const char *path, const char *name, bool make, int *kind, struct err *err);

#endif

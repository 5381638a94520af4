/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete_values.h - names that only the resource manager knows, for completion
 *
 * Each list is cached for 10 seconds in a file in XDG_RUNTIME_DIR, a directory that belongs to the user and
 * is in memory. Without XDG_RUNTIME_DIR nothing is cached.
 */
#ifndef CREEL_CLI_COMPLETE_VALUES_H
#define CREEL_CLI_COMPLETE_VALUES_H

#include "client/cli/help/complete.h"

#define COMPLETE_CACHE_SECONDS 10

/* Returns the names of the kind place->kind (one of the last five kinds) as lines "NAME<TAB>explanation". The
 * caller frees them. NULL if the resource manager does not answer, or refuses. */
char *complete_values(struct cli *cli, const struct complete_place *place);

#endif

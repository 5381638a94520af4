/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete_values.h - names that only the resource manager knows, for completion
 *
 * A list that was requested within the last 10 seconds is read from a file in XDG_RUNTIME_DIR, which is the
 * user's own and in memory. Without that directory nothing is kept.
 */
#ifndef CREEL_CLI_COMPLETE_VALUES_H
#define CREEL_CLI_COMPLETE_VALUES_H

#include "client/cli/complete.h"

#define COMPLETE_CACHE_SECONDS 10

/* The lines "NAME<TAB>explanation" of the kind of PLACE, one of the last five; owned by the caller. NULL if
 * the resource manager does not answer, or refuses. */
char *complete_values(struct cli *cli, const struct complete_place *place);

#endif

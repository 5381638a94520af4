/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.h - packs the results of a task from its working directory
 *
 * Runs with the rights of the user, after all processes of the container have ended. Files, directories and
 * symbolic links are packed. Other files, and links that lead outside of the working directory, are left out
 * (results_link_stays_inside). A named path that is a link is followed, but only within the working
 * directory.
 */
#ifndef CREEL_NM_PACK_H
#define CREEL_NM_PACK_H

#include <stdint.h>

#include "common/base/err.h"
#include "common/base/job/results.h"

struct pack_request {
    const char *paths;            /* results_next_path */
    const char *target;           /* the directory for RESULTS_ARCHIVE and RESULTS_LIST, a whole path */
    int64_t bytes_max;            /* of RESULTS_ARCHIVE */
    const char *const *own_names; /* left out, in the working directory; ends with NULL */
};

/* Packs the requested paths of the present directory. RESULTS gets what was packed, and the problems: a path
 * that does not exist, or cannot be read. Paths without a problem are packed. If the archive would be larger
 * than allowed, nothing is. Then writes RESULTS_LIST. An error is one of writing to the target. */
int pack_results(const struct pack_request *request, struct results *results, struct err *err);

#endif

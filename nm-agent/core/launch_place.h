/* SPDX-License-Identifier: Apache-2.0 */
/* launch_place.h - values for the environment variables and file names of a command */
#ifndef CREEL_NM_CORE_LAUNCH_PLACE_H
#define CREEL_NM_CORE_LAUNCH_PLACE_H

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

struct launch_place {
    const char *app_id, *user, *host;
    const char *cluster; /* name of the cluster */
    uint32_t attempt;    /* from 1 */
    int64_t memory_mb;   /* of the container */
    int64_t vcores;      /* of the container */
};

/* Returns the value of the variable NAME that LAUNCH sets; NULL: LAUNCH does not set it. Borrowed. */
const char *launch_variable(const Creel__LaunchContext *launch, const char *name);
/* Returns the number of the application if TEXT is its id, else TEXT. In ARENA, or TEXT itself. */
const char *launch_app_number(struct arena *arena, const char *text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* state.h - the loaded queue mappings; shared by placement.c and decide.c */
#ifndef CREEL_RM_SCHED_CAPACITY_PLACEMENT_STATE_H
#define CREEL_RM_SCHED_CAPACITY_PLACEMENT_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "rm/sched/capacity/placement/placement.h"
#include "rm/sched/capacity/placement/rules.h"

#define PLACEMENT_DEFAULT_VARIABLE "%default"

struct capacity_placement {
    bool override; /* rules apply even if the submission names a queue */
    struct mapping_rules rules;
};

/* Returns true if the LENGTH bytes of COMPONENT are one of the variables of rules.h. */
bool placement_is_variable(const char *component, size_t length);

#endif

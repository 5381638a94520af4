/* SPDX-License-Identifier: Apache-2.0 */
/* state.h - a loaded placement; between placement.c and decide.c */
#ifndef CREEL_RM_SCHED_CAPACITY_PLACEMENT_STATE_H
#define CREEL_RM_SCHED_CAPACITY_PLACEMENT_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "rm/sched/capacity/placement/placement.h"
#include "rm/sched/capacity/placement/rules.h"

#define PLACEMENT_DEFAULT_VARIABLE "%default"

struct capacity_placement {
    bool override;                      /* rules count even if a queue was named */
    struct mapping_rules rules;
};

/* LENGTH bytes of COMPONENT are one of the variables of rules.h. */
bool placement_is_variable(const char *component, size_t length);

#endif

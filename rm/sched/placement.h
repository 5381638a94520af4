/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement.h - which queue a submission enters: questions and results
 *
 * Both schedulers answer the same question, each by rules of its own:
 * capacity/placement/placement.h (queue mappings) and fair/placement.h (queuePlacementPolicy).
 */
#ifndef CREEL_RM_SCHED_PLACEMENT_H
#define CREEL_RM_SCHED_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "rm/identity/acl.h"

#define PLACEMENT_RULE_MAX 512

/* Borrowed for the call. */
struct placement_request {
    struct acl_person person;
    const char *queue;                  /* as the submitter wrote it; NULL or "": none named */
    const char *app_name;               /* NULL or "": none */
};

struct placement_result {
    char *queue;                        /* owned: full path, "root.dev.ml" */
    bool create;                        /* it does not exist yet, and the rule may create it */
    int rule;                           /* which one decided, from 1; 0: none, the submitter did */
    char why[PLACEMENT_RULE_MAX];       /* that rule, or reason, in words */
};

void placement_result_clear(struct placement_result *result);

/* What became of each rule, in order, for `creel queue place`: OUTCOME is "does not match",
 * "root.bob: no such queue, next rule", ... Both texts are gone after the call. */
typedef void placement_trace_fn(void *context, int rule, const char *text, const char *outcome);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement.h - common types for deciding which queue a submission enters
 *
 * Both schedulers use these types, each with its own rules: capacity/placement/placement.h (queue mappings)
 * and fair/placement.h (queuePlacementPolicy).
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
    const char *queue;    /* as named in the submission; NULL or "": no queue named */
    const char *app_name; /* NULL or "": none */
};

struct placement_result {
    char *queue;                  /* owned: full path, "root.dev.ml" */
    bool create;                  /* the queue does not exist yet, and the rule may create it */
    int rule;                     /* the rule that decided, from 1; 0: no rule, the queue named in
                                     the submission */
    char why[PLACEMENT_RULE_MAX]; /* text of the rule; without a rule, the reason */
};

void placement_result_clear(struct placement_result *result);

/* Called for each rule in order, for `creel queue place`. OUTCOME is the result of the rule: "does not
 * match", "root.bob: no such queue, next rule", ... Both texts are valid only during the call. */
typedef void placement_trace_fn(void *context, int rule, const char *text, const char *outcome);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement.h - the fair scheduler's queuePlacementPolicy (yarn-behaviour 8.4)
 *
 * A policy is a list of rules, which are tried in order. Each one places the application, rejects it, or
 * continues with the next rule. The reader of fair-scheduler.xml adds the rules and then calls
 * fair_placement_finish(), which checks the whole policy. The policy does not change after that.
 *
 *   specified                    the queue that the submitter named
 *   user                         root.<user>
 *   primaryGroup                 root.<group>
 *   secondaryGroupExistingQueue  the first group that has a configured queue
 *   nestedUserQueue              <result of the inner rule>.<user>
 *   default                      its attribute queue, else root.default
 *   reject
 * user and both group rules may also have an inner rule, whose result replaces root. With create="false" a
 * rule continues with the next one unless the file names its queue.
 */
#ifndef CREEL_RM_SCHED_FAIR_PLACEMENT_H
#define CREEL_RM_SCHED_FAIR_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"
#include "rm/sched/placement.h"

struct fair_placement;
struct fair_rule;

/* Access to the tree of queues for placement policies. PATH is full ("root.a.b"). */
enum fair_queue_kind { FAIR_QUEUE_NONE, FAIR_QUEUE_LEAF, FAIR_QUEUE_PARENT };
struct fair_queue_view {
    void *context;
    /* Returns the kind of PATH in the allocation file; NONE if the file does not name PATH. An ancestor of a
     * configured queue is a configured parent. */
    enum fair_queue_kind (*configured)(void *context, const char *path);
    /* Returns the kind of the queue that exists now, from the file or created by a submission. */
    enum fair_queue_kind (*existing)(void *context, const char *path);
};

struct fair_placement *fair_placement_new(void);
void fair_placement_free(struct fair_placement *placement); /* NULL is fine */

/* The attributes of a rule, as in the file. */
struct fair_rule_spec {
    const char *name;
    const char *create; /* NULL: not given, true; other texts than "true" are false */
    const char *queue;  /* NULL: not given */
    const char *where;  /* "fair-scheduler.xml:12", for messages */
};

/*
 * Appends a rule to the policy, or (INSIDE not NULL) as the inner rule of INSIDE. As in YARN, a second inner
 * rule replaces the first. -EINVAL: the rule is unknown, its queue is not a path, or INSIDE may not have an
 * inner rule. PLACEMENT owns the rule; RET may be NULL.
 */
int fair_placement_add(struct fair_placement *placement, struct fair_rule *inside,
                       const struct fair_rule_spec *spec, struct fair_rule **ret, struct err *err);

/* Checks the policy: the last rule must be terminal, the others must not be, and a nestedUserQueue must have
 * an inner rule. -EINVAL: ERR names the rule and its line. */
int fair_placement_finish(struct fair_placement *placement, struct err *err);

/* Returns the position ("<file>:<line>") of the first rule for which YARN 3.4 refuses the policy, because
 * YARN takes the rule before it for a terminal one; NULL: there is none. PLACEMENT owns the text and must be
 * finished. */
const char *fair_placement_unreached(const struct fair_placement *placement);

/* A rule, for programs that show or convert a policy. Texts belong to the policy. */
struct fair_rule_view {
    const char *name, *where; /* "nestedUserQueue", "fair-scheduler.xml:12" */
    const char *queue;        /* default: a full path; others: NULL */
    bool create;
    const struct fair_rule *inner, *next; /* NULL: none */
};
const struct fair_rule *fair_placement_first(const struct fair_placement *placement);
struct fair_rule_view fair_rule_describe(const struct fair_rule *rule);

/* Returns the policy used without a queuePlacementPolicy element, by
 * yarn.scheduler.fair.user-as-default-queue and .allow-undeclared-pools. The policy is finished. */
struct fair_placement *fair_placement_default(bool user_as_default_queue, bool allow_undeclared_pools);

/*
 * Decides the queue of REQUEST. On success RESULT (which the caller clears) is a leaf, or does not exist and
 * has CREATE set. -EPERM: a rule rejects the request, or no rule places it; -EINVAL: the name is invalid for
 * a queue; -EISDIR: the queue has children, or cannot be created because a queue above it is a leaf. ERR has
 * the reason.
 */
int fair_placement_decide(const struct fair_placement *placement, const struct fair_queue_view *view,
                          const struct placement_request *request, placement_trace_fn *trace, void *context,
                          struct placement_result *result, struct err *err);

#endif

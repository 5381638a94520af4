/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement.h - the fair scheduler's queuePlacementPolicy (yarn-behaviour 8.4)
 *
 * A policy is a list of rules, which are tried in order. Each one places the application, rejects it, or
 * continues with the next rule. The reader of fair-scheduler.xml adds the rules and then finishes the policy,
 * which checks all of it; after that it does not change.
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

/* What policies need to know of the tree of queues. PATH is full ("root.a.b"). */
enum fair_queue_kind { FAIR_QUEUE_NONE, FAIR_QUEUE_LEAF, FAIR_QUEUE_PARENT };
struct fair_queue_view {
    void *context;
    /* The kind of PATH in the allocation file; NONE if it does not name it. An ancestor of a configured
     * queue is a configured parent. */
    enum fair_queue_kind (*configured)(void *context, const char *path);
    /* What there is at this moment, made by the file or by a submission. */
    enum fair_queue_kind (*existing)(void *context, const char *path);
};

struct fair_placement *fair_placement_new(void);
void fair_placement_free(struct fair_placement *placement);     /* NULL is fine */

/*
 * Append a rule to the policy, or (INSIDE not NULL) as the inner rule of INSIDE. As in YARN, a second inner
 * rule replaces the first. NAME, CREATE and QUEUE are the attributes as in the file; CREATE and QUEUE may be
 * NULL (not given); a CREATE other than "true" is false. WHERE ("fair-scheduler.xml:12") is for messages.
 * -EINVAL: an unknown rule, a queue that is not a path, or INSIDE may not have an inner rule. The rule
 * belongs to PLACEMENT; RET may be NULL.
 */
int fair_placement_add(struct fair_placement *placement, struct fair_rule *inside,
                       const char *name, const char *create, const char *queue,
                       const char *where, struct fair_rule **ret, struct err *err);

/* Check the policy: the last rule must be terminal, the others must not be, and a nestedUserQueue must have
 * an inner rule. -EINVAL: ERR names the rule and its line. */
int fair_placement_finish(struct fair_placement *placement, struct err *err);

/* The line of the first rule for which YARN 3.4 refuses the policy, because it takes the rule before it for a
 * terminal one; NULL: there is none. Belongs to PLACEMENT, which is finished. */
const char *fair_placement_unreached(const struct fair_placement *placement);

/* The policy without a queuePlacementPolicy, by yarn.scheduler.fair.user-as-default-queue and
 * .allow-undeclared-pools. It is finished. */
struct fair_placement *fair_placement_default(bool user_as_default_queue,
                                              bool allow_undeclared_pools);

/*
 * The queue of REQUEST. On success RESULT (which the caller clears) is a leaf, or does not exist and has
 * CREATE set.
 * -EPERM: a rule rejects it, or no rule takes it; -EINVAL: the name is not possible for a queue; -EISDIR:
 * that queue has children, or cannot be created because a queue above it is a leaf. ERR has the reason.
 */
int fair_placement_decide(const struct fair_placement *placement,
                          const struct fair_queue_view *view,
                          const struct placement_request *request, placement_trace_fn *trace,
                          void *context, struct placement_result *result, struct err *err);

#endif

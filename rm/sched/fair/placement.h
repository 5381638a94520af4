/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement.h - the fair scheduler's queuePlacementPolicy (yarn-behaviour 8.4)
 *
 * A policy is a list of rules, asked in order. Each places, rejects, or lets the next one
 * try. It is built rule by rule (by whoever reads fair-scheduler.xml), then finished, which
 * judges it whole; after that it does not change.
 *
 *   specified                    the queue that the submitter named
 *   user                         root.<user>
 *   primaryGroup                 root.<group>
 *   secondaryGroupExistingQueue  the first further group that has a configured queue
 *   nestedUserQueue              <what the rule inside gives>.<user>
 *   default                      its attribute queue, else root.default
 *   reject
 * user and both group rules may have a rule inside, too, instead of root. With create="false"
 * a rule passes on unless the file names its queue.
 */
#ifndef CREEL_RM_SCHED_FAIR_PLACEMENT_H
#define CREEL_RM_SCHED_FAIR_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"
#include "rm/sched/placement.h"

struct fair_placement;
struct fair_rule;

/* What policies ask about the tree of queues. PATH is full ("root.a.b"). */
enum fair_queue_kind { FAIR_QUEUE_NONE, FAIR_QUEUE_LEAF, FAIR_QUEUE_PARENT };
struct fair_queue_view {
    void *context;
    /* What the allocation file says of PATH; NONE if it does not name it. An ancestor of a
     * configured queue is a configured parent. */
    enum fair_queue_kind (*configured)(void *context, const char *path);
    /* What there is at this moment, made by the file or by a submission. */
    enum fair_queue_kind (*existing)(void *context, const char *path);
};

struct fair_placement *fair_placement_new(void);
void fair_placement_free(struct fair_placement *placement);     /* NULL is fine */

/*
 * Append a rule: to the policy, or (INSIDE not NULL) as the rule inside that one; a second one
 * inside replaces the first, as in YARN. NAME and CREATE are the attributes as written; CREATE and
 * QUEUE may be NULL (not given); what is not "true" is false. WHERE ("fair-scheduler.xml:12") goes
 * into messages. -EINVAL: an unknown rule, a queue that is no path, a rule inside one that takes
 * none. The rule belongs to PLACEMENT; RET may be NULL.
 */
int fair_placement_add(struct fair_placement *placement, struct fair_rule *inside,
                       const char *name, const char *create, const char *queue,
                       const char *where, struct fair_rule **ret, struct err *err);

/* Judge the whole: the last rule must not be able to pass on, every other one must; a
 * nestedUserQueue has one rule inside. -EINVAL: ERR names the rule and where it stands. */
int fair_placement_finish(struct fair_placement *placement, struct err *err);

/* Where the first rule stands for which YARN 3.4 refuses the whole policy, because it takes the rule before
 * it for one that never passes on; NULL: there is none. Belongs to PLACEMENT, which is finished. */
const char *fair_placement_unreached(const struct fair_placement *placement);

/* What holds without a queuePlacementPolicy: yarn.scheduler.fair.user-as-default-queue and
 * .allow-undeclared-pools. Finished already. */
struct fair_placement *fair_placement_default(bool user_as_default_queue,
                                              bool allow_undeclared_pools);

/*
 * Where REQUEST goes. On success RESULT (which the caller clears) is a leaf, or does not
 * exist and has CREATE set.
 * -EPERM: a rule rejects it, or none took it; -EINVAL: the name of a queue that cannot be one;
 * -EISDIR: that queue has children, or may not have any because an ancestor is a leaf. ERR says so.
 */
int fair_placement_decide(const struct fair_placement *placement,
                          const struct fair_queue_view *view,
                          const struct placement_request *request, placement_trace_fn *trace,
                          void *context, struct placement_result *result, struct err *err);

#endif

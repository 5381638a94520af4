/* SPDX-License-Identifier: Apache-2.0 */
/* decisions.c - appends to the list of decisions that a call returns */
#include "common/base/mem.h"
#include "rm/sched/policy.h"

struct sched_decision *sched_decide(struct sched_decisions *decisions, enum sched_decision_kind kind,
                                    struct sched_node *node, struct sched_app *app)
{
    struct sched_decision *decision;

    mem_grow(decisions->items, decisions->count, decisions->capacity);
    decision = &decisions->items[decisions->count++];
    *decision = (struct sched_decision){ .kind = kind, .node = node, .app = app };
    return decision;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* preempt.c - one round of preemption: calls the selectors in YARN's order */
#include "rm/sched/preempt/preempt.h"

#include <assert.h>

#include "common/base/mem.h"
#include "rm/sched/preempt/internal.h"

struct preempt *preempt_new(const struct preempt_settings *settings)
{
    struct preempt *preempt = mem_new0(struct preempt);

    preempt->settings = *settings;
    return preempt;
}

void preempt_free(struct preempt *preempt)
{
    if (preempt == NULL)
        return;
    free(preempt->slots);
    free(preempt->works);
    free(preempt->places);
    free(preempt->children);
    free(preempt->parts);
    free(preempt->heap.items);
    free(preempt->batch.items);
    free(preempt->underserved.items);
    free(preempt->wanting.items);
    free(preempt->picks.items);
    free(preempt->apps.items);
    free(preempt->users.items);
    free(preempt->containers.items);
    free(preempt->masters.items);
    free(preempt->reservations.items);
    free(preempt->order.items);
    free(preempt->app_works.items);
    free(preempt->user_works.items);
    free(preempt->costs.items);
    free(preempt->sorted.items);
    free(preempt->waiting.items);
    free(preempt->spare.items);
    free(preempt);
}

void preempt_set(struct preempt *preempt, const struct preempt_settings *settings)
{
    preempt->settings = *settings;
}

void preempt_round(struct preempt *preempt, const struct preempt_snapshot *snapshot, int64_t now_ms,
                   struct preempt_marks *marks)
{
    const struct preempt_settings *settings = &preempt->settings;

    assert(now_ms >= preempt->now_ms);
    preempt->snapshot = snapshot;
    preempt->now_ms = now_ms;
    if (++preempt->round == 0)
        preempt->round = 1;
    preempt->picks.count = preempt->picks_known = 0;
    preempt->underserved.count = 0;
    preempt->allowed = calc_multiply(&snapshot->cluster, (double)settings->per_round);
    tree_prepare(preempt);

    if (settings->underutilized)
        priority_select(preempt);
    if (settings->reserved)
        reserved_select(preempt);
    fifo_select(preempt, false);
    if (settings->balance)
        fifo_select(preempt, true);
    if (settings->intra)
        intra_select(preempt);
    increases_select(preempt);
    marks_act(preempt, marks);
    preempt->snapshot = NULL;
}

const char *preempt_selector_name(enum preempt_selector selector)
{
    static const char *const names[PREEMPT_SELECTORS] = {
        [PREEMPT_BY_QUEUE_PRIORITY] = "queue-priority", [PREEMPT_BY_RESERVED] = "reserved",
        [PREEMPT_BY_GUARANTEE] = "guarantee",           [PREEMPT_BY_BALANCE] = "balance",
        [PREEMPT_BY_INTRA_QUEUE] = "intra-queue",       [PREEMPT_BY_INCREASE] = "increase",
    };

    assert(selector < PREEMPT_SELECTORS);
    return names[selector];
}

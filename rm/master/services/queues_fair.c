/* SPDX-License-Identifier: Apache-2.0 */
/* queues_fair.c - explains queues with fair shares in sentences */
#include "rm/master/state/amounts.h"
#include "rm/master/services/queues.h"
#include "rm/master/parts/format.h"

struct explanation {
    struct master *m;
    const struct sched_queue_figures *figures;
    rm_append_fn *append;
    void *context;
};

static void explain_shares(const struct explanation *to)
{
    const struct sched_queue_figures *f = to->figures;
    struct arena *arena = to->m->out->arena;

    if (text_equal(f->path, "root"))
        to->append(to->context, arena_printf(arena, "root is the whole cluster: %s; policy %s.",
                                             rm_format_share(to->m, &f->fair_share), f->policy));
    else
        to->append(to->context,
                   arena_printf(arena,
                                "Its weight is %.4g, its policy %s. Its fair share now is %s, "
                                "beside the queues that have applications running; beside all, its "
                                "steady share, %s.",
                                (double)f->weight, f->policy, rm_format_share(to->m, &f->fair_share),
                                rm_format_share(to->m, &f->steady_fair_share)));
    if (!resource_is_zero(&f->minimum))
        to->append(to->context, arena_printf(arena,
                                             "Its own at any time, when it asks for it, are %s "
                                             "(minResources).",
                                             format_amounts(arena, &to->m->types, &f->minimum)));
    if (f->absolute_max_capacity < 1)
        to->append(to->context, arena_printf(arena, "It may have %s at most (maxResources).",
                                             format_amounts(arena, &to->m->types, &f->maximum)));
}

static bool above_share(const struct sched_queue_figures *f)
{
    return f->used.value[RESOURCE_MEMORY_MB] > f->fair_share.value[RESOURCE_MEMORY_MB] ||
           (text_equal(f->policy, "drf") &&
            f->used.value[RESOURCE_VCORES] > f->fair_share.value[RESOURCE_VCORES]);
}

static void explain_use(const struct explanation *to)
{
    const struct sched_queue_figures *f = to->figures;
    struct arena *arena = to->m->out->arena;

    to->append(to->context,
               arena_printf(arena, "It uses %s in %u container%s, and demands %s.",
                            format_amounts(arena, &to->m->types, &f->used), f->containers,
                            f->containers == 1 ? "" : "s", format_amounts(arena, &to->m->types, &f->demand)));
    if (!resource_is_zero(&f->reserved))
        to->append(to->context, arena_printf(arena,
                                             "Beside that %s is reserved: nodes that clear up "
                                             "for containers which fit nowhere yet.",
                                             format_amounts(arena, &to->m->types, &f->reserved)));
    if (f->starved_since_ms >= 0)
        to->append(to->context, arena_printf(arena,
                                             "It has starved for %s: it, or an application in it, "
                                             "has less than what is fair and asks for more.",
                                             format_duration(arena, to->m->now_ms - f->starved_since_ms)));
    if (!above_share(f))
        return;
    to->append(to->context,
               !to->m->features.preemption
                   ? "That is more than its fair share; preemption is off in this cluster, so it goes "
                     "back when containers end."
               : f->preemption ? "That is more than its fair share: others that starve may take it back "
                                 "by preemption."
                               : "That is more than its fair share, but it is protected from preemption "
                                 "(allowPreemptionFrom).");
}

static void explain_apps(const struct explanation *to)
{
    const struct sched_queue_figures *f = to->figures;
    struct arena *arena = to->m->out->arena;

    if (f->leaf && !resource_is_zero(&f->am_limit) && f->am_limit.value[RESOURCE_MEMORY_MB] != INT64_MAX)
        to->append(to->context, arena_printf(arena,
                                             "Application masters may hold %s of it together, "
                                             "and hold %s.",
                                             rm_format_share(to->m, &f->am_limit),
                                             format_amounts(arena, &to->m->types, &f->am_used)));
    if (f->max_apps < INT64_MAX)
        to->append(to->context, arena_printf(arena,
                                             "At most %lld applications run in it at a time "
                                             "(maxRunningApps); %u do.",
                                             (long long)f->max_apps, f->active_apps));
    if (f->waiting_apps > 0)
        to->append(to->context, arena_printf(arena,
                                             "%u application%s wait%s for a limit on running "
                                             "applications: this queue's, of one above it, or their "
                                             "user's.",
                                             f->waiting_apps, f->waiting_apps == 1 ? "" : "s",
                                             f->waiting_apps == 1 ? "s" : ""));
}

void rm_fair_describe_queue(struct master *m, const struct sched_queue_figures *figures, rm_append_fn *append,
                            void *context)
{
    const struct explanation to = { m, figures, append, context };

    explain_shares(&to);
    explain_use(&to);
    explain_apps(&to);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy-priority.c - a scheduling policy: the highest priority first, then first in, first out
 *
 * An example of a policy of a site; docs/policy.md explains each step. The priority is the one of the
 * submission (creel submit --priority), and may be changed while the application waits. Applications with
 * equal priorities are served in the order of their submission. An application that needs more room than
 * a node has does not block others.
 */
#include <errno.h>

#include "common/base/mem.h"
#include "rm/sched/app_entry.h"
#include "rm/sched/policy.h"

/* --- the order ------------------------------------------------------------- */

static int compare(const struct order_entry *a, const struct order_entry *b)
{
    const struct sched_app *app_a = app_entry_app(a), *app_b = app_entry_app(b);

    if (app_a->priority != app_b->priority)
        return app_a->priority > app_b->priority ? -1 : 1;
    return app_id_compare(&app_a->id, &app_b->id);
}

/* --- data: one index; the data of an application is its entry ------------------ */

static struct order *index_of(const struct sched *sched)
{
    return sched->data;
}

static int priority_configure(struct sched *sched, const struct sched_config *config, struct err *err)
{
    struct sched_queue *root = sched_queue_new(sched, NULL, "root", false);

    (void)config;
    (void)err;
    sched_queue_new(sched, root, "root.default", true);
    sched->data = mem_new0(struct order);
    order_init(index_of(sched), compare, calc_types(&sched->calc));
    return 0;
}

static void priority_free(struct sched *sched)
{
    free(sched->data);
}

static void priority_app_changed(struct sched *sched, struct sched_app *app, unsigned changes)
{
    (void)sched;
    if (changes & SCHED_APP_LEAVES)
        app_entry_put(app_entry_of(app), NULL);
}

/* --- the index follows every change ------------------------------------------ */

/* Called for every change of a request, and after a change of the priority, when the entry has to move. */
static void priority_partition_changed(struct app_partition *part)
{
    struct sched_app *app = part->app;

    app_entry_put(app_entry_of(app), app->pending_containers > 0 ? index_of(app->sched) : NULL);
}

/* --- assignment ---------------------------------------------------------------- */

static unsigned place_app(struct sched *sched, struct sched_node *node, struct sched_app *app, unsigned limit,
                          struct sched_decisions *decisions)
{
    struct demand *demand = sched_app_avoids(app, node) ? NULL : sched_demand_first(app), *next;
    unsigned placed = 0, now = 1;

    for (; demand && now > 0 && placed < limit; demand = next) {
        next = sched_demand_next(demand);
        now = sched_place_demand(sched, node, app, demand, limit - placed, decisions);
        placed += now;
    }
    return placed;
}

static unsigned priority_assign(struct sched *sched, struct sched_node *node, const struct offer *offer,
                                struct sched_decisions *decisions)
{
    struct app_entry *entry = NULL;
    unsigned placed = 0;

    while (placed < offer->limit && node->has_room &&
           (entry = app_entry_next(index_of(sched), entry, node)) != NULL)
        placed += place_app(sched, node, entry->app, offer->limit - placed, decisions);
    return placed;
}

static enum sched_answer priority_assign_to(struct sched *sched, struct sched_node *node,
                                            struct sched_app *app, struct sched_decisions *decisions)
{
    return place_app(sched, node, app, 1, decisions) > 0 ? SCHED_TAKEN : SCHED_DECLINED;
}

/* --- reports --------------------------------------------------------------------- */

static void priority_explain(const struct sched *sched, const struct sched_app *app, struct sched_why *ret)
{
    const struct app_entry *entry = NULL;

    if (ret->reason != SCHED_REASON_CLUSTER_FULL)
        return;
    while ((entry = app_entry_next(index_of(sched), entry, NULL)) != NULL && entry->app != app &&
           ret->ahead < SCHED_WHY_AHEAD_MAX)
        ret->ahead++;
    if (ret->ahead > 0)
        ret->reason = SCHED_REASON_BEHIND_IN_QUEUE;
}

static int priority_check(const struct sched *sched, struct err *err)
{
    struct sched_app *app, *next;

    HASH_ITER(hh, sched->apps, app, next)
        if ((app_entry_index(app_entry_of(app)) != NULL) != (app->pending_containers > 0) ||
            !app_entry_is_consistent(app_entry_of(app)))
            return err_set(err, EINVAL, "priority: an application is wrongly in the index, or out of it");
    return order_is_consistent(index_of(sched)) ? 0 : err_set(err, EINVAL, "priority: out of order");
}

extern const struct sched_policy sched_priority;

const struct sched_policy sched_priority = {
    .name = "priority",
    .configure = priority_configure,
    .free = priority_free,
    .data_bytes = { .app = sizeof(struct app_entry) },
    .accounting = { .partition_changed = priority_partition_changed, .app_changed = priority_app_changed },
    .assignment = { .assign = priority_assign, .assign_to = priority_assign_to },
    .reports = { .explain = priority_explain, .check = priority_check },
};

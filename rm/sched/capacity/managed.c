/* SPDX-License-Identifier: Apache-2.0 */
/*
 * managed.c - assigns the capacity of managed parents to their leaves (yarn-behaviour 5.11, v1)
 *
 * Every deal_interval_ms, leaves without applications lose their capacity. Then leaves with an application
 * that waits, or has pending requests, get theirs, as long as the parent has capacity left. The leaf whose
 * oldest such application has the lowest id is first.
 */
#include <stdlib.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"

struct candidate {
    struct capacity_queue *leaf;
    const struct sched_app *app; /* its oldest application that waits or has pending requests */
};

struct candidates {
    struct candidate *items; /* owned */
    size_t count, capacity;
};

/* Returns the application with the lowest id: one that was moved to QUEUE may come behind younger ones. */
static const struct sched_app *oldest_in_need(const struct sched_queue *queue)
{
    const struct sched_app *app, *oldest = NULL;

    for (app = capacity_app_first(queue); app; app = capacity_app_next(app))
        if ((app->state == APP_WAITING || app->pending_containers > 0) &&
            (oldest == NULL || app_id_compare(&app->id, &oldest->id) < 0))
            oldest = app;
    return oldest;
}

static int by_app(const void *first, const void *second)
{
    const struct candidate *a = first, *b = second;

    return app_id_compare(&a->app->id, &b->app->id);
}

/* Takes the capacity from leaves without applications. Returns true if a leaf lost its capacity. */
static bool withdraw_capacity(const struct capacity_queue *parent, int label)
{
    struct capacity_queue *leaf;
    bool changed = false;

    TAILQ_FOREACH(leaf, &parent->children, sibling) {
        const struct sched_queue *live = leaf->live;

        if (capacity_config_is_dealt(leaf, label) && !leaf->shares[label].idle &&
            live->apps_running + live->apps_pending == 0) {
            leaf->shares[label].idle = true;
            changed = true;
        }
    }
    return changed;
}

static bool deal(const struct capacity_config *config, const struct capacity_queue *parent, int label)
{
    struct candidates found = { .count = 0 };
    struct capacity_queue *leaf;
    size_t given = 0;

    TAILQ_FOREACH(leaf, &parent->children, sibling) {
        const struct sched_app *app;

        if (!leaf->shares[label].idle || (app = oldest_in_need(leaf->live)) == NULL)
            continue;
        mem_grow(found.items, found.count, found.capacity);
        found.items[found.count++] = (struct candidate){ leaf, app };
    }
    if (found.count > 1)
        qsort(found.items, found.count, sizeof(found.items[0]), by_app);
    for (; given < found.count; given++) {
        if (!capacity_config_may_deal(config, found.items[given].leaf, label))
            break; /* all leaves have the same template, so no other fits */
        found.items[given].leaf->shares[label].idle = false;
    }
    free(found.items);
    return given > 0;
}

void capacity_deal(struct sched *sched, struct sched_decisions *decisions)
{
    struct capacity *capacity = capacity_of(sched);
    const struct capacity_queue *queue;
    bool changed = false;

    if (sched->now_ms < capacity->next_deal_ms)
        return;
    capacity->next_deal_ms = sched->now_ms + capacity->config->deal_interval_ms;
    capacity_recompute(sched);
    TAILQ_FOREACH(queue, &capacity->config->queues, link)
        for (int l = 0; queue->auto_create_legacy && l < capacity->config->label_count; l++) {
            bool back = withdraw_capacity(queue, l), out = deal(capacity->config, queue, l);

            changed = changed || back || out;
        }
    if (!changed)
        return;
    sched->stale = true;
    sched_queues_note_change(sched);
    capacity_recompute(sched);
    sched_offer_released(sched, decisions);
}

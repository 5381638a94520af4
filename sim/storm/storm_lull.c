/* SPDX-License-Identifier: Apache-2.0 */
/* storm_lull.c - lulls: only the applications of one leaf ask, then rounds of preemption follow */
#include "common/base/text.h"
#include "sim/storm/storm_world.h"

enum { LULL_PERMILLE = 20, LULL_ROUNDS = 3 };

static const struct demand *first_pending(struct sched_app *app)
{
    struct demand *demand;

    RB_FOREACH(demand, sched_demand_tree, &app->demands)
        if (demand->count > 0 && !demand->master)
            return demand;
    return NULL;
}

/* Returns false if the request is refused. */
static bool withdraw(struct storm *storm, struct sched_app *app, const struct demand *demand)
{
    const struct sched_ask row = {
        .priority = demand->priority,
        .allocation_id = demand->allocation_id,
        .resource_name = "*",
        .capability = sched_load(storm->sched, demand_size(demand)),
        .label = storm->sched->labels[demand->label].name,
    };
    const struct sched_request request = { .asks = &row, .ask_count = 1 };

    return sched_allocate(storm->sched, app, &request, &storm->decisions, NULL) == 0;
}

/* Withdraws all requests of an app, except the one for its AM, and the increases of its containers. */
static void withdraw_all(struct storm *storm, struct sched_app *app)
{
    const struct demand *demand;
    bool done = true;

    while (done && (demand = first_pending(app)) != NULL) {
        if (demand->grows != 0)
            sched_container_cancel_resize(storm->sched, demand->container, &storm->decisions);
        else
            done = withdraw(storm, app, demand);
        storm_absorb(storm);
    }
}

void storm_lull(struct storm *storm)
{
    const char *leaf;

    if (!storm->capacity || !storm->scarce || !rng_chance(&storm->lulls, LULL_PERMILLE))
        return;
    leaf = storm_config_leaf(storm->config, &storm->lulls);
    storm_write(storm, "a lull: only applications of %s ask", leaf);
    for (int i = 0; i < APPS; i++)
        if (storm->apps[i] && !text_equal(storm->apps[i]->queue->path, leaf))
            withdraw_all(storm, storm->apps[i]);
    storm_offer_nodes(storm);
    for (int i = 0; i < LULL_ROUNDS; i++) {
        storm->now_ms += (int64_t)rng_below(&storm->lulls, 15000);
        storm_write(storm, "it is %lld ms: a round of preemption", (long long)storm->now_ms);
        sched_tick(storm->sched, storm->now_ms, &storm->decisions);
        sched_preempt(storm->sched, &storm->decisions);
        storm_absorb(storm);
    }
}

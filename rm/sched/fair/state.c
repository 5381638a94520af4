/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - queries about an application, a queue or an offer that several files of the fair scheduler use */
#include "rm/sched/fair/internal.h"

struct calc fair_calculator(const struct sched *sched, const struct fair_queue *leaf)
{
    return (struct calc){
        .dominant = leaf->settings->policy == FAIR_POLICY_DRF,
        .types = sched->calc.types,
    };
}

bool fair_is_starved(const struct sched *sched, const struct fair_app *app)
{
    struct calc calc = fair_calculator(sched, app->leaf);
    struct resource used = fair_app_used(app), share = app->share;

    return calc_compare_largest(&calc, &sched->total, &used, &share) < 0 ||
           !resource_is_zero(&app->minimum_starvation);
}

bool fair_am_is_held(const struct sched *sched, const struct fair_app *app)
{
    return app->am_held_until_ms > sched->now_ms;
}

const struct fair_queue *fair_full_queue(const struct fair_queue *leaf, const int64_t *amount)
{
    const struct calc *calc = &leaf->part->sched->calc;

    for (const struct fair_queue *at = leaf; at; at = at->parent) {
        struct resource used = fair_used(at), room = at->maximum;

        calc_subtract(calc, &room, &used);
        if (!calc_is_within_values(calc, amount, room.value))
            return at;
    }
    return NULL;
}

bool fair_delays(const struct fair *fair)
{
    const struct fair_config *config = fair->config;

    if (config->continuous)
        return config->delay_node_ms >= 0 && config->delay_rack_ms >= 0;
    return config->locality_node >= 0 && config->locality_rack >= 0;
}

void fair_visit_room(struct fair_visit *visit)
{
    const int64_t *total = visit->node->total.value, *used = visit->node->used.value;
    int64_t exchange = visit->offer->reserve ? 0 : -1;

    for (int t = 0; t < visit->sched->calc.types; t++) {
        visit->free[t] = total[t] - used[t];
        visit->offered.room.value[t] = visit->free[t] > 0 ? visit->free[t] : 0;
        visit->offered.exchange.value[t] = exchange;
    }
}

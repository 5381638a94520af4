/* SPDX-License-Identifier: Apache-2.0 */
/*
 * starve.c - who starves, and for how long (yarn-behaviour 8.11)
 *
 * An app starves that has less than its threshold's part of its fair share, and demands more; a
 * leaf, that has less than its minimum share. Either for its timeout. What a leaf lacks is handed
 * to its apps, in order.
 */
#include "common/base/mem.h"
#include "rm/sched/fair/internal.h"

struct calc fair_calculator(const struct sched *sched, const struct fair_queue *leaf)
{
    return (struct calc){
        .dominant = leaf->settings->policy == FAIR_POLICY_DRF,
        .types = sched->calc.types,
    };
}

struct fair_hunger *fair_hunger_make(struct fair_app *app)
{
    if (app->hunger == NULL) {
        app->hunger = mem_alloc0(sizeof(struct fair_hunger) +
                                 sched_amounts_size(app->app->sched, FAIR_HUNGER_AMOUNTS));
        TAILQ_INIT(&app->hunger->earmarks);
    }
    return app->hunger;
}

void fair_hunger_set(struct fair_app *app, enum fair_hunger_amount which, struct resource value)
{
    if (app->hunger || !resource_is_zero(&value))
        calc_store_values(&fair_hunger_make(app)->amounts[(unsigned)which * app->item.types],
                          value.value, app->item.types);
}

bool fair_is_starved(const struct sched *sched, const struct fair_app *app)
{
    struct calc calc = fair_calculator(sched, app->leaf);
    struct resource used = fair_app_used(app), share = fair_app_get(app, FAIR_APP_SHARE);
    struct resource of_minimum = fair_hunger_get(app, FAIR_HUNGER_MINIMUM);

    return calc_compare_largest(&calc, &sched->total, &used, &share) < 0 ||
           !resource_is_zero(&of_minimum);
}

static bool is_due(const struct sched *sched, int64_t since_ms, int64_t timeout_ms)
{
    return sched->now_ms - since_ms >= timeout_ms;
}

static bool is_looked_at(const struct sched *sched, const struct fair_app *app)
{
    return app->hunger == NULL || sched->now_ms >= app->hunger->next_check_ms;
}

static struct fair_app *next_looked_at(const struct sched *sched, const struct fair_queue *leaf,
                                       const struct fair_app *after)
{
    struct fair_app *app = fair_next_wanting(leaf, after);

    while (app && !is_looked_at(sched, app))
        app = fair_next_wanting(leaf, app);
    return app;
}

static void add_starved(struct fair *fair, struct fair_app *app)
{
    for (size_t i = fair->starved_count; i-- > 0 && fair->starved[i]->leaf == app->leaf;)
        if (fair->starved[i] == app)
            return;
    mem_grow(fair->starved, fair->starved_count, fair->starved_capacity);
    fair->starved[fair->starved_count++] = app;
}

/* --- fair share -------------------------------------------------------------- */

static void judge_app(const struct sched *sched, struct fair_app *app)
{
    const struct fair_settings *settings = app->leaf->settings;
    struct calc calc = fair_calculator(sched, app->leaf);
    struct resource used = fair_app_used(app);
    struct resource fair = fair_app_get(app, FAIR_APP_SHARE);
    bool starved;

    fair = calc_multiply(&fair, (double)settings->fair_share_threshold);
    fair = resource_min(fair, fair_app_get(app, FAIR_APP_DEMAND));
    starved = calc_compare_largest(&calc, &sched->total, &used, &fair) < 0;
    if (!starved)
        app->at_share_ms = sched->now_ms;
    if (starved && is_due(sched, app->at_share_ms, settings->fair_share_timeout_ms))
        fair_hunger_set(app, FAIR_HUNGER_SHARE, calc_subtract_positive(fair, used));
    else
        fair_hunger_set(app, FAIR_HUNGER_SHARE, resource_of(0, 0));
}

/* In order, as far as they starve; what they lack together. */
static struct resource judge_apps(struct sched *sched, struct fair_queue *leaf)
{
    struct resource sum = resource_of(0, 0);
    struct fair_app *app = NULL;

    while ((app = next_looked_at(sched, leaf, app)) != NULL) {
        struct resource starved;

        judge_app(sched, app);
        starved = fair_hunger_get(app, FAIR_HUNGER_SHARE);
        if (resource_is_zero(&starved))
            break;
        add_starved(sched->fair, app);
        sum = resource_add(sum, starved);
    }
    return sum;
}

/* --- minimum share ------------------------------------------------------------- */

static struct resource lacking(const struct fair_queue *leaf)
{
    struct resource minimum = fair_settings_minimum(leaf->settings);

    return calc_subtract_positive(resource_min(minimum, fair_get(leaf, FAIR_DEMAND)), fair_used(leaf));
}

/* Since when each leaf has been below its minimum; whether it has demand or not. */
static void note_minimums(struct sched *sched)
{
    struct fair_bounds *bounds;

    sched->fair->minimums_ms = sched->now_ms;
    sched->fair->minimums_round++;
    TAILQ_FOREACH(bounds, &sched->fair->minimums, of_minimums) {
        struct resource lacks = lacking(bounds->queue);

        bounds->below_minimum = !resource_is_zero(&lacks);
        if (!bounds->below_minimum)
            bounds->at_minimum_ms = sched->now_ms;
    }
}

static struct resource lacking_for_long(const struct sched *sched, const struct fair_queue *leaf)
{
    const struct fair_bounds *bounds = leaf->bounds;

    if (bounds == NULL || !bounds->below_minimum ||
        !is_due(sched, bounds->at_minimum_ms, leaf->settings->min_share_timeout_ms))
        return resource_of(0, 0);
    return lacking(leaf);
}

/* What LEAF lacks beyond its apps' own starvation goes to them in order, to each what it still wants.
 * Differs: to one that wants more than is left, YARN gives the difference of the two. */
static void hand_out_minimum(struct sched *sched, struct fair_queue *leaf, struct resource lacks)
{
    struct fair_app *app = NULL;

    while ((app = next_looked_at(sched, leaf, app)) != NULL) {
        struct resource wants = calc_subtract_positive(fair_app_wanted(app),
                                                       fair_hunger_get(app, FAIR_HUNGER_SHARE));
        struct resource given = resource_min(wants, lacks);

        fair_hunger_set(app, FAIR_HUNGER_MINIMUM, given);
        lacks = calc_subtract_positive(lacks, wants);
        if (!resource_is_zero(&given))
            add_starved(sched->fair, app);
    }
}

/* --- all --------------------------------------------------------------------- */

void fair_find_starved(struct sched *sched)
{
    struct fair *fair = sched->fair;
    struct sched_queue *queue;

    fair->starved_count = 0;
    note_minimums(sched);
    TAILQ_FOREACH(queue, &sched->queues, link)
        if (queue->leaf) {
            struct resource of_apps = judge_apps(sched, queue->fair);
            struct resource lacks = lacking_for_long(sched, queue->fair);

            hand_out_minimum(sched, queue->fair, calc_subtract_positive(lacks, of_apps));
        }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * starvation.c - determines which applications are starved, and since when (yarn-behaviour 8.11)
 *
 * An app is starved if it has less than its fair share times the threshold, and demands more. A leaf is
 * starved if it has less than its minimum share, and demands more. Starvation only counts after its timeout.
 * The resource that a leaf lacks is divided among its applications, in order.
 */
#include "common/base/mem.h"
#include "rm/sched/fair/internal.h"

static bool is_due(const struct sched *sched, int64_t since_ms, int64_t timeout_ms)
{
    return sched->now_ms - since_ms >= timeout_ms;
}

static bool is_looked_at(const struct sched *sched, const struct fair_app *app)
{
    return sched->now_ms >= app->next_check_ms;
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
    struct resource fair = app->share;
    bool starved;

    fair = calc_multiply(&fair, (double)settings->fair_share_threshold);
    fair = resource_min(fair, app->demand);
    starved = calc_compare_largest(&calc, &sched->total, &used, &fair) < 0;
    if (!starved)
        app->at_share_ms = sched->now_ms;
    if (starved && is_due(sched, app->at_share_ms, settings->fair_share_timeout_ms))
        app->share_starvation = calc_subtract_positive(fair, used);
    else
        app->share_starvation = resource_of(0, 0);
}

/* Checks the applications of LEAF in order, up to the first one that is not starved. Returns the sum of what
 * they lack. */
static struct resource judge_apps(struct sched *sched, struct fair_queue *leaf)
{
    struct resource sum = resource_of(0, 0);
    struct fair_app *app = NULL;

    while ((app = next_looked_at(sched, leaf, app)) != NULL) {
        judge_app(sched, app);
        if (resource_is_zero(&app->share_starvation))
            break;
        add_starved(fair_of(sched), app);
        sum = resource_add(sum, app->share_starvation);
    }
    return sum;
}

/* --- minimum share ------------------------------------------------------------- */

static struct resource lacking(const struct fair_queue *leaf)
{
    struct resource minimum = fair_settings_minimum(leaf->settings);

    return calc_subtract_positive(resource_min(minimum, leaf->demand), fair_used(leaf));
}

/* Updates since when LEAF has been below its minimum share. */
static void judge_leaf(const struct sched *sched, struct fair_queue *leaf)
{
    struct resource lacks = lacking(leaf);

    if (leaf->below_minimum != !resource_is_zero(&lacks))
        sched_queue_note_change(leaf->queue);
    leaf->below_minimum = !resource_is_zero(&lacks);
    if (!leaf->below_minimum)
        leaf->at_minimum_ms = sched->now_ms;
}

static struct resource lacking_for_long(const struct sched *sched, const struct fair_queue *leaf)
{
    if (!leaf->below_minimum || !is_due(sched, leaf->at_minimum_ms, leaf->settings->min_share_timeout_ms))
        return resource_of(0, 0);
    return lacking(leaf);
}

/* Divides LACKS among the applications of LEAF, in order: each gets what it requests, until nothing is left.
 * LACKS is what LEAF lacks of its minimum share in addition to the starvation of its applications.
 * Differs: to an application that requests more than what is left, YARN gives the difference of the two
 * (FSLeafQueue.updateStarvedAppsMinshare): where 1 GB lacks, a request of 10 GB has 9 GB preempted, although
 * the minimum share is no reason for more than 1 GB, and a request of 1.5 GB only half of what lacks. */
static void hand_out_minimum(struct sched *sched, struct fair_queue *leaf, struct resource lacks)
{
    struct fair_app *app = NULL;

    while ((app = next_looked_at(sched, leaf, app)) != NULL) {
        struct resource wants = calc_subtract_positive(fair_app_wanted(app), app->share_starvation);
        struct resource given = resource_min(wants, lacks);

        app->minimum_starvation = given;
        lacks = calc_subtract_positive(lacks, wants);
        if (!resource_is_zero(&given))
            add_starved(fair_of(sched), app);
    }
}

/* --- all leaves -------------------------------------------------------------- */

static void find_starved_in(struct sched *sched, struct fair_queue *leaf)
{
    struct resource of_apps, of_leaf;

    judge_leaf(sched, leaf);
    of_apps = judge_apps(sched, leaf);
    of_leaf = lacking_for_long(sched, leaf);
    hand_out_minimum(sched, leaf, calc_subtract_positive(of_leaf, of_apps));
}

void fair_find_starved(struct sched *sched)
{
    struct sched_queue *queue;

    fair_of(sched)->starved_count = 0;
    TAILQ_FOREACH(queue, &sched->queues, link)
        if (queue->leaf)
            find_starved_in(sched, fair_queue_data(queue));
}

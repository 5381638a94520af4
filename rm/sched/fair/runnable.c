/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runnable.c - runs applications within the limits on running applications (yarn-behaviour 8.9)
 *
 * An app runs if its queue, all queues above and its user are below their limits (maxRunningApps). When a
 * running application leaves, other applications can start only if one of these limits was reached:
 * applications below the highest queue that was at its limit, and those of the same user if the user was at
 * the limit.
 */
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/fair/internal.h"

static int64_t most_of(const struct fair_queue *queue)
{
    return queue->settings->max_running_apps;
}

static int64_t most_of_person(const struct fair *fair, const struct fair_person *person)
{
    return fair_allocations_user_max_apps(fair->config->allocations, person->name);
}

static bool has_room(const struct fair_queue *queue)
{
    return (int64_t)queue->queue->parallel_apps < most_of(queue);
}

/* Returns which limit on running applications stops APP. *QUEUE is set to the queue with the limit; NULL: the
 * limit of the user. */
static enum sched_reason run_limit(const struct fair *fair, const struct fair_app *app,
                                   const struct fair_queue **queue)
{
    *queue = NULL;
    if ((int64_t)app->person->running >= most_of_person(fair, app->person))
        return SCHED_REASON_USER_MAX_APPS;
    for (const struct fair_queue *at = app->leaf; at; at = at->parent)
        if (!has_room(at)) {
            *queue = at;
            return SCHED_REASON_QUEUE_MAX_APPS;
        }
    return SCHED_REASON_NONE;
}

bool fair_may_run(const struct fair *fair, const struct fair_app *app)
{
    const struct fair_queue *queue;

    return run_limit(fair, app, &queue) == SCHED_REASON_NONE;
}

void fair_explain_run_limit(const struct fair *fair, const struct fair_app *app, struct sched_why *why)
{
    const struct fair_queue *queue;
    enum sched_reason reason = run_limit(fair, app, &queue);
    struct sched_why_item *item;

    if (reason == SCHED_REASON_NONE)
        return;
    item = sched_why_add(why, reason, true);
    item->queue = queue ? queue->queue->path : NULL;
    item->user = queue ? NULL : app->person->name;
    item->apps = queue ? queue->queue->parallel_apps : app->person->running;
    item->most_apps = queue ? most_of(queue) : most_of_person(fair, app->person);
    item->since_ms = app->app->waits_since_ms;
}

/* --- lists ------------------------------------------------------------------- */

static void count_running(struct fair_app *app, int sign)
{
    app->person->running += (uint32_t)sign;
    sched_queue_note_change(app->leaf->queue);
    app->leaf->queue->active_apps += (uint32_t)sign;
    for (struct fair_queue *at = app->leaf; at; at = at->parent)
        at->queue->parallel_apps += (uint32_t)sign;
    fair_mark_active(app->leaf);
}

static void count_waiting(struct fair_app *app, int sign)
{
    for (struct fair_queue *at = app->leaf; at; at = at->parent)
        at->waiting_below += (uint32_t)sign;
}

void fair_run(struct fair_app *app)
{
    app->app->state = APP_ACTIVE;
    TAILQ_INSERT_TAIL(&app->leaf->running, app, of_leaf);
    count_running(app, 1);
    fair_app_touch(app);
}

static bool before(const struct fair_app *a, const struct fair_app *b)
{
    if (a->app->added_ms != b->app->added_ms)
        return a->app->added_ms < b->app->added_ms;
    return a->app->serial < b->app->serial;
}

/* Returns the position of APP, now or after its insertion, among the waiting applications of PERSON. */
static struct fair_app **place_among(const struct fair_person *person, const struct fair_app *app)
{
    size_t low = 0, high = person->waiting_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (before(person->waiting[middle], app))
            low = middle + 1;
        else
            high = middle;
    }
    return person->waiting + low;
}

/* Returns the next waiting application of the same user after APP; NULL: none. */
static struct fair_app *next_of_person(const struct fair_app *app)
{
    const struct fair_person *person = app->person;
    struct fair_app **next = place_among(person, app) + 1;

    return next < person->waiting + person->waiting_count ? *next : NULL;
}

/* Inserts APP among the waiting applications of its leaf. An application moved to this leaf may be older than
 * others. */
static void insert_waiting(struct fair_app *app)
{
    struct fair_person *person = app->person;
    struct fair_app **place;
    struct fair_app *at = TAILQ_LAST(&app->leaf->waiting, fair_app_list);

    while (at && before(app, at))
        at = TAILQ_PREV(at, fair_app_list, of_leaf);
    if (at)
        TAILQ_INSERT_AFTER(&app->leaf->waiting, at, app, of_leaf);
    else
        TAILQ_INSERT_HEAD(&app->leaf->waiting, app, of_leaf);
    mem_grow(person->waiting, person->waiting_count, person->waiting_capacity);
    place = place_among(person, app);
    memmove(place + 1, place, (size_t)(person->waiting + person->waiting_count - place) * sizeof(*place));
    *place = app;
    person->waiting_count++;
}

static void unlist_from_person(struct fair_app *app)
{
    struct fair_person *person = app->person;
    struct fair_app **place = place_among(person, app);

    person->waiting_count--;
    memmove(place, place + 1, (size_t)(person->waiting + person->waiting_count - place) * sizeof(*place));
}

void fair_wait(struct fair_app *app)
{
    app->app->state = APP_WAITING;
    insert_waiting(app);
    count_waiting(app, 1);
}

void fair_unlist(struct fair_app *app)
{
    enum app_state state = app->app->state;

    app->app->state = APP_NEW;
    if (state == APP_ACTIVE) {
        TAILQ_REMOVE(&app->leaf->running, app, of_leaf);
        count_running(app, -1);
        fair_app_touch(app);
    } else if (state == APP_WAITING) {
        TAILQ_REMOVE(&app->leaf->waiting, app, of_leaf);
        unlist_from_person(app);
        count_waiting(app, -1);
    }
}

/* --- the next app to run ------------------------------------------------------- */

/* Positions in lists of waiting applications, each list with the oldest first. */
struct lists {
    struct fair_app **next; /* owned array; NULL: end of the list */
    size_t count, capacity;
    bool personal; /* the last list is a user's, the others are those of leaves */
};

static void add_list(struct lists *lists, struct fair_app *first)
{
    if (first == NULL)
        return;
    mem_grow(lists->next, lists->count, lists->capacity);
    lists->next[lists->count++] = first;
}

static void gather(const struct fair_queue *queue, struct lists *lists)
{
    const struct fair_queue *child;

    if (queue->waiting_below == 0 || !has_room(queue))
        return;
    if (queue->leaf) {
        add_list(lists, TAILQ_FIRST(&queue->waiting));
        return;
    }
    TAILQ_FOREACH(child, &queue->children, sibling)
        gather(child, lists);
}

/* Returns the oldest of the next applications of LISTS, and advances each list whose next application it is:
 * it may be in the list of its leaf and in that of its user. NULL: all lists are at their end. */
static struct fair_app *next_oldest(struct lists *lists)
{
    struct fair_app *oldest = NULL;

    for (size_t i = 0; i < lists->count; i++)
        if (lists->next[i] && (oldest == NULL || before(lists->next[i], oldest)))
            oldest = lists->next[i];
    for (size_t i = 0; oldest && i < lists->count; i++)
        if (lists->next[i] == oldest)
            lists->next[i] = lists->personal && i == lists->count - 1 ? next_of_person(oldest)
                                                                      : TAILQ_NEXT(oldest, of_leaf);
    return oldest;
}

/* Runs APP. A second attempt that started while APP waited has not requested its AM yet. */
static void promote(struct fair *fair, struct fair_app *app)
{
    fair_unlist(app);
    fair_run(app);
    sched_app_ask_for_master(app->app);
    if (!app->app->sched->assign_on_demand)
        return;
    mem_grow(fair->released, fair->released_count, fair->released_capacity);
    fair->released[fair->released_count++] = app->app;
}

static void run_from(struct fair *fair, struct lists *lists, const struct fair_queue *highest,
                     const struct fair_person *person)
{
    struct fair_app *app;

    while ((app = next_oldest(lists)) != NULL) {
        if (!fair_may_run(fair, app))
            continue;
        promote(fair, app);
        if ((highest == NULL || !has_room(highest)) &&
            (person == NULL || (int64_t)person->running >= most_of_person(fair, person)))
            break; /* the limits are reached again */
    }
    free(lists->next);
}

void fair_run_next(struct fair *fair, struct fair_queue *leaf, struct fair_person *person)
{
    struct fair_queue *highest = NULL;
    struct lists lists = { .count = 0 };
    bool was_at_limit = (int64_t)person->running + 1 == most_of_person(fair, person);

    for (struct fair_queue *at = leaf; at; at = at->parent)
        if ((int64_t)at->queue->parallel_apps + 1 == most_of(at))
            highest = at;
    if (highest)
        gather(highest, &lists);
    if (was_at_limit && person->waiting_count > 0) {
        add_list(&lists, person->waiting[0]);
        lists.personal = true;
    }
    run_from(fair, &lists, highest, was_at_limit ? person : NULL);
}

void fair_run_all(struct fair *fair)
{
    struct lists lists = { .count = 0 };

    gather(fair->root, &lists);
    run_from(fair, &lists, fair->root, NULL);
}

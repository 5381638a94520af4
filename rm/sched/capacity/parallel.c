/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parallel.c - places of max-parallel-apps: which applications a queue, the queues above and a user may have
 * at a time (yarn-behaviour 5.2; YARN: CSMaxRunningAppsEnforcer)
 *
 * An application takes a place when it starts, and has it until it leaves; whether a limit on AMs keeps it
 * waiting does not matter. If a limit is full, it waits without a place. A place that becomes free goes to
 * the oldest application that no other limit blocks, whatever its priority and queue.
 *
 * All applications of one user in one leaf have the same limits, so they wait in one line, oldest first. A
 * line waits at one full limit, which has its lines ordered by their oldest applications. When places of some
 * limits become free, only the lines at these limits are looked at: a line that another limit blocks moves to
 * that limit. So the cost depends on the number of lines, never on the number of applications in them. An
 * application that gets a place is activated, if limits on AMs allow it, before the next one gets a place, as
 * in YARN. The others that wait in its leaf were refused before (capacity_activate_placed()).
 *
 * Lowered limits take no place away. An application that ran before a restart has a place, as well as one
 * that had it in the queue from which it was moved, even if the limits are full.
 *
 * Differs: in YARN a move leaves the place with the queues above the old queue, and no application takes the
 * free place of the old queue.
 * Differs: in YARN a waiting application whose priority changes is submitted to its leaf a second time, and
 * its AM is counted twice.
 * Differs: in YARN an application without a place does not count for the limit on applications of one user.
 */
#include <assert.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/internal.h"

/* The applications of one user in one leaf that wait for a place. */
struct parallel_line {
    RB_ENTRY(parallel_line) link; /* in the lines of AT */
    struct leaf_user *user;       /* owner */
    struct parallel_limit *at;    /* the limit at which the line waits */
    struct parallel_apps apps;    /* index */
};

/* --- orders ------------------------------------------------------------------ */

int capacity_parallel_compare(const struct capacity_app_data *a, const struct capacity_app_data *b)
{
    if (a->app->added_ms != b->app->added_ms)
        return a->app->added_ms < b->app->added_ms ? -1 : 1;
    return app_id_compare(&a->app->id, &b->app->id);
}

RB_PROTOTYPE(parallel_apps, capacity_app_data, link, capacity_parallel_compare)
RB_GENERATE(parallel_apps, capacity_app_data, link, capacity_parallel_compare)

static struct capacity_app_data *oldest_of(const struct parallel_line *line)
{
    struct parallel_apps apps = line->apps; /* a copy, since the macro takes no const */

    return RB_MIN(parallel_apps, &apps);
}

static int compare_lines(const struct parallel_line *a, const struct parallel_line *b)
{
    return capacity_parallel_compare(oldest_of(a), oldest_of(b));
}

RB_PROTOTYPE(parallel_lines, parallel_line, link, compare_lines)
RB_GENERATE(parallel_lines, parallel_line, link, compare_lines)

/* --- limits ------------------------------------------------------------------- */

static bool is_full(const struct parallel_limit *limit)
{
    return limit->taken >= limit->most;
}

static struct person *find_person(const struct sched *sched, const char *name)
{
    struct person *person;

    HASH_FIND_STR(capacity_of(sched)->people, name, person);
    return person;
}

static struct person *get_person(struct sched *sched, const char *name)
{
    struct person *person = find_person(sched, name);

    if (person)
        return person;
    person = mem_new0(struct person);
    person->name = mem_strdup(name);
    person->parallel.most = capacity_config_user_parallel(capacity_of(sched)->config, name);
    HASH_ADD_KEYPTR(hh, capacity_of(sched)->people, person->name, strlen(person->name), person);
    return person;
}

/* Frees the record of the user NAME if it is not needed any more. */
static void settle_person(struct sched *sched, const char *name)
{
    struct person *person = find_person(sched, name);

    if (person == NULL || person->parallel.taken > 0 || !RB_EMPTY(&person->parallel.lines))
        return;
    HASH_DEL(capacity_of(sched)->people, person);
    free(person->name);
    free(person);
}

/* Returns the first full limit of the applications of USER; NULL: none is full. Sets QUEUE to its queue;
 * NULL: the limit is that of the user. */
static struct parallel_limit *full_limit(const struct leaf_user *user, const struct sched_queue **queue)
{
    struct sched *sched = user->queue->sched;
    struct person *person = find_person(sched, user->name);

    for (*queue = user->queue; *queue; *queue = (*queue)->parent)
        if (is_full(&queue_data(*queue)->parallel))
            return &queue_data(*queue)->parallel;
    if (person == NULL && capacity_config_user_parallel(capacity_of(sched)->config, user->name) > 0)
        return NULL;
    person = get_person(sched, user->name);
    return is_full(&person->parallel) ? &person->parallel : NULL;
}

bool capacity_parallel_has_place(const struct sched_app *app)
{
    return app_data(app)->place != NULL;
}

void capacity_parallel_explain(const struct sched_app *app, struct sched_why *why)
{
    const struct sched_queue *queue;
    const struct parallel_limit *full;
    struct sched_why_item *item;

    if (capacity_parallel_has_place(app) || (full = full_limit(app->leaf_user, &queue)) == NULL)
        return;
    item = sched_why_add(why, queue ? SCHED_REASON_QUEUE_MAX_APPS : SCHED_REASON_USER_MAX_APPS, true);
    item->queue = queue ? queue->path : NULL;
    item->user = queue ? NULL : app->user;
    item->apps = full->taken;
    item->most_apps = full->most;
}

/* --- lines --------------------------------------------------------------------- */

static void join_limit(struct parallel_line *line, struct parallel_limit *limit)
{
    line->at = limit;
    RB_INSERT(parallel_lines, &limit->lines, line);
}

static void leave_limit(struct parallel_line *line)
{
    RB_REMOVE(parallel_lines, &line->at->lines, line);
}

static void join_line(struct sched_app *app, struct parallel_limit *limit)
{
    struct leaf_user *user = app->leaf_user;
    struct parallel_line *line = user->line;

    if (line) {
        leave_limit(line);
        limit = line->at;
    } else {
        line = user->line = mem_new0(struct parallel_line);
        line->user = user;
    }
    RB_INSERT(parallel_apps, &line->apps, app_data(app));
    user->placeless++;
    join_limit(line, limit);
}

/* Removes APP from its line, which must not be in the lines of a limit, and puts the line back unless it is
 * empty. */
static void leave_line(struct parallel_line *line, struct sched_app *app)
{
    RB_REMOVE(parallel_apps, &line->apps, app_data(app));
    if (--line->user->placeless > 0) {
        join_limit(line, line->at);
        return;
    }
    line->user->line = NULL;
    free(line);
}

/* --- places -------------------------------------------------------------------- */

/* Adds COUNT to the places that are taken at all limits of applications of USER in LEAF. */
static void count_place(struct sched_queue *leaf, const char *user, int count)
{
    for (struct sched_queue *at = leaf; at; at = at->parent)
        queue_data(at)->parallel.taken += count;
    get_person(leaf->sched, user)->parallel.taken += count;
}

/* Gives APP a place. If it had one in another queue, that place is left to be given away. */
static void take_place(struct sched_app *app)
{
    count_place(app->queue, app->user, 1);
    app_data(app)->place = app->queue;
    capacity_wait(app);
}

/* Returns the line whose oldest application is the oldest of all that wait at those of LIMITS that are not
 * full. NULL: none. */
static struct parallel_line *oldest_line(struct parallel_limit *const limits[], size_t count)
{
    struct parallel_line *oldest = NULL;

    for (size_t i = 0; i < count; i++) {
        struct parallel_line *line = is_full(limits[i]) ? NULL : RB_MIN(parallel_lines, &limits[i]->lines);

        if (line && (oldest == NULL || compare_lines(line, oldest) < 0))
            oldest = line;
    }
    return oldest;
}

/* Gives away the free places of LIMITS. */
static void give_places(struct sched *sched, struct parallel_limit *const limits[], size_t count)
{
    struct parallel_line *line;

    capacity_of(sched)->deals++;
    while ((line = oldest_line(limits, count)) != NULL) {
        const struct sched_queue *queue;
        struct parallel_limit *full = full_limit(line->user, &queue);
        struct sched_app *app = oldest_of(line)->app;

        leave_limit(line);
        if (full) {
            join_limit(line, full);
            continue;
        }
        leave_line(line, app);
        take_place(app);
        capacity_activate_placed(sched, app);
    }
}

/* Gives up a place of USER in LEAF. */
static void give_up(struct sched *sched, struct sched_queue *leaf, const char *user)
{
    struct parallel_limit *limits[CAPACITY_DEPTH_MAX + 2];
    size_t count = 0;

    capacity_recompute(sched);
    count_place(leaf, user, -1);
    for (struct sched_queue *at = leaf; at; at = at->parent) {
        assert(count <= CAPACITY_DEPTH_MAX);
        limits[count++] = &queue_data(at)->parallel;
    }
    limits[count++] = &get_person(sched, user)->parallel;
    give_places(sched, limits, count);
    settle_person(sched, user);
}

void capacity_parallel_enter(struct sched_app *app)
{
    struct sched_queue *before = app_data(app)->place;
    const struct sched_queue *queue;
    struct parallel_limit *full = full_limit(app->leaf_user, &queue);

    if (full && before == NULL && !app->recovered) {
        join_line(app, full);
        return;
    }
    take_place(app);
    if (before)
        give_up(app->sched, before, app->user);
}

void capacity_parallel_leave(struct sched_app *app, bool moves)
{
    struct sched_queue *place = app_data(app)->place;

    if (place == NULL || moves)
        return;
    app_data(app)->place = NULL;
    give_up(app->sched, place, app->user);
}

void capacity_parallel_stop_waiting(struct sched_app *app)
{
    leave_limit(app->leaf_user->line);
    leave_line(app->leaf_user->line, app);
    settle_person(app->sched, app->user);
}

/* --- new limits ------------------------------------------------------------------ */

static void move_lines(struct parallel_limit *from, struct parallel_limit *to)
{
    struct parallel_line *line;

    while ((line = RB_MIN(parallel_lines, &from->lines)) != NULL) {
        leave_limit(line);
        join_limit(line, to);
    }
}

void capacity_parallel_refresh(struct sched *sched)
{
    struct parallel_limit all = { .most = INT64_MAX }, *const limits[] = { &all };
    struct sched_queue *queue;
    struct person *person, *next;

    TAILQ_FOREACH(queue, &sched->queues, link)
        move_lines(&queue_data(queue)->parallel, &all);
    HASH_ITER(hh, capacity_of(sched)->people, person, next) {
        person->parallel.most = capacity_config_user_parallel(capacity_of(sched)->config, person->name);
        move_lines(&person->parallel, &all);
    }
    give_places(sched, limits, 1);
    HASH_ITER(hh, capacity_of(sched)->people, person, next)
        settle_person(sched, person->name);
}

void capacity_parallel_free(struct sched *sched)
{
    struct person *person, *next;

    HASH_ITER(hh, capacity_of(sched)->people, person, next) {
        HASH_DEL(capacity_of(sched)->people, person);
        free(person->name);
        free(person);
    }
}

/* --- the audit ---------------------------------------------------------------------- */

static bool is_below(const struct sched_queue *leaf, const struct sched_queue *queue)
{
    for (; leaf; leaf = leaf->parent)
        if (leaf == queue)
            return true;
    return false;
}

static bool lines_are_in_order(const struct parallel_limit *limit)
{
    struct parallel_lines lines = limit->lines; /* a copy, since the macros take no const */
    const struct parallel_line *before = NULL;
    struct parallel_line *line;

    RB_FOREACH(line, parallel_lines, &lines) {
        if (line->user->placeless == 0 || line->at != limit || (before && compare_lines(before, line) >= 0))
            return false;
        before = line;
    }
    return before == NULL || is_full(limit);
}

/* Returns true if the places of LIMIT, of QUEUE or else of PERSON, are counted right. */
static bool is_counted(const struct sched *sched, const struct parallel_limit *limit,
                       const struct sched_queue *queue, const struct person *person)
{
    struct sched_app *app, *next;
    int64_t taken = 0;

    HASH_ITER(hh, sched->apps, app, next)
        if (app_data(app)->place &&
            (queue ? is_below(app->queue, queue) : strcmp(app->user, person->name) == 0))
            taken++;
    return taken == limit->taken && lines_are_in_order(limit);
}

bool capacity_parallel_check(const struct sched *sched)
{
    const struct sched_queue *queue;
    struct person *person, *next;

    TAILQ_FOREACH(queue, &sched->queues, link)
        if (!is_counted(sched, &queue_data(queue)->parallel, queue, NULL))
            return false;
    HASH_ITER(hh, capacity_of(sched)->people, person, next)
        if (!is_counted(sched, &person->parallel, NULL, person))
            return false;
    return true;
}

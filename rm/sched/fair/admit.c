/* SPDX-License-Identifier: Apache-2.0 */
/* admit.c - adds, moves and removes applications of the fair scheduler (yarn-behaviour 8.3, 8.4, 8.9) */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/fair/internal.h"

/* --- choosing the queue ------------------------------------------------------- */

static enum fair_queue_kind configured(void *context, const char *path)
{
    const struct sched *sched = context;

    return fair_allocations_configured(fair_of(sched)->config->allocations, path);
}

static enum fair_queue_kind existing(void *context, const char *path)
{
    const struct sched *sched = context;
    const struct fair_queue *queue = fair_queue_find(fair_of(sched), path);

    if (queue == NULL)
        return FAIR_QUEUE_NONE;
    return queue->queue->leaf ? FAIR_QUEUE_LEAF : FAIR_QUEUE_PARENT;
}

static int decide(struct sched *sched, const struct sched_app_spec *spec, struct placement_result *result,
                  struct err *err)
{
    const struct fair_queue_view view = { sched, configured, existing };
    const struct placement_request request = {
        .person = { spec->user, spec->groups, spec->group_count },
        .queue = spec->queue,
        .app_name = spec->name,
    };

    if (spec->recovered) { /* decided before the restart */
        const struct sched_queue *queue = sched_queue_find(sched, spec->queue);

        result->queue = mem_strdup(queue ? queue->path : spec->queue);
        return 0;
    }
    return fair_placement_decide(fair_of(sched)->config->allocations->placement, &view, &request, NULL, NULL,
                                 result, err);
}

static int check_access(const struct sched *sched, const struct sched_app_spec *spec, const char *path,
                        struct err *err)
{
    const struct fair_config *config = fair_of(sched)->config;
    const struct acl_person person = { spec->user, spec->groups, spec->group_count };

    if (config->access == NULL || spec->recovered)
        return 0;
    return fair_access_require(config->access, config->allocations, path, &person, ACCESS_SUBMIT, err);
}

/* Returns true if the maximum of a queue of SETTINGS is 0 for TYPE. As in YARN, a fraction of a cluster
 * without nodes is 0 (SchedulerUtils.validateResourceRequestsAgainstQueueMaxResource).
 * Differs: for an application that ran before a restart, a fraction never counts as 0. YARN refuses the
 * requests of such an application until enough nodes have registered, and its AM fails. */
static bool has_none(const struct sched *sched, const struct fair_settings *settings, int type,
                     bool recovered)
{
    struct resource maximum = fair_settings_maximum(settings, &sched->total);
    const struct fair_amount *most = settings->maximum;

    if (recovered && most->relative && most->fraction[type] > 0)
        return false;
    return maximum.value[type] <= 0;
}

int fair_may_ask(const struct sched *sched, const struct sched_queue *queue, bool recovered,
                 const struct resource *asked, struct err *err)
{
    const struct fair_settings *settings = fair_queue_data(queue)->settings;
    struct resource least = resource_max(*asked, sched->minimum);
    char text[RESOURCE_TYPES_TEXT_MAX];

    for (int t = 0; t < sched->calc.types; t++)
        if (least.value[t] > 0 && has_none(sched, settings, t, recovered))
            return err_set(err, ERANGE, "asks for %s, but queue %s may have no %s (maxResources)",
                           resource_types_format(&sched->names, &least, text), settings->path,
                           t == RESOURCE_MEMORY_MB ? "memory"
                           : t == RESOURCE_VCORES  ? "vcores"
                                                   : sched->names.type[t].name);
    return 0;
}

static int enter(struct sched *sched, const struct sched_app_spec *spec, const char *path, bool test,
                 struct sched_queue **ret, struct err *err)
{
    struct fair_queue *queue = fair_queue_find(fair_of(sched), path);
    int r;

    if ((r = check_access(sched, spec, path, err)) < 0)
        return r;
    if (queue == NULL && test) {
        *ret = NULL;
        return 0;
    }
    if ((r = fair_queue_create(sched, path, &queue, err)) < 0 ||
        (!spec->recovered && (r = fair_queue_may_enter(sched, queue, err)) < 0))
        return r;
    *ret = queue->queue;
    return 0;
}

int fair_admit(struct sched *sched, const struct sched_app_spec *spec, bool test, struct sched_queue **ret,
               struct err *err)
{
    struct placement_result result = { 0 };
    int r = decide(sched, spec, &result, err);

    if (r == 0)
        r = enter(sched, spec, result.queue, test, ret, err);
    placement_result_clear(&result);
    return r;
}

char *fair_place(struct sched *sched, const struct sched_app_spec *spec)
{
    struct placement_result result = { 0 };
    char *path = NULL;

    if (decide(sched, spec, &result, NULL) == 0)
        path = mem_strdup(result.queue);
    placement_result_clear(&result);
    return path;
}

/* --- entering and leaving ------------------------------------------------------ */

static struct fair_person *person_get(struct fair *fair, const char *name)
{
    struct fair_person *person;

    HASH_FIND_STR(fair->people, name, person);
    if (person)
        return person;
    person = mem_new0(struct fair_person);
    person->name = mem_strdup(name);
    HASH_ADD_KEYPTR(hh, fair->people, person->name, strlen(person->name), person);
    return person;
}

static void person_put(struct fair *fair, struct fair_person *person)
{
    if (--person->apps > 0)
        return;
    assert(person->running == 0 && person->waiting_count == 0);
    HASH_DEL(fair->people, person);
    free(person->waiting);
    free(person->name);
    free(person);
}

static struct fair_app *app_new(struct sched *sched, struct sched_app *app)
{
    struct fair_app *mine = mem_new0(struct fair_app);

    mine->app = app;
    mine->weight = fair_of(sched)->config->size_based_weight ? 0 : 1;
    mine->at_share_ms = app->added_ms;
    TAILQ_INIT(&mine->claims);
    mine->person = person_get(fair_of(sched), app->user);
    mine->person->apps++;
    app->data = mine;
    return mine;
}

static void app_free(struct fair *fair, struct fair_app *app)
{
    struct fair_claim *claim;

    while ((claim = TAILQ_FIRST(&app->claims)) != NULL)
        fair_claim_drop(claim);
    fair_levels_free(app);
    person_put(fair, app->person);
    app->app->data = NULL;
    free(app);
}

void fair_count_am(struct sched_container *container, int sign)
{
    struct fair_app *app = fair_app_data(container->app);
    const struct calc *calc = &container->app->sched->calc;
    struct resource size = container_resource(container);

    fair_of(container->app->sched)->am_count += (size_t)sign;
    calc_change(calc, &app->am_used, &size, sign);
    calc_change(calc, &app->leaf->am_used, &size, sign);
    if (sign < 0)
        fair_wake_apps(app->leaf);
}

void fair_am_resized(struct sched_container *container, const struct resource *delta)
{
    struct fair_app *app = fair_app_data(container->app);
    const struct calc *calc = &container->app->sched->calc;

    calc_add(calc, &app->am_used, delta);
    calc_add(calc, &app->leaf->am_used, delta);
    if (resource_any_negative(delta))
        fair_wake_apps(app->leaf);
}

/* Adds what LEAF counts of APP, besides containers and requests (SIGN 1), or subtracts it (-1).
 * Differs: after a move, the AM counts for maxAMShare in the new queue. In YARN it does not, but it is
 * subtracted there when it ends (FSLeafQueue.removeApp): what AMs use of that queue falls below 0, and too
 * many run. */
static void count_app(struct fair_app *app, int sign)
{
    struct fair_queue *leaf = app->leaf;
    const struct calc *calc = &app->app->sched->calc;

    calc_change(calc, &leaf->demand_sum, &app->demand, sign);
    calc_change(calc, &leaf->am_used, &app->am_used, sign);
    fair_mark(leaf);
}

static void forget_change(struct fair_app *app)
{
    if (app->changed)
        TAILQ_REMOVE(&app->leaf->changed_apps, app, changed_link);
    app->changed = false;
}

void fair_join(struct sched *sched, struct sched_app *app)
{
    struct fair_app *mine = fair_app_data(app) ? fair_app_data(app) : app_new(sched, app);

    app->state = APP_NEW;
    mine->leaf = fair_queue_data(app->queue);
    mine->part = sched_app_partition(app, 0);
    fair_usual_is_used(fair_of(sched), mine->leaf);
    count_app(mine, 1);
}

static void forget_released(struct fair *fair, const struct sched_app *app)
{
    size_t kept = 0;

    for (size_t i = 0; i < fair->released_count; i++)
        if (fair->released[i] != app)
            fair->released[kept++] = fair->released[i];
    fair->released_count = kept;
}

/* An application that is being moved keeps its place under the limits until it is in the other leaf: see
 * fair_start(). */
void fair_leave(struct sched *sched, struct sched_app *app)
{
    struct fair *fair = fair_of(sched);
    struct fair_app *mine = fair_app_data(app);

    fair->move.state = app->state;
    fair_unlist(mine);
    count_app(mine, -1);
    fair_wake_apps(mine->leaf);
    forget_change(mine); /* also a change noted while the sums were corrected */
    forget_released(fair, app);
    if (fair->move.on) {
        fair->move.from = mine->leaf;
        return;
    }
    if (fair->move.state == APP_ACTIVE)
        fair_run_next(fair, mine->leaf, mine->person);
    app_free(fair, mine);
}

void fair_start(struct sched *sched, struct sched_app *app)
{
    struct fair *fair = fair_of(sched);
    struct fair_move move = fair->move;

    fair->move = (struct fair_move){ .on = false };
    if (!move.on || move.state != APP_NEW) {
        if ((move.on && move.state == APP_ACTIVE) || fair_may_run(fair, fair_app_data(app)))
            fair_run(fair_app_data(app));
        else
            fair_wait(fair_app_data(app));
    }
    if (move.on && move.state == APP_ACTIVE)
        fair_run_next(fair, move.from, fair_app_data(app)->person);
    sched_app_ask_for_master(app); /* if the AM was not requested yet */
}

/* --- moving -------------------------------------------------------------------- */

static bool is_above(const struct fair_queue *above, const struct fair_queue *queue)
{
    while (queue && queue != above)
        queue = queue->parent;
    return queue != NULL;
}

/* Checks that the use of APP, and APP as a running application, fit the limits of LEAF and of all queues
 * above that are not also above APP's own leaf.
 * Differs: a move changes the number of running apps neither in the queues above both leaves nor of the user,
 * so their limits do not refuse it. YARN checks the same queues (verifyMoveDoesNotViolateConstraints), but
 * then treats APP as an additional running application (executeMove), and fails with an internal error if
 * such a queue or the user is exactly at the limit. */
static int check_move(const struct resource_types *names, const struct fair_app *app,
                      const struct fair_queue *leaf, struct err *err)
{
    struct resource used = fair_app_used(app);
    char text[RESOURCE_TYPES_TEXT_MAX], most[RESOURCE_TYPES_TEXT_MAX];

    for (const struct fair_queue *at = leaf; at && !is_above(at, app->leaf); at = at->parent) {
        struct resource sum = resource_add(fair_used(at), used), maximum = at->maximum;

        if ((int64_t)at->queue->parallel_apps >= at->settings->max_running_apps)
            return err_set(err, EDQUOT,
                           "queue %s: %u applications run there, the most that may "
                           "(maxRunningApps)",
                           at->queue->path, at->queue->parallel_apps);
        if (!resource_fits(&sum, &maximum))
            return err_set(err, EDQUOT, "queue %s: would have %s, above its maximum, %s", at->queue->path,
                           resource_types_format(names, &sum, text),
                           resource_types_format(names, &maximum, most));
    }
    return 0;
}

int fair_may_move(struct sched *sched, struct sched_app *app, const char *name, struct sched_queue **ret,
                  struct err *err)
{
    struct sched_queue *queue = sched_queue_find(sched, name);
    int r;

    if (queue == NULL)
        return err_set(err, ENOENT, "queue %s: not defined", name);
    if (!queue->leaf)
        return err_set(err, EISDIR, "queue %s: has queues below it; name one of those", queue->path);
    fair_recompute(sched);
    *ret = queue;
    if (queue == app->queue)
        return 0;
    if (app->state == APP_ACTIVE &&
        (r = check_move(&sched->names, fair_app_data(app), fair_queue_data(queue), err)) < 0)
        return r;
    fair_of(sched)->move.on = true;
    return 0;
}

void fair_offer_released(struct sched *sched, struct sched_decisions *decisions)
{
    struct fair *fair = fair_of(sched);

    fair_recompute(sched);
    while (fair->released_count > 0) {
        struct sched_app *app = fair->released[--fair->released_count];

        sched_offer_app(sched, app, decisions);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* admit.c - decides which applications may enter or leave which queue (yarn-behaviour 5.2, 5.9, 5.10) */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/internal.h"

/* --- rules ----------------------------------------------------------------- */

static int check_running(const struct capacity_queue *queue, struct err *err)
{
    for (const struct capacity_queue *at = queue; at; at = at->parent)
        if (at->state != CAPACITY_RUNNING)
            return err_set(err, ESHUTDOWN,
                           "queue %s: is stopped%s%s; it accepts no application until creel queue start",
                           queue->path, at == queue ? "" : ", as is ", at == queue ? "" : at->path);
    return 0;
}

struct leaf_user *capacity_find_user(const struct sched_queue *queue, const char *name)
{
    struct leaf_user *user = RB_ROOT(&queue_data(queue)->users);

    while (user) {
        int order = strcmp(name, user->name);

        if (order == 0)
            return user;
        user = order < 0 ? RB_LEFT(user, link) : RB_RIGHT(user, link);
    }
    return NULL;
}

static int check_numbers(const struct sched_queue *queue, const char *name, struct err *err)
{
    const struct capacity_queue *config = queue_data(queue)->config;
    const struct leaf_user *user = capacity_find_user(queue, name);
    int64_t apps = (int64_t)queue->apps_running + queue->apps_pending;

    if (config->max_apps == 0 && config->max_apps_given < 0)
        return err_set(
            err, EDQUOT,
            "queue %s: its capacity (yarn.scheduler.capacity.%s.capacity) is 0, or too small for an "
            "application; maximum-applications of the queue overrides that",
            queue->path, queue->path);
    if (apps >= config->max_apps)
        return err_set(err, EDQUOT,
                       "queue %s: has %lld applications, its maximum "
                       "(yarn.scheduler.capacity.%s.maximum-applications)",
                       queue->path, (long long)apps, queue->path);
    apps = user ? user->apps : 0;
    if (apps >= config->max_apps_per_user)
        return err_set(err, EDQUOT,
                       "queue %s: user %s has %lld applications there, the most that one "
                       "user may have",
                       queue->path, name, (long long)apps);
    return 0;
}

/* Checks the limit on applications in the cluster. The sum of the queues' limits may be larger
 * (CapacityScheduler.isSystemAppsLimitReached). */
static int check_system(const struct sched *sched, const struct sched_queue *queue, struct err *err)
{
    int64_t most = capacity_of(sched)->config->maximum_applications, apps;

    while (queue->parent)
        queue = queue->parent;
    apps = (int64_t)queue->apps_running + queue->apps_pending;
    if (apps < most)
        return 0;
    return err_set(err, EDQUOT,
                   "there are %lld applications, the maximum "
                   "(yarn.scheduler.capacity.maximum-applications)",
                   (long long)apps);
}

static int check_access(const struct sched *sched, const struct capacity_queue *queue,
                        const struct sched_app_spec *spec, struct err *err)
{
    const struct acl_person person = { spec->user, spec->groups, spec->group_count };

    if (capacity_of(sched)->access == NULL)
        return 0;
    return capacity_access_require(capacity_of(sched)->access, queue, &person, ACCESS_SUBMIT, err);
}

/* --- choosing the queue ----------------------------------------------------- */

static int find_leaf(const struct sched *sched, const char *asked, struct capacity_queue **ret,
                     struct err *err)
{
    const char *name = text_equal(asked, "") ? "default" : asked;
    bool several = false;
    struct capacity_queue *queue = capacity_config_find(capacity_of(sched)->config, name, &several);

    if (several)
        return err_set(err, ENOTUNIQ, "queue %s: several have that name; give its path", name);
    if (queue == NULL)
        return err_set(err, ENOENT, "queue %s: not defined", name);
    if (!queue->leaf)
        return err_set(err, EISDIR, "queue %s: has queues below it; name one of those", queue->path);
    *ret = queue;
    return 0;
}

/* Returns the nearest existing queue above PATH. */
static struct capacity_queue *existing_above(const struct capacity_config *config, const char *path)
{
    scoped_free char *above = mem_strdup(path);
    struct capacity_queue *queue = NULL;
    char *dot;

    while (queue == NULL && (dot = strrchr(above, '.')) != NULL) {
        *dot = '\0';
        HASH_FIND_STR(config->by_path, above, queue);
    }
    return queue;
}

/* Creates the queue PATH for SPEC, if the nearest existing queue above is running and SPEC's user may submit
 * to it. TEST: only checks this, and leaves *RET unchanged.
 * Differs: YARN creates the queue before it checks the submission, and keeps it if it refuses. */
static int create(struct sched *sched, const struct sched_app_spec *spec, const char *path, bool test,
                  struct capacity_queue **ret, struct err *err)
{
    struct capacity_queue *above = existing_above(capacity_of(sched)->config, path);
    int r;

    if (above && ((r = check_running(above, err)) < 0 || (r = check_access(sched, above, spec, err)) < 0))
        return r;
    if (test)
        return 0;
    if ((r = capacity_config_create(capacity_of(sched)->config, path, ret, err)) < 0)
        return r;
    capacity_grow(sched);
    return 0;
}

/* Finds the queue in which an application was before a restart. A queue that a submission created is created
 * again (CapacityScheduler.addApplicationOnRecovery). */
static int find_again(struct sched *sched, const char *path, struct capacity_queue **ret, struct err *err)
{
    struct err missing = { .text = "" };
    int r = find_leaf(sched, path, ret, &missing);

    if (r == -ENOENT && capacity_config_create(capacity_of(sched)->config, path, ret, NULL) == 0) {
        capacity_grow(sched);
        return 0;
    }
    if (r < 0 && err)
        *err = missing;
    return r;
}

static int choose(struct sched *sched, const struct sched_app_spec *spec, bool test,
                  struct capacity_queue **ret, struct err *err)
{
    const struct placement_request request = {
        .person = { spec->user, spec->groups, spec->group_count },
        .queue = spec->queue,
        .app_name = spec->name,
    };
    struct placement_result result = { 0 };
    int r;

    if (spec->recovered)
        return find_again(sched, spec->queue, ret, err);
    if (capacity_of(sched)->placement == NULL)
        return find_leaf(sched, spec->queue, ret, err);
    r = capacity_placement_decide(capacity_of(sched)->placement, capacity_of(sched)->config, &request, NULL,
                                  NULL, &result, err);
    if (r == 0 && result.create)
        r = create(sched, spec, result.queue, test, ret, err);
    else if (r == 0)
        r = find_leaf(sched, result.queue, ret, err);
    placement_result_clear(&result);
    return r;
}

int capacity_admit(struct sched *sched, const struct sched_app_spec *spec, bool test,
                   struct sched_queue **ret, struct err *err)
{
    struct capacity_queue *queue = NULL;
    int r;

    capacity_recompute(sched);
    if ((r = choose(sched, spec, test, &queue, err)) < 0)
        return r;
    capacity_recompute(sched); /* choose() may have created a queue */
    if (queue == NULL)
        return 0;
    if (!spec->recovered &&
        ((r = check_running(queue, err)) < 0 || (r = check_access(sched, queue, spec, err)) < 0 ||
         (r = check_system(sched, queue->live, err)) < 0 ||
         (r = check_numbers(queue->live, spec->user, err)) < 0))
        return r;
    *ret = queue->live;
    return 0;
}

/* Checks a move like a submission, even if NAME is the present queue of APP
 * (CapacityScheduler.preValidateMoveApplication).
 * Differs: a move to the present queue changes nothing. YARN takes APP's use from its user. */
int capacity_may_move(struct sched *sched, struct sched_app *app, const char *name, struct sched_queue **ret,
                      struct err *err)
{
    struct capacity_queue *queue = NULL;
    int r;

    capacity_recompute(sched);
    if ((r = find_leaf(sched, name, &queue, err)) < 0)
        return r;
    *ret = queue->live;
    if ((r = check_running(queue, err)) < 0 || (r = check_numbers(queue->live, app->user, err)) < 0)
        return r;
    for (int l = 1; l < sched->label_count; l++) {
        const char *label = sched->labels[l].name;

        if (app->labels_asked >> l & 1 && sched_label_for(sched, queue->live, label) < 0)
            return err_set(err, EINVAL,
                           "queue %s: may not use label \"%s\", which requests of the application named",
                           queue->path, label);
    }
    return 0;
}

/* --- entering and leaving a queue -------------------------------------------- */

int32_t capacity_cut_priority(const struct sched *sched, int32_t priority)
{
    int64_t most = capacity_of(sched)->config->maximum_app_priority;

    return priority > most ? (int32_t)most : priority;
}

void capacity_join(struct sched *sched, struct sched_app *app)
{
    struct sched_queue *queue = app->queue;
    struct leaf_user *user = capacity_find_user(queue, app->user);

    if (user == NULL) {
        size_t size = strlen(app->user) + 1;

        user = mem_alloc0(sizeof(*user) + size);
        memcpy(user->name, app->user, size);
        user->queue = queue;
        user->weight = capacity_queue_user_weight(queue_data(queue)->config, app->user);
        queue_data(queue)->all_weight += (double)user->weight;
        queue_data(queue)->weighted += user->weight != 1 ? 1u : 0u;
        RB_INSERT(capacity_user_tree, &queue_data(queue)->users, user);
    }
    TAILQ_INSERT_TAIL(&queue_data(queue)->apps, app_data(app), of_queue);
    user->apps++;
    app->leaf_user = user;
    app->state = APP_NEW;
    app->priority = capacity_cut_priority(sched, app->priority);
    sched_app_partition(app, app->label);
    sched_app_partition(app, 0); /* ACTIVE of partition 0 has all active applications of the leaf */
    capacity_recount_user(user);
    queue_data(queue)->empty_since_ms = -1;
}

static void free_user(struct sched_queue *queue, struct leaf_user *user)
{
    struct user_partition *part;

    assert(user->wanting == 0 && !user->waits);
    queue_data(queue)->all_weight -= (double)user->weight;
    queue_data(queue)->weighted -= user->weight != 1 ? 1u : 0u;
    while ((part = user->parts) != NULL) {
        user->parts = part->next;
        part_data(part->leaf)->used_ratios -= (double)user_data(part)->ratio;
        free(part);
    }
    RB_REMOVE(capacity_user_tree, &queue_data(queue)->users, user);
    free(user);
}

/* Removes APP, of which nothing may be counted, from its user and its leaf. */
static void leave_leaf(struct sched_app *app)
{
    struct leaf_user *user = app->leaf_user;
    struct sched_queue *queue = app->queue;

    TAILQ_REMOVE(&queue_data(queue)->apps, app_data(app), of_queue);
    user->apps--;
    app->leaf_user = NULL;
    capacity_recount_user(user);
    if (user->apps == 0)
        free_user(queue, user);
}

/* Activates applications that may be active now that APP has left its queue. */
static void activate_next(struct sched *sched, struct sched_app *app, bool moves)
{
    struct sched_queue *queue = app->queue;

    capacity_recompute(sched);
    capacity_activate(sched, queue);
    capacity_parallel_leave(app, moves);
    queue_data(queue)->leaving_users = 0;
}

void capacity_leave(struct sched *sched, struct sched_app *app, bool moves)
{
    capacity_spare_app(sched, app);
    if (app->state == APP_WAITING && !app_data(app)->place)
        capacity_parallel_stop_waiting(app);
    capacity_deactivate(sched, app);
    capacity_leave_user(app);
    leave_leaf(app);
    activate_next(sched, app, moves);
}

/* Applies a new priority: removes APP from the trees ordered by priority, limits its priority, and inserts
 * APP again. */
void capacity_priority_changed(struct sched *sched, struct sched_app *app)
{
    enum app_state state = app->state;

    if (app_data(app)->listed)
        RB_REMOVE(capacity_waiting_tree, &queue_data(app->queue)->waiting, app_data(app));
    for (struct app_partition *part = app->parts; part; part = part->next) {
        sched_count_begin(sched, part);
        app->state = APP_NEW;
        sched_count_end(sched, part);
        app->state = state;
    }
    app->priority = capacity_cut_priority(sched, app->priority);
    for (struct app_partition *part = app->parts; part; part = part->next) {
        sched_count_begin(sched, part);
        sched_count_end(sched, part);
    }
    if (app_data(app)->listed)
        RB_INSERT(capacity_waiting_tree, &queue_data(app->queue)->waiting, app_data(app));
}

void capacity_offer_released(struct sched *sched, struct sched_decisions *decisions)
{
    struct capacity *capacity = capacity_of(sched);

    capacity_recompute(sched);
    while (capacity->released_count > 0) {
        struct sched_app *app = capacity->released[--capacity->released_count];

        sched_offer_app(sched, app, decisions);
    }
}

void capacity_start(struct sched *sched, struct sched_app *app)
{
    assert(app->state == APP_NEW && !app_data(app)->listed);
    app->state = APP_WAITING;
    capacity_parallel_enter(app);
    capacity_recount_user(app->leaf_user);
    capacity_recompute(sched);
    if (app_data(app)->listed)
        capacity_activate(sched, app->queue);
    if (app->ask_for_master || app->pending_containers > 0)
        capacity_note_pending(app); /* the request for the AM is made after the start, whether APP is
                               active or not */
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - creates and removes live queues: those of the allocation file, and those of submissions (8.2, 8.3)
 *
 * root always exists, and so does root.default: see make_usual(). A queue of the file cannot be created while
 * a leaf is above it, or while a queue of the other kind (leaf or parent) has its path. It is created after
 * that leaf, or that queue of the other kind, has become empty and was removed.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/fair/internal.h"
#include "rm/sched/queue_name.h"

#define TIDY_MS 10000 /* YARN does this whenever it checks the allocation file */
#define DEFAULT_QUEUE "root.default"
#define DEPTH_MAX 64 /* levels of queues that submissions may create */

/* --- finding ---------------------------------------------------------------- */

struct fair_queue *fair_queue_find(const struct fair *fair, const char *path)
{
    struct fair_queue *queue;

    HASH_FIND_STR(fair->queues, path, queue);
    return queue;
}

/* --- creating ----------------------------------------------------------------- */

static struct fair_queue *queue_new(struct sched *sched, struct fair_queue *parent, const char *path,
                                    bool leaf)
{
    struct fair_queue *queue = mem_new0(struct fair_queue);
    struct fair *fair = fair_of(sched);

    queue->leaf = leaf;
    queue->queue = sched_queue_new(sched, parent ? parent->queue : NULL, path, leaf);
    queue->queue->data = queue;
    queue->queue->maximum = &queue->container_maximum;
    HASH_ADD_KEYPTR(hh, fair->queues, queue->queue->path, strlen(queue->queue->path), queue);
    queue->part = queue->queue->parts[0];
    queue->parent = parent;
    queue->at_minimum_ms = sched->now_ms;
    TAILQ_INIT(&queue->children);
    TAILQ_INIT(&queue->changed);
    TAILQ_INIT(&queue->changed_apps);
    TAILQ_INIT(&queue->running);
    TAILQ_INIT(&queue->waiting);
    order_init(&queue->order, leaf ? fair_compare_apps : fair_compare_queues, sched->calc.types);
    order_init(&queue->refused, fair_compare_apps, sched->calc.types);
    fair_queue_measure(queue);
    if (parent) {
        TAILQ_INSERT_TAIL(&parent->children, queue, sibling);
        parent->child_count++;
    }
    return queue;
}

/* Gives QUEUE its settings in the file, or the settings of queues that the file does not name. The settings
 * of its parent must be updated before. */
static void settle_settings(struct fair *fair, struct fair_queue *queue)
{
    const struct fair_allocations *allocations = fair->config->allocations;
    const struct fair_settings *found = fair_allocations_find(allocations, queue->queue->path);

    fair_settings_free(queue->own_settings);
    queue->own_settings = NULL;
    if (found == NULL)
        queue->own_settings =
            fair_settings_new(allocations, queue->parent->settings, queue->queue->path, queue->queue->leaf);
    queue->settings = found ? found : queue->own_settings;
    queue->permanent = found != NULL || queue->parent == NULL || queue == fair->usual;
}

static void free_queue(struct fair *fair, struct fair_queue *queue)
{
    HASH_DEL(fair->queues, queue);
    fair_settings_free(queue->own_settings);
    free(queue);
}

static bool is_empty(const struct fair_queue *queue)
{
    return queue->queue->apps_running + queue->queue->apps_pending == 0;
}

/* Removes QUEUE, which must be empty, and all queues below it. */
static void remove_queue(struct fair *fair, struct fair_queue *queue)
{
    struct fair_queue *parent = queue->parent, *child;
    struct sched_queue *core = queue->queue;

    while ((child = TAILQ_FIRST(&queue->children)) != NULL)
        remove_queue(fair, child);
    assert(!queue->leaf || is_empty(queue));
    order_remove(&queue->item.entry);
    if (queue->marked)
        TAILQ_REMOVE(&parent->changed, queue, changed_link);
    TAILQ_REMOVE(&parent->children, queue, sibling);
    parent->child_count--;
    parent->demand_sum = resource_subtract(parent->demand_sum, queue->demand);
    parent->members_changed = true;
    fair_mark(parent);
    if (queue == fair->usual)
        fair->usual = NULL;
    free_queue(fair, queue);
    sched_queue_free(core->sched, core);
}

/* Creates the queue PATH below PARENT. NULL: its policy is not allowed below the policy of PARENT. */
static struct fair_queue *make(struct sched *sched, struct fair_queue *parent, const char *path, bool leaf)
{
    const struct fair_allocations *allocations = fair_of(sched)->config->allocations;
    const struct fair_settings *found = fair_allocations_find(allocations, path);
    enum fair_policy policy = found ? found->policy : allocations->policy;
    struct fair_queue *queue;

    if ((found && found->barred) || !fair_policy_allows(parent->settings->policy, policy))
        return NULL;
    queue = queue_new(sched, parent, path, leaf);
    settle_settings(fair_of(sched), queue);
    fair_limit(sched, queue);
    fair_of(sched)->steady_stale = true;
    return queue;
}

/* Returns the lowest existing queue above PATH. */
static struct fair_queue *nearest(const struct fair *fair, const char *path)
{
    scoped_free char *above = mem_strdup(path);
    struct fair_queue *queue = NULL;
    char *dot;

    while (queue == NULL && (dot = strrchr(above, '.')) != NULL) {
        *dot = '\0';
        queue = fair_queue_find(fair, above);
    }
    return queue;
}

/* Creates the queue PATH and missing parents. NULL: a queue above is a leaf, or a policy is not allowed at
 * its place. */
static struct fair_queue *make_path(struct sched *sched, const char *path, bool leaf)
{
    struct fair_queue *queue = nearest(fair_of(sched), path);
    scoped_free char *part = mem_strdup(path);
    char *dot = queue ? part + strlen(queue->queue->path) : NULL;

    while (queue && dot) {
        dot = strchr(dot + 1, '.');
        if (dot)
            *dot = '\0';
        queue = queue->queue->leaf ? NULL : make(sched, queue, part, leaf && dot == NULL);
        if (dot)
            *dot = '.';
    }
    return queue;
}

/* Sets ERR if PATH cannot be created because of the policy of a queue: names that queue, and where its policy
 * is set. */
static int refuse_policy(const struct sched *sched, const char *path, struct err *err)
{
    const struct fair_allocations *allocations = fair_of(sched)->config->allocations;
    const struct fair_queue *above = nearest(fair_of(sched), path);
    size_t length = strlen(above->queue->path) + 1;
    scoped_free char *refused = mem_strndup(path, length + strcspn(path + length, "."));
    const struct fair_settings *found = fair_allocations_find(allocations, refused);
    const struct fair_settings *parent = above->settings;

    while (found && found->parent->barred) /* queues below a barred queue are barred, too */
        found = found->parent;
    if (found == NULL)
        return err_set(err, EISDIR,
                       "queue %s: cannot be made: %s would have policy %s "
                       "(defaultQueueSchedulingPolicy), which may not be below %s, whose policy is %s",
                       path, refused, fair_policy_name(allocations->policy), parent->path,
                       fair_policy_name(parent->policy));
    parent = found->parent;
    return err_set(err, EISDIR,
                   "queue %s: cannot be made: %s has policy %s (line %" PRIu32 " of the "
                   "allocation file), which may not be below %s, whose policy is %s",
                   path, found->path, fair_policy_name(found->policy), found->line, parent->path,
                   fair_policy_name(parent->policy));
}

int fair_queue_create(struct sched *sched, const char *path, struct fair_queue **ret, struct err *err)
{
    struct fair_queue *queue = fair_queue_find(fair_of(sched), path);

    if (queue && !queue->queue->leaf)
        return err_set(err, EISDIR, "queue %s: has queues below it; name one of those", path);
    if (queue == NULL) {
        const struct fair_queue *above = nearest(fair_of(sched), path);

        if (queue_path_depth(path) > DEPTH_MAX)
            return err_set(err, EINVAL, "queue %.80s...: has more than %d levels", path, DEPTH_MAX);
        if (above == NULL || above->queue->leaf)
            return err_set(err, EISDIR,
                           "queue %s: cannot be made, for %s has applications, not "
                           "queues",
                           path, above ? above->queue->path : "nothing above it");
        if ((queue = make_path(sched, path, true)) == NULL)
            return refuse_policy(sched, path, err);
    }
    *ret = queue;
    return 0;
}

/* --- queues of the file ----------------------------------------------------- */

/* Removes the queue that prevents a queue PATH of that kind, if there is one. False: that queue is not empty.
 * Differs: the removed queue may be a parent with queues that the file named before. In this case YARN fails
 * with a NullPointerException: it removes these queues with their parent and then looks for them, to mark
 * them as dynamic (QueueManager.setQueuesToDynamic). Of the file, only a part is applied then. */
static bool clear_way(struct fair *fair, const char *path, bool leaf)
{
    struct fair_queue *queue = fair_queue_find(fair, path);

    if (queue && queue->queue->leaf == leaf)
        return true;
    if (queue == NULL) {
        queue = nearest(fair, path);
        if (queue == NULL || !queue->queue->leaf)
            return queue != NULL;
    }
    if (queue == fair->root || (queue == fair->usual && fair->usual_counts) || !is_empty(queue))
        return false;
    remove_queue(fair, queue);
    fair->steady_stale = true;
    return true;
}

static void make_configured(struct sched *sched, bool leaves)
{
    struct fair *fair = fair_of(sched);
    const struct fair_settings *settings;

    STAILQ_FOREACH(settings, &fair->config->allocations->queues, link) {
        if (settings->leaf != leaves || settings->barred || settings->parent == NULL)
            continue;
        if (!clear_way(fair, settings->path, leaves))
            fair->incomplete = true;
        else if (fair_queue_find(fair, settings->path) == NULL)
            make_path(sched, settings->path, leaves);
    }
}

/* Creates root.default, unless the file makes root.default a parent.
 * Differs: YARN up to 3.2 always has this queue, 3.4 only if the file or a submission names it. In creel it
 * always exists, for submissions that name no queue; so steady shares may be divided among one more queue. As
 * long as YARN would not have this queue (usual_counts is false), a queue of the file replaces it. */
static void make_usual(struct sched *sched)
{
    struct fair *fair = fair_of(sched);
    enum fair_queue_kind kind = fair_allocations_configured(fair->config->allocations, DEFAULT_QUEUE);
    struct fair_queue *queue = fair_queue_find(fair, DEFAULT_QUEUE);

    if (kind == FAIR_QUEUE_PARENT)
        return;
    if (queue == NULL) {
        queue = queue_new(sched, fair->root, DEFAULT_QUEUE, true);
        fair->usual_counts = false;
        fair->steady_stale = sched->stale = true;
    } else if (!queue->queue->leaf) { /* it can be created when this parent is removed */
        fair->incomplete = true;
        return;
    }
    fair->usual = queue;
    fair->usual_counts = fair->usual_counts || kind == FAIR_QUEUE_LEAF;
    settle_settings(fair, queue);
}

/* Creates all queues of the file: the leaves first, which also creates their parents. */
static void make_all(struct sched *sched)
{
    fair_of(sched)->incomplete = false;
    make_configured(sched, true);
    make_configured(sched, false);
    make_usual(sched);
}

void fair_usual_is_used(struct fair *fair, const struct fair_queue *leaf)
{
    fair->usual_counts = fair->usual_counts || leaf == fair->usual;
}

int fair_queue_may_enter(const struct sched *sched, const struct fair_queue *queue, struct err *err)
{
    const struct fair *fair = fair_of(sched);

    if (queue != fair->usual || (!queue->settings->barred &&
                                 fair_policy_allows(fair->root->settings->policy, queue->settings->policy)))
        return 0;
    return refuse_policy(sched, DEFAULT_QUEUE, err);
}

static void settle_all(struct sched *sched)
{
    struct sched_queue *queue;

    TAILQ_FOREACH(queue, &sched->queues, link)
        settle_settings(fair_of(sched), fair_queue_data(queue));
    sched->stale = true;
}

/* --- configuration ------------------------------------------------------------------- */

static void set_features(struct sched_features *features, const struct fair_config *config)
{
    features->queues = SCHED_QUEUES_FAIR;
    features->preemption = config->preemption;
    features->update_interval_ms = config->update_interval_ms;
    features->batch_interval_ms = config->continuous ? config->continuous_sleep_ms : 0;
    features->batch_nodes = config->continuous ? (size_t)config->continuous_batch : 0;
}

static void apply_config(struct sched *sched, const struct sched_config *config)
{
    fair_of(sched)->config = config->fair;
    fair_of(sched)->threshold = calc_multiply(&config->fair->increment, config->fair->reservation_multiple);
    sched->assign_on_demand = config->assign_on_demand;
    sched->calc.dominant = true; /* all types are rounded and compared */
    sched->calc.types = (int)config->fair->types.count;
    sched->minimum = config->fair->minimum;
    sched->maximum = config->fair->maximum;
    sched->step = config->fair->increment;
    set_features(&sched->features, config->fair);
}

int fair_configure(struct sched *sched, const struct sched_config *config, struct err *err)
{
    struct fair *fair;

    if (config->fair == NULL)
        return err_set(err, EINVAL, "scheduler fair: has no allocations");
    fair = sched->data = mem_new0(struct fair);
    fair->next_kill_ms = fair->next_release_ms = INT64_MAX;
    fair->next_tidy_ms = TIDY_MS;
    apply_config(sched, config);
    fair->root = queue_new(sched, NULL, "root", false);
    settle_settings(fair, fair->root);
    sched->stale = true;
    make_all(sched);
    fair_recompute(sched);
    return 0;
}

void fair_free(struct sched *sched)
{
    struct fair_queue *queue, *next;
    struct fair *fair = fair_of(sched);

    if (fair == NULL)
        return;
    assert(fair->people == NULL);
    HASH_ITER(hh, fair->queues, queue, next)
        free_queue(fair, queue);
    fair_config_free(fair->config);
    free(fair->members);
    free(fair->starved);
    free(fair->victims);
    free(fair->released);
    free(fair);
    sched->data = NULL;
}

int fair_refresh(struct sched *sched, const struct sched_config *config, struct sched_decisions *decisions,
                 struct err *err)
{
    struct fair *fair = fair_of(sched);
    struct fair_config *before = fair->config;

    if (config->fair == NULL)
        return err_set(err, EINVAL, "scheduler fair: has no allocations");
    if (config->fair->types.count != before->types.count)
        return err_set(err, EINVAL,
                       "scheduler fair: yarn.resource-types may not change without a "
                       "restart");
    apply_config(sched, config);
    settle_all(sched);
    make_all(sched);
    fair_config_free(before);
    fair_recompute(sched);
    fair_run_all(fair);
    sched_offer_released(sched, decisions);
    return 0;
}

/* --- every ten seconds ------------------------------------------------------- */

/* Removes idle queues. In the list of queues, children are after their parents, so one pass from the end
 * removes whole branches. The other queues keep their steady shares. As in YARN, steady shares are computed
 * again when a queue is created, the file is read or the nodes change (not in
 * QueueManager.removeEmptyDynamicQueues). */
static void remove_idle(struct sched *sched)
{
    struct sched_queue *queue, *before;

    fair_recompute_steady(sched);
    TAILQ_FOREACH_REVERSE_SAFE(queue, &sched->queues, sched_queue_list, link, before)
        if (!fair_queue_data(queue)->permanent && is_empty(fair_queue_data(queue)) &&
            (queue->leaf || TAILQ_EMPTY(&fair_queue_data(queue)->children)))
            remove_queue(fair_of(sched), fair_queue_data(queue));
}

void fair_tidy(struct sched *sched)
{
    struct fair *fair = fair_of(sched);

    if (sched->now_ms < fair->next_tidy_ms)
        return;
    fair->next_tidy_ms = sched->now_ms + TIDY_MS;
    remove_idle(sched);
    if (fair->usual && is_empty(fair->usual) && fair->usual->own_settings)
        fair->usual_counts = false; /* YARN removes root.default now */
    if (fair->incomplete)
        make_all(sched);
}

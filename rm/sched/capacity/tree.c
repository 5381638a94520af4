/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - creates, refreshes and removes the live queues of a configuration
 *
 * Each configured queue has one live queue (struct sched_queue). Labels have the indexes of the scheduler,
 * which stay valid over refreshes. Values that depend on the cluster's size are computed when they are next
 * needed, once for any number of nodes added or removed.
 */
#include <assert.h>
#include <errno.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/internal.h"

#define SWEEP_MS 1000 /* interval of checks for expired dynamic queues */

/* --- labels ---------------------------------------------------------------- */

/* Adds all labels of the configuration to the scheduler, and all labels of the scheduler to the
 * configuration. Sets capacity->to_config. */
static void map_labels(struct sched *sched)
{
    struct capacity *capacity = capacity_of(sched);

    for (int c = 0; c < capacity->config->label_count; c++)
        sched_label_new(sched, capacity->config->labels[c]);
    for (int l = 0; l < sched->label_count; l++)
        capacity->to_config[l] = capacity_config_label_add(capacity->config, sched->labels[l].name);
}

static void copy_label_settings(struct sched *sched)
{
    struct capacity *capacity = capacity_of(sched);

    for (int l = 0; l < sched->label_count; l++) {
        sched_label_set_shared(sched, l, capacity->config->label_shared[capacity->to_config[l]]);
        sched->labels[l].configured = capacity->config->label_declared[capacity->to_config[l]];
    }
}

void capacity_label_added(struct sched *sched, int label)
{
    (void)label;
    map_labels(sched);
    capacity_grow(sched); /* the arrays of shares may have moved in memory */
}

static void attach_labels(struct sched *sched, struct sched_queue *queue, const struct capacity_queue *config)
{
    queue->labels = queue->labels_named = 0;
    queue->default_label = 0;
    for (int l = 0; l < sched->label_count; l++) {
        int label = capacity_of(sched)->to_config[l];

        queue->labels |= (config->access >> label & 1) << l;
        queue->labels_named |= (uint64_t)capacity_queue_names_label(config, label) << l;
        if (config->default_label == label)
            queue->default_label = (uint8_t)l;
    }
    capacity_of(sched)->labels_named |= queue->labels_named;
}

/* --- live queues ----------------------------------------------------------- */

static void attach_part(const struct capacity *capacity, struct queue_partition *part)
{
    struct capacity_share *shares = queue_data(part->queue)->config->shares;

    part_data(part)->share = &shares[capacity->to_config[part->label]];
    part->is_leaf = part->queue->leaf;
}

static void attach(struct sched *sched, struct sched_queue *queue, struct capacity_queue *config)
{
    struct leaf_user *user;

    queue_data(queue)->config = config;
    queue_data(queue)->parallel.most = config->max_parallel_apps;
    queue->leaf = config->leaf;
    queue->maximum = &config->maximum_allocation;
    config->live = queue;
    attach_labels(sched, queue, config);
    for (int l = 0; l < sched->label_count; l++)
        attach_part(capacity_of(sched), sched_queue_partition(queue, l));
    queue_data(queue)->all_weight = queue_data(queue)->active_weight = 0;
    queue_data(queue)->weighted = 0;
    RB_FOREACH(user, capacity_user_tree, &queue_data(queue)->users) {
        user->weight = capacity_queue_user_weight(config, user->name);
        queue_data(queue)->all_weight += (double)user->weight;
        queue_data(queue)->active_weight += user->wanting > 0 ? (double)user->weight : 0;
        queue_data(queue)->weighted += user->weight != 1 ? 1u : 0u;
    }
}

void capacity_grow(struct sched *sched)
{
    struct capacity_queue *config;
    struct sched_queue_list before;

    TAILQ_INIT(&before);
    TAILQ_CONCAT(&before, &sched->queues, link);
    capacity_of(sched)->labels_named = 0;
    TAILQ_FOREACH(config, &capacity_of(sched)->config->queues, link) {
        struct sched_queue *queue = config->live;

        if (queue) {
            TAILQ_REMOVE(&before, queue, link);
            TAILQ_INSERT_TAIL(&sched->queues, queue, link);
        } else {
            queue = sched_queue_new(sched, config->parent ? config->parent->live : NULL, config->path,
                                    config->leaf);
            queue_data(queue)->empty_since_ms = sched->now_ms;
            TAILQ_INIT(&queue_data(queue)->apps);
        }
        attach(sched, queue, config);
    }
    assert(TAILQ_EMPTY(&before)); /* queues without configuration were removed before */
    /* Differs: the next recomputation activates waiting applications of all leaves, if limits allow it now;
     * in YARN only those below the parent of the new queue. */
    sched->stale = true;
}

static void apply_config(struct sched *sched, const struct sched_config *config)
{
    struct capacity *capacity = capacity_of(sched);

    capacity_config_free(capacity->config);
    capacity_placement_free(capacity->placement);
    capacity_access_free(capacity->access);
    capacity->reconfigured = true;
    capacity->config = config->capacity;
    capacity->placement = config->placement;
    capacity->access = config->access;
    sched->calc.dominant = config->capacity->dominant;
    sched->minimum = sched->step = config->capacity->minimum_allocation;
    sched->maximum = config->capacity->maximum_allocation;
}

static void set_features(struct sched *sched)
{
    int64_t interval_ms = capacity_preempt_interval_ms(sched);

    sched->features.queues = SCHED_QUEUES_CAPACITY;
    sched->features.labels_enabled = capacity_of(sched)->config->labels_enabled;
    sched->features.preempt_interval_ms = interval_ms;
    sched->features.preemption = interval_ms > 0;
}

int capacity_configure(struct sched *sched, const struct sched_config *config, struct err *err)
{
    struct capacity *capacity;

    if (config->capacity == NULL)
        return err_set(err, EINVAL, "scheduler capacity: has no queues");
    capacity = mem_new0(struct capacity);
    sched->data = capacity;
    apply_config(sched, config);
    map_labels(sched);
    copy_label_settings(sched);
    capacity_grow(sched);
    capacity_preemption_configure(sched, config->preemption);
    set_features(sched);
    return 0;
}

void capacity_free(struct sched *sched)
{
    struct capacity *capacity = capacity_of(sched);

    if (capacity == NULL)
        return;
    capacity_preemption_free(capacity->preemption);
    capacity_config_free(capacity->config);
    capacity_placement_free(capacity->placement);
    capacity_access_free(capacity->access);
    capacity_parallel_free(sched);
    free(capacity->released);
    free(capacity->cursors);
    free(capacity->going);
    free(capacity->spared);
    free(capacity);
}

static struct sched_queue *capacity_find_queue(const struct sched *sched, const char *name)
{
    const struct capacity_queue *config;

    config = capacity_config_find(capacity_of(sched)->config, text_equal(name, "") ? "default" : name, NULL);
    return config ? config->live : NULL;
}

/* --- refresh --------------------------------------------------------------- */

static struct capacity_live find_live(void *context, const char *path)
{
    const struct sched *sched = context;
    const struct sched_queue *queue = capacity_find_queue(sched, path);
    bool has_apps = queue && queue->apps_running + queue->apps_pending > 0;

    return (struct capacity_live){
        .has_apps = has_apps,
        .stopped = queue && queue_data(queue)->config->state == CAPACITY_STOPPED && !has_apps,
    };
}

static void remove_queue(struct sched *sched, struct sched_queue *queue)
{
    assert(RB_EMPTY(&queue_data(queue)->users) && queue->apps_pending + queue->apps_running == 0);
    sched_queue_free(sched, queue);
}

/* Switches live queues to NEXT. Queues that NEXT does not have are empty and are removed. */
static void change_over(struct sched *sched, struct capacity_config *next)
{
    struct sched_queue *queue, *before;
    struct capacity_queue *config;

    TAILQ_FOREACH(queue, &sched->queues, link) {
        HASH_FIND_STR(next->by_path, queue->path, config);
        queue_data(queue)->config = config;
        if (config)
            config->live = queue;
    }
    TAILQ_FOREACH_REVERSE_SAFE(queue, &sched->queues, sched_queue_list, link, before)
        if (queue_data(queue)->config == NULL)
            remove_queue(sched, queue);
}

int capacity_refresh(struct sched *sched, const struct sched_config *config,
                     struct sched_decisions *decisions, struct err *err)
{
    struct capacity *capacity = capacity_of(sched);
    int r;

    if (config->capacity == NULL)
        return err_set(err, EINVAL, "scheduler capacity: has no queues");
    r = capacity_config_accept(capacity->config, config->capacity, find_live, sched, err);
    if (r < 0)
        return r;
    capacity_preemption_prepare(sched, config);
    capacity_spare_report(sched, decisions);
    change_over(sched, config->capacity);
    apply_config(sched, config);
    map_labels(sched);
    copy_label_settings(sched);
    capacity_grow(sched);
    capacity_recompute(sched);
    capacity_parallel_refresh(sched);
    sched_offer_released(sched, decisions);
    capacity_preemption_configure(sched, config->preemption);
    set_features(sched);
    return 0;
}

/* --- states ---------------------------------------------------------------- */

static void set_state(struct capacity_queue *config, enum capacity_state state)
{
    struct capacity_queue *child;

    config->state = state;
    TAILQ_FOREACH(child, &config->children, sibling)
        if (state == CAPACITY_STOPPED || !child->stop_given)
            set_state(child, state);
}

int capacity_set_running(struct sched *sched, struct sched_queue *queue, bool running, struct err *err)
{
    struct capacity_queue *config = queue_data(queue)->config;

    (void)sched;
    if (running && config->parent && config->parent->state != CAPACITY_RUNNING)
        return err_set(err, EINVAL, "queue %s: cannot run while %s is stopped", queue->path,
                       config->parent->path);
    set_state(config, running ? CAPACITY_RUNNING : CAPACITY_STOPPED);
    return 0;
}

/* --- dynamic queues -------------------------------------------------------- */

/* Returns true if QUEUE is to be removed.
 * Differs: YARN reads queue-auto-removal.enable at the path of the dynamic queue itself
 * (CapacitySchedulerConfiguration.isAutoExpiredDeletionEnabled), so the value of a parent has no effect.
 * creel uses the value of the parent, since the names of dynamic queues are not known when the file is
 * written. */
static bool expired(const struct sched *sched, const struct sched_queue *queue)
{
    const struct capacity_queue *config = queue_data(queue)->config;
    int64_t since_ms = queue_data(queue)->empty_since_ms;

    return config->dynamic && !config->parent->auto_create_legacy && config->parent->auto_remove &&
           TAILQ_EMPTY(&config->children) && since_ms >= 0 &&
           queue->apps_pending + queue->apps_running == 0 &&
           sched->now_ms - since_ms >= capacity_of(sched)->config->queue_expiration_ms;
}

/* Removes dynamic queues that have been empty for too long (5.11). A parent that becomes empty by this
 * is removed after another period. */
void capacity_tick(struct sched *sched, struct sched_decisions *decisions)
{
    struct sched_queue *queue, *before;

    capacity_deal(sched, decisions);
    if (sched->now_ms < capacity_of(sched)->next_sweep_ms)
        return;
    capacity_of(sched)->next_sweep_ms = sched->now_ms + SWEEP_MS;
    TAILQ_FOREACH_REVERSE_SAFE(queue, &sched->queues, sched_queue_list, link, before) {
        struct capacity_queue *config = queue_data(queue)->config;

        if (!config->dynamic)
            continue;
        if (queue->apps_pending + queue->apps_running > 0 || !TAILQ_EMPTY(&config->children))
            queue_data(queue)->empty_since_ms = -1;
        else if (queue_data(queue)->empty_since_ms < 0)
            queue_data(queue)->empty_since_ms = sched->now_ms;
        if (!expired(sched, queue))
            continue;
        remove_queue(sched, queue);
        capacity_config_remove(capacity_of(sched)->config, config);
        sched->stale = true;
    }
}

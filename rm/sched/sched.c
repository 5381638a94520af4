/* SPDX-License-Identifier: Apache-2.0 */
/* sched.c - creates, refreshes and frees a scheduler and its queues */
#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/policy.h"

/* The built-in policies. */
static const struct sched_policy *const policies[] = {
    &sched_fifo,
    &sched_capacity,
    &sched_fair,
};

static int check_limits(const struct sched_config *config, const struct sched_policy *policy, struct err *err)
{
    static const char *const names[] = { "memory", "vcores" };

    for (int t = RESOURCE_MEMORY_MB; t <= RESOURCE_VCORES; t++) {
        long long min = config->minimum.value[t], max = config->maximum.value[t];

        if (policy->minimum_may_be_zero ? min < 0 : min <= 0)
            return err_set(err, EINVAL, "minimum allocation: %s %lld must be %s 0", names[t], min,
                           policy->minimum_may_be_zero ? "at least" : "above");
        if (min > max)
            return err_set(err, EINVAL, "minimum allocation: %s %lld is above the maximum, %lld", names[t],
                           min, max);
        if (max > SCHED_AMOUNT_MAX)
            return err_set(err, EINVAL, "maximum allocation: %s %lld is above %lld", names[t], max,
                           (long long)SCHED_AMOUNT_MAX);
    }
    if (resource_any_negative(&config->step))
        return err_set(err, EINVAL, "rounding step of allocations is negative");
    return 0;
}

static const struct sched_policy *find_policy(const struct sched_config *config)
{
    if (config->custom)
        return config->custom;
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        if (text_equal(policies[i]->name, config->policy))
            return policies[i];
    return NULL;
}

/* Calls configure() of the policy; if NULL, creates root and root.default. */
static int configure(struct sched *sched, const struct sched_config *config, struct err *err)
{
    if (sched->policy->configure)
        return sched->policy->configure(sched, config, err);
    sched_queue_new(sched, sched_queue_new(sched, NULL, "root", false), "root.default", true);
    return 0;
}

/* Serials of recovered containers are at most this, so that they are older than all others. (The lower 32
 * bits are zero: demand.order counts in these.) */
#define SERIAL_RECOVERED_MAX (UINT64_C(1) << 32)

int sched_new(const struct sched_config *config, struct sched **ret, struct err *err)
{
    const struct sched_policy *policy = find_policy(config);
    struct sched *sched;
    int r;

    if (policy == NULL)
        return err_set(err, EINVAL, "scheduler %s: not known (there is: fifo, capacity, fair)",
                       config->policy ? config->policy : "(none)");
    if ((r = check_limits(config, policy, err)) < 0)
        return r;

    sched = mem_new0(struct sched);
    sched->last_serial = SERIAL_RECOVERED_MAX;
    sched->policy = policy;
    sched->calc.dominant = config->calculator == SCHED_EVERY_TYPE;
    sched->calc.types = config->types ? config->types : RESOURCE_VCORES + 1;
    sched->names = config->names ? *config->names : resource_types_basic();
    sched->minimum = config->minimum;
    sched->step = config->step;
    sched->maximum = config->maximum;
    sched->assign_on_demand = sched->orders_room = config->assign_on_demand;
    sched->now_ms = sched->started_ms = config->now_ms;
    sched->size_wait_ms = config->size_wait_ms;
    sched->features = (struct sched_features){
        .queues = SCHED_QUEUES_PLAIN,
        .users = policy->reports.queue_user_next != NULL,
        .labels = policy->rules.label_added != NULL,
        .ticks = policy->accounting.timer != NULL,
    };
    TAILQ_INIT(&sched->queues);
    TAILQ_INIT(&sched->changed);
    STAILQ_INIT(&sched->queue_notes);
    TAILQ_INIT(&sched->strict);
    TAILQ_INIT(&sched->pool.free);
    RB_INIT(&sched->room);
    RB_INIT(&sched->kept);
    sched_label_new(sched, "");
    if ((r = configure(sched, config, err)) < 0) {
        sched_free(sched);
        return r;
    }
    *ret = sched;
    return 0;
}

static void free_apps(struct sched *sched)
{
    struct sched_decisions none = { 0 };
    struct sched_app *app, *next;

    HASH_ITER(hh, sched->apps, app, next) {
        sched_app_stop_asking(sched, app);
        while (!TAILQ_EMPTY(&app->containers))
            sched_container_end(sched, TAILQ_FIRST(&app->containers), &none);
        sched_app_remove(sched, app, &none);
    }
    free(none.items);
}

void sched_free(struct sched *sched)
{
    struct sched_node *node, *next;
    struct sched_queue *queue;
    char *path;

    if (sched == NULL)
        return;
    sched->assign_on_demand = false;
    free_apps(sched);
    HASH_ITER(hh, sched->nodes, node, next)
        sched_node_remove(sched, node);
    while ((queue = TAILQ_LAST(&sched->queues, sched_queue_list)) != NULL)
        sched_queue_free(sched, queue);
    while ((path = sched_queue_next_new_or_gone(sched)) != NULL)
        free(path);
    if (sched->policy->free)
        sched->policy->free(sched);
    for (size_t i = 0; i < sched->pool.chunk_count; i++)
        free(sched->pool.chunks[i]);
    free(sched->pool.chunks);
    free(sched->batch);
    sched_labels_free(sched);
    free(sched);
}

int sched_refresh(struct sched *sched, const struct sched_config *config, struct sched_decisions *decisions,
                  struct err *err)
{
    int r;

    if (find_policy(config) != sched->policy)
        return err_set(err, EINVAL, "scheduler %s: cannot become %s without a restart", sched->policy->name,
                       config->custom ? config->custom->name : config->policy);
    if ((r = check_limits(config, sched->policy, err)) < 0)
        return r;
    sched_queues_note_change(sched);
    if (sched->policy->refresh)
        return sched->policy->refresh(sched, config, decisions, err);
    sched->maximum = config->maximum;
    return 0;
}

const struct sched_features *sched_features(const struct sched *sched)
{
    return &sched->features;
}

static void run_timer(struct sched *sched, enum sched_timer timer, struct sched_decisions *decisions)
{
    if (sched->policy->accounting.timer)
        sched->policy->accounting.timer(sched, timer, decisions);
}

void sched_tick(struct sched *sched, int64_t now_ms, struct sched_decisions *decisions)
{
    sched->now_ms = now_ms > sched->now_ms ? now_ms : sched->now_ms;
    run_timer(sched, SCHED_TIMER_TICK, decisions);
}

void sched_preempt(struct sched *sched, struct sched_decisions *decisions)
{
    run_timer(sched, SCHED_TIMER_PREEMPT, decisions);
}

void sched_update(struct sched *sched, struct sched_decisions *decisions)
{
    run_timer(sched, SCHED_TIMER_UPDATE, decisions);
}

/* --- queues ---------------------------------------------------------------- */

struct sched_queue *sched_queue_new(struct sched *sched, struct sched_queue *parent, const char *path,
                                    bool leaf)
{
    size_t data_bytes = sched->policy->data_bytes.queue;
    struct sched_queue *queue = mem_alloc0(sizeof(*queue) + data_bytes);
    const char *dot;

    queue->sched = sched;
    queue->path = mem_strdup(path);
    dot = strrchr(queue->path, '.');
    queue->name = dot ? dot + 1 : queue->path;
    queue->parent = parent;
    queue->leaf = leaf;
    queue->data = sched_data_of(queue, sizeof(*queue), data_bytes);
    sched_queue_partition(queue, 0);
    TAILQ_INSERT_TAIL(&sched->queues, queue, link);
    HASH_ADD_KEYPTR(by_path, sched->queues_by_path, queue->path, strlen(queue->path), queue);
    sched_queue_note_list(sched, path);
    return queue;
}

void sched_queue_free(struct sched *sched, struct sched_queue *queue)
{
    TAILQ_REMOVE(&sched->queues, queue, link);
    HASH_DELETE(by_path, sched->queues_by_path, queue);
    if (queue->changed)
        TAILQ_REMOVE(&sched->changed, queue, changed_link);
    sched_queue_note_list(sched, queue->path);
    for (int l = 0; l < queue->part_count; l++)
        free(queue->parts[l]);
    free(queue->parts);
    free(queue->path);
    free(queue);
}

void sched_cluster(const struct sched *sched, struct sched_cluster *ret)
{
    ret->total = sched->total;
    ret->used = sched->used;
    ret->nodes = sched->node_count;
    ret->open_nodes = sched->open_count;
    ret->containers = sched->container_count;
}

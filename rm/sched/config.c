/* SPDX-License-Identifier: Apache-2.0 */
/* config.c - the core's life, its limits and its queues */
#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/internal.h"

/* A petabyte of MiB: products of counts and sizes stay far from overflow. */
#define AMOUNT_MAX ((int64_t)1 << 30)

static const struct sched_strategy *const strategies[] = { &sched_fifo };

static int check_limits(const struct sched_config *config, struct err *err)
{
    static const char *const names[] = { "memory", "vcores" };

    for (int t = RESOURCE_MEMORY_MB; t <= RESOURCE_VCORES; t++) {
        long long min = config->minimum.value[t], max = config->maximum.value[t];

        if (min <= 0)
            return err_set(err, EINVAL, "minimum allocation: %s %lld must be above 0", names[t],
                           min);
        if (min > max)
            return err_set(err, EINVAL, "minimum allocation: %s %lld is above the maximum, %lld",
                           names[t], min, max);
        if (max > AMOUNT_MAX)
            return err_set(err, EINVAL, "maximum allocation: %s %lld is above %lld", names[t], max,
                           (long long)AMOUNT_MAX);
    }
    if (resource_any_negative(&config->step))
        return err_set(err, EINVAL, "rounding step of allocations is negative");
    return 0;
}

int sched_new(const struct sched_config *config, struct sched **ret, struct err *err)
{
    const struct sched_strategy *strategy = NULL;
    struct sched *sched;
    int r;

    for (size_t i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++)
        if (text_equal(strategies[i]->name, config->strategy))
            strategy = strategies[i];
    if (strategy == NULL)
        return err_set(err, EINVAL, "scheduler %s: not known (there is: fifo)",
                       config->strategy ? config->strategy : "(none)");
    if ((r = check_limits(config, err)) < 0)
        return r;

    sched = mem_new0(struct sched);
    sched->strategy = strategy;
    sched->calculator = config->calculator;
    sched->minimum = config->minimum;
    sched->step = config->step;
    sched->maximum = config->maximum;
    sched->assign_on_demand = config->assign_on_demand;
    sched->managers_permille = config->managers_permille;
    TAILQ_INIT(&sched->queues);
    RB_INIT(&sched->room);
    RB_INIT(&sched->wanting);
    if ((r = strategy->configure(sched, config, err)) < 0) {
        sched_free(sched);
        return r;
    }
    *ret = sched;
    return 0;
}

void sched_free(struct sched *sched)
{
    struct sched_app *app, *next_app;
    struct sched_node *node, *next_node;
    struct sched_queue *queue;
    struct sched_decisions none = { 0 };

    if (sched == NULL)
        return;
    sched->assign_on_demand = false;
    HASH_ITER(hh, sched->apps, app, next_app) {
        while (!TAILQ_EMPTY(&app->containers))
            sched_container_end(sched, TAILQ_FIRST(&app->containers), &none);
        sched_app_remove(sched, app, &none);
    }
    HASH_ITER(hh, sched->nodes, node, next_node)
        sched_node_remove(sched, node);
    while ((queue = TAILQ_FIRST(&sched->queues)) != NULL) {
        TAILQ_REMOVE(&sched->queues, queue, link);
        free(queue->path);
        free(queue);
    }
    free(none.items);
    free(sched);
}

/* --- sizes ----------------------------------------------------------------- */

static int64_t round_up(int64_t value, int64_t step)
{
    return step > 0 ? (value + step - 1) / step * step : value;
}

int sched_normalise(const struct sched *sched, const struct resource *asked,
                    struct resource *normal, struct err *err)
{
    struct resource result = *asked;
    char text[RESOURCE_TEXT_MAX], most[RESOURCE_TEXT_MAX];

    if (resource_any_negative(asked))
        return err_set(err, ERANGE, "asks for %s: an amount is negative",
                       resource_format(asked, text));
    result = resource_max(result, sched->minimum);
    if (!resource_fits(asked, &sched->maximum))
        return err_set(err, ERANGE, "asks for %s, above the maximum for one container, %s",
                       resource_format(&result, text), resource_format(&sched->maximum, most));
    if (normal == NULL)
        return 0;
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        result.value[t] = round_up(result.value[t], sched->step.value[t]);
    result = resource_min(result, sched->maximum);
    if (sched->calculator == SCHED_MEMORY_ONLY)
        result = resource_of(result.value[RESOURCE_MEMORY_MB], 1);
    *normal = result;
    return 0;
}

/* --- queues ---------------------------------------------------------------- */

struct sched_queue *sched_queue_new(struct sched *sched, struct sched_queue *parent,
                                    const char *path, bool leaf)
{
    struct sched_queue *queue = mem_new0(struct sched_queue);
    const char *dot;

    queue->path = mem_strdup(path);
    dot = strrchr(queue->path, '.');
    queue->name = dot ? dot + 1 : queue->path;
    queue->parent = parent;
    queue->leaf = leaf;
    TAILQ_INSERT_TAIL(&sched->queues, queue, link);
    return queue;
}

struct sched_queue *sched_queue_find(const struct sched *sched, const char *name)
{
    struct sched_queue *queue;

    TAILQ_FOREACH(queue, &sched->queues, link)
        if (text_equal(queue->path, name) || text_equal(queue->name, name))
            return queue;
    return NULL;
}

static float share_of(const struct sched *sched, const struct resource *used)
{
    float share = 0;

    for (int t = RESOURCE_MEMORY_MB; t <= RESOURCE_VCORES; t++)
        if (sched->total.value[t] > 0 &&
            (t == RESOURCE_MEMORY_MB || sched->calculator == SCHED_EVERY_TYPE)) {
            float part = (float)used->value[t] / (float)sched->total.value[t];

            share = part > share ? part : share;
        }
    return share;
}

bool sched_queue(const struct sched *sched, size_t index, struct sched_queue_figures *ret)
{
    const struct sched_queue *queue = TAILQ_FIRST(&sched->queues);

    for (; queue && index > 0; index--)
        queue = TAILQ_NEXT(queue, link);
    if (queue == NULL)
        return false;
    *ret = (struct sched_queue_figures){
        .path = queue->path,
        .state = "RUNNING",
        .leaf = queue->leaf,
        .capacity = 1,
        .max_capacity = 1,
        .used_capacity = share_of(sched, &queue->used),
        .used = queue->used,
        .pending = queue->pending,
        .apps_running = queue->apps_running,
        .apps_pending = queue->apps_pending,
        .containers = queue->containers,
    };
    return true;
}

bool sched_queue_is(const struct sched *sched, const char *name, const char *path)
{
    const struct sched_queue *queue = sched_queue_find(sched, name);

    return queue && text_equal(queue->path, path);
}

void sched_cluster(const struct sched *sched, struct sched_cluster *ret)
{
    ret->total = sched->total;
    ret->used = sched->used;
    ret->nodes = sched->node_count;
    ret->open_nodes = sched->open_count;
    ret->containers = sched->container_count;
}

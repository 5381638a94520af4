/* SPDX-License-Identifier: Apache-2.0 */
/* accept.c - checks whether a new configuration may replace the one in use (yarn-behaviour 5.14) */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/config/private.h"
#include "yarn/queue.h"

struct accepting {
    struct capacity_reading reading; /* its config is the new configuration */
    const struct capacity_config *old;
    capacity_live_fn *live;
    void *context;
};

static struct capacity_live live_of(const struct accepting *accepting, const char *path)
{
    return accepting->live(accepting->context, path);
}

static struct capacity_queue *in_next(const struct accepting *accepting, const struct capacity_queue *old)
{
    return capacity_queue_at(accepting->reading.config, old->path, strlen(old->path));
}

/* Returns the nearest queue above QUEUE that also exists in the new configuration. The key "queues" of this
 * queue no longer leads to QUEUE. */
static const struct capacity_queue *remaining_ancestor(const struct accepting *accepting,
                                                       const struct capacity_queue *queue)
{
    const struct capacity_queue *above = NULL;

    for (queue = queue->parent; above == NULL; queue = queue->parent)
        above = in_next(accepting, queue); /* ends, since both have root */
    return above;
}

/* Returns true if QUEUE is STOPPED in the new configuration. A queue that is in no list of queues may have
 * the state key, too. */
static bool marked_stopped(struct accepting *accepting, const struct capacity_queue *queue)
{
    const struct capacity_queue *next = in_next(accepting, queue);
    const char *text = capacity_get(&accepting->reading, queue, CAPACITY_KEY_STATE, 0);

    if (next)
        return next->state == CAPACITY_STOPPED;
    return text && strcasecmp(text, YARN_QUEUE_STOPPED) == 0;
}

/* Differs: YARN removes a queue that the new file marks as STOPPED also while it has applications. */
static bool may_change(struct accepting *accepting, const struct capacity_queue *queue)
{
    struct capacity_live live = live_of(accepting, queue->path);

    return !live.has_apps && (live.stopped || marked_stopped(accepting, queue));
}

static const char *why_not(struct accepting *accepting, const struct capacity_queue *queue)
{
    return live_of(accepting, queue->path).has_apps ? "has apps" : "is not STOPPED";
}

static void judge_removal(struct accepting *accepting, const struct capacity_queue *queue)
{
    const struct capacity_queue *above;

    if (may_change(accepting, queue))
        return;
    above = remaining_ancestor(accepting, queue);
    capacity_problem(capacity_at(&accepting->reading, above, CAPACITY_KEY_QUEUES, 0),
                     "%s is no longer "
                     "there, but %s %s: first stop it and let it finish: creel queue stop %s --drain",
                     queue->path, queue->name, why_not(accepting, queue), queue->path);
}

static void judge_kind(struct accepting *accepting, const struct capacity_queue *old,
                       const struct capacity_queue *next)
{
    bool made = old->auto_create_legacy, makes = next->auto_create_legacy;

    if (old->leaf && !next->leaf && !may_change(accepting, old))
        capacity_problem(capacity_at(&accepting->reading, next,
                                     makes               ? CAPACITY_KEY_MANAGED
                                     : next->auto_create ? CAPACITY_KEY_AUTO_CREATE
                                                         : CAPACITY_KEY_QUEUES,
                                     0),
                         "%s had no queues below it until now, and %s", old->path, why_not(accepting, old));
    else if (!old->leaf && made != makes)
        capacity_problem(capacity_at(&accepting->reading, next, CAPACITY_KEY_MANAGED, 0),
                         "was %s for %s, which cannot change while the scheduler runs",
                         made ? "true" : "false", old->path);
}

/* Returns the queue whose key, KEY, sets the maximum allocation of QUEUE: QUEUE itself or one above. T:
 * memory (0), vcores (1)... */
static const struct capacity_queue *setter_of_maximum(struct accepting *accepting,
                                                      const struct capacity_queue *queue, size_t t,
                                                      enum capacity_key *key)
{
    const enum capacity_key keys[] = { CAPACITY_KEY_ALLOCATION,
                                       t == 0 ? CAPACITY_KEY_ALLOCATION_MB : CAPACITY_KEY_ALLOCATION_VCORES };

    for (; queue; queue = queue->parent)
        for (size_t i = 0; i < 2; i++)
            if (capacity_get(&accepting->reading, queue, keys[i], 0)) {
                *key = keys[i];
                return queue;
            }
    return NULL;
}

static void judge_maximum(struct accepting *accepting, const struct capacity_queue *old,
                          const struct capacity_queue *next)
{
    const struct resource_types *types = &accepting->reading.config->types;

    for (size_t t = 0; t < types->count; t++) {
        const struct capacity_queue *setter;
        enum capacity_key key = CAPACITY_KEY_ALLOCATION;

        if (next->maximum_allocation.value[t] >= old->maximum_allocation.value[t] ||
            accepting->reading.config->maximum_allocation.value[t] <
                accepting->old->maximum_allocation.value[t])
            continue; /* a decrease of the cluster's maximum is reported only once */
        setter = setter_of_maximum(accepting, next, t, &key);
        capacity_problem(capacity_at(&accepting->reading, setter ? setter : next, key, 0),
                         "the maximum allocation of %s would fall from %lld of %s to %lld, which "
                         "containers of today may be above",
                         old->path, (long long)old->maximum_allocation.value[t], types->type[t].name,
                         (long long)next->maximum_allocation.value[t]);
        return;
    }
}

static void judge_maximum_of_cluster(struct accepting *accepting)
{
    static const char *const keys[] = { "yarn.scheduler.maximum-allocation-mb",
                                        "yarn.scheduler.maximum-allocation-vcores" };
    const struct capacity_config *old = accepting->old, *next = accepting->reading.config;
    char origin[CONF_ORIGIN_MAX];

    for (size_t t = 0; t < next->types.count; t++) {
        scoped_free char *key =
            t < 2 ? mem_strdup(keys[t])
                  : mem_printf("yarn.resource-types.%s.maximum-allocation", next->types.type[t].name);

        if (next->maximum_allocation.value[t] < old->maximum_allocation.value[t])
            problem_error(&accepting->reading.problems, EINVAL,
                          "%s: %s: would fall from %lld to "
                          "%lld, which containers of today may be above",
                          conf_origin(next->conf, key, origin, sizeof(origin)), key,
                          (long long)old->maximum_allocation.value[t],
                          (long long)next->maximum_allocation.value[t]);
    }
}

static void judge_queue(struct accepting *accepting, const struct capacity_queue *old)
{
    const struct capacity_queue *next = in_next(accepting, old);

    if (next == NULL) {
        judge_removal(accepting, old);
        return;
    }
    judge_kind(accepting, old, next);
    judge_maximum(accepting, old, next);
}

/* --- dynamic queues ------------------------------------------------------------------- */

/* Adds the dynamic queue OLD below its parent in the new configuration, with the parent's new templates.
 * If there is no such parent, the queue is removed; this is refused while the queue has applications. */
static void carry_over(struct accepting *accepting, const struct capacity_queue *old)
{
    struct capacity_queue *next = in_next(accepting, old), *parent = in_next(accepting, old->parent);
    const struct capacity_queue *above;

    if (next) {
        judge_kind(accepting, old, next);
    } else if (parent && !parent->leaf) {
        next = capacity_dynamic_add(&accepting->reading, parent, old->name, old->leaf);
        if (parent->auto_create_legacy)
            capacity_managed_follow(accepting->old, old, accepting->reading.config, next);
        if (!parent->auto_create_legacy && TAILQ_NEXT(old, sibling) == NULL)
            capacity_judge_siblings(&accepting->reading, parent);
    } else if (old->leaf && live_of(accepting, old->path).has_apps) {
        above = parent ? parent : remaining_ancestor(accepting, old);
        capacity_problem(capacity_at(&accepting->reading, above, CAPACITY_KEY_QUEUES, 0),
                         "%s, which a "
                         "submission made, has apps, and nothing to be below of",
                         old->path);
    }
}

/* --- the whole configuration ---------------------------------------------------------------- */

/* Adds labels of OLD that NEXT does not name: nodes may still have these labels. */
static int judge_labels(const struct capacity_config *old, const struct capacity_config *next,
                        struct err *err)
{
    int count = next->label_count;

    for (int i = 0; i < old->label_count; i++)
        count += capacity_config_label(next, old->labels[i]) < 0;
    if (count > CAPACITY_LABELS_MAX)
        return err_set(err, EINVAL,
                       "label %s is one too many, with those of nodes there are at most "
                       "%d",
                       next->labels[next->label_count - 1], CAPACITY_LABELS_MAX - 1);
    return 0;
}

int capacity_config_accept(const struct capacity_config *old, struct capacity_config *next,
                           capacity_live_fn *live, void *context, struct err *err)
{
    struct accepting accepting = { .old = old, .live = live, .context = context };
    const struct capacity_queue *queue;
    int result;

    capacity_reading_begin(&accepting.reading, next, next->conf);
    judge_maximum_of_cluster(&accepting);
    TAILQ_FOREACH(queue, &old->queues, link)
        if (!queue->dynamic)
            judge_queue(&accepting, queue);
    TAILQ_FOREACH(queue, &old->queues, link)
        if (queue->dynamic)
            carry_over(&accepting, queue);
    result = capacity_reading_end(&accepting.reading, err);
    return result < 0 ? result : judge_labels(old, next, err);
}

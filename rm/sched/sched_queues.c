/* SPDX-License-Identifier: Apache-2.0 */
/* sched_queues.c - returns figures of queues, and access: those of the core, completed by the policy */
#include <errno.h>
#include <string.h>

#include "common/base/text.h"
#include "rm/sched/policy.h"
#include "yarn/queue.h"

/* --- queues ------------------------------------------------------------------ */

static float share_of(const struct sched *sched, const struct resource *used)
{
    float share = 0;

    for (int t = 0; t < calc_types(&sched->calc); t++)
        if (sched->total.value[t] > 0) {
            float part = (float)used->value[t] / (float)sched->total.value[t];

            share = part > share ? part : share;
        }
    return share;
}

static uint32_t containers_of(const struct sched_queue *queue)
{
    uint32_t count = 0;

    for (int l = 0; l < queue->part_count; l++)
        count += queue->parts[l] ? queue->parts[l]->containers : 0;
    return count;
}

static uint32_t unlabelled_containers(const struct sched_queue *queue)
{
    return queue->parts[0] ? queue->parts[0]->containers : 0;
}

static void fill(const struct sched *sched, const struct sched_queue *queue, struct sched_queue_figures *ret)
{
    const struct queue_partition *part = queue->parts[0];

    *ret = (struct sched_queue_figures){
        .path = queue->path,
        .state = YARN_QUEUE_RUNNING,
        .configured_state = "",
        .leaf = queue->leaf,
        .capacity = 1,
        .max_capacity = 1,
        .absolute_capacity = 1,
        .absolute_max_capacity = 1,
        .weight = -1,
        .used = sched_load(sched, queue_used(part)),
        .pending = sched_load(sched, queue_pending(part)),
        .reserved = sched_load(sched, queue_reserved(part)),
        .minimum = sched->total,
        .maximum = sched->total,
        .max_apps = INT64_MAX,
        .max_apps_per_user = INT64_MAX,
        .maximum_lifetime_s = -1,
        .default_lifetime_s = -1,
        .apps_running = queue->apps_running,
        .apps_pending = queue->apps_pending,
        .active_apps = queue->apps_running + queue->apps_pending,
        .containers = containers_of(queue),
        .labelled_containers = containers_of(queue) - unlabelled_containers(queue),
        .starved_since_ms = -1,
    };
    ret->used_capacity = ret->absolute_used = share_of(sched, &ret->used);
    if (sched->policy->reports.queue_figures)
        sched->policy->reports.queue_figures(sched, queue, ret);
}

bool sched_queue_next(const struct sched *sched, const struct sched_queue **at,
                      struct sched_queue_figures *ret)
{
    const struct sched_queue *queue = *at ? TAILQ_NEXT(*at, link) : TAILQ_FIRST(&sched->queues);

    if (queue == NULL)
        return false;
    *at = queue;
    fill(sched, queue, ret);
    return true;
}

bool sched_queue_position(const struct sched *sched, const char *path, const struct sched_queue **ret)
{
    *ret = sched_queue_find(sched, path);
    return *ret != NULL;
}

size_t sched_queue_count(const struct sched *sched)
{
    const struct sched_queue *queue;
    size_t count = 0;

    TAILQ_FOREACH(queue, &sched->queues, link)
        count++;
    return count;
}

bool sched_queue_settings(const struct sched *sched, const char *path, struct sched_queue_settings *ret)
{
    const struct sched_queue *queue = sched_queue_find(sched, path);

    if (queue == NULL || sched->policy->reports.queue_settings == NULL)
        return false;
    sched->policy->reports.queue_settings(sched, queue, ret);
    return true;
}

void sched_queue_templates(const struct sched *sched, const char *path, sched_template_fn *each,
                           void *context)
{
    const struct sched_queue *queue = sched_queue_find(sched, path);

    if (queue != NULL && sched->policy->reports.queue_templates != NULL)
        sched->policy->reports.queue_templates(sched, queue, each, context);
}

bool sched_queue_partition_figures(const struct sched *sched, const char *path, int label,
                                   struct sched_partition_figures *ret)
{
    const struct sched_queue *queue = sched_queue_find(sched, path);

    if (queue == NULL || sched->policy->reports.partition_figures == NULL || label < 1 ||
        label >= queue->part_count || queue->parts[label] == NULL)
        return false;
    sched->policy->reports.partition_figures(sched, queue->parts[label], ret);
    ret->containers = queue->parts[label]->containers;
    return true;
}

bool sched_queue_find_figures(const struct sched *sched, const char *name, struct sched_queue_figures *ret)
{
    const struct sched_queue *queue = sched_queue_find(sched, name);

    if (queue)
        fill(sched, queue, ret);
    return queue != NULL;
}

int64_t sched_queue_lifetime_s(const struct sched *sched, const char *queue, int64_t asked_s)
{
    struct sched_queue_figures figures = { .maximum_lifetime_s = -1, .default_lifetime_s = -1 };
    int64_t lifetime_s = asked_s;

    sched_queue_find_figures(sched, queue, &figures);
    if (lifetime_s <= 0)
        lifetime_s = figures.default_lifetime_s > 0 ? figures.default_lifetime_s : figures.maximum_lifetime_s;
    if (figures.maximum_lifetime_s > 0 && lifetime_s > figures.maximum_lifetime_s)
        lifetime_s = figures.maximum_lifetime_s;
    return lifetime_s > 0 ? lifetime_s : 0;
}

bool sched_queue_at_path(const struct sched *sched, const char *path, struct sched_queue_figures *ret)
{
    struct sched_queue *queue;

    HASH_FIND(by_path, sched->queues_by_path, path, strlen(path), queue);
    if (queue)
        fill(sched, queue, ret);
    return queue != NULL;
}

int sched_queue_set_running(struct sched *sched, const char *name, bool running,
                            struct sched_decisions *decisions, struct err *err)
{
    struct sched_queue *queue = sched_queue_find(sched, name);

    (void)decisions;
    if (queue == NULL)
        return err_set(err, ENOENT, "queue %s: not defined", name);
    if (sched->policy->rules.set_running == NULL)
        return err_set(err, EINVAL, "queue %s: queues of the %s scheduler are always running", queue->path,
                       sched->policy->name);
    sched_queues_note_change(sched);
    return sched->policy->rules.set_running(sched, queue, running, err);
}

static void default_order(const struct sched *sched, const struct sched_queue *queue, sched_name_fn *each,
                          void *context)
{
    const struct sched_queue *child;
    struct sched_app *app, *next;
    char text[ID_TEXT_MAX];

    TAILQ_FOREACH(child, &sched->queues, link)
        if (child->parent == queue)
            each(context, child->name);
    HASH_ITER(hh, sched->apps, app, next)
        if (app->queue == queue)
            each(context, app_id_format(&app->id, text));
}

void sched_queue_order(const struct sched *sched, const char *path, sched_name_fn *each, void *context)
{
    const struct sched_queue *queue = sched_queue_find(sched, path);

    if (queue == NULL)
        return;
    if (sched->policy->reports.queue_order)
        sched->policy->reports.queue_order(sched, queue, each, context);
    else
        default_order(sched, queue, each, context);
}

bool sched_queue_user_next(const struct sched *sched, const char *path, const char *after,
                           struct sched_user_figures *ret)
{
    const struct sched_queue *queue = sched_queue_find(sched, path);

    return queue && sched->policy->reports.queue_user_next &&
           sched->policy->reports.queue_user_next(sched, queue, after, ret);
}

bool sched_queue_user_partition(const struct sched *sched, const char *path, const char *user, int label,
                                struct sched_user_figures *ret)
{
    const struct sched_queue *queue = sched_queue_find(sched, path);

    return queue && sched->policy->reports.queue_user_partition &&
           sched->policy->reports.queue_user_partition(sched, queue, user, label, ret);
}

bool sched_queue_is(const struct sched *sched, const char *name, const char *path)
{
    const struct sched_queue *queue = sched_queue_find(sched, name);

    return queue && text_equal(queue->path, path);
}

/* --- access ------------------------------------------------------------------ */

enum sched_access sched_queue_access(const struct sched *sched, const char *path,
                                     const struct acl_person *person, enum sched_permission permission,
                                     char reason[SCHED_ACCESS_TEXT_MAX])
{
    if (reason)
        *reason = '\0';
    if (sched->policy->rules.access == NULL)
        return SCHED_ACCESS_NO_LISTS;
    return sched->policy->rules.access(sched, path, person, permission, reason);
}

void sched_queues_read_access(struct sched *sched, const struct conf *conf)
{
    if (sched->policy->rules.read_access == NULL)
        return;
    sched->policy->rules.read_access(sched, conf);
    sched_queues_note_change(sched);
}

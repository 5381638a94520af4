/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dynamic.c - creates queues for submissions, from templates (yarn-behaviour 5.11)
 *
 * The flexible form (auto-queue-creation-v2) creates leaves, and parents on the path to them. The legacy form
 * (auto-create-child-queue) creates leaves directly below a parent. This parent assigns its capacity to them
 * (managed.c).
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/config/private.h"
#include "rm/sched/queue_name.h"

struct capacity_queue *capacity_dynamic_add(struct capacity_reading *reading, struct capacity_queue *parent,
                                            const char *name, bool leaf)
{
    struct capacity_queue *queue = capacity_queue_new(reading->config, parent, name);

    queue->dynamic = true;
    capacity_queue_set_leaf(reading->config, queue, leaf);
    capacity_read_queue(reading, queue);
    capacity_read_user_weights(reading, queue);
    capacity_judge_user_weights(reading, queue);
    if (parent->auto_create_legacy)
        capacity_managed_begin(reading->config, queue);
    return queue;
}

/* Warns of queues in the file that cannot be siblings of the queues to be created. YARN reports this when the
 * first queue is created. */
static void warn_of_siblings(struct capacity_reading *reading, const struct capacity_queue *queue)
{
    const struct capacity_queue *child;

    if (!reading->config->legacy_queue_mode || !queue->auto_create)
        return;
    TAILQ_FOREACH(child, &queue->children, sibling)
        if (child->shares[0].mode == CAPACITY_VECTOR ||
            (child->shares[0].mode == CAPACITY_PERCENT && child->shares[0].configured > 0)) {
            capacity_warning(capacity_at(reading, queue, CAPACITY_KEY_AUTO_CREATE, 0),
                             "new queues "
                             "have weights, which do not go with the capacity of %s: none will be "
                             "made",
                             child->path);
            return;
        }
}

/* Warns of a template with a capacity that a new queue cannot have beside other new queues. YARN reports this
 * when a queue is created. */
static void warn_of_template(struct capacity_reading *reading, const struct capacity_queue *queue,
                             const struct capacity_queue *made)
{
    const struct capacity_share *share = &made->shares[0];
    bool amounts = queue->parent == NULL || queue->shares[0].mode == CAPACITY_VECTOR;

    if (!reading->config->legacy_queue_mode || !queue->auto_create || share->mode == CAPACITY_WEIGHT ||
        (share->mode == CAPACITY_VECTOR ? amounts : share->configured <= 0))
        return;
    capacity_warning(
        capacity_at(reading, made, CAPACITY_KEY_CAPACITY, 0),
        "submissions create queues below %s with weights, like 1w: with this capacity, none will "
        "be created",
        queue->path);
}

/* Checks the templates of QUEUE when the file is loaded, before the first queue is created. */
void capacity_judge_templates(struct capacity_reading *reading, struct capacity_queue *queue)
{
    struct capacity_config *config = reading->config;
    bool kinds[] = { true, false };

    warn_of_siblings(reading, queue);
    for (size_t i = 0; i < (queue->auto_create_legacy ? 1 : 2); i++) {
        size_t before = reading->problems.count;
        struct capacity_queue *made = capacity_dynamic_add(reading, queue, "*", kinds[i]);

        if (i == 0)
            warn_of_template(reading, queue, made);
        capacity_queue_drop(config, made);
        if (reading->problems.count > before)
            return; /* most keys of a template are for both leaves and parents */
    }
}

/* --- creating ---------------------------------------------------------------------- */

static bool is_path(const char *path)
{
    size_t length = strlen(path);

    return strncmp(path, "root.", strlen("root.")) == 0 && path[length - 1] != '.' &&
           strstr(path, "..") == NULL && strpbrk(path, "*\n\r\t ") == NULL;
}

static int64_t count_children(const struct capacity_queue *queue)
{
    const struct capacity_queue *child;
    int64_t count = 0;

    TAILQ_FOREACH(child, &queue->children, sibling)
        count++;
    return count;
}

/* Checks whether PARENT may create the missing queues on PATH. */
static int check(const struct capacity_config *config, const struct capacity_queue *parent, const char *path,
                 struct err *err)
{
    const struct capacity_queue *given = parent;
    size_t missing = queue_path_depth(path) - queue_path_depth(parent->path), depth;

    if (!parent->auto_create && !parent->auto_create_legacy)
        return err_set(err, EINVAL,
                       "queue %s: does not exist, and %s does not make queues "
                       "(auto-queue-creation-v2.enabled)",
                       path, parent->path);
    while (given->dynamic)
        given = given->parent;
    depth = queue_path_depth(path) - queue_path_depth(given->path);
    if (parent->auto_create_legacy && missing > 1)
        return err_set(err, E2BIG, "queue %s: %s creates queues only directly below itself", path,
                       parent->path);
    if (!parent->auto_create_legacy && depth > (size_t)given->auto_create_max_depth)
        return err_set(err, E2BIG,
                       "queue %s: is %zu deep below %s, whose "
                       "auto-queue-creation-v2.maximum-queue-depth is %lld",
                       path, depth, given->path, (long long)given->auto_create_max_depth);
    if (queue_path_depth(path) > CAPACITY_DEPTH_MAX)
        return err_set(err, E2BIG, "queue %s: queues are at most %d deep", path, CAPACITY_DEPTH_MAX);
    if (strlen(path) > CAPACITY_PATH_MAX)
        return err_set(err, E2BIG, "queue %.60s...: its path has %zu bytes, at most %d go", path,
                       strlen(path), CAPACITY_PATH_MAX);
    if (count_children(parent) >= parent->auto_create_max_queues)
        return err_set(err, ENOSPC,
                       "queue %s: %s has %lld queues, as many as its max-queues allows, which counts queues "
                       "of the file, too",
                       path, parent->path, (long long)count_children(parent));
    if (config->queue_count + missing > CAPACITY_QUEUES_MAX)
        return err_set(err, ENOSPC, "queue %s: there are %zu queues, at most %d", path, config->queue_count,
                       CAPACITY_QUEUES_MAX);
    return 0;
}

/* Removes QUEUE and the queues above it, up to PARENT, which stays. */
static void remove_queues(struct capacity_config *config, struct capacity_queue *queue,
                          const struct capacity_queue *parent)
{
    while (queue != parent) {
        struct capacity_queue *above = queue->parent;

        capacity_queue_drop(config, queue);
        queue = above;
    }
}

int capacity_config_create(struct capacity_config *config, const char *path, struct capacity_queue **ret,
                           struct err *err)
{
    struct capacity_queue *parent, *queue;
    struct capacity_reading reading;
    scoped_free char *copy = NULL;
    char *rest, *name;
    int result;

    if (!is_path(path))
        return err_set(err, EINVAL, "queue %s: expected a whole path that begins with root.", path);
    if ((queue = capacity_queue_at(config, path, strlen(path))) != NULL) {
        *ret = queue;
        return 0;
    }
    parent = capacity_queue_above(config, path);
    if ((result = check(config, parent, path, err)) < 0)
        return result;
    copy = mem_strdup(path + strlen(parent->path) + 1);
    capacity_reading_begin(&reading, config, config->conf);
    for (rest = copy, queue = parent; (name = strsep(&rest, ".")) != NULL;)
        queue = capacity_dynamic_add(&reading, queue, name, rest == NULL);
    if (!parent->auto_create_legacy)
        capacity_judge_siblings(&reading, parent);
    result = capacity_reading_end(&reading, err);
    if (result == 0 && parent->auto_create_fails && queue->shares[0].idle)
        result = err_set(err, ENOSPC,
                         "%s has no capacity left for it (auto-create-child-queue."
                         "fail-on-exceeding-parent-capacity)",
                         parent->path);
    if (result < 0) {
        remove_queues(config, queue, parent);
        err_prefix(err, "queue %s", path);
        return result;
    }
    *ret = queue;
    return 0;
}

void capacity_config_remove(struct capacity_config *config, struct capacity_queue *queue)
{
    assert(queue->dynamic);
    capacity_queue_drop(config, queue);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* queue_find.c - finds a queue by its path, its path below root, or the name of a leaf */
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/policy.h"

static struct sched_queue *find_path(const struct sched *sched, const char *path)
{
    struct sched_queue *queue;

    HASH_FIND(by_path, sched->queues_by_path, path, strlen(path), queue);
    return queue;
}

static struct sched_queue *find_only_leaf(const struct sched *sched, const char *name)
{
    struct sched_queue *queue, *found = NULL;

    TAILQ_FOREACH(queue, &sched->queues, link) {
        if (!queue->leaf || !text_equal(queue->name, name))
            continue;
        if (found)
            return NULL;
        found = queue;
    }
    return found;
}

struct sched_queue *sched_queue_find(const struct sched *sched, const char *name)
{
    scoped_free char *below_root = NULL;
    struct sched_queue *queue;

    if (text_equal(name, ""))
        name = "default";
    queue = find_path(sched, name);
    if (queue)
        return queue;
    below_root = mem_printf("root.%s", name);
    queue = find_path(sched, below_root);
    return queue ? queue : find_only_leaf(sched, name);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/queue_tree.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

static struct capacity_queue *add(struct capacity_config *config, struct capacity_queue *parent,
                                  const char *path)
{
    struct capacity_queue *queue = mem_new0(struct capacity_queue);
    const char *dot = strrchr(path, '.');

    TAILQ_INIT(&queue->children);
    queue->path = mem_strdup(path);
    queue->name = dot ? queue->path + (dot - path) + 1 : queue->path;
    queue->parent = parent;
    queue->leaf = true;
    if (parent) {
        parent->leaf = false;
        TAILQ_INSERT_TAIL(&parent->children, queue, sibling);
    }
    TAILQ_INSERT_TAIL(&config->queues, queue, link);
    HASH_ADD_KEYPTR(hh, config->by_path, queue->path, strlen(queue->path), queue);
    config->queue_count++;
    return queue;
}

struct capacity_config *queue_tree_new(void)
{
    struct capacity_config *config = mem_new0(struct capacity_config);

    TAILQ_INIT(&config->queues);
    config->root = add(config, NULL, "root");
    config->root->leaf = false;
    return config;
}

void queue_tree_free(struct capacity_config *config)
{
    struct capacity_queue *queue;

    HASH_CLEAR(hh, config->by_path);
    while ((queue = TAILQ_FIRST(&config->queues)) != NULL) {
        TAILQ_REMOVE(&config->queues, queue, link);
        free(queue->path);
        free(queue->acl_submit);
        free(queue->acl_administer);
        free(queue);
    }
    free(config);
}

struct capacity_queue *queue_tree_add(struct capacity_config *config, const char *path)
{
    struct capacity_queue *parent = NULL;

    HASH_FIND(hh, config->by_path, path, (size_t)(strrchr(path, '.') - path), parent);
    if (parent == NULL)
        abort();
    return add(config, parent, path);
}

struct capacity_queue *queue_tree_add_maker(struct capacity_config *config, const char *path,
                                            int64_t depth)
{
    struct capacity_queue *queue = queue_tree_add(config, path);

    queue->leaf = false;
    queue->auto_create = true;
    queue->auto_create_max_depth = depth;
    return queue;
}

/* The tree here has no index of names, so the search is its own. */
__attribute__((weak)) struct capacity_queue *
capacity_config_find(const struct capacity_config *config, const char *name, bool *ambiguous)
{
    struct capacity_queue *found = NULL, *queue;

    HASH_FIND(hh, config->by_path, name, strlen(name), found);
    if (ambiguous)
        *ambiguous = false;
    if (found)
        return found;
    TAILQ_FOREACH(queue, &config->queues, link) {
        if (!queue->leaf || strcmp(queue->name, name) != 0)
            continue;
        if (found && ambiguous)
            *ambiguous = true;
        if (found)
            return NULL;
        found = queue;
    }
    return found;
}

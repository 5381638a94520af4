/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - adds, finds and removes the queues of a capacity configuration */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/config/private.h"

struct capacity_queue *capacity_queue_at(const struct capacity_config *config, const char *path,
                                         size_t length)
{
    struct capacity_queue *queue;

    HASH_FIND(hh, config->by_path, path, length, queue);
    return queue;
}

struct capacity_queue *capacity_queue_above(const struct capacity_config *config, const char *path)
{
    size_t length = strlen(path);
    struct capacity_queue *queue = NULL;

    while (queue == NULL && length > 0)
        if (path[--length] == '.')
            queue = capacity_queue_at(config, path, length);
    return queue ? queue : config->root;
}

/* --- leaves by name ------------------------------------------------------------ */

/* Adds QUEUE to config->leaves, which has the first leaf of each name; further leaves of the same name are
 * linked by namesake. */
static void leaf_add(struct capacity_config *config, struct capacity_queue *queue)
{
    struct capacity_queue *first;

    HASH_FIND(by_name, config->leaves, queue->name, strlen(queue->name), first);
    queue->namesake = first ? first->namesake : NULL;
    if (first)
        first->namesake = queue;
    else
        HASH_ADD_KEYPTR(by_name, config->leaves, queue->name, strlen(queue->name), queue);
}

static void leaf_drop(struct capacity_config *config, struct capacity_queue *queue)
{
    struct capacity_queue *first, *next = queue->namesake;

    HASH_FIND(by_name, config->leaves, queue->name, strlen(queue->name), first);
    if (first == queue) {
        HASH_DELETE(by_name, config->leaves, queue);
        if (next)
            HASH_ADD_KEYPTR(by_name, config->leaves, next->name, strlen(next->name), next);
        return;
    }
    while (first->namesake != queue)
        first = first->namesake;
    first->namesake = next;
}

void capacity_queue_set_leaf(struct capacity_config *config, struct capacity_queue *queue, bool leaf)
{
    if (queue->leaf == leaf)
        return;
    queue->leaf = leaf;
    if (leaf)
        leaf_add(config, queue);
    else
        leaf_drop(config, queue);
}

/* --- numbers by name ----------------------------------------------------------- */

const struct capacity_number *capacity_number_find(const struct capacity_number *numbers, const char *name)
{
    const struct capacity_number *number;

    HASH_FIND_STR(numbers, name, number);
    return number;
}

void capacity_number_set(struct capacity_number **numbers, const char *name, double value)
{
    struct capacity_number *number;

    HASH_FIND_STR(*numbers, name, number);
    if (number == NULL) {
        number = mem_new0(struct capacity_number);
        number->name = mem_strdup(name);
        HASH_ADD_KEYPTR(hh, *numbers, number->name, strlen(number->name), number);
    }
    number->value = value;
}

static void numbers_free(struct capacity_number **numbers)
{
    struct capacity_number *number, *next;

    HASH_ITER(hh, *numbers, number, next) {
        HASH_DEL(*numbers, number);
        free(number->name);
        free(number);
    }
}

/* --- queues -------------------------------------------------------------------- */

static struct capacity_queue *last_child(struct capacity_queue *queue)
{
    return TAILQ_LAST(&queue->children, capacity_queue_list);
}

/* Inserts QUEUE after all queues below PARENT, so that the list is the tree in order. */
static void link_queue(struct capacity_config *config, struct capacity_queue *parent,
                       struct capacity_queue *queue)
{
    struct capacity_queue *last = parent, *before = last_child(parent);

    while (last_child(last))
        last = last_child(last);
    TAILQ_INSERT_AFTER(&config->queues, last, queue, link);
    queue->position = before ? before->position + 1 : 0;
    TAILQ_INSERT_TAIL(&parent->children, queue, sibling);
}

struct capacity_queue *capacity_queue_new(struct capacity_config *config, struct capacity_queue *parent,
                                          const char *name)
{
    struct capacity_queue *queue = mem_new0(struct capacity_queue);

    TAILQ_INIT(&queue->children);
    queue->parent = parent;
    queue->path = parent ? mem_printf("%s.%s", parent->path, name) : mem_strdup(name);
    queue->name = queue->path + strlen(queue->path) - strlen(name);
    queue->shares = mem_array0((size_t)config->label_count, sizeof(*queue->shares));
    HASH_ADD_KEYPTR(hh, config->by_path, queue->path, strlen(queue->path), queue);
    config->queue_count++;
    if (parent) {
        capacity_queue_set_leaf(config, parent, false);
        link_queue(config, parent, queue);
    } else {
        config->root = queue;
        TAILQ_INSERT_HEAD(&config->queues, queue, link);
    }
    capacity_queue_set_leaf(config, queue, true);
    return queue;
}

void capacity_priority_rules_free(struct capacity_queue *queue)
{
    for (size_t i = 0; i < queue->priority_rule_count; i++)
        acl_free(queue->priority_rules[i].who);
    free(queue->priority_rules);
    queue->priority_rules = NULL;
    queue->priority_rule_count = 0;
}

static void free_queue(struct capacity_config *config, struct capacity_queue *queue)
{
    for (int i = 0; i < config->label_count; i++) {
        free(queue->shares[i].minimum_vector);
        free(queue->shares[i].maximum_vector);
    }
    numbers_free(&queue->user_weights);
    capacity_priority_rules_free(queue);
    free(queue->shares);
    free(queue->acl_submit);
    free(queue->acl_administer);
    free(queue->path);
    free(queue);
}

void capacity_queue_drop(struct capacity_config *config, struct capacity_queue *queue)
{
    assert(TAILQ_EMPTY(&queue->children));
    if (queue->leaf)
        leaf_drop(config, queue);
    HASH_DEL(config->by_path, queue);
    TAILQ_REMOVE(&config->queues, queue, link);
    if (queue->parent)
        TAILQ_REMOVE(&queue->parent->children, queue, sibling);
    config->queue_count--;
    free_queue(config, queue);
}

void capacity_config_free(struct capacity_config *config)
{
    struct capacity_queue *queue;

    if (config == NULL)
        return;
    HASH_CLEAR(by_name, config->leaves);
    numbers_free(&config->user_parallel);
    numbers_free(&config->workflows);
    numbers_free(&config->weighted_users);
    free(config->workflow_prefix);
    capacity_free_templates(config);
    HASH_CLEAR(hh, config->by_path);
    while ((queue = TAILQ_FIRST(&config->queues)) != NULL) {
        TAILQ_REMOVE(&config->queues, queue, link);
        free_queue(config, queue);
    }
    for (int i = 0; i < config->label_count; i++)
        free(config->labels[i]);
    free(config);
}

struct capacity_queue *capacity_config_find(const struct capacity_config *config, const char *name,
                                            bool *ambiguous)
{
    struct capacity_queue *queue = capacity_queue_at(config, name, strlen(name));
    bool several = false;

    if (queue == NULL) {
        HASH_FIND(by_name, config->leaves, name, strlen(name), queue);
        several = queue && queue->namesake;
    }
    if (ambiguous)
        *ambiguous = several;
    return several ? NULL : queue;
}

/* --- labels -------------------------------------------------------------------- */

int capacity_config_label(const struct capacity_config *config, const char *label)
{
    for (int i = 0; i < config->label_count; i++)
        if (strcmp(config->labels[i], label) == 0)
            return i;
    return -1;
}

int capacity_config_label_add(struct capacity_config *config, const char *label)
{
    int index = capacity_config_label(config, label);
    struct capacity_queue *queue;

    if (index >= 0)
        return index;
    if (config->label_count == CAPACITY_LABELS_MAX)
        return -E2BIG;
    index = config->label_count++;
    config->labels[index] = mem_strdup(label);
    TAILQ_FOREACH(queue, &config->queues, link) {
        queue->shares = mem_resize(queue->shares, (size_t)config->label_count, sizeof(*queue->shares));
        queue->shares[index] = (struct capacity_share){
            .configured_maximum = queue->parent ? 0 : 100, /* no key of the label can be set */
            .am_fraction = queue->shares[0].am_fraction,
        };
    }
    return index;
}

/* --- users --------------------------------------------------------------------- */

float capacity_queue_user_weight(const struct capacity_queue *queue, const char *user)
{
    for (; queue; queue = queue->parent) {
        const struct capacity_number *own = capacity_number_find(queue->user_weights, user);

        if (own)
            return (float)own->value;
    }
    return 1;
}

int64_t capacity_config_user_parallel(const struct capacity_config *config, const char *user)
{
    const struct capacity_number *own = capacity_number_find(config->user_parallel, user);

    return own ? (int64_t)own->value : config->user_max_parallel_apps;
}

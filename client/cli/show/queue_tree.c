/* SPDX-License-Identifier: Apache-2.0 */
/* queue_tree.c - queues in the order of their tree */
#include "client/cli/show/queue_tree.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

/* The queues in the order of the tree: each followed by its children, in the order of the list. */
struct tree {
    const struct creel_queues *queues;
    const struct creel_queue **by_parent; /* sorted by the paths of their parents, then as listed */
    bool *listed;                         /* by place in BY_PARENT */
    const void **items;                   /* the result */
    size_t count;
};

/* Returns the length of the parent's path. */
static size_t parent_length(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot ? (size_t)(dot - path) : 0;
}

/* Compares the path of QUEUE's parent with the LENGTH bytes at PATH. */
static int compare_parent(const struct creel_queue *queue, const char *path, size_t length)
{
    size_t own = parent_length(queue->path);
    int r = memcmp(queue->path, path, own < length ? own : length);

    return r != 0 ? r : own < length ? -1 : own > length;
}

static int compare_queues(const void *left, const void *right)
{
    const struct creel_queue *a = *(const struct creel_queue *const *)left;
    const struct creel_queue *b = *(const struct creel_queue *const *)right;
    int r = compare_parent(a, b->path, parent_length(b->path));

    return r != 0 ? r : a < b ? -1 : a > b;
}

/* Adds the queues whose parent has the path of LENGTH bytes at PATH. */
static void add_below(struct tree *tree, const char *path, size_t length)
{
    size_t low = 0, high = tree->queues->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (compare_parent(tree->by_parent[middle], path, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < tree->queues->count && compare_parent(tree->by_parent[low], path, length) == 0; low++) {
        const struct creel_queue *queue = tree->by_parent[low];

        if (tree->listed[low])
            return; /* the list has this path twice */
        tree->listed[low] = true;
        tree->items[tree->count++] = queue;
        if (!queue->leaf)
            add_below(tree, queue->path, strlen(queue->path));
    }
}

size_t queue_tree_order(const struct creel_queues *queues, const void **items)
{
    scoped_free const struct creel_queue **by_parent = mem_array0(queues->count + 1, sizeof(*by_parent));
    scoped_free bool *listed = mem_array0(queues->count + 1, sizeof(*listed));
    struct tree tree = { .queues = queues, .by_parent = by_parent, .listed = listed, .items = items };

    for (size_t i = 0; i < queues->count; i++)
        by_parent[i] = &queues->items[i];
    qsort(by_parent, queues->count, sizeof(*by_parent), compare_queues);
    add_below(&tree, "", 0);
    return tree.count;
}

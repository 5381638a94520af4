/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - resolves paths in queue mappings against the tree of queues */
#include "rm/sched/capacity/placement/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/conf/problems.h"
#include "rm/sched/queue_name.h"

static const struct capacity_queue *find_path(const struct capacity_config *config, const char *path,
                                              size_t length)
{
    struct capacity_queue *queue = NULL;

    HASH_FIND(hh, config->by_path, path, length, queue);
    return queue;
}

const struct capacity_queue *placement_tree_find(const struct capacity_config *config, const char *name,
                                                 bool *ambiguous)
{
    const struct capacity_queue *found = find_path(config, name, strlen(name)), *queue;

    *ambiguous = false;
    if (found || strchr(name, '.'))
        return found;
    TAILQ_FOREACH(queue, &config->queues, link) {
        if (strcmp(queue->name, name) != 0)
            continue;
        if (found) {
            *ambiguous = true;
            return NULL;
        }
        found = queue;
    }
    return found;
}

static int check_form(const char *path, struct err *err)
{
    char shown[PROBLEMS_SHOWN_MAX];

    if (*path == '\0')
        return err_set(err, EINVAL, "no queue is named");
    if (!queue_path_is_clean(path))
        return err_set(err, EINVAL, "%s: a part of this path is empty, or has blanks at its ends",
                       problems_show(path, shown));
    if (queue_path_depth(path) > CAPACITY_DEPTH_MAX)
        return err_set(err, EINVAL, "%s: more than %d levels", problems_show(path, shown),
                       CAPACITY_DEPTH_MAX);
    return 0;
}

int placement_tree_normalise(const struct capacity_config *config, const char *text, char **path,
                             struct err *err)
{
    size_t length = strcspn(text, ".");
    scoped_free char *first = mem_strndup(text, length);
    const struct capacity_queue *queue;
    char shown[PROBLEMS_SHOWN_MAX];
    bool ambiguous;
    int r;

    if ((r = check_form(text, err)) < 0)
        return r;
    queue = placement_tree_find(config, first, &ambiguous);
    if (ambiguous)
        return err_set(err, ENOTUNIQ, "%s: several queues have this name: give the full path",
                       problems_show(first, shown));
    if (queue == NULL)
        return err_set(err, ENOENT, "%s: no such queue", problems_show(first, shown));
    *path = mem_printf("%s%s", queue->path, text + length);
    return 0;
}

/* Returns the nearest existing queue above PATH; root if there is no other. */
static const struct capacity_queue *nearest_above(const struct capacity_config *config, const char *path)
{
    const struct capacity_queue *queue = NULL;
    size_t length = strlen(path);

    while (queue == NULL) {
        while (length > 0 && path[length - 1] != '.')
            length--;
        if (length == 0)
            return config->root;
        queue = find_path(config, path, --length);
    }
    return queue;
}

/* Returns true if QUEUE may create queues below itself (5.11, the flexible form). */
static bool makes_queues(const struct capacity_queue *queue)
{
    return !queue->leaf && (queue->auto_create || queue->dynamic);
}

static int judge_creation(const struct capacity_config *config, const char *path, struct err *err)
{
    const struct capacity_queue *above = nearest_above(config, path), *fixed = above;
    size_t depth = queue_path_depth(path);
    char shown[PROBLEMS_SHOWN_MAX];

    problems_show(path, shown);
    if (strpbrk(path, " *\t\r\n"))
        return err_set(err, ENOENT, "%s: no such queue, and none with such a name can be created", shown);
    if (above->leaf)
        return err_set(err, ENOENT, "%s: no such queue, and %s is a leaf: nothing can be below it", shown,
                       above->path);
    if (above->auto_create_legacy && !above->auto_create) {
        if (depth == queue_path_depth(above->path) + 1)
            return 0;
        return err_set(err, ENOENT,
                       "%s: no such queue, and %s creates queues (auto-create-child-queue) "
                       "only directly below itself",
                       shown, above->path);
    }
    if (!makes_queues(above))
        return err_set(err, ENOENT,
                       "%s: no such queue, and %s creates none (neither "
                       "auto-queue-creation-v2 nor auto-create-child-queue is enabled)",
                       shown, above->path);
    while (fixed->dynamic && fixed->parent)
        fixed = fixed->parent;
    if ((int64_t)(depth - queue_path_depth(fixed->path)) > fixed->auto_create_max_depth)
        return err_set(err, ENOENT,
                       "%s: no such queue, and %s creates at most %lld levels of queues "
                       "(maximum-queue-depth)",
                       shown, fixed->path, (long long)fixed->auto_create_max_depth);
    return 0;
}

int placement_tree_check(const struct capacity_config *config, const char *text, char **path,
                         enum placement_target *target, struct err *err)
{
    scoped_free char *full = NULL;
    const struct capacity_queue *queue;
    int r = placement_tree_normalise(config, text, &full, err);

    if (r < 0)
        return r;
    queue = find_path(config, full, strlen(full));
    if (queue && !queue->leaf)
        return err_set(err, EISDIR, "%s: not a leaf queue: it has queues below it, or creates them",
                       queue->path);
    if (queue == NULL && (r = judge_creation(config, full, err)) < 0)
        return r;
    *target = queue ? PLACEMENT_LEAF : PLACEMENT_CREATABLE;
    *path = full;
    full = NULL;
    return 0;
}

bool placement_tree_is_managed(const struct capacity_config *config, const char *path)
{
    const struct capacity_queue *above = nearest_above(config, path);

    return above->auto_create_legacy && !above->auto_create;
}

int placement_tree_judge_pattern(const struct capacity_config *config, const char *pattern,
                                 placement_variable_fn *is_variable, struct err *err)
{
    scoped_free char *fixed = NULL, *full = NULL;
    const struct capacity_queue *queue;
    size_t used = 0, length;
    char shown[PROBLEMS_SHOWN_MAX];
    int r;

    if ((r = check_form(pattern, err)) < 0)
        return r;
    for (;;) {
        length = strcspn(pattern + used, ".");
        if (is_variable(pattern + used, length) || pattern[used + length] == '\0')
            break;
        used += length + 1;
    }
    if (used == 0) /* begins with a variable, so nothing can be checked */
        return 0;
    fixed = mem_strndup(pattern, used - 1);
    if ((r = placement_tree_normalise(config, fixed, &full, err)) < 0)
        return r;
    queue = find_path(config, full, strlen(full));
    if (queue && queue->leaf)
        return err_set(err, ENOENT, "%s: %s is a leaf: nothing can be below it",
                       problems_show(pattern, shown), queue->path);
    if (queue)
        return 0;
    /* The part before the variable may be missing itself if it can be created. As in YARN, the levels that
     * the variables add do not count: these queues may exist later. */
    return judge_creation(config, full, err);
}

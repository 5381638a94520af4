/* SPDX-License-Identifier: Apache-2.0 */
/* queue_tree.c - builds the tree of queues from the model */
#include "web/rest/queue_tree.h"

#include <stdlib.h>
#include <string.h>

#include "web/rest/lists.h"

/* Returns the index of the age of APP, which runs, in running_by_age. */
static size_t age_of(const Creel__AppReport *app, int64_t now_ms)
{
    static const int64_t bounds_min[REST_AGES - 1] = { 60, 300, 1440 };
    int64_t age_min = (now_ms - app->started_ms) / 60000;
    size_t i = 0;

    while (i < REST_AGES - 1 && age_min >= bounds_min[i])
        i++;
    return i;
}

/* Sets the applications of each leaf that have not ended, sorted by user, and the sums of their
 * containers. */
static void set_apps(const struct web_model *model, struct arena *arena, struct rest_queue *by_path)
{
    struct web_app_filter filter = {
        .states = 1u << CREEL__APP_STATE__APP_SUBMITTED | 1u << CREEL__APP_STATE__APP_ACCEPTED |
                  1u << CREEL__APP_STATE__APP_RUNNING,
    };
    const Creel__AppReport **apps;
    size_t count = rest_list_apps(model, arena, &filter, WEB_APP_BY_USER, false, SIZE_MAX, &apps);
    int64_t now_ms = web_model_cluster(model) != NULL ? web_model_cluster(model)->now_ms : 0;
    struct rest_queue **leaves = arena_array0(arena, count + 1, sizeof(*leaves));

    for (size_t i = 0; i < count; i++) {
        HASH_FIND_STR(by_path, apps[i]->queue, leaves[i]);
        if (leaves[i] != NULL)
            leaves[i]->app_count++;
    }
    for (size_t i = 0; i < count; i++) {
        struct rest_queue *leaf = leaves[i];

        if (leaf == NULL)
            continue;
        if (leaf->apps == NULL) {
            leaf->apps = arena_array0(arena, leaf->app_count, sizeof(*leaf->apps));
            leaf->app_count = 0;
        }
        leaf->apps[leaf->app_count++] = apps[i];
        leaf->pending_containers += apps[i]->pending_containers;
        leaf->reserved_containers += apps[i]->reserved_containers;
        if (apps[i]->state == CREEL__APP_STATE__APP_RUNNING)
            leaf->running_by_age[age_of(apps[i], now_ms)]++;
    }
}

static void attach(struct rest_queue *parent, struct rest_queue *queue)
{
    queue->parent = parent;
    if (parent == NULL)
        return;
    if (parent->last != NULL)
        parent->last->next = queue;
    else
        parent->first = queue;
    parent->last = queue;
    parent->child_count++;
}

static struct rest_queue *parent_of(struct rest_queue *by_path, const char *path, const char *dot)
{
    struct rest_queue *parent = NULL;

    if (dot != NULL)
        HASH_FIND(hh, by_path, path, (size_t)(dot - path), parent);
    return parent;
}

struct rest_queue *rest_queue_tree(const struct web_model *model, struct arena *arena)
{
    const Creel__QueueReport *const *reports;
    size_t count = web_model_queues(model, &reports);
    struct rest_queue *queues = arena_array0(arena, count + 1, sizeof(*queues)), *by_path = NULL,
                      *root = NULL;

    for (size_t i = 0; i < count; i++) {
        struct rest_queue *queue = &queues[i];
        const char *path = reports[i]->path, *dot = strrchr(path, '.');

        queue->report = reports[i];
        queue->name = dot != NULL ? dot + 1 : path;
        attach(parent_of(by_path, path, dot), queue);
        if (dot == NULL)
            root = queue;
        HASH_ADD_KEYPTR(hh, by_path, path, strlen(path), queue);
    }
    set_apps(model, arena, by_path);
    HASH_CLEAR(hh, by_path);
    for (size_t i = count; i-- > 0;) { /* children come after their parents, so they are summed up first */
        if (queues[i].parent == NULL)
            continue;
        queues[i].parent->pending_containers += queues[i].pending_containers;
        queues[i].parent->reserved_containers += queues[i].reserved_containers;
        for (size_t age = 0; age < REST_AGES; age++)
            queues[i].parent->running_by_age[age] += queues[i].running_by_age[age];
    }
    return root;
}

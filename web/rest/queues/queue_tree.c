/* SPDX-License-Identifier: Apache-2.0 */
/* queue_tree.c - builds the tree of queues from the model */
#include "web/rest/queues/queue_tree.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "web/rest/parts/lists.h"

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

static const char *id_of(const void *report)
{
    return ((const Creel__AppReport *)report)->app_id;
}

static void add_sums(struct rest_queue *queue, const Creel__AppReport *app, int64_t now_ms)
{
    queue->pending_containers += app->pending_containers;
    queue->reserved_containers += app->reserved_containers;
    queue->unlabelled_pending += app->pending_containers - app->labelled_pending_containers;
    queue->unlabelled_reserved += app->reserved_containers - app->labelled_reserved_containers;
    if (app->state == CREEL__APP_STATE__APP_RUNNING)
        queue->running_by_age[age_of(app, now_ms)]++;
}

/* The applications of one queue, while they are collected. */
struct room {
    const Creel__AppReport **apps;
    size_t count;
};

/* Sets the applications of each leaf that have not ended, sorted by user, and sums of their containers. */
static void set_apps(const struct web_model *model, struct arena *arena, struct rest_queue *queues,
                     size_t queue_count, struct rest_queue *by_path)
{
    struct web_app_filter filter = { .states = REST_QUEUE_STATES };
    struct arena *here = arena_new();
    const Creel__AppReport **apps;
    size_t count = rest_list_apps(model, here, &filter, WEB_APP_BY_USER, false, SIZE_MAX, &apps);
    int64_t now_ms = web_model_cluster(model)->now_ms;
    struct rest_queue **of_apps = arena_array0(here, count + 1, sizeof(*of_apps));
    struct room *rooms = arena_array0(here, queue_count + 1, sizeof(*rooms));

    for (size_t i = 0; i < count; i++) {
        HASH_FIND_STR(by_path, apps[i]->queue, of_apps[i]);
        if (of_apps[i] == NULL)
            continue;
        add_sums(of_apps[i], apps[i], now_ms);
        rooms[of_apps[i] - queues].count++;
    }
    for (size_t i = 0; i < queue_count; i++) {
        rooms[i].apps = arena_array0(here, rooms[i].count + 1, sizeof(*rooms[i].apps));
        rooms[i].count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct room *room = of_apps[i] != NULL ? &rooms[of_apps[i] - queues] : NULL;

        if (room != NULL)
            room->apps[room->count++] = apps[i];
    }
    for (size_t i = 0; i < queue_count; i++) {
        queues[i].has_apps = rooms[i].count > 0;
        queues[i].apps = rest_names_of(arena, (const void *const *)rooms[i].apps, rooms[i].count, id_of);
    }
    arena_free(here);
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
        const char *path = arena_strdup(arena, reports[i]->path), *dot = strrchr(path, '.');

        queue->report = reports[i];
        queue->leaf = reports[i]->leaf;
        queue->path = path;
        queue->name = dot != NULL ? dot + 1 : path;
        attach(parent_of(by_path, path, dot), queue);
        if (dot == NULL)
            root = queue;
        HASH_ADD_KEYPTR(hh, by_path, path, strlen(path), queue);
    }
    set_apps(model, arena, queues, count, by_path);
    HASH_CLEAR(hh, by_path);
    for (size_t i = count; i-- > 0;) { /* children come after their parents, so they are summed up first */
        if (queues[i].parent == NULL)
            continue;
        queues[i].parent->pending_containers += queues[i].pending_containers;
        queues[i].parent->reserved_containers += queues[i].reserved_containers;
        queues[i].parent->unlabelled_pending += queues[i].unlabelled_pending;
        queues[i].parent->unlabelled_reserved += queues[i].unlabelled_reserved;
        for (size_t age = 0; age < REST_AGES; age++)
            queues[i].parent->running_by_age[age] += queues[i].running_by_age[age];
    }
    return root;
}

bool rest_queue_look(struct rest_queue *queue, const struct web_model *model)
{
    const Creel__QueueReport *report = web_model_queue(model, queue->path);
    bool is_same = report != NULL && text_equal(report->path, queue->path) && report->leaf == queue->leaf;

    queue->report = is_same ? report : NULL;
    return is_same;
}

const Creel__AppReport *rest_queue_take_app(struct rest_names *apps, const struct rest_queue *queue,
                                            const struct web_model *model)
{
    const char *id;

    while ((id = rest_names_take(apps)) != NULL) {
        const Creel__AppReport *app = web_model_app(model, id);

        if (app != NULL && (REST_QUEUE_STATES & 1u << app->state) != 0 && text_equal(app->queue, queue->path))
            return app;
    }
    return NULL;
}

struct rest_queue *rest_queue_after(const struct rest_queue *queue)
{
    if (queue->first != NULL)
        return queue->first;
    while (queue != NULL && queue->next == NULL)
        queue = queue->parent;
    return queue != NULL ? queue->next : NULL;
}

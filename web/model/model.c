/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - looks up one application, node or queue, and lists the queues */
#include "web/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "web/model/rows.h"

bool web_model_is_complete(const struct web_model *model)
{
    return model->complete;
}

uint64_t web_model_version(const struct web_model *model)
{
    return model->version;
}

uint64_t web_model_changed(const struct web_model *model, enum web_topic topic)
{
    return model->changed[topic];
}

uint64_t web_model_app_changed(const struct web_model *model, const char *app_id)
{
    struct app_entry *entry;

    HASH_FIND_STR(model->apps, app_id, entry);
    return entry != NULL ? entry->changed : model->changed[WEB_TOPIC_APPS];
}

uint64_t web_model_node_changed(const struct web_model *model, const char *node_id)
{
    struct node_entry *entry;

    HASH_FIND_STR(model->nodes, node_id, entry);
    return entry != NULL ? entry->changed : model->changed[WEB_TOPIC_NODES];
}

const Creel__ClusterInfo *web_model_cluster(const struct web_model *model)
{
    static const Creel__ClusterInfo none = CREEL__CLUSTER_INFO__INIT;

    return model->cluster != NULL ? model->cluster : &none;
}

const struct web_trend *web_model_trend(const struct web_model *model)
{
    return &model->trend;
}

const Creel__AppReport *web_model_app(const struct web_model *model, const char *app_id)
{
    struct app_entry *entry;

    HASH_FIND_STR(model->apps, app_id, entry);
    return entry != NULL ? entry->report : NULL;
}

const Creel__NodeReport *web_model_node(const struct web_model *model, const char *node_id)
{
    struct node_entry *entry;

    HASH_FIND_STR(model->nodes, node_id, entry);
    return entry != NULL ? entry->report : NULL;
}

static int compare_path(const void *path, const void *place)
{
    return strcmp(path, ((const struct queue_place *)place)->path);
}

struct queue_place *queue_list_find(const struct queue_list *list, const char *path)
{
    if (list->count == 0)
        return NULL;
    return bsearch(path, list->by_path, list->count, sizeof(*list->by_path), compare_path);
}

const Creel__QueueReport *web_model_queue(const struct web_model *model, const char *name_or_path)
{
    const struct queue_list *list = &model->queues;
    const struct queue_place *place = queue_list_find(list, name_or_path);
    const char *dot;

    if (place != NULL)
        return list->queues[place->index];
    for (size_t i = 0; i < list->count; i++)
        if ((dot = strrchr(list->queues[i]->path, '.')) != NULL && strcmp(dot + 1, name_or_path) == 0)
            return list->queues[i];
    return NULL;
}

size_t web_model_queues(const struct web_model *model, const Creel__QueueReport *const **ret)
{
    *ret = (const Creel__QueueReport *const *)model->queues.queues;
    return model->queues.count;
}

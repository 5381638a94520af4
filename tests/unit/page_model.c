/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/page_model.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"

struct sorting {
    int order;
    bool descending;
};

bool web_model_is_complete(const struct web_model *model)
{
    return model->complete;
}

uint64_t web_model_version(const struct web_model *model)
{
    return model->version;
}

const Creel__ClusterInfo *web_model_cluster(const struct web_model *model)
{
    return &model->cluster;
}

const Creel__AppReport *web_model_app(const struct web_model *model, const char *app_id)
{
    for (size_t i = 0; i < model->app_count; i++)
        if (strcmp(model->apps[i]->app_id, app_id) == 0)
            return model->apps[i];
    return NULL;
}

const Creel__NodeReport *web_model_node(const struct web_model *model, const char *node_id)
{
    for (size_t i = 0; i < model->node_count; i++)
        if (strcmp(model->nodes[i]->node_id, node_id) == 0)
            return model->nodes[i];
    return NULL;
}

const Creel__QueueReport *web_model_queue(const struct web_model *model, const char *name_or_path)
{
    for (size_t i = 0; i < model->queue_count; i++) {
        const char *path = model->queues[i]->path, *dot = strrchr(path, '.');

        if (strcmp(path, name_or_path) == 0 || (dot != NULL && strcmp(dot + 1, name_or_path) == 0))
            return model->queues[i];
    }
    return NULL;
}

size_t web_model_queues(const struct web_model *model, const Creel__QueueReport *const **ret)
{
    *ret = model->queues;
    return model->queue_count;
}

/* --- applications ------------------------------------------------------------ */

static bool is_one_of(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return count == 0;
}

static bool is_in_queue(const char *path, const char *queue)
{
    size_t length = strlen(queue);
    const char *dot = strrchr(path, '.');

    return (strncmp(path, queue, length) == 0 && (path[length] == '.' || path[length] == '\0')) ||
        (dot != NULL && strcmp(dot + 1, queue) == 0);
}

static bool app_fits(const Creel__AppReport *app, const struct web_app_filter *filter)
{
    return (filter->states == 0 || (filter->states & 1u << app->state) != 0) &&
        is_one_of(app->user, filter->users, filter->user_count) &&
        is_one_of(app->type, filter->types, filter->type_count) &&
        (filter->queue == NULL || is_in_queue(app->queue, filter->queue)) &&
        (filter->name == NULL || strcasestr(app->name, filter->name) != NULL) &&
        (filter->reason_code == NULL || strcmp(app->reason_code, filter->reason_code) == 0);
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_apps(const void *a, const void *b, void *context)
{
    const struct sorting *sorting = context;
    const Creel__AppReport *x = *(const Creel__AppReport *const *)a, *y = *(const Creel__AppReport *const *)b;
    int result = 0;

    switch ((enum web_app_order)sorting->order) {
    case WEB_APP_BY_NAME: result = strcmp(x->name, y->name); break;
    case WEB_APP_BY_USER: result = strcmp(x->user, y->user); break;
    case WEB_APP_BY_QUEUE: result = strcmp(x->queue, y->queue); break;
    case WEB_APP_BY_STATE: result = compare_numbers(x->state, y->state); break;
    case WEB_APP_BY_CONTAINERS: result = compare_numbers(x->running_containers, y->running_containers); break;
    case WEB_APP_BY_MEMORY: result = compare_numbers(x->allocated->memory_mb, y->allocated->memory_mb); break;
    case WEB_APP_BY_VCORES: result = compare_numbers(x->allocated->vcores, y->allocated->vcores); break;
    case WEB_APP_BY_WAIT: result = compare_numbers(y->submitted_ms, x->submitted_ms); break;
    case WEB_APP_BY_PRIORITY: result = compare_numbers(x->priority, y->priority); break;
    case WEB_APP_BY_AGE: break;
    }
    if (result == 0)
        result = strcmp(x->app_id, y->app_id);
    return sorting->descending ? -result : result;
}

size_t web_model_list_apps(const struct web_model *model, const struct web_app_filter *filter,
                           enum web_app_order order, const struct web_page *page,
                           const Creel__AppReport **ret, size_t *total)
{
    struct sorting sorting = { (int)order, page->descending };
    scoped_free const Creel__AppReport **all = mem_array0(model->app_count + 1, sizeof(*all));
    size_t count = 0, first = 0, shown = 0;

    for (size_t i = 0; i < model->app_count; i++)
        if (app_fits(model->apps[i], filter))
            all[count++] = model->apps[i];
    qsort_r(all, count, sizeof(*all), compare_apps, &sorting);
    for (size_t i = 0; page->after != NULL && i < count; i++)
        if (strcmp(all[i]->app_id, page->after) == 0)
            first = i + 1;
    for (size_t i = first; i < count && shown < page->limit; i++)
        ret[shown++] = all[i];
    *total = count;
    return shown;
}

size_t web_model_count_apps(const struct web_model *model, const struct web_app_filter *filter)
{
    size_t count = 0;

    for (size_t i = 0; i < model->app_count; i++)
        count += app_fits(model->apps[i], filter);
    return count;
}

/* --- nodes ------------------------------------------------------------------- */

static bool node_fits(const Creel__NodeReport *node, const struct web_node_filter *filter)
{
    return (filter->states == 0 || (filter->states & 1u << node->state) != 0) &&
        (filter->rack == NULL || strcmp(node->rack, filter->rack) == 0) &&
        (filter->label == NULL || strcmp(node->label, filter->label) == 0) &&
        (filter->text == NULL || strcasestr(node->node_id, filter->text) != NULL);
}

static int compare_nodes(const void *a, const void *b, void *context)
{
    const struct sorting *sorting = context;
    const Creel__NodeReport *x = *(const Creel__NodeReport *const *)a;
    const Creel__NodeReport *y = *(const Creel__NodeReport *const *)b;
    int result = 0;

    switch ((enum web_node_order)sorting->order) {
    case WEB_NODE_BY_STATE: result = compare_numbers(x->state, y->state); break;
    case WEB_NODE_BY_MEMORY: result = compare_numbers(x->used->memory_mb, y->used->memory_mb); break;
    case WEB_NODE_BY_CONTAINERS: result = compare_numbers(x->containers, y->containers); break;
    case WEB_NODE_BY_HEARTBEAT: result = compare_numbers(x->last_heartbeat_ms, y->last_heartbeat_ms); break;
    case WEB_NODE_BY_ID: break;
    }
    if (result == 0)
        result = strcmp(x->node_id, y->node_id);
    return sorting->descending ? -result : result;
}

size_t web_model_list_nodes(const struct web_model *model, const struct web_node_filter *filter,
                            enum web_node_order order, const struct web_page *page,
                            const Creel__NodeReport **ret, size_t *total)
{
    struct sorting sorting = { (int)order, page->descending };
    scoped_free const Creel__NodeReport **all = mem_array0(model->node_count + 1, sizeof(*all));
    size_t count = 0, first = 0, shown = 0;

    for (size_t i = 0; i < model->node_count; i++)
        if (node_fits(model->nodes[i], filter))
            all[count++] = model->nodes[i];
    qsort_r(all, count, sizeof(*all), compare_nodes, &sorting);
    for (size_t i = 0; page->after != NULL && i < count; i++)
        if (strcmp(all[i]->node_id, page->after) == 0)
            first = i + 1;
    for (size_t i = first; i < count && shown < page->limit; i++)
        ret[shown++] = all[i];
    *total = count;
    return shown;
}

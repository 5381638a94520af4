/* SPDX-License-Identifier: Apache-2.0 */
/* feed.c - puts replies of the resource manager into the rows of the model */
#include "web/model/feed.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/wire/wire.h"
#include "web/model/differ.h"
#include "web/model/rows.h"

struct web_model *web_model_new(void)
{
    return mem_new0(struct web_model);
}

/* --- applications ------------------------------------------------------------ */

static uint64_t start_of(const char *name)
{
    uint64_t start = 0;

    for (size_t i = 0; i < sizeof(start); i++) {
        start = start << 8 | (unsigned char)*name;
        name += *name != '\0';
    }
    return start;
}

/* Records that TOPIC changes with the next version. Returns that version. */
static uint64_t touch(struct web_model *model, enum web_topic topic)
{
    model->changed[topic] = model->version + 1;
    return model->changed[topic];
}

static void drop_names(struct web_model *model, const struct app_row *row)
{
    names_drop(&model->users, row->user);
    names_drop(&model->queue_names, row->queue);
    names_drop(&model->types, row->type);
    names_drop(&model->reasons, row->reason);
}

static void fill_title(struct app_title *title, const char *name)
{
    size_t length = strlen(name);

    title->cut = length >= APP_TITLE_SIZE;
    if (title->cut)
        length = APP_TITLE_SIZE - 1;
    memcpy(title->folded, name, length);
    title->folded[length] = '\0';
    text_fold(title->folded);
}

static void fill_row(struct web_model *model, struct app_row *row, struct app_entry *entry)
{
    const Creel__AppReport *app = entry->report;
    struct app_id id = { .seq = 0 };

    (void)app_id_parse(app->app_id, &id);
    *row = (struct app_row){
        .entry = entry,
        .user = names_intern(&model->users, app->user),
        .queue = names_intern(&model->queue_names, app->queue),
        .type = names_intern(&model->types, app->type),
        .reason = names_intern(&model->reasons, app->reason_code),
        .name_start = start_of(app->name),
        .submitted_ms = app->submitted_ms,
        .finished_ms = app->finished_ms,
        .memory_mb = app->allocated != NULL ? app->allocated->memory_mb : 0,
        .vcores = app->allocated != NULL ? app->allocated->vcores : 0,
        .seq = id.seq,
        .containers = app->running_containers,
        .priority = app->priority,
        .state = (uint8_t)app->state,
        .final_status = (uint8_t)app->final_status,
    };
}

static struct app_entry *add_app(struct web_model *model)
{
    struct app_entry *entry = mem_new0(struct app_entry);

    mem_grow(model->rows, model->row_count, model->row_capacity);
    mem_grow(model->titles, model->row_count, model->title_capacity);
    entry->row = model->row_count++;
    model->rows[entry->row] = (struct app_row){ .entry = entry };
    return entry;
}

/* Counts ROW, or takes it out of the count: BY is 1 or -1. */
static void count_state(struct web_model *model, const struct app_row *row, int by)
{
    if (row->entry != NULL && row->state < WEB_APP_STATES)
        model->by_state[row->state] += (size_t)by;
}

static void put_app(struct web_model *model, const Creel__AppReport *report)
{
    struct app_row before = { .entry = NULL };
    struct app_entry *entry;
    bool renamed = true;

    HASH_FIND_STR(model->apps, report->app_id, entry);
    if (entry == NULL) {
        entry = add_app(model);
        entry->changed = touch(model, WEB_TOPIC_APPS);
    } else {
        HASH_DEL(model->apps, entry); /* the key is a string in the old report */
        before = model->rows[entry->row];
        renamed = strcmp(entry->report->name, report->name) != 0;
        if (renamed)
            RB_REMOVE(app_name_tree, &model->names, entry);
        if (differ_app(entry->report, report))
            entry->changed = touch(model, WEB_TOPIC_APPS);
        creel__app_report__free_unpacked(entry->report, NULL);
    }
    entry->report = (Creel__AppReport *)wire_copy(&report->base);
    entry->load = model->load;
    HASH_ADD_KEYPTR(hh, model->apps, entry->report->app_id, strlen(entry->report->app_id), entry);
    count_state(model, &before, -1);
    fill_row(model, &model->rows[entry->row], entry);
    count_state(model, &model->rows[entry->row], 1);
    fill_title(&model->titles[entry->row], entry->report->name);
    if (renamed)
        RB_INSERT(app_name_tree, &model->names, entry);
    drop_names(model, &before);
}

static void remove_app(struct web_model *model, struct app_entry *entry)
{
    struct app_row *last = &model->rows[--model->row_count];

    touch(model, WEB_TOPIC_APPS);
    HASH_DEL(model->apps, entry);
    RB_REMOVE(app_name_tree, &model->names, entry);
    count_state(model, &model->rows[entry->row], -1);
    drop_names(model, &model->rows[entry->row]);
    model->rows[entry->row] = *last;
    model->titles[entry->row] = model->titles[model->row_count];
    last->entry->row = entry->row;
    creel__app_report__free_unpacked(entry->report, NULL);
    free(entry);
}

void web_model_put_apps(struct web_model *model, const Creel__AppList *page)
{
    for (size_t i = 0; i < page->n_apps; i++)
        put_app(model, page->apps[i]);
    model->version++;
}

/* --- nodes ------------------------------------------------------------------- */

static void forget_order(struct web_model *model)
{
    free(model->sorted);
    model->sorted = NULL;
}

static void put_node(struct web_model *model, const Creel__NodeReport *report)
{
    struct node_entry *entry;

    HASH_FIND_STR(model->nodes, report->node_id, entry);
    if (entry == NULL) {
        forget_order(model);
        entry = mem_new0(struct node_entry);
        entry->changed = touch(model, WEB_TOPIC_NODES);
    } else {
        if (differ_node(entry->report, report))
            entry->changed = touch(model, WEB_TOPIC_NODES);
        HASH_DEL(model->nodes, entry);
        creel__node_report__free_unpacked(entry->report, NULL);
    }
    entry->report = (Creel__NodeReport *)wire_copy(&report->base);
    entry->load = model->load;
    HASH_ADD_KEYPTR(hh, model->nodes, entry->report->node_id, strlen(entry->report->node_id), entry);
}

static void remove_node(struct web_model *model, struct node_entry *entry)
{
    forget_order(model);
    touch(model, WEB_TOPIC_NODES);
    HASH_DEL(model->nodes, entry);
    creel__node_report__free_unpacked(entry->report, NULL);
    free(entry);
}

void web_model_put_nodes(struct web_model *model, const Creel__NodeList *page)
{
    for (size_t i = 0; i < page->n_nodes; i++)
        put_node(model, page->nodes[i]);
    nodes_sort(model);
    model->version++;
}

/* --- queues, the cluster ------------------------------------------------------- */

static void empty_queues(struct queue_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        creel__queue_report__free_unpacked(list->queues[i], NULL);
    free(list->queues);
    free(list->by_path);
    *list = (struct queue_list){ .count = 0 };
}

static int compare_places(const void *a, const void *b)
{
    return strcmp(((const struct queue_place *)a)->path, ((const struct queue_place *)b)->path);
}

static void sort_queues(struct queue_list *list)
{
    list->by_path = mem_array0(list->count + 1, sizeof(*list->by_path));
    for (size_t i = 0; i < list->count; i++)
        list->by_path[i] = (struct queue_place){ list->queues[i]->path, i };
    qsort(list->by_path, list->count, sizeof(*list->by_path), compare_places);
}

/* Returns whether the coming list of queues has other queues, in another order, or other figures. */
static bool queues_differ(const struct queue_list *list, const struct queue_list *coming)
{
    if (list->count != coming->count)
        return true;
    for (size_t i = 0; i < list->count; i++)
        if (differ_queue(list->queues[i], coming->queues[i]))
            return true;
    return false;
}

void web_model_put_queues(struct web_model *model, const Creel__QueueList *page, bool first)
{
    struct queue_list *coming = &model->coming;

    if (first)
        empty_queues(coming);
    for (size_t i = 0; i < page->n_queues; i++) {
        mem_grow(coming->queues, coming->count, coming->capacity);
        coming->queues[coming->count++] = (Creel__QueueReport *)wire_copy(&page->queues[i]->base);
    }
    if (*page->next != '\0')
        return;
    sort_queues(coming);
    if (queues_differ(&model->queues, coming))
        touch(model, WEB_TOPIC_QUEUES);
    empty_queues(&model->queues);
    model->queues = *coming;
    *coming = (struct queue_list){ .count = 0 };
    model->version++;
}

static void put_queue(struct web_model *model, const Creel__QueueReport *report)
{
    struct queue_place *place = queue_list_find(&model->queues, report->path);
    Creel__QueueReport **queue;

    if (place == NULL) /* new: a complete list will follow */
        return;
    queue = &model->queues.queues[place->index];
    if (differ_queue(*queue, report))
        touch(model, WEB_TOPIC_QUEUES);
    creel__queue_report__free_unpacked(*queue, NULL);
    *queue = (Creel__QueueReport *)wire_copy(&report->base);
    place->path = (*queue)->path;
}

void web_model_put_some_queues(struct web_model *model, const Creel__QueueList *page)
{
    for (size_t i = 0; i < page->n_queues; i++)
        put_queue(model, page->queues[i]);
    model->version++;
}

void web_model_put_cluster(struct web_model *model, const Creel__ClusterInfo *cluster)
{
    if (model->cluster == NULL || differ_cluster(model->cluster, cluster))
        touch(model, WEB_TOPIC_CLUSTER);
    if (model->cluster != NULL)
        creel__cluster_info__free_unpacked(model->cluster, NULL);
    model->cluster = (Creel__ClusterInfo *)wire_copy(&cluster->base);
    web_trend_add(&model->trend, cluster);
    model->version++;
}

/* --- loads and changes --------------------------------------------------------- */

void web_model_put_changes(struct web_model *model, const Creel__Changes *changes)
{
    struct app_entry *app;
    struct node_entry *node;

    for (size_t i = 0; i < changes->n_apps_gone; i++) {
        HASH_FIND_STR(model->apps, changes->apps_gone[i], app);
        if (app != NULL)
            remove_app(model, app);
    }
    for (size_t i = 0; i < changes->n_nodes_gone; i++) {
        HASH_FIND_STR(model->nodes, changes->nodes_gone[i], node);
        if (node != NULL)
            remove_node(model, node);
    }
    for (size_t i = 0; i < changes->n_apps; i++)
        put_app(model, changes->apps[i]);
    for (size_t i = 0; i < changes->n_nodes; i++)
        put_node(model, changes->nodes[i]);
    for (size_t i = 0; i < changes->n_queues; i++)
        put_queue(model, changes->queues[i]);
    nodes_sort(model);
    model->version++;
}

void web_model_begin(struct web_model *model)
{
    model->load++;
}

static void remove_all(struct web_model *model, bool only_old)
{
    struct app_entry *app, *next_app;
    struct node_entry *node, *next_node;

    HASH_ITER(hh, model->apps, app, next_app)
        if (!only_old || app->load != model->load)
            remove_app(model, app);
    HASH_ITER(hh, model->nodes, node, next_node)
        if (!only_old || node->load != model->load)
            remove_node(model, node);
}

void web_model_end(struct web_model *model)
{
    remove_all(model, true);
    nodes_sort(model);
    model->complete = true;
    model->version++;
}

void web_model_free(struct web_model *model)
{
    if (model == NULL)
        return;
    remove_all(model, false);
    empty_queues(&model->queues);
    empty_queues(&model->coming);
    if (model->cluster != NULL)
        creel__cluster_info__free_unpacked(model->cluster, NULL);
    free(model->rows);
    free(model->titles);
    forget_order(model);
    free(model);
}

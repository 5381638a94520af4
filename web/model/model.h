/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h - creel-web's copy of applications, nodes, queues and the cluster (pure)
 *
 * The copy is fed with the changes that the resource manager sends. Reports that are returned are borrowed
 * until the next web_model_apply.
 */
#ifndef CREEL_WEB_MODEL_MODEL_H
#define CREEL_WEB_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

struct web_model;

bool web_model_is_complete(const struct web_model *model);
uint64_t web_model_version(const struct web_model *model);

const Creel__ClusterInfo *web_model_cluster(const struct web_model *model);
const Creel__AppReport *web_model_app(const struct web_model *model, const char *app_id);
const Creel__NodeReport *web_model_node(const struct web_model *model, const char *node_id);
const Creel__QueueReport *web_model_queue(const struct web_model *model, const char *name_or_path);
size_t web_model_queues(const struct web_model *model, const Creel__QueueReport *const **ret);

struct web_app_filter {
    uint32_t states, final_statuses;
    const char *const *users;
    size_t user_count;
    const char *queue;
    const char *const *types;
    size_t type_count;
    const char *const *tags;
    size_t tag_count;
    const char *name, *reason_code;
    int64_t started_from_ms, started_to_ms, finished_from_ms, finished_to_ms;
};

enum web_app_order {
    WEB_APP_BY_AGE, WEB_APP_BY_NAME, WEB_APP_BY_USER, WEB_APP_BY_QUEUE, WEB_APP_BY_STATE,
    WEB_APP_BY_CONTAINERS, WEB_APP_BY_MEMORY, WEB_APP_BY_VCORES, WEB_APP_BY_WAIT, WEB_APP_BY_PRIORITY,
};

struct web_page {
    bool descending;
    const char *after;
    size_t limit;
};

size_t web_model_list_apps(const struct web_model *model, const struct web_app_filter *filter,
                           enum web_app_order order, const struct web_page *page,
                           const Creel__AppReport **ret, size_t *total);
size_t web_model_count_apps(const struct web_model *model, const struct web_app_filter *filter);

struct web_node_filter {
    uint32_t states;
    const char *rack, *label, *text;
};

enum web_node_order {
    WEB_NODE_BY_ID, WEB_NODE_BY_STATE, WEB_NODE_BY_MEMORY, WEB_NODE_BY_CONTAINERS, WEB_NODE_BY_HEARTBEAT,
};

size_t web_model_list_nodes(const struct web_model *model, const struct web_node_filter *filter,
                            enum web_node_order order, const struct web_page *page,
                            const Creel__NodeReport **ret, size_t *total);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h - creel-web's copy of applications, nodes, queues and the cluster (pure)
 *
 * The copy is loaded from the resource manager's lists, and then updated with each change (feed.h). This
 * header has the functions that handlers read with. Reports belong to the model, and are valid until the
 * next call of a function of feed.h: a handler that sends a request to the resource manager must look up
 * its reports again after the reply.
 *
 * Reports contain only fields that every user may see. With yarn.acl.enable, handlers request the other
 * fields of an application (command, diagnostics, hosts) from the resource manager as the user of the HTTP
 * request.
 */
#ifndef CREEL_WEB_MODEL_MODEL_H
#define CREEL_WEB_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

struct web_model;

/* Returns whether the lists have been loaded once. Before that they are empty or incomplete. */
bool web_model_is_complete(const struct web_model *model);
/* Returns a number that grows with each change of the model. */
uint64_t web_model_version(const struct web_model *model);

enum web_topic { WEB_TOPIC_APPS, WEB_TOPIC_NODES, WEB_TOPIC_QUEUES, WEB_TOPIC_CLUSTER, WEB_TOPIC_COUNT };

/* Return the version of the model in which an object of TOPIC, or this object, last changed. Figures that
 * change without an event are ignored (differ.h). An object that does not exist has the version of its
 * topic. Cost: constant. */
uint64_t web_model_changed(const struct web_model *model, enum web_topic topic);
uint64_t web_model_app_changed(const struct web_model *model, const char *app_id);
uint64_t web_model_node_changed(const struct web_model *model, const char *node_id);

/* Returns the cluster's report, empty until the model is complete; never NULL. */
const Creel__ClusterInfo *web_model_cluster(const struct web_model *model);
struct web_trend; /* web/model/trend.h */
/* Returns the amounts of the cluster in the last hour, as far as reports have arrived. */
const struct web_trend *web_model_trend(const struct web_model *model);
/* Return the report with this id; NULL: none. */
const Creel__AppReport *web_model_app(const struct web_model *model, const char *app_id);
const Creel__NodeReport *web_model_node(const struct web_model *model, const char *node_id);
/* Returns the queue with this path, or with this last part of the path; NULL: none. */
const Creel__QueueReport *web_model_queue(const struct web_model *model, const char *name_or_path);
/* Returns the number of queues, and all queues in *RET, parents before children. */
size_t web_model_queues(const struct web_model *model, const Creel__QueueReport *const **ret);

/* Conditions on applications, all of which must hold. A field that is 0 or NULL is no condition. */
struct web_app_filter {
    uint32_t states, final_statuses; /* one bit for each: 1 << state */
    const char *const *users;        /* one of these */
    size_t user_count;
    const char *queue;        /* path or last part of a queue; queues below match too */
    const char *const *types; /* one of these, in any case */
    size_t type_count;
    const char *const *tags; /* has one of these, in any case */
    size_t tag_count;
    const char *name, *reason_code; /* NAME: part of the name, in any case; REASON_CODE: exact */
    /* Inclusive ranges of the submission time and the finish time. As in YARN, the finish time of an
     * application that has not ended is 0. */
    int64_t started_from_ms, started_to_ms, finished_from_ms, finished_to_ms;
};

/* Sort order of applications. Applications that compare equal are sorted by age. */
enum web_app_order {
    WEB_APP_BY_AGE, /* the oldest first */
    WEB_APP_BY_NAME,
    WEB_APP_BY_USER,
    WEB_APP_BY_QUEUE,
    WEB_APP_BY_STATE,
    WEB_APP_BY_CONTAINERS,
    WEB_APP_BY_MEMORY,
    WEB_APP_BY_VCORES,
    WEB_APP_BY_WAIT, /* the shortest wait first, that is, the newest submission first */
    WEB_APP_BY_PRIORITY,
};

struct web_page {
    bool descending;
    const char *after; /* id of the row before the page; NULL, or the id of a removed row:
                          the first page */
    size_t limit;
};

/* Fills RET, which has room for LIMIT rows, and returns the number of rows. Sets TOTAL to the number of
 * applications that match the filter. Cost: linear in the number of applications. */
size_t web_model_list_apps(const struct web_model *model, const struct web_app_filter *filter,
                           enum web_app_order order, const struct web_page *page,
                           const Creel__AppReport **ret, size_t *total);
size_t web_model_count_apps(const struct web_model *model, const struct web_app_filter *filter);
/* Counts matching applications by state. The states in FILTER are ignored. */
#define WEB_APP_STATES (CREEL__APP_STATE__APP_KILLED + 1)
void web_model_count_states(const struct web_model *model, const struct web_app_filter *filter,
                            size_t ret[WEB_APP_STATES]);
/* Returns the number of applications in each state: an array of WEB_APP_STATES. Constant time. */
const size_t *web_model_states(const struct web_model *model);

struct web_node_filter {
    uint32_t states;
    const char *rack, *label, *text; /* TEXT: a part of the node id, in any case */
};

enum web_node_order {
    WEB_NODE_BY_ID,
    WEB_NODE_BY_STATE,
    WEB_NODE_BY_MEMORY,
    WEB_NODE_BY_CONTAINERS,
    WEB_NODE_BY_HEARTBEAT,
};

size_t web_model_list_nodes(const struct web_model *model, const struct web_node_filter *filter,
                            enum web_node_order order, const struct web_page *page,
                            const Creel__NodeReport **ret, size_t *total);

#endif

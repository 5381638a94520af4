/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h - creel-web's copy of applications, nodes, queues and the cluster (pure)
 *
 * The copy is loaded from the resource manager's lists, and then kept up to date with what changed (feed.h).
 * Here is what handlers read. Reports belong to the model, and are valid until the next call of a function of
 * feed.h: a handler that asks the resource manager must look them up again afterwards.
 *
 * Reports have what every user may see. With yarn.acl.enable the rest of an application (command,
 * diagnostics, where it runs) is asked of the resource manager for the user of the request.
 */
#ifndef CREEL_WEB_MODEL_MODEL_H
#define CREEL_WEB_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

struct web_model;

/* False until the lists have been loaded once: then they are empty, or a part of the whole. */
bool web_model_is_complete(const struct web_model *model);
/* Grows with each change of the copy. */
uint64_t web_model_version(const struct web_model *model);

/* Without any values until it is complete; never NULL. */
const Creel__ClusterInfo *web_model_cluster(const struct web_model *model);
/* NULL: there is none. */
const Creel__AppReport *web_model_app(const struct web_model *model, const char *app_id);
const Creel__NodeReport *web_model_node(const struct web_model *model, const char *node_id);
/* By path, or by the last part of it. */
const Creel__QueueReport *web_model_queue(const struct web_model *model, const char *name_or_path);
/* All queues, parents before children. */
size_t web_model_queues(const struct web_model *model, const Creel__QueueReport *const **ret);

/* What is 0 or NULL is no condition. */
struct web_app_filter {
    uint32_t states, final_statuses;    /* one bit for each: 1 << state */
    const char *const *users;           /* one of these */
    size_t user_count;
    const char *queue;                  /* this one, by path or last part, or one below this path */
    const char *const *types;           /* one of these, in any case */
    size_t type_count;
    const char *const *tags;            /* has one of these, in any case */
    size_t tag_count;
    const char *name, *reason_code;     /* a part of its name in any case; the whole code */
    /* When it was submitted, and when it ended, both ends included. As in YARN, one that has not ended has
     * ended at 0. */
    int64_t started_from_ms, started_to_ms, finished_from_ms, finished_to_ms;
};

/* Equal ones are in the order of their age. */
enum web_app_order {
    WEB_APP_BY_AGE,                     /* the oldest first */
    WEB_APP_BY_NAME, WEB_APP_BY_USER, WEB_APP_BY_QUEUE, WEB_APP_BY_STATE,
    WEB_APP_BY_CONTAINERS, WEB_APP_BY_MEMORY, WEB_APP_BY_VCORES,
    WEB_APP_BY_WAIT,                    /* the one that was submitted last first */
    WEB_APP_BY_PRIORITY,
};

struct web_page {
    bool descending;
    const char *after;                  /* behind the row with this id; NULL, or a row that is gone: from the
                                           beginning */
    size_t limit;
};

/* Fills RET, with room for LIMIT rows, and returns how many there are. TOTAL: that the filter lets through.
 * Cost: a look at every application. */
size_t web_model_list_apps(const struct web_model *model, const struct web_app_filter *filter,
                           enum web_app_order order, const struct web_page *page,
                           const Creel__AppReport **ret, size_t *total);
size_t web_model_count_apps(const struct web_model *model, const struct web_app_filter *filter);
/* Fills RET by state, as if FILTER had none. */
#define WEB_APP_STATES (CREEL__APP_STATE__APP_KILLED + 1)
void web_model_count_states(const struct web_model *model, const struct web_app_filter *filter,
                            size_t ret[WEB_APP_STATES]);

struct web_node_filter {
    uint32_t states;
    const char *rack, *label, *text;    /* TEXT: a part of its id in any case */
};

enum web_node_order {
    WEB_NODE_BY_ID, WEB_NODE_BY_STATE, WEB_NODE_BY_MEMORY, WEB_NODE_BY_CONTAINERS, WEB_NODE_BY_HEARTBEAT,
};

size_t web_model_list_nodes(const struct web_model *model, const struct web_node_filter *filter,
                            enum web_node_order order, const struct web_page *page,
                            const Creel__NodeReport **ret, size_t *total);

#endif

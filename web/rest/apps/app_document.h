/* SPDX-License-Identifier: Apache-2.0 */
/* app_document.h - writes an application's report as YARN's AppInfo */
#ifndef CREEL_WEB_REST_APP_DOCUMENT_H
#define CREEL_WEB_REST_APP_DOCUMENT_H

#include <stdbool.h>

#include "web/http/exchange.h"
#include "web/model/model.h"
#include "web/text/document.h"

/* Parts of AppInfo that the query parameter deSelects leaves out. */
struct rest_deselects {
    bool resource_requests, timeouts, app_label, am_label, resource_info;
};

struct rest_app_writer {
    struct document *document;
    const struct web_model *model;
    const Creel__ClusterInfo *cluster;
    struct arena *arena;
    const char *base_url;  /* "http://host:port", from the request's Host header */
    bool secure;           /* agents serve HTTPS, as creel-web does: both have yarn.http.policy */
    bool agents_have_logs; /* agents show logs to all users (nm-agent/net/web_service.c) */
    struct rest_deselects deselects;
};

/* Returns a writer for EXCHANGE. The caller sets its document. */
struct rest_app_writer rest_app_writer_of(struct exchange *exchange);
/* Reads deSelects. Returns false after answering 400, if a value is unknown. */
bool rest_read_deselects(struct exchange *exchange, struct rest_deselects *ret);

/* Writes the members of AppInfo into the current object. */
void rest_app_members(const struct rest_app_writer *to, const Creel__AppReport *app);
/* Writes "type", "expiryTime" and "remainingTimeInSeconds" into the current object. */
void rest_timeout_members(struct document *document, struct arena *arena, const Creel__AppReport *app,
                          int64_t now_ms);
/* Returns the URL of the pages of the container's logs: of the agent of NODE_ID, as in YARN, if the
 * container runs and the agent serves them; else of the container's page of creel-web. */
const char *rest_log_url(const struct rest_app_writer *to, const char *container_id, const char *node_id,
                         const char *user, bool is_over);
/* Returns the URL of the agent's HTTP interface; "": it has none, or the node is not known. */
const char *rest_node_url(const struct rest_app_writer *to, const char *node_id);

#endif

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
    const char *base_url; /* "http://host:port", from the request's Host header */
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
/* Returns the URL of the container's web page, which links to the container's logs. */
const char *rest_container_url(const struct rest_app_writer *to, const char *container_id);

#endif

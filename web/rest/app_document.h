/* SPDX-License-Identifier: Apache-2.0 */
/* app_document.h - an application as YARN's AppInfo */
#ifndef CREEL_WEB_REST_APP_DOCUMENT_H
#define CREEL_WEB_REST_APP_DOCUMENT_H

#include <stdbool.h>

#include "web/http/exchange.h"
#include "web/model/model.h"
#include "web/text/document.h"

/* The names that the parameter deSelects may have. */
struct rest_deselects {
    bool resource_requests, timeouts, app_label, am_label, resource_info;
};

struct rest_app_writer {
    struct document *document;
    const struct web_model *model;
    const Creel__ClusterInfo *cluster;
    struct arena *arena;
    const char *base_url;               /* "http://host:port", of this server as the client names it */
    struct rest_deselects deselects;
};

/* Without the document. */
struct rest_app_writer rest_app_writer_of(struct exchange *exchange);
/* False: has been answered with 400: a value of deSelects is not known. */
bool rest_read_deselects(struct exchange *exchange, struct rest_deselects *ret);

/* The members of an object that has begun. */
void rest_app_members(const struct rest_app_writer *to, const Creel__AppReport *app);
/* {"type","expiryTime","remainingTimeInSeconds"}: members of an object that has begun. */
void rest_timeout_members(struct document *document, struct arena *arena, const Creel__AppReport *app,
                          int64_t now_ms);
/* The page of a container: where its logs are. */
const char *rest_container_url(const struct rest_app_writer *to, const char *container_id);

#endif

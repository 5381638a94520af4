/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upstream.h - the connection of creel-web to the resource manager
 *
 * Any number of requests may be unanswered at a time. Each request is answered exactly once: with the
 * reply, or with an Error UNAVAILABLE if there is no connection, if the connection is lost, if the resource
 * manager is silent for UPSTREAM_SILENCE_MS (link.h), or after LINK_TIMEOUT_MS. If a resource manager does
 * not answer for LINK_TIMEOUT_MS, upstream connects to the next address of the settings.
 */
#ifndef CREEL_WEB_NET_UPSTREAM_H
#define CREEL_WEB_NET_UPSTREAM_H

#include "web/net/link.h"
#include "web/net/settings.h"

#define UPSTREAM_REQUESTS_MAX 1000 /* unanswered requests; a further request is refused */
#define UPSTREAM_SILENCE_MS 2000

struct upstream;

/* SETTINGS and LOOP must outlive the upstream. */
int upstream_new(struct loop *loop, const struct web_settings *settings, struct upstream **ret,
                 struct err *err);
/* Frees UPSTREAM, which may be NULL. Unanswered requests get an Error reply. */
void upstream_free(struct upstream *upstream);

/* Sends QUERY, whose body and as_user the caller has set. REPLY may be called before upstream_ask returns. */
void upstream_ask(struct upstream *upstream, const Creel__Envelope *query, site_reply_fn *reply,
                  void *context);

#endif

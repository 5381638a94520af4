/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upstream.h - the connection of creel-web to the resource manager
 *
 * Any number of requests may be under way. Each is answered exactly once: with the reply, or with an Error
 * UNAVAILABLE if there is no connection, if it is lost, or after LINK_TIMEOUT_MS. With more than one
 * resource manager the next one is tried when one does not answer.
 */
#ifndef CREEL_WEB_NET_UPSTREAM_H
#define CREEL_WEB_NET_UPSTREAM_H

#include "web/net/link.h"
#include "web/net/settings.h"

#define UPSTREAM_REQUESTS_MAX 1000      /* under way; a further one is refused */

struct upstream;

/* SETTINGS and LOOP must outlive it. */
int upstream_new(struct loop *loop, const struct web_settings *settings, struct upstream **ret,
                 struct err *err);
/* Requests under way are answered with an Error. NULL is fine. */
void upstream_free(struct upstream *upstream);

/* Sends QUERY, whose body and as_user are set. REPLY may be called at once. */
void upstream_ask(struct upstream *upstream, const Creel__Envelope *query, site_reply_fn *reply,
                  void *context);

#endif

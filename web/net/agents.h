/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agents.h - connections of creel-web to agents, from which it reads logs
 *
 * The first request to an agent opens its connection, which further requests share. When a connection is
 * opened, those that had no request for AGENTS_IDLE_MS are closed. At most AGENTS_MAX connections are open.
 */
#ifndef CREEL_WEB_NET_AGENTS_H
#define CREEL_WEB_NET_AGENTS_H

#include "common/upstream/link.h"
#include "web/http/site.h"

#define AGENTS_MAX 256
#define AGENTS_IDLE_MS 60000
#define AGENTS_PATIENCE_MS 3000 /* time that a request waits for the connection */

struct agents;

/* Returns an empty set of connections that use the key OWN. LOOP and OWN are borrowed until agents_free. */
struct agents *agents_new(struct loop *loop, const struct key *own);
void agents_free(struct agents *agents); /* NULL is fine */

/* Sends QUERY, which has its token, to the agent at ADDRESS with public key KEY. REPLY may be called before
 * agents_ask returns. */
void agents_ask(struct agents *agents, const char *address, const char *key, const Creel__Envelope *query,
                site_reply_fn *reply, void *context);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.h - one connection of creel-web, and the requests that are under way on it
 *
 * Each request is answered exactly once: with the reply, or with an Error UNAVAILABLE if the connection is
 * lost, or after LINK_TIMEOUT_MS.
 */
#ifndef CREEL_WEB_NET_LINK_H
#define CREEL_WEB_NET_LINK_H

#include "common/io/channel.h"
#include "web/http/site.h"

#define LINK_TIMEOUT_MS 10000

struct link;

struct link_peer {
    const char *address, *key;  /* copied */
    const char *program;        /* for messages: "creel-nm" */
    int64_t patience_ms;        /* a request waits so long for a connection that is not there yet */
};

int link_new(struct loop *loop, const struct link_peer *peer, const struct key *own, struct link **ret,
             struct err *err);
/* Requests under way are answered with an Error. NULL is fine. */
void link_free(struct link *link);

/* False: there is no connection, and no patience; REPLY is not called. Else it will be. */
bool link_ask(struct link *link, const Creel__Envelope *query, site_reply_fn *reply, void *context);
/* How many requests are under way. While it is not 0, LINK must not be freed in a REPLY. */
size_t link_under_way(const struct link *link);
/* Has a request had no answer in time since the last call? */
bool link_take_timeout(struct link *link);

/* Calls REPLY with an Error UNAVAILABLE. */
void link_refuse(site_reply_fn *reply, void *context, const char *message);

#endif

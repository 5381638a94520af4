/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.h - one connection of a process that asks for others, and the requests sent and not yet answered
 *
 * Each request is answered exactly once: with the reply, or with an Error UNAVAILABLE if the connection is
 * lost, or after LINK_TIMEOUT_MS.
 *
 * A peer that is stopped, or hangs, may keep its connection: its gateway is another process. With a probe,
 * the link notices this. A peer is silent if a request has been unanswered for silence_ms and no message has
 * arrived meanwhile. While a request is unanswered, the link sends the probe several times within silence_ms,
 * so that a peer that only takes long for one request is not silent. When the peer becomes silent, unanswered
 * requests fail, except changes, which the peer may still carry out. Until a message arrives again, further
 * requests fail at once and are not sent; the link continues to send the probe.
 */
#ifndef CREEL_UPSTREAM_LINK_H
#define CREEL_UPSTREAM_LINK_H

#include "common/io/channel/channel.h"
#include "common/upstream/reply.h"

#define LINK_TIMEOUT_MS 10000

struct link;

struct link_peer {
    const char *address, *key; /* copied */
    const char *program;       /* for messages: "creel-nm" */
    int64_t patience_ms;       /* time that a request waits until the connection is established */
    /* The probe is a request that takes little time and changes nothing, and must exist as long as the link.
     * NULL: the peer never counts as silent. */
    const Creel__Envelope *probe;
    int64_t silence_ms;
};

int link_new(struct loop *loop, const struct link_peer *peer, const struct key *own, struct link **ret,
             struct err *err);
/* Frees LINK, which may be NULL. Unanswered requests get an Error reply. */
void link_free(struct link *link);

/* Sends QUERY. Returns false, and never calls REPLY, if there is no connection and patience_ms is 0.
 * Otherwise calls REPLY exactly once, possibly before link_ask returns, with the Error BAD_REQUEST if QUERY
 * is outside of the limits of messages. IS_CHANGE: QUERY changes something. */
bool link_ask(struct link *link, const Creel__Envelope *query, bool is_change, upstream_reply_fn *reply,
              void *context);
/* Returns the number of unanswered requests. A REPLY function may free LINK only if this number is 0. */
size_t link_under_way(const struct link *link);
/* Returns whether a request has timed out since the last call. */
bool link_clear_timeout(struct link *link);
/* Returns why the peer refuses the key of this process, in ERR; else OTHERWISE. */
const char *link_refusal(const struct link *link, const char *otherwise, struct err *err);

#endif

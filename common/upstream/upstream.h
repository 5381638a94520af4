/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upstream.h - the connection to the resource manager of a process that asks for others, with failover
 *
 * Any number of requests may be unanswered at a time. Each request is answered exactly once: with the
 * reply, or with an Error UNAVAILABLE if there is no connection, if the connection is lost, if the resource
 * manager is silent for UPSTREAM_SILENCE_MS (link.h), or after LINK_TIMEOUT_MS. If a resource manager does
 * not answer for LINK_TIMEOUT_MS, upstream connects to the next address of its target.
 */
#ifndef CREEL_UPSTREAM_UPSTREAM_H
#define CREEL_UPSTREAM_UPSTREAM_H

#include "common/upstream/link.h"

#define UPSTREAM_REQUESTS_MAX 1000 /* unanswered requests; a further request is refused */
#define UPSTREAM_SILENCE_MS 2000

struct upstream;

/* Whom to ask. Everything is borrowed, and must exist as long as the upstream. */
struct upstream_target {
    char *const *addresses; /* of the resource managers, "host:port" */
    size_t count;
    const char *rm_key;    /* public key of the resource manager */
    const struct key *own; /* pair of this process */
    const char *program;   /* name of this process, for messages: "creel-web" */
    /* Returns whether QUERY changes something: it does not fail while the resource manager is silent. */
    bool (*is_change)(const Creel__Envelope *query);
};

/* LOOP must outlive the upstream. */
int upstream_new(struct loop *loop, const struct upstream_target *to, struct upstream **ret, struct err *err);
/* Frees UPSTREAM, which may be NULL. Unanswered requests get an Error reply. */
void upstream_free(struct upstream *upstream);

/* Sends QUERY, whose body and as_user the caller has set. REPLY may be called before upstream_ask returns. */
void upstream_ask(struct upstream *upstream, const Creel__Envelope *query, upstream_reply_fn *reply,
                  void *context);

#endif

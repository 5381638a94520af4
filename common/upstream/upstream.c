/* SPDX-License-Identifier: Apache-2.0 */
/* upstream.c - connection to the resource manager, with failover to the next one */
#include "common/upstream/upstream.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/io/loop/log.h"

struct upstream {
    struct loop *loop;
    struct upstream_target to;
    Creel__Envelope probe;
    Creel__GetClusterInfo probe_body;
    struct link *link;    /* owned */
    struct link *retired; /* owned; freed later, since one of its reply functions may be running */
    int timer;
    size_t target; /* index in the addresses */
};

static void free_retired(void *context)
{
    struct upstream *upstream = context;
    struct link *retired = upstream->retired;

    upstream->timer = 0;
    upstream->retired = NULL;
    link_free(retired);
}

static int connect_to(struct upstream *upstream, size_t target, struct err *err)
{
    const struct upstream_target *to = &upstream->to;
    struct link_peer peer = {
        .address = to->addresses[target],
        .key = to->rm_key,
        .program = "creel-rm",
        .silence_ms = UPSTREAM_SILENCE_MS,
        .probe = &upstream->probe,
    };
    struct link *link;
    int r = link_new(upstream->loop, &peer, to->own, &link, err);

    if (r < 0)
        return r;
    upstream->retired = upstream->link;
    if (upstream->retired != NULL)
        upstream->timer = loop_add_timer(upstream->loop, 0, free_retired, upstream);
    upstream->link = link;
    upstream->target = target;
    return 0;
}

static void try_next(struct upstream *upstream)
{
    struct err err;

    if (upstream->to.count > 1 && upstream->retired == NULL &&
        connect_to(upstream, (upstream->target + 1) % upstream->to.count, &err) < 0)
        log_line(LOG_LEVEL_ERROR, "%s", err.text);
}

void upstream_ask(struct upstream *upstream, const Creel__Envelope *query, upstream_reply_fn *reply,
                  void *context)
{
    Creel__Envelope asked = *query;
    const char *reason;
    struct err err;
    char message[320];

    asked.no_long_commands = true; /* a page that shows a command asks for its application alone */
    if (link_clear_timeout(upstream->link))
        try_next(upstream);
    if (link_under_way(upstream->link) >= UPSTREAM_REQUESTS_MAX) {
        snprintf(message, sizeof(message), "%s has too many requests under way: try again",
                 upstream->to.program);
        upstream_refuse(reply, context, message);
        return;
    }
    if (link_ask(upstream->link, &asked, upstream->to.is_change(query), reply, context))
        return;
    snprintf(message, sizeof(message),
             "there is no connection to the resource manager at %s: it does not run, is stopped, or refuses "
             "the key of %s",
             upstream->to.addresses[upstream->target], upstream->to.program);
    reason = link_refusal(upstream->link, message, &err);
    try_next(upstream);
    upstream_refuse(reply, context, reason);
}

int upstream_new(struct loop *loop, const struct upstream_target *to, struct upstream **ret, struct err *err)
{
    struct upstream *upstream = mem_new0(struct upstream);
    int r;

    upstream->loop = loop;
    upstream->to = *to;
    creel__envelope__init(&upstream->probe);
    creel__get_cluster_info__init(&upstream->probe_body);
    upstream->probe.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    upstream->probe.get_cluster_info = &upstream->probe_body;
    r = connect_to(upstream, 0, err);
    if (r < 0) {
        free(upstream);
        return r;
    }
    *ret = upstream;
    return 0;
}

void upstream_free(struct upstream *upstream)
{
    if (upstream == NULL)
        return;
    loop_cancel_timer(upstream->loop, upstream->timer);
    link_free(upstream->retired);
    link_free(upstream->link);
    free(upstream);
}

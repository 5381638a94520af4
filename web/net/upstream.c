/* SPDX-License-Identifier: Apache-2.0 */
#include "web/net/upstream.h"

#include <bsd/sys/queue.h>
#include <stdio.h>
#include <stdlib.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/channel.h"
#include "common/io/log.h"

#define CHECK_MS 200                    /* for lost connections and deadlines, while requests are under way */

struct pending {
    UT_hash_handle hh;                  /* by id */
    TAILQ_ENTRY(pending) link;
    uint64_t id;
    int64_t deadline_ms;
    site_reply_fn *reply;
    void *context;
};

struct upstream {
    struct loop *loop;
    const struct web_settings *settings;
    struct channel_client *channel;     /* owned */
    size_t target;                      /* of the settings */
    unsigned losses;                    /* of the channel, as seen last */
    uint64_t last_id;
    struct pending *requests;            /* owned */
    TAILQ_HEAD(, pending) by_deadline;
    int timer;
};

/* --- answers ----------------------------------------------------------------- */

static void answer(struct upstream *upstream, struct pending *pending, const Creel__Envelope *reply)
{
    HASH_DEL(upstream->requests, pending);
    TAILQ_REMOVE(&upstream->by_deadline, pending, link);
    pending->reply(pending->context, reply);
    free(pending);
}

static void give_error(site_reply_fn *reply, void *context, Creel__ErrorCode code, const char *message)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = code;
    error.message = (char *)(uintptr_t)message;
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    reply(context, &envelope);
}

static void fail(struct upstream *upstream, struct pending *pending, const char *message)
{
    HASH_DEL(upstream->requests, pending);
    TAILQ_REMOVE(&upstream->by_deadline, pending, link);
    give_error(pending->reply, pending->context, CREEL__ERROR_CODE__ERROR_UNAVAILABLE, message);
    free(pending);
}

/* Those that are made meanwhile are not among them. */
static void fail_all(struct upstream *upstream, const char *message)
{
    uint64_t last = upstream->last_id;
    struct pending *pending;

    while ((pending = TAILQ_FIRST(&upstream->by_deadline)) != NULL && pending->id <= last)
        fail(upstream, pending, message);
}

static void on_message(void *context, const Creel__Envelope *envelope)
{
    struct upstream *upstream = context;
    struct pending *pending;

    HASH_FIND(hh, upstream->requests, &envelope->request_id, sizeof(envelope->request_id), pending);
    if (pending != NULL)
        answer(upstream, pending, envelope);
}

/* --- the connection ---------------------------------------------------------- */

static int connect_to(struct upstream *upstream, size_t target, struct err *err)
{
    const struct web_settings *settings = upstream->settings;
    struct channel_client *channel;
    int r = channel_client_new(upstream->loop, settings->targets[target], settings->rm_key, &settings->own,
                               on_message, upstream, &channel, err);

    if (r < 0)
        return r;
    channel_client_name_peer(channel, "creel-rm", NULL);
    channel_client_free(upstream->channel);
    upstream->channel = channel;
    upstream->target = target;
    upstream->losses = 0;
    return 0;
}

static void try_next(struct upstream *upstream)
{
    struct err err;

    if (upstream->settings->target_count > 1 &&
        connect_to(upstream, (upstream->target + 1) % upstream->settings->target_count, &err) < 0)
        log_line(LOG_LEVEL_ERROR, "%s", err.text);
}

static void check(void *context)
{
    struct upstream *upstream = context;
    unsigned losses = channel_client_losses(upstream->channel);
    int64_t now_ms = loop_monotonic_ms();
    struct pending *first;

    upstream->timer = 0;
    if (losses != upstream->losses) {
        upstream->losses = losses;
        fail_all(upstream, "the connection to the resource manager was lost: try again");
    }
    first = TAILQ_FIRST(&upstream->by_deadline);
    if (first != NULL && first->deadline_ms <= now_ms)
        try_next(upstream);
    while ((first = TAILQ_FIRST(&upstream->by_deadline)) != NULL && first->deadline_ms <= now_ms)
        fail(upstream, first, "the resource manager did not answer in time: try again");
    if (upstream->requests != NULL && upstream->timer == 0)
        upstream->timer = loop_add_timer(upstream->loop, CHECK_MS, check, upstream);
}

/* --- requests ---------------------------------------------------------------- */

static struct pending *add_pending(struct upstream *upstream, site_reply_fn *reply, void *context)
{
    struct pending *pending = mem_new0(struct pending);

    pending->id = ++upstream->last_id;
    pending->deadline_ms = loop_monotonic_ms() + UPSTREAM_TIMEOUT_MS;
    pending->reply = reply;
    pending->context = context;
    HASH_ADD(hh, upstream->requests, id, sizeof(pending->id), pending);
    TAILQ_INSERT_TAIL(&upstream->by_deadline, pending, link);
    if (upstream->timer == 0)
        upstream->timer = loop_add_timer(upstream->loop, CHECK_MS, check, upstream);
    return pending;
}

void upstream_ask(struct upstream *upstream, const Creel__Envelope *query, site_reply_fn *reply,
                  void *context)
{
    Creel__Envelope envelope = *query;
    char message[256];

    if (HASH_COUNT(upstream->requests) >= UPSTREAM_REQUESTS_MAX) {
        give_error(reply, context, CREEL__ERROR_CODE__ERROR_UNAVAILABLE,
                   "creel-web has too many requests under way: try again");
        return;
    }
    envelope.request_id = upstream->last_id + 1;
    if (channel_client_send(upstream->channel, &envelope)) {
        add_pending(upstream, reply, context);
        return;
    }
    snprintf(message, sizeof(message), "there is no connection to the resource manager at %s",
             upstream->settings->targets[upstream->target]);
    try_next(upstream);
    give_error(reply, context, CREEL__ERROR_CODE__ERROR_UNAVAILABLE, message);
}

/* --- life -------------------------------------------------------------------- */

int upstream_new(struct loop *loop, const struct web_settings *settings, struct upstream **ret,
                 struct err *err)
{
    struct upstream *upstream = mem_new0(struct upstream);
    int r;

    upstream->loop = loop;
    upstream->settings = settings;
    TAILQ_INIT(&upstream->by_deadline);
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
    fail_all(upstream, "creel-web ends");
    loop_cancel_timer(upstream->loop, upstream->timer);
    channel_client_free(upstream->channel);
    free(upstream);
}

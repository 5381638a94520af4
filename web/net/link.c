/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - one ZeroMQ connection and its unanswered requests */
#include "web/net/link.h"

#include <bsd/sys/queue.h>
#include <stdlib.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/wire.h"
#include "web/http/refusal.h"

#define CHECK_MS 100 /* interval of check() while there are unanswered requests */

struct pending {
    UT_hash_handle hh; /* by id */
    TAILQ_ENTRY(pending) link;
    uint64_t id;
    int64_t deadline_ms;
    Creel__Envelope *unsent; /* owned; waits for the connection; NULL: sent */
    int64_t patience_until_ms;
    site_reply_fn *reply;
    void *context;
};

struct link {
    struct loop *loop;
    struct channel_client *channel; /* owned */
    char *address;                  /* owned */
    int64_t patience_ms;
    unsigned losses; /* channel_client_losses at the last check */
    uint64_t last_id;
    struct pending *requests; /* owned */
    TAILQ_HEAD(, pending) by_deadline;
    bool timed_out, checking;
    int timer;
};

/* --- answers ----------------------------------------------------------------- */

static void drop_unsent(struct pending *pending)
{
    if (pending->unsent != NULL)
        creel__envelope__free_unpacked(pending->unsent, NULL);
    pending->unsent = NULL;
}

static void release(struct link *link, struct pending *pending)
{
    HASH_DEL(link->requests, pending);
    TAILQ_REMOVE(&link->by_deadline, pending, link);
    drop_unsent(pending);
}

static void fail(struct link *link, struct pending *pending, const char *message)
{
    release(link, pending);
    refusal_reply(pending->reply, pending->context, message);
    free(pending);
}

/* Answers requests with an Error that has MESSAGE: all sent ones, and with UNSENT_TOO also those that wait
 * for the connection. Requests that the reply functions make meanwhile are not affected. */
static void fail_sent(struct link *link, const char *message, bool unsent_too)
{
    uint64_t last = link->last_id;
    struct pending *pending, *next;

    TAILQ_FOREACH_SAFE(pending, &link->by_deadline, link, next)
        if (pending->id <= last && (unsent_too || pending->unsent == NULL))
            fail(link, pending, message);
}

static void on_message(void *context, const Creel__Envelope *envelope)
{
    struct link *link = context;
    struct pending *pending;

    HASH_FIND(hh, link->requests, &envelope->request_id, sizeof(envelope->request_id), pending);
    if (pending == NULL)
        return;
    release(link, pending);
    pending->reply(pending->context, envelope);
    free(pending);
}

/* --- time -------------------------------------------------------------------- */

static void send_waiting(struct link *link)
{
    struct pending *pending;

    TAILQ_FOREACH(pending, &link->by_deadline, link) {
        if (pending->unsent == NULL || !channel_client_send(link->channel, pending->unsent))
            continue;
        drop_unsent(pending);
    }
}

static void end_late(struct link *link)
{
    int64_t now_ms = loop_monotonic_ms();
    struct pending *pending, *next;

    TAILQ_FOREACH_SAFE(pending, &link->by_deadline, link, next) {
        if (pending->unsent != NULL && pending->patience_until_ms <= now_ms) {
            scoped_free char *message = mem_printf("%s cannot be reached: try again", link->address);

            fail(link, pending, message);
        } else if (pending->deadline_ms <= now_ms) {
            link->timed_out = true;
            fail(link, pending, "there was no answer in time: try again");
        }
    }
}

static void check(void *context)
{
    struct link *link = context;
    unsigned losses = channel_client_losses(link->channel);

    link->timer = 0;
    link->checking = true;
    if (losses != link->losses) {
        link->losses = losses;
        fail_sent(link, "the connection was lost: try again", false);
    }
    send_waiting(link);
    end_late(link);
    link->checking = false;
    if (link->requests != NULL && link->timer == 0)
        link->timer = loop_add_timer(link->loop, CHECK_MS, check, link);
}

/* --- requests ---------------------------------------------------------------- */

/* Returns whether ENVELOPE is within the limits of messages; else answers with an Error, which names the
 * field. */
static bool is_valid(Creel__Envelope *envelope, site_reply_fn *reply, void *context)
{
    uint8_t *bytes;
    struct err err;
    size_t size;

    if (wire_pack(envelope, &bytes, &size, &err) == 0) {
        free(bytes);
        return true;
    }
    refusal_reply_code(reply, context, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, err.text);
    return false;
}

bool link_ask(struct link *link, const Creel__Envelope *query, site_reply_fn *reply, void *context)
{
    Creel__Envelope envelope = *query;
    struct pending *pending;
    bool sent;

    envelope.request_id = link->last_id + 1;
    sent = channel_client_send(link->channel, &envelope);
    /* What a user sent may be outside of the limits. That is no failure of the connection. */
    if (!sent && !is_valid(&envelope, reply, context))
        return true;
    if (!sent && link->patience_ms == 0)
        return false;
    pending = mem_new0(struct pending);
    pending->id = ++link->last_id;
    pending->deadline_ms = loop_monotonic_ms() + LINK_TIMEOUT_MS;
    pending->patience_until_ms = loop_monotonic_ms() + link->patience_ms;
    pending->unsent = sent ? NULL : (Creel__Envelope *)wire_copy(&envelope.base);
    pending->reply = reply;
    pending->context = context;
    HASH_ADD(hh, link->requests, id, sizeof(pending->id), pending);
    TAILQ_INSERT_TAIL(&link->by_deadline, pending, link);
    if (link->timer == 0)
        link->timer = loop_add_timer(link->loop, CHECK_MS, check, link);
    return true;
}

size_t link_under_way(const struct link *link)
{
    return HASH_COUNT(link->requests) + link->checking;
}

bool link_clear_timeout(struct link *link)
{
    bool timed_out = link->timed_out;

    link->timed_out = false;
    return timed_out;
}

/* --- life -------------------------------------------------------------------- */

int link_new(struct loop *loop, const struct link_peer *peer, const struct key *own, struct link **ret,
             struct err *err)
{
    struct link *link = mem_new0(struct link);
    int r;

    link->loop = loop;
    link->patience_ms = peer->patience_ms;
    TAILQ_INIT(&link->by_deadline);
    r = channel_client_new(loop, peer->address, peer->key, own, on_message, link, &link->channel, err);
    if (r < 0) {
        free(link);
        return r;
    }
    link->address = mem_strdup(peer->address);
    channel_client_name_peer(link->channel, peer->program, NULL);
    *ret = link;
    return 0;
}

void link_free(struct link *link)
{
    if (link == NULL)
        return;
    fail_sent(link, "the connection was closed: try again", true);
    loop_cancel_timer(link->loop, link->timer);
    channel_client_free(link->channel);
    free(link->address);
    free(link);
}

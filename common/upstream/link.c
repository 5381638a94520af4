/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - one ZeroMQ connection and its unanswered requests */
#include "common/upstream/link.h"

#include <bsd/sys/queue.h>
#include <stdlib.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"

#define CHECK_MS 100 /* interval of check() while there are unanswered requests */
#define PROBES 4     /* within silence_ms */

struct pending {
    UT_hash_handle hh; /* by id */
    TAILQ_ENTRY(pending) link;
    uint64_t id;
    int64_t deadline_ms;
    bool is_change;
    Creel__Envelope *unsent; /* owned; waits for the connection; NULL: sent */
    int64_t patience_until_ms;
    upstream_reply_fn *reply;
    void *context;
};

struct link {
    struct loop *loop;
    struct channel_client *channel; /* owned */
    char *address, *program;        /* owned */
    int64_t patience_ms;
    const Creel__Envelope *probe; /* borrowed; NULL: none */
    unsigned quiet_max;           /* the peer is silent from this number of quiet checks on */
    unsigned losses;              /* channel_client_losses at the last check */
    uint64_t last_id;
    struct pending *requests; /* owned */
    TAILQ_HEAD(, pending) by_deadline;
    bool timed_out, checking;
    /* Number of checks in a row that found unanswered requests and no message since the check before. This is
     * no time, since this process itself may have been busy. */
    unsigned quiet;
    bool probing, silent; /* the probe is unanswered; the peer is silent */
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
    upstream_refuse(pending->reply, pending->context, message);
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

static void end_silence(struct link *link)
{
    link->quiet = 0;
    link->silent = false;
}

static void on_message(void *context, const Creel__Envelope *envelope)
{
    struct link *link = context;
    struct pending *pending;

    end_silence(link);
    HASH_FIND(hh, link->requests, &envelope->request_id, sizeof(envelope->request_id), pending);
    if (pending == NULL)
        return;
    release(link, pending);
    pending->reply(pending->context, envelope);
    free(pending);
}

/* --- silence ----------------------------------------------------------------- */

static void refuse_silent(const struct link *link, upstream_reply_fn *reply, void *context)
{
    scoped_free char *message = mem_printf("%s at %s does not answer", link->program, link->address);

    upstream_refuse(reply, context, message);
}

static struct pending *add(struct link *link, bool is_change, upstream_reply_fn *reply, void *context)
{
    struct pending *pending = mem_new0(struct pending);
    int64_t now_ms = loop_monotonic_ms();

    *pending = (struct pending){
        .id = ++link->last_id,
        .deadline_ms = now_ms + LINK_TIMEOUT_MS,
        .patience_until_ms = now_ms + link->patience_ms,
        .is_change = is_change,
        .reply = reply,
        .context = context,
    };
    HASH_ADD(hh, link->requests, id, sizeof(pending->id), pending);
    TAILQ_INSERT_TAIL(&link->by_deadline, pending, link);
    return pending;
}

static void end_probe(void *context, const Creel__Envelope *reply)
{
    struct link *link = context;

    (void)reply;
    link->probing = false;
}

static void send_probe(struct link *link)
{
    Creel__Envelope envelope = *link->probe;

    envelope.request_id = link->last_id + 1;
    if (!channel_client_send(link->channel, &envelope))
        return;
    link->probing = true;
    (void)add(link, false, end_probe, link);
}

/* Fails unanswered requests, except changes and the probe. Requests that their reply functions make are
 * refused. */
static void become_silent(struct link *link)
{
    struct pending *pending, *next;

    link->silent = true;
    TAILQ_FOREACH_SAFE(pending, &link->by_deadline, link, next) {
        if (pending->is_change || pending->reply == end_probe)
            continue;
        release(link, pending);
        refuse_silent(link, pending->reply, pending->context);
        free(pending);
    }
}

static void check_silence(struct link *link)
{
    if (link->probe == NULL)
        return;
    link->quiet = link->requests != NULL ? link->quiet + 1 : 0;
    if (!link->probing && (link->silent || link->quiet > link->quiet_max / PROBES))
        send_probe(link);
    if (!link->silent && link->quiet > link->quiet_max)
        become_silent(link);
}

const char *link_refusal(const struct link *link, const char *otherwise, struct err *err)
{
    if (!channel_client_key_is_refused(link->channel))
        return otherwise;
    (void)channel_client_state(link->channel, err);
    return err->text;
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
            struct err err;

            fail(link, pending, link_refusal(link, message, &err));
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
    struct err err;

    link->timer = 0;
    link->checking = true;
    if (losses != link->losses) {
        link->losses = losses;
        end_silence(link);
        fail_sent(link, link_refusal(link, "the connection was lost: try again", &err), false);
    }
    send_waiting(link);
    end_late(link);
    check_silence(link);
    link->checking = false;
    if ((link->requests != NULL || link->silent) && link->timer == 0)
        link->timer = loop_add_timer(link->loop, CHECK_MS, check, link);
}

/* --- requests ---------------------------------------------------------------- */

/* Returns whether ENVELOPE is within the limits of messages; else answers with an Error, which names the
 * field. */
static bool is_valid(Creel__Envelope *envelope, upstream_reply_fn *reply, void *context)
{
    uint8_t *bytes;
    struct err err;
    size_t size;

    if (wire_pack(envelope, &bytes, &size, &err) == 0) {
        free(bytes);
        return true;
    }
    upstream_refuse_code(reply, context, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, err.text);
    return false;
}

bool link_ask(struct link *link, const Creel__Envelope *query, bool is_change, upstream_reply_fn *reply,
              void *context)
{
    Creel__Envelope envelope = *query;
    struct pending *pending;
    bool sent;

    if (link->silent) {
        refuse_silent(link, reply, context);
        return true;
    }
    envelope.request_id = link->last_id + 1;
    sent = channel_client_send(link->channel, &envelope);
    /* What a user sent may be outside of the limits. That is no failure of the connection. */
    if (!sent && !is_valid(&envelope, reply, context))
        return true;
    if (!sent && link->patience_ms == 0)
        return false;
    pending = add(link, is_change, reply, context);
    pending->unsent = sent ? NULL : (Creel__Envelope *)wire_copy(&envelope.base);
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
    link->quiet_max = (unsigned)(peer->silence_ms / CHECK_MS);
    link->probe = peer->probe;
    TAILQ_INIT(&link->by_deadline);
    r = channel_client_new(loop, peer->address, peer->key, own, on_message, link, &link->channel, err);
    if (r < 0) {
        free(link);
        return r;
    }
    link->address = mem_strdup(peer->address);
    link->program = mem_strdup(peer->program);
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
    free(link->program);
    free(link);
}

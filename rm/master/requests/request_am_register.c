/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_am_register.c - RegisterAm: an AM begins, or continues after a restart (yarn-behaviour 4.2)
 *
 * The containers of a reply are in the order of their ids: those of earlier attempts, then those of the AM's
 * attempt. If they do not fit into one message, the reply ends early and names its last container; the AM
 * asks for the next piece with another RegisterAm. The master keeps no state between the pieces. A container
 * that changes meanwhile is in the next AllocateReply, like one that changes after the registration.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "rm/master/jobs/am_peer.h"
#include "rm/master/machines/attempt.h"
#include "rm/master/orders/completed.h"
#include "rm/master/orders/limit_orders.h"
#include "rm/master/orders/preempt.h"
#include "rm/master/requests.h"
#include "rm/master/services/history.h"
#include "rm/master/state/am_state.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/events.h"
#include "rm/master/state/index.h"
#include "rm/master/state/message.h"
#include "rm/master/state/page.h"
#include "rm/master/state/rows.h"
#include "rm/master/state/time_limit.h"

struct piece {
    struct master *m;
    struct attempt *attempt;
    Creel__RegisterAmReply *reply;
    struct am_room room;
    bool brief; /* without tokens and diagnostics */
};

/* --- containers ------------------------------------------------------------ */

/* Returns true if CONTAINER is listed for the AM of ATTEMPT, in *LIVES: as a running one. For an unmanaged
 * application these include containers that are being stopped: a process that takes it over does not know
 * which containers the process before it has released, and must not start their tasks again while they
 * run. */
static bool is_listed(const struct attempt *attempt, const struct container *container, bool *lives)
{
    *lives = false;
    if (container->attempt != attempt)
        return rm_am_state_is_missed(attempt, container);
    if (container == attempt->am_container || container->step != attempt->step)
        return false;
    *lives = container->state == CONTAINER_ACQUIRED || container->state == CONTAINER_RUNNING ||
             (container->state == CONTAINER_STOPPING && attempt->app->job->unmanaged);
    return *lives || container->state == CONTAINER_COMPLETED;
}

/* Returns false if the piece has no room for CONTAINER. */
static bool add_running(struct piece *piece, const struct container *container)
{
    Creel__Container *message = rm_granted_message(piece->m, container, !piece->brief);
    Creel__RegisterAmReply *reply = piece->reply;

    if (!rm_am_room_try_add(&piece->room, &message->base))
        return false;
    page_append(piece->m->out->arena, (void ***)&reply->running, &reply->n_running, message);
    return true;
}

static bool add_completed(struct piece *piece, struct container *container)
{
    Creel__ContainerStatus *status = rm_status_message(piece->m, container);
    Creel__RegisterAmReply *reply = piece->reply;

    if (piece->brief)
        status->diagnostics = rm_message_text(piece->m->out->arena, NULL);
    if (!rm_am_room_try_add(&piece->room, &status->base))
        return false;
    page_append(piece->m->out->arena, (void ***)&reply->completed, &reply->n_completed, status);
    /* Restored ones are in no AllocateReply; those of other attempts are listed at each registration. */
    if (container->attempt == piece->attempt && container->end_sent == 0 && !container->am_news)
        rm_container_end_sent(container, piece->attempt->response_id);
    return true;
}

/* Lists the containers after AFTER (NULL: all) as far as they fit. Returns true if all do; else NEXT of the
 * reply is the last one. */
static bool list_containers(struct piece *piece, const struct container_id *after)
{
    struct attempt *attempt = piece->attempt;
    struct container first = { .id = { .attempt = { .app = attempt->app->id } } }, *container;
    const char *last = NULL;
    bool lives;

    if (after != NULL)
        first.id = *after;
    for (container = RB_NFIND(rm_container_tree, &piece->m->containers, &first);
         container && container->app == attempt->app;
         container = RB_NEXT(rm_container_tree, &piece->m->containers, container)) {
        if ((after != NULL && container_id_compare(&container->id, after) == 0) ||
            !is_listed(attempt, container, &lives))
            continue;
        if (!(lives ? add_running(piece, container) : add_completed(piece, container))) {
            piece->reply->next = arena_printf(piece->m->out->arena, "%s@%u", last, piece->m->epoch);
            return false;
        }
        last = container->text;
    }
    return true;
}

/* --- replies ---------------------------------------------------------------- */

static Creel__RegisterAmReply *new_reply(struct master *m, const struct attempt *attempt)
{
    Creel__RegisterAmReply *reply = arena_new0(m->out->arena, Creel__RegisterAmReply);

    creel__register_am_reply__init(reply);
    reply->allocate_interval_ms = (uint32_t)m->config.heartbeat_interval_ms;
    reply->response_id = attempt->response_id;
    return reply;
}

static void add_job(struct master *m, const struct attempt *attempt, Creel__RegisterAmReply *reply)
{
    struct arena *arena = m->out->arena;

    reply->queue = rm_message_text(arena, attempt->app->queue);
    reply->minimum_allocation = rm_resource_message(m, &m->minimum);
    reply->maximum_allocation = rm_resource_message(m, &m->maximum);
    reply->job = (Creel__JobSpec *)rm_message_copy_in(arena, &attempt->app->job->base);
    reply->job->first_results = (ProtobufCBinaryData){ 0, NULL }; /* am_state has what is left of them */
    reply->am_state = rm_am_state_message(arena, attempt->app);
}

static void send_reply(struct master *m, const struct master_peer *peer, uint64_t request_id,
                       Creel__RegisterAmReply *reply)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);

    envelope->register_am_reply = reply;
    rm_work_add(m, rm_work_of(creel__register_am_reply__get_packed_size(reply)));
    rm_reply_to(m, peer, envelope);
}

/* Sends the containers after AFTER; NULL: the first piece. */
static void reply_piece(struct master *m, const struct master_peer *peer, uint64_t request_id,
                        struct attempt *attempt, const char *after, const struct container_id *after_id)
{
    struct piece piece = { .m = m, .attempt = attempt, .reply = new_reply(m, attempt) };

    if (after_id == NULL)
        add_job(m, attempt, piece.reply);
    else
        piece.reply->after = rm_message_text(m->out->arena, after);
    piece.room = rm_am_room(m, creel__register_am_reply__get_packed_size(piece.reply));
    (void)list_containers(&piece, after_id);
    send_reply(m, peer, request_id, piece.reply);
}

/* Sends everything in one message, to an AM of version 0.2, which knows no pieces. What does not fit
 * otherwise has no tokens and no diagnostics. */
static void reply_whole(struct master *m, const struct master_peer *peer, uint64_t request_id,
                        struct attempt *attempt)
{
    struct piece piece = { .m = m, .attempt = attempt };

    for (int try = 0; try < 2; try++) {
        piece.brief = try > 0;
        piece.reply = new_reply(m, attempt);
        add_job(m, attempt, piece.reply);
        piece.room = rm_am_room(m, creel__register_am_reply__get_packed_size(piece.reply));
        if (!list_containers(&piece, NULL))
            continue;
        send_reply(m, peer, request_id, piece.reply);
        return;
    }
    rm_reply_error(m, peer, request_id, CREEL__ERROR_CODE__ERROR_UNAVAILABLE,
                   "%s: its containers do not fit into one message, and its application master is of a "
                   "version that cannot receive them in pieces",
                   attempt->text);
}

/* --- the request --------------------------------------------------------------- */

/* Parses the text of RegisterAmReply.next: a container, and the epoch of the resource manager that sent
 * it. */
static bool parse_next(const char *text, struct container_id *id, uint32_t *epoch)
{
    const char *at = strchr(text, '@');
    char container[ID_TEXT_MAX], last;

    if (at == NULL || (size_t)(at - text) >= sizeof(container) || sscanf(at, "@%9u%c", epoch, &last) != 1)
        return false;
    snprintf(container, sizeof(container), "%.*s", (int)(at - text), text);
    return container_id_parse(container, id);
}

/* Returns the text after which the piece begins that BODY asks for, and sets *ID to its container; NULL: the
 * first piece. An AM that continues a registration at an earlier run of the resource manager begins again:
 * the ends of containers that were reported to that run are in no AllocateReply of this one. */
static const char *after_of(const struct master *m, const struct attempt *attempt,
                            const Creel__RegisterAm *body, struct container_id *id)
{
    uint32_t epoch;

    if (!body->pieces || !attempt->known || rm_text_is_empty(body->after) ||
        !parse_next(body->after, id, &epoch) || epoch != m->epoch ||
        app_id_compare(&id->attempt.app, &attempt->app->id) != 0)
        return NULL;
    return body->after;
}

/* An AM that registers runs, whether or not its agent has reported that: the containers that it gets at once
 * have the end of the time limit, too. */
static void start_time_limit(struct master *m, struct app *app)
{
    if (app->job->unmanaged || !rm_time_limit_start(m, app))
        return;
    rm_store_app(m, app);
    rm_limit_changed(m, app);
}

/* Notes the session of the AM. Another process than before does not know which nodes the earlier one
 * blacklisted, and would never take them off. */
static void enter_session(struct attempt *attempt, uint64_t session)
{
    struct app *app = attempt->app;

    if (session != attempt->am_session && app->sched) {
        sched_app_drop_blacklist(app->sched);
        rm_account_count_asks(app);
    }
    attempt->am_session = session;
}

void rm_on_register_am(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    struct attempt *attempt = rm_am_attempt(m, peer);
    const Creel__RegisterAm *body = in->register_am;
    struct container_id after_id;
    const char *after;

    if (attempt == NULL && rm_history_misses(m, peer->principal)) {
        rm_am_reply_later(m, peer, in->request_id);
        return;
    }
    if (!rm_am_may_work(attempt)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "%s: is over, or has not been started; exit", peer->principal);
        return;
    }
    if (rm_am_is_replaced(attempt, body->session)) {
        rm_am_reply_replaced(m, peer, in->request_id, attempt);
        return;
    }
    if (!rm_text_is_empty(body->tracking_url) && !text_is_web_address(body->tracking_url)) {
        rm_reply_error(
            m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
            "tracking_url: \"%.100s\" is no address of the web: it must begin with http:// or https:// and "
            "have no blanks",
            body->tracking_url);
        return;
    }
    enter_session(attempt, body->session);
    after = after_of(m, attempt, body, &after_id);
    rm_am_note_alive(m, attempt, peer);
    attempt->known = true;
    if (after == NULL)
        attempt->tokens_old = false; /* new keys after the first piece: the next Allocate is a RESYNC */
    rm_account_set_text(attempt->app, &attempt->tracking_url, body->tracking_url);
    rm_account_set_text(attempt->app, &attempt->am_host, body->host);
    start_time_limit(m, attempt->app);
    rm_attempt_event(m, attempt, ATTEMPT_EVENT_RUNNING);
    rm_events_run(m);
    if (rm_am_is_command(attempt))
        rm_deadline_set(m, &attempt->expiry, m->now_ms + m->config.am_expiry_ms);
    if (body->pieces)
        reply_piece(m, peer, in->request_id, attempt, after, after ? &after_id : NULL);
    else
        reply_whole(m, peer, in->request_id, attempt);
    /* The next AllocateReply reports the ends in this reply again, since the AM drops this reply if its
     * request was a repetition. */
    attempt->wakeup_sent = false;
    rm_preempt_again(m, attempt);
    if (!TAILQ_EMPTY(&attempt->newly_allocated) || !TAILQ_EMPTY(&attempt->preempting) ||
        !TAILQ_EMPTY(&attempt->resized))
        rm_attempt_wake_up(m, attempt);
    rm_app_touch(m, attempt->app);
}

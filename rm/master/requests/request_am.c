/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_am.c - requests of AMs: allocate, finish (yarn-behaviour 4.2)
 *
 * The token names the attempt. The AM of an APP_COMMAND job is a step of the job: FinishAm ends the step, not
 * the job.
 */
#include <errno.h>
#include <string.h>

#include "rm/master/jobs/am_peer.h"
#include "rm/master/machines/app.h"
#include "rm/master/machines/attempt.h"
#include "rm/master/machines/container.h"
#include "rm/master/machines/forget_completed.h"
#include "rm/master/orders/app_usage.h"
#include "rm/master/orders/completed.h"
#include "rm/master/orders/preempt.h"
#include "rm/master/requests.h"
#include "rm/master/requests/am_updates.h"
#include "rm/master/services/decisions.h"
#include "rm/master/services/history.h"
#include "rm/master/services/queues.h"
#include "rm/master/services/user_limits.h"
#include "rm/master/state/am_state.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/events.h"
#include "rm/master/state/index.h"
#include "rm/master/state/message.h"
#include "rm/master/state/page.h"
#include "rm/master/state/rows.h"

/* --- allocate -------------------------------------------------------------- */

static void send_allocate_reply(struct master *m, const struct master_peer *peer, uint64_t request_id,
                                Creel__AllocateReply *reply, uint64_t seq)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);

    envelope->allocate_reply = reply;
    rm_send_stored(m, seq, peer->channel, peer->connection, envelope);
}

static void reply_action(struct master *m, const struct master_peer *peer, uint64_t request_id,
                         Creel__AmAction action)
{
    Creel__AllocateReply *reply = arena_new0(m->out->arena, Creel__AllocateReply);

    creel__allocate_reply__init(reply);
    reply->action = action;
    send_allocate_reply(m, peer, request_id, reply, 0);
}

/* While the rows of the reply are not stored, it is held already, and a further copy for each repetition
 * would take memory without a bound. If the connection is another one, the AM repeats the request again. */
static void resend_reply(struct master *m, const struct master_peer *peer, uint64_t request_id,
                         const struct attempt *attempt)
{
    Creel__AllocateReply *stored, *reply;

    if (attempt->last_reply_seq > m->stored_seq)
        return;
    rm_work_add(m, rm_work_of(attempt->last_reply_size));
    stored = creel__allocate_reply__unpack(NULL, attempt->last_reply_size, attempt->last_reply);
    reply = (Creel__AllocateReply *)rm_message_copy_in(m->out->arena, &stored->base);
    creel__allocate_reply__free_unpacked(stored, NULL);
    send_allocate_reply(m, peer, request_id, reply, attempt->last_reply_seq);
}

/* Returns how many rows of requests and names of the blacklist REQUEST adds to those of APP. */
static size_t count_new(const struct sched_app *app, const struct sched_request *request)
{
    return sched_app_new_rows(app, request->asks, request->ask_count) +
           sched_app_new_blacklisted(app, request->blacklist_add, request->blacklist_add_count);
}

#define ROWS_IN_UNIT 64u /* rows of requests that are applied or looked up, nodes that they name, releases */

/* Counts what the request costs, as the work of a row. */
static int allocate(struct master *m, const struct app *app, const struct sched_request *request,
                    struct err *err)
{
    uint64_t lookups = sched_lookups(m->sched);
    int r = sched_allocate(m->sched, app->sched, request, &m->decisions, err);

    rm_work_add(m, (request->ask_count + request->blacklist_add_count + request->blacklist_remove_count +
                    sched_lookups(m->sched) - lookups) /
                       ROWS_IN_UNIT);
    return r;
}

static int apply_asks(struct master *m, struct attempt *attempt, const Creel__Allocate *body, struct err *err)
{
    struct arena *arena = m->out->arena;
    struct sched_ask *asks = arena_array0(arena, body->n_asks + 1, sizeof(*asks));
    struct sched_request request = {
        .asks = asks,
        .ask_count = body->n_asks,
        .blacklist_add = (const char *const *)body->blacklist_add,
        .blacklist_add_count = body->n_blacklist_add,
        .blacklist_remove = (const char *const *)body->blacklist_remove,
        .blacklist_remove_count = body->n_blacklist_remove,
    };
    int r;

    for (size_t i = 0; i < body->n_asks; i++) {
        const Creel__Ask *ask = body->asks[i];

        if (!rm_text_is_empty(ask->label) && !rm_queues_have_labels(m))
            return err_set(err, EOPNOTSUPP, "asks for label %s: the %s scheduler has no labels", ask->label,
                           m->config.scheduler);
        if ((r = rm_resource_judge(m, ask->capability, err)) < 0)
            return r;
        asks[i] = (struct sched_ask){
            .priority = ask->priority,
            .allocation_id = ask->allocation_id,
            .resource_name = rm_text_is_empty(ask->resource_name) ? "*" : ask->resource_name,
            .capability = rm_resource_from(m, ask->capability),
            .count = ask->count,
            .strict_locality = ask->strict_locality,
            .label = rm_text_is_empty(ask->label) ? NULL : ask->label,
        };
    }
    r = rm_user_limits_judge_asks(m, attempt->app, count_new(attempt->app->sched, &request), err);
    if (r < 0)
        m->counters.asks_over_limit++;
    else
        r = allocate(m, attempt->app, &request, err);
    if (r == 0)
        rm_account_count_asks(attempt->app);
    return r;
}

/* Adds STATUS to REPLY if there is room. If not, the AM repeats the release. */
static void answer_release(struct arena *arena, Creel__AllocateReply *reply, struct am_room *room,
                           Creel__ContainerStatus *status)
{
    if (rm_am_room_try_add(room, &status->base))
        page_append(arena, (void ***)&reply->completed, &reply->n_completed, status);
}

/* Releases the container ID. Each release is answered with a completed status, at once if the container has
 * ended or never existed. */
static void release(struct master *m, struct attempt *attempt, const char *id, Creel__AllocateReply *reply,
                    struct am_room *room)
{
    struct container *container = rm_container_find(m, id);
    Creel__ContainerStatus *status;

    if (container && container->attempt == attempt) {
        if (container == attempt->am_container || container->am_news)
            return;
        if (container->state == CONTAINER_COMPLETED) {
            answer_release(m->out->arena, reply, room, rm_status_message(m, container));
            return;
        }
        rm_container_stop(m, container, CONTAINER_EXIT_BY_AM, "released by its application master");
        return;
    }
    status = arena_new0(m->out->arena, Creel__ContainerStatus);
    creel__container_status__init(status);
    status->container_id = rm_message_text(m->out->arena, id);
    status->state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    status->exit_status = CONTAINER_EXIT_ABORTED;
    status->diagnostics = rm_message_text(m->out->arena, "this attempt has no such container");
    answer_release(m->out->arena, reply, room, status);
}

/* Adds new containers to the reply, as many as fit. Returns true if there are any: then rows were written. */
static bool pull_allocated(struct master *m, struct attempt *attempt, Creel__AllocateReply *reply,
                           struct am_room *room)
{
    struct container *container;

    while ((container = TAILQ_FIRST(&attempt->newly_allocated)) != NULL && !rm_am_room_is_full(room)) {
        Creel__Container *message;

        TAILQ_REMOVE(&attempt->newly_allocated, container, in_am_news);
        container->am_news = false;
        rm_container_event(m, container,
                           CONTAINER_EVENT_ACQUIRED); /* the token has the time that this sets */
        message = rm_granted_message(m, container, true);
        rm_am_room_add(room, &message->base);
        page_append(m->out->arena, (void ***)&reply->allocated, &reply->n_allocated, message);
    }
    return reply->n_allocated > 0;
}

/* Adds the ends of containers to the reply, as many as fit. Returns the commit after which the AM may know
 * them, 0 if there is none. */
static uint64_t pull_completed(struct master *m, struct attempt *attempt, Creel__AllocateReply *reply,
                               struct am_room *room)
{
    struct container *container;
    uint64_t seq = 0;

    while ((container = TAILQ_FIRST(&attempt->completed)) != NULL) {
        Creel__ContainerStatus *status = rm_status_message(m, container);

        if (!rm_am_room_try_add(room, &status->base))
            break;
        TAILQ_REMOVE(&attempt->completed, container, in_am_news);
        container->am_news = false;
        if (container->attempt == attempt) /* others are listed again at each registration */
            rm_container_end_sent(container, attempt->response_id + 1);
        if (container->end_seq > seq)
            seq = container->end_seq;
        page_append(m->out->arena, (void ***)&reply->completed, &reply->n_completed, status);
    }
    return seq;
}

static void update_progress(struct master *m, struct app *app, const Creel__Allocate *body)
{
    float progress = body->progress >= 0 && body->progress <= 1 ? body->progress : app->progress;
    uint32_t before[4];
    bool differs = progress < app->progress || progress > app->progress;

    memcpy(before, app->tasks, sizeof(before));
    rm_app_update_tasks(app, body->tasks);
    if (!differs && memcmp(before, app->tasks, sizeof(before)) == 0)
        return;
    app->progress = progress;
    rm_app_touch(m, app);
}

/* Fills REPLY. Each kind of news may use a larger part of the message than the kinds before it, so that none
 * keeps the others out. What does not fit comes with the next reply. Returns the commit that REPLY waits for,
 * 0 if there is none. */
static uint64_t fill_reply(struct master *m, struct attempt *attempt, const Creel__Allocate *body,
                           Creel__AllocateReply *reply)
{
    struct am_room room = rm_am_room(m, creel__allocate_reply__get_packed_size(reply));
    size_t quarter = room.max / 4;
    bool handed_out;
    uint64_t ends_seq;

    room.max = quarter;
    for (size_t i = 0; i < body->n_releases; i++)
        release(m, attempt, body->releases[i], reply, &room);
    room.max += quarter;
    reply->preemption = rm_preempt_pull(m, attempt, &room);
    room.max += quarter;
    handed_out = pull_allocated(m, attempt, reply, &room);
    handed_out = rm_am_updates_pull(m, attempt, reply, &room) || handed_out;
    room.max += quarter;
    ends_seq = pull_completed(m, attempt, reply, &room);
    return handed_out ? m->store_seq : ends_seq;
}

static void work(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                 struct attempt *attempt)
{
    const Creel__Allocate *body = in->allocate;
    Creel__AllocateReply *reply = arena_new0(m->out->arena, Creel__AllocateReply);
    struct sched_app_figures figures;
    struct sched_cluster cluster;
    bool state_changed;
    uint64_t seq;

    creel__allocate_reply__init(reply);
    rm_am_updates_apply(m, attempt, body, reply);
    rm_decisions_apply(m);
    attempt->confirmed_id = body->response_id;
    rm_completed_forget(m, attempt);
    state_changed = rm_am_state_update(attempt->app, body->am_state);
    if (state_changed)
        rm_store_app(m, attempt->app);
    update_progress(m, attempt->app, body);
    seq = fill_reply(m, attempt, body, reply);
    sched_app_figures(m->sched, attempt->app->sched, &figures);
    sched_cluster(m->sched, &cluster);
    reply->headroom = rm_resource_message(m, &figures.headroom);
    reply->cluster_nodes = cluster.open_nodes;
    reply->response_id = ++attempt->response_id;
    free(attempt->last_reply);
    attempt->last_reply_size = creel__allocate_reply__get_packed_size(reply);
    attempt->last_reply = mem_alloc(attempt->last_reply_size + 1);
    creel__allocate_reply__pack(reply, attempt->last_reply);
    attempt->last_reply_seq = state_changed ? m->store_seq : seq;
    send_allocate_reply(m, peer, in->request_id, reply, attempt->last_reply_seq);
    attempt->wakeup_due = attempt->wakeup_sent = false;
    if (!TAILQ_EMPTY(&attempt->newly_allocated) || !TAILQ_EMPTY(&attempt->completed) ||
        !TAILQ_EMPTY(&attempt->preempting) || !TAILQ_EMPTY(&attempt->resized))
        rm_attempt_wake_up(m, attempt);
}

void rm_on_allocate(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    struct attempt *attempt = rm_am_attempt(m, peer);
    uint64_t response_id = in->allocate->response_id;
    struct err err;
    int r;

    if (attempt == NULL && rm_history_misses(m, peer->principal)) {
        rm_am_reply_later(m, peer, in->request_id);
        return;
    }
    if (!rm_am_may_work(attempt)) {
        reply_action(m, peer, in->request_id, CREEL__AM_ACTION__AM_SHUTDOWN);
        return;
    }
    if (!attempt->known || attempt->tokens_old || rm_am_is_replaced(attempt, in->allocate->session)) {
        reply_action(m, peer, in->request_id, CREEL__AM_ACTION__AM_RESYNC);
        return;
    }
    rm_am_note_alive(m, attempt, peer);
    if (response_id + 1 == attempt->response_id && attempt->last_reply) {
        resend_reply(m, peer, in->request_id, attempt);
        return;
    }
    if (response_id != attempt->response_id) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                       "%s: this Allocate answers reply %llu, but reply %llu was sent last", attempt->text,
                       (unsigned long long)response_id, (unsigned long long)attempt->response_id);
        return;
    }
    rm_work_add(m, in->allocate->n_releases / ROWS_IN_UNIT);
    r = rm_am_state_judge(in->allocate->am_state, &err);
    if (r == 0)
        r = apply_asks(m, attempt, in->allocate, &err);
    if (r < 0) {
        rm_reply_error(m, peer, in->request_id,
                       r == -ERANGE                    ? CREEL__ERROR_CODE__ERROR_NEVER_RUNS
                       : r == -E2BIG || r == -EMSGSIZE ? CREEL__ERROR_CODE__ERROR_TOO_LARGE
                                                       : CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                       "%s: %s", attempt->text, err.text);
        return;
    }
    work(m, peer, in, attempt);
}

/* --- finish ---------------------------------------------------------------- */

static void reply_finish(struct master *m, const struct master_peer *peer, uint64_t request_id,
                         uint64_t store_seq)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_FINISH_AM_REPLY);

    envelope->finish_am_reply = arena_new0(m->out->arena, Creel__FinishAmReply);
    creel__finish_am_reply__init(envelope->finish_am_reply);
    envelope->finish_am_reply->done = true;
    rm_send_stored(m, store_seq, peer->channel, peer->connection, envelope);
}

void rm_on_finish_am(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    struct attempt *attempt = rm_am_attempt(m, peer);
    const Creel__FinishAm *body = in->finish_am;
    Creel__FinalStatus status = body->status;
    struct err err;

    if (attempt == NULL && rm_history_misses(m, peer->principal)) {
        rm_am_reply_later(m, peer, in->request_id);
        return;
    }
    if (attempt && rm_am_is_command(attempt)) {
        if (attempt->known && attempt == attempt->app->attempt) {
            rm_app_update_tasks(attempt->app, body->tasks);
            if (rm_am_state_drop(attempt->app)) /* the next step is another AM */
                rm_store_app(m, attempt->app);
            rm_attempt_end_step(m, attempt);
        }
        reply_finish(m, peer, in->request_id, 0);
        return;
    }
    if (attempt && rm_am_is_replaced(attempt, body->session)) {
        rm_am_reply_replaced(m, peer, in->request_id, attempt);
        return;
    }
    if (attempt && attempt->unregistered) { /* a repeated request */
        reply_finish(m, peer, in->request_id, attempt->saving_seq);
        return;
    }
    if (!rm_am_may_work(attempt) || attempt->state != ATTEMPT_RUNNING) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "%s: is over, or has not registered", peer->principal);
        return;
    }
    if (status == CREEL__FINAL_STATUS__FINAL_UNDEFINED)
        status =
            body->exit_status == 0 ? CREEL__FINAL_STATUS__FINAL_SUCCEEDED : CREEL__FINAL_STATUS__FINAL_FAILED;
    attempt->unregistered = true;
    if (rm_am_state_judge(body->am_state, &err) == 0)
        (void)rm_am_state_update(attempt->app, body->am_state); /* the row with the result has it, too */
    rm_app_update_tasks(attempt->app, body->tasks);
    rm_attempt_set_outcome(attempt, status, body->exit_status, body->diagnostics);
    rm_attempt_event(m, attempt, ATTEMPT_EVENT_UNREGISTER);
    rm_events_run(m);
    reply_finish(m, peer, in->request_id, attempt->saving_seq);
}

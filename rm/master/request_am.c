/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_am.c - requests of AMs: register, allocate, finish (yarn-behaviour 4.2)
 *
 * The token names the attempt. The AM of an APP_COMMAND job is a step of the job: FinishAm ends the step, not
 * the job.
 */
#include <errno.h>
#include <string.h>

#include "rm/master/am_state.h"
#include "rm/master/amounts.h"
#include "rm/master/app.h"
#include "rm/master/attempt.h"
#include "rm/master/container.h"
#include "rm/master/copy.h"
#include "rm/master/effects.h"
#include "rm/master/events.h"
#include "rm/master/history.h"
#include "rm/master/index.h"
#include "rm/master/message.h"
#include "rm/master/preempt.h"
#include "rm/master/queues.h"
#include "rm/master/requests.h"
#include "rm/master/rows.h"
#include "rm/master/step.h"

#define RUNNING_WITH_TOKENS_MAX 10000 /* if a RegisterAmReply has more containers, none of them has a token */
#define COMPLETED_WHOLE_MAX 2000      /* if a RegisterAmReply has more statuses, they lack diagnostics */
#define EARLIER_MAX 20000             /* maximum of ends of earlier attempts in one RegisterAmReply */

/* --- the attempt of a request ---------------------------------------------- */

static struct attempt *asking_attempt(const struct master *m, const struct master_peer *peer)
{
    struct attempt_id id;

    return attempt_id_parse(peer->principal, &id) ? rm_attempt_find(m, &id) : NULL;
}

static bool may_work(const struct attempt *attempt)
{
    return attempt && attempt == attempt->app->attempt &&
           (attempt->state == ATTEMPT_ALLOCATED || attempt->state == ATTEMPT_LAUNCHED ||
            attempt->state == ATTEMPT_RUNNING) &&
           (attempt->app->state == APP_STATE_ACCEPTED || attempt->app->state == APP_STATE_RUNNING);
}

static bool is_command(const struct attempt *attempt)
{
    return attempt->app->job->kind == CREEL__APP_KIND__APP_COMMAND;
}

static void note_alive(struct master *m, struct attempt *attempt, const struct master_peer *peer)
{
    attempt->am_seen_ms = m->now_ms;
    attempt->am_connection = peer->connection;
}

/* Asks the AM to retry later: its attempt belongs to a history that is missing here, and an operator decides
 * whether that history is lost (history.h). */
static void reply_later(struct master *m, const struct master_peer *peer, uint64_t request_id)
{
    rm_reply_error(m, peer, request_id, CREEL__ERROR_CODE__ERROR_UNAVAILABLE,
                   "%s: is newer than this resource manager's state; try again later", peer->principal);
}

/* --- containers in messages ------------------------------------------------ */

static Creel__Container *container_message(struct master *m, const struct container *container, bool token)
{
    struct arena *arena = m->out->arena;
    Creel__Container *message = arena_new0(arena, Creel__Container);
    const struct node *node = container->node;

    creel__container__init(message);
    message->container_id = rm_message_text(arena, container->text);
    message->node_id = rm_message_text(arena, node->id);
    message->node_address = rm_message_text(arena, node->address);
    message->agent_key = rm_message_text(arena, node->agent_key);
    message->resource = rm_resource_message(m, &container->resource);
    message->priority = container->priority;
    message->allocation_id = container->allocation_id;
    message->title = rm_message_text(arena, container->title);
    if (token)
        message->token = m->config.sign(m->config.context, arena, CREEL__TOKEN_KIND__TOKEN_CONTAINER,
                                        &rm_grant_message(m, container)->base);
    return message;
}

/* --- register -------------------------------------------------------------- */

/* Adds the ends of containers of earlier attempts that their AM may not have known, except the first SKIP.
 * Returns the number of all these ends, including the skipped ones. REPLY NULL: only counts them. */
static size_t list_earlier(struct master *m, const struct attempt *attempt, size_t skip,
                           Creel__RegisterAmReply *reply)
{
    struct container first = { .id = { .attempt = { .app = attempt->app->id } } }, *container;
    size_t count = 0;

    if (attempt->app->job->kind != CREEL__APP_KIND__APP_TASKS || attempt->id.attempt == 1)
        return 0;
    for (container = RB_NFIND(rm_container_tree, &m->containers, &first);
         container && container->app == attempt->app && container->attempt != attempt;
         container = RB_NEXT(rm_container_tree, &m->containers, container)) {
        Creel__ContainerStatus *status;

        if (!rm_am_state_misses(container) || count++ < skip || reply == NULL)
            continue;
        status = rm_status_message(m, container);
        if (reply->n_completed >= COMPLETED_WHOLE_MAX)
            status->diagnostics = rm_message_text(m->out->arena, NULL);
        reply->completed[reply->n_completed++] = status;
    }
    return count;
}

static void list_containers(struct master *m, struct attempt *attempt, Creel__RegisterAmReply *reply)
{
    struct container first = { .id = { .attempt = attempt->id } }, *container;
    size_t running = 0, completed = 0, all = list_earlier(m, attempt, 0, NULL);
    size_t earlier = all < EARLIER_MAX ? all : EARLIER_MAX;

    for (int pass = 0; pass < 2; pass++) {
        for (container = RB_NFIND(rm_container_tree, &m->containers, &first);
             container && container->attempt == attempt;
             container = RB_NEXT(rm_container_tree, &m->containers, container)) {
            bool lives = container->state == CONTAINER_ACQUIRED || container->state == CONTAINER_RUNNING;
            bool ended = container->state == CONTAINER_COMPLETED;

            if (container == attempt->am_container || container->step != attempt->step)
                continue;
            if (pass == 0) {
                running += lives;
                completed += ended;
            } else if (lives) {
                reply->running[reply->n_running++] =
                    container_message(m, container, running <= RUNNING_WITH_TOKENS_MAX);
            } else if (ended) {
                Creel__ContainerStatus *status = rm_status_message(m, container);

                if (completed > COMPLETED_WHOLE_MAX)
                    status->diagnostics = rm_message_text(m->out->arena, NULL);
                reply->completed[reply->n_completed++] = status;
            }
        }
        if (pass == 0) {
            reply->running = arena_array0(m->out->arena, running + 1, sizeof(*reply->running));
            reply->completed =
                arena_array0(m->out->arena, earlier + completed + 1, sizeof(*reply->completed));
            (void)list_earlier(m, attempt, all - earlier, reply);
        }
    }
}

static void reply_register(struct master *m, const struct master_peer *peer, uint64_t request_id,
                           struct attempt *attempt)
{
    struct arena *arena = m->out->arena;
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
    Creel__RegisterAmReply *reply = arena_new0(arena, Creel__RegisterAmReply);

    creel__register_am_reply__init(reply);
    reply->queue = rm_message_text(arena, attempt->app->queue);
    reply->minimum_allocation = rm_resource_message(m, &m->minimum);
    reply->maximum_allocation = rm_resource_message(m, &m->maximum);
    reply->job = (Creel__JobSpec *)rm_message_copy_in(arena, &attempt->app->job->base);
    reply->allocate_interval_ms = (uint32_t)m->config.heartbeat_interval_ms;
    reply->response_id = attempt->response_id;
    reply->am_state = rm_am_state_message(arena, attempt->app);
    list_containers(m, attempt, reply);
    envelope->register_am_reply = reply;
    rm_reply_to(m, peer, envelope);
}

void rm_on_register_am(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    struct attempt *attempt = asking_attempt(m, peer);

    if (attempt == NULL && rm_history_misses(m, peer->principal)) {
        reply_later(m, peer, in->request_id);
        return;
    }
    if (!may_work(attempt)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "%s: is over, or has not been started; exit", peer->principal);
        return;
    }
    note_alive(m, attempt, peer);
    attempt->known = true;
    attempt->tokens_old = false;
    rm_text_set(&attempt->tracking_url, in->register_am->tracking_url);
    rm_text_set(&attempt->am_host, in->register_am->host);
    rm_attempt_event(m, attempt, ATTEMPT_EVENT_RUNNING);
    rm_events_run(m);
    if (is_command(attempt))
        rm_deadline_set(m, &attempt->expiry, m->now_ms + m->config.am_expiry_ms);
    reply_register(m, peer, in->request_id, attempt);
    /* The next AllocateReply reports the ends in this reply again, since the AM drops this reply if its
     * request was a repetition. */
    attempt->wakeup_sent = false;
    rm_preempt_again(m, attempt);
    if (!TAILQ_EMPTY(&attempt->newly_allocated) || !TAILQ_EMPTY(&attempt->preempting))
        rm_attempt_wake_up(m, attempt);
    rm_app_touch(m, attempt->app);
}

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

static void resend_reply(struct master *m, const struct master_peer *peer, uint64_t request_id,
                         const struct attempt *attempt)
{
    Creel__AllocateReply *stored =
        creel__allocate_reply__unpack(NULL, attempt->last_reply_size, attempt->last_reply);
    Creel__AllocateReply *reply = (Creel__AllocateReply *)rm_message_copy_in(m->out->arena, &stored->base);

    creel__allocate_reply__free_unpacked(stored, NULL);
    send_allocate_reply(m, peer, request_id, reply, attempt->last_reply_seq);
}

static int take_asks(struct master *m, struct attempt *attempt, const Creel__Allocate *body, struct err *err)
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
    return sched_allocate(m->sched, attempt->app->sched, &request, &m->decisions, err);
}

/* Releases the container ID. Each release is answered with a completed status, at once if the container has
 * ended or never existed. */
static void release(struct master *m, struct attempt *attempt, const char *id, Creel__AllocateReply *reply)
{
    struct container *container = rm_container_find(m, id);
    Creel__ContainerStatus *status;

    if (container && container->attempt == attempt) {
        if (container == attempt->am_container || container->am_news)
            return;
        if (container->state == CONTAINER_COMPLETED) {
            reply->completed[reply->n_completed++] = rm_status_message(m, container);
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
    reply->completed[reply->n_completed++] = status;
}

/* Adds new containers and statuses to the reply, as many as fit into one message. Returns true if rows were
 * written. */
static bool pull(struct master *m, struct attempt *attempt, Creel__AllocateReply *reply)
{
    struct container *container, *next;
    size_t fresh = 0, bytes = 0;

    TAILQ_FOREACH(container, &attempt->newly_allocated, in_am_news)
        fresh++;
    reply->allocated = arena_array0(m->out->arena, fresh + 1, sizeof(*reply->allocated));
    TAILQ_FOREACH_SAFE(container, &attempt->newly_allocated, in_am_news, next) {
        Creel__Container *message;

        if (bytes > MESSAGE_BYTES_MAX)
            break;
        TAILQ_REMOVE(&attempt->newly_allocated, container, in_am_news);
        container->am_news = false;
        rm_container_event(m, container, CONTAINER_EVENT_ACQUIRED);
        message = container_message(m, container, true);
        bytes += creel__container__get_packed_size(message);
        reply->allocated[reply->n_allocated++] = message;
    }
    TAILQ_FOREACH_SAFE(container, &attempt->completed, in_am_news, next) {
        Creel__ContainerStatus *status;

        if (bytes > 2 * MESSAGE_BYTES_MAX)
            break;
        TAILQ_REMOVE(&attempt->completed, container, in_am_news);
        container->am_news = false;
        container->end_sent = attempt->response_id + 1;
        status = rm_status_message(m, container);
        bytes += creel__container_status__get_packed_size(status);
        reply->completed[reply->n_completed++] = status;
    }
    return reply->n_allocated > 0;
}

static void take_progress(struct master *m, struct app *app, const Creel__Allocate *body)
{
    float progress = body->progress >= 0 && body->progress <= 1 ? body->progress : app->progress;
    uint32_t before[4];
    bool differs = progress < app->progress || progress > app->progress;

    memcpy(before, app->tasks, sizeof(before));
    rm_app_take_tasks(app, body->tasks);
    if (!differs && memcmp(before, app->tasks, sizeof(before)) == 0)
        return;
    app->progress = progress;
    rm_app_touch(m, app);
}

static size_t count_ended(const struct attempt *attempt)
{
    const struct container *container;
    size_t count = 0;

    TAILQ_FOREACH(container, &attempt->completed, in_am_news)
        count++;
    return count;
}

static void work(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                 struct attempt *attempt)
{
    const Creel__Allocate *body = in->allocate;
    Creel__AllocateReply *reply = arena_new0(m->out->arena, Creel__AllocateReply);
    struct sched_app_figures figures;
    struct sched_cluster cluster;
    bool handed_out, state_changed;

    creel__allocate_reply__init(reply);
    rm_take_decisions(m);
    attempt->confirmed_id = body->response_id;
    state_changed = rm_am_state_take(attempt->app, body->am_state);
    if (state_changed)
        rm_store_app(m, attempt->app);
    reply->completed =
        arena_array0(m->out->arena, body->n_releases + count_ended(attempt) + 1, sizeof(*reply->completed));
    for (size_t i = 0; i < body->n_releases; i++)
        release(m, attempt, body->releases[i], reply);
    take_progress(m, attempt->app, body);
    handed_out = pull(m, attempt, reply);
    reply->preemption = rm_preempt_pull(m, attempt);
    sched_app_figures(m->sched, attempt->app->sched, &figures);
    sched_cluster(m->sched, &cluster);
    reply->headroom = rm_resource_message(m, &figures.headroom);
    reply->cluster_nodes = cluster.open_nodes;
    reply->response_id = ++attempt->response_id;
    free(attempt->last_reply);
    attempt->last_reply_size = creel__allocate_reply__get_packed_size(reply);
    attempt->last_reply = mem_alloc(attempt->last_reply_size + 1);
    creel__allocate_reply__pack(reply, attempt->last_reply);
    attempt->last_reply_seq = handed_out || state_changed ? m->store_seq : 0;
    send_allocate_reply(m, peer, in->request_id, reply, attempt->last_reply_seq);
    attempt->wakeup_due = attempt->wakeup_sent = false;
    if (!TAILQ_EMPTY(&attempt->newly_allocated) || !TAILQ_EMPTY(&attempt->completed))
        rm_attempt_wake_up(m, attempt);
}

void rm_on_allocate(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    struct attempt *attempt = asking_attempt(m, peer);
    uint64_t response_id = in->allocate->response_id;
    struct err err;
    int r;

    if (attempt == NULL && rm_history_misses(m, peer->principal)) {
        reply_later(m, peer, in->request_id);
        return;
    }
    if (!may_work(attempt)) {
        reply_action(m, peer, in->request_id, CREEL__AM_ACTION__AM_SHUTDOWN);
        return;
    }
    if (!attempt->known || attempt->tokens_old) {
        reply_action(m, peer, in->request_id, CREEL__AM_ACTION__AM_RESYNC);
        return;
    }
    note_alive(m, attempt, peer);
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
    r = rm_am_state_judge(in->allocate->am_state, &err);
    if (r == 0)
        r = take_asks(m, attempt, in->allocate, &err);
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
    struct attempt *attempt = asking_attempt(m, peer);
    const Creel__FinishAm *body = in->finish_am;
    Creel__FinalStatus status = body->status;

    if (attempt == NULL && rm_history_misses(m, peer->principal)) {
        reply_later(m, peer, in->request_id);
        return;
    }
    if (attempt && is_command(attempt)) {
        if (attempt->known && attempt == attempt->app->attempt) {
            rm_app_take_tasks(attempt->app, body->tasks);
            if (rm_am_state_drop(attempt->app)) /* the next step is another AM */
                rm_store_app(m, attempt->app);
            rm_attempt_end_step(m, attempt);
        }
        reply_finish(m, peer, in->request_id, 0);
        return;
    }
    if (attempt && attempt->unregistered) { /* a repeated request */
        reply_finish(m, peer, in->request_id, attempt->saving_seq);
        return;
    }
    if (!may_work(attempt) || attempt->state != ATTEMPT_RUNNING) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "%s: is over, or has not registered", peer->principal);
        return;
    }
    if (status == CREEL__FINAL_STATUS__FINAL_UNDEFINED)
        status =
            body->exit_status == 0 ? CREEL__FINAL_STATUS__FINAL_SUCCEEDED : CREEL__FINAL_STATUS__FINAL_FAILED;
    attempt->unregistered = true;
    rm_app_take_tasks(attempt->app, body->tasks);
    rm_attempt_set_outcome(attempt, status, body->exit_status, body->diagnostics);
    rm_attempt_event(m, attempt, ATTEMPT_EVENT_UNREGISTER);
    rm_events_run(m);
    reply_finish(m, peer, in->request_id, attempt->saving_seq);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* am_link.c - an application master's side of the protocol with the RM, pure (no I/O, no clock) */
#include "client/am/am_link.h"

#include <assert.h>
#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "client/am/am_avoid.h"
#include "client/am/am_pieces.h"
#include "client/am/am_updates.h"
#include "common/base/mem.h"

#define RELEASE_REPEAT_MS 5000 /* until an unconfirmed release is repeated */
#define BROKEN_MS 600000       /* for which a node that could not start a container is avoided */
#define REGISTER_PAUSE_MS 100  /* between RESYNC and RegisterAm: prevents a tight loop */
#define FINISH_AGAIN_MS 200 /* until FinishAm is repeated after a reply that the result is not stored yet */
#define INTERVAL_MS 1000    /* between Allocate requests, unless the RM sets it */
#define RELEASES_MAX 5000   /* per Allocate */

enum phase { PHASE_NEW, PHASE_REGISTERING, PHASE_RUNNING, PHASE_FINISHING, PHASE_OVER };

struct am_demand {
    uint32_t priority;
    const Creel__Resource *capability;
    uint32_t count;      /* requested now */
    int64_t outstanding; /* count known to the RM; -1: unknown, must be sent */
};

struct release {
    char *container_id;
    int64_t next_ms;
    TAILQ_ENTRY(release) link; /* ordered by next_ms */
    UT_hash_handle hh;
};

struct am_link {
    char *host;
    uint64_t session; /* of an unmanaged AM; 0: the AM is not one */
    int64_t resend_ms;
    enum phase phase;
    bool woken;
    bool register_again;
    bool finish_sent; /* FinishAm may have been accepted, even without an answer */

    uint64_t last_request_id;
    uint64_t pending_id;    /* 0: no unanswered request */
    uint8_t *pending_bytes; /* packed request, to be repeated unchanged */
    size_t pending_size;
    int64_t pending_next_ms; /* time to repeat the request */

    uint64_t response_id;
    int64_t interval_ms, next_allocate_ms;
    int64_t register_at_ms;
    struct am_pieces pieces; /* of the registration in progress */

    struct am_demand *demands; /* in the order of am_link_set_demand */
    size_t demand_count, demand_capacity;
    struct release *releases; /* uthash by id */
    TAILQ_HEAD(, release) release_queue;
    struct am_avoid avoid;
    struct am_updates updates;
    uint32_t cluster_nodes; /* that accept containers; 0: unknown */

    float progress;
    Creel__TaskCounts counts;
    am_state_fn *state; /* NULL: none is stored */
    void *state_context;
    bool state_known, state_changed; /* known: am_link_state_changed was called once */

    bool finish;
    Creel__FinalStatus final_status;
    int exit_status;
    char *diagnostics;
};

struct am_link *am_link_new(const char *host, int64_t resend_ms)
{
    struct am_link *link = mem_new0(struct am_link);

    link->host = mem_strdup(host ? host : "");
    link->resend_ms = resend_ms;
    link->interval_ms = INTERVAL_MS;
    creel__task_counts__init(&link->counts);
    TAILQ_INIT(&link->release_queue);
    return link;
}

void am_link_free(struct am_link *link)
{
    struct release *release, *next;

    if (!link)
        return;
    HASH_ITER(hh, link->releases, release, next) {
        HASH_DEL(link->releases, release);
        free(release->container_id);
        free(release);
    }
    am_avoid_clear(&link->avoid);
    am_updates_clear(&link->updates);
    am_pieces_clear(&link->pieces);
    free(link->demands);
    free(link->pending_bytes);
    free(link->diagnostics);
    free(link->host);
    free(link);
}

void am_link_set_session(struct am_link *link, uint64_t session)
{
    link->session = session;
}

static void clear_pending(struct am_link *link)
{
    free(link->pending_bytes);
    link->pending_bytes = NULL;
    link->pending_size = 0;
    link->pending_id = 0;
}

/* Marks everything to be sent again, since the RM may have forgotten it. */
static void mark_all_unsent(struct am_link *link)
{
    struct release *release;

    for (size_t i = 0; i < link->demand_count; i++)
        link->demands[i].outstanding = -1;
    TAILQ_FOREACH(release, &link->release_queue, link)
        release->next_ms = INT64_MIN;
    am_avoid_send_again(&link->avoid);
    am_updates_send_again(&link->updates);
    link->state_changed = link->state_known;
}

void am_link_start(struct am_link *link, int64_t now_ms)
{
    assert(link->phase == PHASE_NEW);
    link->phase = PHASE_REGISTERING;
    link->register_at_ms = now_ms;
}

/* --- requests of the owner -------------------------------------------------- */

static struct am_demand *find_demand(const struct am_link *link, uint32_t priority)
{
    for (size_t i = 0; i < link->demand_count; i++)
        if (link->demands[i].priority == priority)
            return &link->demands[i];
    return NULL;
}

void am_link_set_demand(struct am_link *link, uint32_t priority, const Creel__Resource *capability,
                        uint32_t count)
{
    struct am_demand *demand = find_demand(link, priority);

    if (!demand) {
        mem_grow(link->demands, link->demand_count, link->demand_capacity);
        demand = &link->demands[link->demand_count++];
        demand->priority = priority;
        demand->outstanding = link->phase < PHASE_RUNNING ? -1 : 0;
    } else if (demand->capability != capability) {
        demand->outstanding = -1;
    }
    demand->capability = capability;
    demand->count = count;
}

void am_link_release(struct am_link *link, const char *container_id)
{
    struct release *release;

    HASH_FIND_STR(link->releases, container_id, release);
    if (release)
        return;
    release = mem_new0(struct release);
    release->container_id = mem_strdup(container_id);
    release->next_ms = INT64_MIN;
    TAILQ_INSERT_HEAD(&link->release_queue, release, link);
    HASH_ADD_KEYPTR(hh, link->releases, release->container_id, strlen(release->container_id), release);
}

void am_link_released(struct am_link *link, const char *container_id)
{
    struct release *release;

    HASH_FIND_STR(link->releases, container_id, release);
    if (!release)
        return;
    TAILQ_REMOVE(&link->release_queue, release, link);
    HASH_DEL(link->releases, release);
    free(release->container_id);
    free(release);
}

void am_link_avoid(struct am_link *link, const char *node_id, int64_t until_ms)
{
    am_avoid_add(&link->avoid, node_id, until_ms);
}

void am_link_avoid_broken(struct am_link *link, const char *node_id, int64_t now_ms)
{
    if ((link->avoid.count + 1) * 2 <= link->cluster_nodes)
        am_link_avoid(link, node_id, now_ms + BROKEN_MS);
}

void am_link_note_end(struct am_link *link, const Creel__ContainerStatus *status, const char *node_id,
                      int64_t now_ms)
{
    am_link_released(link, status->container_id);
    if (node_id && status->retry_elsewhere)
        am_link_avoid_broken(link, node_id, now_ms);
}

void am_link_update(struct am_link *link, const char *container_id, uint32_t version,
                    Creel__ContainerUpdateType type, Creel__Resource *capability)
{
    am_updates_add(&link->updates, container_id, version, type, capability);
}

void am_link_progress(struct am_link *link, float progress, const Creel__TaskCounts *counts)
{
    link->progress = progress;
    link->counts = *counts;
}

void am_link_set_state(struct am_link *link, am_state_fn *state, void *context)
{
    link->state = state;
    link->state_context = context;
}

void am_link_state_changed(struct am_link *link)
{
    link->state_known = link->state_changed = true;
}

void am_link_hurry(struct am_link *link)
{
    link->woken = true;
}

void am_link_register_again(struct am_link *link)
{
    link->register_again = true;
}

void am_link_finish(struct am_link *link, Creel__FinalStatus status, int exit_status, const char *diagnostics)
{
    if (link->finish)
        return;
    link->finish = true;
    link->final_status = status;
    link->exit_status = exit_status;
    link->diagnostics = mem_strdup(diagnostics);
    for (size_t i = 0; i < link->demand_count; i++)
        link->demands[i].count = 0;
}

/* --- received messages ------------------------------------------------------ */

static struct am_news news_of(enum am_news_kind kind, const char *text)
{
    return (struct am_news){ .kind = kind, .text = text };
}

static struct am_news over(struct am_link *link, enum am_news_kind kind, const char *text)
{
    clear_pending(link);
    link->phase = PHASE_OVER;
    return news_of(kind, text);
}

static struct am_news resync(struct am_link *link, int64_t now_ms)
{
    clear_pending(link);
    am_pieces_clear(&link->pieces);
    mark_all_unsent(link);
    link->phase = PHASE_REGISTERING;
    link->register_at_ms = now_ms + REGISTER_PAUSE_MS;
    return news_of(AM_NEWS_RESYNC, "");
}

static struct am_news receive_registered(struct am_link *link, int64_t now_ms,
                                         const Creel__RegisterAmReply *reply)
{
    if (link->phase != PHASE_REGISTERING)
        return news_of(AM_NEWS_NONE, "");
    clear_pending(link);
    reply = am_pieces_add(&link->pieces, reply);
    if (!reply) {
        link->register_at_ms = now_ms; /* the next piece */
        return news_of(AM_NEWS_NONE, "");
    }
    link->phase = PHASE_RUNNING;
    am_updates_note_registered(&link->updates, reply);
    link->response_id = reply->response_id;
    if (reply->allocate_interval_ms)
        link->interval_ms = reply->allocate_interval_ms;
    link->next_allocate_ms = now_ms;
    return (struct am_news){ .kind = AM_NEWS_REGISTERED, .registered = reply, .text = "" };
}

static struct am_news receive_allocated(struct am_link *link, int64_t now_ms,
                                        const Creel__AllocateReply *reply)
{
    if (link->phase != PHASE_RUNNING)
        return news_of(AM_NEWS_NONE, "");
    if (reply->action == CREEL__AM_ACTION__AM_RESYNC)
        return resync(link, now_ms);
    if (reply->action == CREEL__AM_ACTION__AM_SHUTDOWN)
        return over(link, link->finish_sent ? AM_NEWS_FINISHED : AM_NEWS_OVER,
                    "the resource manager ended this attempt");
    clear_pending(link);
    link->response_id = reply->response_id;
    link->cluster_nodes = reply->cluster_nodes;
    am_updates_note_allocated(&link->updates, reply);
    link->next_allocate_ms = now_ms + link->interval_ms;
    for (size_t i = 0; i < reply->n_allocated; i++) {
        struct am_demand *demand = find_demand(link, reply->allocated[i]->priority);

        if (demand && demand->outstanding > 0)
            demand->outstanding--;
        if (demand && demand->count > 0)
            demand->count--;
    }
    return (struct am_news){ .kind = AM_NEWS_ALLOCATED, .allocated = reply, .text = "" };
}

static struct am_news receive_finished(struct am_link *link, int64_t now_ms,
                                       const Creel__FinishAmReply *reply)
{
    if (link->phase != PHASE_FINISHING)
        return news_of(AM_NEWS_NONE, "");
    if (reply->done)
        return over(link, AM_NEWS_FINISHED, "");
    link->pending_next_ms = now_ms + FINISH_AGAIN_MS;
    return news_of(AM_NEWS_NONE, "");
}

static struct am_news receive_error(struct am_link *link, int64_t now_ms, const Creel__Error *error)
{
    switch (error->code) {
    case CREEL__ERROR_CODE__ERROR_UNAVAILABLE:
    case CREEL__ERROR_CODE__ERROR_STORE:
        link->pending_next_ms = now_ms + link->resend_ms;
        return news_of(AM_NEWS_NONE, "");
    case CREEL__ERROR_CODE__ERROR_RESYNC:
        return resync(link, now_ms);
    case CREEL__ERROR_CODE__ERROR_BAD_STATE:
        /* The RM does not know the registration, or expects another response id. */
        if (link->phase != PHASE_REGISTERING)
            return resync(link, now_ms);
        return over(link, link->finish_sent ? AM_NEWS_FINISHED : AM_NEWS_OVER, error->message);
    case CREEL__ERROR_CODE__ERROR_NOT_FOUND:
        return over(link, link->finish_sent ? AM_NEWS_FINISHED : AM_NEWS_OVER, error->message);
    case CREEL__ERROR_CODE__ERROR_BAD_REQUEST:
    case CREEL__ERROR_CODE__ERROR_NEVER_RUNS:
    case CREEL__ERROR_CODE__ERROR_TOO_LARGE:
        if (link->phase != PHASE_RUNNING || link->finish)
            return over(link, AM_NEWS_OVER, error->message);
        clear_pending(link);
        mark_all_unsent(link);
        return news_of(AM_NEWS_REFUSED, error->message);
    default:
        return over(link, AM_NEWS_OVER, error->message);
    }
}

struct am_news am_link_receive(struct am_link *link, int64_t now_ms, const Creel__Envelope *envelope)
{
    if (link->phase == PHASE_OVER || link->phase == PHASE_NEW)
        return news_of(AM_NEWS_NONE, "");
    if (envelope->body_case == CREEL__ENVELOPE__BODY_AM_WAKEUP) {
        link->woken = true;
        return news_of(AM_NEWS_NONE, "");
    }
    if (!link->pending_id || envelope->request_id != link->pending_id)
        return news_of(AM_NEWS_NONE, "");
    switch (envelope->body_case) {
    case CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY:
        return receive_registered(link, now_ms, envelope->register_am_reply);
    case CREEL__ENVELOPE__BODY_ALLOCATE_REPLY:
        return receive_allocated(link, now_ms, envelope->allocate_reply);
    case CREEL__ENVELOPE__BODY_FINISH_AM_REPLY:
        return receive_finished(link, now_ms, envelope->finish_am_reply);
    case CREEL__ENVELOPE__BODY_ERROR:
        return receive_error(link, now_ms, envelope->error);
    default:
        return news_of(AM_NEWS_NONE, "");
    }
}

/* --- messages to send ------------------------------------------------------- */

static void *allocate_in_arena(void *context, size_t size)
{
    return arena_alloc0(context, size);
}

static void free_in_arena(void *context, void *data)
{
    (void)context;
    (void)data;
}

static Creel__Envelope *send_pending(struct am_link *link, int64_t now_ms, struct arena *arena)
{
    ProtobufCAllocator allocator = { allocate_in_arena, free_in_arena, arena };
    Creel__Envelope *envelope = creel__envelope__unpack(&allocator, link->pending_size, link->pending_bytes);

    assert(envelope); /* send_new packed these bytes */
    link->pending_next_ms = now_ms + link->resend_ms;
    return envelope;
}

static Creel__Envelope *send_new(struct am_link *link, int64_t now_ms, struct arena *arena,
                                 Creel__Envelope *envelope)
{
    assert(!link->pending_id);
    envelope->request_id = link->pending_id = ++link->last_request_id;
    link->pending_size = creel__envelope__get_packed_size(envelope);
    link->pending_bytes = mem_alloc(link->pending_size + 1);
    creel__envelope__pack(envelope, link->pending_bytes);
    return send_pending(link, now_ms, arena);
}

static Creel__Envelope *send_register(struct am_link *link, int64_t now_ms, struct arena *arena)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__RegisterAm body = CREEL__REGISTER_AM__INIT;

    body.host = link->host;
    body.pieces = true;
    body.after = link->pieces.next;
    body.session = link->session;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_AM;
    envelope.register_am = &body;
    link->register_again = false;
    return send_new(link, now_ms, arena, &envelope);
}

static bool demands_changed(const struct am_link *link)
{
    for (size_t i = 0; i < link->demand_count; i++)
        if (link->demands[i].outstanding != (int64_t)link->demands[i].count)
            return true;
    return false;
}

static bool release_is_due(const struct am_link *link, int64_t now_ms)
{
    const struct release *first = TAILQ_FIRST(&link->release_queue);

    return first && first->next_ms <= now_ms;
}

static void add_asks(struct am_link *link, struct arena *arena, Creel__Allocate *body)
{
    body->asks = arena_array0(arena, link->demand_count + 1, sizeof(*body->asks));
    for (size_t i = 0; i < link->demand_count; i++) {
        struct am_demand *demand = &link->demands[i];
        Creel__Ask *ask;

        if (demand->outstanding == (int64_t)demand->count)
            continue;
        ask = arena_new0(arena, Creel__Ask);
        creel__ask__init(ask);
        ask->priority = demand->priority;
        ask->resource_name = arena_strdup(arena, "*");
        ask->capability = arena_dup(arena, demand->capability, sizeof(*demand->capability));
        ask->count = demand->count;
        body->asks[body->n_asks++] = ask;
        demand->outstanding = demand->count;
    }
}

static void add_releases(struct am_link *link, int64_t now_ms, struct arena *arena, Creel__Allocate *body)
{
    size_t room = HASH_COUNT(link->releases);

    if (room > RELEASES_MAX)
        room = RELEASES_MAX;
    body->releases = arena_array0(arena, room + 1, sizeof(*body->releases));
    while (body->n_releases < room && release_is_due(link, now_ms)) {
        struct release *release = TAILQ_FIRST(&link->release_queue);

        body->releases[body->n_releases++] = release->container_id;
        release->next_ms = now_ms + RELEASE_REPEAT_MS;
        TAILQ_REMOVE(&link->release_queue, release, link);
        TAILQ_INSERT_TAIL(&link->release_queue, release, link);
    }
}

static Creel__Envelope *send_allocate(struct am_link *link, int64_t now_ms, struct arena *arena)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Allocate body = CREEL__ALLOCATE__INIT;
    Creel__AmState state = CREEL__AM_STATE__INIT;

    if (link->state && link->state_changed) {
        state.data = link->state(link->state_context, arena);
        body.am_state = &state;
        link->state_changed = false;
    }
    body.response_id = link->response_id;
    body.session = link->session;
    body.progress = link->progress;
    body.tasks = &link->counts;
    add_asks(link, arena, &body);
    add_releases(link, now_ms, arena, &body);
    am_avoid_fill(&link->avoid, now_ms, arena, &body);
    am_updates_fill(&link->updates, arena, &body);
    envelope.body_case = CREEL__ENVELOPE__BODY_ALLOCATE;
    envelope.allocate = &body;
    link->woken = false;
    return send_new(link, now_ms, arena, &envelope);
}

static Creel__Envelope *send_finish(struct am_link *link, int64_t now_ms, struct arena *arena)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__FinishAm body = CREEL__FINISH_AM__INIT;
    Creel__AmState state = CREEL__AM_STATE__INIT;

    if (link->state) {
        state.data = link->state(link->state_context, arena);
        body.am_state = &state;
    }
    body.status = link->final_status;
    body.exit_status = link->exit_status;
    body.diagnostics = link->diagnostics;
    body.tasks = &link->counts;
    body.session = link->session;
    envelope.body_case = CREEL__ENVELOPE__BODY_FINISH_AM;
    envelope.finish_am = &body;
    link->phase = PHASE_FINISHING;
    link->finish_sent = true;
    return send_new(link, now_ms, arena, &envelope);
}

Creel__Envelope *am_link_poll(struct am_link *link, int64_t now_ms, struct arena *arena)
{
    if (link->phase == PHASE_NEW || link->phase == PHASE_OVER)
        return NULL;
    if (link->pending_id)
        return now_ms >= link->pending_next_ms ? send_pending(link, now_ms, arena) : NULL;
    if (link->phase == PHASE_RUNNING && link->register_again) {
        mark_all_unsent(link);
        link->phase = PHASE_REGISTERING;
        link->register_at_ms = now_ms;
    }
    if (link->phase == PHASE_REGISTERING)
        return now_ms >= link->register_at_ms ? send_register(link, now_ms, arena) : NULL;
    assert(link->phase == PHASE_RUNNING);
    if (demands_changed(link) || release_is_due(link, now_ms) || am_avoid_is_due(&link->avoid, now_ms) ||
        am_updates_is_due(&link->updates))
        return send_allocate(link, now_ms, arena);
    if (link->finish)
        return send_finish(link, now_ms, arena);
    if (link->woken || now_ms >= link->next_allocate_ms)
        return send_allocate(link, now_ms, arena);
    return NULL;
}

int64_t am_link_next_deadline_ms(const struct am_link *link)
{
    const struct release *first = TAILQ_FIRST(&link->release_queue);
    int64_t deadline;

    if (link->phase == PHASE_NEW || link->phase == PHASE_OVER)
        return INT64_MAX;
    if (link->pending_id)
        return link->pending_next_ms;
    if (link->phase == PHASE_REGISTERING)
        return link->register_at_ms;
    deadline = link->next_allocate_ms;
    if (am_avoid_next_deadline_ms(&link->avoid) < deadline)
        deadline = am_avoid_next_deadline_ms(&link->avoid);
    return first && first->next_ms < deadline ? first->next_ms : deadline;
}

bool am_link_is_over(const struct am_link *link)
{
    return link->phase == PHASE_OVER;
}

int64_t am_link_outstanding(const struct am_link *link, uint32_t priority)
{
    const struct am_demand *demand = find_demand(link, priority);

    return demand ? demand->outstanding : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* am_start.c - start requests of containers to agents, pure (no I/O, no clock) */
#include "client/am/am_start.h"

#include <assert.h>
#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/base/text.h"

#define BATCH_MAX 64                    /* containers per message */
#define BATCH_BYTES ((size_t)256 << 10) /* maximum bytes of a batch; a message can hold one more start */
#define LOOK_AHEAD 512                  /* number of queued starts searched for the same agent */
#define ANSWERED UINT64_MAX /* request id of a start that was answered with UNAVAILABLE; it is sent again */
#define UNAVAILABLE_MAX 10  /* number of UNAVAILABLE answers at which the start is refused */

struct start {
    struct am_start_place place;
    void *owner;
    uint64_t request_id; /* id of the last message with this start; 0: not sent yet */
    int64_t next_ms;
    int64_t silent_since_ms; /* time of the first message, or of the first one after UNAVAILABLE */
    uint32_t unavailable;
    TAILQ_ENTRY(start) link;
    UT_hash_handle hh;
};

TAILQ_HEAD(start_queue, start);

struct am_starts {
    int64_t resend_ms, silent_ms;
    am_start_launch_fn *launch;
    am_start_result_fn *result;
    void *context;
    uint64_t last_request_id;
    struct start *all;          /* uthash by container id */
    struct start_queue fresh;   /* not sent yet */
    struct start_queue waiting; /* sent; ordered by next_ms, since resend_ms is constant */
};

struct am_starts *am_starts_new(int64_t resend_ms, int64_t silent_ms, am_start_launch_fn *launch,
                                am_start_result_fn *result, void *context)
{
    struct am_starts *starts = mem_new0(struct am_starts);

    starts->resend_ms = resend_ms;
    starts->silent_ms = silent_ms;
    starts->launch = launch;
    starts->result = result;
    starts->context = context;
    TAILQ_INIT(&starts->fresh);
    TAILQ_INIT(&starts->waiting);
    return starts;
}

static struct start_queue *queue_of(struct am_starts *starts, const struct start *start)
{
    return start->request_id ? &starts->waiting : &starts->fresh;
}

static void remove_start(struct am_starts *starts, struct start *start)
{
    TAILQ_REMOVE(queue_of(starts, start), start, link);
    HASH_DEL(starts->all, start);
    free(start);
}

void am_starts_free(struct am_starts *starts)
{
    struct start *start, *next;

    if (!starts)
        return;
    HASH_ITER(hh, starts->all, start, next)
        remove_start(starts, start);
    free(starts);
}

static struct start *find(const struct am_starts *starts, const char *container_id)
{
    struct start *start;

    HASH_FIND_STR(starts->all, container_id, start);
    return start;
}

void am_starts_add(struct am_starts *starts, const struct am_start_place *place, void *owner)
{
    struct start *start = mem_new0(struct start);

    assert(!find(starts, place->container_id));
    start->place = *place;
    start->owner = owner;
    HASH_ADD_KEYPTR(hh, starts->all, start->place.container_id, strlen(start->place.container_id), start);
    TAILQ_INSERT_TAIL(&starts->fresh, start, link);
}

void am_starts_drop(struct am_starts *starts, const char *container_id)
{
    struct start *start = find(starts, container_id);

    if (start)
        remove_start(starts, start);
}

bool am_starts_has(const struct am_starts *starts, const char *container_id)
{
    return find(starts, container_id);
}

/* --- sending ---------------------------------------------------------------- */

static Creel__StartRequest *make_request(struct am_starts *starts, const struct start *start,
                                         struct arena *arena)
{
    Creel__StartRequest *request = arena_new0(arena, Creel__StartRequest);

    creel__start_request__init(request);
    request->token.len = start->place.token.len;
    request->token.data = arena_dup(arena, start->place.token.data, start->place.token.len);
    request->launch = starts->launch(starts->context, start->owner, arena);
    return request;
}

static bool is_due(const struct start *start, int64_t now_ms)
{
    return !start->request_id || start->next_ms <= now_ms;
}

/* Adds START to the message and moves START to the end of the waiting queue. */
static void send_start(struct am_starts *starts, struct start *start, int64_t now_ms, struct arena *arena,
                       Creel__StartContainers *body, size_t *bytes)
{
    Creel__StartRequest *request = make_request(starts, start, arena);

    body->containers[body->n_containers++] = request;
    *bytes += creel__start_request__get_packed_size(request);
    TAILQ_REMOVE(queue_of(starts, start), start, link);
    if (start->request_id == 0 || start->request_id == ANSWERED)
        start->silent_since_ms = now_ms;
    start->request_id = starts->last_request_id;
    start->next_ms = now_ms + starts->resend_ms;
    TAILQ_INSERT_TAIL(&starts->waiting, start, link);
}

/* Gives up due starts that the agent has not answered for silent_ms. */
static void give_up_silent(struct am_starts *starts, int64_t now_ms)
{
    struct start *start;

    while (starts->silent_ms > 0 && (start = TAILQ_FIRST(&starts->waiting)) != NULL &&
           start->next_ms <= now_ms && start->request_id != ANSWERED &&
           now_ms - start->silent_since_ms >= starts->silent_ms) {
        scoped_free char *text =
            mem_printf("its agent at %s has not answered for %lld s", start->place.address,
                       (long long)(now_ms - start->silent_since_ms) / 1000);
        Creel__Error error = CREEL__ERROR__INIT;
        void *owner = start->owner;

        error.code = CREEL__ERROR_CODE__ERROR_UNAVAILABLE;
        error.message = text;
        remove_start(starts, start);
        starts->result(starts->context, owner, &error, true);
    }
}

bool am_starts_next(struct am_starts *starts, int64_t now_ms, struct arena *arena,
                    struct am_start_batch *batch)
{
    struct start *start, *next;
    Creel__StartContainers *body;
    size_t bytes = 0, looked = 0;
    const char *address;

    give_up_silent(starts, now_ms);
    start = TAILQ_FIRST(&starts->fresh);
    if (!start)
        start = TAILQ_FIRST(&starts->waiting);
    if (!start || !is_due(start, now_ms))
        return false;
    address = start->place.address;
    *batch = (struct am_start_batch){ .address = address,
                                      .agent_key = start->place.agent_key,
                                      .envelope = arena_new0(arena, Creel__Envelope) };
    creel__envelope__init(batch->envelope);
    body = arena_new0(arena, Creel__StartContainers);
    creel__start_containers__init(body);
    body->containers = arena_array0(arena, BATCH_MAX, sizeof(*body->containers));
    batch->envelope->request_id = ++starts->last_request_id;
    batch->envelope->body_case = CREEL__ENVELOPE__BODY_START_CONTAINERS;
    batch->envelope->start_containers = body;
    for (; start && is_due(start, now_ms) && looked++ < LOOK_AHEAD; start = next) {
        next = TAILQ_NEXT(start, link);
        if (!text_equal(start->place.address, address))
            continue;
        send_start(starts, start, now_ms, arena, body, &bytes);
        if (body->n_containers == BATCH_MAX || bytes > BATCH_BYTES)
            break;
    }
    return true;
}

int64_t am_starts_next_deadline_ms(const struct am_starts *starts)
{
    const struct start *first = TAILQ_FIRST(&starts->waiting);

    if (!TAILQ_EMPTY(&starts->fresh))
        return INT64_MIN;
    return first ? first->next_ms : INT64_MAX;
}

/* --- answers ---------------------------------------------------------------- */

static void answer(struct am_starts *starts, struct start *start, const Creel__Error *error)
{
    void *owner = start->owner;

    if (error && error->code == CREEL__ERROR_CODE__ERROR_UNAVAILABLE &&
        ++start->unavailable < UNAVAILABLE_MAX) {
        start->request_id = ANSWERED; /* sent again at next_ms */
        return;
    }
    remove_start(starts, start);
    starts->result(starts->context, owner, error, false);
}

static void refuse_message(struct am_starts *starts, uint64_t request_id, const char *address,
                           const Creel__Error *error)
{
    struct start *start;

    do { /* searches from the front again, since answer() may make the owner drop any start */
        TAILQ_FOREACH(start, &starts->waiting, link)
            if (start->request_id == request_id && text_equal(start->place.address, address))
                break;
        if (start)
            answer(starts, start, error);
    } while (start);
}

void am_starts_receive(struct am_starts *starts, const char *address, const Creel__Envelope *envelope)
{
    if (envelope->body_case == CREEL__ENVELOPE__BODY_ERROR) {
        if (envelope->request_id)
            refuse_message(starts, envelope->request_id, address, envelope->error);
        return;
    }
    if (envelope->body_case != CREEL__ENVELOPE__BODY_START_CONTAINERS_REPLY)
        return;
    for (size_t i = 0; i < envelope->start_containers_reply->n_results; i++) {
        const Creel__StartResult *result = envelope->start_containers_reply->results[i];
        struct start *start = find(starts, result->container_id);

        if (start && start->request_id && text_equal(start->place.address, address))
            answer(starts, start, result->error);
    }
}

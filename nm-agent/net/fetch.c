/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.c - fetches submitted files from the RM into the agent's cache */
#include "nm-agent/net/fetch.h"

#include <bsd/sys/queue.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/shares.h"
#include "common/io/loop/log.h"
#include "common/io/wire/wire.h"

#define PATIENCE_MS 5000 /* time without a reply after which a request is repeated */
#define AWAY_MS 300      /* interval of attempts without a connection */
#define BUSY_MS 1000     /* delay when the RM is busy */
#define DAMAGED_MAX 3

struct fetch {
    struct fetcher *fetcher;
    uint8_t hash[32];
    char hex[65];
    uint64_t offset;
    uint64_t request_id; /* 0: no request sent yet */
    unsigned damaged;    /* number of complete fetches whose hash was wrong */
    int timer;
    char **users; /* owned: all who wait for the file */
    size_t user_count, user_capacity;
    const char *holder; /* one of USERS, who has a place for it; NULL: it waits for a place */
    TAILQ_ENTRY(fetch) next;
};

struct fetcher {
    struct loop *loop;
    struct runtime *runtime;
    uint64_t next_request;
    fetch_send_fn *send;
    fetch_done_fn *done;
    void *context;
    uint64_t received_bytes;
    struct shares *places;
    struct log_limit waiting;
    TAILQ_HEAD(, fetch) fetches; /* in the order of requests; of each user, the first ones are active */
};

struct fetcher *fetcher_new(struct loop *loop, struct runtime *runtime, uint64_t first_request,
                            fetch_send_fn *send, fetch_done_fn *done, void *context)
{
    struct fetcher *fetcher = mem_new0(struct fetcher);

    fetcher->loop = loop;
    fetcher->runtime = runtime;
    fetcher->next_request = first_request;
    fetcher->send = send;
    fetcher->done = done;
    fetcher->context = context;
    fetcher->places = shares_new(FETCH_PLACES, FETCH_PLACES_OF_USER);
    TAILQ_INIT(&fetcher->fetches);
    return fetcher;
}

static void free_fetch(struct fetch *fetch)
{
    loop_cancel_timer(fetch->fetcher->loop, fetch->timer);
    TAILQ_REMOVE(&fetch->fetcher->fetches, fetch, next);
    for (size_t i = 0; i < fetch->user_count; i++)
        free(fetch->users[i]);
    free(fetch->users);
    free(fetch);
}

void fetcher_free(struct fetcher *fetcher)
{
    struct fetch *fetch;

    if (fetcher == NULL)
        return;
    while ((fetch = TAILQ_FIRST(&fetcher->fetches)) != NULL)
        free_fetch(fetch);
    shares_free(fetcher->places);
    free(fetcher);
}

/* --- requests ----------------------------------------------------------------- */

static void ask_again(void *context);

static void ask_later(struct fetch *fetch, int64_t delay_ms)
{
    loop_cancel_timer(fetch->fetcher->loop, fetch->timer);
    fetch->timer = loop_add_timer(fetch->fetcher->loop, delay_ms, ask_again, fetch);
}

static void ask(struct fetch *fetch)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__GetBlob body = CREEL__GET_BLOB__INIT;
    struct fetcher *fetcher = fetch->fetcher;

    fetch->request_id = fetcher->next_request++;
    body.hash = (ProtobufCBinaryData){ .len = sizeof(fetch->hash), .data = fetch->hash };
    body.offset = fetch->offset;
    envelope.request_id = fetch->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_GET_BLOB;
    envelope.get_blob = &body;
    ask_later(fetch, fetcher->send(fetcher->context, &envelope) ? PATIENCE_MS : AWAY_MS);
}

static void ask_again(void *context)
{
    struct fetch *fetch = context;

    fetch->timer = 0;
    ask(fetch);
}

/* Returns the user of FETCH who has the fewest places. */
static const char *poorest_user(const struct fetch *fetch)
{
    const struct shares *places = fetch->fetcher->places;
    const char *found = fetch->users[0];

    for (size_t i = 1; i < fetch->user_count; i++)
        if (shares_of(places, fetch->users[i]) < shares_of(places, found))
            found = fetch->users[i];
    return found;
}

/* Returns the first one that waits, of those users who have the fewest places; NULL: there is no place. */
static struct fetch *next_fetch(const struct fetcher *fetcher)
{
    struct fetch *fetch, *found = NULL;
    unsigned least = FETCH_PLACES_OF_USER;

    if (shares_used(fetcher->places) >= FETCH_PLACES)
        return NULL;
    TAILQ_FOREACH(fetch, &fetcher->fetches, next) {
        unsigned places = fetch->holder == NULL ? shares_of(fetcher->places, poorest_user(fetch)) : least;

        if (places >= least)
            continue;
        found = fetch;
        least = places;
    }
    return found;
}

static void activate(struct fetcher *fetcher)
{
    struct fetch *fetch;

    while ((fetch = next_fetch(fetcher)) != NULL) {
        fetch->holder = poorest_user(fetch);
        shares_add(fetcher->places, fetch->holder);
        ask(fetch);
    }
}

static void note_waiting(struct fetcher *fetcher, const char *user)
{
    enum shares_room room = shares_room(fetcher->places, user);
    char more[LOG_MORE_MAX];

    shares_count_refused(fetcher->places, room);
    if (!log_limit_pass(&fetcher->waiting, more))
        return;
    if (room == SHARES_OWNER_FULL)
        log_line(LOG_LEVEL_INFO,
                 "a file of user %s waits: %d files of this user are being fetched, its share%s", user,
                 FETCH_PLACES_OF_USER, more);
    else
        log_line(LOG_LEVEL_INFO, "a file of user %s waits: %d files are being fetched, the most at once%s",
                 user, FETCH_PLACES, more);
}

static struct fetch *find_fetch(const struct fetcher *fetcher, const uint8_t hash[32])
{
    struct fetch *fetch;

    TAILQ_FOREACH(fetch, &fetcher->fetches, next) {
        if (memcmp(fetch->hash, hash, sizeof(fetch->hash)) == 0)
            return fetch;
    }
    return NULL;
}

/* Returns a new fetch of HASH without users; NULL: the file is in the cache. */
static struct fetch *new_fetch(struct fetcher *fetcher, const uint8_t hash[32])
{
    struct fetch *fetch = mem_new0(struct fetch);

    memcpy(fetch->hash, hash, sizeof(fetch->hash));
    for (size_t i = 0; i < sizeof(fetch->hash); i++)
        snprintf(fetch->hex + 2 * i, 3, "%02x", hash[i]);
    if (runtime_cache_has(fetcher->runtime, fetch->hex)) {
        free(fetch);
        return NULL;
    }
    fetch->fetcher = fetcher;
    TAILQ_INSERT_TAIL(&fetcher->fetches, fetch, next);
    return fetch;
}

void fetcher_request(struct fetcher *fetcher, const uint8_t hash[32], const char *user)
{
    struct fetch *fetch = find_fetch(fetcher, hash);

    if (fetch == NULL && (fetch = new_fetch(fetcher, hash)) == NULL) {
        fetcher->done(fetcher->context, hash, 0, NULL);
        return;
    }
    mem_grow(fetch->users, fetch->user_count, fetch->user_capacity);
    fetch->users[fetch->user_count++] = mem_strdup(user);
    activate(fetcher);
    if (fetch->holder == NULL)
        note_waiting(fetcher, user);
}

/* --- replies ------------------------------------------------------------------- */

static void finish(struct fetch *fetch, int code, const char *why)
{
    struct fetcher *fetcher = fetch->fetcher;
    uint8_t hash[32];

    memcpy(hash, fetch->hash, sizeof(hash));
    shares_remove(fetcher->places, fetch->holder);
    free_fetch(fetch);
    activate(fetcher);
    fetcher->done(fetcher->context, hash, code, why);
}

static void handle_chunk(struct fetch *fetch, const Creel__BlobChunk *chunk)
{
    struct fetcher *fetcher = fetch->fetcher;
    struct err err = { 0 };
    int r;

    if (chunk->offset != fetch->offset || chunk->data.len > chunk->size_bytes ||
        chunk->offset > chunk->size_bytes - chunk->data.len ||
        (chunk->data.len == 0 && chunk->size_bytes != chunk->offset)) {
        ask_later(fetch, BUSY_MS); /* an invalid reply; the next one may be valid */
        return;
    }
    fetcher->received_bytes += chunk->data.len;
    r = runtime_cache_write(fetcher->runtime, fetch->hex, chunk->size_bytes, chunk->offset, chunk->data.data,
                            chunk->data.len, &err);
    if (r == -EBADMSG && ++fetch->damaged < DAMAGED_MAX) {
        fetch->offset = 0;
        ask(fetch);
        return;
    }
    fetch->offset += chunk->data.len;
    if (r < 0)
        finish(fetch, r, err.text);
    else if (fetch->offset == chunk->size_bytes)
        finish(fetch, 0, NULL);
    else
        ask(fetch);
}

static void handle_error(struct fetch *fetch, const Creel__Error *error)
{
    int code = wire_error_to_errno(error->code);

    switch (error->code) {
    case CREEL__ERROR_CODE__ERROR_NOT_FOUND:
    case CREEL__ERROR_CODE__ERROR_NOT_PERMITTED:
    case CREEL__ERROR_CODE__ERROR_BAD_REQUEST:
    case CREEL__ERROR_CODE__ERROR_UNSUPPORTED:
    case CREEL__ERROR_CODE__ERROR_TOO_LARGE:
        finish(fetch, code, error->message);
        return;
    default:
        ask_later(fetch, BUSY_MS);
    }
}

void fetcher_receive(struct fetcher *fetcher, const Creel__Envelope *reply)
{
    struct fetch *fetch;

    TAILQ_FOREACH(fetch, &fetcher->fetches, next) {
        if (fetch->request_id == reply->request_id)
            break;
    }
    if (fetch == NULL)
        return; /* the reply to an earlier, repeated request */
    if (reply->body_case == CREEL__ENVELOPE__BODY_BLOB_CHUNK)
        handle_chunk(fetch, reply->blob_chunk);
    else if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        handle_error(fetch, reply->error);
}

const struct shares *fetcher_places(const struct fetcher *fetcher)
{
    return fetcher->places;
}

uint64_t fetcher_received_bytes(const struct fetcher *fetcher)
{
    return fetcher->received_bytes;
}

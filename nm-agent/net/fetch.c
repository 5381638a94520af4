/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.c - fetches submitted files from the RM into the agent's cache */
#include "nm-agent/net/fetch.h"

#include <bsd/sys/queue.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/shares.h"
#include "common/io/log.h"
#include "common/io/wire.h"

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
    char *user; /* owned; has a place if a request was sent */
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
    free(fetch->user);
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

/* Returns the first one that waits, of those users who have the fewest places; NULL: there is no place. */
static struct fetch *next_fetch(const struct fetcher *fetcher)
{
    struct fetch *fetch, *found = NULL;
    unsigned least = FETCH_PLACES_OF_USER;

    if (shares_used(fetcher->places) >= FETCH_PLACES)
        return NULL;
    TAILQ_FOREACH(fetch, &fetcher->fetches, next) {
        if (fetch->request_id != 0 || shares_of(fetcher->places, fetch->user) >= least)
            continue;
        found = fetch;
        least = shares_of(fetcher->places, fetch->user);
    }
    return found;
}

static void activate(struct fetcher *fetcher)
{
    struct fetch *fetch;

    while ((fetch = next_fetch(fetcher)) != NULL) {
        shares_add(fetcher->places, fetch->user);
        ask(fetch);
    }
}

static void note_waiting(struct fetcher *fetcher, const struct fetch *fetch)
{
    enum shares_room room = shares_room(fetcher->places, fetch->user);
    char more[LOG_MORE_MAX];

    shares_count_refused(fetcher->places, room);
    if (!log_limit_pass(&fetcher->waiting, more))
        return;
    if (room == SHARES_OWNER_FULL)
        log_line(LOG_LEVEL_INFO,
                 "a file of user %s waits: %d files of this user are being fetched, its share%s", fetch->user,
                 FETCH_PLACES_OF_USER, more);
    else
        log_line(LOG_LEVEL_INFO, "a file of user %s waits: %d files are being fetched, the most at once%s",
                 fetch->user, FETCH_PLACES, more);
}

void fetcher_request(struct fetcher *fetcher, const uint8_t hash[32], const char *user)
{
    struct fetch *fetch = mem_new0(struct fetch);

    memcpy(fetch->hash, hash, sizeof(fetch->hash));
    for (size_t i = 0; i < sizeof(fetch->hash); i++)
        snprintf(fetch->hex + 2 * i, 3, "%02x", hash[i]);
    if (runtime_cache_has(fetcher->runtime, fetch->hex)) {
        free(fetch);
        fetcher->done(fetcher->context, hash, 0, NULL);
        return;
    }
    fetch->fetcher = fetcher;
    fetch->user = mem_strdup(user);
    TAILQ_INSERT_TAIL(&fetcher->fetches, fetch, next);
    activate(fetcher);
    if (fetch->request_id == 0)
        note_waiting(fetcher, fetch);
}

/* --- replies ------------------------------------------------------------------- */

static void finish(struct fetch *fetch, int code, const char *why)
{
    struct fetcher *fetcher = fetch->fetcher;
    uint8_t hash[32];

    memcpy(hash, fetch->hash, sizeof(hash));
    shares_remove(fetcher->places, fetch->user);
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

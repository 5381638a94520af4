/* SPDX-License-Identifier: Apache-2.0 */
/* queries.c - answers a few queries in each turn of the loop */
#include "rm/net/requests/queries.h"

#include <stdlib.h>

#include "common/base/mem.h"

struct queries {
    struct loop *loop;
    struct request_queue *queue;
    queries_fn *fn;
    void *context;
    int timer;            /* 0: no query is queued */
    int64_t end_ms;       /* end of the time of the present query; INT64_MAX: none */
    int64_t brief_end_us; /* the same, if it requests a brief page */
};

bool queries_time_is_up(const struct queries *queries)
{
    return queries->end_ms != INT64_MAX && loop_monotonic_ms() >= queries->end_ms;
}

bool queries_brief_time_is_up(const struct queries *queries)
{
    return queries->brief_end_us != INT64_MAX && loop_monotonic_us() >= queries->brief_end_us;
}

/* Answers queued queries. Timers run after the sockets of the same turn, and a timer that is set here runs in
 * the next turn. */
static void answer(void *context)
{
    struct queries *queries = context;
    int64_t turn_end_ms = loop_monotonic_ms() + QUERIES_TURN_MS;
    struct queued_request *query;

    queries->timer = 0;
    while ((query = request_queue_pop(queries->queue)) != NULL) {
        queries->end_ms = loop_monotonic_ms() + QUERIES_PAGE_MS;
        queries->brief_end_us = loop_monotonic_us() + QUERIES_BRIEF_US;
        queries->fn(queries->context, query);
        queries->end_ms = queries->brief_end_us = INT64_MAX;
        queued_request_free(query);
        if (loop_monotonic_ms() >= turn_end_ms)
            break;
    }
    if (request_queue_count(queries->queue) > 0)
        queries->timer = loop_add_timer(queries->loop, 0, answer, queries);
}

struct queries *queries_new(struct loop *loop, queries_fn *fn, void *context)
{
    static const struct request_limits limits = { "queries-kib", "queries", QUERIES_OF_USER_MAX,
                                                  QUERIES_OF_USER_BYTES_MAX, QUERIES_BYTES_MAX };
    struct queries *queries = mem_new0(struct queries);

    queries->loop = loop;
    queries->queue = request_queue_new(&limits);
    queries->fn = fn;
    queries->context = context;
    queries->end_ms = queries->brief_end_us = INT64_MAX;
    return queries;
}

void queries_free(struct queries *queries)
{
    if (queries == NULL)
        return;
    loop_cancel_timer(queries->loop, queries->timer);
    request_queue_free(queries->queue);
    free(queries);
}

size_t queries_count(const struct queries *queries)
{
    return request_queue_count(queries->queue);
}

const struct request_queue *queries_queue(const struct queries *queries)
{
    return queries->queue;
}

int queries_add(struct queries *queries, const struct master_peer *peer, const Creel__Envelope *request,
                struct err *err)
{
    int r = request_queue_add(queries->queue, peer->principal, peer, NULL, request, err);

    if (r == 0 && queries->timer == 0)
        queries->timer = loop_add_timer(queries->loop, 0, answer, queries);
    return r;
}

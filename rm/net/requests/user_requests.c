/* SPDX-License-Identifier: Apache-2.0 */
/* user_requests.c - handles the requests of users that change something, in turns */
#include "rm/net/requests/user_requests.h"

#include <stdlib.h>

#include "common/base/mem.h"

struct user_requests {
    struct loop *loop;
    struct request_queue *queue;
    user_requests_fn *fn;
    void *context;
    int timer; /* 0: no request is queued */
};

/* Timers run after the sockets of the same turn, and a timer that is set here runs in the next turn. */
static void handle(void *context)
{
    struct user_requests *requests = context;
    int64_t turn_end_ms = loop_monotonic_ms() + USER_REQUESTS_TURN_MS;
    uint64_t work = 0;
    struct queued_request *request;

    requests->timer = 0;
    while ((request = request_queue_pop(requests->queue)) != NULL) {
        work += requests->fn(requests->context, request);
        queued_request_free(request);
        if (work >= USER_REQUESTS_TURN_WORK || loop_monotonic_ms() >= turn_end_ms)
            break;
    }
    if (request_queue_count(requests->queue) > 0)
        requests->timer = loop_add_timer(requests->loop, 0, handle, requests);
}

struct user_requests *user_requests_new(struct loop *loop, const char *pool, user_requests_fn *fn,
                                        void *context)
{
    const struct request_limits limits = { pool, "requests", USER_REQUESTS_OF_USER_MAX,
                                           USER_REQUESTS_OF_USER_BYTES_MAX, USER_REQUESTS_BYTES_MAX };
    struct user_requests *requests = mem_new0(struct user_requests);

    requests->loop = loop;
    requests->queue = request_queue_new(&limits);
    requests->fn = fn;
    requests->context = context;
    return requests;
}

void user_requests_free(struct user_requests *requests)
{
    if (requests == NULL)
        return;
    loop_cancel_timer(requests->loop, requests->timer);
    request_queue_free(requests->queue);
    free(requests);
}

int user_requests_add(struct user_requests *requests, const char *user, const struct master_peer *peer,
                      const char *address, const Creel__Envelope *request, struct err *err)
{
    int r = request_queue_add(requests->queue, user, peer, address, request, err);

    if (r == 0 && requests->timer == 0)
        requests->timer = loop_add_timer(requests->loop, 0, handle, requests);
    return r;
}

bool user_requests_has(const struct user_requests *requests, const char *user, const struct master_peer *peer)
{
    return request_queue_has(requests->queue, user, peer);
}

size_t user_requests_count(const struct user_requests *requests)
{
    return request_queue_count(requests->queue);
}

const struct request_queue *user_requests_queue(const struct user_requests *requests)
{
    return requests->queue;
}

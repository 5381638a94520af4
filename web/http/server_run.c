/* SPDX-License-Identifier: Apache-2.0 */
/* server_run.c - a turn of the loop: the requests whose turn it is, and libmicrohttpd */
#include <poll.h>

#include "web/http/server_state.h"

#define RUNS_MAX 64 /* of libmicrohttpd in a turn; each accepts 11 connections at most */

/* Serves the request of CLASS whose turn it is, unless its route has become more expensive since it came: the
 * first requests for a route show that. Returns false if none waits. */
static bool serve_one(struct http_server *server, unsigned class)
{
    struct transfer *transfer = turns_take(server->callers[class]);

    if (transfer == NULL)
        return false;
    turns_classify(transfer);
    if (transfer->class > class)
        turns_wait_again(transfer);
    else
        transfer_serve(transfer);
    return true;
}

/* Serves one request of a class that waits, of another one in each turn. */
static void serve_next_class(struct http_server *server)
{
    for (unsigned i = 0; i < TRAFFIC_CLASSES; i++) {
        unsigned class = server->next_class;

        server->next_class = (class + 1) % TRAFFIC_CLASSES;
        if (serve_one(server, class))
            return;
    }
}

/* Serves requests that wait, at least one, until the time of this turn is over. */
static void serve_waiting(struct http_server *server)
{
    unsigned class = 0;

    server->turn_end_ms = loop_monotonic_ms() + server->limits.turn_ms;
    serve_next_class(server);
    while (class < TRAFFIC_CLASSES && turns_has_time(server))
        class += !serve_one(server, class);
}

static bool has_connections(const struct http_server *server)
{
    struct pollfd waiting = { .fd = server->listen_fd, .events = POLLIN };

    return poll(&waiting, 1, 0) > 0;
}

/* Accepts what has connected, and works on all connections that are ready. If connections came faster than
 * they are accepted, the kernel would drop those of everybody, and these clients would try again after
 * seconds. */
static void run_daemon(const struct http_server *server)
{
    int runs = 0;

    do
        MHD_run(server->daemon);
    while (++runs < RUNS_MAX && has_connections(server));
}

void server_run(void *context)
{
    struct http_server *server = context;
    MHD_UNSIGNED_LONG_LONG timeout_ms;

    loop_cancel_timer(server->loop, server->run_timer);
    server->run_timer = 0;
    serve_waiting(server);
    parts_begin_turn(server);
    run_daemon(server);
    /* (libmicrohttpd uses edge-triggered epoll: only a timeout of 0 shows that there is unread input) */
    if (!address_queue_is_empty(server->readers) || turns_has_callers(server, TRAFFIC_CLASSES - 1))
        server_run_soon(server);
    else if (MHD_get_timeout(server->daemon, &timeout_ms) == MHD_YES)
        server->run_timer = loop_add_timer(server->loop, timeout_ms > 60000 ? 60000 : (int64_t)timeout_ms,
                                           server_run, server);
}

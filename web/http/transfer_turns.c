/* SPDX-License-Identifier: Apache-2.0 */
/* transfer_turns.c - how transfers wait for their turn, and continue */
#include "web/http/server_state.h"

void server_run_soon(struct http_server *server)
{
    loop_cancel_timer(server->loop, server->run_timer);
    server->run_timer = loop_add_timer(server->loop, 0, server->run, server);
}

void turns_suspend(struct transfer *transfer)
{
    struct peer *peer = transfer->peer;

    peer->deadline_ms = INT64_MAX;
    peer->suspended = true;
    MHD_suspend_connection(peer->connection);
}

void turns_wait(struct transfer *transfer, struct address_queue *queue)
{
    address_queue_add(queue, &transfer->turn, transfer->peer->share);
    turns_suspend(transfer);
}

void turns_wait_again(struct transfer *transfer)
{
    address_queue_add(transfer->server->callers[transfer->class], &transfer->turn, transfer->peer->share);
}

void turns_wait_to_continue(struct transfer *transfer)
{
    if (!transfer->peer->suspended)
        return; /* (it was given up) */
    turns_wait_again(transfer);
    server_run_soon(transfer->server);
}

void turns_classify(struct transfer *transfer)
{
    transfer->class = traffic_class(transfer->server->site->traffic, transfer->method, transfer->target);
}

void turns_leave(struct transfer *transfer)
{
    if (transfer->server->reader == transfer)
        transfer->server->reader = NULL;
    address_queue_remove(&transfer->turn);
}

void turns_resume(struct transfer *transfer)
{
    turns_leave(transfer);
    transfer->peer->suspended = false;
    MHD_resume_connection(transfer->peer->connection);
}

void transfer_wake(struct transfer *transfer)
{
    if (!transfer->peer->suspended)
        return;
    turns_resume(transfer);
    server_run_soon(transfer->server);
}

bool turns_has_time(const struct http_server *server)
{
    return loop_monotonic_ms() < server->turn_end_ms;
}

bool turns_has_callers(const struct http_server *server, unsigned last)
{
    for (unsigned class = 0; class <= last; class ++)
        if (!address_queue_is_empty(server->callers[class]))
            return true;
    return false;
}

bool turns_may_serve(struct transfer *transfer)
{
    struct http_server *server = transfer->server;

    turns_classify(transfer);
    if (turns_has_time(server) && !turns_has_callers(server, transfer->class))
        return true;
    connections_serve(server, transfer->peer); /* its request is complete */
    turns_wait(transfer, server->callers[transfer->class]);
    return false;
}

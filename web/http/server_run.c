/* SPDX-License-Identifier: Apache-2.0 */
/* server_run.c - runs libmicrohttpd in the loop */
#include "web/http/server_state.h"

static void run(void *context)
{
    server_run(context);
}

void server_run(struct http_server *server)
{
    MHD_UNSIGNED_LONG_LONG timeout_ms;

    loop_cancel_timer(server->loop, server->run_timer);
    server->run_timer = 0;
    parts_begin_turn(server);
    MHD_run(server->daemon);
    /* (libmicrohttpd uses edge-triggered epoll: only a timeout of 0 shows that there is unread input) */
    if (server->readers != NULL)
        server_run_soon(server);
    else if (MHD_get_timeout(server->daemon, &timeout_ms) == MHD_YES)
        server->run_timer =
            loop_add_timer(server->loop, timeout_ms > 60000 ? 60000 : (int64_t)timeout_ms, run, server);
}

void server_run_soon(struct http_server *server)
{
    loop_cancel_timer(server->loop, server->run_timer);
    server->run_timer = loop_add_timer(server->loop, 0, run, server);
}

void transfer_wake(struct transfer *transfer)
{
    if (!transfer->peer->suspended)
        return;
    parts_leave(transfer);
    transfer->peer->suspended = false;
    MHD_resume_connection(transfer->peer->connection);
    server_run_soon(transfer->server);
}

int peer_fd(const struct peer *peer)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(peer->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    return info != NULL ? info->connect_fd : -1;
}

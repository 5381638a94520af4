/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - starts and ends a server; its connections */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#include "common/base/mem.h"
#include "common/io/server/listener.h"
#include "web/http/server_state.h"

/* Bytes. What does not fit is refused by libmicrohttpd. There is room for the request line, the headers, a
 * copy of those that are cookies, the records of the headers and the head of the answer; parameters need no
 * room (transfer.c). libmicrohttpd clears all of it between the requests of a connection, so a connection
 * that is kept needs as much memory as one that is served: 1024 of them 88 MiB. */
#define RECORDS_MEMORY (16 * 1024)
#define CONNECTION_MEMORY (REQUEST_TARGET_MAX + 2 * REQUEST_HEADER_BYTES_MAX + RECORDS_MEMORY)
#define SPARE_CONNECTIONS \
    64 /* connections above the limit: libmicrohttpd closes a connection in a later turn */
#define SWEEP_MS 1000
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* --- connections ------------------------------------------------------------ */

static void end_closed_stream(const struct peer *peer)
{
    if (peer->suspended && peer->transfer != NULL && peer->transfer->stream != NULL && peer_is_closed(peer))
        stream_end(peer->transfer->stream);
}

static void sweep(void *context)
{
    struct http_server *server = context;
    int64_t now_ms = loop_monotonic_ms();
    struct peer *peer;

    heap_trim_check(&server->heap_trim, now_ms);
    server->sweep_timer = server->peers != NULL || heap_trim_is_due(&server->heap_trim)
                              ? loop_add_timer(server->loop, SWEEP_MS, sweep, server)
                              : 0;
    DL_FOREACH(server->peers, peer)
    {
        if (peer->deadline_ms <= now_ms)
            peer_cut(peer);
        if (peer->transfer != NULL)
            memory_watch(peer->transfer);
        end_closed_stream(peer);
    }
}

static void peer_changed(void *context, struct MHD_Connection *connection, void **socket_context,
                         enum MHD_ConnectionNotificationCode code)
{
    struct http_server *server = context;
    struct peer *peer = *socket_context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        peer = mem_new0(struct peer);
        peer->connection = connection;
        peer->deadline_ms = loop_monotonic_ms() + server->limits.request_ms;
        DL_APPEND(server->peers, peer);
        *socket_context = peer;
        connections_add(server, peer,
                        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
        if (server->sweep_timer == 0)
            server->sweep_timer = loop_add_timer(server->loop, SWEEP_MS, sweep, server);
        return;
    }
    connections_remove(server, peer);
    DL_DELETE(server->peers, peer);
    *socket_context = NULL;
    free(peer);
}

/* --- start and end ---------------------------------------------------------- */

/* Copies the first message of libmicrohttpd during the start. Later messages concern single connections; one
 * of them is about a request that libmicrohttpd refuses, with the status. */
__attribute__((format(printf, 2, 0))) static void note(void *context, const char *format, va_list arguments)
{
    struct http_server *server = context;

    if (!server->starting && strstr(format, "HTTP response code is %u") != NULL)
        damaged_answer(server, va_arg(arguments, unsigned));
    if (!server->starting || *server->reason != '\0')
        return;
    vsnprintf(server->reason, sizeof(server->reason), format, arguments);
    server->reason[strcspn(server->reason, "\r\n")] = '\0';
}

static struct MHD_Daemon *start(struct http_server *server, int listen_fd, const struct http_tls *tls)
{
    struct MHD_OptionItem secure[] = {
        { MHD_OPTION_HTTPS_MEM_CERT, 0, tls != NULL ? tls->certificate : NULL },
        { MHD_OPTION_HTTPS_MEM_KEY, 0, tls != NULL ? tls->key : NULL },
        { MHD_OPTION_HTTPS_PRIORITIES, 0, (char *)(uintptr_t)TLS_PRIORITIES },
        { tls != NULL && tls->client_authorities != NULL ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0,
          tls != NULL ? tls->client_authorities : NULL },
        { MHD_OPTION_END, 0, NULL },
    };

    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
            (tls != NULL ? (unsigned)MHD_USE_TLS : 0),
        0, NULL, NULL, transfer_handle, server, MHD_OPTION_EXTERNAL_LOGGER, note, server,
        MHD_OPTION_LISTEN_SOCKET, listen_fd, MHD_OPTION_CONNECTION_LIMIT,
        server->limits.connections_max + SPARE_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_MEMORY, MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_URI_LOG_CALLBACK, transfer_new,
        server, MHD_OPTION_NOTIFY_CONNECTION, peer_changed, server, MHD_OPTION_NOTIFY_COMPLETED,
        transfer_completed, server, MHD_OPTION_ARRAY, tls != NULL ? secure : &secure[4], MHD_OPTION_END);
}

static void run_on_event(void *context, int fd)
{
    (void)fd;
    server_run(context);
}

static void free_parts(struct http_server *server)
{
    streams_free(server->streams);
    shares_free(server->places);
    shares_free(server->memory);
    address_queue_free(server->readers);
    for (unsigned class = 0; class < TRAFFIC_CLASSES; class ++)
        address_queue_free(server->callers[class]);
    free(server);
}

/* Takes ownership of LISTEN_FD. */
static int open_on(struct http_server **ret, struct loop *loop, int listen_fd, const struct site *site,
                   const struct http_limits *limits, const struct http_tls *tls, struct err *err)
{
    struct http_server *server = mem_new0(struct http_server);
    int rc;

    *server = (struct http_server){
        .loop = loop, .run = server_run, .listen_fd = listen_fd, .site = site, .limits = *limits
    };
    server->streams = streams_new(loop, site, &limits->streams);
    server->places = shares_new(limits->connections_max, limits->address_connections_max);
    server->memory = memory_pool_new(limits->memory_max);
    server->readers = address_queue_new();
    for (unsigned class = 0; class < TRAFFIC_CLASSES; class ++)
        server->callers[class] = address_queue_new();
    server->secure = tls != NULL;
    server->asks_for_certificates = tls != NULL && tls->client_authorities != NULL;
    server->starting = true;
    server->daemon = start(server, listen_fd, tls);
    server->starting = false;
    if (server->daemon == NULL) {
        rc = err_set(err, tls != NULL ? EINVAL : EIO, "cannot start the HTTP server (libmicrohttpd %s): %s",
                     MHD_get_version(), server->reason);
        close(listen_fd);
        free_parts(server);
        return rc;
    }
    server->epoll_fd = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    rc = loop_add_fd(loop, server->epoll_fd, false, run_on_event, server, err);
    if (rc < 0) {
        MHD_stop_daemon(server->daemon);
        free_parts(server);
        return rc;
    }
    traffic_set_pools(site->traffic, server->places, server->memory);
    *ret = server;
    return 0;
}

int http_server_new_tls(struct http_server **ret, struct loop *loop, const char *address,
                        const struct site *site, const struct http_limits *limits, const struct http_tls *tls,
                        struct err *err)
{
    int port = 0, listen_fd, rc;

    if (tls != NULL && MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
        return err_set(err, ENOTSUP, "the libmicrohttpd of this host has no TLS");
    listen_fd = listener_open(address, &port, err);
    if (listen_fd < 0)
        return listen_fd;
    rc = open_on(ret, loop, listen_fd, site, limits, tls, err);
    if (rc < 0)
        err_prefix(err, "%s", address);
    else
        (*ret)->port = port;
    return rc;
}

int http_server_new_on(struct http_server **ret, struct loop *loop, int listen_fd, const struct site *site,
                       const struct http_limits *limits, const struct http_tls *tls, struct err *err)
{
    return open_on(ret, loop, listen_fd, site, limits, tls, err);
}

int http_server_new(struct http_server **ret, struct loop *loop, const char *address, const struct site *site,
                    const struct http_limits *limits, struct err *err)
{
    return http_server_new_tls(ret, loop, address, site, limits, NULL, err);
}

int http_server_port(const struct http_server *server)
{
    return server->port;
}

void http_server_free(struct http_server *server)
{
    struct peer *peer;

    if (server == NULL)
        return;
    server->ending = true;
    loop_remove_fd(server->loop, server->epoll_fd);
    /* (libmicrohttpd must not be stopped while a connection is suspended) */
    DL_FOREACH(server->peers, peer)
    {
        if (peer->suspended) {
            peer->suspended = false;
            MHD_resume_connection(peer->connection);
        }
    }
    MHD_run(server->daemon);
    MHD_stop_daemon(server->daemon);
    traffic_set_pools(server->site->traffic, NULL, NULL);
    loop_cancel_timer(server->loop, server->run_timer);
    loop_cancel_timer(server->loop, server->sweep_timer);
    free_parts(server);
}

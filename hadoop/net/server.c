/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - the port of Hadoop's RPC: connections of clients, and their limits */
#include "hadoop/net/server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

#include "common/base/mem.h"
#include "common/io/server/listener.h"
#include "hadoop/net/server_state.h"

#define SWEEP_MS 1000
#define MEMORY_SHARE 4 /* an address gets a quarter */
#define USER_SHARE 4   /* a user gets a quarter of what an address has: users of this host share one */
#define ACCEPTS_MAX 64 /* in one turn of the loop */
#define READS_MAX 8    /* of one connection in one turn */

/* --- connections ------------------------------------------------------------------ */

static void close_connection(struct connection *connection)
{
    struct hadoop_server *server = connection->server;

    loop_remove_fd(server->loop, connection->fd);
    close(connection->fd);
    exchange_abandon_all(connection);
    (void)server_hold(server, connection->address, &connection->held, 0);
    shares_remove(server->places, connection->address);
    if (connection->user[0] != '\0')
        shares_remove(server->users, connection->user);
    DL_DELETE(server->connections, connection);
    hadoop_session_free(connection->session);
    free(connection);
}

static void note_closed(struct hadoop_server *server, const struct connection *connection, const char *reason)
{
    char more[LOG_MORE_MAX];

    if (log_limit_pass(&server->closed, more))
        log_line(LOG_LEVEL_WARN, "Hadoop connection from %s: closed, %s%s", connection->address, reason,
                 more);
}

/* Sets the time at which CONNECTION is closed if nothing happens. */
static void set_deadline(struct connection *connection)
{
    const struct hadoop_limits *limits = &connection->server->limits;
    int64_t now_ms = loop_monotonic_ms();

    if (connection->ends_when_sent && hadoop_session_output(connection->session)->size == 0)
        return; /* what the client still sends does not extend it */
    if (hadoop_session_output(connection->session)->size > 0)
        connection->deadline_ms = now_ms + limits->stalled_ms;
    else if (connection->calls > 0)
        connection->deadline_ms = INT64_MAX;
    else if (connection->user[0] != '\0')
        connection->deadline_ms = now_ms + limits->idle_ms;
}

/* Sends what is in the output of CONNECTION, which may be closed and freed. */
static void flush(struct connection *connection)
{
    struct hadoop_bytes *out = hadoop_session_output(connection->session);
    ssize_t sent = 0;

    if (out->size > 0)
        sent = send(connection->fd, out->data, out->size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        close_connection(connection);
        return;
    }
    if (sent > 0) {
        memmove(out->data, out->data + sent, out->size - (size_t)sent);
        out->size -= (size_t)sent;
    }
    if (out->size == 0)
        hadoop_bytes_done(out);
    if (!server_hold(connection->server, connection->address, &connection->held, out->capacity)) {
        note_closed(connection->server, connection,
                    "it does not read its answers, which take too much memory");
        close_connection(connection);
        return;
    }
    if (out->size == 0 && connection->ends_when_sent)
        shutdown(connection->fd, SHUT_WR);
    if (out->size == 0 || sent > 0 || connection->deadline_ms == INT64_MAX)
        set_deadline(connection);
    loop_set_writable(connection->server->loop, connection->fd, out->size > 0);
}

/* --- events ----------------------------------------------------------------------- */

static void on_opened(struct connection *connection)
{
    const struct hadoop_service *service = &connection->server->service;
    char reason[HADOOP_REASON_MAX] = "";

    if (service->admit(service->context, &connection->ends, reason))
        return;
    hadoop_session_refuse(connection->session, reason);
    note_closed(connection->server, connection, "its host is not admitted (creel.hadoop.auth)");
}

/* Finds the user of CONNECTION. Returns false, with the REASON, if it has none, or too many connections. */
static bool take_user(struct connection *connection, char reason[HADOOP_REASON_MAX])
{
    const struct hadoop_service *service = &connection->server->service;
    struct shares *users = connection->server->users;

    if (!service->identify(service->context, &connection->ends, hadoop_session_claim(connection->session),
                           connection->user, reason))
        return false;
    if (shares_room(users, connection->user) != SHARES_FREE) {
        snprintf(reason, HADOOP_REASON_MAX,
                 "user %.64s has %u connections to creel-hadoop, as many as one may", connection->user,
                 shares_of(users, connection->user));
        return false;
    }
    shares_add(users, connection->user);
    return true;
}

static void on_context(struct connection *connection)
{
    char reason[HADOOP_REASON_MAX] = "";

    if (take_user(connection, reason)) {
        set_deadline(connection);
        return;
    }
    connection->user[0] = '\0';
    hadoop_session_refuse(connection->session, reason);
    note_closed(connection->server, connection, reason);
}

static void handle_events(struct connection *connection)
{
    while (!connection->ends_when_sent) {
        switch (hadoop_session_next(connection->session)) {
        case HADOOP_EVENT_NONE:
            return;
        case HADOOP_EVENT_OPENED:
            on_opened(connection);
            break;
        case HADOOP_EVENT_CONTEXT:
            on_context(connection);
            break;
        case HADOOP_EVENT_CALL:
            exchange_begin(connection);
            break;
        case HADOOP_EVENT_END:
            connection->ends_when_sent = true;
        }
    }
}

/* Reads what the client sends. Returns false if the connection is at its end. */
static bool read_some(struct connection *connection)
{
    uint8_t discarded[1024], *at = discarded;
    size_t room = sizeof(discarded);
    ssize_t got;

    if (!connection->ends_when_sent)
        at = hadoop_session_room(connection->session, &room);
    got = recv(connection->fd, at, room, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (got <= 0)
        return false;
    if (connection->ends_when_sent)
        return true;
    hadoop_session_filled(connection->session, (size_t)got);
    handle_events(connection);
    return true;
}

static void on_ready(void *context, int fd)
{
    struct connection *connection = context;

    (void)fd;
    for (unsigned i = 0; i < READS_MAX; i++) {
        if (!read_some(connection)) {
            close_connection(connection);
            return;
        }
    }
    flush(connection);
}

/* --- new connections ---------------------------------------------------------------- */

/* Returns the oldest connection without a user, of ADDRESS; NULL: of any. If there is none, NULL. */
static struct connection *oldest_unknown(const struct hadoop_server *server, const char *address)
{
    struct connection *connection;

    DL_FOREACH(server->connections, connection)
    if (connection->user[0] == '\0' && (address == NULL || strcmp(connection->address, address) == 0))
        return connection;
    return NULL;
}

static void read_ends(struct connection *connection)
{
    socklen_t peer_size = sizeof(connection->ends.peer), own_size = sizeof(connection->ends.own);
    struct in6_addr ip;

    (void)getpeername(connection->fd, (struct sockaddr *)&connection->ends.peer, &peer_size);
    (void)getsockname(connection->fd, (struct sockaddr *)&connection->ends.own, &own_size);
    peer_address_read((struct sockaddr *)&connection->ends.peer, &ip);
    peer_address_unite(&ip);
    peer_address_text(&ip, connection->address);
}

/* Makes room for the newest connection. */
static void make_room(struct hadoop_server *server, enum shares_room room, const char *address)
{
    struct connection *closed = oldest_unknown(server, room == SHARES_OWNER_FULL ? address : NULL);

    note_closed(server, closed,
                room == SHARES_OWNER_FULL ? "its address has its share of connections"
                                          : "all connections are in use");
    close_connection(closed);
}

static void add_connection(struct hadoop_server *server, int fd)
{
    struct connection *connection = mem_new0(struct connection);
    int on = 1;
    enum shares_room room;

    *connection = (struct connection){
        .server = server,
        .fd = fd,
        .session = hadoop_session_new(),
        .deadline_ms = loop_monotonic_ms() + server->limits.context_ms,
    };
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    read_ends(connection);
    room = shares_room(server->places, connection->address);
    shares_add(server->places, connection->address);
    DL_APPEND(server->connections, connection);
    if (loop_add_fd(server->loop, fd, false, on_ready, connection, NULL) < 0)
        abort();
    if (room != SHARES_FREE)
        make_room(server, room, connection->address);
}

static void on_accept(void *context, int fd)
{
    struct hadoop_server *server = context;

    for (unsigned i = 0; i < ACCEPTS_MAX; i++) {
        int accepted = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (accepted < 0)
            return;
        add_connection(server, accepted);
    }
}

static void sweep(void *context)
{
    struct hadoop_server *server = context;
    int64_t now_ms = loop_monotonic_ms();
    struct connection *connection, *next;

    DL_FOREACH_SAFE(server->connections, connection, next)
    {
        if (connection->deadline_ms <= now_ms)
            close_connection(connection);
    }
    server->sweep_timer = loop_add_timer(server->loop, SWEEP_MS, sweep, server);
}

/* --- life ------------------------------------------------------------------------- */

int hadoop_server_new(struct loop *loop, const char *address, const struct hadoop_service *service,
                      const struct hadoop_limits *limits, struct hadoop_server **ret, struct err *err)
{
    struct hadoop_server *server;
    int port = 0, fd = listener_open(address, &port, err);
    unsigned units = (unsigned)(limits->memory_max / HADOOP_MEMORY_UNIT);

    if (fd < 0)
        return fd;
    server = mem_new0(struct hadoop_server);
    *server = (struct hadoop_server){
        .loop = loop,
        .service = *service,
        .limits = *limits,
        .listen_fd = fd,
        .port = port,
        .places = shares_new(limits->connections_max, limits->address_connections_max),
        .users = shares_new(limits->connections_max,
                            (limits->address_connections_max + USER_SHARE - 1) / USER_SHARE),
        .memory = shares_new(units, units / MEMORY_SHARE),
    };
    if (loop_add_fd(loop, fd, false, on_accept, server, err) < 0)
        abort();
    server->sweep_timer = loop_add_timer(loop, SWEEP_MS, sweep, server);
    *ret = server;
    return 0;
}

int hadoop_server_port(const struct hadoop_server *server)
{
    return server->port;
}

void hadoop_server_free(struct hadoop_server *server)
{
    if (server == NULL)
        return;
    while (server->connections != NULL)
        close_connection(server->connections);
    loop_cancel_timer(server->loop, server->sweep_timer);
    loop_remove_fd(server->loop, server->listen_fd);
    close(server->listen_fd);
    shares_free(server->places);
    shares_free(server->users);
    shares_free(server->memory);
    free(server);
}

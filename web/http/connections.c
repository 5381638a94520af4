/* SPDX-License-Identifier: Apache-2.0 */
/* connections.c - places for connections: which connection is closed when there are too many */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <utlist.h>

#include "web/http/server_state.h"

int peer_fd(const struct peer *peer)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(peer->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    return info != NULL ? info->connect_fd : -1;
}

bool peer_is_closed(const struct peer *peer)
{
    struct pollfd hangup = { .fd = peer_fd(peer), .events = POLLRDHUP };

    return poll(&hangup, 1, 0) > 0;
}

void peer_cut(struct peer *peer)
{
    peer->deadline_ms = INT64_MAX;
    if (peer_fd(peer) >= 0)
        shutdown(peer_fd(peer), SHUT_RDWR);
}

void connections_remove(struct http_server *server, struct peer *peer)
{
    if (peer->stage == PEER_WAITS)
        DL_DELETE2(server->waiting, peer, older, newer);
    if (peer->stage != PEER_CUT)
        shares_remove(server->places, peer->share);
    peer->stage = PEER_CUT;
}

/* Returns the connection that has waited longest for a complete request, of the address SHARE; NULL: of any.
 * If there is none, NULL. */
static struct peer *oldest_waiting(struct http_server *server, const char *share)
{
    struct peer *peer;

    DL_FOREACH2(server->waiting, peer, newer)
    if (share == NULL || strcmp(peer->share, share) == 0)
        return peer;
    return NULL;
}

/* Tells the client of a connection without TLS why it is closed, if it has sent no complete request yet. */
static void send_reason(const struct http_server *server, const struct peer *peer)
{
    char body[256], text[512];
    int length = snprintf(body, sizeof(body),
                          "The server has no free connection for %s. Please try again later.\n", peer->share);

    if (server->secure || peer->answered)
        return;
    length = snprintf(text, sizeof(text),
                      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n"
                      "X-Content-Type-Options: nosniff\r\nRetry-After: 5\r\nConnection: close\r\n\r\n%s",
                      length, body);
    send(peer_fd(peer), text, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void note_closed(struct http_server *server, const struct peer *peer, enum shares_room room)
{
    char line[256], more[LOG_MORE_MAX];

    shares_count_refused(server->places, room);
    if (server->site->note == NULL || !log_limit_pass(&server->closed, more))
        return;
    if (room == SHARES_OWNER_FULL)
        snprintf(line, sizeof(line),
                 "HTTP connection from %s: closed, this address has %u connections, its share%s", peer->share,
                 shares_owner_max(server->places), more);
    else
        snprintf(line, sizeof(line), "HTTP connection from %s: closed, all %u connections are in use%s",
                 peer->share, shares_max(server->places), more);
    server->site->note(server->site->note_context, line);
}

static bool is_proxy(const struct http_server *server, const struct sockaddr *address)
{
    const struct site *site = server->site;
    char text[ADDRESS_TEXT_MAX];

    if (site->is_proxy == NULL)
        return false;
    address_text(address, text);
    return site->is_proxy(site->proxy_context, text);
}

static void move(struct http_server *server, struct peer *peer, const char *share)
{
    if (peer->stage != PEER_CUT)
        shares_remove(server->places, peer->share);
    snprintf(peer->share, sizeof(peer->share), "%s", share);
    if (peer->stage != PEER_CUT)
        shares_add(server->places, peer->share);
}

bool connections_lend(struct http_server *server, struct peer *peer, const char *client)
{
    char share[PEER_ADDRESS_TEXT_MAX];

    peer_address_unite_text(client, share);
    if (strcmp(share, peer->share) == 0)
        return true;
    if (shares_room(server->places, share) == SHARES_OWNER_FULL) {
        shares_count_refused(server->places, SHARES_OWNER_FULL);
        return false;
    }
    move(server, peer, share);
    return true;
}

void connections_take_back(struct http_server *server, struct peer *peer)
{
    if (strcmp(peer->share, peer->own) != 0)
        move(server, peer, peer->own);
}

void connections_add(struct http_server *server, struct peer *peer, const struct sockaddr *address)
{
    enum shares_room room;
    struct peer *closed;
    struct in6_addr ip;

    peer_address_read(address, &ip);
    peer_address_unite(&ip);
    peer_address_text(&ip, peer->share);
    snprintf(peer->own, sizeof(peer->own), "%s", peer->share);
    room = shares_room(server->places, peer->share);
    if (room == SHARES_OWNER_FULL && shares_used(server->places) < shares_max(server->places) &&
        is_proxy(server, address))
        room = SHARES_FREE;
    shares_add(server->places, peer->share);
    peer->stage = PEER_WAITS;
    DL_APPEND2(server->waiting, peer, older, newer);
    if (room == SHARES_FREE)
        return;
    closed = oldest_waiting(server, room == SHARES_OWNER_FULL ? peer->share : NULL);
    note_closed(server, closed, room);
    send_reason(server, closed);
    connections_remove(server, closed);
    peer_cut(closed);
}

void connections_serve(struct http_server *server, struct peer *peer)
{
    if (peer->stage != PEER_WAITS)
        return;
    DL_DELETE2(server->waiting, peer, older, newer);
    peer->stage = PEER_SERVED;
}

void connections_wait(struct http_server *server, struct peer *peer)
{
    peer->answered = true;
    if (peer->stage == PEER_SERVED) {
        peer->stage = PEER_WAITS;
        DL_APPEND2(server->waiting, peer, older, newer);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - HTTP/1.1 on a TCP port, in the event loop
 *
 * The server has no thread of its own: libmicrohttpd reads and writes when its epoll descriptor wakes the
 * event loop. Limited are: the number of connections, in total and per address (http_limits; peer_address.h
 * has the addresses that count as one), the headers, the body (request.h), the time to receive a request
 * and to send its response, and the memory of all bodies and answers, in total and per address. A new
 * connection above a limit takes the place of the one that has waited longest for a complete request; if
 * there is no such one, it is closed. While there is no memory, clients that do not read are closed
 * (server_state.h). A connection that exceeds a time limit is closed. Every answer has the security headers
 * of answer.h. Event streams have limits of their own (streams.h); one is closed if its client does not
 * receive an event within answer_ms.
 */
#ifndef CREEL_WEB_HTTP_SERVER_H
#define CREEL_WEB_HTTP_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/io/loop/loop.h"
#include "web/http/site.h"
#include "web/http/streams.h"

struct http_server;

struct http_limits {
    unsigned connections_max;
    unsigned address_connections_max; /* per client address */
    int64_t request_ms; /* from the connection, or the end of the last answer, to the end of the body */
    int64_t answer_ms;  /* to send 64 KiB of an answer; a larger answer has more time in proportion */
    size_t memory_max;  /* bytes of all bodies and answers; an address gets a quarter, or one answer */
    int64_t stalled_ms; /* while others need memory, a connection without progress for so long is closed */
    int64_t turn_ms;    /* of a turn of the loop for new requests; later ones wait for the next turn */
    struct stream_limits streams;
};

#define HTTP_LIMITS_DEFAULT \
    ((struct http_limits){ 1024, 256, 30000, 30000, (size_t)32 << 20, 3000, 20, STREAM_LIMITS_DEFAULT })

/* A certificate, followed by the certificates of its issuers, and the private key, as PEM. */
struct http_tls {
    char *certificate, *key;
    char *client_authorities; /* PEM; their certificates name users; NULL: clients are not asked */
};

/* Listens on ADDRESS, "host:port"; port 0: any free one. SITE and LOOP must outlive the server. For tests. */
int http_server_new(struct http_server **ret, struct loop *loop, const char *address, const struct site *site,
                    const struct http_limits *limits, struct err *err);
/* Like http_server_new, over TLS 1.2 or 1.3. TLS is only used during the call. Returns -EINVAL, with the
 * reason in ERR, if certificate or key is not valid, or if the key does not belong to the certificate. */
int http_server_new_tls(struct http_server **ret, struct loop *loop, const char *address,
                        const struct site *site, const struct http_limits *limits, const struct http_tls *tls,
                        struct err *err);
/* Like http_server_new_tls, on the listening socket LISTEN_FD; without TLS if TLS is NULL. Takes ownership of
 * LISTEN_FD, even on failure. */
int http_server_new_on(struct http_server **ret, struct loop *loop, int listen_fd, const struct site *site,
                       const struct http_limits *limits, const struct http_tls *tls, struct err *err);
int http_server_port(const struct http_server *server);
/* Ends all connections; unanswered requests get no response. SERVER may be NULL. */
void http_server_free(struct http_server *server);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - HTTP/1.1 on a TCP port, in the event loop
 *
 * One thread. libmicrohttpd reads and writes, its epoll descriptor is one source of the loop. Bounded are:
 * the connections in total and of one address, the headers (http_limits), the body (request.h), the time
 * to receive a request and to send its response, and the memory of all bodies and answers together.
 * A connection that exceeds a time limit is closed. Every answer has the security headers of answer.h.
 */
#ifndef CREEL_WEB_HTTP_SERVER_H
#define CREEL_WEB_HTTP_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/io/loop.h"
#include "web/http/site.h"

struct http_server;

struct http_limits {
    unsigned connections_max;
    unsigned address_connections_max; /* of one address */
    int64_t request_ms;               /* from connection, or the answer before, to the end of the body */
    int64_t answer_ms;                /* to send 64 KiB of an answer; larger ones have more time */
    size_t memory_max;                /* bytes of bodies and answers; more: 503 */
};

#define HTTP_LIMITS_DEFAULT ((struct http_limits){ 1024, 256, 30000, 30000, (size_t)256 << 20 })

/* A certificate, with those that sign it, and its key, as PEM. */
struct http_tls {
    char *certificate, *key;
};

/* Listens on ADDRESS, "host:port"; port 0: any free one. SITE and LOOP must outlive the server. */
int http_server_new(struct http_server **ret, struct loop *loop, const char *address, const struct site *site,
                    const struct http_limits *limits, struct err *err);
/* As http_server_new, on the listening socket LISTEN_FD, which the server owns then, also on failure. */
int http_server_new_on(struct http_server **ret, struct loop *loop, int listen_fd, const struct site *site,
                       const struct http_limits *limits, struct err *err);
/* As http_server_new, over TLS 1.2 or 1.3. TLS is only used during the call. -EINVAL: certificate and key are
 * not valid, or do not belong together, and ERR has the reason. */
int http_server_new_tls(struct http_server **ret, struct loop *loop, const char *address,
                        const struct site *site, const struct http_limits *limits, const struct http_tls *tls,
                        struct err *err);
int http_server_port(const struct http_server *server);
/* Ends all connections; unanswered requests get no response. SERVER may be NULL. */
void http_server_free(struct http_server *server);

#endif

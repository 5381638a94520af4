/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - checks and decodes the bytes of an HTTP request (pure)
 *
 * request_parse checks every request before a handler gets it.
 */
#ifndef CREEL_WEB_HTTP_REQUEST_H
#define CREEL_WEB_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "web/http/route.h"

#define REQUEST_TARGET_MAX 8192 /* bytes of path and query */
#define REQUEST_PARAMETERS_MAX 256
#define REQUEST_HEADERS_MAX 100
#define REQUEST_HEADER_BYTES_MAX (32 * 1024) /* names and values of all headers */
#define REQUEST_BODY_MAX (1024 * 1024)

struct name_value {
    const char *name, *value;
};

/* A request as received, not checked. All texts are borrowed. */
struct request_text {
    const char *method, *target;
    const char *version; /* "HTTP/1.1"; NULL: unknown */
    const struct name_value *headers;
    size_t header_count;
    const char *body;
    size_t body_size;
    const char *peer;   /* IP address of the peer; NULL: unknown */
    const char *client; /* that of the client of a trusted proxy (forwarded.h), else PEER; NULL: PEER */
    const char
        *certificate_user; /* whom the valid TLS certificate of the client names; NULL: there is none */
    const char *certificate_problem; /* why the certificate is not valid; NULL: it is, or there is none */
    int64_t certificate_expires_ms;  /* its end, since 1970; 0: there is none */
    int refused; /* status with which the request is refused before its body is read; 0: it is not */
};

/* All texts are valid UTF-8 without zero bytes, except the body and header values: these are not checked. */
struct request {
    const char *method, *target;
    const char *path; /* decoded, "/" or without trailing slash */
    const char *segments[ROUTE_SEGMENTS_MAX];
    size_t segment_count;
    struct name_value *parameters;
    size_t parameter_count;
    const struct name_value *headers;
    size_t header_count;
    const char *body; /* followed by a 0 byte */
    size_t body_size;
    const char *peer, *client;
    const char *certificate_user, *certificate_problem;
    int64_t certificate_expires_ms;
};

/* Fills RET, in memory of ARENA. Returns 0, or the status of the refusal (400, 413, 414, 431, 501, 503), and
 * then sets *MESSAGE to the reason, a constant. A refused RET has at least method, target and path; the path
 * is "/" if it could not be read. */
int request_parse(struct arena *arena, const struct request_text *text, struct request *ret,
                  const char **message);

/* Returns false if the headers do not tell where the body ends, or the request is to be refused for another
 * of its headers: such a request can be refused before its body has arrived. */
bool request_has_valid_headers(const struct request_text *text);

/* Reads TEXT, a query string or the body of a form ("a=1&b=x%20y"), as pairs. Returns false if TEXT has more
 * than REQUEST_PARAMETERS_MAX pairs, a "%" without two hexadecimal digits, a zero byte, or invalid UTF-8. */
bool request_parse_pairs(struct arena *arena, const char *text, struct name_value **pairs, size_t *count);

/* Returns the value of header NAME (in any case); repeated headers are joined. NULL: absent. */
const char *request_header(struct arena *arena, const struct request *request, const char *name);

/* Returns the value of cookie NAME, not decoded; NULL: absent. */
const char *request_cookie(struct arena *arena, const struct request *request, const char *name);

#endif

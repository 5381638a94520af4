/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.h - the API for handlers: one HTTP request and its response
 *
 * A handler answers at once (exchange_answer), or sends a query to the resource manager (exchange_ask) and
 * answers in the continuation, which gets the reply. Meanwhile the server serves other requests. Each
 * request is answered exactly once. If a handler returns without an answer and without a query, the server
 * answers 500.
 *
 * An exchange belongs to the server. Texts that these functions return are valid in the handler and in all
 * continuations of its queries. If the client closes the connection, pending continuations are not called.
 */
#ifndef CREEL_WEB_HTTP_EXCHANGE_H
#define CREEL_WEB_HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

struct exchange;

/* --- the request ------------------------------------------------------------ */

/* GET, POST, PUT, DELETE, ... A HEAD request is a GET: the server leaves out the body of its answer. */
const char *exchange_method(const struct exchange *exchange);
/* Returns the decoded path without trailing slash: "/cluster/app/application_1_0001". */
const char *exchange_path(const struct exchange *exchange);
/* Returns the request target as sent, with the query string: "/cluster/apps?user=ann%20b". */
const char *exchange_target(const struct exchange *exchange);
/* Returns the segment that matched the I-th `*` of the route's pattern; I starts at 0. */
const char *exchange_capture(const struct exchange *exchange, size_t i);
/* Returns the I-th value of parameter NAME, decoded; NULL: NAME has no more than I values. */
const char *exchange_parameter(const struct exchange *exchange, const char *name, size_t i);
/* Gets the I-th parameter in the order of the query string; false: I is too large. */
bool exchange_each_parameter(const struct exchange *exchange, size_t i, const char **name,
                             const char **value);
/* Returns the value of header NAME (in any case); NULL: absent. Repeated headers are joined with ", ". */
const char *exchange_header(const struct exchange *exchange, const char *name);
/* Returns the value of cookie NAME, not decoded; NULL: absent. */
const char *exchange_cookie(const struct exchange *exchange, const char *name);
/* Returns the SIZE bytes of the body, followed by a 0 byte. */
const char *exchange_body(const struct exchange *exchange, size_t *size);
/* Returns the first value of form field NAME in the body; NULL: absent, or the body is not a form. */
const char *exchange_form(struct exchange *exchange, const char *name);
/* Returns the host of the address that the client used, "NAME:PORT": of the header Host, or as a trusted
 * proxy names it; NULL: not known. */
const char *exchange_host(const struct exchange *exchange);
/* Returns whether the site is served over TLS. */
bool exchange_is_secure(const struct exchange *exchange);
/* Returns whether the client uses TLS, to this site or to a trusted proxy. */
bool exchange_client_is_secure(const struct exchange *exchange);
/* Returns the peer's IP address without port; "": unknown. */
const char *exchange_peer(const struct exchange *exchange);
/* Returns the address for limits and logs: that of the peer, or of the client of a trusted proxy. */
const char *exchange_client(const struct exchange *exchange);

/* Returns the user that the client's TLS certificate names; NULL: there is none, or *PROBLEM is why it is not
 * valid, as "has expired". */
const char *exchange_certificate(const struct exchange *exchange, const char **problem);
/* Returns the end of that certificate, since 1970; 0: there is none. */
int64_t exchange_certificate_expires_ms(const struct exchange *exchange);

/* The most that a request may do. The resource manager decides whether its user may do it. */
enum exchange_scope {
    EXCHANGE_READ,
    EXCHANGE_SUBMIT, /* read, and change applications */
    EXCHANGE_ADMIN,  /* also change nodes, labels, queues, the configuration */
};

/* Returns the user of the request: authenticated, or from user.name (not verified), or the static user. */
const char *exchange_user(const struct exchange *exchange);
bool exchange_is_authenticated(const struct exchange *exchange);
/* Returns the scope of the request; EXCHANGE_READ if the user is not authenticated. */
enum exchange_scope exchange_scope(const struct exchange *exchange);

/* --- access tokens ---------------------------------------------------------- */

/* The cookie in which a browser sends an access token. */
#define EXCHANGE_TOKEN_COOKIE "creel_token"

/* Returns whether the site accepts access tokens (in the header Authorization, or in the cookie). */
bool exchange_accepts_tokens(const struct exchange *exchange);
/* Returns whether the token in the cookie authenticated the user. */
bool exchange_has_token_cookie(const struct exchange *exchange);

/* STATUS 0: the token is valid for LEFT_MS; 401: it is not valid; 503: it cannot be checked now. */
typedef void exchange_token_fn(struct exchange *exchange, void *context, int status, int64_t left_ms);
/* Checks TOKEN, then calls THEN. Must only be called if exchange_accepts_tokens returns true. */
void exchange_check_token(struct exchange *exchange, const char *token, exchange_token_fn *then,
                          void *context);

/* --- the answer ------------------------------------------------------------- */

/* Returns an arena that is freed with the exchange. */
struct arena *exchange_arena(struct exchange *exchange);

/* Calls END when the exchange ends, to free what is not in its arena. */
void exchange_at_end(struct exchange *exchange, void (*end)(void *context), void *context);

/* Adds a header to the response. If NAME was added before, the new value replaces the old one, except
 * for Set-Cookie. A value with a control character is dropped. */
void exchange_add_header(struct exchange *exchange, const char *name, const char *value);

/* Sends the response; BYTES are copied. CONTENT_TYPE may be NULL if SIZE is 0. Cache-Control is no-store
 * unless the handler has set it. */
void exchange_answer(struct exchange *exchange, int status, const char *content_type, const void *bytes,
                     size_t size);

/* Writes what has changed as an event (text/event-stream, with the empty line at its end) into the SIZE bytes
 * of TEXT. Returns its length; 0: nothing has changed since the last call. */
typedef size_t exchange_event_fn(struct exchange *exchange, void *context, char *text, size_t size);

/* Answers with a stream of events. From then on NEXT is called at most once a second, after an update of the
 * model, until the client closes the connection. NEXT must be cheap. If there are too many streams, the
 * server answers 503 instead. */
void exchange_answer_events(struct exchange *exchange, exchange_event_fn *next, void *context);

enum exchange_part {
    EXCHANGE_PART,        /* BYTES and SIZE have the next part; SIZE is not 0 */
    EXCHANGE_PART_LATER,  /* a query is under way, whose continuation calls exchange_part_is_ready */
    EXCHANGE_PART_END,    /* there are no more */
    EXCHANGE_PART_FAILED, /* the connection is cut, so that the client notices that parts are missing */
};

/* Returns the next part of an answer. BYTES are valid until the next call. */
typedef enum exchange_part exchange_part_fn(struct exchange *exchange, void *context, const char **bytes,
                                            size_t *size);

/* Answers 200 with parts, for an answer that is large or needs many queries. NEXT is called when the client
 * has received the parts before, and for one answer in a turn of the loop; between two calls the server
 * serves others. A part should take about a millisecond, and an answer at most about 1 MiB of memory.
 * Pointers of the model are not valid in the next call. */
void exchange_answer_parts(struct exchange *exchange, const char *content_type, exchange_part_fn *next,
                           void *context);
void exchange_part_is_ready(struct exchange *exchange);

/* Sets the header ETag to TAG, a short text without quotation marks. If If-None-Match of the request contains
 * TAG, answers 304 and returns true: the handler must not answer again. */
bool exchange_is_unchanged(struct exchange *exchange, const char *tag);

/* Sends an error with STATUS and MESSAGE in the format of the route table of the path (route.h). */
void exchange_refuse(struct exchange *exchange, int status, const char *message);

/* --- queries ---------------------------------------------------------------- */

/* REPLY is borrowed. After a timeout REPLY is an Error with ERROR_UNAVAILABLE. */
typedef void exchange_reply_fn(struct exchange *exchange, void *context, const Creel__Envelope *reply);

/* Sends QUERY to the resource manager on behalf of the user of this request. The caller sets only the body of
 * QUERY, which is copied. THEN gets the Error NOT_PERMITTED if the scope of the request does not suffice. A
 * handler may have any number of unanswered queries. */
void exchange_ask(struct exchange *exchange, const Creel__Envelope *query, exchange_reply_fn *then,
                  void *context);

/* Sends QUERY to the agent at ADDRESS with public key KEY. The caller sets the body and the token of
 * QUERY. */
void exchange_ask_agent(struct exchange *exchange, const char *address, const char *key,
                        const Creel__Envelope *query, exchange_reply_fn *then, void *context);

/* Returns the data that handlers read: `application` of the site (site.h). */
void *exchange_application(const struct exchange *exchange);

#endif

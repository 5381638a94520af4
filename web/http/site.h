/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site.h - what is served, apart from connections
 *
 * The server (server.h) passes each complete request to site_serve, and sends the answer. Tests of handlers
 * call site_serve without a socket.
 */
#ifndef CREEL_WEB_HTTP_SITE_H
#define CREEL_WEB_HTTP_SITE_H

#include "common/upstream/reply.h"
#include "web/http/cross_origin.h"
#include "web/http/exchange.h"
#include "web/http/request.h"
#include "web/http/route.h"
#include "web/http/traffic.h"

typedef upstream_reply_fn site_reply_fn;
/* Sends QUERY to the resource manager for the user in its field as_user. AUTHENTICATED: whether that user is
 * authenticated. Calls REPLY exactly once, at once or later; with an Error if there is no answer in time. */
typedef void site_upstream_fn(void *context, const Creel__Envelope *query, bool authenticated,
                              site_reply_fn *reply, void *reply_context);
/* Sends QUERY, which has its token, to the agent at ADDRESS with public key KEY. Calls REPLY exactly once. */
typedef void site_agent_fn(void *context, const char *address, const char *key, const Creel__Envelope *query,
                           site_reply_fn *reply, void *reply_context);
typedef void site_prepared_fn(void *prepared_context);
/* Updates the model before a handler runs. Calls DONE exactly once, at once or later. */
typedef void site_prepare_fn(void *context, site_prepared_fn *done, void *done_context);
/* Finds the user of a request. Returns 0 and sets *USER, which may be memory of the exchange, and
 * *AUTHENTICATED. To refuse the request, it returns the HTTP status (401, 403) and sets *REASON, the message
 * of the answer, which may be memory of the exchange; it may add headers. */
typedef int site_identify_fn(void *context, struct exchange *exchange, const char **user, bool *authenticated,
                             const char **reason);

struct site_token {
    const char *user;
    enum exchange_scope scope;
    int64_t left_ms; /* until it expires */
};

/* STATUS 0: TOKEN is valid, and FOUND is borrowed; 401: it is not valid; 503: it cannot be checked now. */
typedef void site_token_reply_fn(void *reply_context, int status, const struct site_token *found);
/* Finds the user of an access token. REPLY is called exactly once, at once or later. */
typedef void site_token_fn(void *context, const char *token, site_token_reply_fn *reply, void *reply_context);
/* Checks USER and PASSWORD of HTTP Basic authentication, from the client at ADDRESS. REPLY is called exactly
 * once, at once or later; STATUS may also be 429: too many wrong passwords. */
typedef void site_password_fn(void *context, const char *address, const char *user, const char *password,
                              site_token_reply_fn *reply, void *reply_context);
/* Returns whether the peer at ADDRESS is a proxy whose X-Forwarded-For, X-Forwarded-Proto and
 * X-Forwarded-Host are believed. */
typedef bool site_proxy_fn(void *context, const char *address);
/* Returns true if USER, an authenticated user, may act for the user OTHER. */
typedef bool site_act_fn(void *context, const char *user, const char *other);
/* Returns the scope that a request needs to send QUERY. */
typedef enum exchange_scope site_needs_fn(const Creel__Envelope *query);

/* Writes LINE to the log. */
typedef void site_note_fn(void *context, const char *line);

struct site {
    const struct route_table *tables;
    size_t table_count;
    void *application;
    struct traffic *traffic; /* counts the requests; NULL: they are not counted */
    site_note_fn *note;      /* lines for the log about connections; NULL: none are written */
    void *note_context;
    site_upstream_fn *upstream;
    void *upstream_context;
    site_agent_fn *agent;
    void *agent_context;
    site_prepare_fn *prepare; /* NULL: no preparation */
    void *prepare_context;
    site_identify_fn *identify; /* NULL: the parameter user.name, not authenticated */
    void *identify_context;
    site_token_fn *token; /* NULL: access tokens are not accepted */
    void *token_context;
    site_password_fn *password; /* NULL: no HTTP Basic authentication; else all requests need it */
    void *password_context;
    site_proxy_fn *is_proxy; /* NULL: no peer is one */
    void *proxy_context;
    site_act_fn *may_act_for; /* NULL: the parameter doAs has no effect */
    void *act_context;
    site_needs_fn *needs;                    /* NULL: all queries need EXCHANGE_READ */
    const struct cross_origin *cross_origin; /* of REST; NULL: pages of other sites may not use it */
    bool secure;                             /* the site is served over TLS */
    const char *static_user;                 /* of requests without a user: "dr.who" */
};

struct answer {
    int status;
    const struct name_value *headers; /* Content-Type and Cache-Control among them */
    size_t header_count;
    const void *bytes;
    size_t size;
    bool is_stream; /* SIZE is 0; the body are the events of site_event */
    bool is_parts;  /* SIZE is 0; the body are the parts of site_part */
};

/* Called once when the response is complete, possibly within site_serve, when a part is ready after
 * EXCHANGE_PART_LATER, and when site_waits begins to return true. Not called after site_end. */
typedef void site_answered_fn(void *context);

/* Serves one request. The exchange is the caller's until site_end. SITE must exist until all exchanges have
 * ended and all their queries are answered. */
struct exchange *site_serve(const struct site *site, const struct request_text *text,
                            site_answered_fn *answered, void *context);
/* When the model has been updated for many requests, each gets its answer in its own turn: while site_waits
 * returns true, the answer is made by site_continue. */
bool site_waits(const struct exchange *exchange);
void site_continue(struct exchange *exchange);
/* Returns the response, valid until site_end; NULL: not complete yet. */
const struct answer *site_answer(const struct exchange *exchange);
/* The answer is complete, and took NS beside the time in handlers: the work of its route is noted, by which
 * requests have their turns (traffic_class). */
void site_note_work(const struct exchange *exchange, int64_t ns);
/* Returns the bytes that EXCHANGE takes: all that was allocated to make the response (exchange_arena). */
size_t site_memory(const struct exchange *exchange);
/* For an answer that is a stream: writes the next event (exchange.h), and returns its length; 0: none. */
size_t site_event(struct exchange *exchange, char *text, size_t size);
/* For an answer in parts: gets the next one (exchange.h). */
enum exchange_part site_part(struct exchange *exchange, const char **bytes, size_t *size);
/* Checks the access token of the request again, if it has one. site_may_continue returns false as soon as the
 * result is that the token is not valid any more. */
void site_check_again(struct exchange *exchange);
bool site_may_continue(const struct exchange *exchange);
/* Ends EXCHANGE, which may be NULL. Its memory is freed after the last unanswered query. */
void site_end(struct exchange *exchange);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site.h - what is served, apart from connections
 *
 * The server (server.h) brings a request here when it is whole, and sends the answer. Tests of handlers do
 * the same without a socket.
 */
#ifndef CREEL_WEB_HTTP_SITE_H
#define CREEL_WEB_HTTP_SITE_H

#include "common/proto/creel.pb-c.h"
#include "web/http/exchange.h"
#include "web/http/request.h"
#include "web/http/route.h"

typedef void site_reply_fn(void *reply_context, const Creel__Envelope *reply);
/* Sends QUERY, whose as_user is set, to the resource manager. AUTHENTICATED: that user is proven. Calls
 * REPLY exactly once, at once or later; if there is no answer in time, with an Error. */
typedef void site_upstream_fn(void *context, const Creel__Envelope *query, bool authenticated,
                              site_reply_fn *reply, void *reply_context);
/* The same for the agent at ADDRESS, whose key is KEY; the token of QUERY is set. */
typedef void site_agent_fn(void *context, const char *address, const char *key, const Creel__Envelope *query,
                           site_reply_fn *reply, void *reply_context);
typedef void site_prepared_fn(void *prepared_context);
/* Brings what handlers read up to date before a handler runs. Calls DONE exactly once, at once or later. */
typedef void site_prepare_fn(void *context, site_prepared_fn *done, void *done_context);
/* Finds the user of a request. Returns 0 and *USER, which may be memory of the exchange, and
 * *AUTHENTICATED: proven, not only claimed. Else the status of the refusal (401, 403), whose headers it may
 * have added. */
typedef int site_identify_fn(void *context, struct exchange *exchange, const char **user,
                             bool *authenticated);

struct site {
    const struct route_table *tables;
    size_t table_count;
    void *application;
    site_upstream_fn *upstream;
    void *upstream_context;
    site_agent_fn *agent;
    void *agent_context;
    site_prepare_fn *prepare;           /* NULL: nothing is to be done */
    void *prepare_context;
    site_identify_fn *identify;         /* NULL: the parameter user.name, not authenticated */
    void *identify_context;
    const char *static_user;            /* of requests without a user: "dr.who" */
};

struct answer {
    int status;
    const struct name_value *headers;   /* Content-Type and Cache-Control among them */
    size_t header_count;
    const void *bytes;
    size_t size;
};

/* The answer is there; called once, perhaps in site_serve. Not after site_abandon. */
typedef void site_answered_fn(void *context);

/* Serves one request. The exchange is the caller's until site_end. SITE must exist until all exchanges have
 * ended and all their questions are answered. */
struct exchange *site_serve(const struct site *site, const struct request_text *text,
                            site_answered_fn *answered,
                            void *context);
/* NULL: not yet. Valid until site_end. */
const struct answer *site_answer(const struct exchange *exchange);
/* The answer is not needed any more. The memory is freed when no question is under way. NULL is fine. */
void site_end(struct exchange *exchange);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.h - one HTTP request and its answer, as a handler sees them
 *
 * A handler answers at once (exchange_answer), or asks the resource manager (exchange_ask) and answers when
 * the reply is there; meanwhile the server serves others. Each request is answered exactly once. A handler
 * that returns with neither an answer nor a question is answered with 500.
 *
 * An exchange belongs to the server. Texts that these functions return are valid until it is over: in the
 * handler, and in the continuations of its questions. If the browser goes away, continuations that are
 * still to come are not called.
 */
#ifndef CREEL_WEB_HTTP_EXCHANGE_H
#define CREEL_WEB_HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

struct exchange;

/* --- the request ------------------------------------------------------------ */

/* GET, POST, PUT, DELETE, ... A HEAD request is a GET: the server leaves out the body of its answer. */
const char *exchange_method(const struct exchange *exchange);
/* Decoded, without trailing slash: "/cluster/app/application_1_0001". */
const char *exchange_path(const struct exchange *exchange);
/* As it was sent, with the query: "/cluster/apps?user=ann%20b". */
const char *exchange_target(const struct exchange *exchange);
/* The text of the I-th `*` of the route's pattern, from 0. */
const char *exchange_capture(const struct exchange *exchange, size_t i);
/* The I-th value of parameter NAME, decoded; NULL: there are not so many. */
const char *exchange_parameter(const struct exchange *exchange, const char *name, size_t i);
/* All parameters in their order; false: there are not so many. */
bool exchange_each_parameter(const struct exchange *exchange, size_t i, const char **name,
                             const char **value);
/* Any case of NAME; NULL: absent. Repeated ones are one text, joined with ", ". */
const char *exchange_header(const struct exchange *exchange, const char *name);
/* Its bytes, and a 0 behind them. */
const char *exchange_body(const struct exchange *exchange, size_t *size);
/* The first value of field NAME of a form that was sent as the body; NULL: absent, or the body is no form. */
const char *exchange_form(struct exchange *exchange, const char *name);
/* The address of the other end, without port; "" if it is not known. */
const char *exchange_peer(const struct exchange *exchange);

/* The user of this request: authenticated, or as claimed, or the static user. */
const char *exchange_user(const struct exchange *exchange);
bool exchange_is_authenticated(const struct exchange *exchange);

/* --- the answer ------------------------------------------------------------- */

/* Memory until the exchange is over. */
struct arena *exchange_arena(struct exchange *exchange);

/* A header of the answer. A name that is already there: the new value replaces the old one, except
 * Set-Cookie. A value with a control character is dropped. */
void exchange_add_header(struct exchange *exchange, const char *name, const char *value);

/* Answers; BYTES are copied. CONTENT_TYPE may be NULL if SIZE is 0. Unless the handler has set
 * Cache-Control, it is no-store. */
void exchange_answer(struct exchange *exchange, int status, const char *content_type, const void *bytes,
                     size_t size);

/* Sets the header ETag of TAG, a short text without quotation marks. If the request has it in If-None-Match,
 * answers 304 and returns true: the handler is done. */
bool exchange_is_unchanged(struct exchange *exchange, const char *tag);

/* The answer of the table of routes for an error that has a status and a sentence (route.h). */
void exchange_refuse(struct exchange *exchange, int status, const char *message);

/* --- questions -------------------------------------------------------------- */

/* REPLY is borrowed. If there was no answer within the deadline it is an Error with ERROR_UNAVAILABLE. */
typedef void exchange_reply_fn(struct exchange *exchange, void *context, const Creel__Envelope *reply);

/* Sends QUERY, whose body alone is set, to the resource manager for the user of this request. QUERY is
 * copied. Any number of questions may be under way. */
void exchange_ask(struct exchange *exchange, const Creel__Envelope *query, exchange_reply_fn *then,
                  void *context);

/* Sends QUERY, whose body and token are set, to the agent at ADDRESS with KEY, as a ContainerReport has them.
 */
void exchange_ask_agent(struct exchange *exchange, const char *address, const char *key,
                        const Creel__Envelope *query, exchange_reply_fn *then, void *context);

/* The context of the site (site.h): what handlers read. */
void *exchange_application(const struct exchange *exchange);

#endif

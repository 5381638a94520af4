/* SPDX-License-Identifier: Apache-2.0 */
/* exchange_state.h - the fields of an exchange (private to exchange*.c) */
#ifndef CREEL_WEB_EXCHANGE_STATE_H
#define CREEL_WEB_EXCHANGE_STATE_H

#include "web/http/exchange.h"
#include "web/http/site.h"

#define ANSWER_HEADERS_MAX 32

struct exchange_ending { /* in the arena of the exchange */
    void (*end)(void *context);
    void *context;
    struct exchange_ending *next;
};

struct exchange {
    const struct site *site;
    struct arena *arena;
    struct request request;
    struct route_match match;
    int64_t begun_ns;        /* monotonic */
    int64_t work_ns;         /* time for which its handler and its continuations have run */
    struct name_value *form; /* fields of the form in the body */
    size_t form_count;
    bool form_is_read;
    const char *forwarded_host; /* as the client of a proxy sent it; NULL: there is no proxy */
    bool forwarded_secure;      /* the client of the proxy used TLS */
    const char *user;
    bool authenticated, token_is_cookie;
    const char *token; /* access token that authenticated the user; NULL: none did */
    bool withdrawn;    /* that token is not valid any more */
    enum exchange_scope scope;
    exchange_event_fn *next_event; /* of a stream of events */
    void *next_event_context;
    exchange_part_fn *next_part; /* of an answer in parts */
    void *next_part_context;
    struct name_value headers[ANSWER_HEADERS_MAX];
    struct answer answer;            /* status 0: not answered yet */
    size_t asked;                    /* unanswered queries; the preparation (site.h) counts as one, too */
    bool ended;                      /* site_end was called */
    bool serving;                    /* site_serve runs */
    bool waits;                      /* the handler is to be run by site_continue */
    struct exchange_ending *endings; /* to be called before the arena is freed */
    site_answered_fn *answered;
    void *answered_context;
};

#endif

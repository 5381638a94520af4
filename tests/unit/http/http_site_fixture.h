/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_site_fixture.h - fixture: an HTTP site whose handlers echo the request, and a fake resource manager
 *
 * A handler below /show/ answers with the request's fields, one per line. /ask sends one request to the
 * resource manager and answers with the reply. /kill sends a request that needs more than EXCHANGE_READ.
 * /silent neither answers nor sends a request. /large answers with the number of bytes in the parameter
 * "size". /parts is an answer in parts.
 * /events is a stream with an event for each change of `news`, and with the number as data.
 */
#ifndef CREEL_TESTS_HTTP_SITE_FIXTURE_H
#define CREEL_TESTS_HTTP_SITE_FIXTURE_H

#include "web/http/site.h"

struct fake_upstream {
    site_reply_fn *reply; /* callback of the pending request; NULL: none */
    void *reply_context;
    char user[64];                 /* user for whom the request was sent */
    int asked;                     /* body_case of the request that was sent */
    bool at_once;                  /* reply during the call, not later */
    unsigned news;                 /* last event of /events */
    bool chatty;                   /* /events has a long event whenever it is asked */
    bool withdrawn;                /* no token is valid any more */
    unsigned parts, parts_at_show; /* of answers in parts: so far; when /show was requested last */
    unsigned parts_until_end;      /* parts of all answers while the first one that ended was sent */
    char shown[64];                /* last letter of each path below /show that was requested, in order */
};

void http_site_fill(struct site *site, struct fake_upstream *upstream);
/* Answers the pending request. */
void fake_upstream_reply(struct fake_upstream *upstream, const char *message);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_site_fixture.h - a site whose handlers show the request, and a resource manager that answers on demand
 *
 * Below /show/ a handler answers with what it was given, a line each. /ask asks once and answers with the
 * reply, /silent neither answers nor asks, /large answers with as many bytes as its parameter "size" gives.
 */
#ifndef CREEL_TESTS_HTTP_SITE_FIXTURE_H
#define CREEL_TESTS_HTTP_SITE_FIXTURE_H

#include "web/http/site.h"

struct fake_upstream {
    site_reply_fn *reply;               /* of the question that waits; NULL: none */
    void *reply_context;
    char user[64];                      /* for whom it was asked */
    bool at_once;                       /* answer in the call */
};

void http_site_fill(struct site *site, struct fake_upstream *upstream);
/* Answers the question that waits. */
void fake_upstream_reply(struct fake_upstream *upstream, const char *message);

#endif

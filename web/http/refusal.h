/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - texts and headers of requests that are refused because of their user (pure) */
#ifndef CREEL_WEB_HTTP_REFUSAL_H
#define CREEL_WEB_HTTP_REFUSAL_H

#include "web/http/site.h"

struct refusal {
    const char *message; /* a sentence */
    const char *header, *value;
};

/* Returns the refusal with STATUS (401, 429 or 503) of a user and password. */
struct refusal refusal_of_password(int status);
/* Returns the message if a request has not the scope NEEDED. WITH_PASSWORD: its user signed in by HTTP Basic
 * authentication; else with an access token. */
const char *refusal_of_scope(enum exchange_scope needed, bool with_password);

#endif

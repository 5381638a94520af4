/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h - which user a request is from (creel.http.auth), and what needs an authenticated one */
#ifndef CREEL_WEB_NET_IDENTITY_H
#define CREEL_WEB_NET_IDENTITY_H

#include "web/http/site.h"
#include "web/net/settings.h"

#define WEB_STATIC_USER "dr.who"        /* of requests that name no user, as in YARN */

/* For struct site; CONTEXT is the settings. */
int identity_find(void *settings, struct exchange *exchange, const char **user, bool *authenticated);

/* Does QUERY only read? Others need an authenticated user. */
bool identity_is_read(const Creel__Envelope *query);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h - determines the user of a request (creel.http.auth), and which requests need authentication */
#ifndef CREEL_WEB_NET_IDENTITY_H
#define CREEL_WEB_NET_IDENTITY_H

#include "web/http/site.h"
#include "web/net/settings.h"

#define WEB_STATIC_USER "dr.who" /* of requests that name no user, as in YARN */

/* Finds the user of EXCHANGE (callback of struct site). SETTINGS is a struct web_settings. */
int identity_find(void *settings, struct exchange *exchange, const char **user, bool *authenticated,
                  const char **reason);

/* Returns whether ADDRESS is in creel.http.proxy-addresses (callback of struct site). */
bool identity_is_proxy(void *settings, const char *address);
/* Returns whether USER may act for the user OTHER with the parameter doAs (callback of struct site). */
bool identity_may_act_for(void *settings, const char *user, const char *other);

/* Returns the scope of a token that QUERY needs: EXCHANGE_READ if it only reads, SUBMIT for
 * changes of applications. */
enum exchange_scope identity_needs(const Creel__Envelope *query);
/* Returns whether QUERY only reads. Other queries need an authenticated user. */
bool identity_is_read(const Creel__Envelope *query);
/* Returns whether QUERY, of a user or of creel-web itself, changes something. */
bool identity_is_change(const Creel__Envelope *query);

#endif

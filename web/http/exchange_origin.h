/* SPDX-License-Identifier: Apache-2.0 */
/* exchange_origin.h - the site that a request comes from, and the address that its client used */
#ifndef CREEL_WEB_HTTP_EXCHANGE_ORIGIN_H
#define CREEL_WEB_HTTP_EXCHANGE_ORIGIN_H

#include <stdbool.h>

#include "web/http/exchange.h"

/* Returns true if a page of another site, which is not allowed to, made the browser send this request.
 * Programs that are no browsers send neither Sec-Fetch-Site nor Origin. */
bool exchange_is_cross_site(struct exchange *exchange);
/* Adds the headers with which the browser passes the answer to a page of an allowed origin
 * (cross_origin.h). */
void exchange_allow_origin(struct exchange *exchange);
/* Sets how the client addressed a trusted proxy: exchange_host, exchange_client_is_secure. */
void exchange_read_forwarded(struct exchange *exchange);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* app_find.h - the application, attempt or container that a path names, or YARN's error about it */
#ifndef CREEL_WEB_REST_APP_FIND_H
#define CREEL_WEB_REST_APP_FIND_H

#include "common/base/id.h"
#include "web/http/exchange.h"

/* Of the first `*` of the route. NULL: has been answered with 400, 404 or 503. */
const Creel__AppReport *rest_find_app(struct exchange *exchange);
/* Of the second, an attempt of APP. False: has been answered. */
bool rest_find_attempt(struct exchange *exchange, const Creel__AppReport *app, struct attempt_id *ret);
/* The text of the I-th `*`, an id of a container. NULL: has been answered with 400. */
const char *rest_find_container(struct exchange *exchange, size_t i);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* app_find.h - finds the application, attempt or container in a request's path, or sends YARN's error */
#ifndef CREEL_WEB_REST_APP_FIND_H
#define CREEL_WEB_REST_APP_FIND_H

#include "common/base/id.h"
#include "web/http/exchange.h"

/* Returns the application that the first `*` of the route names (borrowed from the model). NULL: the function
 * answered with 400, 404 or 503. */
const Creel__AppReport *rest_find_app(struct exchange *exchange);
/* Reads the attempt of APP that the second `*` names. Returns false after answering with an error. */
bool rest_find_attempt(struct exchange *exchange, const Creel__AppReport *app, struct attempt_id *ret);
/* Returns the container id that the I-th `*` of the route names. NULL: the function answered with 400. */
const char *rest_find_container(struct exchange *exchange, size_t i);

#endif

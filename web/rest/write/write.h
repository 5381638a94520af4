/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - checks of all requests that change the cluster: authentication, origin, body
 *
 * The user must be authenticated: with an unverified user.name a request may only read. A request from a page
 * of another site is refused. The body is parsed as JSON or XML by its Content-Type.
 */
#ifndef CREEL_WEB_REST_WRITE_H
#define CREEL_WEB_REST_WRITE_H

#include "web/http/exchange.h"
#include "web/text/tree.h"

/* Returns whether the user may send changes; if not, answers with 401 or 403. Also answers with 503 and
 * returns false if the model is not complete yet, or too old (rest_model_is_recent). */
bool rest_may_write(struct exchange *exchange);
/* Returns the parsed body, whose root element is ROOT. NULL: the function answered with 400 or 415. */
const struct tree *rest_read_body(struct exchange *exchange, const char *root);
/* Reads the integer in child NAME. Returns false and leaves VALUE unchanged if the child is missing or
 * invalid. */
bool rest_tree_int(const struct tree *tree, const char *name, int64_t *value);
/* Returns whether REPLY is an error; if so, answers the request. If the user has no permission, the answer is
 * 403 with the text FORBIDDEN, unless FORBIDDEN is NULL. */
bool rest_write_failed(struct exchange *exchange, const Creel__Envelope *reply, const char *forbidden);

#endif

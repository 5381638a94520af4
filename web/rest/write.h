/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - what all requests that change something have in common
 *
 * The user must be authenticated: a claimed user.name is enough for reading only. A request that a page of
 * another site sent is refused. A body is read as what its Content-Type names.
 */
#ifndef CREEL_WEB_REST_WRITE_H
#define CREEL_WEB_REST_WRITE_H

#include "web/http/exchange.h"
#include "web/text/tree.h"

/* False: has been answered with 401 or 403. */
bool rest_may_write(struct exchange *exchange);
/* The body, whose root is called ROOT. NULL: has been answered with 400 or 415. */
const struct tree *rest_read_body(struct exchange *exchange, const char *root);
/* A whole number that a child has. False, and VALUE untouched: it has none, or another text. */
bool rest_tree_int(const struct tree *tree, const char *name, int64_t *value);
/* True: REPLY is an error, and has been answered: a refused permission with the bare text FORBIDDEN. */
bool rest_write_failed(struct exchange *exchange, const Creel__Envelope *reply, const char *forbidden);

#endif

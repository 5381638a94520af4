/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens.h - finds the users of access tokens at the resource manager, and remembers them for a short time
 *
 * After a token was found, it is valid for TOKENS_FRESH_MS without another request. Then the resource manager
 * is asked again; if it does not answer, the token remains valid until it expires. So a revoked token is
 * refused after at most TOKENS_FRESH_MS, unless the resource manager is down, in which case no token can
 * change anything. Only hashes of tokens are stored.
 */
#ifndef CREEL_WEB_NET_TOKENS_H
#define CREEL_WEB_NET_TOKENS_H

#include "common/upstream/upstream.h"
#include "web/http/site.h"

#define TOKENS_FRESH_MS 5000
#define TOKENS_MAX 10000 /* remembered at a time */

struct tokens;

/* UPSTREAM must exist until all requests of TOKENS are answered, but may be freed before TOKENS. */
struct tokens *tokens_new(struct upstream *upstream);
void tokens_free(struct tokens *tokens); /* NULL is allowed; no request may be unanswered */

/* Finds the user of TOKEN (callback of struct site). CONTEXT is the struct tokens. */
void tokens_find(void *context, const char *token, site_token_reply_fn *reply, void *reply_context);

#endif

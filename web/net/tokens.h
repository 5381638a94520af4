/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens.h - finds the users of access tokens at the resource manager, and remembers them for a short time
 *
 * A token that was found is used for TOKENS_FRESH_MS without another request. After that, and while the
 * resource manager does not answer, it is used until it expires. So a revoked token is refused after
 * TOKENS_FRESH_MS at most, unless the resource manager is away, when nothing can be changed anyway. Only
 * hashes are kept.
 */
#ifndef CREEL_WEB_NET_TOKENS_H
#define CREEL_WEB_NET_TOKENS_H

#include "web/net/upstream.h"

#define TOKENS_FRESH_MS 5000
#define TOKENS_MAX 10000 /* remembered at a time */

struct tokens;

/* UPSTREAM must exist until all requests of TOKENS are answered, but may be freed before TOKENS. */
struct tokens *tokens_new(struct upstream *upstream);
void tokens_free(struct tokens *tokens); /* NULL is allowed; after the last reply */

/* The hook of a site: CONTEXT is the struct tokens. */
void tokens_find(void *context, const char *token, site_token_reply_fn *reply, void *reply_context);

#endif

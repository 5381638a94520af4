/* SPDX-License-Identifier: Apache-2.0 */
/* tokens.c - users of access tokens, remembered by the hash of the token */
#include "web/net/tokens.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/keys/access_token.h"

struct known {
    UT_hash_handle hh; /* by hash */
    char hash[ACCESS_TOKEN_HASH_TEXT];
    char *user; /* owned */
    enum exchange_scope scope;
    int64_t expires_ms; /* monotonic clock, like fresh_until_ms */
    int64_t fresh_until_ms;
};

struct tokens {
    struct upstream *upstream;
    struct known *known; /* owned */
};

struct asking {
    struct tokens *tokens;
    char hash[ACCESS_TOKEN_HASH_TEXT];
    site_token_reply_fn *reply;
    void *context;
};

/* --- remembered tokens ------------------------------------------------------- */

static void forget(struct tokens *tokens, struct known *known)
{
    HASH_DEL(tokens->known, known);
    free(known->user);
    free(known);
}

static struct known *find(struct tokens *tokens, const char *hash)
{
    struct known *known;

    HASH_FIND_STR(tokens->known, hash, known);
    if (known == NULL || known->expires_ms > loop_monotonic_ms())
        return known;
    forget(tokens, known);
    return NULL;
}

static struct known *remember(struct tokens *tokens, const char *hash, const Creel__AccessToken *token)
{
    struct known *known = find(tokens, hash);
    int64_t left_ms = token->expires_ms - (int64_t)time(NULL) * 1000;

    if (known != NULL)
        forget(tokens, known);
    while (HASH_COUNT(tokens->known) >= TOKENS_MAX)
        forget(tokens, tokens->known); /* the first of the table is the oldest */
    known = mem_new0(struct known);
    memcpy(known->hash, hash, sizeof(known->hash));
    known->user = mem_strdup(token->user);
    known->scope = token->scope == CREEL__ACCESS_SCOPE__ACCESS_ADMIN    ? EXCHANGE_ADMIN
                   : token->scope == CREEL__ACCESS_SCOPE__ACCESS_SUBMIT ? EXCHANGE_SUBMIT
                                                                        : EXCHANGE_READ;
    known->expires_ms = loop_monotonic_ms() + left_ms;
    known->fresh_until_ms = loop_monotonic_ms() + TOKENS_FRESH_MS;
    HASH_ADD_STR(tokens->known, hash, known);
    return known;
}

/* --- requests ---------------------------------------------------------------- */

static void return_known(const struct known *known, site_token_reply_fn *reply, void *context)
{
    const struct site_token found = {
        known->user,
        known->scope,
        known->expires_ms - loop_monotonic_ms(),
    };

    reply(context, 0, &found);
}

static bool is_refusal(const Creel__Envelope *reply)
{
    return reply->body_case == CREEL__ENVELOPE__BODY_ERROR &&
           reply->error->code == CREEL__ERROR_CODE__ERROR_NOT_FOUND;
}

static void handle_reply(void *context, const Creel__Envelope *reply)
{
    struct asking *asking = context;
    struct known *known = find(asking->tokens, asking->hash);
    const Creel__AccessToken *token = NULL;

    if (reply->body_case == CREEL__ENVELOPE__BODY_ACCESS_TOKEN_LIST &&
        reply->access_token_list->n_tokens == 1)
        token = reply->access_token_list->tokens[0];
    if (token != NULL) {
        return_known(remember(asking->tokens, asking->hash, token), asking->reply, asking->context);
    } else if (is_refusal(reply)) {
        if (known != NULL)
            forget(asking->tokens, known);
        asking->reply(asking->context, 401, NULL);
    } else if (known != NULL) {
        return_known(known, asking->reply, asking->context);
    } else {
        asking->reply(asking->context, 503, NULL);
    }
    free(asking);
}

void tokens_find(void *context, const char *token, site_token_reply_fn *reply, void *reply_context)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__FindAccessToken body = CREEL__FIND_ACCESS_TOKEN__INIT;
    char hash[ACCESS_TOKEN_HASH_TEXT];
    struct tokens *tokens = context;
    struct asking *asking;
    struct known *known;

    if (!access_token_hash(token, hash)) {
        reply(reply_context, 401, NULL);
        return;
    }
    known = find(tokens, hash);
    if (known != NULL && known->fresh_until_ms > loop_monotonic_ms()) {
        return_known(known, reply, reply_context);
        return;
    }
    asking = mem_new0(struct asking);
    *asking = (struct asking){ .tokens = tokens, .reply = reply, .context = reply_context };
    memcpy(asking->hash, hash, sizeof(hash));
    body.hash = asking->hash;
    query.body_case = CREEL__ENVELOPE__BODY_FIND_ACCESS_TOKEN;
    query.find_access_token = &body;
    upstream_ask(tokens->upstream, &query, handle_reply, asking);
}

/* --- life -------------------------------------------------------------------- */

struct tokens *tokens_new(struct upstream *upstream)
{
    struct tokens *tokens = mem_new0(struct tokens);

    tokens->upstream = upstream;
    return tokens;
}

void tokens_free(struct tokens *tokens)
{
    if (tokens == NULL)
        return;
    while (tokens->known != NULL)
        forget(tokens, tokens->known);
    free(tokens);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* tokens.c - requests about access tokens */
#include <stdlib.h>
#include <string.h>

#include "client/include/creel-admin.h"
#include "client/libcreel/request.h"
#include "client/libcreel/result.h"
#include "common/io/keys/access_token.h"

#define ID_DIGITS 12

CREEL_EXPORT
const char *creel_token_scope_name(enum creel_token_scope scope)
{
    static const char *const names[] = {
        [CREEL_TOKEN_READ] = "read",
        [CREEL_TOKEN_SUBMIT] = "submit",
        [CREEL_TOKEN_ADMIN] = "admin",
    };

    return (size_t)scope < sizeof(names) / sizeof(names[0]) ? names[scope] : "UNKNOWN";
}

/* Shows the tokens of a page. Shortens their hashes to ids. */
static void show_page(struct creel_tokens *shown, const Creel__AccessTokenList *list)
{
    for (size_t i = 0; i < list->n_tokens; i++) {
        Creel__AccessToken *token = list->tokens[i];

        if (strlen(token->hash) > ID_DIGITS)
            token->hash[ID_DIGITS] = '\0';
        shown->items[shown->count++] = (struct creel_token){
            .id = token->hash,
            .user = token->user,
            .note = token->note,
            .scope = (enum creel_token_scope)token->scope,
            .created_ms = token->created_ms,
            .expires_ms = token->expires_ms,
        };
    }
}

/* Takes PAGES. */
static struct creel_tokens *show(struct pages *pages)
{
    struct creel_tokens *shown = RESULT_NEW(struct creel_tokens, pages);
    const struct pages *all = result_pages(shown);
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++)
        count += all->items[i]->access_token_list->n_tokens;
    shown->items = RESULT_ARRAY(shown, count, struct creel_token);
    for (size_t i = 0; i < all->count; i++)
        show_page(shown, all->items[i]->access_token_list);
    return shown;
}

static bool next_tokens(Creel__Envelope *request, const Creel__Envelope *reply)
{
    if (request->body_case != CREEL__ENVELOPE__BODY_LIST_ACCESS_TOKENS)
        return false;
    request->list_access_tokens->first = reply->access_token_list->next;
    return request->list_access_tokens->first != 0;
}

/* Sends BODY, a message of KIND, which is answered by an AccessTokenList. */
static int ask(struct creel_client *client, Creel__Envelope__BodyCase kind, void *body,
               struct creel_tokens **ret, struct creel_error *error)
{
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r = request_pages(client, kind, body, ANSWER(ACCESS_TOKEN_LIST), next_tokens, &pages, &err);

    if (r == 0)
        *ret = show(&pages);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
int creel_token_create(struct creel_client *client, enum creel_token_scope scope, int64_t valid_ms,
                       const char *note, struct creel_tokens **ret, struct creel_error *error)
{
    Creel__CreateAccessToken create = CREEL__CREATE_ACCESS_TOKEN__INIT;
    char secret[ACCESS_TOKEN_TEXT], hash[ACCESS_TOKEN_HASH_TEXT];
    char *kept;
    int r;

    access_token_make(secret);
    if (!access_token_hash(secret, hash))
        abort(); /* it was made in the line above */
    create.hash = hash;
    create.scope = (Creel__AccessScope)scope;
    create.valid_ms = valid_ms;
    create.note = (char *)(uintptr_t)(note != NULL ? note : "");
    r = ask(client, REQUEST(CREATE_ACCESS_TOKEN, &create), ret, error);
    if (r < 0)
        return r;
    if ((*ret)->count > 0) {
        kept = RESULT_ARRAY(*ret, sizeof(secret), char);
        memcpy(kept, secret, sizeof(secret));
        (*ret)->items[0].secret = kept;
    }
    return 0;
}

CREEL_EXPORT
int creel_token_list(struct creel_client *client, bool all, struct creel_tokens **ret,
                     struct creel_error *error)
{
    Creel__ListAccessTokens list = CREEL__LIST_ACCESS_TOKENS__INIT;

    list.all = all;
    return ask(client, REQUEST(LIST_ACCESS_TOKENS, &list), ret, error);
}

CREEL_EXPORT
int creel_token_revoke(struct creel_client *client, const char *id, struct creel_tokens **ret,
                       struct creel_error *error)
{
    Creel__RevokeAccessToken revoke = CREEL__REVOKE_ACCESS_TOKEN__INIT;

    revoke.id = (char *)(uintptr_t)id;
    return ask(client, REQUEST(REVOKE_ACCESS_TOKEN, &revoke), ret, error);
}

CREEL_EXPORT
void creel_tokens_free(struct creel_tokens *tokens)
{
    for (size_t i = 0; tokens != NULL && i < tokens->count; i++)
        if (tokens->items[i].secret != NULL)
            explicit_bzero((char *)(uintptr_t)tokens->items[i].secret, ACCESS_TOKEN_TEXT);
    result_free(tokens);
}

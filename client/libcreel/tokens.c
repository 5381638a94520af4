/* SPDX-License-Identifier: Apache-2.0 */
/* tokens.c - requests about access tokens */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/include/creel-admin.h"
#include "client/libcreel/client.h"
#include "client/libcreel/reports.h"
#include "common/base/mem.h"
#include "common/io/access_token.h"
#include "common/io/wire.h"

#define ID_DIGITS 12

struct tokens_box {
    struct creel_tokens shown; /* first member: callers have a pointer to it */
    struct pages pages;
    char secret[ACCESS_TOKEN_TEXT];
};

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
static void show_page(struct tokens_box *box, const Creel__AccessTokenList *list)
{
    for (size_t i = 0; i < list->n_tokens; i++) {
        Creel__AccessToken *token = list->tokens[i];

        if (strlen(token->hash) > ID_DIGITS)
            token->hash[ID_DIGITS] = '\0';
        box->shown.items[box->shown.count++] = (struct creel_token){
            .id = token->hash,
            .user = token->user,
            .note = token->note,
            .scope = (enum creel_token_scope)token->scope,
            .created_ms = token->created_ms,
            .expires_ms = token->expires_ms,
        };
    }
}

static void show(struct tokens_box *box)
{
    size_t count = 0;

    for (size_t i = 0; i < box->pages.count; i++)
        count += box->pages.items[i]->access_token_list->n_tokens;
    box->shown.items = mem_array0(count + 1, sizeof(*box->shown.items));
    for (size_t i = 0; i < box->pages.count; i++)
        show_page(box, box->pages.items[i]->access_token_list);
}

static bool next_tokens(Creel__Envelope *request, const Creel__Envelope *reply)
{
    if (request->body_case != CREEL__ENVELOPE__BODY_LIST_ACCESS_TOKENS)
        return false;
    request->list_access_tokens->first = reply->access_token_list->next;
    return request->list_access_tokens->first != 0;
}

/* Sends a request that is answered by an AccessTokenList. */
static int ask(struct creel_client *client, Creel__Envelope *request, struct creel_tokens **ret,
               struct creel_error *error)
{
    struct tokens_box *box = mem_new0(struct tokens_box);
    struct err err = { 0 };
    int r = pages_fetch(client, request, 0, CREEL__ENVELOPE__BODY_ACCESS_TOKEN_LIST, next_tokens, &box->pages,
                        &err);

    if (r < 0) {
        creel_tokens_free(&box->shown);
        return client_set_error(error, &err, r);
    }
    show(box);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
int creel_token_create(struct creel_client *client, enum creel_token_scope scope, int64_t valid_ms,
                       const char *note, struct creel_tokens **ret, struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__CreateAccessToken create = CREEL__CREATE_ACCESS_TOKEN__INIT;
    char secret[ACCESS_TOKEN_TEXT], hash[ACCESS_TOKEN_HASH_TEXT];
    struct tokens_box *box;
    int r;

    access_token_make(secret);
    if (!access_token_hash(secret, hash))
        abort(); /* it was made in the line above */
    create.hash = hash;
    create.scope = (Creel__AccessScope)scope;
    create.valid_ms = valid_ms;
    create.note = (char *)(uintptr_t)(note != NULL ? note : "");
    request.body_case = CREEL__ENVELOPE__BODY_CREATE_ACCESS_TOKEN;
    request.create_access_token = &create;
    r = ask(client, &request, ret, error);
    if (r < 0)
        return r;
    box = (struct tokens_box *)(void *)*ret;
    memcpy(box->secret, secret, sizeof(secret));
    if (box->shown.count > 0)
        box->shown.items[0].secret = box->secret;
    return 0;
}

CREEL_EXPORT
int creel_token_list(struct creel_client *client, bool all, struct creel_tokens **ret,
                     struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__ListAccessTokens list = CREEL__LIST_ACCESS_TOKENS__INIT;

    list.all = all;
    request.body_case = CREEL__ENVELOPE__BODY_LIST_ACCESS_TOKENS;
    request.list_access_tokens = &list;
    return ask(client, &request, ret, error);
}

CREEL_EXPORT
int creel_token_revoke(struct creel_client *client, const char *id, struct creel_tokens **ret,
                       struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__RevokeAccessToken revoke = CREEL__REVOKE_ACCESS_TOKEN__INIT;

    revoke.id = (char *)(uintptr_t)id;
    request.body_case = CREEL__ENVELOPE__BODY_REVOKE_ACCESS_TOKEN;
    request.revoke_access_token = &revoke;
    return ask(client, &request, ret, error);
}

CREEL_EXPORT
void creel_tokens_free(struct creel_tokens *tokens)
{
    struct tokens_box *box = (struct tokens_box *)(void *)tokens;

    if (!box)
        return;
    explicit_bzero(box->secret, sizeof(box->secret));
    pages_done(&box->pages);
    free(box->shown.items);
    free(box);
}

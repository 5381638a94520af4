/* SPDX-License-Identifier: Apache-2.0 */
/* joins.c - requests about join tokens, and hosts that have joined with them */
#include "client/include/creel-admin.h"
#include "client/libcreel/request.h"
#include "client/libcreel/result.h"

static void copy_page(const Creel__JoinList *list, struct creel_joins *ret)
{
    for (size_t i = 0; i < list->n_tokens; i++)
        ret->tokens[ret->token_count++] = (struct creel_join_token){
            .id = list->tokens[i]->id,
            .by = list->tokens[i]->by,
            .uses = list->tokens[i]->uses,
            .used = list->tokens[i]->used,
            .created_ms = list->tokens[i]->created_ms,
            .expires_ms = list->tokens[i]->expires_ms,
        };
    for (size_t i = 0; i < list->n_hosts; i++)
        ret->hosts[ret->host_count++] = (struct creel_joined_host){
            .host = list->hosts[i]->host,
            .token = list->hosts[i]->token,
            .since_ms = list->hosts[i]->since_ms,
        };
}

/* Takes PAGES. */
static struct creel_joins *show(struct pages *pages)
{
    struct creel_joins *joins = RESULT_NEW(struct creel_joins, pages);
    const struct pages *all = result_pages(joins);
    size_t tokens = 0, hosts = 0;

    for (size_t i = 0; i < all->count; i++) {
        tokens += all->items[i]->join_list->n_tokens;
        hosts += all->items[i]->join_list->n_hosts;
    }
    joins->tokens = RESULT_ARRAY(joins, tokens, struct creel_join_token);
    joins->hosts = RESULT_ARRAY(joins, hosts, struct creel_joined_host);
    for (size_t i = 0; i < all->count; i++)
        copy_page(all->items[i]->join_list, joins);
    return joins;
}

static bool next_joins(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->list_join_tokens->first = reply->join_list->next;
    return request->list_join_tokens->first != 0;
}

/* Sends BODY, a message of KIND, then requests the pages of the list after that of the reply. */
static int ask(struct creel_client *client, Creel__Envelope__BodyCase kind, void *body,
               struct creel_joins **ret, struct creel_error *error)
{
    Creel__ListJoinTokens list = CREEL__LIST_JOIN_TOKENS__INIT;
    Creel__Envelope more = request_of(REQUEST(LIST_JOIN_TOKENS, &list));
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r = request_pages(client, kind, body, ANSWER(JOIN_LIST), NULL, &pages, &err);

    if (r == 0 && next_joins(&more, pages.items[0]))
        r = pages_fetch(client, &more, 0, ANSWER(JOIN_LIST), next_joins, &pages, &err);
    if (r == 0)
        *ret = show(&pages);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
int creel_join_token_create(struct creel_client *client, const struct creel_join_token_spec *spec,
                            struct creel_joins **ret, struct creel_error *error)
{
    Creel__CreateJoinToken create = CREEL__CREATE_JOIN_TOKEN__INIT;

    create.id = (char *)(uintptr_t)spec->id;
    create.public_key = (char *)(uintptr_t)spec->public_key;
    create.uses = spec->uses;
    create.valid_ms = spec->valid_ms;
    return ask(client, REQUEST(CREATE_JOIN_TOKEN, &create), ret, error);
}

CREEL_EXPORT
int creel_join_list(struct creel_client *client, struct creel_joins **ret, struct creel_error *error)
{
    Creel__ListJoinTokens list = CREEL__LIST_JOIN_TOKENS__INIT;

    return ask(client, REQUEST(LIST_JOIN_TOKENS, &list), ret, error);
}

CREEL_EXPORT
int creel_join_revoke(struct creel_client *client, const char *name, struct creel_joins **ret,
                      struct creel_error *error)
{
    Creel__RevokeJoin revoke = CREEL__REVOKE_JOIN__INIT;

    revoke.name = (char *)(uintptr_t)name;
    return ask(client, REQUEST(REVOKE_JOIN, &revoke), ret, error);
}

CREEL_EXPORT
void creel_joins_free(struct creel_joins *joins)
{
    result_free(joins);
}

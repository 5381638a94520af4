/* SPDX-License-Identifier: Apache-2.0 */
/* joins.c - requests about join tokens, and hosts that have joined with them */
#include <stdlib.h>

#include "client/include/creel-admin.h"
#include "client/libcreel/client.h"
#include "client/libcreel/reports.h"
#include "common/base/mem.h"
#include "common/io/wire.h"

struct joins_box {
    struct creel_joins shown; /* first member: callers have a pointer to it */
    struct pages pages;
};

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

static void copy_pages(struct joins_box *box)
{
    size_t tokens = 0, hosts = 0;

    for (size_t i = 0; i < box->pages.count; i++) {
        tokens += box->pages.items[i]->join_list->n_tokens;
        hosts += box->pages.items[i]->join_list->n_hosts;
    }
    box->shown.tokens = mem_array0(tokens + 1, sizeof(*box->shown.tokens));
    box->shown.hosts = mem_array0(hosts + 1, sizeof(*box->shown.hosts));
    for (size_t i = 0; i < box->pages.count; i++)
        copy_page(box->pages.items[i]->join_list, &box->shown);
}

static bool next_joins(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->list_join_tokens->first = reply->join_list->next;
    return request->list_join_tokens->first != 0;
}

/* Sends REQUEST, then requests the pages of the list after that of the reply. */
static int get_pages(struct creel_client *client, Creel__Envelope *request, struct pages *pages,
                     struct err *err)
{
    Creel__Envelope more = CREEL__ENVELOPE__INIT, *reply;
    Creel__ListJoinTokens list = CREEL__LIST_JOIN_TOKENS__INIT;
    int r = client_call(client, request, CREEL__ENVELOPE__BODY_JOIN_LIST, client->timeout_ms, &reply, err);

    if (r == 0)
        r = pages_add(pages, reply, err);
    more.body_case = CREEL__ENVELOPE__BODY_LIST_JOIN_TOKENS;
    more.list_join_tokens = &list;
    if (r < 0 || !next_joins(&more, reply))
        return r;
    return pages_fetch(client, &more, 0, CREEL__ENVELOPE__BODY_JOIN_LIST, next_joins, pages, err);
}

static int ask(struct creel_client *client, Creel__Envelope *request, struct creel_joins **ret,
               struct creel_error *error)
{
    struct joins_box *box = mem_new0(struct joins_box);
    struct err err = { 0 };
    int r = get_pages(client, request, &box->pages, &err);

    if (r < 0) {
        creel_joins_free(&box->shown);
        return client_set_error(error, &err, r);
    }
    copy_pages(box);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
int creel_join_token_create(struct creel_client *client, const struct creel_join_token_spec *spec,
                            struct creel_joins **ret, struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__CreateJoinToken create = CREEL__CREATE_JOIN_TOKEN__INIT;

    create.id = (char *)(uintptr_t)spec->id;
    create.public_key = (char *)(uintptr_t)spec->public_key;
    create.uses = spec->uses;
    create.valid_ms = spec->valid_ms;
    request.body_case = CREEL__ENVELOPE__BODY_CREATE_JOIN_TOKEN;
    request.create_join_token = &create;
    return ask(client, &request, ret, error);
}

CREEL_EXPORT
int creel_join_list(struct creel_client *client, struct creel_joins **ret, struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__ListJoinTokens list = CREEL__LIST_JOIN_TOKENS__INIT;

    request.body_case = CREEL__ENVELOPE__BODY_LIST_JOIN_TOKENS;
    request.list_join_tokens = &list;
    return ask(client, &request, ret, error);
}

CREEL_EXPORT
int creel_join_revoke(struct creel_client *client, const char *name, struct creel_joins **ret,
                      struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__RevokeJoin revoke = CREEL__REVOKE_JOIN__INIT;

    revoke.name = (char *)(uintptr_t)name;
    request.body_case = CREEL__ENVELOPE__BODY_REVOKE_JOIN;
    request.revoke_join = &revoke;
    return ask(client, &request, ret, error);
}

CREEL_EXPORT
void creel_joins_free(struct creel_joins *joins)
{
    struct joins_box *box = (struct joins_box *)(void *)joins;

    if (!box)
        return;
    pages_done(&box->pages);
    free(box->shown.tokens);
    free(box->shown.hosts);
    free(box);
}

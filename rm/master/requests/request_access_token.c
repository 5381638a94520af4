/* SPDX-License-Identifier: Apache-2.0 */
/* request_access_token.c - requests: create, list, revoke and find access tokens */
#include <errno.h>
#include <string.h>

#include "rm/master/requests.h"
#include "rm/master/services/access_token.h"
#include "rm/master/services/authz.h"
#include "rm/master/state/effects.h"

#define ID_DIGITS_MIN 8
#define PAGE_BYTES_MAX ((size_t)256 << 10) /* of the tokens of a page, except the last one */

static Creel__Envelope *list_envelope(struct master *m, const Creel__Envelope *in,
                                      Creel__AccessTokenList *list)
{
    Creel__Envelope *envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_ACCESS_TOKEN_LIST);

    envelope->access_token_list = list;
    return envelope;
}

static Creel__AccessTokenList *list_of(struct master *m, Creel__AccessToken *token)
{
    Creel__AccessTokenList *list = arena_new0(m->out->arena, Creel__AccessTokenList);

    creel__access_token_list__init(list);
    list->tokens = arena_array0(m->out->arena, 1, sizeof(*list->tokens));
    list->tokens[list->n_tokens++] = token;
    return list;
}

/* A command that gets an error does not print the token, so nobody can use it. */
static void reply_created(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                          Creel__AccessToken *token)
{
    rm_send_created(m, peer, list_envelope(m, in, list_of(m, token)),
                    arena_printf(m->out->arena, "access token %.*s", ID_DIGITS_MIN, token->hash),
                    rm_access_token_remove, token->hash);
}

/* --- changes ----------------------------------------------------------------- */

void rm_on_create_access_token(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                               const char *user)
{
    const Creel__CreateAccessToken *body = in->create_access_token;
    struct err err = { .text = "" };
    int r = rm_access_token_add(m, body, user, strcmp(user, peer->principal) != 0, &err);

    if (r < 0)
        rm_reply_error(m, peer, in->request_id, rm_error_code(r), "%s", err.text);
    else
        reply_created(m, peer, in, rm_access_token_find(m, body->hash));
}

/* Returns the token of LIST whose hash begins with ID. NULL: there is none or more than one; ERR has the
 * reason. */
static Creel__AccessToken *find_by_id(const Creel__AccessTokenList *list, const char *id, struct err *err)
{
    Creel__AccessToken *found = NULL;

    if (strlen(id) < ID_DIGITS_MIN) {
        err_set(err, EINVAL, "token %s: expected at least %d digits of its id", id, ID_DIGITS_MIN);
        return NULL;
    }
    for (size_t i = 0; i < list->n_tokens; i++) {
        if (strncmp(list->tokens[i]->hash, id, strlen(id)) != 0)
            continue;
        if (found != NULL) {
            err_set(err, EINVAL, "token %s: two tokens begin with that: give more digits", id);
            return NULL;
        }
        found = list->tokens[i];
    }
    if (found == NULL)
        err_set(err, ENOENT, "token %s: there is none with this id: creel token list shows yours", id);
    return found;
}

void rm_on_revoke_access_token(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                               const char *user)
{
    bool all = rm_authz_cluster(m, user, AUTHZ_CHANGE_CLUSTER);
    struct err err = { .text = "" };
    Creel__AccessToken *token =
        find_by_id(rm_access_token_list(m, all ? NULL : user), in->revoke_access_token->id, &err);

    if (token == NULL) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    rm_access_token_remove(m, token->hash);
    rm_send_changed(m, peer, m->store_seq, list_envelope(m, in, list_of(m, token)), "the token is revoked");
}

/* --- queries ------------------------------------------------------------------- */

/* Reduces LIST to a page that begins with token FIRST. */
static void reduce_to_page(Creel__AccessTokenList *list, uint32_t first)
{
    size_t all = list->n_tokens, begin = first < all ? first : all, end = begin, bytes = 0;

    while (end < all && bytes < PAGE_BYTES_MAX)
        bytes += creel__access_token__get_packed_size(list->tokens[end++]);
    list->tokens += begin;
    list->n_tokens = end - begin;
    list->next = end < all ? (uint32_t)end : 0;
}

Creel__Envelope *rm_query_access_tokens(struct master *m, const char *user, const Creel__Envelope *in)
{
    bool all = in->list_access_tokens->all;
    Creel__AccessTokenList *list;
    struct err err;

    if (all && rm_authz_check_cluster(m, user, AUTHZ_CHANGE_CLUSTER, &err) < 0)
        return rm_error_envelope(m, in->request_id, &err);
    list = rm_access_token_list(m, all ? NULL : user);
    reduce_to_page(list, in->list_access_tokens->first);
    return list_envelope(m, in, list);
}

Creel__Envelope *rm_query_access_token(struct master *m, const char *user, const Creel__Envelope *in)
{
    Creel__AccessToken *token;
    struct err err;

    if (rm_authz_check_cluster(m, user, AUTHZ_FIND_TOKENS, &err) < 0)
        return rm_error_envelope(m, in->request_id, &err);
    token = rm_access_token_find(m, in->find_access_token->hash);
    if (token == NULL) {
        err_set(&err, ENOENT, "there is no such token, or it has expired");
        return rm_error_envelope(m, in->request_id, &err);
    }
    if (!rm_access_token_has_user(m, token)) {
        err_set(&err, ENOENT, "user %s has no certificate any more, so this token is not valid", token->user);
        return rm_error_envelope(m, in->request_id, &err);
    }
    return list_envelope(m, in, list_of(m, token));
}

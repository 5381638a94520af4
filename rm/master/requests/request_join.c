/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_join.c - requests: make, list and revoke join tokens; a host joins with one
 *
 * A token is a CURVE key pair. The resource manager keeps the public key; the administrator passes the secret
 * key to the host (common/io/keys/join_token.h). A token stays in the list until KEEP_MS after its expiry, so
 * that
 * the log can name it.
 */
#include <errno.h>
#include <string.h>

#include "rm/master/requests.h"
#include "rm/master/requests/step.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/rows.h"
#include "rm/master/state/settings.h"

#define TOKENS_MAX 1000
#define PAGE_BYTES_MAX ((size_t)256 << 10) /* of the rows of a page, except the last one */
#define KEEP_MS ((int64_t)7 * 24 * 3600 * 1000)
#define ID_DIGITS 8

static bool is_a(const struct setting *setting, const char *kind)
{
    return setting && text_equal(setting->kind, kind);
}

/* --- the list ----------------------------------------------------------------- */

static Creel__JoinToken *token_message(struct master *m, const struct setting *setting)
{
    Creel__JoinToken *token = arena_new0(m->out->arena, Creel__JoinToken);

    creel__join_token__init(token);
    token->id = rm_message_text(m->out->arena, setting->name);
    token->by = rm_message_text(m->out->arena, setting->by);
    token->uses = setting->uses;
    token->used = setting->used;
    token->created_ms = setting->since_ms;
    token->expires_ms = setting->expires_ms;
    return token;
}

static Creel__JoinedHost *host_message(struct master *m, const struct setting *setting)
{
    Creel__JoinedHost *host = arena_new0(m->out->arena, Creel__JoinedHost);

    creel__joined_host__init(host);
    host->host = rm_message_text(m->out->arena, setting->name);
    host->token = rm_message_text(m->out->arena, setting->by);
    host->since_ms = setting->since_ms;
    return host;
}

/* Adds SETTING to LIST. Returns the size of the new row. */
static size_t add_row(struct master *m, const struct setting *setting, Creel__JoinList *list)
{
    if (is_a(setting, SETTING_JOIN_TOKEN)) {
        Creel__JoinToken *token = token_message(m, setting);

        list->tokens[list->n_tokens++] = token;
        return creel__join_token__get_packed_size(token);
    }
    list->hosts[list->n_hosts++] = host_message(m, setting);
    return creel__joined_host__get_packed_size(list->hosts[list->n_hosts - 1]);
}

/* Returns a page of the list of tokens and joined hosts that begins with row FIRST, or only the token ONLY if
 * that is not NULL. */
static Creel__Envelope *list_envelope(struct master *m, uint64_t request_id, const struct setting *only,
                                      uint32_t first)
{
    uint32_t row = 0;
    size_t bytes = 0;
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_JOIN_LIST);
    size_t room = (size_t)HASH_CNT(by_key, m->join_keys);
    Creel__JoinList *list = arena_new0(m->out->arena, Creel__JoinList);
    struct setting *setting, *next;

    creel__join_list__init(list);
    list->tokens = arena_array0(m->out->arena, room, sizeof(*list->tokens));
    list->hosts = arena_array0(m->out->arena, room, sizeof(*list->hosts));
    HASH_ITER(by_key, m->join_keys, setting, next) {
        if ((only && setting != only) || row++ < first)
            continue;
        if (bytes > PAGE_BYTES_MAX) {
            list->next = row - 1;
            break;
        }
        bytes += add_row(m, setting, list);
    }
    envelope->join_list = list;
    return envelope;
}

static void remove_token(struct master *m, const char *id)
{
    struct setting *token = rm_setting_find(m, SETTING_JOIN_TOKEN, id);

    if (token != NULL)
        rm_setting_forget(m, token);
}

/* A command that gets an error does not print the token, so nobody can use it. */
static void reply_created(struct master *m, const struct master_peer *peer, uint64_t request_id,
                          const struct setting *token)
{
    rm_send_created(m, peer, list_envelope(m, request_id, token, 0),
                    arena_printf(m->out->arena, "join token %s", token->name), remove_token, token->name);
}

void rm_on_list_join_tokens(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                            const char *user)
{
    (void)user;
    rm_reply_to(m, peer, list_envelope(m, in->request_id, NULL, in->list_join_tokens->first));
}

/* --- tokens ------------------------------------------------------------------- */

static bool is_id(const char *text)
{
    return strlen(text) == ID_DIGITS && strspn(text, "0123456789abcdef") == ID_DIGITS;
}

/* Removes tokens that expired more than KEEP_MS ago. Returns the number of remaining tokens. */
static size_t drop_old(struct master *m)
{
    struct setting *setting, *next;
    size_t count = 0;

    HASH_ITER(by_key, m->join_keys, setting, next) {
        if (!is_a(setting, SETTING_JOIN_TOKEN))
            continue;
        if (m->now_ms - setting->expires_ms > KEEP_MS)
            rm_setting_forget(m, setting);
        else
            count++;
    }
    return count;
}

void rm_on_create_join_token(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                             const char *user)
{
    const Creel__CreateJoinToken *body = in->create_join_token;
    struct setting *setting = rm_setting_find(m, SETTING_JOIN_TOKEN, body->id);

    if (setting && text_equal(setting->value, body->public_key)) { /* the request is repeated */
        reply_created(m, peer, in->request_id, setting);
        return;
    }
    if (!is_id(body->id) || setting || rm_setting_of_key(m, body->public_key)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                       "%s: a join token needs a new id of %d hexadecimal digits, and a new key", body->id,
                       ID_DIGITS);
        return;
    }
    if (drop_old(m) >= TOKENS_MAX) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "there are %d join tokens already: creel token revoke --join removes one", TOKENS_MAX);
        return;
    }
    setting = rm_setting_put_key(m, SETTING_JOIN_TOKEN, body->id, body->public_key, user);
    setting->uses = body->uses;
    setting->expires_ms = m->now_ms + body->valid_ms;
    rm_store_setting(m, setting, false);
    reply_created(m, peer, in->request_id, setting);
}

void rm_on_revoke_join(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                       const char *user)
{
    const char *name = in->revoke_join->name;
    struct setting *setting = rm_setting_find(m, SETTING_JOIN_TOKEN, name);

    (void)user;
    if (setting == NULL)
        setting = rm_setting_find(m, SETTING_JOINED_HOST, name);
    if (setting == NULL) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_FOUND,
                       "%s: is no join token, and no host that has joined: creel token list --join", name);
        return;
    }
    rm_setting_forget(m, setting);
    rm_send_changed(m, peer, m->store_seq, list_envelope(m, in->request_id, NULL, 0),
                    arena_printf(m->out->arena, "%s is revoked", name));
}

/* --- a host joins --------------------------------------------------------------- */

/* Returns true if HOST is a valid host name, and not the name of another certificate. */
static bool is_host(const char *host)
{
    return *host && *host != '.' && *host != '-' && !text_equal(host, "default") &&
           strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") == strlen(host);
}

static int judge_token(const struct master *m, const struct setting *token, struct err *err)
{
    if (is_a(token, SETTING_JOIN_TOKEN) && token->used < token->uses && token->expires_ms > m->now_ms)
        return 0;
    return err_set(err, EPERM,
                   "the resource manager does not accept this token: it has expired, is used "
                   "up or revoked, or is of another cluster: creel token create --join");
}

static int judge(const struct master *m, const struct setting *token, const Creel__JoinNode *body,
                 struct err *err)
{
    const struct setting *joined = rm_setting_find(m, SETTING_JOINED_HOST, body->host);
    int r = judge_token(m, token, err);

    if (r < 0)
        return r;
    if (!is_host(body->host))
        return err_set(err, EINVAL, "%s: is no name of a host", body->host);
    if (joined)
        return err_set(err, EEXIST,
                       "%s has joined already: if it was installed again, creel token revoke "
                       "--join %s",
                       body->host, body->host);
    if (rm_setting_of_key(m, body->public_key))
        return err_set(err, EEXIST, "%s: its key has joined already", body->host);
    return 0;
}

void rm_on_join_node(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const Creel__JoinNode *body = in->join_node;
    struct setting *token = rm_setting_find(m, SETTING_JOIN_TOKEN, peer->principal);
    struct setting *joined = rm_setting_find(m, SETTING_JOINED_HOST, body->host);
    struct err err = { .text = "" };
    bool repeated =
        joined && text_equal(joined->value, body->public_key) && text_equal(joined->by, peer->principal);

    if (!repeated && judge(m, token, body, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    if (!repeated && rm_store_refusal(m) != NULL) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_STORE,
                       "%s cannot join now, because the resource manager cannot write its state: %s",
                       body->host, rm_store_refusal(m));
        return;
    }
    if (!repeated) {
        token->used++;
        rm_store_setting(m, token, false);
        joined = rm_setting_put_key(m, SETTING_JOINED_HOST, body->host, body->public_key, token->name);
        rm_store_setting(m, joined, false);
    }
    /* A command that gets an error removes the keys that it made. */
    rm_send_changed_ok(m, peer, in->request_id,
                       arena_printf(m->out->arena,
                                    "host %s has joined, but its keys are removed there (creel token revoke "
                                    "--join %s lets it join again)",
                                    body->host, body->host));
}

void rm_on_join_identity(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const struct setting *token = rm_setting_find(m, SETTING_JOIN_TOKEN, peer->principal);
    Creel__Envelope *envelope;
    struct err err = { .text = "" };

    if (judge_token(m, token, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_IDENTITY);
    envelope->identity = arena_new0(m->out->arena, Creel__Identity);
    creel__identity__init(envelope->identity);
    envelope->identity->user = rm_message_text(m->out->arena, peer->principal);
    envelope->identity->method = rm_message_text(m->out->arena, "join-token");
    rm_reply_to(m, peer, envelope);
}

static const char *name_of(const struct master *m, const char *kind, const char *public_text)
{
    const struct setting *setting = rm_setting_of_key(m, public_text);

    return is_a(setting, kind) ? setting->name : NULL;
}

const char *master_join_token(const struct master *m, const char *public_text)
{
    return name_of(m, SETTING_JOIN_TOKEN, public_text);
}

const char *master_joined_host(const struct master *m, const char *public_text)
{
    return name_of(m, SETTING_JOINED_HOST, public_text);
}

bool master_has_joined(const struct master *m, const char *host)
{
    return rm_setting_find(m, SETTING_JOINED_HOST, host) != NULL;
}

/* --- the copy of the list in the key directory ------------------------------------ */

void master_each_joined_host(const struct master *m,
                             void (*each)(void *context, const struct master_joined *joined), void *context)
{
    const struct setting *setting;

    for (setting = m->join_keys; setting != NULL; setting = setting->by_key.next) {
        const struct master_joined joined = { setting->name, setting->value, setting->by, setting->since_ms };

        if (is_a(setting, SETTING_JOINED_HOST))
            each(context, &joined);
    }
}

bool master_adopt_host(struct master *m, int64_t now_ms, const struct master_joined *joined,
                       struct master_effects *effects)
{
    struct setting *setting;

    if (!is_host(joined->host) || rm_setting_find(m, SETTING_JOINED_HOST, joined->host) ||
        rm_setting_of_key(m, joined->public_key))
        return false;
    rm_step_begin(m, now_ms, effects);
    setting = rm_setting_put_key(m, SETTING_JOINED_HOST, joined->host, joined->public_key, joined->token);
    setting->since_ms = joined->since_ms;
    rm_store_setting(m, setting, false);
    rm_step_end(m);
    return true;
}

bool master_remove_host(struct master *m, int64_t now_ms, const char *host, int64_t since_ms,
                        struct master_effects *effects)
{
    struct setting *setting = rm_setting_find(m, SETTING_JOINED_HOST, host);

    if (setting == NULL || setting->since_ms > since_ms)
        return false;
    rm_step_begin(m, now_ms, effects);
    rm_setting_forget(m, setting);
    rm_step_end(m);
    return true;
}

bool master_changes_joined_hosts(const struct master_effect *effect)
{
    return effect->kind == MASTER_STORE_SETTING && text_equal(effect->setting->kind, SETTING_JOINED_HOST);
}

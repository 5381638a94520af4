/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_token.c - access tokens, kept as settings
 *
 * The fields of the setting: name is the hash, value "SCOPE EXPIRES_MS" ("submit 1790000000000"), before the
 * note, by the user, since_ms the time of creation.
 */
#include "rm/master/services/access_token.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/master/state/copy.h"
#include "rm/master/state/settings.h"

#define HASH_DIGITS 64

static const char *const scopes[] = {
    [CREEL__ACCESS_SCOPE__ACCESS_READ] = "read",
    [CREEL__ACCESS_SCOPE__ACCESS_SUBMIT] = "submit",
    [CREEL__ACCESS_SCOPE__ACCESS_ADMIN] = "admin",
};

#define LENT " lent"
#define SCOPES (sizeof(scopes) / sizeof(scopes[0]))

static bool is_hash(const char *text)
{
    return strlen(text) == HASH_DIGITS && strspn(text, "0123456789abcdef") == HASH_DIGITS;
}

/* VALUE is "SCOPE EXPIRY", or "SCOPE EXPIRY lent" for a token that a proxy user made for its user. */
static bool read_value(const char *value, Creel__AccessScope *scope, int64_t *expires_ms)
{
    size_t length = strcspn(value, " ");
    char number[32];

    for (size_t i = 0; i < SCOPES; i++) {
        if (strlen(scopes[i]) != length || strncmp(scopes[i], value, length) != 0)
            continue;
        *scope = (Creel__AccessScope)i;
        if (value[length] != ' ')
            return false;
        snprintf(number, sizeof(number), "%.*s", (int)strcspn(value + length + 1, " "), value + length + 1);
        return text_parse_int64(number, expires_ms);
    }
    return false;
}

/* Returns SETTING as a message. NULL: SETTING is no access token, is invalid, or has expired. */
static Creel__AccessToken *message_of(struct master *m, const struct setting *setting)
{
    struct arena *arena = m->out->arena;
    Creel__AccessScope scope;
    Creel__AccessToken *token;
    int64_t expires_ms;

    if (!text_equal(setting->kind, SETTING_ACCESS_TOKEN) || setting->by == NULL ||
        !read_value(setting->value, &scope, &expires_ms) || expires_ms <= m->now_ms)
        return NULL;
    token = arena_new0(arena, Creel__AccessToken);
    creel__access_token__init(token);
    token->hash = rm_message_text(arena, setting->name);
    token->user = rm_message_text(arena, setting->by);
    token->note = rm_message_text(arena, setting->before);
    token->scope = scope;
    token->created_ms = setting->since_ms;
    token->expires_ms = expires_ms;
    return token;
}

Creel__AccessToken *rm_access_token_find(struct master *m, const char *hash)
{
    struct setting *setting = rm_setting_find(m, SETTING_ACCESS_TOKEN, hash);

    return setting != NULL ? message_of(m, setting) : NULL;
}

bool rm_access_token_has_user(struct master *m, const Creel__AccessToken *token)
{
    const struct setting *setting = rm_setting_find(m, SETTING_ACCESS_TOKEN, token->hash);

    return m->config.has_credential == NULL || (setting != NULL && text_has_suffix(setting->value, LENT)) ||
           m->config.has_credential(m->config.context, token->user);
}

static int compare(const void *left, const void *right)
{
    const Creel__AccessToken *a = *(Creel__AccessToken *const *)left;
    const Creel__AccessToken *b = *(Creel__AccessToken *const *)right;

    if (a->created_ms != b->created_ms)
        return a->created_ms > b->created_ms ? -1 : 1;
    return strcmp(a->hash, b->hash);
}

Creel__AccessTokenList *rm_access_token_list(struct master *m, const char *user)
{
    Creel__AccessTokenList *list = arena_new0(m->out->arena, Creel__AccessTokenList);
    struct setting *setting, *next;

    creel__access_token_list__init(list);
    list->tokens = arena_array0(m->out->arena, HASH_COUNT(m->settings) + 1, sizeof(*list->tokens));
    HASH_ITER(hh, m->settings, setting, next) {
        Creel__AccessToken *token = message_of(m, setting);

        if (token != NULL && (user == NULL || text_equal(token->user, user)))
            list->tokens[list->n_tokens++] = token;
    }
    qsort(list->tokens, list->n_tokens, sizeof(*list->tokens), compare);
    return list;
}

/* Removes expired and invalid tokens. Returns the number of remaining tokens, and in *OF_USER the number of
 * remaining tokens of USER. */
static size_t remove_expired(struct master *m, const char *user, size_t *of_user)
{
    struct setting *setting, *next;
    size_t count = 0;

    *of_user = 0;
    HASH_ITER(hh, m->settings, setting, next) {
        if (!text_equal(setting->kind, SETTING_ACCESS_TOKEN))
            continue;
        if (message_of(m, setting) == NULL) {
            rm_setting_forget(m, setting);
            continue;
        }
        count++;
        *of_user += text_equal(setting->by, user);
    }
    return count;
}

int rm_access_token_add(struct master *m, const Creel__CreateAccessToken *spec, const char *user, bool lent,
                        struct err *err)
{
    size_t count, of_user;
    char value[64];

    if (!is_hash(spec->hash))
        return err_set(err, EINVAL, "hash: expected %d hexadecimal digits", HASH_DIGITS);
    if (rm_setting_find(m, SETTING_ACCESS_TOKEN, spec->hash) != NULL)
        return err_set(err, EEXIST, "there is a token with this hash: create another one");
    count = remove_expired(m, user, &of_user);
    if (of_user >= ACCESS_TOKENS_OF_USER_MAX)
        return err_set(err, EDQUOT, "user %s has %d tokens: revoke one first (creel token list)", user,
                       ACCESS_TOKENS_OF_USER_MAX);
    if (count >= ACCESS_TOKENS_MAX)
        return err_set(err, EDQUOT, "the users of this cluster have %d tokens: revoke one first",
                       ACCESS_TOKENS_MAX);
    snprintf(value, sizeof(value), "%s %" PRId64 "%s", scopes[spec->scope], m->now_ms + spec->valid_ms,
             lent ? LENT : "");
    rm_setting_put(m, SETTING_ACCESS_TOKEN, spec->hash, value, spec->note, user);
    return 0;
}

void rm_access_token_remove(struct master *m, const char *hash)
{
    struct setting *setting = rm_setting_find(m, SETTING_ACCESS_TOKEN, hash);

    if (setting != NULL)
        rm_setting_forget(m, setting);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_token.h - tokens by which users are authenticated outside of ZeroMQ (creel-web)
 *
 * A token is a setting (settings.h) whose name is the hash of the token; the token itself is not known here.
 * A token that has expired, or whose row is not valid, counts as absent. It is removed when the next token
 * is created.
 */
#ifndef CREEL_RM_MASTER_ACCESS_TOKEN_H
#define CREEL_RM_MASTER_ACCESS_TOKEN_H

#include "rm/master/state.h"

#define ACCESS_TOKENS_OF_USER_MAX 100
#define ACCESS_TOKENS_MAX 10000

/* Returns the token with HASH, in the step's arena; NULL: there is none, or it has expired. */
Creel__AccessToken *rm_access_token_find(struct master *m, const char *hash);
/* Returns the tokens of USER (NULL: of all users) that have not expired, the newest first. */
Creel__AccessTokenList *rm_access_token_list(struct master *m, const char *user);

/* Returns true if the user of TOKEN still has a credential of its own (master_config.has_credential), or a
 * proxy user made the token for it. Else the token must not be accepted. */
bool rm_access_token_has_user(struct master *m, const Creel__AccessToken *token);

/* Adds a token of USER, after removing expired tokens. LENT: a proxy user makes it for USER. -EINVAL: the
 * hash is malformed; -EEXIST: a token with this hash exists; -EDQUOT: too many tokens. */
int rm_access_token_add(struct master *m, const Creel__CreateAccessToken *spec, const char *user, bool lent,
                        struct err *err);
void rm_access_token_remove(struct master *m, const char *hash);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* master_access_token.c - test: access tokens are created, found, listed, revoked, and expire */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rm/master/services/access_token.h"
#include "tests/unit/master/master_harness.h"

#define BODY(name) CREEL__ENVELOPE__BODY_##name
#define CLIENT 77
#define HOUR_MS 3600000

struct world {
    struct harness h;
};

static int setup(void **state)
{
    static struct world w;

    harness_init(&w.h);
    w.h.config.acl_enable = true;
    w.h.config.admin_users = "adm";
    w.h.config.proxy_users = "creel-web";
    harness_start(&w.h);
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    harness_done(&((struct world *)*state)->h);
    return 0;
}

/* A hash that begins with NUMBER in eight digits. */
static char *hash_of(unsigned number)
{
    static char text[65];

    snprintf(text, sizeof(text), "%08x%056d", number, 0);
    return text;
}

static const Creel__Envelope *ask(struct world *w, const char *user, Creel__Envelope *envelope)
{
    const Creel__Envelope *reply = harness_ask(&w->h, MASTER_CLIENT, CLIENT, user, envelope);

    if (reply == NULL) {
        harness_commit(&w->h);
        reply = harness_find_reply(&w->h, CLIENT, envelope->request_id);
    }
    assert_non_null(reply);
    return reply;
}

/* The result is for the next call of `ask` alone. */
static Creel__Envelope *create_envelope(struct world *w, char *hash, Creel__AccessScope scope)
{
    static const Creel__CreateAccessToken empty = CREEL__CREATE_ACCESS_TOKEN__INIT;
    static Creel__CreateAccessToken body;
    Creel__Envelope *envelope = harness_envelope(&w->h, BODY(CREATE_ACCESS_TOKEN));
    static char note[] = "for the browser";

    body = empty;
    body.hash = hash;
    body.scope = scope;
    body.valid_ms = HOUR_MS;
    body.note = note;
    envelope->create_access_token = &body;
    return envelope;
}

static const Creel__Envelope *create(struct world *w, const char *user, char *hash, Creel__AccessScope scope)
{
    return ask(w, user, create_envelope(w, hash, scope));
}

static const Creel__Envelope *find(struct world *w, const char *user, char *hash)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, BODY(FIND_ACCESS_TOKEN));
    Creel__FindAccessToken body = CREEL__FIND_ACCESS_TOKEN__INIT;

    body.hash = hash;
    envelope->find_access_token = &body;
    return ask(w, user, envelope);
}

static const Creel__Envelope *list(struct world *w, const char *user, bool all)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, BODY(LIST_ACCESS_TOKENS));
    Creel__ListAccessTokens body = CREEL__LIST_ACCESS_TOKENS__INIT;

    body.all = all;
    envelope->list_access_tokens = &body;
    return ask(w, user, envelope);
}

static const Creel__Envelope *revoke_token(struct world *w, const char *user, const char *id)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, BODY(REVOKE_ACCESS_TOKEN));
    Creel__RevokeAccessToken body = CREEL__REVOKE_ACCESS_TOKEN__INIT;

    body.id = (char *)(uintptr_t)id;
    envelope->revoke_access_token = &body;
    return ask(w, user, envelope);
}

static void assert_error(const Creel__Envelope *reply, Creel__ErrorCode code)
{
    assert_int_equal(reply->body_case, BODY(ERROR));
    assert_int_equal(reply->error->code, code);
}

static size_t count(const Creel__Envelope *reply)
{
    assert_int_equal(reply->body_case, BODY(ACCESS_TOKEN_LIST));
    return reply->access_token_list->n_tokens;
}

static void creel_web_finds_the_user_of_a_token(void **state)
{
    struct world *w = *state;
    const Creel__AccessToken *token;

    assert_int_equal(count(create(w, "ann", hash_of(1), CREEL__ACCESS_SCOPE__ACCESS_SUBMIT)), 1);
    assert_int_equal(count(find(w, "creel-web", hash_of(1))), 1);
    token = find(w, "creel-web", hash_of(1))->access_token_list->tokens[0];
    assert_string_equal(token->user, "ann");
    assert_string_equal(token->note, "for the browser");
    assert_int_equal(token->scope, CREEL__ACCESS_SCOPE__ACCESS_SUBMIT);
    assert_int_equal(token->expires_ms - token->created_ms, HOUR_MS);
    assert_error(find(w, "creel-web", hash_of(2)), CREEL__ERROR_CODE__ERROR_NOT_FOUND);
    assert_error(find(w, "bob", hash_of(1)), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    harness_restart(&w->h);
    assert_int_equal(count(find(w, "creel-web", hash_of(1))), 1);
}

static bool only_bob_has_one(void *context, const char *user)
{
    (void)context;
    return strcmp(user, "bob") == 0;
}

static void a_token_ends_with_the_credential_of_its_user(void **state)
{
    struct world *w = *state;
    Creel__Envelope *lent;

    assert_int_equal(count(create(w, "ann", hash_of(1), CREEL__ACCESS_SCOPE__ACCESS_READ)), 1);
    assert_int_equal(count(create(w, "bob", hash_of(2), CREEL__ACCESS_SCOPE__ACCESS_READ)), 1);
    lent = create_envelope(w, hash_of(3), CREEL__ACCESS_SCOPE__ACCESS_READ);
    lent->as_user = (char[]){ "ann" };
    assert_int_equal(count(ask(w, "creel-web", lent)), 1); /* a proxy user */
    w->h.config.has_credential = only_bob_has_one;
    harness_restart(&w->h);
    assert_error(find(w, "creel-web", hash_of(1)), CREEL__ERROR_CODE__ERROR_NOT_FOUND);
    assert_int_equal(count(find(w, "creel-web", hash_of(2))), 1);
    assert_int_equal(count(find(w, "creel-web", hash_of(3))), 1);
    assert_int_equal(count(list(w, "ann", false)), 2);
}

static void a_token_expires(void **state)
{
    struct world *w = *state;

    create(w, "ann", hash_of(1), CREEL__ACCESS_SCOPE__ACCESS_READ);
    harness_tick(&w->h, HOUR_MS - 1);
    assert_int_equal(count(find(w, "creel-web", hash_of(1))), 1);
    harness_tick(&w->h, 1);
    assert_error(find(w, "creel-web", hash_of(1)), CREEL__ERROR_CODE__ERROR_NOT_FOUND);
    assert_int_equal(count(list(w, "ann", false)), 0);
    create(w, "ann", hash_of(2), CREEL__ACCESS_SCOPE__ACCESS_READ); /* removes the expired one */
    assert_int_equal(count(create(w, "ann", hash_of(1), CREEL__ACCESS_SCOPE__ACCESS_READ)), 1);
}

static void users_see_and_revoke_their_own_tokens(void **state)
{
    struct world *w = *state;

    create(w, "ann", hash_of(1), CREEL__ACCESS_SCOPE__ACCESS_READ);
    harness_tick(&w->h, 1000);
    create(w, "ann", hash_of(2), CREEL__ACCESS_SCOPE__ACCESS_READ);
    create(w, "bob", hash_of(3), CREEL__ACCESS_SCOPE__ACCESS_READ);
    assert_int_equal(count(list(w, "ann", false)), 2);
    assert_string_equal(list(w, "ann", false)->access_token_list->tokens[0]->hash, hash_of(2));
    assert_error(list(w, "ann", true), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    assert_int_equal(count(list(w, "adm", true)), 3);
    assert_error(revoke_token(w, "bob", "00000001"), CREEL__ERROR_CODE__ERROR_NOT_FOUND);
    assert_error(revoke_token(w, "ann", "0000000"), CREEL__ERROR_CODE__ERROR_BAD_REQUEST);
    assert_int_equal(count(revoke_token(w, "ann", "00000001")), 1);
    assert_int_equal(count(revoke_token(w, "adm", hash_of(3))), 1);
    assert_int_equal(count(list(w, "adm", true)), 1);
    harness_restart(&w->h);
    assert_int_equal(count(list(w, "adm", true)), 1);
    assert_error(find(w, "creel-web", hash_of(1)), CREEL__ERROR_CODE__ERROR_NOT_FOUND);
}

static void a_malformed_token_is_refused(void **state)
{
    struct world *w = *state;
    static char word[] = "secret";
    unsigned i;

    assert_error(create(w, "ann", word, CREEL__ACCESS_SCOPE__ACCESS_READ),
                 CREEL__ERROR_CODE__ERROR_BAD_REQUEST);
    assert_int_equal(count(create(w, "adm", hash_of(1), CREEL__ACCESS_SCOPE__ACCESS_READ)), 1);
    assert_int_equal(create(w, "bob", hash_of(1), CREEL__ACCESS_SCOPE__ACCESS_READ)->body_case, BODY(ERROR));
    for (i = 2; i < 2 + ACCESS_TOKENS_OF_USER_MAX; i++)
        assert_int_equal(count(create(w, "ann", hash_of(i), CREEL__ACCESS_SCOPE__ACCESS_READ)), 1);
    assert_error(create(w, "ann", hash_of(i), CREEL__ACCESS_SCOPE__ACCESS_READ),
                 CREEL__ERROR_CODE__ERROR_BAD_STATE);
    assert_int_equal(count(create(w, "bob", hash_of(i), CREEL__ACCESS_SCOPE__ACCESS_READ)), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(creel_web_finds_the_user_of_a_token),
        TEST(a_token_ends_with_the_credential_of_its_user),
        TEST(a_token_expires),
        TEST(users_see_and_revoke_their_own_tokens),
        TEST(a_malformed_token_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* web_tokens.c - test: creel-web finds the users of tokens at the resource manager, and remembers them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/io/keys/access_token.h"
#include "web/net/tokens.h"

/* The resource manager: takes the place of upstream.c. */
static struct {
    const char *user; /* of every token; NULL: there is none */
    Creel__AccessScope scope;
    bool away;
    int asked;
    char hash[80]; /* of the last request */
} rm;

void upstream_ask(struct upstream *upstream, const Creel__Envelope *query, site_reply_fn *reply,
                  void *context)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;
    Creel__AccessToken token = CREEL__ACCESS_TOKEN__INIT, *tokens[] = { &token };
    Creel__AccessTokenList list = CREEL__ACCESS_TOKEN_LIST__INIT;

    (void)upstream;
    assert_int_equal(query->body_case, CREEL__ENVELOPE__BODY_FIND_ACCESS_TOKEN);
    assert_string_equal(query->as_user, "");
    rm.asked++;
    snprintf(rm.hash, sizeof(rm.hash), "%s", query->find_access_token->hash);
    if (rm.user != NULL && !rm.away) {
        token.user = (char *)(uintptr_t)rm.user;
        token.scope = rm.scope;
        token.expires_ms = (int64_t)time(NULL) * 1000 + 3600000;
        list.tokens = tokens;
        list.n_tokens = 1;
        envelope.body_case = CREEL__ENVELOPE__BODY_ACCESS_TOKEN_LIST;
        envelope.access_token_list = &list;
    } else {
        error.code = rm.away ? CREEL__ERROR_CODE__ERROR_UNAVAILABLE : CREEL__ERROR_CODE__ERROR_NOT_FOUND;
        error.message = (char *)(uintptr_t) "";
        envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
        envelope.error = &error;
    }
    reply(context, &envelope);
}

struct scene {
    struct tokens *tokens;
    char token[ACCESS_TOKEN_TEXT];
    char text[64]; /* "STATUS USER SCOPE" of the last reply */
};

static int set_up(void **state)
{
    static struct scene scene;

    memset(&rm, 0, sizeof(rm));
    scene.tokens = tokens_new(NULL);
    access_token_make(scene.token);
    *state = &scene;
    return 0;
}

static int tear_down(void **state)
{
    tokens_free(((struct scene *)*state)->tokens);
    return 0;
}

static void note_reply(void *context, int status, const struct site_token *found)
{
    struct scene *scene = context;

    if (status != 0)
        snprintf(scene->text, sizeof(scene->text), "%d", status);
    else
        snprintf(scene->text, sizeof(scene->text), "%s %d", found->user, (int)found->scope);
    assert_true(status != 0 || (found->left_ms > 3590000 && found->left_ms <= 3601000));
}

static const char *find(struct scene *scene, const char *token)
{
    strcpy(scene->text, "no reply");
    tokens_find(scene->tokens, token, note_reply, scene);
    return scene->text;
}

static void a_user_is_found_once_and_remembered(void **state)
{
    struct scene *scene = *state;
    char hash[ACCESS_TOKEN_HASH_TEXT];

    rm.user = "ann";
    rm.scope = CREEL__ACCESS_SCOPE__ACCESS_SUBMIT;
    assert_string_equal(find(scene, scene->token), "ann 1");
    assert_true(access_token_hash(scene->token, hash));
    assert_string_equal(rm.hash, hash);
    rm.away = true;
    assert_string_equal(find(scene, scene->token), "ann 1");
    assert_int_equal(rm.asked, 1);
}

static void each_scope_has_its_rights(void **state)
{
    struct scene *scene = *state;

    rm.user = "ann";
    rm.scope = CREEL__ACCESS_SCOPE__ACCESS_ADMIN;
    assert_string_equal(find(scene, scene->token), "ann 2");
    access_token_make(scene->token);
    rm.scope = CREEL__ACCESS_SCOPE__ACCESS_READ;
    assert_string_equal(find(scene, scene->token), "ann 0");
}

static void unknown_token_is_refused_and_not_remembered(void **state)
{
    struct scene *scene = *state;

    assert_string_equal(find(scene, "no token"), "401");
    assert_string_equal(find(scene, ""), "401");
    assert_int_equal(rm.asked, 0);
    assert_string_equal(find(scene, scene->token), "401");
    rm.away = true;
    assert_string_equal(find(scene, scene->token), "503");
    rm.away = false;
    rm.user = "ann";
    assert_string_equal(find(scene, scene->token), "ann 0");
    assert_int_equal(rm.asked, 3);
}

static void the_number_of_remembered_tokens_is_bounded(void **state)
{
    struct scene *scene = *state;
    char first[ACCESS_TOKEN_TEXT];

    rm.user = "ann";
    memcpy(first, scene->token, sizeof(first));
    find(scene, first);
    for (int i = 0; i < TOKENS_MAX; i++) {
        access_token_make(scene->token);
        find(scene, scene->token);
    }
    assert_int_equal(rm.asked, TOKENS_MAX + 1);
    find(scene, scene->token);
    assert_int_equal(rm.asked, TOKENS_MAX + 1);
    find(scene, first); /* its place was needed */
    assert_int_equal(rm.asked, TOKENS_MAX + 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_user_is_found_once_and_remembered),
        TEST(each_scope_has_its_rights),
        TEST(unknown_token_is_refused_and_not_remembered),
        TEST(the_number_of_remembered_tokens_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

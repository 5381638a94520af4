/* SPDX-License-Identifier: Apache-2.0 */
/* web_identity.c - which user a request of creel-web is from */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "web/net/identity.h"

static void show_user(struct exchange *exchange)
{
    const char *text = arena_printf(exchange_arena(exchange), "%s%s", exchange_user(exchange),
                                    exchange_is_authenticated(exchange) ? " authenticated" : "");

    exchange_answer(exchange, 200, "text/plain", text, strlen(text));
}

static void refuse(struct exchange *exchange, int status, const char *message)
{
    const char *text = arena_printf(exchange_arena(exchange), "%d %s", status, message);

    exchange_answer(exchange, status, "text/plain", text, strlen(text));
}

static void ignore(void *context)
{
    (void)context;
}

static const struct route routes[] = {
    { "GET", "/", show_user },
    { "GET", "/ws/v1/x", show_user },
    { NULL, NULL, NULL },
};
static const struct route_table tables[] = { { routes, "/", refuse } };

/* Settings with one trusted proxy, 127.0.0.1. */
static struct web_settings settings_with(enum web_auth auth)
{
    return (struct web_settings){
        .auth = auth,
        .proxies = { (char *)(uintptr_t) "127.0.0.1" },
        .proxy_count = 1,
        .user_header = (char *)(uintptr_t) "X-Remote-User",
    };
}

static struct site site_of(struct web_settings *settings)
{
    return (struct site){
        .tables = tables,
        .table_count = 1,
        .identify = identity_find,
        .identify_context = settings,
        .static_user = WEB_STATIC_USER,
    };
}

static void user_is_taken_from_the_trusted_setting(void **state)
{
    static const struct {
        enum web_auth auth;
        const char *peer, *target, *header, *expected; /* NULL: 403 */
    } cases[] = {
        { WEB_AUTH_NONE, "10.0.0.9", "/", NULL, "dr.who" },
        { WEB_AUTH_NONE, "10.0.0.9", "/?user.name=ann", NULL, "ann" },
        { WEB_AUTH_NONE, "10.0.0.9", "/?user.name=ann%20x", NULL, "dr.who" },
        { WEB_AUTH_NONE, "10.0.0.9", "/?user.name=", NULL, "dr.who" },
        { WEB_AUTH_NONE, "127.0.0.1", "/", "root", "dr.who" },
        { WEB_AUTH_PROXY, "127.0.0.1", "/", "ann", "ann authenticated" },
        { WEB_AUTH_PROXY, "127.0.0.1", "/?user.name=bob", "ann", "ann authenticated" },
        { WEB_AUTH_PROXY, "127.0.0.1", "/?user.name=bob", NULL, "dr.who" },
        { WEB_AUTH_PROXY, "127.0.0.1", "/", "", "dr.who" },
        { WEB_AUTH_PROXY, "10.0.0.9", "/", "root", "dr.who" },
        { WEB_AUTH_PROXY, "127.0.0.1", "/", "ann, root", NULL },
        { WEB_AUTH_PROXY, "127.0.0.1", "/", "a b", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct web_settings settings = settings_with(cases[i].auth);
        struct site site = site_of(&settings);
        struct name_value header = { "x-remote-user", cases[i].header };
        struct request_text text = {
            .method = "GET",
            .target = cases[i].target,
            .peer = cases[i].peer,
            .headers = &header,
            .header_count = cases[i].header != NULL,
            .body = "",
        };
        struct exchange *exchange = site_serve(&site, &text, ignore, NULL);
        const struct answer *answer = site_answer(exchange);

        if (cases[i].expected == NULL) {
            assert_int_equal(answer->status, 403);
            assert_non_null(memmem(answer->bytes, answer->size, "header X-Remote-User", 20));
        } else if (answer->size != strlen(cases[i].expected) ||
                   memcmp(answer->bytes, cases[i].expected, answer->size) != 0)
            fail_msg("case %zu: %.*s, expected %s", i, (int)answer->size, (const char *)answer->bytes,
                     cases[i].expected);
        site_end(exchange);
    }
}

/* Checks the user of a request for TARGET with COOKIE, and whether the answer sets YARN's cookie to SET.
 * EXPECTED NULL: the answer is 404. */
static void check_cookie(enum web_auth auth, const char *target, const char *cookie, const char *expected,
                         const char *set)
{
    struct web_settings settings = { .auth = auth };
    struct site site = {
        .tables = tables,
        .table_count = 1,
        .identify = identity_find,
        .identify_context = &settings,
        .static_user = WEB_STATIC_USER,
    };
    struct name_value header = { "Cookie", cookie };
    struct request_text text = {
        .method = "GET",
        .target = target,
        .peer = "10.0.0.9",
        .headers = &header,
        .header_count = cookie != NULL,
        .body = "",
    };
    struct exchange *exchange = site_serve(&site, &text, ignore, NULL);
    const struct answer *answer = site_answer(exchange);
    const char *sent = NULL;

    for (size_t i = 0; i < answer->header_count; i++)
        if (strcmp(answer->headers[i].name, "Set-Cookie") == 0)
            sent = answer->headers[i].value;
    if (expected != NULL) {
        assert_int_equal(answer->status, 200);
        assert_int_equal(answer->size, strlen(expected));
        assert_memory_equal(answer->bytes, expected, answer->size);
    } else {
        assert_int_equal(answer->status, 404);
    }
    if (set == NULL)
        assert_null(sent);
    else
        assert_string_equal(sent, set);
    site_end(exchange);
}

static void cookie_of_yarn_names_a_user_for_reading(void **state)
{
    (void)state;
    check_cookie(WEB_AUTH_NONE, "/?user.name=ann", NULL, "ann",
                 "hadoop.auth=\"u=ann&p=ann&t=simple\"; Path=/ws; HttpOnly; SameSite=Strict");
    check_cookie(WEB_AUTH_NONE, "/", "hadoop.auth=\"u=ann&p=ann&t=simple\"", "ann", NULL);
    check_cookie(WEB_AUTH_NONE, "/", "a=b; hadoop.auth=u=ann&p=ann&t=simple-dt&e=1&s=x", "ann", NULL);
    check_cookie(WEB_AUTH_NONE, "/?user.name=bob", "hadoop.auth=u=ann", "bob",
                 "hadoop.auth=\"u=bob&p=bob&t=simple\"; Path=/ws; HttpOnly; SameSite=Strict");
    check_cookie(WEB_AUTH_NONE, "/", "hadoop.auth=ann", "dr.who", NULL);
    check_cookie(WEB_AUTH_NONE, "/", "hadoop.auth=\"\"", "dr.who", NULL);
    check_cookie(WEB_AUTH_NONE, "/", "hadoop.auth=u=&p=ann", "dr.who", NULL);
    check_cookie(WEB_AUTH_NONE, "/", "hadoop.auth=u=a%20b", "dr.who", NULL);
    check_cookie(WEB_AUTH_NONE, "/?user.name=a%22b", NULL, "a\"b", NULL); /* no name for a cookie */
    /* yarn-api-client sends its first request as GET, to get the cookie, whatever the method is */
    check_cookie(WEB_AUTH_NONE, "/none?user.name=ann", NULL, NULL,
                 "hadoop.auth=\"u=ann&p=ann&t=simple\"; Path=/ws; HttpOnly; SameSite=Strict");
    check_cookie(WEB_AUTH_TOKEN, "/none?user.name=ann", NULL, NULL, NULL);
    check_cookie(WEB_AUTH_TOKEN, "/?user.name=ann", "hadoop.auth=u=ann", "dr.who", NULL);
    check_cookie(WEB_AUTH_PROXY, "/", "hadoop.auth=u=ann", "dr.who", NULL);
}

static void simple_believes_trusted_addresses(void **state)
{
    static const struct {
        const char *peer, *host, *target, *expected;
    } cases[] = {
        { "127.0.0.1", "127.0.0.1:8088", "/ws/v1/x?user.name=ann", "ann authenticated" },
        { "127.0.0.1", "[::1]:8088", "/ws/v1/x?user.name=ann", "ann authenticated" },
        { "127.0.0.1", "localhost", "/ws/v1/x?user.name=ann", "ann authenticated" },
        { "127.0.0.1", "RM.example.org:8088", "/ws/v1/x?user.name=ann", "ann authenticated" },
        { "127.0.0.1", NULL, "/ws/v1/x?user.name=ann", "ann authenticated" },
        { "127.0.0.1", "10.0.0.1", "/ws/v1/x", "dr.who authenticated" }, /* as in YARN */
        { "127.0.0.1", "evil.example.org:8088", "/ws/v1/x?user.name=ann", "ann" },
        { "127.0.0.1", "10.evil.example.org", "/ws/v1/x?user.name=ann", "ann" },
        { "10.0.0.9", "10.0.0.1", "/ws/v1/x?user.name=ann", "ann" },
        { "127.0.0.1", "10.0.0.1", "/?user.name=ann", "ann" }, /* a page */
        { "127.0.0.1", "10.0.0.1", "/ws/v1/x?user.name=a%20b", "403 user.name is not the name of a user." },
        { "127.0.0.1", "10.0.0.1", "/ws/v1/x?user.name=hue&doAs=ann", "ann authenticated" },
        { "127.0.0.1", "10.0.0.1", "/ws/v1/x?user.name=hue&doas=ann", "ann authenticated" },
        { "127.0.0.1", "10.0.0.1", "/ws/v1/x?user.name=hue&doAs=", "hue authenticated" },
        { "127.0.0.1", "10.0.0.1", "/ws/v1/x?user.name=bob&doAs=bob", "bob authenticated" },
        { "127.0.0.1", "10.0.0.1", "/ws/v1/x?user.name=bob&doAs=ann",
          "403 User: bob is not allowed to impersonate ann (creel.security.proxy-users)" },
        { "127.0.0.1", "10.0.0.1", "/ws/v1/x?user.name=hue&doAs=a,b",
          "403 User: hue is not allowed to impersonate a,b (creel.security.proxy-users)" },
        { "10.0.0.9", "10.0.0.1", "/ws/v1/x?user.name=hue&doAs=ann", "hue" },
    };
    struct web_settings settings = {
        .auth = WEB_AUTH_SIMPLE,
        .address = (char *)(uintptr_t) "rm.example.org:8088",
        .proxies = { (char *)(uintptr_t) "127.0.0.1" },
        .proxy_count = 1,
        .impersonators = { (char *)(uintptr_t) "hue" },
        .impersonator_count = 1,
    };
    struct site site = {
        .tables = tables,
        .table_count = 1,
        .identify = identity_find,
        .identify_context = &settings,
        .may_act_for = identity_may_act_for,
        .act_context = &settings,
        .static_user = WEB_STATIC_USER,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct name_value header = { "Host", cases[i].host };
        struct request_text text = {
            .method = "GET",
            .target = cases[i].target,
            .peer = cases[i].peer,
            .headers = &header,
            .header_count = cases[i].host != NULL,
            .body = "",
        };
        struct exchange *exchange = site_serve(&site, &text, ignore, NULL);
        const struct answer *answer = site_answer(exchange);

        if (answer->size != strlen(cases[i].expected) ||
            memcmp(answer->bytes, cases[i].expected, answer->size) != 0)
            fail_msg("case %zu: %.*s, expected %s", i, (int)answer->size, (const char *)answer->bytes,
                     cases[i].expected);
        site_end(exchange);
    }
}

static void certificates_name_users_in_every_setting(void **state)
{
    static const struct {
        enum web_auth auth;
        const char *user, *problem, *header, *expected;
    } cases[] = {
        { WEB_AUTH_NONE, "ann", NULL, NULL, "ann authenticated" },
        { WEB_AUTH_TOKEN, "ann", NULL, NULL, "ann authenticated" },
        { WEB_AUTH_SIMPLE, "ann", NULL, NULL, "ann authenticated" },
        { WEB_AUTH_PROXY, "proxy", NULL, NULL, "dr.who" },
        { WEB_AUTH_PROXY, "proxy", NULL, "bob", "bob authenticated" },
        { WEB_AUTH_NONE, NULL, NULL, NULL, "carl" },
        { WEB_AUTH_NONE, NULL, "has expired", NULL, "403 The certificate of the client has expired." },
        { WEB_AUTH_NONE, "a b", NULL, NULL,
          "403 The certificate of the client has a common name that is not the name of a user." },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct web_settings settings = settings_with(cases[i].auth);
        struct site site = site_of(&settings);
        struct name_value header = { "X-Remote-User", cases[i].header };
        struct request_text text = {
            .method = "GET",
            .target = "/ws/v1/x?user.name=carl",
            .peer = "127.0.0.1",
            .headers = &header,
            .header_count = cases[i].header != NULL,
            .body = "",
            .certificate_user = cases[i].user,
            .certificate_problem = cases[i].problem,
        };
        struct exchange *exchange = site_serve(&site, &text, ignore, NULL);
        const struct answer *answer = site_answer(exchange);

        if (answer->size != strlen(cases[i].expected) ||
            memcmp(answer->bytes, cases[i].expected, answer->size) != 0)
            fail_msg("case %zu: %.*s, expected %s", i, (int)answer->size, (const char *)answer->bytes,
                     cases[i].expected);
        site_end(exchange);
    }
}

static bool is_read(Creel__Envelope__BodyCase body)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    query.body_case = body;
    return identity_is_read(&query);
}

static void changes_are_no_reads(void **state)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetLogAccess access = CREEL__GET_LOG_ACCESS__INIT;

    (void)state;
    assert_true(is_read(CREEL__ENVELOPE__BODY_LIST_APPS));
    assert_true(is_read(CREEL__ENVELOPE__BODY_EXPLAIN_APP));
    assert_false(is_read(CREEL__ENVELOPE__BODY_KILL_APP));
    assert_false(is_read(CREEL__ENVELOPE__BODY_SUBMIT_APP));
    assert_false(is_read(CREEL__ENVELOPE__BODY_CHANGE_NODES));
    assert_false(is_read(CREEL__ENVELOPE__BODY_GET_CHANGES));
    query.body_case = CREEL__ENVELOPE__BODY_GET_LOG_ACCESS;
    query.get_log_access = &access;
    assert_true(identity_is_read(&query));
    access.control = true; /* to signal, and to run commands */
    assert_false(identity_is_read(&query));
}

static enum exchange_scope scope_of(Creel__Envelope__BodyCase body)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    query.body_case = body;
    return identity_needs(&query);
}

static void submission_needs_no_right_of_administrators(void **state)
{
    (void)state;
    assert_int_equal(scope_of(CREEL__ENVELOPE__BODY_LIST_APPS), EXCHANGE_READ);
    assert_int_equal(scope_of(CREEL__ENVELOPE__BODY_LIST_EVENTS), EXCHANGE_READ);
    assert_int_equal(scope_of(CREEL__ENVELOPE__BODY_NEW_APP), EXCHANGE_SUBMIT);
    assert_int_equal(scope_of(CREEL__ENVELOPE__BODY_SUBMIT_APP), EXCHANGE_SUBMIT);
    assert_int_equal(scope_of(CREEL__ENVELOPE__BODY_KILL_APP), EXCHANGE_SUBMIT);
    assert_int_equal(scope_of(CREEL__ENVELOPE__BODY_CHANGE_NODES), EXCHANGE_ADMIN);
    assert_int_equal(scope_of(CREEL__ENVELOPE__BODY_CHANGE_SCHEDULER_CONF), EXCHANGE_ADMIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(user_is_taken_from_the_trusted_setting),
        cmocka_unit_test(cookie_of_yarn_names_a_user_for_reading),
        cmocka_unit_test(simple_believes_trusted_addresses),
        cmocka_unit_test(certificates_name_users_in_every_setting),
        cmocka_unit_test(changes_are_no_reads),
        cmocka_unit_test(submission_needs_no_right_of_administrators),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

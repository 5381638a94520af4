/* SPDX-License-Identifier: Apache-2.0 */
/* http_site.c - test: HTTP requests are checked, decoded and routed to their handler, without sockets */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/http/http_site_fixture.h"
#include "web/http/answer.h"

struct scene {
    struct site site;
    struct fake_upstream upstream;
    int answered;
    struct exchange *exchange;
    char text[4096]; /* "STATUS body" of the last answer */
};

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    http_site_fill(&scene->site, &scene->upstream);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    site_end(scene->exchange);
    free(scene);
    return 0;
}

static void count_answer(void *context)
{
    ((struct scene *)context)->answered++;
}

static const char *result(struct scene *scene)
{
    const struct answer *answer = site_answer(scene->exchange);

    assert_non_null(answer);
    snprintf(scene->text, sizeof(scene->text), "%d %.*s", answer->status, (int)answer->size,
             (const char *)answer->bytes);
    return scene->text;
}

static const char *header_of(const struct scene *scene, const char *name)
{
    const struct answer *answer = site_answer(scene->exchange);

    for (size_t i = 0; i < answer->header_count; i++)
        if (strcmp(answer->headers[i].name, name) == 0)
            return answer->headers[i].value;
    return NULL;
}

static void serve(struct scene *scene, const char *method, const char *target,
                  const struct name_value *headers, size_t header_count)
{
    const struct request_text text = {
        .method = method,
        .target = target,
        .headers = headers,
        .header_count = header_count,
    };

    site_end(scene->exchange);
    scene->answered = 0;
    scene->exchange = site_serve(&scene->site, &text, count_answer, scene);
}

static const char *get(struct scene *scene, const char *target)
{
    serve(scene, "GET", target, NULL, 0);
    assert_int_equal(scene->answered, 1);
    return result(scene);
}

static void a_path_and_its_query_are_decoded(void **state)
{
    struct scene *scene = *state;

    assert_string_equal(get(scene, "/show/a%2Fb%20c?x=1&y=%C3%A4+b&x=2&flag&=v&&z=a=b"),
                        "200 GET /show/a/b c user=dr.who capture=a/b c body=0:\n"
                        "x=1\ny=\xc3\xa4 b\nx=2\nflag=\n=v\nz=a=b\n");
    assert_string_equal(get(scene, "/show/a+b/"), "200 GET /show/a+b user=dr.who capture=a+b body=0:\n");
    assert_string_equal(get(scene, "http://host:80/show/a?user.name=ann"),
                        "200 GET /show/a user=ann capture=a body=0:\nuser.name=ann\n");
    assert_string_equal(get(scene, "HTTPS://host"), "200 GET / user=dr.who capture=- body=0:\n");
}

static void a_malformed_target_is_refused(void **state)
{
    static const char *const bad[] = {
        "/show/%",
        "/show/%4",
        "/show/%zz",
        "/show/%00",
        "/show/%ff",
        "/show/%c0%80",
        "/show/%ed%a0%80",
        "/show/%f4%90%80%80",
        "/show/a?x=%",
        "/show/a?%00=1",
        "/show/a?x=%fe",
        "/show/a b",
        "/show/a#b",
        "show/a",
        "",
        "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17",
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        get(scene, bad[i]);
        assert_int_equal(site_answer(scene->exchange)->status, 400);
    }
}

static void a_long_request_is_refused(void **state)
{
    struct scene *scene = *state;
    scoped_free char *path = mem_alloc0(REQUEST_TARGET_MAX + 2);
    scoped_free char *query = mem_alloc0(2 * (REQUEST_PARAMETERS_MAX + 1) + 8);
    struct name_value headers[REQUEST_HEADERS_MAX + 1];
    const struct request_text body = {
        .method = "POST", .target = "/show/a", .body = "", .body_size = REQUEST_BODY_MAX + 1
    };

    memset(path, 'a', REQUEST_TARGET_MAX + 1);
    path[0] = '/';
    get(scene, path);
    assert_int_equal(site_answer(scene->exchange)->status, 414);

    snprintf(query, 8, "/?");
    for (int i = 0; i <= REQUEST_PARAMETERS_MAX; i++)
        memcpy(query + 2 + 2 * i, "a&", 2);
    get(scene, query);
    assert_int_equal(site_answer(scene->exchange)->status, 400);

    for (size_t i = 0; i <= REQUEST_HEADERS_MAX; i++)
        headers[i] = (struct name_value){ "X-Many", "1" };
    serve(scene, "GET", "/", headers, REQUEST_HEADERS_MAX + 1);
    assert_int_equal(site_answer(scene->exchange)->status, 431);

    site_end(scene->exchange);
    scene->exchange = site_serve(&scene->site, &body, count_answer, scene);
    assert_string_equal(result(scene), "413 <p>The body is larger than 1 MiB.");
}

static void a_route_without_star_is_preferred(void **state)
{
    struct scene *scene = *state;

    assert_string_equal(get(scene, "/show/fixed"), "200 seven");
    assert_string_equal(get(scene, "/show/Fixed"), "200 GET /show/Fixed user=dr.who capture=Fixed body=0:\n");
    get(scene, "/show//part");
    assert_int_equal(site_answer(scene->exchange)->status, 404);
}

static void a_wrong_method_is_405_with_allow(void **state)
{
    struct scene *scene = *state;

    serve(scene, "PATCH", "/show/a", NULL, 0);
    assert_string_equal(result(scene),
                        "405 <p>The method PATCH is not allowed for this address. Allowed: GET, HEAD, POST.");
    assert_string_equal(header_of(scene, "Allow"), "GET, HEAD, POST");
    serve(scene, "OPTIONS", "/show/a/part", NULL, 0);
    assert_string_equal(result(scene), "204 ");
    assert_string_equal(header_of(scene, "Allow"), "PUT");
    serve(scene, "G{T", "/", NULL, 0);
    assert_string_equal(result(scene), "501 <p>This method is not known.");
    serve(scene, "HEAD", "/", NULL, 0);
    assert_int_equal(site_answer(scene->exchange)->status, 200);
}

static void an_error_has_the_form_of_its_part_of_the_site(void **state)
{
    struct scene *scene = *state;

    assert_string_equal(get(scene, "/none"), "404 <p>There is no page /none.");
    assert_string_equal(header_of(scene, "Content-Type"), "text/html");
    assert_string_equal(get(scene, "/ws/none"), "404 refused: There is no page /ws/none.");
}

static void another_site_changes_nothing(void **state)
{
    const struct name_value own[] = { { "host", "rm:8088" }, { "Origin", "http://rm:8088" } };
    const struct name_value foreign[] = { { "host", "rm:8088" }, { "Origin", "http://evil" } };
    const struct name_value fetched[] = { { "Sec-Fetch-Site", "cross-site" } };
    struct scene *scene = *state;

    serve(scene, "POST", "/show/a", own, 2);
    assert_int_equal(site_answer(scene->exchange)->status, 200);
    serve(scene, "POST", "/show/a", foreign, 2);
    assert_int_equal(site_answer(scene->exchange)->status, 403);
    serve(scene, "DELETE", "/ws/v1/app/a", fetched, 1);
    assert_int_equal(site_answer(scene->exchange)->status, 403);
    serve(scene, "GET", "/show/a", foreign, 2);
    assert_int_equal(site_answer(scene->exchange)->status, 200);
}

/* Sends a request of a page of ORIGIN that changes something. Returns the value of the header with which a
 * browser passes the answer to the page; NULL: there is none. */
static const char *allowed_origin(struct scene *scene, const char *origins, const char *origin, int *status)
{
    struct cross_origin settings = {
        .origins = (char *)(uintptr_t)origins,
        .methods = (char *)(uintptr_t) "GET,PUT",
        .headers = (char *)(uintptr_t) "Accept",
    };
    const struct name_value headers[] = { { "host", "rm:8088" }, { "Origin", origin } };

    scene->site.cross_origin = &settings;
    serve(scene, "DELETE", "/ws/v1/app/a", headers, 2);
    *status = site_answer(scene->exchange)->status;
    scene->site.cross_origin = NULL;
    return header_of(scene, "Access-Control-Allow-Origin");
}

static void named_sites_may_change_and_others_read(void **state)
{
    static const struct {
        const char *origins, *origin;
        bool reads, changes;
    } cases[] = {
        { "http://ui,https://a.org", "https://a.org", true, true },
        { "https://*.a.org", "https://ui.a.org", true, true },
        { "https://*.a.org", "https://a.org.evil", false, false },
        { "http://[::1]:8080", "http://[::1]:8080", true, true },
        { "http://[a-z].org", "http://b.org", false, false },
        { "http://u?", "http://ui", false, false },
        { "*", "http://evil", true, false },
        { "*", "null", true, false },
        { "http://*", "http://evil", true, false },
        { "*://*:*", "http://evil:80", true, false },
        { "**", "http://evil", true, false },
        { "*, http://ui", "http://ui", true, true },
        { "", "http://ui", false, false },
        { "http://a, http://b", "", false, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int status;
        const char *allowed = allowed_origin(*state, cases[i].origins, cases[i].origin, &status);

        if ((allowed != NULL) != cases[i].reads || (status != 403) != cases[i].changes)
            fail_msg("case %zu: %s, %d", i, allowed != NULL ? allowed : "no header", status);
        if (allowed != NULL)
            assert_string_equal(allowed, cases[i].origin);
    }
}

static bool trusts(void *context, const char *address)
{
    (void)address;
    return *(const bool *)context;
}

static void a_trusted_proxy_names_the_address_of_its_client(void **state)
{
    const struct name_value headers[] = {
        { "host", "127.0.0.1:8088" },
        { "Origin", "https://rm.example.org" },
        { "X-Forwarded-Proto", "https" },
        { "X-Forwarded-Host", "rm.example.org, inner" },
    };
    bool trusted = true;
    struct scene *scene = *state;

    scene->site.is_proxy = trusts;
    scene->site.proxy_context = &trusted;
    serve(scene, "POST", "/show/a", headers, 4);
    assert_int_equal(site_answer(scene->exchange)->status, 200);
    assert_string_equal(exchange_host(scene->exchange), "rm.example.org");
    assert_true(exchange_client_is_secure(scene->exchange));
    assert_false(exchange_is_secure(scene->exchange)); /* nor are the agents, then */
    trusted = false;
    serve(scene, "POST", "/show/a", headers, 4);
    assert_int_equal(site_answer(scene->exchange)->status, 403); /* the page seems to be of another site */
    assert_string_equal(exchange_host(scene->exchange), "127.0.0.1:8088");
    assert_false(exchange_client_is_secure(scene->exchange));
}

static void an_unchanged_page_is_304(void **state)
{
    const struct name_value known[] = { { "If-None-Match", "\"v6\", W/\"v7\"" } };
    const struct name_value old[] = { { "If-None-Match", "\"v\"" } };
    struct scene *scene = *state;

    serve(scene, "GET", "/show/fixed", known, 1);
    assert_string_equal(result(scene), "304 ");
    assert_string_equal(header_of(scene, "ETag"), "W/\"v7\"");
    serve(scene, "GET", "/show/fixed", old, 1);
    assert_string_equal(result(scene), "200 seven");
}

static void query_is_sent_as_the_user(void **state)
{
    struct scene *scene = *state;

    serve(scene, "GET", "/ask?user.name=ann", NULL, 0);
    assert_null(site_answer(scene->exchange));
    assert_int_equal(scene->upstream.asked, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    assert_string_equal(scene->upstream.user, "ann");
    fake_upstream_reply(&scene->upstream, "later");
    assert_int_equal(scene->answered, 1);
    assert_string_equal(result(scene), "200 later");

    scene->upstream.at_once = true;
    assert_string_equal(get(scene, "/ask"), "200 at once");
    assert_string_equal(scene->upstream.user, "dr.who");
}

/* The address sanitizer detects a use after free. */
static void a_reply_after_the_end_is_dropped(void **state)
{
    struct scene *scene = *state;

    serve(scene, "GET", "/ask", NULL, 0);
    site_end(scene->exchange);
    scene->exchange = NULL;
    fake_upstream_reply(&scene->upstream, "too late");
    assert_int_equal(scene->answered, 0);
}

static void a_handler_without_answer_is_500(void **state)
{
    struct scene *scene = *state;

    get(scene, "/silent");
    assert_int_equal(site_answer(scene->exchange)->status, 500);
    assert_null(header_of(scene, "X-Split"));
}

static void gzip_is_used_on_request(void **state)
{
    (void)state;
    assert_true(answer_accepts_gzip("br, gzip"));
    assert_true(answer_accepts_gzip("gzip;q=0.5"));
    assert_true(answer_accepts_gzip("*"));
    assert_false(answer_accepts_gzip("gzip;q=0, br"));
    assert_false(answer_accepts_gzip("x-gzip"));
    assert_false(answer_accepts_gzip(NULL));
    assert_true(answer_is_compressible("application/json;charset=utf-8", 1400));
    assert_false(answer_is_compressible("application/json", 1399));
    assert_false(answer_is_compressible("image/png", 100000));
}

/* --- access tokens ------------------------------------------------------------ */

static const char *get_as(struct scene *scene, const char *header, const char *value)
{
    const struct name_value headers[] = { { header, value } };

    serve(scene, "GET", "/show/a?user.name=bob", headers, 1);
    assert_int_equal(scene->answered, 1);
    return result(scene);
}

static void a_token_names_the_user(void **state)
{
    static const char ann[] = "200 GET /show/a user=ann capture=a body=0:\nuser.name=bob\n";
    static const char nobody[] = "200 GET /show/a user=bob capture=a body=0:\nuser.name=bob\n";
    struct scene *scene = *state;

    assert_string_equal(get_as(scene, "Authorization", "Bearer ann-reads"), ann);
    assert_true(exchange_is_authenticated(scene->exchange));
    assert_false(exchange_has_token_cookie(scene->exchange));
    assert_string_equal(get_as(scene, "authorization", "bearer  ann-reads "), ann);
    assert_string_equal(get_as(scene, "Cookie", "creel_token=ann-reads"), ann);
    assert_true(exchange_has_token_cookie(scene->exchange));
    assert_string_equal(get_as(scene, "Cookie", "a=b; creel_token=ann-reads; c"), ann);
    assert_string_equal(get_as(scene, "Cookie", "a=b;creel_token=ann-reads"), ann);
    assert_string_equal(get_as(scene, "Cookie", "xcreel_token=ann-reads; creel_tokens=ann-reads"), nobody);
    assert_string_equal(get_as(scene, "Cookie", "creel_token"), nobody);
    assert_string_equal(get_as(scene, "Authorization", "Basic ann-reads"), nobody);
    assert_false(exchange_is_authenticated(scene->exchange));
}

static void a_token_that_is_not_valid_is_refused(void **state)
{
    struct scene *scene = *state;

    get_as(scene, "Authorization", "Bearer other");
    assert_int_equal(site_answer(scene->exchange)->status, 401);
    assert_non_null(strstr(header_of(scene, "WWW-Authenticate"), "Bearer"));
    get_as(scene, "Authorization", "Bearer ");
    assert_int_equal(site_answer(scene->exchange)->status, 401);
    get_as(scene, "Authorization", "Bearer away");
    assert_int_equal(site_answer(scene->exchange)->status, 503);
    assert_string_equal(header_of(scene, "Retry-After"), "5");
    /* An old cookie is as none: its user can sign in again. */
    get_as(scene, "Cookie", "creel_token=other");
    assert_int_equal(site_answer(scene->exchange)->status, 200);
    assert_false(exchange_is_authenticated(scene->exchange));
    get_as(scene, "Cookie", "creel_token=away");
    assert_int_equal(site_answer(scene->exchange)->status, 200);
    assert_false(exchange_is_authenticated(scene->exchange));
}

static void a_token_for_reading_changes_nothing(void **state)
{
    const struct name_value headers[] = { { "Authorization", "Bearer ann-reads" } };
    struct scene *scene = *state;

    serve(scene, "POST", "/kill", headers, 1);
    assert_int_equal(scene->answered, 1);
    assert_non_null(strstr(result(scene), "only serves to read"));
    assert_null(scene->upstream.reply);
}

static bool may_act(void *context, const char *user, const char *other)
{
    (void)context;
    return strcmp(user, "ann") == 0 && strcmp(other, "bob") == 0;
}

static void doas_keeps_the_scope_of_the_token(void **state)
{
    const struct name_value headers[] = { { "Authorization", "Bearer ann-reads" } };
    struct scene *scene = *state;

    scene->site.may_act_for = may_act;
    serve(scene, "GET", "/show/a?doAs=bob", headers, 1);
    assert_string_equal(exchange_user(scene->exchange), "bob");
    assert_int_equal(exchange_scope(scene->exchange), EXCHANGE_READ);
    serve(scene, "POST", "/kill?doas=bob", headers, 1);
    assert_non_null(strstr(result(scene), "only serves to read"));
    assert_null(scene->upstream.reply);
    serve(scene, "GET", "/show/a?doAs=carl", headers, 1);
    assert_int_equal(site_answer(scene->exchange)->status, 403);
    serve(scene, "GET", "/show/a?doAs=bob", NULL, 0); /* without authentication it has no effect */
    assert_string_equal(exchange_user(scene->exchange), "dr.who");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_path_and_its_query_are_decoded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_malformed_target_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_request_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_route_without_star_is_preferred, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_method_is_405_with_allow, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_error_has_the_form_of_its_part_of_the_site, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_site_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(named_sites_may_change_and_others_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_trusted_proxy_names_the_address_of_its_client, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_unchanged_page_is_304, set_up, tear_down),
        cmocka_unit_test_setup_teardown(query_is_sent_as_the_user, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reply_after_the_end_is_dropped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_handler_without_answer_is_500, set_up, tear_down),
        cmocka_unit_test(gzip_is_used_on_request),
        cmocka_unit_test_setup_teardown(a_token_names_the_user, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_token_that_is_not_valid_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_token_for_reading_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(doas_keeps_the_scope_of_the_token, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

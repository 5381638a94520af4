/* SPDX-License-Identifier: Apache-2.0 */
/* rest_log_level.c - test: /logLevel shows the level to all, and lets administrators set it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tests/unit/rest/rest_world.h"

#define FORM "application/x-www-form-urlencoded"

static char level[16], setter[16]; /* of the log; who set it */
static bool administrator;

static const char *level_now(void)
{
    return level;
}

static void set_level(const char *user, const char *to)
{
    strcpy(level, to);
    strcpy(setter, user);
}

static void upstream(void *context, const Creel__Envelope *query, bool authenticated, site_reply_fn *reply,
                     void *reply_context)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__JoinList list = CREEL__JOIN_LIST__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    (void)context;
    assert_true(authenticated);
    assert_int_equal(query->body_case, CREEL__ENVELOPE__BODY_LIST_JOIN_TOKENS);
    envelope.body_case = CREEL__ENVELOPE__BODY_JOIN_LIST;
    envelope.join_list = &list;
    if (!administrator) {
        error.code = CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
        error.message = (char *)(uintptr_t) "user ann is not an administrator";
        envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
        envelope.error = &error;
    }
    reply(reply_context, &envelope);
}

static int set_up(void **state)
{
    struct rest_world *rest = rest_world_new(1, 1);

    rest->page->site.upstream = upstream;
    rest->page->user = "ann";
    rest->page->view.log = (struct web_log){ .level = level_now, .set_level = set_level };
    strcpy(level, "info");
    *setter = '\0';
    administrator = true;
    *state = rest;
    return 0;
}

static int tear_down(void **state)
{
    rest_world_free(*state);
    return 0;
}

static void contains(const char *answer, const char *start, const char *part)
{
    if (strncmp(answer, start, strlen(start)) != 0 || strstr(answer, part) == NULL)
        fail_msg("no \"%s\" and \"%s\" in: %s", start, part, answer);
}

static void everybody_may_see_the_level(void **state)
{
    struct rest_world *rest = *state;

    rest->page->user = NULL;
    contains(rest_world_get(rest, "/logLevel", NULL), "200 text/html", "<form method=\"post\">");
    contains(rest_world_get(rest, "/logLevel?log=org.apache.hadoop.yarn", NULL), "200 text/html",
             "<!-- OUTPUT -->Submitted Class Name: <b>org.apache.hadoop.yarn</b><br>\n"
             "<!-- OUTPUT -->Effective Level: <b>INFO</b><br>");
    contains(rest_world_get(rest, "/logLevel?log=%3Cb%3E", NULL), "400 ", "the name of a log");
    contains(rest_world_get(rest, "/logLevel?log=root&level=DEBUG", NULL), "401 ", "");
    assert_string_equal(level, "info");
}

static void administrators_set_it(void **state)
{
    struct rest_world *rest = *state;

    contains(rest_world_get(rest, "/logLevel?log=root&level=DEBUG", NULL), "200 ",
             "<!-- OUTPUT -->Submitted Level: <b>DEBUG</b><br>\n"
             "<!-- OUTPUT -->Setting Level to DEBUG ...<br>\n"
             "<!-- OUTPUT -->Effective Level: <b>DEBUG</b><br>");
    assert_string_equal(level, "debug");
    assert_string_equal(setter, "ann");
    contains(rest_world_send(rest, "POST", "/logLevel", FORM, "log=root&level=fatal"), "200 ",
             "Effective Level: <b>ERROR</b>");
    assert_string_equal(level, "error");
    contains(rest_world_send(rest, "POST", "/logLevel", FORM, "log=root&level=LOUD"), "400 ", "one of ALL");
    assert_string_equal(level, "error");
}

static void others_do_not(void **state)
{
    struct rest_world *rest = *state;

    administrator = false;
    contains(rest_world_send(rest, "POST", "/logLevel", FORM, "log=root&level=DEBUG"), "403 ",
             "not an administrator");
    assert_string_equal(level, "info");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everybody_may_see_the_level),
        TEST(administrators_set_it),
        TEST(others_do_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* rm_own_key.c - test: the files of the own key are compared in a thread, and what is wrong is reported */
#include "tests/unit/store/store_support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/io/keys/own_key.h"
#include "common/io/loop/loop.h"

struct fixture { /* a pair, and what watches its files */
    struct loop *loop;
    char *directory, *secret, *public; /* paths */
    struct key key;
    struct own_key *own;
};

static int set_up(void **state)
{
    struct fixture *fixture = mem_new0(struct fixture);
    const struct own_key_used used = {
        .daemon = "creel-rm", .owner = KEY_RM, .key = &fixture->key, .rm_key = &fixture->key
    };

    assert_int_equal(loop_new(&fixture->loop, NULL), 0);
    fixture->directory = scratch_make();
    fixture->secret = mem_printf("%s/rm_secret", fixture->directory);
    fixture->public = mem_printf("%s/rm", fixture->directory);
    assert_int_equal(key_make(fixture->directory, KEY_RM, NULL, NULL), 0);
    assert_int_equal(key_load_for(fixture->directory, KEY_RM, NULL, true, &fixture->key, NULL), 0);
    assert_int_equal(own_key_new(fixture->loop, fixture->directory, &used, &fixture->own, NULL), 0);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    assert_true(own_key_free(fixture->own));
    loop_free(fixture->loop);
    scratch_remove(fixture->directory);
    free(fixture->secret);
    free(fixture->public);
    free(fixture);
    return 0;
}

static void stop_when_compared(void *context)
{
    struct fixture *fixture = context;

    if (own_key_is_idle(fixture->own))
        loop_stop(fixture->loop);
    else
        loop_add_timer(fixture->loop, 1, stop_when_compared, fixture);
}

/* Waits until the files are compared, and returns what is wrong with them. */
static const char *wait_for_result(struct fixture *fixture)
{
    loop_add_timer(fixture->loop, 0, stop_when_compared, fixture);
    loop_run(fixture->loop);
    return own_key_problem(fixture->own);
}

static const char *compare(struct fixture *fixture, int64_t now_ms)
{
    own_key_watch(fixture->own, now_ms, 1);
    return wait_for_result(fixture);
}

static void files_that_are_gone(void **state)
{
    struct fixture *fixture = *state;

    assert_null(compare(fixture, NOW_MS));
    assert_int_equal(unlink(fixture->secret), 0);
    assert_contains(compare(fixture, NOW_MS), "rm_secret is missing: bring it back before a restart");
    assert_contains(compare(fixture, NOW_MS + 1000), "rm_secret is missing");
    assert_int_equal(own_key_since_ms(fixture->own), NOW_MS);
}

static void files_of_another_pair(void **state)
{
    struct fixture *fixture = *state;

    assert_true(unlink(fixture->public) == 0 && unlink(fixture->secret) == 0);
    assert_int_equal(key_make(fixture->directory, KEY_RM, NULL, NULL), 0);
    assert_contains(compare(fixture, NOW_MS), "rm_secret is another key");

    assert_true(unlink(fixture->public) == 0 && unlink(fixture->secret) == 0);
    assert_int_equal(key_install(fixture->directory, KEY_RM, NULL, &fixture->key, NULL), 0);
    assert_null(compare(fixture, NOW_MS));
    assert_int_equal(own_key_since_ms(fixture->own), 0);
}

static void a_public_file_that_clients_of_this_host_lack(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(unlink(fixture->public), 0);
    assert_contains(compare(fixture, NOW_MS), "/rm is missing");
}

/* The result of the thread is not taken before the loop runs: as if the files had not answered until then. */
static void files_that_do_not_answer(void **state)
{
    struct fixture *fixture = *state;

    own_key_watch(fixture->own, NOW_MS, 1);
    own_key_watch(fixture->own, NOW_MS, 1 + OWN_KEY_SILENT_MS);
    assert_null(own_key_problem(fixture->own));
    own_key_watch(fixture->own, NOW_MS + 5000, 2 + OWN_KEY_SILENT_MS);
    assert_contains(own_key_problem(fixture->own), "which has the key files, does not answer");
    assert_int_equal(own_key_since_ms(fixture->own), NOW_MS + 5000);
    assert_null(wait_for_result(fixture));
    assert_int_equal(own_key_since_ms(fixture->own), 0);
}

/* The same for an agent, which needs the public key of the resource manager, too. */
static void the_files_of_an_agent(void **state)
{
    struct fixture *fixture = *state, agent = *fixture;
    scoped_free char *agents = mem_printf("%s/agents", fixture->directory);
    scoped_free char *away = mem_printf("%s/agents.away", fixture->directory);
    const struct own_key_used used = {
        .daemon = "creel-nm", .owner = KEY_AGENT, .name = "n1", .key = &agent.key, .rm_key = &fixture->key
    };

    assert_int_equal(key_make(fixture->directory, KEY_AGENT, "n1", NULL), 0);
    assert_int_equal(key_load_for(fixture->directory, KEY_AGENT, "n1", true, &agent.key, NULL), 0);
    assert_int_equal(own_key_new(agent.loop, agent.directory, &used, &agent.own, NULL), 0);
    assert_null(compare(&agent, NOW_MS));
    assert_int_equal(rename(agents, away), 0);
    assert_contains(compare(&agent, NOW_MS), "agents/n1");
    assert_int_equal(key_make(fixture->directory, KEY_AGENT, "n1", NULL), 0);
    assert_contains(compare(&agent, NOW_MS), "/agents has another key for n1 than creel-nm uses");
    scratch_remove(mem_strdup(agents));
    assert_int_equal(rename(away, agents), 0);
    assert_null(compare(&agent, NOW_MS));
    assert_int_equal(unlink(fixture->public), 0);
    assert_contains(compare(&agent, NOW_MS), "/rm is missing");
    assert_true(own_key_free(agent.own));
}

/* creel-web may have a pair at a path of its own, and needs the files of TLS. */
static void the_files_of_creel_web(void **state)
{
    struct fixture *fixture = *state, web = *fixture;
    scoped_free char *pair = mem_printf("%s/users/web", fixture->directory);
    scoped_free char *secret = mem_printf("%s_secret", pair), *tls = mem_printf("%s/tls", fixture->directory);
    const struct own_key_file files[OWN_KEY_FILES] = { { "creel.http.tls-certificate", fixture->public },
                                                       { "creel.http.tls-key", tls } };
    const struct own_key_used used = { .daemon = "creel-web",
                                       .owner = KEY_USER,
                                       .name = "x",
                                       .file = pair,
                                       .key = &web.key,
                                       .rm_key = &fixture->key,
                                       .files = files };

    assert_int_equal(key_make(fixture->directory, KEY_USER, "web", NULL), 0);
    assert_int_equal(key_load(pair, true, &web.key, NULL), 0);
    assert_int_equal(link(fixture->public, tls), 0);
    assert_int_equal(own_key_new(web.loop, web.directory, &used, &web.own, NULL), 0);
    assert_null(compare(&web, NOW_MS));
    assert_int_equal(unlink(tls), 0);
    assert_contains(compare(&web, NOW_MS), "creel.http.tls-key: ");
    assert_contains(own_key_problem(web.own), "/tls: No such file");
    assert_int_equal(unlink(secret), 0);
    assert_contains(compare(&web, NOW_MS), "users/web_secret is missing");
    assert_true(own_key_free(web.own));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(files_that_are_gone),
        TEST(files_of_another_pair),
        TEST(a_public_file_that_clients_of_this_host_lack),
        TEST(files_that_do_not_answer),
        TEST(the_files_of_an_agent),
        TEST(the_files_of_creel_web),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

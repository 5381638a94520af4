/* SPDX-License-Identifier: Apache-2.0 */
/* io_refused_keys.c - test: agents that are refused again and again are known, and their number is bounded */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "common/io/server/refused_keys.h"

static int set_up(void **state)
{
    *state = mem_new0(struct refused_keys);
    return 0;
}

static int tear_down(void **state)
{
    refused_keys_done(*state);
    free(*state);
    return 0;
}

/* Returns the number of agents at NOW_MS. RET has the first. */
static size_t agents(const struct refused_keys *refused, int64_t now_ms, struct refused_agent *ret)
{
    struct refused_agent all[REFUSED_AGENTS_MAX];
    size_t count = refused_keys_agents(refused, now_ms, all, REFUSED_AGENTS_MAX);

    if (count > 0)
        *ret = all[0];
    return count;
}

static void an_agent_is_known_when_it_is_refused_again(void **state)
{
    struct refused_keys *refused = *state;
    struct refused_agent agent;
    int64_t since_ms;

    refused_keys_add(refused, ADMISSION_AGENTS, "key-one", "10.0.0.1", 1000);
    assert_int_equal(agents(refused, 1000, &agent), 0);
    refused_keys_add(refused, ADMISSION_AGENTS, "key-one", "10.0.0.2", 6000);
    assert_int_equal(agents(refused, 6000, &agent), 1);
    assert_string_equal(agent.key, "key-one");
    assert_string_equal(agent.address, "10.0.0.2");
    assert_string_equal(agent.name, "");
    since_ms = agent.since_ms;
    assert_true(since_ms > 0);
    refused_keys_add(refused, ADMISSION_AGENTS, "key-one", "10.0.0.2", 11000);
    assert_int_equal(agents(refused, 11000, &agent), 1);
    assert_int_equal(agent.since_ms, since_ms);
    assert_int_equal(refused->count, 3);
}

static void an_agent_that_does_not_try_again_is_forgotten(void **state)
{
    struct refused_keys *refused = *state;
    struct refused_agent agent;

    refused_keys_add(refused, ADMISSION_AGENTS, "key", "10.0.0.1", 1000);
    refused_keys_add(refused, ADMISSION_AGENTS, "key", "10.0.0.1", 2000);
    assert_int_equal(agents(refused, 2000 + REFUSED_AGENT_KEPT_MS, &agent), 1);
    assert_int_equal(agents(refused, 2001 + REFUSED_AGENT_KEPT_MS, &agent), 0);
    refused_keys_add(refused, ADMISSION_AGENTS, "key", "10.0.0.1", 2001 + REFUSED_AGENT_KEPT_MS);
    assert_int_equal(agents(refused, 2001 + REFUSED_AGENT_KEPT_MS, &agent), 0);
}

static void an_agent_that_registers_is_forgotten(void **state)
{
    struct refused_keys *refused = *state;
    struct refused_agent agent;

    refused_keys_add(refused, ADMISSION_AGENTS, "key", "10.0.0.1", 1000);
    refused_keys_add(refused, ADMISSION_AGENTS, "key", "10.0.0.1", 2000);
    refused_keys_forget(refused, "key");
    refused_keys_forget(refused, "other");
    assert_int_equal(agents(refused, 2000, &agent), 0);
}

static void an_agent_whose_certificate_is_gone_has_its_name(void **state)
{
    struct refused_keys *refused = *state;
    struct refused_agent agent;

    refused_keys_name(refused, "n3", "key", "10.0.0.3", 1000);
    refused_keys_add(refused, ADMISSION_AGENTS, "key", "10.0.0.3", 2000);
    assert_int_equal(agents(refused, 2000, &agent), 1);
    assert_string_equal(agent.name, "n3");
}

/* It ends, and does not try again by itself. */
static void an_agent_whose_registration_is_refused_is_known_for_longer(void **state)
{
    struct refused_keys *refused = *state;
    struct refused_agent agent;

    refused_keys_add_node(refused, "n3", "key", "10.0.0.3", "host excluded", 1000);
    assert_int_equal(agents(refused, 1000 + REFUSED_NODE_KEPT_MS, &agent), 1);
    assert_string_equal(agent.name, "n3");
    assert_string_equal(agent.reason, "host excluded");
    assert_int_equal(agents(refused, 1001 + REFUSED_NODE_KEPT_MS, &agent), 0);
    refused_keys_add_node(refused, "n3", "key", "10.0.0.3", "too large", 2000);
    assert_int_equal(agents(refused, 2000, &agent), 1);
    assert_string_equal(agent.reason, "too large");
    refused_keys_forget(refused, "key");
    assert_int_equal(agents(refused, 2000, &agent), 0);
}

static void only_agents_are_known(void **state)
{
    struct refused_keys *refused = *state;
    struct refused_agent agent;

    refused_keys_add(refused, ADMISSION_CLIENTS, "key", "10.0.0.1", 1000);
    refused_keys_add(refused, ADMISSION_CLIENTS, "key", "10.0.0.1", 2000);
    assert_int_equal(agents(refused, 2000, &agent), 0);
    assert_int_equal(refused->count, 2);
}

static void a_flood_of_keys_is_bounded(void **state)
{
    struct refused_keys *refused = *state;
    struct refused_agent agent;
    char key[KEY_TEXT];

    for (int i = 0; i < 4 * REFUSED_AGENTS_MAX; i++) {
        snprintf(key, sizeof(key), "key-%d", i / 2);
        refused_keys_add(refused, ADMISSION_AGENTS, key, "10.0.0.1", 1000 + i);
    }
    assert_int_equal(agents(refused, 2000, &agent), REFUSED_AGENTS_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_agent_is_known_when_it_is_refused_again),
        TEST(an_agent_that_does_not_try_again_is_forgotten),
        TEST(an_agent_that_registers_is_forgotten),
        TEST(an_agent_whose_certificate_is_gone_has_its_name),
        TEST(only_agents_are_known),
        TEST(an_agent_whose_registration_is_refused_is_known_for_longer),
        TEST(a_flood_of_keys_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* agent_memory.c - test: memory that the agent's core uses per running container (see linux_memory.c) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "tests/unit/agent/agent_fixture.h"
#include "tests/unit/held_bytes.h"

#define FEW 200
#define MANY 1200
#define VARIABLES 8
#define BYTES_MAX \
    1500 /* bytes of the 4096 allowed per container; linux_memory may use
            the rest */

/* Starts a task of realistic size: a shell command and some variables. */
static void ask(struct fixture *fixture, char *id)
{
    Creel__ContainerGrant grant = CREEL__CONTAINER_GRANT__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    Creel__Variable variables[VARIABLES], *environment[VARIABLES];
    char node[] = NODE, user[] = "ann", title[] = "17", name[] = "CREEL_SOME_VARIABLE";
    char words[][80] = { "/bin/sh", "-c", "./work.sh --input part-00017 >out-00017" };
    char *command[] = { words[0], words[1], words[2] }, value[] = "/a/value/of/some/length";
    struct agent_start_request request = { .grant = &grant, .launch = &launch };

    resource.memory_mb = resource.vcores = 1;
    grant.container_id = id;
    grant.node_id = node;
    grant.user = user;
    grant.resource = &resource;
    grant.expires_ms = fixture->now.wall_ms + 600000;
    launch.title = title;
    launch.command = command;
    launch.n_command = 3;
    for (size_t i = 0; i < VARIABLES; i++) {
        creel__variable__init(&variables[i]);
        variables[i].name = name;
        variables[i].value = value;
        environment[i] = &variables[i];
    }
    launch.environment = environment;
    launch.n_environment = VARIABLES;
    fixture_step(fixture);
    agent_on_start(fixture->agent, fixture->now, 77, 5, &request, 1, &fixture->effects);
    fixture_saved(fixture, id, 0);
    fixture_launched(fixture, id, 0);
    fixture_running(fixture, id);
}

static void run_until(struct fixture *fixture, int from, int to)
{
    for (int i = from; i < to; i++) {
        char id[80];

        snprintf(id, sizeof(id), "container_1700000000000_0001_01_%06d", i + 1);
        ask(fixture, id);
    }
    for (int round = 0; round < 4; round++) {
        const Creel__Envelope *sent = fixture_next_send(fixture);

        fixture_reply_heartbeat(fixture, sent->request_id, sent->heartbeat->seq,
                                CREEL__NODE_ACTION__NODE_NORMAL);
    }
    fixture_step(fixture);
}

static void test_each_container(void **state)
{
    struct fixture fixture;
    size_t few, many;

    (void)state;
    fixture_init(&fixture, 1 << 20);
    fixture_register(&fixture, SESSION);
    run_until(&fixture, 0, FEW);
    few = held_bytes();
    run_until(&fixture, FEW, MANY);
    many = held_bytes();
    print_message("the core holds %zu bytes for each container\n", (many - few) / (MANY - FEW));
    assert_in_range((many - few) / (MANY - FEW), 1, BYTES_MAX);
    fixture_done(&fixture);
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_each_container) };

    (void)argument_count;
    held_bytes_without_caches(arguments);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

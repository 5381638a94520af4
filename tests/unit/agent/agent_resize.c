/* SPDX-License-Identifier: Apache-2.0 */
/* agent_resize.c - test: orders that change the size of a container */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/exit_status.h"
#include "tests/unit/agent/agent_fixture.h"

static void order(struct fixture *f, const char *container_id, uint32_t version, int64_t memory_mb)
{
    Creel__NodeOrders orders = CREEL__NODE_ORDERS__INIT;
    Creel__ResizeOrder one = CREEL__RESIZE_ORDER__INIT, *list[] = { &one };
    Creel__Resource resource = CREEL__RESOURCE__INIT;

    resource.memory_mb = memory_mb;
    resource.vcores = 1;
    one.container_id = (char *)(uintptr_t)container_id;
    one.version = version;
    one.resource = &resource;
    orders.session = SESSION;
    orders.resizes = list;
    orders.n_resizes = 1;
    fixture_push(f, &orders);
    fixture_check(f);
}

/* The runtime answers the only AGENT_RESIZE with CODE. */
static void answer(struct fixture *f, int code)
{
    const Creel__ResizeOrder *resize = fixture_one(f, AGENT_RESIZE)->resize;

    agent_on_resized(f->agent, f->now, resize, code, code < 0 ? "in use" : NULL, &f->effects);
    fixture_check(f);
}

static int64_t memory_of(const struct fixture *f, const char *container_id)
{
    struct resource resource;

    assert_true(agent_container_resource(f->agent, container_id, &resource));
    return resource.value[RESOURCE_MEMORY_MB];
}

static void a_running_container_gets_its_new_limits(void **state)
{
    struct fixture *f = *state;
    const struct agent_effect *effect, *saved;
    Creel__StoredStart *start;

    fixture_run(f, CONTAINER(2), 1024);
    order(f, CONTAINER(2), 1, 2048);
    effect = fixture_one(f, AGENT_RESIZE);
    assert_string_equal(effect->container_id, CONTAINER(2));
    assert_int_equal(effect->resource.value[RESOURCE_MEMORY_MB], 2048);
    answer(f, 0);
    saved = fixture_one(f, AGENT_SAVE);
    start = creel__stored_start__unpack(NULL, saved->size, saved->data);
    assert_non_null(start);
    assert_int_equal(start->grant->resource->memory_mb, 2048);
    assert_int_equal(start->grant->version, 1);
    creel__stored_start__free_unpacked(start, NULL);
    assert_int_equal(memory_of(f, CONTAINER(2)), 2048);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->version, 1);
    assert_int_equal(agent_summarise(f->agent).used.value[RESOURCE_MEMORY_MB], 2048);
}

static void the_same_order_again_is_only_reported(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 1024);
    order(f, CONTAINER(2), 1, 2048);
    answer(f, 0);
    order(f, CONTAINER(2), 1, 2048);
    assert_int_equal(fixture_count(f, AGENT_RESIZE), 0);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->version, 1);
}

static void without_room_the_order_waits(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 1024);
    fixture_run(f, CONTAINER(3), 2048);
    order(f, CONTAINER(2), 1, 3072);
    assert_int_equal(fixture_count(f, AGENT_RESIZE), 0);
    assert_int_equal(memory_of(f, CONTAINER(2)), 1024);
    fixture_exited(f, CONTAINER(3), 0);
    order(f, CONTAINER(2), 1, 3072);
    assert_int_equal(fixture_count(f, AGENT_RESIZE), 1);
}

static void an_order_waits_for_the_room_of_a_container_that_is_stopped(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 1024);
    fixture_run(f, CONTAINER(3), 2048);
    fixture_order_stop(f, CONTAINER(3), -106);
    order(f, CONTAINER(2), 1, 3072);
    assert_int_equal(fixture_count(f, AGENT_RESIZE), 0);
    fixture_exited(f, CONTAINER(3), 143);
    order(f, CONTAINER(2), 1, 3072);
    assert_int_equal(fixture_count(f, AGENT_RESIZE), 1);
}

static void a_smaller_size_counts_when_the_kernel_has_it(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 2048);
    order(f, CONTAINER(2), 1, 512);
    assert_int_equal(memory_of(f, CONTAINER(2)), 2048);
    answer(f, -EIO);
    assert_int_equal(memory_of(f, CONTAINER(2)), 2048);
    assert_int_equal(fixture_count(f, AGENT_SAVE), 0);
    assert_int_equal(fixture_count(f, AGENT_NOTE), 1);
    order(f, CONTAINER(2), 1, 512); /* with the next heartbeat */
    answer(f, -EIO);
    assert_int_equal(fixture_count(f, AGENT_NOTE), 0); /* one warning for one order */
    order(f, CONTAINER(2), 1, 512);
    answer(f, 0);
    assert_int_equal(memory_of(f, CONTAINER(2)), 512);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->version, 1);
}

/* cgroup v1 refuses a limit that is below the memory in use. */
static void a_container_that_uses_more_than_its_new_size_is_ended(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 2048);
    order(f, CONTAINER(2), 1, 512);
    answer(f, -EBUSY);
    assert_int_equal(fixture_count(f, AGENT_STOP), 1);
    assert_true(fixture_one(f, AGENT_NOTE)->warning);
    fixture_exited(f, CONTAINER(2), 143);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, CONTAINER_EXIT_PHYSICAL);
}

static void a_larger_size_that_fails_does_not_count(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 1024);
    order(f, CONTAINER(2), 1, 2048);
    assert_int_equal(memory_of(f, CONTAINER(2)), 2048);
    answer(f, -EIO);
    assert_int_equal(memory_of(f, CONTAINER(2)), 1024);
}

static void unknown_and_ended_containers_are_ignored(void **state)
{
    struct fixture *f = *state;

    order(f, CONTAINER(2), 1, 2048);
    assert_int_equal(fixture_count(f, AGENT_RESIZE), 0);
    fixture_run(f, CONTAINER(2), 1024);
    fixture_exited(f, CONTAINER(2), 0);
    order(f, CONTAINER(2), 1, 2048);
    assert_int_equal(fixture_count(f, AGENT_RESIZE), 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, fixture_set_up_registered, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_running_container_gets_its_new_limits),
        TEST(the_same_order_again_is_only_reported),
        TEST(without_room_the_order_waits),
        TEST(an_order_waits_for_the_room_of_a_container_that_is_stopped),
        TEST(a_smaller_size_counts_when_the_kernel_has_it),
        TEST(a_container_that_uses_more_than_its_new_size_is_ended),
        TEST(a_larger_size_that_fails_does_not_count),
        TEST(unknown_and_ended_containers_are_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

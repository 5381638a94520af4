/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_why.c - test: capacity scheduler: the reported reason why an application is pending (random
 * cases: why_storm.c) */
#include <string.h>

#include "tests/unit/capacity/capacity_live.h"

static enum sched_reason why(const struct live *live, const struct sched_app *app, struct sched_why *ret)
{
    struct sched_why own;

    ret = ret ? ret : &own;
    sched_app_why(live->sched, app, ret);
    sched_app_why_spread(live->sched, app, ret);
    return ret->reason;
}

#define ONE "root.queues=default\nroot.default.capacity=100\nroot.default.user-limit-factor=10\n"

/* Three nodes of 6 GiB, requests of 4 GiB: used and reserved amounts together exceed the queue's limit. */
static void a_fragmented_cluster_is_full_and_no_limit_is_named(void **state)
{
    struct sched_node *nodes[3];
    struct sched_why found;
    struct sched_app *app;
    struct live live;
    char text[512];

    (void)state;

    live_begin(&live, ONE);
    app = live_app(&live, "ann", "default");
    live_ask(&live, app, 5, 4096);
    for (int i = 0; i < 3; i++) {
        nodes[i] = live_node(&live, (const char *const[]){ "n1:1", "n2:1", "n3:1" }[i], 6144, NULL);
        live_heartbeat(&live, nodes[i], 2);
    }
    for (int i = 0; i < 3; i++)
        live_heartbeat(&live, nodes[i], 1);
    assert_int_equal(live_figures(&live, app).containers, 3);
    assert_true(live_figures(&live, app).reserved_containers > 0);
    assert_int_equal(why(&live, app, &found), SCHED_REASON_CLUSTER_FULL);
    assert_non_null(strstr(sched_why_format(&found, text, sizeof(text)), "the most on n1:1, which has"));
    assert_amount(&found.spread.all, 6144, 297);
    assert_amount(&found.spread.free, 2048, 99);
    assert_amount(&found.most, 2048, 99);
    assert_int_equal(found.spread.nodes, 3);
    live_end(&live);
}

static void the_reason_of_an_increase_names_types_and_what_is_short(void **state)
{
    struct resource_types names = resource_types_basic();
    struct sched_why why = { .reason = SCHED_REASON_NODE_FULL, .names = &names, .count = 1 };
    char text[2000];

    (void)state;
    names.type[names.count++] = (struct resource_type){ .name = "yarn.io/gpu" };
    why.asked.value[2] = 2;
    sched_why_format(&why, text, sizeof(text));
    assert_non_null(strstr(text, "yarn.io/gpu: 2"));
    assert_non_null(strstr(text, "does not have that free now"));
    why.most.value[2] = 4; /* the GPUs are free, the memory is below the smallest container */
    assert_non_null(
        strstr(sched_why_format(&why, text, sizeof(text)), "less free than the smallest container"));
}

static void a_full_cluster_has_no_room_that_is_spread(void **state)
{
    struct sched_node *nodes[2];
    struct sched_why found;
    struct sched_app *app;
    struct live live;
    char text[512];

    (void)state;
    live_begin(&live, ONE);
    app = live_app(&live, "ann", "default");
    live_ask(&live, app, 3, 5120);
    for (int i = 0; i < 2; i++) {
        nodes[i] = live_node(&live, (const char *const[]){ "n1:1", "n2:1" }[i], 6144, NULL);
        live_heartbeat(&live, nodes[i], 2);
    }
    assert_int_equal(why(&live, app, &found), SCHED_REASON_CLUSTER_FULL);
    assert_null(found.spread.node); /* 2 GiB are free, and a container needs 5 */
    assert_null(strstr(sched_why_format(&found, text, sizeof(text)), "the most on"));
    live_end(&live);
}

#define TWO \
    "root.queues=a,b\nroot.a.capacity=50\nroot.b.capacity=50\nroot.a.user-limit-factor=10\n" \
    "root.b.user-limit-factor=10\n"

/* Two nodes of 6 GiB run a container of 4 GiB each, and one node is reserved for a third container: all of
 * the cluster is used or reserved. */
static void reservations_of_others_are_reported_beside_use(void **state)
{
    struct sched_node *n1, *n2;
    struct sched_app *first, *second;
    struct sched_why found;
    struct live live;
    (void)state;

    live_begin(&live, TWO);
    n1 = live_node(&live, "n1:1", 6144, NULL);
    n2 = live_node(&live, "n2:1", 6144, NULL);
    first = live_app(&live, "ann", "a");
    second = live_app(&live, "bob", "b");
    live_ask(&live, first, 3, 4096);
    live_heartbeat(&live, n1, 1);
    live_heartbeat(&live, n2, 1);
    live_heartbeat(&live, n1, 1);
    assert_int_equal(live_figures(&live, first).reserved_containers, 1);
    live_ask(&live, second, 1, 1024);
    live_heartbeat(&live, n2, 1);
    assert_int_equal(why(&live, second, &found), SCHED_REASON_RESERVED_FOR);
    assert_string_equal(found.queue, "root");
    live_end(&live);
}

#define HALF TWO "root.a.maximum-capacity=50\n"

/* A queue with a limit of 8 GiB uses 5. An application requests 4: its headroom is too small, which ends
 * the offer to the application behind it. The queue's 3 GiB of headroom are kept from the other queue. */
static void a_blocked_request_is_the_reason_of_later_requests(void **state)
{
    struct sched_app *large, *behind, *other;
    struct sched_node *node;
    struct sched_why found;
    struct live live;
    (void)state;

    live_begin(&live, HALF);
    node = live_node(&live, "n1:1", 16384, NULL);
    large = live_app(&live, "ann", "a");
    behind = live_app(&live, "ann", "a");
    other = live_app(&live, "bob", "b");
    live_ask(&live, large, 5, 1024);
    live_heartbeat(&live, node, 5);
    live_ask(&live, large, 1, 4096);
    live_ask(&live, behind, 1, 1024);
    live_heartbeat(&live, node, 1);
    assert_int_equal(why(&live, large, &found), SCHED_REASON_QUEUE_LIMIT);
    assert_string_equal(found.queue, "root.a");
    assert_int_equal(why(&live, behind, &found), SCHED_REASON_BEHIND_IN_QUEUE);
    assert_int_equal(found.ahead, 1);
    live_ask(&live, other, 11, 1024);
    assert_int_equal(why(&live, other, NULL), SCHED_REASON_NEXT_OFFER);
    live_heartbeat(&live, node, 11);
    assert_int_equal(live_figures(&live, other).containers, 8);
    assert_int_equal(why(&live, other, &found), SCHED_REASON_BEHIND_QUEUE);
    assert_string_equal(found.queue, "root.a");
    live_end(&live);
}

/* 150 applications of another queue come first; none of them can use a node. */
static void a_limit_of_its_own_queue_is_named_behind_many_applications(void **state)
{
    struct sched_node *n1, *n2;
    struct sched_app *app;
    struct sched_why found;
    struct live live;
    (void)state;

    live_begin(&live, "root.queues=a,b\nroot.a.capacity=75\nroot.b.capacity=25\nroot.b.maximum-capacity=25\n"
                      "root.a.user-limit-factor=10\nroot.b.user-limit-factor=10\n");
    n1 = live_node(&live, "n1:1", 8192, NULL);
    n2 = live_node(&live, "n2:1", 8192, NULL);
    live_ask(&live, live_app(&live, "ann", "a"), 1, 1024);
    live_ask(&live, live_app(&live, "bob", "b"), 1, 1024);
    live_heartbeat(&live, n1, 1);
    live_heartbeat(&live, n2, 1);
    for (int i = 0; i < 150; i++)
        live_ask(&live, live_app(&live, "ann", "a"), 1, 8192);
    app = live_app(&live, "bob", "b");
    live_ask(&live, app, 1, 5120);
    assert_int_equal(why(&live, app, &found), SCHED_REASON_QUEUE_LIMIT);
    assert_string_equal(found.queue, "root.b");
    live_end(&live);
}

/* Also for an application whose AM has not been requested yet. */
static void without_an_open_node_no_limit_is_named(void **state)
{
    struct sched_app_spec spec = { .user = "ann", .queue = "default", .manages = true };
    struct resource master = resource_of(1024, 1);
    struct sched_node *node;
    struct sched_app *app;
    struct live live;
    struct err err;
    (void)state;

    live_begin(&live, ONE);
    node = live_node(&live, "n1:1", 16384, NULL);
    for (int i = 0; i < 3; i++) {
        spec.id = (struct app_id){ 1, (uint32_t)(100 + i) };
        assert_int_equal(sched_app_add(live.sched, &spec, &app, &err), 0);
        sched_app_start(live.sched, app, &master, &live.decisions);
    }
    assert_int_equal(why(&live, app, NULL), SCHED_REASON_AM_LIMIT);
    sched_node_set_open(live.sched, node, false, &live.decisions);
    assert_int_equal(why(&live, app, NULL), SCHED_REASON_NO_NODES);
    live_end(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fragmented_cluster_is_full_and_no_limit_is_named),
        cmocka_unit_test(a_full_cluster_has_no_room_that_is_spread),
        cmocka_unit_test(the_reason_of_an_increase_names_types_and_what_is_short),
        cmocka_unit_test(reservations_of_others_are_reported_beside_use),
        cmocka_unit_test(a_blocked_request_is_the_reason_of_later_requests),
        cmocka_unit_test(a_limit_of_its_own_queue_is_named_behind_many_applications),
        cmocka_unit_test(without_an_open_node_no_limit_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

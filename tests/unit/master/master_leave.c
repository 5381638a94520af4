/* SPDX-License-Identifier: Apache-2.0 */
/* master_leave.c - test: decommissioned nodes, and nodes whose size changes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_drain_fixture.h"

/* --- decommission ----------------------------------------------------------- */

static void a_node_leaves_when_its_applications_are_over(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DECOMMISSION, "old", FOREVER));
    assert_int_equal(show(&w, "n1")->state, STATE(DECOMMISSIONING));
    agent_exit(&w.a, w.tasks[0], 0);
    agent_exit(&w.a, w.a.containers[0].id, 1); /* the AM's container: the AM starts again elsewhere */
    pass(&w, 2);
    assert_int_equal(show(&w, "n1")->containers, 0);
    assert_int_equal(show(&w, "n1")->state, STATE(DECOMMISSIONING));
    assert_int_equal(show(&w, "n1")->admin_state->apps_left, 1);
    people_kill(&w.h, w.app);
    pass(&w, 3);
    assert_int_equal(show(&w, "n1")->state, STATE(DECOMMISSIONED));
    assert_true(w.a.shut_down);
    agent_register(&w.h, &w.a);
    assert_true(w.a.shut_down);
    harness_restart(&w.h);
    assert_int_equal(show(&w, "n1")->state, STATE(DECOMMISSIONED));
    agent_register(&w.h, &w.a);
    assert_true(w.a.shut_down);
    done(change(&w, "admin", "n1", RECOMMISSION, "", UNSAID));
    assert_int_equal(show(&w, "n1")->state, STATE(SHUT_DOWN));
    agent_register(&w.h, &w.a);
    assert_false(w.a.shut_down);
    assert_int_equal(show(&w, "n1")->state, STATE(RUNNING));
    end(&w);
}

static void a_node_that_is_lost_may_leave(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DECOMMISSION, "dead", FOREVER));
    for (int i = 0; i < 15; i++) {
        harness_tick(&w.h, 1000);
        agent_heartbeat(&w.h, &w.b);
    }
    assert_int_equal(show(&w, "n1")->state, STATE(DECOMMISSIONED));
    agent_register(&w.h, &w.a);
    assert_true(w.a.shut_down);
    end(&w);
}

static void malformed_request_changes_nothing(void **state)
{
    struct world w;

    (void)state;
    begin(&w, -1);
    refused(change(&w, "ann", "n1", DRAIN, "disk", UNSAID), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
            "yarn.admin.acl");
    refused(change(&w, "admin", "n", DRAIN, "disk", UNSAID), CREEL__ERROR_CODE__ERROR_NOT_FOUND,
            "node n: not known here");
    refused(change(&w, "admin", "n1", CREEL__NODE_CHANGE__NODE_CHANGE_NONE, "", UNSAID),
            CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "change 0");
    done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    refused(change(&w, "admin", "n1", RECOMMISSION, "", UNSAID), CREEL__ERROR_CODE__ERROR_BAD_STATE,
            "creel node undrain n1:8041");
    done(change(&w, "admin", "n1", DECOMMISSION, "old", UNSAID));
    refused(change(&w, "admin", "n1", UNDRAIN, "", UNSAID), CREEL__ERROR_CODE__ERROR_BAD_STATE,
            "creel node recommission n1:8041");
    refused(change(&w, "admin", "n1", DRAIN, "", UNSAID), CREEL__ERROR_CODE__ERROR_BAD_STATE,
            "DECOMMISSIONED by admin");
    assert_int_equal(show(&w, "n2")->state, STATE(RUNNING));
    end(&w);
}

static void nothing_is_acknowledged_before_it_is_stored(void **state)
{
    struct world w;

    (void)state;
    begin(&w, -1);
    w.h.hold_store = true;
    assert_null(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    harness_restart(&w.h); /* the rows were not committed */
    agent_register(&w.h, &w.a);
    assert_int_equal(show(&w, "n1")->state, STATE(RUNNING));
    w.h.hold_store = false;
    end(&w);
}

/* --- size ------------------------------------------------------------------ */

static void larger_node_counts_after_its_agent_acknowledged(void **state)
{
    const Creel__AllocateReply *reply;
    struct world w;

    (void)state;
    begin(&w, 0);
    done(change(&w, "admin", "n2", DRAIN, "alone", UNSAID));
    assert_int_equal(done(resize(&w, 8192, 0, -1))->total->memory_mb, 8192);
    assert_int_equal(show(&w, "n1")->offered->memory_mb, 4096);
    assert_string_equal(show(&w, "n1")->resources_by, "admin");
    reply = am_allocate(&w.h, &w.am, 1, 4096, NULL);
    assert_int_equal(reply->n_allocated, 0);
    beat(&w);
    assert_int_equal(w.a.ordered_total_mb, 8192);
    reply = am_allocate(&w.h, &w.am, -1, 0, NULL);
    assert_int_equal(reply->n_allocated, 1);
    harness_restart(&w.h);
    agent_register(&w.h, &w.a);
    assert_int_equal(show(&w, "n1")->total->memory_mb, 8192);
    done(resize(&w, 0, 0, -1));
    assert_int_equal(show(&w, "n1")->total->memory_mb, 4096);
    assert_null(show(&w, "n1")->offered);
    end(&w);
}

static void newest_containers_are_evicted_first(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 3);
    done(resize(&w, 512, 0, -1));
    pass(&w, 5);
    assert_int_equal(agent_running(&w.a), 4);
    done(resize(&w, 512, 0, 3000));
    pass(&w, 2);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->preempt_notices, 0);
    assert_true(agent_find(&w.a, w.tasks[1])->preempt_notices > 0);
    assert_true(agent_find(&w.a, w.tasks[2])->preempt_notices > 0);
    pass(&w, 2);
    assert_int_equal(status_of(&w, 0), 0);
    assert_int_equal(status_of(&w, 1), PREEMPTED);
    assert_int_equal(status_of(&w, 2), PREEMPTED);
    assert_int_equal(agent_running(&w.a), 2);
    end(&w);
}

static void a_size_for_a_while_ends(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 0);
    done(resize(&w, 1024, 4000, -1));
    assert_int_equal(show(&w, "n1")->resources_until_ms, w.h.now + 4000);
    harness_restart(&w.h);
    pass(&w, 3);
    assert_int_equal(show(&w, "n1")->total->memory_mb, 1024);
    pass(&w, 2);
    assert_int_equal(show(&w, "n1")->total->memory_mb, 4096);
    refused(resize(&w, 16, 0, -1), CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "less than the smallest container");
    end(&w);
}

static void a_clock_that_was_set_between_two_runs_does_not_change_the_end_of_a_size(void **state)
{
    static const int64_t sets_ms[] = { 2 * 86400000, -2 * 86400000 };
    struct world w;

    (void)state;
    begin(&w, 0);
    for (size_t i = 0; i < 2; i++) {
        int64_t end_ms;

        done(resize(&w, 1024, 60000, -1));
        end_ms = show(&w, "n1")->resources_until_ms + sets_ms[i];
        w.h.now += sets_ms[i];
        w.h.config.clock_set_ms = sets_ms[i];
        harness_restart(&w.h);
        w.h.config.clock_set_ms = 0;
        agent_register(&w.h, &w.a);
        assert_int_equal(show(&w, "n1")->resources_until_ms, end_ms);
        harness_restart(&w.h); /* the move is stored */
        agent_register(&w.h, &w.a);
        assert_int_equal(show(&w, "n1")->resources_until_ms, end_ms);
    }
    end(&w);
}

/* The use is 1024 MiB, the size 600 MiB: the two newest containers get notices. */
static void make_smaller(struct world *w, int64_t for_ms)
{
    begin(w, 3);
    done(resize(w, 600, for_ms, 5000));
    pass(w, 2);
    assert_true(agent_find(&w->a, w->tasks[1])->preempt_ms != 0);
    assert_true(agent_find(&w->a, w->tasks[2])->preempt_ms != 0);
}

static void evictions_end_when_the_node_fits_again(void **state)
{
    struct world w;

    (void)state;
    make_smaller(&w, 0);
    agent_exit(&w.a, w.tasks[0], 0);
    pass(&w, 2);
    assert_int_equal(agent_find(&w.a, w.tasks[1])->preempt_ms, 0); /* 512 MiB without the newest one */
    assert_true(agent_find(&w.a, w.tasks[2])->preempt_ms != 0);
    pass(&w, 3);
    assert_int_equal(status_of(&w, 1), 0);
    assert_int_equal(status_of(&w, 2), PREEMPTED);
    end(&w);
}

static void evictions_end_when_the_size_is_taken_back(void **state)
{
    struct world w;

    (void)state;
    make_smaller(&w, 0);
    done(resize(&w, 0, 0, -1));
    pass(&w, 6);
    assert_int_equal(agent_running(&w.a), 4);
    assert_int_equal(agent_find(&w.a, w.tasks[2])->preempt_ms, 0);
    end(&w);
    make_smaller(&w, 3000);
    pass(&w, 6);
    assert_int_equal(agent_running(&w.a), 4);
    assert_int_equal(agent_find(&w.a, w.tasks[2])->preempt_ms, 0);
    end(&w);
}

static void evictions_end_when_a_container_shrinks(void **state)
{
    Creel__ResizeContainer body = CREEL__RESIZE_CONTAINER__INIT;
    Creel__Resource size = CREEL__RESOURCE__INIT;
    Creel__Envelope *envelope;
    struct world w;

    (void)state;
    begin(&w, 1);
    done(resize(&w, 400, 0, 5000));
    pass(&w, 2);
    assert_true(agent_find(&w.a, w.tasks[0])->preempt_ms != 0);
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_RESIZE_CONTAINER);
    size.memory_mb = 128;
    body.container_id = w.tasks[0];
    body.resource = &size;
    envelope->resize_container = &body;
    assert_int_equal(harness_ask(&w.h, MASTER_CLIENT, 1000, "ann", envelope)->body_case,
                     CREEL__ENVELOPE__BODY_RESIZE_CONTAINER_REPLY);
    pass(&w, 5);
    assert_int_equal(status_of(&w, 0), 0);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->preempt_ms, 0);
    end(&w);
}

static void the_last_order_has_the_time_of_evictions(void **state)
{
    struct world w;

    (void)state;
    make_smaller(&w, 0);
    done(resize(&w, 600, 0, 60000));
    pass(&w, 6);
    assert_int_equal(agent_running(&w.a), 4);
    done(resize(&w, 600, 0, 1000));
    pass(&w, 3);
    assert_int_equal(agent_running(&w.a), 2);
    end(&w);
}

static void a_drain_does_not_wait_for_the_time_of_a_smaller_size(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 3);
    done(resize(&w, 600, 0, 3600000));
    pass(&w, 2);
    done(change(&w, "admin", "n1", DRAIN, "disk", 1000));
    done(resize(&w, 0, 0, -1)); /* does not take back what the drain evicts */
    pass(&w, 15);
    assert_int_equal(agent_running(&w.a), 0);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_leaves_when_its_applications_are_over),
        cmocka_unit_test(a_node_that_is_lost_may_leave),
        cmocka_unit_test(malformed_request_changes_nothing),
        cmocka_unit_test(nothing_is_acknowledged_before_it_is_stored),
        cmocka_unit_test(larger_node_counts_after_its_agent_acknowledged),
        cmocka_unit_test(newest_containers_are_evicted_first),
        cmocka_unit_test(a_size_for_a_while_ends),
        cmocka_unit_test(a_clock_that_was_set_between_two_runs_does_not_change_the_end_of_a_size),
        cmocka_unit_test(evictions_end_when_the_node_fits_again),
        cmocka_unit_test(evictions_end_when_the_size_is_taken_back),
        cmocka_unit_test(evictions_end_when_a_container_shrinks),
        cmocka_unit_test(the_last_order_has_the_time_of_evictions),
        cmocka_unit_test(a_drain_does_not_wait_for_the_time_of_a_smaller_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

#include "tests/unit/master_drain_fixture.h"

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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_drain.c - nodes that are drained, decommissioned and resized: what becomes of what runs there
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master_harness.h"

#define DRAIN CREEL__NODE_CHANGE__NODE_DRAIN
#define UNDRAIN CREEL__NODE_CHANGE__NODE_UNDRAIN
#define DECOMMISSION CREEL__NODE_CHANGE__NODE_DECOMMISSION
#define RECOMMISSION CREEL__NODE_CHANGE__NODE_RECOMMISSION
#define STATE(name) CREEL__NODE_STATE__NODE_##name
#define FOREVER (-1)
#define UNSAID (-2)
#define NOW (-3)
#define PREEMPTED (-102)
#define ABORTED (-100)

struct world {
    struct harness h;
    struct fake_agent a, b;
    struct fake_am am;
    char app[80], tasks[8][80];
};

/* One node with COUNT tasks of an application that runs, then a second node. */
static void begin(struct world *w, int count)
{
    const Creel__AllocateReply *reply;

    harness_init(&w->h);
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 4096, 8);
    agent_init(&w->b, "n2:8041", 4096, 8);
    agent_register(&w->h, &w->a);
    if (count >= 0) {
        people_submit(&w->h, job_of(CREEL__APP_KIND__APP_MASTER, 256, 0), "", w->app, NULL);
        agent_heartbeat(&w->h, &w->a);
        am_init(&w->am, w->app, 1);
        am_register(&w->h, &w->am);
        reply = am_allocate(&w->h, &w->am, count, 256, NULL);
        assert_int_equal(reply->n_allocated, count);
        for (int i = 0; i < count; i++) {
            snprintf(w->tasks[i], sizeof(w->tasks[i]), "%s", reply->allocated[i]->container_id);
            agent_start(&w->a, w->tasks[i], &reply->allocated[i]->token);
        }
        agent_heartbeat(&w->h, &w->a);
    }
    agent_register(&w->h, &w->b);
    agent_heartbeat(&w->h, &w->b);
}

static void end(struct world *w)
{
    agent_done(&w->a);
    agent_done(&w->b);
    harness_done(&w->h);
}

static void beat(struct world *w)
{
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
}

/* Time passes, and both agents are heard each second. */
static void pass(struct world *w, int seconds)
{
    for (int i = 0; i < seconds; i++) {
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->b);
    }
}

static const Creel__Envelope *change(struct world *w, const char *user, const char *name,
                                     Creel__NodeChange what, const char *reason, int64_t timeout_ms)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_CHANGE_NODES);
    Creel__ChangeNodes body = CREEL__CHANGE_NODES__INIT;
    char *names[] = { (char *)(uintptr_t)name };

    body.nodes = names;
    body.n_nodes = 1;
    body.change = what;
    body.reason = (char *)(uintptr_t)reason;
    body.kill_now = timeout_ms == NOW;
    body.deadline_said = timeout_ms >= FOREVER;
    body.timeout_ms = timeout_ms >= FOREVER ? timeout_ms : 0;
    envelope->change_nodes = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, user, envelope);
}

static const Creel__NodeReport *done(const Creel__Envelope *reply)
{
    assert_non_null(reply);
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("refused: %s", reply->error->message);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_NODE_LIST);
    return reply->node_list->nodes[0];
}

static void refused(const Creel__Envelope *reply, Creel__ErrorCode code, const char *part)
{
    assert_non_null(reply);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
    if (strstr(reply->error->message, part) == NULL)
        fail_msg("no \"%s\" in \"%s\"", part, reply->error->message);
}

static const Creel__NodeReport *show(struct world *w, const char *id)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_NODES);
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;

    body.node_id = (char *)(uintptr_t)id;
    envelope->list_nodes = &body;
    return done(harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope));
}

static const Creel__Envelope *resize(struct world *w, int64_t memory_mb, int64_t for_ms,
                                     int64_t overcommit_ms)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_NODE_RESOURCES);
    Creel__SetNodeResources body = CREEL__SET_NODE_RESOURCES__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    char *names[] = { (char *)(uintptr_t) "n1" };

    body.nodes = names;
    body.n_nodes = 1;
    total.memory_mb = memory_mb;
    body.total = memory_mb ? &total : NULL;
    body.for_ms = for_ms;
    body.overcommit_ms = overcommit_ms;
    envelope->set_node_resources = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, "admin", envelope);
}

static int status_of(struct world *w, int task)
{
    struct fake_container *container = agent_find(&w->a, w->tasks[task]);

    return container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE ? container->exit_status
                                                                          : 0;
}

/* --- drain ----------------------------------------------------------------- */

static void nothing_new_comes_and_what_runs_finishes(void **state)
{
    const Creel__NodeReport *report;
    const Creel__AllocateReply *reply;
    struct world w;

    (void)state;
    begin(&w, 2);
    report = done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    assert_int_equal(report->state, STATE(DRAINING));
    assert_string_equal(report->duty->by, "admin");
    assert_string_equal(report->duty->reason, "disk");
    assert_int_equal(report->duty->since_ms, w.h.now);
    assert_int_equal(report->duty->deadline_ms, 0);
    assert_int_equal(report->containers, 3);
    reply = am_allocate(&w.h, &w.am, 3, 256, NULL);
    assert_int_equal(reply->n_allocated, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(reply->allocated[i]->node_id, "n2:8041");
    pass(&w, 9);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINING));
    agent_exit(&w.a, w.tasks[0], 0);
    agent_exit(&w.a, w.tasks[1], 3);
    am_finish(&w.h, &w.am, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0);
    beat(&w);
    assert_int_equal(show(&w, "n1")->containers, 1);
    agent_exit(&w.a, w.a.containers[0].id, 0);
    beat(&w);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    assert_int_equal(done(change(&w, "admin", "n1:8041", UNDRAIN, "", UNSAID))->state,
                     STATE(RUNNING));
    assert_null(show(&w, "n1")->duty);
    end(&w);
}

static void an_empty_node_is_drained_at_once_and_twice_is_once(void **state)
{
    struct world w;

    (void)state;
    begin(&w, -1);
    assert_int_equal(done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID))->state,
                     STATE(DRAINED));
    assert_int_equal(done(change(&w, "admin", "n1", DRAIN, "", UNSAID))->state, STATE(DRAINED));
    assert_string_equal(show(&w, "n1")->duty->reason, "disk");
    done(change(&w, "root", "n1", DRAIN, "fan", 60000));
    assert_string_equal(show(&w, "n1")->duty->reason, "fan");
    assert_string_equal(show(&w, "n1")->duty->by, "root");
    assert_int_equal(done(change(&w, "admin", "n1", UNDRAIN, "", UNSAID))->state, STATE(RUNNING));
    assert_int_equal(done(change(&w, "admin", "n1", UNDRAIN, "", UNSAID))->state, STATE(RUNNING));
    end(&w);
}

static void at_the_deadline_they_are_told_and_then_stopped(void **state)
{
    const Creel__AllocateReply *reply;
    struct world w;
    int64_t deadline_ms;

    (void)state;
    begin(&w, 2);
    done(change(&w, "admin", "n1", DRAIN, "disk", 3000));
    deadline_ms = w.h.now + 3000;
    pass(&w, 2);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->warnings, 0);
    pass(&w, 2);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->preempt_ms, deadline_ms + 5000);
    assert_int_equal(show(&w, "n1")->duty->containers_told, 3);
    reply = am_allocate(&w.h, &w.am, -1, 0, NULL);
    assert_non_null(reply->preemption);
    assert_int_equal(reply->preemption->n_strict, 3);
    assert_int_equal(reply->preemption->n_negotiable, 0);
    pass(&w, 3);
    assert_int_equal(status_of(&w, 0), 0);
    pass(&w, 3);
    assert_int_equal(status_of(&w, 0), PREEMPTED);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    end(&w);
}

static void kill_now_means_now(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "fire", NOW));
    agent_listen(&w.h, &w.a);
    assert_int_equal(status_of(&w, 0), ABORTED);
    beat(&w);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    end(&w);
}

static void a_deadline_is_moved_and_taken_away(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "disk", 3000));
    done(change(&w, "admin", "n1", DRAIN, "", UNSAID));
    assert_int_equal(show(&w, "n1")->duty->deadline_ms, w.h.now + 3000);
    done(change(&w, "admin", "n1", DRAIN, "", 9000));
    pass(&w, 5);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->warnings, 0);
    done(change(&w, "admin", "n1", DRAIN, "", FOREVER));
    pass(&w, 12);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->warnings, 0);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINING));
    end(&w);
}

/* It may have begun to end: what it was told holds. But the node serves. */
static void who_was_told_goes_even_if_the_node_stays(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "disk", 1000));
    pass(&w, 2);
    assert_true(agent_find(&w.a, w.tasks[0])->warnings > 0);
    assert_int_equal(done(change(&w, "admin", "n1", UNDRAIN, "", UNSAID))->state, STATE(RUNNING));
    pass(&w, 6);
    assert_int_equal(status_of(&w, 0), PREEMPTED);
    assert_int_equal(show(&w, "n1")->state, STATE(RUNNING));
    end(&w);
}

static void a_restart_of_the_master_keeps_reason_and_deadline(void **state)
{
    const Creel__NodeReport *report;
    struct world w;
    int64_t deadline_ms;

    (void)state;
    begin(&w, 2);
    done(change(&w, "admin", "n1", DRAIN, "disk", 4000));
    deadline_ms = w.h.now + 4000;
    pass(&w, 1);
    harness_restart(&w.h);
    report = show(&w, "n1");
    assert_int_equal(report->state, STATE(DRAINING));
    assert_string_equal(report->duty->reason, "disk");
    assert_int_equal(report->duty->deadline_ms, deadline_ms);
    pass(&w, 4);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->preempt_ms, deadline_ms + 5000);
    /* Once more, past the deadline: no second notice is a longer one. */
    harness_restart(&w.h);
    pass(&w, 2);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->preempt_ms, deadline_ms + 5000);
    pass(&w, 4);
    assert_int_equal(status_of(&w, 0), PREEMPTED);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    harness_restart(&w.h);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    pass(&w, 2);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    done(change(&w, "admin", "n1", UNDRAIN, "", UNSAID));
    harness_restart(&w.h);
    pass(&w, 2);
    assert_int_equal(show(&w, "n1")->state, STATE(RUNNING));
    end(&w);
}

static void an_agent_that_restarts_goes_on_being_drained(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    w.a.incarnation++;
    agent_register(&w.h, &w.a);
    beat(&w);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINING));
    assert_int_equal(show(&w, "n1")->containers, 2);
    end(&w);
}

static void a_node_that_is_lost_comes_back_to_be_drained(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    for (int i = 0; i < 15; i++) {
        harness_tick(&w.h, 1000);
        agent_heartbeat(&w.h, &w.b);
    }
    assert_int_equal(show(&w, "n1")->state, STATE(LOST));
    assert_string_equal(show(&w, "n1")->duty->reason, "disk");
    agent_register(&w.h, &w.a);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINING));
    pass(&w, 2);                        /* what runs there still is stopped */
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    assert_int_equal(agent_running(&w.a), 0);
    end(&w);
}

static void the_cluster_shrinks_with_what_ends(void **state)
{
    Creel__Envelope *envelope;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;
    const Creel__Envelope *reply;
    struct world w;

    (void)state;
    begin(&w, 2);
    done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    envelope->get_cluster_info = &body;
    reply = harness_ask(&w.h, MASTER_CLIENT, 1000, "ann", envelope);
    assert_int_equal(reply->cluster_info->total->memory_mb, 4096 + 3 * 256);
    assert_int_equal(reply->cluster_info->nodes_draining, 1);
    assert_int_equal(reply->cluster_info->nodes_running, 1);
    agent_exit(&w.a, w.tasks[0], 0);
    beat(&w);
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    envelope->get_cluster_info = &body;
    reply = harness_ask(&w.h, MASTER_CLIENT, 1000, "ann", envelope);
    assert_int_equal(reply->cluster_info->total->memory_mb, 4096 + 2 * 256);
    assert_int_equal(show(&w, "n1")->total->memory_mb, 4096);
    end(&w);
}

/* --- decommission ----------------------------------------------------------- */

static void a_node_leaves_when_its_applications_are_over(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DECOMMISSION, "old", FOREVER));
    assert_int_equal(show(&w, "n1")->state, STATE(DECOMMISSIONING));
    agent_exit(&w.a, w.tasks[0], 0);
    agent_exit(&w.a, w.a.containers[0].id, 1);      /* the master: it begins again elsewhere */
    pass(&w, 2);
    assert_int_equal(show(&w, "n1")->containers, 0);
    assert_int_equal(show(&w, "n1")->state, STATE(DECOMMISSIONING));
    assert_int_equal(show(&w, "n1")->duty->apps_left, 1);
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

static void what_is_not_said_right_changes_nothing(void **state)
{
    struct world w;

    (void)state;
    begin(&w, -1);
    refused(change(&w, "ann", "n1", DRAIN, "disk", UNSAID),
            CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "yarn.admin.acl");
    refused(change(&w, "admin", "n", DRAIN, "disk", UNSAID), CREEL__ERROR_CODE__ERROR_NOT_FOUND,
            "node n: not known here");
    refused(change(&w, "admin", "n1", CREEL__NODE_CHANGE__NODE_CHANGE_NONE, "", UNSAID),
            CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "change 0");
    done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    refused(change(&w, "admin", "n1", RECOMMISSION, "", UNSAID),
            CREEL__ERROR_CODE__ERROR_BAD_STATE, "creel node undrain n1:8041");
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
    harness_restart(&w.h);              /* the rows were not on disk */
    agent_register(&w.h, &w.a);
    assert_int_equal(show(&w, "n1")->state, STATE(RUNNING));
    w.h.hold_store = false;
    end(&w);
}

/* --- waiting --------------------------------------------------------------- */

static uint64_t ask_wait(struct world *w, uint64_t version, uint32_t wait_ms,
                         const Creel__Envelope **reply)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_WAIT_NODES);
    Creel__WaitNodes body = CREEL__WAIT_NODES__INIT;
    uint64_t request_id = envelope->request_id;

    body.known_version = version;
    body.wait_ms = wait_ms;
    envelope->wait_nodes = &body;
    *reply = harness_ask(&w->h, MASTER_CLIENT, 2000, "ann", envelope);
    return request_id;
}

static void who_waits_hears_of_each_change(void **state)
{
    const Creel__Envelope *reply;
    struct world w;
    uint64_t version, request_id;

    (void)state;
    begin(&w, 1);
    ask_wait(&w, 0, 5000, &reply);
    assert_int_equal(reply->node_list->n_nodes, 0);
    version = reply->node_list->version;
    request_id = ask_wait(&w, version, 60000, &reply);
    assert_null(reply);
    done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    reply = harness_find_reply(&w.h, 2000, request_id);
    assert_non_null(reply);
    assert_int_equal(reply->node_list->n_nodes, 1);
    version = reply->node_list->version;
    request_id = ask_wait(&w, version, 60000, &reply);
    assert_null(reply);
    agent_exit(&w.a, w.tasks[0], 0);
    beat(&w);
    reply = harness_find_reply(&w.h, 2000, request_id);
    assert_non_null(reply);
    assert_int_equal(reply->node_list->nodes[0]->containers, 1);
    version = reply->node_list->version;
    request_id = ask_wait(&w, version, 3000, &reply);
    assert_null(reply);
    harness_tick(&w.h, 3001);
    assert_non_null(harness_find_reply(&w.h, 2000, request_id));
    end(&w);
}

/* --- size ------------------------------------------------------------------ */

static void a_node_grows_when_its_agent_knows(void **state)
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
    assert_int_equal(w.a.told_total_mb, 8192);
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

static void what_does_not_fit_any_more_goes_newest_first(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 3);
    done(resize(&w, 512, 0, -1));
    pass(&w, 5);
    assert_int_equal(agent_running(&w.a), 4);
    done(resize(&w, 512, 0, 3000));
    pass(&w, 2);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->warnings, 0);
    assert_true(agent_find(&w.a, w.tasks[1])->warnings > 0);
    assert_true(agent_find(&w.a, w.tasks[2])->warnings > 0);
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
    refused(resize(&w, 16, 0, -1), CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
            "less than the smallest container");
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_new_comes_and_what_runs_finishes),
        cmocka_unit_test(an_empty_node_is_drained_at_once_and_twice_is_once),
        cmocka_unit_test(at_the_deadline_they_are_told_and_then_stopped),
        cmocka_unit_test(kill_now_means_now),
        cmocka_unit_test(a_deadline_is_moved_and_taken_away),
        cmocka_unit_test(who_was_told_goes_even_if_the_node_stays),
        cmocka_unit_test(a_restart_of_the_master_keeps_reason_and_deadline),
        cmocka_unit_test(an_agent_that_restarts_goes_on_being_drained),
        cmocka_unit_test(a_node_that_is_lost_comes_back_to_be_drained),
        cmocka_unit_test(the_cluster_shrinks_with_what_ends),
        cmocka_unit_test(a_node_leaves_when_its_applications_are_over),
        cmocka_unit_test(a_node_that_is_lost_may_leave),
        cmocka_unit_test(what_is_not_said_right_changes_nothing),
        cmocka_unit_test(nothing_is_acknowledged_before_it_is_stored),
        cmocka_unit_test(who_waits_hears_of_each_change),
        cmocka_unit_test(a_node_grows_when_its_agent_knows),
        cmocka_unit_test(what_does_not_fit_any_more_goes_newest_first),
        cmocka_unit_test(a_size_for_a_while_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_nodes.c - test: registration, loss and return of nodes; wrong and repeated messages; restarts of
 * agent and RM
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_harness.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define TASKS CREEL__APP_KIND__APP_TASKS
#define STATE(name) CREEL__APP_STATE__APP_##name
#define COMPLETE CREEL__CONTAINER_STATE__CONTAINER_COMPLETE
#define RUNNING CREEL__CONTAINER_STATE__CONTAINER_RUNNING

struct world {
    struct harness h;
    struct fake_agent a;
    struct fake_am am;
    char app[80];
};

static void begin(struct world *w)
{
    harness_init(&w->h);
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 4096, 8);
    agent_register(&w->h, &w->a);
}

static void end(struct world *w)
{
    agent_done(&w->a);
    harness_done(&w->h);
}

static const Creel__NodeReport *show_node(struct harness *h, const char *id)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_LIST_NODES);
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;
    const Creel__Envelope *reply;

    body.node_id = (char *)(uintptr_t)id;
    envelope->list_nodes = &body;
    reply = harness_ask(h, MASTER_CLIENT, 1000, "ann", envelope);
    return reply->body_case == CREEL__ENVELOPE__BODY_NODE_LIST ? reply->node_list->nodes[0] : NULL;
}

/* Starts a job with TASKS tasks that run on the node and have been reported. */
static void begin_tasks(struct world *w, int tasks)
{
    const Creel__AllocateReply *reply;

    begin(w);
    people_submit(&w->h, job_of(TASKS, 256, (uint32_t)tasks), "", w->app, NULL);
    agent_heartbeat(&w->h, &w->a);
    am_init(&w->am, w->app, 1);
    am_register(&w->h, &w->am);
    reply = am_allocate(&w->h, &w->am, tasks, 256, NULL);
    assert_int_equal(reply->n_allocated, tasks);
    for (size_t i = 0; i < reply->n_allocated; i++)
        agent_start(&w->a, reply->allocated[i]->container_id, &reply->allocated[i]->token);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), tasks + 1);
}

static char *id_of(struct world *w, size_t i)
{
    return w->a.containers[i].id;
}

/* --- registration ---------------------------------------------------------- */

static void small_and_foreign_nodes_are_refused(void **state)
{
    struct fake_agent small, thief;
    struct world w;

    (void)state;
    begin(&w);
    agent_init(&small, "n2:8041", 64, 1);
    agent_register(&w.h, &small);
    assert_true(small.shut_down);
    assert_null(show_node(&w.h, "n2:8041"));
    agent_init(&thief, "n1:8041", 4096, 4);
    snprintf(thief.principal, sizeof(thief.principal), "somebody-else");
    agent_register(&w.h, &thief);
    assert_true(thief.shut_down);
    agent_heartbeat(&w.h, &w.a); /* the session of the first agent continues */
    assert_int_equal(show_node(&w.h, "n1")->state, CREEL__NODE_STATE__NODE_RUNNING);
    end(&w);
}

static void late_and_repeated_messages_change_nothing(void **state)
{
    struct world w;
    uint64_t session;
    Creel__Envelope *envelope;
    Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    Creel__Heartbeat beat = CREEL__HEARTBEAT__INIT;
    const Creel__Envelope *reply;

    (void)state;
    begin_tasks(&w, 3);
    session = w.a.session;
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    envelope->request_id = 1; /* sent before anything was running */
    total.memory_mb = 4096;
    total.vcores = 8;
    body.node_id = w.a.node_id;
    body.total = &total;
    body.incarnation = w.a.incarnation;
    envelope->register_node = &body;
    harness_forget(&w.h); /* drops also the first answer */
    assert_null(harness_ask(&w.h, MASTER_AGENT, w.a.connection, w.a.principal, envelope));
    assert_int_equal(people_show(&w.h, w.app)->running_containers, 4);
    /* Also an old heartbeat. */
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_HEARTBEAT);
    beat.node_id = w.a.node_id;
    beat.session = session;
    beat.seq = 1;
    beat.unhealthy = true;
    envelope->heartbeat = &beat;
    reply = harness_ask(&w.h, MASTER_AGENT, w.a.connection, w.a.principal, envelope);
    assert_int_equal(reply->heartbeat_reply->action, CREEL__NODE_ACTION__NODE_NORMAL);
    assert_int_equal(show_node(&w.h, "n1")->state, CREEL__NODE_STATE__NODE_RUNNING);
    end(&w);
}

static void nonsense_of_a_node_is_answered_and_changes_nothing(void **state)
{
    static const char *const ids[] = {
        "container_1700000000000_0001_01_000077", "container_1700000000000_0009_01_000001",
        "container_1600000000000_0001_01_000001", "container_e99_1700000000000_0001_01_000001",
        "container_1700000000000_0001_07_000001",
    };
    struct world w;

    (void)state;
    begin_tasks(&w, 2);
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        ProtobufCBinaryData none = { 0, (uint8_t *)(uintptr_t) "" };

        agent_start(&w.a, ids[i], &none);
    }
    assert_int_equal(agent_running(&w.a), 8);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_running(&w.a), 3); /* unknown containers were ordered to stop */
    assert_int_equal(show_node(&w.h, "n1")->containers, 3);
    agent_heartbeat(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_unacked(&w.a), 3);
    end(&w);
}

static void unhealthy_node_keeps_its_containers_and_gets_none(void **state)
{
    const Creel__AllocateReply *reply;
    struct world w;

    (void)state;
    begin_tasks(&w, 2);
    w.a.unhealthy = true;
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(show_node(&w.h, "n1")->state, CREEL__NODE_STATE__NODE_UNHEALTHY);
    reply = am_allocate(&w.h, &w.am, 1, 256, NULL);
    assert_int_equal(reply->n_allocated, 0);
    assert_int_equal(agent_running(&w.a), 3);
    assert_string_equal(people_show(&w.h, w.app)->reason_code, "NoNodes");
    w.a.unhealthy = false;
    agent_heartbeat(&w.h, &w.a);
    reply = am_allocate(&w.h, &w.am, -1, 0, NULL);
    assert_int_equal(reply->n_allocated, 1);
    end(&w);
}

static void node_gets_no_containers_while_orphans_run(void **state)
{
    const Creel__AllocateReply *reply;
    struct fake_agent b;
    struct world w;

    (void)state;
    begin_tasks(&w, 2);
    agent_init(&b, "n2:8041", 512, 8);
    harness_tick(&w.h, 9000);
    agent_register(&w.h, &b);
    harness_tick(&w.h, 1500); /* n1 is lost; a new AM starts on n2 */
    agent_heartbeat(&w.h, &b);
    am_init(&w.am, w.app, 2);
    am_register(&w.h, &w.am);
    w.a.lose_reply = true;
    agent_register(&w.h, &w.a);
    w.a.next_sent = w.h.sent_count; /* the agent has not read the orders to stop yet */
    reply = am_allocate(&w.h, &w.am, 2, 512, NULL);
    assert_int_equal(reply->n_allocated, 0);
    agent_heartbeat(&w.h, &w.a); /* reports them running; gets the orders */
    agent_heartbeat(&w.h, &w.a); /* gets the orders again and stops them */
    agent_heartbeat(&w.h, &w.a); /* reports the ends */
    reply = am_allocate(&w.h, &w.am, -1, 0, NULL);
    assert_int_equal(reply->n_allocated, 2);
    agent_done(&b);
    end(&w);
}

static void grant_of_a_lost_node_is_refused_when_it_returns(void **state)
{
    const Creel__AllocateReply *reply;
    struct fake_agent b;
    struct world w;
    char id[80];

    (void)state;
    begin(&w);
    people_submit(&w.h, job_of(TASKS, 256, 1), "", w.app, NULL);
    agent_heartbeat(&w.h, &w.a);
    agent_init(&b, "n2:8041", 4096, 8);
    agent_register(&w.h, &b);
    am_init(&w.am, w.app, 1);
    am_register(&w.h, &w.am);
    reply = am_allocate(&w.h, &w.am, 1, 256, NULL);
    assert_string_equal(reply->allocated[0]->node_id, b.node_id);
    snprintf(id, sizeof(id), "%s", reply->allocated[0]->container_id);
    for (int i = 0; i < 11; i++) {
        harness_tick(&w.h, 1000);
        agent_heartbeat(&w.h, &w.a);
    }
    reply = am_allocate(&w.h, &w.am, -1, 0, NULL);
    assert_int_equal(reply->completed[0]->exit_status, -100);
    for (int restarted = 0; restarted < 2; restarted++) {
        if (restarted) {
            harness_restart(&w.h);
            b.count = 0; /* as if the agent had not read the orders */
        }
        agent_register(&w.h, &b);
        agent_listen(&w.h, &b);
        assert_non_null(agent_find(&b, id));
        assert_int_equal(agent_find(&b, id)->state, COMPLETE);
    }
    agent_done(&b);
    end(&w);
}

static void node_that_is_silent_is_lost_with_its_containers(void **state)
{
    struct fake_agent b;
    struct world w;

    (void)state;
    begin_tasks(&w, 2);
    agent_init(&b, "n2:8041", 1024, 4);
    harness_tick(&w.h, 9000);
    agent_register(&w.h, &b);
    harness_tick(&w.h, 1500);
    assert_int_equal(show_node(&w.h, "n1")->state, CREEL__NODE_STATE__NODE_LOST);
    agent_listen(&w.h, &b);
    agent_heartbeat(&w.h, &b);
    assert_int_equal(agent_running(&b), 1); /* attempt 2: a lost node does not count as a failure */
    assert_int_equal(people_show(&w.h, w.app)->attempt, 2);
    assert_int_equal(people_show(&w.h, w.app)->running_containers, 1);
    /* The node returns with its containers: they were given up, so they are stopped, and nothing is placed
     * meanwhile. */
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_running(&w.a), 0);
    assert_int_equal(people_show(&w.h, w.app)->running_containers, 1);
    agent_heartbeat(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_unacked(&w.a), 0);
    agent_done(&b);
    end(&w);
}

/* --- restart of the agent ---------------------------------------------------- */

static void an_agent_restart_keeps_the_listed_containers(void **state)
{
    const Creel__AllocateReply *reply;
    struct world w;
    char lost[80];

    (void)state;
    begin_tasks(&w, 3);
    snprintf(lost, sizeof(lost), "%s", id_of(&w, 3));
    agent_exit(&w.a, id_of(&w, 2), 9);
    free(w.a.containers[3].grant);
    w.a.count = 3; /* the agent has lost its fourth container */
    w.a.incarnation = 2;
    agent_register(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_running(&w.a), 2);
    reply = am_allocate(&w.h, &w.am, -1, 0, NULL);
    assert_int_equal(reply->n_completed, 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(reply->completed[i]->exit_status,
                         strcmp(reply->completed[i]->container_id, lost) == 0 ? 154 : 9);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_unacked(&w.a), 2);
    end(&w);
}

/* The network delayed a message of the previous agent until the next agent has registered. */
static void late_messages_of_an_earlier_agent_are_ignored(void **state)
{
    Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    Creel__Envelope *envelope;
    struct world w;

    (void)state;
    begin_tasks(&w, 3);
    w.a.incarnation = 3; /* the RM never got the message of agent 2 in time */
    agent_register(&w.h, &w.a);
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    total.memory_mb = 4096;
    total.vcores = 8;
    body.node_id = w.a.node_id;
    body.total = &total;
    body.incarnation = 2;
    envelope->register_node = &body;
    assert_null(harness_ask(&w.h, MASTER_AGENT, w.a.connection, w.a.principal, envelope));
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(people_show(&w.h, w.app)->running_containers, 4);
    agent_register(&w.h, &w.a); /* a repeated registration is answered */
    assert_int_equal(agent_running(&w.a), 4);
    end(&w);
}

/* The agent repeated its registration because no answer had arrived. A heartbeat of the new session, which
 * reports a container started meanwhile, arrived before the repeated registration. Seed 5042 of creel-sim
 * chaos. */
static void a_registration_that_a_heartbeat_overtook_takes_nothing_away(void **state)
{
    Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    const Creel__AllocateReply *reply;
    Creel__Envelope *envelope;
    struct world w;

    (void)state;
    begin_tasks(&w, 1);
    reply = am_allocate(&w.h, &w.am, 1, 256, NULL);
    agent_register(&w.h, &w.a);
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    total.memory_mb = 4096;
    total.vcores = 8;
    body.node_id = w.a.node_id;
    body.total = &total;
    body.incarnation = w.a.incarnation;
    envelope->register_node = &body;
    agent_start(&w.a, reply->allocated[0]->container_id, &reply->allocated[0]->token);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(people_show(&w.h, w.app)->running_containers, 3);
    assert_null(harness_ask(&w.h, MASTER_AGENT, w.a.connection, w.a.principal, envelope));
    assert_int_equal(people_show(&w.h, w.app)->running_containers, 3);
    assert_int_equal(am_allocate(&w.h, &w.am, -1, 0, NULL)->n_completed, 0);
    end(&w);
}

static void order_that_was_lost_is_repeated(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    people_submit(&w.h, job_of(COMMAND, 256, 0), "", w.app, NULL);
    harness_forget(&w.h); /* the order was lost */
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_running(&w.a), 1);
    people_kill(&w.h, w.app);
    harness_forget(&w.h);
    agent_register(&w.h, &w.a); /* as after a RESYNC */
    agent_heartbeat(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_running(&w.a), 0);
    end(&w);
}

/* --- restart of the RM -------------------------------------------------------- */

static void restart_while_a_command_runs(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    people_submit(&w.h, job_of(COMMAND, 256, 0), "", w.app, NULL);
    agent_heartbeat(&w.h, &w.a);
    for (int i = 0; i < 3; i++) {
        harness_restart(&w.h);
        assert_int_equal(people_show(&w.h, w.app)->state, STATE(RUNNING));
        assert_string_equal(people_show(&w.h, w.app)->reason_code, "RmRecovering");
        agent_heartbeat(&w.h, &w.a); /* gets RESYNC, and registers */
        assert_int_equal(show_node(&w.h, "n1")->containers, 1);
        assert_int_equal(show_node(&w.h, "n1")->used->memory_mb, 256);
    }
    agent_exit(&w.a, id_of(&w, 0), 0);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(people_show(&w.h, w.app)->state, STATE(FINISHED));
    assert_int_equal(people_show(&w.h, w.app)->attempt, 1);
    harness_restart(&w.h);
    assert_int_equal(people_show(&w.h, w.app)->state, STATE(FINISHED));
    end(&w);
}

static void restart_between_any_two_rows(void **state)
{
    /* However many rows were written before the crash, the job ends normally and no part of the job runs
     * twice. */
    (void)state;
    for (int commits = 0; commits < 12; commits++) {
        struct world w;
        int done = 0;

        begin(&w);
        w.h.hold_store = true;
        people_submit(&w.h, job_of(COMMAND, 256, 0), "key", w.app, NULL);
        for (int round = 0; round < 8 && done < commits; round++) {
            if (w.h.waiting_count > 0) {
                harness_commit(&w.h);
                done++;
            }
            agent_heartbeat(&w.h, &w.a);
            if (round == 4 && w.a.count > 0)
                agent_exit(&w.a, id_of(&w, 0), 0);
        }
        harness_restart(&w.h);
        w.h.hold_store = false;
        people_submit(&w.h, job_of(COMMAND, 256, 0), "key", w.app, NULL);
        agent_heartbeat(&w.h, &w.a);
        agent_heartbeat(&w.h, &w.a);
        if (agent_running(&w.a) == 1)
            agent_exit(&w.a, id_of(&w, 0), 0);
        agent_heartbeat(&w.h, &w.a);
        agent_heartbeat(&w.h, &w.a);
        assert_int_equal(people_show(&w.h, "1")->state, STATE(FINISHED));
        assert_int_equal(people_show(&w.h, "1")->attempt, 1);
        assert_int_equal(w.a.count, 1);
        assert_int_equal(agent_unacked(&w.a), 0);
        end(&w);
    }
}

static void restart_while_tasks_run_and_end(void **state)
{
    const Creel__RegisterAmReply *again;
    struct world w;

    (void)state;
    begin_tasks(&w, 4);
    agent_exit(&w.a, id_of(&w, 1), 0);
    agent_heartbeat(&w.h, &w.a); /* stored, but not reported to the AM yet */
    harness_restart(&w.h);
    agent_exit(&w.a, id_of(&w, 2), 5); /* ends while the RM is down */
    assert_int_equal(am_allocate(&w.h, &w.am, -1, 0, NULL)->action, CREEL__AM_ACTION__AM_RESYNC);
    /* Before the node has registered again, the RM reports the allocated containers. */
    again = am_register(&w.h, &w.am)->register_am_reply;
    assert_int_equal(again->n_running, 3);
    assert_int_equal(again->n_completed, 1);
    agent_heartbeat(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    again = am_register(&w.h, &w.am)->register_am_reply;
    assert_int_equal(again->n_running, 2);
    assert_int_equal(again->n_completed, 2);
    assert_int_equal(show_node(&w.h, "n1")->containers, 3);
    /* The numbers of new containers contain the new epoch. */
    assert_int_equal(am_allocate(&w.h, &w.am, 1, 256, NULL)->n_allocated, 1);
    harness_tick(&w.h, 1);
    assert_int_equal(am_finish(&w.h, &w.am, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0)->finish_am_reply->done,
                     true);
    agent_exit(&w.a, id_of(&w, 0), 0);
    for (int i = 0; i < 4; i++)
        agent_heartbeat(&w.h, &w.a);
    assert_int_equal(people_show(&w.h, w.app)->state, STATE(FINISHED));
    assert_int_equal(agent_running(&w.a), 0);
    assert_int_equal(show_node(&w.h, "n1")->used->memory_mb, 0);
    end(&w);
}

static void node_that_stays_away_after_a_restart_is_lost(void **state)
{
    const Creel__AllocateReply *reply;
    struct fake_agent b;
    struct world w;
    char task[80];

    (void)state;
    begin(&w);
    agent_init(&b, "n2:8041", 4096, 4);
    people_submit(&w.h, job_of(TASKS, 256, 1), "", w.app, NULL);
    agent_heartbeat(&w.h, &w.a);
    agent_register(&w.h, &b);
    am_init(&w.am, w.app, 1);
    am_register(&w.h, &w.am);
    reply = am_allocate(&w.h, &w.am, 1, 256, NULL);
    assert_string_equal(reply->allocated[0]->node_id, b.node_id);
    snprintf(task, sizeof(task), "%s", reply->allocated[0]->container_id);
    agent_start(&b, task, &reply->allocated[0]->token);
    agent_heartbeat(&w.h, &b);
    harness_restart(&w.h);
    agent_heartbeat(&w.h, &w.a);
    am_register(&w.h, &w.am);
    w.h.hold_store = true;
    for (int i = 0; i < 11; i++) {
        harness_tick(&w.h, 1000);
        agent_heartbeat(&w.h, &w.a);
    }
    /* A resource manager that restarted without the row would report another end: that of the node. */
    assert_null(am_allocate(&w.h, &w.am, -1, 0, NULL));
    harness_commit(&w.h);
    reply = harness_find_reply(&w.h, w.am.connection, w.h.next_request)->allocate_reply;
    assert_int_equal(reply->n_completed, 1);
    assert_string_equal(reply->completed[0]->container_id, task);
    assert_int_equal(reply->completed[0]->exit_status, -100);
    agent_register(&w.h, &b); /* late */
    agent_listen(&w.h, &b);
    assert_int_equal(agent_running(&b), 0);
    agent_done(&b);
    end(&w);
}

static void kill_is_not_forgotten_by_a_restart(void **state)
{
    struct world w;

    (void)state;
    begin_tasks(&w, 2);
    people_kill(&w.h, w.app);
    harness_restart(&w.h);
    assert_int_equal(people_show(&w.h, w.app)->state, STATE(KILLED));
    for (int i = 0; i < 4; i++)
        agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_running(&w.a), 0);
    assert_int_equal(agent_unacked(&w.a), 0);
    assert_int_equal(people_show(&w.h, w.app)->running_containers, 0);
    end(&w);
}

static void rows_that_make_no_sense_are_refused(void **state)
{
    Creel__StoredApp app = CREEL__STORED_APP__INIT;
    Creel__StoredAttempt attempt = CREEL__STORED_ATTEMPT__INIT;
    Creel__StoredContainer container = CREEL__STORED_CONTAINER__INIT;
    struct world w;
    struct err err;

    (void)state;
    begin(&w);
    app.app_id = (char *)(uintptr_t) "application_1600000000000_0001";
    assert_true(master_recover_app(w.h.master, &app, &err) < 0);
    app.app_id = (char *)(uintptr_t) "application_1700000000000_0001";
    assert_true(master_recover_app(w.h.master, &app, &err) < 0);
    attempt.attempt_id = (char *)(uintptr_t) "appattempt_1700000000000_0001_000001";
    assert_true(master_recover_attempt(w.h.master, &attempt, &err) < 0);
    assert_true(master_recover_container(w.h.master, &container, &err) < 0);
    assert_int_equal(master_check(w.h.master, &err), 0);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_and_foreign_nodes_are_refused),
        cmocka_unit_test(late_and_repeated_messages_change_nothing),
        cmocka_unit_test(nonsense_of_a_node_is_answered_and_changes_nothing),
        cmocka_unit_test(unhealthy_node_keeps_its_containers_and_gets_none),
        cmocka_unit_test(node_that_is_silent_is_lost_with_its_containers),
        cmocka_unit_test(node_gets_no_containers_while_orphans_run),
        cmocka_unit_test(grant_of_a_lost_node_is_refused_when_it_returns),
        cmocka_unit_test(an_agent_restart_keeps_the_listed_containers),
        cmocka_unit_test(late_messages_of_an_earlier_agent_are_ignored),
        cmocka_unit_test(a_registration_that_a_heartbeat_overtook_takes_nothing_away),
        cmocka_unit_test(order_that_was_lost_is_repeated),
        cmocka_unit_test(restart_while_a_command_runs),
        cmocka_unit_test(restart_between_any_two_rows),
        cmocka_unit_test(restart_while_tasks_run_and_end),
        cmocka_unit_test(node_that_stays_away_after_a_restart_is_lost),
        cmocka_unit_test(kill_is_not_forgotten_by_a_restart),
        cmocka_unit_test(rows_that_make_no_sense_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* master_event_log.c - tests: ListEvents has what happened to applications, containers and nodes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/proto/event_kind.h"
#include "tests/unit/master/master_world.h"

#define CLIENT 900

static const Creel__EventList *list_as(struct world *w, const char *user, Creel__ListEvents *body)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_EVENTS);
    const Creel__Envelope *reply;

    envelope->list_events = body;
    reply = harness_ask(&w->h, MASTER_CLIENT, CLIENT, user, envelope);
    assert_non_null(reply);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_EVENT_LIST);
    assert_false(reply->event_list->more);
    return reply->event_list;
}

static Creel__ListEvents of_app(struct world *w)
{
    Creel__ListEvents body = CREEL__LIST_EVENTS__INIT;

    body.app_id = w->app;
    return body;
}

static const Creel__EventList *list_app(struct world *w)
{
    Creel__ListEvents body = of_app(w);

    return list_as(w, "ann", &body);
}

/* Compares the names of the events: "SUBMITTED STARTED". */
static void expect(const Creel__EventList *list, const char *expected)
{
    char found[1024] = "";

    for (size_t i = 0; i < list->n_events; i++) {
        size_t used = strlen(found);

        snprintf(found + used, sizeof(found) - used, "%s%s", i > 0 ? " " : "",
                 event_name(list->events[i]->kind));
    }
    assert_string_equal(found, expected);
}

static uint64_t newest(struct world *w)
{
    Creel__ListEvents body = CREEL__LIST_EVENTS__INIT;

    body.newest = true;
    return list_as(w, "ann", &body)->last;
}

static const Creel__EventList *list_after(struct world *w, uint64_t number)
{
    Creel__ListEvents body = CREEL__LIST_EVENTS__INIT;

    body.after = number;
    body.containers = true;
    return list_as(w, "ann", &body);
}

/* --- jobs -------------------------------------------------------------------- */

static void beat(struct world *w)
{
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
}

static void run_job(struct world *w)
{
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 0), "", w->app, NULL);
    beat(w);
    w->a.containers[w->a.count - 1].started_ms = w->h.now;
    beat(w);
}

static void end_job(struct world *w, int exit_status)
{
    struct fake_container *container = &w->a.containers[w->a.count - 1];

    container->state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    container->exit_status = exit_status;
    beat(w);
}

static void events_of_a_job_are_listed(void **state)
{
    struct world *w = *state;
    const Creel__EventList *list;
    Creel__ListEvents body;
    uint64_t before = newest(w);

    run_job(w);
    end_job(w, 5);
    list = list_app(w);
    expect(list, "SUBMITTED STARTED FAILED");
    assert_string_equal(list->events[0]->by, "ann");
    assert_string_equal(list->events[1]->node_id, "n1:8041");
    assert_int_equal(list->events[2]->exit_status, 5);
    assert_false(list->events[2]->restored);
    body = of_app(w);
    body.containers = true;
    expect(list_as(w, "ann", &body), "SUBMITTED ALLOCATED STARTED STARTED ENDED FAILED");
    list = list_after(w, before);
    assert_int_equal(list->n_events, 6);
    assert_int_equal(list->lost, 0);
    assert_int_equal(list->last, newest(w));
    assert_int_equal(list_after(w, list->last)->n_events, 0);
}

static void an_event_is_listed_when_its_row_is_on_disk(void **state)
{
    struct world *w = *state;

    run_job(w);
    w->h.hold_store = true;
    end_job(w, 0);
    expect(list_app(w), "SUBMITTED STARTED");
    w->h.hold_store = false;
    harness_commit(&w->h);
    expect(list_app(w), "SUBMITTED STARTED FINISHED");
}

static void a_restart_keeps_the_events_that_rows_show(void **state)
{
    struct world *w = *state;
    const Creel__EventList *list;
    uint64_t before;

    run_job(w);
    end_job(w, 0);
    before = newest(w);
    harness_restart(&w->h);
    list = list_app(w);
    expect(list, "SUBMITTED STARTED FINISHED");
    assert_true(list->events[0]->restored);
    assert_string_equal(list->events[1]->node_id, "n1:8041");
    list = list_after(w, before);
    assert_int_equal(list->lost, 0);
    assert_true(list->restarted);
    assert_true(list->events[0]->number > before);
    assert_false(list_after(w, list->last)->restarted);
}

static void the_loss_of_state_that_is_accepted_hides_no_event(void **state)
{
    struct world *w = *state;
    struct master_reload asked = { .channel = MASTER_CLIENT, .connection = CLIENT };
    uint64_t before = newest(w);
    const Creel__EventList *list;

    run_job(w);
    master_accepted(w->h.master, w->h.now, &asked, w->h.epoch + 7, 0, NULL, &w->h.effects);
    harness_run_effects(&w->h);
    expect(list_app(w), "SUBMITTED STARTED");
    list = list_after(w, before);
    assert_false(list->restarted);
    assert_true(list->n_events > 0);
}

static void the_notify_command_gets_each_start_and_end_once(void **state)
{
    struct world *w = *state;

    run_job(w);
    assert_int_equal(w->h.job_events, 1);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    beat(w);
    assert_int_equal(w->h.job_events, 1);
    end_job(w, 0);
    assert_int_equal(w->h.job_events, 2);
    harness_restart(&w->h);
    assert_int_equal(w->h.job_events, 2);
}

static void other_users_see_less(void **state)
{
    struct world *w = *state;
    Creel__ListEvents body;
    const Creel__EventList *list;

    master_set_access(w->h.master, "root", "", true);
    run_job(w);
    end_job(w, 5);
    body = of_app(w);
    body.containers = true;
    list = list_as(w, "bob", &body);
    expect(list, "SUBMITTED STARTED FAILED");
    assert_string_equal(list->events[1]->node_id, "");
    assert_string_equal(list->events[2]->text, "");
    expect(list_as(w, "root", &body), "SUBMITTED ALLOCATED STARTED STARTED ENDED FAILED");
}

/* --- order and filters --------------------------------------------------------- */

static void the_newest_events_come_first_if_requested(void **state)
{
    struct world *w = *state;
    Creel__ListEvents body = of_app(w);
    const Creel__EventList *list;
    Creel__Envelope *envelope;

    run_job(w);
    end_job(w, 0);
    body.newest_first = true;
    expect(list_as(w, "ann", &body), "FINISHED STARTED SUBMITTED");
    body.limit = 2;
    envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_EVENTS);
    envelope->list_events = &body;
    list = harness_ask(&w->h, MASTER_CLIENT, CLIENT, "ann", envelope)->event_list;
    expect(list, "FINISHED STARTED");
    assert_true(list->more);
    assert_int_equal(list->last, list->events[1]->number);
    body.before = list->last;
    expect(list_as(w, "ann", &body), "SUBMITTED");
    body.before = 1; /* of an earlier start */
    body.limit = 0;
    expect(list_as(w, "ann", &body), "FINISHED STARTED SUBMITTED");
}

static void events_are_filtered_by_kind_and_user(void **state)
{
    Creel__EventKind kinds[] = { CREEL__EVENT_KIND__EVENT_APP_FAILED,
                                 CREEL__EVENT_KIND__EVENT_APP_SUBMITTED };
    struct world *w = *state;
    Creel__ListEvents body = CREEL__LIST_EVENTS__INIT;

    run_job(w);
    end_job(w, 5);
    body.kinds = kinds;
    body.n_kinds = 2;
    expect(list_as(w, "ann", &body), "SUBMITTED FAILED");
    body.n_kinds = 1;
    expect(list_as(w, "ann", &body), "FAILED");
    body.user = (char *)(uintptr_t) "ann";
    expect(list_as(w, "bob", &body), "FAILED");
    body.user = (char *)(uintptr_t) "bob";
    expect(list_as(w, "ann", &body), "");
}

static void restored_events_are_in_the_order_of_their_times(void **state)
{
    struct world *w = *state;
    char first[sizeof(w->app)];
    const Creel__EventList *list;

    run_job(w);
    snprintf(first, sizeof(first), "%s", w->app);
    w->h.now += 1000;
    run_job(w);
    w->h.now += 1000;
    end_job(w, 0);
    harness_restart(&w->h);
    list = list_after(w, 0);
    assert_int_equal(list->n_events, 9);
    for (size_t i = 1; i < list->n_events; i++) {
        assert_true(list->events[i]->time_ms >= list->events[i - 1]->time_ms);
        assert_true(list->events[i]->number > list->events[i - 1]->number);
    }
    assert_string_equal(list->events[0]->app_id, first);
}

/* --- nodes ------------------------------------------------------------------- */

static void events_of_a_node_are_listed(void **state)
{
    struct world *w = *state;
    char *nodes[] = { w->a.node_id };
    Creel__ListEvents body = CREEL__LIST_EVENTS__INIT;
    const Creel__EventList *list;

    body.nodes = nodes;
    body.n_nodes = 1;
    w->a.unhealthy = true;
    w->a.health_report = "disk full";
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    w->a.unhealthy = false;
    w->a.health_report = NULL;
    agent_heartbeat(&w->h, &w->a);
    harness_tick(&w->h, 3600000);
    list = list_as(w, "ann", &body);
    expect(list, "REGISTERED UNHEALTHY RUNNING LOST");
    assert_string_equal(list->events[1]->text, "disk full");
}

static void with_command(struct master_config *config)
{
    config->has_notify_command = true;
}

static int set_up_with_command(void **state)
{
    return world_set_up_with(state, with_command);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_of_a_job_are_listed),
        TEST(an_event_is_listed_when_its_row_is_on_disk),
        TEST(a_restart_keeps_the_events_that_rows_show),
        TEST(the_loss_of_state_that_is_accepted_hides_no_event),
        cmocka_unit_test_setup_teardown(the_notify_command_gets_each_start_and_end_once, set_up_with_command,
                                        world_tear_down),
        TEST(other_users_see_less),
        TEST(the_newest_events_come_first_if_requested),
        TEST(events_are_filtered_by_kind_and_user),
        TEST(restored_events_are_in_the_order_of_their_times),
        TEST(events_of_a_node_are_listed),
    };

    return cmocka_run_group_tests_name("event_log", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* master_am_state.c - test: the state that an application master stores for the next attempt */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/am_state.h"
#include "common/base/mem.h"
#include "tests/unit/master/master_world.h"

static void submit(struct world *w, Creel__AppKind kind)
{
    const Creel__Error *error;

    people_submit(&w->h, job_of(kind, 256, kind == CREEL__APP_KIND__APP_TASKS ? 4 : 0), "", w->app, &error);
    assert_null(error);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
}

static const Creel__RegisterAmReply *begin(struct world *w, struct fake_am *am, unsigned attempt)
{
    const Creel__Envelope *reply;

    am_init(am, w->app, attempt);
    reply = am_register(&w->h, am);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
    return reply->register_am_reply;
}

/* Sends an Allocate with SIZE bytes of DATA as the state, before any commit. */
static const Creel__Envelope *store(struct world *w, struct fake_am *am, const void *data, size_t size)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_ALLOCATE);
    Creel__Allocate body = CREEL__ALLOCATE__INIT;
    Creel__AmState state = CREEL__AM_STATE__INIT;
    const Creel__Envelope *reply;

    state.data.data = (uint8_t *)(uintptr_t)data;
    state.data.len = size;
    body.am_state = &state;
    body.response_id = am->response_id;
    envelope->allocate = &body;
    reply = harness_ask(&w->h, MASTER_AM, am->connection, am->attempt_id, envelope);
    if (reply && reply->body_case == CREEL__ENVELOPE__BODY_ALLOCATE_REPLY)
        am->response_id = reply->allocate_reply->response_id;
    return reply;
}

static void next_attempt_begins_after(struct world *w, const char *container_id, int exit_status)
{
    agent_exit(&w->a, container_id, exit_status);
    for (int i = 0; i < 4; i++) {
        agent_heartbeat(&w->h, &w->a);
        agent_listen(&w->h, &w->a);
    }
}

static void next_attempt_begins(struct world *w, const char *am_container)
{
    next_attempt_begins_after(w, am_container, 137);
}

static void expect_state(const Creel__RegisterAmReply *reply, const char *text)
{
    assert_int_equal(reply->am_state.len, strlen(text));
    if (text[0])
        assert_memory_equal(reply->am_state.data, text, strlen(text));
}

static void next_attempt_gets_the_state(void **state)
{
    struct world *w = *state;
    struct fake_am am;
    char first[80];

    submit(w, CREEL__APP_KIND__APP_MASTER);
    snprintf(first, sizeof(first), "%s", w->a.containers[0].id);
    expect_state(begin(w, &am, 1), "");
    assert_non_null(store(w, &am, "one", 3));
    assert_non_null(am_allocate(&w->h, &am, -1, 0, NULL)); /* without a state: the stored one stays */
    next_attempt_begins(w, first);
    expect_state(begin(w, &am, 2), "one");
    assert_non_null(store(w, &am, "two", 3));
    harness_restart(&w->h);
    expect_state(begin(w, &am, 2), "two");
    assert_non_null(store(w, &am, "", 0)); /* removes it */
    harness_restart(&w->h);
    expect_state(begin(w, &am, 2), "");
}

static void the_reply_waits_for_the_row(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w, CREEL__APP_KIND__APP_MASTER);
    begin(w, &am, 1);
    w->h.hold_store = true;
    assert_null(store(w, &am, "one", 3));
    w->h.hold_store = false;
    harness_commit(&w->h);
    am.response_id++;
    assert_non_null(am_allocate(&w->h, &am, -1, 0, NULL));
}

static void too_large_state_is_refused_and_changes_nothing(void **state)
{
    struct world *w = *state;
    scoped_free uint8_t *large = mem_array0(AM_STATE_BYTES_MAX + 1, 1);
    const Creel__Envelope *reply;
    struct fake_am am;

    submit(w, CREEL__APP_KIND__APP_MASTER);
    begin(w, &am, 1);
    assert_non_null(store(w, &am, "one", 3));
    reply = store(w, &am, large, AM_STATE_BYTES_MAX + 1);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_TOO_LARGE);
    assert_non_null(strstr(reply->error->message, "131073 bytes, more than 131072"));
    expect_state(begin(w, &am, 1), "one");
    assert_int_equal(store(w, &am, large, AM_STATE_BYTES_MAX)->body_case,
                     CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
}

static const Creel__ContainerStatus *find_end(const Creel__RegisterAmReply *reply, const char *container_id)
{
    for (size_t i = 0; i < reply->n_completed; i++)
        if (strcmp(reply->completed[i]->container_id, container_id) == 0)
            return reply->completed[i];
    return NULL;
}

/* Of three containers, the first one ends and its end is confirmed, the second one ends and its end is not
 * confirmed, the third one is stopped with the attempt. */
static void next_attempt_learns_ends_that_were_not_confirmed(void **state)
{
    struct world *w = *state;
    const Creel__AllocateReply *granted;
    const Creel__RegisterAmReply *reply;
    char first[80], tasks[3][80];
    struct fake_am am;

    submit(w, CREEL__APP_KIND__APP_TASKS);
    snprintf(first, sizeof(first), "%s", w->a.containers[0].id);
    begin(w, &am, 1);
    granted = am_allocate(&w->h, &am, 3, 256, NULL);
    assert_int_equal(granted->n_allocated, 3);
    for (int i = 0; i < 3; i++) {
        snprintf(tasks[i], sizeof(tasks[i]), "%s", granted->allocated[i]->container_id);
        agent_start(&w->a, tasks[i], &granted->allocated[i]->token);
    }
    agent_heartbeat(&w->h, &w->a);
    agent_exit(&w->a, tasks[0], 0);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(am_allocate(&w->h, &am, -1, 0, NULL)->n_completed, 1);
    agent_exit(&w->a, tasks[1], 4);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(am_allocate(&w->h, &am, -1, 0, NULL)->n_completed, 1); /* confirms the first end */
    next_attempt_begins(w, first);
    reply = begin(w, &am, 2);
    assert_null(find_end(reply, tasks[0]));
    assert_int_equal(find_end(reply, tasks[1])->exit_status, 4);
    assert_null(find_end(reply, tasks[2]));
}

/* A container is released, but ends by itself with success when its AM is gone. The next attempt waits for
 * that end: it is in the reply to its registration, and to a repeated one, and no later reply has it
 * again. */
static void next_attempt_learns_ends_for_which_it_waited(void **state)
{
    struct world *w = *state;
    const Creel__AllocateReply *reply;
    char first[80], task[80];
    struct fake_am am;

    submit(w, CREEL__APP_KIND__APP_TASKS);
    snprintf(first, sizeof(first), "%s", w->a.containers[0].id);
    begin(w, &am, 1);
    reply = am_allocate(&w->h, &am, 1, 256, NULL);
    snprintf(task, sizeof(task), "%s", reply->allocated[0]->container_id);
    agent_start(&w->a, task, &reply->allocated[0]->token);
    agent_heartbeat(&w->h, &w->a);
    w->a.ignores_stops = true;
    am_allocate(&w->h, &am, -1, 0, task);
    next_attempt_begins(w, first);
    assert_int_equal(people_show(&w->h, w->app)->attempt, 2);
    assert_string_equal(people_show(&w->h, w->app)->master_container_id, "");
    next_attempt_begins_after(w, task, 0);
    assert_int_equal(find_end(begin(w, &am, 2), task)->exit_status, 0);
    assert_int_equal(am_allocate(&w->h, &am, -1, 0, NULL)->n_completed, 0);
    assert_int_equal(find_end(begin(w, &am, 2), task)->exit_status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(next_attempt_gets_the_state, world_set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(the_reply_waits_for_the_row, world_set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(too_large_state_is_refused_and_changes_nothing, world_set_up,
                                        world_tear_down),
        cmocka_unit_test_setup_teardown(next_attempt_learns_ends_that_were_not_confirmed, world_set_up,
                                        world_tear_down),
        cmocka_unit_test_setup_teardown(next_attempt_learns_ends_for_which_it_waited, world_set_up,
                                        world_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

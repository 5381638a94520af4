/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_cost.c - test: what one field of a request at its limit costs the resource manager
 *
 * Every field of every request (io_grown.h) is sent at its limit, one at a time. An accepted submission is
 * also listed, explained, stored, read back after a restart, and ended. Each of these steps has the bounds
 * of cost.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "common/io/wire/wire_check.h"
#include "tests/unit/cost.h"
#include "tests/unit/io/io_grown.h"
#include "tests/unit/io/io_sample.h"
#include "tests/unit/master/master_harness.h"

enum { JOB_ROOM = 700 << 10, SENT_MIN = 300, ACCEPTED_MIN = 60 };

struct test {
    struct harness harness;
    Creel__Envelope__BodyCase body;
    char what[256]; /* the field */
    size_t sent, accepted;
};

/* --- requests --------------------------------------------------------------------- */

static bool has_job(Creel__Envelope__BodyCase body)
{
    return body == CREEL__ENVELOPE__BODY_SUBMIT_APP || body == CREEL__ENVELOPE__BODY_TEST_APP;
}

/* Replaces the job of a request by one that is accepted. */
static void set_job(Creel__Envelope *envelope)
{
    Creel__JobSpec **job = envelope->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP
                               ? &envelope->submit_app->job
                               : &envelope->test_app->job;

    creel__job_spec__free_unpacked(*job, NULL);
    *job = (Creel__JobSpec *)wire_copy(&job_of(CREEL__APP_KIND__APP_TASKS, 128, 2)->base);
    if (envelope->body_case != CREEL__ENVELOPE__BODY_SUBMIT_APP)
        return;
    sample_set_text(&envelope->submit_app->app_id, "");
    creel__am_state__free_unpacked(envelope->submit_app->am_state, NULL);
    envelope->submit_app->am_state = NULL;
}

static ProtobufCMessage *body_of(Creel__Envelope *envelope)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(&creel__envelope__descriptor, envelope->body_case);

    return *(ProtobufCMessage **)(void *)((char *)envelope + field->offset);
}

/* Returns a request with the field at PLACE at its limit; NULL: no program sends such a request. */
static Creel__Envelope *request_of(Creel__Envelope__BodyCase body, const struct grown_place *place,
                                   enum grown_way way)
{
    Creel__Envelope *envelope = sample_envelope(body);
    size_t size;
    struct err err;

    sample_set_text(&envelope->as_user, "");
    if (has_job(body))
        set_job(envelope);
    size = protobuf_c_message_get_packed_size(&envelope->base);
    grown_make(body_of(envelope), place, way, has_job(body) ? JOB_ROOM : WIRE_CHUNK_MAX - size);
    if (protobuf_c_message_get_packed_size(&envelope->base) <= WIRE_FRAME_MAX &&
        wire_check(&envelope->base, &err) == 0)
        return envelope;
    sample_free(envelope);
    return NULL;
}

/* --- the steps ---------------------------------------------------------------------- */

static const Creel__Envelope *ask_measured(struct test *test, Creel__Envelope *envelope, const char *step)
{
    struct cost cost = cost_begin();
    const Creel__Envelope *reply = harness_ask(&test->harness, MASTER_CLIENT, 1000, "ann", envelope);

    cost_end(&cost, test->what, step);
    return reply;
}

static void look_and_end(struct test *test, const char *app)
{
    Creel__Envelope *list = harness_envelope(&test->harness, CREEL__ENVELOPE__BODY_LIST_APPS);
    Creel__Envelope *why = harness_envelope(&test->harness, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ListApps all = CREEL__LIST_APPS__INIT;
    Creel__ExplainApp explain = CREEL__EXPLAIN_APP__INIT;
    struct cost cost;

    list->list_apps = &all;
    ask_measured(test, list, "a list");
    explain.app_id = (char *)(uintptr_t)app;
    why->explain_app = &explain;
    ask_measured(test, why, "an explanation");
    cost = cost_begin();
    harness_restart(&test->harness);
    cost_end(&cost, test->what, "a restart");
    cost = cost_begin();
    people_kill(&test->harness, app);
    cost_end(&cost, test->what, "the end");
}

/* Sends ENVELOPE, and frees it. */
static void send_request(struct test *test, Creel__Envelope *envelope)
{
    Creel__Envelope *sent = mem_new0(Creel__Envelope);
    const Creel__Envelope *reply;
    char app[80];

    envelope->request_id = ++test->harness.next_request;
    *sent = *envelope; /* harness_ask frees this one, without its body */
    reply = ask_measured(test, sent, "the request");
    sample_free(envelope);
    test->sent++;
    if (reply == NULL || reply->body_case != CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY)
        return;
    test->accepted++;
    snprintf(app, sizeof(app), "%s", reply->submit_app_reply->app_id);
    look_and_end(test, app);
}

static void try_place(void *context, const struct grown_place *place)
{
    struct test *test = context;

    grown_name(place, test->what, sizeof(test->what));
    for (int way = 0; way < GROWN_WAYS; way++) {
        Creel__Envelope *envelope = request_of(test->body, place, (enum grown_way)way);

        if (envelope == NULL)
            continue;
        harness_init(&test->harness);
        harness_start(&test->harness);
        send_request(test, envelope);
        harness_done(&test->harness);
    }
}

/* Returns false if the port of users takes no such message, as a reply. */
static bool is_request(struct test *test, uint32_t body)
{
    Creel__Envelope *envelope = sample_envelope(body), *sent = mem_new0(Creel__Envelope);
    const Creel__Envelope *reply;
    bool taken;

    harness_init(&test->harness);
    harness_start(&test->harness);
    *sent = *envelope;
    reply = harness_ask(&test->harness, MASTER_CLIENT, 1000, "ann", sent);
    taken = reply == NULL || reply->body_case != CREEL__ENVELOPE__BODY_ERROR ||
            strstr(reply->error->message, "this port does not take") == NULL;
    sample_free(envelope);
    harness_done(&test->harness);
    return taken;
}

static void no_field_of_a_request_exceeds_the_bounds(void **state)
{
    struct test test = { .sent = 0 };
    uint32_t body;

    (void)state;
    for (unsigned n = 0; (body = sample_body(n)) != 0; n++) {
        if (!is_request(&test, body))
            continue;
        test.body = (Creel__Envelope__BodyCase)body;
        grown_each(protobuf_c_message_descriptor_get_field(&creel__envelope__descriptor, body)->descriptor,
                   try_place, &test);
    }
    assert_true(test.sent >= SENT_MIN && test.accepted >= ACCEPTED_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_field_of_a_request_exceeds_the_bounds),
    };

    return cmocka_run_group_tests_name("master_cost", tests, NULL, NULL);
}

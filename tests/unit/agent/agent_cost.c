/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_cost.c - test: what one field of a message at its limit costs the agent's core
 *
 * Every field of the messages of the resource manager, and of an AM's StartContainers (io_grown.h), arrives
 * at its limit, one at a time. What the core then saves, starts and reports is carried out. Each of these
 * steps has the bounds of cost.h.
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
#include "tests/unit/agent/agent_fixture.h"
#include "tests/unit/cost.h"
#include "tests/unit/io/io_grown.h"
#include "tests/unit/io/io_sample.h"

enum { ARRIVED_MIN = 100, HEARTBEATS = 3 };

struct test {
    struct fixture f;
    Creel__Envelope__BodyCase body;
    char what[256]; /* the field */
    size_t arrived;
};

/* --- the steps ------------------------------------------------------------------------ */

/* Carries out what the core has asked for: records are saved, containers start. */
static void carry_out(struct test *test)
{
    struct agent_effects effects = test->f.effects;
    struct cost cost = cost_begin();

    agent_effects_init(&test->f.effects);
    for (size_t i = 0; i < effects.count; i++) {
        const struct agent_effect *effect = &effects.items[i];

        if (effect->kind == AGENT_SAVE)
            agent_on_saved(test->f.agent, test->f.now, effect->container_id, 0, NULL, &test->f.effects);
        else if (effect->kind == AGENT_FETCH)
            agent_on_fetched(test->f.agent, test->f.now, effect->data, 0, NULL, &test->f.effects);
        else if (effect->kind == AGENT_LAUNCH)
            agent_on_launched(test->f.agent, test->f.now, effect->launch->container_id, 0, NULL,
                              &test->f.effects);
    }
    agent_effects_done(&effects);
    cost_end(&cost, test->what, "what it causes");
}

static void follow_up(struct test *test)
{
    struct cost cost;

    for (int i = 0; i < HEARTBEATS; i++)
        carry_out(test);
    cost = cost_begin();
    for (int i = 0; i < HEARTBEATS; i++)
        fixture_wait(&test->f, 1000);
    cost_end(&cost, test->what, "the heartbeats");
}

/* --- messages of the resource manager --------------------------------------------------- */

static ProtobufCMessage *body_of(Creel__Envelope *envelope)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(&creel__envelope__descriptor, envelope->body_case);

    return *(ProtobufCMessage **)(void *)((char *)envelope + field->offset);
}

/* Makes ENVELOPE the answer to the request that is under way. */
static void follow_request(struct test *test, Creel__Envelope *envelope)
{
    Creel__NodeOrders *orders = envelope->node_orders;

    envelope->request_id = 0;
    if (envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY) {
        fixture_start(&test->f);
        envelope->request_id = fixture_next_send(&test->f)->request_id;
        envelope->register_node_reply->action = CREEL__NODE_ACTION__NODE_NORMAL;
        return;
    }
    fixture_register(&test->f, SESSION);
    if (envelope->body_case == CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY) {
        envelope->request_id = fixture_next_send(&test->f)->request_id;
        envelope->heartbeat_reply->action = CREEL__NODE_ACTION__NODE_NORMAL;
        orders = envelope->heartbeat_reply->orders;
    }
    if (orders != NULL)
        orders->session = SESSION;
}

/* Returns a message with the field at PLACE at its limit; NULL: the wire refuses it. */
static Creel__Envelope *message_of(Creel__Envelope__BodyCase body, const struct grown_place *place,
                                   enum grown_way way)
{
    Creel__Envelope *envelope = sample_envelope(body);
    size_t size = protobuf_c_message_get_packed_size(&envelope->base);
    struct err err;

    grown_make(body_of(envelope), place, way, WIRE_CHUNK_MAX - size);
    if (protobuf_c_message_get_packed_size(&envelope->base) <= WIRE_FRAME_MAX &&
        wire_check(&envelope->base, &err) == 0)
        return envelope;
    sample_free(envelope);
    return NULL;
}

static void receive(struct test *test, Creel__Envelope *envelope)
{
    struct cost cost;

    follow_request(test, envelope);
    fixture_step(&test->f);
    cost = cost_begin();
    agent_on_message(test->f.agent, test->f.now, envelope, &test->f.effects);
    cost_end(&cost, test->what, "the message");
    test->arrived++;
}

/* --- StartContainers ---------------------------------------------------------------------- */

static Creel__ContainerGrant *grant_of(size_t number)
{
    Creel__ContainerGrant *grant =
        (Creel__ContainerGrant *)sample_message(&creel__container_grant__descriptor);
    char id[80];

    snprintf(id, sizeof(id), "container_1700000000000_0001_01_%06zu", number + 2);
    sample_set_text(&grant->container_id, id);
    sample_set_text(&grant->node_id, NODE);
    grant->session = 0;
    grant->expires_ms = 0;
    grant->resource->memory_mb = 1;
    return grant;
}

static void start(struct test *test, const Creel__StartContainers *body)
{
    size_t count = body->n_containers;
    struct agent_start_request *requests = mem_array0(count + 1, sizeof(*requests));
    Creel__ContainerGrant **grants = mem_array0(count + 1, sizeof(*grants));
    struct cost cost;

    fixture_register(&test->f, SESSION);
    for (size_t i = 0; i < count; i++) {
        requests[i].grant = grants[i] = grant_of(i);
        requests[i].launch = body->containers[i]->launch;
    }
    fixture_step(&test->f);
    cost = cost_begin();
    agent_on_start(test->f.agent, test->f.now, 77, 5, requests, count, &test->f.effects);
    cost_end(&cost, test->what, "the start");
    test->arrived++;
    for (size_t i = 0; i < count; i++)
        protobuf_c_message_free_unpacked(&grants[i]->base, NULL);
    free(grants);
    free(requests);
}

/* --- every field -------------------------------------------------------------------------- */

static void try_place(void *context, const struct grown_place *place)
{
    struct test *test = context;

    grown_name(place, test->what, sizeof(test->what));
    for (int way = 0; way < GROWN_WAYS; way++) {
        Creel__Envelope *envelope = message_of(test->body, place, (enum grown_way)way);

        if (envelope == NULL)
            continue;
        fixture_init(&test->f, 4096);
        if (test->body == CREEL__ENVELOPE__BODY_START_CONTAINERS)
            start(test, envelope->start_containers);
        else
            receive(test, envelope);
        sample_free(envelope);
        follow_up(test);
        fixture_done(&test->f);
    }
}

static void no_field_of_a_message_exceeds_the_bounds(void **state)
{
    static const Creel__Envelope__BodyCase bodies[] = {
        CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY,
        CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY,
        CREEL__ENVELOPE__BODY_NODE_ORDERS,
        CREEL__ENVELOPE__BODY_START_CONTAINERS,
    };
    struct test test = { .arrived = 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        test.body = bodies[i];
        grown_each(
            protobuf_c_message_descriptor_get_field(&creel__envelope__descriptor, bodies[i])->descriptor,
            try_place, &test);
    }
    assert_true(test.arrived >= ARRIVED_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_field_of_a_message_exceeds_the_bounds),
    };

    return cmocka_run_group_tests_name("agent_cost", tests, NULL, NULL);
}

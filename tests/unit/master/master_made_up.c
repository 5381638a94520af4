/* SPDX-License-Identifier: Apache-2.0 */
/* master_made_up.c - test: what an agent makes up: containers that do not exist, and a rack */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_harness.h"

#define COMPLETE CREEL__CONTAINER_STATE__CONTAINER_COMPLETE
#define RUNNING CREEL__CONTAINER_STATE__CONTAINER_RUNNING

struct world {
    struct harness h;
    struct fake_agent a;
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

#define MADE_UP 8000
#define ORDERS_EACH 256 /* stop orders for unknown containers, and ended applications, in one message */

/* Sends a heartbeat with COUNT containers that do not exist, each of another application. */
static const Creel__HeartbeatReply *made_up(struct world *w, size_t count, Creel__ContainerState state)
{
    static Creel__ContainerStatus bodies[MADE_UP], *list[MADE_UP];
    static char ids[MADE_UP][80];
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_HEARTBEAT);
    Creel__Heartbeat body = CREEL__HEARTBEAT__INIT;
    const Creel__Envelope *reply;

    for (size_t i = 0; i < count; i++) {
        creel__container_status__init(&bodies[i]);
        snprintf(ids[i], sizeof(ids[i]), "container_e01_1795950674327_%04zu_01_000001", i + 1);
        bodies[i].container_id = ids[i];
        bodies[i].state = state;
        list[i] = &bodies[i];
    }
    body.node_id = w->a.node_id;
    body.session = w->a.session;
    body.seq = ++w->a.seq;
    body.containers = list;
    body.n_containers = count;
    envelope->heartbeat = &body;
    reply = harness_ask(&w->h, MASTER_AGENT, w->a.connection, w->a.principal, envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY);
    return reply->heartbeat_reply;
}

/* Returns the number of orders in the replies to COUNT heartbeats without a report. */
static size_t orders_in(struct world *w, int count)
{
    size_t sum = 0;

    for (int i = 0; i < count; i++) {
        const Creel__NodeOrders *orders = made_up(w, 0, RUNNING)->orders;

        assert_in_range(orders->n_stop + orders->n_finished_apps, 0, ORDERS_EACH);
        sum += orders->n_stop + orders->n_finished_apps;
    }
    return sum;
}

/* An agent whose secret was stolen gets few orders for them, each once a second at most. */
static void made_up_containers_cost_few_orders(void **state)
{
    static const Creel__ContainerState states[] = { RUNNING, COMPLETE };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const Creel__HeartbeatReply *reply;
        struct world w;
        size_t sum;

        begin(&w);
        reply = made_up(&w, MADE_UP, states[i]);
        assert_int_equal(reply->orders->n_stop + reply->orders->n_finished_apps, ORDERS_EACH);
        assert_non_null(strstr(reply->diagnostics, "ignored"));
        sum = ORDERS_EACH + orders_in(&w, 40);
        assert_in_range(sum, 1000, 5000); /* about as many as containers fit on the node, each once */
        assert_int_equal(orders_in(&w, 100), 0);
        harness_tick(&w.h, 1000);
        assert_int_equal(orders_in(&w, 1), ORDERS_EACH); /* repeated */
        agent_register(&w.h, &w.a);                      /* without them: nothing is left to stop */
        assert_int_equal(orders_in(&w, 1), i == 0 ? 0 : ORDERS_EACH);
        end(&w);
    }
}

static void a_rack_that_is_no_rack_is_refused(void **state)
{
    static char bad[][16] = { "USR1@60", "/<script>", "/a b", "/r1/" };
    char id[] = "n2:8041";

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        const Creel__RegisterNodeReply *reply;
        Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
        Creel__Resource total = CREEL__RESOURCE__INIT;
        Creel__Envelope *envelope;
        struct world w;

        begin(&w);
        envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_REGISTER_NODE);
        total.memory_mb = 4096;
        total.vcores = 8;
        body.node_id = id;
        body.address = id;
        body.rack = bad[i];
        body.total = &total;
        body.incarnation = 1;
        envelope->register_node = &body;
        reply = harness_ask(&w.h, MASTER_AGENT, 77, "agent-n2", envelope)->register_node_reply;
        assert_int_equal(reply->action, CREEL__NODE_ACTION__NODE_SHUTDOWN);
        assert_non_null(strstr(reply->diagnostics, "node n2:8041"));
        assert_non_null(strstr(reply->diagnostics, "is not a rack"));
        assert_non_null(strstr(reply->diagnostics, bad[i]));
        end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_up_containers_cost_few_orders),
        cmocka_unit_test(a_rack_that_is_no_rack_is_refused),
    };

    return cmocka_run_group_tests_name("rm/master: made up", tests, NULL, NULL);
}

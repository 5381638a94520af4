/* SPDX-License-Identifier: Apache-2.0 */
/* agent_fixture.c - fixture: the node agent's core without processes or sockets, with helpers to send
 * events */
#include "tests/unit/agent/agent_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/id.h"

static struct agent *make_agent(int64_t memory_mb, uint64_t incarnation, bool new_state)
{
    struct agent_config config = {
        .node_id = NODE,
        .address = NODE,
        .rack = "/default-rack",
        .agent_key = "0123456789012345678901234567890123456789",
        .version = "0.1.0",
        .protocol = { 1, 2 },
        .cgroup_mode = "v2",
        .warning = "offers too much",
        .total = resource_of(memory_mb, 1), /* vcores are shared and limit no start */
        .incarnation = incarnation,
        .seed = incarnation,
        .new_state = new_state,
        .conf_dir = "/etc/creel",
        .cluster = "alpha",
        .rm_client_address = "rm:8032",
        .rm_am_address = "rm:8030",
        .rm_key = "9876543210987654321098765432109876543210",
    };

    return agent_new(&config);
}

void fixture_init(struct fixture *fixture, int64_t memory_mb)
{
    *fixture = (struct fixture){ .now = { 1700000100000, 5000 } };
    agent_effects_init(&fixture->effects);
    fixture->agent = make_agent(memory_mb, 1, false);
}

void fixture_restart(struct fixture *fixture, int64_t memory_mb)
{
    agent_free(fixture->agent);
    fixture->agent = make_agent(memory_mb, 2, fixture->state_lost);
    fixture_step(fixture);
}

void fixture_done(struct fixture *fixture)
{
    agent_free(fixture->agent);
    agent_effects_done(&fixture->effects);
}

int fixture_set_up(void **state)
{
    static struct fixture fixture;

    fixture_init(&fixture, 4096);
    *state = &fixture;
    return 0;
}

int fixture_set_up_registered(void **state)
{
    fixture_set_up(state);
    fixture_register(*state, SESSION);
    return 0;
}

int fixture_tear_down(void **state)
{
    fixture_done(*state);
    return 0;
}

void fixture_check(const struct fixture *fixture)
{
    struct err err = { 0 };

    if (agent_check(fixture->agent, &err) < 0)
        fail_msg("%s", err.text);
}

size_t fixture_count(const struct fixture *fixture, enum agent_effect_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < fixture->effects.count; i++)
        count += fixture->effects.items[i].kind == kind;
    return count;
}

const struct agent_effect *fixture_one(struct fixture *fixture, enum agent_effect_kind kind)
{
    assert_int_equal(fixture_count(fixture, kind), 1);
    for (size_t i = 0; i < fixture->effects.count; i++) {
        if (fixture->effects.items[i].kind == kind)
            return &fixture->effects.items[i];
    }
    return NULL;
}

void fixture_step(struct fixture *fixture)
{
    agent_effects_reset(&fixture->effects);
}

void fixture_wait(struct fixture *fixture, int64_t ms)
{
    fixture->now.wall_ms += ms;
    fixture->now.steady_ms += ms;
    fixture_step(fixture);
    agent_on_timer(fixture->agent, fixture->now, &fixture->effects);
    fixture_check(fixture);
}

void fixture_start(struct fixture *fixture)
{
    fixture_step(fixture);
    agent_start(fixture->agent, fixture->now, &fixture->effects);
    fixture_check(fixture);
}

static void receive(struct fixture *fixture, Creel__Envelope *envelope)
{
    fixture_step(fixture);
    agent_on_message(fixture->agent, fixture->now, envelope, &fixture->effects);
    fixture_check(fixture);
}

static int64_t rm_ms(const struct fixture *fixture)
{
    return fixture->rm_offset_ms == 0 ? 0 : fixture->now.steady_ms + fixture->rm_offset_ms;
}

void fixture_reply_register(struct fixture *fixture, uint64_t request_id, uint64_t session,
                            Creel__NodeAction action, const char *diagnostics)
{
    Creel__RegisterNodeReply body = CREEL__REGISTER_NODE_REPLY__INIT;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    char text[200];

    snprintf(text, sizeof(text), "%s", diagnostics);
    body.session = session;
    body.action = action;
    body.diagnostics = text;
    body.heartbeat_interval_ms = 1000;
    body.now_ms = rm_ms(fixture);
    envelope.request_id = request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY;
    envelope.register_node_reply = &body;
    receive(fixture, &envelope);
}

void fixture_reply_heartbeat(struct fixture *fixture, uint64_t request_id, uint64_t acked_seq,
                             Creel__NodeAction action)
{
    Creel__HeartbeatReply body = CREEL__HEARTBEAT_REPLY__INIT;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;

    body.acked_seq = acked_seq;
    body.now_ms = rm_ms(fixture);
    body.action = action;
    envelope.request_id = request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY;
    envelope.heartbeat_reply = &body;
    receive(fixture, &envelope);
}

void fixture_push(struct fixture *fixture, Creel__NodeOrders *orders)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;

    envelope.body_case = CREEL__ENVELOPE__BODY_NODE_ORDERS;
    envelope.node_orders = orders;
    receive(fixture, &envelope);
}

const Creel__Envelope *fixture_next_send(struct fixture *fixture)
{
    int64_t end = fixture->now.steady_ms + 20000;

    while (fixture_count(fixture, AGENT_SEND) == 0) {
        int64_t at = agent_next_deadline_ms(fixture->agent);

        assert_true(at <= end);
        fixture_wait(fixture, at > fixture->now.steady_ms ? at - fixture->now.steady_ms : 0);
    }
    return fixture_one(fixture, AGENT_SEND)->envelope;
}

void fixture_register(struct fixture *fixture, uint64_t session)
{
    const Creel__Envelope *envelope;

    fixture_start(fixture);
    envelope = fixture_next_send(fixture);
    assert_int_equal(envelope->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    fixture_reply_register(fixture, envelope->request_id, session, CREEL__NODE_ACTION__NODE_NORMAL, "");
    fixture_status(fixture, CONTAINER(0), true);
}

void fixture_ask(struct fixture *fixture, const char *container_id, int64_t memory_mb, uint8_t hash)
{
    Creel__ContainerGrant grant = CREEL__CONTAINER_GRANT__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    Creel__FileRef file = CREEL__FILE_REF__INIT, *files[] = { &file };
    char id[ID_TEXT_MAX], node[] = NODE, user[32] = "ann", title[] = "7", word[] = "true";
    char name[32] = "data", *command[] = { word };
    uint8_t bytes[32];
    struct agent_start_request request = { .grant = &grant, .launch = &launch };

    snprintf(id, sizeof(id), "%s", container_id);
    if (fixture->user != NULL)
        snprintf(user, sizeof(user), "%s", fixture->user);
    if (fixture->file != NULL)
        snprintf(name, sizeof(name), "%s", fixture->file);
    memset(bytes, hash, sizeof(bytes));
    resource.memory_mb = memory_mb;
    resource.vcores = 1;
    grant.container_id = id;
    grant.node_id = node;
    grant.user = user;
    grant.resource = &resource;
    grant.session = fixture->session;
    grant.expires_ms = fixture->expires_ms != 0 ? fixture->expires_ms : fixture->now.wall_ms + 600000;
    launch.title = title;
    launch.command = command;
    launch.n_command = 1;
    file.name = name;
    file.hash = (ProtobufCBinaryData){ .len = 32, .data = bytes };
    launch.files = files;
    launch.n_files = hash != 0;
    fixture_step(fixture);
    agent_on_start(fixture->agent, fixture->now, 77, 5, &request, 1, &fixture->effects);
    fixture_check(fixture);
}

void fixture_saved(struct fixture *fixture, const char *container_id, int code)
{
    fixture_step(fixture);
    agent_on_saved(fixture->agent, fixture->now, container_id, code, code ? "no space left on device" : NULL,
                   &fixture->effects);
    fixture_check(fixture);
}

void fixture_launched(struct fixture *fixture, const char *container_id, int code)
{
    fixture_step(fixture);
    agent_on_launched(fixture->agent, fixture->now, container_id, code,
                      code ? "user ann may not run containers here" : NULL, &fixture->effects);
    fixture_check(fixture);
}

void fixture_running(struct fixture *fixture, const char *container_id)
{
    fixture_step(fixture);
    agent_on_running(fixture->agent, fixture->now, container_id, fixture->now.wall_ms, &fixture->effects);
    fixture_check(fixture);
}

void fixture_exited(struct fixture *fixture, const char *container_id, int exit_status)
{
    fixture_exited_at(fixture, container_id, exit_status, fixture->now.wall_ms);
}

void fixture_exited_at(struct fixture *fixture, const char *container_id, int exit_status,
                       int64_t finished_ms)
{
    struct container_end end = {
        .exit_status = exit_status,
        .started_ms = finished_ms - 10,
        .finished_ms = finished_ms,
        .totals.memory_peak_bytes = 4096,
        .totals.cpu_time_us = 99,
    };

    fixture_step(fixture);
    agent_on_exited(fixture->agent, fixture->now, container_id, &end, &fixture->effects);
    fixture_check(fixture);
}

void fixture_ask_stop(struct fixture *fixture, const char *container_id)
{
    Creel__ContainerGrant grant = CREEL__CONTAINER_GRANT__INIT;
    const Creel__ContainerGrant *grants[] = { &grant };
    char id[ID_TEXT_MAX];

    snprintf(id, sizeof(id), "%s", container_id);
    grant.container_id = id;
    fixture_step(fixture);
    agent_on_stop(fixture->agent, fixture->now, 77, 6, grants, 1, &fixture->effects);
    fixture_check(fixture);
}

void fixture_run(struct fixture *fixture, const char *container_id, int64_t memory_mb)
{
    fixture_ask(fixture, container_id, memory_mb, 0);
    fixture_saved(fixture, container_id, 0);
    fixture_one(fixture, AGENT_LAUNCH);
    fixture_launched(fixture, container_id, 0);
    fixture_running(fixture, container_id);
}

const Creel__ContainerStatus *fixture_find_status(Creel__ContainerStatus *const *statuses, size_t count,
                                                  const char *container_id)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(statuses[i]->container_id, container_id) == 0)
            return statuses[i];
    }
    return NULL;
}

const Creel__ContainerStatus *fixture_status(struct fixture *fixture, const char *container_id, bool ack)
{
    const Creel__Envelope *envelope = fixture_next_send(fixture);
    const Creel__ContainerStatus *found;
    static Creel__ContainerStatus status;
    static char diagnostics[2000];

    assert_int_equal(envelope->body_case, CREEL__ENVELOPE__BODY_HEARTBEAT);
    found =
        fixture_find_status(envelope->heartbeat->containers, envelope->heartbeat->n_containers, container_id);
    if (found != NULL) {
        status = *found;
        snprintf(diagnostics, sizeof(diagnostics), "%s", found->diagnostics);
        status.diagnostics = diagnostics;
    }
    if (ack)
        fixture_reply_heartbeat(fixture, envelope->request_id, envelope->heartbeat->seq,
                                CREEL__NODE_ACTION__NODE_NORMAL);
    return found ? &status : NULL;
}

const Creel__Error *fixture_answer(struct fixture *f)
{
    const struct agent_effect *effect = fixture_one(f, AGENT_REPLY);

    assert_int_equal(effect->connection, 77);
    assert_int_equal(effect->envelope->request_id, 5);
    assert_int_equal(effect->envelope->start_containers_reply->n_results, 1);
    return effect->envelope->start_containers_reply->results[0]->error;
}

/* --- orders of the RM ---------------------------------------------------------- */

struct order {
    Creel__NodeOrders orders;
    Creel__StartOrder start, *starts[1];
    Creel__StopOrder stop, *stops[1];
    Creel__ContainerGrant grant;
    Creel__LaunchContext launch;
    Creel__Resource resource;
    Creel__JobSpec job;
    Creel__Variable variable, *variables[1];
    char id[ID_TEXT_MAX], app[ID_TEXT_MAX], *apps[1];
};

static char node[] = NODE, user[] = "ann", word[] = "run", *command[] = { word }, reason[] = "why";
static uint8_t token[] = "token";

static struct order *new_order(uint64_t session)
{
    static struct order order;

    memset(&order, 0, sizeof(order));
    creel__node_orders__init(&order.orders);
    creel__start_order__init(&order.start);
    creel__stop_order__init(&order.stop);
    creel__container_grant__init(&order.grant);
    creel__launch_context__init(&order.launch);
    creel__resource__init(&order.resource);
    creel__job_spec__init(&order.job);
    creel__variable__init(&order.variable);
    order.variables[0] = &order.variable;
    order.orders.session = session;
    order.starts[0] = &order.start;
    order.stops[0] = &order.stop;
    order.apps[0] = order.app;
    order.orders.start = order.starts;
    order.orders.stop = order.stops;
    order.orders.finished_apps = order.apps;
    return &order;
}

void fixture_order_start(struct fixture *f, uint64_t session, int64_t memory_mb, bool job)
{
    struct order *order = new_order(session);

    snprintf(order->id, sizeof(order->id), "%s", CONTAINER(1));
    order->grant.container_id = order->id;
    order->grant.node_id = node;
    order->grant.user = user;
    order->grant.resource = &order->resource;
    order->grant.master = true;
    order->resource.memory_mb = memory_mb;
    order->resource.vcores = 1;
    order->launch.command = command;
    order->launch.n_command = 1;
    if (f->variable[0] != NULL) {
        order->variable.name = (char *)(uintptr_t)f->variable[0];
        order->variable.value = (char *)(uintptr_t)f->variable[1];
        order->launch.environment = order->variables;
        order->launch.n_environment = 1;
    }
    order->start.grant = &order->grant;
    order->start.launch = &order->launch;
    order->start.am_token = (ProtobufCBinaryData){ .len = 5, .data = token };
    order->start.job = job ? &order->job : NULL;
    order->job.name = word;
    order->job.max_attempts = 3;
    order->orders.n_start = 1;
    fixture_push(f, &order->orders);
}

static void order_stop(struct fixture *f, const char *container_id, int exit_status, bool at_once)
{
    struct order *order = new_order(SESSION);

    snprintf(order->id, sizeof(order->id), "%s", container_id);
    order->stop.container_id = order->id;
    order->stop.exit_status = exit_status;
    order->stop.reason = f->stop_reason ? (char *)(uintptr_t)f->stop_reason : reason;
    order->stop.at_once = at_once;
    order->orders.n_stop = 1;
    fixture_push(f, &order->orders);
}

void fixture_order_stop(struct fixture *f, const char *container_id, int exit_status)
{
    order_stop(f, container_id, exit_status, false);
}

void fixture_order_kill(struct fixture *f, const char *container_id, int exit_status)
{
    order_stop(f, container_id, exit_status, true);
}

void fixture_order_finished(struct fixture *f, const char *app_id)
{
    struct order *order = new_order(SESSION);

    snprintf(order->app, sizeof(order->app), "%s", app_id);
    order->orders.n_finished_apps = 1;
    fixture_push(f, &order->orders);
}

bool fixture_has_variable(const struct launch *plan, const char *entry)
{
    for (size_t i = 0; plan->environment[i] != NULL; i++) {
        if (strcmp(plan->environment[i], entry) == 0)
            return true;
    }
    return false;
}

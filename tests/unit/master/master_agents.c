/* SPDX-License-Identifier: Apache-2.0 */
/* master_agents.c - fixture: fake agents and application masters for master_harness.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/exit_status.h"
#include "common/base/mem.h"
#include "tests/unit/master/master_harness.h"

/* --- agents ---------------------------------------------------------------- */

void agent_init(struct fake_agent *a, const char *node_id, int64_t memory_mb, int64_t vcores)
{
    static uint64_t connections = 1;

    *a = (struct fake_agent){ .memory_mb = memory_mb, .vcores = vcores, .incarnation = 1 };
    a->connection = ++connections;
    snprintf(a->node_id, sizeof(a->node_id), "%s", node_id);
    snprintf(a->principal, sizeof(a->principal), "agent-%s", node_id);
}

void agent_done(struct fake_agent *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->containers[i].grant);
    a->count = 0;
}

struct fake_container *agent_find(struct fake_agent *a, const char *container_id)
{
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->containers[i].id, container_id) == 0)
            return &a->containers[i];
    return NULL;
}

static struct fake_container *add(struct fake_agent *a, const char *container_id)
{
    struct fake_container *container;

    assert_true(a->count < AGENT_CONTAINERS_MAX);
    container = &a->containers[a->count++];
    *container = (struct fake_container){ .exit_status = -1000 };
    snprintf(container->id, sizeof(container->id), "%s", container_id);
    return container;
}

void agent_start(struct fake_agent *a, const char *container_id, const ProtobufCBinaryData *token)
{
    struct fake_container *container = agent_find(a, container_id);

    if (container)
        return; /* running or complete: never started twice */
    container = add(a, container_id);
    container->state = CREEL__CONTAINER_STATE__CONTAINER_RUNNING;
    container->ran = true;
    container->grant = mem_dup(token->data, token->len);
    container->grant_size = token->len;
}

void agent_exit(struct fake_agent *a, const char *container_id, int exit_status)
{
    struct fake_container *container = agent_find(a, container_id);

    assert_non_null(container);
    container->state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    container->exit_status = exit_status;
}

int agent_running(const struct fake_agent *a)
{
    int running = 0;

    for (size_t i = 0; i < a->count; i++)
        running += a->containers[i].state == CREEL__CONTAINER_STATE__CONTAINER_RUNNING;
    return running;
}

int agent_unacked(const struct fake_agent *a)
{
    int unacked = 0;

    for (size_t i = 0; i < a->count; i++)
        unacked += !a->containers[i].acked;
    return unacked;
}

/* As stop_status of nm-agent/core/orders.c. */
static int stop_status(int status)
{
    bool known = status == CONTAINER_EXIT_ABORTED || status == CONTAINER_EXIT_PREEMPTED ||
                 status == CONTAINER_EXIT_BY_AM || status == CONTAINER_EXIT_BY_RM ||
                 status == CONTAINER_EXIT_APP_OVER;

    return known ? status : CONTAINER_EXIT_BY_RM;
}

static void apply_stop(struct fake_agent *a, const Creel__StopOrder *order)
{
    struct fake_container *container = agent_find(a, order->container_id);

    if (container && container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE) {
        container->acked = false; /* the RM lost the report: send it again */
        container->reported_seq = 0;
        return;
    }
    if (container == NULL)
        container = add(a, order->container_id); /* the container will never run on this agent */
    container->state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    container->exit_status = stop_status(order->exit_status);
}

static void apply_resizes(struct fake_agent *a, const Creel__NodeOrders *orders)
{
    for (size_t i = 0; i < orders->n_resizes; i++) {
        struct fake_container *container = agent_find(a, orders->resizes[i]->container_id);

        if (container == NULL || a->deaf)
            continue;
        container->version = orders->resizes[i]->version;
        container->memory_mb = orders->resizes[i]->resource->memory_mb;
    }
}

static void apply_orders(struct fake_agent *a, const Creel__NodeOrders *orders)
{
    if (orders == NULL || orders->session != a->session)
        return;
    a->ordered_total_mb = orders->total ? orders->total->memory_mb : 0;
    for (size_t i = 0; i < orders->n_start; i++) {
        const Creel__ContainerGrant *grant = orders->start[i]->grant;
        size_t size = creel__container_grant__get_packed_size(grant);
        uint8_t *packed = mem_alloc(size + 1);
        ProtobufCBinaryData token = { size, packed };

        creel__container_grant__pack(grant, packed);
        agent_start(a, grant->container_id, &token);
        free(packed);
    }
    for (size_t i = 0; i < orders->n_stop && !a->ignores_stops; i++)
        apply_stop(a, orders->stop[i]);
    for (size_t i = 0; i < orders->n_preempt; i++) {
        struct fake_container *container = agent_find(a, orders->preempt[i]->container_id);

        if (container == NULL)
            continue;
        if (orders->preempt[i]->spared) {
            container->preempt_ms = 0;
            container->spared_ms = orders->preempt[i]->deadline_ms;
            continue;
        }
        container->spared_ms = 0;
        container->preempt_ms = orders->preempt[i]->deadline_ms;
        container->preempt_notices++;
    }
    for (size_t i = 0; i < orders->n_limits; i++) {
        struct fake_container *container = agent_find(a, orders->limits[i]->container_id);

        if (container != NULL) {
            container->limit_ms = orders->limits[i]->limit_ms;
            container->limit_orders++;
        }
    }
    apply_resizes(a, orders);
    for (size_t i = 0; i < orders->n_finished_apps && a->finished_count < 64; i++)
        snprintf(a->finished[a->finished_count++], 80, "%s", orders->finished_apps[i]);
}

void agent_listen(struct harness *h, struct fake_agent *a)
{
    if (a->next_sent > h->sent_count)
        a->next_sent = 0;
    for (; a->next_sent < h->sent_count; a->next_sent++) {
        const struct sent *sent = &h->sent[a->next_sent];

        if (sent->connection == a->connection &&
            sent->envelope->body_case == CREEL__ENVELOPE__BODY_NODE_ORDERS)
            apply_orders(a, sent->envelope->node_orders);
    }
}

/* Returns all statuses that the RM has not acknowledged. The caller frees the array and the messages. */
static Creel__ContainerStatus **statuses(struct fake_agent *a, bool grants, size_t *count)
{
    Creel__ContainerStatus **list = mem_array0(a->count + 1, sizeof(*list));

    *count = 0;
    for (size_t i = 0; i < a->count; i++) {
        struct fake_container *container = &a->containers[i];
        Creel__ContainerStatus *status;

        if (container->acked)
            continue;
        status = mem_new0(Creel__ContainerStatus);
        creel__container_status__init(status);
        status->container_id = container->id;
        status->state = container->state;
        status->exit_status = container->exit_status;
        status->started_ms = container->started_ms;
        status->finished_ms = container->finished_ms;
        status->node_fault = container->node_fault;
        status->no_account = container->no_account;
        status->retry_elsewhere = container->retry_elsewhere;
        status->preempt_ms = container->preempt_ms;
        status->spared_ms = container->spared_ms;
        status->limit_ms = container->limit_ms;
        status->version = container->version;
        if (container->stuck != NULL)
            status->stuck = (char *)(uintptr_t)container->stuck;
        if (container->reason != NULL)
            status->diagnostics = (char *)(uintptr_t)container->reason;
        if (container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE && container->reported_seq == 0)
            container->reported_seq = a->seq;
        if (grants && container->grant)
            status->grant = creel__container_grant__unpack(NULL, container->grant_size, container->grant);
        list[(*count)++] = status;
    }
    return list;
}

static void free_statuses(Creel__ContainerStatus **list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i]->grant)
            creel__container_grant__free_unpacked(list[i]->grant, NULL);
        free(list[i]);
    }
    free(list);
}

static void forget_acked(struct fake_agent *a, uint64_t seq)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->containers[i].reported_seq > 0 && a->containers[i].reported_seq <= seq)
            a->containers[i].acked = true;
}

void agent_register(struct harness *h, struct fake_agent *a)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    const Creel__RegisterNodeReply *reply;
    const Creel__Envelope *answer;
    size_t count;

    for (size_t i = 0; i < a->count; i++)
        a->containers[i].reported_seq = 0;
    a->seq = 0;
    body.crashes = a->crashes;
    total.memory_mb = a->memory_mb;
    total.vcores = a->vcores;
    total.others = a->others;
    total.n_others = a->other_count;
    body.node_id = a->node_id;
    body.total = &total;
    body.incarnation = a->incarnation;
    body.unpacks = a->unpacks;
    body.restores = a->restores;
    if (a->version != NULL)
        body.version = (char *)(uintptr_t)a->version;
    body.resizes = !a->old;
    body.address = a->node_id;
    body.agent_key = (char *)(uintptr_t)AGENT_KEY;
    body.containers = statuses(a, true, &count);
    body.n_containers = count;
    for (size_t i = 0; i < a->count; i++)
        a->containers[i].reported_seq = 0; /* reported, but a registration acknowledges no exit */
    envelope->register_node = &body;
    answer = harness_ask(h, MASTER_AGENT, a->connection, a->principal, envelope);
    free_statuses(body.containers, count);
    assert_non_null(answer);
    assert_int_equal(answer->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY);
    reply = answer->register_node_reply;
    a->shut_down = reply->action == CREEL__NODE_ACTION__NODE_SHUTDOWN;
    if (!a->shut_down) {
        assert_int_equal(reply->n_token_keys, 1);
        a->session = reply->session;
        agent_listen(h, a);
    }
}

void agent_heartbeat(struct harness *h, struct fake_agent *a)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_HEARTBEAT);
    Creel__Heartbeat body = CREEL__HEARTBEAT__INIT;
    const Creel__HeartbeatReply *reply;
    const Creel__Envelope *answer;
    char *finished[64];
    size_t count;

    agent_listen(h, a);
    a->seq++;
    body.node_id = a->node_id;
    body.session = a->session;
    body.seq = a->seq;
    body.unhealthy = a->unhealthy;
    if (a->health_report != NULL)
        body.health_report = (char *)(uintptr_t)a->health_report;
    body.certificate_expires_ms = a->certificate_expires_ms;
    body.clock_measured = a->clock_skew_ms != 0;
    body.clock_skew_ms = a->clock_skew_ms;
    body.crashes = a->crashes;
    body.containers = statuses(a, false, &count);
    body.n_containers = count;
    for (size_t i = 0; i < a->finished_count; i++)
        finished[i] = a->finished[i];
    body.finished_apps = finished;
    body.n_finished_apps = a->finished_count;
    envelope->heartbeat = &body;
    answer = harness_ask(h, MASTER_AGENT, a->connection, a->principal, envelope);
    free_statuses(body.containers, count);
    assert_non_null(answer);
    assert_int_equal(answer->body_case, CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY);
    if (a->lose_reply) {
        a->lose_reply = false;
        return;
    }
    reply = answer->heartbeat_reply;
    a->shut_down = reply->action == CREEL__NODE_ACTION__NODE_SHUTDOWN;
    if (a->shut_down)
        return;
    if (reply->action == CREEL__NODE_ACTION__NODE_RESYNC) {
        agent_register(h, a);
        return;
    }
    a->finished_count = 0;
    forget_acked(a, reply->acked_seq);
    apply_orders(a, reply->orders);
    agent_listen(h, a);
}

/* --- application masters ---------------------------------------------------- */

void am_init(struct fake_am *am, const char *app_id, unsigned attempt)
{
    static uint64_t connections = 5000;

    *am = (struct fake_am){ .connection = ++connections };
    snprintf(am->attempt_id, sizeof(am->attempt_id), "appattempt%s_%06u", strchr(app_id, '_'), attempt);
}

const Creel__Envelope *am_register(struct harness *h, struct fake_am *am)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_REGISTER_AM);
    Creel__RegisterAm body = CREEL__REGISTER_AM__INIT;
    const Creel__Envelope *reply;

    body.session = am->session;
    if (am->tracking_url)
        body.tracking_url = am->tracking_url;
    if (am->host)
        body.host = am->host;
    envelope->register_am = &body;
    reply = harness_ask(h, MASTER_AM, am->connection, am->attempt_id, envelope);
    assert_non_null(reply);
    if (reply->body_case == CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY)
        am->response_id = reply->register_am_reply->response_id;
    return reply;
}

static Creel__TaskCounts task_counts(const struct fake_am *am)
{
    Creel__TaskCounts tasks = CREEL__TASK_COUNTS__INIT;

    tasks.total = am->tasks[0];
    tasks.running = am->tasks[1];
    tasks.succeeded = am->tasks[2];
    tasks.failed = am->tasks[3];
    return tasks;
}

const Creel__AllocateReply *am_allocate(struct harness *h, struct fake_am *am, int count, int64_t memory_mb,
                                        const char *release)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_ALLOCATE);
    Creel__Allocate body = CREEL__ALLOCATE__INIT;
    Creel__Resource capability = CREEL__RESOURCE__INIT;
    Creel__Ask ask = CREEL__ASK__INIT, *asks = &ask;
    char *releases = (char *)(uintptr_t)release;
    Creel__TaskCounts tasks = task_counts(am);
    const Creel__Envelope *reply;

    body.tasks = am->tasks[0] ? &tasks : NULL;
    capability.memory_mb = memory_mb;
    capability.vcores = 1;
    ask.priority = 1;
    ask.resource_name = (char *)(uintptr_t) "*";
    ask.capability = &capability;
    ask.count = count >= 0 ? (uint32_t)count : 0;
    body.response_id = am->response_id;
    body.session = am->session;
    if (count >= 0) {
        body.asks = &asks;
        body.n_asks = 1;
    }
    if (release) {
        body.releases = &releases;
        body.n_releases = 1;
    }
    envelope->allocate = &body;
    reply = harness_ask(h, MASTER_AM, am->connection, am->attempt_id, envelope);
    if (reply == NULL || reply->body_case != CREEL__ENVELOPE__BODY_ALLOCATE_REPLY)
        return NULL;
    if (reply->allocate_reply->action == CREEL__AM_ACTION__AM_NORMAL)
        am->response_id = reply->allocate_reply->response_id;
    return reply->allocate_reply;
}

const Creel__Envelope *am_finish(struct harness *h, struct fake_am *am, Creel__FinalStatus status,
                                 int exit_status)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_FINISH_AM);
    Creel__FinishAm body = CREEL__FINISH_AM__INIT;
    Creel__TaskCounts tasks = task_counts(am);

    body.tasks = am->tasks[0] ? &tasks : NULL;
    body.status = status;
    body.exit_status = exit_status;
    body.session = am->session;
    if (am->diagnostics)
        body.diagnostics = am->diagnostics;
    envelope->finish_am = &body;
    return harness_ask(h, MASTER_AM, am->connection, am->attempt_id, envelope);
}

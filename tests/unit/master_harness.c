/* SPDX-License-Identifier: Apache-2.0 */
/* master_harness.c - a master with a scripted world around it */
#include "tests/unit/master_harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"

#define PEOPLE_CONNECTION 1000

/* --- the shell's part ------------------------------------------------------ */

static ProtobufCBinaryData sign(void *context, struct arena *arena, Creel__TokenKind kind,
                                const ProtobufCMessage *payload)
{
    ProtobufCBinaryData data;

    (void)context;
    (void)kind;
    data.len = protobuf_c_message_get_packed_size(payload);
    data.data = arena_alloc0(arena, data.len + 1);
    protobuf_c_message_pack(payload, data.data);
    return data;
}

static size_t token_keys(void *context, Creel__TokenKey *keys, size_t room)
{
    static uint8_t bytes[32];

    (void)context;
    assert_true(room > 0);
    keys[0].key_id = 7;
    keys[0].key = (ProtobufCBinaryData){ sizeof(bytes), bytes };
    return 1;
}

void harness_init(struct harness *h)
{
    *h = (struct harness){ .now = CLUSTER_MS + 1000 };
    h->config = (struct master_config){
        .version = "test",
        .scheduler = "fifo",
        .minimum_allocation = resource_of(128, 1),
        .maximum_allocation = resource_of(8192, 8),
        .heartbeat_interval_ms = 1000,
        .node_expiry_ms = 10000,
        .am_expiry_ms = 20000,
        .container_expiry_ms = 30000,
        .am_memory_mb = 100,
        .max_attempts = 2,
        .max_completed_apps = 100,
        .max_tasks = 1000,
        .admin_users = "root, admin",
        .proxy_users = "gate",
        .assign_on_demand = true,
        .sign = sign,
        .token_keys = token_keys,
    };
    master_effects_init(&h->effects);
}

static void audit(struct harness *h)
{
    struct err err;

    if (master_check(h->master, &err) < 0)
        fail_msg("the books are wrong: %s", err.text);
}

static ProtobufCMessage *copy(const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *packed = mem_alloc(size + 1);
    ProtobufCMessage *result;

    protobuf_c_message_pack(message, packed);
    result = protobuf_c_message_unpack(message->descriptor, NULL, size, packed);
    free(packed);
    assert_non_null(result);
    return result;
}

static void keep_row(struct harness *h, const struct master_effect *effect)
{
    const ProtobufCMessage *message = NULL;
    const char *id = effect->app_id;
    struct row *row;

    if (effect->kind == MASTER_STORE_APP) {
        message = &effect->app->base;
        id = effect->app->app_id;
    } else if (effect->kind == MASTER_STORE_ATTEMPT) {
        message = &effect->attempt->base;
        id = effect->attempt->attempt_id;
    } else if (effect->kind == MASTER_STORE_CONTAINER) {
        message = &effect->container->base;
        id = effect->container->report->container_id;
    }
    mem_grow(h->waiting, h->waiting_count, h->waiting_capacity);
    row = &h->waiting[h->waiting_count++];
    *row = (struct row){ .kind = effect->kind, .seq = effect->store_seq };
    snprintf(row->id, sizeof(row->id), "%s", id);
    if (message) {
        row->size = protobuf_c_message_get_packed_size(message);
        row->packed = mem_alloc(row->size + 1);
        protobuf_c_message_pack(message, row->packed);
    }
}

static void take_effects(struct harness *h)
{
    for (size_t i = 0; i < h->effects.count; i++) {
        const struct master_effect *effect = &h->effects.items[i];

        if (effect->kind != MASTER_SEND) {
            keep_row(h, effect);
            continue;
        }
        mem_grow(h->sent, h->sent_count, h->sent_capacity);
        h->sent[h->sent_count++] = (struct sent){
            effect->channel, effect->connection,
            (Creel__Envelope *)copy(&effect->envelope->base),
        };
    }
    master_effects_reset(&h->effects);
    audit(h);
    if (!h->hold_store && h->waiting_count > 0)
        harness_commit(h);
}

/* --- the store ------------------------------------------------------------- */

static void forget_row(struct harness *h, size_t i)
{
    free(h->disk[i].packed);
    memmove(&h->disk[i], &h->disk[i + 1], (h->disk_count - i - 1) * sizeof(h->disk[0]));
    h->disk_count--;
}

static bool belongs(const struct row *row, const char *app_id)
{
    const char *number = strchr(app_id, '_');

    return strstr(row->id, number) != NULL;
}

static void write_row(struct harness *h, struct row *row)
{
    if (row->kind == MASTER_FORGET_APP) {
        for (size_t i = h->disk_count; i-- > 0;)
            if (belongs(&h->disk[i], row->id))
                forget_row(h, i);
        return;
    }
    for (size_t i = 0; i < h->disk_count; i++)
        if (h->disk[i].kind == row->kind && strcmp(h->disk[i].id, row->id) == 0) {
            free(h->disk[i].packed);
            h->disk[i] = *row;
            return;
        }
    mem_grow(h->disk, h->disk_count, h->disk_capacity);
    h->disk[h->disk_count++] = *row;
}

void harness_commit(struct harness *h)
{
    uint64_t seq = 0;

    for (size_t i = 0; i < h->waiting_count; i++) {
        seq = h->waiting[i].seq;
        write_row(h, &h->waiting[i]);
    }
    h->waiting_count = 0;
    if (seq == 0)
        return;
    master_on_stored(h->master, h->now, seq, &h->effects);
    take_effects(h);
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return strcmp(x->id, y->id);
}

static void load_row(struct harness *h, const struct row *row)
{
    struct err err = { .text = "" };
    int r = 0;

    if (row->kind == MASTER_STORE_APP) {
        Creel__StoredApp *app = creel__stored_app__unpack(NULL, row->size, row->packed);

        r = master_recover_app(h->master, app, &err);
        creel__stored_app__free_unpacked(app, NULL);
    } else if (row->kind == MASTER_STORE_ATTEMPT) {
        Creel__StoredAttempt *attempt = creel__stored_attempt__unpack(NULL, row->size,
                                                                      row->packed);

        r = master_recover_attempt(h->master, attempt, &err);
        creel__stored_attempt__free_unpacked(attempt, NULL);
    } else {
        Creel__StoredContainer *container = creel__stored_container__unpack(NULL, row->size,
                                                                            row->packed);

        r = master_recover_container(h->master, container, &err);
        creel__stored_container__free_unpacked(container, NULL);
    }
    if (r < 0)
        fail_msg("%s: not recovered: %s", row->id, err.text);
}

/* --- life ------------------------------------------------------------------ */

void harness_start(struct harness *h)
{
    struct err err;

    if (master_new(&h->config, CLUSTER_MS, h->epoch, h->now, &h->master, &err) < 0)
        fail_msg("master_new: %s", err.text);
    if (h->disk_count > 0)
        qsort(h->disk, h->disk_count, sizeof(h->disk[0]), compare_rows);
    for (size_t i = 0; i < h->disk_count; i++)
        load_row(h, &h->disk[i]);
    master_recover_last_app(h->master, h->last_seq);
    master_recover_done(h->master, h->now, &h->effects);
    take_effects(h);
}

static void drop_waiting(struct harness *h)
{
    for (size_t i = 0; i < h->waiting_count; i++)
        free(h->waiting[i].packed);
    h->waiting_count = 0;
}

void harness_restart(struct harness *h)
{
    master_free(h->master);
    drop_waiting(h);
    harness_forget(h);
    h->epoch++;
    harness_start(h);
}

void harness_forget(struct harness *h)
{
    for (size_t i = 0; i < h->sent_count; i++)
        creel__envelope__free_unpacked(h->sent[i].envelope, NULL);
    h->sent_count = 0;
}

void harness_done(struct harness *h)
{
    master_free(h->master);
    harness_forget(h);
    drop_waiting(h);
    while (h->disk_count > 0)
        forget_row(h, h->disk_count - 1);
    free(h->sent);
    free(h->waiting);
    free(h->disk);
    master_effects_done(&h->effects);
}

void harness_tick(struct harness *h, int64_t ms)
{
    int64_t end = h->now + ms;

    while (master_next_deadline_ms(h->master) <= end) {
        if (master_next_deadline_ms(h->master) > h->now)
            h->now = master_next_deadline_ms(h->master);
        master_on_timer(h->master, h->now, &h->effects);
        take_effects(h);
    }
    h->now = end;
}

/* --- messages -------------------------------------------------------------- */

Creel__Envelope *harness_envelope(struct harness *h, Creel__Envelope__BodyCase body)
{
    Creel__Envelope *envelope = mem_new0(Creel__Envelope);

    creel__envelope__init(envelope);
    envelope->version = 1;
    envelope->request_id = ++h->next_request;
    envelope->body_case = body;
    return envelope;
}

const Creel__Envelope *harness_find_reply(struct harness *h, uint64_t connection,
                                          uint64_t request_id)
{
    for (size_t i = h->sent_count; i-- > 0;)
        if (h->sent[i].connection == connection && h->sent[i].envelope->request_id == request_id)
            return h->sent[i].envelope;
    return NULL;
}

const Creel__Envelope *harness_ask(struct harness *h, enum master_channel channel,
                                   uint64_t connection, const char *principal,
                                   Creel__Envelope *envelope)
{
    struct master_peer peer = { channel, connection, principal };
    /* What the wire would hand over: absent texts are "", nothing is shared. */
    Creel__Envelope *arrived = (Creel__Envelope *)copy(&envelope->base);
    uint64_t request_id = envelope->request_id;

    master_on_message(h->master, h->now, &peer, arrived, &h->effects);
    creel__envelope__free_unpacked(arrived, NULL);
    free(envelope);
    take_effects(h);
    return harness_find_reply(h, connection, request_id);
}

/* --- people ---------------------------------------------------------------- */

Creel__JobSpec *job_of(Creel__AppKind kind, int64_t memory_mb, uint32_t tasks)
{
    static char *command[] = { (char *)(uintptr_t) "true" };
    static Creel__LaunchContext launch;
    static Creel__Resource resource;
    static Creel__JobSpec job;

    creel__launch_context__init(&launch);
    launch.command = command;
    launch.n_command = 1;
    creel__resource__init(&resource);
    resource.memory_mb = memory_mb;
    resource.vcores = 1;
    creel__job_spec__init(&job);
    job.name = (char *)(uintptr_t) "job";
    job.kind = kind;
    job.launch = &launch;
    job.resource = &resource;
    job.task_count = tasks;
    return &job;
}

void people_submit(struct harness *h, const Creel__JobSpec *job, const char *key, char text[80],
                   const Creel__Error **error)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_SUBMIT_APP);
    Creel__SubmitApp body = CREEL__SUBMIT_APP__INIT;
    const Creel__Envelope *reply;

    body.job = (Creel__JobSpec *)(uintptr_t)job;
    body.submission_key = (char *)(uintptr_t)key;
    envelope->submit_app = &body;
    text[0] = '\0';
    reply = harness_ask(h, MASTER_CLIENT, PEOPLE_CONNECTION, "ann", envelope);
    if (reply && reply->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY)
        snprintf(text, 80, "%s", reply->submit_app_reply->app_id);
    if (error)
        *error = reply && reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? reply->error : NULL;
}

const Creel__AppReport *people_show(struct harness *h, const char *app_id)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_LIST_APPS);
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    const Creel__Envelope *reply;

    body.app_id = (char *)(uintptr_t)app_id;
    envelope->list_apps = &body;
    reply = harness_ask(h, MASTER_CLIENT, PEOPLE_CONNECTION, "ann", envelope);
    assert_non_null(reply);
    if (reply->body_case != CREEL__ENVELOPE__BODY_APP_LIST)
        return NULL;
    assert_int_equal(reply->app_list->n_apps, 1);
    return reply->app_list->apps[0];
}

const Creel__Envelope *people_kill(struct harness *h, const char *app_id)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_KILL_APP);
    Creel__KillApp body = CREEL__KILL_APP__INIT;

    body.app_id = (char *)(uintptr_t)app_id;
    envelope->kill_app = &body;
    return harness_ask(h, MASTER_CLIENT, PEOPLE_CONNECTION, "ann", envelope);
}

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
        return;                         /* running, or over: never twice */
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

static void take_stop(struct fake_agent *a, const Creel__StopOrder *order)
{
    struct fake_container *container = agent_find(a, order->container_id);

    if (container && container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE) {
        container->acked = false;       /* the RM did not hear of it: said again */
        container->said_seq = 0;
        return;
    }
    if (container == NULL)
        container = add(a, order->container_id);        /* it will never run here */
    container->state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    container->exit_status = order->exit_status;
}

static void take_orders(struct fake_agent *a, const Creel__NodeOrders *orders)
{
    if (orders == NULL || orders->session != a->session)
        return;
    for (size_t i = 0; i < orders->n_start; i++) {
        const Creel__ContainerGrant *grant = orders->start[i]->grant;
        size_t size = creel__container_grant__get_packed_size(grant);
        uint8_t *packed = mem_alloc(size + 1);
        ProtobufCBinaryData token = { size, packed };

        creel__container_grant__pack(grant, packed);
        agent_start(a, grant->container_id, &token);
        free(packed);
    }
    for (size_t i = 0; i < orders->n_stop; i++)
        take_stop(a, orders->stop[i]);
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
            take_orders(a, sent->envelope->node_orders);
    }
}

/* All statuses that the RM does not have; array and messages belong to the caller. */
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
        if (container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE &&
            container->said_seq == 0)
            container->said_seq = a->seq;
        if (grants && container->grant)
            status->grant = creel__container_grant__unpack(NULL, container->grant_size,
                                                           container->grant);
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
        if (a->containers[i].said_seq > 0 && a->containers[i].said_seq <= seq)
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
        a->containers[i].said_seq = 0;
    a->seq = 0;
    total.memory_mb = a->memory_mb;
    total.vcores = a->vcores;
    body.node_id = a->node_id;
    body.total = &total;
    body.incarnation = a->incarnation;
    body.address = a->node_id;
    body.agent_key = (char *)(uintptr_t) "key";
    body.containers = statuses(a, true, &count);
    body.n_containers = count;
    for (size_t i = 0; i < a->count; i++)
        a->containers[i].said_seq = 0;  /* said, but registrations are not acknowledged */
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
    if (reply->action == CREEL__NODE_ACTION__NODE_RESYNC) {
        agent_register(h, a);
        return;
    }
    a->finished_count = 0;
    forget_acked(a, reply->acked_seq);
    take_orders(a, reply->orders);
    agent_listen(h, a);
}

/* --- application masters ---------------------------------------------------- */

void am_init(struct fake_am *am, const char *app_id, unsigned attempt)
{
    static uint64_t connections = 5000;

    *am = (struct fake_am){ .connection = ++connections };
    snprintf(am->attempt_id, sizeof(am->attempt_id), "appattempt%s_%06u", strchr(app_id, '_'),
             attempt);
}

const Creel__Envelope *am_register(struct harness *h, struct fake_am *am)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_REGISTER_AM);
    Creel__RegisterAm body = CREEL__REGISTER_AM__INIT;
    const Creel__Envelope *reply;

    envelope->register_am = &body;
    reply = harness_ask(h, MASTER_AM, am->connection, am->attempt_id, envelope);
    assert_non_null(reply);
    if (reply->body_case == CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY)
        am->response_id = reply->register_am_reply->response_id;
    return reply;
}

const Creel__AllocateReply *am_allocate(struct harness *h, struct fake_am *am, int count,
                                        int64_t memory_mb, const char *release)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_ALLOCATE);
    Creel__Allocate body = CREEL__ALLOCATE__INIT;
    Creel__Resource capability = CREEL__RESOURCE__INIT;
    Creel__Ask ask = CREEL__ASK__INIT, *asks = &ask;
    char *releases = (char *)(uintptr_t)release;
    const Creel__Envelope *reply;

    capability.memory_mb = memory_mb;
    capability.vcores = 1;
    ask.priority = 1;
    ask.resource_name = (char *)(uintptr_t) "*";
    ask.capability = &capability;
    ask.count = count >= 0 ? (uint32_t)count : 0;
    body.response_id = am->response_id;
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

    body.status = status;
    body.exit_status = exit_status;
    envelope->finish_am = &body;
    return harness_ask(h, MASTER_AM, am->connection, am->attempt_id, envelope);
}

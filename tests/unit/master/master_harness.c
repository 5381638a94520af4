/* SPDX-License-Identifier: Apache-2.0 */
/* master_harness.c - fixture: the resource manager's core with a scripted store, agents, AMs and users */
#include "tests/unit/master/master_harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/config/config.h"

#define PEOPLE_CONNECTION 1000

/* --- effects of the core --------------------------------------------------- */

static ProtobufCBinaryData sign(void *context, struct arena *arena, Creel__TokenKind kind,
                                const char *node_id, const ProtobufCMessage *payload)
{
    ProtobufCBinaryData data;

    (void)context;
    (void)kind;
    (void)node_id;
    data.len = protobuf_c_message_get_packed_size(payload);
    data.data = arena_alloc0(arena, data.len + 1);
    protobuf_c_message_pack(payload, data.data);
    return data;
}

static size_t token_keys(void *context, struct arena *arena, const char *node_id, Creel__TokenKey *keys,
                         size_t room)
{
    (void)arena;
    (void)node_id;
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
        .protocol = { 2, 3 },
        .scheduler = "fifo",
        .minimum_allocation = resource_of(128, 1),
        .maximum_allocation = resource_of(8192, 8),
        .heartbeat_interval_ms = 1000,
        .node_expiry_ms = 10000,
        .untracked_ms = 20000,
        .am_expiry_ms = 20000,
        .container_expiry_ms = 30000,
        .am_memory_mb = 100,
        .max_attempts = 2,
        .avoid_failed_nodes = true,
        .failed_nodes_share = 0.8,
        .max_completed_apps = 100,
        .max_completed_containers = 1000,
        .max_tasks = 1000,
        .evict_notice_ms = 5000,
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
        fail_msg("the accounting is wrong: %s", err.text);
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

static void store_row(struct harness *h, const struct master_effect *effect)
{
    const ProtobufCMessage *message = NULL;
    const char *id = effect->kind == MASTER_FORGET_CONTAINER ? effect->container_id : effect->app_id;
    Creel__StoredApp *app = NULL;
    struct row *row;

    if (effect->kind == MASTER_STORE_APP) {
        h->app_rows++;
        app = creel__stored_app__unpack(NULL, effect->app.len, effect->app.data);
        assert_non_null(app);
        h->array_rows += app->array_states.len > 0;
        message = &app->base;
    } else if (effect->kind == MASTER_STORE_ATTEMPT) {
        message = &effect->attempt->base;
        id = effect->attempt->attempt_id;
    } else if (effect->kind == MASTER_STORE_CONTAINER) {
        message = &effect->container->base;
        id = effect->container->report->container_id;
    } else if (effect->kind == MASTER_STORE_SETTING) {
        message = &effect->setting->base;
        id = effect->setting->name;
    } else if (effect->kind == MASTER_STORE_NODE) {
        message = &effect->node->base;
        id = effect->node->node_id;
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
    creel__stored_app__free_unpacked(app, NULL);
}

void harness_run_effects(struct harness *h)
{
    for (size_t i = 0; i < h->effects.count; i++) {
        const struct master_effect *effect = &h->effects.items[i];

        if (effect->kind == MASTER_RELOAD_HOSTS) {
            h->host_reload = effect->reload;
            h->host_reload.user = "admin";
            h->host_reloads++;
            continue;
        }
        if (effect->kind == MASTER_RELOAD) {
            h->reloads++;
            continue;
        }
        h->job_events += effect->kind == MASTER_EVENT && effect->app.len > 0;
        if (effect->kind == MASTER_LOG_LEVEL) {
            h->log_level = effect->log_level;
            continue;
        }
        if (effect->store_seq > 0)
            store_row(h, effect);
        if (effect->kind != MASTER_SEND)
            continue;
        mem_grow(h->sent, h->sent_count, h->sent_capacity);
        h->sent[h->sent_count++] = (struct sent){
            effect->channel,
            effect->connection,
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
    if (row->kind == MASTER_FORGET_CONTAINER) {
        for (size_t i = h->disk_count; i-- > 0;)
            if (h->disk[i].kind == MASTER_STORE_CONTAINER && strcmp(h->disk[i].id, row->id) == 0)
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
    harness_run_effects(h);
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return strcmp(x->id, y->id);
}

static int load_setting(struct harness *h, const struct row *row, struct err *err)
{
    Creel__StoredSetting *setting = creel__stored_setting__unpack(NULL, row->size, row->packed);
    int r = *setting->value == '\0' ? 0 : master_recover_setting(h->master, setting, err);

    creel__stored_setting__free_unpacked(setting, NULL);
    return r;
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
        Creel__StoredAttempt *attempt = creel__stored_attempt__unpack(NULL, row->size, row->packed);

        r = master_recover_attempt(h->master, attempt, &err);
        creel__stored_attempt__free_unpacked(attempt, NULL);
    } else if (row->kind == MASTER_STORE_SETTING) {
        r = load_setting(h, row, &err);
    } else if (row->kind == MASTER_STORE_NODE) {
        Creel__StoredNode *node = creel__stored_node__unpack(NULL, row->size, row->packed);

        r = master_recover_node(h->master, node, &err);
        creel__stored_node__free_unpacked(node, NULL);
    } else {
        Creel__StoredContainer *container = creel__stored_container__unpack(NULL, row->size, row->packed);

        r = master_recover_container(h->master, container, &err);
        creel__stored_container__free_unpacked(container, NULL);
    }
    if (r < 0)
        fail_msg("%s: not recovered: %s", row->id, err.text);
}

/* --- start, crash and clock ------------------------------------------------ */

void harness_start(struct harness *h)
{
    struct err err;

    if (master_new(&h->config, CLUSTER_MS, h->epoch, h->now, &h->master, &err) < 0)
        fail_msg("master_new: %s", err.text);
    if (h->disk_count > 0)
        qsort(h->disk, h->disk_count, sizeof(h->disk[0]), compare_rows);
    for (size_t i = 0; i < h->disk_count; i++)
        load_row(h, &h->disk[i]);
    if (h->hosts)
        master_recover_hosts(h->master, h->hosts);
    master_recover_last_app(h->master, h->last_seq);
    master_recover_done(h->master, h->now, &h->effects);
    harness_run_effects(h);
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
        harness_run_effects(h);
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

const Creel__Envelope *harness_find_reply(struct harness *h, uint64_t connection, uint64_t request_id)
{
    for (size_t i = h->sent_count; i-- > 0;)
        if (h->sent[i].connection == connection && h->sent[i].envelope->request_id == request_id)
            return h->sent[i].envelope;
    return NULL;
}

const Creel__Envelope *harness_ask(struct harness *h, enum master_channel channel, uint64_t connection,
                                   const char *principal, Creel__Envelope *envelope)
{
    struct master_peer peer = { channel, connection, principal, NULL };
    /* As after decoding from the wire: absent texts are "", and no memory is shared. */
    Creel__Envelope *arrived = (Creel__Envelope *)copy(&envelope->base);
    uint64_t request_id = envelope->request_id;

    master_on_message(h->master, h->now, &peer, arrived, &h->effects);
    creel__envelope__free_unpacked(arrived, NULL);
    free(envelope);
    harness_run_effects(h);
    return harness_find_reply(h, connection, request_id);
}

/* --- a configuration -------------------------------------------------------- */

struct conf *conf_of(const char *const settings[][2], size_t count)
{
    struct conf *conf = conf_new_defaults();
    struct err err = { .text = "" };

    for (size_t i = 0; i < count; i++)
        if (conf_set(conf, settings[i][0], settings[i][1], &err) < 0)
            fail_msg("%s", err.text);
    return conf;
}

struct sched_config capacity_of(const struct conf *conf)
{
    struct capacity_config *capacity = NULL;
    struct err err = { .text = "" };

    if (capacity_config_load(conf, NULL, NULL, &capacity, &err) < 0)
        fail_msg("%s", err.text);
    return (struct sched_config){
        .policy = "capacity",
        .calculator = capacity->dominant ? SCHED_EVERY_TYPE : SCHED_MEMORY_ONLY,
        .types = (int)capacity->types.count,
        .names = &capacity->types,
        .minimum = capacity->minimum_allocation,
        .step = capacity->minimum_allocation,
        .maximum = capacity->maximum_allocation,
        .size_wait_ms = SCHED_SIZE_WAIT_MS,
        .assign_on_demand = true,
        .capacity = capacity,
    };
}

/* --- users ----------------------------------------------------------------- */

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

const Creel__Envelope *people_submit_as(struct harness *h, const char *user, const Creel__JobSpec *job,
                                        const char *key, char text[80])
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_SUBMIT_APP);
    Creel__SubmitApp body = CREEL__SUBMIT_APP__INIT;
    const Creel__Envelope *reply;

    body.job = (Creel__JobSpec *)(uintptr_t)job;
    body.submission_key = (char *)(uintptr_t)key;
    envelope->submit_app = &body;
    text[0] = '\0';
    reply = harness_ask(h, MASTER_CLIENT, PEOPLE_CONNECTION, user, envelope);
    if (reply && reply->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY)
        snprintf(text, 80, "%s", reply->submit_app_reply->app_id);
    return reply;
}

void people_submit(struct harness *h, const Creel__JobSpec *job, const char *key, char text[80],
                   const Creel__Error **error)
{
    const Creel__Envelope *reply = people_submit_as(h, "ann", job, key, text);

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

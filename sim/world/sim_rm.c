/* SPDX-License-Identifier: Apache-2.0 */
/* sim_rm.c - the resource manager of a world: runs rm/master over a simulated disk of rows */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bsd/sys/queue.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "rm/master/master.h"
#include "rm/sched/sched.h"
#include "sim/world/actors.h"

struct row {
    enum master_effect_kind kind;
    char *id; /* app, attempt or container id; owned */
    uint64_t store_seq;
    bool fresh_app;            /* first row of an app: if the disk refuses it, the app is refused, too */
    ProtobufCMessage *message; /* owned; NULL for FORGET_APP */
    TAILQ_ENTRY(row) link;
};
TAILQ_HEAD(rows, row);

struct connection {
    struct sim_sender peer;
    enum master_channel channel;
};

struct sim_rm {
    struct world *world;
    struct master *master; /* owned; NULL while it is down */
    struct master_effects effects;
    struct sim_queues *queues; /* owned; used by MASTER; NULL: fifo */
    unsigned file;             /* number of the allocation file on the disk */
    uint64_t life, lives;
    uint32_t epoch;
    struct rows disk, pending; /* owned rows */
    bool commit_scheduled;
    int64_t timer_ms;               /* time of the earliest timer event */
    struct connection *connections; /* of this life; the index is the number - 1 */
    size_t connection_count, connection_capacity;
};

#define ASKING_CONNECTION UINT64_MAX /* connection number used by sim_rm_check_apps */

static void start(struct world *world, void *actor, void *data);

static ProtobufCBinaryData sign(void *context, struct arena *arena, Creel__TokenKind kind,
                                const char *node_id, const ProtobufCMessage *payload)
{
    ProtobufCBinaryData token = { .len = protobuf_c_message_get_packed_size(payload) };

    (void)context;
    (void)kind;
    (void)node_id;
    token.data = arena_alloc0(arena, token.len);
    protobuf_c_message_pack(payload, token.data);
    return token;
}

static size_t token_keys(void *context, struct arena *arena, const char *node_id, Creel__TokenKey *keys,
                         size_t room)
{
    (void)arena;
    (void)node_id;
    (void)context;
    (void)keys;
    (void)room;
    return 0;
}

/* --- the disk -------------------------------------------------------------- */

static void row_free(struct row *row)
{
    free(row->id);
    if (row->message)
        protobuf_c_message_free_unpacked(row->message, NULL);
    free(row);
}

static void rows_clear(struct rows *rows)
{
    while (!TAILQ_EMPTY(rows)) {
        struct row *row = TAILQ_FIRST(rows);

        TAILQ_REMOVE(rows, row, link);
        row_free(row);
    }
}

static struct row *row_of(const struct master_effect *effect)
{
    struct row *row = mem_new0(struct row);

    row->kind = effect->kind;
    row->store_seq = effect->store_seq;
    switch (effect->kind) {
    case MASTER_STORE_APP:
        row->id = mem_strdup(effect->app_id);
        row->message = protobuf_c_message_unpack(&creel__stored_app__descriptor, NULL, effect->app.len,
                                                 effect->app.data);
        row->fresh_app = ((Creel__StoredApp *)row->message)->state == CREEL__APP_STATE__APP_NEW_SAVING;
        break;
    case MASTER_STORE_ATTEMPT:
        row->id = mem_strdup(effect->attempt->attempt_id);
        row->message = wire_copy(&effect->attempt->base);
        break;
    case MASTER_STORE_CONTAINER:
        row->id = mem_strdup(effect->container->report->container_id);
        row->message = wire_copy(&effect->container->base);
        break;
    case MASTER_STORE_SETTING:
        row->id = mem_printf("%s %s", effect->setting->kind, effect->setting->name);
        row->message = wire_copy(&effect->setting->base);
        break;
    case MASTER_STORE_NODE:
        row->id = mem_strdup(effect->node->node_id);
        row->message = wire_copy(&effect->node->base);
        break;
    default:
        row->id = mem_strdup(effect->kind == MASTER_FORGET_APP ? effect->app_id : effect->container_id);
        break;
    }
    return row;
}

/* Returns true if ROW belongs to the app: its id contains the part of APP_ID behind "application". */
static bool row_is_of_app(const struct row *row, const char *app_id)
{
    const char *numbers = strchr(app_id, '_');
    const char *found = numbers ? strstr(row->id, numbers) : NULL;

    return found && (found[strlen(numbers)] == '_' || found[strlen(numbers)] == '\0');
}

static void disk_apply(struct rows *disk, struct row *row)
{
    bool forgets = row->kind == MASTER_FORGET_APP || row->kind == MASTER_FORGET_CONTAINER;
    enum master_effect_kind kind = row->kind == MASTER_FORGET_CONTAINER ? MASTER_STORE_CONTAINER : row->kind;
    struct row *old, *next;

    TAILQ_FOREACH_SAFE(old, disk, link, next) {
        if (row->kind == MASTER_FORGET_APP ? row_is_of_app(old, row->id)
                                           : old->kind == kind && strcmp(old->id, row->id) == 0) {
            TAILQ_REMOVE(disk, old, link);
            row_free(old);
        }
    }
    if (forgets)
        row_free(row);
    else
        TAILQ_INSERT_TAIL(disk, row, link);
}

/* --- effects --------------------------------------------------------------- */

static void schedule_timer(struct sim_rm *rm);
static void schedule_commit(struct sim_rm *rm, int64_t delay_ms);

static void send_effect(struct sim_rm *rm, const struct master_effect *effect)
{
    struct sim_sender from = { SIM_RM, rm, rm->life };
    struct sim_sender *peer;

    if (effect->connection == 0 || effect->connection > rm->connection_count)
        return;
    peer = &rm->connections[effect->connection - 1].peer;
    world_send(rm->world, from, peer->kind, peer->actor, peer->life, effect->envelope);
}

/* Checks that no container runs on nodes that the RM reports as drained. */
static void check_drained(struct sim_rm *rm)
{
    struct world *world = rm->world;
    for (unsigned i = 0; i < world->plan.nodes; i++) {
        if (master_node_is_drained(rm->master, sim_node_address(world->nodes[i])) &&
            ledger_running_on(world->ledger, i) > 0)
            world_fail(world, "node %u is drained, and %u processes run there", i,
                       ledger_running_on(world->ledger, i));
    }
}

/* Executes the effects of the last call; the RM may crash between two effects. */
static void carry_out(struct sim_rm *rm)
{
    struct world *world = rm->world;
    struct err err;

    for (size_t i = 0; i < rm->effects.count; i++) {
        const struct master_effect *effect = &rm->effects.items[i];

        if (effect->kind == MASTER_SEND) {
            send_effect(rm, effect);
        } else if (effect->kind != MASTER_EVENT) {
            struct row *row = row_of(effect);

            TAILQ_INSERT_TAIL(&rm->pending, row, link);
            schedule_commit(rm, rng_between(&world->rng, 0, 15));
        }
        if (effect->kind != MASTER_EVENT && world_chance(world, world->plan.crash_between)) {
            sim_rm_crash(rm);
            return;
        }
    }
    master_effects_reset(&rm->effects);
    if (master_check(rm->master, &err) < 0 || sim_queues_check(rm->queues, &err) < 0)
        world_fail(world, "rm: %s", err.text);
    check_drained(rm);
    schedule_timer(rm);
}

/* --- the commit cycle ------------------------------------------------------ */

static void refuse_commit(struct sim_rm *rm, uint64_t last)
{
    struct row *row, *next;

    world_note(rm->world, "the RM's disk refuses");
    TAILQ_FOREACH_SAFE(row, &rm->pending, link, next) {
        if (row->fresh_app) {
            TAILQ_REMOVE(&rm->pending, row, link);
            row_free(row);
        }
    }
    schedule_commit(rm, 200);
    master_on_store_failed(rm->master, rm->world->now_ms, last, "no space left on device", &rm->effects);
    carry_out(rm);
}

/* Passes ROW, which is being stored, to the independent record of attempts. */
static void record(struct world *world, const struct row *row)
{
    struct err err;
    int r = 0;

    if (row->kind == MASTER_STORE_APP)
        r = attempts_app_stored(world->attempts, (const Creel__StoredApp *)row->message, &err);
    else if (row->kind == MASTER_STORE_ATTEMPT)
        r = attempts_stored(world->attempts, (const Creel__StoredAttempt *)row->message, &err);
    if (r < 0)
        world_fail(world, "%s", err.text);
}

static void commit(struct world *world, void *actor, void *data)
{
    struct sim_rm *rm = actor;
    uint64_t last = 0;
    struct row *row;

    if (rm->life != *(const uint64_t *)data)
        return;
    rm->commit_scheduled = false;
    TAILQ_FOREACH(row, &rm->pending, link)
        last = row->store_seq > last ? row->store_seq : last;
    if (world_chance(world, world->plan.disk_refuses)) {
        refuse_commit(rm, last);
        return;
    }
    while ((row = TAILQ_FIRST(&rm->pending)) != NULL) {
        TAILQ_REMOVE(&rm->pending, row, link);
        record(world, row);
        disk_apply(&rm->disk, row);
    }
    if (world_chance(world, world->plan.crash_between * 4)) {
        sim_rm_crash(rm); /* the rows are on disk, but nobody was informed */
        return;
    }
    master_on_stored(rm->master, world->now_ms, last, &rm->effects);
    carry_out(rm);
}

static void schedule_commit(struct sim_rm *rm, int64_t delay_ms)
{
    if (rm->commit_scheduled)
        return;
    rm->commit_scheduled = true;
    world_after(rm->world, delay_ms, commit, rm, mem_dup(&rm->life, sizeof(rm->life)));
}

/* --- timer ----------------------------------------------------------------- */

static void on_timer(struct world *world, void *actor, void *data)
{
    struct sim_rm *rm = actor;

    if (rm->life != *(const uint64_t *)data)
        return;
    rm->timer_ms = INT64_MAX;
    master_on_timer(rm->master, world->now_ms, &rm->effects);
    carry_out(rm);
}

static void schedule_timer(struct sim_rm *rm)
{
    int64_t next_ms = master_next_deadline_ms(rm->master);

    if (next_ms >= rm->timer_ms)
        return;
    rm->timer_ms = next_ms;
    world_after(rm->world, next_ms > rm->world->now_ms ? next_ms - rm->world->now_ms : 1, on_timer, rm,
                mem_dup(&rm->life, sizeof(rm->life)));
}

/* --- start and crash ------------------------------------------------------- */

static void recover(struct sim_rm *rm)
{
    static const enum master_effect_kind order[] = { MASTER_STORE_SETTING, MASTER_STORE_APP,
                                                     MASTER_STORE_ATTEMPT, MASTER_STORE_CONTAINER,
                                                     MASTER_STORE_NODE };
    struct row *row;
    struct err err;

    /* All apps, then all attempts, then all containers: the attempts of each app follow it. */
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        TAILQ_FOREACH(row, &rm->disk, link) {
            int r = 0;

            if (row->kind != order[i])
                continue;
            if (row->kind == MASTER_STORE_SETTING)
                r = master_recover_setting(rm->master, (Creel__StoredSetting *)row->message, &err);
            else if (row->kind == MASTER_STORE_APP)
                r = master_recover_app(rm->master, (Creel__StoredApp *)row->message, &err);
            else if (row->kind == MASTER_STORE_ATTEMPT)
                r = master_recover_attempt(rm->master, (Creel__StoredAttempt *)row->message, &err);
            else if (row->kind == MASTER_STORE_NODE)
                r = master_recover_node(rm->master, (Creel__StoredNode *)row->message, &err);
            else
                r = master_recover_container(rm->master, (Creel__StoredContainer *)row->message, &err);
            if (r < 0)
                world_fail(rm->world, "rm: its own row %s is refused: %s", row->id, err.text);
        }
    }
    master_recover_done(rm->master, rm->world->now_ms, &rm->effects);
}

static int compare_rows(const void *a, const void *b)
{
    return strcmp((*(struct row *const *)a)->id, (*(struct row *const *)b)->id);
}

/* Sorts the rows by id, as the real database does. */
static void sort_disk(struct rows *disk)
{
    struct row **all = NULL, *row;
    size_t count = 0, capacity = 0;

    while ((row = TAILQ_FIRST(disk)) != NULL) {
        TAILQ_REMOVE(disk, row, link);
        mem_grow(all, count, capacity);
        all[count++] = row;
    }
    if (count > 0)
        qsort(all, count, sizeof(struct row *), compare_rows);
    for (size_t i = 0; i < count; i++)
        TAILQ_INSERT_TAIL(disk, all[i], link);
    free(all);
}

static void start(struct world *world, void *actor, void *data)
{
    struct sim_rm *rm = actor;
    struct master_config config = {
        .version = "sim",
        .scheduler = "fifo",
        .minimum_allocation = resource_of(16, 1),
        .maximum_allocation = resource_of(4096, 8),
        .heartbeat_interval_ms = 1000,
        .node_expiry_ms = 10000,
        .user_metrics = true,
        .untracked_ms = 20000,
        .am_expiry_ms = 15000,
        .container_expiry_ms = 20000,
        .am_memory_mb = 64,
        .max_attempts = 100,
        .avoid_failed_nodes = true,
        .failed_nodes_share = 0.8,
        .max_completed_apps = 1000,
        .max_completed_containers = 3,
        .max_tasks = 1000,
        .am_reply_bytes = world->plan.am_reply_bytes,
        .evict_notice_ms = 3000,
        .admin_users = "*",
        .proxy_users = "root",
        .assign_on_demand = world->seed % 2 == 0,
        .sign = sign,
        .token_keys = token_keys,
    };
    struct err err;

    (void)data;
    if (world->plan.queues != WORLD_FIFO) {
        if (sim_queues_new(world->plan.queues, world->seed, rm->file, &rm->queues, &err) < 0) {
            world_fail(world, "rm: %s", err.text);
            return;
        }
        config.sched = sim_queues_config(rm->queues);
        config.scheduler = config.sched->policy;
    }
    if (master_new(&config, WORLD_EPOCH_MS, rm->epoch++, world->now_ms, &rm->master, &err) < 0) {
        world_fail(world, "rm: %s", err.text);
        return;
    }
    sim_queues_audit(rm->queues, master_sched(rm->master));
    rm->life = ++rm->lives;
    rm->timer_ms = INT64_MAX;
    rm->commit_scheduled = false;
    world_note(world, "the RM starts, epoch %u", rm->epoch - 1);
    sort_disk(&rm->disk);
    recover(rm);
    carry_out(rm);
    if (rm->master && sim_rm_check_apps(rm, false, &err) < 0)
        world_fail(world, "after a restart of the RM: %s", err.text);
}

/* Returns a checksum of the settings of all queues. */
static uint64_t sum_queues(const struct sched *sched)
{
    const struct sched_queue *at = NULL;
    struct sched_queue_figures queue;
    uint64_t sum = 0;

    while (sched_queue_next(sched, &at, &queue)) {
        sum = sum * 31 + (uint64_t)(queue.weight * 1000) + strlen(queue.path);
        sum = sum * 31 + (uint64_t)(queue.preemption ? 1 : 2) + (uint64_t)queue.policy[1];
        for (int t = 0; t < 2; t++)
            sum = sum * 31 + (uint64_t)(queue.minimum.value[t] * 7 + queue.maximum.value[t]);
    }
    return sum;
}

/* Checks that a valid file is in force completely, and that a broken file changed nothing. */
static void check_reloaded(struct sim_rm *rm, unsigned file, uint64_t before, bool taken)
{
    double weight = sim_queues_file_weight(file);
    struct sched_queue_figures queue = { .weight = -1 };

    sched_queue_find_figures(master_sched(rm->master), "root.a", &queue);
    if (taken != (weight > 0))
        world_fail(rm->world, "the RM %s allocation file %u", taken ? "accepts" : "refuses", file);
    else if (!taken && sum_queues(master_sched(rm->master)) != before)
        world_fail(rm->world, "allocation file %u was refused, and changed something", file);
    else if (taken && (queue.weight > (float)weight || queue.weight < (float)weight))
        world_fail(rm->world, "allocation file %u is in force, and root.a weighs %g", file,
                   (double)queue.weight);
}

void sim_rm_reload(struct sim_rm *rm, unsigned file)
{
    const struct master_reload reload = { .user = "the allocation file" };
    bool good = sim_queues_file_weight(file) > 0;
    struct sched_config config;
    uint64_t before;
    struct err err;
    int r;

    rm->file = good ? file : rm->file;
    if (rm->master == NULL)
        return; /* the RM reads the file when it starts */
    world_note(rm->world, "allocation file %u", file);
    master_on_timer(rm->master, rm->world->now_ms, &rm->effects); /* may remove empty queues */
    before = sum_queues(master_sched(rm->master));
    r = sim_queues_read(rm->queues, file, &config, &err);
    r = master_reload(rm->master, rm->world->now_ms, &reload, r == 0 ? &config : NULL,
                      &(struct master_remarks){ .warning_count = 0 }, &err, &rm->effects);
    check_reloaded(rm, file, before, r == 0);
    carry_out(rm);
}

void sim_rm_crash(struct sim_rm *rm)
{
    world_note(rm->world, "the RM is killed");
    master_free(rm->master);
    rm->master = NULL;
    sim_queues_free(rm->queues);
    rm->queues = NULL;
    rm->life = 0;
    rm->connection_count = 0;
    master_effects_reset(&rm->effects);
    rows_clear(&rm->pending);
    world_after(rm->world, rng_between(&rm->world->rng, 100, 8000), start, rm, NULL);
}

struct sim_rm *sim_rm_new(struct world *world)
{
    struct sim_rm *rm = mem_new0(struct sim_rm);

    rm->world = world;
    TAILQ_INIT(&rm->disk);
    TAILQ_INIT(&rm->pending);
    master_effects_init(&rm->effects);
    world_after(world, rng_between(&world->rng, 0, 3000), start, rm, NULL);
    return rm;
}

void sim_rm_free(struct sim_rm *rm)
{
    master_free(rm->master);
    sim_queues_free(rm->queues);
    master_effects_done(&rm->effects);
    rows_clear(&rm->disk);
    rows_clear(&rm->pending);
    free(rm->connections);
    free(rm);
}

uint64_t sim_rm_life(const struct sim_rm *rm)
{
    return rm->life;
}

/* --- messages -------------------------------------------------------------- */

static uint64_t connection_of(struct sim_rm *rm, struct sim_sender from, enum master_channel channel)
{
    for (size_t i = 0; i < rm->connection_count; i++)
        if (rm->connections[i].peer.actor == from.actor && rm->connections[i].peer.life == from.life)
            return i + 1;
    mem_grow(rm->connections, rm->connection_count, rm->connection_capacity);
    rm->connections[rm->connection_count] = (struct connection){ from, channel };
    return ++rm->connection_count;
}

void sim_rm_receive(struct sim_rm *rm, struct sim_sender from, const Creel__Envelope *envelope)
{
    static const enum master_channel channels[] = {
        [SIM_NODE] = MASTER_AGENT,
        [SIM_AM] = MASTER_AM,
        [SIM_CLIENT] = MASTER_CLIENT,
        [SIM_ADMIN] = MASTER_ADMIN,
    };
    struct master_peer peer = {
        .channel = channels[from.kind],
        .connection = connection_of(rm, from, channels[from.kind]),
        .principal = from.kind == SIM_NODE ? sim_node_address(from.actor)
                     : from.kind == SIM_AM ? sim_am_attempt(from.actor)
                                           : "ann",
    };

    master_on_message(rm->master, rm->world->now_ms, &peer, envelope, &rm->effects);
    carry_out(rm);
}

/* --- queries --------------------------------------------------------------- */

struct app_check {
    struct sim_rm *rm;
    bool at_rest;
    struct err *err;
    int result;
};

static bool is_over(Creel__AppState state)
{
    return state == CREEL__APP_STATE__APP_FINISHED || state == CREEL__APP_STATE__APP_FAILED ||
           state == CREEL__APP_STATE__APP_KILLED;
}

static bool check_app(void *context, const char *app_id)
{
    struct app_check *check = context;
    struct sim_rm *rm = check->rm;
    struct master_peer peer = { MASTER_CLIENT, ASKING_CONNECTION, "ann", NULL };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__ListApps list = CREEL__LIST_APPS__INIT;
    struct master_effects effects;
    const Creel__Envelope *reply = NULL;

    master_effects_init(&effects);
    list.app_id = (char *)(uintptr_t)app_id;
    envelope.version = WIRE_VERSION;
    envelope.request_id = 1;
    envelope.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    envelope.list_apps = &list;
    master_on_message(rm->master, rm->world->now_ms, &peer, &envelope, &effects);
    for (size_t i = 0; i < effects.count; i++)
        if (effects.items[i].kind == MASTER_SEND && effects.items[i].connection == ASKING_CONNECTION)
            reply = effects.items[i].envelope;
    if (reply == NULL || reply->body_case != CREEL__ENVELOPE__BODY_APP_LIST || reply->app_list->n_apps != 1)
        check->result = err_set(check->err, EINVAL, "%s was accepted, and the RM does not know it", app_id);
    else if (check->at_rest && !is_over(reply->app_list->apps[0]->state))
        check->result = err_set(check->err, EINVAL, "%s is not over: state %d, %s %s", app_id,
                                reply->app_list->apps[0]->state, reply->app_list->apps[0]->reason_code,
                                reply->app_list->apps[0]->reason);
    master_effects_done(&effects);
    return check->result == 0;
}

int sim_rm_check_apps(struct sim_rm *rm, bool at_rest, struct err *err)
{
    struct app_check check = { rm, at_rest, err, 0 };

    if (rm->master == NULL)
        return at_rest ? err_set(err, EINVAL, "the RM is down") : 0;
    ledger_each_accepted(rm->world->ledger, check_app, &check);
    return check.result;
}

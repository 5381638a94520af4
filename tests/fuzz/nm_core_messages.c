/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nm_core_messages.c - fuzz target: well-formed messages of the resource manager and of AMs to the agent's
 * core, with events of a runtime that the target plays, time that passes, and restarts
 *
 * After each step the agent's invariants are checked, and each message that the core sent must be one that
 * the wire carries. No container may start without a record on disk, or be cleaned up while it runs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "tests/fuzz/made_message.h"
#include "tests/unit/agent/agent_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MAX = 100, DUE_MAX = 1024, BOXES_MAX = 256, TIMERS_MAX = 2000, AM_CONNECTION = 77 };

/* A container on the played host: its record on disk, and its process. */
struct box {
    char id[MADE_TEXT_ROOM];
    uint8_t *record; /* owned */
    size_t record_size;
    bool started, running, reported, acked;
    int64_t started_ms;
};

enum due_kind { DUE_SAVED, DUE_FETCHED, DUE_LAUNCHED, DUE_RUNNING, DUE_EXITED };

/* The result of an effect, not reported yet. */
struct due {
    enum due_kind kind;
    char id[MADE_TEXT_ROOM];
    uint8_t hash[32];
};

struct run {
    struct fixture f;
    struct made_bytes bytes;
    struct made_pool pool;
    struct arena *arena; /* of one step */
    struct box boxes[BOXES_MAX];
    struct due due[DUE_MAX];
    size_t box_count, due_count;
    uint64_t last_request, session;
    bool shut_down;
};

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* --- the played host ------------------------------------------------------------------ */

static struct box *find_box(struct run *run, const char *id)
{
    for (size_t i = 0; i < run->box_count; i++)
        if (id != NULL && strcmp(run->boxes[i].id, id) == 0)
            return &run->boxes[i];
    return NULL;
}

static void drop_box(struct run *run, struct box *box)
{
    free(box->record);
    *box = run->boxes[--run->box_count];
}

static void add_due(struct run *run, enum due_kind kind, const char *id, const uint8_t *hash)
{
    struct due *due;

    require(run->due_count < DUE_MAX, "more results are due than this target has room for");
    due = &run->due[run->due_count++];
    *due = (struct due){ .kind = kind };
    if (id != NULL)
        snprintf(due->id, sizeof(due->id), "%s", id);
    if (hash != NULL)
        memcpy(due->hash, hash, sizeof(due->hash));
}

static void save(struct run *run, const struct agent_effect *effect)
{
    struct box *box = find_box(run, effect->container_id);

    if (box == NULL) {
        require(run->box_count < BOXES_MAX, "more containers than this target has room for");
        box = &run->boxes[run->box_count++];
        *box = (struct box){ .started = false };
        snprintf(box->id, sizeof(box->id), "%s", effect->container_id);
    }
    free(box->record);
    box->record = mem_dup(effect->data, effect->size);
    box->record_size = effect->size;
    add_due(run, DUE_SAVED, effect->container_id, NULL);
}

static void launch(struct run *run, const char *id)
{
    const struct box *box = find_box(run, id);

    require(box != NULL, "a container is launched, and was not saved before");
    require(!box->started, "a container is launched twice");
    add_due(run, DUE_LAUNCHED, id, NULL);
}

static void clean_up_app(struct run *run, const char *app)
{
    const char *numbers = strchr(app, '_');

    for (size_t i = run->box_count; i-- > 0;) {
        const char *at = strstr(run->boxes[i].id, numbers);

        if (at == NULL || at[strlen(numbers)] != '_')
            continue;
        require(!run->boxes[i].running, "an application is cleaned up while it runs");
        drop_box(run, &run->boxes[i]);
    }
}

static void check_sent(struct run *run, Creel__Envelope *envelope)
{
    made_check_packs(envelope);
    made_learn(&run->pool, &envelope->base);
}

static void carry_out(struct run *run, struct agent_effect effect)
{
    struct box *box = find_box(run, effect.container_id);

    switch (effect.kind) {
    case AGENT_SEND:
        check_sent(run, effect.envelope);
        run->last_request = effect.envelope->request_id;
        break;
    case AGENT_REPLY:
        check_sent(run, effect.envelope);
        break;
    case AGENT_SAVE:
        save(run, &effect);
        break;
    case AGENT_FETCH:
        add_due(run, DUE_FETCHED, NULL, effect.data);
        break;
    case AGENT_LAUNCH:
        launch(run, effect.launch->container_id);
        break;
    case AGENT_RESIZE:
        agent_on_resized(run->f.agent, run->f.now, effect.resize, made_below(&run->bytes, 4) == 3 ? -EIO : 0,
                         "no reason", &run->f.effects);
        break;
    case AGENT_CLEANUP:
        require(box == NULL || !box->running, "a container is cleaned up while it runs");
        break;
    case AGENT_ACKNOWLEDGE:
        if (box != NULL)
            box->acked = true;
        break;
    case AGENT_CLEANUP_APP:
        clean_up_app(run, effect.app_id);
        break;
    case AGENT_SHUTDOWN:
        run->shut_down = true;
        break;
    default:
        break;
    }
}

static void finish_step(struct run *run)
{
    struct err err;

    for (size_t i = 0; i < run->f.effects.count; i++)
        carry_out(run, run->f.effects.items[i]);
    if (agent_check(run->f.agent, &err) < 0) {
        fprintf(stderr, "the state is wrong: %s\n", err.text);
        abort();
    }
    agent_effects_reset(&run->f.effects);
}

/* --- results and events of the runtime ------------------------------------------------- */

static void report_launched(struct run *run, const char *id, int code, const char *why)
{
    struct box *box = find_box(run, id);

    if (box != NULL && code == 0) {
        box->started = box->running = true;
        box->started_ms = run->f.now.wall_ms;
        add_due(run, DUE_RUNNING, id, NULL);
    }
    agent_on_launched(run->f.agent, run->f.now, id, code, why, &run->f.effects);
}

static void report_exited(struct run *run, const char *id)
{
    static const int statuses[] = { 0, 1, 137, 143, 255, -104, 154, -101 };
    struct box *box = find_box(run, id);
    struct container_end end = { .exit_status = statuses[made_below(&run->bytes, 8)] };

    if (box == NULL || box->reported)
        return;
    box->running = false;
    box->reported = true;
    end.started_ms = box->started_ms;
    end.finished_ms = run->f.now.wall_ms;
    end.totals.memory_peak_bytes = (uint64_t)made_byte(&run->bytes) << 55;
    end.totals.cpu_time_us = (uint64_t)made_byte(&run->bytes) << 56;
    if (made_below(&run->bytes, 2) != 0)
        snprintf(end.diagnostics, sizeof(end.diagnostics), "it \x01 ended");
    agent_on_exited(run->f.agent, run->f.now, id, &end, &run->f.effects);
}

/* Reports the oldest result of a container that the bytes choose. */
static void report_due(struct run *run)
{
    static const int codes[] = { 0, 0, 0, 0, 0, 0, -ENOSPC, -EACCES, -EAGAIN };
    int code = codes[made_below(&run->bytes, sizeof(codes) / sizeof(codes[0]))];
    const char *why = code != 0 ? "no space left" : NULL;
    size_t i = 0, choice;
    struct due due;

    if (run->due_count == 0)
        return;
    choice = made_byte(&run->bytes) % run->due_count;
    while (strcmp(run->due[i].id, run->due[choice].id) != 0)
        i++;
    due = run->due[i];
    memmove(&run->due[i], &run->due[i + 1], (--run->due_count - i) * sizeof(due));
    if (due.kind == DUE_SAVED)
        agent_on_saved(run->f.agent, run->f.now, due.id, code, why, &run->f.effects);
    else if (due.kind == DUE_FETCHED)
        agent_on_fetched(run->f.agent, run->f.now, due.hash, code, why, &run->f.effects);
    else if (due.kind == DUE_LAUNCHED)
        report_launched(run, due.id, code, why);
    else if (due.kind == DUE_RUNNING && find_box(run, due.id) != NULL && find_box(run, due.id)->running)
        agent_on_running(run->f.agent, run->f.now, due.id, run->f.now.wall_ms, &run->f.effects);
    else if (due.kind == DUE_EXITED)
        report_exited(run, due.id);
}

static void report_figures(struct run *run, const char *id)
{
    struct agent_figures figures = {
        .memory_bytes = (uint64_t)made_byte(&run->bytes) << 56,
        .totals.memory_peak_bytes = (uint64_t)made_byte(&run->bytes) << 56,
        .totals.cpu_time_us = (uint64_t)made_byte(&run->bytes) << 40,
        .pids = made_byte(&run->bytes),
    };

    agent_on_figures(run->f.agent, run->f.now, id, &figures);
}

/* Something happens to a container that runs. */
static void step_container(struct run *run)
{
    unsigned choice = made_below(&run->bytes, 8);
    const struct box *box;

    if (run->box_count == 0)
        return;
    box = &run->boxes[made_byte(&run->bytes) % run->box_count];
    if (!box->running)
        return;
    if (choice < 4)
        report_exited(run, box->id);
    else if (choice < 6)
        report_figures(run, box->id);
    else if (choice == 6)
        agent_on_over_limit(run->f.agent, run->f.now, box->id, -104, "too much memory", &run->f.effects);
    else
        agent_on_stuck(run->f.agent, run->f.now, box->id, "process 7", &run->f.effects);
}

static void step_host(struct run *run)
{
    unsigned choice = made_below(&run->bytes, 4);
    struct agent_use use = { .memory_bytes = (uint64_t)made_byte(&run->bytes) << 56 };

    if (choice == 0)
        agent_on_http_address(run->f.agent, run->f.now, "n1:8042", &run->f.effects);
    else if (choice == 1)
        agent_on_unsent(run->f.agent, run->f.now);
    else if (choice == 2 && run->pool.application_count > 0)
        agent_on_logs(run->f.agent, run->pool.applications[0],
                      made_below(&run->bytes, 2) != 0 ? CREEL__LOG_AGGREGATION__LOGS_SUCCEEDED
                                                      : CREEL__LOG_AGGREGATION__LOGS_FAILED);
    else
        agent_on_health(run->f.agent, run->f.now, made_below(&run->bytes, 2) != 0, "a disk is full", &use,
                        &run->f.effects);
}

/* --- messages --------------------------------------------------------------------------- */

static Creel__Envelope *make(struct run *run, Creel__Envelope__BodyCase body)
{
    run->pool.now_ms = run->f.now.wall_ms;
    return made_envelope(&run->bytes, &run->pool, run->arena, body);
}

static void mend_grant(struct run *run, Creel__ContainerGrant *grant)
{
    static char node[] = NODE;
    Creel__Resource *resource = arena_new0(run->arena, Creel__Resource);

    if (grant == NULL)
        return;
    creel__resource__init(resource);
    resource->memory_mb = 64 * made_below(&run->bytes, 32);
    resource->vcores = 1;
    grant->resource = resource;
    grant->node_id = node;
    grant->session = 0;
    grant->expires_ms = run->f.now.wall_ms + 600000;
}

static void mend_orders(struct run *run, Creel__NodeOrders *orders)
{
    if (orders == NULL)
        return;
    orders->session = run->session;
    for (size_t i = 0; i < orders->n_start; i++)
        mend_grant(run, orders->start[i]->grant);
}

/* Changes a message of the resource manager so that it answers the last one of the agent. */
static void mend_message(struct run *run, Creel__Envelope *envelope)
{
    Creel__RegisterNodeReply *reply = envelope->register_node_reply;

    envelope->request_id = run->last_request;
    if (envelope->body_case == CREEL__ENVELOPE__BODY_NODE_ORDERS) {
        envelope->request_id = 0;
        mend_orders(run, envelope->node_orders);
    } else if (envelope->body_case == CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY) {
        mend_orders(run, envelope->heartbeat_reply->orders);
        if (made_below(&run->bytes, 8) != 7)
            envelope->heartbeat_reply->action = CREEL__NODE_ACTION__NODE_NORMAL;
    } else if (envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY) {
        reply->protocol_oldest = reply->protocol_newest = 0;
        reply->history = reply->accepted = NULL;
        run->session = reply->session;
        if (made_below(&run->bytes, 8) != 7)
            reply->action = CREEL__NODE_ACTION__NODE_NORMAL;
    }
}

static void step_rm(struct run *run)
{
    static const Creel__Envelope__BodyCase bodies[] = {
        CREEL__ENVELOPE__BODY_NODE_ORDERS,
        CREEL__ENVELOPE__BODY_NODE_ORDERS,
        CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY,
        CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY,
        CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY,
        CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY,
        CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS_REPLY,
        CREEL__ENVELOPE__BODY_ERROR,
    };
    unsigned choice = made_byte(&run->bytes);
    Creel__Envelope *envelope = make(run, bodies[choice % 8]), *arrived;

    if (choice < 224)
        mend_message(run, envelope);
    arrived = made_arrival(envelope, run->arena);
    if (arrived == NULL)
        return;
    made_learn(&run->pool, &arrived->base);
    agent_on_message(run->f.agent, run->f.now, arrived, &run->f.effects);
    wire_free(arrived);
}

/* Returns a grant as it arrives in a token; NULL: the wire refuses it. The caller frees it. */
static Creel__ContainerGrant *arrived_grant(struct run *run)
{
    ProtobufCMessage *made =
        made_message(&run->bytes, &run->pool, run->arena, &creel__container_grant__descriptor);
    ProtobufCMessage *arrived;
    uint8_t *packed;
    size_t size;
    struct err err;

    if (made_below(&run->bytes, 8) != 7)
        mend_grant(run, (Creel__ContainerGrant *)made);
    size = protobuf_c_message_get_packed_size(made);
    packed = arena_alloc0(run->arena, size + 1);
    protobuf_c_message_pack(made, packed);
    if (wire_unpack(made->descriptor, packed, size, &arrived, &err) < 0)
        return NULL;
    made_learn(&run->pool, arrived);
    return (Creel__ContainerGrant *)arrived;
}

static void step_start(struct run *run)
{
    Creel__Envelope *arrived = made_arrival(make(run, CREEL__ENVELOPE__BODY_START_CONTAINERS), run->arena);
    struct agent_start_request requests[8] = { { .grant = NULL } };
    Creel__ContainerGrant *grants[8] = { NULL };
    size_t count;

    if (arrived == NULL)
        return;
    count = arrived->start_containers->n_containers < 8 ? arrived->start_containers->n_containers : 8;
    for (size_t i = 0; i < count; i++) {
        requests[i].grant = grants[i] = arrived_grant(run);
        requests[i].launch = arrived->start_containers->containers[i]->launch;
        requests[i].refusal = CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
        requests[i].refusal_text = "the token is not valid";
    }
    agent_on_start(run->f.agent, run->f.now, AM_CONNECTION, 1, requests, count, &run->f.effects);
    for (size_t i = 0; i < count; i++)
        creel__container_grant__free_unpacked(grants[i], NULL);
    wire_free(arrived);
}

static void step_stop(struct run *run)
{
    Creel__ContainerGrant *grant = arrived_grant(run);
    const Creel__ContainerGrant *grants[] = { grant };

    if (grant == NULL)
        return;
    agent_on_stop(run->f.agent, run->f.now, AM_CONNECTION, 2, grants, 1, &run->f.effects);
    creel__container_grant__free_unpacked(grant, NULL);
}

/* --- the run ------------------------------------------------------------------------------ */

static void step_time(struct run *run)
{
    int64_t left_ms = made_wait_ms(&run->bytes);

    if (made_below(&run->bytes, 8) == 7)
        run->f.now.wall_ms += made_wait_ms(&run->bytes) - made_wait_ms(&run->bytes);
    for (int i = 0; i < TIMERS_MAX; i++) {
        int64_t next_ms = agent_next_deadline_ms(run->f.agent);
        int64_t wait_ms = next_ms > run->f.now.steady_ms ? next_ms - run->f.now.steady_ms : 0;

        if (wait_ms > left_ms)
            break;
        run->f.now.wall_ms += wait_ms;
        run->f.now.steady_ms += wait_ms;
        left_ms -= wait_ms;
        agent_on_timer(run->f.agent, run->f.now, &run->f.effects);
        finish_step(run);
    }
    run->f.now.wall_ms += left_ms;
    run->f.now.steady_ms += left_ms;
}

static enum agent_found_state found_state(const struct box *box)
{
    if (box->acked)
        return AGENT_FOUND_ACKED;
    if (!box->started)
        return AGENT_FOUND_SAVED;
    return box->running ? AGENT_FOUND_RUNNING : AGENT_FOUND_ENDED;
}

static void restart(struct run *run)
{
    run->due_count = 0;
    run->shut_down = false;
    run->session = 0;
    fixture_restart(&run->f, 2048);
    for (size_t i = 0; i < run->box_count; i++) {
        struct box *box = &run->boxes[i];
        enum agent_found_state state = found_state(box);

        box->reported = false;
        agent_found(run->f.agent, run->f.now, box->id, state, box->record, box->record_size, box->started_ms,
                    &run->f.effects);
        if (state == AGENT_FOUND_ENDED)
            add_due(run, DUE_EXITED, box->id, NULL);
    }
    agent_start(run->f.agent, run->f.now, &run->f.effects);
}

static void step(struct run *run)
{
    unsigned choice = made_below(&run->bytes, 64);

    if (choice < 20)
        step_rm(run);
    else if (choice < 28)
        step_start(run);
    else if (choice < 30)
        step_stop(run);
    else if (choice < 48)
        report_due(run);
    else if (choice < 54)
        step_container(run);
    else if (choice < 56)
        step_host(run);
    else if (choice < 63)
        step_time(run);
    else
        restart(run);
    finish_step(run);
    if (run->shut_down) {
        restart(run);
        finish_step(run);
    }
    arena_reset(run->arena);
}

static void begin(struct run *run)
{
    static const char *const ids[] = { CONTAINER(1), CONTAINER(2), CONTAINER(3) };

    fixture_init(&run->f, 2048);
    fixture_register(&run->f, SESSION);
    run->session = SESSION;
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        snprintf(run->pool.containers[run->pool.container_count++], MADE_TEXT_ROOM, "%s", ids[i]);
    snprintf(run->pool.applications[run->pool.application_count++], MADE_TEXT_ROOM, "%s", APP);
    agent_effects_reset(&run->f.effects);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run *run = mem_new0(struct run);

    run->bytes = (struct made_bytes){ data, data + size };
    run->arena = arena_new();
    begin(run);
    for (int i = 0; i < STEPS_MAX && !made_is_over(&run->bytes); i++)
        step(run);
    while (run->box_count > 0)
        drop_box(run, &run->boxes[0]);
    fixture_done(&run->f);
    arena_free(run->arena);
    free(run);
    return 0;
}

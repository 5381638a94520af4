/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm_master_messages.c - fuzz target: well-formed messages of agents, AMs, clients and administrators to the
 * resource manager's core, with time that passes and restarts
 *
 * After each step the accounting is audited (harness_run_effects), and each message that the core sent must
 * be one that the wire carries. A restart must accept all rows that the core has stored.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "tests/fuzz/made_message.h"
#include "tests/unit/master/master_harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MAX = 60, RESTARTS_MAX = 2, NODES = 2, AMS = 2 * MADE_IDS_MAX };
enum { AGENT_CONNECTION = 100, AM_CONNECTION = 200, CLIENT_CONNECTION = 1000 };

struct node_position {
    uint64_t session, seq;
};

struct am_position {
    uint64_t response_id, session;
};

struct run {
    struct harness h;
    struct made_bytes bytes;
    struct made_pool pool;
    struct arena *arena; /* of one step */
    struct node_position nodes[NODES];
    struct am_position ams[AMS];
    int restarts;
    bool capacity;
    struct conf *confs[RESTARTS_MAX + 2]; /* owned; of each start with the capacity scheduler */
    size_t conf_count;
    struct sched_config sched;
};

static const char *const node_ids[NODES] = { "n1:8041", "n2:8041" };

/* --- what the core sends -------------------------------------------------------------- */

static void note_position(struct run *run, uint64_t connection, const Creel__Envelope *envelope)
{
    struct node_position *node = connection < AGENT_CONNECTION + NODES && connection >= AGENT_CONNECTION
                                     ? &run->nodes[connection - AGENT_CONNECTION]
                                     : NULL;
    struct am_position *am = connection < AM_CONNECTION + AMS && connection >= AM_CONNECTION
                                 ? &run->ams[connection - AM_CONNECTION]
                                 : NULL;

    if (node != NULL && envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY)
        *node = (struct node_position){ .session = envelope->register_node_reply->session };
    if (am != NULL && envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY)
        am->response_id = envelope->register_am_reply->response_id;
    if (am != NULL && envelope->body_case == CREEL__ENVELOPE__BODY_ALLOCATE_REPLY)
        am->response_id = envelope->allocate_reply->response_id;
}

static void read_sent(struct run *run)
{
    for (size_t i = 0; i < run->h.sent_count; i++) {
        const struct sent *sent = &run->h.sent[i];

        made_check_packs(sent->envelope);
        made_learn(&run->pool, &sent->envelope->base);
        note_position(run, sent->connection, sent->envelope);
    }
    harness_forget(&run->h);
}

/* Sends ENVELOPE, unless the decoder refuses it. */
static void deliver(struct run *run, const struct master_peer *peer, Creel__Envelope *envelope)
{
    Creel__Envelope *arrived;

    envelope->request_id = ++run->h.next_request;
    arrived = made_arrival(envelope, run->arena);
    if (arrived == NULL)
        return;
    if (arrived->body_case == CREEL__ENVELOPE__BODY_JOIN_NODE)
        master_on_join(run->h.master, run->h.now, peer, arrived, &run->h.effects);
    else
        master_on_message(run->h.master, run->h.now, peer, arrived, &run->h.effects);
    wire_free(arrived);
    harness_run_effects(&run->h);
    read_sent(run);
}

static Creel__Envelope *make(struct run *run, Creel__Envelope__BodyCase body)
{
    run->pool.now_ms = run->h.now;
    return made_envelope(&run->bytes, &run->pool, run->arena, body);
}

/* --- agents ----------------------------------------------------------------------------- */

static Creel__Resource *resource(struct run *run, int64_t memory_mb, int64_t vcores)
{
    Creel__Resource *made = arena_new0(run->arena, Creel__Resource);

    creel__resource__init(made);
    made->memory_mb = memory_mb;
    made->vcores = vcores;
    return made;
}

static void follow_node(struct run *run, unsigned n, Creel__Envelope *envelope)
{
    struct node_position *node = &run->nodes[n];
    char *id = arena_strdup(run->arena, node_ids[n]);

    if (envelope->body_case == CREEL__ENVELOPE__BODY_HEARTBEAT) {
        envelope->heartbeat->node_id = id;
        envelope->heartbeat->session = node->session;
        envelope->heartbeat->seq = ++node->seq;
    } else if (envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_NODE) {
        envelope->register_node->node_id = id;
        envelope->register_node->address = id;
        envelope->register_node->total = resource(run, 4096, 4);
        envelope->register_node->protocol_oldest = envelope->register_node->protocol_newest = 0;
        envelope->register_node->incarnation %= 4;
        envelope->register_node->history = NULL;
    } else if (envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS) {
        envelope->register_containers->node_id = id;
        envelope->register_containers->incarnation %= 4;
    }
}

static void step_agent(struct run *run)
{
    static const Creel__Envelope__BodyCase bodies[] = {
        CREEL__ENVELOPE__BODY_HEARTBEAT,           CREEL__ENVELOPE__BODY_HEARTBEAT,
        CREEL__ENVELOPE__BODY_HEARTBEAT,           CREEL__ENVELOPE__BODY_HEARTBEAT,
        CREEL__ENVELOPE__BODY_REGISTER_NODE,       CREEL__ENVELOPE__BODY_REGISTER_NODE,
        CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS, CREEL__ENVELOPE__BODY_FIND_KEYS,
    };
    unsigned choice = made_byte(&run->bytes), n = choice / 8 % NODES;
    char *principal = arena_printf(run->arena, "agent-%s", node_ids[n]);
    struct master_peer peer = { MASTER_AGENT, AGENT_CONNECTION + n, principal, NULL };
    Creel__Envelope *envelope = make(run, bodies[choice % 8]);

    if (choice < 224)
        follow_node(run, n, envelope);
    deliver(run, &peer, envelope);
}

/* --- application masters ------------------------------------------------------------------ */

static void follow_am(const struct am_position *am, Creel__Envelope *envelope)
{
    if (envelope->body_case == CREEL__ENVELOPE__BODY_ALLOCATE) {
        envelope->allocate->response_id = am->response_id;
        envelope->allocate->session = am->session;
    } else if (envelope->body_case == CREEL__ENVELOPE__BODY_FINISH_AM) {
        envelope->finish_am->session = am->session;
    } else if (envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_AM) {
        envelope->register_am->session = am->session;
    }
}

static void step_am(struct run *run)
{
    static const Creel__Envelope__BodyCase bodies[] = {
        CREEL__ENVELOPE__BODY_REGISTER_AM, CREEL__ENVELOPE__BODY_REGISTER_AM, CREEL__ENVELOPE__BODY_ALLOCATE,
        CREEL__ENVELOPE__BODY_ALLOCATE,    CREEL__ENVELOPE__BODY_ALLOCATE,    CREEL__ENVELOPE__BODY_ALLOCATE,
        CREEL__ENVELOPE__BODY_ALLOCATE,    CREEL__ENVELOPE__BODY_FINISH_AM,
    };
    size_t count = run->pool.application_count;
    size_t known = count < MADE_IDS_MAX ? count : MADE_IDS_MAX;
    unsigned choice = made_byte(&run->bytes), attempt = choice / 8 % 2;
    size_t app = made_byte(&run->bytes);
    struct master_peer peer = { .channel = MASTER_AM };
    Creel__Envelope *envelope;

    if (known == 0)
        return;
    app %= known;
    peer.connection = AM_CONNECTION + 2 * app + attempt;
    peer.principal =
        arena_printf(run->arena, "appattempt%s_%06u", strchr(run->pool.applications[app], '_'), attempt + 1);
    envelope = make(run, bodies[choice % 8]);
    if (choice < 224)
        follow_am(&run->ams[2 * app + attempt], envelope);
    deliver(run, &peer, envelope);
}

/* --- users ----------------------------------------------------------------------------------- */

/* Changes a job so that it may be accepted. */
static void mend_job(struct run *run, Creel__JobSpec *job)
{
    Creel__JobSpec *valid = job_of(CREEL__APP_KIND__APP_COMMAND, 128, 2);

    if (job == NULL)
        return;
    job->launch = valid->launch;
    job->resource = resource(run, 128, 1);
    job->am_resource = NULL;
    job->queue = job->label = job->depends_on = valid->queue;
    if (job->task_count == 0)
        job->task_count = 2;
}

static void mend_request(struct run *run, Creel__Envelope *envelope)
{
    envelope->as_user = job_of(CREEL__APP_KIND__APP_COMMAND, 128, 1)->queue; /* "" */
    if (envelope->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP) {
        envelope->submit_app->app_id = envelope->as_user;
        mend_job(run, envelope->submit_app->job);
    }
    if (envelope->body_case == CREEL__ENVELOPE__BODY_TEST_APP)
        mend_job(run, envelope->test_app->job);
}

static bool is_of_files(uint32_t body)
{
    return body == CREEL__ENVELOPE__BODY_HAVE_BLOBS || body == CREEL__ENVELOPE__BODY_PUT_BLOB;
}

/* Returns the body of the CHOICE-th message between clients and resource manager. */
static Creel__Envelope__BodyCase request_body(unsigned choice)
{
    const ProtobufCMessageDescriptor *type = &creel__envelope__descriptor;
    unsigned first = 0;

    while (type->fields[first].id < CREEL__ENVELOPE__BODY_SUBMIT_APP)
        first++;
    first += choice % (type->n_fields - first);
    if (is_of_files(type->fields[first].id))
        return CREEL__ENVELOPE__BODY_SUBMIT_APP;
    return (Creel__Envelope__BodyCase)type->fields[first].id;
}

static void step_user(struct run *run, enum master_channel channel)
{
    static const char *const users[] = { "ann", "bob", "gate", "admin" };
    unsigned choice = made_byte(&run->bytes), user = made_byte(&run->bytes);
    struct master_peer peer = { channel, CLIENT_CONNECTION + user % 4, users[user % 4], NULL };
    Creel__Envelope *envelope;

    if (channel == MASTER_ADMIN)
        peer.principal = "admin";
    envelope = make(run, choice >= 200 ? CREEL__ENVELOPE__BODY_SUBMIT_APP : request_body(choice));
    if (user < 224)
        mend_request(run, envelope);
    if (envelope->body_case == CREEL__ENVELOPE__BODY_JOIN_NODE)
        peer.principal = master_join_token(run->h.master, envelope->join_node->public_key);
    if (peer.principal != NULL)
        deliver(run, &peer, envelope);
}

/* --- the run ------------------------------------------------------------------------------------ */

/* Makes the configuration of the capacity scheduler for the next start, which takes its parts. */
static void configure_capacity(struct run *run)
{
    static const char *const settings[][2] = {
        { "yarn.scheduler.capacity.root.queues", "default,prod" },
        { "yarn.scheduler.capacity.root.default.capacity", "40" },
        { "yarn.scheduler.capacity.root.prod.capacity", "60" },
        { "yarn.scheduler.capacity.root.prod.maximum-applications", "3" },
    };

    if (!run->capacity)
        return;
    run->confs[run->conf_count] = conf_of(settings, sizeof(settings) / sizeof(settings[0]));
    run->sched = capacity_of(run->confs[run->conf_count++]);
    run->h.config.sched = &run->sched;
}

static void restart(struct run *run)
{
    if (run->restarts++ >= RESTARTS_MAX)
        return;
    run->h.now++;
    configure_capacity(run);
    harness_restart(&run->h);
    read_sent(run);
    memset(run->nodes, 0, sizeof(run->nodes));
    memset(run->ams, 0, sizeof(run->ams));
}

/* The shell reports something. */
static void step_shell(struct run *run)
{
    unsigned choice = made_below(&run->bytes, 8);

    if (choice == 0)
        master_keys_changed(run->h.master);
    else if (choice == 1)
        master_set_wall_ahead(run->h.master, made_wait_ms(&run->bytes) - made_wait_ms(&run->bytes));
    else if (choice == 2)
        master_set_access(run->h.master, "admin", "gate", made_below(&run->bytes, 2) != 0);
    else
        harness_commit(&run->h);
}

/* Answers a request to read the lists of hosts: one of the nodes is excluded, or none. */
static void reload_hosts(struct run *run)
{
    unsigned choice = made_below(&run->bytes, 4);
    struct master_host excluded = { .name = choice < NODES ? node_ids[choice] : "n9" };
    struct master_hosts hosts = { .exclude = &excluded, .exclude_count = 1, .timeout_ms = 5000 };
    struct master_reload asked = run->h.host_reload;

    run->h.host_reloads = 0;
    asked.principal = asked.user;
    master_reload_hosts(run->h.master, run->h.now, &asked, &hosts, NULL, NULL, &run->h.effects);
    harness_run_effects(&run->h);
}

static void step(struct run *run)
{
    unsigned choice = made_below(&run->bytes, 32);

    if (choice < 9)
        step_agent(run);
    else if (choice < 16)
        step_am(run);
    else if (choice < 23)
        step_user(run, MASTER_CLIENT);
    else if (choice < 26)
        step_user(run, MASTER_ADMIN);
    else if (choice < 29)
        harness_tick(&run->h, made_wait_ms(&run->bytes));
    else if (choice == 29)
        run->h.hold_store = !run->h.hold_store;
    else if (choice == 30)
        step_shell(run);
    else
        restart(run);
    if (run->h.host_reloads > 0)
        reload_hosts(run);
    read_sent(run);
    arena_reset(run->arena);
}

/* Two nodes, one of them registered, and an application of each kind. */
static void begin(struct run *run)
{
    static const Creel__AppKind kinds[] = { CREEL__APP_KIND__APP_MASTER, CREEL__APP_KIND__APP_TASKS,
                                            CREEL__APP_KIND__APP_COMMAND };
    struct fake_agent agent;
    char app[80], key[16];
    unsigned options = made_byte(&run->bytes);

    harness_init(&run->h);
    run->h.config.acl_enable = (options & 1) != 0;
    run->h.config.log_aggregation = (options & 2) != 0;
    run->h.config.log_timeout_ms = 10000;
    run->h.config.stop_after_ms = (options & 4) != 0 ? 5000 : 0;
    if ((options & 8) != 0)
        run->h.config.user_limits = (struct master_user_limits){ 10, 100000, 1 << 20, 100 };
    run->h.config.user_metrics = (options & 16) != 0;
    run->h.config.am_reply_bytes = (options & 32) != 0 ? 300 : 0;
    run->capacity = (options & 64) != 0;
    configure_capacity(run);
    harness_start(&run->h);
    agent_init(&agent, node_ids[0], 4096, 4);
    agent.connection = AGENT_CONNECTION;
    agent_register(&run->h, &agent);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        snprintf(key, sizeof(key), "key-%zu", i);
        people_submit(&run->h, job_of(kinds[i], 256, 2), key, app, NULL);
    }
    agent_heartbeat(&run->h, &agent);
    agent_heartbeat(&run->h, &agent);
    read_sent(run);
    run->nodes[0] = (struct node_position){ agent.session, agent.seq };
    agent_done(&agent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run *run = mem_new0(struct run);

    run->bytes = (struct made_bytes){ data, data + size };
    run->arena = arena_new();
    begin(run);
    for (int i = 0; i < STEPS_MAX && !made_is_over(&run->bytes); i++)
        step(run);
    run->h.hold_store = false;
    harness_commit(&run->h);
    read_sent(run);
    run->restarts = RESTARTS_MAX - 1;
    restart(run);
    harness_done(&run->h);
    while (run->conf_count > 0)
        conf_free(run->confs[--run->conf_count]);
    arena_free(run->arena);
    free(run);
    return 0;
}

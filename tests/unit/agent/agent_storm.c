/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_storm.c - test: random events, lost messages and crashes against the agent's core
 *
 * A small RM, an AM and a runtime are simulated around the core, all from one random seed. The test checks
 * the core's state after each event. The runtime fails the test when a container is launched twice, or when
 * more is running than the node has. In the end no more messages are lost; then the RM must know every exit.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/rng.h"
#include "nm-agent/core/agent.h"

#define COUNT 24 /* number of containers, three per application */
#define TOTAL_MB 1000
#define NODE "n1:8041"
#define SEEDS 300
#define STEPS 600

enum life { UNKNOWN, SAVED, RUNNING, EXITED, ACKED, CLEANED };

struct thing { /* state of one container on disk, in the kernel and at the RM */
    char id[ID_TEXT_MAX], app[ID_TEXT_MAX];
    int64_t memory_mb;
    enum life life;   /* state on disk and in the kernel */
    bool launched;    /* was launched at least once */
    int saves;        /* number of saves of the current record */
    bool disk_failed; /* a save failed once; a new agent does not know that the container ended
                         before its start */
    bool stopping;
    bool wanted_stop, app_over;
    bool rm_complete; /* the RM knows that the container has ended */
    bool rm_cleaned;  /* the agent confirmed the cleanup of its application */
    int exit_status;
    uint8_t *record;
    size_t record_size;
};

/* An operation that the daemon has not finished for the core; lost when the agent crashes. */
struct owed {
    enum { OWE_SAVED, OWE_FETCHED, OWE_LAUNCHED, OWE_RUNNING } kind;
    int thing;
    uint8_t hash[32];
};

struct storm {
    struct rng rng;
    uint64_t seed;
    struct agent *agent;
    struct agent_effects effects;
    struct agent_time now;
    struct thing things[COUNT];
    struct owed owed[4096];
    size_t owed_count;
    uint64_t session, acked_seq;
    uint64_t incarnation;
    bool calm; /* no more losses */
};

static int find(const struct storm *storm, const char *id)
{
    for (int i = 0; i < COUNT; i++) {
        if (strcmp(storm->things[i].id, id) == 0)
            return i;
    }
    fail_msg("seed %llu: container %s was never granted", (unsigned long long)storm->seed, id);
    return -1;
}

static void owe(struct storm *storm, struct owed owed)
{
    assert_true(storm->owed_count < sizeof(storm->owed) / sizeof(*storm->owed));
    storm->owed[storm->owed_count++] = owed;
}

/* --- the RM ---------------------------------------------------------------------- */

static void carry_out(struct storm *storm);

static void hear(struct storm *storm, Creel__ContainerStatus *const *statuses, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct thing *thing = &storm->things[find(storm, statuses[i]->container_id)];

        if (statuses[i]->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE) {
            assert_int_not_equal(statuses[i]->exit_status, -1000);
            assert_true(thing->life != RUNNING);
            if (!thing->rm_complete)
                thing->exit_status = statuses[i]->exit_status;
            thing->rm_complete = true;
        } else if (thing->rm_complete && !thing->disk_failed) {
            fail_msg("seed %llu: %s was over and is not any more", (unsigned long long)storm->seed,
                     thing->id);
        }
    }
}

static void deliver(struct storm *storm, Creel__Envelope *envelope)
{
    if (!storm->calm && rng_chance(&storm->rng, 300))
        return;
    agent_on_message(storm->agent, storm->now, envelope, &storm->effects);
    if (!storm->calm && rng_chance(&storm->rng, 200))
        agent_on_message(storm->agent, storm->now, envelope, &storm->effects);
}

static void answer_register(struct storm *storm, const Creel__Envelope *request)
{
    Creel__RegisterNodeReply body = CREEL__REGISTER_NODE_REPLY__INIT;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;

    hear(storm, request->register_node->containers, request->register_node->n_containers);
    storm->session++;
    storm->acked_seq = 0;
    body.session = storm->session;
    body.heartbeat_interval_ms = 100;
    envelope.request_id = request->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY;
    envelope.register_node_reply = &body;
    deliver(storm, &envelope);
}

static void fill_orders(struct storm *storm, Creel__NodeOrders *orders, Creel__StopOrder *stops,
                        Creel__StopOrder **stop_list, char **apps)
{
    static char reason[] = "storm";

    creel__node_orders__init(orders);
    orders->session = storm->session;
    orders->stop = stop_list;
    orders->finished_apps = apps;
    for (int i = 0; i < COUNT; i++) {
        struct thing *thing = &storm->things[i];

        if (thing->wanted_stop && !thing->rm_complete) {
            creel__stop_order__init(&stops[i]);
            stops[i].container_id = thing->id;
            stops[i].exit_status = -106;
            stops[i].reason = reason;
            stop_list[orders->n_stop++] = &stops[i];
        }
        if (thing->app_over && !thing->rm_cleaned)
            apps[orders->n_finished_apps++] = thing->app;
    }
}

static void answer_heartbeat(struct storm *storm, const Creel__Envelope *request)
{
    const Creel__Heartbeat *heartbeat = request->heartbeat;
    Creel__HeartbeatReply body = CREEL__HEARTBEAT_REPLY__INIT;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__StopOrder stops[COUNT], *stop_list[COUNT];
    Creel__NodeOrders orders;
    char *apps[COUNT];

    envelope.request_id = request->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY;
    envelope.heartbeat_reply = &body;
    if (heartbeat->session != storm->session || (!storm->calm && rng_chance(&storm->rng, 10))) {
        body.action = CREEL__NODE_ACTION__NODE_RESYNC;
        deliver(storm, &envelope);
        return;
    }
    if (heartbeat->seq == storm->acked_seq + 1) {
        storm->acked_seq = heartbeat->seq;
        hear(storm, heartbeat->containers, heartbeat->n_containers);
        for (size_t i = 0; i < heartbeat->n_finished_apps; i++) {
            for (int k = 0; k < COUNT; k++)
                if (strcmp(storm->things[k].app, heartbeat->finished_apps[i]) == 0)
                    storm->things[k].rm_cleaned = true;
        }
    }
    fill_orders(storm, &orders, stops, stop_list, apps);
    body.acked_seq = storm->acked_seq;
    body.orders = &orders;
    deliver(storm, &envelope);
}

/* --- the daemon around the core --------------------------------------------------- */

static void launch(struct storm *storm, const struct agent_effect *effect)
{
    int index = find(storm, effect->container_id);
    struct thing *thing = &storm->things[index];
    int64_t running_mb = thing->memory_mb;

    if (thing->launched)
        fail_msg("seed %llu: %s launched twice", (unsigned long long)storm->seed, thing->id);
    for (int i = 0; i < COUNT; i++)
        running_mb += storm->things[i].life == RUNNING ? storm->things[i].memory_mb : 0;
    assert_true(running_mb <= TOTAL_MB);
    assert_int_equal(thing->life, SAVED);
    assert_false(thing->app_over && thing->rm_cleaned);
    thing->launched = true;
    thing->life = RUNNING;
    owe(storm, (struct owed){ .kind = OWE_LAUNCHED, .thing = index });
    owe(storm, (struct owed){ .kind = OWE_RUNNING, .thing = index });
}

static void save(struct storm *storm, const struct agent_effect *effect)
{
    int index = find(storm, effect->container_id);
    struct thing *thing = &storm->things[index];

    free(thing->record);
    thing->record = mem_dup(effect->data, effect->size);
    thing->record_size = effect->size;
    if (thing->life == UNKNOWN)
        thing->life = SAVED;
    thing->saves++;
    owe(storm, (struct owed){ .kind = OWE_SAVED, .thing = index });
}

static void clean_app(struct storm *storm, const char *app_id)
{
    for (int i = 0; i < COUNT; i++) {
        struct thing *thing = &storm->things[i];

        if (strcmp(thing->app, app_id) != 0)
            continue;
        assert_true(thing->life != RUNNING);
        assert_true(thing->app_over);
        thing->life = CLEANED;
    }
}

static void do_effect(struct storm *storm, const struct agent_effect *effect)
{
    struct owed owed = { .kind = OWE_FETCHED };

    switch (effect->kind) {
    case AGENT_SEND:
        if (!storm->calm && rng_chance(&storm->rng, 300))
            return;
        if (effect->envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_NODE)
            answer_register(storm, effect->envelope);
        else
            answer_heartbeat(storm, effect->envelope);
        return;
    case AGENT_SAVE:
        save(storm, effect);
        return;
    case AGENT_FETCH:
        memcpy(owed.hash, effect->data, sizeof(owed.hash));
        owe(storm, owed);
        return;
    case AGENT_LAUNCH:
        launch(storm, effect);
        return;
    case AGENT_STOP:
        storm->things[find(storm, effect->container_id)].stopping = true;
        return;
    case AGENT_ACKNOWLEDGE:
        assert_true(storm->things[find(storm, effect->container_id)].rm_complete);
        storm->things[find(storm, effect->container_id)].life = ACKED;
        return;
    case AGENT_CLEANUP:
        assert_true(storm->things[find(storm, effect->container_id)].life != RUNNING);
        return;
    case AGENT_CLEANUP_APP:
        clean_app(storm, effect->app_id);
        return;
    case AGENT_REPLY:
    case AGENT_NOTE:
    case AGENT_KEEP_HISTORY:
    case AGENT_LEARN_KEYS:
    case AGENT_LOG_LEVEL:
    case AGENT_PREEMPT_NOTICE:
    case AGENT_SIGNAL:
    case AGENT_SPARE:
    case AGENT_RESIZE: /* this resource manager orders none */
        return;
    case AGENT_SHUTDOWN:
        fail_msg("nobody reported shut down");
    }
}

/* By index, since replies to the messages sent append effects to the list. */
static void carry_out(struct storm *storm)
{
    struct err err = { 0 };

    for (size_t i = 0; i < storm->effects.count; i++) {
        struct agent_effect effect = storm->effects.items[i];

        do_effect(storm, &effect);
    }
    agent_effects_reset(&storm->effects);
    if (agent_check(storm->agent, &err) < 0)
        fail_msg("seed %llu: %s", (unsigned long long)storm->seed, err.text);
}

/* Finishes pending operations: in order for one container, in random order between containers. */
static void pay(struct storm *storm)
{
    size_t at = 0;
    struct owed owed;
    int code = 0;

    if (storm->owed_count == 0)
        return;
    if (rng_chance(&storm->rng, 500))
        at = rng_below(&storm->rng, storm->owed_count);
    for (size_t i = 0; i < at; i++) {
        if (storm->owed[i].thing == storm->owed[at].thing)
            at = i;
    }
    owed = storm->owed[at];
    memmove(&storm->owed[at], &storm->owed[at + 1], (--storm->owed_count - at) * sizeof(owed));
    if (!storm->calm && rng_chance(&storm->rng, 50) && owed.kind != OWE_RUNNING)
        code = -ENOSPC;
    /* If the disk refuses to replace a record, the earlier record stays. */
    if (owed.kind == OWE_SAVED && storm->things[owed.thing].saves > 1)
        code = 0;
    if (owed.kind == OWE_SAVED) {
        struct thing *thing = &storm->things[owed.thing];

        if (code != 0) {
            thing->life = UNKNOWN;
            thing->saves = 0;
            thing->disk_failed = true;
        }
        agent_on_saved(storm->agent, storm->now, thing->id, code, code ? "full" : NULL, &storm->effects);
    } else if (owed.kind == OWE_FETCHED) {
        agent_on_fetched(storm->agent, storm->now, owed.hash, code, code ? "full" : NULL, &storm->effects);
    } else if (owed.kind == OWE_LAUNCHED) {
        if (code != 0) { /* the container does not run, and no event follows */
            storm->things[owed.thing].life = SAVED;
            if (rng_chance(&storm->rng, 500)) {
                code = -EAGAIN;
                storm->things[owed.thing].launched = false; /* a retry is allowed */
            }
            for (size_t i = 0; i < storm->owed_count; i++) {
                if (storm->owed[i].kind == OWE_RUNNING && storm->owed[i].thing == owed.thing)
                    memmove(&storm->owed[i], &storm->owed[i + 1], (--storm->owed_count - i) * sizeof(owed));
            }
        }
        agent_on_launched(storm->agent, storm->now, storm->things[owed.thing].id, code, code ? "full" : NULL,
                          &storm->effects);
    } else {
        agent_on_running(storm->agent, storm->now, storm->things[owed.thing].id, storm->now.wall_ms,
                         &storm->effects);
    }
    carry_out(storm);
}

static bool is_owed(const struct storm *storm, int thing)
{
    for (size_t i = 0; i < storm->owed_count; i++) {
        if (storm->owed[i].kind != OWE_FETCHED && storm->owed[i].thing == thing)
            return true;
    }
    return false;
}

static void exit_one(struct storm *storm, int index)
{
    struct thing *thing = &storm->things[index];
    struct container_end end = { .exit_status = thing->stopping ? 143 : 0,
                                 .finished_ms = storm->now.wall_ms };

    if (thing->life != RUNNING || is_owed(storm, index))
        return;
    thing->life = EXITED;
    agent_on_exited(storm->agent, storm->now, thing->id, &end, &storm->effects);
    carry_out(storm);
}

/* --- the AM ------------------------------------------------------------------------ */

static void ask(struct storm *storm, int index)
{
    struct thing *thing = &storm->things[index];
    Creel__ContainerGrant grant = CREEL__CONTAINER_GRANT__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__FileRef file = CREEL__FILE_REF__INIT, *files[] = { &file };
    struct agent_start_request request = { .grant = &grant, .launch = &launch };
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    char node[] = NODE, user[] = "ann", word[] = "true", *command[] = { word }, name[] = "f";
    uint8_t hash[32] = { (uint8_t)(index % 3) };

    grant.container_id = thing->id;
    grant.node_id = node;
    grant.user = user;
    grant.resource = &resource;
    resource.memory_mb = thing->memory_mb;
    launch.command = command;
    launch.n_command = 1;
    file.name = name;
    file.hash = (ProtobufCBinaryData){ .len = 32, .data = hash };
    launch.files = files;
    launch.n_files = (size_t)index % 2;
    agent_on_start(storm->agent, storm->now, 1, 1, &request, 1, &storm->effects);
    carry_out(storm);
}

static void stop(struct storm *storm, int index)
{
    Creel__ContainerGrant grant = CREEL__CONTAINER_GRANT__INIT;
    const Creel__ContainerGrant *grants[] = { &grant };

    grant.container_id = storm->things[index].id;
    agent_on_stop(storm->agent, storm->now, 1, 1, grants, 1, &storm->effects);
    carry_out(storm);
}

/* --- the random test ---------------------------------------------------------------- */

static void new_agent(struct storm *storm)
{
    struct agent_config config = {
        .node_id = NODE,
        .address = NODE,
        .total = resource_of(TOTAL_MB, 1000),
        .incarnation = ++storm->incarnation,
        .seed = storm->seed * 1000 + storm->incarnation,
    };

    storm->agent = agent_new(&config);
}

static void kill_nine(struct storm *storm)
{
    static const enum agent_found_state states[] = {
        [SAVED] = AGENT_FOUND_SAVED,
        [RUNNING] = AGENT_FOUND_RUNNING,
        [EXITED] = AGENT_FOUND_ENDED,
        [ACKED] = AGENT_FOUND_ACKED,
    };

    agent_free(storm->agent);
    storm->owed_count = 0;
    new_agent(storm);
    for (int i = 0; i < COUNT; i++) {
        struct thing *thing = &storm->things[i];

        if (thing->life == CLEANED)
            agent_recall(storm->agent, thing->app);
        if (thing->life == UNKNOWN || thing->life == CLEANED)
            continue;
        if (rng_chance(&storm->rng, 50) && thing->life == SAVED)
            thing->record_size /= 2;
        agent_found(storm->agent, storm->now, thing->id, states[thing->life], thing->record,
                    thing->record_size, 0, &storm->effects);
        carry_out(storm);
    }
    for (int i = 0; i < COUNT; i++) {
        struct container_end end = { .exit_status = 143, .finished_ms = storm->now.wall_ms };

        if (storm->things[i].life == EXITED)
            agent_on_exited(storm->agent, storm->now, storm->things[i].id, &end, &storm->effects);
        carry_out(storm);
    }
    agent_start(storm->agent, storm->now, &storm->effects);
    carry_out(storm);
}

static void finish_app(struct storm *storm, const char *app)
{
    for (int i = 0; i < COUNT; i++) {
        if (strcmp(storm->things[i].app, app) == 0)
            storm->things[i].app_over = true;
    }
}

static void let_time_pass(struct storm *storm)
{
    int64_t ms = (int64_t)rng_below(&storm->rng, 400);

    storm->now.steady_ms += ms;
    storm->now.wall_ms += ms;
    agent_on_timer(storm->agent, storm->now, &storm->effects);
    carry_out(storm);
}

static void one_step(struct storm *storm)
{
    int index = (int)rng_below(&storm->rng, COUNT);
    uint64_t dice = rng_below(&storm->rng, 100);

    if (dice < 25)
        pay(storm);
    else if (dice < 45)
        ask(storm, index);
    else if (dice < 50)
        stop(storm, index);
    else if (dice < 55)
        storm->things[index].wanted_stop = true;
    else if (dice < 65)
        exit_one(storm, index);
    else if (dice < 67)
        finish_app(storm, storm->things[index].app);
    else if (dice < 69)
        kill_nine(storm);
    else
        let_time_pass(storm);
}

static bool settled(const struct storm *storm)
{
    struct agent_summary summary = agent_summarise(storm->agent);

    for (int i = 0; i < COUNT; i++) {
        if (!storm->things[i].rm_cleaned)
            return false;
    }
    return summary.live == 0 && summary.ended == 0 && summary.tombstones == 0;
}

static void calm_down(struct storm *storm)
{
    storm->calm = true;
    for (int i = 0; i < COUNT; i++)
        storm->things[i].app_over = true;
    for (int round = 0; round < 2000 && !settled(storm); round++) {
        while (storm->owed_count > 0)
            pay(storm);
        for (int i = 0; i < COUNT; i++) {
            if (storm->things[i].stopping)
                exit_one(storm, i);
        }
        let_time_pass(storm);
    }
    if (!settled(storm))
        fail_msg("seed %llu: does not settle", (unsigned long long)storm->seed);
    for (int i = 0; i < COUNT; i++) {
        struct thing *thing = &storm->things[i];

        if (thing->launched && !thing->rm_complete)
            fail_msg("seed %llu: the end of %s is lost", (unsigned long long)storm->seed, thing->id);
        free(thing->record);
    }
}

static void every_storm_settles(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct storm *storm = mem_new0(struct storm);

        storm->seed = seed;
        storm->now = (struct agent_time){ 1700000100000, 1000 };
        rng_seed(&storm->rng, seed);
        agent_effects_init(&storm->effects);
        for (int i = 0; i < COUNT; i++) {
            snprintf(storm->things[i].app, ID_TEXT_MAX, "application_1700000000000_%04d", i / 3 + 1);
            snprintf(storm->things[i].id, ID_TEXT_MAX, "container_1700000000000_%04d_01_%06d", i / 3 + 1,
                     i % 3 + 1);
            storm->things[i].memory_mb = rng_between(&storm->rng, 1, 400);
        }
        new_agent(storm);
        agent_start(storm->agent, storm->now, &storm->effects);
        carry_out(storm);
        for (int step = 0; step < STEPS; step++)
            one_step(storm);
        calm_down(storm);
        agent_free(storm->agent);
        agent_effects_done(&storm->effects);
        free(storm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_storm_settles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* job_world.c - a resource manager, agents and a network, all pretended */
#include "tests/unit/job_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/mem.h"

#define BOXES_MAX 60000
#define MESSAGES_MAX 8192
#define TICK_MS 50
#define RECOVERY_MS 5000                /* after which a restarted RM has heard of all nodes */
#define LIMIT_MS 40000000

enum { TO_RM = -2, FROM_RM = -1, FROM_AGENT = 100 };    /* 0 and up: to that agent */

/* One container, as its agent and the RM see it. */
struct box {
    uint32_t node;
    int task;                           /* what was started in it; -1: nothing yet */
    bool rm_knows, rm_complete, told;
    bool started, agent_ended;          /* ended without a start: it will not start any more */
    bool release;
    int status;
    int64_t ends_ms;
};

struct message {
    bool used;
    int64_t at_ms;
    int route;
    uint8_t *bytes;
    size_t size;
};

struct world {
    const struct world_options *options;
    struct rng rng;
    int64_t now_ms;
    struct task_master *master;
    struct task_effects effects;
    struct world_result result;

    struct box *boxes;
    uint32_t box_count, first_open;     /* boxes before it are over everywhere */
    struct message messages[MESSAGES_MAX];
    size_t message_end;
    bool node_up[WORLD_NODES];
    int64_t node_back_ms[WORLD_NODES];

    bool rm_up, registered;
    uint32_t rm_epoch;
    int64_t rm_back_ms, rm_recovered_ms;
    int64_t wanted, response_id;
    uint8_t *last_reply;
    size_t last_reply_size;

    uint32_t *running, *succeeded, *ended;      /* by task */
};

/* --- the network ------------------------------------------------------------ */

static void put(struct world *world, int route, const uint8_t *bytes, size_t size, int64_t at_ms)
{
    for (size_t i = 0; i < MESSAGES_MAX; i++) {
        if (world->messages[i].used)
            continue;
        world->messages[i] = (struct message){ true, at_ms, route, mem_dup(bytes, size), size };
        if (i >= world->message_end)
            world->message_end = i + 1;
        return;
    }
    fail_msg("the pretended network is full");
}

static void send_message(struct world *world, int route, const Creel__Envelope *envelope)
{
    size_t size = creel__envelope__get_packed_size(envelope);
    scoped_free uint8_t *bytes = mem_alloc(size + 1);
    int64_t delay = rng_between(&world->rng, 0, 30);

    creel__envelope__pack(envelope, bytes);
    if (rng_chance(&world->rng, world->options->lose))
        return;
    if (rng_chance(&world->rng, world->options->delay))
        delay = rng_between(&world->rng, 100, 9000);
    put(world, route, bytes, size, world->now_ms + delay);
    if (rng_chance(&world->rng, world->options->repeat))
        put(world, route, bytes, size, world->now_ms + rng_between(&world->rng, 0, 12000));
}

static uint32_t box_of_id(const char *id)
{
    return (uint32_t)strtoul(strrchr(id, '_') + 1, NULL, 10) - 2;
}

static char *id_of_box(struct arena *arena, uint32_t box)
{
    return arena_printf(arena, "container_1700000000000_0001_01_%06u", box + 2);
}

static bool fails_by_itself(const struct world *world, uint32_t task)
{
    return task * 7919u % 1000 < world->options->fail;
}

/* --- agents ----------------------------------------------------------------- */

static void run_task(struct world *world, struct box *box, const Creel__LaunchContext *launch)
{
    uint32_t task = (uint32_t)strtoul(launch->title, NULL, 10);

    assert_in_range(task, 0, world->options->tasks - 1);
    assert_int_equal(world->running[task], 0);          /* never twice at once */
    assert_int_equal(world->succeeded[task], 0);        /* never again after it succeeded */
    box->started = true;
    box->task = (int)task;
    box->ends_ms = world->now_ms + rng_between(&world->rng, 10, 4000);
    box->status = fails_by_itself(world, task) ? 3 : 0;
    world->running[task]++;
}

static void box_ends(struct world *world, struct box *box)
{
    box->agent_ended = true;
    if (!box->started)
        return;
    world->running[box->task]--;
    if (box->status == 0)
        world->succeeded[box->task]++;
}

static void box_is_ended(struct world *world, struct box *box, int status)
{
    if (box->agent_ended)
        return;
    box->status = status;
    box_ends(world, box);
}

static Creel__StartResult *agent_start(struct world *world, struct arena *arena,
                                       const Creel__StartRequest *request)
{
    Creel__StartResult *result = arena_new0(arena, Creel__StartResult);
    uint32_t number = box_of_id((const char *)request->token.data);
    struct box *box = &world->boxes[number];

    creel__start_result__init(result);
    result->container_id = id_of_box(arena, number);
    if (box->started)
        return result;
    if (!box->agent_ended && !rng_chance(&world->rng, world->options->refuse)) {
        run_task(world, box, request->launch);
        return result;
    }
    result->error = arena_new0(arena, Creel__Error);
    creel__error__init(result->error);
    result->error->code = CREEL__ERROR_CODE__ERROR_BAD_STATE;
    world->result.refusals++;
    return result;
}

static void agent_receive(struct world *world, int node, const Creel__Envelope *envelope)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__StartContainersReply body = CREEL__START_CONTAINERS_REPLY__INIT;
    const Creel__StartContainers *start = envelope->start_containers;
    struct arena *arena;

    if (!world->node_up[node] || envelope->body_case != CREEL__ENVELOPE__BODY_START_CONTAINERS)
        return;
    arena = arena_new();
    body.results = arena_array0(arena, start->n_containers, sizeof(*body.results));
    for (size_t i = 0; i < start->n_containers; i++)
        body.results[body.n_results++] = agent_start(world, arena, start->containers[i]);
    reply.request_id = envelope->request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_START_CONTAINERS_REPLY;
    reply.start_containers_reply = &body;
    send_message(world, FROM_AGENT + node, &reply);
    arena_free(arena);
}

static void play_node_deaths(struct world *world)
{
    for (uint32_t node = 0; node < WORLD_NODES; node++) {
        if (!world->node_up[node] && world->now_ms >= world->node_back_ms[node])
            world->node_up[node] = true;
        if (!world->node_up[node] || !rng_chance(&world->rng, world->options->node_death))
            continue;
        world->result.node_deaths++;
        world->node_up[node] = false;
        world->node_back_ms[node] = world->now_ms + rng_between(&world->rng, 1000, 20000);
        for (uint32_t i = world->first_open; i < world->box_count; i++)
            if (world->boxes[i].node == node)
                box_is_ended(world, &world->boxes[i], -100);
    }
}

static void play_nodes(struct world *world)
{
    play_node_deaths(world);
    for (uint32_t i = world->first_open; i < world->box_count; i++) {
        struct box *box = &world->boxes[i];

        if (box->agent_ended || !world->node_up[box->node])
            continue;
        if (box->started && world->now_ms >= box->ends_ms)
            box_ends(world, box);
        else if (box->started && rng_chance(&world->rng, world->options->preempt))
            box_is_ended(world, box, -102);
        else if (box->release && world->rm_up && box->rm_knows)
            box_is_ended(world, box, -100);
    }
}

/* --- the RM ----------------------------------------------------------------- */

static Creel__Container *describe(struct world *world, struct arena *arena, uint32_t number)
{
    Creel__Container *container = arena_new0(arena, Creel__Container);
    struct box *box = &world->boxes[number];

    creel__container__init(container);
    container->container_id = id_of_box(arena, number);
    container->node_id = arena_printf(arena, "n%u:8041", box->node);
    container->node_address = container->node_id;
    container->agent_key = arena_strdup(arena, "key");
    container->priority = 1;
    container->token.data = (uint8_t *)id_of_box(arena, number);
    container->token.len = strlen(container->container_id) + 1;
    if (box->task >= 0)
        container->title = arena_printf(arena, "%d", box->task);
    return container;
}

static Creel__ContainerStatus *status_of(struct world *world, struct arena *arena,
                                         uint32_t number)
{
    Creel__ContainerStatus *status = arena_new0(arena, Creel__ContainerStatus);
    struct box *box = &world->boxes[number];

    creel__container_status__init(status);
    status->container_id = id_of_box(arena, number);
    status->state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    status->exit_status = box->status;
    if (box->task >= 0)
        status->title = arena_printf(arena, "%d", box->task);
    return status;
}

static void reply_resync(struct world *world, uint64_t request_id)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = CREEL__ERROR_CODE__ERROR_RESYNC;
    reply.request_id = request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_ERROR;
    reply.error = &error;
    send_message(world, FROM_RM, &reply);
}

static void rm_register(struct world *world, uint64_t request_id)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__RegisterAmReply body = CREEL__REGISTER_AM_REPLY__INIT;
    struct arena *arena = arena_new();

    if (!world->registered) {
        world->registered = true;
        world->wanted = 0;
        world->response_id = 1000000 * (int64_t)world->rm_epoch;
    }
    body.response_id = (uint64_t)world->response_id;
    body.allocate_interval_ms = 500;
    body.running = arena_array0(arena, world->box_count + 1, sizeof(*body.running));
    body.completed = arena_array0(arena, world->box_count + 1, sizeof(*body.completed));
    for (uint32_t i = 0; i < world->box_count; i++) {
        if (world->boxes[i].rm_complete)
            body.completed[body.n_completed++] = status_of(world, arena, i);
        else if (world->boxes[i].rm_knows)
            body.running[body.n_running++] = describe(world, arena, i);
    }
    reply.request_id = request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY;
    reply.register_am_reply = &body;
    send_message(world, FROM_RM, &reply);
    arena_free(arena);
}

static void rm_grant(struct world *world, struct arena *arena, Creel__AllocateReply *body)
{
    uint32_t used[WORLD_NODES] = { 0 };

    for (uint32_t i = world->first_open; i < world->box_count; i++)
        if (world->boxes[i].rm_knows && !world->boxes[i].rm_complete)
            used[world->boxes[i].node]++;
    body->allocated = arena_array0(arena, WORLD_NODES * world->options->slots + 1,
                                   sizeof(*body->allocated));
    for (uint32_t node = 0; node < WORLD_NODES; node++) {
        while (world->node_up[node] && used[node] < world->options->slots &&
               (world->wanted > 0 || rng_chance(&world->rng, world->options->over_grant))) {
            assert_in_range(world->box_count, 0, BOXES_MAX - 1);
            world->boxes[world->box_count] = (struct box){ .node = node, .task = -1,
                                                           .rm_knows = true };
            world->wanted -= world->wanted > 0;
            used[node]++;
            body->allocated[body->n_allocated++] = describe(world, arena, world->box_count++);
        }
    }
}

static void rm_report(struct world *world, struct arena *arena, Creel__AllocateReply *body)
{
    body->completed = arena_array0(arena, world->box_count + 1, sizeof(*body->completed));
    for (uint32_t i = 0; i < world->box_count; i++) {
        struct box *box = &world->boxes[i];

        if (!box->rm_complete || box->told)
            continue;
        box->told = true;
        body->completed[body->n_completed++] = status_of(world, arena, i);
    }
}

static void resend_reply(struct world *world, uint64_t request_id)
{
    Creel__Envelope *reply =
        creel__envelope__unpack(NULL, world->last_reply_size, world->last_reply);

    reply->request_id = request_id;
    send_message(world, FROM_RM, reply);
    creel__envelope__free_unpacked(reply, NULL);
}

static void reply_allocate(struct world *world, uint64_t request_id, Creel__AllocateReply *body)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;

    body->response_id = (uint64_t)++world->response_id;
    reply.request_id = request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_ALLOCATE_REPLY;
    reply.allocate_reply = body;
    world->last_reply_size = creel__envelope__get_packed_size(&reply);
    free(world->last_reply);
    world->last_reply = mem_alloc(world->last_reply_size + 1);
    creel__envelope__pack(&reply, world->last_reply);
    send_message(world, FROM_RM, &reply);
}

static void rm_allocate(struct world *world, uint64_t request_id, const Creel__Allocate *request)
{
    Creel__AllocateReply body = CREEL__ALLOCATE_REPLY__INIT;
    struct arena *arena;

    if (!world->registered) {
        reply_resync(world, request_id);
        return;
    }
    if ((int64_t)request->response_id + 1 == world->response_id && world->last_reply) {
        resend_reply(world, request_id);
        return;
    }
    if ((int64_t)request->response_id != world->response_id)
        return;                         /* an old copy, late: nobody waits for its answer */
    arena = arena_new();
    for (size_t i = 0; i < request->n_asks; i++)
        world->wanted = request->asks[i]->count;
    for (size_t i = 0; i < request->n_releases; i++)
        world->boxes[box_of_id(request->releases[i])].release = true;
    rm_report(world, arena, &body);
    rm_grant(world, arena, &body);
    reply_allocate(world, request_id, &body);
    arena_free(arena);
}

static void rm_finish(struct world *world, uint64_t request_id)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__FinishAmReply body = CREEL__FINISH_AM_REPLY__INIT;

    if (!world->registered) {
        reply_resync(world, request_id);
        return;
    }
    for (uint32_t i = 0; i < world->options->tasks; i++)
        assert_int_equal(world->running[i], 0);
    body.done = rng_chance(&world->rng, 500);
    reply.request_id = request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_FINISH_AM_REPLY;
    reply.finish_am_reply = &body;
    send_message(world, FROM_RM, &reply);
}

static void rm_receive(struct world *world, const Creel__Envelope *envelope)
{
    if (!world->rm_up)
        return;
    if (envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_AM)
        rm_register(world, envelope->request_id);
    else if (envelope->body_case == CREEL__ENVELOPE__BODY_ALLOCATE)
        rm_allocate(world, envelope->request_id, envelope->allocate);
    else if (envelope->body_case == CREEL__ENVELOPE__BODY_FINISH_AM)
        rm_finish(world, envelope->request_id);
}

/* Its books of what is not over go; the agents tell it again what they have. */
static void rm_dies(struct world *world)
{
    world->result.rm_deaths++;
    world->rm_up = world->registered = false;
    world->rm_back_ms = world->now_ms + rng_between(&world->rng, 500, 6000);
    world->rm_recovered_ms = world->rm_back_ms + RECOVERY_MS;
    world->rm_epoch++;
    free(world->last_reply);
    world->last_reply = NULL;
    for (uint32_t i = 0; i < world->box_count; i++) {
        world->boxes[i].told = false;
        if (!world->boxes[i].rm_complete)
            world->boxes[i].rm_knows = world->boxes[i].release = false;
    }
}

static void rm_hears_of(struct world *world, struct box *box)
{
    if (!box->rm_knows && (box->started || box->agent_ended) && world->node_up[box->node] &&
        rng_chance(&world->rng, 50))
        box->rm_knows = true;
    if (!box->rm_knows && box->release && world->now_ms >= world->rm_recovered_ms)
        box->rm_knows = true;           /* so that its agent is ordered not to start it */
    if (box->rm_knows && box->agent_ended && rng_chance(&world->rng, 300))
        box->rm_complete = true;
}

static void play_rm(struct world *world)
{
    if (!world->rm_up) {
        world->rm_up = world->now_ms >= world->rm_back_ms;
        return;
    }
    if (rng_chance(&world->rng, world->options->rm_death)) {
        rm_dies(world);
        return;
    }
    for (uint32_t i = world->first_open; i < world->box_count; i++)
        if (!world->boxes[i].rm_complete)
            rm_hears_of(world, &world->boxes[i]);
    while (world->first_open < world->box_count && world->boxes[world->first_open].rm_complete)
        world->first_open++;
}

/* --- the master ------------------------------------------------------------- */

static void carry_out_one(struct world *world, const struct task_effect *effect)
{
    assert_int_equal(world->result.done_events, 0);
    switch (effect->kind) {
    case TASK_SEND_RM:
        send_message(world, TO_RM, effect->envelope);
        break;
    case TASK_SEND_AGENT:
        send_message(world, effect->address[1] - '0', effect->envelope);
        break;
    case TASK_EVENT:
        if (effect->event.kind != TASK_EVENT_ENDED)
            break;
        assert_int_equal(world->ended[effect->event.task]++, 0);
        world->result.ended_events++;
        break;
    case TASK_DONE:
        world->result.done_events++;
        world->result.exit_status = effect->exit_status;
        break;
    }
}

static void carry_out(struct world *world)
{
    struct err err;

    for (size_t i = 0; i < world->effects.count; i++)
        carry_out_one(world, &world->effects.items[i]);
    task_effects_reset(&world->effects);
    if ((world->options->tasks <= 100 || world->result.steps % 256 == 0) &&
        task_master_check(world->master, &err) < 0)
        fail_msg("%s", err.text);
    world->result.steps++;
}

static void deliver(struct world *world, struct message *message)
{
    Creel__Envelope *envelope = creel__envelope__unpack(NULL, message->size, message->bytes);
    int route = message->route;
    char address[32];

    free(message->bytes);
    message->used = false;
    if (route == TO_RM) {
        rm_receive(world, envelope);
    } else if (route == FROM_RM) {
        task_master_on_rm(world->master, world->now_ms, envelope, &world->effects);
        carry_out(world);
    } else if (route < FROM_AGENT) {
        agent_receive(world, route, envelope);
    } else {
        snprintf(address, sizeof(address), "n%d:8041", route - FROM_AGENT);
        task_master_on_agent(world->master, world->now_ms, address, envelope, &world->effects);
        carry_out(world);
    }
    creel__envelope__free_unpacked(envelope, NULL);
}

static void play_network(struct world *world)
{
    for (size_t i = 0; i < world->message_end; i++)
        if (world->messages[i].used && world->messages[i].at_ms <= world->now_ms)
            deliver(world, &world->messages[i]);
}

static void start_master(struct world *world)
{
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    char command[] = "true", *argv[] = { command };
    struct task_options options = { .lost_retries = 1000000 };

    launch.command = argv;
    launch.n_command = 1;
    job.launch = &launch;
    job.resource = &resource;
    job.task_count = world->options->tasks;
    assert_int_equal(task_master_new(&job, &options, &world->master, NULL), 0);
    task_master_on_start(world->master, world->now_ms, &world->effects);
    carry_out(world);
}

static void make_world(struct world *world, const struct world_options *options, uint64_t seed)
{
    world->options = options;
    world->now_ms = 1000;
    rng_seed(&world->rng, seed);
    world->boxes = mem_array0(BOXES_MAX, sizeof(*world->boxes));
    world->running = mem_array0(options->tasks, sizeof(uint32_t));
    world->succeeded = mem_array0(options->tasks, sizeof(uint32_t));
    world->ended = mem_array0(options->tasks, sizeof(uint32_t));
    world->rm_up = true;
    world->rm_epoch = 1;
    for (int i = 0; i < WORLD_NODES; i++)
        world->node_up[i] = true;
    task_effects_init(&world->effects);
    start_master(world);
}

static void end_world(struct world *world)
{
    for (size_t i = 0; i < MESSAGES_MAX; i++)
        if (world->messages[i].used)
            free(world->messages[i].bytes);
    task_master_free(world->master);
    task_effects_done(&world->effects);
    free(world->last_reply);
    free(world->boxes);
    free(world->running);
    free(world->succeeded);
    free(world->ended);
    free(world);
}

struct world_result world_play(const struct world_options *options, uint64_t seed)
{
    struct world *world = mem_new0(struct world);
    struct world_result result;

    make_world(world, options, seed);
    while (!world->result.done_events) {
        world->now_ms += TICK_MS;
        if (world->now_ms > LIMIT_MS)
            fail_msg("seed %llu: the job does not end", (unsigned long long)seed);
        play_nodes(world);
        play_rm(world);
        play_network(world);
        if (task_master_next_deadline_ms(world->master) <= world->now_ms) {
            task_master_on_timer(world->master, world->now_ms, &world->effects);
            carry_out(world);
        }
    }
    for (uint32_t i = 0; i < options->tasks; i++) {
        assert_int_equal(world->succeeded[i], fails_by_itself(world, i) ? 0 : 1);
        assert_int_equal(world->ended[i], 1);
    }
    world->result.ended_ms = world->now_ms;
    result = world->result;
    end_world(world);
    return result;
}

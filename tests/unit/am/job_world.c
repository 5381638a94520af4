/* SPDX-License-Identifier: Apache-2.0 */
/* job_world.c - simulates a resource manager, agents and a lossy network around the task master */
#include "tests/unit/am/job_world_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/mem.h"

#define TICK_MS 50
#define LIMIT_MS 40000000

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

void world_send(struct world *world, int route, const Creel__Envelope *envelope)
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

uint32_t world_box_of_id(const char *id)
{
    return (uint32_t)strtoul(strrchr(id, '_') + 1, NULL, 10) - 2;
}

char *world_id_of_box(struct arena *arena, uint32_t box)
{
    return arena_printf(arena, "container_1700000000000_0001_01_%06u", box + 2);
}

bool world_task_fails(const struct world *world, uint32_t task)
{
    return task * 7919u % 1000 < world->options->fail;
}

/* --- the task master -------------------------------------------------------- */

static void carry_out_one(struct world *world, const struct task_effect *effect)
{
    assert_int_equal(world->result.done_events, 0);
    switch (effect->kind) {
    case TASK_SEND_RM:
        world_send(world, TO_RM, effect->envelope);
        break;
    case TASK_SEND_AGENT:
        world_send(world, effect->address[1] - '0', effect->envelope);
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
        world_rm_receives(world, envelope);
    } else if (route == FROM_RM) {
        task_master_on_rm(world->master, world->now_ms, envelope, &world->effects);
        carry_out(world);
    } else if (route < FROM_AGENT) {
        world_agent_receives(world, route, envelope);
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
        world_play_nodes(world);
        world_play_rm(world);
        play_network(world);
        if (task_master_next_deadline_ms(world->master) <= world->now_ms) {
            task_master_on_timer(world->master, world->now_ms, &world->effects);
            carry_out(world);
        }
    }
    for (uint32_t i = 0; i < options->tasks; i++) {
        assert_int_equal(world->succeeded[i], world_task_fails(world, i) ? 0 : 1);
        assert_int_equal(world->ended[i], 1);
    }
    world->result.ended_ms = world->now_ms;
    result = world->result;
    end_world(world);
    return result;
}

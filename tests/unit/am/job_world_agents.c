/* SPDX-License-Identifier: Apache-2.0 */
/* job_world_agents.c - simulated agents of job_world: run tasks, refuse starts, die and return */
#include "tests/unit/am/job_world_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void run_task(struct world *world, struct box *box, const Creel__LaunchContext *launch)
{
    uint32_t task = (uint32_t)strtoul(launch->title, NULL, 10);

    assert_in_range(task, 0, world->options->tasks - 1);
    assert_int_equal(world->running[task], 0);   /* never two containers of a task at once */
    assert_int_equal(world->succeeded[task], 0); /* never again after a success */
    box->started = true;
    box->task = (int)task;
    box->ends_ms = world->now_ms + rng_between(&world->rng, 10, 4000);
    box->status = world_task_fails(world, task) ? 3 : 0;
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
    uint32_t number = world_box_of_id((const char *)request->token.data);
    struct box *box = &world->boxes[number];

    creel__start_result__init(result);
    result->container_id = world_id_of_box(arena, number);
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

void world_agent_receives(struct world *world, int node, const Creel__Envelope *envelope)
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
    world_send(world, FROM_AGENT + node, &reply);
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

void world_play_nodes(struct world *world)
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

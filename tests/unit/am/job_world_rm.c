/* SPDX-License-Identifier: Apache-2.0 */
/* job_world_rm.c - simulated RM of job_world: grants containers, reports ends, loses its state in a crash */
#include "tests/unit/am/job_world_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/mem.h"

#define RECOVERY_MS 5000 /* time after which a restarted RM has a report from every node */

static Creel__Container *describe(struct world *world, struct arena *arena, uint32_t number)
{
    Creel__Container *container = arena_new0(arena, Creel__Container);
    struct box *box = &world->boxes[number];

    creel__container__init(container);
    container->container_id = world_id_of_box(arena, number);
    container->node_id = arena_printf(arena, "n%u:8041", box->node);
    container->node_address = container->node_id;
    container->agent_key = arena_strdup(arena, "key");
    container->priority = 1;
    container->token.data = (uint8_t *)world_id_of_box(arena, number);
    container->token.len = strlen(container->container_id) + 1;
    if (box->task >= 0)
        container->title = arena_printf(arena, "%d", box->task);
    return container;
}

static Creel__ContainerStatus *status_of(struct world *world, struct arena *arena, uint32_t number)
{
    Creel__ContainerStatus *status = arena_new0(arena, Creel__ContainerStatus);
    struct box *box = &world->boxes[number];

    creel__container_status__init(status);
    status->container_id = world_id_of_box(arena, number);
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
    world_send(world, FROM_RM, &reply);
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
    world_send(world, FROM_RM, &reply);
    arena_free(arena);
}

static void rm_grant(struct world *world, struct arena *arena, Creel__AllocateReply *body)
{
    uint32_t used[WORLD_NODES] = { 0 };

    for (uint32_t i = world->first_open; i < world->box_count; i++)
        if (world->boxes[i].rm_knows && !world->boxes[i].rm_complete)
            used[world->boxes[i].node]++;
    body->allocated = arena_array0(arena, WORLD_NODES * world->options->slots + 1, sizeof(*body->allocated));
    for (uint32_t node = 0; node < WORLD_NODES; node++) {
        while (world->node_up[node] && used[node] < world->options->slots &&
               (world->wanted > 0 || rng_chance(&world->rng, world->options->over_grant))) {
            assert_in_range(world->box_count, 0, BOXES_MAX - 1);
            world->boxes[world->box_count] = (struct box){ .node = node, .task = -1, .rm_knows = true };
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

        if (!box->rm_complete || box->reported)
            continue;
        box->reported = true;
        body->completed[body->n_completed++] = status_of(world, arena, i);
    }
}

static void resend_reply(struct world *world, uint64_t request_id)
{
    Creel__Envelope *reply = creel__envelope__unpack(NULL, world->last_reply_size, world->last_reply);

    reply->request_id = request_id;
    world_send(world, FROM_RM, reply);
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
    world_send(world, FROM_RM, &reply);
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
        return; /* delayed copy of an old message: the master no longer waits for
                   its answer */
    arena = arena_new();
    for (size_t i = 0; i < request->n_asks; i++)
        world->wanted = request->asks[i]->count;
    for (size_t i = 0; i < request->n_releases; i++)
        world->boxes[world_box_of_id(request->releases[i])].release = true;
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
    world_send(world, FROM_RM, &reply);
}

void world_rm_receives(struct world *world, const Creel__Envelope *envelope)
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

/* Forgets all containers that have not ended. The agents report these containers again. */
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
        world->boxes[i].reported = false;
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
        box->rm_knows = true; /* so that the RM orders the agent not to start the container */
    if (box->rm_knows && box->agent_ended && rng_chance(&world->rng, 300))
        box->rm_complete = true;
}

void world_play_rm(struct world *world)
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

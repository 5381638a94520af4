/* SPDX-License-Identifier: Apache-2.0 */
/* sim_am.c - an application master of a world: runs client/am in a container */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/am/task_master.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "sim/world/actors.h"
#include "sim/world/sim_resize.h"

struct sim_am {
    struct world *world;
    struct sim_node *host; /* borrowed; NULL: an unmanaged AM */
    char container_id[ID_TEXT_MAX], attempt_id[ID_TEXT_MAX], app_id[ID_TEXT_MAX];
    uint64_t life;
    struct task_master *master; /* owned */
    struct sim_sizes *sizes;    /* owned */
    struct task_effects effects;
    int64_t timer_ms;
};

static void carry_out(struct sim_am *am);

static void on_timer(struct world *world, void *actor, void *data)
{
    struct sim_am *am = actor;

    (void)data;
    if (am->life == 0)
        return;
    am->timer_ms = INT64_MAX;
    task_master_on_timer(am->master, world->now_ms, &am->effects);
    carry_out(am);
}

static void schedule_timer(struct sim_am *am)
{
    int64_t next_ms = task_master_next_deadline_ms(am->master);

    if (next_ms >= am->timer_ms)
        return;
    am->timer_ms = next_ms;
    world_after(am->world, next_ms > am->world->now_ms ? next_ms - am->world->now_ms : 1, on_timer, am, NULL);
}

static struct sim_node *node_at(struct world *world, const char *address)
{
    for (unsigned i = 0; i < world->plan.nodes; i++)
        if (strcmp(world->actors->node_address(world->nodes[i]), address) == 0)
            return world->nodes[i];
    return NULL;
}

static void carry_out_one(struct sim_am *am, const struct task_effect *effect)
{
    struct sim_sender from = { SIM_AM, am, am->life };
    struct sim_node *node;

    switch (effect->kind) {
    case TASK_SEND_RM:
        if (effect->envelope->body_case == CREEL__ENVELOPE__BODY_ALLOCATE)
            sim_sizes_draw(am->sizes, am->effects.arena, effect->envelope->allocate);
        world_send(am->world, from, SIM_RM, am->world->rm, 0, effect->envelope);
        break;
    case TASK_SEND_AGENT:
        node = node_at(am->world, effect->address);
        if (node == NULL)
            world_fail(am->world, "an AM calls %s, which is no node", effect->address);
        else
            world_send(am->world, from, SIM_NODE, node, 0, effect->envelope);
        break;
    case TASK_EVENT:
        break;
    case TASK_DONE:
        if (am->host)
            am->world->actors->am_exits(am->host, am->container_id, effect->exit_status);
        else
            am->life = 0;
        break;
    }
}

static void carry_out(struct sim_am *am)
{
    struct err err;

    for (size_t i = 0; i < am->effects.count; i++)
        carry_out_one(am, &am->effects.items[i]);
    task_effects_reset(&am->effects);
    if (task_master_check(am->master, &err) < 0)
        world_fail(am->world, "am %s: %s", am->attempt_id, err.text);
    schedule_timer(am);
}

static void begin(struct world *world, void *actor, void *data)
{
    struct sim_am *am = actor;

    (void)data;
    if (am->life == 0)
        return;
    task_master_on_start(am->master, world->now_ms, &am->effects);
    carry_out(am);
}

static struct sim_am *new_am(struct world *world, struct sim_node *host, const struct attempt_id *attempt,
                             struct task_options *options, const Creel__JobSpec *job)
{
    struct sim_am *am = mem_new0(struct sim_am);
    struct err err;

    am->world = world;
    am->host = host;
    am->sizes = sim_sizes_new(world);
    am->life = rng_next(&world->rng) | 1;
    am->timer_ms = INT64_MAX;
    attempt_id_format(attempt, am->attempt_id);
    app_id_format(&attempt->app, am->app_id);
    if (options->own_container_id)
        strncpy(am->container_id, options->own_container_id, sizeof(am->container_id) - 1);
    options->app_id = am->app_id;
    options->host = "sim";
    options->keep_results = true;
    task_effects_init(&am->effects);
    if (task_master_new(job, options, &am->master, &err) < 0)
        world_fail(world, "am %s: %s", am->attempt_id, err.text);
    else
        world_after(world, rng_between(&world->rng, 1, 100), begin, am, NULL);
    return am;
}

struct sim_am *sim_am_new(struct world *world, struct sim_node *host, const char *container_id,
                          const Creel__JobSpec *job)
{
    struct task_options options = { .own_container_id = container_id };
    struct container_id id = { .number = 0 };

    if (!container_id_parse(container_id, &id))
        world_fail(world, "%s is no container id", container_id);
    return new_am(world, host, &id.attempt, &options, job);
}

struct sim_am *sim_am_new_unmanaged(struct world *world, const char *app_id, uint64_t session,
                                    const Creel__JobSpec *job)
{
    struct task_options options = { .session = session };
    struct attempt_id id = { .attempt = 1 };

    if (!app_id_parse(app_id, &id.app))
        world_fail(world, "%s is no id of an application", app_id);
    return new_am(world, NULL, &id, &options, job);
}

void sim_am_kill(struct sim_am *am)
{
    am->life = 0;
}

void sim_am_free(struct sim_am *am)
{
    task_master_free(am->master);
    sim_sizes_free(am->sizes);
    task_effects_done(&am->effects);
    free(am);
}

uint64_t sim_am_life(const struct sim_am *am)
{
    return am->life;
}

const char *sim_am_attempt(const struct sim_am *am)
{
    return am->attempt_id;
}

/* Compares container exits reported to the AM with the ledger. */
static void note_completed(struct sim_am *am, Creel__ContainerStatus **statuses, size_t count)
{
    struct err err;

    for (size_t i = 0; i < count; i++)
        if (ledger_reported(am->world->ledger, statuses[i]->container_id, statuses[i]->exit_status, &err) < 0)
            world_fail(am->world, "%s", err.text);
}

static void note_allocated(struct sim_am *am, const Creel__AllocateReply *reply)
{
    if (sim_sizes_begin(am->sizes, reply->response_id)) {
        sim_sizes_note(am->sizes, reply->allocated, reply->n_allocated);
        sim_sizes_note(am->sizes, reply->updated, reply->n_updated);
        sim_sizes_ended(am->sizes, reply->completed, reply->n_completed);
    }
    note_completed(am, reply->completed, reply->n_completed);
}

static void note_registered(struct sim_am *am, const Creel__RegisterAmReply *reply)
{
    if (sim_sizes_begin(am->sizes, reply->response_id)) {
        sim_sizes_note(am->sizes, reply->running, reply->n_running);
        sim_sizes_ended(am->sizes, reply->completed, reply->n_completed);
    }
    note_completed(am, reply->completed, reply->n_completed);
}

void sim_am_receive(struct sim_am *am, struct sim_sender from, const Creel__Envelope *envelope)
{
    if (from.kind == SIM_NODE) {
        task_master_on_agent(am->master, am->world->now_ms, am->world->actors->node_address(from.actor),
                             envelope, &am->effects);
        carry_out(am);
        return;
    }
    if (envelope->body_case == CREEL__ENVELOPE__BODY_ALLOCATE_REPLY)
        note_allocated(am, envelope->allocate_reply);
    if (envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY)
        note_registered(am, envelope->register_am_reply);
    task_master_on_rm(am->master, am->world->now_ms, envelope, &am->effects);
    carry_out(am);
}

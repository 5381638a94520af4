/* SPDX-License-Identifier: Apache-2.0 */
/* sim_node.c - a node of a world: nm-agent/core over a virtual machine */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bsd/sys/queue.h>

#include "common/base/id.h"
#include "common/base/job/exit_status.h"
#include "common/base/mem.h"
#include "nm-agent/core/agent.h"
#include "sim/world/actors.h"
#include "sim/world/describe.h"
#include "sim/world/sim_resize.h"

struct answer {
    uint64_t life;
    enum answer_kind kind;
    bool ok;
    char container_id[ID_TEXT_MAX];
    uint8_t hash[32];
};

struct process_end {
    char container_id[ID_TEXT_MAX];
    int status;
    bool by_itself;
};

#define LEAVES_PERMILLE 200 /* commands that end by themselves and leave processes */
#define LEFT_MS 3000        /* for which these run at most */

static void carry_out(struct sim_node *node);
static void start(struct world *world, void *actor, void *data);

static struct agent_time now(const struct sim_node *node)
{
    int64_t now_ms = node->world->now_ms;
    struct agent_time time = { now_ms + world_skew_ms(node->index), now_ms - WORLD_EPOCH_MS };

    return time;
}

static struct machine_container *find(const struct sim_node *node, const char *id)
{
    struct machine_container *container;

    TAILQ_FOREACH(container, &node->containers, link)
        if (strcmp(container->id, id) == 0)
            return container;
    return NULL;
}

/* --- answers to the agent's effects ---------------------------------------- */

static void deliver_answer(struct world *world, void *actor, void *data)
{
    struct sim_node *node = actor;
    const struct answer *answer = data;
    struct machine_container *container = find(node, answer->container_id);
    const char *why = answer->ok ? NULL : "no space left on device";
    struct container_end end = { .diagnostics = "" };

    (void)world;
    if (answer->life != node->life)
        return;
    switch (answer->kind) {
    case ANSWER_SAVED:
        agent_on_saved(node->agent, now(node), answer->container_id, answer->ok ? 0 : -ENOSPC, why,
                       &node->effects);
        break;
    case ANSWER_FETCHED:
        agent_on_fetched(node->agent, now(node), answer->hash, answer->ok ? 0 : -ENOSPC, why, &node->effects);
        break;
    case ANSWER_LAUNCHED:
        agent_on_launched(node->agent, now(node), answer->container_id, answer->ok ? 0 : -EAGAIN, why,
                          &node->effects);
        break;
    case ANSWER_RUNNING:
        /* Not after the exit was reported: the machine reports events in order. */
        if (container && container->sent_life != node->life)
            agent_on_running(node->agent, now(node), answer->container_id, container->started_ms,
                             &node->effects);
        break;
    case ANSWER_COMMAND_ENDED:
        if (container && container->sent_life != node->life)
            agent_on_command_ended(node->agent, now(node), answer->container_id, container->exit_status,
                                   container->finished_ms, &node->effects);
        break;
    case ANSWER_EXITED:
        if (container == NULL || container->sent_life == node->life)
            return;
        container->sent_life = node->life;
        end.exit_status = container->exit_status;
        end.started_ms = container->started_ms;
        end.finished_ms = container->finished_ms;
        agent_on_exited(node->agent, now(node), answer->container_id, &end, &node->effects);
        break;
    }
    carry_out(node);
}

static void answer_later(struct sim_node *node, enum answer_kind kind, const char *container_id,
                         const uint8_t *hash, bool ok, int64_t low_ms, int64_t high_ms)
{
    struct answer *answer = mem_new0(struct answer);

    answer->life = node->life;
    answer->kind = kind;
    answer->ok = ok;
    if (container_id)
        strncpy(answer->container_id, container_id, sizeof(answer->container_id) - 1);
    if (hash)
        memcpy(answer->hash, hash, sizeof(answer->hash));
    world_after(node->world, rng_between(&node->world->rng, low_ms, high_ms), deliver_answer, node, answer);
}

/* --- processes ------------------------------------------------------------- */

/* LEAVES: the command has left processes, which end later. */
static void report_end(struct sim_node *node, const char *container_id, bool leaves)
{
    if (leaves) {
        world_note(node->world, "node %u: %s leaves processes", node->index, container_id);
        answer_later(node, ANSWER_COMMAND_ENDED, container_id, NULL, true, 0, 5);
    }
    answer_later(node, ANSWER_EXITED, container_id, NULL, true, leaves ? 6 : 0, leaves ? LEFT_MS : 5);
}

static void end_process(struct world *world, void *actor, void *data)
{
    struct sim_node *node = actor;
    const struct process_end *end = data;
    struct machine_container *container = find(node, end->container_id);

    if (container == NULL || !container->running)
        return;
    world_note(world, "node %u: %s ends with %d", node->index, container->id, end->status);
    container->running = false;
    container->exit_status = end->status;
    container->finished_ms = now(node).wall_ms;
    ledger_ended(world->ledger, container->id, end->by_itself && !(container->warned && end->status != 0));
    if (container->am)
        sim_am_kill(container->am);
    if (node->life != 0)
        report_end(node, end->container_id, end->by_itself && rng_chance(&world->rng, LEAVES_PERMILLE));
}

static void end_later(struct sim_node *node, const char *container_id, int status, bool by_itself,
                      int64_t low_ms, int64_t high_ms)
{
    struct process_end *end = mem_new0(struct process_end);

    strncpy(end->container_id, container_id, sizeof(end->container_id) - 1);
    end->status = status;
    end->by_itself = by_itself;
    world_after(node->world, rng_between(&node->world->rng, low_ms, high_ms), end_process, node, end);
}

void sim_node_process_exit(struct sim_node *node, const char *container_id, int status)
{
    end_later(node, container_id, status, true, 0, 2);
}

static void start_am(struct sim_node *node, struct machine_container *container, const struct launch *launch)
{
    for (size_t i = 0; i < launch->secret_count; i++) {
        Creel__JobSpec *job;

        if (strcmp(launch->secrets[i].name, "creel-job") != 0)
            continue;
        job = creel__job_spec__unpack(NULL, launch->secrets[i].size, launch->secrets[i].data);
        if (job == NULL)
            break;
        container->am = sim_am_new(node->world, node, launch->container_id, job);
        creel__job_spec__free_unpacked(job, NULL);
        mem_grow(node->ams, node->am_count, node->am_capacity);
        node->ams[node->am_count++] = container->am;
        return;
    }
    world_fail(node->world, "%s is a master without a job", launch->container_id);
}

static void check_contact(struct world *world, void *actor, void *data);

/* Does the work of the container's shim: stops the process when the agent has had no contact to the RM for
 * stop_after_ms. */
static void watch_contact(struct sim_node *node, const struct machine_container *container)
{
    int64_t left_ms = node->contact_ms + container->stop_after_ms - now(node).steady_ms;

    if (container->stop_after_ms > 0)
        world_after(node->world, left_ms > 0 ? left_ms : 0, check_contact, node, mem_strdup(container->id));
}

static void check_contact(struct world *world, void *actor, void *data)
{
    struct sim_node *node = actor;
    struct machine_container *container = find(node, data);

    (void)world;
    if (!container || !container->running)
        return;
    if (now(node).steady_ms < node->contact_ms + container->stop_after_ms)
        watch_contact(node, container);
    else /* late enough that the launch was answered before */
        end_later(node, container->id, CONTAINER_EXIT_ABORTED, false, 25, 30);
}

static void launch(struct sim_node *node, const struct launch *launch)
{
    struct world *world = node->world;
    struct machine_container *container = find(node, launch->container_id);
    char task[128];
    struct err err;

    if (container == NULL || container->record == NULL) {
        world_fail(world, "%s is launched, and was not saved before", launch->container_id);
        return;
    }
    if (world_chance(world, world->plan.disk_refuses)) { /* the launch fails: the disk is full */
        answer_later(node, ANSWER_LAUNCHED, launch->container_id, NULL, false, 0, 3);
        return;
    }
    container->started = container->running = true;
    container->started_ms = now(node).wall_ms;
    container->stop_after_ms = launch->stop_after_ms;
    world_note(world, "node %u: %s starts", node->index, launch->container_id);
    if (ledger_started(world->ledger, launch->container_id, describe_task(launch->environment), node->index,
                       launch->resource, launch->stop_after_ms > 0, world_most(world, node->total),
                       &err) < 0 ||
        attempts_started(world->attempts, launch->container_id, describe_task(launch->environment), &err) <
            0 ||
        (describe_array_task(launch->environment, task, sizeof(task)) &&
         ledger_array_task(world->ledger, launch->container_id, task, &err) < 0)) {
        world_fail(world, "%s", err.text);
        return;
    }
    watch_contact(node, container);
    if (strcmp(launch->argv[0], "creel") == 0)
        start_am(node, container, launch);
    else
        end_later(node, launch->container_id, (int)strtol(launch->argv[1], NULL, 10), true, 50, 20000);
    answer_later(node, ANSWER_LAUNCHED, launch->container_id, NULL, true, 0, 3);
    answer_later(node, ANSWER_RUNNING, launch->container_id, NULL, true, 4, 20);
}

/* --- effects --------------------------------------------------------------- */

static void save(struct sim_node *node, const struct agent_effect *effect)
{
    struct machine_container *container = find(node, effect->container_id);
    bool ok = !world_chance(node->world, node->world->plan.disk_refuses);

    if (ok) {
        if (container == NULL) {
            container = mem_new0(struct machine_container);
            strncpy(container->id, effect->container_id, sizeof(container->id) - 1);
            TAILQ_INSERT_TAIL(&node->containers, container, link);
        }
        free(container->record);
        container->record = mem_dup(effect->data, effect->size);
        container->record_size = effect->size;
    }
    answer_later(node, ANSWER_SAVED, effect->container_id, NULL, ok, 0, 10);
}

static void cleanup_app(struct sim_node *node, const char *app_id)
{
    struct machine_container *container, *next;
    const char *numbers = strchr(app_id, '_');

    mem_grow(node->past, node->past_count, node->past_capacity);
    strncpy(node->past[node->past_count], app_id, ID_TEXT_MAX - 1);
    node->past[node->past_count++][ID_TEXT_MAX - 1] = '\0';
    TAILQ_FOREACH_SAFE(container, &node->containers, link, next) {
        const char *at = strstr(container->id, numbers);

        if (at == NULL || at[strlen(numbers)] != '_')
            continue;
        if (container->running)
            world_fail(node->world, "%s is cleaned up, and %s still runs", app_id, container->id);
        TAILQ_REMOVE(&node->containers, container, link);
        free(container->record);
        free(container);
    }
}

static void send_reply(struct sim_node *node, const struct agent_effect *effect)
{
    struct sim_sender from = { SIM_NODE, node, node->life };
    struct sim_sender *peer;

    if (effect->connection == 0 || effect->connection > node->connection_count)
        return;
    peer = &node->connections[effect->connection - 1];
    world_send(node->world, from, peer->kind, peer->actor, peer->life, effect->envelope);
}

static void carry_out_one(struct sim_node *node, const struct agent_effect *effect)
{
    struct sim_sender from = { SIM_NODE, node, node->life };
    struct machine_container *container = effect->container_id ? find(node, effect->container_id) : NULL;

    switch (effect->kind) {
    case AGENT_SEND:
        world_send(node->world, from, SIM_RM, node->world->rm, 0, effect->envelope);
        break;
    case AGENT_REPLY:
        send_reply(node, effect);
        break;
    case AGENT_SAVE:
        save(node, effect);
        break;
    case AGENT_FETCH:
        answer_later(node, ANSWER_FETCHED, NULL, effect->data,
                     !world_chance(node->world, node->world->plan.disk_refuses), 1, 300);
        break;
    case AGENT_LAUNCH:
        launch(node, effect->launch);
        break;
    case AGENT_PREEMPT_NOTICE:
        if (container)
            container->warned = true;
        break;
    case AGENT_RESIZE:
        sim_machine_resize(node, now(node), effect);
        break;
    case AGENT_STOP:
        if (container && container->running)
            end_later(node, effect->container_id, 143, false, 1, 300);
        break;
    case AGENT_CLEANUP:
        if (container && container->running)
            world_fail(node->world, "%s is cleaned up while it runs", effect->container_id);
        break;
    case AGENT_ACKNOWLEDGE:
        if (container)
            container->acked = true;
        break;
    case AGENT_CLEANUP_APP:
        cleanup_app(node, effect->app_id);
        break;
    case AGENT_SHUTDOWN:
        node->stop_ordered = true;
        if (node->world->plan.drain == 0 || ledger_running_on(node->world->ledger, node->index) > 0)
            world_fail(node->world, "node %u is ordered to shut down: %s", node->index, effect->text);
        break;
    case AGENT_NOTE:
        world_note(node->world, "node %u: %s: %s", node->index,
                   effect->container_id ? effect->container_id : "agent", effect->text);
        break;
    case AGENT_SPARE: /* WARNED stays set: the process may be ending because of the notice */
    case AGENT_KEEP_HISTORY:
    case AGENT_SIGNAL:
    case AGENT_LEARN_KEYS:
    case AGENT_LOG_LEVEL:
        break;
    }
}

static void on_timer(struct world *world, void *actor, void *data)
{
    struct sim_node *node = actor;

    (void)world;
    if (node->life != *(const uint64_t *)data)
        return;
    node->timer_ms = INT64_MAX;
    agent_on_timer(node->agent, now(node), &node->effects);
    carry_out(node);
}

static void schedule_timer(struct sim_node *node)
{
    int64_t next_ms = agent_next_deadline_ms(node->agent);
    int64_t now_ms = now(node).steady_ms;

    if (next_ms >= node->timer_ms)
        return;
    node->timer_ms = next_ms;
    world_after(node->world, next_ms > now_ms ? next_ms - now_ms : 1, on_timer, node,
                mem_dup(&node->life, sizeof(node->life)));
}

static void carry_out(struct sim_node *node)
{
    struct world *world = node->world;
    struct err err;

    for (size_t i = 0; i < node->effects.count; i++) {
        carry_out_one(node, &node->effects.items[i]);
        if (node->stop_ordered || world_chance(world, world->plan.crash_between)) {
            sim_node_crash(node); /* the agent starts again later, as by systemd */
            return;
        }
    }
    agent_effects_reset(&node->effects);
    if (agent_contact_ms(node->agent) != INT64_MIN)
        node->contact_ms = agent_contact_ms(node->agent);
    if (agent_check(node->agent, &err) < 0)
        world_fail(world, "node %u: %s", node->index, err.text);
    schedule_timer(node);
}

/* --- life ------------------------------------------------------------------ */

static enum agent_found_state found_state(const struct machine_container *container)
{
    if (container->acked)
        return AGENT_FOUND_ACKED;
    if (!container->started)
        return AGENT_FOUND_SAVED;
    return container->running ? AGENT_FOUND_RUNNING : AGENT_FOUND_ENDED;
}

static void start(struct world *world, void *actor, void *data)
{
    struct sim_node *node = actor;
    struct agent_config config = {
        .node_id = node->address,
        .address = node->address,
        .rack = node->index % 2 ? "/rack-b" : "/rack-a",
        .agent_key = "0123456789012345678901234567890123456789",
        .version = "sim",
        .cgroup_mode = "v2",
        .total = node->total,
        .incarnation = node->lives + 1,
        .seed = rng_next(&world->rng),
        .message_bytes = world->plan.message_bytes,
        .rm_am_address = "rm:8030",
        .rm_key = "0123456789012345678901234567890123456789",
    };
    struct machine_container *container, *next;

    (void)data;
    node->agent = agent_new(&config);
    node->life = ++node->lives;
    node->timer_ms = INT64_MAX;
    world_note(world, "the agent of node %u starts", node->index);
    for (size_t i = 0; i < node->past_count && !world->plan.broken; i++)
        agent_recall(node->agent, node->past[i]);
    TAILQ_FOREACH_SAFE(container, &node->containers, link, next) {
        enum agent_found_state state = found_state(container);

        if (world->plan.broken)
            continue; /* the defect that the invariants have to find */
        agent_found(node->agent, now(node), container->id, state, container->record, container->record_size,
                    container->started_ms, &node->effects);
        if (state == AGENT_FOUND_ENDED)
            answer_later(node, ANSWER_EXITED, container->id, NULL, true, 0, 5);
    }
    agent_start(node->agent, now(node), &node->effects);
    carry_out(node);
}

void sim_node_crash(struct sim_node *node)
{
    world_note(node->world, "the agent of node %u is killed", node->index);
    agent_free(node->agent);
    node->agent = NULL;
    node->life = 0;
    node->connection_count = 0;
    node->stop_ordered = false;
    agent_effects_reset(&node->effects);
    world_after(node->world, rng_between(&node->world->rng, 100, 15000), start, node, NULL);
}

struct sim_node *sim_node_new(struct world *world, unsigned index)
{
    struct sim_node *node = mem_new0(struct sim_node);

    node->world = world;
    node->index = index;
    snprintf(node->address, sizeof(node->address), "node-%u:8041", index);
    node->total = world_draw_total(world);
    TAILQ_INIT(&node->containers);
    agent_effects_init(&node->effects);
    world_after(world, rng_between(&world->rng, 0, 5000), start, node, NULL);
    return node;
}

void sim_node_free(struct sim_node *node)
{
    struct machine_container *container;

    agent_free(node->agent);
    agent_effects_done(&node->effects);
    while ((container = TAILQ_FIRST(&node->containers)) != NULL) {
        TAILQ_REMOVE(&node->containers, container, link);
        free(container->record);
        free(container);
    }
    for (size_t i = 0; i < node->am_count; i++)
        sim_am_free(node->ams[i]);
    free(node->ams);
    free(node->past);
    free(node->connections);
    free(node);
}

uint64_t sim_node_life(const struct sim_node *node)
{
    return node->life;
}

const char *sim_node_address(const struct sim_node *node)
{
    return node->address;
}

bool sim_node_cut(const struct sim_node *node)
{
    return node->cut;
}

void sim_node_set_cut(struct sim_node *node, bool cut)
{
    node->cut = cut;
}

void sim_node_kill_am(struct sim_node *node)
{
    struct machine_container *container;

    TAILQ_FOREACH(container, &node->containers, link) {
        if (container->running && container->am) {
            end_later(node, container->id, 137, true, 0, 0);
            return;
        }
    }
}

/* --- messages -------------------------------------------------------------- */

static uint64_t connection_of(struct sim_node *node, struct sim_sender from)
{
    for (size_t i = 0; i < node->connection_count; i++)
        if (node->connections[i].actor == from.actor && node->connections[i].life == from.life)
            return i + 1;
    mem_grow(node->connections, node->connection_count, node->connection_capacity);
    node->connections[node->connection_count] = from;
    return ++node->connection_count;
}

static Creel__ContainerGrant *grant_of(const ProtobufCBinaryData *token)
{
    return creel__container_grant__unpack(NULL, token->len, token->data);
}

static void start_containers(struct sim_node *node, uint64_t connection, const Creel__Envelope *envelope)
{
    const Creel__StartContainers *body = envelope->start_containers;
    struct agent_start_request *requests = mem_array0(body->n_containers, sizeof(struct agent_start_request));
    Creel__ContainerGrant **grants = mem_array0(body->n_containers, sizeof(*grants));

    for (size_t i = 0; i < body->n_containers; i++) {
        grants[i] = grant_of(&body->containers[i]->token);
        requests[i].grant = grants[i];
        requests[i].launch = body->containers[i]->launch;
    }
    agent_on_start(node->agent, now(node), connection, envelope->request_id, requests, body->n_containers,
                   &node->effects);
    for (size_t i = 0; i < body->n_containers; i++)
        creel__container_grant__free_unpacked(grants[i], NULL);
    free(grants);
    free(requests);
}

static void stop_containers(struct sim_node *node, uint64_t connection, const Creel__Envelope *envelope)
{
    const Creel__StopContainers *body = envelope->stop_containers;
    Creel__ContainerGrant **grants = mem_array0(body->n_tokens, sizeof(*grants));

    for (size_t i = 0; i < body->n_tokens; i++)
        grants[i] = grant_of(&body->tokens[i]);
    agent_on_stop(node->agent, now(node), connection, envelope->request_id,
                  (const Creel__ContainerGrant *const *)grants, body->n_tokens, &node->effects);
    for (size_t i = 0; i < body->n_tokens; i++)
        creel__container_grant__free_unpacked(grants[i], NULL);
    free(grants);
}

void sim_node_receive(struct sim_node *node, struct sim_sender from, const Creel__Envelope *envelope)
{
    uint64_t connection;

    if (from.kind == SIM_RM) {
        agent_on_message(node->agent, now(node), envelope, &node->effects);
        carry_out(node);
        return;
    }
    connection = connection_of(node, from);
    if (envelope->body_case == CREEL__ENVELOPE__BODY_START_CONTAINERS)
        start_containers(node, connection, envelope);
    else if (envelope->body_case == CREEL__ENVELOPE__BODY_STOP_CONTAINERS)
        stop_containers(node, connection, envelope);
    carry_out(node);
}

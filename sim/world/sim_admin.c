/* SPDX-License-Identifier: Apache-2.0 */
/* sim_admin.c - an administrator of a world: drains, decommissions and resizes nodes, and finally undoes all
 * changes */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "sim/world/actors.h"

#define LOOK_MS 1000
#define LATE_MS \
    5000 /* time after the end of the faults in which late messages may still
            arrive */

struct sim_admin {
    struct world *world;
    bool resized[WORLD_NODES_MAX]; /* true until the size is reset */
    bool all_serve;                /* no node was out of service in the RM's last report after the faults */
};

/* Request ids identify the kind of a request, so that replies can be matched. */
#define REQUEST_LOOK 1u
#define REQUEST_CHANGE 2u
#define REQUEST_RESET 100u /* plus the node's number */

static void send(struct sim_admin *admin, Creel__Envelope *envelope)
{
    struct sim_sender from = { SIM_ADMIN, admin, 1 };

    world_send(admin->world, from, SIM_RM, admin->world->rm, 0, envelope);
}

static void send_change(struct sim_admin *admin, const char *node_id, Creel__NodeChange change)
{
    struct rng *rng = &admin->world->rng;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__ChangeNodes body = CREEL__CHANGE_NODES__INIT;
    char *names[] = { (char *)(uintptr_t)node_id }, reason[] = "chaos";

    body.nodes = names;
    body.n_nodes = 1;
    body.change = change;
    body.reason = reason;
    body.deadline_given = rng_chance(rng, 700);
    body.timeout_ms = rng_between(rng, -1000, 15000);
    body.kill_now = rng_chance(rng, 100);
    envelope.request_id = REQUEST_CHANGE;
    envelope.body_case = CREEL__ENVELOPE__BODY_CHANGE_NODES;
    envelope.change_nodes = &body;
    send(admin, &envelope);
}

/* Sets the size of a node. MEMORY_MB 0: the size that its agent offers. */
static void send_size(struct sim_admin *admin, unsigned node, int64_t memory_mb)
{
    struct rng *rng = &admin->world->rng;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__SetNodeResources body = CREEL__SET_NODE_RESOURCES__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    char *names[] = { (char *)(uintptr_t)sim_node_address(admin->world->nodes[node]) };

    body.nodes = names;
    body.n_nodes = 1;
    total.memory_mb = memory_mb;
    body.total = memory_mb ? &total : NULL;
    body.for_ms = rng_chance(rng, 300) ? rng_between(rng, 1, 20000) : 0;
    body.overcommit_ms = rng_between(rng, -5000, 5000);
    envelope.request_id = memory_mb ? REQUEST_CHANGE : REQUEST_RESET + node;
    envelope.body_case = CREEL__ENVELOPE__BODY_SET_NODE_RESOURCES;
    envelope.set_node_resources = &body;
    send(admin, &envelope);
}

static void send_query(struct sim_admin *admin)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__WaitNodes body = CREEL__WAIT_NODES__INIT;

    envelope.request_id = REQUEST_LOOK;
    envelope.body_case = CREEL__ENVELOPE__BODY_WAIT_NODES;
    envelope.wait_nodes = &body;
    send(admin, &envelope);
}

/* Does one random administrative action, whether it is possible at the moment or not. */
static void do_something(struct sim_admin *admin)
{
    struct rng *rng = &admin->world->rng;
    unsigned node = (unsigned)rng_below(rng, admin->world->plan.nodes);
    const char *id = sim_node_address(admin->world->nodes[node]);
    uint64_t what = rng_below(rng, 6);

    if (what == 5) {
        admin->resized[node] = true;
        send_size(admin, node, rng_between(rng, 512, WORLD_RESIZED_MB_MAX));
    } else {
        send_change(admin, id, what == 4 ? CREEL__NODE_CHANGE__NODE_DRAIN : (Creel__NodeChange)(1 + what));
    }
}

static void each_second(struct world *world, void *actor, void *data)
{
    struct sim_admin *admin = actor;

    (void)data;
    if (world_chance(world, world->plan.drain))
        do_something(admin);
    if (world->now_ms > WORLD_EPOCH_MS + WORLD_FAULTS_END_MS + LATE_MS) {
        for (unsigned i = 0; i < world->plan.nodes; i++)
            if (admin->resized[i])
                send_size(admin, i, 0);
        if (!admin->all_serve) /* an older reply that arrives late may clear ALL_SERVE again */
            send_query(admin);
    }
    world_after(world, LOOK_MS, each_second, admin, NULL);
}

struct sim_admin *sim_admin_new(struct world *world)
{
    struct sim_admin *admin = mem_new0(struct sim_admin);

    admin->world = world;
    world_after(world, LOOK_MS, each_second, admin, NULL);
    return admin;
}

void sim_admin_free(struct sim_admin *admin)
{
    free(admin);
}

/* Puts nodes that are out of service back into service. */
static void put_back(struct sim_admin *admin, const Creel__NodeList *list)
{
    admin->all_serve = list->n_nodes == 0;
    for (size_t i = 0; i < list->n_nodes; i++) {
        Creel__NodeState state = list->nodes[i]->state;

        /* The report does not show whether a lost node was drained or decommissioned: sends both requests. */
        if (state != CREEL__NODE_STATE__NODE_DECOMMISSIONED)
            send_change(admin, list->nodes[i]->node_id, CREEL__NODE_CHANGE__NODE_UNDRAIN);
        if (state != CREEL__NODE_STATE__NODE_DRAINED)
            send_change(admin, list->nodes[i]->node_id, CREEL__NODE_CHANGE__NODE_RECOMMISSION);
    }
}

void sim_admin_receive(struct sim_admin *admin, const Creel__Envelope *envelope)
{
    uint64_t id = envelope->request_id;

    if (id == REQUEST_LOOK && envelope->body_case == CREEL__ENVELOPE__BODY_NODE_LIST) {
        if (admin->world->now_ms > WORLD_EPOCH_MS + WORLD_FAULTS_END_MS + LATE_MS)
            put_back(admin, envelope->node_list);
    } else if (id >= REQUEST_RESET && id < REQUEST_RESET + WORLD_NODES_MAX) {
        admin->resized[id - REQUEST_RESET] = false;
    } else if (envelope->body_case == CREEL__ENVELOPE__BODY_ERROR &&
               envelope->error->code != CREEL__ERROR_CODE__ERROR_BAD_STATE &&
               envelope->error->code != CREEL__ERROR_CODE__ERROR_NOT_FOUND &&
               envelope->error->code != CREEL__ERROR_CODE__ERROR_STORE) { /* it is made, and stored later */
        world_fail(admin->world, "an administrator is refused: %s", envelope->error->message);
    }
}

bool sim_admin_done(const struct sim_admin *admin)
{
    for (unsigned i = 0; i < admin->world->plan.nodes; i++)
        if (admin->resized[i])
            return false;
    return admin->all_serve || admin->world->plan.drain == 0;
}

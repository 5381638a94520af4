/* SPDX-License-Identifier: Apache-2.0 */
/* sim_resize.c - other sizes for containers in a world: requests of AMs, and the limits on a virtual machine
 * */
#include "sim/world/sim_resize.h"

#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "sim/world/actors.h"

struct sim_size {
    char container_id[ID_TEXT_MAX];
    uint32_t version;
    int64_t memory_mb;
};

struct sim_sizes {
    struct world *world;
    struct sim_size *items; /* owned */
    size_t count, capacity;
    uint64_t response_id;
    bool is_news; /* the present reply has a higher id than all before */
};

struct sim_sizes *sim_sizes_new(struct world *world)
{
    struct sim_sizes *sizes = mem_new0(struct sim_sizes);

    sizes->world = world;
    return sizes;
}

void sim_sizes_free(struct sim_sizes *sizes)
{
    if (sizes == NULL)
        return;
    free(sizes->items);
    free(sizes);
}

static struct sim_size *find(struct sim_sizes *sizes, const char *container_id)
{
    for (size_t i = 0; i < sizes->count; i++)
        if (strcmp(sizes->items[i].container_id, container_id) == 0)
            return &sizes->items[i];
    return NULL;
}

bool sim_sizes_begin(struct sim_sizes *sizes, uint64_t response_id)
{
    if (response_id < sizes->response_id)
        return false;
    sizes->is_news = response_id > sizes->response_id;
    sizes->response_id = response_id;
    return true;
}

void sim_sizes_note(struct sim_sizes *sizes, Creel__Container **containers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const Creel__Container *container = containers[i];
        struct sim_size *size = find(sizes, container->container_id);

        if (size == NULL) {
            mem_grow(sizes->items, sizes->count, sizes->capacity);
            size = &sizes->items[sizes->count++];
            *size = (struct sim_size){ .version = container->version };
            strncpy(size->container_id, container->container_id, sizeof(size->container_id) - 1);
        } else if (container->version < size->version && !sizes->is_news) {
            continue; /* a repeated RegisterAmReply */
        } else if (container->version < size->version ||
                   (container->version == size->version &&
                    container->resource->memory_mb != size->memory_mb)) {
            world_fail(sizes->world, "%s: had version %u with %lld MiB, and has version %u with %lld MiB",
                       size->container_id, size->version, (long long)size->memory_mb, container->version,
                       (long long)container->resource->memory_mb);
        }
        size->version = container->version;
        size->memory_mb = container->resource->memory_mb;
    }
}

void sim_sizes_ended(struct sim_sizes *sizes, Creel__ContainerStatus **statuses, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sim_size *size = find(sizes, statuses[i]->container_id);

        if (size)
            *size = sizes->items[--sizes->count];
    }
}

static Creel__ContainerUpdate *draw_update(struct sim_sizes *sizes, struct arena *arena)
{
    struct rng *rng = &sizes->world->rng;
    const struct sim_size *size = &sizes->items[rng_below(rng, sizes->count)];
    Creel__ContainerUpdate *update = arena_new0(arena, Creel__ContainerUpdate);
    int64_t memory_mb = rng_between(rng, 1, 16) * 64;

    creel__container_update__init(update);
    update->container_id = arena_strdup(arena, size->container_id);
    update->version = size->version + (rng_chance(rng, 50) ? 1 : 0);
    update->type = memory_mb > size->memory_mb ? CREEL__CONTAINER_UPDATE_TYPE__UPDATE_INCREASE_RESOURCE
                                               : CREEL__CONTAINER_UPDATE_TYPE__UPDATE_DECREASE_RESOURCE;
    update->capability = arena_new0(arena, Creel__Resource);
    creel__resource__init(update->capability);
    update->capability->memory_mb = memory_mb;
    update->capability->vcores = 1;
    return update;
}

void sim_sizes_draw(struct sim_sizes *sizes, struct arena *arena, Creel__Allocate *body)
{
    if (sizes->count == 0 || !rng_chance(&sizes->world->rng, 100))
        return;
    body->updates = arena_array0(arena, 1, sizeof(*body->updates));
    body->updates[0] = draw_update(sizes, arena);
    body->n_updates = 1;
}

/* --- the machine ------------------------------------------------------------- */

void sim_machine_resize(struct sim_node *node, struct agent_time now, const struct agent_effect *effect)
{
    struct world *world = node->world;
    const Creel__ResizeOrder *order = effect->resize; /* EFFECT itself may move as effects are added */
    bool fails = world_chance(world, world->plan.disk_refuses);
    struct err err;

    if (!fails && ledger_resized(world->ledger, order->container_id, effect->resource,
                                 world_most(world, node->total), &err) < 0)
        world_fail(world, "%s", err.text);
    agent_on_resized(node->agent, now, order, fails ? -EBUSY : 0, fails ? "device or resource busy" : NULL,
                     &node->effects);
}

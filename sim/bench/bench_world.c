/* SPDX-License-Identifier: Apache-2.0 */
/* bench_world.c - creates nodes, apps and requests of the benchmark, and processes decisions */
#include <assert.h>
#include <string.h>

#include "common/base/mem.h"
#include "sim/bench/bench.h"

#define BASE_MB 1024       /* the smallest container */
#define BACKLOG 10000u     /* containers that an app requests, more than it can get */
#define LOCAL_EACH 4u      /* requested containers on each named host */
#define RENEW_AFTER 64u    /* containers allocated before an app repeats its request */
#define LOCAL_PERMILLE 400 /* requests that name hosts and racks, per mille */

static const int64_t size_parts[] = { 1, 1, 1, 2, 2, 4 }; /* sizes of containers in BASE_MB, for mixed
                                                             requests */
#define SIZES (sizeof(size_parts) / sizeof(size_parts[0]))
#define LARGEST 4

static struct resource size_of(const struct bench_options *options, int64_t parts)
{
    struct resource size = resource_of(parts * BASE_MB, parts);

    for (int t = 2; t < (int)options->types; t++)
        size.value[t] = parts;
    return size;
}

/* Returns the size of a node in parts. Each queue gets the same resources, so apps that request small
 * containers have more of them. */
static int64_t parts_per_node(const struct bench_options *options)
{
    int64_t each = options->containers / options->nodes, of_each = 0;

    if (options->asks != BENCH_MIXED)
        return each > 0 ? each : 1;
    for (size_t i = 0; i < SIZES; i++)
        of_each += LARGEST / size_parts[i];
    each = each * LARGEST * (int64_t)SIZES / of_each;
    return each > LARGEST ? each : LARGEST;
}

int bench_world_new(const struct bench_options *options, struct bench_world **ret, struct err *err)
{
    struct bench_world *world = mem_new0(struct bench_world);
    struct sched_config config = { .policy = options->scheduler };
    int64_t parts = parts_per_node(options);
    int r;

    world->options = *options;
    world->checksum = 0xcbf29ce484222325ULL;
    rng_seed(&world->rng, (uint64_t)options->seed);
    world->nodes = mem_array0((size_t)options->nodes, sizeof(*world->nodes));
    world->apps = mem_array0((size_t)options->apps, sizeof(*world->apps));
    world->given = mem_array0((size_t)options->apps, sizeof(*world->given));
    world->order = mem_array0((size_t)options->nodes, sizeof(*world->order));
    for (uint32_t i = 0; i < (uint32_t)options->nodes; i++) {
        uint32_t j = (uint32_t)rng_below(&world->rng, i + 1);

        world->order[i] = world->order[j];
        world->order[j] = i;
        world->nodes[i].capacity = (uint32_t)parts;
        world->nodes[i].live = mem_array0((size_t)parts, sizeof(*world->nodes[i].live));
    }
    world->decisions.capacity = 4096;
    world->decisions.items = mem_array0(4096, sizeof(*world->decisions.items));
    world->bytes_before = bench_allocated_bytes();
    if ((r = bench_config_fill(world, &config, err)) < 0 ||
        (r = sched_new(&config, &world->sched, err)) < 0) {
        bench_world_free(world);
        return r;
    }
    *ret = world;
    return 0;
}

void bench_world_free(struct bench_world *world)
{
    if (world == NULL)
        return;
    sched_free(world->sched);
    bench_config_free(world);
    for (int64_t i = 0; i < world->options.nodes; i++)
        free(world->nodes[i].live);
    free(world->nodes);
    free(world->apps);
    free(world->given);
    free(world->order);
    free(world->decisions.items);
    free(world);
}

/* --- nodes and apps -------------------------------------------------------- */

void bench_world_add_nodes(struct bench_world *world)
{
    const struct bench_options *options = &world->options;

    for (int64_t i = 0; i < options->nodes; i++) {
        char id[32], host[32], rack[32];
        struct sched_node_spec spec = {
            .id = id,
            .host = host,
            .rack = rack,
            .owner = (void *)(uintptr_t)i,
            .total = size_of(options, parts_per_node(options)),
            .closed = options->mode == BENCH_DEMAND, /* opened by bench_world_fill: else the first apps
                                                        would get everything */
        };

        snprintf(id, sizeof(id), "node%lld:8041", (long long)i);
        snprintf(host, sizeof(host), "node%lld", (long long)i);
        snprintf(rack, sizeof(rack), "/rack%lld", (long long)(i % options->racks));
        world->nodes[i].handle = sched_node_add(world->sched, &spec, &world->decisions);
    }
}

int bench_world_add_apps(struct bench_world *world, struct err *err)
{
    const struct bench_options *options = &world->options;
    int r = 0;

    for (int64_t i = 0; r == 0 && i < options->apps; i++) {
        char queue[64], user[32];
        struct sched_app_spec spec = {
            .id = { 1, (uint32_t)i + 1 },
            .user = user,
            .queue = queue,
            .manages = options->limit == BENCH_AM_LIMIT,
            .owner = (void *)(uintptr_t)i,
        };

        bench_config_queue(options, i, queue);
        snprintf(user, sizeof(user), "user%lld", (long long)(i / options->queues % options->users));
        r = sched_app_add(world->sched, &spec, &world->apps[i].handle, err);
        if (r == 0 && options->limit != BENCH_AM_LIMIT)
            sched_app_start(world->sched, world->apps[i].handle, NULL, &world->decisions);
    }
    return r;
}

/* --- requests -------------------------------------------------------------- */

struct ask_text {
    char host[32], rack[32];
};

static size_t add_local(struct bench_world *world, const struct bench_app *app, uint32_t count,
                        struct resource size, struct ask_text *text, struct sched_ask *asks)
{
    for (size_t i = 0; i < BENCH_HOSTS; i++) {
        struct sched_ask row = { .priority = 1, .capability = size, .count = count };

        snprintf(text[i].host, sizeof(text[i].host), "node%u", app->hosts[i]);
        snprintf(text[i].rack, sizeof(text[i].rack), "/rack%lld",
                 (long long)(app->hosts[i] % world->options.racks));
        asks[2 * i] = asks[2 * i + 1] = row;
        asks[2 * i].resource_name = text[i].host;
        asks[2 * i + 1].resource_name = text[i].rack;
    }
    return 2 * BENCH_HOSTS;
}

static int ask(struct bench_world *world, struct bench_app *app, struct err *err)
{
    const struct bench_options *options = &world->options;
    struct ask_text old[BENCH_HOSTS], fresh[BENCH_HOSTS];
    struct sched_ask asks[4 * BENCH_HOSTS + 1];
    struct sched_request request = { .asks = asks };
    int64_t parts = options->asks != BENCH_MIXED ? 1 : size_parts[rng_below(&world->rng, SIZES)];
    struct resource size = size_of(options, parts);
    struct sched_ask *any;

    if (app->local)
        request.ask_count = add_local(world, app, 0, size, old, asks);
    app->local = options->asks != BENCH_PLAIN && rng_chance(&world->rng, LOCAL_PERMILLE);
    if (app->local) {
        for (size_t i = 0; i < BENCH_HOSTS; i++)
            app->hosts[i] = (uint32_t)rng_below(&world->rng, (uint64_t)options->nodes);
        request.ask_count += add_local(world, app, LOCAL_EACH, size, fresh, &asks[request.ask_count]);
    }
    any = &asks[request.ask_count++];
    *any = (struct sched_ask){ .priority = 1, .resource_name = "*", .capability = size, .count = BACKLOG };
    world->given[app - world->apps] = 0;
    return sched_allocate(world->sched, app->handle, &request, &world->decisions, err);
}

int bench_world_ask_all(struct bench_world *world, struct err *err)
{
    int r = 0;

    for (int64_t i = 0; r == 0 && i < world->options.apps; i++) {
        r = ask(world, &world->apps[i], err);
        bench_world_absorb(world);
    }
    bench_world_update(world);
    return r;
}

int bench_world_renew(struct bench_world *world, uint64_t *asked, struct err *err)
{
    int r = 0;

    for (int64_t i = 0; r == 0 && i < world->options.apps; i++) {
        if (world->given[i] < RENEW_AFTER)
            continue;
        r = ask(world, &world->apps[i], err);
        bench_world_absorb(world);
        ++*asked;
    }
    return r;
}

void bench_world_update(struct bench_world *world)
{
    sched_update(world->sched, &world->decisions);
    bench_world_absorb(world);
}

/* --- decisions ------------------------------------------------------------- */

static inline void mix(struct bench_world *world, uint64_t value)
{
    world->checksum = (world->checksum ^ value) * 0x100000001b3ULL;
    world->checksum ^= world->checksum >> 29;
}

static void enter(struct bench_world *world, const struct sched_decision *decision)
{
    size_t index = (size_t)(uintptr_t)sched_node_owner(decision->node);
    struct bench_node *node = &world->nodes[index];
    size_t app = (size_t)(uintptr_t)sched_app_owner(decision->app);

    mix(world, (uint64_t)index << 32 | (uint64_t)app << 4 | (uint64_t)decision->kind);
    if (decision->kind != SCHED_ALLOCATED) {
        world->reserved += decision->kind == SCHED_RESERVED ? 1 : 0;
        return;
    }
    assert(node->count < node->capacity);
    node->live[node->count++] = decision->container;
    world->given[app]++;
    world->allocated++;
}

static void leave(struct bench_world *world, const struct sched_decision *decision)
{
    struct sched_container_info info;
    struct bench_node *node;
    uint32_t i = 0;

    sched_container_info(decision->container, &info);
    node = &world->nodes[(size_t)(uintptr_t)sched_node_owner(info.node)];
    mix(world, info.number);
    while (i < node->count && node->live[i] != decision->container)
        i++;
    assert(i < node->count);
    node->live[i] = node->live[--node->count];
    world->killed++;
    sched_container_end(world->sched, decision->container, &world->decisions);
}

void bench_world_absorb(struct bench_world *world)
{
    for (size_t i = 0; i < world->decisions.count; i++) { /* a removal may cause further decisions */
        struct sched_decision decision = world->decisions.items[i];

        if (decision.kind == SCHED_KILL)
            leave(world, &decision);
        else if (decision.kind == SCHED_PREEMPT)
            world->preempted++;
        else
            enter(world, &decision);
    }
    world->decisions.count = 0;
}

/* --- events ---------------------------------------------------------------- */

static void end_at(struct bench_world *world, struct bench_node *node, uint32_t i)
{
    struct sched_container *container = node->live[i];

    node->live[i] = node->live[--node->count];
    sched_container_end(world->sched, container, &world->decisions);
}

bool bench_world_end_one(struct bench_world *world, size_t index)
{
    struct bench_node *node = &world->nodes[index];

    if (node->count == 0)
        return false;
    end_at(world, node, (uint32_t)rng_below(&world->rng, node->count));
    return true;
}

bool bench_world_end_next(struct bench_world *world)
{
    return bench_world_end_one(world, world->order[world->next]);
}

void bench_world_heartbeat_next(struct bench_world *world)
{
    struct bench_node *node = &world->nodes[world->order[world->next]];

    world->next = world->next + 1 == (size_t)world->options.nodes ? 0 : world->next + 1;
    sched_node_heartbeat(world->sched, node->handle, &world->decisions);
}

void bench_world_fill(struct bench_world *world)
{
    int empty_rounds = 0;

    for (int64_t i = 0; i < world->options.nodes; i++) {
        sched_node_set_open(world->sched, world->nodes[i].handle, true, &world->decisions);
        bench_world_absorb(world);
    }

    while (empty_rounds < 3) { /* a request may wait some rounds for a better node */
        uint64_t before = world->allocated;

        for (int64_t i = 0; i < world->options.nodes; i++) {
            bench_world_heartbeat_next(world);
            bench_world_absorb(world);
        }
        empty_rounds = world->allocated == before ? empty_rounds + 1 : 0;
    }
}

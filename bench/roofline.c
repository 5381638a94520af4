/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roofline.c - benchmark: upper bound for the speed of an exact hierarchical scheduler on this machine
 *
 * A minimal model to compare creel-sim bench with: queues in two levels below the root, apps in the leaves,
 * nodes in buckets by free cores. In a full cluster, each pair of operations ends a random container and
 * allocates one to the least used app of the leaf with the least weighted use, with exact order after each
 * operation. Without limits, locality, reservations or events.
 *   roofline QUEUES APPS NODES PAIRS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CORES 63
#define NODE_MB (256 * 1024)
#define CONTAINER_MB 1024
#define PER_NODE 40 /* containers per node in the full cluster */

/* A tournament tree: finds the smallest key. A changed key is compared again on its path to the root only. */
struct tournament {
    uint64_t *keys;
    int *winners; /* [1] is the index of the smallest key */
    int capacity;
};

/* Nodes and apps use a cache line each, containers half of one: the minimum of a real scheduler. */
struct node {
    _Alignas(64) int cores;
    int memory_mb, previous, next, containers;
};

struct queue {
    uint64_t used_mb, used_cores;
    uint32_t weight;
    struct tournament children; /* the leaves of a parent, or the apps of a leaf */
};

struct app {
    _Alignas(64) uint64_t used_mb;
    uint64_t used_cores;
    uint32_t weight;
};

struct container {
    int leaf, slot, node, memory_mb;
    uint64_t id, start;
};

struct toy {
    uint64_t random;
    struct node *nodes;
    int buckets[CORES + 1]; /* first node with this number of free cores, or -1 */
    uint64_t filled;        /* one bit per bucket that has a node */
    int parents, leaves_each, apps_each;
    struct tournament root;
    struct queue *queues, *leaves;
    struct app *apps;
    struct container *live;
    long count, capacity;
    uint64_t last_id;
};

static void *zeroed(long count, size_t size)
{
    size_t bytes = ((size_t)count * size + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes);

    if (memory == NULL)
        abort();
    return memset(memory, 0, bytes);
}

static uint64_t next_random(struct toy *toy)
{
    toy->random ^= toy->random << 13;
    toy->random ^= toy->random >> 7;
    toy->random ^= toy->random << 17;
    return toy->random;
}

/* --- tournaments ----------------------------------------------------------- */

static inline void play(struct tournament *tree, int match)
{
    int a = tree->winners[2 * match], b = tree->winners[2 * match + 1];

    tree->winners[match] = tree->keys[a] <= tree->keys[b] ? a : b;
}

static void tournament_new(struct tournament *tree, int players)
{
    tree->capacity = 1;
    while (tree->capacity < players)
        tree->capacity *= 2;
    tree->keys = zeroed(tree->capacity, sizeof(*tree->keys));
    tree->winners = zeroed(2L * tree->capacity, sizeof(*tree->winners));
    for (int i = 0; i < tree->capacity; i++) {
        tree->keys[i] = i < players ? 0 : UINT64_MAX;
        tree->winners[tree->capacity + i] = i;
    }
    for (int match = tree->capacity - 1; match > 0; match--)
        play(tree, match);
}

static inline void tournament_set(struct tournament *tree, int player, uint64_t key)
{
    tree->keys[player] = key;
    for (int match = (tree->capacity + player) / 2; match > 0; match /= 2)
        play(tree, match);
}

/* --- nodes ----------------------------------------------------------------- */

static inline void enter_bucket(struct toy *toy, int index)
{
    struct node *node = &toy->nodes[index];
    int *first = &toy->buckets[node->cores];

    node->previous = -1;
    node->next = *first;
    if (*first >= 0)
        toy->nodes[*first].previous = index;
    *first = index;
    toy->filled |= 1ULL << node->cores;
}

static inline void leave_bucket(struct toy *toy, int index)
{
    struct node *node = &toy->nodes[index];

    if (node->next >= 0)
        toy->nodes[node->next].previous = node->previous;
    if (node->previous >= 0) {
        toy->nodes[node->previous].next = node->next;
        return;
    }
    toy->buckets[node->cores] = node->next;
    if (node->next < 0)
        toy->filled &= ~(1ULL << node->cores);
}

/* --- one pair of operations ------------------------------------------------ */

/* Adds COUNT (1 or -1) containers to the use of app, leaf and parent. */
static inline void charge(struct toy *toy, const struct container *container, int count)
{
    struct queue *leaf = &toy->leaves[container->leaf];
    int parent = container->leaf / toy->leaves_each;
    struct queue *queue = &toy->queues[parent];
    struct app *app = &toy->apps[container->leaf * toy->apps_each + container->slot];
    uint64_t cores = (uint64_t)(int64_t)count, amount = cores * (uint64_t)container->memory_mb;
    struct node *node = &toy->nodes[container->node];

    leave_bucket(toy, container->node);
    node->cores -= count;
    node->memory_mb -= count * container->memory_mb;
    node->containers += count;
    enter_bucket(toy, container->node);
    app->used_mb += amount;
    app->used_cores += cores;
    leaf->used_mb += amount;
    leaf->used_cores += cores;
    queue->used_mb += amount;
    queue->used_cores += cores;
    tournament_set(&leaf->children, container->slot, (app->used_mb << 8) / app->weight);
    tournament_set(&queue->children, container->leaf % toy->leaves_each, (leaf->used_mb << 8) / leaf->weight);
    tournament_set(&toy->root, parent, (queue->used_mb << 8) / queue->weight);
}

static void end_one(struct toy *toy)
{
    long i = (long)(next_random(toy) % (uint64_t)toy->count);
    struct container gone = toy->live[i];

    toy->live[i] = toy->live[--toy->count];
    charge(toy, &gone, -1);
}

static void allocate_one(struct toy *toy)
{
    int parent = toy->root.winners[1];
    int leaf = parent * toy->leaves_each + toy->queues[parent].children.winners[1];
    struct container *fresh = &toy->live[toy->count++];

    fresh->leaf = leaf;
    fresh->slot = toy->leaves[leaf].children.winners[1];
    fresh->node = toy->buckets[63 - __builtin_clzll(toy->filled)];
    fresh->memory_mb = CONTAINER_MB;
    fresh->id = fresh->start = ++toy->last_id;
    charge(toy, fresh, 1);
}

/* --- the cluster ----------------------------------------------------------- */

static void build(struct toy *toy, int queues, int apps, int nodes)
{
    toy->random = 88172645463325252ULL;
    for (toy->parents = 1; toy->parents * toy->parents < queues;)
        toy->parents++;
    toy->leaves_each = (queues + toy->parents - 1) / toy->parents;
    toy->apps_each = (apps + queues - 1) / queues;
    toy->nodes = zeroed(nodes, sizeof(*toy->nodes));
    toy->queues = zeroed(toy->parents, sizeof(*toy->queues));
    toy->leaves = zeroed((long)toy->parents * toy->leaves_each, sizeof(*toy->leaves));
    toy->apps = zeroed((long)toy->parents * toy->leaves_each * toy->apps_each, sizeof(*toy->apps));
    for (int a = 0; a < toy->parents * toy->leaves_each * toy->apps_each; a++)
        toy->apps[a].weight = 1;
    toy->capacity = (long)nodes * PER_NODE;
    toy->live = zeroed(toy->capacity, sizeof(*toy->live));
    for (int i = 0; i <= CORES; i++)
        toy->buckets[i] = -1;
    for (int i = 0; i < nodes; i++) {
        toy->nodes[i].cores = CORES;
        toy->nodes[i].memory_mb = NODE_MB;
        enter_bucket(toy, i);
    }
    tournament_new(&toy->root, toy->parents);
    for (int p = 0; p < toy->parents; p++) {
        toy->queues[p].weight = 1 + (uint32_t)(next_random(toy) % 4);
        tournament_new(&toy->queues[p].children, toy->leaves_each);
        for (int l = p * toy->leaves_each; l < (p + 1) * toy->leaves_each; l++) {
            toy->leaves[l].weight = 1 + (uint32_t)(next_random(toy) % 8);
            tournament_new(&toy->leaves[l].children, toy->apps_each);
        }
    }
}

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static long number(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (*end != '\0' || end == text || value < 1 || value > 1000000000) {
        fprintf(stderr, "roofline: %s: expected a number above 0\n", text);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    struct toy toy = { .count = 0 };
    double start_s, took_s;
    long pairs;

    if (argc != 5) {
        fputs("usage: roofline QUEUES APPS NODES PAIRS\n", stderr);
        return 2;
    }
    pairs = number(argv[4]);
    build(&toy, (int)number(argv[1]), (int)number(argv[2]), (int)number(argv[3]));
    while (toy.count < toy.capacity)
        allocate_one(&toy);
    start_s = now_s();
    for (long i = 0; i < pairs; i++) {
        end_one(&toy);
        allocate_one(&toy);
    }
    took_s = now_s() - start_s;
    printf("roofline: %s queues, %s apps, %s nodes, %ld containers: %.0f pairs per second, "
           "%.0f ns per pair\n",
           argv[1], argv[2], argv[3], toy.capacity, (double)pairs / took_s, took_s / (double)pairs * 1e9);
    return 0; /* memory is freed by the exit */
}

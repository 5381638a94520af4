/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_race.c - what sorting on every heartbeat costs: creel's fair scheduler beside one that does
 *
 *   fair_race [QUEUES [RUNNING [WAITING [NODES [HEARTBEATS]]]]]      1000 600 1500 1000 20000
 *
 * Leaves below root, policy fair, RUNNING apps that fill the cluster, WAITING ones that have nothing
 * yet, all with more to ask for. Each heartbeat one container of the node ends, and one is placed.
 * The other one does as YARN: it sorts the children of root by their use, then the apps of the leaf;
 * "once" adds up the use of each before it sorts, "each time" whenever two are compared. All must
 * place the same. In continuous scheduling it also sorts the nodes by free space at each pass, and on
 * demand it does what it does on a heartbeat. It prints nanoseconds a container that ends and is
 * replaced, and the ratios, for each of the three modes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "rm/sched/fair/config.h"
#include "rm/sched/sched.h"

#define EACH_NODE 20                    /* containers of 1024 MiB, 1 vcore */

enum mode { HEARTBEAT, CONTINUOUS, DEMAND, MODES };
static const char *const mode_names[MODES] = {
    "heartbeat", "continuous", "on demand",
};

struct runner {                         /* an app, as who sorts sees it */
    int queue;
    int64_t used;
    char name[16];
};

struct race {
    int queues, running, waiting, nodes, heartbeats;
    struct rng rng;
    enum mode mode;
    int *on;                            /* [node][place]: app, owned */
    int *free_mb, *order;               /* [node], owned: of who sorts nodes */
    struct runner *apps;                /* owned */
    int64_t *sums;                      /* of queues, owned */
    int *sorted;                        /* owned */
    char (*names)[16];                  /* of queues, owned */
    uint64_t compared;
};

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);  /* others run here, too */
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int apps_of(const struct race *race)
{
    return race->running + race->waiting;
}

/* --- who sorts ----------------------------------------------------------------- */

static struct race *sorting;            /* qsort takes no context */
static bool each_time;

static int64_t use_of(int queue)
{
    int64_t sum = 0;

    if (!each_time)
        return sorting->sums[queue];
    for (int a = queue; a < apps_of(sorting); a += sorting->queues)
        sum += sorting->apps[a].used;
    return sum;
}

static int compare_queues(const void *a, const void *b)
{
    int queue_a = *(const int *)a, queue_b = *(const int *)b;
    int64_t use_a = use_of(queue_a), use_b = use_of(queue_b);

    sorting->compared++;
    if (use_a != use_b)
        return use_a < use_b ? -1 : 1;
    return strcmp(sorting->names[queue_a], sorting->names[queue_b]);
}

static bool is_before(const struct runner *a, const struct runner *b)
{
    return a->used != b->used ? a->used < b->used : strcmp(a->name, b->name) < 0;
}

static int next_by_sorting(struct race *race)
{
    int queue, best = -1;

    sorting = race;
    for (int q = 0; q < race->queues; q++) {
        race->sorted[q] = q;
        race->sums[q] = 0;
    }
    for (int a = 0; a < apps_of(race) && !each_time; a++)
        race->sums[race->apps[a].queue] += race->apps[a].used;
    qsort(race->sorted, (size_t)race->queues, sizeof(race->sorted[0]), compare_queues);
    queue = race->sorted[0];
    for (int a = queue; a < apps_of(race); a += race->queues)
        if (best < 0 || is_before(&race->apps[a], &race->apps[best]))
            best = a;
    return best;
}

static int compare_nodes(const void *a, const void *b)
{
    int node_a = *(const int *)a, node_b = *(const int *)b;
    int free_a = sorting->free_mb[node_a], free_b = sorting->free_mb[node_b];

    return free_a != free_b ? (free_a > free_b ? -1 : 1) : (node_a > node_b) - (node_a < node_b);
}

/* The node with most room: the one where a container has just ended. */
static void find_node_by_sorting(struct race *race)
{
    sorting = race;
    for (int n = 0; n < race->nodes; n++)
        race->order[n] = n;
    qsort(race->order, (size_t)race->nodes, sizeof(race->order[0]), compare_nodes);
}

static int64_t run_sorting(struct race *race, int heartbeats, int *placed)
{
    int64_t start_ns = now_ns();

    for (int i = 0; i < heartbeats; i++) {
        int *place = &race->on[i % race->nodes * EACH_NODE +
                               (int)rng_below(&race->rng, EACH_NODE)];

        race->apps[*place].used--;
        race->free_mb[i % race->nodes] += 1024;
        if (race->mode == CONTINUOUS)
            find_node_by_sorting(race);
        race->free_mb[race->mode == CONTINUOUS ? race->order[0] : i % race->nodes] -= 1024;
        *place = placed[i] = next_by_sorting(race);
        race->apps[*place].used++;
    }
    return now_ns() - start_ns;
}

static void fill(struct race *race)
{
    rng_seed(&race->rng, 1);
    for (int a = 0; a < apps_of(race); a++) {
        race->apps[a] = (struct runner){ .queue = a % race->queues };
        snprintf(race->apps[a].name, sizeof(race->apps[a].name), "%04d", a + 1);
    }
    for (int q = 0; q < race->queues; q++)
        snprintf(race->names[q], sizeof(race->names[q]), "q%d", q);
    for (int i = 0; i < race->nodes * EACH_NODE; i++) {
        race->on[i] = i % race->running;
        race->apps[race->on[i]].used++;
    }
}

/* --- creel ---------------------------------------------------------------------- */

struct world {
    struct sched *sched;
    struct sched_decisions decisions;
    struct sched_node **nodes;          /* owned, as all below */
    struct sched_app **apps;
    struct sched_container **on;
};

static struct sched_config configure(const struct race *race)
{
    struct sched_config config = { .strategy = "fair", .calculator = SCHED_EVERY_TYPE,
                                   .assign_on_demand = race->mode == DEMAND };
    struct conf *conf = conf_new_defaults();
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct err err;

    fprintf(out, "<allocations>");
    for (int q = 0; q < race->queues; q++)
        fprintf(out, "<queue name=\"q%d\"/>", q);
    fprintf(out, "</allocations>");
    fclose(out);
    if (fair_config_load(conf, "race", text, size, NULL, NULL, &config.fair, &err) < 0)
        exit((fprintf(stderr, "%s\n", err.text), 1));
    conf_free(conf);
    free(text);
    config.types = 2;
    config.minimum = config.fair->minimum;
    config.step = config.fair->increment;
    config.maximum = config.fair->maximum;
    return config;
}

static void add_apps(const struct race *race, struct world *world)
{
    for (int a = 0; a < apps_of(race); a++) {
        char queue[32];
        struct sched_app_spec spec = { .id = { 1, (uint32_t)a + 1 }, .user = "u", .queue = queue };

        snprintf(queue, sizeof(queue), "root.q%d", a % race->queues);
        if (sched_app_add(world->sched, &spec, &world->apps[a], NULL) < 0)
            abort();
        sched_app_start(world->sched, world->apps[a], NULL, &world->decisions);
    }
}

/* The cluster is full: nothing is placed yet. */
static void ask(const struct race *race, struct world *world)
{
    struct sched_ask ask = { .priority = 1, .resource_name = "*", .count = 100000,
                             .capability = resource_of(1024, 1) };
    struct sched_request request = { .asks = &ask, .ask_count = 1 };

    for (int a = 0; a < apps_of(race); a++)
        if (sched_allocate(world->sched, world->apps[a], &request, &world->decisions, NULL) < 0)
            abort();
}

static void build(const struct race *race, struct world *world)
{
    struct sched_config config = configure(race);

    if (sched_new(&config, &world->sched, NULL) < 0)
        abort();
    world->nodes = mem_array0((size_t)race->nodes, sizeof(*world->nodes));
    world->apps = mem_array0((size_t)apps_of(race), sizeof(*world->apps));
    world->on = mem_array0((size_t)race->nodes * EACH_NODE, sizeof(*world->on));
    for (int n = 0; n < race->nodes; n++) {
        char name[16];
        struct sched_node_spec spec = { .id = name, .host = name, .rack = "/r",
                                        .total = resource_of(1024 * EACH_NODE, EACH_NODE) };

        snprintf(name, sizeof(name), "n%d", n);
        world->nodes[n] = sched_node_add(world->sched, &spec, &world->decisions);
    }
    add_apps(race, world);
    for (int i = 0; i < race->nodes * EACH_NODE; i++) {
        const struct sched_container_info info = {
            .node = world->nodes[i / EACH_NODE], .app = world->apps[i % race->running],
            .resource = resource_of(1024, 1), .priority = 1,
        };

        world->on[i] = sched_container_recover(world->sched, &info, NULL);
    }
    ask(race, world);
    sched_update(world->sched, &world->decisions);
}

/* Updates are not in what is timed, as they are not in the other one. */
static int64_t run_creel(struct race *race, struct world *world, int heartbeats,
                         struct sched_app **placed)
{
    int64_t start_ns = now_ns();

    for (int i = 0; i < heartbeats; i++) {
        int place = i % race->nodes * EACH_NODE + (int)rng_below(&race->rng, EACH_NODE);

        world->decisions.count = 0;
        sched_container_end(world->sched, world->on[place], &world->decisions);
        if (race->mode == HEARTBEAT)
            sched_node_heartbeat(world->sched, world->nodes[i % race->nodes], &world->decisions);
        else if (race->mode == CONTINUOUS)
            sched_node_batch(world->sched, 100, &world->decisions);
        if (world->decisions.count != 1)
            abort();
        world->on[place] = world->decisions.items[0].container;
        placed[i] = world->decisions.items[0].app;
    }
    return now_ns() - start_ns;
}

static void tear_down(struct world *world)
{
    sched_free(world->sched);
    free(world->decisions.items);
    free(world->nodes);
    free(world->apps);
    free(world->on);
}

/* --- the race -------------------------------------------------------------------- */

static int argument(int argc, char **argv, int index, int usual)
{
    int value = argc > index ? atoi(argv[index]) : usual;

    return value > 0 ? value : usual;
}

/* In nanoseconds a heartbeat, which is compared with what creel placed. */
static double time_sorting(struct race *race, bool whenever, int heartbeats,
                           struct sched_app **placed, const struct world *world)
{
    int *own = mem_array0((size_t)heartbeats, sizeof(*own));
    int64_t took_ns;

    each_time = whenever;
    fill(race);
    took_ns = run_sorting(race, heartbeats, own);
    for (int i = 0; i < heartbeats; i++)
        if (placed[i] != world->apps[own[i]]) {
            printf("heartbeat %d: creel placed for another app\n", i);
            exit(1);
        }
    free(own);
    return (double)took_ns / heartbeats;
}

static void run_mode(struct race *race)
{
    struct sched_app **placed = mem_array0((size_t)race->heartbeats, sizeof(*placed));
    struct world world = { .sched = NULL };
    int few = race->heartbeats / 10 + 1;
    double creel_ns, once_ns, each_ns;

    fill(race);
    build(race, &world);
    creel_ns = (double)run_creel(race, &world, race->heartbeats, placed) / race->heartbeats;
    once_ns = time_sorting(race, false, few, placed, &world);
    each_ns = time_sorting(race, true, few, placed, &world);
    printf("%s\n%12.0f  creel\n", mode_names[race->mode], creel_ns);
    printf("%12.0f  sorting, use added up once       %8.1f times\n", once_ns, once_ns / creel_ns);
    printf("%12.0f  sorting, use added up each time  %8.1f times\n", each_ns, each_ns / creel_ns);
    tear_down(&world);
    free(placed);
}

int main(int argc, char **argv)
{
    struct race race = {
        .queues = argument(argc, argv, 1, 1000), .running = argument(argc, argv, 2, 600),
        .waiting = argument(argc, argv, 3, 1500), .nodes = argument(argc, argv, 4, 1000),
        .heartbeats = argument(argc, argv, 5, 20000),
    };

    race.on = mem_array0((size_t)race.nodes * EACH_NODE, sizeof(*race.on));
    race.apps = mem_array0((size_t)apps_of(&race), sizeof(*race.apps));
    race.sums = mem_array0((size_t)race.queues, sizeof(*race.sums));
    race.names = mem_array0((size_t)race.queues, sizeof(*race.names));
    race.sorted = mem_array0((size_t)race.queues, sizeof(*race.sorted));
    race.free_mb = mem_array0((size_t)race.nodes, sizeof(*race.free_mb));
    race.order = mem_array0((size_t)race.nodes, sizeof(*race.order));
    printf("%d queues, %d running and %d waiting apps, %d nodes: ns for one that ends and is "
           "replaced\n", race.queues, race.running, race.waiting, race.nodes);
    for (race.mode = HEARTBEAT; race.mode < MODES; race.mode++)
        run_mode(&race);
    free(race.free_mb);
    free(race.order);
    free(race.on);
    free(race.apps);
    free(race.sums);
    free(race.sorted);
    free(race.names);
    return 0;
}

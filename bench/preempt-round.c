/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt-round.c - benchmark: duration of a round of the preemption policy
 *
 * bench/preempt-round [LEAVES [CONTAINERS [APPS]]]: LEAVES queues below parents of 40 each. Half of the
 * leaves use everything that the others are guaranteed, in APPS (8) apps each; the other leaves have pending
 * requests. Prints the milliseconds per round for each calculator: with YARN's defaults, with preemption
 * within leaves, too, and with no limit per round. Counts the CPU time of this process only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/base/mem.h"
#include "rm/sched/preempt/preempt.h"

struct bench {
    uint32_t queues, leaves, per_leaf, apps;
    void **handles; /* by app; the address of an element identifies the app */
    struct preempt_queue *queue;
    struct preempt_figures *figures;
    struct preempt_container *containers;
    struct resource size;
};

static bool is_greedy(uint32_t leaf)
{
    return leaf % 2 == 0;
}

static size_t apps(void *context, uint32_t leaf, uint32_t partition, struct preempt_app *items, size_t room)
{
    struct bench *bench = context;
    uint32_t index = leaf - (bench->queues - bench->leaves);
    struct resource each = bench->figures[leaf].used;

    (void)partition;
    for (int t = 0; t < 2; t++)
        each.value[t] /= bench->apps;
    for (size_t i = 0; i < bench->apps && i < room; i++)
        items[i] = (struct preempt_app){ .handle = &bench->handles[(size_t)index * bench->apps + i],
                                         .number = i,
                                         .used = each,
                                         .pending = bench->figures[leaf].pending };
    return bench->apps;
}

static size_t users(void *context, uint32_t leaf, uint32_t partition, struct preempt_user *items, size_t room)
{
    struct bench *bench = context;

    (void)partition;
    if (room > 0)
        items[0] = (struct preempt_user){ .used = bench->figures[leaf].used,
                                          .limit = bench->figures[leaf].guaranteed };
    return 1;
}

static size_t containers(void *context, void *app, struct preempt_container *items, size_t room)
{
    struct bench *bench = context;
    size_t index = (size_t)((void **)app - bench->handles), each = bench->per_leaf / bench->apps;
    size_t leaf = index / bench->apps, first = leaf / 2 * bench->per_leaf + index % bench->apps * each;

    if (!is_greedy((uint32_t)leaf))
        return 0;
    for (size_t i = 0; i < each && i < room; i++)
        items[i] = bench->containers[first + i];
    return each;
}

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void build(struct bench *bench, uint32_t leaves, uint32_t count, uint32_t apps_each)
{
    uint32_t parents = (leaves + 39) / 40, q = 1;
    int64_t each = 2 * (int64_t)(count / leaves) * 1024;

    bench->leaves = leaves;
    bench->queues = 1 + parents + leaves;
    bench->per_leaf = 2 * (count / leaves);
    bench->apps = apps_each;
    bench->size = resource_of(1024, 1);
    bench->handles = mem_array0((size_t)leaves * apps_each, sizeof(*bench->handles));
    bench->queue = mem_array0(bench->queues, sizeof(*bench->queue));
    bench->figures = mem_array0(bench->queues, sizeof(*bench->figures));
    bench->containers = mem_array0(count + leaves, sizeof(*bench->containers));
    bench->queue[0].parent = PREEMPT_NONE;
    for (uint32_t p = 0; p < parents; p++)
        bench->queue[q++].parent = 0;
    for (uint32_t leaf = 0; leaf < leaves; leaf++, q++) {
        struct resource own = resource_of(each / 2, each / 2 / 1024);

        bench->queue[q] =
            (struct preempt_queue){ .parent = 1 + leaf / 40, .leaf = true, .user_limit_percent = 100 };
        for (uint32_t up = q; up != PREEMPT_NONE; up = bench->queue[up].parent) {
            struct preempt_figures *figures = &bench->figures[up];

            figures->guaranteed = resource_add(figures->guaranteed, own);
            if (is_greedy(leaf))
                figures->used = resource_add(figures->used, resource_of(each, each / 1024));
        }
        bench->figures[q].pending = bench->figures[q].pending_unreserved = resource_of(each, each / 1024);
        for (uint32_t i = 0; is_greedy(leaf) && i < bench->per_leaf; i++) {
            size_t index = (size_t)(leaf / 2) * bench->per_leaf + i;

            bench->containers[index] = (struct preempt_container){
                .app = &bench->handles[0], .size = calc_amount(&bench->size), .id = index + 1, .leaf = q
            };
        }
    }
    for (q = 0; q < bench->queues; q++)
        bench->figures[q].maximum = bench->figures[0].guaranteed;
}

static void measure(const struct bench *bench, bool dominant, float per_round, double factor, bool intra,
                    const char *what)
{
    struct preempt_settings settings;
    struct preempt_snapshot snapshot = { .cluster = bench->figures[0].guaranteed,
                                         .queue_count = bench->queues,
                                         .partition_count = 1,
                                         .queues = bench->queue,
                                         .figures = bench->figures,
                                         .partitions = &bench->figures[0].guaranteed,
                                         .source = { .context = (void *)(uintptr_t)bench,
                                                     .apps = apps,
                                                     .users = users,
                                                     .containers = containers } };
    struct preempt_marks marks = { .count = 0 };
    struct preempt *preempt;
    double best = 1e9, first = 0;
    size_t marked = 0;

    preempt_settings_default(&settings);
    settings.calc.dominant = dominant;
    settings.per_round = per_round;
    settings.termination_factor = factor;
    settings.intra = intra;
    preempt = preempt_new(&settings);
    for (int i = 0; i < 10; i++) {
        double begin = now_ms(), took;

        marks.count = 0;
        preempt_round(preempt, &snapshot, i * 3000, &marks);
        took = now_ms() - begin;
        if (i == 0) {
            first = took;
            marked = marks.count;
        }
        best = took < best ? took : best;
    }
    printf("%-9s %-28s first %6.2f ms, best of 10 %6.2f ms, %zu marked\n", dominant ? "dominant" : "memory",
           what, first, best, marked);
    free(marks.items);
    preempt_free(preempt);
}

int main(int argc, char **argv)
{
    uint32_t leaves = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000;
    uint32_t count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 400000;
    uint32_t apps_each = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 8;
    struct bench bench;

    if (leaves < 1 || count < leaves || apps_each < 1) {
        fputs("usage: preempt-round [LEAVES [CONTAINERS [APPS]]]\n", stderr);
        return 2;
    }
    build(&bench, leaves, count, apps_each);
    printf("%u leaves, %u containers, %u apps in a leaf\n", leaves, count, apps_each);
    for (int dominant = 0; dominant < 2; dominant++) {
        measure(&bench, dominant, 0.1f, 0.2, false, "defaults");
        measure(&bench, dominant, 0.1f, 0.2, true, "defaults, within leaves too");
        measure(&bench, dominant, 1.0f, 1.0, false, "all at once");
    }
    free(bench.handles);
    free(bench.queue);
    free(bench.figures);
    free(bench.containers);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* chaos.c - creel-sim chaos: runs many seeds, each a simulated cluster */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "sim/commands.h"
#include "sim/world/ledger.h"
#include "sim/world/seeds.h"
#include "sim/world/world.h"

#define TAP_BATCH 100u

struct options {
    struct seeds seeds;
    struct world_options world;
    bool expect_caught, tap;
};

/* Sums over all seeds. */
struct totals {
    uint64_t failed, steps, starts;
    uint64_t most_steps, most_seed; /* the longest run */
};

static const char usage[] =
    "usage: creel-sim chaos [--seeds A-B] [--capacity | --fair] [--steps N] [--broken] [--endless]\n"
    "                       [--expect-caught] [--tap] [-v]\n"
    "Run the production cores in simulated clusters that lose messages, crash and recover.\n"
    "  --seeds A-B      the seeds to run (1-100)\n"
    "  --capacity       with two queues of the capacity scheduler, which preempt each other, and only\n"
    "                   for a request\n"
    "  --fair           with queues of the fair scheduler, which do, too; some are made by jobs, and\n"
    "                   their file changes, now and then to one that is broken\n"
    "  --steps N        a seed with more steps fails, as a livelock (500000)\n"
    "  --broken         with a defect built in on purpose: agents forget what they started\n"
    "  --endless        with another one: an event that creates itself again at the same time\n"
    "  --expect-caught  succeed only if a seed fails\n"
    "  --tap            one line for every hundred seeds, as TAP\n"
    "  -v               print every step\n"
    "example: creel-sim chaos --seeds 17-17 -v\n";

/* Returns 0 to continue, else the exit status; -1: there is nothing left to do. */
static int set_option(struct options *options, int option, const char *value)
{
    int64_t steps;

    switch (option) {
    case 's':
        if (seeds_parse(value, &options->seeds))
            return 0;
        fprintf(stderr, "creel-sim chaos: --seeds %s: expected A-B, such as 1-100\n", value);
        return 2;
    case 'n':
        if (!text_parse_int64(value, &steps) || steps < 1) {
            fprintf(stderr, "creel-sim chaos: --steps %s: expected a number above 0\n", value);
            return 2;
        }
        options->world.steps_max = (uint64_t)steps;
        return 0;
    case 'c':
        options->world.queues = WORLD_CAPACITY;
        return 0;
    case 'f':
        options->world.queues = WORLD_FAIR;
        return 0;
    case 'b':
        options->world.broken = true;
        return 0;
    case 'l':
        options->world.endless = true;
        return 0;
    case 'e':
        options->expect_caught = true;
        return 0;
    case 't':
        options->tap = true;
        return 0;
    case 'v':
        options->world.verbose = true;
        return 0;
    case 'h':
        fputs(usage, stdout);
        return -1;
    default:
        fputs(usage, stderr);
        return 2;
    }
}

/* Returns as set_option does. */
static int parse(int argc, char **argv, struct options *options)
{
    static const struct option table[] = {
        { "seeds", required_argument, NULL, 's' },
        { "capacity", no_argument, NULL, 'c' },
        { "fair", no_argument, NULL, 'f' },
        { "steps", required_argument, NULL, 'n' },
        { "broken", no_argument, NULL, 'b' },
        { "endless", no_argument, NULL, 'l' },
        { "expect-caught", no_argument, NULL, 'e' },
        { "tap", no_argument, NULL, 't' },
        { "verbose", no_argument, NULL, 'v' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    int c, r;

    while ((c = getopt_long(argc, argv, "vh", table, NULL)) != -1)
        if ((r = set_option(options, c, optarg)) != 0)
            return r;
    if (optind < argc) {
        fprintf(stderr, "creel-sim chaos: %s: not expected here\n", argv[optind]);
        return 2;
    }
    return 0;
}

static const char *const queues_option[] = {
    [WORLD_FIFO] = "",
    [WORLD_CAPACITY] = " --capacity",
    [WORLD_FAIR] = " --fair",
};

static void print_failure(uint64_t seed, const struct options *options, const struct err *err)
{
    const struct world_options *world = &options->world;
    scoped_free char *steps = world->steps_max == WORLD_STEPS_MAX
                                  ? mem_strdup("")
                                  : mem_printf(" --steps %" PRIu64, world->steps_max);

    printf("# seed %" PRIu64 ": %s\n", seed, err->text);
    printf("# replay: creel-sim chaos --seeds %" PRIu64 "-%" PRIu64 "%s%s%s%s -v\n", seed, seed,
           queues_option[world->queues], steps, world->broken ? " --broken" : "",
           world->endless ? " --endless" : "");
    fflush(stdout);
}

static bool run_seed(uint64_t seed, const struct options *options, struct totals *totals)
{
    struct world *world = world_new(seed, &options->world);
    struct err err;
    int r = world_run(world, &err);

    totals->steps += world->steps;
    totals->starts += ledger_starts(world->ledger);
    totals->failed += r < 0 ? 1 : 0;
    if (world->steps > totals->most_steps) {
        totals->most_steps = world->steps;
        totals->most_seed = seed;
    }
    if (r < 0 && !options->expect_caught)
        print_failure(seed, options, &err);
    world_free(world);
    return r == 0;
}

int command_chaos(int argc, char **argv)
{
    struct options options = { .seeds = { 1, 100 }, .world = { .steps_max = WORLD_STEPS_MAX } };
    struct totals totals = { .failed = 0 };
    uint64_t failed_in_batch = 0, batch = 0;
    int r = parse(argc, argv, &options);

    if (r != 0)
        return r < 0 ? 0 : r;
    for (uint64_t seed = options.seeds.first; seed <= options.seeds.last; seed++) {
        if (!run_seed(seed, &options, &totals))
            failed_in_batch++;
        if (totals.failed && options.expect_caught) {
            printf("# the defect is caught by seed %" PRIu64 "\n", seed);
            return 0;
        }
        if (options.tap &&
            ((seed - options.seeds.first + 1) % TAP_BATCH == 0 || seed == options.seeds.last)) {
            printf("%s %" PRIu64 " - seeds up to %" PRIu64 "\n", failed_in_batch ? "not ok" : "ok", ++batch,
                   seed);
            fflush(stdout);
            failed_in_batch = 0;
        }
    }
    if (options.tap)
        printf("1..%" PRIu64 "\n", batch);
    printf("# %" PRIu64 " seeds, %" PRIu64 " failed; %" PRIu64 " steps (most: %" PRIu64 " in seed %" PRIu64
           "), %" PRIu64 " containers started\n",
           options.seeds.last - options.seeds.first + 1, totals.failed, totals.steps, totals.most_steps,
           totals.most_seed, totals.starts);
    if (options.expect_caught) {
        fprintf(stderr, "creel-sim chaos: no seed caught the defect\n");
        return 1;
    }
    return totals.failed ? 1 : 0;
}

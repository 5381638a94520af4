/* SPDX-License-Identifier: Apache-2.0 */
/* chaos.c - creel-sim chaos: many seeds, each one cluster's life */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "sim/commands.h"
#include "sim/ledger.h"
#include "sim/world.h"

#define TAP_BATCH 100u

struct options {
    uint64_t first, last;
    enum world_queues queues;
    bool broken, expect_caught, tap, verbose;
};

static const char usage[] =
    "usage: creel-sim chaos [--seeds A-B] [--capacity | --fair] [--broken] [--expect-caught] [--tap] [-v]\n"
    "Run the production cores in simulated clusters that lose messages, crash and recover.\n"
    "  --seeds A-B      the seeds to run (1-100)\n"
    "  --capacity       with two queues of the capacity scheduler, which preempt each other\n"
    "  --fair           with queues of the fair scheduler, which do, too; some are made by jobs, and\n"
    "                   their file changes, now and then to one that is broken\n"
    "  --broken         with a defect built in on purpose\n"
    "  --expect-caught  succeed only if a seed fails\n"
    "  --tap            one line for every hundred seeds, as TAP\n"
    "  -v               print every step\n"
    "example: creel-sim chaos --seeds 17-17 -v\n";

static bool parse_seeds(const char *text, struct options *options)
{
    const char *dash = strchr(text, '-');
    char first[32];
    int64_t low, high;

    if (dash == NULL) {
        if (!text_parse_int64(text, &low) || low < 0)
            return false;
        options->first = options->last = (uint64_t)low;
        return true;
    }
    if ((size_t)(dash - text) >= sizeof(first))
        return false;
    memcpy(first, text, (size_t)(dash - text));
    first[dash - text] = '\0';
    if (!text_parse_int64(first, &low) || !text_parse_int64(dash + 1, &high) || low < 0 ||
        high < low)
        return false;
    options->first = (uint64_t)low;
    options->last = (uint64_t)high;
    return true;
}

/* 0 to go on, else the exit status. */
static int parse(int argc, char **argv, struct options *options)
{
    static const struct option table[] = {
        { "seeds", required_argument, NULL, 's' }, { "capacity", no_argument, NULL, 'c' },
        { "fair", no_argument, NULL, 'f' },
        { "broken", no_argument, NULL, 'b' },
        { "expect-caught", no_argument, NULL, 'e' }, { "tap", no_argument, NULL, 't' },
        { "verbose", no_argument, NULL, 'v' }, { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "vh", table, NULL)) != -1) {
        switch (c) {
        case 's':
            if (!parse_seeds(optarg, options)) {
                fprintf(stderr, "creel-sim chaos: --seeds %s: expected A-B, as 1-100\n", optarg);
                return 2;
            }
            break;
        case 'c':
            options->queues = WORLD_CAPACITY;
            break;
        case 'f':
            options->queues = WORLD_FAIR;
            break;
        case 'b':
            options->broken = true;
            break;
        case 'e':
            options->expect_caught = true;
            break;
        case 't':
            options->tap = true;
            break;
        case 'v':
            options->verbose = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return -1;
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "creel-sim chaos: %s: not expected here\n", argv[optind]);
        return 2;
    }
    return 0;
}

static const char *const queues_option[] = {
    [WORLD_FIFO] = "", [WORLD_CAPACITY] = " --capacity", [WORLD_FAIR] = " --fair",
};

static bool run_seed(uint64_t seed, const struct options *options, uint64_t *steps,
                     uint64_t *starts)
{
    struct world *world = world_new(seed, options->queues, options->broken, options->verbose);
    struct err err;
    int r = world_run(world, &err);

    *steps += world->steps;
    *starts += ledger_starts(world->ledger);
    if (r < 0 && !options->expect_caught) {
        printf("# seed %" PRIu64 ": %s\n", seed, err.text);
        printf("# replay: creel-sim chaos --seeds %" PRIu64 "-%" PRIu64 "%s%s -v\n", seed, seed,
               queues_option[options->queues], options->broken ? " --broken" : "");
        fflush(stdout);
    }
    world_free(world);
    return r == 0;
}

int command_chaos(int argc, char **argv)
{
    struct options options = { .first = 1, .last = 100 };
    uint64_t failed = 0, failed_in_batch = 0, steps = 0, starts = 0, batch = 0;
    int r = parse(argc, argv, &options);

    if (r != 0)
        return r < 0 ? 0 : r;
    for (uint64_t seed = options.first; seed <= options.last; seed++) {
        if (!run_seed(seed, &options, &steps, &starts)) {
            failed++;
            failed_in_batch++;
        }
        if (failed && options.expect_caught) {
            printf("# the defect is caught by seed %" PRIu64 "\n", seed);
            return 0;
        }
        if (options.tap && ((seed - options.first + 1) % TAP_BATCH == 0 || seed == options.last)) {
            printf("%s %" PRIu64 " - seeds up to %" PRIu64 "\n", failed_in_batch ? "not ok" : "ok",
                   ++batch, seed);
            fflush(stdout);
            failed_in_batch = 0;
        }
    }
    if (options.tap)
        printf("1..%" PRIu64 "\n", batch);
    printf("# %" PRIu64 " seeds, %" PRIu64 " failed; %" PRIu64 " steps, %" PRIu64
           " containers started\n",
           options.last - options.first + 1, failed, steps, starts);
    if (options.expect_caught) {
        fprintf(stderr, "creel-sim chaos: no seed caught the defect\n");
        return 1;
    }
    return failed ? 1 : 0;
}

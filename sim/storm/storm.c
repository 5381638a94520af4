/* SPDX-License-Identifier: Apache-2.0 */
/* storm.c - creel-sim storm: sends random events to the scheduler core alone */
#include <getopt.h>
#include <inttypes.h>

#include "sim/commands.h"
#include "sim/storm/storm.h"
#include "sim/world/seeds.h"

struct options {
    const char *scheduler;
    struct seeds seeds;
    bool verbose;
};

static const char usage[] =
    "usage: creel-sim storm [--seeds A-B] [--scheduler fifo|capacity|fair] [-v]\n"
    "Throw random events at the scheduler core, and audit its sums and indexes after each. The capacity\n"
    "scheduler must decide the same in a second run that also visits queues which a limit refuses.\n"
    "  --seeds A-B    the seeds to run (1-100)\n"
    "  --scheduler S  which one (capacity)\n"
    "  -v             print every event\n"
    "example: creel-sim storm --seeds 17-17 -v\n";

/* Returns 0 to continue, -1 if nothing is left to do, else the exit status. */
static int parse(int argc, char **argv, struct options *options)
{
    static const struct option table[] = {
        { "seeds", required_argument, NULL, 's' },
        { "scheduler", required_argument, NULL, 'S' },
        { "verbose", no_argument, NULL, 'v' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "vh", table, NULL)) != -1) {
        if (c == 'S') {
            options->scheduler = optarg;
        } else if (c == 'v') {
            options->verbose = true;
        } else if (c == 'h') {
            fputs(usage, stdout);
            return -1;
        } else if (c != 's') {
            fputs(usage, stderr);
            return 2;
        } else if (!seeds_parse(optarg, &options->seeds)) {
            fprintf(stderr, "creel-sim storm: --seeds %s: expected A-B, such as 1-100\n", optarg);
            return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "creel-sim storm: %s: not expected here\n", argv[optind]);
        return 2;
    }
    return 0;
}

int command_storm(int argc, char **argv)
{
    struct options options = { .scheduler = "capacity", .seeds = { 1, 100 } };
    struct storm_count count = { 0 };
    uint64_t failed = 0;
    struct err err;
    int r = parse(argc, argv, &options);

    if (r != 0)
        return r < 0 ? 0 : r;
    for (uint64_t seed = options.seeds.first; seed <= options.seeds.last; seed++) {
        r = storm_run(options.scheduler, seed, options.verbose ? stdout : NULL, &count, &err);
        if (r == 0)
            continue;
        failed++;
        printf("# %s\n# replay: creel-sim storm --scheduler %s --seeds %" PRIu64 "-%" PRIu64 " -v\n",
               err.text, options.scheduler, seed, seed);
        fflush(stdout);
    }
    printf("# %" PRIu64 " seeds, %" PRIu64 " failed; %" PRIu64 " allocated, %" PRIu64 " reserved, %" PRIu64
           " preempted, %" PRIu64 " killed, %" PRIu64 " refused, %" PRIu64 " refreshes, %" PRIu64
           " resized\n",
           options.seeds.last - options.seeds.first + 1, failed, count.allocated, count.reserved,
           count.preempted, count.killed, count.refused, count.refreshed, count.resized);
    return failed ? 1 : 0;
}

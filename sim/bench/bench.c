/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c - creel-sim bench: measures the speed and the memory of the scheduler core */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/text.h"
#include "sim/bench/bench.h"
#include "sim/commands.h"

static const char usage[] =
    "usage: creel-sim bench [--scheduler fifo|capacity|fair] [--mode heartbeat|continuous|demand]\n"
    "           [--nodes N] [--racks R] [--queues Q] [--depth D] [--users U] [--apps A]\n"
    "           [--containers C] [--resource-types T] [--asks mixed|local|plain] [--pairs P] [--seed S]\n"
    "           [--sweep queues|apps|nodes] [--json]\n"
    "Fill a cluster, end and replace its containers, and measure the scheduler core alone.\n"
    "  --scheduler S       which one (capacity)\n"
    "  --mode M            heartbeat: each node reports an end and is offered (default);\n"
    "                      continuous: many ends, then all nodes with room in batches;\n"
    "                      demand: at once, and what is left when the node reports\n"
    "  --nodes N           1000\n"
    "  --racks R           one for 40 nodes\n"
    "  --queues Q          leaf queues, 100\n"
    "  --depth D           levels of queues below root, 2\n"
    "  --users U           10\n"
    "  --apps A            5 for each queue\n"
    "  --containers C      in the full cluster, 40 for each node\n"
    "  --resource-types T  2 (memory and vcores) to 8\n"
    "  --asks WHAT         mixed: several sizes, some with hosts and racks (default);\n"
    "                      local: one size, some with hosts and racks; plain: all alike\n"
    "  --pairs P           containers that end and are replaced, 200000\n"
    "  --seed S            same seed, same decisions, same checksum (1)\n"
    "  --sweep WHAT        a table over 10 to 10000 queues, 100 to 100000 apps, or\n"
    "                      100 to 50000 nodes\n"
    "  --json              for programs\n"
    "example: creel-sim bench --nodes 10000 --queues 1000 --apps 5000 --containers 400000 --json\n";

enum { SWEEP_NONE, SWEEP_QUEUES, SWEEP_APPS, SWEEP_NODES };

struct command {
    struct bench_options options;
    int sweep;
};

enum number { NODES, RACKS, QUEUES, DEPTH, USERS, APPS, CONTAINERS, TYPES, PAIRS, SEED, NUMBERS };

static const struct {
    const char *name;
    size_t offset;
    int64_t least, most;
} numbers[NUMBERS] = {
    [NODES] = { "nodes", offsetof(struct bench_options, nodes), 1, 200000 },
    [RACKS] = { "racks", offsetof(struct bench_options, racks), 1, 200000 },
    [QUEUES] = { "queues", offsetof(struct bench_options, queues), 1, 100000 },
    [DEPTH] = { "depth", offsetof(struct bench_options, depth), 1, 16 },
    [USERS] = { "users", offsetof(struct bench_options, users), 1, 1000000 },
    [APPS] = { "apps", offsetof(struct bench_options, apps), 1, 1000000 },
    [CONTAINERS] = { "containers", offsetof(struct bench_options, containers), 1, 20000000 },
    [TYPES] = { "resource-types", offsetof(struct bench_options, types), 2, RESOURCE_TYPES_MAX },
    [PAIRS] = { "pairs", offsetof(struct bench_options, pairs), 1, 100000000 },
    [SEED] = { "seed", offsetof(struct bench_options, seed), 0, INT64_MAX },
};

static int64_t *number_of(struct bench_options *options, enum number number)
{
    return (int64_t *)(void *)((char *)options + numbers[number].offset);
}

static bool choose(const char *text, const char *const *names, int count, int *ret)
{
    for (int i = 0; i < count; i++)
        if (text_equal(text, names[i])) {
            *ret = i;
            return true;
        }
    return false;
}

static int refuse(const char *option, const char *value, const char *expected)
{
    fprintf(stderr, "creel-sim bench: --%s %s: expected %s\n", option, value, expected);
    return 2;
}

static int parse_number(enum number number, const char *text, struct bench_options *options)
{
    char expected[64];
    int64_t value;

    if (text_parse_int64(text, &value) && value >= numbers[number].least && value <= numbers[number].most) {
        *number_of(options, number) = value;
        return 0;
    }
    snprintf(expected, sizeof(expected), "a number from %" PRId64 " to %" PRId64, numbers[number].least,
             numbers[number].most);
    return refuse(numbers[number].name, text, expected);
}

static int parse_word(int option, const char *text, struct command *command)
{
    static const char *const modes[] = { "heartbeat", "continuous", "demand" };
    static const char *const asks[] = { "mixed", "local", "plain" };
    static const char *const sweeps[] = { "queues", "apps", "nodes" };
    int chosen;

    switch (option) {
    case 'm':
        if (!choose(text, modes, 3, &chosen))
            return refuse("mode", text, "heartbeat, continuous or demand");
        command->options.mode = (enum bench_mode)chosen;
        return 0;
    case 'a':
        if (!choose(text, asks, 3, &chosen))
            return refuse("asks", text, "mixed, local or plain");
        command->options.asks = (enum bench_asks)chosen;
        return 0;
    default:
        if (!choose(text, sweeps, 3, &chosen))
            return refuse("sweep", text, "queues, apps or nodes");
        command->sweep = chosen + 1;
        return 0;
    }
}

/* Returns 0 to run the benchmark, -1 after --help, or the exit status of an error. */
static int parse(int argc, char **argv, struct command *command)
{
    struct option table[NUMBERS + 7] = { { NULL, 0, NULL, 0 } };
    const struct option words[] = {
        { "scheduler", required_argument, NULL, 's' },
        { "mode", required_argument, NULL, 'm' },
        { "asks", required_argument, NULL, 'a' },
        { "sweep", required_argument, NULL, 'w' },
        { "json", no_argument, NULL, 'j' },
        { "help", no_argument, NULL, 'h' },
    };
    int c, r = 0;

    for (int i = 0; i < NUMBERS; i++)
        table[i] = (struct option){ numbers[i].name, required_argument, NULL, 256 + i };
    memcpy(&table[NUMBERS], words, sizeof(words));
    while (r == 0 && (c = getopt_long(argc, argv, "h", table, NULL)) != -1) {
        if (c >= 256)
            r = parse_number((enum number)(c - 256), optarg, &command->options);
        else if (c == 's')
            command->options.scheduler = optarg;
        else if (c == 'm' || c == 'a' || c == 'w')
            r = parse_word(c, optarg, command);
        else if (c == 'j')
            command->options.json = true;
        else if (c == 'h')
            return fputs(usage, stdout) < 0 ? 1 : -1;
        else
            return fputs(usage, stderr) < 0 ? 1 : 2;
    }
    if (r == 0 && optind < argc) {
        fprintf(stderr, "creel-sim bench: %s: not expected here\n", argv[optind]);
        return 2;
    }
    return r;
}

/* Derives the options that were not given from the others. */
static void complete(struct bench_options *options)
{
    if (options->nodes == 0)
        options->nodes = 1000;
    if (options->racks == 0)
        options->racks = (options->nodes + 39) / 40;
    if (options->apps == 0)
        options->apps = options->queues * 5;
    if (options->containers == 0)
        options->containers = options->nodes * 40;
    if (options->containers < options->nodes)
        options->containers = options->nodes;
}

static int sweep(const struct command *command, struct err *err)
{
    static const char *const names[] = { NULL, "queues", "apps", "nodes" };
    static const int64_t sizes[][5] = {
        [SWEEP_QUEUES] = { 10, 100, 1000, 10000 },
        [SWEEP_APPS] = { 100, 1000, 10000, 100000 },
        [SWEEP_NODES] = { 100, 1000, 10000, 50000 },
    };
    const enum number numbers_of[] = { NUMBERS, QUEUES, APPS, NODES };
    const char *what = names[command->sweep];
    int r;

    if (command->options.json)
        printf("{\"sweep\": \"%s\", \"rows\": [\n", what);
    else
        bench_print_row(stdout, what, 0, NULL);
    for (int i = 0; sizes[command->sweep][i] > 0; i++) {
        struct bench_options options = command->options;
        int64_t size = sizes[command->sweep][i];
        struct bench_result result;

        *number_of(&options, numbers_of[command->sweep]) = size;
        complete(&options);
        if ((r = bench_measure(&options, &result, err)) < 0)
            return r;
        if (options.json) {
            fputs(i > 0 ? ",\n" : "", stdout);
            bench_print_json(stdout, &options, &result);
        } else {
            bench_print_row(stdout, what, size, &result);
        }
    }
    if (command->options.json)
        puts("\n]}");
    return 0;
}

static int run(struct command *command, struct err *err)
{
    struct bench_result result;
    int r;

    if (command->sweep != SWEEP_NONE)
        return sweep(command, err);
    complete(&command->options);
    if ((r = bench_measure(&command->options, &result, err)) < 0)
        return r;
    if (command->options.json) {
        bench_print_json(stdout, &command->options, &result);
        putchar('\n');
    } else {
        bench_print_text(stdout, &command->options, &result);
    }
    return 0;
}

int command_bench(int argc, char **argv)
{
    struct command command = {
        .options = { .scheduler = "capacity",
                     .queues = 100,
                     .depth = 2,
                     .users = 10,
                     .types = 2,
                     .pairs = 200000,
                     .seed = 1 },
    };
    struct err err;
    int r = parse(argc, argv, &command);

    if (r != 0)
        return r < 0 ? 0 : r;
    if (run(&command, &err) < 0) {
        fprintf(stderr, "creel-sim bench: %s\n", err.text);
        return 1;
    }
    return 0;
}

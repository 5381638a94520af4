/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - creel-sim: the cores of creel on a virtual clock */
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "sim/commands.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
};

static const struct command commands[] = {
    { "bench", command_bench, "how fast the scheduler core is, and how large" },
    { "chaos", command_chaos, "simulated clusters that lose messages, crash and recover" },
    { "check", command_check, "conformance cases: does the scheduler do as YARN does?" },
    { "storm", command_storm, "random events against the scheduler core, audited" },
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *out)
{
    fputs("usage: creel-sim COMMAND [OPTION...]\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
    fputs("creel-sim COMMAND --help tells more; man creel-sim all of it.\n", out);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("creel-sim " PACKAGE_VERSION);
        return 0;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "creel-sim: no command \"%s\"\n", argv[1]);
    print_usage(stderr);
    return 2;
}

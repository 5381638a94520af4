/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - creel-sim: runs the cores of creel on a virtual clock */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "sim/commands.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
    bool large_pages;
};

static const struct command commands[] = {
    { "bench", command_bench, "how fast the scheduler core is, and how large", true },
    { "chaos", command_chaos, "simulated clusters that lose messages, crash and recover", false },
    { "check", command_check, "conformance cases: does the scheduler do as YARN does?", false },
    { "storm", command_storm, "random events against the scheduler core, audited", false },
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *out)
{
    fputs("usage: creel-sim COMMAND [OPTION...]\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
    fputs("See creel-sim COMMAND --help, and the manual page creel-sim(1).\n", out);
}

/* Makes malloc use large pages, as it does in creel-rm.service, so that measurements are comparable. The
 * setting is read at program start: so the program executes itself again, unless the environment has other
 * settings. If that fails, it continues without large pages. */
static void begin_with_large_pages(char **argv)
{
    char path[PATH_MAX];
    ssize_t length;

    if (getenv("GLIBC_TUNABLES") || setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1) < 0)
        return;
    length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length < 0)
        return;
    path[length] = '\0';
    execv(path, argv);
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
        if (strcmp(argv[1], commands[i].name) == 0) {
            if (commands[i].large_pages)
                begin_with_large_pages(argv);
            return commands[i].run(argc - 1, argv + 1);
        }
    fprintf(stderr, "creel-sim: no command \"%s\"\n", argv[1]);
    print_usage(stderr);
    return 2;
}

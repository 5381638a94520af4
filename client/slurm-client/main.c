/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the program creel-slurm-client: sbatch, squeue and others, by the name with which it is called */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/slurm-client/tool.h"
#include "common/conf/conf.h"

static const struct {
    const char *name;
    int (*run)(struct tool *tool, int argc, char **argv);
} commands[] = {
    { "sbatch", sbatch_main }, { "squeue", squeue_main }, { "scancel", scancel_main },
    { "sacct", sacct_main },   { "sinfo", sinfo_main },   { "scontrol", scontrol_main },
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void tool_done(struct tool *tool)
{
    creel_disconnect(tool->cli.client);
    conf_free(tool->cli.conf);
    free(tool->cli.found_conf_dir);
    options_done(&tool->cli.options);
    arena_free(tool->arena);
}

static int run(struct tool *tool, int (*command)(struct tool *tool, int argc, char **argv), int argc,
               char **argv)
{
    int code = command(tool, argc, argv);

    if (fflush(stdout) != 0 && code == EXIT_SUCCESS)
        code = tool_fail(tool, "standard output: %m");
    tool_done(tool);
    return code;
}

int main(int argc, char **argv)
{
    struct tool tool = { .name = argc > 0 ? base_name(argv[0]) : "" };

    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_DFL);
    signal(SIGCHLD, SIG_DFL); /* otherwise the exit statuses of helper programs may be lost */
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(tool.name, commands[i].name) != 0)
            continue;
        argv[0] = arena_strdup(tool.arena = arena_new(), tool.name); /* as getopt_long names the program */
        return run(&tool, commands[i].run, argc, argv);
    }
    fputs("creel-slurm-client: call it by the name of a command of Slurm:", stderr);
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        fprintf(stderr, " %s", commands[i].name);
    fputc('\n', stderr);
    return EXIT_FAILURE;
}

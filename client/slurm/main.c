/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the program creel-slurm: srun, by the name with which it is called; and what the agent calls */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "client/slurm/login_environment.h"
#include "client/slurm/srun.h"

static const struct command {
    const char *name;
    int (*run)(const char *const *arguments);
} commands[] = {
    { "srun", srun_main },
}, verbs[] = {
    { "login", login_main },
    { "environment", login_print },
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int main(int argc, char **argv)
{
    const char *name = argc > 0 ? base_name(argv[0]) : "";

    setlocale(LC_CTYPE, "");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (!strcmp(name, commands[i].name))
            return commands[i].run((const char *const *)argv + 1);
    for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++)
        if (!strcmp(argv[1], verbs[i].name))
            return verbs[i].run((const char *const *)argv + 2);
    fputs("creel-slurm: call it by the name srun, which scripts of Slurm find in a job\n", stderr);
    return 1;
}

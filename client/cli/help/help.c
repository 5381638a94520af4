/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - prints the help from the table of commands */
#include <stdio.h>
#include <string.h>

#include "client/cli/frame/cli.h"

static void print_row(FILE *out, const struct command *command)
{
    char left[64];

    snprintf(left, sizeof(left), "%s %s", command->path, command->arguments ? command->arguments : "");
    if (strlen(left) > 34)
        fprintf(out, "  %s\n  %-34s  %s\n", left, "", command->summary);
    else
        fprintf(out, "  %-34s  %s\n", left, command->summary);
}

void help_print_overview(FILE *out)
{
    fputs("creel - submit and control jobs on a creel cluster\n\n"
          "usage: creel COMMAND [OPTIONS] [ARGUMENTS]\n\ncommon commands:\n",
          out);
    for (const struct command *row = command_table; row->path; row++) {
        if (!row->alias_of && *row->path != '_' && !strchr(row->path, ' '))
            print_row(out, row);
    }
    fputs("\ncommands by subject:\n", out);
    for (const struct command *row = command_table; row->path; row++) {
        if (!row->alias_of && strchr(row->path, ' '))
            print_row(out, row);
    }
    fputs("\noptions of every command:\n", out);
    options_print(out, cli_global_options);
    fputs("\nAn id may be shortened to an end of it that is unique: 7 or _0007 for\n"
          "application_1790000000000_0007.\n\n"
          "examples:\n"
          "  creel dev up                            a cluster on this machine, to try things\n"
          "  creel submit --wait -- sha256sum /bin/sh\n"
          "  creel run -N 4 -- sh -c 'echo task $CREEL_TASK_INDEX on $(hostname)'\n"
          "  creel ps; creel logs -f 7; creel kill 7\n\n"
          "creel help COMMAND describes a command.\n",
          out);
}

static void print_manual(const char *path, FILE *out)
{
    fprintf(out, "manual: man creel-%.*s\n", (int)strcspn(path, " "), path);
}

static void print_command(const struct command *command, FILE *out)
{
    fprintf(out, "creel %s - %s\n\nusage: creel %s%s%s%s\n", command->path, command->summary, command->path,
            command->options ? " [OPTIONS]" : "", command->arguments ? " " : "",
            command->arguments ? command->arguments : "");
    if (command->help)
        fprintf(out, "\n%s", command->help);
    if (command->options) {
        fputs("\noptions:\n", out);
        options_print(out, command->options);
    }
    fputs("\noptions of every command: creel help\n", out);
    print_manual(command->path, out);
}

bool help_print(const char *path, FILE *out)
{
    const struct command *command = command_find(path);
    size_t length = strlen(path);
    bool found = false;

    if (command) {
        print_command(command, out);
        return true;
    }
    for (const struct command *row = command_table; row->path; row++) {
        if (strncmp(row->path, path, length) || row->path[length] != ' ')
            continue;
        if (!found)
            fprintf(out, "creel %s:\n", path);
        found = true;
        if (row->alias_of)
            fprintf(out, "  %-34s  the same as creel %s\n", row->path, row->alias_of);
        else
            print_row(out, row);
    }
    if (found)
        print_manual(path, out);
    return found;
}

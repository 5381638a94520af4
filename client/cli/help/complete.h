/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete.h - completes a command line for the shell: commands, options and arguments
 *
 * The words are looked up in the table of commands: its words, its options, and the names of arguments in
 * its usage lines ("ID QUEUE"). Two tables in complete.c map an argument's name to the kind of value that
 * completes it. These functions read no file and send no request: complete_values.h lists the values that
 * depend on the cluster.
 */
#ifndef CREEL_CLI_COMPLETE_H
#define CREEL_CLI_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

#include "client/cli/frame/cli.h"

enum complete_kind {
    COMPLETE_NOTHING,
    COMPLETE_COMMAND, /* a word of a command; FAMILY is the word before it, or NULL */
    COMPLETE_OPTION,  /* of COMMAND, or a global one */
    COMPLETE_CHOICE,  /* one of CHOICES, "a|b|c" */
    COMPLETE_FILE,
    COMPLETE_DIRECTORY,
    COMPLETE_PROGRAM, /* a program of this machine, or a file */
    COMPLETE_KEY,     /* of the configuration */
    /* Names that the resource manager lists: */
    COMPLETE_APP,
    COMPLETE_CONTAINER, /* of APP; NULL: all running */
    COMPLETE_NODE,
    COMPLETE_LABEL,
    COMPLETE_QUEUE,
};

/* All texts are borrowed from the words or are static. */
struct complete_place {
    enum complete_kind kind;
    const struct command *command; /* NULL: the words name no command yet */
    const char *family, *choices, *app;
    const char *typed;  /* what a candidate begins with */
    const char *before; /* put before each candidate: "--queue=" and its length */
    size_t before_length;
    const char *rm, *conf_dir, *as_user; /* options of the line; NULL: not given */
};

/* Finds what completes WORDS[COUNT-1], which may be empty. The words before it are complete; the word creel
 * is not among them. COUNT is at least 1. */
void complete_find(const char *const *words, size_t count, struct complete_place *ret);

/* `creel __complete` (cmd_complete.c). */
int cmd_complete(struct cli *cli);

/* True if WORD is the first word of commands of two words: app, node, ... */
bool command_is_family(const char *word);

#endif

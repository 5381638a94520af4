/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manual.h - manual pages of the commands, made from the table of commands; run when creel is built
 *
 * There is a page for each first word of a command: creel-submit(1), creel-node(1). The page of a family has
 * all commands that begin with its word. The pages are listed in client/cli/local.mk (command_words).
 */
#ifndef CREEL_CLI_MANUAL_H
#define CREEL_CLI_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

#include "client/cli/frame/cli.h"

/* `creel __man [WORD]`: the source of a page, or without WORD the words, one on each line. Not listed. */
int cmd_man(struct cli *cli);

#endif

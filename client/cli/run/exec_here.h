/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_here.h - runs a command inside a container, on this terminal or with this process's standard files
 */
#ifndef CREEL_CLI_EXEC_HERE_H
#define CREEL_CLI_EXEC_HERE_H

#include "client/cli/frame/cli.h"

/* Run COMMAND (ends with NULL) in CONTAINER, by cli->client, which is there. INTERACTIVE: with standard
 * input. TERMINAL: on a terminal of its own; with both, this one is raw meanwhile. What goes wrong is
 * reported. Returns the exit code: the command's, or one of enum cli_exit. */
int exec_here(struct cli *cli, const struct creel_container *container, const char *const *command,
              bool interactive, bool terminal);

#endif

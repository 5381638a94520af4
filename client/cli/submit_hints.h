/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_hints.h - letters of submit and run that mean something else in Slurm
 *
 * Each writes at most one line to standard error for a letter.
 */
#ifndef CREEL_CLI_SUBMIT_HINTS_H
#define CREEL_CLI_SUBMIT_HINTS_H

#include "client/cli/cli.h"

/* For letters of ARGV (ends with NULL) that COMMAND does not have, or for -o, the format of the output. */
void submit_hint_unknown(const struct command *command, const char *const *argv);
/* For letters of an accepted command line whose values look like Slurm's: -n 4, -t 10. */
void submit_hint_taken(const struct cli *cli);
/* For letters of a refused one. */
void submit_hint_refused(const struct options *options);

#endif

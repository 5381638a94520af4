/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_hints.h - hints about options of submit and run for users of Slurm
 *
 * Each function prints at most one line per option on standard error.
 */
#ifndef CREEL_CLI_SUBMIT_HINTS_H
#define CREEL_CLI_SUBMIT_HINTS_H

#include "client/cli/frame/cli.h"

/* For the first option in ARGV (ends with NULL) that COMMAND does not have, or for -o, the output format. */
void submit_hint_unknown(const struct command *command, const char *const *argv);
/* For options of an accepted command line whose values look like Slurm's: -n 4, -t 10, --time 10. */
void submit_hint_taken(const struct cli *cli);
/* For a script that needs the environment of the submitter: WORD ("job.sh:3: module ...", or NULL) is why
 * it may. Names the variables that cannot be sent, too. */
struct submit_options;
void submit_hint_environment(const struct cli *cli, const struct submit_options *options, const char *word);
/* For short options of a refused command line. */
void submit_hint_refused(const struct options *options);

#endif

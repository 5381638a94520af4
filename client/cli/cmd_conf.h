/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_conf.h - parts of the commands about the configuration that more than one of them has */
#ifndef CREEL_CLI_CMD_CONF_H
#define CREEL_CLI_CMD_CONF_H

#include "client/cli/cli.h"

/* Judges the configuration in DIRECTORY by the code of the daemons. Prints warnings and mistakes, on standard
 * error, or with --json as a FindingList (creel conf apply: only if there is a mistake). Returns EXIT_DONE or
 * EXIT_BAD_CONFIG. */
int conf_judge(struct cli *cli, const char *directory);

/* Prints WARNINGS, which end with NULL, as a FindingList. Returns an exit code. */
int conf_print_warnings(struct cli *cli, const char *const *warnings);

/* Prints the version of the configuration of queues that is in force, as a ConfVersionList. Returns an exit
 * code. */
int conf_print_version(struct cli *cli);

/* creel admin refresh all. */
int refresh_all(struct cli *cli);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_conf.h - functions that several `creel conf` commands share */
#ifndef CREEL_CLI_CMD_CONF_H
#define CREEL_CLI_CMD_CONF_H

#include "client/cli/frame/cli.h"

/* Checks the configuration in DIRECTORY with the code of the daemons. Prints warnings, errors and the groups
 * of other remarks (`creel conf apply`: the group of those that change what the cluster does) on standard
 * error; if an output format was requested, as a FindingList instead (`creel conf apply` prints the list only
 * if there is an error). Returns EXIT_DONE or EXIT_BAD_CONFIG. */
int conf_judge(struct cli *cli, const char *directory);

/* Prints WARNINGS, which end with NULL, as a FindingList. Returns an exit code. */
int conf_print_warnings(struct cli *cli, const char *const *warnings);

/* Prints the present version of the configuration of queues, as a ConfVersionList. Returns an exit code. */
int conf_print_version(struct cli *cli);

/* Runs `creel admin refresh all`. Returns an exit code. */
int refresh_all(struct cli *cli);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* show_users.h - prints what the users of the cluster have */
#ifndef CREEL_CLI_SHOW_USERS_H
#define CREEL_CLI_SHOW_USERS_H

#include "client/cli/cli.h"

/* Adds up APPS, which have not ended, by user, and prints a row for each. Returns an exit code. */
int show_users(struct cli *cli, const struct creel_apps *apps);

#endif

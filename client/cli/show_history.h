/* SPDX-License-Identifier: Apache-2.0 */
/* show_history.h - prints applications of the history */
#ifndef CREEL_CLI_SHOW_HISTORY_H
#define CREEL_CLI_SHOW_HISTORY_H

#include "client/cli/cli.h"

/* Prints APPS as rows, JSON or ids; returns an exit code. */
int show_history(struct cli *cli, const struct creel_apps *apps);

#endif

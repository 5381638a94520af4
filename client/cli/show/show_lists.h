/* SPDX-License-Identifier: Apache-2.0 */
/* show_lists.h - prints lists that one command has: users, ended applications, states of nodes */
#ifndef CREEL_CLI_SHOW_USERS_H
#define CREEL_CLI_SHOW_USERS_H

#include "client/cli/frame/cli.h"

/* Adds up APPS, which have not ended, by user, and prints a row for each. Returns an exit code. */
int show_users(struct cli *cli, const struct creel_apps *apps);

/* Prints APPS as rows, JSON or ids; returns an exit code. */
int show_history(struct cli *cli, const struct creel_apps *apps);

/* Prints a row for each state that one of the COUNT nodes has: their number, sums, and hosts as ranges (a
 * node by its id if its host has several of the nodes). Returns an exit code. */
int show_node_states(struct cli *cli, const struct creel_node *const *nodes, size_t count);

#endif

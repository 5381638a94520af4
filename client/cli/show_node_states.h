/* SPDX-License-Identifier: Apache-2.0 */
/* show_node_states.h - prints how many nodes are in each state, as Slurm's sinfo */
#ifndef CREEL_CLI_SHOW_NODE_STATES_H
#define CREEL_CLI_SHOW_NODE_STATES_H

#include "client/cli/cli.h"

/* Prints a row for each state that one of the COUNT nodes has: their number, sums, and hosts as ranges (a
 * node by its id if its host has several of the nodes). Returns an exit code. */
int show_node_states(struct cli *cli, const struct creel_node *const *nodes, size_t count);

#endif

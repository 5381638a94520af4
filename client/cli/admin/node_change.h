/* SPDX-License-Identifier: Apache-2.0 */
/* node_change.h - drains, decommissions or restores nodes, for the commands that do */
#ifndef CREEL_CLI_NODE_CHANGE_H
#define CREEL_CLI_NODE_CHANGE_H

#include "client/cli/frame/cli.h"
#include "client/include/creel-admin.h"

/* Reads the options --reason, --deadline, --no-deadline and --kill-now. Returns false after printing an
 * error; *CODE is the exit code. */
bool node_order_read(struct cli *cli, struct creel_node_order *order, int *code);
/* Changes the COUNT nodes NAMES, prints them, and waits with --wait. The client is connected. Returns the
 * exit code. */
int node_change(struct cli *cli, const char *const *names, size_t count,
                const struct creel_node_order *order);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* wait_nodes.h - waits until nodes are drained or decommissioned */
#ifndef CREEL_CLI_WAIT_NODES_H
#define CREEL_CLI_WAIT_NODES_H

#include "client/cli/frame/cli.h"

/* Waits until none of NODES is draining or being decommissioned. Ctrl-C only ends the waiting. Returns an
 * exit code: EXIT_REFUSED if the change of a node was cancelled meanwhile, EXIT_OUT_OF_TIME after
 * --timeout. */
int wait_nodes(struct cli *cli, const struct creel_nodes *nodes);

/* Waits until no node is being decommissioned because of the lists of hosts, or for TIMEOUT_MS (below 0:
 * no limit). Returns 0 or -ETIMEDOUT; other -errno with ERROR. */
int wait_excluded(struct cli *cli, int64_t timeout_ms, struct creel_error *error);

#endif

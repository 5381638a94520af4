/* SPDX-License-Identifier: Apache-2.0 */
/* wait_nodes.h - until nodes are drained, or have left */
#ifndef CREEL_CLI_WAIT_NODES_H
#define CREEL_CLI_WAIT_NODES_H

#include "client/cli/cli.h"

/* Until none of NODES is on its way any more. Ctrl-C ends the waiting, and nothing else. An exit
 * code: EXIT_REFUSED if one of them was taken back meanwhile. */
int wait_nodes(struct cli *cli, const struct creel_nodes *nodes);

/* Until no node leaves because of the lists of hosts, or for TIMEOUT_MS (below 0: for ever): 0 or
 * -ETIMEDOUT; other -errno with ERROR. */
int wait_excluded(struct cli *cli, int64_t timeout_ms, struct creel_error *error);

#endif

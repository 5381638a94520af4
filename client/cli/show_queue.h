/* SPDX-License-Identifier: Apache-2.0 */
/* show_queue.h - prints queues after a change of a queue */
#ifndef CREEL_CLI_SHOW_QUEUE_H
#define CREEL_CLI_SHOW_QUEUE_H

#include "client/cli/cli.h"

/* Prints QUEUES in the given order, in the requested format. Returns an exit code. */
int show_queues(struct cli *cli, const struct creel_queues *queues);

#endif

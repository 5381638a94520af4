/* SPDX-License-Identifier: Apache-2.0 */
/* show_queue.h - queues, by who changed one */
#ifndef CREEL_CLI_SHOW_QUEUE_H
#define CREEL_CLI_SHOW_QUEUE_H

#include "client/cli/cli.h"

/* QUEUES, as they stand there, in the format that was asked for. Returns an exit code. */
int show_queues(struct cli *cli, const struct creel_queues *queues);

#endif

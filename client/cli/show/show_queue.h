/* SPDX-License-Identifier: Apache-2.0 */
/* show_queue.h - prints queues, and their figures by node label */
#ifndef CREEL_CLI_SHOW_QUEUE_H
#define CREEL_CLI_SHOW_QUEUE_H

#include "client/cli/frame/amounts.h"
#include "client/cli/frame/cli.h"
#include "client/cli/frame/listing.h"

/* Prints QUEUES in the given order, in the requested format. Returns an exit code. */
int show_queues(struct cli *cli, const struct creel_queues *queues);

/* queue_labels.c: prints labels, and what QUEUE has on the nodes of each. */
void queue_labels_lines(const struct creel_queue *queue);
void queue_labels_json(const struct creel_queue *queue, struct json_writer *json);
/* Formats a limit of QUEUE: without vcores if they have no limit. */
const char *queue_limit_text(const struct creel_queue *queue, const struct creel_resource *limit,
                             char text[RECORD_AMOUNTS_MAX]);

#endif

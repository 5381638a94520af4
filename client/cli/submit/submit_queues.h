/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_queues.h - which queues exist, for a script that names several
 *
 * The resource manager is asked at the first question, and once. With --dry-run, which sends nothing, and if
 * it does not answer, no queue is known.
 */
#ifndef CREEL_CLI_SUBMIT_QUEUES_H
#define CREEL_CLI_SUBMIT_QUEUES_H

#include <stdbool.h>

#include "client/cli/frame/cli.h"

struct submit_queues {
    struct cli *cli; /* borrowed */
    bool asked;
    struct creel_queues *queues; /* owned; NULL: not known */
};

/* Returns whether the cluster has the queue NAME, a path or the last component of one. CONTEXT is a struct
 * submit_queues. */
bool submit_queues_have(void *context, const char *name);
void submit_queues_done(struct submit_queues *queues);

#endif

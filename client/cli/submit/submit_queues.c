/* SPDX-License-Identifier: Apache-2.0 */
/* submit_queues.c - which queues exist, for a script that names several */
#include "client/cli/submit/submit_queues.h"

#include <string.h>

#include "client/include/creel.h"

static void ask(struct submit_queues *queues)
{
    struct creel_client *client;
    struct creel_error error;
    int code;

    queues->asked = true;
    client = options_has(&queues->cli->options, "dry-run") ? cli_connect(queues->cli, &error)
                                                           : cli_client(queues->cli, &code);
    if (!client)
        return;
    if (creel_queue_list(client, NULL, &queues->queues, &error) < 0)
        queues->queues = NULL;
}

bool submit_queues_have(void *context, const char *name)
{
    struct submit_queues *queues = context;

    if (!queues->asked)
        ask(queues);
    for (size_t i = 0; queues->queues && i < queues->queues->count; i++) {
        const struct creel_queue *queue = &queues->queues->items[i];
        const char *last = strrchr(queue->path, '.');

        if (queue->leaf && (!strcmp(queue->path, name) || (last && !strcmp(last + 1, name))))
            return true;
    }
    return false;
}

void submit_queues_done(struct submit_queues *queues)
{
    if (queues->queues)
        creel_queues_free(queues->queues);
    queues->queues = NULL;
}

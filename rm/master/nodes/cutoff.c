/* SPDX-License-Identifier: Apache-2.0 */
/* cutoff.c - stops containers whose agent has no contact with the resource manager */
#include "rm/master/nodes/cutoff.h"

#define KILLED_MS 5000 /* maximum time from SIGKILL to the end of all processes */

int64_t rm_cutoff_of(const struct master *m, const struct app *app)
{
    int64_t own_ms = app->job->stop_after_ms;

    if (own_ms == 0)
        return m->config.stop_after_ms;
    return own_ms > 0 ? own_ms : 0;
}

int64_t rm_cutoff_silence_ms(const struct master *m, const struct node *node)
{
    int64_t silence_ms = m->config.node_expiry_ms;
    const struct container *container;

    TAILQ_FOREACH(container, &node->containers, of_node) {
        int64_t over_ms = container->stop_after_ms + container->stop_after_ms / 8 + KILLED_MS;

        if (container->stop_after_ms > 0 && over_ms > silence_ms)
            silence_ms = over_ms;
    }
    return silence_ms;
}

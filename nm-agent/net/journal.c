/* SPDX-License-Identifier: Apache-2.0 */
/* journal.c - writes events of containers to the journal */
#include "nm-agent/net/daemon.h"

void journal_container(const struct daemon *daemon, const char *container_id, const char *app_id,
                       const char *text)
{
    struct container_id id;
    char app[ID_TEXT_MAX];
    struct log_about about = {
        .app_id = app_id,
        .container_id = container_id,
        .node = daemon->node_id,
    };

    if (app_id == NULL && container_id_parse(container_id, &id))
        about.app_id = app_id_format(&id.attempt.app, app);
    log_about(&about, LOG_LEVEL_INFO, "container %s: %s", container_id, text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* log_levels.c - requests that show or set the log levels of daemons */
#include <stdlib.h>

#include "client/include/creel-admin.h"
#include "client/libcreel/client.h"
#include "common/base/mem.h"
#include "common/io/wire.h"

struct levels_box {
    struct creel_log_levels shown; /* first member: callers have a pointer to it */
    Creel__Envelope *reply;
};

CREEL_EXPORT
const char *creel_log_level_name(enum creel_log_level level)
{
    static const char *const names[] = {
        [CREEL_LOG_LEVEL_UNKNOWN] = "unknown", [CREEL_LOG_LEVEL_ERROR] = "error",
        [CREEL_LOG_LEVEL_WARN] = "warn",       [CREEL_LOG_LEVEL_INFO] = "info",
        [CREEL_LOG_LEVEL_DEBUG] = "debug",
    };

    return (size_t)level < sizeof(names) / sizeof(names[0]) ? names[level] : names[CREEL_LOG_LEVEL_UNKNOWN];
}

static struct creel_log_levels *box_new(Creel__Envelope *reply)
{
    struct levels_box *box = mem_new0(struct levels_box);
    const Creel__LogLevels *levels = reply->log_levels;

    box->reply = reply;
    box->shown.rm = (enum creel_log_level)levels->rm;
    box->shown.nodes = mem_array0(levels->n_nodes + 1, sizeof(*box->shown.nodes));
    for (size_t i = 0; i < levels->n_nodes; i++)
        box->shown.nodes[box->shown.node_count++] = (struct creel_node_log_level){
            .node_id = levels->nodes[i]->node_id,
            .level = (enum creel_log_level)levels->nodes[i]->level,
            .wanted = (enum creel_log_level)levels->nodes[i]->wanted,
        };
    return &box->shown;
}

CREEL_EXPORT
int creel_log_level(struct creel_client *client, const struct creel_log_order *order,
                    struct creel_log_levels **ret, struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply = NULL;
    Creel__SetLogLevel set = CREEL__SET_LOG_LEVEL__INIT;
    struct err err = { 0 };
    int r;

    set.level = (Creel__LogLevel)order->level;
    set.rm = order->rm;
    set.all_nodes = order->all_nodes;
    set.nodes = (char **)(uintptr_t)order->nodes;
    set.n_nodes = order->node_count;
    request.body_case = CREEL__ENVELOPE__BODY_SET_LOG_LEVEL;
    request.set_log_level = &set;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_LOG_LEVELS, client->timeout_ms, &reply, &err);
    if (r == 0)
        *ret = box_new(reply);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
void creel_log_levels_free(struct creel_log_levels *levels)
{
    struct levels_box *box = (struct levels_box *)(void *)levels;

    if (!box)
        return;
    wire_free(box->reply);
    free(box->shown.nodes);
    free(box);
}

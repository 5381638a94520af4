/* SPDX-License-Identifier: Apache-2.0 */
/* log_levels.c - requests that show or set the log levels of daemons */
#include <stdlib.h>

#include "client/include/creel-admin.h"
#include "client/libcreel/pages.h"
#include "common/base/mem.h"

struct levels_box {
    struct creel_log_levels shown; /* first member: callers have a pointer to it */
    struct pages pages;
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

static void show(struct levels_box *box)
{
    const struct pages *pages = &box->pages;
    size_t count = 0;

    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i]->log_levels->n_nodes;
    box->shown.rm = (enum creel_log_level)pages->items[0]->log_levels->rm;
    box->shown.nodes = mem_array0(count + 1, sizeof(*box->shown.nodes));
    for (size_t i = 0; i < pages->count; i++) {
        const Creel__LogLevels *levels = pages->items[i]->log_levels;

        for (size_t k = 0; k < levels->n_nodes; k++)
            box->shown.nodes[box->shown.node_count++] = (struct creel_node_log_level){
                .node_id = levels->nodes[k]->node_id,
                .level = (enum creel_log_level)levels->nodes[k]->level,
                .wanted = (enum creel_log_level)levels->nodes[k]->wanted,
            };
    }
}

static bool next_levels(Creel__Envelope *request, const Creel__Envelope *reply)
{
    Creel__SetLogLevel *set = request->set_log_level;
    const Creel__LogLevels *levels = reply->log_levels;

    if (*levels->next == '\0')
        return false;
    if (set->n_nodes > 0)
        return pages_drop_listed(&set->nodes, &set->n_nodes, levels->n_nodes);
    set->level = CREEL__LOG_LEVEL__LOG_LEVEL_UNKNOWN;
    set->after = levels->next;
    return true;
}

CREEL_EXPORT
int creel_log_level(struct creel_client *client, const struct creel_log_order *order,
                    struct creel_log_levels **ret, struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__SetLogLevel set = CREEL__SET_LOG_LEVEL__INIT;
    struct levels_box *box = mem_new0(struct levels_box);
    struct err err = { 0 };
    int r;

    set.level = (Creel__LogLevel)order->level;
    set.rm = order->rm;
    set.all_nodes = order->all_nodes;
    set.nodes = (char **)(uintptr_t)order->nodes;
    set.n_nodes = order->node_count;
    request.body_case = CREEL__ENVELOPE__BODY_SET_LOG_LEVEL;
    request.set_log_level = &set;
    r = pages_fetch(client, &request, 0, CREEL__ENVELOPE__BODY_LOG_LEVELS, next_levels, &box->pages, &err);
    if (r < 0) {
        creel_log_levels_free(&box->shown);
        return client_set_error(error, &err, r);
    }
    show(box);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_log_levels_free(struct creel_log_levels *levels)
{
    struct levels_box *box = (struct levels_box *)(void *)levels;

    if (!box)
        return;
    pages_done(&box->pages);
    free(box->shown.nodes);
    free(box);
}

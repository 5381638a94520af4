/* SPDX-License-Identifier: Apache-2.0 */
/* log_levels.c - requests that show or set the log levels of daemons */
#include "client/include/creel-admin.h"
#include "client/libcreel/request.h"
#include "client/libcreel/result.h"

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

/* Takes PAGES. */
static struct creel_log_levels *show(struct pages *taken)
{
    struct creel_log_levels *shown = RESULT_NEW(struct creel_log_levels, taken);
    const struct pages *pages = result_pages(shown);
    size_t count = 0;

    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i]->log_levels->n_nodes;
    shown->rm = (enum creel_log_level)pages->items[0]->log_levels->rm;
    shown->nodes = RESULT_ARRAY(shown, count, struct creel_node_log_level);
    for (size_t i = 0; i < pages->count; i++) {
        const Creel__LogLevels *levels = pages->items[i]->log_levels;

        for (size_t k = 0; k < levels->n_nodes; k++)
            shown->nodes[shown->node_count++] = (struct creel_node_log_level){
                .node_id = levels->nodes[k]->node_id,
                .level = (enum creel_log_level)levels->nodes[k]->level,
                .wanted = (enum creel_log_level)levels->nodes[k]->wanted,
            };
    }
    return shown;
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
    Creel__SetLogLevel set = CREEL__SET_LOG_LEVEL__INIT;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    set.level = (Creel__LogLevel)order->level;
    set.rm = order->rm;
    set.all_nodes = order->all_nodes;
    set.nodes = (char **)(uintptr_t)order->nodes;
    set.n_nodes = order->node_count;
    r = request_pages(client, REQUEST(SET_LOG_LEVEL, &set), ANSWER(LOG_LEVELS), next_levels, &pages, &err);
    if (r == 0)
        *ret = show(&pages);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
void creel_log_levels_free(struct creel_log_levels *levels)
{
    result_free(levels);
}

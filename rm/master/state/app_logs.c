/* SPDX-License-Identifier: Apache-2.0 */
/* app_logs.c - whether the logs of an ended application have moved to shared storage */
#include "rm/master/state/app_logs.h"

#include <string.h>

#include "common/base/mem.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/index.h"
#include "rm/master/state/rows.h"

#define LOGS(name) CREEL__LOG_AGGREGATION__LOGS_##name

struct app_logs {
    UT_hash_handle hh; /* by node id, while the node has not reported a final state */
    char *node_id;     /* owned */
};

static struct app_logs *find(const struct app *app, const char *node_id)
{
    struct app_logs *logs;

    HASH_FIND_STR(app->logs, node_id, logs);
    return logs;
}

static void drop(struct app *app, struct app_logs *logs)
{
    HASH_DEL(app->logs, logs);
    free(logs->node_id);
    free(logs);
}

void rm_app_logs_free(struct app *app)
{
    struct app_logs *logs, *next;

    HASH_ITER(hh, app->logs, logs, next)
        drop(app, logs);
}

static bool is_final(Creel__LogAggregation state)
{
    return state == LOGS(SUCCEEDED) || state == LOGS(FAILED);
}

void rm_app_logs_recover(struct app *app, Creel__LogAggregation stored)
{
    if (!is_final(stored))
        return;
    app->logs_final = stored;
    app->logs_reported = true;
    app->logs_failed = stored == LOGS(FAILED);
}

/* Stores the last state of the logs of APP, if it is known now or has become FAILED. */
static void settle(struct master *m, struct app *app)
{
    Creel__LogAggregation state = app->logs_failed ? LOGS(FAILED) : LOGS(SUCCEEDED);

    if (!rm_app_is_ended(app) || app->logs != NULL || app->nodes != NULL || app->logs_final == state)
        return;
    app->logs_final = state;
    rm_changes_app(m, app);
    rm_store_app(m, app);
}

static void take(struct app *app, const struct node *node, Creel__LogAggregation state)
{
    struct app_logs *logs = find(app, node->id);

    app->logs_reported = true;
    if (state == LOGS(RUNNING) && logs == NULL) {
        logs = mem_new0(struct app_logs);
        logs->node_id = mem_strdup(node->id);
        HASH_ADD_KEYPTR(hh, app->logs, logs->node_id, strlen(logs->node_id), logs);
    }
    if (state == LOGS(RUNNING))
        return;
    app->logs_failed = app->logs_failed || state == LOGS(FAILED);
    if (logs != NULL)
        drop(app, logs);
}

void rm_app_logs_take(struct master *m, const struct node *node, Creel__LogReport *const *reports,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct app_id id;
        struct app *app = app_id_parse(reports[i]->app_id, &id) && id.cluster_ms == m->cluster_ms
                              ? rm_app_find(m, id.seq)
                              : NULL;

        if (app == NULL)
            continue;
        take(app, node, reports[i]->state);
        settle(m, app);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* failed_nodes.c - nodes on which first containers of an application failed */
#include "rm/master/nodes/failed_nodes.h"

#include <string.h>

#include "common/base/text_builder.h"

#define NAMES_IN_TEXT 3

bool rm_failed_nodes_counts(int32_t exit_status)
{
    switch (exit_status) {
    case 0:
    case CONTAINER_EXIT_ABORTED:
    case CONTAINER_EXIT_PREEMPTED:
    case CONTAINER_EXIT_VIRTUAL:
    case CONTAINER_EXIT_PHYSICAL:
    case CONTAINER_EXIT_BY_AM:
    case CONTAINER_EXIT_BY_RM:
    case CONTAINER_EXIT_APP_OVER:
        return false;
    default:
        return true;
    }
}

static struct failed_node *find(const struct app *app, const char *node_id)
{
    struct failed_node *failed;

    HASH_FIND_STR(app->failed_nodes, node_id, failed);
    return failed;
}

void rm_failed_nodes_add(const struct master *m, const struct container *container)
{
    struct app *app = container->app;
    struct failed_node *failed;

    if (!m->config.avoid_failed_nodes || !container->is_am ||
        !rm_failed_nodes_counts(container->exit_status) || find(app, container->node->id))
        return;
    failed = mem_new0(struct failed_node);
    failed->node_id = mem_strdup(container->node->id);
    failed->attempt = container->id.attempt.attempt;
    failed->exit_status = container->exit_status;
    HASH_ADD_KEYPTR(hh, app->failed_nodes, failed->node_id, strlen(failed->node_id), failed);
}

void rm_failed_nodes_free(struct app *app)
{
    struct failed_node *failed, *next;

    HASH_ITER(hh, app->failed_nodes, failed, next) {
        HASH_DEL(app->failed_nodes, failed);
        free(failed->node_id);
        free(failed);
    }
}

void rm_failed_nodes_apply(struct master *m, struct app *app)
{
    struct sched_avoided avoided = { .share = m->config.failed_nodes_share };
    const char **nodes = arena_array0(m->out->arena, HASH_COUNT(app->failed_nodes) + 1, sizeof(*nodes));
    struct failed_node *failed, *next;

    HASH_ITER(hh, app->failed_nodes, failed, next)
        nodes[avoided.count++] = failed->node_id;
    avoided.nodes = nodes;
    sched_app_set_avoided(app->sched, &avoided);
}

/* --- reports ----------------------------------------------------------------- */

static bool is_ignored(const struct master *m, const struct app *app)
{
    return app->failed_nodes == NULL || app->sched == NULL ||
           sched_app_ignores(app->sched, HASH_COUNT(app->failed_nodes), m->config.failed_nodes_share);
}

static bool is_earlier(const struct app *app, const struct failed_node *failed)
{
    return app->attempt && failed->attempt < app->attempt->id.attempt;
}

bool rm_failed_nodes_has(const struct master *m, const struct app *app, const char *node_id)
{
    const struct failed_node *failed = find(app, node_id);

    return failed && is_earlier(app, failed) && !is_ignored(m, app);
}

void rm_failed_nodes_report(const struct master *m, const struct app *app, Creel__AppReport *report)
{
    struct arena *arena = m->out->arena;
    struct failed_node *failed, *next;

    if (is_ignored(m, app))
        return;
    report->avoided_nodes = arena_array0(arena, FAILED_NODES_SHOWN_MAX, sizeof(char *));
    HASH_ITER(hh, app->failed_nodes, failed, next)
        if (is_earlier(app, failed) && report->n_avoided_nodes < FAILED_NODES_SHOWN_MAX)
            report->avoided_nodes[report->n_avoided_nodes++] = arena_strdup(arena, failed->node_id);
}

const char *rm_failed_nodes_waiting(const struct master *m, const struct app *app)
{
    struct arena *arena = m->out->arena;
    struct failed_node *failed, *next;
    struct text_builder text = TEXT_BUILDER_IN(arena);
    unsigned named = 0, others = 0;

    if (is_ignored(m, app) || app->attempt == NULL || app->attempt->am_container)
        return NULL;
    HASH_ITER(hh, app->failed_nodes, failed, next) {
        if (!is_earlier(app, failed))
            continue;
        if (named == NAMES_IN_TEXT) {
            others++;
            continue;
        }
        text_builder_printf(&text, "%s%s (attempt %u ended there with exit status %d)",
                            named++ > 0 ? ", " : "its first container avoids ", failed->node_id,
                            failed->attempt, failed->exit_status);
    }
    if (named == 0)
        return NULL;
    if (others > 0)
        text_builder_printf(&text, " and %u more nodes", others);
    return text_builder_finish(&text);
}

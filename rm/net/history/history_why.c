/* SPDX-License-Identifier: Apache-2.0 */
/* history_why.c - explains how an application ended that only the history has, as text */
#include "rm/net/history/history_why.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/text.h"
#include "rm/master/master.h"

static void add(struct arena *arena, Creel__AppExplanation *reply, const char *code, bool blocking,
                const char *text, int64_t at_ms)
{
    Creel__WhyItem *item = arena_new0(arena, Creel__WhyItem);

    creel__why_item__init(item);
    item->reason_code = arena_strdup(arena, code);
    item->blocking = blocking;
    item->text = arena_strdup(arena, text);
    item->since_ms = at_ms;
    reply->items[reply->n_items++] = item;
}

static bool is_task_of_earlier_attempt(const Creel__AppReport *app, const Creel__ContainerReport *container)
{
    struct container_id id;

    return !container->master && container_id_parse(container->container_id, &id) &&
           id.attempt.attempt < app->attempt;
}

static void add_containers(struct arena *arena, const Creel__AppReport *app,
                           Creel__ContainerReport *const *containers, size_t count,
                           Creel__AppExplanation *reply)
{
    bool killed = app->kill_requested || app->state == CREEL__APP_STATE__APP_KILLED;
    unsigned shown = 0;

    for (size_t i = 0; i < count && shown < MASTER_ENDS_SHOWN; i++) {
        const Creel__ContainerReport *container = containers[i];

        if (!master_explains_end(killed || is_task_of_earlier_attempt(app, container),
                                 container->exit_status))
            continue;
        shown++;
        add(arena, reply, master_end_code(container->exit_status), false,
            master_end_text(arena, reply, container->container_id, container->node_id, container->exit_status,
                            container->diagnostics),
            container->finished_ms);
    }
}

static bool has_run(const Creel__AppReport *app, Creel__ContainerReport *const *containers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (containers[i]->started_ms > 0)
            return true;
    return app->started_ms > 0;
}

void history_why(struct arena *arena, Creel__AppReport *app, Creel__ContainerReport *const *containers,
                 size_t count, Creel__AppExplanation *reply)
{
    bool succeeded = app->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED;
    bool killed = app->state == CREEL__APP_STATE__APP_KILLED;
    const char *id = strrchr(app->app_id, '_');
    char elapsed[TEXT_SIZE_MAX];

    reply->app = app;
    reply->items = arena_array0(arena, MASTER_ENDS_SHOWN + 1, sizeof(*reply->items));
    text_format_elapsed_ms(app->finished_ms - app->submitted_ms, elapsed);
    reply->summary =
        arena_printf(arena, "%s %s (%s, %s) %s %s after its submission", id, app->name, app->user, app->queue,
                     killed      ? "was killed"
                     : succeeded ? "succeeded"
                                 : "failed",
                     elapsed);
    if (*app->diagnostics != '\0' || app->exit_status != 0)
        add(arena, reply, killed ? "Killed" : master_end_code(app->exit_status), true,
            *app->diagnostics != '\0' ? app->diagnostics
                                      : arena_printf(arena, "its exit status is %" PRId32, app->exit_status),
            app->finished_ms);
    add_containers(arena, app, containers, count, reply);
    if (succeeded || !has_run(app, containers, count))
        return;
    reply->advice = arena_array0(arena, 1, sizeof(*reply->advice));
    reply->advice[reply->n_advice++] =
        arena_printf(arena, "creel logs %s shows what its containers wrote", id);
}

const char *history_named_app(const Creel__Envelope *request)
{
    switch (request->body_case) {
    case CREEL__ENVELOPE__BODY_LIST_APPS:
        return *request->list_apps->app_id != '\0' ? request->list_apps->app_id : NULL;
    case CREEL__ENVELOPE__BODY_LIST_CONTAINERS:
        return *request->list_containers->app_id != '\0' ? request->list_containers->app_id : NULL;
    case CREEL__ENVELOPE__BODY_WAIT_APP:
        return request->wait_app->app_id;
    case CREEL__ENVELOPE__BODY_EXPLAIN_APP:
        return request->explain_app->app_id;
    case CREEL__ENVELOPE__BODY_GET_LOG_ACCESS:
        return request->get_log_access->control ? NULL : request->get_log_access->app_id;
    default:
        return NULL;
    }
}

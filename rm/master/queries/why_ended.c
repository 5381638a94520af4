/* SPDX-License-Identifier: Apache-2.0 */
/* why_ended.c - explains how an application ended, as text */
#include <inttypes.h>

#include "rm/master/state/app_logs.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"
#include "rm/master/queries/why.h"
#include "rm/master/parts/format.h"

#define ATTEMPTS_SHOWN 5 /* ends of earlier attempts in an explanation */

const char *master_end_code(int32_t status)
{
    switch (status) {
    case CONTAINER_EXIT_ABORTED:
    case CONTAINER_EXIT_LOST:
        return "Lost";
    case CONTAINER_EXIT_DISKS:
        return "DisksFailed";
    case CONTAINER_EXIT_PREEMPTED:
        return "Preempted";
    case CONTAINER_EXIT_VIRTUAL:
    case CONTAINER_EXIT_PHYSICAL:
        return "OutOfMemory";
    case CONTAINER_EXIT_LOGS:
        return "LogsTooLarge";
    case CONTAINER_EXIT_DIRECTORY:
        return "DirectoryTooLarge";
    case CONTAINER_EXIT_BY_AM:
    case CONTAINER_EXIT_BY_RM:
    case CONTAINER_EXIT_APP_OVER:
        return "Killed";
    default:
        return "Exit";
    }
}

bool master_explains_end(bool stopped, int32_t status)
{
    return status != 0 && status != CONTAINER_EXIT_BY_AM && status != CONTAINER_EXIT_APP_OVER &&
           !(stopped && status == CONTAINER_EXIT_BY_RM);
}

/* Returns what DIAGNOSTICS adds to the reasons in the items of REPLY, for example its exit status; NULL: they
 * do not have its reason. */
static const char *after_known_reason(const Creel__AppExplanation *reply, const char *diagnostics)
{
    for (size_t i = 0; i < reply->n_items; i++) {
        const char *text = reply->items[i]->text;

        if (strstr(text, diagnostics))
            return "";
        if (*text != '\0' && text_has_prefix(diagnostics, text))
            return diagnostics + strlen(text);
    }
    return NULL;
}

char *master_end_text(struct arena *arena, const Creel__AppExplanation *reply, const char *container_id,
                      const char *node_id, int32_t status, const char *diagnostics)
{
    bool silent = rm_text_is_empty(diagnostics);
    const char *rest = silent ? NULL : after_known_reason(reply, diagnostics);

    if (rest)
        return arena_printf(arena, "%s on %s ended with %" PRId32 " for the reason given above%s",
                            container_id, node_id, status, rest);
    return arena_printf(arena, "%s on %s ended with %" PRId32 "%s%s", container_id, node_id, status,
                        silent ? "" : ": ", silent ? "" : diagnostics);
}

static bool explains_end(const struct app *app, const struct container *container)
{
    bool killed = app->kill_requested || app->shown == CREEL__APP_STATE__APP_KILLED;
    bool other_follows = container->attempt != app->attempt && !container->is_am;

    return container->state == CONTAINER_COMPLETED &&
           master_explains_end(killed || other_follows, container->exit_status);
}

static void explain_containers(struct master *m, struct app *app, Creel__AppExplanation *reply)
{
    struct container first = { .id = { .attempt = { .app = app->id } } }, *container;
    unsigned shown = 0;

    for (container = RB_NFIND(rm_container_tree, &m->containers, &first);
         container && container->app == app && shown < MASTER_ENDS_SHOWN;
         container = RB_NEXT(rm_container_tree, &m->containers, container)) {
        if (!explains_end(app, container))
            continue;
        shown++;
        rm_why_add(m, reply, master_end_code(container->exit_status), false,
                   master_end_text(m->out->arena, reply, container->text, container->node->id,
                                   container->exit_status, container->diagnostics),
                   container->finished_ms);
    }
}

/* Adds the ends of the attempts before the last one, the first ATTEMPTS_SHOWN of them. */
static void explain_attempts(struct master *m, const struct app *app, Creel__AppExplanation *reply)
{
    const struct attempt *attempt;
    unsigned shown = 0, others = 0;

    TAILQ_FOREACH(attempt, &app->attempts, link) {
        if (attempt == app->attempt || rm_text_is_empty(attempt->diagnostics))
            continue;
        if (shown == ATTEMPTS_SHOWN) {
            others++;
            continue;
        }
        shown++;
        rm_why_add(m, reply, master_end_code(attempt->exit_status), false, attempt->diagnostics, 0);
    }
    if (others > 0)
        rm_why_add(m, reply, "MoreAttempts", false,
                   arena_printf(m->out->arena, "and %u more attempt%s", others, others == 1 ? "" : "s"), 0);
}

void rm_why_ended(struct master *m, struct app *app, Creel__AppExplanation *reply)
{
    struct arena *arena = m->out->arena;
    const char *word = app->shown == CREEL__APP_STATE__APP_KILLED                  ? "was killed"
                       : app->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED ? "succeeded"
                                                                                   : "failed";

    reply->items = arena_array0(arena, MASTER_ENDS_SHOWN + 2 + ATTEMPTS_SHOWN + 1, sizeof(*reply->items));
    reply->summary =
        arena_printf(arena, "%s %s (%s, %s) %s %s after its submission", format_app_id(app->text),
                     app->job->name, app->user, format_queue(app->queue), word,
                     format_duration(arena, app->finished_ms - app->submitted_ms));
    if (!rm_text_is_empty(app->diagnostics) || app->exit_status != 0)
        rm_why_add(m, reply,
                   app->shown == CREEL__APP_STATE__APP_KILLED ? "Killed" : master_end_code(app->exit_status),
                   true,
                   rm_text_is_empty(app->diagnostics)
                       ? arena_printf(arena, "its exit status is %d", app->exit_status)
                       : app->diagnostics,
                   app->finished_ms);
    explain_attempts(m, app, reply);
    explain_containers(m, app, reply);
    if (app->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED)
        return;
    if (app->exit_status == 137 || app->exit_status == CONTAINER_EXIT_PHYSICAL ||
        app->exit_status == CONTAINER_EXIT_VIRTUAL)
        rm_why_advise(m, reply,
                      "if it was memory: submit it with more (-m); creel container stats --app "
                      "shows the peaks");
    if (app->exit_status == CONTAINER_EXIT_VIRTUAL)
        rm_why_advise(m, reply,
                      "memory that is mapped and not used counts as virtual: "
                      "yarn.nodemanager.vmem-pmem-ratio limits it");
    if (app->array)
        rm_why_advise(
            m, reply,
            "creel app list --tasks --state ALL has its tasks, and creel logs ID the output of one");
    else if (rm_app_has_run(app))
        rm_why_advise(
            m, reply,
            arena_printf(arena, "creel logs %s shows what its containers wrote", format_app_id(app->text)));
}

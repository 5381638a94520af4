/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why.c - explains why an application waits, or how it ended, as text
 *
 * The scheduler reports the limit that applies, with figures. These functions turn that into sentences, and
 * add the users of the queue, the nodes that were rejected, and advice.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/text_builder.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/nodes/failed_nodes.h"
#include "rm/master/state/index.h"
#include "rm/master/services/liveness.h"
#include "rm/master/services/queues.h"
#include "rm/master/state/retry.h"
#include "rm/master/nodes/starting.h"
#include "rm/master/queries/why.h"
#include "rm/master/parts/format.h"
#include "rm/master/state/time_limit.h"
#include "yarn/queue.h"

/* --- advice ---------------------------------------------------------------- */

#define CANDIDATES_MAX 5   /* maximum of queues that are tried for an advice */
#define DEADLINES_MAX 1000 /* maximum of deadlines examined for an advice */

static void advise_expiry(struct master *m, const struct app *app, Creel__AppExplanation *reply)
{
    const struct app *first = NULL, *other;
    struct deadline *at = rm_deadline_first(m);

    for (int i = 0; at && first == NULL && i < DEADLINES_MAX; i++, at = rm_deadline_next(at)) {
        if (at->kind != DEADLINE_LIFETIME)
            continue;
        other = at->owner;
        if (other != app && other->live > 0 && rm_time_limit_end_ms(other) > m->now_ms &&
            text_equal(other->queue, app->queue))
            first = other;
    }
    if (first)
        rm_why_advise(m, reply,
                      arena_printf(m->out->arena, "%s (%s) ends by its %s in %s", format_app_id(first->text),
                                   first->user,
                                   first->limit_ms == rm_time_limit_end_ms(first) ? "time limit" : "lifetime",
                                   format_duration(m->out->arena, rm_time_limit_end_ms(first) - m->now_ms)));
}

/* Returns true if the part LEFT of the cluster is enough for ASKED. */
static bool is_enough(struct master *m, double left, const struct resource *asked)
{
    int types = rm_limits_memory_only(m) ? RESOURCE_MEMORY_MB + 1 : RESOURCE_TYPES_MAX;
    struct sched_cluster cluster;

    sched_cluster(m->sched, &cluster);
    for (int t = 0; t < types; t++)
        if ((double)asked->value[t] > (left + 0.001) * (double)cluster.total.value[t])
            return false;
    return true;
}

static bool is_below(const char *path, const char *queue)
{
    return queue && text_has_prefix(path, queue) && path[strlen(queue)] == '.';
}

/* Returns true if the limit that WHY names applies in the queue PATH, too. */
static bool applies_in(const struct sched_why *why, const char *path)
{
    switch (why->reason) {
    case SCHED_REASON_USER_MAX_APPS:
        return true;
    case SCHED_REASON_QUEUE_MAX_APPS:
    case SCHED_REASON_PARENT_LIMIT:
        return is_below(path, why->queue);
    default:
        return false;
    }
}

/* Returns true if the queue has as many applications as it may have at a time. */
static bool has_most_apps(struct master *m, const struct sched_queue_figures *figures)
{
    struct sched_queue_settings settings;

    return sched_queue_settings(m->sched, figures->path, &settings) &&
           (int64_t)figures->active_apps + figures->waiting_apps >= settings.max_parallel_apps;
}

/* Returns true if the unused guarantee of the queue of APP is enough for ASKED: it gets that room where it
 * is. */
static bool has_guarantee_left(struct master *m, const struct app *app, const struct resource *asked)
{
    struct sched_queue_figures own;

    return sched_queue_find_figures(m->sched, app->queue, &own) &&
           is_enough(m, (double)(own.absolute_capacity - own.absolute_used), asked);
}

/* Advises a queue whose unused guarantee is enough for the request of WHY, that would accept the
 * application, and whose limits let it start. In a full cluster it has no pending requests, which wait for
 * the same room. */
static void advise_queue(struct master *m, const struct app *app, const struct sched_why *why,
                         Creel__AppExplanation *reply)
{
    bool full = why->reason == SCHED_REASON_CLUSTER_FULL;
    const struct resource *asked = &why->asked;
    const struct sched_queue *at = NULL;
    struct sched_queue_figures figures;
    const char *best = NULL;
    float most = 0;
    unsigned tried = 0;

    /* A fair share does not guarantee resources. */
    if (m->features.queues == SCHED_QUEUES_FAIR || (full && has_guarantee_left(m, app, asked)))
        return;
    while (tried < CANDIDATES_MAX && sched_queue_next(m->sched, &at, &figures)) {
        float left = figures.absolute_capacity - figures.absolute_used;
        Creel__JobSpec job = *app->job;

        if (!figures.leaf || !text_equal(figures.state, YARN_QUEUE_RUNNING) || left <= most + 0.001f ||
            text_equal(figures.path, app->queue) || !is_enough(m, (double)left, asked) ||
            (full && !resource_is_zero(&figures.pending)) || applies_in(why, figures.path) ||
            has_most_apps(m, &figures))
            continue;
        tried++;
        job.queue = (char *)(uintptr_t)figures.path;
        if (rm_queues_test(m, app->user, &job, asked, NULL) < 0)
            continue;
        best = arena_strdup(m->out->arena, figures.path);
        most = left;
    }
    if (best)
        rm_why_advise(m, reply,
                      arena_printf(m->out->arena,
                                   "%s is guaranteed %.0f%% of the cluster more than it uses: creel app "
                                   "move %s %s",
                                   format_queue(best), (double)most * 100, format_app_id(app->text), best));
}

static void advise_preemption(struct master *m, const struct app *app, Creel__AppExplanation *reply)
{
    bool fair = m->features.queues == SCHED_QUEUES_FAIR;
    struct sched_queue_figures figures;

    if (fair && !m->features.preemption)
        rm_why_advise(m, reply,
                      "preemption is off in this cluster: what others have above their fair "
                      "share comes back when they end (yarn.scheduler.fair.preemption)");
    if (m->features.queues != SCHED_QUEUES_CAPACITY || m->features.preemption)
        return;
    if (sched_queue_find_figures(m->sched, app->queue, &figures) && figures.used_capacity < 1)
        rm_why_advise(m, reply,
                      "preemption is off in this cluster: what others borrowed comes back when "
                      "they end (yarn.resourcemanager.scheduler.monitor.enable)");
}

/* Explains that one container is larger than the queue may become. */
static void advise_too_large(struct master *m, const struct sched_why *why, Creel__AppExplanation *reply)
{
    const struct sched_why_item *limit = why->items;
    int types = rm_limits_memory_only(m) ? RESOURCE_MEMORY_MB + 1 : RESOURCE_TYPES_MAX;
    bool fits = true;

    if (why->item_count == 0 || limit->queue == NULL)
        return;
    for (int t = 0; t < types; t++)
        fits = fits && why->asked.value[t] <= limit->allowed.value[t];
    if (!fits)
        rm_why_advise(m, reply,
                      arena_printf(m->out->arena, "it can never run in %s, which gets at most %s now",
                                   format_queue(limit->queue), rm_format_limit(m, &limit->allowed)));
}

static void advise_waiting(struct master *m, const struct app *app, const struct sched_why *why,
                           Creel__AppExplanation *reply)
{
    struct arena *arena = m->out->arena;
    const char *id = format_app_id(app->text);

    switch (why->reason) {
    case SCHED_REASON_NODE_TOO_SMALL:
        rm_why_advise(m, reply,
                      arena_printf(arena,
                                   "it can never run as it is: kill it and ask for at "
                                   "most %s",
                                   rm_format_amount(m, &why->most)));
        return;
    case SCHED_REASON_NO_NODES:
        rm_why_advise_nodes(m, app, why, reply);
        rm_why_advise(m, reply, "creel node list shows the nodes and the time of their last heartbeat");
        return;
    case SCHED_REASON_LABEL_NO_MATCH:
        rm_why_advise(m, reply, "creel node list -o wide shows the labels of the nodes");
        return;
    case SCHED_REASON_QUEUE_LIMIT: /* the limit may be small because nodes are out of service */
    case SCHED_REASON_PARENT_LIMIT:
        advise_too_large(m, why, reply);
        rm_why_advise_nodes(m, app, why, reply);
        break;
    case SCHED_REASON_CLUSTER_FULL:
    case SCHED_REASON_PLACEMENT:
    case SCHED_REASON_NODE_BLACKLISTED:
        rm_why_advise_nodes(m, app, why, reply);
        break;
    case SCHED_REASON_QUEUE_STOPPED:
        rm_why_advise(
            m, reply,
            arena_printf(arena, "creel queue start %s, by who administers it", format_queue(app->queue)));
        break;
    case SCHED_REASON_BEHIND_IN_QUEUE:
        rm_why_advise(m, reply,
                      arena_printf(arena,
                                   "creel queue show %s has the order of service; creel "
                                   "app priority %s N changes its place in it",
                                   format_queue(app->queue), id));
        break;
    default:
        break;
    }
    advise_expiry(m, app, reply);
    if (why->grows_on == NULL) /* another queue has no more room on the node of the container */
        advise_queue(m, app, why, reply);
    advise_preemption(m, app, reply);
}

/* --- fair shares ------------------------------------------------------------ */

/* Explains the fair share of the application (fair scheduler). */
static const char *share_text(struct master *m, const struct app *app)
{
    struct arena *arena = m->out->arena;
    struct sched_queue_figures queue = { .path = NULL };
    struct sched_app_figures figures;
    struct text_builder text = TEXT_BUILDER_IN(arena);

    sched_app_figures(m->sched, app->sched, &figures);
    text_builder_printf(&text, "fair for it are %s, and it uses %s", rm_format_share(m, &figures.fair_share),
                        format_amounts(arena, &m->types, &figures.used));
    if (figures.starved_since_ms > 0)
        text_builder_printf(&text, ": it has starved for %s",
                            format_duration(arena, m->now_ms - figures.starved_since_ms));
    if (!sched_queue_find_figures(m->sched, app->queue, &queue))
        return text_builder_finish(&text);
    text_builder_printf(&text, "; %s: fair share %s, steady %s, minimum %s", format_queue(queue.path),
                        rm_format_share(m, &queue.fair_share), rm_format_share(m, &queue.steady_fair_share),
                        rm_format_share(m, &queue.minimum));
    if (queue.absolute_max_capacity < 1)
        text_builder_printf(&text, ", maximum %s", format_amounts(arena, &m->types, &queue.maximum));
    text_builder_printf(&text, ", uses %s, demands %s", format_amounts(arena, &m->types, &queue.used),
                        format_amounts(arena, &m->types, &queue.demand));
    return text_builder_finish(&text);
}

static void add_share(struct master *m, const struct app *app, Creel__AppExplanation *reply)
{
    struct sched_why_item share = { .queue = app->queue };
    Creel__WhyItem *message = rm_why_item(m, &share, share_text(m, app));

    message->reason_code = rm_message_text(m->out->arena, "FairShare");
    reply->items[reply->n_items++] = message;
}

/* --- waiting applications -------------------------------------------------------- */

/* Returns what an application waits for. */
static const char *request_text(struct master *m, const struct sched_why *why)
{
    const char *asked = rm_format_amount(m, &why->asked);

    if (why->grows_on)
        return arena_printf(m->out->arena, "(%s) more for a container on %s", asked, why->grows_on);
    return arena_printf(m->out->arena, "%llu x (%s)", (unsigned long long)why->count, asked);
}

static void explain_waiting(struct master *m, const struct app *app, const struct sched_why *why,
                            Creel__AppExplanation *reply)
{
    struct arena *arena = m->out->arena;
    struct sched_why_item only = rm_why_only_item(why);
    const char *avoided = rm_failed_nodes_waiting(m, app), *silent = rm_liveness_of_app(m, app);
    const char *common = rm_common_faults_of_starts(m), *reserved = rm_why_reserved(m, app);
    Creel__WhyItem *room = rm_why_room(m, app);
    size_t count = why->item_count;

    reply->items = arena_array0(arena, count + 8, sizeof(*reply->items));
    if (count == 0 || !why->items[0].blocking) /* no limit applies: resources are missing, or others come
                                                  first */
        reply->items[reply->n_items++] = rm_why_item(m, &only, rm_why_item_text(m, &only, why));
    for (size_t i = 0; i < count; i++)
        reply->items[reply->n_items++] =
            rm_why_item(m, &why->items[i], rm_why_item_text(m, &why->items[i], why));
    if (count > 0 && why->items[0].since_ms > 0)
        reply->waiting_since_ms = why->items[0].since_ms;
    if (m->features.queues == SCHED_QUEUES_FAIR)
        add_share(m, app, reply);
    if (reserved)
        rm_why_add(m, reply, RM_WHY_RESERVED, false, reserved, 0);
    if (room)
        reply->items[reply->n_items++] = room;
    if (avoided)
        rm_why_add(m, reply, "AvoidedNodes", false, avoided, 0);
    if (silent)
        rm_why_add(m, reply, RM_WHY_SILENT, false, silent, 0);
    if (common)
        rm_why_add(m, reply, RM_WHY_COMMON, false, common, 0);
    reply->items[reply->n_items++] = rm_why_nodes(m, app, why);
    if (app->started_ms == 0) /* its first container has been pending since the submission */
        reply->waiting_since_ms = app->submitted_ms;
    reply->count = why->count;
    reply->asked = rm_resource_message(m, &why->asked);
    reply->summary = arena_printf(
        arena, "%s %s (%s, %s)%s%s for %s", format_app_id(app->text), app->job->name, app->user,
        format_queue(app->queue), reply->waiting_since_ms > 0 ? " has waited " : " waits",
        reply->waiting_since_ms > 0 ? format_duration(arena, m->now_ms - reply->waiting_since_ms) : "",
        request_text(m, why));
    advise_waiting(m, app, why, reply);
}

/* --- the request ----------------------------------------------------------- */

/* Explains that the containers of earlier attempts have to end first (retry.h). */
static void explain_earlier(struct master *m, const struct app *app, const char *text,
                            Creel__AppExplanation *reply)
{
    struct arena *arena = m->out->arena;
    const char *id = format_app_id(app->text), *silent = rm_liveness_of_app(m, app);

    reply->items = arena_array0(arena, 3, sizeof(*reply->items));
    reply->summary = arena_printf(arena, "%s %s (%s, %s) starts again: %s", id, app->job->name, app->user,
                                  format_queue(app->queue), text);
    rm_why_add(m, reply, RM_RETRY_WAIT, true, text, 0);
    if (silent)
        rm_why_add(m, reply, RM_WHY_SILENT, true, silent, 0);
    rm_why_advise(m, reply, arena_printf(arena, "creel container list --app %s shows them", id));
}

/* Returns for how long FIRST has been starting, as the end of a sentence; "": not for long. */
static const char *age_of_start(struct master *m, const struct container *first)
{
    int64_t age_ms = first->starting_ms > 0 ? m->now_ms - first->starting_ms : 0;

    if (age_ms < STARTING_SHOWN_MS)
        return "";
    return arena_printf(m->out->arena, ", and has been starting for %s",
                        format_duration(m->out->arena, age_ms));
}

static void advise_about_start(struct master *m, const struct node *node, Creel__AppExplanation *reply)
{
    rm_why_advise(
        m, reply,
        !rm_text_is_empty(node->health_report)
            ? arena_printf(m->out->arena, "node %s reports: %s", node->id, node->health_report)
            : "a start copies and unpacks its files, and enters its directory: look at the mount of "
              "that directory on the node, and at the log of its agent");
}

static void explain_idle(struct master *m, const struct app *app, Creel__AppExplanation *reply)
{
    const char *unmanaged = rm_why_unmanaged(app);
    const char *silent = rm_liveness_of_app(m, app), *pause = rm_retry_pause_text(m, app);
    const char *stuck = rm_node_faults_of_app(m, app), *common = rm_common_faults_of_starts(m);
    const struct container *first = app->attempt ? app->attempt->am_container : NULL;

    reply->items = arena_array0(m->out->arena, 6, sizeof(*reply->items));
    if (common && app->shown != CREEL__APP_STATE__APP_RUNNING)
        rm_why_add(m, reply, RM_WHY_COMMON, true, common, 0);
    if (stuck)
        rm_why_add(m, reply, RM_WHY_STUCK, true, stuck, 0);
    if (pause)
        rm_why_add(m, reply, RM_WHY_PAUSE, true, pause, 0);
    if (silent)
        rm_why_add(m, reply, RM_WHY_SILENT, true, silent, 0);
    if (unmanaged == NULL && first && app->shown != CREEL__APP_STATE__APP_RUNNING) {
        reply->summary = arena_printf(m->out->arena, "%s %s (%s, %s) starts: its first container is on %s%s",
                                      format_app_id(app->text), app->job->name, app->user,
                                      format_queue(app->queue), first->node->id, age_of_start(m, first));
        if (*age_of_start(m, first) != '\0')
            advise_about_start(m, first->node, reply);
        return;
    }
    reply->summary = arena_printf(m->out->arena, "%s %s (%s, %s) %s: %s", format_app_id(app->text),
                                  app->job->name, app->user, format_queue(app->queue),
                                  app->shown == CREEL__APP_STATE__APP_RUNNING ? "runs" : "was submitted",
                                  unmanaged ? "it waits for its application master"
                                  : pause   ? "it waits for its next attempt"
                                  : silent  ? "it waits for a silent node"
                                  : stuck   ? "a container of it cannot end"
                                            : "it has no pending requests");
    if (unmanaged)
        rm_why_add(m, reply, RM_WHY_UNMANAGED, true, unmanaged, app->submitted_ms);
}

/* Explains that NODE, where the application master runs, has not registered since the start. */
static void explain_absence(struct master *m, const struct app *app, const struct node *node,
                            Creel__AppExplanation *reply)
{
    const char *silent = rm_liveness_of_app(m, app);

    reply->items = arena_array0(m->out->arena, 2, sizeof(*reply->items));
    reply->summary =
        arena_printf(m->out->arena, "%s %s (%s, %s) %s: it waits for node %s", format_app_id(app->text),
                     app->job->name, app->user, format_queue(app->queue),
                     app->shown == CREEL__APP_STATE__APP_RUNNING ? "runs" : "was submitted", node->id);
    if (silent)
        rm_why_add(m, reply, RM_WHY_SILENT, true, silent, 0);
    rm_why_add(m, reply, "RmRecovering", true, rm_liveness_absence(m, node), m->started_ms);
    if (node->waiting != NULL)
        rm_why_advise(m, reply, "creel cluster health has the two ways out, in the check state");
}

/* Reports the fair share (fair scheduler). */
static void report_share(struct master *m, const struct app *app, Creel__AppExplanation *reply)
{
    struct sched_app_figures figures;

    sched_app_figures(m->sched, app->sched, &figures);
    reply->fair_share = rm_resource_message(m, &figures.fair_share);
    reply->starved_since_ms = figures.starved_since_ms > 0 ? figures.starved_since_ms : 0;
}

void rm_why_explain(struct master *m, struct app *app, Creel__AppExplanation *reply)
{
    struct sched_why why = { .reason = SCHED_REASON_NONE };
    const struct attempt *attempt = app->attempt;
    const char *earlier;

    if (rm_app_is_ended(app)) {
        rm_why_ended(m, app, reply);
        return;
    }
    if (app->state == APP_STATE_WAITING || app->state == APP_STATE_TASKS) {
        if (app->state == APP_STATE_WAITING)
            rm_why_wait(m, app, reply);
        else
            rm_why_array(m, app, reply);
        return;
    }
    if (attempt && attempt->am_container && attempt->am_container->node->state == NODE_STATE_NEW &&
        !rm_attempt_is_over(attempt)) {
        explain_absence(m, app, attempt->am_container->node, reply);
        return;
    }
    if ((earlier = rm_retry_wait_text(m, app)) != NULL) {
        explain_earlier(m, app, earlier, reply);
        return;
    }
    if (app->sched) {
        rm_why_ask(m, app, &why);
        sched_app_why_spread(m->sched, app->sched, &why);
    }
    if (app->sched && m->features.queues == SCHED_QUEUES_FAIR)
        report_share(m, app, reply);
    if (why.reason == SCHED_REASON_NONE)
        explain_idle(m, app, reply);
    else
        explain_waiting(m, app, &why, reply);
}

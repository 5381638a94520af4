/* SPDX-License-Identifier: Apache-2.0 */
/* agent_report.c - summarizes the agent's state for reports, and checks its invariants */
#include <errno.h>

#include "nm-agent/core/state.h"

struct agent_summary agent_summarise(const struct agent *agent)
{
    struct agent_summary summary = {
        .registered = agent->link.state == LINK_REGISTERED,
        .waiting = agent->link.waiting,
        .rm_version = agent->link.rm_version ? agent->link.rm_version : "",
        .rm_protocol = agent->link.rm_protocol,
        .mismatch = agent->link.mismatch,
        .session = agent->link.session,
        .total = agent->total,
        .used = agent->used,
        .ended = agent->phase_counts[PHASE_ENDED],
        .tombstones = agent->phase_counts[PHASE_ACKED],
    };

    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        if (!container_phase_over((enum container_phase)phase))
            summary.live += agent->phase_counts[phase];
    }
    return summary;
}

Creel__ContainerState agent_container_state(const struct agent *agent, const char *container_id)
{
    const struct container *container = state_find(agent, container_id);

    return container ? container_phase_state(container->phase) : CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN;
}

bool agent_container_resource(const struct agent *agent, const char *container_id, struct resource *resource)
{
    const struct container *container = state_find(agent, container_id);

    if (container != NULL)
        *resource = container->resource;
    return container != NULL;
}

/* (A container in PHASE_NEW or PHASE_GONE is in the tree only within a step.) */
static Creel__AgentPhase phase_of(enum container_phase phase)
{
    static const Creel__AgentPhase phases[PHASE_COUNT] = {
        [PHASE_NEW] = CREEL__AGENT_PHASE__AGENT_PHASE_NEW,
        [PHASE_SAVING] = CREEL__AGENT_PHASE__AGENT_PHASE_NEW,
        [PHASE_DROPPING] = CREEL__AGENT_PHASE__AGENT_PHASE_NEW,
        [PHASE_FETCHING] = CREEL__AGENT_PHASE__AGENT_PHASE_FETCHING,
        [PHASE_WAITING] = CREEL__AGENT_PHASE__AGENT_PHASE_WAITING,
        [PHASE_LAUNCHING] = CREEL__AGENT_PHASE__AGENT_PHASE_WAITING,
        [PHASE_RUNNING] = CREEL__AGENT_PHASE__AGENT_PHASE_RUNNING,
        [PHASE_ENDING] = CREEL__AGENT_PHASE__AGENT_PHASE_STOPPING,
        [PHASE_STOPPING] = CREEL__AGENT_PHASE__AGENT_PHASE_STOPPING,
        [PHASE_ENDED] = CREEL__AGENT_PHASE__AGENT_PHASE_ENDED,
        [PHASE_ACKED] = CREEL__AGENT_PHASE__AGENT_PHASE_ACKNOWLEDGED,
    };

    return phases[phase];
}

void agent_each_container(const struct agent *agent,
                          void (*each)(void *context, const struct agent_view *view), void *context)
{
    struct container_tree tree = agent->containers;
    struct container *container;

    RB_FOREACH(container, container_tree, &tree) {
        bool folded = container->start == NULL;
        struct agent_view view = {
            .container_id = container->text,
            .app_id = container->app->text,
            .user = state_stored_start(container)->grant->user,
            .diagnostics = container->diagnostics != NULL ? container->diagnostics : "",
            .phase = phase_of(container->phase),
            .app_over = container->app->over,
            .exit_status = container->exit_status,
            .resource = container->resource,
            .figures = container->figures,
        };

        each(context, &view);
        if (folded)
            state_fold(container);
    }
}

/* --- invariants -------------------------------------------------------------- */

struct sums {
    struct resource promised, promised_found, used, used_found;
    size_t phases[PHASE_COUNT];
    size_t dirty, waiting, fetch_waits, reply_waits, containers;
};

static bool is_in_app(const struct container *container)
{
    const struct container *other;

    TAILQ_FOREACH(other, &container->app->containers, in_app) {
        if (other == container)
            return true;
    }
    return false;
}

static int check_container(const struct container *container, struct err *err)
{
    const char *name = container_phase_name(container->phase);
    const char *text = container->text;
    bool saving = container->phase == PHASE_SAVING || container->phase == PHASE_DROPPING;

    if (container->phase == PHASE_NEW || container->phase == PHASE_GONE)
        return err_set(err, EINVAL, "%s: stays in %s", text, name);
    if (!TAILQ_EMPTY(&container->replies) && !saving)
        return err_set(err, EINVAL, "%s: an AM waits for it in %s", text, name);
    if (TAILQ_EMPTY(&container->fetches) != (container->phase != PHASE_FETCHING) && !container->found)
        return err_set(err, EINVAL, "%s: files are missing in %s, or none in FETCHING", text, name);
    if (container->phase == PHASE_ENDED && !container->dirty)
        return err_set(err, EINVAL, "%s: ended, without a report to the resource manager", text);
    if (container->phase == PHASE_ENDED && container->exit_status == CONTAINER_EXIT_NONE)
        return err_set(err, EINVAL, "%s: ended without an exit status", text);
    if (saving && container->dirty)
        return err_set(err, EINVAL, "%s: reported before it is stored on disk", text);
    if (container->app->over && container_phase_promised(container->phase))
        return err_set(err, EINVAL, "%s: %s though its application is over", text, name);
    if (!is_in_app(container))
        return err_set(err, EINVAL, "%s: not in the list of its application", text);
    return 0;
}

static void count_container(const struct container *container, struct sums *sums)
{
    const struct reply_wait *reply;
    const struct fetch_wait *fetch;

    if (container_phase_promised(container->phase)) {
        sums->promised = resource_add(sums->promised, container->resource);
        if (container->found)
            sums->promised_found = resource_add(sums->promised_found, container->resource);
    }
    if (container_phase_may_run(container->phase)) {
        sums->used = resource_add(sums->used, container->resource);
        if (container->found)
            sums->used_found = resource_add(sums->used_found, container->resource);
    }
    sums->containers++;
    sums->phases[container->phase]++;
    sums->dirty += container->dirty;
    sums->waiting += container->phase == PHASE_WAITING;
    TAILQ_FOREACH(reply, &container->replies, next)
        sums->reply_waits++;
    TAILQ_FOREACH(fetch, &container->fetches, in_container)
        sums->fetch_waits++;
}

static int check_sums(const struct agent *agent, const struct sums *sums, struct err *err)
{
    struct resource room = resource_max(agent->total, sums->used_found);
    struct resource promise_room = resource_max(agent->total, sums->promised_found);
    char used[RESOURCE_TEXT_MAX], total[RESOURCE_TEXT_MAX];

    if (!resource_equal(&sums->used, &agent->used) ||
        !resource_equal(&sums->used_found, &agent->used_found) ||
        !resource_equal(&sums->promised, &agent->promised))
        return err_set(err, EINVAL, "used and promised are not the sums of the containers");
    if (!state_fits(&sums->promised, &promise_room))
        return err_set(err, EINVAL, "%s promised of %s", resource_format(&sums->promised, used),
                       resource_format(&agent->total, total));
    if (!state_fits(&sums->used, &room))
        return err_set(err, EINVAL, "%s used of %s", resource_format(&sums->used, used),
                       resource_format(&agent->total, total));
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        if (sums->phases[phase] != agent->phase_counts[phase])
            return err_set(err, EINVAL, "%zu counted in phase %s, there are %zu", agent->phase_counts[phase],
                           container_phase_name((enum container_phase)phase), sums->phases[phase]);
    }
    return 0;
}

static int check_lists(const struct agent *agent, const struct sums *sums, struct err *err)
{
    size_t dirty = 0, waiting = 0, fetch_waits = 0, pending = 0;
    struct fetch_tree fetches = agent->fetches;
    const struct container *container;
    const struct fetch_wait *wait;
    const struct reply *reply;
    struct fetch *fetch;

    TAILQ_FOREACH(container, &agent->dirty, in_dirty)
        dirty++;
    TAILQ_FOREACH(container, &agent->waiting, in_waiting)
        waiting++;
    RB_FOREACH(fetch, fetch_tree, &fetches) {
        TAILQ_FOREACH(wait, &fetch->waits, in_fetch)
            fetch_waits++;
    }
    TAILQ_FOREACH(reply, &agent->replies, next) {
        if (reply->pending == 0)
            return err_set(err, EINVAL, "a reply is complete and was not sent");
        pending += reply->pending;
    }
    if (dirty != sums->dirty || waiting != sums->waiting || fetch_waits != sums->fetch_waits ||
        pending != sums->reply_waits)
        return err_set(err, EINVAL,
                       "the lists (%zu to report, %zu waiting, %zu for files, %zu for "
                       "replies) do not agree with the containers",
                       dirty, waiting, fetch_waits, pending);
    return 0;
}

static int check_apps(const struct agent *agent, const struct sums *sums, struct err *err)
{
    struct app_tree apps = agent->apps;
    const struct container *container;
    size_t containers = 0, finished = 0;
    const struct finished_app *old;
    struct app *app;

    RB_FOREACH(app, app_tree, &apps) {
        if (TAILQ_EMPTY(&app->containers) && !app->cleaned)
            return err_set(err, EINVAL, "%s: has no containers and was not cleaned up", app->text);
        if (!TAILQ_EMPTY(&app->containers) && app->cleaned)
            return err_set(err, EINVAL, "%s: was cleaned up and has containers", app->text);
        TAILQ_FOREACH(container, &app->containers, in_app)
            containers++;
    }
    if (containers != sums->containers)
        return err_set(err, EINVAL, "%zu containers in applications, %zu in all", containers,
                       sums->containers);
    TAILQ_FOREACH(old, &agent->finished_oldest, next)
        finished++;
    if (finished != agent->finished_count)
        return err_set(err, EINVAL, "%zu finished applications, %zu counted", finished,
                       agent->finished_count);
    return 0;
}

static int check_waiting(const struct agent *agent, struct err *err)
{
    const struct container *first = containers_first_waiting(agent, agent->link.judged_at);
    struct resource sum;

    if (agent->launching > AGENT_LAUNCHES_MAX)
        return err_set(err, EINVAL, "%zu launches at a time", agent->launching);
    if (first == NULL || agent->link.state == LINK_REFUSED ||
        agent->link.leased_until <= agent->link.judged_at || agent->launching == AGENT_LAUNCHES_MAX ||
        agent->link.judged_at < agent->launch_at)
        return 0;
    sum = resource_add(agent->used, first->resource);
    if (state_fits(&sum, &agent->total))
        return err_set(err, EINVAL, "%s: waits although there is room", first->text);
    return 0;
}

int agent_check(const struct agent *agent, struct err *err)
{
    struct container_tree tree = agent->containers;
    struct container *container;
    struct sums sums = { 0 };
    int r;

    RB_FOREACH(container, container_tree, &tree) {
        if ((r = check_container(container, err)) < 0)
            return r;
        count_container(container, &sums);
    }
    if ((r = check_sums(agent, &sums, err)) < 0 || (r = check_lists(agent, &sums, err)) < 0 ||
        (r = check_apps(agent, &sums, err)) < 0)
        return r;
    return check_waiting(agent, err);
}

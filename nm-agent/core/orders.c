/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orders.c - handles orders of the RM: starts, stops, preemption notices, end of applications
 *
 * The RM repeats an order until it is fulfilled, so each order is idempotent. An order that cannot be
 * fulfilled is answered by reporting the container as COMPLETE.
 */
#include <string.h>

#include "nm-agent/core/state.h"

static void set_text(char **field, const char *text)
{
    *field = mem_strdup(text ? text : "");
}

/* Returns a stored start in which only the container's id is set. */
static Creel__StoredStart *bare_start(const struct agent *agent, const char *container_id)
{
    Creel__StoredStart *start = mem_new0(Creel__StoredStart);

    creel__stored_start__init(start);
    start->grant = mem_new0(Creel__ContainerGrant);
    creel__container_grant__init(start->grant);
    set_text(&start->grant->container_id, container_id);
    set_text(&start->grant->node_id, agent->config.node_id);
    return start;
}

/* Marks APP as not cleaned up, because it gets another container. If APP has ended, it is cleaned up again
 * when the RM has acknowledged the end of that container. */
static void reopen_app(struct agent *agent, struct app *app)
{
    if (app->cleaned)
        TAILQ_REMOVE(&agent->cleaned, app, in_cleaned);
    app->cleaned = false;
    app->over = app->over || state_app_finished(agent, &app->id);
}

/* Reports CONTAINER_ID to the RM as ended: the agent does not know it, and it will never run. */
static void end_unknown(struct step *step, const char *container_id, int status, const char *reason)
{
    struct container_id id;
    struct container *container;

    if (!container_id_parse(container_id, &id))
        return;
    container = state_add(step->agent, &id, bare_start(step->agent, container_id));
    reopen_app(step->agent, container->app);
    containers_stop(step, container, status, reason);
}

static struct container *add_ordered(struct step *step, const Creel__StartOrder *order)
{
    Creel__StoredStart *start = mem_new0(Creel__StoredStart);
    struct arena *arena = step->effects->arena;
    struct container *container;
    struct container_id id;
    size_t size;
    uint8_t *bytes;

    /* Packed and unpacked to get a complete copy, owned by the container. */
    creel__stored_start__init(start);
    start->grant = order->grant;
    start->launch = order->launch;
    start->am_token = order->am_token;
    start->job = order->job;
    start->accepted_ms = step->now.wall_ms;
    size = creel__stored_start__get_packed_size(start);
    bytes = arena_alloc0(arena, size + 1);
    creel__stored_start__pack(start, bytes);
    free(start);
    start = creel__stored_start__unpack(NULL, size, bytes);
    if (start == NULL || !container_id_parse(order->grant->container_id, &id))
        abort();
    container = state_add(step->agent, &id, start);
    container->resource = resource_from_message(start->grant->resource);
    container->ordered = true;
    return container;
}

static void apply_start(struct step *step, const Creel__StartOrder *order)
{
    struct agent *agent = step->agent;
    const Creel__ContainerGrant *grant = order->grant;
    struct container *container;
    struct resource resource, sum;
    struct container_id id;
    char app_id[ID_TEXT_MAX];
    struct app *app;
    struct err err;

    if (grant == NULL || !container_id_parse(grant->container_id, &id) ||
        strcmp(grant->node_id, agent->config.node_id) != 0)
        return;
    container = state_find(agent, grant->container_id);
    if (container != NULL) {
        container->ordered = true;
        containers_event(step, container, EVENT_START);
        return;
    }
    app = state_find_app(agent, &id.attempt.app);
    resource = resource_from_message(grant->resource);
    sum = resource_add(agent->promised, resource);
    if ((app != NULL && app->over) || state_app_finished(agent, &id.attempt.app)) {
        end_unknown(step, grant->container_id, CONTAINER_EXIT_APP_OVER, "its application is over");
    } else if (launch_judge_new(step, order->launch, grant, app_id_format(&id.attempt.app, app_id), true,
                                &err) < 0) {
        end_unknown(step, grant->container_id, CONTAINER_EXIT_NOT_STARTED, err.text);
    } else if (!state_fits(&resource, &agent->total)) {
        end_unknown(step, grant->container_id, CONTAINER_EXIT_ABORTED, "larger than the node");
    } else if (state_fits(&sum, &agent->total)) {
        containers_event(step, add_ordered(step, order), EVENT_START);
    }
    /* Else there is no room yet: the RM counts containers as ended whose stop orders have not arrived here.
     * The RM repeats the start order. */
}

static int stop_status(int status)
{
    bool known = status == CONTAINER_EXIT_ABORTED || status == CONTAINER_EXIT_PREEMPTED ||
                 status == CONTAINER_EXIT_BY_AM || status == CONTAINER_EXIT_BY_RM ||
                 status == CONTAINER_EXIT_APP_OVER;

    return known ? status : CONTAINER_EXIT_BY_RM;
}

static void apply_stop(struct step *step, const Creel__StopOrder *order)
{
    struct container *container = state_find(step->agent, order->container_id);
    const char *reason = *order->reason ? order->reason : "stopped by the resource manager";
    int status = stop_status(order->exit_status);

    if (container == NULL) {
        end_unknown(step, order->container_id, status, reason);
        return;
    }
    if (order->at_once && !container->stop_at_once) {
        container->stop_at_once = true;
        if (container->phase == PHASE_STOPPING)
            effect_container(step, AGENT_STOP, container);
    }
    containers_stop(step, container, status, reason);
}

/* Stops containers without processes first, so that none of them is launched with the resources that the
 * others free. */
static void stop_all_of(struct step *step, struct app *app)
{
    struct container *container, *next;

    for (int running = 0; running <= 1; running++) {
        TAILQ_FOREACH_SAFE(container, &app->containers, in_app, next) {
            if (!container_phase_over(container->phase) &&
                container_phase_may_run(container->phase) == (running == 1))
                containers_stop(step, container, CONTAINER_EXIT_APP_OVER, "its application is over");
        }
    }
}

void orders_end_app(struct step *step, struct app *app)
{
    app->over = true;
    stop_all_of(step, app);
    apps_settle(step, app);
}

static void apply_finished(struct step *step, const char *app_id)
{
    struct agent *agent = step->agent;
    struct app_id id;
    struct app *app;

    if (!app_id_parse(app_id, &id))
        return;
    app = state_find_app(agent, &id);
    if (app != NULL && app->over)
        return; /* cleanup is in progress; the confirmation is repeated */
    orders_end_app(step, state_app(agent, &id));
}

/* Sets the node's total when an administrator has ordered a larger one than the node offers, or has withdrawn
 * that order. Returns true if the total changed; all containers may then exceed it. */
static bool apply_total(struct agent *agent, const Creel__Resource *ordered)
{
    struct resource total = agent->config.total, wanted = resource_from_message(ordered);
    struct container *container;

    if (ordered != NULL)
        total = resource_max(total, wanted);
    if (resource_equal(&total, &agent->total))
        return false;
    agent->total = total;
    RB_FOREACH(container, container_tree, &agent->containers)
        state_mark_found(agent, container);
    return true;
}

void orders_apply(struct step *step, const Creel__NodeOrders *orders)
{
    bool resized;

    if (orders == NULL || orders->session != step->agent->link.session)
        return;
    resized = apply_total(step->agent, orders->total);
    for (size_t i = 0; i < orders->n_finished_apps; i++)
        apply_finished(step, orders->finished_apps[i]);
    for (size_t i = 0; i < orders->n_stop; i++)
        apply_stop(step, orders->stop[i]);
    for (size_t i = 0; i < orders->n_preempt; i++) {
        const Creel__PreemptOrder *order = orders->preempt[i];
        struct container *container = state_find(step->agent, order->container_id);

        /* Orders for unknown containers are ignored: the RM repeats them. */
        if (container != NULL && order->spared)
            containers_spare(step, container, order->deadline_ms);
        else if (container != NULL)
            containers_preempt_notice(step, container, order->deadline_ms, order->reason);
    }
    for (size_t i = 0; i < orders->n_limits; i++) {
        struct container *container = state_find(step->agent, orders->limits[i]->container_id);

        if (container != NULL)
            limit_order(step, container, orders->limits[i]->limit_ms);
    }
    for (size_t i = 0; i < orders->n_resizes; i++)
        resize_order(step, orders->resizes[i]);
    for (size_t i = 0; i < orders->n_start; i++)
        apply_start(step, orders->start[i]);
    if (resized)
        containers_launch_waiting(step);
}

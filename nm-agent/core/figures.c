/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - sends resource usage of running containers to the RM
 *
 * A lost figure is harmless, since the next one replaces it: figures are neither acknowledged nor repeated.
 * The cost of a thousand busy containers is limited in three ways: small changes are not sent, figures of a
 * container are sent at most every FIGURES_EVERY_MS, and figures of at most FIGURES_MAX containers are sent
 * with one heartbeat, in the order in which they changed.
 */
#include "nm-agent/core/state.h"

#define FIGURES_MAX 200
#define FIGURES_EVERY_MS 4000
/* The steps of common/record/container_totals.h. */
#define STEP_BYTES (1U << 20)
#define STEP_CPU 100000
#define STEP_MEMORY memory_step(sent)

static bool has_moved(uint64_t now, uint64_t sent, uint64_t step)
{
    return (now > sent ? now - sent : sent - now) >= step;
}

/* The threshold for memory grows with the memory of the container. */
static uint64_t memory_step(const struct agent_figures *sent)
{
    return sent->memory_bytes / 32 > STEP_BYTES ? sent->memory_bytes / 32 : STEP_BYTES;
}

/* Returns true if the change is significant. */
static bool is_news(const struct agent_figures *now, const struct agent_figures *sent)
{
    bool news = now->pids != sent->pids || has_moved(now->memory_bytes, sent->memory_bytes, STEP_MEMORY);

#define T(type, member, step) news = news || has_moved(now->totals.member, sent->totals.member, step);
    CONTAINER_FIGURES(T)
#undef T
    return news;
}

static void find_news(struct agent *agent, struct container *container)
{
    if (container->measured || !is_news(&container->figures, &container->figures_sent))
        return;
    container->measured = true;
    TAILQ_INSERT_TAIL(&agent->measured, container, in_measured);
}

void figures_again(struct agent *agent)
{
    struct container *container;

    RB_FOREACH(container, container_tree, &agent->containers) {
        if (!container_phase_may_run(container->phase))
            continue;
        container->figures_sent = (struct agent_figures){ .pids = 0 };
        container->figures_sent_at = 0;
        find_news(agent, container);
    }
}

void agent_on_figures(struct agent *agent, struct agent_time now, const char *container_id,
                      const struct agent_figures *figures)
{
    struct container *container = state_find(agent, container_id);

    (void)now;
    if (container == NULL || !container_phase_may_run(container->phase))
        return;
    container->figures = *figures;
    find_news(agent, container);
}

static Creel__ContainerFigures *make(struct arena *arena, const struct container *container)
{
    const struct agent_figures *figures = &container->figures;
    Creel__ContainerFigures *sent = arena_new0(arena, Creel__ContainerFigures);

    creel__container_figures__init(sent);
    sent->container_id = arena_strdup(arena, container->text);
    sent->memory_bytes = figures->memory_bytes;
    sent->pids = figures->pids;
#define T(type, member, step) sent->member = figures->totals.member;
    CONTAINER_FIGURES(T)
#undef T
    return sent;
}

static bool is_due(const struct step *step, const struct container *container)
{
    return container->figures_sent_at == 0 ||
           step->now.steady_ms - container->figures_sent_at >= FIGURES_EVERY_MS;
}

void figures_fill(struct step *step, Creel__Heartbeat *body)
{
    struct agent *agent = step->agent;
    struct container *container, *next;
    size_t looked_at = 0;

    body->figures = arena_array0(step->effects->arena, FIGURES_MAX + 1, sizeof(*body->figures));
    /* Containers that are not due are skipped, but only a limited number, since heartbeats are frequent. */
    TAILQ_FOREACH_SAFE(container, &agent->measured, in_measured, next) {
        if (body->n_figures == FIGURES_MAX || looked_at++ == 2 * FIGURES_MAX)
            return;
        if (!is_due(step, container))
            continue;
        state_drop_measured(agent, container);
        container->figures_sent = container->figures;
        container->figures_sent_at = step->now.steady_ms;
        body->figures[body->n_figures++] = make(step->effects->arena, container);
    }
}

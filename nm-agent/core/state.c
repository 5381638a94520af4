/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - keeps the agent's trees, lists and sums consistent */
#include <assert.h>
#include <string.h>

#include "nm-agent/core/state.h"

static int container_order(const struct container *a, const struct container *b)
{
    return container_id_compare(&a->id, &b->id);
}

static int app_order(const struct app *a, const struct app *b)
{
    return app_id_compare(&a->id, &b->id);
}

static int fetch_order(const struct fetch *a, const struct fetch *b)
{
    return memcmp(a->hash, b->hash, HASH_SIZE);
}

static int finished_app_order(const struct finished_app *a, const struct finished_app *b)
{
    return app_id_compare(&a->id, &b->id);
}

static int limit_compare(const struct container *a, const struct container *b)
{
    if (a->limit_at != b->limit_at)
        return a->limit_at < b->limit_at ? -1 : 1;
    return container_id_compare(&a->id, &b->id);
}

RB_GENERATE(container_tree, container, entry, container_order)
RB_GENERATE(limit_tree, container, by_limit, limit_compare)
RB_GENERATE(app_tree, app, entry, app_order)
RB_GENERATE(fetch_tree, fetch, entry, fetch_order)
RB_GENERATE(finished_app_tree, finished_app, entry, finished_app_order)

struct container *state_find(const struct agent *agent, const char *container_id)
{
    struct container key;
    struct container_tree tree = agent->containers; /* a copy, because RB_FIND needs a non-const tree */

    if (container_id == NULL || !container_id_parse(container_id, &key.id))
        return NULL;
    return RB_FIND(container_tree, &tree, &key);
}

struct container *state_add(struct agent *agent, const struct container_id *id, Creel__StoredStart *start)
{
    struct container *container = mem_new0(struct container);

    container->id = *id;
    container_id_format(id, container->text);
    container->phase = PHASE_NEW;
    container->start = start;
    container->exit_status = CONTAINER_EXIT_NONE;
    TAILQ_INIT(&container->replies);
    TAILQ_INIT(&container->fetches);
    if (RB_INSERT(container_tree, &agent->containers, container) != NULL)
        abort();
    container->app = state_app(agent, &id->attempt.app);
    TAILQ_INSERT_TAIL(&container->app->containers, container, in_app);
    agent->phase_counts[PHASE_NEW]++;
    return container;
}

Creel__StoredStart *state_stored_start(struct container *container)
{
    if (container->folded == NULL)
        return container->start;
    container->start = creel__stored_start__unpack(NULL, container->folded_size, container->folded);
    if (container->start == NULL) /* the data was packed by this process, so memory is exhausted */
        abort();
    free(container->folded);
    container->folded = NULL;
    return container->start;
}

void state_fold(struct container *container)
{
    if (container->folded != NULL)
        return;
    container->folded_size = creel__stored_start__get_packed_size(container->start);
    container->folded = mem_alloc(container->folded_size + 1);
    creel__stored_start__pack(container->start, container->folded);
    creel__stored_start__free_unpacked(container->start, NULL);
    container->start = NULL;
}

void state_free_fetch(struct fetch *fetch)
{
    for (size_t i = 0; i < fetch->user_count; i++)
        free(fetch->users[i]);
    free(fetch->users);
    free(fetch);
}

void state_drop_fetches(struct container *container)
{
    struct fetch_wait *wait;

    while ((wait = TAILQ_FIRST(&container->fetches)) != NULL) {
        TAILQ_REMOVE(&container->fetches, wait, in_container);
        TAILQ_REMOVE(&wait->fetch->waits, wait, in_fetch);
        free(wait);
    }
}

void state_drop_measured(struct agent *agent, struct container *container)
{
    if (container->measured)
        TAILQ_REMOVE(&agent->measured, container, in_measured);
    container->measured = false;
}

static void free_container(struct container *container)
{
    assert(TAILQ_EMPTY(&container->fetches) && TAILQ_EMPTY(&container->replies));
    creel__stored_start__free_unpacked(container->start, NULL);
    free(container->folded);
    free(container->diagnostics);
    free(container->stuck);
    free(container);
}

void state_remove(struct agent *agent, struct container *container)
{
    struct app *app = container->app;

    state_set_phase(agent, container, PHASE_GONE);
    agent->phase_counts[PHASE_GONE]--;
    if (container->dirty)
        TAILQ_REMOVE(&agent->dirty, container, in_dirty);
    TAILQ_REMOVE(&app->containers, container, in_app);
    RB_REMOVE(container_tree, &agent->containers, container);
    free_container(container);
    if (TAILQ_EMPTY(&app->containers) && !app->over)
        state_remove_app(agent, app);
}

void state_disarm_limit(struct agent *agent, struct container *container)
{
    if (container->limit_armed)
        RB_REMOVE(limit_tree, &agent->limits, container);
    container->limit_armed = false;
}

/* Adds the container's resource to SUM, or subtracts it, when the container begins or stops to count. */
static void count(struct resource *sum, const struct container *container, bool was, bool is)
{
    if (is && !was)
        *sum = resource_add(*sum, container->resource);
    else if (was && !is)
        *sum = resource_subtract(*sum, container->resource);
}

bool state_fits(const struct resource *amount, const struct resource *room)
{
    return amount->value[RESOURCE_MEMORY_MB] <= room->value[RESOURCE_MEMORY_MB];
}

void state_set_phase(struct agent *agent, struct container *container, enum container_phase phase)
{
    bool was = container_phase_may_run(container->phase);
    bool is = container_phase_may_run(phase);
    bool was_promised = container_phase_promised(container->phase);

    if (container->phase == PHASE_WAITING && phase != PHASE_WAITING)
        TAILQ_REMOVE(&agent->waiting, container, in_waiting);
    if (was && !is)
        state_drop_measured(agent, container);
    if (phase != PHASE_RUNNING && phase != PHASE_LAUNCHING)
        state_disarm_limit(agent, container);
    if (container->phase != PHASE_WAITING && phase == PHASE_WAITING)
        TAILQ_INSERT_TAIL(&agent->waiting, container, in_waiting);
    agent->phase_counts[container->phase]--;
    agent->phase_counts[phase]++;
    container->phase = phase;
    count(&agent->used, container, was, is);
    if (container->found)
        count(&agent->used_found, container, was, is);
    count(&agent->promised, container, was_promised, container_phase_promised(phase));
}

void state_set_resource(struct agent *agent, struct container *container, const struct resource *resource)
{
    bool runs = container_phase_may_run(container->phase);
    bool promised = container_phase_promised(container->phase);

    count(&agent->used, container, runs, false);
    if (container->found)
        count(&agent->used_found, container, runs, false);
    count(&agent->promised, container, promised, false);
    container->resource = *resource;
    count(&agent->used, container, false, runs);
    if (container->found)
        count(&agent->used_found, container, false, runs);
    count(&agent->promised, container, false, promised);
}

void state_mark_found(struct agent *agent, struct container *container)
{
    if (container->found)
        return;
    container->found = true;
    count(&agent->used_found, container, false, container_phase_may_run(container->phase));
}

struct app *state_find_app(const struct agent *agent, const struct app_id *id)
{
    struct app key = { .id = *id };
    struct app_tree tree = agent->apps;

    return RB_FIND(app_tree, &tree, &key);
}

struct app *state_app(struct agent *agent, const struct app_id *id)
{
    struct app *app = state_find_app(agent, id);

    if (app != NULL)
        return app;
    app = mem_new0(struct app);
    app->id = *id;
    app_id_format(id, app->text);
    TAILQ_INIT(&app->containers);
    RB_INSERT(app_tree, &agent->apps, app);
    return app;
}

void state_remove_app(struct agent *agent, struct app *app)
{
    assert(TAILQ_EMPTY(&app->containers));
    if (app->cleaned)
        TAILQ_REMOVE(&agent->cleaned, app, in_cleaned);
    RB_REMOVE(app_tree, &agent->apps, app);
    free(app);
}

bool state_app_finished(const struct agent *agent, const struct app_id *id)
{
    struct finished_app key = { .id = *id };
    struct finished_app_tree tree = agent->finished;

    return RB_FIND(finished_app_tree, &tree, &key) != NULL;
}

void state_add_finished(struct agent *agent, const struct app_id *id)
{
    struct finished_app *finished;

    if (state_app_finished(agent, id))
        return;
    finished = mem_new0(struct finished_app);
    finished->id = *id;
    RB_INSERT(finished_app_tree, &agent->finished, finished);
    TAILQ_INSERT_TAIL(&agent->finished_oldest, finished, next);
    if (++agent->finished_count <= AGENT_FINISHED_APPS_MAX)
        return;
    finished = TAILQ_FIRST(&agent->finished_oldest);
    TAILQ_REMOVE(&agent->finished_oldest, finished, next);
    RB_REMOVE(finished_app_tree, &agent->finished, finished);
    free(finished);
    agent->finished_count--;
}

void state_free(struct agent *agent)
{
    struct container *container;
    struct fetch *fetch;
    struct finished_app *finished;
    struct app *app;

    while ((container = RB_ROOT(&agent->containers)) != NULL) {
        struct reply_wait *wait;

        while ((wait = TAILQ_FIRST(&container->replies)) != NULL) {
            TAILQ_REMOVE(&container->replies, wait, next);
            free(wait);
        }
        state_drop_fetches(container);
        TAILQ_REMOVE(&container->app->containers, container, in_app);
        RB_REMOVE(container_tree, &agent->containers, container);
        free_container(container);
    }
    log_news_free(agent);
    free(agent->shortage.why);
    while ((app = RB_ROOT(&agent->apps)) != NULL)
        state_remove_app(agent, app);
    while ((fetch = RB_ROOT(&agent->fetches)) != NULL) {
        RB_REMOVE(fetch_tree, &agent->fetches, fetch);
        state_free_fetch(fetch);
    }
    while ((finished = TAILQ_FIRST(&agent->finished_oldest)) != NULL) {
        TAILQ_REMOVE(&agent->finished_oldest, finished, next);
        free(finished);
    }
}

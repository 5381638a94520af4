/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_live.c - fixture: a running capacity scheduler from a few lines of configuration */
#include "tests/unit/capacity/capacity_live.h"

#include <stdlib.h>

#include "rm/sched/capacity/placement/access.h"
#include "rm/sched/capacity/placement/placement.h"

static struct capacity_placement *placement_of(struct capacity_fixture *file)
{
    struct capacity_placement *placement = NULL;

    if (capacity_placement_load(file->conf, NULL, file->config, NULL, NULL, &placement, &file->err) < 0)
        fail_msg("%s", file->err.text);
    return placement;
}

static struct sched_config config_of(struct live *live, struct capacity_fixture *file)
{
    struct sched_config config = {
        .policy = "capacity",
        .capacity = file->config,
        .calculator = file->config->dominant ? SCHED_EVERY_TYPE : SCHED_MEMORY_ONLY,
        .minimum = file->config->minimum_allocation,
        .step = file->config->minimum_allocation,
        .maximum = file->config->maximum_allocation,
        .access = capacity_access_new(file->conf),
        .placement = placement_of(file),
        .preemption = &live->preemption,
        .size_wait_ms = SCHED_SIZE_WAIT_MS,
        .assign_on_demand = live->on_demand,
    };

    assert_int_equal(preempt_settings_read(file->conf, 2, &live->preemption, &file->err), 0);
    file->config = NULL; /* now owned by the scheduler */
    return config;
}

static void begin(struct live *live, const char *lines, bool on_demand)
{
    struct sched_config config;
    struct err err;

    *live = (struct live){ .on_demand = on_demand };
    capacity_good(&live->file, lines);
    config = config_of(live, &live->file);
    if (sched_new(&config, &live->sched, &err) < 0)
        fail_msg("%s", err.text);
}

void live_begin(struct live *live, const char *lines)
{
    begin(live, lines, false);
}

void live_begin_on_demand(struct live *live, const char *lines)
{
    begin(live, lines, true);
}

void live_refresh(struct live *live, const char *lines)
{
    struct capacity_fixture next;
    struct sched_config config;
    struct err err;

    capacity_good(&next, lines);
    config = config_of(live, &next);
    if (sched_refresh(live->sched, &config, &live->decisions, &err) < 0)
        fail_msg("%s", err.text);
    capacity_done(&live->file);
    live->file = next;
}

void live_end(struct live *live)
{
    live_check(live);
    sched_free(live->sched);
    free(live->decisions.items);
    capacity_done(&live->file);
}

struct sched_node *live_node(struct live *live, const char *id, int64_t memory_mb, const char *label)
{
    const struct sched_node_spec spec = {
        .id = id,
        .host = id,
        .rack = "/r",
        .label = label,
        .total = resource_of(memory_mb, 100),
    };

    return sched_node_add(live->sched, &spec, &live->decisions);
}

struct sched_app *live_try_app(struct live *live, struct sched_app_spec spec, struct err *err)
{
    struct sched_app *app;

    spec.id = (struct app_id){ 1, ++live->last_app };
    if (sched_app_add(live->sched, &spec, &app, err) < 0)
        return NULL;
    sched_app_start(live->sched, app, NULL, &live->decisions);
    return app;
}

struct sched_app *live_app(struct live *live, const char *user, const char *queue)
{
    struct sched_app_spec spec = { .user = user, .queue = queue };
    struct err err;
    struct sched_app *app = live_try_app(live, spec, &err);

    if (app == NULL)
        fail_msg("%s", err.text);
    return app;
}

void live_ask(struct live *live, struct sched_app *app, uint32_t count, int64_t memory_mb)
{
    const struct sched_ask ask = {
        .priority = 1, .resource_name = "*", .count = count, .capability = resource_of(memory_mb, 1)
    };
    const struct sched_request request = { .asks = &ask, .ask_count = 1 };
    struct err err;

    if (sched_allocate(live->sched, app, &request, &live->decisions, &err) < 0)
        fail_msg("%s", err.text);
}

void live_heartbeat(struct live *live, struct sched_node *node, unsigned times)
{
    live->decisions.count = 0;
    for (unsigned i = 0; i < times; i++)
        sched_node_heartbeat(live->sched, node, &live->decisions);
}

void live_tick(struct live *live, int64_t now_ms)
{
    live->decisions.count = 0;
    sched_tick(live->sched, now_ms, &live->decisions);
}

size_t live_count(const struct live *live, enum sched_decision_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < live->decisions.count; i++)
        count += live->decisions.items[i].kind == kind;
    return count;
}

void live_end_killed(struct live *live)
{
    struct sched_decisions decisions = live->decisions;

    live->decisions = (struct sched_decisions){ .count = 0 };
    for (size_t i = 0; i < decisions.count; i++)
        if (decisions.items[i].kind == SCHED_KILL)
            sched_container_end(live->sched, decisions.items[i].container, &live->decisions);
    free(decisions.items);
}

struct sched_app_figures live_figures(const struct live *live, const struct sched_app *app)
{
    struct sched_app_figures figures;

    sched_app_figures(live->sched, app, &figures);
    return figures;
}

struct sched_queue_figures live_queue(const struct live *live, const char *path)
{
    struct sched_queue_figures figures = { .path = NULL };

    if (!sched_queue_find_figures(live->sched, path, &figures))
        fail_msg("no queue %s", path);
    return figures;
}

void live_check(const struct live *live)
{
    struct err err;

    if (sched_check(live->sched, &err) < 0)
        fail_msg("%s", err.text);
}

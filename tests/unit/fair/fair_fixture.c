/* SPDX-License-Identifier: Apache-2.0 */
/* fair_fixture.c - fixture: a fair scheduler from the text of its files */
#include "tests/unit/fair/fair_fixture.h"

#include <errno.h>

const char *const fixture_preemption[][2] = {
    { "yarn.scheduler.fair.preemption", "true" },
    { "yarn.scheduler.fair.preemption.cluster-utilization-threshold", "0.5" },
    { "yarn.scheduler.fair.waitTimeBeforeKill", "2000" },
    { "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", "3000" },
    { "yarn.scheduler.fair.assignmultiple", "true" },
    { "yarn.scheduler.fair.dynamic.max.assign", "false" },
    { NULL, NULL },
};

static struct sched_config load(const struct fair_fixture *fixture, const char *allocations, struct err *err)
{
    struct sched_config config = { .policy = "fair",
                                   .calculator = SCHED_EVERY_TYPE,
                                   .assign_on_demand = fixture->on_demand,
                                   .size_wait_ms = fixture->any_size ? INT64_MAX : 0 };
    struct conf *conf = conf_new_defaults();
    char *text = NULL;
    int length = asprintf(&text, "<allocations>%s</allocations>", allocations);

    assert_true(length > 0);
    for (size_t i = 0; fixture->site && fixture->site[i][0]; i++)
        if (conf_set(conf, fixture->site[i][0], fixture->site[i][1], err) < 0)
            fail_msg("%s", err->text);
    if (fair_config_load(conf, "fair.xml", text, (size_t)length, NULL, NULL, &config.fair, err) == 0) {
        config.types = (int)config.fair->types.count;
        config.minimum = config.fair->minimum;
        config.step = config.fair->increment;
        config.maximum = config.fair->maximum;
    }
    free(text);
    conf_free(conf);
    return config;
}

void fixture_begin(struct fair_fixture *fixture, const char *const (*site)[2], const char *allocations)
{
    struct sched_config config;
    struct err err;

    fixture->site = site;
    config = load(fixture, allocations, &err);
    if (config.fair == NULL || sched_new(&config, &fixture->sched, &err) < 0)
        fail_msg("%s", err.text);
}

void fixture_end(struct fair_fixture *fixture)
{
    sched_free(fixture->sched);
    free(fixture->decisions.items);
}

int fixture_setup(void **state)
{
    *state = calloc(1, sizeof(struct fair_fixture));
    return 0;
}

int fixture_teardown(void **state)
{
    fixture_end(*state);
    free(*state);
    return 0;
}

int fixture_reload(struct fair_fixture *fixture, const char *allocations, struct err *err)
{
    struct sched_config config = load(fixture, allocations, err);
    int r;

    if (config.fair == NULL)
        return -EINVAL;
    if ((r = sched_refresh(fixture->sched, &config, &fixture->decisions, err)) < 0)
        fair_config_free(config.fair);
    fixture_audit(fixture);
    return r;
}

void fixture_audit(struct fair_fixture *fixture)
{
    struct err err;

    if (sched_check(fixture->sched, &err) < 0)
        fail_msg("%s", err.text);
}

struct sched_node *fixture_node(struct fair_fixture *fixture, const char *name, int64_t memory_mb,
                                int64_t vcores)
{
    const struct sched_node_spec spec = {
        .id = name, .host = name, .rack = "/r", .total = resource_of(memory_mb, vcores)
    };

    return sched_node_add(fixture->sched, &spec, &fixture->decisions);
}

int fixture_submit(struct fair_fixture *fixture, const char *user, const char *queue, struct sched_app **ret,
                   struct err *err)
{
    const struct sched_app_spec spec = { .id = { 1, ++fixture->last_id }, .user = user, .queue = queue };
    int r = sched_app_add(fixture->sched, &spec, ret, err);

    if (r == 0)
        sched_app_start(fixture->sched, *ret, NULL, &fixture->decisions);
    fixture_audit(fixture);
    return r;
}

struct sched_app *fixture_app(struct fair_fixture *fixture, const char *queue, int64_t master_mb)
{
    const struct sched_app_spec spec = {
        .id = { 1, ++fixture->last_id }, .user = "u", .queue = queue, .manages = master_mb > 0
    };
    struct resource master = resource_of(master_mb, 1);
    struct sched_app *app;
    struct err err;

    if (sched_app_add(fixture->sched, &spec, &app, &err) < 0)
        fail_msg("%s", err.text);
    sched_app_start(fixture->sched, app, master_mb > 0 ? &master : NULL, &fixture->decisions);
    fixture_audit(fixture);
    return app;
}

void fixture_ask(struct fair_fixture *fixture, struct sched_app *app, const char *where, uint32_t count,
                 int64_t memory_mb, int64_t vcores)
{
    const struct sched_ask asks[] = {
        { .priority = 1,
          .resource_name = where,
          .capability = resource_of(memory_mb, vcores),
          .count = count },
        { .priority = 1,
          .resource_name = "/r",
          .capability = resource_of(memory_mb, vcores),
          .count = count },
        { .priority = 1, .resource_name = "*", .capability = resource_of(memory_mb, vcores), .count = count },
    };
    bool anywhere = strcmp(where, "*") == 0;
    const struct sched_request request = { .asks = anywhere ? &asks[2] : asks,
                                           .ask_count = anywhere ? 1 : 3 };
    struct err err;

    if (sched_allocate(fixture->sched, app, &request, &fixture->decisions, &err) < 0)
        fail_msg("%s", err.text);
    fixture_audit(fixture);
}

static struct sched_container *some_container(const struct fair_fixture *fixture, const struct sched_app *app,
                                              size_t *from)
{
    for (; *from < fixture->decisions.count; ++*from) {
        const struct sched_decision *decision = &fixture->decisions.items[*from];

        if (decision->kind == SCHED_ALLOCATED && decision->app == app)
            return fixture->decisions.items[(*from)++].container;
    }
    return NULL;
}

/* Works only for apps whose containers are all in decisions that have not been counted yet. */
void fixture_end_containers(struct fair_fixture *fixture, struct sched_app *app)
{
    struct sched_container *container;
    size_t from = 0;

    sched_app_stop_asking(fixture->sched, app);
    while ((container = some_container(fixture, app, &from)) != NULL)
        sched_container_end(fixture->sched, container, &fixture->decisions);
    fixture_audit(fixture);
}

void fixture_finish(struct fair_fixture *fixture, struct sched_app *app)
{
    fixture_end_containers(fixture, app);
    sched_app_remove(fixture->sched, app, &fixture->decisions);
    fixture_audit(fixture);
}

void fixture_heartbeat(struct fair_fixture *fixture, struct sched_node *node, int times)
{
    for (int i = 0; i < times; i++) {
        sched_node_heartbeat(fixture->sched, node, &fixture->decisions);
        fixture_audit(fixture);
    }
}

void fixture_update(struct fair_fixture *fixture)
{
    sched_update(fixture->sched, &fixture->decisions);
    fixture_audit(fixture);
}

void fixture_advance(struct fair_fixture *fixture, int64_t ms)
{
    fixture->now_ms += ms;
    sched_tick(fixture->sched, fixture->now_ms, &fixture->decisions);
    fixture_audit(fixture);
}

struct sched_app_figures fixture_app_figures(struct fair_fixture *fixture, struct sched_app *app)
{
    struct sched_app_figures figures;

    sched_app_figures(fixture->sched, app, &figures);
    return figures;
}

bool fixture_has(struct fair_fixture *fixture, const char *path)
{
    struct sched_queue_figures figures;

    return sched_queue_find_figures(fixture->sched, path, &figures);
}

struct sched_queue_figures fixture_queue(struct fair_fixture *fixture, const char *path)
{
    struct sched_queue_figures figures;

    if (!sched_queue_find_figures(fixture->sched, path, &figures))
        fail_msg("there is no queue %s", path);
    return figures;
}

size_t fixture_count(struct fair_fixture *fixture, enum sched_decision_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < fixture->decisions.count; i++)
        count += fixture->decisions.items[i].kind == kind;
    fixture->decisions.count = 0;
    return count;
}

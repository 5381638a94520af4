/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_config.c - what the scheduler under test is configured with
 *
 * Capacity: leaves "leaf0" to "leafQ-1" of weight 1, below DEPTH - 1 levels of parents; no limit
 * binds but the one that a phase asks for.
 */
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config.h"
#include "sim/bench.h"

/* Names of one level of queues below one parent, and what each of them is given. */
struct level {
    struct conf *conf;
    const struct bench_options *options;
    int64_t fan;
    int64_t next_leaf;
};

static int set(struct conf *conf, const char *queue, const char *key, const char *value,
               struct err *err)
{
    scoped_free char *name = mem_printf("yarn.scheduler.capacity.%s.%s", queue, key);

    return conf_set(conf, name, value, err);
}

static int set_leaf(const struct level *level, const char *path, struct err *err)
{
    enum bench_limit limit = level->options->limit;
    int r;

    if ((r = set(level->conf, path, "user-limit-factor",
                 limit == BENCH_USER_LIMIT ? "0.0001" : "-1", err)) < 0)
        return r;
    return set(level->conf, path, "maximum-am-resource-percent",
               limit == BENCH_AM_LIMIT ? "0.0001" : "1", err);
}

/* The queues below root have a tenth of the cluster together, and may not have more. */
static int set_tenth(struct level *level, const char *path, int64_t siblings, struct err *err)
{
    scoped_free char *most = mem_printf("%.3f", 10.1 / (double)siblings);
    scoped_free char *rest = mem_printf("%lldw", (long long)siblings * 9);
    int r;

    if (level->options->limit != BENCH_QUEUE_LIMIT)
        return 0;
    if ((r = set(level->conf, path, "maximum-capacity", most, err)) < 0)
        return r;
    return set(level->conf, "root.rest", "capacity", rest, err);
}

/* The queues below PATH, LEVELS_LEFT levels of them, COUNT leaves in all. */
static int set_below(struct level *level, const char *path, int64_t levels_left, int64_t count,
                     struct err *err)
{
    int64_t children = levels_left == 1 ? count : level->fan < count ? level->fan : count;
    scoped_free char *list = mem_array0((size_t)children + 2, 32);
    bool top = levels_left == level->options->depth;
    size_t length = 0;
    int r = 0;

    for (int64_t i = 0; i < children && r == 0; i++) {
        int64_t leaves = levels_left == 1 ? 1 : count / children + (i < count % children ? 1 : 0);
        char name[32];
        scoped_free char *child = NULL;

        if (levels_left == 1)
            snprintf(name, sizeof(name), "leaf%lld", (long long)level->next_leaf++);
        else
            snprintf(name, sizeof(name), "p%lld", (long long)i);
        length += (size_t)snprintf(list + length, 33, "%s%s", i > 0 ? "," : "", name);
        child = mem_printf("%s.%s", path, name);
        r = set(level->conf, child, "capacity", "1w", err);
        if (r == 0 && top)
            r = set_tenth(level, child, children, err);
        if (r == 0)
            r = levels_left == 1 ? set_leaf(level, child, err)
                                 : set_below(level, child, levels_left - 1, leaves, err);
    }
    if (top && level->options->limit == BENCH_QUEUE_LIMIT)
        memcpy(list + length, ",rest", sizeof(",rest"));
    return r < 0 ? r : set(level->conf, path, "queues", list, err);
}

static int fill_conf(struct conf *conf, const struct bench_options *options, struct err *err)
{
    struct level level = { .conf = conf, .options = options };
    int r;

    level.fan = (int64_t)ceil(pow((double)options->queues, 1.0 / (double)options->depth));
    if ((r = conf_set(conf, "yarn.scheduler.maximum-allocation-mb", "65536", err)) < 0 ||
        (r = conf_set(conf, "yarn.scheduler.maximum-allocation-vcores", "64", err)) < 0 ||
        (r = conf_set(conf, "yarn.scheduler.capacity.maximum-applications", "10000000", err)) < 0 ||
        (r = conf_set(conf, "yarn.scheduler.capacity.resource-calculator",
                      "DominantResourceCalculator", err)) < 0 ||
        (r = conf_set(conf, "yarn.scheduler.capacity.per-node-heartbeat."
                            "maximum-offswitch-assignments", "-1", err)) < 0)
        return r;
    return set_below(&level, "root", options->depth, options->queues, err);
}

static int fill_capacity(struct bench_world *world, struct sched_config *ret, struct err *err)
{
    struct conf *conf = conf_new_defaults();
    int r = fill_conf(conf, &world->options, err);

    if (r == 0)
        r = capacity_config_load(conf, NULL, NULL, &ret->capacity, err);
    if (r < 0) {
        conf_free(conf);
        return r;
    }
    world->config = conf;
    ret->minimum = ret->step = ret->capacity->minimum_allocation;
    ret->maximum = ret->capacity->maximum_allocation;
    return 0;
}

int bench_config_fill(struct bench_world *world, struct sched_config *ret, struct err *err)
{
    const struct bench_options *options = &world->options;

    *ret = (struct sched_config){
        .strategy = options->scheduler,
        .calculator = SCHED_EVERY_TYPE,
        .types = (int)options->types,
        .minimum = resource_of(1024, 1),
        .step = resource_of(1024, 1),
        .maximum = resource_of(64 * 1024, 64),
        .managers_permille = options->limit == BENCH_AM_LIMIT ? 1 : 0,
        .assign_on_demand = options->mode == BENCH_DEMAND,
    };
    for (int t = 2; t < (int)options->types; t++)
        ret->maximum.value[t] = 64;
    return text_equal(options->scheduler, "capacity") ? fill_capacity(world, ret, err) : 0;
}

void bench_config_free(struct bench_world *world)
{
    conf_free(world->config);
    world->config = NULL;
}

bool bench_config_limits(const char *scheduler, enum bench_limit limit)
{
    return limit == BENCH_AM_LIMIT || text_equal(scheduler, "capacity");
}

int64_t bench_config_queue_count(const struct bench_options *options)
{
    return text_equal(options->scheduler, "fifo") ? 1 : options->queues;
}

const char *bench_config_queue(const struct bench_options *options, int64_t index, char text[32])
{
    if (text_equal(options->scheduler, "fifo"))
        snprintf(text, 32, "default");
    else
        snprintf(text, 32, "leaf%lld", (long long)(index % options->queues));
    return text;
}

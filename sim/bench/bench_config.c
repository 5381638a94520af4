/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_config.c - writes the configuration of the scheduler under test
 *
 * Capacity: leaves "leaf0" to "leafQ-1" of weight 1, below DEPTH - 1 levels of parents. No limit is reached
 * except the one that a phase selects.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/config.h"
#include "sim/bench/bench.h"

/* State of writing capacity-scheduler.xml. */
struct level {
    FILE *out;
    const struct bench_options *options;
    int64_t fan;
    int64_t next_leaf;
};

static void put(FILE *out, const char *key, const char *value)
{
    fprintf(out, "<property><name>%s</name><value>%s</value></property>\n", key, value);
}

static void set(const struct level *level, const char *queue, const char *key, const char *value)
{
    fprintf(level->out,
            "<property><name>yarn.scheduler.capacity.%s.%s</name><value>%s</value>"
            "</property>\n",
            queue, key, value);
}

static void set_leaf(const struct level *level, const char *path)
{
    enum bench_limit limit = level->options->limit;

    set(level, path, "user-limit-factor", limit == BENCH_USER_LIMIT ? "0.0001" : "-1");
    if (limit == BENCH_USER_LIMIT) /* user-limit-factor also bounds the number of a user's apps */
        set(level, path, "maximum-applications", "1000000000");
    set(level, path, "maximum-am-resource-percent", limit == BENCH_AM_LIMIT ? "0.0001" : "1");
}

/* Limits the queues below root together to a tenth of the cluster. The weights are small, since none may
 * exceed 10000, however many queues there are. */
static void set_tenth(const struct level *level, const char *path, int64_t siblings)
{
    scoped_free char *most = mem_printf("%.6f", 10.1 / (double)siblings);
    scoped_free char *rest = mem_printf("%.2fw", (double)siblings * 0.09);

    set(level, path, "capacity", "0.01w");
    set(level, path, "maximum-capacity", most);
    set(level, "root.rest", "capacity", rest);
}

/* Writes the queues below PATH: LEVELS_LEFT levels, with COUNT leaves in all. */
static void set_below(struct level *level, const char *path, int64_t levels_left, int64_t count)
{
    int64_t children = levels_left == 1 ? count : level->fan < count ? level->fan : count;
    scoped_free char *list = mem_array0((size_t)children + 2, 32);
    bool top = levels_left == level->options->depth;
    size_t length = 0;

    for (int64_t i = 0; i < children; i++) {
        int64_t leaves = levels_left == 1 ? 1 : count / children + (i < count % children ? 1 : 0);
        char name[32];
        scoped_free char *child = NULL;

        if (levels_left == 1)
            snprintf(name, sizeof(name), "leaf%lld", (long long)level->next_leaf++);
        else
            snprintf(name, sizeof(name), "p%lld", (long long)i);
        length += (size_t)snprintf(list + length, 33, "%s%s", i > 0 ? "," : "", name);
        child = mem_printf("%s.%s", path, name);
        if (top && level->options->limit == BENCH_QUEUE_LIMIT)
            set_tenth(level, child, children);
        else
            set(level, child, "capacity", "1w");
        if (levels_left == 1)
            set_leaf(level, child);
        else
            set_below(level, child, levels_left - 1, leaves);
    }
    if (top && level->options->limit == BENCH_QUEUE_LIMIT)
        memcpy(list + length, ",rest", sizeof(",rest"));
    set(level, path, "queues", list);
}

static void write_site(FILE *out, const struct bench_options *options)
{
    struct level level = { .out = out, .options = options };
    char types[64];

    level.fan = (int64_t)ceil(pow((double)options->queues, 1.0 / (double)options->depth));
    fprintf(out, "<configuration>\n");
    put(out, "yarn.scheduler.maximum-allocation-mb", "65536");
    put(out, "yarn.scheduler.maximum-allocation-vcores", "64");
    if (options->types > 2)
        put(out, "yarn.resource-types", bench_types_text(options, types));
    put(out, "yarn.scheduler.capacity.maximum-applications", "10000000");
    put(out, "yarn.scheduler.capacity.resource-calculator", "DominantResourceCalculator");
    put(out, "yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments", "1000000");
    set_below(&level, "root", options->depth, options->queues);
    fprintf(out, "</configuration>\n");
}

static int fill_capacity(struct bench_world *world, struct sched_config *ret, struct err *err)
{
    struct conf *conf = NULL;
    scoped_free char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int r;

    if (out == NULL)
        return err_set_errno(err, errno, "configuration of the scheduler");
    write_site(out, &world->options);
    fclose(out);
    if ((r = conf_load_buffer("bench", text, size, NULL, NULL, &conf, err)) < 0)
        return r;
    world->config = conf;                          /* freed by bench_config_free */
    world->bytes_before = bench_allocated_bytes(); /* measured here so that the file's text is not
                                                      counted as memory of the queues */
    if ((r = capacity_config_load(conf, NULL, NULL, &ret->capacity, err)) < 0)
        return r;
    preempt_settings_default(&world->preemption);
    world->preemption.enabled = world->preemption.observe_only = true;
    ret->preemption = &world->preemption;
    ret->minimum = ret->step = ret->capacity->minimum_allocation;
    ret->maximum = ret->capacity->maximum_allocation;
    return 0;
}

int bench_config_fill(struct bench_world *world, struct sched_config *ret, struct err *err)
{
    const struct bench_options *options = &world->options;

    *ret = (struct sched_config){
        .policy = options->scheduler,
        .calculator = SCHED_EVERY_TYPE,
        .types = (int)options->types,
        .minimum = resource_of(1024, 1),
        .step = resource_of(1024, 1),
        .maximum = resource_of(64 * 1024, 64),
        .am_permille = options->limit == BENCH_AM_LIMIT ? 1 : 0,
        .assign_on_demand = options->mode == BENCH_DEMAND,
    };
    for (int t = 2; t < (int)options->types; t++)
        ret->maximum.value[t] = 64;
    if (text_equal(options->scheduler, "fair"))
        return bench_fair_fill(world, ret, err);
    return text_equal(options->scheduler, "capacity") ? fill_capacity(world, ret, err) : 0;
}

void bench_config_free(struct bench_world *world)
{
    conf_free(world->config);
    world->config = NULL;
}

bool bench_config_limits(const char *scheduler, enum bench_limit limit)
{
    return limit == BENCH_AM_LIMIT || text_equal(scheduler, "capacity") ||
           (limit == BENCH_QUEUE_LIMIT && text_equal(scheduler, "fair"));
}

int64_t bench_config_queue_count(const struct bench_options *options)
{
    return text_equal(options->scheduler, "fifo") ? 1 : options->queues;
}

const char *bench_config_queue(const struct bench_options *options, int64_t index, char text[64])
{
    if (text_equal(options->scheduler, "fair"))
        return bench_fair_queue(options, index % options->queues, text);
    if (text_equal(options->scheduler, "fifo"))
        snprintf(text, 64, "default");
    else
        snprintf(text, 64, "leaf%lld", (long long)(index % options->queues));
    return text;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_fair.c - writes the configuration of the fair scheduler under test: an allocation file
 *
 * Leaf I is "root.pA.pB...leafI" with the requested number of parent levels; all weights are 1, and all
 * policies drf. No limit is reached except the one that a phase selects.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/fair/config.h"
#include "sim/bench/bench.h"

static int64_t fan_of(const struct bench_options *options)
{
    return (int64_t)ceil(pow((double)options->queues, 1.0 / (double)options->depth));
}

const char *bench_fair_queue(const struct bench_options *options, int64_t leaf, char text[64])
{
    int64_t fan = fan_of(options), rest = leaf;
    size_t length = (size_t)snprintf(text, 64, "root");

    for (int64_t level = 1; level < options->depth && length < 40; level++) {
        length += (size_t)snprintf(text + length, 64 - length, ".p%lld", (long long)(rest % fan));
        rest /= fan;
    }
    snprintf(text + length, 64 - length, ".leaf%lld", (long long)leaf);
    return text;
}

/* Writes the limit that the phase selects, if it concerns this level: of AMs in a leaf, or of the queues
 * below root, together a tenth of the cluster. */
static void put_limit(FILE *out, const struct bench_options *options, int64_t levels_left)
{
    int64_t siblings = options->depth == 1 ? options->queues : fan_of(options);

    if (levels_left == 1 && options->limit == BENCH_AM_LIMIT)
        fprintf(out, "<maxAMShare>0.0001</maxAMShare>");
    if (levels_left == options->depth && options->limit == BENCH_QUEUE_LIMIT)
        fprintf(out, "<maxResources>%.3f%%</maxResources>", 10.1 / (double)siblings);
}

/* Writes the queues whose leaves are FIRST, FIRST + STRIDE, and so on. */
static void put_below(FILE *out, const struct bench_options *options, int64_t levels_left, int64_t first,
                      int64_t stride)
{
    int64_t fan = fan_of(options);

    if (levels_left == 1) {
        for (int64_t leaf = first; leaf < options->queues; leaf += stride) {
            fprintf(out, "<queue name=\"leaf%lld\">", (long long)leaf);
            put_limit(out, options, 1);
            fprintf(out, "</queue>\n");
        }
        return;
    }
    for (int64_t i = 0; i < fan && first + i * stride < options->queues; i++) {
        fprintf(out, "<queue name=\"p%lld\" type=\"parent\">", (long long)i);
        put_limit(out, options, levels_left);
        put_below(out, options, levels_left - 1, first + i * stride, stride * fan);
        fprintf(out, "</queue>\n");
    }
}

static int write_file(const struct bench_options *options, char **text, size_t *size, struct err *err)
{
    FILE *out = open_memstream(text, size);

    if (out == NULL)
        return err_set_errno(err, errno, "configuration of the scheduler");
    fprintf(out, "<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>\n"
                 "<queue name=\"root\"><schedulingPolicy>drf</schedulingPolicy>\n");
    put_below(out, options, options->depth, 0, 1);
    fprintf(out, "</queue></allocations>\n");
    fclose(out);
    return 0;
}

static int set_site(struct conf *conf, struct err *err)
{
    static const char *const values[][2] = {
        { "yarn.scheduler.maximum-allocation-mb", "65536" },
        { "yarn.scheduler.maximum-allocation-vcores", "64" },
        { "yarn.scheduler.fair.assignmultiple", "true" },
        { "yarn.scheduler.fair.dynamic.max.assign", "false" },
    };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        int r = conf_set(conf, values[i][0], values[i][1], err);

        if (r < 0)
            return r;
    }
    return 0;
}

int bench_fair_fill(struct bench_world *world, struct sched_config *ret, struct err *err)
{
    struct conf *conf = conf_new_defaults();
    scoped_free char *text = NULL;
    char types[64];
    size_t size = 0;
    int r;

    if ((r = set_site(conf, err)) == 0 &&
        (world->options.types == 2 ||
         (r = conf_set(conf, "yarn.resource-types", bench_types_text(&world->options, types), err)) == 0) &&
        (r = write_file(&world->options, &text, &size, err)) == 0)
        r = fair_config_load(conf, "bench", text, size, NULL, NULL, &ret->fair, err);
    conf_free(conf);
    if (r < 0)
        return r;
    fair_config_set_sizes(ret);
    return 0;
}

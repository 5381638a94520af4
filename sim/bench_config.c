/* SPDX-License-Identifier: Apache-2.0 */
/* bench_config.c - what the scheduler under test is configured with */
#include <string.h>

#include "common/base/text.h"
#include "sim/bench.h"

int bench_config_fill(struct bench_world *world, struct sched_config *ret, struct err *err)
{
    const struct bench_options *options = &world->options;

    (void)err;
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
    return 0;
}

void bench_config_free(struct bench_world *world)
{
    (void)world;
}

bool bench_config_limits(const char *scheduler, enum bench_limit limit)
{
    return text_equal(scheduler, "fifo") && limit == BENCH_AM_LIMIT;
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

/* SPDX-License-Identifier: Apache-2.0 */
/* sim_queues.c - the queues of a world whose resource manager has the capacity scheduler */
#include <errno.h>

#include "common/base/mem.h"
#include "common/conf/conf.h"
#include "rm/sched/capacity/config.h"
#include "rm/sched/preempt/preempt.h"
#include "rm/sched/sched.h"
#include "sim/actors.h"

#define CAPACITY "yarn.scheduler.capacity."
#define MONITOR "yarn.resourcemanager.monitor.capacity.preemption."

struct sim_queues {
    struct conf *conf;
    struct sched_config config;
    struct preempt_settings preemption;
};

/* Two halves that may borrow everything from each other, and give it back soon. */
static const char *const settings[][2] = {
    { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
    { "yarn.scheduler.minimum-allocation-mb", "16" },
    { "yarn.scheduler.maximum-allocation-mb", "4096" },
    { "yarn.scheduler.maximum-allocation-vcores", "8" },
    { "yarn.cluster.max-application-priority", "10" },
    { CAPACITY "resource-calculator",
      "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator" },
    /* Of each queue: together they leave room for a task, even if all begin at once. */
    { CAPACITY "maximum-am-resource-percent", "0.25" },
    { CAPACITY "root.queues", "a,b" },
    { CAPACITY "root.a.capacity", "50" },
    { CAPACITY "root.a.maximum-capacity", "100" },
    { CAPACITY "root.a.user-limit-factor", "10" },
    { CAPACITY "root.b.capacity", "50" },
    { CAPACITY "root.b.maximum-capacity", "100" },
    { CAPACITY "root.b.user-limit-factor", "10" },
    { "yarn.resourcemanager.scheduler.monitor.enable", "true" },
    { MONITOR "monitoring_interval", "2000" },
    { MONITOR "max_wait_before_kill", "4000" },
    { MONITOR "total_preemption_per_round", "1.0" },
    { MONITOR "natural_termination_factor", "1.0" },
};

int sim_queues_new(uint64_t seed, struct sim_queues **ret, struct err *err)
{
    struct sim_queues *queues = mem_new0(struct sim_queues);
    struct capacity_config *capacity = NULL;
    int r = 0;

    queues->conf = conf_new_defaults();
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]) && r == 0; i++)
        r = conf_set(queues->conf, settings[i][0], settings[i][1], err);
    if (r == 0)
        r = capacity_config_load(queues->conf, NULL, NULL, &capacity, err);
    if (r == 0)
        r = preempt_settings_read(queues->conf, (int)capacity->types.count, &queues->preemption,
                                  err);
    if (r < 0) {
        capacity_config_free(capacity);
        sim_queues_free(queues);
        return r;
    }
    queues->config = (struct sched_config){
        .strategy = "capacity", .calculator = SCHED_EVERY_TYPE,
        .types = (int)capacity->types.count, .minimum = capacity->minimum_allocation,
        .step = capacity->minimum_allocation, .maximum = capacity->maximum_allocation,
        .assign_on_demand = seed % 2 == 0, .capacity = capacity,
        .preemption = &queues->preemption,
    };
    *ret = queues;
    return 0;
}

const struct sched_config *sim_queues_config(const struct sim_queues *queues)
{
    return &queues->config;
}

void sim_queues_free(struct sim_queues *queues)
{
    if (queues == NULL)
        return;
    conf_free(queues->conf);
    free(queues);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* sim_queues.c - configures the queues of a world with the capacity or the fair scheduler */
#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/conf/conf.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/fair/config.h"
#include "rm/sched/preempt/preempt.h"
#include "rm/sched/sched.h"
#include "sim/world/actors.h"
#include "rm/sched/capacity/preempt_audit.h"

#define CAPACITY "yarn.scheduler.capacity."
#define FAIR "yarn.scheduler.fair."
#define MONITOR "yarn.resourcemanager.monitor.capacity.preemption."

struct sim_queues {
    struct conf *conf;
    struct sched_config config;
    struct preempt_settings preemption;
    struct preempt_audit audit;
    bool on_demand; /* fair: containers are allocated on requests, too, not on heartbeats only */
};

/* Two queues which may borrow everything from each other, with fast preemption. */
static const char *const settings[][2] = {
    { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
    { "yarn.scheduler.minimum-allocation-mb", "16" },
    { "yarn.scheduler.maximum-allocation-mb", "4096" },
    { "yarn.scheduler.maximum-allocation-vcores", "8" },
    { "yarn.cluster.max-application-priority", "10" },
    { CAPACITY "resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator" },
    /* All AMs of a queue together leave room for a task, even if they start at the same time. */
    { CAPACITY "maximum-am-resource-percent", "0.25" },
    { CAPACITY "root.queues", "a,b" },
    { CAPACITY "root.a.maximum-capacity", "100" },
    { CAPACITY "root.a.user-limit-factor", "10" },
    { CAPACITY "root.b.maximum-capacity", "100" },
    { CAPACITY "root.b.user-limit-factor", "10" },
    { "yarn.resourcemanager.scheduler.monitor.enable", "true" },
    { MONITOR "monitoring_interval", "2000" },
    { MONITOR "max_wait_before_kill", "4000" },
    { MONITOR "total_preemption_per_round", "1.0" },
    { MONITOR "natural_termination_factor", "1.0" },
};

#define TIMEOUTS \
    "<defaultFairSharePreemptionTimeout>2</defaultFairSharePreemptionTimeout>" \
    "<defaultMinSharePreemptionTimeout>1</defaultMinSharePreemptionTimeout>"

/* The possible allocation files. The first one, with two queues that may use everything, and further queues
 * created on demand, is in force at the start and at the end. With the others, jobs may have to wait. */
static const struct {
    const char *text;
    double weight_a; /* weight of root.a in a valid file; 0: the file is broken */
} files[] = {
    { "<allocations>" TIMEOUTS "<queue name='a'><minResources>256 mb, 1 vcores</minResources></queue>"
      "<queue name='b'><weight>2</weight><schedulingPolicy>fifo</schedulingPolicy></queue>"
      "</allocations>",
      1 },
    { "<allocations>" TIMEOUTS "<queue name='root'><schedulingPolicy>drf</schedulingPolicy>"
      "<queue name='a'><weight>3</weight><maxResources>50%</maxResources>"
      "<schedulingPolicy>drf</schedulingPolicy></queue>"
      "<queue name='b'><minResources>1024 mb, 4 vcores</minResources>"
      "<allowPreemptionFrom>false</allowPreemptionFrom></queue>"
      "<queue name='c'/></queue></allocations>",
      3 },
    { "<allocations><userMaxAppsDefault>2</userMaxAppsDefault>"
      "<queueMaxAMShareDefault>0.3</queueMaxAMShareDefault>"
      "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>"
      "<queue name='a'><weight>0.5</weight><maxRunningApps>1</maxRunningApps></queue>"
      "</allocations>",
      0.5 }, /* b stays while it has apps, like a queue created on demand */
    { "<allocations>" TIMEOUTS "<queue name='a'><weight>2</weight></queue>"
      "<queue name='made' type='parent'><maxResources>2048 mb, 4 vcores</maxResources>"
      "<queue name='by'><queue name='need'><weight>4</weight></queue></queue></queue>"
      "<queue name='b'><maxResources>512 mb, 1 vcores</maxResources></queue></allocations>",
      2 },
    { "<allocations><queue name='a'><weight>7</weight></queue>", 0 },
    { "<allocations><queue name='a'><weight>heavy</weight></queue></allocations>", 0 },
    { "<allocations><queue name='a'><schedulingPolicy>unfair</schedulingPolicy></queue></allocations>", 0 },
    { "<allocations><defaultQueueSchedulingPolicy>fifo</defaultQueueSchedulingPolicy></allocations>", 0 },
    { "", 0 },
};

static const char *const fair_settings[][2] = {
    { "yarn.scheduler.minimum-allocation-mb", "16" },
    { "yarn.scheduler.increment-allocation-mb", "16" },
    { "yarn.scheduler.maximum-allocation-mb", "4096" },
    { "yarn.scheduler.maximum-allocation-vcores", "8" },
    { FAIR "preemption", "true" },
    { FAIR "preemption.cluster-utilization-threshold", "0.5" },
    { FAIR "waitTimeBeforeKill", "4000" },
    { FAIR "waitTimeBeforeNextStarvationCheck", "1000" },
    { FAIR "assignmultiple", "true" },
};

static int set_all(struct conf *conf, const char *const pairs[][2], size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        int r = conf_set(conf, pairs[i][0], pairs[i][1], err);

        if (r < 0)
            return r;
    }
    return 0;
}

unsigned sim_queues_file_draw(struct rng *rng)
{
    return (unsigned)rng_below(rng, sizeof(files) / sizeof(files[0]));
}

double sim_queues_file_weight(unsigned file)
{
    return files[file].weight_a;
}

int sim_queues_read(const struct sim_queues *queues, unsigned file, struct sched_config *ret, struct err *err)
{
    struct fair_config *fair = NULL;
    int r = fair_config_load(queues->conf, "allocations", files[file].text, strlen(files[file].text), NULL,
                             NULL, &fair, err);

    if (r < 0)
        return r;
    fair->continuous_sleep_ms = 100; /* a long interval, because each event of a world is audited */
    *ret = (struct sched_config){
        .policy = "fair",
        .calculator = SCHED_EVERY_TYPE,
        .types = (int)fair->types.count,
        .minimum = fair->minimum,
        .step = fair->increment,
        .maximum = fair->maximum,
        .assign_on_demand = queues->on_demand,
        .fair = fair,
    };
    return 0;
}

/* Creates fair queues. The seed determines whether nodes are offered on heartbeats only, on requests as well,
 * or continuously. */
static int new_fair(struct sim_queues *queues, uint64_t seed, unsigned file, struct err *err)
{
    bool continuous = seed % 3 == 0;
    int r;

    if ((r = set_all(queues->conf, fair_settings, sizeof(fair_settings) / sizeof(fair_settings[0]), err)) <
            0 ||
        (r = conf_set(queues->conf, FAIR "continuous-scheduling-enabled", continuous ? "true" : "false",
                      err)) < 0)
        return r;
    queues->on_demand = seed % 3 == 1;
    return sim_queues_read(queues, file, &queues->config, err);
}

/* Creates capacity queues of half the cluster each; of every third seed, one is so small that its guarantee
 * has no vcore. */
static int new_capacity(struct sim_queues *queues, uint64_t seed, struct err *err)
{
    struct capacity_config *capacity = NULL;
    bool small = seed % 3 == 0;
    int r = set_all(queues->conf, settings, sizeof(settings) / sizeof(settings[0]), err);

    if (r == 0)
        r = conf_set(queues->conf, CAPACITY "root.a.capacity", small ? "3" : "50", err);
    if (r == 0)
        r = conf_set(queues->conf, CAPACITY "root.b.capacity", small ? "97" : "50", err);
    if (r == 0)
        r = capacity_config_load(queues->conf, NULL, NULL, &capacity, err);
    if (r == 0)
        r = preempt_settings_read(queues->conf, (int)capacity->types.count, &queues->preemption, err);
    if (r < 0) {
        capacity_config_free(capacity);
        return r;
    }
    queues->config = (struct sched_config){
        .policy = "capacity",
        .calculator = SCHED_EVERY_TYPE,
        .types = (int)capacity->types.count,
        .minimum = capacity->minimum_allocation,
        .step = capacity->minimum_allocation,
        .maximum = capacity->maximum_allocation,
        .assign_on_demand = seed % 2 == 0,
        .capacity = capacity,
        .preemption = &queues->preemption,
    };
    return 0;
}

int sim_queues_new(enum world_queues kind, uint64_t seed, unsigned file, struct sim_queues **ret,
                   struct err *err)
{
    struct sim_queues *queues = mem_new0(struct sim_queues);
    int r;

    queues->conf = conf_new_defaults();
    r = kind == WORLD_FAIR ? new_fair(queues, seed, file, err) : new_capacity(queues, seed, err);
    if (r < 0) {
        sim_queues_free(queues);
        return r;
    }
    *ret = queues;
    return 0;
}

void sim_queues_audit(struct sim_queues *queues, const struct sched *sched)
{
    if (queues != NULL)
        preempt_audit_start(sched, &queues->audit);
}

int sim_queues_check(const struct sim_queues *queues, struct err *err)
{
    if (queues == NULL || queues->audit.r == 0)
        return 0;
    return err_set(err, EINVAL, "%s", queues->audit.err.text);
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

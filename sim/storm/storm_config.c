/* SPDX-License-Identifier: Apache-2.0 */
/* storm_config.c - creates random configurations for one tree of queues */
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/conf.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/capacity/placement/placement.h"
#include "rm/sched/fair/config.h"
#include "rm/sched/preempt/preempt.h"
#include "sim/storm/storm.h"

#define CAPACITY "yarn.scheduler.capacity."
#define MONITOR "yarn.resourcemanager.monitor.capacity.preemption."
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct storm_config {
    struct conf **confs; /* owned; all configurations used so far */
    size_t count, capacity;
    struct preempt_settings preemption;
    bool on_demand, dominant, third, chosen; /* THIRD: there is a type beyond memory and vcores */
    bool scarce;
    enum storm_shape shape;
};

static const char *const leaves[] = { "root.a", "root.b.b1", "root.b.b2", "root.c.c1.x", "root.c.c2" };
static const char *const parents[] = { "root", "root.b", "root.c", "root.c.c1" };
/* Of STORM_DYNAMIC, created by submissions. */
static const char *const created[] = { "root.b.n1", "root.b.n2", "root.c.c1.n1", "root.c.n1" };
/* Of STORM_MANAGED: fixed leaves, managed parents, and their leaves, one for each user. */
static const char *const fixed[] = { "root.a", "root.c.c2" };
static const char *const managers[] = { "root.b", "root.c.c1" };
static const char *const managed[] = { "root.b.u0", "root.b.u1", "root.c.c1.u2" };
#define MAPPINGS "u:u0:root.b.u0,u:u1:root.b.u1,u:u2:root.c.c1.u2"

#define ONE_OF(rng, array) ((array)[rng_below(rng, COUNT(array))])

const char *storm_label(unsigned index)
{
    static const char *const names[STORM_LABELS] = { "", "gpu", "spot" };

    return names[index % STORM_LABELS];
}

const char *storm_config_leaf(const struct storm_config *config, struct rng *rng)
{
    if (config->shape == STORM_DYNAMIC && rng_chance(rng, 500))
        return ONE_OF(rng, created);
    if (config->shape == STORM_MANAGED)
        return rng_chance(rng, 600) ? "default" : ONE_OF(rng, fixed);
    return ONE_OF(rng, leaves);
}

const char *storm_config_queue(const struct storm_config *config, struct rng *rng)
{
    if (!rng_chance(rng, 700))
        return ONE_OF(rng, parents);
    if (config->shape == STORM_MANAGED)
        return rng_chance(rng, 600) ? ONE_OF(rng, managed) : ONE_OF(rng, fixed);
    return storm_config_leaf(config, rng);
}

struct storm_config *storm_config_new(bool scarce, enum storm_shape shape)
{
    struct storm_config *config = mem_new0(struct storm_config);

    config->scarce = scarce;
    config->shape = shape;
    return config;
}

void storm_config_free(struct storm_config *config)
{
    if (config == NULL)
        return;
    for (size_t i = 0; i < config->count; i++)
        conf_free(config->confs[i]);
    free(config->confs);
    free(config);
}

/* --- capacity -------------------------------------------------------------- */

struct writer {
    struct conf *conf;
    struct rng *rng;
    enum storm_shape shape;
    bool third; /* see struct storm_config */
    struct err *err;
    int r;
};

static void __attribute__((format(printf, 3, 4)))
put(struct writer *writer, const char *key, const char *format, ...)
{
    char value[200];
    va_list args;

    va_start(args, format);
    vsnprintf(value, sizeof(value), format, args);
    va_end(args);
    if (writer->r == 0)
        writer->r = conf_set(writer->conf, key, value, writer->err);
}

static const char *key_of(const char *queue, const char *name, char text[200])
{
    snprintf(text, 200, CAPACITY "%s.%s", queue, name);
    return text;
}

/* Writes a capacity of one type: "memory=40%". */
static void add_type(const struct writer *writer, const char *type, int64_t percent, int64_t most, char *text,
                     size_t size)
{
    size_t used = strlen(text);
    int64_t amount = rng_between(writer->rng, 0, most);

    switch (rng_below(writer->rng, 3)) {
    case 0:
        snprintf(text + used, size - used, "%s=%lld%%", type, (long long)percent);
        break;
    case 1:
        snprintf(text + used, size - used, "%s=%lldw", type, (long long)(1 + amount % 8));
        break;
    default:
        snprintf(text + used, size - used, "%s=%lld", type, (long long)amount);
        break;
    }
}

/* Sets the capacity: at most PERCENT, a weight, or a value of each type. */
static void put_by_type(struct writer *writer, const char *key, int64_t percent)
{
    char text[160] = "";
    uint64_t form = rng_below(writer->rng, 3);

    if (form < 2) {
        put(writer, key, form == 0 ? "%lld" : "%lldw", (long long)(form == 0 ? percent : 1 + percent % 9));
        return;
    }
    add_type(writer, "memory", percent, 24 * 1024, text, sizeof(text));
    add_type(writer, ",vcores", percent, 24, text, sizeof(text));
    if (writer->third)
        add_type(writer, ",disk", percent, 8, text, sizeof(text));
    put(writer, key, "[%s]", text);
}

static void put_capacity(struct writer *writer, const char *key, int64_t percent)
{
    if (writer->shape == STORM_BY_TYPE)
        put_by_type(writer, key, percent);
    else
        put(writer, key, writer->shape == STORM_DYNAMIC ? "%lldw" : "%lld", (long long)percent);
}

/* Sets about CAPACITY percent in every partition. */
static void put_share(struct writer *writer, const char *queue, int64_t capacity)
{
    char key[200], name[80];
    int64_t most = rng_chance(writer->rng, 500) ? 100 : rng_between(writer->rng, capacity, 100);

    put_capacity(writer, key_of(queue, "capacity", key), capacity);
    put(writer, key_of(queue, "maximum-capacity", key), "%lld", (long long)most);
    for (unsigned l = 1; l < STORM_LABELS; l++) {
        snprintf(name, sizeof(name), "accessible-node-labels.%s.capacity", storm_label(l));
        put_capacity(writer, key_of(queue, name, key), capacity);
        snprintf(name, sizeof(name), "accessible-node-labels.%s.maximum-capacity", storm_label(l));
        put(writer, key_of(queue, name, key), "100");
    }
}

static void put_leaf(struct writer *writer, const char *queue)
{
    static const char *const factors[] = { "1", "0.5", "3", "100", "-1" };
    static const char *const percents[] = { "100", "100", "50", "25" };
    static const char *const masters[] = { "1", "1", "0.5", "0.1" };
    char key[200];

    put(writer, key_of(queue, "user-limit-factor", key), "%s",
        factors[rng_below(writer->rng, COUNT(factors))]);
    put(writer, key_of(queue, "minimum-user-limit-percent", key), "%s",
        percents[rng_below(writer->rng, COUNT(percents))]);
    put(writer, key_of(queue, "maximum-am-resource-percent", key), "%s",
        masters[rng_below(writer->rng, COUNT(masters))]);
    put(writer, key_of(queue, "ordering-policy", key), "%s", rng_chance(writer->rng, 400) ? "fair" : "fifo");
    put(writer, key_of(queue, "priority", key), "%llu", (unsigned long long)rng_below(writer->rng, 3));
    if (rng_chance(writer->rng, 200))
        put(writer, key_of(queue, "user-settings.u1.weight", key), "0.5");
    if (rng_chance(writer->rng, 150))
        put(writer, key_of(queue, "maximum-applications", key), "%lld",
            (long long)rng_between(writer->rng, 1, 4));
    if (rng_chance(writer->rng, 150))
        put(writer, key_of(queue, "max-parallel-apps", key), "%lld",
            (long long)rng_between(writer->rng, 1, 3));
    if (rng_chance(writer->rng, 150))
        put(writer, key_of(queue, "disable_preemption", key), "true");
    if (rng_chance(writer->rng, 150))
        put(writer, key_of(queue, "default-node-label-expression", key), "spot");
}

static const char *boolean(struct rng *rng, unsigned permille)
{
    return rng_chance(rng, permille) ? "true" : "false";
}

/* Switches the selectors of preemption on that are off by default. */
static void put_selectors(struct writer *w)
{
    put(w, MONITOR "select_based_on_reserved_containers", "%s", boolean(w->rng, 500));
    put(w, MONITOR "additional_res_balance_based_on_reserved_containers", "%s", boolean(w->rng, 300));
    put(w, MONITOR "preemption-to-balance-queue-after-satisfied.enabled", "%s", boolean(w->rng, 300));
    put(w, MONITOR "intra-queue-preemption.minimum-threshold", "%s", rng_chance(w->rng, 500) ? "0" : "0.5");
    put(w, MONITOR "intra-queue-preemption.max-allowable-limit", "1.0");
    put(w, MONITOR "intra-queue-preemption.preemption-order-policy", "%s",
        rng_chance(w->rng, 500) ? "priority_first" : "userlimit_first");
    put(w, CAPACITY "ordering-policy.priority-utilization.underutilized-preemption.enabled", "%s",
        boolean(w->rng, 300));
    put(w,
        CAPACITY "ordering-policy.priority-utilization.underutilized-preemption.reserved-container-delay-ms",
        "%llu", (unsigned long long)rng_below(w->rng, 5000));
}

static void put_global(struct writer *w, const struct storm_config *config)
{
    put(w, "yarn.scheduler.minimum-allocation-mb", "256");
    put(w, "yarn.cluster.max-application-priority", "5");
    put(w, "yarn.node-labels.enabled", "true");
    put(w, "creel.node-labels", "gpu,spot(exclusive=false)");
    if (config->dominant)
        put(w, CAPACITY "resource-calculator", "DominantResourceCalculator");
    if (config->third)
        put(w, "yarn.resource-types", "disk");
    if (config->shape == STORM_BY_TYPE)
        put(w, CAPACITY "legacy-queue-mode.enabled", "false");
    put(w, CAPACITY "node-locality-delay", "%llu", (unsigned long long)rng_below(w->rng, 5));
    put(w, CAPACITY "rack-locality-additional-delay", "%lld", (long long)rng_between(w->rng, -1, 2));
    put(w, CAPACITY "reservations-continue-look-all-nodes", "%s", boolean(w->rng, 700));
    put(w, CAPACITY "per-node-heartbeat.multiple-assignments-enabled", "%s", boolean(w->rng, 700));
    put(w, CAPACITY "per-node-heartbeat.maximum-offswitch-assignments", "%lld",
        (long long)rng_between(w->rng, 1, 4));
    put(w, "yarn.resourcemanager.scheduler.monitor.enable", "%s", boolean(w->rng, 900));
    put(w, MONITOR "max_wait_before_kill", "%llu", (unsigned long long)rng_below(w->rng, 20000));
    put(w, MONITOR "total_preemption_per_round", "1.0");
    put(w, MONITOR "natural_termination_factor", "1.0");
    put(w, CAPACITY "lazy-preemption-enabled", "%s", boolean(w->rng, 400));
    put(w, MONITOR "intra-queue-preemption.enabled", "%s", boolean(w->rng, 500));
    if (config->scarce)
        put_selectors(w);
}

static void put_managed(struct writer *w)
{
    static const char *const capacities[] = { "20", "40", "50", "100" };
    char key[200], name[64];

    for (size_t i = 0; i < COUNT(managers); i++) {
        put(w, key_of(managers[i], "auto-create-child-queue.enabled", key), "true");
        put(w, key_of(managers[i], "leaf-queue-template.capacity", key), "%s", ONE_OF(w->rng, capacities));
        snprintf(name, sizeof(name), "%s.leaf-queue-template", managers[i]);
        put_leaf(w, name);
    }
    for (size_t i = 0; i < COUNT(fixed); i++)
        put_leaf(w, fixed[i]);
    put(w, CAPACITY "queue-mappings", MAPPINGS);
}

static void put_creators(struct writer *w)
{
    char key[200];

    for (size_t i = 1; i < COUNT(parents); i++) {
        put(w, key_of(parents[i], "auto-queue-creation-v2.enabled", key), "true");
        put(w, key_of(parents[i], "auto-queue-creation-v2.max-queues", key), "3");
    }
    put(w, CAPACITY "auto-queue-creation-v2.queue-expiration-time", "10");
}

static void put_queues(struct writer *w, bool scarce)
{
    int64_t a = rng_between(w->rng, 0, scarce ? 8 : 60), b = rng_between(w->rng, 10, 100 - a - 10);
    int64_t b1 = rng_between(w->rng, 0, scarce ? 8 : 100), c1 = rng_between(w->rng, 10, 90);
    char key[200];

    put(w, key_of("root", "queues", key), "a,b,c");
    put(w, key_of("root.c", "queues", key), "c1,c2");
    put(w, key_of("root", "accessible-node-labels", key), "*");
    for (unsigned l = 1; l < STORM_LABELS; l++) {
        snprintf(key, sizeof(key), CAPACITY "root.accessible-node-labels.%s.capacity", storm_label(l));
        put(w, key, "100");
    }
    put_share(w, "root.a", a);
    put_share(w, "root.b", b);
    put_share(w, "root.c", 100 - a - b);
    put_share(w, "root.c.c1", c1);
    put_share(w, "root.c.c2", 100 - c1);
    if (w->shape == STORM_MANAGED) {
        put_managed(w);
    } else {
        put(w, key_of("root.b", "queues", key), "b1,b2");
        put(w, key_of("root.c.c1", "queues", key), "x");
        put_share(w, "root.b.b1", b1);
        put_share(w, "root.b.b2", 100 - b1);
        put_share(w, "root.c.c1.x", 100);
        for (size_t i = 0; i < COUNT(leaves); i++)
            put_leaf(w, leaves[i]);
    }
    if (w->shape == STORM_DYNAMIC)
        put_creators(w);
    for (size_t i = 0; i < COUNT(parents); i++)
        put(w, key_of(parents[i], "ordering-policy", key), "%s",
            rng_chance(w->rng, 400) ? "priority-utilization" : "utilization");
}

static int fill_capacity(struct storm_config *config, struct rng *rng, struct sched_config *ret,
                         struct err *err)
{
    struct writer writer = {
        .conf = conf_new_defaults(), .rng = rng, .shape = config->shape, .third = config->third, .err = err
    };
    int r;

    mem_grow(config->confs, config->count, config->capacity);
    config->confs[config->count++] = writer.conf;
    put_global(&writer, config);
    put_queues(&writer, config->scarce);
    if ((r = writer.r) < 0 || (r = conf_verify(writer.conf, err)) < 0 ||
        (r = capacity_config_load(writer.conf, NULL, NULL, &ret->capacity, err)) < 0 ||
        (r = capacity_placement_load(writer.conf, NULL, ret->capacity, NULL, NULL, &ret->placement, err)) < 0)
        return r;
    ret->types = (int)ret->capacity->types.count;
    ret->minimum = ret->step = ret->capacity->minimum_allocation;
    ret->maximum = ret->capacity->maximum_allocation;
    ret->calculator = ret->capacity->dominant ? SCHED_EVERY_TYPE : SCHED_MEMORY_ONLY;
    ret->preemption = &config->preemption;
    return preempt_settings_read(writer.conf, ret->types, &config->preemption, err);
}

/* --- fair ------------------------------------------------------------------ */

static void open_queue(FILE *out, struct rng *rng, const char *name, const char *policy)
{
    fprintf(out, "<queue name=\"%s\"><schedulingPolicy>%s</schedulingPolicy>", name, policy);
    if (rng_chance(rng, 300))
        fprintf(out, "<weight>%lld</weight>", (long long)rng_between(rng, 1, 4));
    if (rng_chance(rng, 300))
        fprintf(out, "<maxResources>%lld%%</maxResources>", (long long)rng_between(rng, 10, 90));
    if (rng_chance(rng, 200))
        fprintf(out, "<maxRunningApps>%lld</maxRunningApps>", (long long)rng_between(rng, 1, 3));
}

static void write_leaf(FILE *out, struct rng *rng, const char *name)
{
    static const char *const policies[] = { "fair", "drf", "fifo" };

    open_queue(out, rng, name, policies[rng_below(rng, COUNT(policies))]);
    fprintf(out, "<maxAMShare>%s</maxAMShare></queue>", rng_chance(rng, 300) ? "0.1" : "0.5");
}

static void write_queues(FILE *out, struct rng *rng)
{
    fputs("<allocations><queue name=\"root\"><schedulingPolicy>drf</schedulingPolicy>", out);
    write_leaf(out, rng, "a");
    open_queue(out, rng, "b", "drf");
    write_leaf(out, rng, "b1");
    write_leaf(out, rng, "b2");
    fputs("</queue>", out);
    open_queue(out, rng, "c", "drf");
    open_queue(out, rng, "c1", "drf");
    write_leaf(out, rng, "x");
    fputs("</queue>", out);
    write_leaf(out, rng, "c2");
    fputs("</queue></queue></allocations>", out);
}

/* Fills a configuration with the same queues as for capacity, without labels and refreshes. */
static int fill_fair(struct storm_config *config, struct rng *rng, struct sched_config *ret, struct err *err)
{
    struct writer writer = { .conf = conf_new_defaults(), .rng = rng, .err = err };
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int r;

    mem_grow(config->confs, config->count, config->capacity);
    config->confs[config->count++] = writer.conf;
    put(&writer, "yarn.scheduler.minimum-allocation-mb", "256");
    put(&writer, "yarn.scheduler.increment-allocation-mb", "256");
    put(&writer, "yarn.scheduler.fair.locality.threshold.node", "%s", rng_chance(rng, 500) ? "0.5" : "-1");
    put(&writer, "yarn.scheduler.fair.locality.threshold.rack", "%s", rng_chance(rng, 500) ? "0.5" : "-1");
    put(&writer, "yarn.scheduler.fair.assignmultiple", "%s", boolean(rng, 500));
    if (config->third)
        put(&writer, "yarn.resource-types", "disk");
    write_queues(out, rng);
    fclose(out);
    r = writer.r < 0
            ? writer.r
            : fair_config_load(writer.conf, "fair-scheduler.xml", text, size, NULL, NULL, &ret->fair, err);
    free(text);
    if (r < 0)
        return r;
    fair_config_set_sizes(ret);
    ret->calculator = SCHED_EVERY_TYPE;
    return 0;
}

int storm_config_fill(struct storm_config *config, const char *scheduler, struct rng *rng,
                      struct sched_config *ret, struct err *err)
{
    if (!config->chosen) {
        config->on_demand = rng_chance(rng, 500);
        config->dominant = rng_chance(rng, 500) || config->scarce;
        config->third = config->dominant && rng_chance(rng, 500);
    }
    config->chosen = true;
    *ret = (struct sched_config){
        .policy = scheduler,
        .calculator = config->dominant ? SCHED_EVERY_TYPE : SCHED_MEMORY_ONLY,
        .minimum = resource_of(256, 1),
        .step = resource_of(256, 1),
        .types = config->third ? 3 : 2,
        .maximum = resource_of(8192, 4),
        .am_permille = 500,
        .assign_on_demand = config->on_demand,
    };
    ret->maximum.value[2] = config->third ? STORM_THIRD_MAX : 0;
    if (text_equal(scheduler, "fair"))
        return fill_fair(config, rng, ret, err);
    return text_equal(scheduler, "capacity") ? fill_capacity(config, rng, ret, err) : 0;
}

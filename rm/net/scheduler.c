/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.c - from the configuration to what the scheduler core begins, or goes on, with */
#include "rm/net/scheduler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/resource_types.h"
#include "rm/net/scheduler_fair.h"
#include "rm/sched/capacity/placement/access.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/capacity/placement/placement.h"
#include "rm/sched/fair/config.h"
#include "rm/sched/preempt/preempt.h"

#define RULES_BYTES_MAX ((off_t)16 << 20)

struct building {
    const struct conf *conf;
    scheduler_warn_fn *warn;
    void *context;
    struct sched_config *config;
};

/* What the key table leaves open and the scheduler core does not take: nothing as a minimum, which
 * the fair scheduler alone has, and a container that is no container. */
static int judge_limits(const struct conf *conf, bool zero_minimum, struct err *err)
{
    const struct {
        enum conf_key key;
        int64_t least, most;
    } limits[] = {
        { CONF_MIN_ALLOCATION_MB, zero_minimum ? 0 : 1, SCHED_AMOUNT_MAX },
        { CONF_MIN_ALLOCATION_VCORES, zero_minimum ? 0 : 1, SCHED_AMOUNT_MAX },
        { CONF_MAX_ALLOCATION_MB, 1, SCHED_AMOUNT_MAX },
        { CONF_MAX_ALLOCATION_VCORES, 1, SCHED_AMOUNT_MAX },
    };
    char origin[CONF_ORIGIN_MAX];

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        const char *name = conf_key_info(limits[i].key)->name;
        long long value = conf_int(conf, limits[i].key);

        if (value < limits[i].least || value > limits[i].most)
            return err_set(err, EINVAL, "%s: %s: \"%lld\": expected a number from %lld to %lld%s",
                           conf_origin(conf, name, origin, sizeof(origin)), name, value,
                           (long long)limits[i].least, (long long)limits[i].most,
                           value == 0 ? " (only the fair scheduler takes 0)" : "");
    }
    return 0;
}

/* --- fifo ------------------------------------------------------------------ */

static int build_fifo(struct building *building, struct err *err)
{
    const struct conf *conf = building->conf;
    struct sched_config *config = building->config;
    const struct resource_types *names = config->names;
    struct resource minimum = resource_of(conf_int(conf, CONF_MIN_ALLOCATION_MB),
                                          conf_int(conf, CONF_MIN_ALLOCATION_VCORES));
    struct resource maximum = resource_of(conf_int(conf, CONF_MAX_ALLOCATION_MB),
                                          conf_int(conf, CONF_MAX_ALLOCATION_VCORES));
    int r = judge_limits(conf, false, err);

    if (r == 0)
        r = resource_types_load_limits(conf, names, &minimum, &maximum, err);
    if (r < 0)
        return r;
    *config = sched_config_fifo(minimum, maximum, true);
    config->names = names;
    config->types = (int)names->count;
    return 0;
}

/* --- capacity -------------------------------------------------------------- */

static int read_all(int fd, const char *path, size_t size, char *text, struct err *err)
{
    size_t got = 0;

    while (got < size) {
        ssize_t one = read(fd, text + got, size - got);

        if (one < 0 && errno == EINTR)
            continue;
        if (one < 0)
            return err_set_errno(err, errno, "%s: cannot be read", path);
        if (one == 0)
            break;
        got += (size_t)one;
    }
    text[got] = '\0';
    return 0;
}

static int read_rules(const char *path, char **ret, struct err *err)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    scoped_free char *text = NULL;
    struct stat info;
    int r;

    if (fd < 0 || fstat(fd, &info) < 0) {
        r = errno;
        err_set_errno(err, r, "%s: the mapping rules cannot be read "
                      "(yarn.scheduler.capacity.mapping-rule-json-file)", path);
        return -EINVAL;
    }
    if (!S_ISREG(info.st_mode) || info.st_size > RULES_BYTES_MAX)
        return err_set(err, EINVAL, "%s: expected a file of mapping rules, at most %lld MiB "
                       "(yarn.scheduler.capacity.mapping-rule-json-file)", path,
                       (long long)(RULES_BYTES_MAX >> 20));
    text = mem_alloc((size_t)info.st_size + 1);
    r = read_all(fd, path, (size_t)info.st_size, text, err);
    if (r < 0)
        return -EINVAL;
    *ret = text;
    text = NULL;
    return 0;
}

static int build_placement(struct building *building, struct err *err)
{
    struct sched_config *config = building->config;
    const char *path = capacity_placement_file(building->conf);
    scoped_free char *text = NULL;
    int r = path ? read_rules(path, &text, err) : 0;

    if (r < 0)
        return r;
    return capacity_placement_load(building->conf, text, config->capacity, building->warn,
                                   building->context, &config->placement, err);
}

static int build_preemption(struct building *building, struct err *err)
{
    struct preempt_settings *settings = mem_new0(struct preempt_settings);
    int r = preempt_settings_read(building->conf, building->config->types, settings, err);

    if (r < 0 || !settings->enabled) {
        free(settings);
        return r;
    }
    building->config->preemption = settings;
    return 0;
}

/* As YARN: who counts memory alone must not be thought to count the others. */
static int judge_calculator(const struct building *building, const struct capacity_config *capacity,
                            struct err *err)
{
    const char *name = conf_key_info(CONF_RESOURCE_TYPES)->name;
    char origin[CONF_ORIGIN_MAX];

    if (capacity->dominant || capacity->types.count <= RESOURCE_VCORES + 1)
        return 0;
    return err_set(err, EINVAL, "%s: %s: \"%s\": the calculator counts memory alone; put "
                   "<name>yarn.scheduler.capacity.resource-calculator</name>"
                   "<value>DominantResourceCalculator</value> into capacity-scheduler.xml",
                   conf_origin(building->conf, name, origin, sizeof(origin)), name,
                   conf_text(building->conf, CONF_RESOURCE_TYPES));
}

static int build_capacity(struct building *building, struct err *err)
{
    struct sched_config *config = building->config;
    struct capacity_config *capacity = NULL;
    int r = capacity_config_load(building->conf, building->warn, building->context, &capacity,
                                 err);

    if (r < 0)
        return r;
    config->strategy = "capacity";
    config->capacity = capacity;
    if ((r = judge_limits(building->conf, false, err)) < 0 ||
        (r = judge_calculator(building, capacity, err)) < 0)
        return r;
    config->calculator = capacity->dominant ? SCHED_EVERY_TYPE : SCHED_MEMORY_ONLY;
    config->minimum = capacity->minimum_allocation;
    config->step = capacity->minimum_allocation;
    config->maximum = capacity->maximum_allocation;
    config->assign_on_demand = true;
    config->access = capacity_access_new(building->conf);
    if (building->warn)
        capacity_access_check_lists(config->access, capacity, building->warn, building->context);
    r = build_placement(building, err);
    return r < 0 ? r : build_preemption(building, err);
}

/* --- fair ------------------------------------------------------------------ */

static int build_fair(struct building *building, struct err *err)
{
    return scheduler_fair_build(building->conf, building->warn, building->context,
                                building->config, err);
}

/* --- either ---------------------------------------------------------------- */

/* What all of them count. */
static int build_types(struct building *building, struct err *err)
{
    struct resource_types *types = mem_new0(struct resource_types);

    building->config->names = types;
    if (resource_types_load(building->conf, types, err) < 0)
        return -EINVAL;
    building->config->types = (int)types->count;
    return 0;
}

/* Which schedulers are built, by the last component of their class. */
static const struct {
    const char *class_name;
    int (*build)(struct building *building, struct err *err);
} schedulers[] = {
    { "CapacityScheduler", build_capacity },
    { "FairScheduler", build_fair },
    { "FifoScheduler", build_fifo },
};

int scheduler_config_build_warning(const struct conf *conf, scheduler_warn_fn *warn, void *context,
                                   struct sched_config *ret, struct err *err)
{
    const char *name = conf_key_info(CONF_SCHEDULER_CLASS)->name;
    const char *value = conf_text(conf, CONF_SCHEDULER_CLASS);
    const char *dot = strrchr(value, '.');
    struct building building = { conf, warn, context, ret };
    char origin[CONF_ORIGIN_MAX];

    *ret = (struct sched_config){ .strategy = NULL };
    if (build_types(&building, err) < 0) {
        scheduler_config_free(ret);
        return -EINVAL;
    }
    for (size_t i = 0; i < sizeof(schedulers) / sizeof(schedulers[0]); i++) {
        int r;

        if (!text_equal(dot ? dot + 1 : value, schedulers[i].class_name))
            continue;
        r = schedulers[i].build(&building, err);
        if (r < 0)
            scheduler_config_free(ret);
        return r;
    }
    scheduler_config_free(ret);
    return err_set(err, EINVAL,
                   "%s: %s: \"%s\": there is CapacityScheduler, FairScheduler and FifoScheduler: put "
                   "<name>%s</name><value>CapacityScheduler</value> into creel-site.xml, which wins "
                   "over yarn-site.xml",
                   conf_origin(conf, name, origin, sizeof(origin)), name, value, name);
}

int scheduler_config_build(const struct conf *conf, struct sched_config *ret, struct err *err)
{
    return scheduler_config_build_warning(conf, NULL, NULL, ret, err);
}

void scheduler_config_taken(struct sched_config *config)
{
    free((void *)(uintptr_t)config->preemption);
    free((void *)(uintptr_t)config->names);
    *config = (struct sched_config){ .strategy = NULL };
}

void scheduler_config_free(struct sched_config *config)
{
    capacity_access_free(config->access);
    capacity_placement_free(config->placement);
    capacity_config_free(config->capacity);
    fair_config_free(config->fair);
    scheduler_config_taken(config);
}

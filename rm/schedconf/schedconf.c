/* SPDX-License-Identifier: Apache-2.0 */
/* schedconf.c - chooses the scheduler by its class, and builds its configuration */
#include "rm/schedconf/schedconf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/resource_types.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/capacity/placement/access.h"
#include "rm/sched/capacity/placement/placement.h"
#include "rm/sched/fair/config.h"
#include "rm/sched/policy.h"
#include "rm/schedconf/schedconf_private.h"

/* Builds the configuration of a policy without settings of its own: only the limits of one container. */
static int build_plain(struct schedconf_build *build, struct err *err)
{
    const struct conf *conf = build->conf;
    struct sched_config *config = build->config;
    const struct resource_types *names = config->names;
    struct resource minimum =
        resource_of(conf_int(conf, CONF_MIN_ALLOCATION_MB), conf_int(conf, CONF_MIN_ALLOCATION_VCORES));
    struct resource maximum =
        resource_of(conf_int(conf, CONF_MAX_ALLOCATION_MB), conf_int(conf, CONF_MAX_ALLOCATION_VCORES));
    int r = schedconf_check_limits(conf, false, err);

    if (r == 0)
        r = resource_types_load_limits(conf, names, &minimum, &maximum, err);
    if (r < 0)
        return r;
    *config = sched_config_fifo(minimum, maximum, true);
    config->names = names;
    config->types = (int)names->count;
    return 0;
}

static int load_types(struct schedconf_build *build, struct err *err)
{
    struct resource_types *types = mem_new0(struct resource_types);

    build->config->names = types;
    if (resource_types_load(build->conf, types, err) < 0)
        return -EINVAL;
    build->config->types = (int)types->count;
    return 0;
}

/* The schedulers by the last component of YARN's class name. To add a custom policy, add a row
 * (docs/policy.md):
 *     { "PriorityScheduler", build_plain, &sched_priority },
 */
static const struct {
    const char *class_name;
    int (*build)(struct schedconf_build *build, struct err *err);
    const struct sched_policy *custom; /* NULL: BUILD sets the policy */
} schedulers[] = {
    { "CapacityScheduler", schedconf_build_capacity, NULL },
    { "FairScheduler", schedconf_build_fair, NULL },
    { "FifoScheduler", build_plain, NULL },
};

static int build_row(struct schedconf_build *build, size_t row, struct err *err)
{
    int r = schedulers[row].build(build, err);

    if (r == 0 && schedulers[row].custom) {
        build->config->custom = schedulers[row].custom;
        build->config->policy = schedulers[row].custom->name;
    }
    return r;
}

static int build_scheduler(struct schedconf_build *build, struct err *err)
{
    const char *name = conf_key_info(CONF_SCHEDULER_CLASS)->name;
    const char *value = conf_text(build->conf, CONF_SCHEDULER_CLASS);
    const char *dot = strrchr(value, '.');
    char origin[CONF_ORIGIN_MAX];

    for (size_t i = 0; i < sizeof(schedulers) / sizeof(schedulers[0]); i++)
        if (text_equal(dot ? dot + 1 : value, schedulers[i].class_name))
            return build_row(build, i, err);
    return err_set(err, EINVAL,
                   "%s: %s: \"%s\": there is CapacityScheduler, FairScheduler and FifoScheduler: put "
                   "<name>%s</name><value>CapacityScheduler</value> into creel-site.xml, which wins "
                   "over yarn-site.xml",
                   conf_origin(build->conf, name, origin, sizeof(origin)), name, value, name);
}

int schedconf_build(const struct conf *conf, conf_warn_fn *warn, void *context, struct sched_config *ret,
                    struct err *err)
{
    struct schedconf_build build = { conf, warn, context, ret };
    int r;

    *ret = (struct sched_config){ .policy = NULL };
    r = load_types(&build, err);
    if (r == 0)
        r = build_scheduler(&build, err);
    ret->size_wait_ms = conf_ms(conf, CONF_SCHEDULING_WAIT);
    if (r < 0)
        schedconf_free(ret);
    return r;
}

void schedconf_taken(struct sched_config *config)
{
    free((void *)(uintptr_t)config->preemption);
    free((void *)(uintptr_t)config->names);
    *config = (struct sched_config){ .policy = NULL };
}

void schedconf_free(struct sched_config *config)
{
    capacity_access_free(config->access);
    capacity_placement_free(config->placement);
    capacity_config_free(config->capacity);
    fair_config_free(config->fair);
    schedconf_taken(config);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* schedconf_capacity.c - builds the capacity scheduler's configuration */
#include "rm/schedconf/schedconf_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/conf/file_text.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/capacity/config/key_table.h"
#include "rm/sched/capacity/placement/access.h"
#include "rm/sched/capacity/placement/placement.h"
#include "rm/sched/preempt/preempt.h"

#define RULES_BYTES_MAX ((size_t)16 << 20)

/* Refuses further resource types with the memory-only calculator, as YARN does: these types would have no
 * effect. */
static int check_calculator(const struct conf *conf, const struct capacity_config *capacity, struct err *err)
{
    const char *name = conf_key_info(CONF_RESOURCE_TYPES)->name;
    char origin[CONF_ORIGIN_MAX];

    if (capacity->dominant || capacity->types.count <= RESOURCE_VCORES + 1)
        return 0;
    return err_set(err, EINVAL,
                   "%s: %s: \"%s\": the calculator counts memory alone; put "
                   "<name>yarn.scheduler.capacity.resource-calculator</name>"
                   "<value>DominantResourceCalculator</value> into capacity-scheduler.xml",
                   conf_origin(conf, name, origin, sizeof(origin)), name,
                   conf_text(conf, CONF_RESOURCE_TYPES));
}

static void build_access(struct schedconf_build *build)
{
    struct sched_config *config = build->config;

    config->access = capacity_access_new(build->conf);
    if (build->warn)
        capacity_access_check_lists(config->access, config->capacity, build->warn, build->context);
}

const char *schedconf_rules_path(const struct conf *conf)
{
    return capacity_placement_file(conf);
}

static int build_placement(struct schedconf_build *build, struct err *err)
{
    struct sched_config *config = build->config;
    const char *path = capacity_placement_file(build->conf);
    scoped_free char *text = NULL;
    struct err why = { .code = 0 };
    size_t size;

    if (path && file_text_read(path, RULES_BYTES_MAX, &text, &size, &why) < 0)
        return err_set(err, EINVAL, "%s (mapping rules, yarn.scheduler.capacity.mapping-rule-json-file)",
                       why.text);
    return capacity_placement_load(build->conf, text, config->capacity, build->warn, build->context,
                                   &config->placement, err);
}

static int build_preemption(struct schedconf_build *build, struct err *err)
{
    struct preempt_settings *settings = mem_new0(struct preempt_settings);
    int r = preempt_settings_read(build->conf, build->config->types, settings, err);

    if (r < 0 || !settings->enabled) {
        free(settings);
        return r;
    }
    build->config->preemption = settings;
    return 0;
}

int schedconf_build_capacity(struct schedconf_build *build, struct err *err)
{
    struct sched_config *config = build->config;
    struct capacity_config *capacity = NULL;
    int r = capacity_config_load(build->conf, build->warn, build->context, &capacity, err);

    if (r < 0)
        return r;
    config->policy = "capacity";
    config->capacity = capacity;
    if ((r = schedconf_check_limits(build->conf, false, err)) < 0 ||
        (r = check_calculator(build->conf, capacity, err)) < 0)
        return r;
    config->calculator = capacity->dominant ? SCHED_EVERY_TYPE : SCHED_MEMORY_ONLY;
    config->minimum = capacity->minimum_allocation;
    config->step = capacity->minimum_allocation;
    config->maximum = capacity->maximum_allocation;
    config->assign_on_demand = true;
    build_access(build);
    r = build_placement(build, err);
    return r < 0 ? r : build_preemption(build, err);
}

const char *schedconf_key_of_other_queue(const char *key)
{
    const char *rest = capacity_key_behind_templates(key);

    if (capacity_key_find(rest, true, NULL) != NULL || strchr(rest, '*') != NULL)
        return NULL;
    for (const char *dot = strchr(rest, '.'); dot != NULL; dot = strchr(dot + 1, '.'))
        if (capacity_key_find(capacity_key_behind_templates(dot + 1), true, NULL) != NULL)
            return dot + 1;
    return NULL;
}

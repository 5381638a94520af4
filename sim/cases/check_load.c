/* SPDX-License-Identifier: Apache-2.0 */
/* check_load.c - converts the settings of a case to a scheduler configuration */
#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/placement/access.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/capacity/placement/placement.h"
#include "rm/sched/fair/config.h"
#include "rm/sched/preempt/preempt.h"
#include "sim/cases/check_sched.h"

/* Creates a configuration from the case's site and MORE; the stage owns it. */
static int new_conf(struct stage *stage, const struct case_properties *more, struct conf **ret,
                    struct err *err)
{
    const struct case_properties *lists[] = { &stage->test->script.site, more };
    struct conf *conf = conf_new_defaults();
    int r;

    mem_grow(stage->confs, stage->conf_count, stage->conf_capacity);
    stage->confs[stage->conf_count++] = conf;
    /* Nodes had time to register before the case began. The site of the case may override this key. */
    if (!stage_is_young(&stage->test->script) &&
        (r = conf_set(conf, conf_key_info(CONF_SCHEDULING_WAIT)->name, "0", err)) < 0)
        return r;
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < lists[l]->count; i++)
            if ((r = conf_set(conf, lists[l]->items[i].name, lists[l]->items[i].value, err)) < 0)
                return r;
    *ret = conf;
    return conf_verify(conf, err);
}

/* Checks that the core and the case use the same index for each type. */
static int check_types(const struct stage *stage, const struct resource_types *types, struct err *err)
{
    const struct test_case *test = stage->test;

    for (int t = 0; t < test->type_count; t++)
        if (t >= (int)types->count || strcmp(test->types[t], types->type[t].name) != 0)
            return err_set(err, EINVAL, "the case names resource %s, yarn.resource-types does not",
                           test->types[t]);
    return 0;
}

/* Parts of a capacity scheduler's configuration, which load_parts fills. */
struct parts {
    struct capacity_config *config;
    struct capacity_placement *placement;
    struct capacity_access *access;
    struct preempt_settings preemption;
};

static void free_parts(struct parts *parts)
{
    capacity_placement_free(parts->placement);
    capacity_access_free(parts->access);
    capacity_config_free(parts->config);
}

static int load_parts(struct stage *stage, const struct conf *conf, struct parts *parts, struct err *err)
{
    int r;

    *parts = (struct parts){ .config = NULL };
    if ((r = capacity_config_load(conf, NULL, NULL, &parts->config, err)) < 0)
        return r;
    if ((r = check_types(stage, &parts->config->types, err)) < 0 ||
        (r = capacity_placement_load(conf, NULL, parts->config, NULL, NULL, &parts->placement, err)) < 0 ||
        (r = preempt_settings_read(conf, (int)parts->config->types.count, &parts->preemption, err)) < 0) {
        free_parts(parts);
        return r;
    }
    parts->access = capacity_access_new(conf);
    /* The script itself starts preemption rounds. */
    parts->preemption.enabled = true;
    return 0;
}

static void capacity_settings(const struct parts *parts, struct sched_config *ret)
{
    *ret = (struct sched_config){
        .policy = "capacity",
        .calculator = parts->config->dominant ? SCHED_EVERY_TYPE : SCHED_MEMORY_ONLY,
        .types = (int)parts->config->types.count,
        .names = &parts->config->types,
        .minimum = parts->config->minimum_allocation,
        .step = parts->config->minimum_allocation,
        .maximum = parts->config->maximum_allocation,
        .capacity = parts->config,
        .placement = parts->placement,
        .access = parts->access,
        .preemption = &parts->preemption,
    };
}

static int apply(struct stage *stage, const struct conf *conf, struct sched_config *config, struct err *err)
{
    config->size_wait_ms = conf_ms(conf, CONF_SCHEDULING_WAIT);
    if (stage->sched == NULL)
        return sched_new(config, &stage->sched, err);
    return sched_refresh(stage->sched, config, &stage->decisions, err);
}

static int apply_fair(struct stage *stage, const struct conf *conf, const char *allocations, struct err *err)
{
    struct sched_config config = { .policy = "fair", .calculator = SCHED_EVERY_TYPE };
    int r;

    if ((r = fair_config_load(conf, "fair-scheduler.xml", allocations,
                              allocations != NULL ? strlen(allocations) : 0, NULL, NULL, &config.fair, err)) <
        0)
        return r;
    fair_config_set_sizes(&config);
    config.names = &config.fair->types;
    if ((r = check_types(stage, &config.fair->types, err)) < 0 || (r = apply(stage, conf, &config, err)) < 0)
        fair_config_free(config.fair);
    return r;
}

/* Sets *RET to the settings of a scheduler other than capacity and fair. */
static void plain_settings(const struct stage *stage, const struct conf *conf, struct sched_config *ret)
{
    *ret = (struct sched_config){
        .policy = stage->test->script.scheduler,
        .calculator = SCHED_MEMORY_ONLY,
        .types = stage->test->type_count,
        .minimum =
            resource_of(conf_int(conf, CONF_MIN_ALLOCATION_MB), conf_int(conf, CONF_MIN_ALLOCATION_VCORES)),
        .maximum =
            resource_of(conf_int(conf, CONF_MAX_ALLOCATION_MB), conf_int(conf, CONF_MAX_ALLOCATION_VCORES)),
    };
    ret->step = ret->minimum;
}

/* Creates the core with these settings, or applies them to the existing core. ALLOCATIONS is the text of
 * fair-scheduler.xml; NULL: no file. */
static int apply_conf(struct stage *stage, const struct case_properties *properties, const char *allocations,
                      struct err *err)
{
    struct sched_config config;
    struct conf *conf = NULL;
    struct parts parts;
    int r;

    if ((r = new_conf(stage, properties, &conf, err)) < 0)
        return r;
    if (text_equal(stage->test->script.scheduler, "fair"))
        return apply_fair(stage, conf, allocations, err);
    if (!text_equal(stage->test->script.scheduler, "capacity")) {
        plain_settings(stage, conf, &config);
        return apply(stage, conf, &config, err);
    }
    if ((r = load_parts(stage, conf, &parts, err)) < 0)
        return r;
    capacity_settings(&parts, &config);
    if ((r = apply(stage, conf, &config, err)) < 0)
        free_parts(&parts);
    return r;
}

int stage_load(struct stage *stage, struct err *err)
{
    const struct case_script *script = &stage->test->script;
    int r;

    if ((r = groups_parse(check_property(&script->site, GROUPS_KEY), &stage->groups, err)) < 0)
        return r;
    return apply_conf(stage, &script->capacity, script->fair, err);
}

int stage_refresh(struct stage *stage, const struct case_step *step, struct err *err)
{
    return apply_conf(stage, &step->capacity, step->fair, err);
}

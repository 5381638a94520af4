/* SPDX-License-Identifier: Apache-2.0 */
/* config.c - reads the keys of yarn-site.xml for the fair scheduler (yarn-behaviour 8.1) */
#include "rm/sched/fair/config.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/problems.h"
#include "rm/sched/sched.h"

#define AM_PREEMPTION "yarn.scheduler.fair.am.preemption."
/* The maximum of types other than memory and vcores, if none is configured. */
#define MAXIMUM_OF_OTHERS ((int64_t)1 << 40)

struct reading {
    const struct conf *conf;
    struct fair_config *config;
    struct problems problems;
};

/* --- sizes of containers ---------------------------------------------------- */

static int64_t limit_of_type(struct reading *reading, size_t type, const char *which, int64_t usual)
{
    const struct resource_types *types = &reading->config->types;
    scoped_free char *key = mem_printf("yarn.resource-types.%s.%s", types->type[type].name, which);
    const char *text = conf_raw(reading->conf, key);
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];
    int64_t limit = usual;

    if (text && !resource_types_amount(types, (int)type, text, &limit))
        problem_error(&reading->problems, EINVAL,
                      "%s: %s: \"%s\": expected a whole number of at "
                      "least 0",
                      conf_origin(reading->conf, key, origin, sizeof(origin)), key,
                      problems_show(text, shown));
    return limit;
}

static void read_sizes(struct reading *reading)
{
    struct fair_config *config = reading->config;
    const struct conf *conf = reading->conf;

    config->minimum =
        resource_of(conf_int(conf, CONF_MIN_ALLOCATION_MB), conf_int(conf, CONF_MIN_ALLOCATION_VCORES));
    config->maximum =
        resource_of(conf_int(conf, CONF_MAX_ALLOCATION_MB), conf_int(conf, CONF_MAX_ALLOCATION_VCORES));
    config->increment = resource_of(conf_int(conf, CONF_INCREMENT_ALLOCATION_MB),
                                    conf_int(conf, CONF_INCREMENT_ALLOCATION_VCORES));
    for (size_t i = 2; i < config->types.count; i++) {
        config->minimum.value[i] = limit_of_type(reading, i, "minimum-allocation", 0);
        config->maximum.value[i] = limit_of_type(reading, i, "maximum-allocation", MAXIMUM_OF_OTHERS);
        config->increment.value[i] = limit_of_type(reading, i, "increment-allocation", 1);
    }
}

/* --- keys ------------------------------------------------------------------- */

static void read_preemption(const struct conf *conf, struct fair_config *config)
{
    config->preemption = conf_bool(conf, CONF_FAIR_PREEMPTION);
    config->preemption_threshold = (float)conf_float(conf, CONF_FAIR_PREEMPTION_THRESHOLD);
    config->wait_before_kill_ms = conf_int(conf, CONF_FAIR_WAIT_BEFORE_KILL);
    config->wait_before_check_ms = conf_int(conf, CONF_FAIR_WAIT_BEFORE_CHECK);
    config->am_preemption = conf_bool(conf, CONF_FAIR_AM_PREEMPTION);
}

static void read_assignment(const struct conf *conf, struct fair_config *config)
{
    config->size_based_weight = conf_bool(conf, CONF_FAIR_SIZE_BASED_WEIGHT);
    config->assign_multiple = conf_bool(conf, CONF_FAIR_ASSIGN_MULTIPLE);
    config->dynamic_max_assign = conf_bool(conf, CONF_FAIR_DYNAMIC_MAX_ASSIGN);
    config->max_assign = conf_int(conf, CONF_FAIR_MAX_ASSIGN);
    config->locality_node = conf_float(conf, CONF_FAIR_LOCALITY_NODE);
    config->locality_rack = conf_float(conf, CONF_FAIR_LOCALITY_RACK);
    config->delay_node_ms = conf_int(conf, CONF_FAIR_DELAY_NODE);
    config->delay_rack_ms = conf_int(conf, CONF_FAIR_DELAY_RACK);
    config->continuous = conf_bool(conf, CONF_FAIR_CONTINUOUS);
    config->continuous_sleep_ms = conf_int(conf, CONF_FAIR_CONTINUOUS_SLEEP);
    config->continuous_batch = conf_int(conf, CONF_FAIR_CONTINUOUS_BATCH);
    config->update_interval_ms = conf_int(conf, CONF_FAIR_UPDATE_INTERVAL);
    config->heartbeat_ms = conf_ms(conf, CONF_NM_HEARTBEAT_INTERVAL);
    config->reservable_nodes = (float)conf_float(conf, CONF_FAIR_RESERVABLE_NODES);
    config->reservation_multiple = conf_float(conf, CONF_FAIR_RESERVATION_MULTIPLE);
}

/* Reads one rule. A value that is neither true nor false means the default, which is the value for all
 * queues. */
static void read_am_rule(void *context, const char *name, const char *value, const char *origin)
{
    struct fair_config *config = context;
    size_t capacity = config->am_rule_count;
    bool yes;

    (void)origin;
    if (!text_has_prefix(name, AM_PREEMPTION))
        return;
    yes = strcasecmp(value, "true") == 0;
    if (!yes && strcasecmp(value, "false") != 0)
        return;
    config->am_rules = mem_resize(config->am_rules, capacity + 1, sizeof(*config->am_rules));
    config->am_rules[config->am_rule_count++] =
        (struct fair_am_rule){ mem_strdup(name + strlen(AM_PREEMPTION)), yes };
}

bool fair_config_may_preempt_am(const struct fair_config *config, const char *path)
{
    for (size_t i = 0; i < config->am_rule_count; i++)
        if (text_equal(config->am_rules[i].path, path))
            return config->am_rules[i].preempt;
    return config->am_preemption;
}

/* --- reading ---------------------------------------------------------------- */

void fair_config_set_sizes(struct sched_config *config)
{
    config->types = (int)config->fair->types.count;
    config->minimum = config->fair->minimum;
    config->step = config->fair->increment;
    config->maximum = config->fair->maximum;
}

void fair_config_free(struct fair_config *config)
{
    if (config == NULL)
        return;
    fair_allocations_free(config->allocations);
    fair_access_free(config->access);
    for (size_t i = 0; i < config->am_rule_count; i++)
        free(config->am_rules[i].path);
    free(config->am_rules);
    free(config);
}

static int load_allocations(struct reading *reading, const char *name, const char *text, size_t size,
                            struct err *err)
{
    const struct fair_options options = {
        .types = reading->config->types,
        .user_as_default_queue = conf_bool(reading->conf, CONF_FAIR_USER_AS_DEFAULT_QUEUE),
        .allow_undeclared_pools = conf_bool(reading->conf, CONF_FAIR_UNDECLARED_POOLS),
    };

    if (text == NULL) {
        reading->config->allocations = fair_allocations_none(&options);
        return 0;
    }
    return fair_allocations_load(name, text, size, &options, reading->problems.warn,
                                 reading->problems.context, &reading->config->allocations, err);
}

int fair_config_load(const struct conf *conf, const char *name, const char *text, size_t size,
                     conf_warn_fn *warn, void *context, struct fair_config **ret, struct err *err)
{
    struct fair_config *config = mem_new0(struct fair_config);
    struct reading reading = {
        .conf = conf,
        .config = config,
        .problems = { .warn = warn, .context = context },
    };
    struct err types_err = { .code = 0 };
    int r;

    if (resource_types_load(conf, &config->types, &types_err) < 0)
        problem_error(&reading.problems, EINVAL, "%s", types_err.text);
    read_sizes(&reading);
    read_preemption(conf, config);
    read_assignment(conf, config);
    conf_each(conf, read_am_rule, config);
    if ((r = problems_finish(&reading.problems, err)) < 0 ||
        (r = load_allocations(&reading, name, text, size, err)) < 0) {
        fair_config_free(config);
        return r;
    }
    config->access = fair_access_new(conf);
    *ret = config;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - reads the settings of the preemption policy */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "rm/sched/preempt/preempt.h"

/* Prefix of keys that belong to the scheduler and are in no key table. */
#define UNDERUTILIZED "yarn.scheduler.capacity.ordering-policy.priority-utilization.underutilized-preemption."

void preempt_settings_default(struct preempt_settings *ret)
{
    *ret = (struct preempt_settings){
        .calc = { .dominant = false, .types = 2 },
        .interval_ms = 3000,
        .wait_ms = 15000,
        .per_round = 0.1f,
        .ignored_over_capacity = 0.1,
        .termination_factor = 0.2,
        .balance_wait_ms = 300000,
        .intra_threshold = 0.5f,
        .intra_limit = 0.2f,
        .intra_conservative = true,
        .reserved_delay_ms = 60000,
    };
}

/* Returns true if LIST contains CLASS, the last component of a class name. */
static bool names_class(const char *list, const char *class)
{
    size_t length = strlen(class);

    for (const char *at = list; (at = strstr(at, class)) != NULL; at += length) {
        bool begins = at == list || strchr(". ,\t\n", at[-1]) != NULL;
        bool ends = at[length] == '\0' || strchr(" ,\t\n", at[length]) != NULL;

        if (begins && ends)
            return true;
    }
    return false;
}

static void read_known(const struct conf *conf, struct preempt_settings *settings)
{
    settings->enabled =
        conf_bool(conf, CONF_MONITOR_ENABLED) &&
        names_class(conf_text(conf, CONF_MONITOR_POLICIES), "ProportionalCapacityPreemptionPolicy");
    settings->observe_only = conf_bool(conf, CONF_PREEMPT_OBSERVE_ONLY);
    settings->interval_ms = conf_ms(conf, CONF_PREEMPT_INTERVAL);
    settings->wait_ms = conf_int(conf, CONF_PREEMPT_WAIT_MS);
    settings->per_round = (float)conf_float(conf, CONF_PREEMPT_PER_ROUND);
    settings->ignored_over_capacity = conf_float(conf, CONF_PREEMPT_IGNORED);
    settings->termination_factor = conf_float(conf, CONF_PREEMPT_TERMINATION);
    settings->conservative = conf_bool(conf, CONF_PREEMPT_CONSERVATIVE);
    settings->reserved = conf_bool(conf, CONF_PREEMPT_RESERVED);
    settings->reserved_balance = conf_bool(conf, CONF_PREEMPT_RESERVED_BALANCE);
    settings->balance = conf_bool(conf, CONF_PREEMPT_BALANCE);
    settings->balance_wait_ms = conf_int(conf, CONF_PREEMPT_BALANCE_WAIT_MS);
    settings->intra = conf_bool(conf, CONF_PREEMPT_INTRA);
    settings->intra_threshold = (float)conf_float(conf, CONF_PREEMPT_INTRA_THRESHOLD);
    settings->intra_limit = (float)conf_float(conf, CONF_PREEMPT_INTRA_LIMIT);
    settings->intra_priority_first =
        strcasecmp(conf_text(conf, CONF_PREEMPT_INTRA_ORDER), "priority_first") == 0;
    settings->intra_conservative = conf_bool(conf, CONF_PREEMPT_INTRA_CONSERVATIVE);
    settings->minimum =
        resource_of(conf_int(conf, CONF_MIN_ALLOCATION_MB), conf_int(conf, CONF_MIN_ALLOCATION_VCORES));
}

/* As in Hadoop, a value that is neither true nor false means the default, which is false. */
static bool is_true(const char *value)
{
    return value != NULL && strcasecmp(value, "true") == 0;
}

static int read_delay(const struct conf *conf, int64_t *ms, struct err *err)
{
    static const char name[] = UNDERUTILIZED "reserved-container-delay-ms";
    const char *value = conf_raw(conf, name);
    char origin[CONF_ORIGIN_MAX];
    int64_t delay_ms;

    if (value == NULL)
        return 0;
    if (!text_parse_duration_ms(value, 1, &delay_ms) || delay_ms < 0)
        return err_set(err, EINVAL, "%s: %s: \"%s\": expected a time in ms, 0 or more",
                       conf_origin(conf, name, origin, sizeof(origin)), name, value);
    *ms = delay_ms;
    return 0;
}

int preempt_settings_read(const struct conf *conf, int types, struct preempt_settings *ret, struct err *err)
{
    const char *calculator = conf_raw(conf, "yarn.scheduler.capacity.resource-calculator");
    struct preempt_settings settings;
    int r;

    preempt_settings_default(&settings);
    if ((r = read_delay(conf, &settings.reserved_delay_ms, err)) < 0)
        return r;
    read_known(conf, &settings);
    settings.underutilized = is_true(conf_raw(conf, UNDERUTILIZED "enabled"));
    settings.calc.types = types;
    settings.calc.dominant = calculator != NULL && names_class(calculator, "DominantResourceCalculator");
    *ret = settings;
    return 0;
}

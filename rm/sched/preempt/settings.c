/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - the keys of the preemption policy */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "rm/sched/preempt/preempt.h"

#define POLICY "yarn.resourcemanager.monitor.capacity.preemption."
#define INTRA POLICY "intra-queue-preemption."
#define BALANCE POLICY "preemption-to-balance-queue-after-satisfied."
#define UNDERUTILIZED \
    "yarn.scheduler.capacity.ordering-policy.priority-utilization.underutilized-preemption."

enum kind { SWITCH, SINGLE, DOUBLE, TIME };

struct key {
    const char *name;
    enum kind kind;
    size_t offset;              /* in struct preempt_settings */
};

#define KEY(name, kind, field) { name, kind, offsetof(struct preempt_settings, field) }

static const struct key keys[] = {
    KEY(POLICY "observe_only", SWITCH, observe_only),
    KEY(POLICY "monitoring_interval", TIME, interval_ms),
    KEY(POLICY "max_wait_before_kill", TIME, wait_ms),
    KEY(POLICY "total_preemption_per_round", SINGLE, per_round),
    KEY(POLICY "max_ignored_over_capacity", DOUBLE, ignored_over_capacity),
    KEY(POLICY "natural_termination_factor", DOUBLE, termination_factor),
    KEY(POLICY "conservative-drf", SWITCH, conservative),
    KEY(POLICY "select_based_on_reserved_containers", SWITCH, reserved),
    KEY(POLICY "additional_res_balance_based_on_reserved_containers", SWITCH, reserved_balance),
    KEY(BALANCE "enabled", SWITCH, balance),
    KEY(BALANCE "max-wait-before-kill", TIME, balance_wait_ms),
    KEY(INTRA "enabled", SWITCH, intra),
    KEY(INTRA "minimum-threshold", SINGLE, intra_threshold),
    KEY(INTRA "max-allowable-limit", SINGLE, intra_limit),
    KEY(INTRA "conservative-drf", SWITCH, intra_conservative),
    KEY(UNDERUTILIZED "enabled", SWITCH, underutilized),
    KEY(UNDERUTILIZED "reserved-container-delay-ms", TIME, reserved_delay_ms),
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

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

static int refuse(const struct conf *conf, const char *name, const char *value,
                  const char *expected, struct err *err)
{
    char origin[CONF_ORIGIN_MAX];

    return err_set(err, EINVAL, "%s: %s: \"%s\": expected %s",
                   conf_origin(conf, name, origin, sizeof(origin)), name, value, expected);
}

/* Hadoop: what is neither true nor false means the default. */
static void read_switch(const char *value, bool *field)
{
    if (strcasecmp(value, "true") == 0)
        *field = true;
    else if (strcasecmp(value, "false") == 0)
        *field = false;
}

static int read_time(const struct conf *conf, const struct key *key, const char *value,
                     int64_t *field, struct err *err)
{
    int64_t ms;

    if (!text_parse_duration_ms(value, 1, &ms) || ms < 0)
        return refuse(conf, key->name, value, "a time in ms, 0 or more", err);
    *field = ms;
    return 0;
}

static int read_number(const struct conf *conf, const struct key *key, const char *value,
                       double *ret, struct err *err)
{
    double number;

    if (!text_parse_double(value, &number) || number < 0)
        return refuse(conf, key->name, value, "a number, 0 or more", err);
    *ret = number;
    return 0;
}

static int read_key(const struct conf *conf, const struct key *key,
                    struct preempt_settings *settings, struct err *err)
{
    const char *value = conf_raw(conf, key->name);
    char *field = (char *)settings + key->offset;
    double number = 0;
    int r;

    if (value == NULL)
        return 0;
    switch (key->kind) {
    case SWITCH:
        read_switch(value, (bool *)(void *)field);
        return 0;
    case TIME:
        return read_time(conf, key, value, (int64_t *)(void *)field, err);
    case SINGLE:
    case DOUBLE:
        if ((r = read_number(conf, key, value, &number, err)) < 0)
            return r;
        if (key->kind == SINGLE)
            *(float *)(void *)field = (float)number;
        else
            *(double *)(void *)field = number;
        return 0;
    }
    return 0;
}

static int read_order(const struct conf *conf, bool *priority_first, struct err *err)
{
    static const char name[] = INTRA "preemption-order-policy";
    const char *value = conf_raw(conf, name);

    if (value == NULL)
        return 0;
    if (strcasecmp(value, "priority_first") != 0 && strcasecmp(value, "userlimit_first") != 0)
        return refuse(conf, name, value, "userlimit_first or priority_first", err);
    *priority_first = strcasecmp(value, "priority_first") == 0;
    return 0;
}

/* The last component of a class name, in a list of them. */
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

static bool is_enabled(const struct conf *conf)
{
    const char *on = conf_raw(conf, "yarn.resourcemanager.scheduler.monitor.enable");
    const char *policies = conf_raw(conf, "yarn.resourcemanager.scheduler.monitor.policies");

    if (on == NULL || strcasecmp(on, "true") != 0)
        return false;
    return policies == NULL || names_class(policies, "ProportionalCapacityPreemptionPolicy");
}

static int read_minimum(const struct conf *conf, const char *name, int64_t *field, struct err *err)
{
    const char *value = conf_raw(conf, name);

    if (value != NULL && (!text_parse_int64(value, field) || *field < 0))
        return refuse(conf, name, value, "a whole number, 0 or more", err);
    return 0;
}

int preempt_settings_read(const struct conf *conf, int types, struct preempt_settings *ret,
                          struct err *err)
{
    const char *calculator = conf_raw(conf, "yarn.scheduler.capacity.resource-calculator");
    struct preempt_settings settings;
    int r;

    preempt_settings_default(&settings);
    settings.calc.types = types;
    settings.calc.dominant =
        calculator != NULL && names_class(calculator, "DominantResourceCalculator");
    settings.minimum = resource_of(1024, 1);
    settings.enabled = is_enabled(conf);
    for (size_t i = 0; i < KEYS; i++)
        if ((r = read_key(conf, &keys[i], &settings, err)) < 0)
            return r;
    if ((r = read_order(conf, &settings.intra_priority_first, err)) < 0 ||
        (r = read_minimum(conf, "yarn.scheduler.minimum-allocation-mb",
                          &settings.minimum.value[RESOURCE_MEMORY_MB], err)) < 0 ||
        (r = read_minimum(conf, "yarn.scheduler.minimum-allocation-vcores",
                          &settings.minimum.value[RESOURCE_VCORES], err)) < 0)
        return r;
    *ret = settings;
    return 0;
}

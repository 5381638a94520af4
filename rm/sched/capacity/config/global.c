/* SPDX-License-Identifier: Apache-2.0 */
/* global.c - keys of the capacity scheduler that are of no queue */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"

/* Types beside memory and vcores may be as many as anybody has, unless said otherwise. */
#define MAXIMUM_OF_OTHERS ((int64_t)1 << 40)

static void read_limit_of_type(struct capacity_reading *reading, size_t type, const char *which,
                               int64_t usual, struct resource *limit)
{
    const struct resource_types *types = &reading->config->types;
    scoped_free char *key = mem_printf("yarn.resource-types.%s.%s", types->type[type].name, which);
    const char *text = conf_raw(reading->conf, key);
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];

    limit->value[type] = usual;
    if (text && !resource_types_amount(types, (int)type, text, &limit->value[type]))
        problem_error(&reading->problems, EINVAL, "%s: %s: \"%s\": expected a whole number of at "
                      "least 0", conf_origin(reading->conf, key, origin, sizeof(origin)), key,
                      problems_show(text, shown));
}

static void read_allocation(struct capacity_reading *reading)
{
    struct capacity_config *config = reading->config;
    const struct conf *conf = reading->conf;
    struct err err = { .code = 0 };

    if (resource_types_load(conf, &config->types, &err) < 0)
        problem_error(&reading->problems, EINVAL, "%s", err.text);
    config->minimum_allocation = resource_of(conf_int(conf, CONF_MIN_ALLOCATION_MB),
                                             conf_int(conf, CONF_MIN_ALLOCATION_VCORES));
    config->maximum_allocation = resource_of(conf_int(conf, CONF_MAX_ALLOCATION_MB),
                                             conf_int(conf, CONF_MAX_ALLOCATION_VCORES));
    for (size_t i = 2; i < config->types.count; i++) {
        read_limit_of_type(reading, i, "minimum-allocation", 0, &config->minimum_allocation);
        read_limit_of_type(reading, i, "maximum-allocation", MAXIMUM_OF_OTHERS,
                           &config->maximum_allocation);
    }
}

static void read_calculator(struct capacity_reading *reading)
{
    const char *class = capacity_get(reading, NULL, "resource-calculator");
    const char *dot = class ? strrchr(class, '.') : NULL;

    if (class == NULL)
        return;
    if (dot)
        class = dot + 1;
    if (text_equal(class, "DominantResourceCalculator"))
        reading->config->dominant = true;
    else if (!text_equal(class, "DefaultResourceCalculator"))
        capacity_problem(reading, "expected DefaultResourceCalculator or "
                         "DominantResourceCalculator, with or without the package before it");
}

/* creel.node-labels, for in YARN an administrator adds labels by a command. */
static void declare_label(struct capacity_reading *reading, char *word)
{
    static const char key[] = "creel.node-labels";
    struct capacity_config *config = reading->config;
    char *options = strchr(word, '(');
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];
    bool shared = false, good = true;
    int label;

    problems_show(word, shown);
    if (options) {
        *options++ = '\0';
        shared = text_equal(options, "exclusive=false)");
        good = shared || text_equal(options, "exclusive=true)");
    }
    word = text_trim(word);
    label = good && *word && strlen(word) <= CAPACITY_LABEL_NAME_MAX ?
            capacity_config_label_add(config, word) : -1;
    if (label > 0) {
        config->label_shared[label] = shared;
        config->label_declared[label] = true;
    } else {
        problem_error(&reading->problems, EINVAL, "%s: %s: \"%s\": expected at most %d of <label>, "
                      "<label>(exclusive=true) or <label>(exclusive=false)",
                      conf_origin(reading->conf, key, origin, sizeof(origin)), key, shown,
                      CAPACITY_LABELS_MAX - 1);
    }
}

static void declare_labels(struct capacity_reading *reading)
{
    scoped_free char *list = mem_strdup(conf_text(reading->conf, CONF_NODE_LABELS));
    char *rest = list, *word;

    reading->config->labels_enabled = conf_bool(reading->conf, CONF_NODE_LABELS_ENABLED);
    while ((word = capacity_next_word(&rest)) != NULL)
        declare_label(reading, word);
}

/* YARN (getOffSwitchPerHeartbeatLimit): a value below 1 counts as 1. */
static void read_offswitch_limit(struct capacity_reading *reading)
{
    int64_t *most = &reading->config->maximum_offswitch_assignments;

    *most = 1;
    if (capacity_get_int(reading, NULL, "per-node-heartbeat.maximum-offswitch-assignments",
                         INT32_MIN, INT32_MAX, most) && *most < 1) {
        capacity_warning(reading, "is below 1, so 1 is used");
        *most = 1;
    }
}

static void read_numbers(struct capacity_reading *reading)
{
    struct capacity_config *config = reading->config;
    const int64_t whole = INT32_MAX;

    config->maximum_applications = 10000;
    capacity_get_int(reading, NULL, "maximum-applications", 1, whole,
                     &config->maximum_applications);
    config->user_max_parallel_apps = INT64_MAX;
    capacity_get_int(reading, NULL, "user.max-parallel-apps", 0, whole,
                     &config->user_max_parallel_apps);
    config->node_locality_delay = 40;
    capacity_get_int(reading, NULL, "node-locality-delay", -1, whole,
                     &config->node_locality_delay);
    config->rack_locality_additional_delay = -1;
    capacity_get_int(reading, NULL, "rack-locality-additional-delay", -1, whole,
                     &config->rack_locality_additional_delay);
    config->maximum_container_assignments = 100;
    capacity_get_int(reading, NULL, "per-node-heartbeat.maximum-container-assignments", -1, whole,
                     &config->maximum_container_assignments);
    read_offswitch_limit(reading);
    config->maximum_app_priority = conf_int(reading->conf, CONF_MAX_APP_PRIORITY);
}

static void read_deal_interval(struct capacity_reading *reading)
{
    static const char key[] = "yarn.resourcemanager.monitor.capacity.queue-management."
                              "monitoring-interval";
    const char *text = conf_raw(reading->conf, key);
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];

    reading->config->deal_interval_ms = 1500;
    if (text && (!text_parse_duration_ms(text, 1, &reading->config->deal_interval_ms) ||
                 reading->config->deal_interval_ms < 1))
        problem_error(&reading->problems, EINVAL, "%s: %s: \"%s\": expected a time in ms, above 0",
                      conf_origin(reading->conf, key, origin, sizeof(origin)), key,
                      problems_show(text, shown));
}

static void read_expiration(struct capacity_reading *reading)
{
    const char *text = capacity_get(reading, NULL, "auto-queue-creation-v2.queue-expiration-time");

    reading->config->queue_expiration_ms = 300000;
    read_deal_interval(reading);
    if (text && (!text_parse_duration_ms(text, 1000, &reading->config->queue_expiration_ms) ||
                 reading->config->queue_expiration_ms < 0))
        capacity_problem(reading, "expected a duration (30s, 5m; bare: seconds)");
}

static void read_switches(struct capacity_reading *reading)
{
    struct capacity_config *config = reading->config;

    config->rack_locality_full_reset = true;
    config->reservations_continue_look = true;
    config->multiple_assignments = true;
    config->legacy_queue_mode = true;
    capacity_get_bool(reading, NULL, "rack-locality-full-reset", &config->rack_locality_full_reset);
    capacity_get_bool(reading, NULL, "reservations-continue-look-all-nodes",
                      &config->reservations_continue_look);
    capacity_get_bool(reading, NULL, "per-node-heartbeat.multiple-assignments-enabled",
                      &config->multiple_assignments);
    capacity_get_bool(reading, NULL, "legacy-queue-mode.enabled", &config->legacy_queue_mode);
    capacity_get_bool(reading, NULL, "lazy-preemption-enabled", &config->lazy_preemption);
}

void capacity_read_global(struct capacity_reading *reading)
{
    read_allocation(reading);
    read_calculator(reading);
    declare_labels(reading);
    read_numbers(reading);
    read_expiration(reading);
    read_switches(reading);
    capacity_read_workflows(reading);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* global.c - reads keys of the whole scheduler that are not plain numbers or booleans */
#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"

static void read_allocation(struct capacity_reading *reading)
{
    struct capacity_config *config = reading->config;
    const struct conf *conf = reading->conf;
    struct err err = { .code = 0 };

    config->minimum_allocation =
        resource_of(conf_int(conf, CONF_MIN_ALLOCATION_MB), conf_int(conf, CONF_MIN_ALLOCATION_VCORES));
    config->maximum_allocation =
        resource_of(conf_int(conf, CONF_MAX_ALLOCATION_MB), conf_int(conf, CONF_MAX_ALLOCATION_VCORES));
    if (resource_types_load(conf, &config->types, &err) < 0 ||
        resource_types_load_limits(conf, &config->types, &config->minimum_allocation,
                                   &config->maximum_allocation, &err) < 0)
        problem_error(&reading->problems, EINVAL, "%s", err.text);
}

void capacity_read_calculator(struct capacity_reading *reading, struct capacity_queue *queue,
                              const char *text)
{
    const char *dot = text ? strrchr(text, '.') : NULL, *class = dot ? dot + 1 : text;

    (void)queue;
    reading->config->dominant = text_equal(class, "DominantResourceCalculator");
    if (text && !reading->config->dominant && !text_equal(class, "DefaultResourceCalculator"))
        capacity_problem(reading, "expected DefaultResourceCalculator or "
                                  "DominantResourceCalculator, with or without the package before it");
}

/* As in YARN (getOffSwitchPerHeartbeatLimit), a value below 1 counts as 1. */
void capacity_read_offswitch(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    int64_t *most = &reading->config->maximum_offswitch_assignments;

    capacity_read_plain(reading, queue, text);
    if (*most < 1) {
        capacity_warning(reading, "is below 1, so 1 is used");
        *most = 1;
    }
}

void capacity_read_prefix(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    (void)queue;
    reading->config->workflow_prefix = mem_strdup(text ? text : "workflowid:");
}

/* Declares one label of creel.node-labels. (In YARN an administrator adds labels with a command.) */
static void declare_label(struct capacity_reading *reading, char *word)
{
    static const char key[] = "creel.node-labels";
    struct capacity_config *config = reading->config;
    char *options = strchr(word, '(');
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];
    bool shared = false, good = true, twice;
    int label;

    problems_show(word, shown);
    if (options) {
        *options++ = '\0';
        shared = text_equal(options, "exclusive=false)");
        good = shared || text_equal(options, "exclusive=true)");
    }
    word = text_trim(word);
    twice = capacity_config_label(config, word) > 0;
    label = good && !twice && text_is_label(word) ? capacity_config_label_add(config, word) : -1;
    if (twice) {
        problem_error(&reading->problems, EINVAL, "%s: %s: \"%s\": label %s is there twice: expected it once",
                      conf_origin(reading->conf, key, origin, sizeof(origin)), key, shown, word);
    } else if (label > 0) {
        config->label_shared[label] = shared;
        config->label_declared[label] = true;
    } else {
        problem_error(
            &reading->problems, EINVAL,
            "%s: %s: \"%s\": expected at most %d of <label>, "
            "<label>(exclusive=true) or <label>(exclusive=false), where a label has letters, digits, - "
            "and _, with a letter or digit first",
            conf_origin(reading->conf, key, origin, sizeof(origin)), key, shown, CAPACITY_LABELS_MAX - 1);
    }
}

static void declare_labels(struct capacity_reading *reading)
{
    scoped_free char *list = mem_strdup(conf_text(reading->conf, CONF_NODE_LABELS));
    char *rest = list, *word;

    reading->config->labels_enabled = conf_bool(reading->conf, CONF_NODE_LABELS_ENABLED);
    reading->config->masters_borrow = conf_bool(reading->conf, CONF_AM_NON_EXCLUSIVE);
    while ((word = text_next_word(&rest)) != NULL)
        declare_label(reading, word);
}

void capacity_read_cluster(struct capacity_reading *reading)
{
    read_allocation(reading);
    declare_labels(reading);
    reading->config->maximum_app_priority = conf_int(reading->conf, CONF_MAX_APP_PRIORITY);
}

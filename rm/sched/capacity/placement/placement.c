/* SPDX-License-Identifier: Apache-2.0 */
/* placement.c - the capacity scheduler's queue mappings: loads and checks the rules */
#include "rm/sched/capacity/placement/placement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/placement/state.h"
#include "rm/sched/capacity/placement/tree.h"

static const char *const variables[] = {
    "%user", "%primary_group", "%secondary_group", "%application", "%specified", PLACEMENT_DEFAULT_VARIABLE,
};

bool placement_is_variable(const char *component, size_t length)
{
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        if (strlen(variables[i]) == length && memcmp(component, variables[i], length) == 0)
            return true;
    return false;
}

static bool has_variable(const char *path)
{
    for (;;) {
        size_t length = strcspn(path, ".");

        if (placement_is_variable(path, length))
            return true;
        if (path[length] == '\0')
            return false;
        path += length + 1;
    }
}

/* --- reading the rules ----------------------------------------------------- */

static bool has_text(const struct conf *conf, const char *key)
{
    const char *value = conf_raw(conf, key);

    return value && *value != '\0';
}

static bool is_json(const struct conf *conf)
{
    return text_equal(conf_raw(conf, PLACEMENT_FORMAT), "json");
}

const char *capacity_placement_file(const struct conf *conf)
{
    if (!is_json(conf) || has_text(conf, PLACEMENT_JSON) || !has_text(conf, PLACEMENT_JSON_FILE))
        return NULL;
    return conf_raw(conf, PLACEMENT_JSON_FILE);
}

static void read_json(const struct conf *conf, const char *file_text, struct mapping_rules *rules,
                      struct problems *problems)
{
    char origin[CONF_ORIGIN_MAX];
    const char *file = capacity_placement_file(conf);
    struct mapping_source source = { .name = file, .is_file = true };

    if (has_text(conf, PLACEMENT_JSON)) {
        scoped_free char *name =
            mem_printf("%s: %s", conf_origin(conf, PLACEMENT_JSON, origin, sizeof(origin)), PLACEMENT_JSON);

        source = (struct mapping_source){ .name = name };
        mapping_rules_read_json(&source, conf_raw(conf, PLACEMENT_JSON), rules, problems);
    } else if (file) {
        mapping_rules_read_json(&source, file_text ? file_text : "", rules, problems);
    } else {
        problem_warn(problems, "%s: %s: \"json\", but neither %s nor %s has rules",
                     conf_origin(conf, PLACEMENT_FORMAT, origin, sizeof(origin)), PLACEMENT_FORMAT,
                     PLACEMENT_JSON, PLACEMENT_JSON_FILE);
    }
}

/* Warns about keys that are set but not used by the chosen format. */
static void warn_unused(const struct conf *conf, bool json, struct problems *problems)
{
    static const char *const keys[2][2] = {
        { PLACEMENT_JSON, PLACEMENT_JSON_FILE },
        { PLACEMENT_MAPPINGS, PLACEMENT_APP_MAPPINGS },
    };
    char origin[CONF_ORIGIN_MAX];

    for (int i = 0; i < 2; i++)
        if (has_text(conf, keys[json][i]))
            problem_warn(problems, "%s: %s: has no effect while %s is %s",
                         conf_origin(conf, keys[json][i], origin, sizeof(origin)), keys[json][i],
                         PLACEMENT_FORMAT, json ? "json" : "not json");
}

static void read_rules(const struct conf *conf, const char *file_text, struct mapping_rules *rules,
                       struct problems *problems)
{
    const char *format = conf_raw(conf, PLACEMENT_FORMAT);
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];

    if (is_json(conf)) {
        read_json(conf, file_text, rules, problems);
    } else if (!has_text(conf, PLACEMENT_FORMAT) || text_equal(format, "legacy")) {
        mapping_rules_read_legacy(conf, rules, problems);
    } else {
        problem_error(problems, EINVAL, "%s: %s: \"%s\": expected legacy or json",
                      conf_origin(conf, PLACEMENT_FORMAT, origin, sizeof(origin)), PLACEMENT_FORMAT,
                      problems_show(format, shown));
        return;
    }
    warn_unused(conf, is_json(conf), problems);
}

static bool read_override(const struct conf *conf, struct problems *problems)
{
    const char *value = conf_raw(conf, PLACEMENT_OVERRIDE);
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];

    if (value && *value != '\0' && strcasecmp(value, "true") != 0 && strcasecmp(value, "false") != 0)
        problem_warn(problems, "%s: %s: \"%s\" is neither true nor false: counts as false",
                     conf_origin(conf, PLACEMENT_OVERRIDE, origin, sizeof(origin)), PLACEMENT_OVERRIDE,
                     problems_show(value, shown));
    return value && strcasecmp(value, "true") == 0;
}

/* --- checking that rules can place anything -------------------------------- */

static int judge_path(const struct mapping_rule *rule, const struct capacity_config *config, struct err *err)
{
    scoped_free char *path = NULL;
    enum placement_target target;

    if (has_variable(rule->path))
        return placement_tree_judge_pattern(config, rule->path, placement_is_variable, err);
    return placement_tree_check(config, rule->path, &path, &target, err);
}

void mapping_rules_judge(const struct mapping_rules *rules, const struct capacity_config *config,
                         struct problems *problems)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct mapping_rule *rule = &rules->items[i];
        struct err err;

        if (rule->action == MAPPING_REJECT || judge_path(rule, config, &err) == 0)
            continue;
        /* An invalid default queue only matters if it is used: YARN loads such a rule, too. */
        if (rule->action == MAPPING_SET_DEFAULT)
            problem_warn(problems, "%s: %s", rule->where, err.text);
        else
            problem_error(problems, EINVAL, "%s: %s", rule->where, err.text);
    }
}

int capacity_placement_load(const struct conf *conf, const char *file_text,
                            const struct capacity_config *config, conf_warn_fn *warn, void *context,
                            struct capacity_placement **ret, struct err *err)
{
    struct capacity_placement *placement = mem_new0(struct capacity_placement);
    struct problems problems = { .warn = warn, .context = context };
    int r;

    placement->override = read_override(conf, &problems);
    read_rules(conf, file_text, &placement->rules, &problems);
    mapping_rules_judge(&placement->rules, config, &problems);
    if ((r = problems_finish(&problems, err)) < 0) {
        capacity_placement_free(placement);
        return r;
    }
    *ret = placement;
    return 0;
}

void capacity_placement_free(struct capacity_placement *placement)
{
    if (placement == NULL)
        return;
    mapping_rules_done(&placement->rules);
    free(placement);
}

size_t capacity_placement_rule_count(const struct capacity_placement *placement)
{
    return placement->rules.count;
}

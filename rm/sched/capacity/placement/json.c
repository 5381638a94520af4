/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - reads queue mappings in JSON: {"rules": [{"type": "user", ...}, ...]} */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/placement/rules.h"

#define RULES_MAX 100000

/* How the policies in JSON are converted to a rule. PATH is appended to parentQueue. */
struct policy {
    const char *name;
    enum mapping_action action;
    const char *path;   /* NULL: from the member below, or none */
    const char *member; /* a member that this policy requires, or NULL */
    bool takes_parent;
    bool never_creates;
};

static const struct policy policies[] = {
    { "specified", MAPPING_PLACE, "%specified", NULL, false, false },
    { "reject", MAPPING_REJECT, NULL, NULL, false, false },
    { "defaultQueue", MAPPING_PLACE, "%default", NULL, false, true },
    { "user", MAPPING_PLACE, "%user", NULL, true, false },
    { "primaryGroup", MAPPING_PLACE, "%primary_group", NULL, true, false },
    { "secondaryGroup", MAPPING_PLACE, "%secondary_group", NULL, true, false },
    { "primaryGroupUser", MAPPING_PLACE, "%primary_group.%user", NULL, true, false },
    { "secondaryGroupUser", MAPPING_PLACE, "%secondary_group.%user", NULL, true, false },
    { "applicationName", MAPPING_PLACE, "%application", NULL, true, false },
    { "setDefaultQueue", MAPPING_SET_DEFAULT, NULL, "value", false, false },
    { "custom", MAPPING_PLACE, NULL, "customPlacement", false, false },
};

static const char *const members[] = {
    "type", "matches", "policy", "parentQueue", "fallbackResult", "create", "value", "customPlacement",
};

/* A rule being read. */
struct reading {
    const struct mapping_source *source;
    struct problems *problems;
    json_t *json;  /* borrowed; an object */
    size_t number; /* from 1 */
    bool wrong;
};

#define SAY(reading, say, ...) \
    do { \
        scoped_free char *text_ = mem_printf(__VA_ARGS__); \
        say((reading), text_); \
    } while (0)

static void complain(struct reading *reading, const char *text)
{
    problem_error(reading->problems, EINVAL, "%s: rule %zu: %s", reading->source->name, reading->number,
                  text);
    reading->wrong = true;
}

static void remark(struct reading *reading, const char *text)
{
    problem_warn(reading->problems, "%s: rule %zu: %s", reading->source->name, reading->number, text);
}

/* Returns the text of MEMBER; NULL if it is missing, or not a string (which is reported). */
static const char *text_of(struct reading *reading, const char *member)
{
    const json_t *value = json_object_get(reading->json, member);

    if (value == NULL || json_is_null(value))
        return NULL;
    if (!json_is_string(value)) {
        SAY(reading, complain, "%s: expected text in quotes", member);
        return NULL;
    }
    return json_string_value(value);
}

static const char *required_of(struct reading *reading, const char *member)
{
    const json_t *value = json_object_get(reading->json, member);
    const char *text = text_of(reading, member);

    if (value == NULL || json_is_null(value))
        SAY(reading, complain, "%s is missing", member);
    else if (text && *text == '\0')
        SAY(reading, complain, "%s is empty", member);
    return text && *text ? text : NULL;
}

static bool read_create(struct reading *reading)
{
    const json_t *value = json_object_get(reading->json, "create");

    if (value == NULL || json_is_null(value))
        return true;
    if (json_is_boolean(value))
        return json_is_true(value);
    if (json_is_string(value) && text_equal(json_string_value(value), "true"))
        return true;
    if (!json_is_string(value) || !text_equal(json_string_value(value), "false"))
        complain(reading, "create: expected true or false");
    return false;
}

static enum mapping_fallback read_fallback(struct reading *reading)
{
    static const char *const names[] = {
        [MAPPING_SKIP] = "skip",
        [MAPPING_FALL_REJECT] = "reject",
        [MAPPING_PLACE_DEFAULT] = "placeDefault",
    };
    const char *text = text_of(reading, "fallbackResult");
    char shown[PROBLEMS_SHOWN_MAX];

    for (int f = MAPPING_SKIP; text && f <= MAPPING_PLACE_DEFAULT; f++)
        if (text_equal(text, names[f]))
            return (enum mapping_fallback)f;
    if (text)
        SAY(reading, complain, "fallbackResult: \"%s\": expected skip, reject or placeDefault",
            problems_show(text, shown));
    return MAPPING_SKIP;
}

/* Reads the members type and matches. */
static void read_concerns(struct reading *reading, struct mapping_rule *rule)
{
    const char *type = required_of(reading, "type"), *matches = required_of(reading, "matches");
    char shown[PROBLEMS_SHOWN_MAX];

    if (type == NULL || matches == NULL)
        return;
    if (text_equal(type, "user")) {
        rule->concerns = MAPPING_USER;
    } else if (text_equal(type, "group")) {
        rule->concerns = MAPPING_GROUP;
    } else if (text_equal(type, "application")) {
        rule->concerns = MAPPING_APPLICATION;
    } else {
        SAY(reading, complain, "type: \"%s\": expected user, group or application",
            problems_show(type, shown));
        return;
    }
    if (!text_equal(matches, "*")) {
        rule->matches = mem_strdup(matches);
        return;
    }
    if (rule->concerns == MAPPING_GROUP)
        complain(reading, "matches: \"*\" cannot be used for groups");
    /* Differs: "*" matches every application, as in YARN's documentation. In YARN's code, "*" only matches an
     * application with the name "*". */
    rule->concerns = MAPPING_EVERYBODY;
}

static const struct policy *read_policy(struct reading *reading)
{
    const char *name = required_of(reading, "policy");
    char shown[PROBLEMS_SHOWN_MAX];

    for (size_t i = 0; name && i < sizeof(policies) / sizeof(policies[0]); i++)
        if (text_equal(policies[i].name, name))
            return &policies[i];
    if (name)
        SAY(reading, complain,
            "policy: \"%s\": expected specified, reject, defaultQueue, user, "
            "primaryGroup, secondaryGroup, primaryGroupUser, secondaryGroupUser, applicationName, "
            "setDefaultQueue or custom",
            problems_show(name, shown));
    return NULL;
}

/* Builds the path of POLICY from parentQueue, value and customPlacement. */
static void read_path(struct reading *reading, const struct policy *policy, struct mapping_rule *rule)
{
    const char *parent = text_of(reading, "parentQueue");
    const char *value = text_of(reading, "value");
    const char *custom = text_of(reading, "customPlacement");
    const char *wanted = policy->member ? required_of(reading, policy->member) : NULL;

    if (parent && !policy->takes_parent)
        SAY(reading, remark, "parentQueue has no effect with policy %s", policy->name);
    if (value && policy->action != MAPPING_SET_DEFAULT)
        SAY(reading, remark, "value has no effect with policy %s", policy->name);
    if (custom && !text_equal(policy->name, "custom"))
        SAY(reading, remark, "customPlacement has no effect with policy %s", policy->name);

    if (policy->member)
        rule->path = wanted ? mem_strdup(wanted) : NULL;
    else if (policy->path && parent && policy->takes_parent)
        rule->path = mem_printf("%s.%s", parent, policy->path);
    else if (policy->path)
        rule->path = mem_strdup(policy->path);
}

static void remark_unknown(struct reading *reading)
{
    const char *name;
    json_t *value;
    char shown[PROBLEMS_SHOWN_MAX];

    json_object_foreach(reading->json, name, value)
    {
        bool known = false;

        for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
            known = known || text_equal(members[i], name);
        if (!known)
            SAY(reading, remark, "%s: not known, ignored", problems_show(name, shown));
    }
}

static void read_rule(struct reading *reading, struct mapping_rules *rules)
{
    struct mapping_rule rule = { .fallback = read_fallback(reading) };
    const struct policy *policy = read_policy(reading);
    char shown[PROBLEMS_SHOWN_MAX], path[PROBLEMS_SHOWN_MAX];
    const char *type, *matches;

    read_concerns(reading, &rule);
    rule.create = read_create(reading) && policy && !policy->never_creates;
    if (policy) {
        rule.action = policy->action;
        read_path(reading, policy, &rule);
    }
    remark_unknown(reading);
    if (reading->wrong) {
        free(rule.matches);
        free(rule.path);
        return;
    }
    type = json_string_value(json_object_get(reading->json, "type"));
    matches = json_string_value(json_object_get(reading->json, "matches"));
    rule.text = mem_printf("%s \"%s\", policy %s%s%s", type, problems_show(matches, shown), policy->name,
                           rule.path ? ", " : "", rule.path ? problems_show(rule.path, path) : "");
    rule.where = mem_printf("%s: rule %zu (%s)", reading->source->name, reading->number, rule.text);
    mapping_rules_add(rules, rule);
}

static void read_document(const struct mapping_source *source, const json_t *document,
                          struct mapping_rules *rules, struct problems *problems)
{
    const json_t *list = json_object_get(document, "rules");

    if (!json_is_object(document) || !json_is_array(list)) {
        problem_error(problems, EINVAL, "%s: expected {\"rules\": [ ... ]}", source->name);
        return;
    }
    if (json_array_size(list) > RULES_MAX) {
        problem_error(problems, EINVAL, "%s: more than %d rules", source->name, RULES_MAX);
        return;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct reading reading = {
            .source = source,
            .problems = problems,
            .json = json_array_get(list, i),
            .number = i + 1,
        };

        if (json_is_object(reading.json))
            read_rule(&reading, rules);
        else
            complain(&reading, "expected {\"type\": ..., \"matches\": ..., \"policy\": ...}");
    }
}

void mapping_rules_read_json(const struct mapping_source *source, const char *text,
                             struct mapping_rules *rules, struct problems *problems)
{
    json_error_t error;
    json_t *document = json_loadb(text, strlen(text), 0, &error);
    char shown[PROBLEMS_SHOWN_MAX];

    if (document) {
        read_document(source, document, rules, problems);
        json_decref(document);
        return;
    }
    problems_show(error.text, shown);
    if (source->is_file)
        problem_error(problems, EINVAL, "%s:%d:%d: not JSON: %s", source->name, error.line, error.column,
                      shown);
    else
        problem_error(problems, EINVAL, "%s: not JSON: line %d, column %d of the value: %s", source->name,
                      error.line, error.column, shown);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* legacy.c - reads queue mappings in the form of comma-separated lists */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/placement/rules.h"

#define PARTS_MAX 4

void mapping_rules_add(struct mapping_rules *rules, struct mapping_rule rule)
{
    mem_grow(rules->items, rules->count, rules->capacity);
    rules->items[rules->count++] = rule;
}

void mapping_rules_done(struct mapping_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        free(rules->items[i].matches);
        free(rules->items[i].path);
        free(rules->items[i].text);
        free(rules->items[i].where);
    }
    free(rules->items);
    *rules = (struct mapping_rules){ .items = NULL };
}

/* Splits MAPPING at its colons, in place. As in YARN, empty parts are ignored. Returns the number of parts,
 * PARTS_MAX if there are more than fit. */
static size_t split(char *mapping, char *parts[PARTS_MAX])
{
    size_t count = 0;

    for (char *part; count < PARTS_MAX && (part = strsep(&mapping, ":")) != NULL;) {
        part = text_trim(part);
        if (*part != '\0')
            parts[count++] = part;
    }
    return count;
}

/* Builds a rule from the parts of a mapping: KIND is u, g or a. Returns false if there is no such kind. */
static bool make_rule(const char *kind, const char *source, const char *path, struct mapping_rule *rule)
{
    const char *self = NULL; /* the SOURCE that means every user */

    *rule = (struct mapping_rule){
        .action = MAPPING_PLACE,
        .fallback = MAPPING_PLACE_DEFAULT,
        .create = true,
    };
    if (text_equal(kind, "u")) {
        rule->concerns = MAPPING_USER;
        self = "%user";
    } else if (text_equal(kind, "g")) {
        rule->concerns = MAPPING_GROUP;
    } else if (text_equal(kind, "a")) {
        rule->concerns = MAPPING_APPLICATION;
        self = "%application";
    } else {
        return false;
    }
    if (self && text_equal(source, self))
        rule->concerns = MAPPING_EVERYBODY;
    else
        rule->matches = mem_strdup(source);
    rule->path = mem_strdup(path);
    return true;
}

static void read_mapping(const char *origin, const char *key, const char *mapping,
                         struct mapping_rules *rules, struct problems *problems)
{
    bool by_app = text_equal(key, PLACEMENT_APP_MAPPINGS);
    scoped_free char *copy = mem_strdup(mapping);
    char *parts[PARTS_MAX], shown[PROBLEMS_SHOWN_MAX];
    size_t count = split(copy, parts);
    struct mapping_rule rule;

    problems_show(mapping, shown);
    if (count != (by_app ? 2 : 3) ||
        !make_rule(by_app ? "a" : parts[0], parts[count - 2], parts[count - 1], &rule)) {
        problem_error(problems, EINVAL, "%s: %s: \"%s\": expected %s", origin, key, shown,
                      by_app ? "<application name>:<queue>"
                             : "u:<user>:<queue> or "
                               "g:<group>:<queue>");
        return;
    }
    rule.text = mem_printf("%s \"%s\"", strrchr(key, '.') + 1, shown);
    rule.where = mem_printf("%s: %s: \"%s\"", origin, key, shown);
    mapping_rules_add(rules, rule);
}

void mapping_rules_read_list(const char *origin, const char *key, const char *value,
                             struct mapping_rules *rules, struct problems *problems)
{
    scoped_free char *copy = mem_strdup(value);
    char *rest = copy;

    for (char *mapping; (mapping = text_next_word(&rest)) != NULL;)
        read_mapping(origin, key, mapping, rules, problems);
}

static void read_key(const struct conf *conf, const char *key, struct mapping_rules *rules,
                     struct problems *problems)
{
    const char *value = conf_raw(conf, key);
    char origin[CONF_ORIGIN_MAX];

    if (value)
        mapping_rules_read_list(conf_origin(conf, key, origin, sizeof(origin)), key, value, rules, problems);
}

/* Reads yarn.scheduler.queue-placement-rules. Returns true if application names come before users and
 * groups. */
static bool read_kinds(const struct conf *conf, struct problems *problems)
{
    const char *value = conf_raw(conf, PLACEMENT_KINDS);
    scoped_free char *copy = mem_strdup(value ? value : "");
    char *rest = copy, origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];
    int position = 0, app_name = 0, user_group = 0;

    conf_origin(conf, PLACEMENT_KINDS, origin, sizeof(origin));
    for (char *kind; (kind = text_next_word(&rest)) != NULL;) {
        int *at = text_equal(kind, "app-name")     ? &app_name
                  : text_equal(kind, "user-group") ? &user_group
                                                   : NULL;

        if (at == NULL)
            problem_error(problems, EINVAL, "%s: %s: \"%s\": expected user-group or app-name", origin,
                          PLACEMENT_KINDS, problems_show(kind, shown));
        else if (*at > 0)
            problem_error(problems, EINVAL, "%s: %s: \"%s\": is named twice", origin, PLACEMENT_KINDS, kind);
        else
            *at = ++position;
    }
    return app_name > 0 && user_group > app_name;
}

void mapping_rules_read_legacy(const struct conf *conf, struct mapping_rules *rules,
                               struct problems *problems)
{
    /* Differs: the newest YARN checks users and groups first, independent of the order in
     * queue-placement-rules. In creel, as in older YARN, "app-name,user-group" has the order that it
     * names. */
    bool app_first = read_kinds(conf, problems);

    read_key(conf, app_first ? PLACEMENT_APP_MAPPINGS : PLACEMENT_MAPPINGS, rules, problems);
    read_key(conf, app_first ? PLACEMENT_MAPPINGS : PLACEMENT_APP_MAPPINGS, rules, problems);
}

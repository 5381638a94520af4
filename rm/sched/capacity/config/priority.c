/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.c - reads which users may use which application priority, and priorities of workflows
 * (yarn-behaviour 5.6)
 *
 *   <queue>.acl_application_max_priority
 *       [user=<users> group=<groups> max_priority=<n> default_priority=<n>] ..., or "*"
 *   workflow-priority-mappings
 *       <workflow id>:<path of a queue>:<n>, ...
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"

/* --- lists of one queue ------------------------------------------------------------ */

struct rule_text {
    char *user, *group; /* borrowed */
    int64_t most, usual;
};

static const char *read_word(char *word, struct rule_text *rule)
{
    char *equals = strchr(word, '=');

    if (equals == NULL)
        return "expected <word>=<value> in it";
    *equals++ = '\0';
    if (text_equal(word, "user"))
        rule->user = equals;
    else if (text_equal(word, "group"))
        rule->group = equals;
    else if (!text_equal(word, "max_priority") && !text_equal(word, "default_priority"))
        return "expected user, group, max_priority and default_priority in it";
    else if (!text_parse_int64(equals, *word == 'm' ? &rule->most : &rule->usual) ||
             (*word == 'm' ? rule->most : rule->usual) < 0 ||
             (*word == 'm' ? rule->most : rule->usual) > INT32_MAX)
        return "expected a priority of at least 0";
    return NULL;
}

static void add_rule(struct capacity_queue *queue, const struct rule_text *text)
{
    scoped_free char *list =
        mem_printf("%s %s", text->user ? text->user : "", text->group ? text->group : "");
    struct capacity_priority_rule rule = { .who = acl_new(list), .most = (int32_t)text->most };
    size_t at = queue->priority_rule_count++;

    rule.usual = (int32_t)(text->usual > text->most ? text->most : text->usual);
    queue->priority_rules =
        mem_resize(queue->priority_rules, queue->priority_rule_count, sizeof(*queue->priority_rules));
    for (; at > 0 && queue->priority_rules[at - 1].most > rule.most; at--)
        queue->priority_rules[at] = queue->priority_rules[at - 1];
    queue->priority_rules[at] = rule;
}

/* Reads one rule. INNER is the text between brackets. */
static const char *read_rule(const struct capacity_reading *reading, struct capacity_queue *queue,
                             char *inner)
{
    struct rule_text rule = { .most = reading->config->maximum_app_priority,
                              .usual = queue->default_app_priority };
    char *rest = inner, *word;

    while ((word = strsep(&rest, " \t\r\n")) != NULL) {
        const char *wrong = *word ? read_word(word, &rule) : NULL;

        if (wrong)
            return wrong;
    }
    if (rule.user == NULL && rule.group == NULL)
        return "expected a user or a group in it";
    add_rule(queue, &rule);
    return NULL;
}

/* Differs: YARN silently ignores text without brackets. */
void capacity_read_priorities(struct capacity_reading *reading, struct capacity_queue *queue,
                              const char *text)
{
    scoped_free char *list = mem_strdup(text ? text : "");
    const char *wrong = NULL;
    char *at = list, *end;

    capacity_priority_rules_free(queue);
    if (text == NULL || *text == '\0' || text_equal(text, "*"))
        return;
    while (wrong == NULL && *(at += strspn(at, " ,\t\r\n")) != '\0') {
        end = strchr(at, ']');
        if (*at != '[' || end == NULL) {
            wrong = "expected [user=<users> group=<groups> max_priority=<n> default_priority=<n>], "
                    "several of these, or *";
            break;
        }
        *end = '\0';
        wrong = read_rule(reading, queue, at + 1);
        at = end + 1;
    }
    if (wrong)
        capacity_problem(reading, "%s", wrong);
}

/* --- workflows --------------------------------------------------------------------- */

static bool read_workflow(struct capacity_config *config, char *word)
{
    char *workflow = strsep(&word, ":"), *path = strsep(&word, ":"), *number = word;
    scoped_free char *key = NULL;
    int64_t priority;

    if (path == NULL || number == NULL)
        return false;
    workflow = text_trim(workflow);
    path = text_trim(path);
    if (*workflow == '\0' || !text_has_prefix(path, "root.") ||
        !text_parse_int64(text_trim(number), &priority) || priority < 0 || priority > INT32_MAX)
        return false;
    key = mem_printf("%s:%s", path, workflow);
    capacity_number_set(&config->workflows, key, (double)priority);
    return true;
}

void capacity_read_workflows(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    scoped_free char *list = mem_strdup(text ? text : "");
    char *rest = list, *word, shown[PROBLEMS_SHOWN_MAX];

    (void)queue;
    while ((word = text_next_word(&rest)) != NULL) {
        problems_show(word, shown);
        if (!read_workflow(reading->config, word))
            capacity_problem(reading,
                             "expected <workflow id>:root.<path of a queue>:<priority> "
                             "instead of %s",
                             shown);
    }
}

bool capacity_config_workflow(const struct capacity_config *config, const struct capacity_queue *queue,
                              const char *workflow, int32_t *priority)
{
    for (; queue->parent && config->workflows; queue = queue->parent) {
        scoped_free char *key = mem_printf("%s:%s", queue->path, workflow);
        const struct capacity_number *found = capacity_number_find(config->workflows, key);

        if (found) {
            *priority = (int32_t)found->value;
            return true;
        }
    }
    return false;
}

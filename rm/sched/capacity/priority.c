/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.c - determines the priority of an application (yarn-behaviour 5.6)
 *
 * The priority is the requested one; else that of its workflow (with the override key, the workflow's
 * priority comes before the requested one); else the default of the list that names its user; else the
 * queue's default. It is limited to the cluster's maximum. Then, with yarn.acl.enable, a list of the queue
 * must allow the user that priority.
 */
#include <errno.h>
#include <string.h>

#include "common/base/text.h"
#include "rm/sched/capacity/internal.h"

static struct acl_person person_of(const struct sched_app_spec *spec)
{
    return (struct acl_person){ spec->user, spec->groups, spec->group_count };
}

static bool lists_count(const struct sched *sched, const struct capacity_queue *queue,
                        const struct acl_person *person)
{
    return queue->priority_rule_count > 0 && capacity_of(sched)->access &&
           !capacity_access_is_exempt(capacity_of(sched)->access, person);
}

static int32_t cut(const struct sched *sched, int32_t priority)
{
    int64_t most = capacity_of(sched)->config->maximum_app_priority;

    return priority > most ? (int32_t)most : priority;
}

/* Returns the last list that names PERSON: the list with the highest maximum priority. NULL: none. */
static const struct capacity_priority_rule *find_rule(const struct capacity_queue *queue,
                                                      const struct acl_person *person)
{
    for (size_t i = queue->priority_rule_count; i-- > 0;)
        if (acl_allows(queue->priority_rules[i].who, person))
            return &queue->priority_rules[i];
    return NULL;
}

static int check_rule(const struct sched *sched, const struct capacity_queue *queue,
                      const struct acl_person *person, int32_t priority, struct err *err)
{
    const struct capacity_priority_rule *rule;

    if (!lists_count(sched, queue, person))
        return 0;
    rule = find_rule(queue, person);
    if (rule == NULL)
        return err_set(err, EACCES,
                       "queue %s: user %s may not have applications there, for no list of "
                       "acl_application_max_priority names them",
                       queue->path, person->user);
    if (priority > rule->most)
        return err_set(err, EACCES,
                       "queue %s: user %s may not have priority %d there, %d at most "
                       "(acl_application_max_priority)",
                       queue->path, person->user, priority, rule->most);
    return 0;
}

static bool mapped(const struct capacity_config *config, const struct capacity_queue *queue,
                   const struct sched_app_spec *spec, int32_t *priority)
{
    for (size_t i = 0; i < spec->tag_count; i++)
        if (text_has_prefix(spec->tags[i], config->workflow_prefix) &&
            capacity_config_workflow(config, queue, spec->tags[i] + strlen(config->workflow_prefix),
                                     priority))
            return true;
    return false;
}

static int32_t default_priority(const struct sched *sched, const struct capacity_queue *queue,
                                const struct acl_person *person)
{
    const struct capacity_priority_rule *rule =
        lists_count(sched, queue, person) ? find_rule(queue, person) : NULL;

    return rule ? rule->usual : queue->default_app_priority;
}

int capacity_choose_priority(const struct sched *sched, const struct sched_queue *queue,
                             const struct sched_app_spec *spec, int32_t *ret, struct err *err)
{
    const struct capacity_config *config = capacity_of(sched)->config;
    const struct acl_person person = person_of(spec);
    int32_t priority = spec->priority;
    int r;

    if (spec->recovered) { /* decided before the restart */
        *ret = cut(sched, priority);
        return 0;
    }
    if (!((spec->priority_open || config->workflow_override) &&
          mapped(config, queue_data(queue)->config, spec, &priority)) &&
        spec->priority_open)
        priority = default_priority(sched, queue_data(queue)->config, &person);
    priority = cut(sched, priority);
    if ((r = check_rule(sched, queue_data(queue)->config, &person, priority, err)) < 0)
        return r;
    *ret = priority;
    return 0;
}

int capacity_may_have_priority(const struct sched *sched, const struct sched_queue *queue,
                               const struct sched_app_spec *who, struct err *err)
{
    const struct acl_person person = person_of(who);

    return check_rule(sched, queue_data(queue)->config, &person, cut(sched, who->priority), err);
}

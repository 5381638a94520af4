/* SPDX-License-Identifier: Apache-2.0 */
/* fair_to_capacity.c - the configuration of the fair scheduler for the capacity scheduler */
#include "rm/schedconf/fair_to_capacity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "rm/sched/fair/config.h"

#define PREFIX "yarn.scheduler.capacity."

struct converting {
    const struct fair_config *fair;
    const struct fair_allocations *allocations;
    schedconf_property_fn *property;
    conf_warn_fn *warn; /* may be NULL */
    void *context;
};

/* --- output ------------------------------------------------------------------------ */

static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else
            fputc(*text, out);
    }
}

void schedconf_xml_begin(FILE *out)
{
    fputs("<?xml version=\"1.0\"?>\n<configuration>\n", out);
}

void schedconf_xml_property(FILE *out, const char *name, const char *value)
{
    fputs("  <property><name>", out);
    put_text(out, name);
    fputs("</name><value>", out);
    put_text(out, value);
    fputs("</value></property>\n", out);
}

void schedconf_xml_end(FILE *out)
{
    fputs("</configuration>\n", out);
}

__attribute__((format(printf, 4, 5))) static void put(const struct converting *converting, const char *queue,
                                                      const char *key, const char *format, ...)
{
    scoped_free char *name =
        mem_printf(PREFIX "%s%s%s", queue != NULL ? queue : "", queue != NULL ? "." : "", key);
    scoped_free char *value = NULL;
    va_list args;

    va_start(args, format);
    value = mem_vprintf(format, args);
    va_end(args);
    converting->property(converting->context, name, value);
}

__attribute__((format(printf, 2, 3))) static void warn(const struct converting *converting,
                                                       const char *format, ...)
{
    scoped_free char *text = NULL;
    va_list args;

    if (converting->warn == NULL)
        return;
    va_start(args, format);
    text = mem_vprintf(format, args);
    va_end(args);
    converting->warn(converting->context, CONF_WARNING, text);
}

/* --- queues ------------------------------------------------------------------------ */

/* Returns the names of the queues directly below PARENT, as "a,b"; the caller frees the text. */
static char *list_children(const struct converting *converting, const struct fair_settings *parent)
{
    const struct fair_settings *queue;
    struct text_builder list = TEXT_BUILDER_MALLOC;

    STAILQ_FOREACH(queue, &converting->allocations->queues, link) {
        if (queue->parent != parent || queue->barred)
            continue;
        text_builder_printf(&list, "%s%s", list.length > 0 ? "," : "", strrchr(queue->path, '.') + 1);
    }
    return text_builder_finish(&list);
}

/* Writes MAXIMUM as "[memory-mb=1024,vcores=50%]"; a type without a limit has 100%. */
static void put_maximum(const struct converting *converting, const char *path,
                        const struct fair_amount *maximum)
{
    const struct resource_types *types = &converting->fair->types;
    scoped_text_builder struct text_builder text = TEXT_BUILDER_MALLOC;
    bool limited = false;

    for (size_t i = 0; i < types->count; i++) {
        int64_t amount = maximum->value.value[i];
        bool all = maximum->relative ? maximum->fraction[i] >= 1 : amount == FAIR_UNBOUNDED;

        text_builder_printf(&text, "%s%s=", i > 0 ? "," : "", types->type[i].name);
        if (all)
            text_builder_add(&text, "100%");
        else if (maximum->relative)
            text_builder_printf(&text, "%g%%", maximum->fraction[i] * 100);
        else
            text_builder_printf(&text, "%" PRId64, amount);
        limited = limited || !all;
    }
    if (!limited)
        return;
    put(converting, path, "maximum-capacity", "[%s]", text_builder_text(&text));
    if (maximum->relative && strchr(strchr(path, '.') + 1, '.') != NULL)
        warn(converting, "queue %s: maxResources: a percentage of the cluster becomes one of its parent",
             path);
}

static void put_acl(const struct converting *converting, const char *path, const char *key,
                    const struct acl *acl)
{
    scoped_free char *source = acl != NULL ? acl_source(acl) : NULL;

    if (source != NULL)
        put(converting, path, key, "%s", source);
}

static void put_container_maximum(const struct converting *converting, const char *path,
                                  const struct resource *maximum)
{
    int64_t memory_mb = maximum->value[RESOURCE_MEMORY_MB], vcores = maximum->value[RESOURCE_VCORES];

    if (memory_mb != FAIR_UNBOUNDED)
        put(converting, path, "maximum-allocation-mb", "%" PRId64, memory_mb);
    if (vcores != FAIR_UNBOUNDED)
        put(converting, path, "maximum-allocation-vcores", "%" PRId64, vcores);
}

/* Writes the settings that only few queues have (struct fair_own). */
static void put_own(const struct converting *converting, const struct fair_settings *queue)
{
    const struct fair_own *own = queue->own;

    if (own == NULL)
        return;
    put_acl(converting, queue->path, "acl_submit_applications", own->acl_submit);
    put_acl(converting, queue->path, "acl_administer_queue", own->acl_administer);
    if (own->container_maximum != NULL)
        put_container_maximum(converting, queue->path, own->container_maximum);
    for (size_t i = 0; i < converting->fair->types.count; i++)
        if (own->minimum.value[i] > 0) {
            warn(converting, "queue %s: minResources has no counterpart: its weight is its share",
                 queue->path);
            break;
        }
    if (own->child_maximum != NULL)
        warn(converting, "queue %s: maxChildResources has no counterpart", queue->path);
}

static const char *order_of(enum fair_policy policy)
{
    return policy == FAIR_POLICY_FIFO ? "fifo" : "fair";
}

static double am_percent(float max_am_share)
{
    return max_am_share < 0 ? 1 : (double)max_am_share;
}

static void put_leaf(const struct converting *converting, const struct fair_settings *queue)
{
    put(converting, queue->path, "ordering-policy", "%s", order_of(queue->policy));
    if (queue->policy != FAIR_POLICY_FIFO && converting->fair->size_based_weight)
        put(converting, queue->path, "ordering-policy.fair.enable-size-based-weight", "true");
    put(converting, queue->path, "maximum-am-resource-percent", "%g", am_percent(queue->max_am_share));
}

/* Writes the settings of queues that placement rules create below PATH. */
static void put_creation(const struct converting *converting, const char *path)
{
    put(converting, path, "auto-queue-creation-v2.enabled", "true");
    put(converting, path, "auto-queue-creation-v2.leaf-template.ordering-policy", "%s",
        order_of(converting->allocations->policy));
}

static void put_parent(const struct converting *converting, const struct fair_settings *queue, bool creates)
{
    scoped_free char *children = list_children(converting, queue);
    bool root = queue->parent == NULL;

    if (root && fair_allocations_find(converting->allocations, "root.default") == NULL) {
        put(converting, NULL, "root.queues", "%s%sdefault", children, *children != '\0' ? "," : "");
        put(converting, NULL, "root.default.capacity", "1w");
        put(converting, NULL, "root.default.ordering-policy", "%s",
            order_of(converting->allocations->policy));
    } else if (*children != '\0') {
        put(converting, queue->path, "queues", "%s", children);
    }
    if (root ? creates : *children == '\0')
        put_creation(converting, queue->path);
    if (queue->reservable)
        warn(converting, "queue %s: reservation has no counterpart", queue->path);
}

/* Returns true if the preemption timeouts of QUEUE differ from those that QUEUE inherits otherwise. */
static bool has_new_timeouts(const struct fair_settings *queue)
{
    int64_t min_share_ms = queue->parent != NULL ? queue->parent->min_share_timeout_ms : FAIR_NEVER_MS;
    int64_t fair_share_ms = queue->parent != NULL ? queue->parent->fair_share_timeout_ms : FAIR_NEVER_MS;

    return queue->min_share_timeout_ms != min_share_ms || queue->fair_share_timeout_ms != fair_share_ms;
}

/* Writes the settings of a queue. CREATES: placement rules create queues below root. */
static void put_queue(const struct converting *converting, const struct fair_settings *queue, bool creates)
{
    if (queue->parent != NULL)
        put(converting, queue->path, "capacity", "%gw", (double)queue->weight);
    if (queue->leaf)
        put_leaf(converting, queue);
    else
        put_parent(converting, queue, creates);
    if (queue->parent != NULL)
        put_maximum(converting, queue->path, queue->maximum);
    if (queue->max_running_apps != converting->allocations->queue_max_apps &&
        queue->max_running_apps <= INT32_MAX)
        put(converting, queue->path, "max-parallel-apps", "%" PRId64, queue->max_running_apps);
    if (!queue->allow_preemption_from)
        put(converting, queue->path, "disable_preemption", "true");
    put_own(converting, queue);
    if (has_new_timeouts(queue))
        warn(converting, "queue %s: preemption timeouts have no counterpart", queue->path);
}

/* --- placement ---------------------------------------------------------------------- */

/* Returns TEXT as a JSON string, with quotes; the caller frees it. */
static char *quoted(const char *text)
{
    char *result = mem_alloc(strlen(text) * 2 + 3), *to = result;

    *to++ = '"';
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            *to++ = '\\';
        *to++ = *text;
    }
    *to++ = '"';
    *to = '\0';
    return result;
}

/* The policy of a mapping rule of the capacity scheduler that corresponds to a placement rule. */
struct policy {
    const char *name;   /* NULL: there is none */
    const char *member; /* further member of the JSON object, with the value QUEUE; NULL: none */
    const char *queue;
};

static bool has_name(const struct fair_rule_view *rule, const char *name)
{
    return text_equal(rule->name, name);
}

static struct policy nested_policy(const struct fair_rule_view *inner)
{
    if (has_name(inner, "primaryGroup") && inner->inner == NULL)
        return (struct policy){ "primaryGroupUser", NULL, NULL };
    if (has_name(inner, "secondaryGroupExistingQueue") && inner->inner == NULL)
        return (struct policy){ "secondaryGroupUser", NULL, NULL };
    if (has_name(inner, "default"))
        return (struct policy){ "user", "parentQueue", inner->queue };
    return (struct policy){ NULL, NULL, NULL };
}

static struct policy policy_of(const struct fair_rule_view *rule)
{
    static const struct {
        const char *rule, *policy;
    } table[] = {
        { "specified", "specified" },
        { "user", "user" },
        { "primaryGroup", "primaryGroup" },
        { "secondaryGroupExistingQueue", "secondaryGroup" },
        { "reject", "reject" },
    };
    struct fair_rule_view inner = { .queue = NULL };

    if (has_name(rule, "default"))
        return (struct policy){ "custom", "customPlacement", rule->queue };
    if (rule->inner != NULL) {
        inner = fair_rule_describe(rule->inner);
        if (has_name(rule, "nestedUserQueue"))
            return nested_policy(&inner);
        if (!has_name(&inner, "default"))
            return (struct policy){ NULL, NULL, NULL };
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (has_name(rule, table[i].rule))
            return (struct policy){ table[i].policy, rule->inner != NULL ? "parentQueue" : NULL,
                                    rule->inner != NULL ? inner.queue : NULL };
    return (struct policy){ NULL, NULL, NULL };
}

static char *rule_json(const struct fair_rule_view *rule, const struct policy *policy)
{
    scoped_free char *queue = policy->member != NULL ? quoted(policy->queue) : NULL;

    return mem_printf("{\"type\":\"user\",\"matches\":\"*\",\"policy\":\"%s\"%s%s%s%s,\"create\":%s,"
                      "\"fallbackResult\":\"%s\"}",
                      policy->name, policy->member != NULL ? ",\"" : "",
                      policy->member != NULL ? policy->member : "", policy->member != NULL ? "\":" : "",
                      queue != NULL ? queue : "", rule->create ? "true" : "false",
                      rule->next != NULL ? "skip" : "reject");
}

/* Writes the mapping rules. Returns true if one of them creates queues. */
static bool put_rules(const struct converting *converting)
{
    const struct fair_rule *at = fair_placement_first(converting->allocations->placement);
    scoped_text_builder struct text_builder list = TEXT_BUILDER_MALLOC;
    bool creates = false;

    while (at != NULL) {
        struct fair_rule_view rule = fair_rule_describe(at);
        struct policy policy = policy_of(&rule);
        scoped_free char *json = NULL;

        at = rule.next;
        if (policy.name == NULL) {
            warn(converting, "%s: rule %s with this rule inside has no counterpart", rule.where, rule.name);
            continue;
        }
        json = rule_json(&rule, &policy);
        text_builder_printf(&list, "%s%s", list.length > 0 ? "," : "", json);
        creates = creates || (rule.create && !has_name(&rule, "reject"));
    }
    put(converting, NULL, "mapping-rule-format", "json");
    put(converting, NULL, "mapping-rule-json", "{\"rules\":[%s]}", text_builder_text(&list));
    return creates;
}

/* --- the scheduler -------------------------------------------------------------------- */

static bool divides_every_type(const struct converting *converting)
{
    const struct fair_settings *queue;

    STAILQ_FOREACH(queue, &converting->allocations->queues, link)
        if (queue->policy == FAIR_POLICY_DRF)
            return true;
    return false;
}

static void put_global(const struct converting *converting)
{
    const struct fair_allocations *allocations = converting->allocations;

    put(converting, NULL, "legacy-queue-mode.enabled", "false");
    put(converting, NULL, "resource-calculator", "org.apache.hadoop.yarn.util.resource.%s",
        divides_every_type(converting) ? "DominantResourceCalculator" : "DefaultResourceCalculator");
    put(converting, NULL, "maximum-am-resource-percent", "%g", am_percent(allocations->queue_max_am_share));
    if (allocations->queue_max_apps != FAIR_NO_LIMIT)
        put(converting, NULL, "max-parallel-apps", "%" PRId64, allocations->queue_max_apps);
    if (allocations->user_max_apps != FAIR_NO_LIMIT)
        put(converting, NULL, "user.max-parallel-apps", "%" PRId64, allocations->user_max_apps);
    for (const struct fair_user *user = allocations->users; user != NULL; user = user->hh.next) {
        scoped_free char *key = mem_printf("user.%s.max-parallel-apps", user->name);

        put(converting, NULL, key, "%" PRId64, user->max_running_apps);
    }
}

static void convert(const struct converting *converting)
{
    const struct fair_settings *queue;
    bool creates;

    put_global(converting);
    creates = put_rules(converting);
    STAILQ_FOREACH(queue, &converting->allocations->queues, link)
        if (!queue->barred)
            put_queue(converting, queue, creates);
    warn(converting, "set yarn.resourcemanager.scheduler.class to CapacityScheduler in yarn-site.xml%s",
         converting->fair->preemption ? ", and yarn.resourcemanager.scheduler.monitor.enable to true" : "");
}

int schedconf_fair_to_capacity(const struct conf *conf, schedconf_property_fn *property,
                               conf_warn_fn *warn_fn, void *context, struct err *err)
{
    struct converting converting = { .property = property, .warn = warn_fn, .context = context };
    struct sched_config config;
    int r = schedconf_build(conf, warn_fn, context, &config, err);

    if (r < 0)
        return r;
    if (config.fair == NULL) {
        schedconf_free(&config);
        return err_set(err, EINVAL, "%s: %s: expected FairScheduler, whose configuration is converted",
                       conf_key_info(CONF_SCHEDULER_CLASS)->name, conf_text(conf, CONF_SCHEDULER_CLASS));
    }
    converting.fair = config.fair;
    converting.allocations = converting.fair->allocations;
    convert(&converting);
    schedconf_free(&config);
    return 0;
}

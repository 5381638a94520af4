/* SPDX-License-Identifier: Apache-2.0 */
/* allocations_read.c - reads the top-level elements of an allocation file */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/fair/allocations_private.h"

/* --- files of other programs --------------------------------------------------- */

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_equal(names[i], name))
            return true;
    return false;
}

static const char *const slot_names[] = { "minMaps", "maxMaps", "minReduces", "maxReduces" };

/* Elements that only YARN's files have. */
static const char *const yarn_names[] = {
    "minResources",
    "maxResources",
    "maxChildResources",
    "maxContainerAllocation",
    "maxRunningApps",
    "maxAMShare",
    "schedulingPolicy",
    "aclSubmitApps",
    "aclAdministerApps",
    "allowPreemptionFrom",
    "userMaxAppsDefault",
    "queueMaxAppsDefault",
    "queueMaxResourcesDefault",
    "queueMaxAMShareDefault",
    "defaultQueueSchedulingPolicy",
    "queuePlacementPolicy",
};

struct signs {
    const struct xml_node *slots, *spark; /* the first element typical of Hadoop 1 or of Spark */
    bool yarn;
};

static void find_signs(const struct xml_node *node, struct signs *signs)
{
    const struct xml_node *child;

    if (!signs->slots && is_among(node->name, slot_names, sizeof(slot_names) / sizeof(slot_names[0])))
        signs->slots = node;
    if (!signs->spark && text_equal(node->name, "minShare"))
        signs->spark = node;
    if (is_among(node->name, yarn_names, sizeof(yarn_names) / sizeof(yarn_names[0])))
        signs->yarn = true;
    STAILQ_FOREACH(child, &node->children, link)
        find_signs(child, signs);
}

/* Differs: YARN ignores the elements of such a file, and starts with queues of these names, but without their
 * settings. creel refuses the file. */
static bool refuse_foreign(struct fair_reading *reading, const struct xml_node *top)
{
    struct signs signs = { .yarn = false };

    if (!text_equal(top->name, "allocations")) {
        fair_problem(
            reading, top, "expected <allocations>%s",
            text_equal(top->name, "configuration") ? ": this is a file of properties, as yarn-site.xml" : "");
        return true;
    }
    find_signs(top, &signs);
    if (signs.yarn)
        return false;
    if (signs.slots)
        fair_problem(reading, signs.slots,
                     "this file is for the fair scheduler of Hadoop 1: there are "
                     "no slots for maps and reduces any more, queues have minResources and "
                     "maxResources");
    else if (signs.spark)
        fair_problem(reading, signs.spark,
                     "this file is for Spark's own fair scheduler, inside of one "
                     "application: queues have minResources and maxResources");
    return signs.slots || signs.spark;
}

/* --- placement --------------------------------------------------------------- */

static void read_rule(struct fair_reading *reading, struct fair_placement *placement,
                      struct fair_rule *inside, const struct xml_node *node)
{
    const char *name = xml_node_attribute(node, "name");
    const char *create = xml_node_attribute(node, "create");
    const char *queue = xml_node_attribute(node, "queue");
    scoped_free char *where = mem_printf("%s:%zu", reading->file, node->line);
    const struct fair_rule_spec spec = { name, create, queue, where };
    const struct xml_node *child;
    struct fair_rule *rule;
    size_t inner = 0;
    char shown[PROBLEMS_SHOWN_MAX];
    struct err err;

    if (fair_placement_add(placement, inside, &spec, &rule, &err) < 0) {
        problem_error(&reading->problems, EINVAL, "%s", err.text);
        return;
    }
    if (create && *create && strcasecmp(create, "true") != 0 && strcasecmp(create, "false") != 0)
        fair_warning(reading, node, "create=\"%s\" is neither true nor false: counts as false",
                     problems_show(create, shown));
    if (queue && !text_equal(name, "default"))
        fair_warning(reading, node, "%s: the attribute queue has no effect with this rule", name);
    STAILQ_FOREACH(child, &node->children, link) {
        if (strcasecmp(child->name, "rule") != 0) {
            fair_warn_unknown(reading, child);
            continue;
        }
        if (inner++ > 0)
            fair_warning(reading, child, "is the second one inside of a rule: the last one is used");
        read_rule(reading, placement, rule, child);
    }
}

static struct fair_placement *read_placement(struct fair_reading *reading, const struct xml_node *node)
{
    struct fair_placement *placement = fair_placement_new();
    size_t before = reading->problems.count, rules = 0;
    const struct xml_node *child;
    const char *unreached;
    struct err err;

    STAILQ_FOREACH(child, &node->children, link) {
        if (strcasecmp(child->name, "rule") != 0) {
            fair_warn_unknown(reading, child);
            continue;
        }
        read_rule(reading, placement, NULL, child);
        rules++;
    }
    /* If a rule could not be read, errors about the other rules may be misleading. */
    if (reading->problems.count == before && rules == 0)
        fair_problem(reading, node, "has no rule");
    else if (reading->problems.count == before && fair_placement_finish(placement, &err) < 0)
        problem_error(&reading->problems, EINVAL, "%s", err.text);
    else if (reading->problems.count == before && (unreached = fair_placement_unreached(placement)) != NULL)
        problem_warn(&reading->problems,
                     "%s: this rule and those after it are reached only where the rule "
                     "inside the one before gives a leaf queue; YARN 3.4 refuses such a file",
                     unreached);
    return placement;
}

/* --- top-level elements --------------------------------------------------------- */

static void read_user(struct fair_reading *reading, const struct xml_node *node)
{
    struct fair_allocations *allocations = reading->allocations;
    const char *name = xml_node_attribute(node, "name");
    const struct xml_node *child;
    struct fair_user *user = NULL;

    if (name == NULL || *name == '\0') {
        fair_problem(reading, node, "the attribute name is missing");
        return;
    }
    STAILQ_FOREACH(child, &node->children, link) {
        int64_t count = -1;

        if (!text_equal(child->name, "maxRunningApps")) {
            fair_warn_unknown(reading, child);
            continue;
        }
        fair_read_count(reading, child, &count);
        HASH_FIND(hh, allocations->users, name, strlen(name), user);
        if (user == NULL) {
            user = mem_new0(struct fair_user);
            user->name = mem_strdup(name);
            HASH_ADD_KEYPTR(hh, allocations->users, user->name, strlen(name), user);
        }
        user->max_running_apps = count;
    }
}

static void read_default_policy(struct fair_reading *reading, const struct xml_node *node)
{
    fair_read_policy(reading, node, &reading->allocations->policy);
    if (reading->allocations->policy == FAIR_POLICY_FIFO)
        fair_problem(reading, node, "fifo cannot be the default: it is for leaf queues only");
}

/* Reads an element that has a single value. Returns false if NODE is no such element. The old name
 * fairSharePreemptionTimeout counts only without the new one. */
static bool read_default(struct fair_reading *reading, const struct xml_node *node,
                         const struct xml_node **old_timeout, bool *new_timeout)
{
    struct fair_allocations *allocations = reading->allocations;
    const char *name = node->name;

    if (text_equal(name, "userMaxAppsDefault")) {
        fair_read_count(reading, node, &allocations->user_max_apps);
    } else if (text_equal(name, "queueMaxAppsDefault")) {
        fair_read_count(reading, node, &allocations->queue_max_apps);
    } else if (text_equal(name, "queueMaxResourcesDefault")) {
        fair_read_maximum(reading, node, &allocations->queue_maximum);
    } else if (text_equal(name, "queueMaxAMShareDefault")) {
        fair_read_share(reading, node, &allocations->queue_max_am_share);
    } else if (text_equal(name, "defaultMinSharePreemptionTimeout")) {
        fair_read_seconds(reading, node, &reading->min_share_timeout_ms);
    } else if (text_equal(name, "defaultFairSharePreemptionTimeout")) {
        fair_read_seconds(reading, node, &reading->fair_share_timeout_ms);
        *new_timeout = true;
    } else if (text_equal(name, "fairSharePreemptionTimeout")) {
        *old_timeout = node;
    } else if (text_equal(name, "defaultFairSharePreemptionThreshold")) {
        fair_read_threshold(reading, node, &reading->fair_share_threshold);
    } else if (text_equal(name, "defaultQueueSchedulingPolicy") ||
               text_equal(name, "defaultQueueSchedulingMode")) {
        read_default_policy(reading, node);
    } else {
        return false;
    }
    return true;
}

static bool is_queue(const struct xml_node *node)
{
    return text_equal(node->name, "queue") || text_equal(node->name, "pool");
}

static void read_queues(struct fair_reading *reading, const struct xml_node *top)
{
    const struct xml_node *node;
    size_t count = 0;

    STAILQ_FOREACH(node, &top->children, link)
        count += is_queue(node);
    STAILQ_FOREACH(node, &top->children, link)
        if (is_queue(node))
            fair_read_queue(reading, node, count == 1);
}

static void read_top(struct fair_reading *reading, const struct xml_node *top)
{
    const struct xml_node *node, *old_timeout = NULL, *policy = NULL;
    bool new_timeout = false;

    STAILQ_FOREACH(node, &top->children, link) {
        if (is_queue(node) || read_default(reading, node, &old_timeout, &new_timeout))
            continue;
        if (text_equal(node->name, "user"))
            read_user(reading, node);
        else if (text_equal(node->name, "queuePlacementPolicy"))
            policy = node;
        else if (text_has_prefix(node->name, "reservation-"))
            fair_warning(reading, node, "has no effect: creel has no reservations of resources");
        else
            fair_warn_unknown(reading, node);
    }
    if (old_timeout && !new_timeout)
        fair_read_seconds(reading, old_timeout, &reading->fair_share_timeout_ms);
    read_queues(reading, top);
    fair_finish_queues(reading);
    reading->allocations->placement = policy
                                          ? read_placement(reading, policy)
                                          : fair_placement_default(reading->options->user_as_default_queue,
                                                                   reading->options->allow_undeclared_pools);
}

int fair_allocations_load(const char *name, const char *text, size_t size, const struct fair_options *options,
                          conf_warn_fn *warn, void *context, struct fair_allocations **ret, struct err *err)
{
    struct fair_reading reading = {
        .file = name,
        .options = options,
        .problems = { .warn = warn, .context = context },
        .min_share_timeout_ms = FAIR_NEVER_MS,
        .fair_share_timeout_ms = FAIR_NEVER_MS,
        .fair_share_threshold = FAIR_THRESHOLD_DEFAULT,
    };
    struct xml_tree *tree;
    int r;

    if ((r = xml_tree_parse(name, text, size, &tree, err)) < 0)
        return r;
    reading.allocations = fair_allocations_new();
    if (!refuse_foreign(&reading, xml_tree_root(tree)))
        read_top(&reading, xml_tree_root(tree));
    xml_tree_free(tree);
    if ((r = problems_finish(&reading.problems, err)) < 0) {
        fair_allocations_free(reading.allocations);
        return r;
    }
    *ret = reading.allocations;
    return 0;
}

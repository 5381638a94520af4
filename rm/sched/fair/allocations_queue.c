/* SPDX-License-Identifier: Apache-2.0 */
/* allocations_queue.c - reads the queues of an allocation file */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/fair/allocations_private.h"
#include "rm/sched/fair/element_table.h"
#include "rm/sched/queue_name.h"

typedef void read_fn(struct fair_reading *reading, const struct xml_node *node,
                     struct fair_settings *settings);

/* Defines FUNCTION. It reads an element into MEMBER, which has TYPE, with the function READ. */
#define READER(function, read, type, member) \
    static void function(struct fair_reading *reading, const struct xml_node *node, \
                         struct fair_settings *settings) \
    { \
        type value = settings->member; \
\
        read(reading, node, &value); \
        settings->member = value; \
    }

READER(read_max_running_apps, fair_read_count, int64_t, max_running_apps)
READER(read_max_am_share, fair_read_share, float, max_am_share)
READER(read_weight, fair_read_weight, float, weight)
READER(read_policy, fair_read_policy, enum fair_policy, policy)
READER(read_min_share_timeout, fair_read_seconds, int64_t, min_share_timeout_ms)
READER(read_fair_share_timeout, fair_read_seconds, int64_t, fair_share_timeout_ms)
READER(read_fair_share_threshold, fair_read_threshold, float, fair_share_threshold)
READER(read_allow_preemption_from, fair_read_bool, bool, allow_preemption_from)

static void read_acl_submit(struct fair_reading *reading, const struct xml_node *node,
                            struct fair_settings *settings)
{
    fair_read_acl(reading, node, &fair_settings_own(settings)->acl_submit);
}

static void read_acl_administer(struct fair_reading *reading, const struct xml_node *node,
                                struct fair_settings *settings)
{
    fair_read_acl(reading, node, &fair_settings_own(settings)->acl_administer);
}

static void read_minimum(struct fair_reading *reading, const struct xml_node *node,
                         struct fair_settings *settings)
{
    fair_read_absolute(reading, node, 0, &fair_settings_own(settings)->minimum);
}

static void read_bound(struct fair_reading *reading, const struct xml_node *node, struct fair_amount **amount)
{
    if (*amount == NULL)
        *amount = mem_new0(struct fair_amount);
    fair_read_maximum(reading, node, *amount);
}

static void read_maximum(struct fair_reading *reading, const struct xml_node *node,
                         struct fair_settings *settings)
{
    read_bound(reading, node, &fair_settings_own(settings)->maximum);
}

static void read_child_maximum(struct fair_reading *reading, const struct xml_node *node,
                               struct fair_settings *settings)
{
    read_bound(reading, node, &fair_settings_own(settings)->child_maximum);
}

static void read_container_maximum(struct fair_reading *reading, const struct xml_node *node,
                                   struct fair_settings *settings)
{
    struct fair_own *own = fair_settings_own(settings);

    if (own->container_maximum == NULL)
        own->container_maximum = mem_new0(struct resource);
    *own->container_maximum = fair_amount_unbounded().value;
    fair_read_absolute(reading, node, FAIR_UNBOUNDED, own->container_maximum);
}

static void read_reservation(struct fair_reading *reading, const struct xml_node *node,
                             struct fair_settings *settings)
{
    fair_warning(reading, node, "creel has no reservations of resources");
    settings->reservable = true;
}

static void read_reservation_acl(struct fair_reading *reading, const struct xml_node *node,
                                 struct fair_settings *settings)
{
    (void)settings;
    fair_warning(reading, node, "has no effect: creel has no reservations of resources");
}

static const struct element {
    const char *name;
    read_fn *read;
    uint16_t given; /* 0: the bit is not needed */
} elements[] = {
#define ROW(name, read, given, values, doc) { name, read, given },
    FAIR_QUEUE_ELEMENTS(ROW)
#undef ROW
};

static const struct element *find_element(const char *name)
{
    for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
        if (text_equal(elements[i].name, name))
            return &elements[i];
    return NULL;
}

static bool is_queue(const struct xml_node *node)
{
    return text_equal(node->name, "queue") || text_equal(node->name, "pool");
}

static void read_elements(struct fair_reading *reading, const struct xml_node *node,
                          struct fair_settings *settings)
{
    const struct xml_node *child;

    reading->queue = settings;
    STAILQ_FOREACH(child, &node->children, link) {
        const struct element *element = find_element(child->name);

        if (is_queue(child))
            continue;
        if (element == NULL) {
            fair_warn_unknown(reading, child);
            continue;
        }
        if (settings->given & element->given)
            fair_warning(reading, child, "is given twice: the last one is used");
        element->read(reading, child, settings);
        settings->given = settings->given | element->given;
    }
    reading->queue = NULL;
}

/* Returns the settings of the queue below PARENT that NODE names, and adds them if they are new. NULL: an
 * error was reported. */
static struct fair_settings *open_queue(struct fair_reading *reading, const struct xml_node *node,
                                        const struct fair_settings *parent)
{
    struct fair_allocations *allocations = reading->allocations;
    const char *attribute = xml_node_attribute(node, "name");
    scoped_free char *name = queue_name_trim(attribute ? attribute : "");
    scoped_free char *path = mem_printf("%s.%s", parent->path, name);
    const struct fair_settings *there;
    struct fair_settings *settings;
    char shown[PROBLEMS_SHOWN_MAX];

    if (*name == '\0' || strchr(name, '.')) {
        reading->queue = parent;
        fair_problem(reading, node, "name \"%s\": %s", problems_show(name, shown),
                     *name == '\0' ? "the name of a queue cannot be empty"
                                   : "the name of a queue has no period: put one queue into the other");
        reading->queue = NULL;
        return NULL;
    }
    there = fair_allocations_find(allocations, path);
    if (there) {
        reading->queue = there;
        fair_warning(reading, node, "is in line %" PRIu32 ", too: both count together", there->line);
        reading->queue = NULL;
        return (struct fair_settings *)(uintptr_t)there; /* a queue of this file, which is still
                                                            being read */
    }
    if (allocations->queue_count == FAIR_QUEUES_MAX) {
        fair_problem(reading, node, "there are more than %d queues", FAIR_QUEUES_MAX);
        return NULL;
    }
    settings = fair_allocations_add(allocations, parent, name);
    settings->line = (uint32_t)node->line;
    settings->leaf = true;
    return settings;
}

/* Reads a queue and the queues in it. XML_TREE_DEPTH_MAX bounds the recursion. */
static void read_queue(struct fair_reading *reading, const struct xml_node *node,
                       struct fair_settings *settings)
{
    const struct xml_node *child;

    read_elements(reading, node, settings);
    if (text_equal(xml_node_attribute(node, "type"), "parent"))
        settings->leaf = false;
    STAILQ_FOREACH(child, &node->children, link) {
        struct fair_settings *below = is_queue(child) ? open_queue(reading, child, settings) : NULL;

        if (is_queue(child))
            settings->leaf = false;
        if (below)
            read_queue(reading, child, below);
    }
}

void fair_read_queue(struct fair_reading *reading, const struct xml_node *node, bool alone)
{
    const char *attribute = xml_node_attribute(node, "name");
    scoped_free char *name = queue_name_trim(attribute ? attribute : "");
    struct fair_settings *root = reading->allocations->root, *settings;

    if (strcasecmp(name, "root") == 0) {
        if (!alone)
            fair_problem(reading, node, "root is the only queue at the top: put the others into it");
        root->line = (uint32_t)node->line;
        read_queue(reading, node, root);
        root->leaf = false;
    } else if ((settings = open_queue(reading, node, root)) != NULL) {
        read_queue(reading, node, settings);
    }
}

/* --- checks after the whole file is read -------------------------------------- */

static void judge_kind(struct fair_reading *reading, struct fair_settings *settings)
{
    const struct xml_node node = { .line = settings->line };
    bool parent = !settings->leaf && (settings->parent || reading->allocations->queue_count > 1);

    if (parent && settings->reservable)
        fair_problem(reading, &node,
                     "a queue with queues in it, or type=\"parent\", cannot have a "
                     "reservation");
    if (parent && (settings->given & GIVEN_MAX_AM_SHARE))
        fair_problem(reading, &node,
                     "a queue with queues in it, or type=\"parent\", cannot have a "
                     "maxAMShare");
    if (settings->reservable)
        settings->leaf = false;
}

static void judge_policy(struct fair_reading *reading, struct fair_settings *settings)
{
    const struct fair_settings *parent = settings->parent;
    const struct xml_node node = { .line = settings->line };

    settings->barred = parent->barred || !fair_policy_allows(parent->policy, settings->policy);
    if (!settings->barred || parent->barred)
        return;
    if (parent->policy == FAIR_POLICY_FIFO)
        fair_warning(reading, &node,
                     "is not created, nor are the queues below it: %s has the policy fifo, which "
                     "is for leaf queues only",
                     parent->path);
    else
        fair_warning(reading, &node,
                     "is not created, nor are the queues below it: under %s, whose policy is %s, "
                     "there can be no queue with %s",
                     parent->path, fair_policy_name(parent->policy), fair_policy_name(settings->policy));
}

static void judge_bounds(struct fair_reading *reading, const struct fair_settings *settings)
{
    const struct xml_node node = { .line = settings->line };
    const struct resource_types *types = &reading->options->types;
    struct resource minimum = fair_settings_minimum(settings);

    for (size_t t = 0; !settings->maximum->relative && t < types->count; t++)
        if (minimum.value[t] > settings->maximum->value.value[t])
            fair_warning(reading, &node,
                         "its minimum of %s, %lld, is above its maximum, %lld: the "
                         "minimum is used",
                         types->type[t].name, (long long)minimum.value[t],
                         (long long)settings->maximum->value.value[t]);
}

void fair_finish_queues(struct fair_reading *reading)
{
    struct fair_settings *settings, *root = reading->allocations->root;

    if (!(root->given & GIVEN_MIN_SHARE_TIMEOUT))
        root->min_share_timeout_ms = reading->min_share_timeout_ms;
    if (!(root->given & GIVEN_FAIR_SHARE_TIMEOUT))
        root->fair_share_timeout_ms = reading->fair_share_timeout_ms;
    if (!(root->given & GIVEN_FAIR_SHARE_THRESHOLD))
        root->fair_share_threshold = reading->fair_share_threshold;
    STAILQ_FOREACH(settings, &reading->allocations->queues, link) {
        reading->queue = settings;
        fair_settings_fill(reading->allocations, settings);
        judge_kind(reading, settings);
        judge_bounds(reading, settings);
        if (settings->parent)
            judge_policy(reading, settings);
    }
    reading->queue = NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* queue.c - reads keys of one queue that are not plain numbers or booleans */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"
#include "yarn/queue.h"

/* --- labels --------------------------------------------------------------------- */

static uint64_t labels_of(const struct capacity_config *config, const char *text)
{
    scoped_free char *list = mem_strdup(text);
    char *rest = list, *word;
    uint64_t access = 1;

    while ((word = text_next_word(&rest)) != NULL) {
        int label = capacity_config_label(config, word);

        if (strcmp(word, "*") == 0)
            return UINT64_MAX;
        if (label >= 0) /* else reported when labels were declared */
            access |= UINT64_C(1) << label;
    }
    return access;
}

void capacity_read_labels(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    queue->access_given = text != NULL && queue->parent != NULL;
    if (queue->parent == NULL)
        queue->access = UINT64_MAX; /* as in YARN, whatever the file sets */
    else
        queue->access = text ? labels_of(reading->config, text) : queue->parent->access;
}

/* Returns the default label that QUEUE inherits. As in YARN (QueueNodeLabelsSettings), a queue that may use
 * fewer labels than its parent inherits none. */
static int inherited_label(const struct capacity_queue *queue)
{
    const struct capacity_queue *parent = queue->parent;

    return parent && (queue->access & parent->access) == parent->access ? parent->default_label : 0;
}

void capacity_read_default_label(struct capacity_reading *reading, struct capacity_queue *queue,
                                 const char *text)
{
    int label = inherited_label(queue);
    char shown[PROBLEMS_SHOWN_MAX];

    if (text)
        label = *text ? capacity_config_label(reading->config, text) : 0;
    if (label < 0)
        capacity_problem(reading, "there is no label %s", problems_show(text, shown));
    else if (text && !(queue->access >> label & 1))
        capacity_problem(reading, "%s has no access to label %s", queue->path, problems_show(text, shown));
    queue->default_label = label >= 0 && queue->access >> label & 1 ? label : 0;
}

/* Returns true if a submission created QUEUE in the flexible form. As in YARN
 * (AbstractLeafQueue.parseAndSetDynamicTemplates), such a queue has no limits of users and AMs, unless its
 * templates set them. */
static bool is_flexible(const struct capacity_queue *queue)
{
    return queue->dynamic && !queue->parent->auto_create_legacy;
}

void capacity_read_fraction(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    float *fraction = reading->member;

    if (is_flexible(queue) && reading->label == 0)
        *fraction = 1;
    if (text && capacity_read_text(reading, reading->row, text, reading->member) && *fraction > 1)
        capacity_warning(reading, "is a fraction, 1 for all, so this is no limit");
}

/* --- state, order ------------------------------------------------------------------ */

void capacity_read_state(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    bool above = queue->parent && queue->parent->state == CAPACITY_STOPPED;

    queue->state_given = text != NULL;
    queue->stop_given = text && strcasecmp(text, YARN_QUEUE_STOPPED) == 0;
    queue->state = above || queue->stop_given ? CAPACITY_STOPPED : CAPACITY_RUNNING;
    if (text == NULL || queue->stop_given)
        return;
    if (strcasecmp(text, YARN_QUEUE_RUNNING) != 0)
        capacity_problem(reading, "expected RUNNING or STOPPED");
    else if (above)
        capacity_problem(reading, "%s is STOPPED, so a queue below it cannot be RUNNING",
                         queue->parent->path);
}

enum policy { NO_POLICY, FIFO, FAIR, UTILIZATION, PRIORITY_UTILIZATION };

/* Returns the ordering policy: a word, or the name of YARN's class, in any case and with or without its
 * package. */
static enum policy policy_of(const char *text)
{
    static const struct {
        const char *name, *class;
        enum policy policy;
    } policies[] = {
        { "fifo", "FifoOrderingPolicy", FIFO },
        { "fifo-with-partitions", "FifoOrderingPolicyWithExclusivePartitions", FIFO },
        { "fifo-for-pending-apps", "FifoOrderingPolicyForPendingApps", FIFO },
        { "fair", "FairOrderingPolicy", FAIR },
        { "utilization", "-", UTILIZATION },
        { "priority-utilization", "-", PRIORITY_UTILIZATION },
    };
    const char *dot = strrchr(text, '.'), *class = dot ? dot + 1 : text;

    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        if (strcasecmp(text, policies[i].name) == 0 || strcmp(class, policies[i].class) == 0)
            return policies[i].policy;
    return NO_POLICY;
}

/* Differs: YARN refuses an ordering policy for applications in a queue that has child queues. Real files have
 * such settings, so creel only warns. */
void capacity_read_order(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    enum policy policy = text && *text ? policy_of(text) : NO_POLICY;
    bool of_queues = policy == UTILIZATION || policy == PRIORITY_UTILIZATION;

    queue->priority_utilization = queue->parent && queue->parent->priority_utilization;
    if (text == NULL || *text == '\0')
        return;
    if (policy == NO_POLICY)
        capacity_problem(reading, queue->leaf ? "expected fifo, fair, fifo-with-partitions or "
                                                "fifo-for-pending-apps"
                                              : "expected utilization or priority-utilization");
    else if (of_queues == queue->leaf)
        capacity_warning(reading, queue->leaf ? "is for queues with queues below them: ignored"
                                              : "is for queues with apps: ignored");
    else if (of_queues)
        queue->priority_utilization = policy == PRIORITY_UTILIZATION;
    else
        queue->order = policy == FAIR ? CAPACITY_ORDER_FAIR : CAPACITY_ORDER_FIFO;
}

/* --- limits ---------------------------------------------------------------------------- */

void capacity_read_factor(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    if (is_flexible(queue))
        queue->user_limit_factor = -1;
    capacity_read_plain(reading, queue, text);
}

void capacity_read_max_apps(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    int64_t own = -1, usual = reading->config->queue_max_apps;

    if (text)
        capacity_read_text(reading, reading->row, text, &own);
    queue->max_apps_given = own >= 0 ? own : usual > 0 ? usual : -1;
}

/* Reads maximum-allocation, or the older pair of keys if maximum-allocation is not set. */
void capacity_read_allocation(struct capacity_reading *reading, struct capacity_queue *queue,
                              const char *text)
{
    const struct resource *most = &reading->config->maximum_allocation;
    struct resource limit = queue->parent ? queue->parent->maximum_allocation : *most;

    if (text) {
        capacity_read_resource(reading, text, &limit);
    } else {
        capacity_read_value(reading, queue, CAPACITY_KEY_ALLOCATION_MB, &limit.value[RESOURCE_MEMORY_MB]);
        capacity_read_value(reading, queue, CAPACITY_KEY_ALLOCATION_VCORES, &limit.value[RESOURCE_VCORES]);
    }
    queue->maximum_allocation = resource_min(limit, *most);
    for (size_t t = 0; t < reading->config->types.count; t++)
        if (limit.value[t] > most->value[t])
            capacity_problem(capacity_at(reading, queue,
                                         text     ? CAPACITY_KEY_ALLOCATION
                                         : t == 0 ? CAPACITY_KEY_ALLOCATION_MB
                                                  : CAPACITY_KEY_ALLOCATION_VCORES,
                                         0),
                             "%s %lld is above the cluster's maximum allocation, %lld",
                             reading->config->types.type[t].name, (long long)limit.value[t],
                             (long long)most->value[t]);
}

/* Reads a lifetime in seconds; 0 and below mean none. A default above the maximum is refused in the queue
 * that sets it. */
void capacity_read_lifetime(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    int64_t *most = &queue->maximum_lifetime_s, *usual = &queue->default_lifetime_s;

    if (text && capacity_read_text(reading, reading->row, text, usual) && *most > 0 && *usual > *most)
        capacity_problem(reading, "is above the maximum-application-lifetime of %s, %lld", queue->path,
                         (long long)*most);
    if (*most > 0 && (*usual <= 0 || *usual > *most))
        *usual = *most;
    *most = *most > 0 ? *most : -1;
    *usual = *usual > 0 ? *usual : -1;
}

/* Differs: in YARN, the default of acl_administer_queue of root is all users. In creel it is no user: an
 * administrator who enables access lists without setting this one hardly wants that each user may see and
 * kill the applications of all others. */
void capacity_read_acl(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    bool submit = reading->row == CAPACITY_KEY_ACL_SUBMIT;
    char **list = submit ? &queue->acl_submit : &queue->acl_administer;

    free(*list);
    *list = mem_strdup(text                              ? conf_raw_acl(reading->conf, reading->key)
                       : submit && queue->parent == NULL ? "*"
                                                         : " ");
}

/* --- queues created by submissions ------------------------------------------------------ */

void capacity_read_creation(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    capacity_read_plain(reading, queue, text);
    if (queue->auto_create && queue->auto_create_legacy)
        capacity_problem(reading,
                         "%s cannot make queues in both ways: auto-queue-creation-v2.enabled "
                         "is true too",
                         queue->path);
    if (queue->auto_create_legacy && !TAILQ_EMPTY(&queue->children))
        capacity_problem(reading,
                         "%s has queues in the file, so it cannot be such a parent; "
                         "auto-queue-creation-v2.enabled goes with them",
                         queue->path);
    /* A queue that may create queues is a parent, even while it has no children. A dynamic parent may create
     * queues like its own parent. */
    if (queue->dynamic && !queue->leaf)
        queue->auto_create = true;
    if (queue->auto_create || queue->auto_create_legacy)
        capacity_queue_set_leaf(reading->config, queue, false);
}

void capacity_read_policy(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    static const char class[] = "GuaranteedOrZeroCapacityOverTimePolicy";

    (void)queue;
    if (text && *text && !text_has_suffix(text, class))
        capacity_warning(reading, "is ignored: creel has only %s", class);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* queue.c - the keys of one queue, with what it has from its parent */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"

#define AM_FRACTION_MAX 100.0f

/* --- labels --------------------------------------------------------------------- */

static uint64_t labels_of(struct capacity_reading *reading, const char *text)
{
    scoped_free char *list = mem_strdup(text);
    char *rest = list, *word;
    uint64_t access = 1;

    while ((word = capacity_next_word(&rest)) != NULL) {
        int label;

        if (strcmp(word, "*") == 0)
            return UINT64_MAX;
        label = capacity_config_label(reading->config, word);
        if (label >= 0)         /* else it was reported when labels were declared */
            access |= UINT64_C(1) << label;
    }
    return access;
}

static void read_access(struct capacity_reading *reading, struct capacity_queue *queue)
{
    const char *text = capacity_get(reading, queue, "accessible-node-labels");

    queue->access_given = text != NULL && queue->parent != NULL;
    if (queue->parent == NULL)
        queue->access = UINT64_MAX;     /* as in YARN, whatever the file says */
    else
        queue->access = text ? labels_of(reading, text) : queue->parent->access;
}

static void read_default_label(struct capacity_reading *reading, struct capacity_queue *queue)
{
    const char *text = capacity_get(reading, queue, "default-node-label-expression");
    int label = queue->parent ? queue->parent->default_label : 0;
    char shown[PROBLEMS_SHOWN_MAX];

    if (text && *text) {
        label = capacity_config_label(reading->config, text);
        if (label < 0)
            capacity_problem(reading, "nobody has a label %s", problems_show(text, shown));
        else if (!(queue->access >> label & 1))
            capacity_problem(reading, "%s has no access to label %s", queue->path,
                             problems_show(text, shown));
    } else if (text) {
        label = 0;
    }
    queue->default_label = label >= 0 && queue->access >> label & 1 ? label : 0;
}

/* The fraction that may be masters: of the label, else of the queue, else of all queues. */
static void read_am_fraction(struct capacity_reading *reading, struct capacity_queue *queue,
                             const char *prefix, struct capacity_share *share)
{
    static const char key[] = "maximum-am-resource-percent";
    char suffix[CAPACITY_SHARE_PREFIX_MAX + 32];
    bool given;

    share->am_fraction = queue->shares[0].am_fraction;
    if (*prefix == '\0') {
        share->am_fraction = 0.1f;
        capacity_get_float(reading, NULL, key, 0, AM_FRACTION_MAX, false, &share->am_fraction);
    }
    snprintf(suffix, sizeof(suffix), "%s%s", prefix, key);
    given = capacity_get_float(reading, queue, suffix, 0, AM_FRACTION_MAX, false,
                               &share->am_fraction);
    if (given && share->am_fraction > 1)
        capacity_warning(reading, "is a fraction, 1 for all, so this is no limit");
}

static void read_shares(struct capacity_reading *reading, struct capacity_queue *queue)
{
    const struct capacity_config *config = reading->config;
    char prefix[CAPACITY_SHARE_PREFIX_MAX];

    for (int i = 0; i < config->label_count; i++) {
        struct capacity_share *share = &queue->shares[i];

        capacity_share_prefix(config, i, prefix);
        capacity_read_share(reading, queue, prefix, share);
        read_am_fraction(reading, queue, prefix, share);
    }
}

/* --- state, order ------------------------------------------------------------------ */

static void read_state(struct capacity_reading *reading, struct capacity_queue *queue)
{
    const char *text = capacity_get(reading, queue, "state");
    enum capacity_state above = queue->parent ? queue->parent->state : CAPACITY_RUNNING;

    queue->state = above;
    if (text == NULL)
        return;
    queue->state_given = true;
    queue->stop_given = strcasecmp(text, "STOPPED") == 0;
    if (queue->stop_given)
        queue->state = CAPACITY_STOPPED;
    else if (strcasecmp(text, "RUNNING") != 0)
        capacity_problem(reading, "expected RUNNING or STOPPED");
    else if (above == CAPACITY_STOPPED)
        capacity_problem(reading, "%s is STOPPED, so a queue below it cannot be RUNNING",
                         queue->parent->path);
    else
        queue->state = CAPACITY_RUNNING;
}

/* A name, or the class of YARN with it. */
static bool is_policy(const char *text, const char *name, const char *class)
{
    const char *dot = strrchr(text, '.');

    return strcasecmp(text, name) == 0 || strcmp(dot ? dot + 1 : text, class) == 0;
}

static bool is_policy_of_parents(const char *text)
{
    return is_policy(text, "utilization", "-") || is_policy(text, "priority-utilization", "-");
}

static bool read_policy_of_apps(const char *text, enum capacity_order *order)
{
    if (is_policy(text, "fair", "FairOrderingPolicy"))
        *order = CAPACITY_ORDER_FAIR;
    else if (is_policy(text, "fifo", "FifoOrderingPolicy") ||
             is_policy(text, "fifo-with-partitions", "FifoOrderingPolicyWithExclusivePartitions") ||
             is_policy(text, "fifo-for-pending-apps", "FifoOrderingPolicyForPendingApps"))
        *order = CAPACITY_ORDER_FIFO;
    else
        return false;
    return true;
}

/* Differs: YARN refuses a leaf's policy on a parent; files have it, so it is passed over. */
static void read_order(struct capacity_reading *reading, struct capacity_queue *queue)
{
    const char *text = capacity_get(reading, queue, "ordering-policy");
    enum capacity_order ignored;

    queue->priority_utilization = queue->parent && queue->parent->priority_utilization;
    if (text && *text && queue->leaf && !read_policy_of_apps(text, &queue->order)) {
        if (is_policy_of_parents(text))
            capacity_warning(reading, "is for queues with queues below them: passed over");
        else
            capacity_problem(reading, "expected fifo, fair, fifo-with-partitions or "
                             "fifo-for-pending-apps");
    } else if (text && *text && !queue->leaf) {
        if (is_policy_of_parents(text))
            queue->priority_utilization = strcasecmp(text, "priority-utilization") == 0;
        else if (read_policy_of_apps(text, &ignored))
            capacity_warning(reading, "is for queues with apps: passed over");
        else
            capacity_problem(reading, "expected utilization or priority-utilization");
    }
    capacity_get_bool(reading, queue, "ordering-policy.fair.enable-size-based-weight",
                      &queue->size_based_weight);
}

static void read_priorities(struct capacity_reading *reading, struct capacity_queue *queue)
{
    int64_t number = 0;

    if (capacity_get_int(reading, queue, "priority", INT32_MIN, INT32_MAX, &number))
        queue->priority = (int32_t)number;
    number = 0;
    if (capacity_get_int(reading, queue, "default-application-priority", 0, INT32_MAX, &number))
        queue->default_app_priority = (int32_t)number;
    capacity_read_priority_rules(reading, queue);
}

/* --- limits ---------------------------------------------------------------------------- */

static void read_user_limits(struct capacity_reading *reading, struct capacity_queue *queue)
{
    static const char percent[] = "minimum-user-limit-percent", factor[] = "user-limit-factor";
    bool made = queue->dynamic && !queue->parent->auto_create_legacy;

    queue->user_limit_percent = 100;
    capacity_get_float(reading, NULL, percent, 0, 100, false, &queue->user_limit_percent);
    capacity_get_float(reading, queue, percent, 0, 100, false, &queue->user_limit_percent);
    queue->user_limit_factor = 1;
    capacity_get_float(reading, NULL, factor, 0, 1e9f, true, &queue->user_limit_factor);
    if (made)
        queue->user_limit_factor = -1;
    capacity_get_float(reading, queue, factor, 0, 1e9f, true, &queue->user_limit_factor);
}

static void read_app_limits(struct capacity_reading *reading, struct capacity_queue *queue)
{
    int64_t number = -1;

    queue->max_apps_given = -1;
    capacity_get_int(reading, NULL, "global-queue-max-application", -1, INT32_MAX, &number);
    if (number > 0)
        queue->max_apps_given = number;
    number = -1;
    if (capacity_get_int(reading, queue, "maximum-applications", -1, INT32_MAX, &number) &&
        number >= 0)
        queue->max_apps_given = number;
    queue->max_parallel_apps = INT64_MAX;
    capacity_get_int(reading, NULL, "max-parallel-apps", 0, INT32_MAX, &queue->max_parallel_apps);
    capacity_get_int(reading, queue, "max-parallel-apps", 0, INT32_MAX, &queue->max_parallel_apps);
}

/* maximum-allocation, or the older pair of keys if that is not given. */
static void read_allocation(struct capacity_reading *reading, struct capacity_queue *queue)
{
    static const char whole[] = "maximum-allocation";
    const struct resource *most = &reading->config->maximum_allocation;
    struct resource limit = queue->parent ? queue->parent->maximum_allocation : *most;
    const char *text = capacity_get(reading, queue, whole);
    size_t length;

    if (text) {
        length = strlen(text);
        if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
            scoped_free char *inner = mem_strndup(text + 1, length - 2);

            capacity_read_resource(reading, inner, &limit);
        } else {
            capacity_read_resource(reading, text, &limit);
        }
    } else {
        capacity_get_int(reading, queue, "maximum-allocation-mb", 1, INT64_C(1) << 40,
                         &limit.value[RESOURCE_MEMORY_MB]);
        capacity_get_int(reading, queue, "maximum-allocation-vcores", 1, INT64_C(1) << 40,
                         &limit.value[RESOURCE_VCORES]);
    }
    queue->maximum_allocation = resource_min(limit, *most);
    for (size_t t = 0; t < reading->config->types.count; t++) {
        const char *name = text ? whole : t == 0 ? "maximum-allocation-mb" :
                           "maximum-allocation-vcores";

        if (limit.value[t] > most->value[t])
            capacity_problem_at(reading, queue, name, "%s %lld is above the cluster's maximum "
                                "allocation, %lld", reading->config->types.type[t].name,
                                (long long)limit.value[t], (long long)most->value[t]);
    }
}

/* Seconds; 0 and less are none. A default beyond the maximum is refused where it was given. */
static void read_lifetimes(struct capacity_reading *reading, struct capacity_queue *queue)
{
    int64_t most = queue->parent ? queue->parent->maximum_lifetime_s : -1;
    int64_t usual = queue->parent ? queue->parent->default_lifetime_s : -1;
    const int64_t limit = INT64_MAX / 1000;
    bool given;

    capacity_get_int(reading, queue, "maximum-application-lifetime", -1, limit, &most);
    given = capacity_get_int(reading, queue, "default-application-lifetime", -1, limit, &usual);
    if (most > 0 && usual > most && given)
        capacity_problem(reading, "is above the maximum-application-lifetime of %s, %lld",
                         queue->path, (long long)most);
    if (most > 0 && (usual <= 0 || usual > most))
        usual = most;
    queue->maximum_lifetime_s = most > 0 ? most : -1;
    queue->default_lifetime_s = usual > 0 ? usual : -1;
}

/* ROOTS: root's list if none is written. */
static char *read_acl(struct capacity_reading *reading, const struct capacity_queue *queue,
                      const char *suffix, const char *roots)
{
    const char *text = capacity_get(reading, queue, suffix);

    if (text)
        return mem_strdup(conf_raw_acl(reading->conf, reading->key));
    return mem_strdup(queue->parent ? " " : roots);
}

static void read_preemption(struct capacity_reading *reading, struct capacity_queue *queue)
{
    queue->disable_preemption = queue->parent && queue->parent->disable_preemption;
    queue->disable_intra_preemption = queue->parent && queue->parent->disable_intra_preemption;
    capacity_get_bool(reading, queue, "disable_preemption", &queue->disable_preemption);
    capacity_get_bool(reading, queue, "intra-queue-preemption.disable_preemption",
                      &queue->disable_intra_preemption);
}

/* --- queues that submissions make ------------------------------------------------------- */

static void read_creation(struct capacity_reading *reading, struct capacity_queue *queue)
{
    const char *most;

    queue->auto_create_max_queues = 1000;
    queue->auto_create_max_depth = 2;
    queue->auto_remove = true;
    capacity_get_bool(reading, queue, "auto-queue-creation-v2.enabled", &queue->auto_create);
    capacity_get_bool(reading, queue, "auto-create-child-queue.enabled",
                      &queue->auto_create_legacy);
    if (queue->auto_create_legacy)
        capacity_managed_read(reading, queue);
    capacity_get(reading, queue, "auto-create-child-queue.enabled");
    if (queue->auto_create && queue->auto_create_legacy)
        capacity_problem(reading, "%s cannot make queues in both ways: auto-queue-creation-v2.enabled "
                         "is true too", queue->path);
    if (queue->auto_create_legacy && !TAILQ_EMPTY(&queue->children))
        capacity_problem(reading, "%s has queues in the file, so it cannot be such a parent; "
                         "auto-queue-creation-v2.enabled goes with them", queue->path);
    /* What makes queues is a parent, even of none. A dynamic parent goes on as its parent does. */
    if (queue->dynamic && !queue->leaf)
        queue->auto_create = true;
    if (queue->auto_create || queue->auto_create_legacy)
        capacity_queue_set_leaf(reading->config, queue, false);
    most = queue->auto_create_legacy ? "auto-create-child-queue.max-queues" :
                                       "auto-queue-creation-v2.max-queues";
    capacity_get_int(reading, queue, most, 0, CAPACITY_QUEUES_MAX, &queue->auto_create_max_queues);
    capacity_get_int(reading, queue, "auto-queue-creation-v2.maximum-queue-depth", 1,
                     CAPACITY_DEPTH_MAX, &queue->auto_create_max_depth);
    capacity_get_bool(reading, queue, "auto-queue-creation-v2.queue-auto-removal.enable",
                      &queue->auto_remove);
}

void capacity_read_queue(struct capacity_reading *reading, struct capacity_queue *queue)
{
    read_creation(reading, queue);
    read_access(reading, queue);
    read_default_label(reading, queue);
    read_shares(reading, queue);
    read_state(reading, queue);
    read_order(reading, queue);
    read_priorities(reading, queue);
    read_user_limits(reading, queue);
    read_app_limits(reading, queue);
    read_allocation(reading, queue);
    read_lifetimes(reading, queue);
    read_preemption(reading, queue);
    free(queue->acl_submit);
    free(queue->acl_administer);
    queue->acl_submit = read_acl(reading, queue, "acl_submit_applications", "*");
    /* Differs: YARN's default for root is everybody. Who turns access lists on and writes none here does
     * not mean that each user may see and kill the applications of all others. */
    queue->acl_administer = read_acl(reading, queue, "acl_administer_queue", " ");
    capacity_get_bool(reading, queue, "allow-zero-capacity-sum", &queue->allow_zero_capacity_sum);
}

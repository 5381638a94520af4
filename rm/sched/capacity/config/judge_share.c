/* SPDX-License-Identifier: Apache-2.0 */
/* judge_share.c - checks the capacities of queues against their parent and siblings (5.1) */
#include <stdio.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/base/text_print.h"
#include "rm/sched/calc.h"
#include "rm/sched/capacity/config/private.h"

#define SUM_SHOWN_MAX 1000

#define LABEL_SHOWN_MAX (TEXT_LABEL_MAX + 16)

static const char *for_label(const struct capacity_config *config, int label, char text[LABEL_SHOWN_MAX])
{
    if (label == 0)
        return "";
    snprintf(text, LABEL_SHOWN_MAX, " for label %s", config->labels[label]);
    return text;
}

/* Returns true if SHARE has a mode that its siblings must have, too. 0 % is allowed beside every mode. */
static bool has_form(const struct capacity_share *share)
{
    return share->mode != CAPACITY_PERCENT || share->configured > 0;
}

static const char *form_name(enum capacity_mode mode)
{
    return mode == CAPACITY_PERCENT ? "percentages" : mode == CAPACITY_WEIGHT ? "weights" : "amounts";
}

/* Checks that siblings have the same mode for all labels, and sets FORM to that mode. Returns false, with a
 * report, if they differ. */
static bool judge_forms(struct capacity_reading *reading, const struct capacity_queue *parent,
                        enum capacity_mode *form)
{
    const struct capacity_config *config = reading->config;
    const struct capacity_queue *child, *first = NULL;

    *form = CAPACITY_PERCENT;
    TAILQ_FOREACH(child, &parent->children, sibling)
        for (int i = 0; i < config->label_count; i++) {
            if (!has_form(&child->shares[i]))
                continue;
            if (first == NULL) {
                first = child;
                *form = child->shares[i].mode;
            } else if (child->shares[i].mode != *form) {
                capacity_problem(capacity_at(reading, child, CAPACITY_KEY_CAPACITY, i),
                                 "queues side "
                                 "by side have one form, but that of %s is in %s; " CAPACITY_PREFIX
                                 "legacy-queue-mode.enabled false would allow both",
                                 first->path, form_name(*form));
                return false;
            }
        }
    return true;
}

/* Writes the children with percentages: "a 30, b 70.5, ..." */
static void show_children(const struct capacity_queue *parent, int label, char text[SUM_SHOWN_MAX])
{
    struct text_builder list = TEXT_BUILDER_MALLOC;
    const struct capacity_queue *child;
    scoped_free char *all = NULL;

    TAILQ_FOREACH(child, &parent->children, sibling) {
        if (child->shares[label].mode != CAPACITY_PERCENT)
            continue;
        text_builder_separate(&list, ", ");
        text_builder_printf(&list, "%s %.7g", child->name, (double)child->shares[label].configured);
    }
    all = text_builder_finish(&list);
    text_print(text, SUM_SHOWN_MAX, "%s", all);
}

static void report_sum(struct capacity_reading *reading, const struct capacity_queue *parent, int label,
                       double sum, const char *expected)
{
    char text[SUM_SHOWN_MAX], shown[LABEL_SHOWN_MAX];

    show_children(parent, label, text);
    capacity_problem(capacity_at(reading, parent, CAPACITY_KEY_QUEUES, 0),
                     "the capacities of the queues "
                     "of %s%s add up to %.7g (%s), expected %s",
                     parent->path, for_label(reading->config, label, shown), sum, text, expected);
}

/* Checks that percentages add up to 100, or to 0 if that is allowed. As in YARN, the sum is computed in
 * floats, with the same tolerance. Weights and amounts beside the percentages do not count. */
static void judge_sum(struct capacity_reading *reading, const struct capacity_queue *parent, int label)
{
    const struct capacity_share *own = &parent->shares[label];
    bool parent_has = own->mode != CAPACITY_PERCENT || own->configured > 0;
    const struct capacity_queue *child;
    float sum = 0, off;
    double shown = 0;

    TAILQ_FOREACH(child, &parent->children, sibling) {
        if (child->shares[label].mode != CAPACITY_PERCENT)
            continue;
        sum += child->shares[label].configured / 100.0f;
        shown += (double)child->shares[label].configured;
    }
    off = sum > 1 ? sum - 1 : 1 - sum;
    if (!reading->config->legacy_queue_mode) {
        if (sum > 1 && off > CAPACITY_SUM_TOLERANCE)
            report_sum(reading, parent, label, shown, "at most 100");
    } else if (sum < CAPACITY_SUM_TOLERANCE) {
        if (parent_has && own->mode == CAPACITY_PERCENT && !parent->allow_zero_capacity_sum &&
            !parent->auto_create)
            report_sum(reading, parent, label, shown, "100 (or allow-zero-capacity-sum)");
    } else if (off > CAPACITY_SUM_TOLERANCE) {
        report_sum(reading, parent, label, shown, "100, give or take 0.05");
    } else if (!parent_has) {
        report_sum(reading, parent, label, shown, "0, for that is the capacity of their parent");
    }
}

/* --- amounts ------------------------------------------------------------------------- */

/* Returns true if A is more than B by the calculator. The size of the cluster is not known while a file is
 * read. *TYPE is set to the first type of which A has more than B. */
static bool is_more(const struct capacity_config *config, const struct resource *a, const struct resource *b,
                    size_t *type)
{
    const struct calc calc = { config->dominant, (int)config->types.count };
    const struct resource nothing = { .value = { 0 } };

    for (*type = 0; *type < config->types.count && a->value[*type] <= b->value[*type];)
        ++*type;
    return calc_is_more(&calc, &nothing, a, b);
}

/* Returns the amounts of VECTOR (may be NULL). Types for which it has no amount get OTHERS. */
static struct resource amounts_of(const struct capacity_vector *vector, int64_t others)
{
    struct resource amounts;

    for (size_t t = 0; t < RESOURCE_TYPES_MAX; t++)
        amounts.value[t] = vector && vector->given[t] && vector->unit[t] == CAPACITY_UNIT_ABSOLUTE
                               ? (int64_t)vector->value[t]
                               : others;
    return amounts;
}

static bool has_amounts(const struct capacity_vector *vector)
{
    for (size_t t = 0; vector && t < RESOURCE_TYPES_MAX; t++)
        if (vector->given[t] && vector->unit[t] == CAPACITY_UNIT_ABSOLUTE)
            return true;
    return false;
}

/* Checks that the minimums of the children of PARENT add up to at most PARENT's minimum, by the calculator:
 * types that it does not compare may exceed it, with a warning. */
static void judge_amounts(struct capacity_reading *reading, const struct capacity_queue *parent, int label)
{
    const struct capacity_config *config = reading->config;
    struct resource own = amounts_of(parent->shares[label].minimum_vector, 0), sum;
    char shown[LABEL_SHOWN_MAX];
    size_t t;
    bool refused;

    for (t = 0; t < RESOURCE_TYPES_MAX; t++)
        sum.value[t] = (int64_t)capacity_amount_of_children(parent, label, t, CAPACITY_UNIT_ABSOLUTE);
    refused = is_more(config, &sum, &own, &t);
    if (t == config->types.count || resource_is_zero(&own))
        return; /* a parent with amounts for other labels alone has no limit for this one */
    capacity_at(reading, parent, CAPACITY_KEY_QUEUES, 0);
    if (refused)
        capacity_problem(reading,
                         "the minimums of the queues of %s%s add up to %lld of %s, expected at most %lld, "
                         "its own",
                         parent->path, for_label(config, label, shown), (long long)sum.value[t],
                         config->types.type[t].name, (long long)own.value[t]);
    else
        capacity_warning(reading,
                         "the minimums of the queues of %s%s add up to %lld of %s, more than its own, %lld: "
                         "they cannot all be used at a time",
                         parent->path, for_label(config, label, shown), (long long)sum.value[t],
                         config->types.type[t].name, (long long)own.value[t]);
}

static bool has_vector(const struct capacity_config *config, const struct capacity_queue *queue)
{
    for (int i = 0; i < config->label_count; i++)
        if (queue->shares[i].mode == CAPACITY_VECTOR)
            return true;
    return false;
}

/* Checks that a queue with amounts has only children with amounts, and the reverse; except for root. As in
 * YARN, amounts for any label count. */
static bool judge_form_of_parent(struct capacity_reading *reading, const struct capacity_queue *parent,
                                 enum capacity_mode form, int label)
{
    bool amounts = has_vector(reading->config, parent);
    const struct capacity_queue *child;

    if (parent->parent == NULL || amounts == (form == CAPACITY_VECTOR))
        return true;
    TAILQ_FOREACH(child, &parent->children, sibling)
        if (has_form(&child->shares[label])) {
            capacity_problem(capacity_at(reading, child, CAPACITY_KEY_CAPACITY, label),
                             amounts ? "expected amounts, for the capacity of %s is in amounts"
                                     : "expected no amounts, for %s has no capacity in amounts",
                             parent->path);
            return false;
        }
    return true;
}

void capacity_judge_siblings(struct capacity_reading *reading, const struct capacity_queue *parent)
{
    const struct capacity_config *config = reading->config;
    enum capacity_mode form;

    if (TAILQ_EMPTY(&parent->children))
        return;
    if (!config->legacy_queue_mode) {
        for (int i = 0; i < config->label_count; i++)
            judge_sum(reading, parent, i);
        return;
    }
    if (!judge_forms(reading, parent, &form))
        return;
    for (int i = 0; i < config->label_count; i++) {
        if (!judge_form_of_parent(reading, parent, form, i) || form == CAPACITY_WEIGHT)
            continue;
        if (form == CAPACITY_PERCENT && parent->shares[i].mode != CAPACITY_VECTOR)
            judge_sum(reading, parent, i);
        else if (form == CAPACITY_VECTOR && parent->parent)
            judge_amounts(reading, parent, i);
    }
}

/* --- maximum ------------------------------------------------------------------------- */

/* Returns the nearest queue above QUEUE that sets a maximum in amounts, if the queues between them have
 * amounts, so that they inherit it (AbstractCSQueue.updateConfigurableResourceLimits); or NULL. */
static const struct capacity_queue *above_with_maximum(const struct capacity_queue *queue, int label)
{
    const struct capacity_queue *above = queue->parent;

    while (above && !has_amounts(above->shares[label].maximum_vector) &&
           has_amounts(above->shares[label].minimum_vector))
        above = above->parent;
    return above && has_amounts(above->shares[label].maximum_vector) ? above : NULL;
}

/* Checks, by the calculator, that the maximum amounts of QUEUE are at most those of the queues above it, and
 * that its minimum is at most its maximum. */
static void judge_maximum_vector(struct capacity_reading *reading, const struct capacity_queue *queue,
                                 int label)
{
    const struct capacity_config *config = reading->config;
    const struct capacity_share *share = &queue->shares[label];
    const struct capacity_queue *above = above_with_maximum(queue, label);
    bool own = has_amounts(share->maximum_vector);
    struct resource least = amounts_of(share->minimum_vector, 0), most, limit;
    size_t t;

    limit = amounts_of(above ? above->shares[label].maximum_vector : NULL, INT64_MAX);
    most = amounts_of(share->maximum_vector, INT64_MAX);
    for (t = 0; own && t < RESOURCE_TYPES_MAX; t++)
        if (most.value[t] == INT64_MAX)
            most.value[t] = limit.value[t];
    capacity_at(reading, queue, own ? CAPACITY_KEY_MAXIMUM : CAPACITY_KEY_CAPACITY, label);
    if (own && is_more(config, &most, &limit, &t))
        capacity_problem(reading, "%lld of %s is above the maximum of %s, %lld", (long long)most.value[t],
                         config->types.type[t].name, above->path, (long long)limit.value[t]);
    if (own && is_more(config, &least, &most, &t))
        capacity_problem(reading, "%lld of %s is below the capacity, %lld", (long long)most.value[t],
                         config->types.type[t].name, (long long)least.value[t]);
    if (!own && is_more(config, &least, &limit, &t))
        capacity_problem(reading, "%lld of %s is above the maximum of %s, %lld, which %s inherits",
                         (long long)least.value[t], config->types.type[t].name, above->path,
                         (long long)limit.value[t], queue->path);
}

/* Warns of a maximum below the capacity. As in YARN, such a file is valid: with weights, an
 * administrator does not know the capacity that follows from them. */
static void judge_maximum(struct capacity_reading *reading, const struct capacity_queue *queue, int label)
{
    const struct capacity_share *share = &queue->shares[label];
    char shown[LABEL_SHOWN_MAX];

    if (share->maximum_vector || share->minimum_vector) {
        judge_maximum_vector(reading, queue, label);
        return;
    }
    if (share->absolute_maximum >= share->absolute - CAPACITY_MAXIMUM_TOLERANCE ||
        capacity_get(reading, queue, CAPACITY_KEY_MAXIMUM, label) == NULL)
        return; /* without a maximum of its own, the warning is about a queue above */
    capacity_warning(reading,
                     "%s never gets more than %.6g %% of the cluster%s, so its capacity of %.6g %% is not "
                     "used above that: raise the maximum, or lower the capacity",
                     queue->path, (double)share->absolute_maximum * 100,
                     for_label(reading->config, label, shown), (double)share->absolute * 100);
}

static bool has_any_form(const struct capacity_config *config, const struct capacity_queue *queue)
{
    for (int i = 0; i < config->label_count; i++)
        if (has_form(&queue->shares[i]))
            return true;
    return false;
}

/* Warns of a queue without a capacity whose siblings have one: this is valid, but often a mistake, when a
 * queue is only in the list of queues. */
static void warn_of_no_capacity(struct capacity_reading *reading, const struct capacity_queue *parent)
{
    const struct capacity_queue *child;
    bool any = false;

    TAILQ_FOREACH(child, &parent->children, sibling)
        any |= has_any_form(reading->config, child);
    TAILQ_FOREACH(child, &parent->children, sibling) {
        if (!any || child->dynamic || has_any_form(reading->config, child) ||
            capacity_get(reading, child, CAPACITY_KEY_CAPACITY, 0))
            continue;
        capacity_warning(capacity_at(reading, parent, CAPACITY_KEY_QUEUES, 0),
                         "%s has no capacity, so "
                         "it %s",
                         child->path,
                         child->leaf && child->max_apps == 0
                             ? "accepts no applications unless it has maximum-applications"
                             : "only gets what other queues do not use");
    }
}

/* Warns of weights for a label of which root has nothing: they are parts of nothing. (Percentages are
 * refused, since they do not add up to 0; amounts are what they are.) */
static void warn_of_label_of_root(struct capacity_reading *reading, const struct capacity_queue *root,
                                  int label)
{
    const struct capacity_queue *child;

    if (root->shares[label].configured > 0 || root->shares[label].minimum_vector)
        return;
    TAILQ_FOREACH(child, &root->children, sibling) {
        if (child->shares[label].mode != CAPACITY_WEIGHT)
            continue;
        capacity_warning(capacity_at(reading, child, CAPACITY_KEY_CAPACITY, label),
                         "is of no use, since root has no capacity for label %s: set " CAPACITY_PREFIX
                         "root." CAPACITY_LABEL_PREFIX "%s.capacity to 100",
                         reading->config->labels[label], reading->config->labels[label]);
        return;
    }
}

void capacity_judge_shares(struct capacity_reading *reading, struct capacity_queue *queue)
{
    for (int i = 1; queue->parent == NULL && i < reading->config->label_count; i++)
        warn_of_label_of_root(reading, queue, i);
    for (int i = 0; i < reading->config->label_count; i++)
        judge_maximum(reading, queue, i);
    warn_of_no_capacity(reading, queue);
    capacity_judge_siblings(reading, queue);
}

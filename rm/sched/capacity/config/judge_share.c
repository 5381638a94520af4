/* SPDX-License-Identifier: Apache-2.0 */
/* judge_share.c - checks the capacities of queues against their parent and siblings (5.1) */
#include <stdio.h>

#include "rm/sched/capacity/config/private.h"

#define SUM_SHOWN_MAX 400

#define LABEL_SHOWN_MAX (CAPACITY_LABEL_NAME_MAX + 16)

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

/* Writes the children and their capacities: "a 30, b 70.5, ..." */
static void show_children(const struct capacity_queue *parent, int label, char text[SUM_SHOWN_MAX])
{
    const struct capacity_queue *child;
    size_t used = 0;

    text[0] = '\0';
    TAILQ_FOREACH(child, &parent->children, sibling) {
        used += (size_t)snprintf(text + used, SUM_SHOWN_MAX - used, "%s%.40s %.7g", used ? ", " : "",
                                 child->name, (double)child->shares[label].configured);
        if (used > SUM_SHOWN_MAX - 80) {
            if (TAILQ_NEXT(child, sibling))
                snprintf(text + used, SUM_SHOWN_MAX - used, ", ...");
            break;
        }
    }
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
 * floats, with the same tolerance. */
static void judge_sum(struct capacity_reading *reading, const struct capacity_queue *parent, int label)
{
    const struct capacity_share *own = &parent->shares[label];
    bool parent_has = own->mode != CAPACITY_PERCENT || own->configured > 0;
    const struct capacity_queue *child;
    float sum = 0, off;
    double shown = 0;

    TAILQ_FOREACH(child, &parent->children, sibling) {
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

/* Checks that the minimums of the children of PARENT add up to at most PARENT's minimum. */
static void judge_amounts(struct capacity_reading *reading, const struct capacity_queue *parent, int label)
{
    const struct capacity_config *config = reading->config;
    char shown[LABEL_SHOWN_MAX];

    for (size_t t = 0; t < config->types.count; t++) {
        enum capacity_unit unit;
        double own = capacity_share_amount(&parent->shares[label], t, &unit);
        double sum = capacity_amount_of_children(parent, label, t, CAPACITY_UNIT_ABSOLUTE);

        if (sum > own)
            capacity_problem(capacity_at(reading, parent, CAPACITY_KEY_QUEUES, 0),
                             "the minimums of the "
                             "queues of %s%s add up to %.0f of %s, expected at most %.0f, its own",
                             parent->path, for_label(config, label, shown), sum, config->types.type[t].name,
                             own);
    }
}

/* Checks that a queue with amounts has only children with amounts, and the reverse; except for root. */
static bool judge_form_of_parent(struct capacity_reading *reading, const struct capacity_queue *parent,
                                 enum capacity_mode form, int label)
{
    const struct capacity_share *own = &parent->shares[label];
    const struct capacity_queue *child;

    if (parent->parent == NULL || !has_form(own) ||
        (own->mode == CAPACITY_VECTOR) == (form == CAPACITY_VECTOR))
        return true;
    TAILQ_FOREACH(child, &parent->children, sibling)
        if (has_form(&child->shares[label])) {
            capacity_problem(capacity_at(reading, child, CAPACITY_KEY_CAPACITY, label),
                             "expected %s, for the capacity of %s is in %s",
                             own->mode == CAPACITY_VECTOR ? "amounts" : "no amounts", parent->path,
                             form_name(own->mode));
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

static void judge_maximum_vector(struct capacity_reading *reading, const struct capacity_queue *queue,
                                 int label)
{
    const struct capacity_config *config = reading->config;
    const struct capacity_share *share = &queue->shares[label];
    const struct capacity_vector *most = share->maximum_vector, *least = share->minimum_vector;
    const struct capacity_vector *above = queue->parent ? queue->parent->shares[label].maximum_vector : NULL;

    capacity_at(reading, queue, CAPACITY_KEY_MAXIMUM, label);
    for (size_t t = 0; most && t < config->types.count; t++) {
        if (!most->given[t] || most->unit[t] != CAPACITY_UNIT_ABSOLUTE)
            continue;
        if (least && least->given[t] && least->unit[t] == CAPACITY_UNIT_ABSOLUTE &&
            least->value[t] > most->value[t])
            capacity_problem(reading, "%.0f of %s is below the capacity, %.0f", most->value[t],
                             config->types.type[t].name, least->value[t]);
        if (above && above->given[t] && above->unit[t] == CAPACITY_UNIT_ABSOLUTE &&
            above->value[t] < most->value[t])
            capacity_problem(reading, "%.0f of %s is above the maximum of %s, %.0f", most->value[t],
                             config->types.type[t].name, queue->parent->path, above->value[t]);
    }
}

static void judge_maximum(struct capacity_reading *reading, const struct capacity_queue *queue, int label)
{
    const struct capacity_share *share = &queue->shares[label];

    if (share->maximum_vector || share->minimum_vector) {
        judge_maximum_vector(reading, queue, label);
        return;
    }
    if (share->absolute_maximum >= share->absolute - CAPACITY_MAXIMUM_TOLERANCE)
        return;
    if (capacity_get(reading, queue, CAPACITY_KEY_MAXIMUM, label) == NULL)
        capacity_at(reading, queue, CAPACITY_KEY_CAPACITY, label);
    capacity_problem(reading,
                     "%s may use at most %.6g %% of the cluster, below its capacity of "
                     "%.6g %%",
                     queue->path, (double)share->absolute_maximum * 100, (double)share->absolute * 100);
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

void capacity_judge_shares(struct capacity_reading *reading, struct capacity_queue *queue)
{
    for (int i = 0; i < reading->config->label_count; i++)
        judge_maximum(reading, queue, i);
    warn_of_no_capacity(reading, queue);
    capacity_judge_siblings(reading, queue);
}

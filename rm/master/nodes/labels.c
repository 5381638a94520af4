/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.c - the labels of the cluster
 *
 * A label exists because creel.node-labels names it, an administrator added it (such labels are kept over
 * restarts), the configuration of a queue names it, or a node has it. As in YARN, a label that a queue names
 * cannot be removed, and its kind (exclusive or shared) cannot be changed.
 *
 * Differs: in YARN only administrators add labels, and a queue that names an unknown label is refused.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "common/base/text_builder.h"
#include "rm/master/nodes/labels.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"
#include "rm/master/state/settings.h"

/* --- known labels -------------------------------------------------------- */

/* Returns a node with the label NAME; NULL: there is none. */
static const struct node *rm_label_node(const struct master *m, const char *name)
{
    struct node *node;

    RB_FOREACH(node, rm_node_tree, (struct rm_node_tree *)(uintptr_t)&m->nodes)
        if (node->label && text_equal(node->label, name))
            return node;
    return NULL;
}

/* Sets RET to the origin of the label. Returns false if the label does not exist (any more). */
bool rm_label_source(const struct master *m, const char *name, Creel__LabelSource *ret)
{
    struct sched_label label;
    bool in_use = sched_label_find(m->sched, name, &label);

    if (in_use && label.configured)
        *ret = CREEL__LABEL_SOURCE__LABEL_CONFIGURED;
    else if (rm_setting_find(m, SETTING_LABEL, name))
        *ret = CREEL__LABEL_SOURCE__LABEL_ADDED;
    else if (in_use && sched_label_queue(m->sched, name))
        *ret = CREEL__LABEL_SOURCE__LABEL_OF_QUEUE;
    else if (in_use && rm_label_node(m, name))
        *ret = CREEL__LABEL_SOURCE__LABEL_OF_NODE;
    else
        return false;
    return true;
}

bool rm_label_is_shared(const struct master *m, const char *name)
{
    struct sched_label label;

    return sched_label_find(m->sched, name, &label) && label.shared;
}

bool rm_label_is_known(const struct master *m, const char *name)
{
    Creel__LabelSource source;

    return rm_label_source(m, name, &source);
}

const char *rm_labels_known(const struct master *m)
{
    struct text_builder known = TEXT_BUILDER_IN(m->out->arena);
    struct sched_label label;

    for (int l = 1; sched_label_at(m->sched, l, &label); l++)
        if (rm_label_is_known(m, label.name))
            text_builder_printf(&known, "%s%s", known.length > 0 ? ", " : "there is ", label.name);
    return known.length > 0 ? text_builder_finish(&known) : "there is none";
}

/* --- as messages -------------------------------------------------------------- */

static Creel__LabelReport *label_report(struct master *m, const struct sched_label *label,
                                        Creel__LabelSource source)
{
    Creel__LabelReport *report = arena_new0(m->out->arena, Creel__LabelReport);
    const struct setting *setting = rm_setting_find(m, SETTING_LABEL, label->name);
    struct resource total = resource_of(0, 0);
    struct node *node;

    creel__label_report__init(report);
    report->name = rm_message_text(m->out->arena, label->name);
    report->exclusive = !label->shared;
    report->source = source;
    if (source == CREEL__LABEL_SOURCE__LABEL_ADDED) {
        report->by = rm_message_text(m->out->arena, setting->by);
        report->since_ms = setting->since_ms;
    }
    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        if (node->sched == NULL || !text_equal(node->label ? node->label : "", label->name))
            continue;
        report->nodes++;
        total = resource_add(total, node->total);
    }
    report->total = rm_resource_message(m, &total);
    return report;
}

Creel__LabelList *rm_labels_list(struct master *m)
{
    Creel__LabelList *list = arena_new0(m->out->arena, Creel__LabelList);
    Creel__LabelSource source;
    struct sched_label label;

    creel__label_list__init(list);
    list->labels = arena_array0(m->out->arena, (size_t)sched_label_count(m->sched), sizeof(*list->labels));
    for (int l = 1; sched_label_at(m->sched, l, &label); l++)
        if (rm_label_source(m, label.name, &source))
            list->labels[list->n_labels++] = label_report(m, &label, source);
    return list;
}

int rm_label_declare(struct master *m, const char *name, bool shared, struct err *err)
{
    if (sched_label_declare(m->sched, name, shared) == 0)
        return 0;
    return err_set(err, EDQUOT,
                   "label %s: is one too many: there are at most %d, and those that were "
                   "removed count until the resource manager is restarted",
                   name, SCHED_LABELS_MAX - 1);
}

/* --- a new configuration ------------------------------------------------------ */

/* Applies a label that an administrator added. Returns a note about it; NULL: none. */
static const char *apply(struct master *m, struct setting *setting)
{
    struct sched_label label;
    bool shared = text_equal(setting->value, LABEL_SHARED);
    struct err err = { .text = "" };
    const char *note;

    if (!sched_label_find(m->sched, setting->name, &label) || !label.configured)
        return rm_label_declare(m, setting->name, shared, &err) < 0
                   ? arena_printf(m->out->arena, "%s", err.text)
                   : NULL;
    if (label.shared == shared)
        return NULL;
    note = arena_printf(m->out->arena,
                        "label %s: is %s, as creel.node-labels has it; the earlier "
                        "creel label add is void",
                        setting->name, shared ? LABEL_EXCLUSIVE : LABEL_SHARED);
    rm_setting_forget(m, setting);
    return note;
}

size_t rm_labels_apply(struct master *m, const char **notes)
{
    struct setting *setting, *next;
    size_t count = 0;

    if (!m->features.labels)
        return 0;
    HASH_ITER(hh, m->settings, setting, next) {
        if (!text_equal(setting->kind, SETTING_LABEL))
            continue;
        notes[count] = apply(m, setting);
        count += notes[count] != NULL;
    }
    return count;
}

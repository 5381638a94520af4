/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.c - the labels of the cluster, and administrators who add and remove them while it runs
 *
 * There is a label because creel.node-labels names it, an administrator added it (kept over
 * restarts), a queue's configuration names it, or a node has it. As in YARN one that a queue names cannot
 * be removed, and how it lends itself out (exclusive or not) cannot be changed.
 *
 * Differs: in YARN labels are added by administrators alone, and a queue that names another is refused.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "rm/master/internal.h"

#define EXCLUSIVE "exclusive"
#define SHARED "shared"

/* --- which there are -------------------------------------------------------- */

static const struct node *node_that_has(const struct master *m, const char *name)
{
    struct node *node;

    RB_FOREACH(node, rm_node_tree, (struct rm_node_tree *)(uintptr_t)&m->nodes)
        if (node->label && text_equal(node->label, name))
            return node;
    return NULL;
}

/* False: nobody has or names it (any more). */
static bool find_source(const struct master *m, const char *name, Creel__LabelSource *ret)
{
    struct sched_label label;
    bool in_use = sched_label_find(m->sched, name, &label);

    if (in_use && label.configured)
        *ret = CREEL__LABEL_SOURCE__LABEL_CONFIGURED;
    else if (rm_setting_find(m, SETTING_LABEL, name))
        *ret = CREEL__LABEL_SOURCE__LABEL_ADDED;
    else if (in_use && sched_label_queue(m->sched, name))
        *ret = CREEL__LABEL_SOURCE__LABEL_OF_QUEUE;
    else if (in_use && node_that_has(m, name))
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

    return find_source(m, name, &source);
}

const char *rm_labels_known(const struct master *m)
{
    const char *known = "";
    struct sched_label label;

    for (int l = 1; sched_label_at(m->sched, l, &label); l++)
        if (rm_label_is_known(m, label.name))
            known = arena_printf(m->out->arena, "%s%s%s", known, *known ? ", " : "", label.name);
    return *known ? arena_printf(m->out->arena, "there is %s", known) : "there is none";
}

/* --- as people see them ------------------------------------------------------- */

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
    list->labels = arena_array0(m->out->arena, (size_t)sched_label_count(m->sched),
                                sizeof(*list->labels));
    for (int l = 1; sched_label_at(m->sched, l, &label); l++)
        if (find_source(m, label.name, &source))
            list->labels[list->n_labels++] = label_report(m, &label, source);
    return list;
}

void rm_on_list_labels(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    Creel__Envelope *envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_LABEL_LIST);

    envelope->label_list = rm_labels_list(m);
    rm_reply_to(m, peer, envelope);
}

/* --- changes ----------------------------------------------------------------- */

/* YARN's rule for names. */
static bool is_name(const char *name)
{
    size_t length = strlen(name);

    if (length == 0 || length > SCHED_LABEL_NAME_MAX || !isalnum((unsigned char)name[0]))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '-' && name[i] != '_')
            return false;
    return true;
}

static int judge_addition(const struct master *m, const Creel__LabelSpec *spec, struct err *err)
{
    Creel__LabelSource source;
    bool known = find_source(m, spec->name, &source);

    if (!is_name(spec->name))
        return err_set(err, EINVAL, "label %s: expected letters, digits, - and _, beginning with a letter "
                       "or digit, at most %d", spec->name, SCHED_LABEL_NAME_MAX);
    if (known && source <= CREEL__LABEL_SOURCE__LABEL_ADDED &&
        rm_label_is_shared(m, spec->name) != spec->shared)
        return err_set(err, EEXIST, "label %s: is there, and is %s; that cannot be changed (%s)",
                       spec->name, spec->shared ? EXCLUSIVE : SHARED,
                       source == CREEL__LABEL_SOURCE__LABEL_CONFIGURED
                           ? "creel.node-labels says so" : "creel label remove, and add it anew");
    return 0;
}

static int judge_removal(struct master *m, const Creel__LabelSpec *spec, struct err *err)
{
    const char *queue, *name = spec->name;
    Creel__LabelSource source;
    struct node *node;

    if (!find_source(m, name, &source))
        return err_set(err, ENOENT, "label %s: not defined; %s", name, rm_labels_known(m));
    if (source == CREEL__LABEL_SOURCE__LABEL_CONFIGURED)
        return err_set(err, EEXIST, "label %s: creel.node-labels names it: take it out there, and then: "
                       "creel admin refresh queues", name);
    queue = sched_label_queue(m->sched, name);
    if (queue)
        return err_set(err, EEXIST, "label %s: queue %s uses it: take it out of that queue's "
                       "accessible-node-labels first, and then: creel admin refresh queues", name,
                       queue);
    RB_FOREACH(node, rm_node_tree, &m->nodes)
        if (node->own_label && text_equal(node->own_label, name) && text_equal(node->label, name))
            return err_set(err, EEXIST, "label %s: node %s has it by its own configuration: change that, "
                           "or: creel node label %s remove", name, node->id, node->id);
    return 0;
}

static int declare(struct master *m, const char *name, bool shared, struct err *err)
{
    if (sched_label_declare(m->sched, name, shared) == 0)
        return 0;
    return err_set(err, EDQUOT, "label %s: is one too many: there are at most %d, and those that were "
                   "removed count until the resource manager starts anew", name,
                   SCHED_LABELS_MAX - 1);
}

static int judge(struct master *m, const Creel__ChangeLabels *body, struct err *err)
{
    struct sched_label label;
    int fresh = 0, r = 0;

    if (!m->features.labels)
        return err_set(err, ESHUTDOWN, "the %s scheduler has no labels", m->config.scheduler);
    if (!body->remove && !m->features.labels_enabled)
        return err_set(err, ESHUTDOWN, "yarn.node-labels.enabled is false: with true, and after creel "
                       "admin refresh queues, there are labels");
    for (size_t i = 0; r == 0 && i < body->n_labels; i++) {
        r = body->remove ? judge_removal(m, body->labels[i], err)
                         : judge_addition(m, body->labels[i], err);
        fresh += sched_label_find(m->sched, body->labels[i]->name, &label) ? 0 : 1;
    }
    if (r == 0 && !body->remove && sched_label_count(m->sched) + fresh > SCHED_LABELS_MAX)
        return err_set(err, EDQUOT, "there are at most %d labels, and those that were removed count until "
                       "the resource manager starts anew", SCHED_LABELS_MAX - 1);
    return r;
}

/* Judged before; what is there already stays as it is. */
static void add(struct master *m, const Creel__LabelSpec *spec, const char *user)
{
    Creel__LabelSource source;
    struct err err = { .text = "" };

    if ((find_source(m, spec->name, &source) && source <= CREEL__LABEL_SOURCE__LABEL_ADDED) ||
        declare(m, spec->name, spec->shared, &err) < 0)
        return;
    rm_setting_put(m, SETTING_LABEL, spec->name, spec->shared ? SHARED : EXCLUSIVE, NULL, user);
}

static void remove_label(struct master *m, const char *name)
{
    struct setting *setting = rm_setting_find(m, SETTING_LABEL, name);

    rm_node_labels_forget(m, name);
    if (setting)
        rm_setting_forget(m, setting);
}

void rm_on_change_labels(struct master *m, const struct master_peer *peer,
                         const Creel__Envelope *in)
{
    const Creel__ChangeLabels *body = in->change_labels;
    const char *user = rm_administrator(m, peer, in);
    struct err err = { .text = "" };
    Creel__Envelope *envelope;
    int r;

    if (user == NULL)
        return;
    if ((r = judge(m, body, &err)) < 0) {
        rm_reply_error(m, peer, in->request_id, rm_queues_error(r), "%s", err.text);
        return;
    }
    for (size_t i = 0; i < body->n_labels; i++) {
        if (body->remove)
            remove_label(m, body->labels[i]->name);
        else
            add(m, body->labels[i], user);
    }
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_LABEL_LIST);
    envelope->label_list = rm_labels_list(m);
    rm_send_stored(m, m->store_seq, peer->channel, peer->connection, envelope);
}

/* --- a new configuration ------------------------------------------------------ */

/* What there is to say of one that was added; NULL: nothing. */
static const char *apply(struct master *m, struct setting *setting)
{
    struct sched_label label;
    bool shared = text_equal(setting->value, SHARED);
    struct err err = { .text = "" };
    const char *note;

    if (!sched_label_find(m->sched, setting->name, &label) || !label.configured)
        return declare(m, setting->name, shared, &err) < 0
                   ? arena_printf(m->out->arena, "%s", err.text) : NULL;
    if (label.shared == shared)
        return NULL;
    note = arena_printf(m->out->arena, "label %s: is %s, as creel.node-labels says; what creel label add "
                        "said holds no more", setting->name, shared ? EXCLUSIVE : SHARED);
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

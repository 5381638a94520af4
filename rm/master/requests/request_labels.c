/* SPDX-License-Identifier: Apache-2.0 */
/* request_labels.c - requests: list and change labels, set the label of a node */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "common/base/text_builder.h"
#include "rm/master/nodes/labels.h"
#include "rm/master/queries/report.h"
#include "rm/master/requests.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"
#include "rm/master/state/settings.h"

/* --- changes ----------------------------------------------------------------- */

/* Checks NAME by YARN's rule for labels. */
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
    bool known = rm_label_source(m, spec->name, &source);

    if (!is_name(spec->name))
        return err_set(err, EINVAL,
                       "label %s: expected letters, digits, - and _, beginning with a letter "
                       "or digit, at most %d",
                       spec->name, SCHED_LABEL_NAME_MAX);
    if (known && source <= CREEL__LABEL_SOURCE__LABEL_ADDED &&
        rm_label_is_shared(m, spec->name) != spec->shared)
        return err_set(err, EEXIST, "label %s: is there, and is %s; that cannot be changed (%s)", spec->name,
                       spec->shared ? LABEL_EXCLUSIVE : LABEL_SHARED,
                       source == CREEL__LABEL_SOURCE__LABEL_CONFIGURED
                           ? "creel.node-labels has it so"
                           : "creel label remove, and add it again");
    return 0;
}

#define LABEL_KEY "yarn.nodemanager.node-labels.provider.configured-node-partition"
#define KEYS_SHOWN_MAX 6

/* Keys by which queues name a label, each once. */
struct keys {
    struct arena *arena;
    const char *shown[KEYS_SHOWN_MAX];
    size_t count;
    bool more; /* there are others */
};

static void note_key(void *context, const char *key)
{
    struct keys *keys = context;

    for (size_t i = 0; i < keys->count; i++)
        if (text_equal(keys->shown[i], key))
            return;
    if (keys->count < KEYS_SHOWN_MAX)
        keys->shown[keys->count++] = arena_strdup(keys->arena, key);
    else
        keys->more = true;
}

/* Returns the keys by which queues name the label NAME, after "in"; "" if the scheduler does not report
 * them. */
static const char *keys_text(struct master *m, const char *name)
{
    struct text_builder text = TEXT_BUILDER_IN(m->out->arena);
    struct keys keys = { .arena = m->out->arena };

    sched_label_keys(m->sched, name, note_key, &keys);
    for (size_t i = 0; i < keys.count; i++)
        text_builder_printf(&text, "%s%s", i > 0 ? ", " : " in ", keys.shown[i]);
    if (keys.more)
        text_builder_add(&text, " and others");
    return text_builder_text(&text);
}

static int judge_removal(struct master *m, const Creel__LabelSpec *spec, struct err *err)
{
    const char *queue, *name = spec->name;
    Creel__LabelSource source;
    struct node *node;

    if (!rm_label_source(m, name, &source))
        return err_set(err, ENOENT, "label %s: not defined; %s", name, rm_labels_known(m));
    if (source == CREEL__LABEL_SOURCE__LABEL_CONFIGURED)
        return err_set(err, EEXIST,
                       "label %s: creel.node-labels names it: take it out there, and then: "
                       "creel admin refresh queues",
                       name);
    queue = sched_label_queue(m->sched, name);
    if (queue)
        return err_set(
            err, EEXIST,
            "label %s: the configuration of queue %s names it%s: remove the label there, and then: "
            "creel admin refresh queues",
            name, queue, keys_text(m, name));
    RB_FOREACH(node, rm_node_tree, &m->nodes)
        if (node->own_label && text_equal(node->own_label, name) && text_equal(node->label, name))
            return err_set(err, EEXIST,
                           "label %s: node %s has it by its own configuration: change " LABEL_KEY
                           " there, or: creel node label %s remove",
                           name, node->id, node->id);
    return 0;
}

static int judge(struct master *m, const Creel__ChangeLabels *body, struct err *err)
{
    struct sched_label label;
    int fresh = 0, r = 0;

    if (!m->features.labels)
        return err_set(err, ESHUTDOWN, "the %s scheduler has no labels", m->config.scheduler);
    if (!body->remove && !m->features.labels_enabled)
        return err_set(err, ESHUTDOWN,
                       "yarn.node-labels.enabled is false: with true, and after creel "
                       "admin refresh queues, there are labels");
    for (size_t i = 0; r == 0 && i < body->n_labels; i++) {
        r = body->remove ? judge_removal(m, body->labels[i], err) : judge_addition(m, body->labels[i], err);
        fresh += sched_label_find(m->sched, body->labels[i]->name, &label) ? 0 : 1;
    }
    if (r == 0 && !body->remove && sched_label_count(m->sched) + fresh > SCHED_LABELS_MAX)
        return err_set(err, EDQUOT,
                       "there are at most %d labels, and those that were removed count until "
                       "the resource manager is restarted",
                       SCHED_LABELS_MAX - 1);
    return r;
}

/* Adds a label, which was checked before. An existing label is not changed. */
static void add(struct master *m, const Creel__LabelSpec *spec, const char *user)
{
    Creel__LabelSource source;
    struct err err = { .text = "" };

    if ((rm_label_source(m, spec->name, &source) && source <= CREEL__LABEL_SOURCE__LABEL_ADDED) ||
        rm_label_declare(m, spec->name, spec->shared, &err) < 0)
        return;
    rm_setting_put(m, SETTING_LABEL, spec->name, spec->shared ? LABEL_SHARED : LABEL_EXCLUSIVE, NULL, user);
}

static void remove_label(struct master *m, const char *name)
{
    struct setting *setting = rm_setting_find(m, SETTING_LABEL, name);

    rm_node_labels_forget(m, name);
    if (setting)
        rm_setting_forget(m, setting);
}

void rm_on_change_labels(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                         const char *user)
{
    const Creel__ChangeLabels *body = in->change_labels;
    struct err err = { .text = "" };
    Creel__Envelope *envelope;
    int r;

    if ((r = judge(m, body, &err)) < 0) {
        rm_reply_error(m, peer, in->request_id, rm_error_code(r), "%s", err.text);
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
    rm_send_changed(m, peer, m->store_seq, envelope, "the labels are changed");
}

/* --- labels of nodes ----------------------------------------------------- */

static int judge_node_label(struct master *m, const char *label, struct err *err)
{
    if (!m->features.labels)
        return err_set(err, ESHUTDOWN, "the %s scheduler has no labels", m->config.scheduler);
    if (*label == '\0')
        return 0;
    if (!m->features.labels_enabled)
        return err_set(err, ESHUTDOWN,
                       "yarn.node-labels.enabled is false: with true, and after creel "
                       "admin refresh queues, nodes may have labels");
    if (rm_label_is_known(m, label))
        return 0;
    return err_set(err, ENOENT, "label %s: not defined; %s (creel label add %s makes it known)", label,
                   rm_labels_known(m), label);
}

void rm_on_set_node_label(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                          const char *user)
{
    const char *label = in->set_node_label->label;
    Creel__Envelope *envelope;
    Creel__NodeList *list;
    struct err err = { .text = "" };
    struct node *node;

    node = rm_resolve_node(m, in->set_node_label->node, &err);
    if (node == NULL || judge_node_label(m, label, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    rm_node_set_label(m, node, label, user);
    list = arena_new0(m->out->arena, Creel__NodeList);
    creel__node_list__init(list);
    list->nodes = arena_array0(m->out->arena, 1, sizeof(*list->nodes));
    list->nodes[list->n_nodes++] = rm_node_report(m, node);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_NODE_LIST);
    list->now_ms = m->now_ms;
    envelope->node_list = list;
    rm_send_changed(m, peer, m->store_seq, envelope,
                    arena_printf(m->out->arena, "the label of node %s is changed", node->id));
}

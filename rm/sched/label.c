/* SPDX-License-Identifier: Apache-2.0 */
/* label.c - node labels: the partitions of the cluster (see sched->labels) */
#include <errno.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/policy.h"

/* Returns the index of the label NAME; -1: there is none. */
static int sched_label_index(const struct sched *sched, const char *name)
{
    for (int l = 0; l < sched->label_count; l++)
        if (text_equal(sched->labels[l].name, name))
            return l;
    return -1;
}

int sched_label_new(struct sched *sched, const char *name)
{
    int label = sched_label_index(sched, name);

    if (label >= 0 || sched->label_count == SCHED_LABELS_MAX)
        return label;
    sched->labels[sched->label_count].name = mem_strdup(name);
    return sched->label_count++;
}

int sched_label_add(struct sched *sched, const char *name)
{
    int label = sched_label_index(sched, name);

    if (label >= 0)
        return label;
    label = sched->features.labels ? sched_label_new(sched, name) : -1;
    if (label < 0)
        return 0;
    sched->policy->rules.label_added(sched, label);
    sched_queues_note_change(sched);
    return label;
}

int sched_label_for(const struct sched *sched, const struct sched_queue *queue, const char *name)
{
    int label;

    if (!sched->features.labels)
        return 0;
    if (name == NULL)
        return queue->default_label;
    label = sched_label_index(sched, name);
    return label >= 0 && queue->labels >> label & 1 ? label : -1;
}

void sched_labels_free(struct sched *sched)
{
    for (int l = 0; l < sched->label_count; l++)
        free(sched->labels[l].name);
}

/* --- sched_queues.h ----------------------------------------------------------- */

bool sched_label_at(const struct sched *sched, int index, struct sched_label *ret)
{
    if (index >= sched->label_count)
        return false;
    *ret = sched->labels[index];
    return true;
}

int sched_label_count(const struct sched *sched)
{
    return sched->label_count;
}

bool sched_label_find(const struct sched *sched, const char *name, struct sched_label *ret)
{
    int label = sched_label_index(sched, name);

    return label > 0 && sched_label_at(sched, label, ret);
}

const char *sched_label_queue(const struct sched *sched, const char *name)
{
    int label = sched_label_index(sched, name);
    const struct sched_queue *queue;

    TAILQ_FOREACH(queue, &sched->queues, link)
        if (label > 0 && queue->labels_named >> label & 1)
            return queue->path;
    return NULL;
}

void sched_label_keys(const struct sched *sched, const char *name, sched_name_fn *each, void *context)
{
    int label = sched_label_index(sched, name);

    if (label > 0 && sched->policy->reports.label_keys)
        sched->policy->reports.label_keys(sched, label, each, context);
}

void sched_label_set_shared(struct sched *sched, int label, bool shared)
{
    sched->stale = sched->stale || sched->labels[label].shared != shared; /* so are indexes of the policy */
    sched->labels[label].shared = shared;
    sched->labels_share = false;
    for (int l = 0; l < sched->label_count; l++)
        sched->labels_share = sched->labels_share || sched->labels[l].shared;
}

int sched_label_declare(struct sched *sched, const char *name, bool shared)
{
    int label;

    if (!sched->features.labels)
        return -ENOTSUP;
    label = sched_label_add(sched, name);
    if (label == 0)
        return -E2BIG;
    sched_label_set_shared(sched, label, shared);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* queue_rows.c - rows of lists of queues: one for the nodes without a label, and one for each label */
#include "client/cli/show/queue_rows.h"

#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

int queue_label_asked(struct cli *cli, const char **ret)
{
    scoped_text_builder struct text_builder known = TEXT_BUILDER_MALLOC;
    const char *label = options_get(&cli->options, "label");
    struct creel_labels *labels;
    struct creel_error error;
    struct err err = { 0 };
    bool found = false;

    *ret = label;
    if (label == NULL || *label == '\0')
        return EXIT_DONE;
    if (creel_label_list(cli->client, &labels, &error) < 0)
        return cli_fail(&error);
    for (size_t i = 0; i < labels->count; i++) {
        const char *name = labels->items[i].name;

        found |= text_equal(name, label);
        text_builder_printf(&known, "%s%s", known.length > 0 && *name ? ", " : "", name);
    }
    if (!found && known.length > 0)
        err_set(&err, ENOENT, "label %s: not defined; there are: %s", label, text_builder_text(&known));
    else if (!found)
        err_set(&err, ENOENT, "label %s: not defined; the cluster has no labels", label);
    creel_labels_free(labels);
    return found ? EXIT_DONE : cli_fail_err(&err);
}

bool queue_rows_by_label(const struct cli *cli)
{
    return cli->format == FORMAT_TABLE || cli->format == FORMAT_WIDE || cli->format == FORMAT_CSV;
}

static struct queue_row *add(struct queue_rows *rows, const struct creel_queue *queue, const char *label)
{
    struct queue_row *row = &rows->rows[rows->count];

    *row = (struct queue_row){ .queue = *queue, .label = label };
    rows->items[rows->count++] = row;
    return row;
}

/* Adds the row of QUEUE on nodes without a label. */
static void add_unlabelled(struct queue_rows *rows, const struct creel_queue *queue)
{
    add(rows, queue, "")->queue.containers -= queue->labelled_containers;
}

static void add_labelled(struct queue_rows *rows, const struct creel_queue *queue,
                         const struct creel_queue_label *of, bool further)
{
    struct queue_row *row = add(rows, queue, of->label);
    struct creel_queue *shown = &row->queue;

    row->further = further;
    rows->labelled = true;
    shown->absolute_capacity = of->absolute_capacity;
    shown->absolute_max_capacity = of->absolute_max_capacity;
    shown->absolute_used = of->absolute_used;
    shown->used = of->used;
    shown->pending = of->pending;
    shown->reserved = of->reserved;
    shown->minimum = of->minimum;
    shown->maximum = of->maximum;
    shown->containers = of->containers;
}

static void add_rows(struct queue_rows *rows, const struct creel_queue *queue, const char *label)
{
    if (label == NULL || *label == '\0')
        add_unlabelled(rows, queue);
    for (size_t i = 0; i < queue->by_label_count; i++)
        if (label == NULL || text_equal(label, queue->by_label[i].label))
            add_labelled(rows, queue, &queue->by_label[i], label == NULL);
}

/* Adds QUEUE as it is, with the figures of LABEL alone in by_label. */
static void add_whole(struct queue_rows *rows, const struct creel_queue *queue, const char *label)
{
    struct queue_row *row;

    if (label == NULL) {
        add(rows, queue, "");
        return;
    }
    if (*label == '\0') {
        add(rows, queue, "")->queue.by_label_count = 0;
        return;
    }
    for (size_t i = 0; i < queue->by_label_count; i++)
        if (text_equal(label, queue->by_label[i].label)) {
            row = add(rows, queue, label);
            row->queue.by_label = &queue->by_label[i];
            row->queue.by_label_count = 1;
        }
}

void queue_rows_make(struct queue_rows *rows, const struct cli *cli, const void *const *queues, size_t count,
                     const char *label)
{
    size_t most = count;

    for (size_t i = 0; i < count; i++)
        most += ((const struct creel_queue *)queues[i])->by_label_count;
    *rows = (struct queue_rows){
        .rows = mem_array0(most + 1, sizeof(*rows->rows)),
        .items = mem_array0(most + 1, sizeof(*rows->items)),
    };
    for (size_t i = 0; i < count; i++) {
        if (queue_rows_by_label(cli))
            add_rows(rows, queues[i], label);
        else
            add_whole(rows, queues[i], label);
    }
}

void queue_rows_done(struct queue_rows *rows)
{
    free(rows->rows);
    free(rows->items);
}

void queue_columns_shown(const struct table_column *columns, size_t count, bool labelled,
                         struct table_column *ret)
{
    memcpy(ret, columns, count * sizeof(*columns));
    for (size_t i = 0; labelled && i < count; i++)
        if (text_equal(columns[i].key, "label"))
            ret[i].flags &= ~(unsigned)TABLE_WIDE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* queue_labels.c - shows the figures of a queue by node label */
#include "client/cli/show/show_queue.h"

#include "client/cli/frame/record_json.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/record/queue_fields.h"

void queue_labels_json(const struct creel_queue *queue, struct json_writer *writer)
{
    json_begin_array(writer, "byLabel");
    for (size_t i = 0; i < queue->by_label_count; i++) {
        const struct creel_queue_label *record = &queue->by_label[i];

        json_begin_object(writer, NULL);
        QUEUE_LABEL_FIELDS(RECORD_JSON)
        json_end_object(writer);
    }
    json_end_array(writer);
}

const char *queue_limit_text(const struct creel_queue *queue, const struct creel_resource *limit,
                             char text[RECORD_AMOUNTS_MAX])
{
    return queue->memory_only ? text_format_mb(limit->memory_mb, text) : record_amounts(limit, text);
}

void queue_labels_lines(const struct creel_queue *queue)
{
    char used[RECORD_AMOUNTS_MAX], pending[RECORD_AMOUNTS_MAX], least[RECORD_AMOUNTS_MAX];
    char most[RECORD_AMOUNTS_MAX];
    struct text_builder names = TEXT_BUILDER_MALLOC;
    scoped_free char *joined = NULL;

    for (size_t i = 0; queue->labels[i]; i++)
        text_builder_printf(&names, "%s%s", i ? ", " : "", queue->labels[i]);
    joined = text_builder_finish(&names);
    record_line("Labels", "%s%s%s", *joined ? joined : "none",
                *queue->default_label ? "; requests without a label get " : "", queue->default_label);
    for (size_t i = 0; i < queue->by_label_count; i++) {
        const struct creel_queue_label *of = &queue->by_label[i];

        record_line("Label", "%s: used %s (%.1f%%), pending %s, guaranteed %s (%.1f%%), at most %s (%.1f%%)",
                    of->label, record_amounts(&of->used, used), of->absolute_used * 100,
                    record_amounts(&of->pending, pending), queue_limit_text(queue, &of->minimum, least),
                    of->absolute_capacity * 100, queue_limit_text(queue, &of->maximum, most),
                    of->absolute_max_capacity * 100);
    }
}

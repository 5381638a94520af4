/* SPDX-License-Identifier: Apache-2.0 */
/* label_keys.c - finds the keys by which the configuration of a queue names a label */
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"

bool capacity_queue_names_label(const struct capacity_queue *queue, int label)
{
    const struct capacity_share *share = &queue->shares[label];
    bool accessible = queue->access_given && queue->access != UINT64_MAX && queue->access >> label & 1;
    bool limited = share->maximum_vector || (queue->parent && share->configured_maximum > 0);

    return accessible || queue->default_label == label || share->configured > 0 || share->minimum_vector ||
           limited;
}

/* Returns true if WORD is in LIST, separated by commas. */
static bool has_word(const char *list, const char *word)
{
    scoped_free char *copy = mem_strdup(list);
    char *rest = copy, *next;

    while ((next = text_next_word(&rest)) != NULL)
        if (text_equal(next, word))
            return true;
    return false;
}

/* Returns true if the key in ROW of QUEUE is set and names LABEL. Sets reading->key to its name. */
static bool key_names(struct capacity_reading *reading, const struct capacity_queue *queue,
                      enum capacity_key row, int label)
{
    const char *name = reading->config->labels[label];
    bool of_label = capacity_keys[row].scope == CAPACITY_LABEL;
    const char *value;

    if (!of_label && row != CAPACITY_KEY_ACCESS && row != CAPACITY_KEY_DEFAULT_LABEL)
        return false;
    value = capacity_get(reading, queue, row, of_label ? label : 0);
    return value && (of_label || has_word(value, name));
}

void capacity_each_label_key(struct capacity_config *config, const struct capacity_queue *queue, int label,
                             capacity_name_fn *each, void *context)
{
    struct capacity_reading reading;

    capacity_reading_begin(&reading, config, config->conf);
    for (enum capacity_key row = 0; row < CAPACITY_KEY_COUNT; row++)
        if (key_names(&reading, queue, row, label))
            each(context, reading.key);
    capacity_reading_end(&reading, NULL);
}

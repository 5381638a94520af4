/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - reads each row of key_table.h: sets the default or inherited value, then reads the key */
#include <string.h>

#include "rm/sched/capacity/config/private.h"

/* Returns the member that the row sets, in QUEUE (NULL: in the configuration) for LABEL. */
static void *member_of(const struct capacity_reading *reading, struct capacity_queue *queue, int label)
{
    const struct capacity_key_info *row = &capacity_keys[reading->row];
    char *record = queue == NULL                  ? (char *)reading->config
                   : row->scope == CAPACITY_LABEL ? (char *)&queue->shares[label]
                                                  : (char *)queue;

    return row->size > 0 ? record + row->offset : NULL;
}

/* Sets the default. The size of the member determines its type. */
static void set_default(const struct capacity_key_info *row, void *member)
{
    bool limited = row->usual < CAPACITY_NO_LIMIT;

    if (row->size == sizeof(bool))
        *(bool *)member = row->usual > 0;
    else if (row->size == sizeof(int64_t))
        *(int64_t *)member = limited ? (int64_t)row->usual : INT64_MAX;
    else if (row->type == CAPACITY_TYPE_INT)
        *(int32_t *)member = (int32_t)row->usual;
    else
        *(float *)member = (float)row->usual;
}

/* Sets the value used without the key; for a label, that of the unlabelled partition. */
static void inherit(struct capacity_reading *reading, struct capacity_queue *queue, int label)
{
    const struct capacity_key_info *row = &capacity_keys[reading->row];
    struct capacity_queue *parent = queue ? queue->parent : NULL;

    if (label > 0) {
        memcpy(reading->member, member_of(reading, queue, 0), row->size);
        return;
    }
    if (row->inherits == CAPACITY_PARENT && parent)
        memcpy(reading->member, member_of(reading, parent, 0), row->size);
    else
        set_default(row, reading->member);
    if (row->inherits == CAPACITY_EVERY) {
        reading->quiet = parent != NULL; /* an error in that value is reported only once, for root */
        capacity_read_value(reading, NULL, reading->row, reading->member);
        reading->quiet = false;
    }
}

/* Returns true if ROW is read for QUEUE (NULL: for the scheduler) and LABEL. */
static bool is_read(const struct capacity_key_info *row, const struct capacity_queue *queue, int label)
{
    switch (row->scope) {
    case CAPACITY_ALL:
    case CAPACITY_SITE:
        return queue == NULL;
    case CAPACITY_MANAGED:
        return queue && label == 0 && queue->auto_create_legacy;
    case CAPACITY_FLEXIBLE:
        return queue && label == 0 && !queue->auto_create_legacy;
    case CAPACITY_QUEUE:
        return queue && label == 0;
    case CAPACITY_LABEL:
        return queue != NULL;
    case CAPACITY_TEMPLATE:
        break;
    }
    return false;
}

static void read_rows(struct capacity_reading *reading, struct capacity_queue *queue, int label)
{
    static capacity_reader *const readers[] = {
#define READER(constant, reader, shown) reader,
        CAPACITY_TYPES(READER)
#undef READER
    };

    reading->label = label;
    for (reading->row = 0; reading->row < CAPACITY_KEY_COUNT; reading->row++) {
        const struct capacity_key_info *row = &capacity_keys[reading->row];
        capacity_reader *read = readers[row->type];

        if (read == NULL || strchr(row->name, '<') || !is_read(row, queue, label))
            continue;
        reading->member = member_of(reading, queue, label);
        if (reading->member)
            inherit(reading, queue, label);
        read(reading, queue, capacity_get(reading, queue, reading->row, label));
    }
}

void capacity_read_scheduler(struct capacity_reading *reading)
{
    capacity_read_cluster(reading);
    read_rows(reading, NULL, 0);
}

void capacity_read_queue(struct capacity_reading *reading, struct capacity_queue *queue)
{
    for (int label = 0; label < reading->config->label_count; label++)
        read_rows(reading, queue, label);
}

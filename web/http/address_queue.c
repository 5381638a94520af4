/* SPDX-License-Identifier: Apache-2.0 */
/* address_queue.c - what waits for its turn, in turns by the address of its client */
#include "web/http/address_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <uthash.h>
#include <utlist.h>

#include "common/base/mem.h"
#include "common/io/server/peer_address.h"

struct address_queue_line { /* the entries of one address, at least one */
    char address[PEER_ADDRESS_TEXT_MAX];
    struct address_queue_entry *entries;
    struct address_queue_line *prev, *next; /* in `turns` */
    UT_hash_handle hh;
};

struct address_queue {
    struct address_queue_line *lines; /* by address; owned */
    struct address_queue_line *turns; /* the same; the first one has its turn next */
};

struct address_queue *address_queue_new(void)
{
    return mem_new0(struct address_queue);
}

void address_queue_free(struct address_queue *queue)
{
    free(queue);
}

bool address_queue_is_empty(const struct address_queue *queue)
{
    return queue->turns == NULL;
}

static struct address_queue_line *line_of(struct address_queue *queue, const char *address)
{
    struct address_queue_line *line;

    HASH_FIND_STR(queue->lines, address, line);
    if (line != NULL)
        return line;
    line = mem_new0(struct address_queue_line);
    snprintf(line->address, sizeof(line->address), "%s", address);
    HASH_ADD_STR(queue->lines, address, line);
    DL_APPEND(queue->turns, line);
    return line;
}

void address_queue_add(struct address_queue *queue, struct address_queue_entry *entry, const char *address)
{
    entry->queue = queue;
    entry->line = line_of(queue, address);
    DL_APPEND(entry->line->entries, entry);
}

void address_queue_remove(struct address_queue_entry *entry)
{
    struct address_queue *queue = entry->queue;
    struct address_queue_line *line = entry->line;

    if (queue == NULL)
        return;
    DL_DELETE(line->entries, entry);
    entry->queue = NULL;
    entry->line = NULL;
    if (line->entries != NULL)
        return;
    HASH_DEL(queue->lines, line);
    DL_DELETE(queue->turns, line);
    free(line);
}

struct address_queue_entry *address_queue_take(struct address_queue *queue, bool *more)
{
    struct address_queue_line *line = queue->turns;
    struct address_queue_entry *entry = line != NULL ? line->entries : NULL;

    if (entry == NULL)
        return NULL;
    *more = entry->next != NULL;
    DL_DELETE(queue->turns, line);
    DL_APPEND(queue->turns, line);
    address_queue_remove(entry);
    return entry;
}

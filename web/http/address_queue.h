/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address_queue.h - what waits for its turn, in turns by the address of its client (pure)
 *
 * Each address has a queue of its own, the oldest entry first. address_queue_take() returns the first entry
 * of the address whose turn it is; if more of this address wait, they wait until each other address has had
 * its turn. So an entry waits for those of the same address, and for one of each other address, however many
 * entries others have. All functions take constant time.
 *
 * An entry is a member of what waits, which the caller owns.
 */
#ifndef CREEL_WEB_HTTP_ADDRESS_QUEUE_H
#define CREEL_WEB_HTTP_ADDRESS_QUEUE_H

#include <stdbool.h>

struct address_queue; /* opaque */
struct address_queue_line;

struct address_queue_entry {
    struct address_queue *queue; /* NULL: it does not wait */
    struct address_queue_line *line;
    struct address_queue_entry *prev, *next;
};

struct address_queue *address_queue_new(void);
void address_queue_free(struct address_queue *queue); /* must be empty; NULL is fine */

bool address_queue_is_empty(const struct address_queue *queue);
/* Adds ENTRY, which must not wait, at the end of those of ADDRESS. */
void address_queue_add(struct address_queue *queue, struct address_queue_entry *entry, const char *address);
void address_queue_remove(struct address_queue_entry *entry); /* also if it does not wait */
/* Takes out the entry whose turn it is, and sets *MORE to whether others of its address wait. Returns NULL if
 * the queue is empty. */
struct address_queue_entry *address_queue_take(struct address_queue *queue, bool *more);

#endif

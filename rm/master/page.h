/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h - one page of a list
 *
 * Lists of applications, containers, nodes, queues and users come in pages, so that a request costs about a
 * millisecond however much there is: a page ends after so many rows, so many bytes, so many rows that were
 * looked at and do not match, or when the shell's time for it is over. It may be short or empty, and has the
 * id of the row at which the next one continues. Nothing is kept between two pages.
 */
#ifndef CREEL_RM_MASTER_PAGE_H
#define CREEL_RM_MASTER_PAGE_H

#include "rm/master/state.h"

struct page {
    const struct master *m;
    uint32_t limit, count, looks;       /* rows: that the page may have, that it has, that were looked at */
    size_t bytes;
};

/* LIMIT: rows at most, as the client requested; 0, or too many: as a page may have. */
struct page page_begin(const struct master *m, uint32_t limit);
/* One more row is looked at; false: the page ends before it. */
bool page_look(struct page *page);
/* ITEM is a row of the page. */
void page_add(struct page *page, const ProtobufCMessage *item);
/* Appends ITEM to the list *LIST of *COUNT items, which grows within ARENA. */
void page_append(struct arena *arena, void ***list, size_t *count, void *item);

#endif

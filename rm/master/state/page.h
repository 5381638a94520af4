/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h - one page of a list
 *
 * Lists of applications, containers, nodes, queues and users are returned in pages, so that a request takes
 * about a millisecond however long the list is. A page ends after a number of rows, a number of bytes, a
 * number of examined rows, or when the time limit set by the shell is reached. A page may be short or empty,
 * and has the id of the row at which the next page continues. The server keeps no state between two pages.
 *
 * Each page shows one moment. A row that exists all the time is listed once; a row that is added, removed or
 * changed between two pages may be listed in either state. If queues are refreshed between two pages, the
 * client begins again. Tests: master_pages, master_queue_pages, rm_queries, tests/e2e/30-many-lists.sh.
 */
#ifndef CREEL_RM_MASTER_PAGE_H
#define CREEL_RM_MASTER_PAGE_H

#include "rm/master/state.h"

#define REPLY_BYTES_MAX \
    ((size_t)1 << 20) /* of a list that is sent whole if it can be; a frame may have 64 KiB more */
#define FIELD_BYTES 8 /* maximum size of the tag and length of an item of a list */

struct page {
    const struct master *m;
    uint32_t limit, count, looks; /* rows: maximum of the page, so far, examined */
    size_t bytes;
    bool brief;
};

/* Begins a page of at most LIMIT rows, as requested by the client. If LIMIT is 0 or too large, the maximum of
 * all pages applies. */
struct page page_begin(const struct master *m, uint32_t limit);
/* BRIEF: begins a page that ends after a much shorter time, for a program that repeats the list all the
 * time. */
struct page page_begin_brief(const struct master *m, uint32_t limit, bool brief);
/* Counts one more examined row; returns false if the page ends before that row. */
bool page_examine(struct page *page);
/* Counts ITEM as a row of the page. */
void page_add(struct page *page, const ProtobufCMessage *item);
/* Appends ITEM to the array *LIST of *COUNT items, which is reallocated within ARENA. */
void page_append(struct arena *arena, void ***list, size_t *count, void *item);

#endif

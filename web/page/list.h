/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.h - tables that the server sorts, filters and pages
 *
 * The state of a table is the query of its address: sort=NAME or sort=-NAME, after=KEY, n=ROWS, and the
 * filters. Links keep all parameters but those that they change.
 */
#ifndef CREEL_WEB_PAGE_LIST_H
#define CREEL_WEB_PAGE_LIST_H

#include "web/page/frame.h"

struct list_column {
    const char *sort; /* the name in the address; NULL: it cannot be sorted by this column */
    const char *title;
    const char *tooltip; /* YARN's name of the figure, or NULL */
    int order;           /* of the model */
    bool number;
    bool beside; /* its header is in the cell of the column before */
};

struct list_state {
    const struct list_column *column; /* sort column */
    bool descending;
    const char *after;
    size_t limit;
};

/* Reads the state of the request; SORT, as in the address, if there is none or an unknown one. */
void list_read(struct list_state *ret, struct exchange *exchange, const struct list_column *columns,
               size_t count, const char *sort);
/* <thead> with links. */
void list_head(struct page *page, const struct list_state *list, const struct list_column *columns,
               size_t count);
/* "rows 100 of 12,345 · next": LAST is the key of the last row, NULL if there are no more. */
void list_foot(struct page *page, const struct list_state *list, size_t shown, size_t total, const char *last,
               const char *one, const char *many);

/* The path of this request with its parameters, NAME set to VALUE (NULL: without it), without "after". */
const char *list_target(struct page *page, const char *name, const char *value);

#endif

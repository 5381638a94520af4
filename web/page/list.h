/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.h - tables that the server sorts, filters and pages
 *
 * The state of a table is in the query of the URL: sort=NAME or sort=-NAME (descending), after=KEY, n=ROWS,
 * and the filters. A link on the page keeps all parameters except those that it changes.
 */
#ifndef CREEL_WEB_PAGE_LIST_H
#define CREEL_WEB_PAGE_LIST_H

#include "web/page/frame.h"

struct list_column {
    const char *sort; /* value of the parameter "sort"; NULL: the table cannot be sorted by this column */
    const char *title;
    const char *tooltip; /* YARN's name of the value; NULL: none */
    int order;           /* value of the table's own enumeration of sort orders */
    bool number;
    bool beside; /* its header is in the header cell of the previous column */
};

struct list_state {
    const struct list_column *column; /* sort column */
    bool descending;
    const char *after;
    size_t limit;
    const char *anchor; /* end of the links of the table ("#rows"), where it is not at the top of its page;
                           list_read sets "" */
};

/* Reads the state from the URL of the request. If it has no valid parameter "sort", uses SORT, in the same
 * form. */
void list_read(struct list_state *ret, struct exchange *exchange, const struct list_column *columns,
               size_t count, const char *sort);
/* Writes <thead>, whose links sort the table. */
void list_head(struct page *page, const struct list_state *list, const struct list_column *columns,
               size_t count);
/* Writes "100 of 12,345 nodes", and links to the first and the next page. LAST is the key of the last row;
 * NULL: no next page. ONE and MANY name the rows ("node", "nodes"). */
void list_foot(struct page *page, const struct list_state *list, size_t shown, size_t total, const char *last,
               const char *one, const char *many);

/* Returns the query ("?...") of this request with the parameter NAME set to VALUE, or removed if VALUE is
 * NULL. The parameter "after" is removed. */
const char *list_target(struct page *page, const char *name, const char *value);

#endif

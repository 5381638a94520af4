/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.h - tables that the server sorts, filters and pages
 *
 * The state of a table is in the query of the URL: sort=NAME or sort=-NAME (descending), after=KEY, n=ROWS,
 * and the filters. A link on the page keeps all parameters except those that it changes. The parameter
 * cols=NAME, with names separated by commas, or repeated, chooses the columns that are shown.
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
    const char
        *name; /* in the parameter "cols"; NULL: the table has no such parameter, or the column is BESIDE */
    bool further;                                     /* is shown only if the parameter names it */
    void (*cell)(struct page *page, const void *row); /* writes <td>; NULL: the column is BESIDE */
};

/* Parts of the initializer of a column. */
#define LIST_TITLE(text, yarn_name) .title = (text), .tooltip = (yarn_name)
#define LIST_SORT(id, by) .sort = (id), .order = (by)
#define LIST_CELL(id, function) .name = (id), .cell = (function)

struct list_state {
    const struct list_column *column; /* sort column */
    bool descending;
    const char *after;
    size_t limit;
    uint32_t shown;     /* columns as bits */
    bool chosen;        /* by the parameter "cols" */
    const char *anchor; /* end of the links of the table ("#rows"), where it is not at the top of its page;
                           list_read sets "" */
};

/* Reads the state from the URL of the request. If it has no valid parameter "sort", uses SORT, in the same
 * form. */
void list_read(struct list_state *ret, struct exchange *exchange, const struct list_column *columns,
               size_t count, const char *sort);
/* Reads the parameter "cols". Refuses the request and returns false if it has a name that is no column. */
bool list_choose_columns(struct list_state *list, struct exchange *exchange,
                         const struct list_column *columns, size_t count);
/* Writes <thead>, whose links sort the table. */
void list_head(struct page *page, const struct list_state *list, const struct list_column *columns,
               size_t count);
/* Writes <tr> with a cell for each column that is shown. */
void list_row(struct page *page, const struct list_state *list, const struct list_column *columns,
              size_t count, const void *row);
/* Writes the form that chooses columns. It leads to PATH. */
void list_columns_form(struct page *page, const struct list_state *list, const struct list_column *columns,
                       size_t count, const char *path);
/* Returns the parameter NAME of the request; NULL: it has none, or an empty one. */
const char *list_parameter(struct exchange *exchange, const char *name);

struct list_chip {
    const char *path, *anchor; /* beginning and end of the link, NULL: "" */
    const char *name, *value;  /* the link sets this parameter; "" or NULL removes it */
    const char *word, *count;  /* COUNT: a number behind WORD; NULL: none */
    bool chosen;
};
/* Write a row of links, of which one is chosen. LABEL describes the row to programs that read the page
 * aloud. */
void list_chips_begin(struct page *page, const char *label);
void list_chip(struct page *page, const struct list_chip *chip);
void list_chips_end(struct page *page);

struct list_input {
    const char *name, *title;
};
/* Writes the form with the COUNT fields that filter the rows. It leads to PATH with ANCHOR at its end, and
 * keeps all other parameters but "after". */
void list_filter_form(struct page *page, const char *path, const char *anchor,
                      const struct list_input *inputs, size_t count);
/* Writes "100 of 12,345 nodes", and links to the first and the next page, and to all rows as CSV. LAST is the
 * key of the last row; NULL: no next page. ONE and MANY name the rows ("node", "nodes"). */
void list_foot(struct page *page, const struct list_state *list, size_t shown, size_t total, const char *last,
               const char *one, const char *many);

/* Writes the link to all rows as CSV (list_csv.h). */
void list_csv_link(struct page *page);

/* Returns the query ("?...") of this request with the parameter NAME set to VALUE, or removed if VALUE is
 * NULL. The parameters "after" and "format" are removed. */
const char *list_target(struct page *page, const char *name, const char *value);

#endif

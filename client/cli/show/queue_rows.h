/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_rows.h - rows of lists of queues, by node label
 *
 * A queue has figures on the nodes without a label, and on the nodes of each label that it may use or uses. A
 * table has a row for each of them, JSON one object for each queue with all of them. The option --label
 * selects the nodes of one label, or with an empty argument those without.
 */
#ifndef CREEL_CLI_QUEUE_ROWS_H
#define CREEL_CLI_QUEUE_ROWS_H

#include "client/cli/frame/cli.h"
#include "client/cli/frame/table.h"
#include "client/include/creel-admin.h"

struct queue_row {
    struct creel_queue queue; /* a copy; in a table the figures by label are those of LABEL */
    const char *label;        /* "": nodes without a label */
    bool further;             /* a row of the same queue is before this one */
};

struct queue_rows {
    struct queue_row *rows; /* owned, as is ITEMS; what they point to is borrowed from the queues */
    const void **items;     /* points to each of ROWS */
    size_t count;
    bool labelled; /* a row is of nodes with a label */
};

/* Sets *RET to the argument of --label; NULL: not given. Returns an exit code: EXIT_DONE, or that of the
 * error if there is no such label, which is printed. */
int queue_label_asked(struct cli *cli, const char **ret);
/* Returns true if the output format has a row for each label. */
bool queue_rows_by_label(const struct cli *cli);
/* Makes the rows of QUEUES (of struct creel_queue) for nodes of LABEL; NULL: of all nodes. A queue that may
 * not use LABEL is left out. To be released with queue_rows_done(). */
void queue_rows_make(struct queue_rows *rows, const struct cli *cli, const void *const *queues, size_t count,
                     const char *label);
void queue_rows_done(struct queue_rows *rows);
/* Copies COUNT COLUMNS to RET. If LABELLED, the column "label" is in all tables, not only in wide ones. */
void queue_columns_shown(const struct table_column *columns, size_t count, bool labelled,
                         struct table_column *ret);

#endif

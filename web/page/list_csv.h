/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_csv.h - tables as comma-separated values: format=csv in the URL of a table
 *
 * The answer has all rows that fit the filter of the table, not a page of them, and all fields. Amounts are
 * plain numbers, times are in UTC. Field names do not change.
 */
#ifndef CREEL_WEB_PAGE_LIST_CSV_H
#define CREEL_WEB_PAGE_LIST_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "web/http/exchange.h"
#include "web/text/csv.h"

struct list_field {
    const char *name;                                /* in the first line */
    void (*write)(struct csv *csv, const void *row); /* adds one cell */
};

struct list_fields {
    const char *file; /* name of the file that a browser suggests, without ".csv" */
    const struct list_field *fields;
    size_t count;
};

/* Returns whether the request is for CSV. */
bool list_csv_is_wanted(const struct exchange *exchange);

/* If the request is for CSV, refuses it because of REPLY, which is not the expected one, and returns true. */
bool list_csv_refuse(struct exchange *exchange, const Creel__Envelope *reply);
/* The same because rows would be missing; WHY is a sentence. CSV has no place for a note. */
bool list_csv_refuse_incomplete(struct exchange *exchange, int status, const char *why);

/* Adds the header Age, the age of the model in seconds. If the model is older than creel.http.stale-after,
 * answers with 503 and returns false. For rows of the model; rows that the resource manager sent have no
 * age. */
bool list_csv_is_recent(struct exchange *exchange);

/* Answers with COUNT rows. ROW returns the I-th one. */
void list_csv_answer(struct exchange *exchange, const struct list_fields *fields,
                     const void *(*row)(void *context, size_t i), size_t count, void *context);

/* Rows of a list that is read a part at a time, each part after the key of the last row. */
struct list_source {
    /* Fills ROWS with at most LIMIT rows after the row with the key AFTER (NULL: the first rows), and returns
     * their number. */
    size_t (*read)(void *context, const char *after, const void **rows, size_t limit);
    const char *(*key)(void *context, const void *row); /* valid until the next call */
    bool (*exists)(void *context, const char *key);     /* NULL: rows after a removed key can be read */
    void *context;
};

/* Answers with all rows of SOURCE, which reads the model, in parts, unless list_csv_is_recent returns false.
 * A row that is removed or added meanwhile may be missing. */
void list_csv_answer_source(struct exchange *exchange, const struct list_fields *fields,
                            const struct list_source *source);

/* Rows that the resource manager is asked for, a part for each reply. */
struct list_replies {
    /* Sends the query for the rows after AFTER ("": the first ones) with THEN as continuation. */
    void (*ask)(struct exchange *exchange, void *context, const char *after, exchange_reply_fn *then,
                void *then_context);
    /* Sets *COUNT to the number of rows; *NEXT to the row after which the next part begins, "": there is
     * none; *WARNING to why rows may be missing, if some may. Returns false if REPLY is an error. */
    bool (*read)(void *context, const Creel__Envelope *reply, size_t *count, const char **next,
                 const char **warning);
    /* Returns the I-th row of REPLY, or NULL if it is left out, with memory of ARENA. */
    const void *(*row)(void *context, struct arena *arena, const Creel__Envelope *reply, size_t i);
    void *context;
};

/* Adds the header Creel-Warning with WHY rows may be missing: those that can be read are answered. */
void list_csv_warn(struct exchange *exchange, const char *why);
/* Answers with the rows of all replies, in parts. If the first reply is an error, refuses the request; if a
 * later one is, or only a later one has a warning, cuts the connection. */
void list_csv_answer_replies(struct exchange *exchange, const struct list_fields *fields,
                             const struct list_replies *replies);

#endif

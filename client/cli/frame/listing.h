/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing.h - prints lists and single objects in every output format (-o)
 *
 * A command describes its kind of object once: columns, how an item fills a row, its JSON, its id. The
 * options -o, --columns, --sort etc. need nothing else.
 */
#ifndef CREEL_CLI_LISTING_H
#define CREEL_CLI_LISTING_H

#include "client/cli/frame/cli.h"
#include "common/base/json_writer.h"
#include "client/cli/frame/table.h"

#define LISTING_API_VERSION "creel/v1"

/* Writer of the common JSON frame: one object with "apiVersion", "kind" and "items". With -o jsonl, prints
 * only the items, one per line, each as soon as complete. */
struct items_writer {
    struct json_writer json;
    bool lines;
};

void items_begin(struct items_writer *items, const struct cli *cli, const char *kind);
/* Writes further fields beside "apiVersion" and "kind"; not called with -o jsonl. */
typedef void items_head_fn(const void *context, struct json_writer *json);
struct json_writer *items_open(struct items_writer *items); /* opens the next item; the caller writes
                                                               its fields */
void items_close(struct items_writer *items);
void items_end(struct items_writer *items);

struct listing {
    const char *kind; /* "AppList" */
    const struct table_column *columns;
    size_t column_count;
    void (*row)(const void *item, struct table *table);       /* adds one cell for each column */
    void (*json)(const void *item, struct json_writer *json); /* writes the fields of an open JSON object */
    const char *(*id)(const void *item);
    items_head_fn *head; /* may be NULL */
    const void *context; /* passed to HEAD */
};

/* Prints COUNT items; ITEMS points to them. Returns an exit code. */
int listing_print(struct cli *cli, const struct listing *listing, const void *const *items, size_t count);

/* A single object: as JSON a list of one item, else "Name:  value" lines. */
struct record {
    const char *kind; /* "AppList" */
    void (*lines)(const void *item, const struct cli *cli);
    void (*json)(const void *item, struct json_writer *json);
    const char *(*id)(const void *item); /* may be NULL */
};

int record_print(struct cli *cli, const struct record *record, const void *item);
/* Prints COUNT items; as lines with an empty line between them. */
int records_print(struct cli *cli, const struct record *record, const void *const *items, size_t count);
/* Prints "Name:        value\n" on stdout; nothing if the value is empty. */
void record_line(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

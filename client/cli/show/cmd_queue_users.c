/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_queue_users.c - creel queue users: resources of a queue by user */
#include <stdlib.h>

#include "client/cli/commands.h"
#include "client/cli/frame/amounts.h"
#include "client/cli/frame/listing.h"
#include "client/cli/frame/record_json.h"
#include "client/cli/show/queue_rows.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/record/queue_user_fields.h"

struct user_row {
    struct creel_queue_user user; /* a copy */
    bool further;                 /* a row of the same user is before this one */
};

static const struct table_column user_columns[] = {
    { "user", "USER", 0 },
    { "active", "ACTIVE", 0 },
    { "mem", "MEM", TABLE_RIGHT },
    { "cpu", "CPU", TABLE_RIGHT },
    { "memlimit", "MEMLIMIT", TABLE_RIGHT },
    { "cpulimit", "CPULIMIT", TABLE_RIGHT },
    { "apps", "APPS", TABLE_RIGHT },
    { "waiting", "WAITING", TABLE_RIGHT },
    { "ammem", "AMMEM", TABLE_RIGHT },
    { "amlimit", "AMLIMIT", TABLE_RIGHT },
    { "weight", "WEIGHT", TABLE_WIDE | TABLE_RIGHT },
    { "memreserved", "MEMRESERVED", TABLE_WIDE | TABLE_RIGHT },
    { "memfair", "MEMFAIR", TABLE_WIDE | TABLE_RIGHT },
    { "label", "LABEL", TABLE_WIDE },
};

/* Adds a number of applications, which belongs to the user, not to nodes: in the first row only. */
static void count_cell(struct table *table, const struct user_row *row, uint32_t count)
{
    if (row->further)
        table_text(table, "");
    else
        table_number(table, count);
}

static void user_row(const void *item, struct table *table)
{
    const struct user_row *row = item;
    const struct creel_queue_user *user = &row->user;

    table_text(table, user->user);
    table_text(table, user->active ? "yes" : "no");
    memory_cell(table, user->used.memory_mb);
    table_number(table, user->used.vcores);
    memory_cell(table, user->limit.memory_mb);
    table_number(table, user->limit.vcores);
    count_cell(table, row, user->active_apps);
    count_cell(table, row, user->waiting_apps);
    memory_cell(table, user->am_used.memory_mb);
    memory_cell(table, user->am_limit.memory_mb);
    table_textf(table, "%.4g", user->weight);
    table_sorted_by(table, (int64_t)(user->weight * 1000));
    memory_cell(table, user->reserved.memory_mb);
    memory_cell(table, user->fair_share.memory_mb);
    table_text(table, user->label);
}

static void json_by_label(struct json_writer *writer, const struct creel_queue_user *user)
{
    if (user->by_label_count == 0)
        return;
    json_begin_array(writer, "byLabel");
    for (size_t i = 0; i < user->by_label_count; i++) {
        const struct creel_queue_user *record = &user->by_label[i];

        json_begin_object(writer, NULL);
        json_text(writer, "label", record->label);
        QUEUE_USER_AMOUNTS(RECORD_JSON)
        json_end_object(writer);
    }
    json_end_array(writer);
}

static void user_json(const void *item, struct json_writer *writer)
{
    const struct creel_queue_user *record = &((const struct user_row *)item)->user;

    QUEUE_USER_FIELDS(RECORD_JSON)
}

static const char *user_id(const void *item)
{
    return ((const struct user_row *)item)->user.user;
}

static const struct listing user_listing = {
    .kind = "QueueUserList",
    .columns = user_columns,
    .column_count = sizeof(user_columns) / sizeof(user_columns[0]),
    .row = user_row,
    .json = user_json,
    .id = user_id,
};

/* --- rows ------------------------------------------------------------------ */

struct user_rows {
    struct user_row *rows;
    const void **items; /* points to each of ROWS */
    size_t count;
    bool labelled;
};

static struct user_row *add(struct user_rows *rows, const struct creel_queue_user *user)
{
    struct user_row *row = &rows->rows[rows->count];

    *row = (struct user_row){ .user = *user };
    rows->items[rows->count++] = row;
    rows->labelled = rows->labelled || *user->label != '\0';
    return row;
}

/* Adds rows of a table: USER on nodes of LABEL; NULL: on all nodes. */
static void add_rows(struct user_rows *rows, const struct creel_queue_user *user, const char *label)
{
    if (label == NULL || *label == '\0')
        add(rows, user);
    for (size_t i = 0; i < user->by_label_count; i++)
        if (label == NULL || text_equal(label, user->by_label[i].label))
            add(rows, &user->by_label[i])->further = label == NULL;
}

/* Adds USER with the amounts of LABEL alone in by_label; NULL: of all labels. */
static void add_whole(struct user_rows *rows, const struct creel_queue_user *user, const char *label)
{
    struct user_row *row;

    if (label == NULL || *label == '\0') {
        row = add(rows, user);
        row->user.by_label_count = label ? 0 : user->by_label_count;
        return;
    }
    for (size_t i = 0; i < user->by_label_count; i++)
        if (text_equal(label, user->by_label[i].label)) {
            row = add(rows, user);
            row->user.by_label = &user->by_label[i];
            row->user.by_label_count = 1;
        }
}

static int print_users(struct cli *cli, const struct creel_queue_users *users, const char *label)
{
    struct table_column shown[sizeof(user_columns) / sizeof(user_columns[0])];
    scoped_free struct user_row *rows = NULL;
    scoped_free const void **items = NULL;
    struct listing listing = user_listing;
    size_t most = users->count;
    struct user_rows made;

    for (size_t i = 0; i < users->count; i++)
        most += users->items[i].by_label_count;
    rows = mem_array0(most + 1, sizeof(*rows));
    items = mem_array0(most + 1, sizeof(*items));
    made = (struct user_rows){ .rows = rows, .items = items };
    for (size_t i = 0; i < users->count; i++) {
        if (queue_rows_by_label(cli))
            add_rows(&made, &users->items[i], label);
        else
            add_whole(&made, &users->items[i], label);
    }
    queue_columns_shown(user_columns, listing.column_count, made.labelled, shown);
    listing.columns = shown;
    return listing_print(cli, &listing, items, made.count);
}

int cmd_queue_users(struct cli *cli)
{
    struct creel_queue_users *users;
    struct creel_error error;
    const char *label;
    int code;

    if (cli->options.argument_count != 1)
        return cli_usage(cli, "which queue? creel queue users QUEUE");
    if (!cli_client(cli, &code) || (code = queue_label_asked(cli, &label)) != EXIT_DONE)
        return code;
    if (creel_queue_user_list(cli->client, cli->options.arguments[0], &users, &error) < 0)
        return cli_fail(&error);
    code = print_users(cli, users, label);
    creel_queue_users_free(users);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_queue_users.c - creel queue users: resources of a queue by user */
#include <stdlib.h>

#include "client/cli/amounts.h"
#include "client/cli/commands.h"
#include "client/cli/listing.h"
#include "common/base/mem.h"

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
};

static void user_row(const void *item, struct table *table)
{
    const struct creel_queue_user *user = item;

    table_text(table, user->user);
    table_text(table, user->active ? "yes" : "no");
    memory_cell(table, user->used.memory_mb);
    table_number(table, user->used.vcores);
    memory_cell(table, user->limit.memory_mb);
    table_number(table, user->limit.vcores);
    table_number(table, user->active_apps);
    table_number(table, user->waiting_apps);
    memory_cell(table, user->am_used.memory_mb);
    memory_cell(table, user->am_limit.memory_mb);
    table_textf(table, "%.4g", user->weight);
    table_sorted_by(table, (int64_t)(user->weight * 1000));
    memory_cell(table, user->reserved.memory_mb);
    memory_cell(table, user->fair_share.memory_mb);
}

static void user_json(const void *item, struct json_writer *json)
{
    const struct creel_queue_user *user = item;

    json_text(json, "user", user->user);
    json_bool(json, "active", user->active);
    json_double(json, "weight", user->weight);
    json_amounts(json, "used", &user->used);
    json_amounts(json, "reserved", &user->reserved);
    json_amounts(json, "limit", &user->limit);
    json_amounts(json, "amUsed", &user->am_used);
    json_amounts(json, "amLimit", &user->am_limit);
    json_uint(json, "activeApps", user->active_apps);
    json_uint(json, "waitingApps", user->waiting_apps);
    if (user->fair_share.memory_mb || user->fair_share.vcores)
        json_amounts(json, "fairShare", &user->fair_share);
}

static const char *user_id(const void *item)
{
    return ((const struct creel_queue_user *)item)->user;
}

static const struct listing user_listing = {
    .kind = "QueueUserList",
    .columns = user_columns,
    .column_count = sizeof(user_columns) / sizeof(user_columns[0]),
    .row = user_row,
    .json = user_json,
    .id = user_id,
};

int cmd_queue_users(struct cli *cli)
{
    scoped_free const void **items = NULL;
    struct creel_queue_users *users;
    struct creel_error error;
    int code;

    if (cli->options.argument_count != 1)
        return cli_usage(cli, "which queue? creel queue users QUEUE");
    if (!cli_client(cli, &code))
        return code;
    if (creel_queue_user_list(cli->client, cli->options.arguments[0], &users, &error) < 0)
        return cli_fail(&error);
    items = mem_array0(users->count + 1, sizeof(*items));
    for (size_t i = 0; i < users->count; i++)
        items[i] = &users->items[i];
    code = listing_print(cli, &user_listing, items, users->count);
    creel_queue_users_free(users);
    return code;
}

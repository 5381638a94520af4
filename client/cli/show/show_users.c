/* SPDX-License-Identifier: Apache-2.0 */
/* show_users.c - prints what the users of the cluster have */
#include "client/cli/show/show_lists.h"

#include <stdlib.h>
#include <string.h>

#include "client/cli/frame/amounts.h"
#include "client/cli/frame/listing.h"
#include "common/base/mem.h"

struct user {
    const char *name; /* borrowed */
    uint64_t apps, running, containers, pending_containers;
    int64_t memory_mb, vcores, pending_memory_mb, pending_vcores;
};

static const struct table_column columns[] = {
    { "user", "USER", 0 },
    { "apps", "APPS", TABLE_RIGHT },
    { "running", "RUNNING", TABLE_RIGHT },
    { "cont", "CONT", TABLE_RIGHT },
    { "mem", "MEM", TABLE_RIGHT },
    { "cpu", "CPU", TABLE_RIGHT },
    { "pending", "PENDING", TABLE_RIGHT },
    { "pendmem", "PENDMEM", TABLE_RIGHT },
    { "pendcpu", "PENDCPU", TABLE_RIGHT },
};

static void row(const void *item, struct table *table)
{
    const struct user *user = item;

    table_text(table, user->name);
    table_number(table, (int64_t)user->apps);
    table_number(table, (int64_t)user->running);
    table_number(table, (int64_t)user->containers);
    memory_cell(table, user->memory_mb);
    table_number(table, user->vcores);
    table_number(table, (int64_t)user->pending_containers);
    memory_cell(table, user->pending_memory_mb);
    table_number(table, user->pending_vcores);
}

static void json(const void *item, struct json_writer *json)
{
    const struct user *user = item;

    json_text(json, "user", user->name);
    json_uint(json, "apps", user->apps);
    json_uint(json, "runningApps", user->running);
    json_uint(json, "runningContainers", user->containers);
    json_int(json, "memoryMb", user->memory_mb);
    json_int(json, "vcores", user->vcores);
    json_uint(json, "pendingContainers", user->pending_containers);
    json_int(json, "pendingMemoryMb", user->pending_memory_mb);
    json_int(json, "pendingVcores", user->pending_vcores);
}

static const char *id(const void *item)
{
    return ((const struct user *)item)->name;
}

static const struct listing listing = {
    .kind = "UserList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = id,
};

static int compare(const void *a, const void *b)
{
    const struct creel_app *x = *(const struct creel_app *const *)a, *y = *(const struct creel_app *const *)b;

    return strcmp(x->user, y->user);
}

static void add(struct user *user, const struct creel_app *app)
{
    user->name = app->user;
    user->apps++;
    user->running += app->state == CREEL_APP_RUNNING;
    user->containers += app->running_containers;
    user->pending_containers += app->pending_containers;
    user->memory_mb += app->allocated.memory_mb;
    user->vcores += app->allocated.vcores;
    user->pending_memory_mb += app->pending.memory_mb;
    user->pending_vcores += app->pending.vcores;
}

int show_users(struct cli *cli, const struct creel_apps *apps)
{
    scoped_free const struct creel_app **sorted = mem_array0(apps->count + 1, sizeof(*sorted));
    scoped_free struct user *users = mem_array0(apps->count + 1, sizeof(*users));
    scoped_free const void **items = mem_array0(apps->count + 1, sizeof(*items));
    size_t count = 0;

    for (size_t i = 0; i < apps->count; i++)
        sorted[i] = &apps->items[i];
    qsort(sorted, apps->count, sizeof(*sorted), compare);
    for (size_t i = 0; i < apps->count; i++) {
        if (i == 0 || strcmp(sorted[i - 1]->user, sorted[i]->user) != 0)
            count++;
        add(&users[count - 1], sorted[i]);
        items[count - 1] = &users[count - 1];
    }
    return listing_print(cli, &listing, items, count);
}

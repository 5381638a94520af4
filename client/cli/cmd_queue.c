/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_queue.c - creel queue: what queues have, how that came about, who may what */
#include <stdlib.h>
#include <string.h>

#include "client/cli/amounts.h"
#include "client/cli/commands.h"
#include "client/cli/listing.h"
#include "client/cli/show_app.h"
#include "common/base/mem.h"
#include "common/base/text.h"

#define BAR_WIDTH 20
#define NEXT_SHOWN 10

const struct option_spec queue_access_options[] = {
    { 'u', "user", "USER", "somebody else's rights, not yours" },
    { 0 },
};

const struct option_spec queue_stop_options[] = {
    { 0, "drain", NULL, "wait until all applications in it are over" },
    { 0 },
};

static void memory_cell(struct table *table, int64_t mb)
{
    char text[TEXT_SIZE_MAX];

    table_text(table, text_format_mb(mb, text));
    table_sorted_by(table, mb);
}

static void share_cell(struct table *table, double share)
{
    table_textf(table, "%.1f%%", share * 100);
    table_sorted_by(table, (int64_t)(share * 1e6));
}

static void json_texts(struct json_writer *json, const char *name, const char *const *texts)
{
    json_begin_array(json, name);
    for (; *texts; texts++)
        json_text(json, NULL, *texts);
    json_end_array(json);
}

/* --- JSON ------------------------------------------------------------------ */

static void json_leaf(const struct creel_queue *queue, struct json_writer *json)
{
    json_amounts(json, "amLimit", &queue->am_limit);
    json_amounts(json, "amUsed", &queue->am_used);
    json_amounts(json, "userLimit", &queue->user_limit);
    json_uint(json, "activeUsers", queue->active_users);
    json_uint(json, "activeApps", queue->active_apps);
    json_uint(json, "waitingApps", queue->waiting_apps);
    if (queue->max_apps)
        json_int(json, "maxApps", queue->max_apps);
    if (queue->max_apps_per_user)
        json_int(json, "maxAppsPerUser", queue->max_apps_per_user);
    if (queue->maximum_lifetime_s > 0)
        json_int(json, "maximumLifetimeSeconds", queue->maximum_lifetime_s);
    if (queue->default_lifetime_s > 0)
        json_int(json, "defaultLifetimeSeconds", queue->default_lifetime_s);
}

static void queue_json(const void *item, struct json_writer *json)
{
    const struct creel_queue *queue = item;

    json_text(json, "path", queue->path);
    json_text_if(json, "state", queue->state);
    json_bool(json, "leaf", queue->leaf);
    json_bool(json, "dynamic", queue->dynamic);
    json_bool(json, "preemption", queue->preemption);
    json_double(json, "capacity", queue->capacity);
    json_double(json, "maxCapacity", queue->max_capacity);
    json_double(json, "usedCapacity", queue->used_capacity);
    json_double(json, "absoluteCapacity", queue->absolute_capacity);
    json_double(json, "absoluteMaxCapacity", queue->absolute_max_capacity);
    json_double(json, "absoluteUsedCapacity", queue->absolute_used);
    if (queue->weight >= 0)
        json_double(json, "weight", queue->weight);
    json_int(json, "priority", queue->priority);
    json_amounts(json, "used", &queue->used);
    json_amounts(json, "pending", &queue->pending);
    json_amounts(json, "reserved", &queue->reserved);
    json_amounts(json, "minimum", &queue->minimum);
    json_amounts(json, "maximum", &queue->maximum);
    json_uint(json, "appsRunning", queue->apps_running);
    json_uint(json, "appsPending", queue->apps_pending);
    json_uint(json, "containers", queue->containers);
    if (queue->leaf)
        json_leaf(queue, json);
    if (*queue->next)
        json_texts(json, "next", queue->next);
    if (*queue->explanation)
        json_texts(json, "explanation", queue->explanation);
}

/* --- rows ------------------------------------------------------------------ */

static const struct table_column columns[] = {
    { "queue", "QUEUE", TABLE_CUT },
    { "state", "STATE", TABLE_STATE },
    { "cap", "CAP", TABLE_RIGHT },
    { "max", "MAX", TABLE_RIGHT },
    { "used", "USED", TABLE_RIGHT },
    { "running", "RUNNING", TABLE_RIGHT },
    { "pending", "PENDING", TABLE_RIGHT },
    { "cont", "CONT", TABLE_RIGHT },
    { "mem", "MEM", TABLE_RIGHT },
    { "cpu", "CPU", TABLE_RIGHT },
    { "users", "USERS", TABLE_WIDE | TABLE_RIGHT },
    { "mempending", "MEMPENDING", TABLE_WIDE | TABLE_RIGHT },
    { "cpupending", "CPUPENDING", TABLE_WIDE | TABLE_RIGHT },
    { "memguaranteed", "MEMGUARANTEED", TABLE_WIDE | TABLE_RIGHT },
    { "memmax", "MEMMAX", TABLE_WIDE | TABLE_RIGHT },
    { "prio", "PRIO", TABLE_WIDE | TABLE_RIGHT },
    { "others", "OTHERS", TABLE_WIDE },
};

static void figures_cells(const struct creel_queue *queue, struct table *table)
{
    table_text(table, queue->state);
    share_cell(table, queue->absolute_capacity);
    share_cell(table, queue->absolute_max_capacity);
    share_cell(table, queue->absolute_used);
    table_number(table, queue->apps_running);
    table_number(table, queue->apps_pending);
    table_number(table, queue->containers);
    memory_cell(table, queue->used.memory_mb);
    table_number(table, queue->used.vcores);
    table_number(table, queue->active_users);
    memory_cell(table, queue->pending.memory_mb);
    table_number(table, queue->pending.vcores);
    memory_cell(table, queue->minimum.memory_mb);
    memory_cell(table, queue->maximum.memory_mb);
    table_number(table, queue->priority);
    others_cell(table, &queue->used, NULL);
}

static void list_row(const void *item, struct table *table)
{
    const struct creel_queue *queue = item;

    table_text(table, queue->path);
    figures_cells(queue, table);
}

static const char *queue_id(const void *item)
{
    return ((const struct creel_queue *)item)->path;
}

static const struct listing list_listing = {
    .kind = "QueueList", .columns = columns, .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = list_row, .json = queue_json, .id = queue_id,
};

/* --- the tree -------------------------------------------------------------- */

static const struct table_column tree_columns[] = {
    { "queue", "QUEUE", 0 },
    { "state", "STATE", TABLE_STATE },
    { "use", "USE", 0 },
    { "cap", "CAP", TABLE_RIGHT },
    { "max", "MAX", TABLE_RIGHT },
    { "used", "USED", TABLE_RIGHT },
    { "running", "RUNNING", TABLE_RIGHT },
    { "pending", "PENDING", TABLE_RIGHT },
    { "mem", "MEM", TABLE_RIGHT },
    { "cpu", "CPU", TABLE_RIGHT },
};

/* The cluster from left to right: '#' used of what is guaranteed, '+' borrowed, '.' free to use,
 * '|' the end of the guarantee. */
static void draw_bar(const struct creel_queue *queue, char bar[BAR_WIDTH + 1])
{
    int used = (int)(queue->absolute_used * BAR_WIDTH + 0.5);
    int own = (int)(queue->absolute_capacity * BAR_WIDTH + 0.5);
    int most = (int)(queue->absolute_max_capacity * BAR_WIDTH + 0.5);

    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < used && i < own ? '#' : i < used ? '+' : i == own - 1 ? '|' : i < most ? '.'
                                                                                           : ' ';
    bar[BAR_WIDTH] = '\0';
}

static void tree_row(const void *item, struct table *table)
{
    const struct creel_queue *queue = item;
    const char *name = strrchr(queue->path, '.');
    char bar[BAR_WIDTH + 1];
    int depth = 0;

    for (const char *at = queue->path; *at; at++)
        depth += *at == '.';
    draw_bar(queue, bar);
    table_textf(table, "%*s%s", depth * 2, "", name ? name + 1 : queue->path);
    table_text(table, queue->state);
    table_text(table, bar);
    share_cell(table, queue->absolute_capacity);
    share_cell(table, queue->absolute_max_capacity);
    share_cell(table, queue->absolute_used);
    table_number(table, queue->apps_running);
    table_number(table, queue->apps_pending);
    memory_cell(table, queue->used.memory_mb);
    table_number(table, queue->used.vcores);
}

static const struct listing tree_listing = {
    .kind = "QueueList", .columns = tree_columns,
    .column_count = sizeof(tree_columns) / sizeof(tree_columns[0]),
    .row = tree_row, .json = queue_json, .id = queue_id,
};

static bool is_child(const struct creel_queue *queue, const struct creel_queue *parent)
{
    size_t length = strlen(parent->path);

    return !strncmp(queue->path, parent->path, length) && queue->path[length] == '.' &&
           !strchr(queue->path + length + 1, '.');
}

/* Put what is below PARENT, each with its own children behind it. */
static void add_below(const struct creel_queues *queues, const struct creel_queue *parent,
                      const void **items, size_t *count)
{
    for (size_t i = 0; i < queues->count; i++) {
        if (!is_child(&queues->items[i], parent))
            continue;
        items[(*count)++] = &queues->items[i];
        if (!queues->items[i].leaf)
            add_below(queues, &queues->items[i], items, count);
    }
}

static int print_queues(struct cli *cli, bool tree)
{
    scoped_free const void **items = NULL;
    struct creel_queues *queues;
    struct creel_error error;
    size_t count = 0;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (creel_queue_list(cli->client, NULL, &queues, &error) < 0)
        return cli_fail(&error);
    items = mem_array0(queues->count + 1, sizeof(*items));
    for (size_t i = 0; i < queues->count; i++) {
        if (tree && strchr(queues->items[i].path, '.'))
            continue;
        items[count++] = &queues->items[i];
        if (tree)
            add_below(queues, &queues->items[i], items, &count);
    }
    code = listing_print(cli, tree ? &tree_listing : &list_listing, items, count);
    creel_queues_free(queues);
    return code;
}

int cmd_queue_list(struct cli *cli)
{
    return print_queues(cli, false);
}

int cmd_queue_tree(struct cli *cli)
{
    return print_queues(cli, true);
}

/* --- one queue ------------------------------------------------------------- */

static void leaf_lines(const struct creel_queue *queue)
{
    char limit[RECORD_AMOUNTS_MAX], used[RECORD_AMOUNTS_MAX], user[RECORD_AMOUNTS_MAX];

    if (queue->am_limit.memory_mb)
        record_line("Masters", "%s of %s", record_amounts(&queue->am_used, used),
                    record_amounts(&queue->am_limit, limit));
    if (queue->user_limit.memory_mb)
        record_line("One user", "%s; %u active now", record_amounts(&queue->user_limit, user),
                    queue->active_users);
    if (queue->max_apps)
        record_line("At most", "%lld applications, %lld of one user", (long long)queue->max_apps,
                    (long long)queue->max_apps_per_user);
    if (queue->maximum_lifetime_s > 0)
        record_line("Lifetime", "%lld s at most", (long long)queue->maximum_lifetime_s);
}

/* The first of them, by the ends of their ids. */
static char *join_next(const char *const *next)
{
    char *joined = mem_strdup("");

    for (size_t i = 0; next[i] && i <= NEXT_SHOWN; i++) {
        const char *name = i < NEXT_SHOWN ? show_app_suffix(next[i]) : "...";
        char *longer = mem_printf("%s%s%s", joined, i ? ", " : "", name);

        free(joined);
        joined = longer;
    }
    return joined;
}

static void queue_lines(const void *item, const struct cli *cli)
{
    const struct creel_queue *queue = item;
    char used[RECORD_AMOUNTS_MAX], pending[RECORD_AMOUNTS_MAX], least[RECORD_AMOUNTS_MAX];
    char most[RECORD_AMOUNTS_MAX];
    scoped_free char *next = NULL;

    (void)cli;
    record_line("Queue", "%s", queue->path);
    record_line("State", "%s%s", queue->state, queue->dynamic ? ", made by a submission" : "");
    record_line("Capacity", "%.1f%% of the cluster, at most %.1f%%, used %.1f%%",
                queue->absolute_capacity * 100, queue->absolute_max_capacity * 100,
                queue->absolute_used * 100);
    if (queue->weight >= 0)
        record_line("Weight", "%.4g", queue->weight);
    record_line("Guaranteed", "%s, at most %s", record_amounts(&queue->minimum, least),
                record_amounts(&queue->maximum, most));
    record_line("Used", "%s, %u container%s, %.0f%% of what is guaranteed",
                record_amounts(&queue->used, used), queue->containers,
                queue->containers == 1 ? "" : "s", queue->used_capacity * 100);
    record_line("Pending", "%s", record_amounts(&queue->pending, pending));
    record_line("Applications", "%u running, %u pending", queue->apps_running,
                queue->apps_pending);
    if (queue->leaf)
        leaf_lines(queue);
    record_line("Preemption", "%s", queue->preemption ? "its containers may be preempted"
                                                      : "nothing is taken from it");
    next = join_next(queue->next);
    record_line("Next", "%s", next);
}

static void explain_lines(const void *item, const struct cli *cli)
{
    const struct creel_queue *queue = item;

    (void)cli;
    printf("%s\n", queue->path);
    for (const char *const *at = queue->explanation; *at; at++)
        printf("  %s\n", *at);
}

static const struct record show_record = {
    .kind = "QueueList", .lines = queue_lines, .json = queue_json, .id = queue_id,
};
static const struct record explain_record = {
    .kind = "QueueList", .lines = explain_lines, .json = queue_json, .id = queue_id,
};

static int print_one(struct cli *cli, const char *verb, const struct record *record)
{
    struct creel_queues *queues = NULL;
    struct creel_error error;
    int code;

    if (cli->options.argument_count != 1)
        return cli_usage(cli, "which queue? creel queue %s QUEUE", verb);
    if (!cli_client(cli, &code))
        return code;
    code = creel_queue_list(cli->client, cli->options.arguments[0], &queues, &error) < 0
        ? cli_fail(&error) : record_print(cli, record, &queues->items[0]);
    creel_queues_free(queues);
    return code;
}

int cmd_queue_show(struct cli *cli)
{
    return print_one(cli, "show", &show_record);
}

int cmd_queue_explain(struct cli *cli)
{
    return print_one(cli, "explain", &explain_record);
}

/* --- users ----------------------------------------------------------------- */

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
}

static const char *user_id(const void *item)
{
    return ((const struct creel_queue_user *)item)->user;
}

static const struct listing user_listing = {
    .kind = "QueueUserList", .columns = user_columns,
    .column_count = sizeof(user_columns) / sizeof(user_columns[0]),
    .row = user_row, .json = user_json, .id = user_id,
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

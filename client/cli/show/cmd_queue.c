/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_queue.c - creel queue list, tree, show, explain: figures of queues and their explanation */
#include <assert.h>
#include <string.h>

#include "client/cli/frame/amounts.h"
#include "client/cli/commands.h"
#include "client/cli/frame/listing.h"
#include "client/cli/frame/record_json.h"
#include "client/cli/show/queue_rows.h"
#include "client/cli/show/queue_tree.h"
#include "client/cli/show/show_queue.h"
#include "client/cli/show/show_app.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/io/loop/loop.h"
#include "common/record/queue_fields.h"

#define BAR_WIDTH 20
#define NEXT_SHOWN 10

const struct option_spec queue_label_options[] = {
    { 0, "label", "LABEL", "only figures of the nodes of this label; \"\": without a label" },
    { 0 },
};

const struct option_spec queue_access_options[] = {
    { 'u', "user", "USER", "rights of this user instead of yours" },
    { 0 },
};

const struct option_spec queue_stop_options[] = {
    { 0, "drain", NULL, "wait until all applications in it have ended" },
    { 0 },
};

static void share_cell(struct table *table, double share)
{
    table_textf(table, "%.1f%%", share * 100);
    table_sorted_by(table, (int64_t)(share * 1e6));
}

static int64_t limit_shown(int64_t limit)
{
    return limit < 0 ? 0 : limit;
}

/* --- JSON ------------------------------------------------------------------ */

static void json_labels(struct json_writer *writer, const struct creel_queue *queue)
{
    if (queue->by_label_count > 0)
        json_texts(writer, "labels", queue->labels);
}

static void json_by_label(struct json_writer *writer, const struct creel_queue *queue)
{
    if (queue->by_label_count > 0)
        queue_labels_json(queue, writer);
}

static void json_next(struct json_writer *writer, const struct creel_queue *queue)
{
    record_json_texts(writer, "next", queue->next);
}

static void json_explanation(struct json_writer *writer, const struct creel_queue *queue)
{
    record_json_texts(writer, "explanation", queue->explanation);
}

/* The conditions of common/record/queue_fields.h. */
#define RECORD_JSON_WEIGHTED_NUMBER(writer, name, value) \
    if (record->weight >= 0) \
    json_double(writer, name, value)
#define RECORD_JSON_LABELS_TEXT(writer, name, value) \
    if (record->by_label_count > 0) \
    json_text_if(writer, name, value)
#define RECORD_JSON_LEAF_AMOUNTS(writer, name, value) \
    if (record->leaf) \
    json_amounts(writer, name, &(value))
#define RECORD_JSON_LEAF_UINT32(writer, name, value) \
    if (record->leaf) \
    json_uint(writer, name, value)
#define RECORD_JSON_LEAF_LIMIT(writer, name, value) \
    if (record->leaf) \
    record_json_limit(writer, name, value)
#define RECORD_JSON_LEAF_INT64(writer, name, value) \
    if (record->leaf) \
    record_json_int(writer, name, value)
#define RECORD_JSON_SHARES_AMOUNTS(writer, name, value) \
    if (*record->policy) \
    json_amounts(writer, name, &(value))
#define RECORD_JSON_SHARES_TIME(writer, name, value) \
    if (*record->policy) \
    json_time(writer, name, value)

static void queue_json(const void *item, struct json_writer *writer)
{
    const struct creel_queue *record = item;

    QUEUE_FIELDS(RECORD_JSON)
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
    { "policy", "POLICY", TABLE_WIDE },
    { "memdemand", "MEMDEMAND", TABLE_WIDE | TABLE_RIGHT },
    { "memfair", "MEMFAIR", TABLE_WIDE | TABLE_RIGHT },
    { "cpufair", "CPUFAIR", TABLE_WIDE | TABLE_RIGHT },
    { "memsteady", "MEMSTEADY", TABLE_WIDE | TABLE_RIGHT },
    { "cpusteady", "CPUSTEADY", TABLE_WIDE | TABLE_RIGHT },
    { "starved", "STARVED", TABLE_WIDE | TABLE_RIGHT },
    { "others", "OTHERS", TABLE_WIDE },
    { "label", "LABEL", TABLE_WIDE },
};

/* Adds a number that belongs to the queue, not to nodes: in the first of its rows only. */
static void queue_number(struct table *table, const struct queue_row *row, int64_t number)
{
    if (row->further)
        table_text(table, "");
    else
        table_number(table, number);
}

static void starved_cell(struct table *table, const struct creel_queue *queue)
{
    int64_t passed_ms = queue->starved_since_ms ? loop_now_ms() - queue->starved_since_ms : 0;
    char text[TEXT_SIZE_MAX] = "";

    if (queue->starved_since_ms)
        text_format_elapsed_ms(passed_ms > 0 ? passed_ms : 0, text);
    table_text(table, text);
    table_sorted_by(table, passed_ms);
}

static void list_row(const void *item, struct table *table)
{
    const struct queue_row *row = item;
    const struct creel_queue *queue = &row->queue;

    table_text(table, queue->path);
    table_text(table, queue->state);
    share_cell(table, queue->absolute_capacity);
    share_cell(table, queue->absolute_max_capacity);
    share_cell(table, queue->absolute_used);
    queue_number(table, row, queue->apps_running);
    queue_number(table, row, queue->apps_pending);
    table_number(table, queue->containers);
    memory_cell(table, queue->used.memory_mb);
    table_number(table, queue->used.vcores);
    queue_number(table, row, queue->active_users);
    memory_cell(table, queue->pending.memory_mb);
    table_number(table, queue->pending.vcores);
    memory_cell(table, queue->minimum.memory_mb);
    memory_cell(table, queue->maximum.memory_mb);
    table_number(table, queue->priority);
    table_text(table, queue->policy);
    memory_cell(table, queue->demand.memory_mb);
    memory_cell(table, queue->fair_share.memory_mb);
    table_number(table, queue->fair_share.vcores);
    memory_cell(table, queue->steady_fair_share.memory_mb);
    table_number(table, queue->steady_fair_share.vcores);
    starved_cell(table, queue);
    others_cell(table, &queue->used, NULL);
    table_text(table, row->label);
}

static const char *queue_id(const void *item)
{
    return ((const struct creel_queue *)item)->path;
}

static const char *row_id(const void *item)
{
    return queue_id(&((const struct queue_row *)item)->queue);
}

static void row_json(const void *item, struct json_writer *json)
{
    queue_json(&((const struct queue_row *)item)->queue, json);
}

static const struct listing list_listing = {
    .kind = "QueueList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = list_row,
    .json = row_json,
    .id = row_id,
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
    { "label", "LABEL", TABLE_WIDE },
};

/* Draws the cluster's capacity: '#' used part of the guarantee, '+' used beyond the guarantee, '.' unused up
 * to the maximum, '|' end of the guarantee. */
static void draw_bar(const struct creel_queue *queue, char bar[BAR_WIDTH + 1])
{
    int used = (int)(queue->absolute_used * BAR_WIDTH + 0.5);
    int own = (int)(queue->absolute_capacity * BAR_WIDTH + 0.5);
    int most = (int)(queue->absolute_max_capacity * BAR_WIDTH + 0.5);

    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < used && i < own ? '#' : i < used ? '+' : i == own - 1 ? '|' : i < most ? '.' : ' ';
    bar[BAR_WIDTH] = '\0';
}

static void name_cell(struct table *table, const struct creel_queue *queue)
{
    const char *name = strrchr(queue->path, '.');
    int depth = 0;

    for (const char *at = queue->path; *at; at++)
        depth += *at == '.';
    table_textf(table, "%*s%s", depth * 2, "", name ? name + 1 : queue->path);
}

static void tree_row(const void *item, struct table *table)
{
    const struct queue_row *row = item;
    const struct creel_queue *queue = &row->queue;
    char bar[BAR_WIDTH + 1];

    draw_bar(queue, bar);
    name_cell(table, queue);
    table_text(table, queue->state);
    table_text(table, bar);
    share_cell(table, queue->absolute_capacity);
    share_cell(table, queue->absolute_max_capacity);
    share_cell(table, queue->absolute_used);
    queue_number(table, row, queue->apps_running);
    queue_number(table, row, queue->apps_pending);
    memory_cell(table, queue->used.memory_mb);
    table_number(table, queue->used.vcores);
    table_text(table, row->label);
}

/* For the fair scheduler: the current fair share replaces the guarantee. */
static const struct table_column fair_columns[] = {
    { "queue", "QUEUE", 0 },
    { "policy", "POLICY", 0 },
    { "use", "USE", 0 },
    { "mem", "MEM", TABLE_RIGHT },
    { "memfair", "MEMFAIR", TABLE_RIGHT },
    { "memsteady", "MEMSTEADY", TABLE_RIGHT },
    { "memmin", "MEMMIN", TABLE_RIGHT },
    { "memmax", "MEMMAX", TABLE_RIGHT },
    { "memdemand", "MEMDEMAND", TABLE_RIGHT },
    { "cpu", "CPU", TABLE_RIGHT },
    { "cpufair", "CPUFAIR", TABLE_RIGHT },
    { "running", "RUNNING", TABLE_RIGHT },
    { "waiting", "WAITING", TABLE_RIGHT },
    { "starved", "STARVED", TABLE_RIGHT },
    { "cpusteady", "CPUSTEADY", TABLE_WIDE | TABLE_RIGHT },
    { "cpumin", "CPUMIN", TABLE_WIDE | TABLE_RIGHT },
    { "cpumax", "CPUMAX", TABLE_WIDE | TABLE_RIGHT },
    { "cpudemand", "CPUDEMAND", TABLE_WIDE | TABLE_RIGHT },
    { "weight", "WEIGHT", TABLE_WIDE | TABLE_RIGHT },
};

static void fair_row(const void *item, struct table *table)
{
    const struct creel_queue *queue = &((const struct queue_row *)item)->queue;
    char bar[BAR_WIDTH + 1];

    name_cell(table, queue);
    table_text(table, queue->policy);
    draw_bar(queue, bar);
    table_text(table, bar);
    memory_cell(table, queue->used.memory_mb);
    memory_cell(table, queue->fair_share.memory_mb);
    memory_cell(table, queue->steady_fair_share.memory_mb);
    memory_cell(table, queue->minimum.memory_mb);
    memory_cell(table, queue->maximum.memory_mb);
    memory_cell(table, queue->demand.memory_mb);
    table_number(table, queue->used.vcores);
    table_number(table, queue->fair_share.vcores);
    table_number(table, queue->active_apps);
    table_number(table, queue->waiting_apps);
    starved_cell(table, queue);
    table_number(table, queue->steady_fair_share.vcores);
    table_number(table, queue->minimum.vcores);
    table_number(table, queue->maximum.vcores);
    table_number(table, queue->demand.vcores);
    table_textf(table, "%.4g", queue->weight);
    table_sorted_by(table, (int64_t)(queue->weight * 1000));
}

static const struct listing fair_listing = {
    .kind = "QueueList",
    .columns = fair_columns,
    .column_count = sizeof(fair_columns) / sizeof(fair_columns[0]),
    .row = fair_row,
    .json = row_json,
    .id = row_id,
};

static const struct listing tree_listing = {
    .kind = "QueueList",
    .columns = tree_columns,
    .column_count = sizeof(tree_columns) / sizeof(tree_columns[0]),
    .row = tree_row,
    .json = row_json,
    .id = row_id,
};

/* Writes the error of the last reload; nothing if it succeeded. */
static void json_refusal(const void *context, struct json_writer *json)
{
    const struct creel_queues *queues = context;

    if (!*queues->refresh_error)
        return;
    json_time(json, "refreshed", queues->refreshed_ms);
    json_text(json, "refreshedBy", queues->refreshed_by);
    json_text(json, "refreshError", queues->refresh_error);
}

static void warn_of_refusal(struct cli *cli, const struct creel_queues *queues)
{
    char ago[TEXT_SIZE_MAX];
    int64_t passed_ms = loop_now_ms() - queues->refreshed_ms;

    if (!*queues->refresh_error || cli->format == FORMAT_JSON)
        return;
    fprintf(stderr,
            "creel: warning: what is shown is what held before: a refresh was refused %s ago "
            "for %s: %s\n",
            text_format_elapsed_ms(passed_ms > 0 ? passed_ms : 0, ago), queues->refreshed_by,
            queues->refresh_error);
}

static bool is_fair(const struct creel_queues *queues)
{
    return queues->count > 0 && *queues->items[0].policy;
}

/* Prints COUNT queues in the form of LISTING; LABEL as for queue_rows_make(). */
static int print_rows(struct cli *cli, struct listing listing, const void *const *queues, size_t count,
                      const char *label)
{
    struct table_column shown[sizeof(columns) / sizeof(columns[0])];
    struct queue_rows rows;
    int code;

    assert(listing.column_count <= sizeof(shown) / sizeof(shown[0]));
    queue_rows_make(&rows, cli, queues, count, label);
    queue_columns_shown(listing.columns, listing.column_count, rows.labelled, shown);
    listing.columns = shown;
    code = listing_print(cli, &listing, rows.items, rows.count);
    queue_rows_done(&rows);
    return code;
}

static int print_queues(struct cli *cli, bool tree)
{
    scoped_free const void **items = NULL;
    struct creel_queues *queues;
    struct creel_error error;
    struct listing listing;
    const char *label;
    size_t count = 0;
    int code;

    if (!cli_client(cli, &code) || (code = queue_label_asked(cli, &label)) != EXIT_DONE)
        return code;
    if (creel_queue_list(cli->client, NULL, &queues, &error) < 0)
        return cli_fail(&error);
    items = mem_array0(queues->count + 1, sizeof(*items));
    if (tree)
        count = queue_tree_order(queues, items);
    else
        while (count < queues->count) {
            items[count] = &queues->items[count];
            count++;
        }
    listing = !tree ? list_listing : is_fair(queues) ? fair_listing : tree_listing;
    listing.head = json_refusal;
    listing.context = queues;
    code = print_rows(cli, listing, items, count, label);
    warn_of_refusal(cli, queues);
    creel_queues_free(queues);
    return code;
}

int show_queues(struct cli *cli, const struct creel_queues *queues)
{
    scoped_free const void **items = mem_array0(queues->count + 1, sizeof(*items));

    for (size_t i = 0; i < queues->count; i++)
        items[i] = &queues->items[i];
    return print_rows(cli, list_listing, items, queues->count, NULL);
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
        record_line("AM use", "%s of %s", record_amounts(&queue->am_used, used),
                    queue_limit_text(queue, &queue->am_limit, limit));
    if (queue->user_limit.memory_mb)
        record_line("One user", "%s; %u active now", queue_limit_text(queue, &queue->user_limit, user),
                    queue->active_users);
    if (queue->max_apps && *queue->policy)
        record_line("At most", "%lld applications at a time", (long long)limit_shown(queue->max_apps));
    else if (queue->max_apps)
        record_line("At most", "%lld applications, %lld of one user", (long long)limit_shown(queue->max_apps),
                    (long long)limit_shown(queue->max_apps_per_user));
    if (queue->maximum_lifetime_s > 0)
        record_line("Lifetime", "%lld s at most", (long long)queue->maximum_lifetime_s);
}

/* Returns the first NEXT_SHOWN ids of NEXT in short form, then "..." if there are more; to be freed. */
static char *join_next(const char *const *next)
{
    struct text_builder joined = TEXT_BUILDER_MALLOC;

    for (size_t i = 0; next[i] && i <= NEXT_SHOWN; i++) {
        const char *name = i < NEXT_SHOWN ? show_app_suffix(next[i]) : "...";

        text_builder_printf(&joined, "%s%s", i ? ", " : "", name);
    }
    return text_builder_finish(&joined);
}

/* Formats a share. Under a policy that shares only memory, vcores are 0 and left out. */
static const char *share_text(const struct creel_resource *share, char text[RECORD_AMOUNTS_MAX])
{
    return share->vcores ? record_amounts(share, text) : text_format_mb(share->memory_mb, text);
}

/* Prints the lines of the fair scheduler. */
static void share_lines(const struct creel_queue *queue)
{
    char now[RECORD_AMOUNTS_MAX], steady[RECORD_AMOUNTS_MAX], least[RECORD_AMOUNTS_MAX];
    char most[RECORD_AMOUNTS_MAX], demand[RECORD_AMOUNTS_MAX], passed[TEXT_SIZE_MAX];
    int64_t starved_ms = loop_now_ms() - queue->starved_since_ms;

    record_line("Policy", "%s", queue->policy);
    record_line("Fair share", "%s now, %s steady", share_text(&queue->fair_share, now),
                share_text(&queue->steady_fair_share, steady));
    record_line("Bounds", "minimum %s, maximum %s", record_amounts(&queue->minimum, least),
                record_amounts(&queue->maximum, most));
    record_line("Demand", "%s", record_amounts(&queue->demand, demand));
    if (queue->starved_since_ms)
        record_line("Starved", "for %s", text_format_elapsed_ms(starved_ms > 0 ? starved_ms : 0, passed));
}

static void queue_lines(const void *item, const struct cli *cli)
{
    const struct creel_queue *queue = item;
    char used[RECORD_AMOUNTS_MAX], pending[RECORD_AMOUNTS_MAX], least[RECORD_AMOUNTS_MAX];
    char most[RECORD_AMOUNTS_MAX], reserved[RECORD_AMOUNTS_MAX];
    uint32_t containers = queue->containers - queue->labelled_containers;
    scoped_free char *next = NULL;

    (void)cli;
    record_line("Queue", "%s", queue->path);
    record_line("State", "%s%s", queue->state, queue->dynamic ? ", made by a submission" : "");
    record_line(*queue->policy ? "Steady" : "Capacity", "%.1f%% of %s, at most %.1f%%, used %.1f%%",
                queue->absolute_capacity * 100,
                queue->by_label_count ? "the nodes without a label" : "the cluster",
                queue->absolute_max_capacity * 100, queue->absolute_used * 100);
    if (queue->weight >= 0)
        record_line("Weight", "%.4g", queue->weight);
    if (*queue->policy)
        share_lines(queue);
    else
        record_line("Guaranteed", "%s, at most %s", queue_limit_text(queue, &queue->minimum, least),
                    queue_limit_text(queue, &queue->maximum, most));
    record_line("Used", "%s, %u container%s, %.0f%% of %s", record_amounts(&queue->used, used), containers,
                containers == 1 ? "" : "s", queue->used_capacity * 100,
                *queue->policy ? "its steady share" : "what is guaranteed");
    record_line("Pending", "%s", record_amounts(&queue->pending, pending));
    if (queue->reserved.memory_mb || queue->reserved.vcores || queue->reserved.other_count)
        record_line("Reserved", "%s, on nodes that have too little free",
                    record_amounts(&queue->reserved, reserved));
    if (queue->by_label_count)
        queue_labels_lines(queue);
    record_line("Applications", "%u running, %u pending", queue->apps_running, queue->apps_pending);
    if (queue->max_parallel_apps)
        record_line("Parallel", "at most %lld running", (long long)limit_shown(queue->max_parallel_apps));
    if (queue->leaf)
        leaf_lines(queue);
    record_line("Preemption", "%s",
                queue->preemption ? "its containers may be preempted" : "nothing is taken from it");
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
    .kind = "QueueList",
    .lines = queue_lines,
    .json = queue_json,
    .id = queue_id,
};
static const struct record explain_record = {
    .kind = "QueueList",
    .lines = explain_lines,
    .json = queue_json,
    .id = queue_id,
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
               ? cli_fail(&error)
               : record_print(cli, record, &queues->items[0]);
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

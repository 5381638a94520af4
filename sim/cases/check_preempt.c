/* SPDX-License-Identifier: Apache-2.0 */
/* check_preempt.c - runs conformance cases of kind preemption: the case is the policy's snapshot */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/preempt/preempt.h"
#include "sim/cases/check.h"

#define NO_NODE SIZE_MAX
#define CONTAINERS_MAX 10000000

struct item { /* a container, or a reservation */
    struct preempt_container container;
    size_t node;
    bool marked, gone;
};

struct app {
    const struct case_app *source;
    uint32_t leaf;
    size_t first_item, item_count;
    struct resource used, am;
    int64_t notified, killed; /* number of containers, in this round */
    int64_t *notified_on;     /* number by node */
};

struct bench {
    const struct test_case *test;
    struct report *report;
    struct preempt_queue *queues;
    struct preempt_figures *figures;
    size_t *first_app;            /* by queue; the apps of a queue are contiguous */
    struct resource *user_limits; /* by queue */
    struct app *apps;
    size_t app_count;
    struct item *items;
    size_t item_count;
    struct resource *available; /* by node */
    struct preempt_settings settings;
    struct preempt_snapshot snapshot;
};

/* --- creating the snapshot ----------------------------------------------------------- */

static const char *queue_property(const struct bench *bench, const char *path, const char *key)
{
    scoped_free char *name = mem_printf("yarn.scheduler.capacity.%s.%s", path, key);

    return check_property(&bench->test->preemption.properties, name);
}

/* Returns the queue's value of an inherited switch; ABOVE is the parent's value. */
static bool inherited(const struct bench *bench, const char *path, const char *key, bool above)
{
    const char *value = queue_property(bench, path, key);

    if (text_equal(value, "true") || text_equal(value, "false"))
        return text_equal(value, "true");
    return above;
}

static size_t find_node(const struct bench *bench, const char *name)
{
    for (size_t i = 0; name != NULL && i < bench->test->preemption.node_count; i++)
        if (strcmp(bench->test->preemption.nodes[i].name, name) == 0)
            return i;
    return NO_NODE;
}

static struct app *find_app(struct bench *bench, const char *id)
{
    for (size_t i = 0; i < bench->app_count; i++)
        if (strcmp(bench->apps[i].source->id, id) == 0)
            return &bench->apps[i];
    return NULL;
}

static uint32_t find_parent(const struct bench *bench, const char *path)
{
    const char *end = strrchr(path, '.');

    for (size_t i = 0; end != NULL && i < bench->test->preemption.queue_count; i++) {
        const char *other = bench->test->preemption.queues[i].path;

        if (strlen(other) == (size_t)(end - path) && strncmp(other, path, strlen(other)) == 0)
            return (uint32_t)i;
    }
    return PREEMPT_NONE;
}

/* Fills a queue. A queue without children is a leaf, even without apps. */
static void build_queue(struct bench *bench, size_t index)
{
    const struct case_queue *source = &bench->test->preemption.queues[index];
    struct preempt_queue *queue = &bench->queues[index];
    const struct preempt_queue *above = NULL;
    const char *above_order = NULL;

    queue->parent = find_parent(bench, source->path);
    queue->leaf = true;
    if (queue->parent != PREEMPT_NONE) {
        bench->queues[queue->parent].leaf = false;
        above = &bench->queues[queue->parent];
        above_order =
            queue_property(bench, bench->test->preemption.queues[queue->parent].path, "ordering-policy");
    }
    queue->disabled = inherited(bench, source->path, "disable_preemption", above != NULL && above->disabled);
    if (source->disable_given)
        queue->disabled = source->disable;
    queue->intra_disabled = inherited(bench, source->path, "intra-queue-preemption.disable_preemption",
                                      above != NULL && above->intra_disabled);
    queue->fair_order = text_equal(queue_property(bench, source->path, "ordering-policy"), "fair");
    queue->priority = text_equal(above_order, "utilization") ? 0 : (int32_t)source->priority;
    queue->am_fraction = (float)source->max_am_percent;
    queue->user_limit_percent = (float)source->user_limit_percent;
}

static struct resource pending_of(const struct case_queue *queue)
{
    struct resource sum = queue->pending.amount;

    for (size_t i = 0; !queue->pending_given && i < queue->app_count; i++)
        sum = resource_add(sum, queue->apps[i].pending.amount);
    return sum;
}

static void build_figures(struct bench *bench, size_t index)
{
    const struct case_queue *source = &bench->test->preemption.queues[index];
    const struct resource *cluster = &bench->test->preemption.cluster.amount;

    bench->figures[index] = (struct preempt_figures){
        .guaranteed = source->guaranteed.amount,
        .maximum = source->maximum.amount,
        .used = source->used.amount,
        .reserved = source->reserved.amount,
        .pending = pending_of(source),
        .pending_unreserved = calc_subtract_positive(pending_of(source), source->reserved.amount),
        .absolute_capacity = calc_divide(&bench->settings.calc, cluster, &source->guaranteed.amount, cluster),
    };
}

static uint32_t count_users(const struct case_queue *queue)
{
    uint32_t count = 0;

    for (size_t i = 0; i < queue->app_count; i++) {
        bool first = true;

        for (size_t j = 0; j < i; j++)
            first &= strcmp(queue->apps[j].user, queue->apps[i].user) != 0;
        count += first;
    }
    return count;
}

/* Returns the user limit that the case states, or else computes it: yarn-behaviour 5.4 for users of equal
 * weight and a factor of 1. */
static struct resource user_limit_of(const struct bench *bench, const struct case_queue *queue)
{
    const struct calc *calc = &bench->settings.calc;
    const struct resource *total = &bench->test->preemption.cluster.amount;
    const struct resource *minimum = &bench->settings.minimum;
    struct resource share = calc_max(calc, total, queue->guaranteed.amount, *minimum);
    struct resource current = share, equal, percent;

    if (queue->user_limit_given)
        return queue->user_limit.amount;
    if (calc_compare(calc, total, &queue->used.amount, &share) >= 0)
        current = resource_add(queue->used.amount, *minimum);
    equal = calc_divide_ceil(calc, &current, count_users(queue));
    percent = calc_multiply(&current, queue->user_limit_percent);
    percent = calc_divide_ceil(calc, &percent, 100);
    equal = calc_max(calc, total, equal, percent);
    equal = calc_min(calc, total, equal, share);
    return calc_round_up(calc, &equal, minimum);
}

static void add_items(struct bench *bench, struct app *app, const struct case_groups *groups, bool reserved)
{
    for (size_t g = 0; g < groups->count; g++) {
        const struct case_group *group = &groups->items[g];
        size_t node = find_node(bench, group->node);

        if (group->node != NULL && node == NO_NODE)
            report_append(bench->report, "%s: node %s is not among the nodes", app->source->id, group->node);
        for (int64_t i = 0; i < group->count; i++) {
            struct item *item = &bench->items[bench->item_count++];

            item->node = node;
            item->container = (struct preempt_container){ .handle = item,
                                                          .app = app,
                                                          .size = calc_amount(&group->size.amount),
                                                          .id = bench->item_count,
                                                          .leaf = app->leaf,
                                                          .priority = (uint32_t)group->priority,
                                                          .am = group->am && !reserved,
                                                          .reserved = reserved };
            app->item_count++;
            if (reserved)
                continue;
            app->used = resource_add(app->used, group->size.amount);
            if (group->am)
                app->am = resource_add(app->am, group->size.amount);
        }
    }
}

static void build_apps(struct bench *bench, size_t index)
{
    const struct case_queue *queue = &bench->test->preemption.queues[index];

    bench->first_app[index] = bench->app_count;
    for (size_t i = 0; i < queue->app_count; i++) {
        struct app *app = &bench->apps[bench->app_count++];

        app->source = &queue->apps[i];
        app->leaf = (uint32_t)index;
        app->first_item = bench->item_count;
        app->notified_on = mem_array0(bench->test->preemption.node_count + 1, sizeof(*app->notified_on));
        add_items(bench, app, &queue->apps[i].containers, false);
        add_items(bench, app, &queue->apps[i].reserved, true);
    }
}

static int64_t count_containers(const struct case_groups *groups)
{
    int64_t count = 0;

    for (size_t i = 0; i < groups->count; i++)
        if (groups->items[i].count > CONTAINERS_MAX || (count += groups->items[i].count) > CONTAINERS_MAX)
            return CONTAINERS_MAX + 1;
    return count;
}

/* Counts apps and items for allocation; returns false if there are too many. */
static bool count_all(struct bench *bench, size_t *apps, size_t *items)
{
    const struct case_preemption *source = &bench->test->preemption;

    for (size_t q = 0; q < source->queue_count; q++)
        for (size_t a = 0; a < source->queues[q].app_count; a++) {
            const struct case_app *app = &source->queues[q].apps[a];

            *apps += 1;
            *items += (size_t)count_containers(&app->containers) + (size_t)count_containers(&app->reserved);
            if (*items > CONTAINERS_MAX)
                return false;
        }
    return true;
}

/* --- snapshot functions ----------------------------------------------------------------- */

static uint32_t user_index(const struct case_queue *queue, size_t app)
{
    uint32_t index = 0;

    for (size_t i = 0; strcmp(queue->apps[i].user, queue->apps[app].user) != 0; i++) {
        bool first = true;

        for (size_t j = 0; j < i; j++)
            first &= strcmp(queue->apps[j].user, queue->apps[i].user) != 0;
        index += first;
    }
    return index;
}

static size_t source_apps(void *context, uint32_t leaf, uint32_t partition, struct preempt_app *items,
                          size_t room)
{
    struct bench *bench = context;
    const struct case_queue *queue = &bench->test->preemption.queues[leaf];

    (void)partition;
    for (size_t i = 0; i < queue->app_count && i < room; i++) {
        struct app *app = &bench->apps[bench->first_app[leaf] + i];

        items[i] = (struct preempt_app){ .handle = app,
                                         .number = i,
                                         .priority = (int32_t)app->source->priority,
                                         .user = user_index(queue, i),
                                         .fair_key = (double)app->used.value[RESOURCE_MEMORY_MB],
                                         .used = app->used,
                                         .am = app->am,
                                         .pending = app->source->pending.amount };
    }
    return queue->app_count;
}

static size_t source_users(void *context, uint32_t leaf, uint32_t partition, struct preempt_user *items,
                           size_t room)
{
    struct bench *bench = context;
    const struct case_queue *queue = &bench->test->preemption.queues[leaf];
    size_t count = count_users(queue);

    (void)partition;
    for (size_t i = 0; i < count && i < room; i++)
        items[i] = (struct preempt_user){ .limit = bench->user_limits[leaf] };
    for (size_t i = 0; i < queue->app_count; i++) {
        uint32_t user = user_index(queue, i);

        if (user < room)
            items[user].used = resource_add(items[user].used, bench->apps[bench->first_app[leaf] + i].used);
    }
    return count;
}

static size_t source_containers(void *context, void *handle, struct preempt_container *items, size_t room)
{
    struct bench *bench = context;
    const struct app *app = handle;
    size_t count = 0;

    for (size_t i = app->first_item; i < app->first_item + app->item_count; i++) {
        if (bench->items[i].gone)
            continue;
        if (count < room)
            items[count] = bench->items[i].container;
        count++;
    }
    return count;
}

static size_t source_reservations(void *context, struct preempt_reservation *items, size_t room)
{
    struct bench *bench = context;
    size_t count = 0;

    for (size_t i = 0; i < bench->item_count; i++) {
        const struct item *item = &bench->items[i];

        if (!item->container.reserved || item->gone || item->node == NO_NODE)
            continue;
        if (count < room)
            items[count] = (struct preempt_reservation){ .node = &bench->available[item->node],
                                                         .container = item->container,
                                                         .available = bench->available[item->node] };
        count++;
    }
    return count;
}

static size_t source_node(void *context, void *node, struct preempt_container *items, size_t room)
{
    struct bench *bench = context;
    size_t index = (size_t)((struct resource *)node - bench->available), count = 0;

    for (size_t i = 0; i < bench->item_count; i++) {
        const struct item *item = &bench->items[i];

        if (item->node != index || item->gone || item->container.reserved)
            continue;
        if (count < room)
            items[count] = item->container;
        count++;
    }
    return count;
}

/* --- rounds -------------------------------------------------------------------------------- */

static void remove_item(struct bench *bench, struct item *item)
{
    struct app *app = item->container.app;
    struct resource size = calc_load(&bench->settings.calc, item->container.size);

    item->gone = true;
    for (uint32_t q = app->leaf; q != PREEMPT_NONE; q = bench->queues[q].parent)
        bench->figures[q].used = resource_subtract(bench->figures[q].used, size);
    if (!item->container.reserved)
        app->used = resource_subtract(app->used, size);
    if (item->node != NO_NODE && !item->container.reserved)
        bench->available[item->node] = resource_add(bench->available[item->node], size);
}

static void let_go(struct bench *bench, const struct case_round *round)
{
    for (size_t g = 0; g < round->gone.count; g++) {
        struct app *app = find_app(bench, round->gone.items[g].name);
        int64_t left = round->gone.items[g].count;

        for (size_t i = 0; app != NULL && left > 0 && i < app->item_count; i++) {
            struct item *item = &bench->items[app->first_item + i];

            if (item->marked && !item->gone) {
                remove_item(bench, item);
                left--;
            }
        }
        if (app == NULL || left > 0)
            report_append(bench->report, "line %d: gone: %s has not that many that were marked", round->line,
                          round->gone.items[g].name);
    }
}

static void count_marks(struct bench *bench, const struct preempt_marks *marks)
{
    for (size_t i = 0; i < bench->app_count; i++) {
        bench->apps[i].notified = bench->apps[i].killed = 0;
        memset(bench->apps[i].notified_on, 0, bench->test->preemption.node_count * sizeof(int64_t));
    }
    for (size_t i = 0; i < marks->count; i++) {
        struct item *item = marks->items[i].container;
        struct app *app = marks->items[i].app;

        if (marks->items[i].act == PREEMPT_KILL)
            app->killed++;
        if (marks->items[i].act != PREEMPT_NOTIFY)
            continue;
        app->notified++;
        item->marked = true;
        if (item->node != NO_NODE)
            app->notified_on[item->node]++;
    }
}

/* Checks that every application named by ROUND exists; another name is a typing mistake. */
static void check_names(struct bench *bench, const struct case_round *round)
{
    const struct case_counts *lists[] = { &round->preempt, &round->kill, &round->at_least };

    for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++)
        for (size_t i = 0; i < lists[l]->count; i++)
            if (find_app(bench, lists[l]->items[i].name) == NULL)
                report_append(bench->report, "line %d: there is no app %s", round->line,
                              lists[l]->items[i].name);
    for (size_t i = 0; i < round->never.count; i++)
        if (find_app(bench, round->never.items[i]) == NULL)
            report_append(bench->report, "line %d: there is no app %s", round->line, round->never.items[i]);
}

static const struct case_count *find_count(const struct case_counts *counts, const char *name)
{
    for (size_t i = 0; i < counts->count; i++)
        if (strcmp(counts->items[i].name, name) == 0)
            return &counts->items[i];
    return NULL;
}

static bool is_never(const struct case_round *round, const char *app)
{
    for (size_t i = 0; i < round->never.count; i++)
        if (strcmp(round->never.items[i], app) == 0)
            return true;
    return false;
}

static void compare(struct bench *bench, const struct case_round *round, const struct app *app)
{
    const char *id = app->source->id;
    const struct case_count *preempt = find_count(&round->preempt, id);
    const struct case_count *kill = find_count(&round->kill, id);
    const struct case_count *least = find_count(&round->at_least, id);
    bool relaxed = (round->at_least.given || round->never.count > 0) && !round->preempt.given;
    bool never = is_never(round, id), free = round->others_any || relaxed;

    if (least != NULL && app->notified < least->count)
        report_append(bench->report, "line %d: %s: expected at least %" PRId64 " PREEMPT, got %" PRId64,
                      round->line, id, least->count, app->notified);
    if (preempt != NULL ? app->notified != preempt->count
                        : app->notified > 0 && (never || (least == NULL && !free)))
        report_append(bench->report, "line %d: %s: expected %" PRId64 " PREEMPT, got %" PRId64, round->line,
                      id, preempt != NULL ? preempt->count : 0, app->notified);
    if (kill != NULL ? app->killed != kill->count : app->killed > 0 && (never || !free))
        report_append(bench->report, "line %d: %s: expected %" PRId64 " KILL, got %" PRId64, round->line, id,
                      kill != NULL ? kill->count : 0, app->killed);
}

static void compare_nodes(struct bench *bench, const struct case_round *round)
{
    for (size_t i = 0; i < round->on_count; i++) {
        const struct case_node_counts *on = &round->on[i];
        const struct app *app = find_app(bench, on->app);

        for (size_t n = 0; n < on->nodes.count; n++) {
            size_t node = find_node(bench, on->nodes.items[n].name);

            if (app == NULL || node == NO_NODE)
                report_append(bench->report, "line %d: preempt-on: there is no app %s or no node %s",
                              round->line, on->app, on->nodes.items[n].name);
            else if (app->notified_on[node] != on->nodes.items[n].count)
                report_append(bench->report, "line %d: %s on %s: expected %" PRId64 " PREEMPT, got %" PRId64,
                              round->line, on->app, on->nodes.items[n].name, on->nodes.items[n].count,
                              app->notified_on[node]);
        }
    }
}

static void run_rounds(struct bench *bench)
{
    const struct case_preemption *source = &bench->test->preemption;
    struct preempt *preempt = preempt_new(&bench->settings);
    struct preempt_marks marks = { .count = 0 };

    for (size_t i = 0; i < source->round_count; i++) {
        const struct case_round *round = &source->rounds[i];

        let_go(bench, round);
        marks.count = 0;
        preempt_round(preempt, &bench->snapshot, round->at_ms, &marks);
        count_marks(bench, &marks);
        check_names(bench, round);
        for (size_t a = 0; a < bench->app_count; a++)
            compare(bench, round, &bench->apps[a]);
        compare_nodes(bench, round);
    }
    free(marks.items);
    preempt_free(preempt);
}

static bool read_settings(struct bench *bench)
{
    const struct case_properties *properties = &bench->test->preemption.properties;
    struct conf *conf = check_conf(properties, bench->report);
    struct err err = { .code = 0 };

    if (conf == NULL)
        return false;
    if (preempt_settings_read(conf, bench->test->type_count, &bench->settings, &err) < 0)
        report_append(bench->report, "%s", err.text);
    conf_free(conf);
    if (check_property(properties, "yarn.scheduler.minimum-allocation-mb") == NULL)
        bench->settings.minimum = resource_of(1, 1);
    return bench->report->count == 0;
}

static void build(struct bench *bench, size_t app_count, size_t item_count)
{
    const struct case_preemption *source = &bench->test->preemption;
    size_t queues = source->queue_count;

    bench->queues = mem_array0(queues, sizeof(*bench->queues));
    bench->figures = mem_array0(queues, sizeof(*bench->figures));
    bench->first_app = mem_array0(queues, sizeof(*bench->first_app));
    bench->user_limits = mem_array0(queues, sizeof(*bench->user_limits));
    bench->apps = mem_array0(app_count + 1, sizeof(*bench->apps));
    bench->items = mem_array0(item_count + 1, sizeof(*bench->items));
    bench->available = mem_array0(source->node_count + 1, sizeof(*bench->available));
    for (size_t i = 0; i < source->node_count; i++)
        bench->available[i] = source->nodes[i].available.amount;
    for (size_t i = 0; i < queues; i++) {
        build_queue(bench, i);
        build_figures(bench, i);
        bench->user_limits[i] = user_limit_of(bench, &source->queues[i]);
        build_apps(bench, i);
    }
    bench->snapshot = (struct preempt_snapshot){ .cluster = source->cluster.amount,
                                                 .queue_count = (uint32_t)queues,
                                                 .partition_count = 1,
                                                 .queues = bench->queues,
                                                 .figures = bench->figures,
                                                 .partitions = &source->cluster.amount,
                                                 .source = { .context = bench,
                                                             .apps = source_apps,
                                                             .users = source_users,
                                                             .containers = source_containers,
                                                             .reservations = source_reservations,
                                                             .containers_of_node = source_node } };
}

static void clear(struct bench *bench)
{
    for (size_t i = 0; i < bench->app_count; i++)
        free(bench->apps[i].notified_on);
    free(bench->queues);
    free(bench->figures);
    free(bench->first_app);
    free(bench->user_limits);
    free(bench->apps);
    free(bench->items);
    free(bench->available);
}

void check_preemption(const struct test_case *test, struct report *report)
{
    struct bench bench = { .test = test, .report = report };
    size_t apps = 0, items = 0;

    if (!read_settings(&bench))
        return;
    if (!count_all(&bench, &apps, &items)) {
        report_append(report, "more than %d containers", CONTAINERS_MAX);
        return;
    }
    build(&bench, apps, items);
    for (size_t i = 0; i < test->preemption.queue_count; i++)
        if (!bench.queues[i].leaf && test->preemption.queues[i].app_count > 0)
            report_append(report, "queue %s: only leaves have apps", test->preemption.queues[i].path);
    if (report->count == 0)
        run_rounds(&bench);
    clear(&bench);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* check_expect.c - compares expected figures of scripts with those of the core */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "sim/cases/check_sched.h"

/* One figure of the core; the member for the kind of the expected value is set. */
struct answer {
    bool known; /* the core has this figure */
    bool truth;
    int64_t whole;
    double real;
    const char *text;
    struct resource resource;
};

static struct answer whole_answer(int64_t whole)
{
    return (struct answer){ .known = true, .whole = whole };
}

static struct answer float_answer(float real)
{
    return (struct answer){ .known = true, .real = (double)real };
}

static struct answer text_answer(const char *text)
{
    return (struct answer){ .known = true, .text = text };
}

static struct answer truth_answer(bool truth)
{
    return (struct answer){ .known = true, .truth = truth };
}

static struct answer resource_answer(struct resource resource)
{
    return (struct answer){ .known = true, .resource = resource };
}

static const struct answer unknown;

/* --- figures ---------------------------------------------------------------------------- */

static struct answer of_queue(const struct sched_queue_figures *queue, enum case_figure figure)
{
    switch (figure) {
    case FIGURE_STATE:
        return text_answer(queue->state);
    case FIGURE_USED:
        return resource_answer(queue->used);
    case FIGURE_PENDING:
        return resource_answer(queue->pending);
    case FIGURE_DEMAND:
        return resource_answer(queue->demand);
    case FIGURE_RESERVED:
        return resource_answer(queue->reserved);
    case FIGURE_FAIR_SHARE:
        return resource_answer(queue->fair_share);
    case FIGURE_STEADY_FAIR_SHARE:
        return resource_answer(queue->steady_fair_share);
    case FIGURE_MIN_SHARE:
        return resource_answer(queue->minimum);
    case FIGURE_MAX_SHARE:
        return resource_answer(queue->maximum);
    case FIGURE_CAPACITY:
        return float_answer(queue->capacity);
    case FIGURE_ABSOLUTE_CAPACITY:
        return float_answer(queue->absolute_capacity);
    case FIGURE_ABSOLUTE_MAX_CAPACITY:
        return float_answer(queue->absolute_max_capacity);
    case FIGURE_ABSOLUTE_USED:
        return float_answer(queue->absolute_used);
    case FIGURE_USED_CAPACITY:
        return float_answer(queue->used_capacity);
    case FIGURE_MAX_APPS:
        return whole_answer(queue->max_apps);
    case FIGURE_MAX_APPS_PER_USER:
        return whole_answer(queue->max_apps_per_user);
    case FIGURE_AM_LIMIT:
        return resource_answer(queue->am_limit);
    case FIGURE_AM_USED:
        return resource_answer(queue->am_used);
    case FIGURE_USER_LIMIT:
        return resource_answer(queue->user_limit);
    case FIGURE_ACTIVE_APPS:
        return whole_answer(queue->active_apps);
    case FIGURE_PENDING_APPS:
        return whole_answer(queue->waiting_apps);
    case FIGURE_RUNNING_CONTAINERS:
        return whole_answer(queue->containers);
    default:
        return unknown;
    }
}

static const char *state_of(const struct stage_app *app, const struct sched_app_figures *figures)
{
    switch (app->state) {
    case STAGE_REJECTED:
        return "rejected";
    case STAGE_FINISHED:
        return "finished";
    case STAGE_KILLED:
        return "killed";
    case STAGE_THERE:
        break;
    }
    return figures->active ? "active" : "pending";
}

static bool has_master(const struct stage_app *app)
{
    for (size_t i = 0; i < app->container_count; i++) {
        struct sched_container_info info;

        sched_container_info(app->containers[i], &info);
        if (info.master)
            return true;
    }
    return false;
}

static int64_t count_killable(const struct stage *stage, const struct stage_app *of,
                              const struct sched_node *on)
{
    int64_t count = 0;

    for (size_t a = 0; a < stage->app_count; a++)
        for (size_t i = 0; i < stage->apps[a].container_count; i++) {
            struct sched_container_info info;

            sched_container_info(stage->apps[a].containers[i], &info);
            count +=
                info.killable && (of == NULL || of == &stage->apps[a]) && (on == NULL || on == info.node);
        }
    return count;
}

/* Returns a figure of an app. If the app has ended, all figures are 0. */
static struct answer of_app(const struct stage *stage, const struct stage_app *app, enum case_figure figure)
{
    struct sched_app_figures figures = { .active = false };

    if (app->handle != NULL)
        sched_app_figures(stage->sched, app->handle, &figures);
    switch (figure) {
    case FIGURE_STATE:
        return text_answer(state_of(app, &figures));
    case FIGURE_QUEUE:
        return text_answer(app->handle != NULL ? sched_app_queue(app->handle) : NULL);
    case FIGURE_CONTAINERS:
        return whole_answer(figures.containers);
    case FIGURE_USED:
        return resource_answer(figures.used);
    case FIGURE_PENDING:
        return resource_answer(figures.pending);
    case FIGURE_RESERVED:
        return resource_answer(figures.reserved);
    case FIGURE_RESERVED_CONTAINERS:
        return whole_answer(figures.reserved_containers);
    case FIGURE_HEADROOM:
        return resource_answer(figures.headroom);
    case FIGURE_FAIR_SHARE:
        return resource_answer(figures.fair_share);
    case FIGURE_AM_RUNNING:
        return truth_answer(has_master(app));
    case FIGURE_KILLABLE:
        return whole_answer(count_killable(stage, app, NULL));
    case FIGURE_LIFETIME:
        return whole_answer(app->lifetime_s);
    default:
        return unknown;
    }
}

static struct answer of_user(const struct stage *stage, const struct case_claim *claim)
{
    struct sched_user_figures user = { .active_apps = 0 };
    struct sched_queue_figures queue;
    bool found = false;

    if (!sched_queue_find_figures(stage->sched, claim->queue, &queue))
        return unknown;
    while (!found && sched_queue_user_next(stage->sched, queue.path, user.user, &user))
        found = text_equal(user.user, claim->name);
    if (!found)
        user = (struct sched_user_figures){ .active_apps = 0 };
    switch (claim->figure) {
    case FIGURE_USED:
        return resource_answer(user.used);
    case FIGURE_ACTIVE_APPS:
        return whole_answer(user.active_apps);
    case FIGURE_PENDING_APPS:
        return whole_answer(user.waiting_apps);
    default:
        return unknown;
    }
}

static struct answer of_node(const struct stage *stage, const struct stage_node *node,
                             enum case_figure figure)
{
    struct resource total = sched_node_total(node->handle), used = sched_node_used(node->handle);
    const struct sched_app *app = sched_node_reserved_by(node->handle);

    switch (figure) {
    case FIGURE_USED:
        return resource_answer(used);
    case FIGURE_AVAILABLE:
        return resource_answer(resource_subtract(total, used));
    case FIGURE_CONTAINERS:
        return whole_answer(sched_node_containers(node->handle));
    case FIGURE_RESERVED_BY:
        return text_answer(app == NULL ? NULL : stage->apps[(uintptr_t)sched_app_owner(app)].name);
    case FIGURE_STATE:
        return text_answer(node->draining ? "DECOMMISSIONING" : "RUNNING");
    case FIGURE_KILLABLE:
        return whole_answer(count_killable(stage, NULL, node->handle));
    default:
        return unknown;
    }
}

static struct answer of_cluster(const struct stage *stage, enum case_figure figure)
{
    struct sched_cluster cluster;

    sched_cluster(stage->sched, &cluster);
    switch (figure) {
    case FIGURE_RESOURCE:
        return resource_answer(cluster.total);
    case FIGURE_USED:
        return resource_answer(cluster.used);
    case FIGURE_AVAILABLE:
        return resource_answer(resource_subtract(cluster.total, cluster.used));
    default:
        return unknown;
    }
}

/* --- figures by label --------------------------------------------------------------------- */

static int find_label(const struct stage *stage, const char *name)
{
    struct sched_label label;

    for (int l = 1; sched_label_at(stage->sched, l, &label); l++)
        if (strcmp(label.name, name) == 0)
            return l;
    return -1;
}

/* Returns a figure of a queue in the partition of a label; unknown if there is no such label. */
static struct answer of_queue_label(const struct stage *stage, const char *path,
                                    const struct case_claim *claim)
{
    struct sched_partition_figures part = { .accessible = false };
    int label = find_label(stage, claim->label);

    if (label < 0)
        return unknown;
    sched_queue_partition_figures(stage->sched, path, label, &part);
    switch (claim->figure) {
    case FIGURE_ACCESSIBLE:
        return truth_answer(part.accessible);
    case FIGURE_USED:
        return resource_answer(part.used);
    case FIGURE_PENDING:
        return resource_answer(part.pending);
    case FIGURE_RESERVED:
        return resource_answer(part.reserved);
    case FIGURE_MIN_SHARE:
        return resource_answer(part.minimum);
    case FIGURE_MAX_SHARE:
        return resource_answer(part.maximum);
    case FIGURE_CAPACITY:
        return float_answer(part.capacity);
    case FIGURE_ABSOLUTE_CAPACITY:
        return float_answer(part.absolute_capacity);
    case FIGURE_ABSOLUTE_MAX_CAPACITY:
        return float_answer(part.absolute_max_capacity);
    case FIGURE_ABSOLUTE_USED:
        return float_answer(part.absolute_used);
    case FIGURE_USED_CAPACITY:
        return float_answer(part.used_capacity);
    case FIGURE_AM_LIMIT:
        return resource_answer(part.am_limit);
    case FIGURE_AM_USED:
        return resource_answer(part.am_used);
    default:
        return unknown;
    }
}

/* Returns a figure of an app in the partition of a label. */
static struct answer of_app_label(const struct stage *stage, const struct stage_app *app,
                                  const struct case_claim *claim)
{
    struct sched_app_figures figures = { .active = false };
    int label = find_label(stage, claim->label);

    if (label < 0)
        return unknown;
    if (app->handle != NULL)
        sched_app_partition_figures(app->handle, label, &figures);
    switch (claim->figure) {
    case FIGURE_USED:
        return resource_answer(figures.used);
    case FIGURE_PENDING:
        return resource_answer(figures.pending);
    case FIGURE_RESERVED:
        return resource_answer(figures.reserved);
    default:
        return unknown;
    }
}

/* --- lists -------------------------------------------------------------------------------- */

struct order {
    struct stage *stage;
    struct text_builder text; /* names separated by blanks */
};

/* Adds a name. An app's id is replaced by its name in the script. */
static void add_name(void *context, const char *name)
{
    struct order *order = context;
    char id[ID_TEXT_MAX];

    for (size_t i = 0; i < order->stage->app_count; i++)
        if (strcmp(app_id_format(&order->stage->apps[i].id, id), name) == 0)
            name = order->stage->apps[i].name;
    text_builder_separate(&order->text, " ");
    text_builder_add(&order->text, name);
}

static void compare_order(struct stage *stage, const struct case_claim *claim, const char *path,
                          const char *where)
{
    scoped_free char *wanted =
        text_builder_join(NULL, (const char *const *)claim->texts.items, claim->texts.count, " ");
    struct order order = { .stage = stage };
    scoped_free char *got = NULL;

    sched_queue_order(stage->sched, path, add_name, &order);
    got = text_builder_finish(&order.text);
    if (strcmp(got, wanted) != 0)
        report_append(stage->report, "%s: expected %s, got %s", where, wanted, got);
}

static void compare_on(struct stage *stage, const struct case_claim *claim, const struct stage_app *app,
                       const char *where)
{
    for (size_t n = 0; n < claim->counts.count; n++) {
        const struct case_count *wanted = &claim->counts.items[n];
        const struct stage_node *node = stage_node(stage, wanted->name);
        int64_t got = 0;

        for (size_t i = 0; node != NULL && i < app->container_count; i++) {
            struct sched_container_info info;

            sched_container_info(app->containers[i], &info);
            got += info.node == node->handle;
        }
        if (got != wanted->count)
            report_append(stage->report, "%s %s: expected %" PRId64 ", got %" PRId64, where, wanted->name,
                          wanted->count, got);
    }
}

static void compare_sizes(struct stage *stage, const struct case_step *step, const struct case_claim *claim,
                          const struct stage_app *app, const char *where)
{
    if (claim->resources.count != app->container_count) {
        report_append(stage->report, "%s: expected %zu containers, got %zu", where, claim->resources.count,
                      app->container_count);
        return;
    }
    for (size_t i = 0; i < app->container_count; i++) {
        scoped_free char *which = mem_printf("%s, container %zu", where, i);
        struct sched_container_info info;

        sched_container_info(app->containers[i], &info);
        report_resource(stage->report, stage->test, which, &claim->resources.items[i], &info.resource,
                        step->tolerance);
    }
}

/* --- comparison ----------------------------------------------------------------------------- */

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-4 * fmax(fabs(a), fabs(b));
}

static const char *or_null(const char *text)
{
    return text != NULL ? text : "null";
}

/* Returns true if GOT is the expected text. A queue may be named by its path or, if the last part of the
 * path is unique, by that part. */
static bool is_same_text(const struct stage *stage, const struct case_claim *claim, const char *got)
{
    if (text_equal(claim->text, got))
        return true;
    return claim->figure == FIGURE_QUEUE && got != NULL && sched_queue_is(stage->sched, claim->text, got);
}

static void compare(struct stage *stage, const struct case_claim *claim, const struct answer *answer,
                    int64_t tolerance, const char *where)
{
    struct report *report = stage->report;

    if (!answer->known) {
        report_append(report, "%s: there is no such figure of it", where);
        return;
    }
    switch (claim->value) {
    case VALUE_BOOL:
        if (claim->truth != answer->truth)
            report_append(report, "%s: expected %s, got %s", where, claim->truth ? "true" : "false",
                          answer->truth ? "true" : "false");
        return;
    case VALUE_WHOLE:
        if (claim->whole != answer->whole)
            report_append(report, "%s: expected %" PRId64 ", got %" PRId64, where, claim->whole,
                          answer->whole);
        return;
    case VALUE_FLOAT:
        if (!is_close(claim->real, answer->real))
            report_append(report, "%s: expected %.9g, got %.9g", where, claim->real, answer->real);
        return;
    case VALUE_TEXT:
        if (!is_same_text(stage, claim, answer->text))
            report_append(report, "%s: expected %s, got %s", where, or_null(claim->text),
                          or_null(answer->text));
        return;
    case VALUE_RESOURCE:
        report_resource(report, stage->test, where, &claim->resource, &answer->resource, tolerance);
        return;
    case VALUE_TEXTS:
    case VALUE_COUNTS:
    case VALUE_RESOURCES:
        return; /* compared earlier */
    }
}

static void check_queue(struct stage *stage, const struct case_step *step, const struct case_claim *claim,
                        const char *where)
{
    struct sched_queue_figures queue;
    bool exists = sched_queue_find_figures(stage->sched, claim->name, &queue);
    struct answer answer;

    if (claim->figure == FIGURE_EXISTS) {
        answer = truth_answer(exists);
    } else if (!exists) {
        report_append(stage->report, "%s: there is no such queue", where);
        return;
    } else if (claim->figure == FIGURE_ORDER) {
        compare_order(stage, claim, queue.path, where);
        return;
    } else if (claim->label != NULL) {
        answer = of_queue_label(stage, queue.path, claim);
    } else {
        answer = of_queue(&queue, claim->figure);
    }
    compare(stage, claim, &answer, step->tolerance, where);
}

static void check_app(struct stage *stage, const struct case_step *step, const struct case_claim *claim,
                      const char *where)
{
    const struct stage_app *app = stage_app(stage, claim->name);
    struct answer answer;

    if (app == NULL) {
        report_append(stage->report, "%s: there is no such app", where);
        return;
    }
    if (claim->figure == FIGURE_ON) {
        compare_on(stage, claim, app, where);
        return;
    }
    if (claim->figure == FIGURE_SIZES) {
        compare_sizes(stage, step, claim, app, where);
        return;
    }
    if (claim->subject == SUBJECT_PREEMPTED)
        answer = whole_answer(app->preempted);
    else if (claim->subject == SUBJECT_KILLED)
        answer = whole_answer(app->killed);
    else if (claim->label != NULL)
        answer = of_app_label(stage, app, claim);
    else
        answer = of_app(stage, app, claim->figure);
    compare(stage, claim, &answer, step->tolerance, where);
}

static void check_node(struct stage *stage, const struct case_step *step, const struct case_claim *claim,
                       const char *where)
{
    const struct stage_node *node = stage_node(stage, claim->name);
    struct answer answer;

    if (node == NULL) {
        report_append(stage->report, "%s: there is no such node", where);
        return;
    }
    answer = of_node(stage, node, claim->figure);
    compare(stage, claim, &answer, step->tolerance, where);
}

static void check_claim(struct stage *stage, const struct case_step *step, const struct case_claim *claim,
                        const char *where)
{
    static const char *const subjects[] = {
        [SUBJECT_QUEUE] = "queue",  [SUBJECT_APP] = "app",         [SUBJECT_USER] = "user",
        [SUBJECT_NODE] = "node",    [SUBJECT_CLUSTER] = "cluster", [SUBJECT_PREEMPTED] = "preempted",
        [SUBJECT_KILLED] = "killed"
    };
    scoped_free char *what =
        mem_printf("%s, line %d: %s %s%s%s%s%s %s", where, claim->line, subjects[claim->subject],
                   claim->name != NULL ? claim->name : "", claim->queue != NULL ? " in " : "",
                   claim->queue != NULL ? claim->queue : "", claim->label != NULL ? " with label " : "",
                   claim->label != NULL ? claim->label : "", case_figure_name(claim->figure));
    struct answer answer;

    switch (claim->subject) {
    case SUBJECT_QUEUE:
        check_queue(stage, step, claim, what);
        return;
    case SUBJECT_APP:
    case SUBJECT_PREEMPTED:
    case SUBJECT_KILLED:
        check_app(stage, step, claim, what);
        return;
    case SUBJECT_NODE:
        check_node(stage, step, claim, what);
        return;
    case SUBJECT_USER:
        answer = of_user(stage, claim);
        break;
    case SUBJECT_CLUSTER:
        answer = of_cluster(stage, claim->figure);
        break;
    default:
        return;
    }
    compare(stage, claim, &answer, step->tolerance, what);
}

void stage_expect(struct stage *stage, const struct case_step *step, const char *where)
{
    for (size_t i = 0; i < step->claim_count; i++)
        check_claim(stage, step, &step->claims[i], where);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* check_sched.c - runs conformance cases of kind scheduler: a script against the live core */
#include "sim/cases/check_sched.h"

#include <errno.h>
#include <string.h>

#include "common/base/mem.h"

/* --- names --------------------------------------------------------------------------- */

static int find_node(struct stage *stage, const char *name, struct stage_node **ret, struct err *err)
{
    *ret = stage_node(stage, name);
    return *ret != NULL ? 0 : err_set(err, ENOENT, "there is no node %s", name);
}

static int find_app(struct stage *stage, const char *name, struct stage_app **ret, struct err *err)
{
    *ret = stage_app(stage, name);
    if (*ret == NULL || (*ret)->handle == NULL)
        return err_set(err, ENOENT, "there is no app %s", name);
    return 0;
}

/* --- containers ------------------------------------------------------------------------ */

static struct stage_app *app_of(struct stage *stage, const struct sched_app *handle)
{
    return &stage->apps[(uintptr_t)sched_app_owner(handle)];
}

static void forget(struct stage_app *app, const struct sched_container *container)
{
    size_t i = 0;

    while (i < app->container_count && app->containers[i] != container)
        i++;
    if (i == app->container_count)
        return;
    app->container_count--;
    memmove(&app->containers[i], &app->containers[i + 1],
            (app->container_count - i) * sizeof(*app->containers));
}

static void end_container(struct stage *stage, struct stage_app *app, struct sched_container *container)
{
    forget(app, container);
    sched_container_end(stage->sched, container, &stage->decisions);
}

/* Processes the core's decisions in order; the end of a container may cause further decisions. */
static void absorb(struct stage *stage)
{
    for (size_t i = 0; i < stage->decisions.count; i++) {
        const struct sched_decision decision = stage->decisions.items[i];
        struct stage_app *app = decision.app != NULL ? app_of(stage, decision.app) : NULL;

        switch (decision.kind) {
        case SCHED_ALLOCATED:
            mem_grow(app->containers, app->container_count, app->container_capacity);
            app->containers[app->container_count++] = decision.container;
            sched_container_launched(stage->sched, decision.container);
            break;
        case SCHED_PREEMPT:
            app->preempted++;
            break;
        case SCHED_KILL:
            app->killed++;
            end_container(stage, app, decision.container);
            break;
        case SCHED_SPARE:
        case SCHED_RESIZED:
        case SCHED_RESERVED:
        case SCHED_UNRESERVED:
            break;
        }
    }
    stage->decisions.count = 0;
}

/* Stores the newest COUNT containers of APP in RET, only those on NODE if that is not NULL; returns their
 * number. */
static size_t newest(struct stage_app *app, const struct sched_node *node, size_t count,
                     struct sched_container **ret)
{
    size_t found = 0;

    for (size_t i = app->container_count; i-- > 0 && found < count;) {
        struct sched_container_info info;

        sched_container_info(app->containers[i], &info);
        if (node == NULL || info.node == node)
            ret[found++] = app->containers[i];
    }
    return found;
}

static int choose(struct stage *stage, const struct case_step *step, struct stage_app **app,
                  struct sched_container ***ret, struct err *err)
{
    struct stage_node *node = NULL;
    size_t found, count = (size_t)step->count;
    int r;

    if ((r = find_app(stage, step->app, app, err)) < 0 ||
        (step->node != NULL && (r = find_node(stage, step->node, &node, err)) < 0))
        return r;
    if (count > (*app)->container_count)
        return err_set(err, EINVAL, "%s has only %zu containers", step->app, (*app)->container_count);
    *ret = mem_array0(count + 1, sizeof(**ret));
    found = newest(*app, node != NULL ? node->handle : NULL, count, *ret);
    if (found == count)
        return 0;
    free(*ret);
    *ret = NULL;
    return err_set(err, EINVAL, "%s has only %zu containers there", step->app, found);
}

/* --- nodes ------------------------------------------------------------------------------- */

static int add_node(struct stage *stage, const struct case_step *step, struct err *err)
{
    struct sched_node_spec spec = { .id = step->node,
                                    .host = step->node,
                                    .rack = step->rack != NULL ? step->rack : "/default-rack",
                                    .label = step->label,
                                    .total = step->resource.amount };

    if (stage_node(stage, step->node) != NULL)
        return err_set(err, EEXIST, "node %s exists already", step->node);
    mem_grow(stage->nodes, stage->node_count, stage->node_capacity);
    stage->nodes[stage->node_count++] =
        (struct stage_node){ .name = step->node,
                             .handle = sched_node_add(stage->sched, &spec, &stage->decisions) };
    return 0;
}

static int remove_node(struct stage *stage, const struct case_step *step, struct err *err)
{
    struct stage_node *node;
    int r;

    if ((r = find_node(stage, step->node, &node, err)) < 0)
        return r;
    /* Closes the node first, so that freed resources are not allocated again. */
    sched_node_set_open(stage->sched, node->handle, false, &stage->decisions);
    for (size_t a = 0; a < stage->app_count; a++)
        for (size_t i = stage->apps[a].container_count; i-- > 0;) {
            struct sched_container_info info;

            sched_container_info(stage->apps[a].containers[i], &info);
            if (info.node == node->handle)
                end_container(stage, &stage->apps[a], stage->apps[a].containers[i]);
        }
    absorb(stage);
    sched_node_remove(stage->sched, node->handle);
    node->handle = NULL;
    return 0;
}

static int update_node(struct stage *stage, const struct case_step *step, struct err *err)
{
    struct stage_node *node;
    int r;

    if ((r = find_node(stage, step->node, &node, err)) == 0)
        sched_node_update(stage->sched, node->handle, step->resource.amount, &stage->decisions);
    return r;
}

static int drain_node(struct stage *stage, const struct case_step *step, struct err *err)
{
    struct stage_node *node;
    int r;

    if ((r = find_node(stage, step->node, &node, err)) < 0)
        return r;
    node->draining = step->op == OP_DRAIN_NODE;
    sched_node_set_open(stage->sched, node->handle, !node->draining, &stage->decisions);
    return 0;
}

static int set_label(struct stage *stage, const struct case_step *step, struct err *err)
{
    struct stage_node *node;
    int r;

    if ((r = find_node(stage, step->node, &node, err)) == 0)
        sched_node_set_label(stage->sched, node->handle, step->label, &stage->decisions);
    return r;
}

static void offer_all(struct stage *stage)
{
    for (size_t i = 0; i < stage->node_count; i++)
        if (stage->nodes[i].handle != NULL) {
            sched_node_heartbeat(stage->sched, stage->nodes[i].handle, &stage->decisions);
            absorb(stage);
        }
}

static int offer(struct stage *stage, const char *name, struct err *err)
{
    struct stage_node *node;
    int r;

    if (strcmp(name, "*") == 0) {
        offer_all(stage);
        return 0;
    }
    if ((r = find_node(stage, name, &node, err)) < 0)
        return r;
    sched_node_heartbeat(stage->sched, node->handle, &stage->decisions);
    absorb(stage);
    return 0;
}

static int heartbeat(struct stage *stage, const struct case_step *step, struct err *err)
{
    int r = 0;

    for (int64_t i = 0; r == 0 && i < step->times; i++) {
        if (step->node != NULL)
            r = offer(stage, step->node, err);
        for (size_t n = 0; r == 0 && n < step->nodes.count; n++)
            r = offer(stage, step->nodes.items[n], err);
    }
    return r;
}

/* --- apps ---------------------------------------------------------------------------------- */

static int submit(struct stage *stage, const struct case_step *step, struct err *err)
{
    struct stage_app *app;
    struct resource master = step->am.amount;
    const char *const *groups = NULL;
    size_t group_count = 0;
    struct sched_app_spec spec;
    int r;

    if (stage_app(stage, step->app) != NULL)
        return err_set(err, EEXIST, "app %s exists already", step->app);
    mem_grow(stage->apps, stage->app_count, stage->app_capacity);
    app = &stage->apps[stage->app_count++];
    *app = (struct stage_app){ .name = step->app, .id = { 1, (uint32_t)stage->app_count } };
    groups_find(stage->groups, step->user, &groups, &group_count);
    spec = (struct sched_app_spec){ .id = app->id,
                                    .user = step->user,
                                    .groups = groups,
                                    .group_count = group_count,
                                    .name = step->app,
                                    .label = step->label,
                                    .queue = step->queue != NULL ? step->queue : "",
                                    .priority = (int32_t)step->priority,
                                    .priority_open = !step->priority_given,
                                    .manages = step->am_given,
                                    .master = step->am_given ? &step->am.amount : NULL,
                                    .owner = (void *)(uintptr_t)(stage->app_count - 1) };
    if ((step->am_given && (r = sched_normalise(stage->sched, &step->am.amount, &master, err)) < 0) ||
        (r = sched_app_add(stage->sched, &spec, &app->handle, err)) < 0) {
        app->handle = NULL;
        return r;
    }
    app->state = STAGE_THERE;
    app->lifetime_s = sched_queue_lifetime_s(stage->sched, sched_app_queue(app->handle), step->lifetime);
    if (app->lifetime_s > 0 && app->lifetime_s * 1000 <= INT64_MAX - stage->now_ms)
        app->expires_ms = stage->now_ms + app->lifetime_s * 1000;
    sched_app_start(stage->sched, app->handle, step->am_given ? &master : NULL, &stage->decisions);
    return 0;
}

static int ask(struct stage *stage, const struct case_step *step, struct err *err)
{
    scoped_free struct sched_ask *asks = mem_array0(step->request_count + 1, sizeof(*asks));
    struct sched_request request = { .asks = asks, .ask_count = step->request_count };
    struct stage_app *app;
    int r;

    if ((r = find_app(stage, step->app, &app, err)) < 0)
        return r;
    for (size_t i = 0; i < step->request_count; i++) {
        const struct case_request *source = &step->requests[i];

        asks[i] = (struct sched_ask){ .priority = (uint32_t)source->priority,
                                      .resource_name = source->where,
                                      .capability = source->resource.amount,
                                      .count = (uint32_t)source->count,
                                      .strict_locality = !source->relax,
                                      .label = source->label };
    }
    return sched_allocate(stage->sched, app->handle, &request, &stage->decisions, err);
}

static int release(struct stage *stage, const struct case_step *step, struct err *err)
{
    scoped_free struct sched_container **containers = NULL;
    struct sched_request request = { .release_count = (size_t)step->count };
    struct stage_app *app;
    int r;

    if ((r = choose(stage, step, &app, &containers, err)) < 0)
        return r;
    request.releases = containers;
    r = sched_allocate(stage->sched, app->handle, &request, &stage->decisions, err);
    for (size_t i = 0; r == 0 && i < request.release_count; i++)
        forget(app, containers[i]);
    return r;
}

static int complete(struct stage *stage, const struct case_step *step, struct err *err)
{
    scoped_free struct sched_container **containers = NULL;
    struct stage_app *app;
    int r;

    if ((r = choose(stage, step, &app, &containers, err)) < 0)
        return r;
    for (int64_t i = 0; i < step->count; i++)
        end_container(stage, app, containers[i]);
    return 0;
}

/* Returns container INDEX of APP, oldest first, only those on NODE if that is not NULL; NULL: there is none.
 * */
static struct sched_container *container_at(const struct stage_app *app, const struct stage_node *node,
                                            int64_t index)
{
    for (size_t i = 0; i < app->container_count; i++) {
        struct sched_container_info info;

        sched_container_info(app->containers[i], &info);
        if ((node == NULL || info.node == node->handle) && index-- == 0)
            return app->containers[i];
    }
    return NULL;
}

static int resize(struct stage *stage, const struct case_step *step, struct err *err)
{
    struct sched_container *container;
    struct stage_node *node = NULL;
    struct stage_app *app;
    int r;

    if ((r = find_app(stage, step->app, &app, err)) < 0 ||
        (step->node != NULL && (r = find_node(stage, step->node, &node, err)) < 0))
        return r;
    container = container_at(app, node, step->index);
    if (container == NULL)
        return err_set(err, ENOENT, "%s has no such container", step->app);
    return sched_container_resize(stage->sched, container, &step->resource.amount, &stage->decisions, err);
}

static int blacklist(struct stage *stage, const struct case_step *step, struct err *err)
{
    struct sched_request request = { .blacklist_add = step->add.items,
                                     .blacklist_add_count = step->add.count,
                                     .blacklist_remove = step->remove.items,
                                     .blacklist_remove_count = step->remove.count };
    struct stage_app *app;
    int r;

    if ((r = find_app(stage, step->app, &app, err)) < 0)
        return r;
    return sched_allocate(stage->sched, app->handle, &request, &stage->decisions, err);
}

static void end_app(struct stage *stage, struct stage_app *app, enum stage_state state)
{
    sched_app_stop_asking(stage->sched, app->handle);
    while (app->container_count > 0)
        end_container(stage, app, app->containers[app->container_count - 1]);
    absorb(stage);
    sched_app_remove(stage->sched, app->handle, &stage->decisions);
    absorb(stage);
    app->handle = NULL;
    app->state = state;
}

static int finish(struct stage *stage, const struct case_step *step, struct err *err)
{
    struct stage_app *app;
    int r;

    if ((r = find_app(stage, step->app, &app, err)) == 0)
        end_app(stage, app, step->op == OP_FINISH ? STAGE_FINISHED : STAGE_KILLED);
    return r;
}

static int move_app(struct stage *stage, const struct case_step *step, struct err *err)
{
    struct stage_app *app;
    int r;

    if ((r = find_app(stage, step->app, &app, err)) < 0)
        return r;
    return sched_app_move(stage->sched, app->handle, step->queue, &stage->decisions, err);
}

static int set_priority(struct stage *stage, const struct case_step *step, struct err *err)
{
    struct stage_app *app;
    int r;

    if ((r = find_app(stage, step->app, &app, err)) == 0)
        sched_app_set_priority(stage->sched, app->handle, (int32_t)step->priority, &stage->decisions);
    return r;
}

/* --- other steps ----------------------------------------------------------------------------- */

/* Returns the application whose lifetime ends first, at UNTIL_MS at the latest; NULL: none. */
static struct stage_app *next_to_expire(struct stage *stage, int64_t until_ms)
{
    struct stage_app *first = NULL;

    for (size_t i = 0; i < stage->app_count; i++) {
        struct stage_app *app = &stage->apps[i];

        if (app->handle != NULL && app->expires_ms > 0 && app->expires_ms <= until_ms &&
            (first == NULL || app->expires_ms < first->expires_ms))
            first = app;
    }
    return first;
}

static void set_clock(struct stage *stage, int64_t now_ms)
{
    stage->now_ms = now_ms;
    sched_tick(stage->sched, now_ms, &stage->decisions);
    absorb(stage);
}

static int advance(struct stage *stage, const struct case_step *step, struct err *err)
{
    struct stage_app *app;
    int64_t until_ms;

    if (step->ms > INT64_MAX - stage->now_ms)
        return err_set(err, ERANGE, "the clock goes no further");
    until_ms = stage->now_ms + step->ms;
    while ((app = next_to_expire(stage, until_ms)) != NULL) {
        set_clock(stage, app->expires_ms);
        end_app(stage, app, STAGE_KILLED);
    }
    set_clock(stage, until_ms);
    return 0;
}

/* Updates the shares of the fair scheduler; the other schedulers need no update. */
static int update(struct stage *stage, const struct case_step *step, struct err *err)
{
    (void)step;
    (void)err;
    sched_update(stage->sched, &stage->decisions);
    return 0;
}

static int preempt(struct stage *stage, const struct case_step *step, struct err *err)
{
    (void)step;
    (void)err;
    sched_preempt(stage->sched, &stage->decisions);
    return 0;
}

static int set_running(struct stage *stage, const struct case_step *step, struct err *err)
{
    return sched_queue_set_running(stage->sched, step->queue, step->op == OP_START_QUEUE, &stage->decisions,
                                   err);
}

typedef int step_fn(struct stage *stage, const struct case_step *step, struct err *err);

static step_fn *const runners[CASE_OPS] = {
    [OP_ADD_NODE] = add_node,       [OP_REMOVE_NODE] = remove_node,
    [OP_UPDATE_NODE] = update_node, [OP_DRAIN_NODE] = drain_node,
    [OP_RESUME_NODE] = drain_node,  [OP_SET_LABEL] = set_label,
    [OP_SUBMIT] = submit,           [OP_ASK] = ask,
    [OP_RELEASE] = release,         [OP_BLACKLIST] = blacklist,
    [OP_HEARTBEAT] = heartbeat,     [OP_ADVANCE] = advance,
    [OP_UPDATE] = update,           [OP_PREEMPT] = preempt,
    [OP_COMPLETE] = complete,       [OP_RESIZE] = resize,
    [OP_FINISH] = finish,           [OP_KILL_APP] = finish,
    [OP_MOVE] = move_app,           [OP_SET_PRIORITY] = set_priority,
    [OP_REFRESH] = stage_refresh,   [OP_STOP_QUEUE] = set_running,
    [OP_START_QUEUE] = set_running,
};

/* Reports an unexpected refusal, a missing refusal, or a refusal with another message. */
static void judge(struct stage *stage, const struct case_step *step, const char *where, int result,
                  const struct err *err)
{
    if (result == 0 && step->refused)
        report_append(stage->report, "%s: expected a refusal, got none", where);
    else if (result < 0 && !step->refused)
        report_append(stage->report, "%s: refused: %s", where, err->text);
    else if (result < 0 && step->refusal != NULL && strstr(err->text, step->refusal) == NULL)
        report_append(stage->report, "%s: expected a refusal with \"%s\", got \"%s\"", where, step->refusal,
                      err->text);
}

static void run_step(struct stage *stage, size_t index)
{
    const struct case_step *step = &stage->test->script.steps[index];
    scoped_free char *where =
        mem_printf("step %zu (line %d, %s)", index + 1, step->line, case_op_name(step->op));
    struct err err = { .code = 0 };

    if (step->op == OP_EXPECT) {
        stage_expect(stage, step, where);
        return;
    }
    judge(stage, step, where, runners[step->op](stage, step, &err), &err);
    absorb(stage);
    if (sched_check(stage->sched, &err) < 0)
        report_append(stage->report, "%s: the accounting is inconsistent: %s", where, err.text);
}

static void clear(struct stage *stage)
{
    sched_free(stage->sched);
    for (size_t i = 0; i < stage->app_count; i++)
        free(stage->apps[i].containers);
    for (size_t i = 0; i < stage->conf_count; i++)
        conf_free(stage->confs[i]);
    groups_free(stage->groups);
    free(stage->apps);
    free(stage->nodes);
    free(stage->confs);
    free(stage->decisions.items);
}

void check_script(const struct test_case *test, struct report *report)
{
    const struct case_script *script = &test->script;
    struct stage stage = { .test = test, .report = report };
    struct err err = { .code = 0 };
    int r = stage_load(&stage, &err);

    if (r < 0 && !script->load_refused)
        report_append(report, "load: refused: %s", err.text);
    else if (r < 0 && script->load_refusal != NULL && strstr(err.text, script->load_refusal) == NULL)
        report_append(report, "load: expected a refusal with \"%s\", got \"%s\"", script->load_refusal,
                      err.text);
    else if (r == 0 && script->load_refused)
        report_append(report, "load: expected a refusal, got none");
    for (size_t i = 0; r == 0 && i < script->step_count; i++)
        run_step(&stage, i);
    clear(&stage);
}

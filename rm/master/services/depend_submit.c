/* SPDX-License-Identifier: Apache-2.0 */
/* depend_submit.c - resolves the dependencies that a submission names */
#include <errno.h>

#include "rm/master/jobs/depend.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/copy.h"

/* Returns the result of an application that has been forgotten; NULL: it is not known. */
static const struct master_ended *find_ended(const struct master *m, const char *text)
{
    struct app_id id;

    if (m->forgotten_count == 0 || !rm_has_forgotten(m, text, &id))
        return NULL;
    for (size_t i = 0; i < m->forgotten_count; i++)
        if (m->forgotten[i].id.cluster_ms == id.cluster_ms && m->forgotten[i].id.seq == id.seq)
            return &m->forgotten[i];
    return NULL;
}

/* Returns true if APP has the dependency already: one that is named twice counts once. */
static bool is_named(const struct app *app, enum depends_on on, const struct app_id *id)
{
    for (size_t i = 0; i < app->dependency_count; i++)
        if (app->dependencies[i].on == on && app->dependencies[i].id.cluster_ms == id->cluster_ms &&
            app->dependencies[i].id.seq == id->seq && !app->dependencies[i].is_of_task)
            return true;
    return false;
}

static bool is_named_task(const struct app *app, enum depends_on on, const struct app *array, uint32_t index)
{
    for (size_t i = 0; i < app->dependency_count; i++)
        if (app->dependencies[i].on == on && app->dependencies[i].id.seq == array->id.seq &&
            app->dependencies[i].is_of_task && app->dependencies[i].task_index == index)
            return true;
    return false;
}

/* Returns the array of the task that ITEM names, and sets its INDEX; NULL: it names no task. */
static struct app *find_array(struct master *m, const struct depends_item *item, uint32_t *index)
{
    return item->id && item->on != DEPENDS_CORR ? rm_resolve_task(m, item->id, index) : NULL;
}

static int add(struct master *m, struct app *app, const struct depends_item *item, struct err *err)
{
    const struct master_ended *ended = item->id != NULL ? find_ended(m, item->id) : NULL;
    struct app *parent, *array;
    uint32_t index;

    if (item->id == NULL) {
        if (!is_named(app, item->on, &(struct app_id){ .seq = 0 }))
            rm_depend_add(m, app, item->on, NULL);
        return 0;
    }
    if (ended != NULL) {
        if (!is_named(app, item->on, &ended->id))
            rm_depend_add_ended(m, app, item->on, ended);
        return 0;
    }
    array = find_array(m, item, &index);
    if (array != NULL) {
        if (!is_named_task(app, item->on, array, index))
            rm_depend_add_task(m, app, item->on, array, index);
        return 0;
    }
    parent = rm_resolve_app(m, item->id, err);
    if (parent == app)
        return err_set(err, EINVAL, "dependency on %s: that is the job itself", item->id);
    if (parent == NULL) {
        err_prefix(err, "dependency \"%s:%s\"", depends_word(item->on), item->id);
        return -ENOENT;
    }
    if (!is_named(app, item->on, &parent->id))
        rm_depend_add(m, app, item->on, parent);
    return 0;
}

/* An error about a submission begins with the option. */
static int name_option(struct err *err, int r)
{
    err_prefix(err, "--depends-on");
    return r;
}

int rm_depend_submit(struct master *m, struct app *app, struct err *err)
{
    struct depends depends;
    int r;

    if (rm_text_is_empty(app->job->depends_on))
        return 0;
    r = depends_parse(m->out->arena, app->job->depends_on, &depends, err);
    if (r < 0)
        return name_option(err, r);
    app->dependencies = mem_array0(depends.count, sizeof(*app->dependencies));
    app->one_dependency_is_enough = depends.one_is_enough;
    for (size_t i = 0; r == 0 && i < depends.count; i++)
        r = add(m, app, &depends.items[i], err);
    return r < 0 ? name_option(err, r) : 0;
}

/* Sets *MET if the dependency is satisfied as far as it is examined. */
static int judge(struct master *m, const Creel__JobSpec *job, const struct depends_item *item, bool *met,
                 struct err *err)
{
    const struct app *parent, *array;
    uint32_t index;

    *met = item->id != NULL && (item->on == DEPENDS_ANY || item->on == DEPENDS_AFTER);
    if (item->id == NULL || rm_has_forgotten(m, item->id, &(struct app_id){ .seq = 0 }))
        return 0;
    array = find_array(m, item, &index);
    if (array != NULL) {
        *met = rm_depend_task_is_met(item->on, array, index);
        return 0;
    }
    parent = rm_resolve_app(m, item->id, err);
    if (parent == NULL) {
        err_prefix(err, "dependency \"%s:%s\"", depends_word(item->on), item->id);
        return -ENOENT;
    }
    if (item->on == DEPENDS_CORR && rm_text_is_empty(job->array))
        return err_set(err, EINVAL,
                       "dependency \"corr\": only an array may depend on the tasks of another one");
    if (item->on == DEPENDS_CORR && parent->array == NULL)
        return err_set(err, EINVAL, "dependency \"corr:%s\": %s is no array", parent->text, parent->text);
    *met = rm_depend_is_met(item->on, parent);
    return 0;
}

int rm_depend_judge(struct master *m, const Creel__JobSpec *job, bool *waits, struct err *err)
{
    struct depends depends;
    size_t met_count = 0;
    int r;

    *waits = false;
    if (rm_text_is_empty(job->depends_on))
        return 0;
    r = depends_parse(m->out->arena, job->depends_on, &depends, err);
    for (size_t i = 0; r == 0 && i < depends.count; i++) {
        bool met;

        r = judge(m, job, &depends.items[i], &met, err);
        met_count += met ? 1 : 0;
    }
    if (r < 0)
        return name_option(err, r);
    *waits = depends.one_is_enough ? met_count == 0 : met_count < depends.count;
    return 0;
}

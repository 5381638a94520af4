/* SPDX-License-Identifier: Apache-2.0 */
/* depend_submit.c - resolves the dependencies that a submission names */
#include <errno.h>

#include "rm/master/copy.h"
#include "rm/master/depend.h"
#include "rm/master/resolve.h"

static int add(struct master *m, struct app *app, const struct depends_item *item, struct err *err)
{
    struct app *parent;

    if (item->id == NULL) {
        rm_depend_add(m, app, item->on, NULL);
        return 0;
    }
    parent = rm_resolve_app(m, item->id, err);
    if (parent == app)
        return err_set(err, EINVAL, "dependency on %s: that is the job itself", item->id);
    if (parent == NULL) {
        err_prefix(err, "dependency \"%s:%s\"", depends_word(item->on), item->id);
        return -ENOENT;
    }
    rm_depend_add(m, app, item->on, parent);
    return 0;
}

int rm_depend_submit(struct master *m, struct app *app, struct err *err)
{
    struct depends depends;
    int r;

    if (rm_text_is_empty(app->job->depends_on))
        return 0;
    r = depends_parse(m->out->arena, app->job->depends_on, &depends, err);
    if (r < 0)
        return r;
    app->dependencies = mem_array0(depends.count, sizeof(*app->dependencies));
    app->one_dependency_is_enough = depends.one_is_enough;
    for (size_t i = 0; r == 0 && i < depends.count; i++)
        r = add(m, app, &depends.items[i], err);
    return r;
}

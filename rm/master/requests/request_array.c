/* SPDX-License-Identifier: Apache-2.0 */
/* request_array.c - request: kill tasks of an array */
#include <errno.h>
#include <string.h>

#include "rm/master/requests.h"
#include "rm/master/services/array_tasks.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"

/* Returns the array that ID names, if USER may kill its tasks and it has not ended. */
static struct app *live_array(struct master *m, const char *user, const char *id, struct err *err)
{
    struct app *app = rm_resolve_app(m, id, err);

    if (app == NULL || rm_authz_check_app(m, user, AUTHZ_KILL_APP, app, err) < 0)
        return NULL;
    return rm_judge_array(app, err) < 0 ? NULL : app;
}

static int judge_tasks(const struct app *app, const struct array_spec *spec, struct err *err)
{
    uint32_t missing;

    return array_spec_contains(&app->array->spec, spec, &missing)
               ? 0
               : err_set(err, ENOENT, "%s has no task %u", app->text, missing);
}

static int kill_tasks(struct master *m, const char *user, const Creel__KillTasks *body, struct app **ret,
                      struct err *err)
{
    struct app *app = *ret = live_array(m, user, body->app_id, err);
    struct array_spec spec;
    const char *why;
    int r;

    if (app == NULL)
        return -err->code;
    r = array_spec_parse(body->tasks, &spec, err);
    if (r < 0)
        return r;
    why = arena_printf(m->out->arena, "killed by %s%s%s", user, rm_text_is_empty(body->reason) ? "" : ": ",
                       body->reason);
    r = judge_tasks(app, &spec, err);
    if (r == 0 && rm_array_kill_tasks(m, app, &spec, why) == 0)
        r = err_set(err, EBUSY, "%s: these tasks are over already", app->text);
    array_spec_done(&spec);
    return r;
}

void rm_on_kill_tasks(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                      const char *user)
{
    struct app *app;
    struct err err;

    if (kill_tasks(m, user, in->kill_tasks, &app, &err) < 0)
        rm_reply_err(m, peer, in->request_id, &err);
    else
        rm_reply_changed(m, peer, in->request_id, app, user);
}

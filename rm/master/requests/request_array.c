/* SPDX-License-Identifier: Apache-2.0 */
/* request_array.c - requests: kill tasks of an array, change how many run at a time */
#include <errno.h>
#include <string.h>

#include "rm/master/requests.h"
#include "rm/master/services/array_tasks.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"

/* Returns the array that ID names, if USER may do OPERATION on the array and it has not ended. */
static struct app *live_array(struct master *m, const char *user, const char *id,
                              enum authz_operation operation, struct err *err)
{
    struct app *app = rm_resolve_app(m, id, err);

    if (app == NULL || rm_authz_check_app(m, user, operation, app, err) < 0)
        return NULL;
    if (app->array == NULL) {
        err_set(err, EBUSY, "%s is no array", app->text);
        return NULL;
    }
    if (rm_app_is_ended(app) || app->kill_requested || app->state == APP_STATE_FINAL_SAVING) {
        err_set(err, EBUSY, "%s is over already, or about to end", app->text);
        return NULL;
    }
    return app;
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
    struct app *app = *ret = live_array(m, user, body->app_id, AUTHZ_KILL_APP, err);
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

void rm_on_set_array(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                     const char *user)
{
    struct err err;
    struct app *app = live_array(m, user, in->set_array->app_id, AUTHZ_CHANGE_APP, &err);

    if (app == NULL) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    app->array->at_once = in->set_array->at_once;
    if (app->state == APP_STATE_TASKS)
        rm_job_check_at(m, app, m->now_ms);
    rm_reply_changed(m, peer, in->request_id, app, user);
}

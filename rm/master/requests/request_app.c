/* SPDX-License-Identifier: Apache-2.0 */
/* request_app.c - requests about one application: kill, and changes */
#include "rm/master/machines/app.h"
#include "rm/master/machines/attempt.h"
#include "rm/master/services/authz.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/requests.h"
#include "rm/master/state/index.h"
#include "rm/master/services/resolve.h"

/* --- kill ------------------------------------------------------------------ */

static void kill_app(struct master *m, struct app *app, const char *user, const char *reason)
{
    scoped_free char *text =
        mem_printf("killed by %s%s%s", user, rm_text_is_empty(reason) ? "" : ": ", reason ? reason : "");

    rm_app_kill(m, app, text);
}

/* The outcome of APP is decided. */
static void refuse_kill(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                        const struct app *app)
{
    if (app->job->kind == CREEL__APP_KIND__APP_TASKS)
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "the commands of all tasks of %s have ended, and the processes that they left are "
                       "being stopped: creel kill --force ends them at once",
                       app->text);
    else
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "the command of %s has ended with exit status %d, and what it left is being stopped: "
                       "creel kill --force ends it at once",
                       app->text, app->attempt->am_container->command_status);
}

#define BEING_KILLED "%s is being killed"

void rm_on_kill_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                    const char *user)
{
    struct err err;
    struct app *app = rm_resolve_app(m, in->kill_app->app_id, &err);

    if (app == NULL || rm_authz_check_app(m, user, AUTHZ_KILL_APP, app, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    if (rm_app_is_ended(app) && !(in->kill_app->at_once && app->live > 0)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE, "%s is over already: %s",
                       app->text, rm_app_state_word(app));
        return;
    }
    if (rm_attempt_is_decided(m, app->attempt) && !in->kill_app->at_once) {
        refuse_kill(m, peer, in, app);
        return;
    }
    if (m->store_trouble && app->kill_requested && !in->kill_app->at_once) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_STORE, BEING_KILLED RM_STORED_LATER,
                       app->text, m->store_trouble);
        return;
    }
    if (!rm_app_is_ended(app))
        kill_app(m, app, user, in->kill_app->reason);
    if (in->kill_app->at_once)
        rm_app_kill_at_once(m, app);
    rm_send_changed_ok(m, peer, in->request_id, arena_printf(m->out->arena, BEING_KILLED, app->text));
}

/* --- one change ------------------------------------------------------------- */

/* Defines the handler of request NAME, whose message is the part MEMBER of ChangeApp. */
#define ONE_CHANGE(name, member) \
    void rm_on_##name(struct master *m, const struct master_peer *peer, const Creel__Envelope *in, \
                      const char *user) \
    { \
        Creel__ChangeApp body = CREEL__CHANGE_APP__INIT; \
\
        body.app_id = in->name->app_id; \
        body.member = in->name; \
        rm_change_app(m, peer, in->request_id, &body, user); \
    }

ONE_CHANGE(move_app, move)
ONE_CHANGE(set_priority, priority)
ONE_CHANGE(set_lifetime, lifetime)
ONE_CHANGE(set_name, name)
ONE_CHANGE(set_array, array)
ONE_CHANGE(hold_app, hold)
ONE_CHANGE(release_app, release)

void rm_on_change_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                      const char *user)
{
    rm_change_app(m, peer, in->request_id, in->change_app, user);
}

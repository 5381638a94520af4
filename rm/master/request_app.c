/* SPDX-License-Identifier: Apache-2.0 */
/* request_app.c - requests about one application: kill, move, priority, lifetime, access to logs */
#include <errno.h>
#include <string.h>

#define LOG_ACCESS_MS 600000

#include "rm/master/app.h"
#include "rm/master/authz.h"
#include "rm/master/copy.h"
#include "rm/master/effects.h"
#include "rm/master/index.h"
#include "rm/master/queues.h"
#include "rm/master/report.h"
#include "rm/master/requests.h"
#include "rm/master/resolve.h"
#include "rm/master/rows.h"

/* --- what all changes have in common ---------------------------------------- */

/* The app that may be changed now; NULL after an error reply. */
static struct app *changeable(struct master *m, const struct master_peer *peer,
                              const Creel__Envelope *in, const char *app_id, const char **user)
{
    struct app *app;

    *user = rm_acting_user(m, peer, in);
    if (*user == NULL)
        return NULL;
    app = rm_resolve_app(m, peer, in->request_id, app_id);
    if (app == NULL)
        return NULL;
    if (!rm_may_administer(m, *user, app)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                       "%s belongs to %s: user %s may not change it", app->text, app->user, *user);
        return NULL;
    }
    if (rm_app_is_ended(app) || app->sched == NULL || app->state == APP_STATE_FINAL_SAVING ||
        app->kill_requested) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       rm_app_is_ended(app) ? "%s is over already: %s" : "%s is about to end%s",
                       app->text, rm_app_is_ended(app) ? rm_app_state_word(app) : "");
        return NULL;
    }
    return app;
}

/* Store APP as it is now, and answer with it when that is on disk. */
static void reply_changed(struct master *m, const struct master_peer *peer, uint64_t request_id,
                          struct app *app, const char *user)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_APP_LIST);
    Creel__AppList *list = arena_new0(m->out->arena, Creel__AppList);
    uint64_t seq;

    rm_app_touch(m, app);
    seq = rm_store_app(m, app);
    /* A state that waits for its own row is satisfied by this one, which says the same and more. */
    creel__app_list__init(list);
    list->apps = arena_array0(m->out->arena, 1, sizeof(*list->apps));
    list->apps[list->n_apps++] = rm_app_report(m, app, user);
    envelope->app_list = list;
    rm_send_stored(m, seq, peer->channel, peer->connection, envelope);
}

/* --- kill ------------------------------------------------------------------ */

static void kill_app(struct master *m, struct app *app, const char *user, const char *reason)
{
    scoped_free char *text = mem_printf("killed by %s%s%s", user,
                                        rm_text_is_empty(reason) ? "" : ": ",
                                        reason ? reason : "");

    rm_app_kill(m, app, text);
}

void rm_on_kill_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const char *user = rm_acting_user(m, peer, in);
    struct app *app;

    if (user == NULL)
        return;
    app = rm_resolve_app(m, peer, in->request_id, in->kill_app->app_id);
    if (app == NULL)
        return;
    if (!rm_may_administer(m, user, app)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                       "%s belongs to %s: user %s may not kill it", app->text, app->user, user);
        return;
    }
    if (rm_app_is_ended(app) && !(in->kill_app->at_once && app->live > 0)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "%s is over already: %s", app->text, rm_app_state_word(app));
        return;
    }
    if (!rm_app_is_ended(app))
        kill_app(m, app, user, in->kill_app->reason);
    if (in->kill_app->at_once)
        rm_app_kill_at_once(m, app);
    if (m->store_seq > m->stored_seq) {
        Creel__Envelope *envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_OK);

        envelope->ok = arena_new0(m->out->arena, Creel__Ok);
        creel__ok__init(envelope->ok);
        rm_send_stored(m, m->store_seq, peer->channel, peer->connection, envelope);
    } else {
        rm_reply_ok(m, peer, in->request_id);
    }
}

/* --- logs, and what else the agents answer ----------------------------------- */

/* A command inside a container runs as the owner, so that it takes more than the right to kill:
 * also without yarn.acl.enable it is for the owner, for those whom yarn.admin.acl names ("*", the
 * default, names nobody), and for those who may act as the owner anyway. */
static bool may_control(const struct master *m, const char *user, const struct app *app)
{
    return text_equal(user, app->user) || rm_user_list_has(m->config.proxy_users, user) ||
           (!text_equal(m->config.admin_users, "*") &&
            rm_user_list_has(m->config.admin_users, user));
}

void rm_on_get_log_access(struct master *m, const struct master_peer *peer,
                          const Creel__Envelope *in)
{
    const char *user = rm_acting_user(m, peer, in);
    Creel__LogGrant grant = CREEL__LOG_GRANT__INIT;
    bool control = in->get_log_access->control;
    Creel__Envelope *envelope;
    struct app *app;

    if (user == NULL)
        return;
    app = rm_resolve_app(m, peer, in->request_id, in->get_log_access->app_id);
    if (app == NULL)
        return;
    if (control ? !may_control(m, user, app) : !rm_may_see(m, user, app)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                       "%s belongs to %s: user %s may not %s", app->text, app->user, user,
                       control ? "signal or enter its containers" : "read its logs");
        return;
    }
    grant.app_id = app->text;
    grant.control = control;
    grant.user = (char *)(uintptr_t)user;
    grant.expires_ms = m->now_ms + LOG_ACCESS_MS;
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_LOG_ACCESS);
    envelope->log_access = arena_new0(m->out->arena, Creel__LogAccess);
    creel__log_access__init(envelope->log_access);
    envelope->log_access->expires_ms = grant.expires_ms;
    envelope->log_access->token = m->config.sign(m->config.context, m->out->arena,
                                                 CREEL__TOKEN_KIND__TOKEN_LOG, &grant.base);
    rm_reply_to(m, peer, envelope);
}

/* --- changes --------------------------------------------------------------- */

/* As much time as its present queue gives it. */
static void cut_lifetime(struct master *m, struct app *app)
{
    struct sched_queue_figures figures;
    int64_t latest_ms;

    if (!sched_queue_find_figures(m->sched, app->queue, &figures) || figures.maximum_lifetime_s <= 0)
        return;
    latest_ms = app->submitted_ms + figures.maximum_lifetime_s * 1000;
    if (app->expires_ms == 0 || app->expires_ms > latest_ms)
        rm_app_set_expiry(m, app, latest_ms);
}

/* Who moves it must be let in there, as if it were submitted now. */
static bool may_go_to(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                      const char *user, const char *queue)
{
    struct sched_queue_figures figures = { .path = NULL };

    if (!m->config.acl_enable || rm_user_list_has(m->config.admin_users, user) ||
        !sched_queue_find_figures(m->sched, queue, &figures) ||
        rm_queues_may_submit(m, user, figures.path))
        return true;
    rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                   "user %s may not submit to %s (creel queue access %s shows who may what)", user,
                   figures.path, figures.path);
    return false;
}

void rm_on_move_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const char *user;
    struct app *app = changeable(m, peer, in, in->move_app->app_id, &user);
    const char *queue;
    struct err err = { .text = "" };
    int r;

    if (app == NULL)
        return;
    queue = rm_queue_name(m, in->move_app->queue);
    if (!sched_queue_is(m->sched, queue, app->queue)) {
        if (!may_go_to(m, peer, in, user, queue))
            return;
        r = sched_app_move(m->sched, app->sched, queue, &m->decisions, &err);
        if (r < 0) {
            rm_reply_error(m, peer, in->request_id, rm_queues_error(r), "%s: cannot be moved: %s",
                           app->text, err.text);
            return;
        }
        rm_text_set(&app->queue, sched_app_queue(app->sched));
        cut_lifetime(m, app);
    }
    reply_changed(m, peer, in->request_id, app, user);
}

void rm_on_set_priority(struct master *m, const struct master_peer *peer,
                        const Creel__Envelope *in)
{
    const char *user;
    struct app *app = changeable(m, peer, in, in->set_priority->app_id, &user);
    struct sched_app_spec who = { .priority = in->set_priority->priority };
    struct err err;
    int r;

    if (app == NULL)
        return;
    who.user = user;
    who.group_count = rm_groups_of(m, user, &who.groups);
    r = sched_app_may_have_priority(m->sched, app->sched, &who, &err);
    if (r < 0) {
        rm_reply_error(m, peer, in->request_id, rm_queues_error(r), "%s: %s", app->text, err.text);
        return;
    }
    sched_app_set_priority(m->sched, app->sched, in->set_priority->priority, &m->decisions);
    app->priority = sched_app_priority(app->sched);
    reply_changed(m, peer, in->request_id, app, user);
}

void rm_on_set_lifetime(struct master *m, const struct master_peer *peer,
                        const Creel__Envelope *in)
{
    const char *user;
    struct app *app = changeable(m, peer, in, in->set_lifetime->app_id, &user);
    int64_t expires_ms = in->set_lifetime->expires_ms;

    if (app == NULL)
        return;
    if (expires_ms != 0 && expires_ms <= m->now_ms) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                       "%s: cannot end in the past; creel kill ends it now", app->text);
        return;
    }
    rm_app_set_expiry(m, app, expires_ms);
    cut_lifetime(m, app);
    reply_changed(m, peer, in->request_id, app, user);
}

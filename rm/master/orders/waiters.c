/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiters.c - requests that are answered after a row is stored or something has changed
 */
#include <string.h>

#include "common/base/job/mail.h"
#include "rm/master/orders/waiters.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"

/* Limits of waiting requests, of all users, and the share of one. One client follows one application or, as
 * administrator, all nodes. A user has at most OF_SHARE times its share, with those that are answered
 * early. */
#define APP_WAITS_MAX 100000u
#define APP_WAITS_OF_USER 5000u
#define NODE_WAITS_MAX 10000u
#define NODE_WAITS_OF_USER 256u
#define OF_SHARE 2u

void rm_waiters_init(struct master *m)
{
    m->app_waits = (struct wait_pool){
        .name = "app-waits",
        .max = APP_WAITS_MAX,
        .of_user_share = APP_WAITS_OF_USER,
        .of_user_max = APP_WAITS_OF_USER * OF_SHARE,
    };
    m->node_waits = (struct wait_pool){
        .name = "node-waits",
        .max = NODE_WAITS_MAX,
        .of_user_share = NODE_WAITS_OF_USER,
        .of_user_max = NODE_WAITS_OF_USER * OF_SHARE,
    };
}

/* --- submitters ---------------------------------------------------------- */

static void reply_submit(struct master *m, enum master_channel channel, uint64_t connection,
                         uint64_t request_id, const struct app *app)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY);

    envelope->submit_app_reply = arena_new0(m->out->arena, Creel__SubmitAppReply);
    creel__submit_app_reply__init(envelope->submit_app_reply);
    envelope->submit_app_reply->app_id = rm_message_text(m->out->arena, app->text);
    envelope->submit_app_reply->mail =
        m->config.has_notify_command && mail_is_wanted_at_all(app->job->mail_type);
    rm_send_to(m, channel, connection, envelope);
}

void rm_submitters_answer(struct master *m, struct app *app, const char *refusal)
{
    struct submitter *submitter;

    while ((submitter = TAILQ_FIRST(&app->submitters)) != NULL) {
        struct master_peer peer = { submitter->channel, submitter->connection, app->user, NULL };

        TAILQ_REMOVE(&app->submitters, submitter, link);
        if (refusal)
            rm_reply_error(m, &peer, submitter->request_id, CREEL__ERROR_CODE__ERROR_STORE,
                           "the submission could not be stored, nothing was changed: %s", refusal);
        else
            reply_submit(m, peer.channel, peer.connection, submitter->request_id, app);
        free(submitter);
    }
}

/* Replies when the row of APP is on disk. */
void rm_submitter_add(struct master *m, const struct master_peer *peer, uint64_t request_id, struct app *app)
{
    struct submitter *submitter;

    if (app->saving_seq <= m->stored_seq) {
        reply_submit(m, peer->channel, peer->connection, request_id, app);
        return;
    }
    submitter = mem_new0(struct submitter);
    submitter->channel = peer->channel;
    submitter->connection = peer->connection;
    submitter->request_id = request_id;
    TAILQ_INSERT_TAIL(&app->submitters, submitter, link);
}

/* --- waiters ------------------------------------------------------------- */

void rm_waiter_free(struct master *m, struct waiter *waiter)
{
    TAILQ_REMOVE(&waiter->app->waiters, waiter, link);
    rm_wait_pool_leave(m, &m->app_waits, &waiter->wait);
    free(waiter);
}

void rm_waiter_refuse(struct master *m, struct waiter *waiter)
{
    struct master_peer peer = rm_wait_peer(&waiter->wait);

    if (m->out) /* not when the whole master is freed */
        rm_reply_error(m, &peer, waiter->wait.request_id, CREEL__ERROR_CODE__ERROR_NOT_FOUND,
                       "%s: is not known any more", waiter->app->text);
    rm_waiter_free(m, waiter);
}

void rm_waiters_note_change(struct master *m, struct app *app)
{
    if (app->due_answers.listed || TAILQ_EMPTY(&app->waiters))
        return;
    TAILQ_INSERT_TAIL(&m->turns.answers, app, due_answers.link);
    app->due_answers.listed = true;
}

void rm_waiters_drop(struct master *m, struct app *app)
{
    if (app->due_answers.listed)
        TAILQ_REMOVE(&m->turns.answers, app, due_answers.link);
    app->due_answers.listed = false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiters.c - requests that are answered after a row is stored or something has changed
 */
#include <string.h>

#include "rm/master/copy.h"
#include "rm/master/effects.h"
#include "rm/master/waiters.h"

#define WAITERS_MAX \
    100000u /* maximum of waiting requests; further ones are answered at once
               ... */
#define WAITERS_OF_USER_MAX \
    5000u /* ... and maximum of one user, so that no user can use up
             WAITERS_MAX */

/* --- submitters ---------------------------------------------------------- */

static void reply_submit(struct master *m, enum master_channel channel, uint64_t connection,
                         uint64_t request_id, const struct app *app)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY);

    envelope->submit_app_reply = arena_new0(m->out->arena, Creel__SubmitAppReply);
    creel__submit_app_reply__init(envelope->submit_app_reply);
    envelope->submit_app_reply->app_id = rm_message_text(m->out->arena, app->text);
    rm_send_to(m, channel, connection, envelope);
}

void rm_submitters_answer(struct master *m, struct app *app, const char *refusal)
{
    struct submitter *submitter;

    while ((submitter = TAILQ_FIRST(&app->submitters)) != NULL) {
        struct master_peer peer = { submitter->channel, submitter->connection, app->user };

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

/* Counts one more waiting request of USER. NULL: too many wait already. */
struct waiting *rm_waiting_begin(struct master *m, const char *user)
{
    struct waiting *waiting;

    HASH_FIND_STR(m->waiting, user, waiting);
    if (m->waiter_count >= WAITERS_MAX || (waiting && waiting->count >= WAITERS_OF_USER_MAX))
        return NULL;
    if (waiting == NULL) {
        waiting = mem_new0(struct waiting);
        waiting->user = mem_strdup(user);
        HASH_ADD_KEYPTR(hh, m->waiting, waiting->user, strlen(waiting->user), waiting);
    }
    waiting->count++;
    m->waiter_count++;
    return waiting;
}

static void end_waiting(struct master *m, struct waiting *waiting)
{
    m->waiter_count--;
    if (--waiting->count > 0)
        return;
    HASH_DEL(m->waiting, waiting);
    free(waiting->user);
    free(waiting);
}

void rm_waiter_free(struct master *m, struct waiter *waiter)
{
    rm_deadline_clear(m, &waiter->deadline);
    TAILQ_REMOVE(&waiter->app->waiters, waiter, link);
    end_waiting(m, waiter->waiting);
    free(waiter);
}

void rm_waiter_refuse(struct master *m, struct waiter *waiter)
{
    struct master_peer peer = { waiter->channel, waiter->connection, waiter->waiting->user };

    if (m->out) /* not when the whole master is freed */
        rm_reply_error(m, &peer, waiter->request_id, CREEL__ERROR_CODE__ERROR_NOT_FOUND,
                       "%s: is not known any more", waiter->app->text);
    rm_waiter_free(m, waiter);
}

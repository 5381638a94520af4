/* SPDX-License-Identifier: Apache-2.0 */
/* request_queues.c - requests that change queues: stop, start, read the configuration again */
#include <errno.h>

#include "rm/master/authz.h"
#include "rm/master/effects.h"
#include "rm/master/requests.h"
#include "rm/master/resolve.h"
#include "rm/master/settings.h"

static void reply_ok_stored(struct master *m, const struct master_peer *peer, uint64_t request_id)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_OK);

    envelope->ok = arena_new0(m->out->arena, Creel__Ok);
    creel__ok__init(envelope->ok);
    rm_send_stored(m, m->store_seq, peer->channel, peer->connection, envelope);
}

void rm_on_set_queue_state(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                           const char *user)
{
    const Creel__SetQueueState *body = in->set_queue_state;
    struct sched_queue_figures figures;
    struct err err = { .text = "" };
    int r;

    if (rm_resolve_queue(m, body->queue, &figures, &err) < 0 ||
        rm_authz_check_queue(m, user, AUTHZ_CHANGE_QUEUE, figures.path, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    r = rm_queue_state_set(m, figures.path, body->running, user, &err);
    if (r < 0)
        rm_reply_error(m, peer, in->request_id,
                       r == -ENOENT ? CREEL__ERROR_CODE__ERROR_NOT_FOUND : CREEL__ERROR_CODE__ERROR_BAD_STATE,
                       "%s", err.text);
    else
        reply_ok_stored(m, peer, in->request_id);
}

void rm_on_refresh_queues(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                          const char *user)
{
    rm_effect_reload(m, peer, in->request_id, user);
}

void rm_on_scheduler_conf(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                          const char *user)
{
    rm_effect_scheduler_conf(m, peer, in, user);
}

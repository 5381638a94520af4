/* SPDX-License-Identifier: Apache-2.0 */
/* request_queues.c - requests that change queues: stop, start, read the configuration again */
#include <errno.h>
#include <string.h>

#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/settings.h"

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
        rm_send_changed_ok(m, peer, in->request_id,
                           arena_printf(m->out->arena, "queue %s is %s", figures.path,
                                        body->running ? "started" : "stopped"));
}

void rm_on_refresh_access(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                          const char *user)
{
    rm_effect_request(m, MASTER_REFRESH_ACCESS, peer, in, user);
}

void rm_on_refresh_queues(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                          const char *user)
{
    rm_effect_request(m, MASTER_RELOAD, peer, in, user);
}

void rm_on_get_scheduler_conf(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                              const char *user)
{
    rm_effect_request(m, MASTER_SCHEDULER_CONF, peer, in, user);
}

/* Returns true if USER administers the queue that EDIT updates, or the parent of the queue that EDIT adds or
 * removes. False for global settings, and if yarn.acl.enable is false. */
static bool administers(struct master *m, const char *user, const Creel__SchedulerConfEdit *edit)
{
    const char *dot = strrchr(edit->queue, '.'), *path = edit->queue;
    struct sched_queue_figures figures;

    if (edit->part == CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_GLOBAL)
        return false;
    if (edit->part != CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_UPDATE_QUEUE)
        path = dot ? arena_printf(m->out->arena, "%.*s", (int)(dot - edit->queue), edit->queue) : "";
    return sched_queue_find_figures(m->sched, path, &figures) && text_equal(figures.path, path) &&
           m->config.acl_enable && rm_authz_queue(m, user, AUTHZ_CHANGE_QUEUE, path);
}

static int check_change(struct master *m, const char *user, const Creel__ChangeSchedulerConf *change,
                        struct err *err)
{
    if (rm_authz_cluster(m, user, AUTHZ_CHANGE_CLUSTER))
        return 0;
    if (!m->config.queue_admins_change_conf)
        return rm_authz_check_cluster(m, user, AUTHZ_CHANGE_CLUSTER, err);
    for (size_t i = 0; i < change->n_edits; i++)
        if (!administers(m, user, change->edits[i]))
            return err_set(err, EPERM, "User is not admin of all modified queues.");
    return change->rollback_to == 0 && change->n_edits > 0
               ? 0
               : err_set(err, EPERM, "User is not admin of all modified queues.");
}

void rm_on_change_scheduler_conf(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                                 const char *user)
{
    struct err err;

    if (check_change(m, user, in->change_scheduler_conf, &err) < 0)
        rm_reply_err(m, peer, in->request_id, &err);
    else
        rm_effect_request(m, MASTER_SCHEDULER_CONF, peer, in, user);
}

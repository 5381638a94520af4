/* SPDX-License-Identifier: Apache-2.0 */
/* request_submit.c - request: submit an application */
#include <errno.h>
#include <string.h>

#include "common/base/text.h"
#include "rm/master/app.h"
#include "rm/master/copy.h"
#include "rm/master/effects.h"
#include "rm/master/eligible.h"
#include "rm/master/job.h"
#include "rm/master/requests.h"
#include "rm/master/waiters.h"

/* --- submit ---------------------------------------------------------------- */

static struct app *find_submitted(const struct master *m, const char *user, const char *key)
{
    scoped_free char *text = NULL;
    struct app *app = NULL;

    if (rm_text_is_empty(key))
        return NULL;
    text = mem_printf("%s\n%s", user, key);
    HASH_FIND(by_key, m->keys, text, strlen(text), app);
    return app;
}

static void submit(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                   const char *user)
{
    const Creel__SubmitApp *body = in->submit_app;
    struct app_id id = { .cluster_ms = m->cluster_ms, .seq = m->last_app_seq + 1 };
    struct app *app;
    struct err err;
    int r;

    app = rm_app_new(m, &id, user, body->job, body->submission_key);
    app->submitted_ms = m->now_ms;
    r = rm_eligible_submit(m, app, &err);
    if (r < 0) {
        rm_reply_error(m, peer, in->request_id, rm_error_code(r), "%s", err.text);
        rm_app_free(m, app);
        m->last_app_seq--;
        return;
    }
    rm_app_event(m, app, APP_EVENT_START);
    rm_submitter_add(m, peer, in->request_id, app);
}

void rm_on_submit_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                      const char *user)
{
    struct app *app = find_submitted(m, user, in->submit_app->submission_key);
    struct err err;

    if (app) {
        rm_submitter_add(m, peer, in->request_id, app);
        return;
    }
    if (rm_job_judge(m, in->submit_app->job, user, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    if (m->store_trouble) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_STORE,
                       "submissions cannot be stored now: %s", m->store_trouble);
        return;
    }
    submit(m, peer, in, user);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* request_submit.c - requests: assign the id of an application, submit it */
#include <errno.h>
#include <string.h>

#include "common/base/job/task_results.h"
#include "rm/master/machines/app.h"
#include "rm/master/orders/waiters.h"
#include "rm/master/requests.h"
#include "rm/master/services/app_numbers.h"
#include "rm/master/services/eligible.h"
#include "rm/master/services/job.h"
#include "rm/master/services/user_limits.h"
#include "rm/master/state/am_state.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/rows.h"

/* --- ids before the submission ------------------------------------------------ */

static bool can_store(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const char *refusal = rm_store_refusal(m);

    if (refusal != NULL)
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_STORE,
                       "submissions cannot be stored now: %s", refusal);
    return refusal == NULL;
}

void rm_on_new_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                   const char *user)
{
    struct app_id id = { .cluster_ms = m->cluster_ms };
    Creel__Envelope *envelope;
    char text[ID_TEXT_MAX];

    if (!can_store(m, peer, in))
        return;
    id.seq = rm_app_number_assign(m, user);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_NEW_APP_REPLY);
    envelope->new_app_reply = arena_new0(m->out->arena, Creel__NewAppReply);
    creel__new_app_reply__init(envelope->new_app_reply);
    envelope->new_app_reply->app_id = rm_message_text(m->out->arena, app_id_format(&id, text));
    rm_send_changed(m, peer, m->store_seq, envelope,
                    arena_printf(m->out->arena, "%s is assigned", envelope->new_app_reply->app_id));
}

/* Sets *SEQ to the number of the id that the submission names, 0 if it names none. Returns false, after an
 * error reply, if the id was not assigned to USER. */
static bool read_number(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                        const char *user, uint32_t *seq)
{
    const char *text = in->submit_app->app_id;
    struct app_id id;

    *seq = 0;
    if (rm_text_is_empty(text))
        return true;
    if (app_id_parse(text, &id) && id.cluster_ms == m->cluster_ms && rm_app_number_is_of(m, id.seq, user)) {
        *seq = id.seq;
        return true;
    }
    rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                   "%s: was not assigned to user %s since the resource manager started: request a new id",
                   text, user);
    return false;
}

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

/* Returns the submission key: the id that was assigned before, if the submission names one. */
static const char *key_of(const Creel__SubmitApp *body)
{
    return rm_text_is_empty(body->app_id) ? body->submission_key : body->app_id;
}

/* SEQ is the number that was assigned before the submission; 0: none was. */
static void submit(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                   const char *user, uint32_t seq)
{
    const Creel__SubmitApp *body = in->submit_app;
    Creel__LaunchContext launch = *body->job->launch;
    Creel__JobSpec job = *body->job;
    struct app_id id = { .cluster_ms = m->cluster_ms, .seq = seq > 0 ? seq : m->last_app_seq + 1 };
    struct app *app;
    struct err err;
    int r;

    /* What the submitter may not choose. */
    job.submitted_in = rm_message_text(m->out->arena, peer->job);
    job.first_results = body->am_state ? body->am_state->data : (ProtobufCBinaryData){ 0, NULL };
    launch.job_token = (ProtobufCBinaryData){ 0, NULL };
    job.launch = &launch;
    app = rm_app_new(m, &id, user, &job, key_of(body));
    app->submitted_ms = m->now_ms;
    (void)rm_am_state_update(app, body->am_state);
    r = rm_eligible_submit(m, app, &err);
    if (r < 0) {
        rm_reply_error(m, peer, in->request_id, rm_error_code(r), "%s", err.text);
        rm_app_free(m, app);
        if (seq == 0)
            m->last_app_seq--;
        return;
    }
    rm_app_number_drop(m, seq);
    rm_app_event(m, app, APP_EVENT_START);
    rm_submitter_add(m, peer, in->request_id, app);
}

/* Checks the results of tasks with which a job begins. */
static int judge_state(const Creel__SubmitApp *body, struct err *err)
{
    const Creel__JobSpec *job = body->job;
    scoped_free int16_t *results = NULL;
    int r = rm_am_state_judge(body->am_state, err);

    if (r < 0 || body->am_state == NULL || body->am_state->data.len == 0)
        return r;
    if (job->kind != CREEL__APP_KIND__APP_TASKS || rm_text_is_empty(job->rerun_of))
        return err_set(err, EINVAL, "results of tasks are for a job of tasks that repeats another one");
    results = mem_array0(job->task_count, sizeof(*results));
    r = task_results_decode(body->am_state->data.data, body->am_state->data.len, results, job->task_count,
                            err);
    if (r < 0)
        err_prefix(err, "the results of its tasks");
    return r;
}

static int judge(struct master *m, const char *user, const Creel__SubmitApp *body, struct err *err)
{
    const Creel__JobSpec *job = body->job;
    int r = rm_job_judge(m, job, user, err);

    if (r == 0)
        r = judge_state(body, err);

    if (r == 0 && (r = rm_user_limits_judge_job(m, user, job, err)) < 0)
        m->counters.jobs_over_limit++;
    return r;
}

void rm_on_submit_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                      const char *user)
{
    struct app *app = find_submitted(m, user, key_of(in->submit_app));
    struct err err;
    uint32_t seq;

    if (app) {
        rm_submitter_add(m, peer, in->request_id, app);
        return;
    }
    if (!read_number(m, peer, in, user, &seq))
        return;
    if (judge(m, user, in->submit_app, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    if (can_store(m, peer, in))
        submit(m, peer, in, user, seq);
}

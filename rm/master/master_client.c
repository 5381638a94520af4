/* SPDX-License-Identifier: Apache-2.0 */
/* master_client.c - people: submit, kill, wait, and the right to read logs */
#include <errno.h>
#include <string.h>

#include "common/base/text.h"
#include "rm/master/internal.h"

#define JOB_BYTES_MAX ((size_t)8 << 20) /* it must fit into an order to an agent */
#define WAIT_MAX_MS 600000
#define WAITERS_MAX 100000u             /* more are answered at once ... */
#define WAITERS_OF_USER_MAX 5000u       /* ... so that one user cannot have it happen to all */
#define LOG_ACCESS_MS 600000

/* --- submit ---------------------------------------------------------------- */

static Creel__ErrorCode judge_launch(const Creel__JobSpec *job, struct err *err)
{
    const Creel__LaunchContext *launch = job->launch;
    int signal_number;

    if (launch == NULL || launch->n_command == 0 || rm_text_is_empty(launch->command[0])) {
        err_set(err, EINVAL, "there is no command to run");
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    }
    if (protobuf_c_message_get_packed_size(&job->base) > JOB_BYTES_MAX) {
        err_set(err, EMSGSIZE, "the job's description has more than %zu MiB", JOB_BYTES_MAX >> 20);
        return CREEL__ERROR_CODE__ERROR_TOO_LARGE;
    }
    if (!rm_text_is_empty(launch->preempt_signal) &&
        !text_parse_signal(launch->preempt_signal, &signal_number)) {
        err_set(err, EINVAL, "signal %s: cannot be sent before a preemption (HUP, INT, QUIT, USR1, "
                "USR2, ALRM, TERM, CONT, URG and WINCH can)", launch->preempt_signal);
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    }
    return CREEL__ERROR_CODE__ERROR_UNKNOWN;
}

static Creel__ErrorCode judge_tasks(const struct master *m, const Creel__JobSpec *job,
                                    struct err *err)
{
    if (job->kind == CREEL__APP_KIND__APP_TASKS && job->task_count == 0) {
        err_set(err, EINVAL, "a job of tasks needs at least one");
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    }
    if (job->kind != CREEL__APP_KIND__APP_TASKS && job->task_count > 1) {
        err_set(err, EINVAL, "%u tasks are asked for, but the job is not one of tasks",
                job->task_count);
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    }
    if (job->task_count > m->config.max_tasks) {
        err_set(err, EINVAL, "%u tasks are asked for, at most %u go into one job", job->task_count,
                m->config.max_tasks);
        return CREEL__ERROR_CODE__ERROR_TOO_LARGE;
    }
    return CREEL__ERROR_CODE__ERROR_UNKNOWN;
}

Creel__ErrorCode rm_judge_job(const struct master *m, const Creel__JobSpec *job, struct err *err)
{
    struct resource each, master;
    Creel__ErrorCode code;

    if (job == NULL) {
        err_set(err, EINVAL, "there is no job in it");
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    }
    if (job->kind != CREEL__APP_KIND__APP_COMMAND && job->kind != CREEL__APP_KIND__APP_TASKS &&
        job->kind != CREEL__APP_KIND__APP_MASTER) {
        err_set(err, EINVAL, "kind %d of jobs is not known here", (int)job->kind);
        return CREEL__ERROR_CODE__ERROR_UNSUPPORTED;
    }
    code = judge_launch(job, err);
    if (code == CREEL__ERROR_CODE__ERROR_UNKNOWN)
        code = judge_tasks(m, job, err);
    if (code != CREEL__ERROR_CODE__ERROR_UNKNOWN)
        return code;
    each = rm_resource_from(m, job->resource);
    master = rm_resource_from(m, job->am_resource);
    if (rm_resource_judge(m, job->resource, err) < 0 ||
        rm_resource_judge(m, job->am_resource, err) < 0)
        return CREEL__ERROR_CODE__ERROR_NEVER_RUNS;
    if (!rm_text_is_empty(job->label) && !rm_queues_have_labels(m)) {
        err_set(err, EINVAL, "label %s: the %s scheduler has no labels", job->label,
                m->config.scheduler);
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    }
    if (!rm_text_is_empty(job->label) && !rm_label_is_known(m, job->label)) {
        err_set(err, ENOENT, "label %s: not defined; %s (creel label list shows them)", job->label,
                rm_labels_known(m));
        return CREEL__ERROR_CODE__ERROR_NOT_FOUND;
    }
    if (sched_size_check(m->sched, &each, err) < 0 || sched_size_check(m->sched, &master, err) < 0)
        return CREEL__ERROR_CODE__ERROR_NEVER_RUNS;
    return CREEL__ERROR_CODE__ERROR_UNKNOWN;
}

static void reply_submit(struct master *m, enum master_channel channel, uint64_t connection,
                         uint64_t request_id, const struct app *app)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id,
                                             CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY);

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

/* Answer when APP's row is on disk. */
static void answer_later(struct master *m, const struct master_peer *peer, uint64_t request_id,
                         struct app *app)
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
    int64_t lifetime_s;
    struct app *app;
    struct err err;
    int r;

    app = rm_app_new(m, &id, user, body->job, body->submission_key);
    app->submitted_ms = m->now_ms;
    r = rm_queues_enter(m, app, false, &err);
    if (r < 0) {
        rm_reply_error(m, peer, in->request_id, rm_queues_error(r), "%s", err.text);
        rm_app_free(m, app);
        m->last_app_seq--;
        return;
    }
    lifetime_s = rm_queues_lifetime_s(m, app->queue, body->job->lifetime_s);
    if (lifetime_s > 0)
        rm_app_set_expiry(m, app, m->now_ms + lifetime_s * 1000);
    rm_app_event(m, app, APP_EVENT_START);
    answer_later(m, peer, in->request_id, app);
}

void rm_on_submit_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const char *user = rm_acting_user(m, peer, in);
    Creel__ErrorCode code;
    struct app *app;
    struct err err;

    if (user == NULL)
        return;
    app = find_submitted(m, user, in->submit_app->submission_key);
    if (app) {
        answer_later(m, peer, in->request_id, app);
        return;
    }
    code = rm_judge_job(m, in->submit_app->job, &err);
    if (code != CREEL__ERROR_CODE__ERROR_UNKNOWN) {
        rm_reply_error(m, peer, in->request_id, code, "%s", err.text);
        return;
    }
    if (m->store_trouble) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_STORE,
                    "submissions cannot be stored now: %s", m->store_trouble);
        return;
    }
    submit(m, peer, in, user);
}

/* --- kill ------------------------------------------------------------------ */

bool rm_app_is_ended(const struct app *app)
{
    return app->shown == CREEL__APP_STATE__APP_FINISHED ||
           app->shown == CREEL__APP_STATE__APP_FAILED ||
           app->shown == CREEL__APP_STATE__APP_KILLED;
}

const char *rm_app_state_word(const struct app *app)
{
    return app->shown == CREEL__APP_STATE__APP_FINISHED ? "FINISHED"
         : app->shown == CREEL__APP_STATE__APP_FAILED ? "FAILED" : "KILLED";
}

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

/* --- wait ------------------------------------------------------------------ */

static void reply_report(struct master *m, const struct master_peer *peer, uint64_t request_id,
                         const struct app *app, const char *user)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_APP_LIST);
    Creel__AppList *list = arena_new0(m->out->arena, Creel__AppList);

    creel__app_list__init(list);
    list->apps = arena_array0(m->out->arena, 1, sizeof(*list->apps));
    list->apps[0] = rm_app_report(m, app, user);
    list->n_apps = 1;
    envelope->app_list = list;
    rm_reply_to(m, peer, envelope);
}

/* USER waits once more; NULL: often enough. */
static struct waiting *begin_waiting(struct master *m, const char *user)
{
    struct waiting *who;

    HASH_FIND_STR(m->waiting, user, who);
    if (m->waiter_count >= WAITERS_MAX || (who && who->count >= WAITERS_OF_USER_MAX))
        return NULL;
    if (who == NULL) {
        who = mem_new0(struct waiting);
        who->user = mem_strdup(user);
        HASH_ADD_KEYPTR(hh, m->waiting, who->user, strlen(who->user), who);
    }
    who->count++;
    m->waiter_count++;
    return who;
}

static void end_waiting(struct master *m, struct waiting *who)
{
    m->waiter_count--;
    if (--who->count > 0)
        return;
    HASH_DEL(m->waiting, who);
    free(who->user);
    free(who);
}

static void waiter_free(struct master *m, struct waiter *waiter)
{
    rm_deadline_clear(m, &waiter->deadline);
    TAILQ_REMOVE(&waiter->app->waiters, waiter, link);
    end_waiting(m, waiter->who);
    free(waiter);
}

void rm_waiter_answer(struct master *m, struct waiter *waiter)
{
    struct master_peer peer = { waiter->channel, waiter->connection, waiter->who->user };

    reply_report(m, &peer, waiter->request_id, waiter->app, waiter->who->user);
    waiter_free(m, waiter);
}

void rm_waiter_refuse(struct master *m, struct waiter *waiter)
{
    struct master_peer peer = { waiter->channel, waiter->connection, waiter->who->user };

    if (m->out)                         /* not when all of it goes */
        rm_reply_error(m, &peer, waiter->request_id, CREEL__ERROR_CODE__ERROR_NOT_FOUND,
                    "%s: is not known any more", waiter->app->text);
    waiter_free(m, waiter);
}

void rm_waiters_answer(struct master *m, struct app *app)
{
    struct waiter *waiter, *next;

    TAILQ_FOREACH_SAFE(waiter, &app->waiters, link, next)
        if (waiter->known_version != app->version)
            rm_waiter_answer(m, waiter);
}

void rm_on_wait_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const Creel__WaitApp *body = in->wait_app;
    const char *user = rm_acting_user(m, peer, in);
    struct waiting *who;
    struct waiter *waiter;
    struct app *app;

    if (user == NULL)
        return;
    app = rm_resolve_app(m, peer, in->request_id, body->app_id);
    if (app == NULL)
        return;
    if (app->version != body->known_version || body->wait_ms == 0 ||
        (who = begin_waiting(m, user)) == NULL) {
        reply_report(m, peer, in->request_id, app, user);
        return;
    }
    waiter = mem_new0(struct waiter);
    waiter->app = app;
    waiter->channel = peer->channel;
    waiter->connection = peer->connection;
    waiter->request_id = in->request_id;
    waiter->known_version = body->known_version;
    waiter->who = who;
    rm_deadline_init(&waiter->deadline, DEADLINE_WAITER, waiter);
    rm_deadline_set(m, &waiter->deadline,
                 m->now_ms + (body->wait_ms < WAIT_MAX_MS ? body->wait_ms : WAIT_MAX_MS));
    TAILQ_INSERT_TAIL(&app->waiters, waiter, link);
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
    envelope->log_access->now_ms = m->now_ms;
    envelope->log_access->token = m->config.sign(m->config.context, m->out->arena,
                                                 CREEL__TOKEN_KIND__TOKEN_LOG, &grant.base);
    rm_reply_to(m, peer, envelope);
}

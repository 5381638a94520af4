/* SPDX-License-Identifier: Apache-2.0 */
/* attempt.c - the state machine of an attempt: its first container, and the AM in it */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/base/job/task_retry.h"
#include "rm/master/jobs/task_ends.h"
#include "rm/master/machines/app.h"
#include "rm/master/machines/attempt.h"
#include "rm/master/machines/container.h"
#include "rm/master/nodes/failed_nodes.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/orders/app_usage.h"
#include "rm/master/orders/completed.h"
#include "rm/master/orders/preempt.h"
#include "rm/master/orders/resize.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/events.h"
#include "rm/master/state/index.h"
#include "rm/master/state/retry.h"
#include "rm/master/state/rows.h"

/* --- objects --------------------------------------------------------------- */

struct attempt *rm_attempt_new(struct master *m, struct app *app, uint32_t number)
{
    struct attempt *attempt = mem_new0(struct attempt);

    attempt->app = app;
    attempt->id = (struct attempt_id){ .app = app->id, .attempt = number };
    attempt_id_format(&attempt->id, attempt->text);
    attempt->exit_status = CONTAINER_EXIT_NONE;
    /* Higher than all response ids from before a restart, so that a late message with such an id is
     * recognised. */
    attempt->response_id = (uint64_t)m->epoch << 32 | 1;
    rm_deadline_init(&attempt->expiry, DEADLINE_AM, attempt);
    TAILQ_INIT(&attempt->newly_allocated);
    TAILQ_INIT(&attempt->completed);
    TAILQ_INIT(&attempt->unstarted);
    TAILQ_INIT(&attempt->preempting);
    TAILQ_INIT(&attempt->resized);
    TAILQ_INSERT_TAIL(&app->attempts, attempt, link);
    app->attempt = attempt;
    return attempt;
}

void rm_attempt_free(struct master *m, struct attempt *attempt)
{
    struct app *app = attempt->app;

    assert(TAILQ_EMPTY(&attempt->newly_allocated) && TAILQ_EMPTY(&attempt->completed) &&
           TAILQ_EMPTY(&attempt->unstarted) && TAILQ_EMPTY(&attempt->preempting) &&
           TAILQ_EMPTY(&attempt->resized));
    rm_deadline_clear(m, &attempt->expiry);
    TAILQ_REMOVE(&app->attempts, attempt, link);
    if (app->attempt == attempt)
        app->attempt = NULL;
    rm_account_set_text(app, &attempt->diagnostics, NULL);
    rm_account_set_text(app, &attempt->tracking_url, NULL);
    rm_account_set_text(app, &attempt->am_host, NULL);
    free(attempt->last_reply);
    free(attempt);
}

struct resource rm_attempt_am_asked(const struct master *m, const struct app *app)
{
    struct resource asked = rm_resource_from(m, app->job->resource);

    if (app->job->unmanaged) /* as in YARN, limits on AMs count the minimum for it */
        return m->minimum;
    if (app->job->kind != CREEL__APP_KIND__APP_TASKS)
        return asked;
    asked = rm_resource_from(m, app->job->am_resource);
    return resource_is_zero(&asked) ? resource_of(m->config.am_memory_mb, 1) : asked;
}

static struct resource am_resource(const struct master *m, const struct app *app)
{
    struct resource asked = rm_attempt_am_asked(m, app), normal;

    /* Submission checked the amount; if the maximum is smaller since a restart, the maximum is requested. */
    asked = resource_min(asked, m->maximum);
    if (sched_normalise(m->sched, &asked, &normal, NULL) < 0)
        return m->minimum;
    return normal;
}

void rm_attempt_set_outcome(struct attempt *attempt, Creel__FinalStatus status, int32_t exit_status,
                            const char *diagnostics)
{
    attempt->final_status = status;
    attempt->exit_status = exit_status;
    /* That of an ended application is the same, in most cases: it is kept once. */
    if (attempt->app->listed_ended && text_equal(diagnostics, attempt->app->diagnostics))
        diagnostics = NULL;
    rm_account_set_text(attempt->app, &attempt->diagnostics, diagnostics);
}

/* --- news for the AM ------------------------------------------------------- */

/* Drops the news for the AM, which will send no further Allocate. */
static void forget_news(struct attempt *attempt)
{
    struct container *container;

    attempt->wakeup_due = attempt->wakeup_sent = false;
    while ((container = TAILQ_FIRST(&attempt->newly_allocated)) != NULL) {
        TAILQ_REMOVE(&attempt->newly_allocated, container, in_am_news);
        container->am_news = false;
    }
    while ((container = TAILQ_FIRST(&attempt->completed)) != NULL) {
        TAILQ_REMOVE(&attempt->completed, container, in_am_news);
        container->am_news = false;
        if (rm_container_is_unstarted(container)) /* forgotten at the next step's first Allocate */
            rm_container_end_sent(container, attempt->response_id);
    }
    rm_preempt_forget_news(attempt);
    rm_resize_forget_news(attempt);
    free(attempt->last_reply);
    attempt->last_reply = NULL;
    attempt->last_reply_size = 0;
}

/* --- the container of the AM ------------------------------------------------ */

static bool counts_as_failure(int32_t status)
{
    return status != CONTAINER_EXIT_ABORTED && status != CONTAINER_EXIT_DISKS &&
           status != CONTAINER_EXIT_PREEMPTED && status != CONTAINER_EXIT_BY_RM;
}

/* Returns true if the end of AM with STATUS is the end of its application: its job is one command, which
 * succeeded, or failed and is not tried again. */
static bool is_verdict(struct master *m, const struct attempt *attempt, int32_t status)
{
    const struct container *am = attempt->am_container;

    return attempt->app->job->kind == CREEL__APP_KIND__APP_COMMAND && !task_status_is_lost(status) &&
           !(am->retry_elsewhere && rm_retry_is_left(m, attempt->app)) &&
           rm_retry_judge(attempt->app, status) != CREEL__ATTEMPT_RESTART__RESTART_RETRY;
}

bool rm_attempt_is_decided(struct master *m, const struct attempt *attempt)
{
    if (attempt == NULL || rm_attempt_is_over(attempt))
        return false;
    if (attempt->app->job->kind == CREEL__APP_KIND__APP_TASKS)
        return rm_task_ends_decide(m, attempt->app);
    return rm_attempt_has_ended_command(attempt) && attempt->am_container->state != CONTAINER_COMPLETED &&
           is_verdict(m, attempt, attempt->am_container->command_status);
}

void rm_attempt_am_ended(struct master *m, struct attempt *attempt)
{
    const struct container *am = attempt->am_container;
    int32_t status = am->exit_status;
    Creel__AttemptRestart restart;
    char text[ERR_TEXT_MAX];

    if (attempt->state == ATTEMPT_FINAL_SAVING || attempt->state == ATTEMPT_FINISHING ||
        rm_attempt_is_over(attempt)) { /* the outcome of the attempt is decided */
        rm_attempt_event(m, attempt, ATTEMPT_EVENT_ENDED);
        return;
    }
    restart = rm_retry_judge(attempt->app, status);
    if (is_verdict(m, attempt, status)) {
        attempt->unregistered = true;
        rm_attempt_set_outcome(
            attempt, status == 0 ? CREEL__FINAL_STATUS__FINAL_SUCCEEDED : CREEL__FINAL_STATUS__FINAL_FAILED,
            status, am->diagnostics);
        attempt->counts = status != 0;
        rm_attempt_event(m, attempt, ATTEMPT_EVENT_VERDICT);
        return;
    }
    snprintf(text, sizeof(text), "attempt %u: its first container, %s, ended with exit status %d%s%s%s",
             attempt->id.attempt, am->text, status,
             attempt->app->job->kind == CREEL__APP_KIND__APP_COMMAND
                 ? ""
                 : " before the application reported its end",
             rm_text_is_empty(am->diagnostics) ? "" : ": ", am->diagnostics ? am->diagnostics : "");
    rm_attempt_set_outcome(attempt, CREEL__FINAL_STATUS__FINAL_FAILED, status, text);
    rm_retry_set(attempt, restart);
    attempt->counts = restart == CREEL__ATTEMPT_RESTART__RESTART_BY_LIMIT && counts_as_failure(status);
    rm_attempt_event(m, attempt, ATTEMPT_EVENT_ENDED);
}

bool rm_attempt_requeue(struct master *m, struct attempt *attempt, const char *why)
{
    if (attempt->state < ATTEMPT_ALLOCATED_SAVING || attempt->state > ATTEMPT_RUNNING ||
        attempt->app->job->unmanaged)
        return false;
    rm_attempt_set_outcome(attempt, CREEL__FINAL_STATUS__FINAL_FAILED, CONTAINER_EXIT_BY_RM, why);
    rm_retry_set_requeued(m, attempt);
    rm_attempt_event(m, attempt, ATTEMPT_EVENT_ENDED);
    return true;
}

void rm_attempt_on_expiry(struct master *m, struct attempt *attempt)
{
    int64_t at = attempt->am_seen_ms + m->config.am_expiry_ms;
    char text[ERR_TEXT_MAX];

    if (attempt->state == ATTEMPT_SCHEDULED) { /* its pause is over */
        if (!rm_retry_waits(m, attempt->app))
            rm_attempt_event(m, attempt, ATTEMPT_EVENT_UNBLOCKED);
        return;
    }
    if (at > m->now_ms) {
        rm_deadline_set(m, &attempt->expiry, at);
        return;
    }
    if (attempt->app->job->kind == CREEL__APP_KIND__APP_COMMAND) {
        if (attempt->known)
            rm_attempt_end_step(m, attempt);
        return;
    }
    if (attempt->state == ATTEMPT_LAUNCHED || attempt->state == ATTEMPT_RUNNING) {
        snprintf(text, sizeof(text), "attempt %u: its application master %s for %lld s", attempt->id.attempt,
                 attempt->state == ATTEMPT_LAUNCHED ? "did not register" : "sent no request",
                 (long long)(m->config.am_expiry_ms / 1000));
        rm_attempt_set_outcome(attempt, CREEL__FINAL_STATUS__FINAL_FAILED, CONTAINER_EXIT_ABORTED, text);
        attempt->counts = true;
    }
    rm_attempt_event(m, attempt, ATTEMPT_EVENT_EXPIRE);
}

void rm_attempt_end_step(struct master *m, struct attempt *attempt)
{
    attempt->known = false;
    attempt->step++;
    rm_deadline_clear(m, &attempt->expiry);
    forget_news(attempt);
    rm_container_stop_all(m, attempt->app, true, CONTAINER_EXIT_BY_AM, "its step is over");
    forget_news(attempt); /* containers that were not sent to the AM ended just now */
    rm_app_touch(m, attempt->app);
}

/* --- steps ----------------------------------------------------------------- */

static void save(struct master *m, struct attempt *attempt)
{
    attempt->saving_seq = rm_store_attempt(m, attempt);
    rm_saving_add(m, attempt->saving_seq, SAVING_ATTEMPT)->id = attempt->id;
}

static const char *why_stopped(const struct attempt *attempt, enum attempt_state target)
{
    if (target == ATTEMPT_KILLED)
        return "its application was killed";
    return attempt->restart == CREEL__ATTEMPT_RESTART__RESTART_REQUEUED ? attempt->diagnostics
                                                                        : "its attempt is over";
}

int32_t rm_attempt_stop_status(const struct master *m, const struct attempt *attempt)
{
    const struct app *app = attempt->app;
    bool failed = attempt->state == ATTEMPT_FAILED || attempt->target == ATTEMPT_FAILED;

    return attempt != app->attempt || (failed && rm_retry_follows(m, app)) ? CONTAINER_EXIT_BY_RM
                                                                           : CONTAINER_EXIT_APP_OVER;
}

static void begin_end(struct master *m, struct attempt *attempt, enum attempt_state target)
{
    int32_t status = CONTAINER_EXIT_BY_RM;

    attempt->target = target;
    rm_deadline_clear(m, &attempt->expiry);
    if (target == ATTEMPT_FAILED)
        rm_retry_forbid(m, attempt);
    if (attempt->app->sched)
        sched_app_stop_asking(m->sched, attempt->app->sched);
    save(m, attempt);
    if (target != ATTEMPT_KILLED)
        status = rm_attempt_stop_status(m, attempt);
    /* Containers that the AM started end with the attempt; a new attempt starts without containers. */
    rm_container_stop_all(m, attempt->app, target == ATTEMPT_FINISHING || target == ATTEMPT_FINISHED, status,
                          why_stopped(attempt, target));
    forget_news(attempt);
}

static void end_killed(struct master *m, struct attempt *attempt)
{
    rm_attempt_set_outcome(attempt, CREEL__FINAL_STATUS__FINAL_KILLED, CONTAINER_EXIT_BY_RM,
                           attempt->app->kill_reason);
    begin_end(m, attempt, ATTEMPT_KILLED);
}

static void done(struct master *m, struct attempt *attempt)
{
    rm_deadline_clear(m, &attempt->expiry);
    rm_app_emit(m, attempt->app, APP_EVENT_ATTEMPT_FINISHED);
}

/* From FINAL_SAVING on, the outcome of an application does not change (states.c). */
static void set_app_outcome(struct app *app, const struct attempt *attempt)
{
    if (app->state < APP_STATE_FINAL_SAVING)
        rm_app_set_outcome(app, attempt);
}

static void settle(struct master *m, struct attempt *attempt)
{
    struct app *app = attempt->app;

    attempt->state = attempt->target;
    switch (attempt->target) {
    case ATTEMPT_FINISHING:
        set_app_outcome(app, attempt);
        rm_app_emit(m, app, APP_EVENT_ATTEMPT_UNREGISTERED);
        if (attempt->am_container == NULL || attempt->am_container->state == CONTAINER_COMPLETED) {
            rm_attempt_event(m, attempt, ATTEMPT_EVENT_ENDED);
        } else {
            attempt->am_seen_ms = m->now_ms;
            rm_deadline_set(m, &attempt->expiry, m->now_ms + m->config.am_expiry_ms);
        }
        break;
    case ATTEMPT_FINISHED:
        set_app_outcome(app, attempt);
        rm_app_emit(m, app, APP_EVENT_ATTEMPT_FINISHED);
        break;
    case ATTEMPT_FAILED:
        set_app_outcome(app, attempt);
        rm_app_emit(m, app, rm_retry_follows(m, app) ? APP_EVENT_ATTEMPT_RETRY : APP_EVENT_ATTEMPT_FAILED);
        break;
    default:
        assert(attempt->target == ATTEMPT_KILLED);
        rm_app_emit(m, app, APP_EVENT_ATTEMPT_KILLED);
        break;
    }
}

static void ask(struct master *m, struct attempt *attempt)
{
    struct resource resource = am_resource(m, attempt->app);

    if (attempt->app->job->unmanaged) {
        sched_app_set_master(m->sched, attempt->app->sched, &resource);
        sched_app_start(m->sched, attempt->app->sched, NULL, &m->decisions);
        rm_attempt_event(m, attempt, ATTEMPT_EVENT_ALLOCATED);
        return;
    }
    if (rm_retry_is_held(attempt->app)) {
        rm_app_emit(m, attempt->app, APP_EVENT_HOLD);
        return;
    }
    rm_retry_set_pause(m, attempt);
    attempt->blocked = rm_retry_waits(m, attempt->app);
    if (attempt->blocked) {
        if (attempt->asks_at_ms > m->now_ms)
            rm_deadline_set(m, &attempt->expiry, attempt->asks_at_ms);
        return;
    }
    rm_store_attempt(m, attempt);
    rm_failed_nodes_apply(m, attempt->app);
    sched_app_start(m->sched, attempt->app->sched, &resource, &m->decisions);
}

/* Has the first container started. The AM of an unmanaged application may register now. */
static void launch(struct master *m, struct attempt *attempt)
{
    if (attempt->app->job->unmanaged)
        rm_attempt_event(m, attempt, ATTEMPT_EVENT_LAUNCHED);
    else if (attempt->am_container->state == CONTAINER_ACQUIRED) /* else it is being stopped already */
        rm_container_order_start(m, attempt->am_container);
}

static void watch(struct master *m, struct attempt *attempt)
{
    attempt->am_seen_ms = m->now_ms;
    if (attempt->app->job->kind != CREEL__APP_KIND__APP_COMMAND)
        rm_deadline_set(m, &attempt->expiry, m->now_ms + m->config.am_expiry_ms);
}

static void perform(struct master *m, struct attempt *attempt, enum attempt_action action)
{
    switch (action) {
    case ATTEMPT_BUG:
    case ATTEMPT_NONE:
        return;
    case ATTEMPT_ASK:
        ask(m, attempt);
        break;
    case ATTEMPT_SAVE:
        save(m, attempt);
        break;
    case ATTEMPT_LAUNCH:
        launch(m, attempt);
        break;
    case ATTEMPT_WATCH:
        watch(m, attempt);
        break;
    case ATTEMPT_RUN:
        watch(m, attempt);
        attempt->registered = true;
        rm_store_attempt(m, attempt);
        rm_app_emit(m, attempt->app, APP_EVENT_ATTEMPT_RUNNING);
        break;
    case ATTEMPT_END_FINISHING:
        begin_end(m, attempt, ATTEMPT_FINISHING);
        break;
    case ATTEMPT_END_FINISHED:
        begin_end(m, attempt, ATTEMPT_FINISHED);
        break;
    case ATTEMPT_END_FAILED:
    case ATTEMPT_END_EXPIRED:
        begin_end(m, attempt, ATTEMPT_FAILED);
        break;
    case ATTEMPT_END_KILLED:
        end_killed(m, attempt);
        break;
    case ATTEMPT_SETTLE:
        settle(m, attempt);
        break;
    case ATTEMPT_DONE:
        done(m, attempt);
        break;
    }
    rm_app_touch(m, attempt->app);
}

void rm_attempt_event(struct master *m, struct attempt *attempt, enum attempt_event event)
{
    struct attempt_step step = rm_attempt_step(attempt->state, event, attempt->text);

    attempt->state = step.next;
    perform(m, attempt, step.action);
}

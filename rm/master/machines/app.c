/* SPDX-License-Identifier: Apache-2.0 */
/* app.c - the state machine of an application */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/base/job/kill_reason.h"
#include "rm/master/state/account.h"
#include "rm/master/state/app_logs.h"
#include "rm/master/state/am_state.h"
#include "rm/master/machines/app.h"
#include "rm/master/orders/app_usage.h"
#include "rm/master/jobs/array.h"
#include "rm/master/jobs/array_corr.h"
#include "rm/master/machines/attempt.h"
#include "rm/master/state/changes.h"
#include "rm/master/machines/container.h"
#include "rm/master/state/copy.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/event_log.h"
#include "rm/master/nodes/failed_nodes.h"
#include "rm/master/state/index.h"
#include "rm/master/state/job_rows.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/orders/limit_wait.h"
#include "rm/master/state/measure.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/state/rows.h"
#include "rm/master/state/time_limit.h"
#include "rm/master/orders/waiters.h"

/* --- objects --------------------------------------------------------------- */

struct app *rm_app_new(struct master *m, const struct app_id *id, const char *user, const Creel__JobSpec *job,
                       const char *submission_key)
{
    struct app *app = mem_new0(struct app);

    app->id = *id;
    app_id_format(id, app->text);
    app->user = mem_strdup(user);
    app->queue = mem_strdup(job->queue);
    app->job = (Creel__JobSpec *)rm_message_copy(&job->base);
    app->job_bytes = rm_job_bytes(job);
    app->priority = job->priority;
    rm_deadline_init(&app->lifetime, DEADLINE_LIFETIME, app);
    rm_deadline_init(&app->recheck, DEADLINE_ELIGIBLE, app);
    rm_deadline_init(&app->end, DEADLINE_APP, app);
    app->exit_status = CONTAINER_EXIT_NONE;
    app->shown = CREEL__APP_STATE__APP_NEW;
    m->apps_shown[app->shown]++;
    m->counters.apps_submitted++;
    app->version = (uint64_t)m->epoch << 32 | 1; /* differs from the versions that waiters know from
                                                    before a restart */
    TAILQ_INIT(&app->attempts);
    TAILQ_INIT(&app->completed);
    TAILQ_INIT(&app->waiters);
    TAILQ_INIT(&app->submitters);
    TAILQ_INIT(&app->children);
    TAILQ_INIT(&app->unstored_children);
    RB_INSERT(rm_app_tree, &m->apps, app);
    rm_account_enter(m, app);
    if (id->seq > m->last_app_seq)
        m->last_app_seq = id->seq;
    if (!rm_text_is_empty(submission_key)) {
        app->key = mem_printf("%s\n%s", user, submission_key);
        HASH_ADD_KEYPTR(by_key, m->keys, app->key, strlen(app->key), app);
    }
    return app;
}

static void free_containers(struct master *m, struct app *app)
{
    struct container *container, *next;
    struct container first = { .id = { .attempt = { .app = app->id } } };

    for (container = RB_NFIND(rm_container_tree, &m->containers, &first); container && container->app == app;
         container = next) {
        next = RB_NEXT(rm_container_tree, &m->containers, container);
        rm_container_free(m, container);
    }
}

static void free_submitters(struct app *app)
{
    struct submitter *submitter;

    while ((submitter = TAILQ_FIRST(&app->submitters)) != NULL) {
        TAILQ_REMOVE(&app->submitters, submitter, link);
        free(submitter);
    }
}

static void clear_deadlines(struct master *m, struct app *app)
{
    rm_deadline_clear(m, &app->lifetime);
    rm_deadline_clear(m, &app->recheck);
    rm_deadline_clear(m, &app->end);
}

void rm_app_free(struct master *m, struct app *app)
{
    struct app_node *on_node, *next;

    rm_rows_write(m, app);
    rm_turn_drop(m, app);
    rm_waiters_drop(m, app);
    free_containers(m, app);
    while (!TAILQ_EMPTY(&app->attempts))
        rm_attempt_free(m, TAILQ_FIRST(&app->attempts));
    while (!TAILQ_EMPTY(&app->waiters))
        rm_waiter_refuse(m, TAILQ_FIRST(&app->waiters));
    free_submitters(app);
    if (app->sched) {
        rm_forget_decisions(m, app->sched);
        sched_app_remove(m->sched, app->sched, &m->decisions);
    }
    rm_changes_app_gone(m, app);
    rm_measure_app_gone(m, app);
    if (app->changed)
        TAILQ_REMOVE(&m->changed, app, in_changed);
    if (app->listed_ended) {
        TAILQ_REMOVE(&m->ended, app, in_ended);
        m->ended_count--;
    }
    if (app->key)
        HASH_DELETE(by_key, m->keys, app);
    RB_REMOVE(rm_app_tree, &m->apps, app);
    m->apps_shown[app->shown]--;
    HASH_ITER(hh, app->nodes, on_node, next) {
        HASH_DEL(app->nodes, on_node);
        free(on_node->node_id);
        free(on_node);
    }
    rm_failed_nodes_free(app);
    rm_app_logs_free(app);
    rm_array_free(m, app);
    rm_job_name_leave(m, app);
    rm_account_leave(m, app);
    rm_depend_free(m, app);
    clear_deadlines(m, app);
    rm_holds_free(app);
    for (size_t i = 0; i < app->group_count; i++)
        free(app->groups[i]);
    free(app->groups);
    rm_job_changed(app);
    protobuf_c_message_free_unpacked(&app->job->base, NULL);
    free(app->user);
    free(app->queue);
    free(app->key);
    free(app->diagnostics);
    free(app->kill_reason);
    free(app->refusal);
    free(app->am_state);
    free(app);
}

/* --- end of an application --------------------------------------------------------------- */

static void notify_nodes(struct master *m, struct app *app)
{
    struct app_node *on_node, *next;

    HASH_ITER(hh, app->nodes, on_node, next) {
        struct node *node = rm_node_find(m, on_node->node_id);

        if (on_node->live == 0 && node && node->sched)
            rm_node_finish_app(m, node, app->text);
    }
}

/* --- kill ------------------------------------------------------------------ */

/* Repeats the stop orders of containers that are being stopped already. If the outcome of APP is decided,
 * stops the containers whose commands have ended. */
void rm_app_kill_at_once(struct master *m, struct app *app)
{
    struct container first = { .id = { .attempt = { .app = app->id } } };
    struct container *container = RB_NFIND(rm_container_tree, &m->containers, &first), *next;
    bool decided = rm_attempt_is_decided(m, app->attempt);

    app->kill_at_once = true;
    for (; container && container->app == app; container = next) {
        next = RB_NEXT(rm_container_tree, &m->containers, container);
        if (decided && container->command_ended)
            rm_container_stop(m, container, CONTAINER_EXIT_APP_OVER, "its command has ended");
        if (container->order == ORDER_STOP)
            rm_node_order(m, container, ORDER_STOP);
    }
}

void rm_app_kill(struct master *m, struct app *app, const char *why)
{
    if (app->kill_requested || rm_attempt_is_decided(m, app->attempt))
        return;
    app->kill_requested = true;
    rm_account_set_text(app, &app->kill_reason, why);
    rm_store_app(m, app);
    rm_app_event(m, app, APP_EVENT_KILL);
}

/* An agent stops a container some seconds after the limit, by its estimate of this clock. The limit counts
 * as reached up to LIMIT_EARLY_MS before its time, since that estimate may be wrong. */
#define LIMIT_EARLY_MS 1000

void rm_app_on_time_limit(struct master *m, struct app *app)
{
    char text[128];

    if (rm_app_is_ended(app) || rm_limit_waits(m, app))
        return;
    if (app->limit_ms > 0 && app->limit_ms == rm_time_limit_end_ms(app))
        snprintf(text, sizeof(text),
                 "killed by the resource manager: " KILL_REASON_TIME_LIMIT " %lld s is reached",
                 (long long)app->job->time_limit_s);
    else
        snprintf(text, sizeof(text),
                 "killed by the resource manager: " KILL_REASON_LIFETIME " %lld s is over",
                 (long long)((app->expires_ms - app->eligible_ms) / 1000));
    rm_app_kill(m, app, text);
}

/* Starts the time limit of an application at the allocation of its first container, if that is as long ago
 * as its limit: the agent has stopped a start that did not end. */
static void start_limit_of_hung_start(struct master *m, struct app *app, const struct container *first)
{
    int64_t limit_ms = app->job->time_limit_s * 1000;

    if (app->limit_ms == 0 && limit_ms > 0 && first->allocated_ms > 0 &&
        m->now_ms + LIMIT_EARLY_MS >= first->allocated_ms + limit_ms)
        app->limit_ms = first->allocated_ms + limit_ms;
}

static void kill_if_limit_reached(struct master *m, struct app *app)
{
    int64_t end_ms = rm_time_limit_end_ms(app);

    if (end_ms > 0 && m->now_ms + LIMIT_EARLY_MS >= end_ms)
        rm_app_on_time_limit(m, app);
}

void rm_app_on_am_ended(struct master *m, struct attempt *attempt)
{
    int32_t status = attempt->am_container->exit_status;
    bool lost = status == CONTAINER_EXIT_ABORTED && attempt->app->limit_wait_ms > 0;

    if ((status == CONTAINER_EXIT_BY_RM || lost) && attempt == attempt->app->attempt) {
        start_limit_of_hung_start(m, attempt->app, attempt->am_container);
        kill_if_limit_reached(m, attempt->app);
    }
    rm_attempt_am_ended(m, attempt);
}

void rm_app_on_deadline(struct master *m, struct app *app)
{
    if (rm_app_is_ended(app))
        return;
    if (app->job->deadline_ms > rm_job_wall_ms(m)) /* the wall clock was set back */
        rm_job_set_deadline(m, app);
    else
        rm_app_kill(m, app, "killed by the resource manager: " KILL_REASON_DEADLINE);
}

void rm_app_list_ended(struct master *m, struct app *app)
{
    if (app->listed_ended)
        return;
    app->listed_ended = true;
    if (app->attempt && text_equal(app->attempt->diagnostics, app->diagnostics))
        rm_account_set_text(app, &app->attempt->diagnostics, NULL);
    rm_account_end(m, app);
    rm_job_name_leave(m, app);
    rm_depend_clear(app);
    clear_deadlines(m, app);
    TAILQ_INSERT_TAIL(&m->ended, app, in_ended);
    m->ended_count++;
    if (app->shown == CREEL__APP_STATE__APP_FINISHED)
        m->total_finished++;
    else if (app->shown == CREEL__APP_STATE__APP_FAILED)
        m->total_failed++;
    else
        m->total_killed++;
}

/* The results of tasks are kept, so that those that did not succeed can run again (query_rerun.c). */
static bool has_tasks_to_repeat(const struct app *app)
{
    return app->job->kind == CREEL__APP_KIND__APP_TASKS &&
           app->final_status != CREEL__FINAL_STATUS__FINAL_SUCCEEDED;
}

/* The state that clients see at the end. A job of tasks that failed is FAILED, although its master has
 * reported the result; another application whose master reports a failure is FINISHED, as in YARN. */
static Creel__AppState state_shown_at_end(const struct app *app, enum app_state target)
{
    bool tasks_failed = app->job->kind == CREEL__APP_KIND__APP_TASKS &&
                        app->final_status == CREEL__FINAL_STATUS__FINAL_FAILED;

    if (target == APP_STATE_KILLED)
        return CREEL__APP_STATE__APP_KILLED;
    return target == APP_STATE_FAILED || tasks_failed ? CREEL__APP_STATE__APP_FAILED
                                                      : CREEL__APP_STATE__APP_FINISHED;
}

static void begin_end(struct master *m, struct app *app, enum app_state target)
{
    app->target = target;
    app->shown_target = state_shown_at_end(app, target);
    app->finished_ms = m->now_ms;
    if (!has_tasks_to_repeat(app))
        (void)rm_am_state_drop(app);
    app->tasks[1] = 0; /* the running tasks are being stopped */
    if (app->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED)
        app->progress = 1;
    rm_app_charge_usage(m, app, &(struct resource){ .value = { 0 } }, 1);
    rm_container_stop_all(m, app, target == APP_STATE_FINISHING, CONTAINER_EXIT_APP_OVER,
                          "its application is over");
    app->saving_seq = rm_store_app(m, app);
    rm_saving_add(m, app->saving_seq, SAVING_APP)->id = (struct attempt_id){ .app = app->id };
}

static void end_killed(struct master *m, struct app *app)
{
    app->final_status = CREEL__FINAL_STATUS__FINAL_KILLED;
    app->exit_status = CONTAINER_EXIT_BY_RM;
    rm_account_set_text(app, &app->diagnostics, app->kill_reason);
    begin_end(m, app, APP_STATE_KILLED);
}

static void settle_end(struct master *m, struct app *app)
{
    app->state = app->target;
    rm_app_show(m, app, app->shown_target);
    rm_submitters_answer(m, app, NULL);
    if (!app->listed_ended) {
        rm_measure_app_ended(m, app);
        rm_event_app_ended(m, app);
    }
    rm_app_list_ended(m, app);
    rm_corr_on_end(m, app);
    rm_depend_on_end(m, app);
    rm_array_on_task_end(m, app);
    rm_corr_on_task_end(m, app);
    if (rm_app_is_over(app)) {
        notify_nodes(m, app);
        rm_app_settle(m, app);
    } else if (rm_attempt_is_over(app->attempt)) { /* its AM exited before the row was on disk */
        rm_app_event(m, app, APP_EVENT_ATTEMPT_FINISHED);
    }
}

static void end_as_decided(struct master *m, struct app *app)
{
    bool failed = app->final_status != CREEL__FINAL_STATUS__FINAL_SUCCEEDED;

    begin_end(m, app, failed ? APP_STATE_FAILED : APP_STATE_FINISHED);
}

/* --- steps ----------------------------------------------------------------- */

static void accept(struct master *m, struct app *app)
{
    rm_submitters_answer(m, app, NULL);
    rm_app_show(m, app, CREEL__APP_STATE__APP_SUBMITTED);
    rm_event_app_submitted(m, app);
    rm_app_event(m, app, app->sched ? APP_EVENT_ACCEPTED : APP_EVENT_WAIT);
}

/* Takes APP out of its queue. APP has no container, and none was allocated. */
static void withdraw(struct master *m, struct app *app)
{
    rm_attempt_free(m, app->attempt);
    app->attempt = TAILQ_LAST(&app->attempts, attempt_list);
    rm_account_drop_asks(app);
    rm_forget_decisions(m, app->sched);
    sched_app_remove(m->sched, app->sched, &m->decisions);
    app->sched = NULL;
    rm_event_queue_left(m, app->queue);
    app->eligible_ms = 0;
    rm_time_limit_set_expiry(m, app, 0);
    rm_app_show(m, app, CREEL__APP_STATE__APP_SUBMITTED);
    rm_store_app(m, app);
}

static void next_attempt(struct master *m, struct app *app)
{
    uint32_t number = app->attempt ? app->attempt->id.attempt + 1 : 1;
    struct attempt *attempt = rm_attempt_new(m, app, number);

    if (number > 1)
        rm_event_app_retried(m, app);
    rm_account_drop_asks(app); /* the requests of the attempt before are void */
    rm_time_limit_reset(m, app);
    app->attempt_started_ms = 0;
    rm_app_show(m, app, CREEL__APP_STATE__APP_ACCEPTED);
    app->progress = 0;
    app->final_status = CREEL__FINAL_STATUS__FINAL_UNDEFINED;
    app->exit_status = CONTAINER_EXIT_NONE;
    rm_account_set_text(app, &app->diagnostics, NULL);
    rm_attempt_event(m, attempt, ATTEMPT_EVENT_START);
}

static void run(struct master *m, struct app *app)
{
    bool first = app->started_ms == 0;

    rm_app_show(m, app, CREEL__APP_STATE__APP_RUNNING);
    if (app->attempt_started_ms == 0)
        app->attempt_started_ms = m->now_ms;
    if (first) {
        app->started_ms = m->now_ms;
        rm_measure_app_started(m, app);
    }
    rm_store_app(m, app);
    if (first)
        rm_event_app_started(m, app);
    rm_depend_on_start(m, app);
    rm_array_on_task_start(m, app);
}

static void kill_tasks(struct master *m, struct app *app)
{
    struct app *task, *next;

    TAILQ_FOREACH_SAFE(task, &app->array->tasks, in_array, next)
        if (!rm_app_is_ended(task))
            rm_app_kill(m, task, app->kill_reason);
    end_killed(m, app);
}

static void perform(struct master *m, struct app *app, enum app_action action)
{
    switch (action) {
    case APP_BUG:
    case APP_NONE:
        return;
    case APP_SAVE:
        rm_app_show(m, app, CREEL__APP_STATE__APP_NEW_SAVING);
        app->saving_seq = rm_store_app(m, app);
        rm_saving_add(m, app->saving_seq, SAVING_APP)->id = (struct attempt_id){ .app = app->id };
        break;
    case APP_ACCEPT:
        accept(m, app);
        break;
    case APP_WAIT:
        if (app->dependency_count > 0) /* dependencies may have changed since its first row was written */
            rm_store_app(m, app);
        rm_job_check_at(m, app, m->now_ms);
        break;
    case APP_EXPAND:
        rm_app_show(m, app,
                    app->started_ms > 0 ? CREEL__APP_STATE__APP_RUNNING : CREEL__APP_STATE__APP_ACCEPTED);
        rm_job_check_at(m, app, m->now_ms);
        break;
    case APP_KILL_TASKS:
        kill_tasks(m, app);
        break;
    case APP_WITHDRAW:
        withdraw(m, app);
        break;
    case APP_ATTEMPT:
        next_attempt(m, app);
        break;
    case APP_RUN:
        run(m, app);
        break;
    case APP_KILL_ATTEMPT:
        rm_attempt_event(m, app->attempt, ATTEMPT_EVENT_KILL);
        break;
    case APP_END:
        end_as_decided(m, app);
        break;
    case APP_END_FINISHING:
        begin_end(m, app, APP_STATE_FINISHING);
        break;
    case APP_END_KILLED:
        end_killed(m, app);
        break;
    case APP_SETTLE:
        settle_end(m, app);
        break;
    case APP_OVER:
        rm_container_stop_all(m, app, false, CONTAINER_EXIT_APP_OVER, "its application is over");
        notify_nodes(m, app);
        rm_app_settle(m, app);
        break;
    }
    rm_app_touch(m, app);
}

void rm_app_event(struct master *m, struct app *app, enum app_event event)
{
    struct app_step step = rm_app_step(app->state, event, app->text);

    app->state = step.next;
    perform(m, app, step.action);
}

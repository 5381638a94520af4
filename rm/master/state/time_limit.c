/* SPDX-License-Identifier: Apache-2.0 */
/* time_limit.c - the moment at which an application is killed: by its lifetime, or by its time limit */
#include "rm/master/state/job_rows.h"
#include "rm/master/state/time_limit.h"

#include "rm/master/state/deadline.h"

int64_t rm_time_limit_end_ms(const struct app *app)
{
    if (app->expires_ms == 0 || app->limit_ms == 0)
        return app->expires_ms + app->limit_ms;
    return app->expires_ms < app->limit_ms ? app->expires_ms : app->limit_ms;
}

int64_t rm_time_limit_known_ms(const struct app *app)
{
    int64_t end_ms = rm_time_limit_end_ms(app), at_ms = app->job->deadline_ms;

    if (app->limit_wait_ms > 0)
        end_ms = app->limit_wait_ms;
    return end_ms == 0 || (at_ms > 0 && at_ms < end_ms) ? at_ms : end_ms;
}

static void set_timer(struct master *m, struct app *app)
{
    int64_t end_ms = rm_time_limit_end_ms(app);

    app->limit_wait_ms = 0;
    if (end_ms > 0)
        rm_deadline_set(m, &app->lifetime, end_ms);
    else
        rm_deadline_clear(m, &app->lifetime);
}

void rm_time_limit_set_expiry(struct master *m, struct app *app, int64_t expires_ms)
{
    app->expires_ms = expires_ms;
    set_timer(m, app);
}

void rm_time_limit_move(struct master *m, struct app *app, int64_t end_ms)
{
    int64_t more_s;

    rm_job_changed(app);
    if (end_ms == 0) {
        app->job->time_limit_s = app->limit_ms = 0;
        rm_time_limit_set_expiry(m, app, 0);
        return;
    }
    if (app->limit_ms > 0) {
        /* A further attempt has the new limit, too. */
        more_s = (end_ms - app->limit_ms) / 1000;
        app->job->time_limit_s = app->job->time_limit_s + more_s > 1 ? app->job->time_limit_s + more_s : 1;
        app->limit_ms = end_ms;
    }
    if (app->limit_ms == 0 || app->expires_ms > 0)
        app->expires_ms = end_ms;
    set_timer(m, app);
}

void rm_time_limit_set(struct master *m, struct app *app, int64_t limit_s)
{
    int64_t start_ms =
        app->limit_ms > 0 ? app->limit_ms - app->job->time_limit_s * 1000 : app->attempt_started_ms;

    rm_job_changed(app);
    app->job->time_limit_s = limit_s;
    app->limit_ms = limit_s > 0 && start_ms > 0 ? start_ms + limit_s * 1000 : 0;
    if (limit_s == 0)
        app->expires_ms = app->job->lifetime_s = 0;
    else if (app->expires_ms > 0 && app->expires_ms < app->limit_ms)
        app->expires_ms = app->limit_ms;
    set_timer(m, app);
}

bool rm_time_limit_start(struct master *m, struct app *app)
{
    if (app->job->time_limit_s <= 0 || app->limit_ms > 0)
        return false;
    app->limit_ms = m->now_ms + app->job->time_limit_s * 1000;
    set_timer(m, app);
    return true;
}

void rm_time_limit_reset(struct master *m, struct app *app)
{
    app->limit_ms = 0;
    set_timer(m, app);
}

bool rm_time_limit_shift(struct app *app, int64_t set_ms)
{
    if (app->expires_ms == 0 && app->limit_ms == 0 && app->attempt_started_ms == 0)
        return false;
    app->attempt_started_ms += app->attempt_started_ms > 0 ? set_ms : 0;
    app->expires_ms += app->expires_ms > 0 ? set_ms : 0;
    app->limit_ms += app->limit_ms > 0 ? set_ms : 0;
    return true;
}

void rm_time_limit_recover(struct master *m, struct app *app)
{
    set_timer(m, app);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* change_waiting.c - changes of an application that waits outside its queue */
#include "rm/master/services/change_waiting.h"

#include <errno.h>

#include "rm/master/services/job.h"
#include "rm/master/services/queues.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/job_rows.h"

/* Checks whether the queue would accept APP, except for its present number of applications. */
static int judge(struct master *m, const struct app *app, struct err *err)
{
    struct resource largest = rm_job_largest(m, app->job);
    int r = rm_queues_test(m, app->user, app->job, &largest, err);

    return r == -EDQUOT ? 0 : r;
}

/* Sets the queue of JOB, an unpacked message, to QUEUE. Returns the previous text; the caller frees it with
 * queue_free or sets it again. */
static char *queue_swap(Creel__JobSpec *job, char *queue)
{
    char *old = job->queue;

    job->queue = queue;
    return old;
}

static void queue_free(char *queue)
{
    if (queue != (char *)(uintptr_t)protobuf_c_empty_string) /* the generated code's constant for "" */
        free(queue);
}

void rm_waiting_store_queue(struct app *app)
{
    queue_free(queue_swap(app->job, mem_strdup(app->queue)));
    rm_job_changed(app);
}

int rm_waiting_place(struct master *m, struct app *app, const char *queue, const int32_t *priority,
                     struct err *err)
{
    char *old_queue = queue ? queue_swap(app->job, mem_strdup(queue)) : NULL;
    int32_t old_priority = app->job->priority;
    int r;

    if (priority)
        app->job->priority = *priority;
    r = judge(m, app, err);
    if (r < 0) {
        app->job->priority = old_priority;
        if (queue)
            queue_free(queue_swap(app->job, old_queue));
        return r;
    }
    rm_job_changed(app);
    if (priority)
        app->priority = *priority;
    if (queue) {
        queue_free(old_queue);
        rm_text_set(&app->queue, rm_queues_place(m, app->user, app->job));
    }
    return 0;
}

void rm_waiting_set_lifetime(struct master *m, struct app *app, int64_t expires_ms)
{
    int64_t distance_ms = expires_ms - m->now_ms;

    if (expires_ms == 0)
        app->job->time_limit_s = 0;
    app->job->lifetime_s = expires_ms == 0 ? 0 : (distance_ms + 999) / 1000;
    rm_job_changed(app);
}

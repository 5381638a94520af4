/* SPDX-License-Identifier: Apache-2.0 */
/* notifier.c - runs the notify command for the events of jobs */
#include "rm/net/notifier.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/log.h"
#include "rm/net/notify_jobs.h"
#include "rm/net/notify_queue.h"
#include "rm/net/notify_settings.h"
#include "rm/net/worker.h"

#define LINE_INTERVAL_MS 60000

/* A log line that is written at the first event, and then at most once a minute. */
struct rare_line {
    struct notifier *notifier;
    void (*write)(const struct rare_line *line);
    uint64_t count;     /* events since the line was last written */
    char *first_id;     /* application of the first of these events; owned */
    char *first_reason; /* owned; NULL: none */
    int timer;          /* 0: the line may be written at once */
};

struct run {
    struct worker_job job; /* first member */
    struct notifier *notifier;
    size_t thread;
    struct notify_event *event; /* owned by the queue */
    int result;
    struct err err;
};

struct notifier {
    struct loop *loop;
    struct notify_settings settings;
    struct notify_jobs *jobs;
    struct notify_queue *queue;
    struct worker *workers[NOTIFY_AT_ONCE]; /* each has one job at most */
    bool busy[NOTIFY_AT_ONCE];
    bool closing;
    size_t killed; /* commands that were killed because this process ends */
    struct rare_line failed, dropped;
};

/* --- log lines ---------------------------------------------------------------- */

static void write_failed(const struct rare_line *line)
{
    const char *program = line->notifier->settings.command.argv[0];

    if (line->count == 1)
        log_line(LOG_LEVEL_WARN, "%s: the notify command %s failed: %s", line->first_id, program,
                 line->first_reason);
    else
        log_line(LOG_LEVEL_WARN, "%s: the notify command %s failed: %s (and for %llu more events)",
                 line->first_id, program, line->first_reason, (unsigned long long)(line->count - 1));
}

static void write_dropped(const struct rare_line *line)
{
    log_line(
        LOG_LEVEL_WARN,
        "the notify command does not run for %llu job event%s (first: %s), since %zu wait for it already",
        (unsigned long long)line->count, line->count == 1 ? "" : "s", line->first_id,
        notify_queue_waiting(line->notifier->queue));
}

static void rare_line_reset(struct rare_line *line)
{
    free(line->first_id);
    free(line->first_reason);
    line->first_id = line->first_reason = NULL;
    line->count = 0;
}

static void line_due(void *context);

static void write_line(struct rare_line *line)
{
    line->write(line);
    rare_line_reset(line);
    line->timer = loop_add_timer(line->notifier->loop, LINE_INTERVAL_MS, line_due, line);
}

static void line_due(void *context)
{
    struct rare_line *line = context;

    line->timer = 0;
    if (line->count > 0)
        write_line(line);
}

static void count_line(struct rare_line *line, const char *id, const char *reason)
{
    if (line->count++ == 0) {
        line->first_id = mem_strdup(id);
        line->first_reason = reason != NULL ? mem_strdup(reason) : NULL;
    }
    if (line->timer == 0)
        write_line(line);
}

static void rare_line_done(struct rare_line *line)
{
    if (line->count > 0)
        line->write(line);
    rare_line_reset(line);
    loop_cancel_timer(line->notifier->loop, line->timer);
}

/* --- in a thread -------------------------------------------------------------- */

static void run_command(struct worker_job *job)
{
    struct run *run = (struct run *)job;

    run->result =
        notify_command_run(&run->notifier->settings.command, run->event->text, run->event->length, &run->err);
}

/* --- in the loop -------------------------------------------------------------- */

static void start_next(struct notifier *notifier);

static void run_done(struct worker_job *job)
{
    struct run *run = (struct run *)job;
    struct notifier *notifier = run->notifier;

    notifier->busy[run->thread] = false;
    if (run->result == -ECANCELED)
        notifier->killed++;
    else if (run->result < 0)
        count_line(&notifier->failed, run->event->app_id, run->err.text);
    else
        log_line(LOG_LEVEL_DEBUG, "%s: notified of its %s", run->event->app_id, run->event->name);
    notify_queue_done(notifier->queue, run->event);
    free(run);
    if (!notifier->closing)
        start_next(notifier);
}

static void start_next(struct notifier *notifier)
{
    for (size_t i = 0; i < NOTIFY_AT_ONCE; i++) {
        struct notify_event *event = notifier->busy[i] ? NULL : notify_queue_pop(notifier->queue);
        struct run *run;

        if (event == NULL)
            continue;
        run = mem_new0(struct run);
        run->job.run = run_command;
        run->job.done = run_done;
        run->notifier = notifier;
        run->thread = i;
        run->event = event;
        notifier->busy[i] = true;
        worker_add(notifier->workers[i], &run->job);
    }
}

void notifier_recovered(struct notifier *notifier, const Creel__StoredApp *row)
{
    if (notifier != NULL)
        notify_jobs_recovered(notifier->jobs, row);
}

void notifier_written(struct notifier *notifier, const Creel__StoredApp *row)
{
    const char *event = notifier != NULL ? notify_jobs_written(notifier->jobs, row) : NULL;
    scoped_free char *text = NULL;
    size_t length;

    if (event == NULL)
        return;
    text = notify_jobs_json(event, row, &length);
    if (notify_queue_add(notifier->queue, row->app_id, event, text, length))
        start_next(notifier);
    else
        count_line(&notifier->dropped, row->app_id, NULL);
}

/* --- start and end ------------------------------------------------------------ */

static int start(struct notifier *notifier, struct err *err)
{
    int r = 0;

    notifier->settings.command.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (notifier->settings.command.stop_fd < 0)
        return err_set_errno(err, errno, "cannot make an eventfd");
    for (size_t i = 0; r == 0 && i < NOTIFY_AT_ONCE; i++)
        r = worker_new(notifier->loop, &notifier->workers[i], err);
    return r;
}

int notifier_new(struct loop *loop, const struct conf *conf, struct notifier **ret, struct err *err)
{
    struct notify_settings settings;
    struct notifier *notifier;
    int r = notify_settings_read(conf, &settings, err);

    *ret = NULL;
    if (r < 0 || settings.command.argv == NULL) {
        notify_settings_done(&settings);
        return r;
    }
    notifier = mem_new0(struct notifier);
    notifier->loop = loop;
    notifier->settings = settings;
    notifier->jobs = notify_jobs_new();
    notifier->queue = notify_queue_new();
    notifier->failed = (struct rare_line){ .notifier = notifier, .write = write_failed };
    notifier->dropped = (struct rare_line){ .notifier = notifier, .write = write_dropped };
    r = start(notifier, err);
    if (r < 0) {
        notifier_free(notifier);
        return r;
    }
    log_line(LOG_LEVEL_INFO, "events of jobs are passed to %s, which runs as user %s",
             settings.command.argv[0], settings.user);
    *ret = notifier;
    return 0;
}

void notifier_free(struct notifier *notifier)
{
    size_t lost;

    if (notifier == NULL)
        return;
    notifier->closing = true;
    if (notifier->settings.command.stop_fd >= 0)
        (void)eventfd_write(notifier->settings.command.stop_fd, 1);
    for (size_t i = 0; i < NOTIFY_AT_ONCE; i++)
        worker_free(notifier->workers[i]);
    rare_line_done(&notifier->failed);
    rare_line_done(&notifier->dropped);
    lost = notify_queue_waiting(notifier->queue) + notifier->killed;
    if (lost > 0)
        log_line(LOG_LEVEL_WARN, "%zu job event%s not passed to the notify command before the stop", lost,
                 lost == 1 ? " was" : "s were");
    mem_close_fd(&notifier->settings.command.stop_fd);
    notify_queue_free(notifier->queue);
    notify_jobs_free(notifier->jobs);
    notify_settings_done(&notifier->settings);
    free(notifier);
}

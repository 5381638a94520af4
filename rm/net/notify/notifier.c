/* SPDX-License-Identifier: Apache-2.0 */
/* notifier.c - runs the notify command for the events of jobs */
#include "rm/net/notify/notifier.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/loop/log.h"
#include "rm/net/notify/notify_jobs.h"
#include "rm/net/notify/notify_queue.h"
#include "rm/net/notify/notify_settings.h"
#include "rm/net/parts/worker.h"

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
    struct notify_queue *queue;
    struct worker *workers[NOTIFY_AT_ONCE]; /* each has one job at most */
    bool busy[NOTIFY_AT_ONCE];
    int64_t begun_ms[NOTIFY_AT_ONCE]; /* steady clock: begin of the command that runs */
    struct err problem;               /* of the last command; its code is 0: it succeeded */
    int64_t failing_ms, dropped_ms;   /* see notifier_state */
    uint64_t dropped_count;
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

static size_t count_variables(char *const *variables)
{
    size_t count = 0;

    while (variables[count] != NULL)
        count++;
    return count;
}

static void run_command(struct worker_job *job)
{
    struct run *run = (struct run *)job;
    struct notify_command command = run->notifier->settings.command;
    char *const *usual = command.environment, *const *own = run->event->variables;
    size_t usual_count = count_variables(usual), own_count = count_variables(own);
    scoped_free char **environment = mem_array0(usual_count + own_count + 1, sizeof(*environment));

    memcpy(environment, usual, usual_count * sizeof(*environment));
    memcpy(environment + usual_count, own, own_count * sizeof(*environment));
    command.environment = environment;
    run->result = notify_command_run(&command, run->event->text, run->event->length, &run->err);
}

/* --- in the loop -------------------------------------------------------------- */

static void start_next(struct notifier *notifier);

static void note_result(struct notifier *notifier, const struct run *run)
{
    if (run->result < 0) {
        notifier->problem = run->err;
        if (notifier->failing_ms == 0)
            notifier->failing_ms = loop_now_ms();
        count_line(&notifier->failed, run->event->app_id, run->err.text);
    } else {
        notifier->problem = (struct err){ 0 };
        notifier->failing_ms = 0;
        log_line(LOG_LEVEL_DEBUG, "%s: notified of its %s", run->event->app_id, run->event->name);
    }
}

static void run_done(struct worker_job *job)
{
    struct run *run = (struct run *)job;
    struct notifier *notifier = run->notifier;

    notifier->busy[run->thread] = false;
    if (run->result == -ECANCELED)
        notifier->killed++;
    else
        note_result(notifier, run);
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
        notifier->begun_ms[i] = loop_monotonic_ms();
        worker_add(notifier->workers[i], &run->job);
    }
}

static void add(struct notifier *notifier, const char *event, const Creel__StoredApp *row)
{
    scoped_free char *text = NULL;
    size_t length;

    text = notify_jobs_json(event, row, &length);
    if (notify_queue_add(notifier->queue, row->app_id, event, text, length,
                         notify_jobs_variables(event, row))) {
        start_next(notifier);
        return;
    }
    notifier->dropped_count++;
    notifier->dropped_ms = loop_now_ms();
    count_line(&notifier->dropped, row->app_id, NULL);
}

void notifier_add(struct notifier *notifier, const Creel__Event *happened, const ProtobufCBinaryData *packed)
{
    Creel__StoredApp *row =
        notifier != NULL ? creel__stored_app__unpack(NULL, packed->len, packed->data) : NULL;

    if (row != NULL)
        add(notifier, notify_jobs_name(happened, row), row);
    creel__stored_app__free_unpacked(row, NULL);
}

/* Returns how long the oldest command runs, if every thread has one. */
static int64_t running_for_ms(const struct notifier *notifier)
{
    int64_t now_ms = loop_monotonic_ms(), longest_ms = 0;

    for (size_t i = 0; i < NOTIFY_AT_ONCE; i++) {
        if (!notifier->busy[i])
            return 0;
        if (now_ms - notifier->begun_ms[i] > longest_ms)
            longest_ms = now_ms - notifier->begun_ms[i];
    }
    return longest_ms;
}

struct notifier_state notifier_state(const struct notifier *notifier)
{
    if (notifier == NULL)
        return (struct notifier_state){ .command = NULL };
    return (struct notifier_state){
        .command = notifier->settings.command.argv[0],
        .problem = notifier->problem.code != 0 ? notifier->problem.text : NULL,
        .failing_ms = notifier->failing_ms,
        .dropped = notifier->dropped_count,
        .dropped_ms = notifier->dropped_ms,
        .waiting = notify_queue_waiting(notifier->queue),
        .running_for_ms = running_for_ms(notifier),
    };
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
    notifier->queue = notify_queue_new();
    notifier->failed = (struct rare_line){ .notifier = notifier, .write = write_failed };
    notifier->dropped = (struct rare_line){ .notifier = notifier, .write = write_dropped };
    r = start(notifier, err);
    if (r < 0) {
        (void)notifier_free(notifier);
        return r;
    }
    log_line(LOG_LEVEL_INFO, "events of jobs are passed to %s, which runs as user %s",
             settings.command.argv[0], settings.user);
    *ret = notifier;
    return 0;
}

/* Returns false if a thread does not end. */
static bool stop_workers(struct notifier *notifier)
{
    int64_t end_ms = loop_monotonic_ms() + NOTIFIER_STOP_MS;
    bool ended = true;

    for (size_t i = 0; i < NOTIFY_AT_ONCE; i++) {
        int64_t left_ms = end_ms - loop_monotonic_ms();

        if (notifier->workers[i] != NULL)
            ended = worker_free(notifier->workers[i], left_ms > 0 ? left_ms : 0) && ended;
    }
    return ended;
}

bool notifier_free(struct notifier *notifier)
{
    size_t lost;

    if (notifier == NULL)
        return true;
    notifier->closing = true;
    if (notifier->settings.command.stop_fd >= 0)
        (void)eventfd_write(notifier->settings.command.stop_fd, 1);
    if (!stop_workers(notifier)) {
        log_line(LOG_LEVEL_WARN, "a notify command that does not end is abandoned");
        return false;
    }
    rare_line_done(&notifier->failed);
    rare_line_done(&notifier->dropped);
    lost = notify_queue_waiting(notifier->queue) + notifier->killed;
    if (lost > 0)
        log_line(LOG_LEVEL_WARN, "%zu job event%s not passed to the notify command before the stop", lost,
                 lost == 1 ? " was" : "s were");
    mem_close_fd(&notifier->settings.command.stop_fd);
    notify_queue_free(notifier->queue);
    notify_settings_done(&notifier->settings);
    free(notifier);
    return true;
}

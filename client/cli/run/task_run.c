/* SPDX-License-Identifier: Apache-2.0 */
/* task_run.c - runs the built-in application master as a process */
#include "client/cli/run/task_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/am/task_master.h"
#include "client/cli/logs/follow_display.h"
#include "client/cli/logs/log_follow.h"
#include "client/cli/logs/task_label.h"
#include "common/base/job/exit_status.h"
#include "common/base/mem.h"
#include "common/base/text.h"

#define RM_SILENT_MS 15000 /* without a reply of the RM; then the master prints a warning */
#define TURN_MAX_MS 5000

struct run {
    const struct am_environment *environment;
    const struct task_run_options *options;
    uint32_t task_count;
    struct loop *loop;
    struct am_shell *shell;
    struct task_master *master;
    struct task_effects effects;
    struct log_follow *logs;
    struct follow_display display;
    int timer;
    bool done, interrupted, silence_reported;
    int exit_status;
    int64_t last_reply_ms; /* time of the RM's last reply */
    int result;
    struct err *err;
};

static void print_line(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print_line(struct run *run, const char *format, ...)
{
    char text[1024];
    va_list args;

    if (run->options->quiet)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    follow_display_print(&run->display, text);
}

static void stop(struct run *run, int result)
{
    if (result < 0 && run->result == 0)
        run->result = result;
    loop_stop(run->loop);
}

/* --- output ----------------------------------------------------------------- */

static void read_log(void *context, const char *address, const char *agent_key, Creel__Envelope *envelope)
{
    struct run *run = context;

    (void)am_shell_send_agent(run->shell, address, agent_key, envelope, NULL);
}

static void write_data(void *context, bool is_stderr, const char *data, size_t size)
{
    struct run *run = context;

    follow_display_write(&run->display, is_stderr, data, size);
}

static void print_trouble(void *context, const char *text)
{
    print_line(context, "%s", text);
}

static void read_task(struct run *run, const struct task_event *event)
{
    char label[TASK_LABEL_MAX];
    struct log_source source = {
        .container_id = event->container_id,
        .node_id = event->node_id,
        .address = event->node_address,
        .agent_key = event->agent_key,
        .token = event->token,
        .label = run->options->labels ? task_label(event->task, run->task_count, label) : "",
    };

    if (!run->options->copy_output || !event->container_id[0])
        return;
    if (!event->token.len || !event->node_address[0])
        print_line(run, "task %u: its output stays on %s", event->task, event->node_id);
    else
        log_follow_add(run->logs, loop_monotonic_ms(), &source);
}

/* A container that was released or lost before its start has no output. */
static void task_container_ended(struct run *run, const struct task_event *event)
{
    if (event->yarn_status != CONTAINER_EXIT_ABORTED)
        read_task(run, event);
    log_follow_ended(run->logs, loop_monotonic_ms(), event->container_id,
                     event->yarn_status == CONTAINER_EXIT_ABORTED);
}

/* --- messages on stderr ----------------------------------------------------- */

static void print_end(struct run *run, const struct task_event *event)
{
    if (!run->options->each_end && event->exit_status == 0)
        return;
    print_line(run, "task %u ended with %d%s%s%s%s", event->task, event->exit_status,
               event->node_id[0] ? " on " : "", event->node_id, event->diagnostics[0] ? ": " : "",
               event->diagnostics);
}

static void handle_event(struct run *run, const struct task_event *event)
{
    switch (event->kind) {
    case TASK_EVENT_REGISTERED:
        if (run->options->each_end)
            print_line(run, "%s: registered, %u tasks", run->environment->app_id, run->task_count);
        break;
    case TASK_EVENT_RESTORED:
        if (event->diagnostics[0])
            print_line(run, "all tasks run again: the results of the attempt before cannot be read: %s",
                       event->diagnostics);
        else
            print_line(run, "%u of %u tasks ended in an attempt before this one and are not run again",
                       event->task, run->task_count);
        break;
    case TASK_EVENT_RESYNC:
        print_line(run, "registering again with the resource manager");
        break;
    case TASK_EVENT_STARTED:
    case TASK_EVENT_RENEWED:
        read_task(run, event);
        break;
    case TASK_EVENT_REFUSED:
        print_line(run, "task %u: %s refused to start it: %s", event->task, event->node_id,
                   event->diagnostics);
        break;
    case TASK_EVENT_AVOIDED:
        print_line(run, "tasks avoid %s: %s", event->node_id, event->diagnostics);
        break;
    case TASK_EVENT_RETRY:
        task_container_ended(run, event);
        print_line(run, "task %u will be tried again: its container on %s ended with %d%s%s", event->task,
                   event->node_id, event->yarn_status, event->diagnostics[0] ? ": " : "", event->diagnostics);
        break;
    case TASK_EVENT_ENDED:
        task_container_ended(run, event);
        print_end(run, event);
        break;
    }
}

/* --- effects of the core ---------------------------------------------------- */

static void carry_out(struct run *run)
{
    int r = 0;

    for (size_t i = 0; i < run->effects.count && r == 0; i++) {
        struct task_effect *effect = &run->effects.items[i];

        switch (effect->kind) {
        case TASK_SEND_RM:
            r = am_shell_send_rm(run->shell, effect->envelope, run->err);
            break;
        case TASK_SEND_AGENT:
            /* An invalid address is no error: repeated until the RM takes the container back. */
            (void)am_shell_send_agent(run->shell, effect->address, effect->agent_key, effect->envelope, NULL);
            break;
        case TASK_EVENT:
            handle_event(run, &effect->event);
            break;
        case TASK_DONE:
            run->done = true;
            run->exit_status = effect->exit_status;
            if (effect->diagnostics[0])
                print_line(run, "%s", effect->diagnostics);
            break;
        }
    }
    task_effects_reset(&run->effects);
    if (r < 0)
        stop(run, r);
}

static void on_timer(void *context);

static void watch_silence(struct run *run, int64_t now_ms)
{
    struct err why;

    if (now_ms - run->last_reply_ms < RM_SILENT_MS || run->silence_reported || run->done)
        return;
    run->silence_reported = true;
    if (am_shell_rm_state(run->shell, &why) < 0)
        print_line(run, "waiting for the resource manager at %s: %s", run->environment->rm_address, why.text);
    else
        print_line(run, "waiting for an answer of the resource manager at %s", run->environment->rm_address);
}

static void turn(struct run *run)
{
    int64_t now_ms = loop_monotonic_ms(), next_ms, log_ms;

    if (task_master_next_deadline_ms(run->master) <= now_ms) {
        task_master_on_timer(run->master, now_ms, &run->effects);
        carry_out(run);
    }
    log_follow_on_timer(run->logs, now_ms);
    watch_silence(run, now_ms);
    if (run->done && log_follow_is_idle(run->logs)) {
        stop(run, 0);
        return;
    }
    next_ms = task_master_next_deadline_ms(run->master);
    log_ms = log_follow_next_deadline_ms(run->logs);
    if (log_ms < next_ms)
        next_ms = log_ms;
    if (next_ms > now_ms + TURN_MAX_MS)
        next_ms = now_ms + TURN_MAX_MS;
    loop_cancel_timer(run->loop, run->timer);
    run->timer = loop_add_timer(run->loop, next_ms > now_ms ? next_ms - now_ms : 0, on_timer, run);
}

static void on_timer(void *context)
{
    struct run *run = context;

    run->timer = 0;
    turn(run);
}

static void on_message(void *context, const char *address, const Creel__Envelope *envelope)
{
    struct run *run = context;
    int64_t now_ms = loop_monotonic_ms();

    if (!address) {
        run->last_reply_ms = now_ms;
        run->silence_reported = false;
        task_master_on_rm(run->master, now_ms, envelope, &run->effects);
    } else {
        log_follow_receive(run->logs, now_ms, envelope);
        task_master_on_agent(run->master, now_ms, address, envelope, &run->effects);
    }
    carry_out(run);
    turn(run);
}

static void on_signal(void *context, int signal_number)
{
    struct run *run = context;

    if (run->interrupted)
        _exit(128 + signal_number); /* the second signal ends the process at once */
    run->interrupted = true;
    print_line(run, "stopping all tasks");
    task_master_on_stop(run->master, loop_monotonic_ms(), 128 + signal_number, "interrupted by a signal",
                        &run->effects);
    carry_out(run);
    turn(run);
}

/* --- the public function ---------------------------------------------------- */

static int make_master(struct run *run, const Creel__JobSpec *job)
{
    struct task_options options = {
        .app_id = run->environment->app_id,
        .own_container_id = run->environment->container_id,
        .host = run->environment->host,
        .title_prefix = run->options->title_prefix,
        .job_files = run->options->job_files,
        .keep_results = run->options->keep_results,
        .task_attempts = job->max_attempts,
    };
    Creel__LaunchContext launch;
    Creel__JobSpec own = *job;

    if (job->launch != NULL) {
        launch = *job->launch;
        launch.job_token.data = run->environment->job_token;
        launch.job_token.len = run->environment->job_token_size;
        own.launch = &launch;
    }
    return task_master_new(&own, &options, &run->master, run->err);
}

static int begin(struct run *run, const Creel__JobSpec *job)
{
    struct log_follow_calls calls = { read_log, write_data, print_trouble, run };
    int r = loop_new(&run->loop, run->err);

    if (r < 0)
        return r;
    run->logs = log_follow_new(&calls);
    run->shell = am_shell_new(run->loop, run->environment, on_message, run);
    r = loop_on_signal(run->loop, SIGINT, on_signal, run, run->err);
    if (r == 0 && run->options->term_is_final)
        r = loop_on_signal(run->loop, SIGTERM, on_signal, run, run->err);
    if (r == 0)
        r = make_master(run, job);
    return r;
}

int task_run(const struct am_environment *environment, const Creel__JobSpec *job,
             const struct task_run_options *options, int *exit_status, struct err *err)
{
    struct run run = {
        .environment = environment, .options = options, .task_count = job->task_count, .err = err
    };
    int r;

    follow_display_init(&run.display, false);
    task_effects_init(&run.effects);
    r = begin(&run, job);
    if (r == 0) {
        run.last_reply_ms = loop_monotonic_ms();
        task_master_on_start(run.master, run.last_reply_ms, &run.effects);
        carry_out(&run);
        turn(&run);
        if (run.result == 0)
            loop_run(run.loop);
        r = run.result;
    }
    if (r == 0)
        *exit_status = run.exit_status;
    task_master_free(run.master);
    log_follow_free(run.logs);
    am_shell_free(run.shell);
    loop_free(run.loop);
    task_effects_done(&run.effects);
    return r;
}

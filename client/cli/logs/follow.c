/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - follows an application until it ends: state, progress, output */
#include "client/cli/logs/follow.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/cli/logs/follow_display.h"
#include "client/cli/logs/follow_rm.h"
#include "client/cli/logs/log_follow.h"
#include "client/cli/logs/task_label.h"
#include "client/libcreel/client.h"
#include "client/libcreel/channel_pool.h"
#include "common/base/job/exit_status.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/loop.h"

#define LIST_MS 250               /* minimum time between two lists of containers */
#define LIST_PER_CONTAINER_DIV 10 /* plus 1 ms for each so many containers */
#define KILL_MS 3000              /* for the answer to the kill of Ctrl-C */
#define SECOND_INTERRUPT_MS 1000
#define REDRAW_MS 1000
#define ROTATE_AFTER 2 /* unanswered requests before the next RM address is tried */

struct follow {
    struct loop *loop;
    struct channel_pool *pool;
    struct creel_client *client;
    const char *app_id;
    const struct follow_options *options;
    struct follow_rm rm;
    struct log_follow *logs;
    char *token_nodes[WIRE_LOG_NODES_MAX];
    struct follow_display display;
    int timer;
    int64_t begun_ms, interrupted_ms, redraw_ms;
    int64_t kill_until_ms; /* after Ctrl-C that kills: end of the time for the answer to the kill; else 0 */
    unsigned losses;       /* number of lost connections to the RM handled so far */

    Creel__AppReport *app;              /* last report; owned */
    bool over, listed_after_end, stale; /* stale: the list of containers must be repeated */
    int64_t list_after_ms;
    size_t container_count;

    bool killing, stopped;
    enum follow_end end;
    int result;
    struct err *err;
};

static void stop(struct follow *follow, int result, enum follow_end end)
{
    if (follow->stopped)
        return;
    follow->stopped = true;
    follow->result = result;
    follow->end = end;
    loop_stop(follow->loop);
}

/* --- messages to send ------------------------------------------------------- */

static void send_to_rm(void *context, Creel__Envelope *envelope)
{
    struct follow *follow = context;
    struct creel_client *client = follow->client;

    if (follow->rm.silences >= ROTATE_AFTER && client->target_count > 1) {
        client->current = (client->current + 1) % client->target_count;
        follow->rm.silences = 0;
    }
    if (channel_pool_send(follow->pool, client->targets[client->current].address, client->rm_key, envelope,
                          follow->err) < 0)
        stop(follow, -EINVAL, FOLLOW_DETACHED);
}

static void send_to_agent(void *context, const char *address, const char *agent_key,
                          Creel__Envelope *envelope)
{
    struct follow *follow = context;

    /* An invalid address of an agent is no error: its logs are given up later. */
    (void)channel_pool_send(follow->pool, address, agent_key, envelope, NULL);
}

static void write_data(void *context, bool is_stderr, const char *data, size_t size)
{
    struct follow *follow = context;

    follow_display_write(&follow->display, is_stderr, data, size);
}

static void print_trouble(void *context, const char *text)
{
    struct follow *follow = context;

    follow_display_print(&follow->display, text);
}

/* --- containers ------------------------------------------------------------- */

static bool is_wanted(const struct follow *follow, const Creel__ContainerReport *container)
{
    if (follow->options->container_id)
        return text_equal(container->container_id, follow->options->container_id);
    switch (follow->app->kind) {
    case CREEL__APP_KIND__APP_TASKS:
        return !container->master;
    case CREEL__APP_KIND__APP_COMMAND:
        return container->master; /* its steps copy their tasks' output to the master's output */
    default:
        return true;
    }
}

static const char *label_of(const struct follow *follow, const Creel__ContainerReport *container,
                            char label[TASK_LABEL_MAX])
{
    uint32_t tasks = follow->app->tasks ? follow->app->tasks->total : 0;
    bool several = follow->app->kind == CREEL__APP_KIND__APP_TASKS
                       ? tasks > 1
                       : follow->app->kind == CREEL__APP_KIND__APP_MASTER && !container->master;
    struct container_id id = { .number = 0 };
    int64_t index;

    if (follow->options->prefix == FOLLOW_PREFIX_NEVER ||
        (follow->options->prefix == FOLLOW_PREFIX_AUTO && !several))
        return "";
    if (follow->app->kind == CREEL__APP_KIND__APP_TASKS && text_parse_int64(container->title, &index) &&
        index >= 0)
        return task_label((uint32_t)index, tasks, label);
    if (!container_id_parse(container->container_id, &id))
        return "";
    return task_label(id.number, 0, label);
}

static void handle_container(struct follow *follow, const Creel__ContainerReport *container)
{
    bool complete = container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    char label[TASK_LABEL_MAX];

    if (!is_wanted(follow, container) || container->state < CREEL__CONTAINER_STATE__CONTAINER_STARTING ||
        (complete && !container->started_ms))
        return;
    if (!container->node_address[0] || !container->agent_key[0]) {
        if (complete && follow->over && !follow->listed_after_end) {
            scoped_free char *text = mem_printf("output of %s cannot be read: node %s is not connected",
                                                container->container_id, container->node_id);

            follow_display_print(&follow->display, text);
        }
        return;
    }
    log_follow_add(follow->logs, loop_monotonic_ms(),
                   &(struct log_source){
                       .container_id = container->container_id,
                       .node_id = container->node_id,
                       .address = container->node_address,
                       .agent_key = container->agent_key,
                       .label = label_of(follow, container, label),
                       .no_stdout = !follow->options->copy_stdout,
                       .no_stderr = !follow->options->copy_stderr,
                       .stdout_offset = follow->options->container_id ? follow->options->stdout_offset : 0,
                       .stderr_offset = follow->options->container_id ? follow->options->stderr_offset : 0 });
    if (complete || follow->over)
        log_follow_ended(follow->logs, loop_monotonic_ms(), container->container_id,
                         container->exit_status == CONTAINER_EXIT_ABORTED);
}

static bool copies_logs(const struct follow *follow)
{
    return follow->options->copy_stdout || follow->options->copy_stderr;
}

static void request_containers(struct follow *follow)
{
    int64_t now_ms = loop_monotonic_ms();

    if (!copies_logs(follow))
        return;
    follow->stale = false;
    follow_rm_request(&follow->rm, ASK_CONTAINERS,
                      follow->list_after_ms > now_ms ? follow->list_after_ms : now_ms);
}

static void handle_containers(struct follow *follow, const struct follow_answer *answer)
{
    for (size_t i = 0; i < answer->containers->n_containers; i++)
        handle_container(follow, answer->containers->containers[i]);
    follow->container_count += answer->containers->n_containers;
    if (!answer->last_page)
        return;
    follow->list_after_ms =
        loop_monotonic_ms() + LIST_MS + (int64_t)follow->container_count / LIST_PER_CONTAINER_DIV;
    follow->container_count = 0;
    /* A list requested before the application's end may lack its last containers. */
    follow->listed_after_end = follow->over && !follow->stale;
    if (follow->stale || (follow->over && !log_follow_is_idle(follow->logs)))
        request_containers(follow);
}

/* --- the application -------------------------------------------------------- */

static void handle_app(struct follow *follow, const Creel__AppReport *app)
{
    if (follow->app)
        creel__app_report__free_unpacked(follow->app, NULL);
    follow->app = (Creel__AppReport *)wire_copy(&app->base);
    follow_display_app(&follow->display, app, loop_now_ms());
    follow->over = app->state >= CREEL__APP_STATE__APP_FINISHED;
    request_containers(follow);
    if (follow->rm.questions[ASK_CONTAINERS].id || follow->rm.after[0])
        follow->stale = true; /* the reply to the pending request may lack new containers */
    if (!follow->over)
        follow_rm_request(&follow->rm, ASK_STATE, loop_monotonic_ms());
}

static void handle_answer(struct follow *follow, const struct follow_answer *answer)
{
    if (answer->error && answer->question == ASK_KILL)
        return; /* already ended: the next state report shows that */
    if (answer->error) {
        stop(follow, answer->error, FOLLOW_DETACHED);
        return;
    }
    if (answer->app)
        handle_app(follow, answer->app);
    if (answer->containers)
        handle_containers(follow, answer);
    if (answer->access)
        log_follow_set_tokens(follow->logs, loop_monotonic_ms(), answer->access);
}

static void finish_if_over(struct follow *follow)
{
    if (!follow->over)
        return;
    if (copies_logs(follow) && (!follow->listed_after_end || !log_follow_is_idle(follow->logs)))
        return;
    stop(follow, 0, FOLLOW_OVER);
}

/* --- the loop --------------------------------------------------------------- */

static void on_timer(void *context);

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void check_limits(struct follow *follow, int64_t now_ms)
{
    int64_t limit_ms = follow->options->limit_ms;
    struct creel_client *client = follow->client;

    if (limit_ms > 0 && now_ms - follow->begun_ms >= limit_ms)
        stop(follow, 0, FOLLOW_OUT_OF_TIME);
    if (follow->interrupted_ms && now_ms - follow->interrupted_ms >= SECOND_INTERRUPT_MS)
        stop(follow, 0, FOLLOW_DETACHED);
    if (follow->kill_until_ms && now_ms >= follow->kill_until_ms &&
        follow_rm_is_open(&follow->rm, ASK_KILL)) {
        follow_display_print(&follow->display,
                             "the resource manager does not answer: it may not kill the job");
        stop(follow, 0, FOLLOW_DETACHED);
    }
    if (now_ms - follow->rm.answered_ms < CREEL_PATIENCE_MS || follow->over)
        return;
    if (!channel_pool_state(follow->pool, client->targets[client->current].address, follow->err))
        err_set(follow->err, EHOSTUNREACH, "no answer for %d s", CREEL_PATIENCE_MS / 1000);
    err_prefix(follow->err, "the resource manager at %s", client->address_text);
    stop(follow, -EHOSTUNREACH, FOLLOW_DETACHED);
}

/* Ends if the RM does not accept the user's key any more. */
static void check_refusal(struct follow *follow)
{
    const char *address = follow->client->targets[follow->client->current].address;

    if (follow->stopped || !channel_pool_is_refused(follow->pool, address))
        return;
    stop(follow,
         err_set(follow->err, EACCES,
                 "%s: creel-rm refused our key; was our public certificate "
                 "removed from its key directory?",
                 address),
         FOLLOW_DETACHED);
}

/* Repeats requests that were lost with a connection to the RM. */
static void check_losses(struct follow *follow, int64_t now_ms)
{
    struct creel_client *client = follow->client;
    unsigned losses = channel_pool_losses(follow->pool, client->targets[client->current].address);

    if (losses != follow->losses) {
        follow->losses = losses;
        follow_rm_lost(&follow->rm, now_ms);
    }
}

static void request_tokens(struct follow *follow, int64_t now_ms)
{
    struct follow_rm *rm = &follow->rm;

    if (follow_rm_is_open(rm, ASK_TOKEN))
        return;
    rm->token_nodes = follow->token_nodes;
    rm->token_node_count = log_follow_needs_tokens(follow->logs, follow->token_nodes);
    if (rm->token_node_count > 0)
        follow_rm_request(rm, ASK_TOKEN, now_ms);
}

/* Runs after every event: sends due requests and sets the timer for the next. */
static void turn(struct follow *follow)
{
    int64_t now_ms = loop_monotonic_ms(), next_ms;

    client_renew(follow->client, follow->rm.signed_out);
    follow->rm.signed_out = false;
    check_limits(follow, now_ms);
    check_refusal(follow);
    log_follow_on_timer(follow->logs, now_ms);
    request_tokens(follow, now_ms);
    check_losses(follow, now_ms);
    follow_rm_on_timer(&follow->rm, now_ms);
    finish_if_over(follow);
    if (follow->app && follow->display.terminal && now_ms >= follow->redraw_ms) {
        follow_display_app(&follow->display, follow->app, loop_now_ms());
        follow->redraw_ms = now_ms + REDRAW_MS;
    }
    next_ms = earlier(follow_rm_next_deadline_ms(&follow->rm), log_follow_next_deadline_ms(follow->logs));
    next_ms = earlier(next_ms, follow->display.terminal ? follow->redraw_ms : INT64_MAX);
    next_ms = earlier(next_ms, now_ms + 1000);
    if (follow->interrupted_ms)
        next_ms = earlier(next_ms, follow->interrupted_ms + SECOND_INTERRUPT_MS);
    loop_cancel_timer(follow->loop, follow->timer);
    follow->timer = loop_add_timer(follow->loop, next_ms > now_ms ? next_ms - now_ms : 0, on_timer, follow);
}

static void on_timer(void *context)
{
    struct follow *follow = context;

    follow->timer = 0;
    turn(follow);
}

static void on_message(void *context, const char *address, const Creel__Envelope *envelope)
{
    struct follow *follow = context;
    struct follow_answer answer = follow_rm_receive(&follow->rm, loop_monotonic_ms(), envelope, follow->err);

    (void)address;
    if (follow->stopped)
        return;
    if (answer.valid)
        handle_answer(follow, &answer);
    else
        log_follow_receive(follow->logs, loop_monotonic_ms(), envelope);
    turn(follow);
}

static void on_signal(void *context, int signal_number)
{
    struct follow *follow = context;
    scoped_free char *text = NULL;

    if (follow->options->only_look || follow->killing) {
        stop(follow, 0, follow->killing ? FOLLOW_KILLING : FOLLOW_DETACHED);
    } else if (follow->options->kill_on_interrupt || follow->interrupted_ms) {
        follow->kill_until_ms = loop_monotonic_ms() + KILL_MS;
        follow->interrupted_ms = 0;
        follow->killing = true;
        text = mem_printf("killing %s (Ctrl-C again does not wait for its end)", follow->app_id);
        follow_display_print(&follow->display, text);
        follow_rm_request(&follow->rm, ASK_KILL, loop_monotonic_ms());
    } else if (signal_number == SIGTERM) {
        stop(follow, 0, FOLLOW_DETACHED);
    } else {
        follow->interrupted_ms = loop_monotonic_ms();
        text = mem_printf("leaving %s running (Ctrl-C again within a second kills it); "
                          "its output: creel logs -f %s",
                          follow->app_id, follow->app_id);
        follow_display_print(&follow->display, text);
    }
    turn(follow);
}

/* --- the public function ---------------------------------------------------- */

static int begin(struct follow *follow)
{
    struct log_follow_calls calls = { send_to_agent, write_data, print_trouble, follow };
    int r = loop_new(&follow->loop, follow->err);

    if (r < 0)
        return r;
    follow->pool = channel_pool_new(follow->loop, &follow->client->own, on_message, follow);
    follow->logs = log_follow_new(&calls);
    r = loop_on_signal(follow->loop, SIGINT, on_signal, follow, follow->err);
    if (r == 0)
        r = loop_on_signal(follow->loop, SIGTERM, on_signal, follow, follow->err);
    if (r < 0)
        return r;
    follow->begun_ms = loop_monotonic_ms();
    follow_rm_init(&follow->rm, follow->begun_ms);
    follow_rm_request(&follow->rm, ASK_STATE, follow->begun_ms);
    return 0;
}

static int query_app(struct follow *follow, struct creel_apps **apps)
{
    struct creel_error error;
    int r = creel_app_get(follow->client, follow->app_id, apps, &error);

    return r < 0 ? err_set(follow->err, -r, "%s", error.text) : 0;
}

int follow_app(struct creel_client *client, const char *app_id, const struct follow_options *options,
               enum follow_end *end, struct creel_apps **apps, struct err *err)
{
    struct follow follow = {
        .client = client,
        .app_id = app_id,
        .options = options,
        .err = err,
        .rm = { .app_id = app_id,
                .as_user = client->as_user ? client->as_user : "",
                .send = send_to_rm,
                .signs_in = client->sign_in.by_munge },
    };
    int r;

    follow.rm.context = &follow;
    follow_display_init(&follow.display, options->show_state);
    r = begin(&follow);
    if (r == 0) {
        turn(&follow);
        if (!follow.stopped)
            loop_run(follow.loop);
        r = follow.result;
    }
    follow_display_clear(&follow.display);
    log_follow_free(follow.logs);
    channel_pool_free(follow.pool);
    loop_free(follow.loop);
    if (r == 0 && follow.end != FOLLOW_DETACHED && follow.end != FOLLOW_KILLING)
        r = query_app(&follow, apps);
    if (r == 0)
        *end = follow.end;
    if (follow.app)
        creel__app_report__free_unpacked(follow.app, NULL);
    return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* task_master.c - the built-in application master: handles events and produces effects */
#include "client/am/task_master.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/am/task_book.h"
#include "client/am/task_step.h"
#include "common/base/mem.h"

#define DEFAULT_RM_RESEND_MS 2000
#define DEFAULT_AGENT_RESEND_MS 3000

/* --- creation --------------------------------------------------------------- */

static struct task_options own_options(const struct task_options *from)
{
    struct task_options own = *from;

    own.app_id = mem_strdup(from->app_id ? from->app_id : "");
    own.own_container_id = mem_strdup(from->own_container_id ? from->own_container_id : "");
    own.title_prefix = mem_strdup(from->title_prefix ? from->title_prefix : "");
    own.host = mem_strdup(from->host ? from->host : "");
    if (!own.lost_retries)
        own.lost_retries = TASK_LOST_RETRIES;
    if (!own.task_attempts)
        own.task_attempts = 1;
    if (own.rm_resend_ms <= 0)
        own.rm_resend_ms = DEFAULT_RM_RESEND_MS;
    if (own.agent_resend_ms <= 0)
        own.agent_resend_ms = DEFAULT_AGENT_RESEND_MS;
    return own;
}

static Creel__JobSpec *copy_job(const Creel__JobSpec *job)
{
    size_t size = creel__job_spec__get_packed_size(job);
    scoped_free uint8_t *bytes = mem_alloc(size + 1);
    Creel__JobSpec *copy;

    creel__job_spec__pack(job, bytes);
    copy = creel__job_spec__unpack(NULL, size, bytes);
    if (!copy)
        abort(); /* out of memory: abort, as mem_alloc does */
    return copy;
}

static Creel__LaunchContext *launch_of_held(void *context, void *owner, struct arena *arena)
{
    const struct held_container *held = owner;

    return task_launch(context, held->task, arena);
}

int task_master_new(const Creel__JobSpec *job, const struct task_options *options, struct task_master **ret,
                    struct err *err)
{
    struct task_master *master;

    if (!job->launch || !job->launch->n_command)
        return err_set(err, EINVAL, "job %s: no command for its tasks", job->name);
    if (!job->resource)
        return err_set(err, EINVAL, "job %s: no resource for its tasks", job->name);
    if (!job->task_count)
        return err_set(err, EINVAL, "job %s: no tasks", job->name);
    master = mem_new0(struct task_master);
    master->job = copy_job(job);
    master->options = own_options(options);
    master->count = job->task_count;
    master->tasks = mem_array0(master->count, sizeof(*master->tasks));
    TAILQ_INIT(&master->waiting);
    TAILQ_INIT(&master->resting);
    TAILQ_INIT(&master->live);
    for (uint32_t i = 0; i < master->count; i++) {
        master->tasks[i].index = i;
        TAILQ_INSERT_TAIL(&master->waiting, &master->tasks[i], link);
    }
    master->in_state[TASK_WAITING] = master->count;
    master->recheck_ms = INT64_MAX;
    master->link = am_link_new(master->options.host, master->options.rm_resend_ms);
    am_link_set_session(master->link, master->options.session);
    if (master->options.keep_results)
        am_link_set_state(master->link, stored_results, master);
    master->starts =
        am_starts_new(master->options.agent_resend_ms, SILENT_RESENDS * master->options.agent_resend_ms,
                      launch_of_held, step_start_answered, master);
    *ret = master;
    return 0;
}

void task_master_free(struct task_master *master)
{
    if (!master)
        return;
    am_starts_free(master->starts);
    am_link_free(master->link);
    book_free(master);
    creel__job_spec__free_unpacked(master->job, NULL);
    free((void *)(uintptr_t)master->options.app_id);
    free((void *)(uintptr_t)master->options.own_container_id);
    free((void *)(uintptr_t)master->options.title_prefix);
    free((void *)(uintptr_t)master->options.host);
    free(master->worst);
    free(master->remark);
    free(master);
}

/* --- one step: begin, an event, pump ---------------------------------------- */

static void begin(struct task_master *master, int64_t now_ms, struct task_effects *effects)
{
    assert(!master->effects);
    master->effects = effects;
    master->now_ms = now_ms;
}

struct task_counts task_master_counts(const struct task_master *master)
{
    const uint32_t *in = master->in_state;

    return (struct task_counts){
        .total = master->count,
        .waiting = in[TASK_WAITING] + in[TASK_RESTING] + in[TASK_STARTING],
        .running = in[TASK_RUNNING] + in[TASK_LEAVING],
        .succeeded = in[TASK_SUCCEEDED],
        .failed = in[TASK_FAILED],
    };
}

static void report_progress(struct task_master *master)
{
    struct task_counts now = task_master_counts(master);
    Creel__TaskCounts counts = CREEL__TASK_COUNTS__INIT;

    counts.total = now.total;
    counts.running = now.running;
    counts.succeeded = now.succeeded;
    counts.failed = now.failed;
    am_link_progress(master->link, (float)((double)(now.succeeded + now.failed) / (double)now.total),
                     &counts);
}

/* The results are stored with the next Allocate, which also confirms the ends of the containers. */
static void note_results(struct task_master *master)
{
    uint32_t ended = master->in_state[TASK_SUCCEEDED] + master->in_state[TASK_FAILED];

    if (ended == master->ended_noted || master->given_up)
        return;
    master->ended_noted = ended;
    am_link_state_changed(master->link);
}

/* Returns RESULT with the remark on tasks that succeeded. RESULT may have the same message, of a task that
 * failed. */
static char *add_remark(const struct task_master *master, char *result)
{
    scoped_free char *first = result;
    const char *pause = *first ? ". " : "";
    char others[64] = "";

    if (master->remarks == 0)
        return mem_strdup(first);
    if (strstr(first, master->remark))
        return mem_printf("%s. Task %u, which succeeded, has the same message", first, master->remark_task);
    if (master->remarks > 1)
        snprintf(others, sizeof(others), " (%u tasks have such a message)", master->remarks);
    return mem_printf("%s%stask %u: %s%s", first, pause, master->remark_task, master->remark, others);
}

static void finish_if_over(struct task_master *master)
{
    uint32_t failed = master->in_state[TASK_FAILED];
    scoped_free char *text = NULL;

    if (master->finishing || failed + master->in_state[TASK_SUCCEEDED] < master->count)
        return;
    master->finishing = true;
    if (master->stopped)
        text = mem_strdup(master->worst);
    else if (failed)
        text = mem_printf("%u of %u tasks failed; %s", failed, master->count, master->worst);
    else
        text = mem_strdup("");
    text = add_remark(master, text);
    free(master->worst);
    master->worst = mem_strdup(text);
    am_link_finish(master->link,
                   master->stopped ? CREEL__FINAL_STATUS__FINAL_KILLED
                   : failed        ? CREEL__FINAL_STATUS__FINAL_FAILED
                                   : CREEL__FINAL_STATUS__FINAL_SUCCEEDED,
                   master->exit_code, text);
}

static void wake_rested(struct task_master *master)
{
    struct task *task;

    while ((task = TAILQ_FIRST(&master->resting)) && task->rest_until_ms <= master->now_ms)
        book_move(master, task, TASK_WAITING);
}

/* Returns the number of containers to request. A job of very many tasks does not request all at once:
 * containers that are allocated before they can be started use memory in the master and the RM, and keep
 * other applications from running. */
static uint32_t wanted(const struct task_master *master)
{
    uint32_t waiting = master->in_state[TASK_WAITING], most = ASK_MAX;
    int64_t outstanding = am_link_outstanding(master->link, ASK_PRIORITY);

    if (master->untitled > 0)
        return 0;
    if (master->in_state[TASK_STARTING] >= ASK_MAX / 2 && outstanding >= 0 && outstanding < ASK_MAX)
        most = (uint32_t)outstanding; /* no further requests until agents have accepted more of the starts */
    return waiting < most ? waiting : most;
}

/* Makes the messages for the changes of the event. */
static void pump(struct task_master *master)
{
    struct task_effects *effects = master->effects;
    struct am_start_batch batch;
    Creel__Envelope *envelope;

    wake_rested(master);
    if (!master->finishing)
        am_link_set_demand(master->link, ASK_PRIORITY, master->job->resource, wanted(master));
    report_progress(master);
    note_results(master);
    finish_if_over(master);
    if (master->now_ms >= master->recheck_ms) {
        master->recheck_ms = INT64_MAX;
        am_link_register_again(master->link);
    }
    while (am_starts_next(master->starts, master->now_ms, effects->arena, &batch))
        effect_send_agent(effects, batch.address, batch.agent_key, batch.envelope);
    while ((envelope = am_link_poll(master->link, master->now_ms, effects->arena)))
        effect_send_rm(effects, envelope);
    if (am_link_is_over(master->link) && !master->done) {
        master->done = true;
        effect_finished(effects, master->exit_code, master->worst);
    }
    master->effects = NULL;
}

void task_master_on_start(struct task_master *master, int64_t now_ms, struct task_effects *effects)
{
    begin(master, now_ms, effects);
    am_link_start(master->link, now_ms);
    pump(master);
}

void task_master_on_rm(struct task_master *master, int64_t now_ms, const Creel__Envelope *envelope,
                       struct task_effects *effects)
{
    struct am_news news;

    if (master->done)
        return;
    begin(master, now_ms, effects);
    news = am_link_receive(master->link, now_ms, envelope);
    switch (news.kind) {
    case AM_NEWS_NONE:
        break;
    case AM_NEWS_REGISTERED:
        step_registered(master, news.registered);
        break;
    case AM_NEWS_RESYNC:
        effect_event(effects, &(struct task_event){ .kind = TASK_EVENT_RESYNC });
        break;
    case AM_NEWS_ALLOCATED:
        step_allocated(master, news.allocated);
        break;
    case AM_NEWS_REFUSED:
    case AM_NEWS_OVER:
        step_give_up(master, 1, news.text);
        break;
    case AM_NEWS_FINISHED:
        break;
    }
    pump(master);
}

void task_master_on_agent(struct task_master *master, int64_t now_ms, const char *address,
                          const Creel__Envelope *envelope, struct task_effects *effects)
{
    if (master->done)
        return;
    begin(master, now_ms, effects);
    am_starts_receive(master->starts, address, envelope);
    pump(master);
}

void task_master_on_stop(struct task_master *master, int64_t now_ms, int exit_status, const char *why,
                         struct task_effects *effects)
{
    if (master->done || master->finishing)
        return;
    begin(master, now_ms, effects);
    master->stopped = true;
    step_give_up(master, exit_status, why);
    pump(master);
}

void task_master_on_timer(struct task_master *master, int64_t now_ms, struct task_effects *effects)
{
    if (master->done)
        return;
    begin(master, now_ms, effects);
    pump(master);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t task_master_next_deadline_ms(const struct task_master *master)
{
    const struct task *resting = TAILQ_FIRST(&master->resting);
    int64_t deadline = am_link_next_deadline_ms(master->link);

    if (master->done)
        return INT64_MAX;
    deadline = earlier(deadline, am_starts_next_deadline_ms(master->starts));
    deadline = earlier(deadline, master->recheck_ms);
    return resting ? earlier(deadline, resting->rest_until_ms) : deadline;
}

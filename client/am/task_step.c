/* SPDX-License-Identifier: Apache-2.0 */
/* task_step.c - updates of the task master's tables for each event */
#include "client/am/task_step.h"

#include <assert.h>
#include <string.h>

#include "common/base/job/task_results.h"
#include "common/base/job/exit_status.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/proto/launch_texts.h"

/* --- ends of tasks ---------------------------------------------------------- */

static struct task_event event_of(enum task_event_kind kind, const struct task *task,
                                  const struct held_container *held)
{
    struct task_event event = { .kind = kind, .task = task->index, .try_number = task->tries };

    if (held) {
        event.container_id = held->container_id;
        event.node_id = held->node_id;
        event.node_address = held->node_address;
        event.agent_key = held->agent_key;
        event.token = held->token;
    }
    return event;
}

static void emit_event(struct task_master *master, struct task_event event, int yarn_status,
                       const char *diagnostics)
{
    event.yarn_status = yarn_status;
    event.exit_status = task_exit_code(yarn_status);
    event.diagnostics = diagnostics;
    effect_event(master->effects, &event);
}

/* Stores exit code and message of TASK, if its exit code is the first or higher than all before. */
static void note_failure(struct task_master *master, const struct task *task, const char *diagnostics)
{
    bool silent = !diagnostics || !diagnostics[0];

    if (master->worst && task->exit_code <= master->exit_code)
        return;
    master->exit_code = task->exit_code;
    free(master->worst);
    master->worst = mem_printf("task %u ended with %d%s%s", task->index, task->exit_code, silent ? "" : ": ",
                               silent ? "" : diagnostics);
}

/* Stores the message of TASK, which succeeded: it names the files that are lost with its scratch
 * directory. */
static void note_remark(struct task_master *master, const struct task *task, const char *diagnostics)
{
    if (!diagnostics || !diagnostics[0] || master->remarks++ > 0)
        return;
    master->remark = mem_strdup(diagnostics);
    master->remark_task = task->index;
}

static void end_task(struct task_master *master, struct task *task, int exit_code, const char *diagnostics)
{
    task->exit_code = exit_code;
    if (exit_code)
        note_failure(master, task, diagnostics);
    book_move(master, task, exit_code ? TASK_FAILED : TASK_SUCCEEDED);
}

/* Returns an exit code that is never 0, since a lost container is no success whatever its status. */
static int failure_code(int yarn_status)
{
    int code = task_exit_code(yarn_status);

    return code ? code : 1;
}

/* Counts the end of TASK's container with STATUS. Returns true if TASK runs again. If it was not started for
 * a reason that other nodes may not have, avoids the node for a while, unless half of the nodes are avoided
 * already. */
static bool runs_again(struct task_master *master, struct task *task, const struct held_container *held,
                       const Creel__ContainerStatus *status)
{
    const struct task_limits limits = {
        .no_requeue = master->job->no_requeue,
        .lost = master->options.lost_retries,
        .attempts = master->options.task_attempts,
    };
    const struct task_end end = {
        .status = status->exit_status,
        .elsewhere = status->retry_elsewhere,
        .released = task->state == TASK_LEAVING,
        .unanswered = task->start_unanswered,
        .started = status->started_ms > 0,
    };
    bool again = task_retry_count(&task->ends, &limits, &end);

    if (end.elsewhere && held && task->ends.elsewhere <= TASK_ELSEWHERE_MAX)
        am_link_avoid_broken(master->link, held->node_id, master->now_ms);
    return again;
}

/* Handles the end of TASK's container, which is already unbound, with STATUS. */
static void task_ended(struct task_master *master, struct task *task, const struct held_container *held,
                       const Creel__ContainerStatus *status)
{
    bool was_leaving = task->state == TASK_LEAVING;
    struct task_event event = event_of(TASK_EVENT_ENDED, task, held);

    if (status->exit_status == 0) {
        end_task(master, task, 0, "");
        note_remark(master, task, status->diagnostics);
    } else if (runs_again(master, task, held, status)) {
        event.kind = TASK_EVENT_RETRY;
        if (was_leaving) { /* the task's start was refused: no immediate retry */
            task->rest_until_ms = master->now_ms + REST_MS;
            book_move(master, task, TASK_RESTING);
        } else if (task->state != TASK_WAITING && task->state != TASK_RESTING) {
            book_move(master, task, TASK_WAITING);
        }
    } else {
        end_task(master, task, failure_code(status->exit_status), status->diagnostics);
    }
    emit_event(master, event, status->exit_status, status->diagnostics);
}

/* --- containers ------------------------------------------------------------- */

static void forget_untitled(struct task_master *master, struct held_container *held)
{
    held->untitled_since_ms = 0;
    master->untitled--;
}

static bool waits(const struct task *task)
{
    return task->state == TASK_WAITING || task->state == TASK_RESTING;
}

static void on_completed(struct task_master *master, const Creel__ContainerStatus *status)
{
    struct held_container *held = book_find(master, status->container_id);
    struct task *task;

    am_link_released(master->link, status->container_id);
    if (!held || held->complete)
        return; /* unknown, or reported before */
    task = held->task;
    if (held->untitled_since_ms) {
        forget_untitled(master, held);
        task = book_task_of_title(master, status->title);
        if (task && !waits(task))
            task = NULL;
    }
    am_starts_drop(master->starts, held->container_id);
    book_complete(master, held);
    if (task)
        task_ended(master, task, held, status);
}

static void release_container(struct task_master *master, struct held_container *held)
{
    am_starts_drop(master->starts, held->container_id);
    am_link_release(master->link, held->container_id);
    if (held->task && held->task->state != TASK_LEAVING)
        book_move(master, held->task, TASK_LEAVING);
}

/* Gives back the new container HELD, whose agent would start another command: one of 0.2.0 ignores
 * LaunchContext.escaped. A job waits for other nodes, since the RM accepted it with agents that restore its
 * texts. Nobody has checked that for a step, which would perhaps wait forever. */
static void avoid_old_agent(struct task_master *master, struct held_container *held, const char *what)
{
    scoped_free char *why =
        mem_printf("the agent of node %s does not accept commands, variables or paths with "
                   "%s: upgrade it, or put them into a script",
                   held->node_id, what);
    struct task_event event = { .kind = TASK_EVENT_AVOIDED, .node_id = held->node_id, .diagnostics = why };

    if (master->options.job_files) {
        step_give_up(master, task_exit_code(CONTAINER_EXIT_NOT_STARTED), why);
        return;
    }
    am_link_avoid(master->link, held->node_id, master->now_ms + AVOID_MS);
    release_container(master, held);
    effect_event(master->effects, &event);
}

static void on_granted(struct task_master *master, const Creel__Container *container)
{
    struct task *task = TAILQ_FIRST(&master->waiting);
    struct held_container *held;
    const char *what;

    if (book_find(master, container->container_id))
        return;
    held = book_add(master, container);
    if (!task || master->untitled > 0) {
        release_container(master, held);
        return;
    }
    what = container->restores ? NULL : launch_texts_are_new(master->job->launch);
    if (what) {
        avoid_old_agent(master, held, what);
        return;
    }
    book_bind(master, held, task, TASK_STARTING);
    am_starts_add(
        master->starts,
        &(struct am_start_place){ held->container_id, held->node_address, held->agent_key, held->token },
        held);
}

void step_start_answered(void *context, void *owner, const Creel__Error *error, bool silent)
{
    struct task_master *master = context;
    struct held_container *held = owner;
    struct task *task = held->task;

    assert(task && task->state == TASK_STARTING);
    if (!error) {
        book_move(master, task, TASK_RUNNING);
        emit_event(master, event_of(TASK_EVENT_STARTED, task, held), 0, "");
        return;
    }
    /* The container may run nevertheless (an earlier copy of the request was accepted): wait for the RM's
     * report. */
    task->start_unanswered = silent;
    if (silent)
        am_link_avoid(master->link, held->node_id, master->now_ms + AVOID_MS);
    release_container(master, held);
    emit_event(master, event_of(TASK_EVENT_REFUSED, task, held), 0, error->message);
}

/* --- after a registration --------------------------------------------------- */

/* Binds a container that an earlier process started to the task that its title names, or releases it. */
static void adopt(struct task_master *master, struct held_container *held, const char *title)
{
    struct task *task = book_task_of_title(master, title);

    if (task && *title && waits(task) && !master->finishing) {
        book_bind(master, held, task, TASK_RUNNING);
        emit_event(master, event_of(TASK_EVENT_STARTED, task, held), 0, "");
    } else {
        release_container(master, held);
    }
}

/* Handles a running container that the RM has listed, and that this process does not know. The RM knows no
 * title of a container that an earlier process of this attempt has not started, or whose node has not
 * reported it since. Only an unmanaged application has such processes. */
static void on_found_unknown(struct task_master *master, const Creel__Container *container)
{
    struct held_container *held = book_add(master, container);

    if (*container->title || master->options.session == 0) {
        adopt(master, held, container->title);
        return;
    }
    held->untitled_since_ms = master->now_ms;
    master->untitled++;
}

/* Handles an untitled container that the RM has listed again. */
static void check_untitled(struct task_master *master, struct held_container *held, const char *title)
{
    if (*title) {
        forget_untitled(master, held);
        adopt(master, held, title);
    } else if (master->now_ms - held->untitled_since_ms >= UNTITLED_MS) {
        am_link_release(master->link, held->container_id);
    }
}

/* Handles a running container that the RM has listed. */
static void on_found_running(struct task_master *master, const Creel__Container *container)
{
    struct held_container *held = book_find(master, container->container_id);

    if (text_equal(container->container_id, master->options.own_container_id))
        return;
    if (held && held->complete)
        return; /* the RM has already reported its end */
    if (!held) {
        on_found_unknown(master, container);
        held = book_find(master, container->container_id);
    } else if (held->untitled_since_ms) {
        check_untitled(master, held, container->title);
    } else if (container->token.len && !am_starts_has(master->starts, held->container_id)) {
        book_renew(held, container);
        if (held->task)
            emit_event(master, event_of(TASK_EVENT_RENEWED, held->task, held), 0, "");
    }
    held->seen = master->registrations;
    held->unconfirmed_since_ms = 0;
}

static void on_found_completed(struct task_master *master, const Creel__ContainerStatus *status)
{
    struct task *task = book_task_of_title(master, status->title);

    if (book_find(master, status->container_id)) {
        on_completed(master, status);
        return;
    }
    book_add_ended(master, status->container_id);
    am_link_released(master->link, status->container_id);
    if (!task || !waits(task) || text_equal(status->container_id, master->options.own_container_id))
        return;
    task_ended(master, task, NULL, status);
}

/* Returns true if the container is of an earlier attempt. */
static bool is_earlier(const struct task_master *master, const char *container_id)
{
    struct container_id own, other;

    return container_id_parse(master->options.own_container_id, &own) &&
           container_id_parse(container_id, &other) && other.attempt.attempt < own.attempt.attempt;
}

/* The ends of containers of earlier attempts come first, so that no granted container runs a task that has
 * ended. */
void step_allocated(struct task_master *master, const Creel__AllocateReply *reply)
{
    for (size_t i = 0; i < reply->n_completed; i++)
        if (is_earlier(master, reply->completed[i]->container_id))
            on_found_completed(master, reply->completed[i]);
    for (size_t i = 0; i < reply->n_allocated; i++)
        on_granted(master, reply->allocated[i]);
    for (size_t i = 0; i < reply->n_completed; i++)
        on_completed(master, reply->completed[i]);
}

/* Finds containers that the RM did not list after its restart. Their agents may not have registered yet.
 * Releases containers that the RM has not listed for RECHECK_MS. */
static void find_unconfirmed(struct task_master *master)
{
    struct held_container *held;

    master->recheck_ms = INT64_MAX;
    TAILQ_FOREACH(held, &master->live, link) {
        if (held->seen == master->registrations)
            continue;
        if (!held->unconfirmed_since_ms)
            held->unconfirmed_since_ms = master->now_ms;
        if (master->now_ms - held->unconfirmed_since_ms >= RECHECK_MS)
            release_container(master, held);
        else if (held->unconfirmed_since_ms + RECHECK_MS < master->recheck_ms)
            master->recheck_ms = held->unconfirmed_since_ms + RECHECK_MS;
    }
    if (master->untitled > 0)
        master->recheck_ms = master->now_ms + UNTITLED_AGAIN_MS;
}

/* Gives the tasks of a step the files of the submission, if the step has no files of its own. */
static void copy_job_files(struct task_master *master, const Creel__JobSpec *job)
{
    Creel__LaunchContext *own = master->job->launch;

    if (!master->options.job_files || own->n_files || !job || !job->launch || !job->launch->n_files)
        return;
    /* The texts of both are restored then. creel escapes all texts of a launch if one of them has a character
     * that is an escape, so texts that it did not escape have none. */
    own->escaped = own->escaped || job->launch->escaped;
    own->files = mem_array0(job->launch->n_files, sizeof(*own->files));
    for (; own->n_files < job->launch->n_files; own->n_files++) {
        const Creel__FileRef *from = job->launch->files[own->n_files];
        Creel__FileRef *file = mem_new0(Creel__FileRef);

        creel__file_ref__init(file);
        file->name = mem_strdup(from->name);
        file->hash.len = from->hash.len;
        file->hash.data = mem_dup(from->hash.data, from->hash.len);
        file->size_bytes = from->size_bytes;
        file->mode = from->mode;
        file->unpack = from->unpack;
        own->files[own->n_files] = file;
    }
}

/* Restores the results of earlier attempts. Called before any other report about the tasks is handled. */
static void restore_results(struct task_master *master, const ProtobufCBinaryData *state)
{
    scoped_free int16_t *results = mem_array0(master->count, sizeof(*results));
    struct task_event event = { .kind = TASK_EVENT_RESTORED };
    struct err err;

    if (stored_results_read(master, state, results, &err) < 0) {
        event.diagnostics = err.text;
        effect_event(master->effects, &event);
        return;
    }
    for (uint32_t i = 0; i < master->count; i++) {
        if (results[i] == TASK_NOT_ENDED)
            continue;
        event.task++;
        end_task(master, &master->tasks[i], results[i], "");
    }
    master->ended_noted = event.task; /* the RM has these results */
    effect_event(master->effects, &event);
}

void step_registered(struct task_master *master, const Creel__RegisterAmReply *reply)
{
    master->registrations++;
    copy_job_files(master, reply->job);
    effect_event(master->effects, &(struct task_event){ .kind = TASK_EVENT_REGISTERED });
    if (master->options.keep_results && master->registrations == 1 && reply->am_state.len > 0)
        restore_results(master, &reply->am_state);
    for (size_t i = 0; i < reply->n_completed; i++)
        on_found_completed(master, reply->completed[i]);
    for (size_t i = 0; i < reply->n_running; i++)
        on_found_running(master, reply->running[i]);
    find_unconfirmed(master);
}

/* --- giving up -------------------------------------------------------------- */

static void stop_at_agent(struct task_master *master, const struct held_container *held)
{
    struct arena *arena = master->effects->arena;
    Creel__Envelope *envelope = arena_new0(arena, Creel__Envelope);
    Creel__StopContainers *body = arena_new0(arena, Creel__StopContainers);

    creel__envelope__init(envelope);
    creel__stop_containers__init(body);
    body->tokens = arena_new0(arena, ProtobufCBinaryData);
    body->tokens[0].len = held->token.len;
    body->tokens[0].data = arena_dup(arena, held->token.data, held->token.len);
    body->n_tokens = 1;
    envelope->body_case = CREEL__ENVELOPE__BODY_STOP_CONTAINERS;
    envelope->stop_containers = body;
    effect_send_agent(master->effects, held->node_address, held->agent_key, envelope);
}

void step_give_up(struct task_master *master, int exit_code, const char *why)
{
    struct held_container *held;
    bool are_of_another = master->options.session && am_link_is_over(master->link);

    master->given_up = true;
    TAILQ_FOREACH(held, &master->live, link) {
        /* The address is missing if the node had not registered with a restarted resource manager. */
        if (held->task && held->task->state == TASK_RUNNING && held->token.len && *held->node_address &&
            !are_of_another)
            stop_at_agent(master, held);
        am_starts_drop(master->starts, held->container_id);
        am_link_release(master->link, held->container_id);
        if (held->task)
            held->task->held = NULL;
        held->task = NULL;
    }
    for (uint32_t i = 0; i < master->count; i++) {
        struct task *task = &master->tasks[i];

        if (task->state == TASK_SUCCEEDED || task->state == TASK_FAILED)
            continue;
        task->exit_code = exit_code;
        book_move(master, task, TASK_FAILED);
        emit_event(master, event_of(TASK_EVENT_ENDED, task, NULL), exit_code, why);
    }
    if (master->finishing)
        return; /* every task had ended: the result is final */
    if (exit_code > master->exit_code)
        master->exit_code = exit_code;
    free(master->worst);
    master->worst = mem_strdup(why);
}
